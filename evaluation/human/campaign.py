"""A campaign: questions, people, and the plan that says who judges what, kept from start to start.

What is new when a campaign starts again (a further system, a changed output) is planned and added;
what was planned before stays where it was. A question that has verdicts already is not asked again,
and its verdicts count for every system that translates in the same way.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast

from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.limits import JUDGES
from crosspro.evaluation.human.campaign_file import CampaignFile, note_settings
from crosspro.evaluation.human.checks import CHECK
from crosspro.evaluation.human.items import Key, Question, ReviewSet
from crosspro.evaluation.human.plan import (
    Assignment,
    Kind,
    PlanSettings,
    chosen_questions,
    make_plan,
    share_with,
)
from crosspro.evaluation.protest.verdict_rows import (
    add_resolution,
    add_verdict,
    all_verdicts,
    name_id,
    resolutions,
)
from crosspro.evaluation.protest.verdict_tables import now
from crosspro.evaluation.protest.verdicts import AnnotatorVerdict

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
            number = len(known) + len(fresh)
            if number > JUDGES.most():
                raise input_error("campaign", "--judge", JUDGES.expected("judges"), f"{number:,}")
            if not (known or fresh):
                return 0  # it is planned when the first annotator comes
            new = self._new_questions(database)
            if known:
                work = self._extended(database, known, new)
            else:
                work = make_plan(new, fresh, self.settings.plan, self._checks())
            done = {one: judged_by(database, one) for one in known}
            for name in fresh:
                _add_person(database, name)
                if name not in work:
                    work = share_with(name, work, done, self.settings.plan, self._checks())
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
        said = [((one.annotator,), one, back) for one, back in all_verdicts(database)]
        for verdict in self._lacking(said):
            add_verdict(database, verdict)
        decided = [((), one, False) for one in resolutions(database, every=True)]
        for verdict in self._lacking(decided):
            add_resolution(database, verdict)

    def _lacking(
        self, rows: Iterable[tuple[tuple[str, ...], AnnotatorVerdict, bool]]
    ) -> Iterator[AnnotatorVerdict]:
        """What is to be copied to further items; rows are by an author, and may be taken back."""
        judged: dict[tuple[Key, tuple[str, ...]], set[tuple[str, str, str]]] = {}
        last: dict[tuple[Key, tuple[str, ...]], AnnotatorVerdict | None] = {}
        for author, verdict, withdrawn in rows:
            about = (verdict.item.token, verdict.item.digest), author
            judged.setdefault(about, set()).add(verdict.item.key)
            last[about] = None if withdrawn else verdict
        for (key, author), newest in last.items():
            question = self.items.questions.get(key)
            if newest is None or question is None:
                continue
            for one in question.items:
                if one.item.key not in judged[key, author]:
                    yield replace(newest, item=one.item)

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
        more = make_plan(new, names, self.settings.plan, self._checks())
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
