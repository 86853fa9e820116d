"""How far a campaign is: by annotator, system and category; agreement, conflicts, corrections."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from crosspro.evaluation.core.agreement import Agreement, RatedItem, agreement
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.human.campaign import Campaign, people
from crosspro.evaluation.human.items import Key, Question
from crosspro.evaluation.human.verdicts import (
    VALUES,
    Judgement,
    Verdict,
    judgement_of,
    last_decisions,
    last_verdicts,
)
from crosspro.evaluation.human.work import Work, read_work

RESAMPLING = Resampling(500, 12345)


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """What an annotator has done of their work, and how they answered what has a known answer."""

    name: str
    assigned: int
    done: int
    skipped: int
    flagged: int
    checks: int
    checks_passed: int
    tutorial: int
    values: Mapping[str, int]


@dataclass(frozen=True)
class ReviewedQuestion:
    """A question with what was said about it; `final` is what a researcher decided."""

    question: Question
    verdicts: tuple[Verdict, ...]
    final: Verdict | None
    asked: int
    flags: tuple[tuple[str, str], ...] = ()

    @cached_property
    def judgement(self) -> Judgement | None:
        """What the verdicts amount to."""
        said = bool(self.verdicts) or self.final is not None
        return judgement_of(self.verdicts, self.final) if said else None

    @property
    def status(self) -> str:
        """Whether it is open, judged, in conflict, or decided."""
        found = self.judgement
        if found is None:
            return "open"
        return "decided" if found.resolved else "conflict" if found.in_conflict else "judged"

    @property
    def value(self) -> str:
        """What is known about the pronoun: a value, conflict, or nothing."""
        found = self.judgement
        return "" if found is None else "conflict" if found.in_conflict else found.pronoun


@dataclass(frozen=True, slots=True)
class GroupProgress:
    """Questions of a system or category that are asked, judged, in conflict and found right."""

    name: str
    asked: int
    judged: int
    conflicts: int
    values: Mapping[str, int]


@dataclass(frozen=True)
class Overview:
    """Everything that a researcher sees first."""

    annotators: tuple[AnnotatorProgress, ...]
    systems: tuple[GroupProgress, ...]
    groups: tuple[GroupProgress, ...]
    agreement: Mapping[str, Agreement]
    questions: int
    judged: int
    conflicts: int


def reviewed(connection: sqlite3.Connection, campaign: Campaign) -> list[ReviewedQuestion]:
    """All questions of the campaign, whether asked or not, in their order."""
    verdicts: dict[Key, dict[str, Verdict]] = {}
    for verdict in last_verdicts(connection):
        own = verdicts.setdefault((verdict.item.token, verdict.item.digest), {})
        if verdict.annotator not in own or verdict.number > own[verdict.annotator].number:
            own[verdict.annotator] = verdict
    final = {
        (decision.item.token, decision.item.digest): decision
        for decision in last_decisions(connection)
    }
    rows = connection.execute(
        "SELECT token, digest, COUNT(*) FROM assignment WHERE kind = 'item' GROUP BY token, digest"
    )
    asked = {(token, digest): count for token, digest, count in rows}
    flags = _flags(connection)
    return [
        ReviewedQuestion(
            question,
            tuple(verdicts.get(key, {}).values()),
            final.get(key),
            asked.get(key, 0),
            flags.get(key, ()),
        )
        for key, question in campaign.items.questions.items()
    ]


def _flags(connection: sqlite3.Connection) -> dict[Key, tuple[tuple[str, str], ...]]:
    """Who has flagged a question and not taken it back, and why."""
    rows = connection.execute(
        "SELECT name, kind, token, digest, text FROM event "
        "JOIN annotator ON annotator.id = event.annotator "
        "WHERE kind IN ('flag', 'unflag') ORDER BY event.id"
    )
    standing: dict[Key, dict[str, str]] = {}
    for name, kind, token, digest, text in rows:
        own = standing.setdefault((token, digest), {})
        if kind == "flag":
            own[name] = text
        else:
            own.pop(name, None)
    return {key: tuple(own.items()) for key, own in standing.items() if own}


def overview(connection: sqlite3.Connection, campaign: Campaign) -> Overview:
    """The figures of a campaign at this moment."""
    questions = reviewed(connection, campaign)
    work = [read_work(connection, campaign, person.name) for person in people(connection)]
    asked = [question for question in questions if question.asked or question.verdicts]
    systems: dict[str, list[ReviewedQuestion]] = {}
    groups: dict[str, list[ReviewedQuestion]] = {}
    for one in asked:
        groups.setdefault(one.question.shown.group, []).append(one)
        for name in one.question.systems:
            systems.setdefault(name, []).append(one)
    return Overview(
        tuple(_annotator(one) for one in work),
        tuple(_group(name, own) for name, own in systems.items()),
        tuple(_group(name, own) for name, own in groups.items()),
        agreements(questions, campaign),
        len(asked),
        sum(one.judgement is not None for one in asked),
        sum(one.status == "conflict" for one in asked),
    )


def _annotator(work: Work) -> AnnotatorProgress:
    items = [place for place in work.places if place.kind == "item"]
    given = [work.given[item.key] for item in items if item.key in work.given]
    return AnnotatorProgress(
        work.annotator,
        len(items),
        len(given),
        sum(key not in work.given for key in work.skipped),
        len(work.flagged),
        len(work.checks),
        sum(work.checks.values()),
        len(work.tutorial),
        Counter(given),
    )


def _group(name: str, questions: Sequence[ReviewedQuestion]) -> GroupProgress:
    return GroupProgress(
        name,
        len(questions),
        sum(question.judgement is not None for question in questions),
        sum(one.status == "conflict" for one in questions),
        Counter(one.value for one in questions if one.value),
    )


def agreements(
    questions: Sequence[ReviewedQuestion], campaign: Campaign, plan: Resampling = RESAMPLING
) -> dict[str, Agreement]:
    """Agreement about pronouns, antecedents, and translations too bad to be judged.

    A question counts once, however many systems translate so.
    """
    documents = [campaign.items.document(question.question.shown) for question in questions]
    rated: dict[str, list[RatedItem]] = {"pronoun": [], "antecedent": [], "bad translation": []}
    for one, document in zip(questions, documents, strict=True):
        said = {verdict.annotator: verdict for verdict in one.verdicts}
        pronouns = {name: verdict.pronoun for name, verdict in said.items()}
        heads = {name: v.antecedent for name, v in said.items() if v.antecedent is not None}
        bad = {name: "wrong" if verdict.bad else "right" for name, verdict in said.items()}
        rated["pronoun"].append(RatedItem(pronouns, document))
        rated["antecedent"].append(RatedItem(heads, document))
        rated["bad translation"].append(RatedItem(bad, document))
    return {name: agreement(own, VALUES, plan) for name, own in rated.items()}
