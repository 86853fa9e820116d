"""Pages: texts stay texts, embedded data is what it was, examples are spread evenly."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.report.examples import Examples, Mark, Rendering
from crosspro.evaluation.report.page import TEMPLATES, render_page, spread_over
from crosspro.evaluation.report.tables import Cell, Table

HOSTILE = "</title><script>alert(1)</script>{{ 7 * 7 }}\"'&"
EVALUATION = TEMPLATES / "evaluation.html"


def page_of(examples=None, text="t"):
    table = Table((text, text), [[text, Cell(text, filters={"word": text}, note=text)]], text)
    return render_page(EVALUATION, title=text, subtitle=text, warnings=[text], sections=[table],
                       examples=examples, cut_note=text, signatures=[text])  # fmt: skip


def one_example(text):
    examples = Examples([text], [(text, "right")], 1, note=text)
    line = examples.add_line(0, f"it {text}", [f"il {text}"], [f"il {text}"], text)
    mark = Mark(0, (0,), range(1))
    examples.add("it", [line], [[mark]], [Rendering(0, text, text, [mark], text)], text)
    return examples


def test_texts_stay_texts():
    page = page_of(one_example(HOSTILE), HOSTILE)
    assert page.count("<script") == page.count("</script>") == 2
    assert "49" not in page.split("</style>")[1].split("<script")[0]
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert data["lines"][0]["source"] == f"it {HOSTILE}"
    assert data["examples"][0]["references"][0][0]["target"] == [0]


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner)))
def test_embedded_data_is_what_it_was_and_has_no_markup(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("data") / "data.html"
    path.write_text("{{ data|tojson }}", "utf-8")
    text = render_page(path, data=data)
    assert "<" not in text
    assert json.loads(text) == data


@given(st.integers(0, 500), st.integers(0, 500))
def test_shown_examples_are_spread_evenly(total, limit):
    shown = spread_over(range(total), limit)
    assert len(shown) == min(total, limit)
    assert shown == sorted(set(shown))
    gaps = np.diff(shown)
    assert not len(gaps) or gaps.max() - gaps.min() <= 1
