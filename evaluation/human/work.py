"""An annotator's work: what is open, what was answered (001 §3, 002 §9), and what changes it.

An answer says whether the pronoun is translated correctly and the antecedent's head is, or that the
translation is too bad to be judged. Then come tags from a fixed set, a comment, which words are the
pronoun's translation if not those that are marked, and a pronoun that would be right.

Everything is read anew for each request, so that any number of pages may be open at once. Saving
says which verdict the page had seen: if another page has saved in the meantime, nothing is stored,
and the annotator is asked. Saving the same again is the same as saving once.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Literal

from crosspro.data_prep.core.errors import CrossproError, choices, quoted
from crosspro.evaluation.human.campaign import Assignment, Campaign, assignments
from crosspro.evaluation.human.items import Key, KnownAnswer, Question, ReviewSet
from crosspro.evaluation.human.verdicts import (
    VALUES,
    CorrectedWords,
    Value,
    Verdict,
    add_verdict,
    items_like,
    name_id,
    newest_verdict,
    now,
    value_of,
)

LONGEST_REMARK = 2000
LONGEST_ALTERNATIVE = 100

Fields = Mapping[str, Sequence[str]]
"""A form as it is sent: the values of each field."""


class ResponseError(CrossproError):
    """An answer that cannot be stored; the message is for the person who gave it."""


@dataclass(frozen=True, slots=True)
class Response:
    """An answer; `words` are positions in the line of the pronoun, None if the marks are right."""

    pronoun: Value
    antecedent: Value | None
    bad: bool = False
    tags: tuple[str, ...] = ()
    remark: str = ""
    words: tuple[int, ...] | None = None
    alternative: str = ""

    def agrees(self, known: KnownAnswer) -> bool:
        """Whether it is what should have been said."""
        return self.pronoun in known.pronoun and (
            self.antecedent is None or not known.antecedent or self.antecedent in known.antecedent
        )


def response_of(
    fields: Fields, question: Question, items: ReviewSet, tags: Collection[str]
) -> Response:
    """The answer in a form; everything that is wrong with it is said at once."""
    problems: list[str] = []
    bad = bool(_first(fields, "bad"))
    pronoun = _value(fields, "pronoun", bad, problems)
    anaphoric = question.shown.antecedent is not None
    antecedent = _value(fields, "antecedent", bad, problems) if anaphoric else None
    remark = _text(fields, "remark", LONGEST_REMARK, problems)
    alternative = _text(fields, "alternative", LONGEST_ALTERNATIVE, problems)
    unknown = [tag for tag in fields.get("tag", ()) if tag not in tags]
    if unknown:
        problems.append(f"tags: expected {choices(tags)}, found {quoted(unknown[0])}")
    words = _words(fields, question, items, problems)
    if problems or pronoun is None:
        raise ResponseError("; ".join(problems))
    if alternative == _first(fields, "filled") and pronoun != "wrong":
        alternative = ""  # it was filled in for another verdict, and nobody has said it
    chosen = tuple(sorted(set(fields.get("tag", ()))))
    return Response(pronoun, antecedent, bad, chosen, remark, words, alternative)


def response_from(verdict: Verdict) -> Response:
    """A stored verdict as an answer, to be shown again."""
    words = None if verdict.corrected is None else verdict.corrected.at
    return Response(
        verdict.pronoun,
        verdict.antecedent,
        verdict.bad,
        verdict.tags,
        verdict.remark,
        words,
        verdict.alternative,
    )


def _answer_of(text: str) -> Response:
    """An answer as it is kept where it is no verdict: as JSON."""
    content = json.loads(text)
    words = content["words"]
    return replace(
        Response(**content),
        tags=tuple(content["tags"]),
        words=None if words is None else tuple(words),
    )


def verdicts_from(
    response: Response, question: Question, items: ReviewSet, annotator: str
) -> list[Verdict]:
    """The answer as a verdict on the item of every system that translates so."""
    corrected = None
    if response.words is not None:
        line = candidate_words(question, items)
        corrected = CorrectedWords(response.words, tuple(line[at] for at in response.words))
    return [
        Verdict(
            item.item,
            annotator,
            response.pronoun,
            response.antecedent,
            response.tags,
            response.remark,
            response.bad,
            corrected,
            response.alternative,
        )
        for item in question.items
    ]


def candidate_words(question: Question, items: ReviewSet) -> tuple[str, ...]:
    """The words of the translation in the line of the pronoun."""
    shown = question.shown
    return items.lines[shown.pronoun.line].version(shown.item.system)[1]


def _first(fields: Fields, key: str) -> str:
    return next(iter(fields.get(key, ())), "")


def _value(fields: Fields, key: str, bad: bool, problems: list[str]) -> Value | None:
    """One of the three values; what is too bad to be judged is unclear unless said otherwise."""
    written = _first(fields, key)
    if bad and not written:
        return "unclear"
    value = value_of(written)
    if value is None:
        found = quoted(written) if written else "nothing"
        problems.append(f"{key}: expected {choices(VALUES)}, found {found}")
    return value


def _text(fields: Fields, key: str, longest: int, problems: list[str]) -> str:
    text = plain_text(_first(fields, key))
    if len(text) > longest:
        problems.append(f"{key}: expected at most {longest} characters, found {len(text):,}")
    return text


def plain_text(written: str) -> str:
    """A text in one line, without characters that steer terminals and spreadsheets."""
    shown = (" " if unicodedata.category(one) in ("Cc", "Cs") else one for one in written)
    return " ".join("".join(shown).split())


def _words(
    fields: Fields, question: Question, items: ReviewSet, problems: list[str]
) -> tuple[int, ...] | None:
    """Which words are the pronoun's translation, if not those that were marked."""
    if not _first(fields, "words-shown"):
        return None
    size = len(candidate_words(question, items))
    found, all_numbers = positions_of(fields)
    if not all_numbers:
        problems.append(f"word: expected positions below {size}, found something else")
        return None
    if found and found[-1] >= size:
        problems.append(f"word: expected positions below {size}, found {found[-1]}")
        return None
    return None if found == tuple(sorted(question.shown.pronoun.candidate)) else found


