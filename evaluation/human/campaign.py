"""A campaign: questions, people, and the plan that says who judges what, kept from start to start.

The plan comes from a seed and is the same whenever it is made again. Every mismatch is asked, and a
chosen share of what a metric takes for right (001 judged all). A chosen share goes to several
annotators, so that agreement can be measured; pairs of annotators take turns. Each annotator gets
the questions in an order of their own, in which systems and categories are mixed, with attention
checks in between. Where a model says of all items how doubtful they are, the worst come first.

What is new when a campaign starts again (a further system, a changed output) is planned and added;
what was planned before stays where it was. A question that has verdicts already is not asked again,
and its verdicts count for every system that translates in the same way.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from math import comb
from typing import Any, Literal, cast

from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.limits import ASSIGNMENTS
from crosspro.evaluation.human.items import (
    Key,
    KnownAnswer,
    MarkedWords,
    Question,
    ReviewCandidate,
    ReviewItem,
    ReviewLine,
    ReviewSet,
    item_digest,
)
from crosspro.evaluation.human.store import CampaignFile, note_settings
from crosspro.evaluation.human.verdicts import (
    Item,
    ItemKey,
    Verdict,
    add_verdict,
    all_verdicts,
    name_id,
    now,
)

# The plan -----------------------------------------------------------------------------------------

Kind = Literal["tutorial", "item", "check"]


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """Shares between 0 and 1; `judges` is how many annotators share a question that is shared.

    `checks` is how many attention checks come with every hundred questions.
    """

    seed: int = 1
    matches: float = 0.0
    overlap: float = 0.2
    judges: int = 2
    checks: float = 0.0


@dataclass(frozen=True, slots=True)
class Assignment:
    """One place in an annotator's work: a question, or one with a known answer."""

    kind: Kind
    key: Key


def chosen_questions(questions: Iterable[Question], settings: PlanSettings) -> list[Key]:
    """What is asked: all mismatches, and a share of the matches."""
    asked: list[Key] = []
    matches: list[Key] = []
    for question in questions:
        (matches if question.matches else asked).append(question.key)
    generator = _generator(settings.seed, "matches")
    count = round(settings.matches * len(matches))
    return [*asked, *generator.sample(matches, count)]


def make_plan(
    keys: Sequence[Key],
    annotators: Sequence[str],
    settings: PlanSettings,
    checks: Sequence[Key] = (),
    ranks: Mapping[Key, int] | None = None,
) -> dict[str, list[Assignment]]:
    """The work of each annotator: some questions for several, every other one for one of them.

    With `ranks` each annotator has questions of all ranks, in their order.
    """
    generator = _generator(settings.seed, "plan")
    mixed = list(keys)
    generator.shuffle(mixed)
    judges = min(settings.judges, len(annotators))
    shared = round(settings.overlap * len(mixed)) if judges > 1 else 0
    count = len(mixed) + shared * (judges - 1)
    if count > ASSIGNMENTS.most():
        found = f"{count:,}: {shared:,} of {len(mixed):,} questions go to {judges} annotators each"
        raise input_error("plan", "assignments", ASSIGNMENTS.expected("assignments"), found)
    work: dict[str, list[Key]] = {name: [] for name in annotators}
    groups = _groups(annotators, judges, shared, generator)
    for key, group in zip(mixed[:shared], groups, strict=True):
        for name in group:
            work[name].append(key)
    for key in mixed[shared:]:
        work[min(annotators, key=lambda name: len(work[name]))].append(key)
    return {name: _ordered(own, name, settings, checks, ranks) for name, own in work.items()}


def _groups(
    annotators: Sequence[str], judges: int, shared: int, generator: random.Random
) -> Iterator[tuple[str, ...]]:
    """Annotators who share each of some questions: all groups in turn as long as there are
    questions for all of them, then groups that are dealt like cards, so that loads stay equal."""
    count = comb(len(annotators), judges)
    rounds = shared // count
    if rounds:
        every = list(combinations(annotators, judges))
        generator.shuffle(every)
        yield from every * rounds
    deck: list[str] = []
    for _ in range(shared - rounds * count):
        group, left = deck[:judges], deck[judges:]
        if len(group) < judges:  # the next round begins with those who are not in the group yet
            fresh = [name for name in annotators if name not in group]
            generator.shuffle(fresh)
            missing = judges - len(group)
            left = fresh[missing:] + group
            generator.shuffle(left)
            group += fresh[:missing]
        yield tuple(group)
        deck = left


