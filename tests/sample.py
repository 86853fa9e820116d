"""The gold files of the sample, which data_prep/sample/README.md describes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.annotate.files import conllu_text
from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.sample import SAMPLE_DIR

Place = tuple[int, int]
"""A token of the sample: line from 1, index in the line from 0."""


@dataclass(frozen=True)
class GoldGap:
    """The gap of a perfect pipeline for a source pronoun, or a verb without a subject.

    `target_index` is None where nothing translates the pronoun; the label is then OTHER.
    `antecedent` is the head of the nearest noun phrase before the pronoun that names the same
    thing, in the source language.
    """

    line: int
    source_index: int
    target_index: int | None
    label: str
    kind: str
    antecedent: Place | None


def sample_path(name: str) -> Path:
    return SAMPLE_DIR / name


def as_conllu(lines: Iterable[str]) -> str:
    """Sentences of words, or of `form|lemma|tag`, as CoNLL-U with these tags, else with X."""
    text = []
    for line in lines:
        words = (
            word.split("|") if "|" in word else (word, word.lower(), "X") for word in line.split()
        )
        text.append(conllu_text(AnnotatedSentence(tuple(Token(*word) for word in words))))
    return "".join(text)


def _rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in sample_path(name).read_text("utf-8").splitlines()][1:]


def read_gold(task: str) -> list[GoldGap]:
    """The gold gaps of a task by line and source index."""
    return [
        GoldGap(
            int(line),
            int(source),
            None if target == "-" else int(target),
            label,
            kind,
            None
            if antecedent == "-"
            else (int(antecedent.split(":")[0]), int(antecedent.split(":")[1])),
        )
        for line, source, target, label, kind, antecedent in _rows(f"gold.{task}.tsv")
    ]


def read_nonsubjects(language: str) -> set[Place]:
    """The words that look like source pronouns of a task but are no subjects."""
    rows = _rows(f"gold.nonsubjects.{language}.tsv")
    return {(int(line), int(index)) for line, index, _ in rows}


def read_pronoun_links(pair: str) -> list[list[Place]]:
    """The gold links of the pronouns of every segment, English position first."""
    lines = sample_path(f"links.{pair}.gold").read_text("utf-8").splitlines()
    return [
        [(int(s), int(t)) for s, t in (link.split("-") for link in line.split())] for line in lines
    ]
