"""A test suite: the text, the chosen pronoun tokens, and their translations in each reference.

It is one plain file in JSON Lines: a record about the suite, one for each line of text, and one for
each token. Positions count the words of a line from 0, lines count from 0 through the whole text.
Reading checks everything, and all problems are raised together with their lines.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.files import atomic_output
from crosspro.evaluation.inputs.anchors import source_pronoun
from crosspro.evaluation.inputs.pronoun_lists import PronounLists
from crosspro.evaluation.protest.categories import BY_NAME
from crosspro.evaluation.protest.json_lines import JsonLinesReader
from crosspro.evaluation.protest.language import ROLES, Slot
from crosspro.evaluation.protest.marks import Positions, Words

FORMAT = "crosspro-protest"
VERSION = 1

CONTEXT = 1
"""Lines before the pronoun's that are shown in any case."""


@dataclass(frozen=True, slots=True)
class ReferenceWords:
    """How a reference translates a token: words and where they are; heads for anaphoric tokens.

    A reference that translates the token in some other way has no words and can never be matched.
    """

    pronoun: Words = ()
    pronoun_at: Positions = ()
    head: Words = ()
    head_at: Positions = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Words of the source text: a line and positions in it."""

    line: int
    at: Positions


@dataclass(frozen=True, slots=True)
class SuiteToken:
    """A pronoun of the suite; `antecedent` is the head of its antecedent, `mention` the whole.

    `role` is what its translation should be: subject, object or any.
    """

    name: str
    category: str
    document: str
    place: Place
    role: str
    antecedent: Place | None
    mention: Positions
    references: tuple[ReferenceWords, ...]

    @property
    def anaphoric(self) -> bool:
        """Whether the antecedent's head must match as well."""
        return BY_NAME[self.category].anaphoric

    @property
    def slot(self) -> Slot:
        """What its translation has to be."""
        return slot_of(self.category, self.role)


