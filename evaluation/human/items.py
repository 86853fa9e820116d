"""What people judge, whatever metric it comes from: lines of text, and words marked in them.

A *review item* is a pronoun in one system's output. Items of several systems that show the same
translation of the same pronoun are one *question*: it is asked once, and its answer holds for all.

Files of items are JSON Lines, for all metrics, tutorials and checks: a record about the set, one
for each line of text, one for each item. Words are separated by spaces, positions count them from
0, links are `source-target` as in files of links.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.files import parse_json, read_text_lines
from crosspro.evaluation.human.verdicts import VALUES, Item, Value, value_of

FORMAT = "crosspro-review"
VERSION = 1

Words = tuple[str, ...]
Positions = tuple[int, ...]
Key = tuple[str, str]
"""What names a question: a token, and a digest of the translation that is seen."""


@dataclass(frozen=True, slots=True)
class ReviewCandidate:
    """A system's translation of a line, and links to it from `source`, its own tokenisation."""

    words: Words
    links: tuple[Link, ...] = ()
    source: Words | None = None


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """A line of a document in all its versions; a system may have none of a line of context."""

    document: str
    source: Words
    references: tuple[Words, ...]
    candidates: Mapping[str, ReviewCandidate]

    def version(self, system: str) -> tuple[Words, Words]:
        """The source as a system tokenises it, and its translation; perhaps it has none."""
        found = self.candidates.get(system)
        return (self.source, ()) if found is None else (found.source or self.source, found.words)


@dataclass(frozen=True, slots=True)
class MarkedWords:
    """Words that matter: their line, and where they are in source, references and candidate."""

    line: int
    source: Positions
    references: tuple[Positions, ...]
    candidate: Positions


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """What should be said about an item of a tutorial or an attention check, and why."""

    pronoun: tuple[Value, ...]
    antecedent: tuple[Value, ...] = ()
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class SuggestedAnswer:
    """What a model would say of an item: how probably it is wrong, and a pronoun that may be right.

    `pronoun` is the verdict that an annotator finds filled in, if one is.
    """

    wrong: float
    alternative: str = ""
    pronoun: Value | None = None


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A pronoun in a system's output. `matches` says that a metric takes it for right already.

    `why` is for the researcher; annotators see it where an answer is `suggested`.
    """

    item: Item
    group: str
    pronoun: MarkedWords
    antecedent: MarkedWords | None = None
    matches: bool = False
    why: str = ""
    answer: KnownAnswer | None = None
    suggested: SuggestedAnswer | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """An item, and all systems whose items show the same."""

    shown: ReviewItem
    items: tuple[ReviewItem, ...]

    @property
    def key(self) -> Key:
        """What names it in a plan."""
        return self.shown.item.token, self.shown.item.digest

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that translate so."""
        return tuple(item.item.system for item in self.items)

    @property
    def matches(self) -> bool:
        """Whether a metric takes the translation for right."""
        return self.shown.matches


