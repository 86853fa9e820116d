"""The text of all examples end to end: tokens of the fields to read, and a row for each gap.

Vocabularies and arrays are made from this, so that each token is looked at once, and what depends
on a token's type is worked out once a type.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress

from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.prediction.neural.fields import Field, Tokens
from crosspro.prediction.neural.subwords import Units

POSITIONS = (
    "source_starts",
    "target_starts",
    "first_of_document",
    "sentence",
    "target_position",
    "source_position",
    "head_position",
)
"""The columns of a text that are numbers, whichever fields are read."""


@dataclass(frozen=True)
class Reading:
    """How examples become a text: which fields, with the source folded or not, in which units.

    `lexicons` are those of the sides on which a field looks words up.
    """

    fields: tuple[Field, ...]
    lowercase: bool = True
    units: Units | None = None
    lexicons: Mapping[str, Lexicon] = field(default_factory=dict)


@dataclass
class FlatText:
    """Lists that grow with each example; positions count from the beginning of the text."""

    reading: Reading
    columns: dict[Tokens, list[str]]
    source_starts: list[int] = field(default_factory=lambda: [0])
    target_starts: list[int] = field(default_factory=lambda: [0])
    first_of_document: list[int] = field(default_factory=list)
    sentence: list[int] = field(default_factory=list)
    target_position: list[int] = field(default_factory=list)
    source_position: list[int] = field(default_factory=list)
    head_position: list[int] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)

    def tokens(self, field: Field) -> list[str]:
        """The tokens that a field is made from."""
        return self.columns[field.tokens]

    def word(self, field: Field, token: str) -> str:
        """What a field makes of a token."""
        return field.read(token, self.reading.lowercase, self.reading.lexicons)

    def counts(self, field: Field) -> Counter[str]:
        """How often each word of a field occurs, or each character of a spelled one."""
        counted: Counter[str] = Counter()
        for token, number in Counter(self.tokens(field)).items():
            word = self.word(field, token)
            for part in word if field.spelled else (word,):
                counted[part] += number
        return counted


def flatten(examples: Sequence[Example], reading: Reading) -> FlatText:
    """All examples one behind the other, in the units of the reading."""
    if reading.units:
        examples = reading.units.split(examples, reading.lowercase)
    text = FlatText(reading, {one.tokens: [] for one in reading.fields})
    known: dict[str, str] = {}  # fields make their tokens anew; memory holds each type once
    previous: str | None = None
    for number, example in enumerate(examples):
        source_start, target_start = text.source_starts[-1], text.target_starts[-1]
        for tokens, column in text.columns.items():
            column += [known.setdefault(token, token) for token in tokens(example)]
        text.source_starts.append(source_start + len(example.source))
        text.target_starts.append(target_start + len(example.target))
        same = number > 0 and example.document is not None and example.document == previous
        text.first_of_document.append(text.first_of_document[-1] if same else number)
        previous = example.document
        for gap in example.gaps:
            text.sentence.append(number)
            text.target_position.append(target_start + gap.position)
            text.source_position.append(source_start + gap.source_index)
            text.head_position.append(source_start + _head(example, gap))
            text.labels.append(gap.label)
    _check_lengths(text)
    return text


def labelled_rows(text: FlatText) -> FlatText:
    """The same text with the rows of those gaps alone whose label is known."""
    known = [label is not None for label in text.labels]
    of_gaps = {one.tokens for one in text.reading.fields if one.side == "gap"}
    return replace(
        text,
        columns={
            tokens: list(compress(column, known)) if tokens in of_gaps else column
            for tokens, column in text.columns.items()
        },
        sentence=list(compress(text.sentence, known)),
        target_position=list(compress(text.target_position, known)),
        source_position=list(compress(text.source_position, known)),
        head_position=list(compress(text.head_position, known)),
        labels=list(compress(text.labels, known)),
    )


def _check_lengths(text: FlatText) -> None:
    """A field that leaves a token out would shift all that follow."""
    lengths = {
        "source": text.source_starts[-1],
        "target": text.target_starts[-1],
        "gap": len(text.sentence),
    }
    for one in text.reading.fields:
        found, expected = len(text.tokens(one)), lengths[one.side]
        if found != expected:
            what = f"{expected} tokens, one for each of side {one.side}"
            raise ValueError(f"field {one.name}: expected {what}, found {found}")


def _head(example: Example, gap: Gap) -> int:
    """The head of the source pronoun; the pronoun itself where none is known."""
    if example.source_parse is None:
        return gap.source_index
    head = example.source_parse.tokens[gap.source_index].head
    return head if head >= 0 else gap.source_index
