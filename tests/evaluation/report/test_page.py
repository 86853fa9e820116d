"""Pages: texts stay texts, embedded data is what it was, examples are spread evenly."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from crosspro.evaluation.evaluation import Score
from crosspro.evaluation.report.examples import Examples, Mark, Rendering
from crosspro.evaluation.report.page import TEMPLATES, render_page, score_bar, spread_over
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


def test_nothing_is_left_out_silently():
    with pytest.raises(UndefinedError):
        render_page(EVALUATION, title="t")


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner)))
def test_embedded_data_is_what_it_was_and_has_no_markup(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("data") / "data.html"
    path.write_text("{{ data|tojson }}", "utf-8")
    text = render_page(path, data=data)
    assert "<" not in text
    assert json.loads(text) == data


def test_bars_stay_on_their_scale():
    assert score_bar(Score(50, 40, 60)) == {"value": 50, "left": 40, "width": 20}
    assert score_bar(Score(-5, -10, 120)) == {"value": 0, "left": 0, "width": 100}
    assert score_bar(Score(float("nan"))) is None


def test_groups_are_numbered_in_their_order():
    examples = Examples(["a"], [("v", "right")], 1, "kind", ["first", "second"])
    for group in ("second", "third", "first"):
        examples.add("a", [0], [], [], group=group)
    assert examples.groups == ["first", "second", "third"]
    assert [one.group for one in examples.examples] == [1, 2, 0]


@given(st.integers(0, 500), st.integers(0, 500))
def test_shown_examples_are_spread_evenly(total, limit):
    shown = spread_over(range(total), limit)
    assert len(shown) == min(total, limit)
    assert shown == sorted(set(shown))
    gaps = np.diff(shown)
    assert not len(gaps) or gaps.max() - gaps.min() <= 1


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs a browser")
def test_the_script_shows_all_examples_and_marks_their_pronouns(tmp_path):
    """In a real browser."""
    report = """<script>
      const count = selector => document.querySelectorAll("#examples " + selector).length;
      document.title = JSON.stringify(
        [count(".example"), count("mark.source"), count("mark.target")]);
    </script></body>"""
    path = tmp_path / "page.html"
    page = page_of(one_example("word " * 80 + HOSTILE))
    path.write_text(page.replace("</body>", report), "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", path.as_uri()]
    shown = subprocess.run(["chromium", *options], capture_output=True, text=True, check=True)
    title = re.search("<title>(.*?)</title>", shown.stdout)
    assert json.loads(title[1]) == [1, 1, 2]
