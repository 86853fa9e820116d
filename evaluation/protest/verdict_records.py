"""What people say: an item, a person's verdict on it, and what all verdicts amount to.

An *item* is a token in one system's output as it was seen: a changed output is a new item. Each
annotator has one verdict an item, about the pronoun and, for anaphoric tokens, the antecedent's
head (001 §3). Items on which annotators disagree are conflicts until somebody resolves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from crosspro.data_prep.core.errors import Problem, choices

Value = Literal["right", "wrong", "unclear"]
VALUES = ("right", "wrong", "unclear")
State = Literal["right", "wrong", "unclear", "conflict"]


@dataclass(frozen=True, slots=True)
class Item:
    """What was judged: a token in a system's output, and the words that stood for it there."""

    token: str
    system: str
    digest: str
    pronoun: str
    head: str
    anaphoric: bool

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells items apart."""
        return self.token, self.system, self.digest


@dataclass(frozen=True, slots=True)
class CorrectedWords:
    """The words that are the pronoun's translation, where others were marked; perhaps none are."""

    at: tuple[int, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnnotatorVerdict:
    """One person's opinion of an item; no antecedent for tokens that have none.

    `bad` says that the translation is too bad to be judged, `alternative` is a pronoun that would
    be right. `time` is when it was stored (in UTC), and `number` its place among all that were.
    """

    item: Item
    annotator: str
    pronoun: Value
    antecedent: Value | None
    tags: tuple[str, ...] = ()
    remark: str = ""
    bad: bool = False
    corrected: CorrectedWords | None = None
    alternative: str = ""
    time: str = field(default="", compare=False)
    number: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What all verdicts on an item amount to: that of the resolution, or of all if they agree.

    `corrected` is what all of them say about the pronoun's words, `alternatives` what some do. If
    all find the translation too bad to be judged, and nobody has decided otherwise, it is `bad`.
    """

    item: Item
    pronoun: State
    antecedent: State | None
    annotators: tuple[str, ...]
    tags: tuple[str, ...]
    remarks: tuple[str, ...]
    resolved: bool
    corrected: CorrectedWords | None = None
    alternatives: tuple[tuple[str, str], ...] = ()
    """A pronoun that would be right, and who says so."""
    bad: bool = False

    @property
    def in_conflict(self) -> bool:
        """Whether annotators disagree and nobody has decided."""
        return "conflict" in (self.pronoun, self.antecedent)


def judgement_of(verdicts: Sequence[AnnotatorVerdict], final: AnnotatorVerdict | None) -> Judgement:
    """What some verdicts on an item amount to, of which one may be final."""
    item = (final or verdicts[0]).item
    remarks = tuple(one.remark for one in verdicts if one.remark)
    names = tuple(one.annotator for one in verdicts)
    tags = tuple(sorted({tag for one in verdicts for tag in one.tags}))
    corrections = {one.corrected for one in verdicts}
    corrected = next(iter(corrections)) if len(corrections) == 1 else None
    alternatives = tuple((one.alternative, one.annotator) for one in verdicts if one.alternative)
    pronoun: State
    antecedent: State | None
    if final is not None:
        pronoun, antecedent = final.pronoun, final.antecedent
        remarks += (final.remark,) if final.remark else ()
    else:
        pronouns = {one.pronoun for one in verdicts}
        antecedents = {one.antecedent for one in verdicts}
        pronoun = verdicts[0].pronoun if len(pronouns) == 1 else "conflict"
        antecedent = verdicts[0].antecedent if len(antecedents) == 1 else "conflict"
    return Judgement(
        item,
        pronoun,
        antecedent,
        names,
        tags,
        remarks,
        final is not None,
        corrected,
        alternatives,
        bool(verdicts)
        and all(one.bad for one in verdicts)
        and (final is None or final.pronoun == "unclear"),
    )


def check_value(path: str, line: int, field: str, text: str) -> Value | Problem:
    """A verdict as people write it, or what is wrong with it."""
    value = value_of(text.strip().lower())
    return Problem(path, line, field, choices(VALUES), repr(text)) if value is None else value


def value_of(text: object) -> Value | None:
    """One of the three values, or nothing."""
    values: dict[object, Value] = {"right": "right", "wrong": "wrong", "unclear": "unclear"}
    return values.get(text)