@dataclass(frozen=True)
class Suite:
    """The text in lines of words, its documents, and the tokens; `settings` say how it was made."""

    source_language: str
    target_language: str
    source: tuple[Words, ...]
    references: tuple[tuple[Words, ...], ...]
    documents: tuple[str, ...]
    tokens: tuple[SuiteToken, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """A short name for the content, for signatures and for stores of verdicts."""
        content = "\n".join(_records(self))
        return hashlib.sha256(content.encode("utf-8")).hexdigest()[:12]

    def form(self, token: SuiteToken) -> str:
        """The pronoun as it is written in the source."""
        return " ".join(self.source[token.place.line][at] for at in token.place.at)

    def position(self, token: SuiteToken) -> int:
        """Where a token is in its line; of several words, the one that is the pronoun."""
        words = self.source[token.place.line]
        pronouns = BY_NAME[token.category].pronoun.split("/")
        same = (at for at in token.place.at if words[at].lower() in pronouns)
        return next(same, token.place.at[0])

    def context(self, token: SuiteToken) -> list[int]:
        """The lines that people need to judge: the antecedent's, the pronoun's, that before it."""
        last = token.place.line
        wanted = set(range(max(0, last - CONTEXT), last + 1))
        if token.antecedent is not None:
            wanted.add(token.antecedent.line)
        return [line for line in sorted(wanted) if self.documents[line] == token.document]

    @cached_property
    def anaphoric(self) -> dict[str, bool]:
        """Of each token whether it has an antecedent."""
        return {token.name: token.anaphoric for token in self.tokens}


def slot_of(category: str, role: str) -> Slot:
    """The slot of a pronoun of a category: second person for you, else third."""
    return Slot("second" if BY_NAME[category].pronoun == "you" else "third", role)


def token_list(suite: Suite, lists: PronounLists | None = None) -> list[tuple[int, int]]:
    """Where tokens are, as `crosspro apt --tokens` takes them (001 §5): a line and a position each.

    With lists only source pronouns of these are taken.
    """
    places = ((token.place.line, suite.position(token)) for token in suite.tokens)
    return sorted(
        (line, at)
        for line, at in places
        if lists is None or source_pronoun(suite.source[line][at].lower(), lists) is not None
    )


def write_suite(path: str | Path, suite: Suite) -> None:
    """Write a suite atomically, compressed if its name ends in .gz or .xz."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "source_language": suite.source_language,
        "target_language": suite.target_language,
        "references": len(suite.references),
        "lines": len(suite.source),
        "tokens": len(suite.tokens),
        "settings": dict(suite.settings),
    }
    with atomic_output(Path(path)) as handle:
        for record in chain([json.dumps(header, ensure_ascii=False)], _records(suite)):
            handle.write(record.encode("utf-8") + b"\n")


def _records(suite: Suite) -> Iterator[str]:
    """The lines and tokens of a suite, a JSON object each."""
    for number, (document, source, *references) in enumerate(
        zip(suite.documents, suite.source, *suite.references, strict=True)
    ):
        record: dict[str, Any] = {"line": number, "document": document, "source": " ".join(source)}
        record["references"] = [" ".join(words) for words in references]
        yield json.dumps(record, ensure_ascii=False)
    for token in suite.tokens:
        record = {
            "token": token.name,
            "category": token.category,
            "line": token.place.line,
            "at": token.place.at,
            "role": token.role,
        }
        if token.antecedent is not None:
            place = token.antecedent
            record["antecedent"] = {"line": place.line, "at": place.at, "mention": token.mention}
        record["references"] = [
            {"pronoun": reference.pronoun, "pronoun_at": reference.pronoun_at}
            | ({"head": reference.head, "head_at": reference.head_at} if token.antecedent else {})
            for reference in token.references
        ]
        yield json.dumps(record, ensure_ascii=False)


def read_suite(path: str | Path) -> Suite:
    """Read a suite and check it; every problem is raised."""
    reader = _SuiteReader(Path(path), FORMAT, VERSION)
    for record in reader.records():
        if reader.number == 1:
            reader.read_header(record)
            reader.finish()
        elif "token" in record:
            reader.read_token(record)
        else:
            reader.read_line(record)
    if not reader.number:
        raise input_error(path, "file", "a suite from `protest build`", "an empty file")
    reader.finish()
    header = reader.header
    for key, found in (("lines", len(reader.source)), ("tokens", len(reader.tokens))):
        if header[key] != found:
            reader.problem(key, f"{header[key]} as the first line says", str(found), line=False)
            reader.finish()
    return Suite(
        header["source_language"],
        header["target_language"],
        tuple(reader.source),
        tuple(zip(*reader.references, strict=True)),
        tuple(reader.documents),
        tuple(reader.tokens.values()),
        header.get("settings", {}),
    )


class _SuiteReader(JsonLinesReader):
    """Reads the header, the lines and the tokens of one file."""

    def __init__(self, path: Path, file_format: str, version: int) -> None:
        super().__init__(path, file_format, version)
        self.header: dict[str, Any] = {}
        self.source: list[Words] = []
        self.documents: list[str] = []
        self.references: list[tuple[Words, ...]] = []
        self.tokens: dict[str, SuiteToken] = {}
        self.names: set[str] = set()
        self.bad_lines: set[int] = set()

    def read_header(self, record: dict[str, Any]) -> None:
        self.header = record
        for key in ("source_language", "target_language"):
            self.get(record, key, str, "a language")
        for key in ("references", "lines", "tokens"):
            self.get(record, key, int, "a number")
        self.get({"settings": {}} | record, "settings", dict, "an object")
        if self.problems:
            return
        if record["references"] < 1:
            self.problem("references", "at least one", str(record["references"]))

    def read_line(self, record: dict[str, Any]) -> None:
        before = len(self.problems)
        if self.tokens:
            self.problem("line", "all lines of text before the tokens", "a line after a token")
        number = self.get(record, "line", int, "the number of the line")
        if number is not None and number != len(self.source):
            self.problem("line", str(len(self.source)), str(number))
        document = self.get(record, "document", str, "a document's name")
        source = self.get(record, "source", str, "text")
        texts = self.get(record, "references", list, "a list of texts") or []
        wanted = self.header["references"]
        if len(texts) != wanted or not all(isinstance(text, str) for text in texts):
            self.problem("references", f"{wanted} texts", quoted(str(texts)))
            texts = []
        if len(self.problems) > before:  # tokens on it are wrong for no other reason
            self.bad_lines.add(len(self.source))
        self.source.append(tuple((source or "").split()))
        self.documents.append(document or "")
        self.references.append(tuple(tuple(text.split()) for text in texts))

    def read_token(self, record: dict[str, Any]) -> None:
        before = len(self.problems)
        name = self.get(record, "token", str, "a name") or ""
        category = self.get(record, "category", str, choices(BY_NAME))
        if category is not None and category not in BY_NAME:
            self.wrong("category", choices(BY_NAME), category)
            return
        if name in self.names:
            self.wrong("token", "names that occur once", name)
        self.names.add(name)
        place = self.place(record, "")
        role = self.get(record, "role", str, choices(ROLES))
        if role is not None and role not in ROLES:
            self.wrong("role", choices(ROLES), role)
        antecedent: Place | None = None
        mention: Positions = ()
        anaphoric = category is not None and BY_NAME[category].anaphoric
        if ("antecedent" in record) != anaphoric:
            self.problem("antecedent", "one" if anaphoric else "none", "another: see the category")
        elif anaphoric:
            inner = self.get(record, "antecedent", dict, "an object")
            if inner is None:
                return
            antecedent = self.place(inner, "antecedent.")
            if antecedent is not None:
                size = len(self.source[antecedent.line])
                mention = self.positions("antecedent.mention", inner.get("mention"), size) or ()
        references = self.reference_words(record, place, antecedent)
        if len(self.problems) == before and place and category and role:
            document = self.documents[place.line]
            self.tokens[name] = SuiteToken(
                name, category, document, place, role, antecedent, mention, references
            )

    def place(self, record: Mapping[str, Any], where: str) -> Place | None:
        line = self.get(record, "line", int, "a line of the text")
        if line is None or line in self.bad_lines:
            return None
        if not 0 <= line < len(self.source):
            self.problem(f"{where}line", f"a line below {len(self.source)}", str(line))
            return None
        at = self.positions(f"{where}at", record.get("at"), len(self.source[line]), least=1)
        return None if at is None else Place(line, at)

    def reference_words(
        self, record: Mapping[str, Any], place: Place | None, antecedent: Place | None
    ) -> tuple[ReferenceWords, ...]:
        items = record.get("references")
        wanted = self.header["references"]
        if not isinstance(items, list) or len(items) != wanted:
            self.wrong("references", f"a list of {wanted}", items)
            return ()
        found = []
        for number, item in enumerate(items):
            where = f"references[{number}]"
            if not isinstance(item, dict):
                self.wrong(where, "an object", item)
                continue
            parts: list[Any] = []
            for key, spot in (("pronoun", place), ("head", antecedent)):
                if spot is None:
                    parts += [(), ()]
                    continue
                words = item.get(key)
                if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
                    self.wrong(f"{where}.{key}", "a list of words", words)
                    words = []
                size = len(self.references[spot.line][number])
                at = self.positions(f"{where}.{key}_at", item.get(f"{key}_at"), size)
                parts += [tuple(words), at or ()]
            found.append(ReferenceWords(*parts))
        return tuple(found)