@dataclass(frozen=True)
class ReviewSet:
    """Lines of text and the items in them; `digest` names what verdicts belong to."""

    title: str
    digest: str
    lines: tuple[ReviewLine, ...]
    items: tuple[ReviewItem, ...]
    languages: tuple[str, str] = ("", "")

    @cached_property
    def questions(self) -> dict[Key, Question]:
        """The questions by their keys, in the order of the items."""
        together: dict[Key, list[ReviewItem]] = {}
        for item in self.items:
            together.setdefault((item.item.token, item.item.digest), []).append(item)
        return {key: Question(some[0], tuple(some)) for key, some in together.items()}

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems in the order in which they come."""
        return tuple(dict.fromkeys(item.item.system for item in self.items))

    @cached_property
    def ranks(self) -> dict[Key, int] | None:
        """Where each question comes if the most doubtful are asked first.

        None unless every item has a suggestion that says how doubtful it is.
        """
        found = {}
        for key, question in self.questions.items():
            if question.shown.suggested is None:
                return None
            found[key] = -question.shown.suggested.wrong
        return {key: place for place, key in enumerate(sorted(found, key=found.__getitem__))}

    @property
    def anaphoric(self) -> dict[str, bool]:
        """Of each token whether it has an antecedent."""
        return {item.item.token: item.item.anaphoric for item in self.items}

    def document(self, item: ReviewItem) -> str:
        """The document that an item is in."""
        return self.lines[item.pronoun.line].document

    def context(self, item: ReviewItem, before: int, after: int = 0) -> list[int]:
        """The lines to show: some around the pronoun's, and those from the antecedent's on.

        All of them are of the same document.
        """
        marked = [item.pronoun.line, *([item.antecedent.line] if item.antecedent else ())]
        first = max(0, min(item.pronoun.line - before, *marked, item.pronoun.line))
        last = min(len(self.lines) - 1, max(item.pronoun.line + after, *marked, 0))
        document = self.document(item)
        return [at for at in range(first, last + 1) if self.lines[at].document == document]


def set_digest(lines: Iterable[ReviewLine], tokens: Iterable[str]) -> str:
    """A short name for the texts that systems translate, and the tokens in them.

    Systems are no part of it: one more may join a campaign.
    """
    texts = [(line.document, line.source, line.references) for line in lines]
    content = json.dumps([texts, list(dict.fromkeys(tokens))], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8")).hexdigest()[:12]


def item_digest(name: str, marks: Iterable[MarkedWords | None], words: Iterable[Words]) -> str:
    """A short name for what is seen of a translation: the marked lines, and the marks in them."""
    places = [None if mark is None else asdict(mark)["candidate"] for mark in marks]
    content = json.dumps([name, places, list(words)], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8")).hexdigest()[:12]


# Files --------------------------------------------------------------------------------------------


def items_text(items: ReviewSet) -> str:
    """The content of a file."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "title": items.title,
        "digest": items.digest,
        "languages": list(items.languages),
    }
    lines = (_line_record(number, line) for number, line in enumerate(items.lines))
    records = (header, *lines, *map(_item_record, items.items))
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _line_record(number: int, line: ReviewLine) -> dict[str, Any]:
    candidates = {}
    for system, one in line.candidates.items():
        record = {"text": " ".join(one.words), "links": " ".join(f"{s}-{t}" for s, t in one.links)}
        candidates[system] = record | ({"source": " ".join(one.source)} if one.source else {})
    return {
        "line": number,
        "document": line.document,
        "source": " ".join(line.source),
        "references": [" ".join(words) for words in line.references],
        "candidates": candidates,
    }


def _item_record(one: ReviewItem) -> dict[str, Any]:
    record: dict[str, Any] = {
        "item": one.item.token,
        "system": one.item.system,
        "digest": one.item.digest,
        "group": one.group,
        "words": one.item.pronoun,
        "pronoun": asdict(one.pronoun),
    }
    if one.antecedent is not None:
        record |= {"head": one.item.head, "antecedent": asdict(one.antecedent)}
    record |= {"matches": one.matches, "why": one.why}
    known = {"answer": one.answer, "suggested": one.suggested}
    return record | {key: asdict(own) for key, own in known.items() if own is not None}


Kind = TypeVar("Kind")


class JsonLinesReader:
    """Reads the records of one file and collects what is wrong with them."""

    def __init__(self, path: Path, file_format: str, version: int) -> None:
        self.path = path
        self.format = file_format, version
        self.number = 0
        self.problems: list[Problem] = []

    def problem(self, field: str, expected: str, found: str, line: bool = True) -> None:
        """Note a problem of the current line, or of the whole file."""
        number = self.number if line else None
        self.problems.append(Problem(str(self.path), number, field, expected, found))

    def wrong(self, field: str, expected: str, value: object) -> None:
        """Note a value that is not what it should be."""
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        self.problem(field, expected, quoted(shown))

    def records(self) -> Iterator[dict[str, Any]]:
        """The objects of all lines; raises at once if the first is of another format."""
        for text in read_text_lines(self.path):
            self.number += 1
            value: Any = None
            try:
                value = parse_json(text)
            except ValueError as error:
                self.problem("JSON", "an object", str(getattr(error, "msg", error)))
            else:
                if not isinstance(value, dict):
                    self.problem("JSON", "an object", quoted(text))
            record = value if isinstance(value, dict) else None
            if self.number == 1:
                first = record or {}
                if (first.get("format"), first.get("version")) != self.format:
                    expected = f"{self.format[0]!r}, version {self.format[1]}"
                    self.problem(
                        "format", expected, f"{first.get('format')!r}, {first.get('version')!r}"
                    )
                    self.finish()  # the rest would only be noise
            if record is not None:
                yield record

    def get(
        self, record: Mapping[str, Any], key: str, kind: type[Kind], expected: str
    ) -> Kind | None:
        """A value of a type."""
        value = record.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            self.wrong(key, expected, value)
            return None
        return value

    def text(self, record: Mapping[str, Any], key: str, default: str | None = None) -> str:
        """A text; a default stands for one that is not there."""
        value = record.get(key, default)
        if not isinstance(value, str):
            self.wrong(key, "text", value)
            return ""
        return value

    def texts(self, record: Mapping[str, Any], key: str, expected: str) -> list[str]:
        """A list of texts, which may be missing."""
        value = record.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self.wrong(key, expected, value)
            return []
        return value

    def positions(self, field: str, value: object, size: int, least: int = 0) -> Positions | None:
        """Positions below a size, at least so many."""
        inside = isinstance(value, list) and all(type(at) is int and 0 <= at < size for at in value)
        if not isinstance(value, list) or not inside or len(value) < least:
            self.wrong(field, f"positions below {size}", value)
            return None
        return tuple(value)

    def finish(self) -> None:
        """Raise if there were problems."""
        if self.problems:
            raise InputError(self.problems)


