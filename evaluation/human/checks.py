"""Attention checks made from the references: what is right beyond doubt, and what is not.

Half of them show the reference itself as the translation, half the reference of another place in
the text, which translates nothing of what is asked for. Both look like any other item.
"""

from __future__ import annotations

import random
from dataclasses import replace

from crosspro.evaluation.human.items import (
    KnownAnswer,
    MarkedWords,
    ReviewCandidate,
    ReviewItem,
    ReviewLine,
    ReviewSet,
    item_digest,
)
from crosspro.evaluation.protest.verdicts import Item

CHECK = "attention check"
"""The system of such items; a system of this name would be taken for one."""

_RIGHT = KnownAnswer(("right",), ("right",))
_WRONG = KnownAnswer(("wrong", "unclear"), ("wrong", "unclear"))


def reference_checks(items: ReviewSet, count: int, seed: int) -> ReviewSet:
    """At most so many checks, each with lines of its own, so that nothing else is touched."""
    generator = random.Random(f"{seed} checks")  # noqa: S311 - no secret
    tokens = {one.item.token: one for one in items.items if _translated(one)}
    chosen = generator.sample(sorted(tokens), min(count, len(tokens)))
    lines: list[ReviewLine] = []
    found: list[ReviewItem] = []
    others = [line.references[0] for line in items.lines if line.references and line.references[0]]
    for number, token in enumerate(chosen):
        item = tokens[token]
        shift = len(lines)
        own = items.context(item, 1)
        numbers = {line: shift + at for at, line in enumerate(own)}
        right = number % 2 == 0
        for line in own:
            text = items.lines[line]
            words = text.references[0]
            if not right:
                words = generator.choice([one for one in others if one != words] or [("…",)])
            candidate = ReviewCandidate(words, (), text.candidates[item.item.system].source)
            lines.append(replace(text, document=f"check {number}", candidates={CHECK: candidate}))
        marks = [
            None if one is None else _moved(one, numbers, right)
            for one in (item.pronoun, item.antecedent)
        ]
        if marks[0] is None:
            continue
        seen = [lines[one.line].candidates[CHECK].words for one in marks if one is not None]
        digest = item_digest(f"check {token}", marks, seen)
        answer = _RIGHT if right else _WRONG
        answer = answer if item.antecedent else replace(answer, antecedent=())
        stored = Item(token, CHECK, digest, "", "", item.antecedent is not None)
        found.append(ReviewItem(stored, item.group, marks[0], marks[1], False, "", answer))
    return ReviewSet(items.title, items.digest, tuple(lines), tuple(found), items.languages)


def _translated(item: ReviewItem) -> bool:
    """Whether the first reference has words for all that is asked."""
    marks = (item.pronoun, *([item.antecedent] if item.antecedent else ()))
    return all(one.references and one.references[0] for one in marks)


def _moved(marks: MarkedWords, numbers: dict[int, int], right: bool) -> MarkedWords:
    candidate = marks.references[0] if right else ()
    return MarkedWords(numbers[marks.line], marks.source, marks.references, candidate)
