"""The measurement of links between sentences: what was joined is found again and counted."""

from __future__ import annotations

from crosspro.scripts.reproduce.sentence_links import WordsFrom, joined_documents, measured

SOURCE = ["It rains in Bonn. We stay.", "", "Anna sings 7 songs.", "Nobody came to the river."]
TARGET = [
    "Es regnet in Bonn. Wir bleiben.",
    "",
    "Anna singt 7 Lieder und",
    "Niemand kam zum Fluss.",
]
IDS = ["a", "a", "b", "b"]


def test_joined_lines_remember_where_they_are_from():
    first, second = joined_documents(SOURCE, TARGET, IDS, "en", "de")
    assert first.source == ("It rains in Bonn.", "We stay.")
    assert (first.source_lines, first.target_lines) == ((0, 0), (frozenset({0}), frozenset({0})))
    assert second.target == ("Anna singt 7 Lieder und Niemand kam zum Fluss.",)
    assert second.truth == {(2, 0), (3, 0)}


def test_links_are_counted():
    joined = list(joined_documents(SOURCE, TARGET, IDS, "en", "de"))
    for words in (WordsFrom.NONE, WordsFrom.BOX):
        found = measured(joined, words, "en", "de")
        assert (found.sentences, found.single, found.true) == (4, 2, 4)
        assert (found.found, found.right) == (4, 4)
        assert found.row[4:6] == ("100.00", "100.00")
