"""Templates and embedded data of HTML pages."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from crosspro.evaluation.output.examples import Mark
from crosspro.evaluation.output.templates import render_page

HOSTILE = "</title><script>alert(1)</script>{{ 7 * 7 }}\"'&"


@pytest.fixture
def template(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(
        '{% extends "base.html" %}'
        '{% block main %}<i title="{{ said }}">{{ said }}</i>{% endblock %}'
        '{% block script %}<script id="data">{{ data|tojson }}</script>{% endblock %}',
        "utf-8",
    )
    return path


def page_of(template, **content):
    usual = {"title": "t", "subtitle": "", "warnings": (), "signatures": (), "said": "", "data": 0}
    return render_page(template, **{**usual, **content})


def test_texts_stay_texts(template):
    page = page_of(template, title=HOSTILE, subtitle=HOSTILE, warnings=[HOSTILE], said=HOSTILE,
                   signatures=[HOSTILE], data=HOSTILE)  # fmt: skip
    assert page.count("<script") == page.count("</script>") == 1
    assert "49" not in page.split("</style>")[1]
    assert page.count("{{ 7 * 7 }}") == 8


def test_nothing_is_left_out_silently(template):
    with pytest.raises(UndefinedError):
        render_page(template, title="t")


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner)))
def test_embedded_data_is_what_it_was_and_has_no_markup(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("data") / "data.html"
    path.write_text("{{ data|tojson }}", "utf-8")
    text = render_page(path, data=data)
    assert "<" not in text
    assert json.loads(text) == data


def test_dataclasses_are_objects(template):
    page = page_of(template, data=Mark(0, (1,), range(2, 4)))
    mark = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert mark == {
        "line": 0,
        "source": [1],
        "target": [2, 3],
        "kind": "pronoun",
        "repaired": False,
    }
