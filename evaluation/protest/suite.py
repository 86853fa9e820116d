"""A test suite: the text, the chosen pronoun tokens, and their translations in each reference.

A suite is one file in JSON Lines: a header, then one record for each line of text, then one for
each token. Lines and words are counted from 0. The reader checks everything and raises the first
fault with its line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from crosspro.data_prep.core.errors import InputError, input_error, quoted
from crosspro.data_prep.core.files import json_object, read_text_lines, write_text
from crosspro.data_prep.core.settings import check_settings, settings
from crosspro.evaluation.protest.categories import BY_NAME
from crosspro.evaluation.protest.language import Role, Slot

CONTEXT_LINES = 1
"""Lines before the pronoun's that are always shown to annotators."""

Words = tuple[str, ...]
Position = Annotated[int, Field(ge=0)]
Positions = tuple[Position, ...]
Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Spots:
    """Positions of a pronoun in its line, and of the head of its antecedent in that one's line."""

    pronoun: Positions
    head: Positions = ()


@settings
class Translation:
    """The translation of a token in one reference: pronoun and antecedent head, with positions.

    It is empty where the reference has a translation that no output can be matched with.
    """

    pronoun: Words = ()
    pronoun_at: Positions = ()
    head: Words = ()
    head_at: Positions = ()

    @property
    def spots(self) -> Spots:
        return Spots(self.pronoun_at, self.head_at)


@settings
class Place:
    """Words of the source text: a line and positions in it."""

    line: Position
    at: Annotated[Positions, Field(min_length=1)]


@settings
class Token:
    """A pronoun of the suite; `antecedent` is the head of its antecedent, `mention` all of it.

    `role` is the role that its translation should have.
    """

    name: str
    category: str
    document: str
    place: Place
    role: Role
    antecedent: Place | None
    mention: Positions
    references: tuple[Translation, ...]

    def __post_init__(self) -> None:
        if self.category not in BY_NAME:
            raise ValueError(f"category: {quoted(self.category)} is none of PROTEST's")
        if self.anaphoric != (self.antecedent is not None):
            raise ValueError("antecedent: anaphoric tokens have one, the others none")

    @property
    def anaphoric(self) -> bool:
        return BY_NAME[self.category].anaphoric

    @property
    def spots(self) -> Spots:
        return Spots(self.place.at, self.antecedent.at if self.antecedent else ())

    @property
    def slot(self) -> Slot:
        return slot_of(self.category, self.role)


def slot_of(category: str, role: Role) -> Slot:
    """Second person for you, third person for the others."""
    return Slot("2" if BY_NAME[category].pronoun == "you" else "3", role)


