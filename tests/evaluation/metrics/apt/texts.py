"""A text of seven sentences with an occurrence of each case, and how such texts are made."""

from __future__ import annotations

import numpy as np

from crosspro.evaluation.inputs.linked_text import Text, Translation, links_from_pairs


def text(lines):
    raw = [line.encode() for line in lines]
    return Text("x", raw, np.array([len(line.split()) for line in raw]))


def translation(name, lines, links):
    pairs = [[tuple(map(int, link.split("-"))) for link in line.split()] for line in links]
    return Translation(name, text(lines), links_from_pairs(name, pairs))


# One sentence for each case, and a seventh with words that are no pronouns.
SOURCE = text(["it x"] * 7)
REFERENCE = translation(
    "ref",
    ["C' x", "il x", "il x", "elle x", "elle x", "x x", "lui x"],
    ["0-0", "0-0", "0-0", "0-0", "", "", "0-0"],
)
CANDIDATE = translation(
    "cand",
    ["ce x", "ce x", "elle x", "x x", "elle x", "x x", "lui x"],
    ["0-0", "0-0", "0-0", "", "0-0", "", "0-0"],
)