def positions_of(fields: Fields) -> tuple[tuple[int, ...], bool]:
    """The positions of words in a form, in order, and whether all that is there is a position."""
    written = fields.get("word", ())
    numbers = [one for one in written if one.isascii() and one.isdigit() and len(one) < 6]
    return tuple(sorted({int(one) for one in numbers})), len(numbers) == len(written)


EventKind = Literal["begin", "save", "undo", "skip", "flag", "unflag"]


class StaleError(Exception):
    """Another page of the same annotator has saved something else in the meantime."""


@dataclass(frozen=True, slots=True)
class Given:
    """An answer that was stored, and its number, by which pages know whether it has changed."""

    response: Response
    number: int
    good: bool | None = None
    """For known answers: whether it is what should have been said."""


@dataclass(frozen=True)
class Work:
    """What an annotator has to do, has done, skipped and flagged."""

    annotator: str
    begun: bool
    places: Sequence[Assignment]
    given: Mapping[Key, str]
    """What was said about the pronoun of each question that has an answer."""
    checks: Mapping[Key, bool]
    """Attention checks that have an answer, and whether it was the expected one."""
    tutorial: frozenset[Key]
    skipped: Mapping[Key, int]
    flagged: Mapping[Key, str]
    saves: Mapping[int, Key]
    """Every save of a place by the number of its event, the last one at the end."""
    batch_size: int

    @cached_property
    def last_save(self) -> int:
        """The number of the last save whose answer still counts, 0 if there is none."""
        mine = {place.key for place in self.places}
        counting = (n for n, key in self.saves.items() if key in self.given and key in mine)
        return max(counting, default=0)

    @cached_property
    def codes(self) -> dict[str, Assignment]:
        """The places by the names that they have in addresses."""
        return {code_of(place.key): place for place in self.places}

    @cached_property
    def _numbers(self) -> dict[Key, int]:
        return {one.key: number for number, one in enumerate(self.places)}

    def number(self, key: Key) -> int:
        """The place of a question, from 0."""
        return self._numbers[key]

    def batch(self, key: Key) -> int:
        """The batch that a question is in, from 0."""
        return self.number(key) // self.batch_size

    @property
    def batches(self) -> int:
        """How many there are."""
        return -(-len(self.places) // self.batch_size)

    @property
    def done(self) -> int:
        """How many places have an answer."""
        return sum(place.key in self.given for place in self.places)

    @cached_property
    def next(self) -> Assignment | None:
        """The first open question of the first batch that has one; skipped ones come last."""
        waiting = [place for place in self.places if place.key not in self.given]
        return min(
            waiting,
            key=lambda one: (
                self.batch(one.key),
                self.skipped.get(one.key, 0),
                self.number(one.key),
            ),
            default=None,
        )

    def before(self, key: Key) -> Assignment | None:
        """The place before."""
        number = self.number(key)
        return self.places[number - 1] if number else None

    def after(self, key: Key) -> Assignment | None:
        """The place after."""
        number = self.number(key)
        return self.places[number + 1] if number + 1 < len(self.places) else None


def code_of(key: Key) -> str:
    """The name of a question in addresses; it says nothing about systems."""
    return hashlib.sha256("\0".join(key).encode("utf-8")).hexdigest()[:16]


def read_work(connection: sqlite3.Connection, campaign: Campaign, annotator: str) -> Work:
    """Everything about an annotator's work; questions whose output has changed are left out."""
    places = [
        assignment
        for assignment in assignments(connection, annotator)
        if campaign.question(assignment.kind, assignment.key) is not None
    ]
    begun = False
    skipped: dict[Key, int] = {}
    flagged: dict[Key, str] = {}
    saves: dict[int, Key] = {}
    rows = connection.execute(
        "SELECT event.id, kind, token, digest, text FROM event "
        "JOIN annotator ON annotator.id = event.annotator WHERE name = ? ORDER BY event.id",
        (annotator,),
    )
    for number, kind, token, digest, text in rows:
        key = (token, digest)
        begun = begun or kind == "begin"
        if kind == "skip":
            skipped[key] = number
        elif kind == "flag":
            flagged[key] = text
        elif kind == "unflag":
            flagged.pop(key, None)
        elif kind == "save":
            saves[number] = key
    checks = _answers(connection, annotator, "check")
    # Much lighter than whole verdicts, of which a page shows one.
    said = connection.execute(
        "SELECT token, digest, said.pronoun, kind FROM verdict AS said "
        "JOIN item ON item.id = said.item "
        "WHERE said.annotator = (SELECT id FROM annotator WHERE name = ?) "
        "AND kind != 'decision' ORDER BY said.id",
        (annotator,),
    )
    last_said = {(token, digest): (str(value), kind) for token, digest, value, kind in said}
    given = {key: value for key, (value, kind) in last_said.items() if kind == "verdict"}
    given |= {key: one.response.pronoun for key, one in checks.items()}
    return Work(
        annotator,
        begun,
        places,
        given,
        {key: bool(one.good) for key, one in checks.items()},
        frozenset(_answers(connection, annotator, "tutorial")),
        skipped,
        flagged,
        saves,
        campaign.settings.batch,
    )


def _answers(connection: sqlite3.Connection, annotator: str, kind: str) -> dict[Key, Given]:
    rows = connection.execute(
        "SELECT answer.id, token, digest, content, good, withdrawn FROM answer "
        "JOIN annotator ON annotator.id = answer.annotator WHERE name = ? AND kind = ? "
        "ORDER BY answer.id",
        (annotator, kind),
    )
    found: dict[Key, Given] = {}
    for number, token, digest, content, good, withdrawn in rows:
        if withdrawn:
            found.pop((token, digest), None)
        else:
            response = _answer_of(content)
            found[token, digest] = Given(response, number, bool(good))
    return found


def note_event(
    connection: sqlite3.Connection,
    annotator: str,
    kind: EventKind,
    key: Key = ("", ""),
    text: str = "",
) -> None:
    """Note what an annotator has done."""
    connection.execute(
        "INSERT INTO event (annotator, kind, token, digest, text, time) VALUES (?, ?, ?, ?, ?, ?)",
        (name_id(connection, annotator), kind, *key, text, now()),
    )


def save(
    connection: sqlite3.Connection,
    campaign: Campaign,
    annotator: str,
    place: Assignment,
    response: Response,
    seen: int,
) -> bool | None:
    """Store an answer; of known answers, whether it is right.

    `seen` is the number of the answer that the page showed, 0 for none.
    """
    question = campaign.question(place.kind, place.key)
    if question is None:
        raise StaleError("the translation has changed")
    given = current(connection, place, annotator)
    if given is not None and given.response == response:
        return given.good
    if (0 if given is None else given.number) != seen:
        raise StaleError("another page has saved another answer")
    good: bool | None = None
    if place.kind == "item":
        for verdict in _verdicts(connection, response, question, campaign, annotator):
            add_verdict(connection, verdict)
    else:
        known = question.shown.answer
        good = known is None or response.agrees(known)
        _add_answer(connection, annotator, place, response, good)
    if place.kind != "tutorial":
        note_event(connection, annotator, "save", place.key)
    return good


def undo(
    connection: sqlite3.Connection, campaign: Campaign, work: Work, seen: int
) -> Assignment | None:
    """Take back the last answer that counts; the place that is open again.

    `seen` is the save that the page offered to take back: a request that comes twice takes back
    one answer, and one from a page on which another answer was the last takes back none.
    """
    if seen not in work.saves:
        return None
    asked = next((place for place in work.places if place.key == work.saves[seen]), None)
    if asked is None or asked.key not in work.given:
        return asked
    if seen != work.last_save:
        raise StaleError("another page has saved another answer")
    question = campaign.question(asked.kind, asked.key)
    given = current(connection, asked, work.annotator)
    if given is None:
        return None
    if asked.kind == "item" and question is not None:
        for verdict in _verdicts(connection, given.response, question, campaign, work.annotator):
            add_verdict(connection, replace(verdict, kind="withdrawn"))
    else:
        _add_answer(connection, work.annotator, asked, given.response, bool(given.good), True)
    note_event(connection, work.annotator, "undo", asked.key)
    return asked


def _verdicts(
    connection: sqlite3.Connection,
    response: Response,
    question: Question,
    campaign: Campaign,
    annotator: str,
) -> list[Verdict]:
    """An answer as verdicts on all items that show the same, also of systems that are not served
    at the moment: they were judged by the same question, and their verdicts must not lag behind."""
    own = verdicts_from(response, question, campaign.items, annotator)
    served = {one.item.key for one in own}
    others = [one for one in items_like(connection, question.key) if one.key not in served]
    return [*own, *(replace(own[0], item=other) for other in others)]


def current(connection: sqlite3.Connection, place: Assignment, annotator: str) -> Given | None:
    """What an annotator has said about one question."""
    if place.kind != "item":
        return _answers(connection, annotator, place.kind).get(place.key)
    last = newest_verdict(connection, annotator, place.key)
    return None if last is None else Given(response_from(last), last.number)


def _add_answer(
    connection: sqlite3.Connection,
    annotator: str,
    place: Assignment,
    response: Response,
    good: bool,
    withdrawn: bool = False,
) -> None:
    content = json.dumps(asdict(response), ensure_ascii=False)
    connection.execute(
        "INSERT INTO answer (annotator, kind, token, digest, content, good, withdrawn, time) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(name_id(connection, annotator), place.kind, *place.key),
            *(content, good, withdrawn, now()),
        ),
    )