@dataclass(frozen=True)
class Suite:
    """Text as lines of words, the document of each line, and the tokens.

    `settings` record how the suite was built.
    """

    source_language: str
    target_language: str
    source: tuple[Words, ...]
    references: tuple[tuple[Words, ...], ...]
    documents: tuple[str, ...]
    tokens: tuple[Token, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """Short checksum of text and tokens, for signatures and for stores of verdicts."""
        content = "\n".join(_records(self))
        return hashlib.sha256(content.encode("utf-8")).hexdigest()[:12]

    @cached_property
    def anaphoric(self) -> dict[str, bool]:
        return {token.name: token.anaphoric for token in self.tokens}

    def form(self, token: Token) -> str:
        """The pronoun as it is written in the source."""
        return " ".join(self.source[token.place.line][at] for at in token.place.at)

    def position(self, token: Token) -> int:
        """The position of the pronoun in its line, also where a token covers several words."""
        words = self.source[token.place.line]
        pronouns = BY_NAME[token.category].pronoun.split("/")
        same = (at for at in token.place.at if words[at].lower() in pronouns)
        return next(same, token.place.at[0])

    def places(self) -> list[tuple[int, int]]:
        """The line and position of each token, sorted: what APT is restricted to in 001 §5."""
        return sorted((token.place.line, self.position(token)) for token in self.tokens)

    def context(self, token: Token) -> list[int]:
        """The lines that annotators need: the antecedent's, the pronoun's, and the one before."""
        last = token.place.line
        lines = set(range(max(0, last - CONTEXT_LINES), last + 1))
        if token.antecedent is not None:
            lines.add(token.antecedent.line)
        return [line for line in sorted(lines) if self.documents[line] == token.document]


@settings
class _Header:
    format: Literal["crosspro-protest"]
    version: Literal[2]
    source_language: str
    target_language: str
    references: Annotated[int, Field(ge=1)]
    lines: int
    tokens: int
    settings: dict[str, Any]


@settings
class _Line:
    document: str
    source: str
    references: Words


def write_suite(path: str | Path, suite: Suite) -> None:
    """Write a suite atomically, compressed if its name ends in .gz or .xz."""
    header = _Header(
        "crosspro-protest",
        2,
        suite.source_language,
        suite.target_language,
        len(suite.references),
        len(suite.source),
        len(suite.tokens),
        dict(suite.settings),
    )
    write_text(Path(path), "".join(f"{line}\n" for line in (_json(header), *_records(suite))))


def _records(suite: Suite) -> Iterator[str]:
    for document, *texts in zip(suite.documents, suite.source, *suite.references, strict=True):
        source, *references = map(" ".join, texts)
        yield _json(_Line(document, source, tuple(references)))
    yield from map(_json, suite.tokens)


def _json(record: Any) -> str:
    return json.dumps(asdict(record), ensure_ascii=False)


def read_suite(path: str | Path) -> Suite:
    texts = list(read_text_lines(Path(path)))
    if not texts:
        raise input_error(path, "file", "a suite written by `protest build`", "an empty file")

    def fault(number: int, field: str, expected: object, actual: object) -> InputError:
        return input_error(f"{path}:{number}", field, str(expected), str(actual))

    def record(kind: type[Record], number: int) -> Record:
        place = Path(f"{path}:{number}")
        return check_settings(kind, json_object(texts[number - 1], place), place)

    header = record(_Header, 1)
    if len(texts) != 1 + header.lines + header.tokens:
        expected = f"{header.lines} of text and {header.tokens} of tokens"
        raise fault(1, "lines", expected, len(texts) - 1)
    lines = [record(_Line, number) for number in range(2, header.lines + 2)]
    for number, line in enumerate(lines, start=2):
        if len(line.references) != header.references:
            raise fault(number, "references", header.references, len(line.references))
    source = tuple(tuple(line.source.split()) for line in lines)
    references = tuple(
        tuple(tuple(line.references[number].split()) for line in lines)
        for number in range(header.references if lines else 0)
    )
    tokens: dict[str, Token] = {}
    for number in range(header.lines + 2, len(texts) + 1):
        token = record(Token, number)
        if token.name in tokens:
            raise fault(number, "name", "a name that occurs once", quoted(token.name))
        if len(token.references) != header.references:
            raise fault(number, "references", header.references, len(token.references))
        for name, line_number, at, text in _spots(token, source, references):
            if line_number >= len(text):
                raise fault(number, f"{name}.line", f"a line below {len(text)}", line_number)
            if any(position >= len(text[line_number]) for position in at):
                expected = f"positions in {quoted(' '.join(text[line_number]))}"
                raise fault(number, f"{name}.at", expected, list(at))
        tokens[token.name] = token
    documents = tuple(line.document for line in lines)
    languages = header.source_language, header.target_language
    return Suite(*languages, source, references, documents, tuple(tokens.values()), header.settings)


def _spots(
    token: Token, source: Sequence[Words], references: Sequence[Sequence[Words]]
) -> Iterator[tuple[str, int, Positions, Sequence[Words]]]:
    """All positions of a token, with the name of their field, their line and their text."""
    line, head = token.place.line, token.antecedent
    yield "place", line, token.place.at, source
    if head is not None:
        yield "antecedent", head.line, (*head.at, *token.mention), source
    for number, (translation, text) in enumerate(zip(token.references, references, strict=True)):
        yield f"references.{number}.pronoun", line, translation.pronoun_at, text
        if head is not None:
            yield f"references.{number}.head", head.line, translation.head_at, text
