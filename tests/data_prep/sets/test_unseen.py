"""Text of unseen sets is found again, whatever its ids, gaps and sources."""

from __future__ import annotations

from dataclasses import replace

from crosspro.data_prep.example import Example, Gap
from crosspro.data_prep.sets.unseen import target_digests, target_words, without_unseen


def line(text, document=None):
    return Example((), tuple(f"{word}|X" for word in text.split()), (), (), document)


LONG = [line(f"here he comes again with number {number}", "talk") for number in range(10)]


def test_gaps_are_filled_with_what_stood_in_them():
    gaps = (Gap(0, 0, "il", "Il"), Gap(2, 0, "OTHER", None))
    example = Example((), ("REPLACE_0", "être|VER", "REPLACE_0"), (), gaps)
    assert target_words(example) == ["il", "être"]


def test_a_document_that_shares_much_is_left_out_whole():
    asked = replace(LONG[3], target=("here|X", "REPLACE_0", *LONG[3].target[2:]))
    asked = replace(asked, gaps=(Gap(1, 0, "he", "he"),), document="other")
    unseen = target_digests([asked])
    assert without_unseen(LONG, unseen) == [*LONG[:3], *LONG[4:]]
    assert without_unseen(LONG, target_digests([asked, *LONG[:2]])) == []
    assert without_unseen(LONG, set()) == LONG


def test_short_lines_and_lines_without_a_document_are_their_own():
    short, alone = line("thank you", "talk"), [replace(one, document=None) for one in LONG]
    assert target_digests([short]) == set()
    assert without_unseen([short, *alone], target_digests(LONG[:5])) == [short, *alone[5:]]
