"""A test suite: the text, the chosen pronoun tokens, and their translations in each reference.

It is one plain file in JSON Lines: a record about the suite, one for each line of text, and one for
each token. Positions count the words of a line from 0, lines count from 0 through the whole text.
`suite_reader.py` reads it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.files import atomic_output
from crosspro.evaluation.protest.categories import BY_NAME
from crosspro.evaluation.protest.language import Slot

FORMAT = "crosspro-protest"
VERSION = 1

Words = tuple[str, ...]
Positions = tuple[int, ...]


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
        content = "\n".join(
            chain(
                map(_line_record, range(len(self.source)), *self._texts()),
                map(_token_record, self.tokens),
            )
        )
        return hashlib.sha256(content.encode("utf-8")).hexdigest()[:12]

    def _texts(self) -> tuple[Sequence[str], Sequence[Words], Sequence[Sequence[Words]]]:
        return self.documents, self.source, list(zip(*self.references, strict=True))

    def form(self, token: SuiteToken) -> str:
        """The pronoun as it is written in the source."""
        return " ".join(self.source[token.place.line][at] for at in token.place.at)

    def by_name(self) -> dict[str, SuiteToken]:
        """The tokens by their names."""
        return {token.name: token for token in self.tokens}


def slot_of(category: str, role: str) -> Slot:
    """The slot of a pronoun of a category: second person for you, else third."""
    return Slot("second" if BY_NAME[category].pronoun == "you" else "third", role)


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
    records = chain(
        [_json(header)],
        map(_line_record, range(len(suite.source)), *suite._texts()),
        map(_token_record, suite.tokens),
    )
    with atomic_output(Path(path)) as handle:
        for record in records:
            handle.write(record.encode("utf-8") + b"\n")


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _line_record(number: int, document: str, source: Words, references: Sequence[Words]) -> str:
    texts = [" ".join(words) for words in references]
    return _json(
        {"line": number, "document": document, "source": " ".join(source), "references": texts}
    )


def _token_record(token: SuiteToken) -> str:
    record: dict[str, Any] = {
        "token": token.name,
        "category": token.category,
        "line": token.place.line,
        "at": token.place.at,
        "role": token.role,
    }
    if token.antecedent is not None:
        record["antecedent"] = {
            "line": token.antecedent.line,
            "at": token.antecedent.at,
            "mention": token.mention,
        }
    record["references"] = [
        {"pronoun": one.pronoun, "pronoun_at": one.pronoun_at}
        | ({"head": one.head, "head_at": one.head_at} if token.antecedent else {})
        for one in token.references
    ]
    return _json(record)
