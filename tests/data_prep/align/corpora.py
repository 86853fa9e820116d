"""Small parallel texts for the tests of the aligner, and the news text where it is present."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.formats.links import read_links
from tests.conftest import SHARED_DATA

SOURCE = [
    line.split()
    for line in (
        "the house is red",
        "the car is red",
        "the house is big",
        "a car",
        "a house",
        "the car is big",
    )
]
TARGET = [
    line.split()
    for line in (
        "la maison est rouge",
        "la voiture est rouge",
        "la maison est grande",
        "une voiture",
        "une maison",
        "la voiture est grande",
    )
]

PAIRS = list(zip(SOURCE, TARGET, strict=True))


def made_up_pairs(segments):
    """`made_up_text`, pair by pair."""
    return list(zip(*made_up_text(segments), strict=True))


def made_up_text(segments, words=40, seed=1):
    """Sentences over numbered words, and the same in other words, neighbours sometimes swapped."""
    state = seed
    source, target = [], []
    for _ in range(segments):
        numbers = []
        for _ in range(6 + state % 9):
            state = (1103515245 * state + 12345) % 2**31
            numbers.append(state // 65536 % words)
        source.append([f"s{number}" for number in numbers])
        other = list(numbers)
        if state % 3 == 0:
            other[1], other[2] = other[2], other[1]
        target.append([f"t{number}" for number in other])
    return source, target


def news_text():
    """English, French and GIZA++ links of 4,954 sentences; skips where they are absent."""
    folder = SHARED_DATA / "news_mt"
    if not folder.is_dir():
        pytest.skip("the news text is not here")
    name = "pronoun-test.tok"
    texts = [
        [line.split() for line in read_text_lines(folder / f"{name}.{language}.xz")]
        for language in ("en", "fr")
    ]
    return *texts, list(read_links(folder / f"{name}.en-fr.alig.xz", *texts))
