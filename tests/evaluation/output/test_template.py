"""Templates, tables and embedded data of HTML pages."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.output import page as page_template
from crosspro.evaluation.output.page import (
    cell_table,
    embedded_json,
    fill_page,
    html_table,
    shade,
)


def test_parts_and_other_files_are_put_in_once(tmp_path, monkeypatch):
    monkeypatch.setattr(page_template, "SHARED", tmp_path)
    (tmp_path / "page.html").write_text("<p>{{a}}</p>{{b.html}}<i>{{a}}</i>\n", "utf-8")
    (tmp_path / "b.html").write_text("<b>shared {{s}}</b>\n", "utf-8")
    filled = fill_page(tmp_path / "page.html", {"a": "{{b.html}} {{c}}", "s": "once"})
    assert filled == "<p>{{b.html}} {{c}}</p><b>shared once</b><i>{{b.html}} {{c}}</i>\n"


def test_tables_escape_text_but_not_cells():
    table = html_table(("<h>", "n"), [("a&b", "1")])
    assert "<th class=l>&lt;h&gt;</th><th>n</th>" in table
    assert "<td class=l>a&amp;b</td><td>1</td>" in table
    assert "<td class=l><b>1</b></td>" in cell_table(("x",), [("<b>1</b>",)])


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner)))
def test_embedded_data_is_what_it_was_and_has_no_markup(data):
    text = embedded_json(data)
    assert "<" not in text
    assert json.loads(text) == data


def test_shades_grow_with_the_share():
    assert shade(0).endswith(",0.000)")
    assert shade(1).endswith(",0.600)")