def read_items(path: str | Path, answers: bool = False) -> ReviewSet:
    """Read a set and check it; every problem is raised. With `answers` each item must have one."""
    reader = _ItemReader(Path(path), FORMAT, VERSION)
    title = digest = ""
    languages: tuple[str, ...] = ("", "")
    for record in reader.records():
        if reader.number == 1:
            title, digest = (reader.text(record, key, "") for key in ("title", "digest"))
            named = reader.texts(record, "languages", "a list of languages")
            languages = (*named, "", "")[:2]
        elif "item" in record:
            reader.read_item(record, answers)
        else:
            reader.read_line(record)
    reader.finish()
    if not reader.items:
        raise input_error(path, "items", "at least one item", "none")
    digest = digest or set_digest(reader.lines, (item.item.token for item in reader.items))
    lines, items = tuple(reader.lines), tuple(reader.items)
    return ReviewSet(title, digest, lines, items, (languages[0], languages[1]))


class _ItemReader(JsonLinesReader):
    """Reads the lines and the items of one file."""

    def __init__(self, path: Path, file_format: str, version: int) -> None:
        super().__init__(path, file_format, version)
        self.lines: list[ReviewLine] = []
        self.items: list[ReviewItem] = []
        self.known: set[tuple[str, str]] = set()

    def read_line(self, record: Mapping[str, Any]) -> None:
        if self.items:
            self.wrong("line", "all lines of text before the items", "a line after an item")
        if record.get("line") != len(self.lines):
            self.wrong("line", str(len(self.lines)), record.get("line"))
        references = self.texts(record, "references", "a list of texts")
        source = tuple(self.text(record, "source").split())
        found = {}
        for system, one in (
            self.get({"candidates": {}, **record}, "candidates", dict, "an object of systems") or {}
        ).items():
            if not isinstance(one, dict):
                self.wrong("candidates", "an object with a text", one)
                continue
            words = tuple(self.text(one, "text").split())
            own = tuple(self.text(one, "source").split()) if "source" in one else None
            sizes = (len(own or source), len(words))
            found[str(system)] = ReviewCandidate(words, self.links(one, sizes), own)
        document = self.text(record, "document", "")
        texts = tuple(tuple(text.split()) for text in references)
        self.lines.append(ReviewLine(document, source, texts, found))

    def links(self, record: Mapping[str, Any], sizes: tuple[int, int]) -> tuple[Link, ...]:
        found = []
        for written in self.text(record, "links", "").split():
            first, _, second = written.partition("-")
            digits = first + second
            if (
                not (first and second and digits.isascii() and digits.isdigit())
                or len(digits) > 12
                or int(first) >= sizes[0]
                or int(second) >= sizes[1]
            ):
                self.wrong("links", f"links below {sizes[0]}-{sizes[1]}", written)
                return ()
            found.append((int(first), int(second)))
        return tuple(found)

    def read_item(self, record: Mapping[str, Any], answers: bool) -> None:
        before = len(self.problems)
        token, system = self.text(record, "item"), self.text(record, "system")
        if (token, system) in self.known:
            self.wrong("item", "each token once for each system", f"{token}, {system}")
        self.known.add((token, system))
        pronoun = self.marks(record, "pronoun", system)
        antecedent = self.marks(record, "antecedent", system) if "antecedent" in record else None
        answer = self.answer(record, antecedent is not None, answers)
        suggested = self.suggested(record)
        group, why = self.text(record, "group", ""), self.text(record, "why", "")
        matches = record.get("matches", False)
        if not isinstance(matches, bool):
            self.wrong("matches", "true or false", matches)
        if len(self.problems) > before or pronoun is None:
            return
        marks = [one for one in (pronoun, antecedent) if one is not None]
        seen = [self.lines[mark.line].candidates[system].words for mark in marks]
        marked = [
            " ".join(words[at] for at in one.candidate)
            for words, one in zip(seen, marks, strict=True)
        ]
        digest = self.text(record, "digest", item_digest(token, (pronoun, antecedent), seen))
        words = self.text(record, "words", marked[0])
        head = self.text(record, "head", marked[1] if antecedent else "")
        if len(self.problems) == before:
            item = Item(token, system, digest, words, head, antecedent is not None)
            told = (matches, why, answer, suggested)
            self.items.append(ReviewItem(item, group, pronoun, antecedent, *told))

    def marks(self, record: Mapping[str, Any], key: str, system: str) -> MarkedWords | None:
        marks = self.get(record, key, dict, "an object with marked words")
        if marks is None:
            return None
        number = marks.get("line")
        if type(number) is not int or not 0 <= number < len(self.lines):
            self.wrong(f"{key}.line", f"a line below {len(self.lines)}", number)
            return None
        line = self.lines[number]
        if system not in line.candidates:
            self.wrong("system", f"a candidate of line {number}", system)
            return None
        candidate = line.candidates[system]
        where = f"{key}.references"
        spots = marks.get("references", [[]] * len(line.references))
        if not isinstance(spots, list) or len(spots) != len(line.references):
            self.wrong(where, f"a list of {len(line.references)}", spots)
            return None
        size = len(candidate.source or line.source)
        source = self.positions(f"{key}.source", marks.get("source"), size)
        references = tuple(
            self.positions(where, own, len(words)) or ()
            for own, words in zip(spots, line.references, strict=True)
        )
        at = self.positions(f"{key}.candidate", marks.get("candidate"), len(candidate.words))
        return MarkedWords(number, source or (), references, at or ())

    def answer(
        self, record: Mapping[str, Any], anaphoric: bool, needed: bool
    ) -> KnownAnswer | None:
        if record.get("answer") is None and not needed:
            return None
        answer = self.get(record, "answer", dict, "an object with what should be said")
        if answer is None:
            return None
        pronoun = self.values(answer, "pronoun", True)
        antecedent = self.values(answer, "antecedent", False) if anaphoric else ()
        return KnownAnswer(pronoun, antecedent, self.text(answer, "feedback", ""))

    def suggested(self, record: Mapping[str, Any]) -> SuggestedAnswer | None:
        if record.get("suggested") is None:
            return None
        content = self.get(record, "suggested", dict, "an object with what a model would say")
        if content is None:
            return None
        chance = content.get("wrong")
        number = isinstance(chance, int | float) and not isinstance(chance, bool)
        wrong = float(chance or 0) if number else -1.0
        if not 0 <= wrong <= 1:
            self.wrong("suggested.wrong", "a probability from 0 to 1", chance)
        written = content.get("pronoun")
        pronoun = value_of(written) if isinstance(written, str) else None
        if written is not None and pronoun is None:
            self.wrong("suggested.pronoun", choices(VALUES), written)
        return SuggestedAnswer(wrong, self.text(content, "alternative", ""), pronoun)

    def values(self, answer: Mapping[str, Any], key: str, needed: bool) -> tuple[Value, ...]:
        written = answer.get(key, [])
        some = [written] if isinstance(written, str) else written
        found = [value_of(one) for one in some] if isinstance(some, list) else [None]
        if None in found or (needed and not found):
            self.wrong(f"answer.{key}", choices(VALUES), written)
        return tuple(one for one in found if one is not None)
