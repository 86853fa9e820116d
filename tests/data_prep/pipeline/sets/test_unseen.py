"""Text of unseen sets is found again, whatever its ids, gaps and sources."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.pipeline.sets.overlap import (
    line_digests,
    refuse_blind,
    target_words,
    without_unseen,
)
from tests.examples import example_of


def line(text, document=None):
    return example_of((), tuple(f"{word}|X" for word in text.split()), (), (), document)


LONG = [line(f"here he comes again with number {number}", "talk") for number in range(10)]


def test_gaps_are_filled_with_what_stood_in_them():
    gaps = (Gap(0, 0, "il", "Il"), Gap(2, 0, "OTHER", "NONE"), Gap(3, 0, "ils", "il|PRON"))
    target = ("REPLACE_0", "être|VER", "REPLACE_0", "REPLACE_0", "none|X")
    assert target_words(example_of((), target, (), gaps)) == ["il", "être", "il", "none"]


def test_a_document_that_shares_much_is_left_out_whole():
    asked = LONG[3].with_target(("here|X", "REPLACE_0", *LONG[3].target[2:]))
    asked = replace(asked, gaps=(Gap(1, 0, "he", "he"),), document="other")
    unseen = line_digests([asked])
    assert without_unseen(LONG, unseen) == [*LONG[:3], *LONG[4:]]
    assert without_unseen(LONG, line_digests([asked, *LONG[:2]])) == []
    assert without_unseen(LONG, set()) == LONG


def test_short_lines_and_lines_without_a_document_are_their_own():
    short, alone = line("thank you", "talk"), [replace(one, document=None) for one in LONG]
    assert line_digests([short]) == set()
    assert without_unseen([short, *alone], line_digests(LONG[:5])) == [short, *alone[5:]]


def test_a_line_is_the_same_whichever_of_its_words_are_gaps():
    """As English lines are in fr-en, de-en and es-en: there a gap, here a word with its tag."""
    tagged = ("he|PRON", *LONG[0].target[2:], "and|CONJ", "they|PRON", "go|VERB")
    asked = example_of(("a",), ("REPLACE_0", *tagged[1:]), (), (Gap(0, 0, "he", "he|PRON"),))
    place = tagged.index("they|PRON")
    gap = Gap(place, 0, "they", "they|PRON")
    other = example_of(("b",), (*tagged[:place], "REPLACE_0", *tagged[place + 1 :]), (), (gap,))
    assert without_unseen([other], line_digests([asked])) == []


def test_a_source_that_is_known_leaves_a_line_out():
    source = ("wie", "man", "hier", "sehen", "kann", ",", "kommt", "er")
    asked, other = (example_of(source, (f"{word}|X",), (), ()) for word in ("one", "two"))
    assert without_unseen([other], line_digests([asked])) == []
    assert without_unseen([line("quite another line than that one")], line_digests([asked])) != []


def test_blind_files_are_refused(tmp_path):
    blind = replace(LONG[0], gaps=(Gap(0, 0),))
    refuse_blind(tmp_path / "x.data", LONG)
    with pytest.raises(InputError, match=r"x.data:2: gaps"):
        refuse_blind(tmp_path / "x.data", [LONG[0], blind, blind])