def _ordered(
    keys: list[Key],
    annotator: str,
    settings: PlanSettings,
    checks: Sequence[Key],
    ranks: Mapping[Key, int] | None,
) -> list[Assignment]:
    """An annotator's own order, with attention checks at places that nobody can foresee."""
    generator = _generator(settings.seed, f"order of {annotator}")
    generator.shuffle(keys)
    if ranks is not None:
        keys.sort(key=lambda key: ranks.get(key, len(ranks)))  # a changed output has no rank
    found = [Assignment("item", key) for key in keys]
    count = min(len(checks), round(settings.checks * len(keys) / 100))
    if settings.checks and keys and checks:
        count = max(1, count)
    for key in generator.sample(list(checks), count):
        found.insert(generator.randrange(len(found) + 1), Assignment("check", key))
    return found


def share_with(
    newcomer: str,
    work: Mapping[str, Sequence[Assignment]],
    done: Mapping[str, set[Key]],
    settings: PlanSettings,
    checks: Sequence[Key] = (),
    ranks: Mapping[Key, int] | None = None,
) -> dict[str, list[Assignment]]:
    """The plan with one more annotator, who takes over an equal part of what is not done yet.

    Questions that several annotators share stay with them. With `ranks` the newcomer gets
    questions of all ranks.
    """
    counts: dict[Key, int] = {}
    for own in work.values():
        for one in own:
            counts[one.key] = counts.get(one.key, 0) + 1
    found: dict[str, list[Assignment]] = {}
    taken: list[Key] = []
    for name, own in work.items():
        free = [
            one.key
            for one in own
            if one.kind == "item" and counts[one.key] == 1 and one.key not in done.get(name, set())
        ]
        share = len(work) + 1
        last = free[len(free) - len(free) // share :]
        given = set(last if ranks is None else free[share - 1 :: share])
        taken += [key for key in free if key in given]
        found[name] = [one for one in own if one.key not in given]
    found[newcomer] = _ordered(taken, newcomer, settings, checks, ranks)
    return found


def _generator(seed: int, purpose: str) -> random.Random:
    return random.Random(f"{seed} {purpose}")  # noqa: S311 - a plan is no secret


# Attention checks ---------------------------------------------------------------------------------

CHECK = "attention check"
"""The system of such items; a system of this name would be taken for one."""

_RIGHT = KnownAnswer(("right",), ("right",))
_WRONG = KnownAnswer(("wrong", "unclear"), ("wrong", "unclear"))


def reference_checks(items: ReviewSet, count: int, seed: int) -> ReviewSet:
    """At most so many checks from the references: what is right beyond doubt, and what is not.

    Half of them show the reference itself as the translation, half the reference of another place
    in the text. Each has lines of its own, and looks like any other item.
    """
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
                words = generator.choice([other for other in others if other != words] or [("…",)])
            candidate = ReviewCandidate(words, (), text.candidates[item.item.system].source)
            lines.append(replace(text, document=f"check {number}", candidates={CHECK: candidate}))
        marks = [
            None if one is None else _moved(one, numbers, right)
            for one in (item.pronoun, item.antecedent)
        ]
        if marks[0] is None:
            continue
        seen = [lines[mark.line].candidates[CHECK].words for mark in marks if mark is not None]
        digest = item_digest(f"check {token}", marks, seen)
        answer = _RIGHT if right else _WRONG
        answer = answer if item.antecedent else replace(answer, antecedent=())
        stored = Item(token, CHECK, digest, "", "", item.antecedent is not None)
        found.append(ReviewItem(stored, item.group, marks[0], marks[1], False, "", answer))
    return ReviewSet(items.title, items.digest, tuple(lines), tuple(found), items.languages)


def _translated(item: ReviewItem) -> bool:
    """Whether the first reference has words for all that is asked."""
    marks = (item.pronoun, *([item.antecedent] if item.antecedent else ()))
    return all(mark.references and mark.references[0] for mark in marks)


def _moved(marks: MarkedWords, numbers: dict[int, int], right: bool) -> MarkedWords:
    candidate = marks.references[0] if right else ()
    return MarkedWords(numbers[marks.line], marks.source, marks.references, candidate)


# The campaign -------------------------------------------------------------------------------------

TAGS = (
    "gender",
    "number",
    "person",
    "case",
    "missing",
    "noun-instead",
    "wrong-antecedent",
    "word-order",
)
"""What may be said about a wrong pronoun, unless the researcher gives a set."""

RESEARCHER = "researcher"
"""Who adjudicates."""

LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class CampaignSettings:
    """How a campaign is shown: context in lines, questions in a batch, tags, instructions."""

    title: str = "Pronoun review"
    context: int = 2
    batch: int = 25
    tags: tuple[str, ...] = TAGS
    instructions: str = ""
    loud_checks: bool = False
    show_reference: bool = False
    plan: PlanSettings = field(default_factory=PlanSettings)
    hide_suggestions: bool = False
    """Whether annotators see nothing of the answers that a model suggests."""


@dataclass(frozen=True, slots=True)
class Person:
    """An annotator; `generation` grows when they get a new link."""

    name: str
    generation: int
    added: str


class Campaign:
    """Questions of three kinds and the file in which the work on them is kept."""

    def __init__(
        self,
        file: CampaignFile,
        items: ReviewSet,
        settings: CampaignSettings,
        tutorial: ReviewSet | None = None,
        checks: ReviewSet | None = None,
    ) -> None:
        self.file = file
        self.items = items
        self.settings = settings
        self.sets: dict[Kind, ReviewSet] = {"item": items}
        if tutorial is not None:
            self.sets["tutorial"] = tutorial
        if checks is not None:
            self.sets["check"] = checks

    @property
    def tutorial(self) -> tuple[Key, ...]:
        """The questions that everybody answers first."""
        return tuple(self.sets["tutorial"].questions) if "tutorial" in self.sets else ()

    def question(self, kind: Kind, key: Key) -> Question | None:
        """A question, unless an output has changed and it is no longer asked."""
        found = self.sets.get(kind)
        return None if found is None else found.questions.get(key)

    def start(self, annotators: Sequence[str]) -> int:
        """Plan what is new, for those who take part; how many questions were added."""
        for name in annotators:
            check_name(name)
        with self.file.writing() as database:
            note_settings(database, {"title": self.settings.title, "settings": self._noted()})
            self.carry_over(database)
            known = [person.name for person in people(database)]
            fresh = [name for name in dict.fromkeys(annotators) if name not in known]
            if not (known or fresh):
                return 0  # it is planned when the first annotator comes
            new = self._new_questions(database)
            if known:
                work = self._extended(database, known, new)
            else:
                work = make_plan(new, fresh, self.settings.plan, self._checks(), self.items.ranks)
            done = {one: judged_by(database, one) for one in known}
            for name in fresh:
                _add_person(database, name)
                if name not in work:
                    plan = self.settings.plan
                    ranks = self.items.ranks
                    work = share_with(name, work, done, plan, self._checks(), ranks)
            for name, own in work.items():
                _write_plan(database, name, own)
        return len(new)

    def join(self, name: str) -> None:
        """Let one more annotator take part."""
        check_name(name)
        with self.file.writing() as database:
            known = [person.name for person in people(database)]
            if name in known:
                raise CrossproError(f"{name} takes part already")
        self.start([name])

    def _checks(self) -> list[Key]:
        return list(self.sets["check"].questions) if "check" in self.sets else []

    def _noted(self) -> dict[str, Any]:
        return asdict(replace(self.settings, instructions=""))

    def carry_over(self, database: sqlite3.Connection) -> None:
        """Verdicts and decisions count for every system that translates in the same way.

        A verdict belongs to its item: it moves on to items on which its author has said nothing
        yet, and where the last thing said about a translation was to take it back, nothing moves.
        """
        judged: dict[tuple[Key, str | None], set[ItemKey]] = {}
        last: dict[tuple[Key, str | None], Verdict] = {}
        for verdict in all_verdicts(database):
            author = None if verdict.kind == "decision" else verdict.annotator
            about = (verdict.item.token, verdict.item.digest), author
            judged.setdefault(about, set()).add(verdict.item.key)
            last[about] = verdict
        for about, newest in last.items():
            question = self.items.questions.get(about[0])
            if newest.kind == "withdrawn" or question is None:
                continue
            for item in question.items:
                if item.item.key not in judged[about]:
                    add_verdict(database, replace(newest, item=item.item))

    def _new_questions(self, database: sqlite3.Connection) -> list[Key]:
        """What is to be asked of the questions that were not there before."""
        seen = set(database.execute("SELECT token, digest FROM question").fetchall())
        judged = set(
            database.execute(
                "SELECT DISTINCT token, digest FROM item "
                "WHERE id IN (SELECT item FROM last_verdict)"
            ).fetchall()
        )
        new = [one for key, one in self.items.questions.items() if key not in seen]
        asked = set(chosen_questions(new, self.settings.plan)) - judged
        database.executemany(
            "INSERT INTO question VALUES (?, ?, ?)", [(*one.key, one.key in asked) for one in new]
        )
        return [one.key for one in new if one.key in asked]

    def _extended(
        self, database: sqlite3.Connection, names: Sequence[str], new: Sequence[Key]
    ) -> dict[str, list[Assignment]]:
        """The plan with further questions after those that were planned before."""
        more = make_plan(new, names, self.settings.plan, self._checks(), self.items.ranks)
        found: dict[str, list[Assignment]] = {}
        for name in names:
            own = assignments(database, name)
            keys = {one.key for one in own}
            found[name] = own + [one for one in more[name] if one.key not in keys]
        return found


def check_name(name: str) -> None:
    """Raise unless somebody may be called so."""
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise CrossproError(f"an annotator needs a name of 1 to {LONGEST_NAME} letters")
    if name in (CHECK, RESEARCHER):
        raise CrossproError(f"nobody may be called {name}")


def people(connection: sqlite3.Connection) -> list[Person]:
    """Those who take part, in the order in which they came."""
    rows = connection.execute(
        "SELECT name, generation, added FROM person JOIN annotator ON id = annotator ORDER BY id"
    )
    return [Person(*row) for row in rows.fetchall()]


def new_generation(connection: sqlite3.Connection, name: str) -> None:
    """Give an annotator a new link: the old one opens nothing any more."""
    connection.execute(
        "UPDATE person SET generation = generation + 1 WHERE annotator = ?",
        (name_id(connection, name),),
    )


def assignments(connection: sqlite3.Connection, name: str) -> list[Assignment]:
    """An annotator's work in its order."""
    rows = connection.execute(
        "SELECT kind, token, digest FROM assignment JOIN annotator ON id = annotator "
        "WHERE name = ? ORDER BY place",
        (name,),
    )
    return [
        Assignment(cast(Kind, kind), (token, digest)) for kind, token, digest in rows.fetchall()
    ]


def judged_by(connection: sqlite3.Connection, name: str) -> set[Key]:
    """The questions on which an annotator has a verdict."""
    rows = connection.execute(
        "SELECT DISTINCT token, digest FROM item JOIN last_verdict ON last_verdict.item = item.id "
        "WHERE annotator = (SELECT id FROM annotator WHERE name = ?)",
        (name,),
    )
    return set(rows.fetchall())


def _add_person(connection: sqlite3.Connection, name: str) -> None:
    row = (name_id(connection, name), now())
    connection.execute("INSERT INTO person (annotator, added) VALUES (?, ?)", row)


def _write_plan(connection: sqlite3.Connection, name: str, work: Iterable[Assignment]) -> None:
    number = name_id(connection, name)
    connection.execute("DELETE FROM assignment WHERE annotator = ?", (number,))
    connection.executemany(
        "INSERT INTO assignment VALUES (?, ?, ?, ?, ?)",
        [(number, place, one.kind, *one.key) for place, one in enumerate(work, start=1)],
    )
