"""A text of seven sentences with an occurrence of each case, and how such texts are made."""

from __future__ import annotations

import numpy as np

from crosspro.evaluation.inputs.linked_text import Text, Translation, links_from_pairs
from crosspro.evaluation.inputs.mt_input import MtInput
from crosspro.evaluation.inputs.pronoun_lists import load_lists

LISTS = load_lists("en-fr")


def text(lines):
    raw = [line.encode() for line in lines]
    return Text("x", raw, np.array([len(line.split()) for line in raw]))


def translation(name, lines, links):
    """A translation whose links are written `s-t s-t …`, or are pairs already."""
    pairs = [
        [tuple(map(int, link.split("-"))) for link in line.split()]
        if isinstance(line, str)
        else line
        for line in links
    ]
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


def mt_input(
    source=SOURCE, reference=REFERENCE, candidates=(CANDIDATE,), lists=LISTS, documents=None,
    anchors=None,
):  # fmt: skip
    """Texts as metrics of linked text get them."""
    return MtInput(source, reference, tuple(candidates), documents, "given", anchors, (), lists)
