"""Decisions that a page exports become edits of the file of the translation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.prediction.proofread.decisions import DECISIONS, read_decisions, replacement
from crosspro.prediction.proofread.text import Edit, PlacedRun, PlacedText, placed_text
from crosspro.version import __version__
from tests.prediction.proofread.proofread_text import TARGET, proofread_text


def decisions(tmp_path, *accepted, **changes):
    about = {"format": 1, "kind": DECISIONS, "crosspro": __version__, "model": "en-de"}
    files = {"source": "book.en", "translation": "book.de"}
    made = [{"kind": "word", "wrong": 0.9, **one} for one in accepted]
    content = {**about, "digest": "", "files": files, "accepted": made, "kept": [], **changes}
    path = tmp_path / "decisions.json"
    path.write_text(json.dumps(content), "utf-8")
    return path


ES = {"segment": 2, "line": 2, "start": 2, "end": 4, "word": "Es", "replacement": "Er"}
THEY = {"segment": 3, "line": 3, "start": 22, "end": 22, "word": "", "replacement": "sie "}


def test_decisions_become_edits(tmp_path):
    text = proofread_text()
    edits = read_decisions(decisions(tmp_path, THEY, ES), text)
    changed = text.target.mended(edits).splitlines()
    assert changed[1] == TARGET[1].replace("Es", "Er")
    assert changed[2] == "Die Katze sah ihn und sie kämpften."
    assert (changed[0], changed[3]) == (TARGET[0], TARGET[3])


@pytest.mark.parametrize(
    ("accepted", "file", "line", "field"),
    [
        ([{**ES, "word": "es"}], "book.de", 2, "text"),
        ([{**ES, "line": 9}], "book.de", 9, "text"),
        ([{**ES, "segment": 0}], "book.de", 2, "text"),
        ([{**ES, "start": -3}], "book.de", 2, "text"),
        ([{**ES, "end": 400}], "book.de", 2, "text"),
        ([ES, {**ES, "replacement": "Sie"}], "book.de", 2, "text"),
        ([{**ES, "line": "two"}], "decisions.json", None, "accepted.0.line"),
        ([{"line": 2}], "decisions.json", None, "accepted.0.word"),
    ],
)
def test_decisions_that_do_not_fit_are_refused(tmp_path, accepted, file, line, field):
    with pytest.raises(InputError) as error:
        read_decisions(decisions(tmp_path, *accepted), proofread_text())
    faults = [(Path(one.path).name, one.line, one.field) for one in error.value.problems]
    assert (file, line, field) in faults


def test_other_files_are_no_decisions(tmp_path):
    with pytest.raises(InputError, match="decisions"):
        read_decisions(decisions(tmp_path, kind="other"), proofread_text())


@pytest.mark.parametrize(
    ("text", "word", "edit"),
    [
        ("Je l'aime.", "l'", Edit(3, 5, "les ")),
        ("Je les aime.", "les", Edit(3, 7, "l'")),
        ("Je les aime , j' ai .", "les", Edit(3, 6, "l'")),
        ("Je les vois.", "les", Edit(3, 6, "la")),
    ],
)
def test_spaces_follow_elision(text, word, edit):
    start = text.index(word)
    placed = PlacedText(text, range(len(text)))
    assert replacement(placed, start, start + len(word), edit.text.strip()) == edit


def test_an_escape_is_replaced_as_a_whole_and_a_line_break_never():
    content = "Il la\naime. L&apos;aime."
    apostrophe = content.index("&")
    runs = [
        PlacedRun(content[:apostrophe], 0, apostrophe),
        PlacedRun("'", apostrophe, apostrophe + 6),
        PlacedRun("aime.", apostrophe + 6, len(content)),
    ]
    placed = placed_text(runs)
    assert replacement(placed, 12, 14, "Les") == Edit(12, 19, "Les ")
    assert replacement(placed, 3, 5, "l'") == Edit(3, 5, "l'")
