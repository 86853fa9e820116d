"""Doubtful pronouns as items of a review: the very characters are marked, the worst come first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.evaluation.human.items import items_text, read_items
from crosspro.prediction.proofread.review_items import review_items
from crosspro.prediction.proofread.text import text_of_lines
from tests.prediction.proofread.proofread_text import proofread_result

WORST_FIRST = ["2:3", "3:23-3:20", "4:14", "3:15"]


@pytest.fixture
def found():
    return proofread_result(threshold=0.5)


@pytest.fixture
def items(found):
    return review_items(found, found.worst_first)


def marked(items, one):
    """The words of source and translation that are marked."""
    line = items.lines[one.pronoun.line]
    source, words = line.version(one.item.system)
    return (
        [source[at] for at in one.pronoun.source],
        [words[at] for at in one.pronoun.candidate],
    )


def test_all_kinds_are_marked_where_they_stand(items):
    assert [one.item.token for one in items.items] == WORST_FIRST
    assert [marked(items, one) for one in items.items] == [
        (["It"], ["Es"]), (["they"], []), ([], ["sie"]), (["it"], ["ihn"])
    ]  # fmt: skip
    assert [one.group for one in items.items] == ["it", "they", "additional", "it"]
    assert {one.item.system for one in items.items} == {"book.de"}
    assert items.languages == ("en", "de")


def test_what_is_doubtful_is_filled_in_and_the_rest_is_not(items):
    told = [
        (one.suggested.wrong, one.suggested.alternative, one.suggested.pronoun)
        for one in items.items
    ]
    assert told == [
        (0.93, "Er", "wrong"), (0.61, "sie", "wrong"), (0.35, "", None), (0.04, "es", None)
    ]  # fmt: skip
    assert items.items[0].why == "“Es” for “It”: “Hund” is masculine, line 1"


def test_the_same_word_read_otherwise_is_no_suggestion(found):
    same = replace(found.pronouns[0], suggestion="es")
    (item,) = review_items(found, [same]).items
    assert (item.suggested.alternative, item.suggested.pronoun) == ("", "wrong")


def test_a_file_of_items_is_read_as_it_was(items, tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text(items_text(items), "utf-8")
    again = read_items(path)
    assert again == items
    assert [key[0] for key in sorted(again.ranks, key=again.ranks.get)] == WORST_FIRST


def test_words_are_cut_where_a_pronoun_ends(found):
    pronoun = found.pronouns[0]
    text = text_of_lines(["Did she see it?"], ["L'a-t-elle vue\u00a0?"])
    place = text.target.place(6, 10)
    source = text.source.place(4, 7)
    elle = replace(
        pronoun, segment=0, start=6, end=10, place=place, word="elle",
        source_place=source, source_word="she",
    )  # fmt: skip
    items = review_items(proofread_result(text=text, pronouns=(elle,)), [elle])
    assert items.lines[0].candidates["translation"].words == ("L'a-t-", "elle", "vue", "?")
    assert marked(items, items.items[0]) == (["she"], ["elle"])


def test_lines_around_are_kept_and_no_others(found):
    lines = [f"Line {number} is long." for number in range(60)]
    text = text_of_lines(lines, lines)
    chosen = []
    for segment in (5, 50):
        start = text.segments[segment].target.places[0]
        place = text.target.place(start, start + 4)
        chosen.append(
            replace(
                found.pronouns[0], segment=segment, start=0, end=4, word="Line", place=place,
                source_word="Line", source_place=place,
            )
        )  # fmt: skip
    items = review_items(proofread_result(text=text, pronouns=tuple(chosen)), chosen)
    assert [line.source[1] for line in items.lines] == [
        str(n) for n in (*range(16), *range(40, 60))
    ]
    assert {line.document for line in items.lines[:16]} == {""}
    assert {line.document for line in items.lines[16:]} == {"part 1"}
    assert [items.lines[one.pronoun.line].source[1] for one in items.items] == ["5", "50"]
