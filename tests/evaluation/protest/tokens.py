"""Tokens of the hand-made project in tests/golden/protest, and changes to outputs of its text."""

from __future__ import annotations

from dataclasses import replace

from crosspro.evaluation.people.verdicts import Item, Judgement, Verdict
from tests.conftest import GOLDEN

FOLDER = GOLDEN / "protest"
BICYCLE, HOUSE, RAIN, CLITIC = "talk1:word_6", "talk2:word_7", "talk1:word_29", "talk1:word_13"


def changed(system, *changes):
    """The system with some words (line, position, word) exchanged."""
    lines = [list(line) for line in system.output]
    for line, at, word in changes:
        lines[line][at] = word
    return replace(system, output=[tuple(line) for line in lines])


def by_name(results):
    return {result.token.name: result for result in results}


def judgement(result, pronoun, antecedent=None):
    """The judgement of an annotator; in a conflict a second one disagrees."""
    item = Item(*result.key, result.output.name, "x", "y")
    judged = Judgement(item)
    annotators = ("A", "B") if "conflict" in (pronoun, antecedent) else ("A",)
    for name, conflicting in zip(annotators, ("right", "wrong"), strict=False):
        values = (conflicting if value == "conflict" else value for value in (pronoun, antecedent))
        judged.add(Verdict(item, name, *values))
    return {item.key: judged}
