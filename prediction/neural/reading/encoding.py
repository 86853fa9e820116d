"""Examples as integer arrays, made once: all sentences end to end, and a row for each gap.

Networks cut their windows and sentences out of the flat arrays by position, on the device, so there
is no per-example Python in a training loop. With a context of k sentences a window may reach k
sentences back in the same document, because they lie next to each other.

Each token is looked at once, and what depends on a token's type is worked out once a type. Arrays
that were made before from the same content are memory-mapped from a folder.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example, Gap, examples_digest
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.stored import Cache, content_key
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.lexicon.lexicon import Lexicon, entry_line
from crosspro.prediction.neural.reading.fields import Field, Tokens
from crosspro.prediction.neural.reading.lexicon_fields import save_lexicons
from crosspro.prediction.neural.reading.subwords import Units
from crosspro.prediction.neural.reading.vocabulary import (
    PAD,
    Vocabulary,
    build_vocabulary,
    closed_vocabulary,
    from_lists,
)

Ints = NDArray[np.int32]

UNKNOWN_LABEL = -1
POSITIONS = (
    "source_starts",
    "target_starts",
    "first_of_document",
    "sentence",
    "target_position",
    "source_position",
    "head_position",
)
"""The arrays of a text that are positions, whichever fields are read."""
_OF_GAPS = ("sentence", "target_position", "source_position", "head_position", "label")
_MAX_CHARACTERS = 24
_ENCODER = "encoder.json"


@dataclass(frozen=True)
class Reading:
    """How examples are read: which fields, with the source folded or not, in which units.

    `lexicons` are those of the sides on which a field looks words up.
    """

    fields: tuple[Field, ...]
    lowercase: bool = True
    units: Units | None = None
    lexicons: Mapping[str, Lexicon] = field(default_factory=dict)


@dataclass(frozen=True)
class Encoder:
    """How examples are read, and the vocabularies that fields have their numbers from, by name."""

    reading: Reading
    vocabularies: Mapping[str, Vocabulary]

    def to_json(self) -> dict[str, object]:
        """As saved with a model."""
        lexicons = {
            side: content_key(map(entry_line, lexicon))
            for side, lexicon in self.reading.lexicons.items()
        }
        return {
            "lowercase": self.reading.lowercase,
            "vocabularies": {
                name: {"words": v.words, "counts": v.counts}
                for name, v in self.vocabularies.items()
            },
            **({"lexicons": lexicons} if lexicons else {}),
        }

    def save(self, folder: Path) -> None:
        """Write the vocabularies, the units if words are cut, and the lexicons of what is read."""
        if self.reading.units:
            self.reading.units.save(folder)
        save_lexicons(self.reading.lexicons, folder)
        write_text(folder / _ENCODER, json.dumps(self.to_json(), ensure_ascii=False))


def load_encoder(reading: Reading, folder: Path) -> Encoder:
    """The vocabularies of what is read, as saved; a damaged or foreign file is refused."""
    path = folder / _ENCODER
    names = list(dict.fromkeys(field.numbered_in for field in reading.fields))
    vocabularies = read_json_object(path).get("vocabularies")
    if not isinstance(vocabularies, dict) or not set(names) <= set(vocabularies):
        raise input_error(path, "vocabularies", f"the fields {', '.join(names)}", "others")
    try:
        read = {
            name: from_lists(vocabularies[name]["words"], vocabularies[name]["counts"])
            for name in names
        }
    except (KeyError, TypeError, ValueError) as error:
        raise input_error(path, "vocabularies", "words and counts", str(error)) from error
    return Encoder(reading, read)


def closed_vocabularies(fields: Iterable[Field]) -> dict[str, Vocabulary]:
    """The vocabularies of fields whose words are known beforehand, by name."""
    return {field.numbered_in: closed_vocabulary(field.closed) for field in fields if field.closed}


@dataclass(frozen=True)
class EncodedText:
    """Flat arrays; the target has a token for each gap, whose lemma is the gap word.

    `fields` have the number of each token's word; where a field is spelled, that of its spelling,
    whose characters are a row of `spellings` (known words or not). `sentence` and the columns that
    follow have an entry for each gap; `source_starts`, `target_starts` and `first_of_document` have
    one for each sentence (and one more at the end). Heads need a parse; without one they are the
    pronoun itself. `digest` names what was read, and how.
    """

    fields: Mapping[str, Ints]
    spellings: Mapping[str, Ints]
    source_starts: Ints
    target_starts: Ints
    first_of_document: Ints
    sentence: Ints
    target_position: Ints
    source_position: Ints
    head_position: Ints
    label: Ints
    digest: str = ""

    def spans(self, context: int | Ints, together: int = 0) -> GapSpans:
        """What is read around each gap; `context` is one number, or one for each gap.

        Gaps of a document that stand within so many tokens on both sides are read `together`.
        """
        first = np.maximum(self.sentence - context, self.first_of_document[self.sentence])
        last = self.sentence + 1
        target, source = self.target_position, self.source_position
        bounds = {
            "target_low": self.target_starts[first],
            "target_high": self.target_starts[last],
            "source_low": self.source_starts[first],
            "source_high": self.source_starts[last],
        }
        outer = {"target_from": target, "target_to": target}
        outer |= {"source_from": source, "source_to": source}
        row = np.arange(len(target), dtype=np.int32)
        if together and len(target):
            row = _rows_of(target, source, bounds["target_low"], together)
            starts = np.flatnonzero(np.diff(row, prepend=-1))
            ends = np.append(starts[1:], len(row)) - 1
            bounds = {
                name: own[starts if name.endswith("low") else ends][row]
                for name, own in bounds.items()
            }
            outer = {
                name: (np.minimum if name.endswith("from") else np.maximum).reduceat(own, starts)[
                    row
                ]
                for name, own in outer.items()
            }
        return GapSpans(row, **bounds, **outer)

    def labelled(self, fields: Iterable[Field]) -> EncodedText:
        """The same text with the rows of those gaps alone whose label is known."""
        known = self.label >= 0
        of_gaps = {one.name for one in fields if one.side == "gap"}
        columns = {name: getattr(self, name)[known] for name in _OF_GAPS}
        arrays = {
            name: array[known] if name in of_gaps else array for name, array in self.fields.items()
        }
        return replace(self, fields=arrays, **columns)


@dataclass(frozen=True)
class GapSpans:
    """What is read around each gap: an entry for each.

    Gaps of one `row` are read together, and have the same spans: `from` and `to` are where the
    outermost gaps or pronouns of the row stand, `low` and `high` where its context begins and ends.
    """

    row: Ints
    target_low: Ints
    target_high: Ints
    source_low: Ints
    source_high: Ints
    target_from: Ints
    target_to: Ints
    source_from: Ints
    source_to: Ints


def _rows_of(target: Ints, source: Ints, low: Ints, together: int) -> Ints:
    """The row of each gap: a row begins where a gap is too far from the first of the row before.

    All must be able to read as far back as that one, so that no row spans two documents.
    """
    rows, row = [], -1
    start = before = least = most = 0
    for place, pronoun, reach in zip(target.tolist(), source.tolist(), low.tolist(), strict=True):
        least, most = min(least, pronoun), max(most, pronoun)
        near = before <= place <= start + together and most - least <= together
        if row < 0 or not near or reach > start:
            row, start, least, most = row + 1, place, pronoun, pronoun
        before = place
        rows.append(row)
    return np.array(rows, dtype=np.int32)


def fit_and_encode(
    examples: Sequence[Example],
    reading: Reading,
    task: Task,
    min_count: int = 2,
    cache: Path | None = None,
) -> tuple[Encoder, EncodedText]:
    """Learn the vocabulary of every field, and encode; words below `min_count` become unknown."""
    text = _read(examples, reading)
    counted: dict[str, Counter[str]] = {}
    for one in reading.fields:
        if not one.closed:
            counted.setdefault(one.numbered_in, Counter()).update(_counts(text, one, reading))
    learnt = {name: build_vocabulary(counts, min_count) for name, counts in counted.items()}
    encoder = Encoder(reading, {**learnt, **closed_vocabularies(reading.fields)})
    return encoder, encode(examples, encoder, task, cache, text)


def encode(
    examples: Sequence[Example],
    encoder: Encoder,
    task: Task,
    cache: Path | None = None,
    text: _FlatTokens | None = None,
) -> EncodedText:
    """The arrays of examples, from a folder (`cache`) if the same were encoded before.

    Gaps without a label of the task get `UNKNOWN_LABEL`. `text` has the tokens of the examples,
    where they were read before.
    """
    if cache is None:
        return _encoded(text or _read(examples, encoder.reading), encoder, task)
    digest = text_digest(examples, encoder.reading)
    key = content_key(encoder.to_json(), dict(task.class_index), digest)
    read = encoder.reading.fields
    files = {
        "fields": {one.name: one.name for one in read},
        "spellings": {one.name: f"{one.name}-spellings" for one in read if one.spelled},
        # A field may have the name of a column.
        "columns": {name: f"gap-{name}" for name in (*POSITIONS, "label")},
    }

    def made() -> dict[str, Ints]:
        data = _encoded(text or _read(examples, encoder.reading), encoder, task)
        parts = {"fields": data.fields, "spellings": data.spellings, "columns": vars(data)}
        return {file: parts[kind][name] for kind in files for name, file in files[kind].items()}

    names = [file for kind in files.values() for file in kind.values()]
    arrays = Cache(cache).arrays("encoding", key, names, made)
    found = {
        kind: {name: arrays[file] for name, file in own.items()} for kind, own in files.items()
    }
    return EncodedText(found["fields"], found["spellings"], **found["columns"], digest=digest)


def text_digest(examples: Sequence[Example], reading: Reading) -> str:
    """A name of the examples, of the fields and of the units; lexicons are the encoder's."""
    models = (reading.units.source, reading.units.target) if reading.units else ()
    units = [blake2b(model).hexdigest() for model in models]
    fields = [field.name for field in reading.fields]
    return content_key(examples_digest(examples), fields, reading.lowercase, units)


@dataclass(frozen=True)
class _Column:
    """Tokens: each type once, in the order in which they come, and the type of each token."""

    types: Sequence[str]
    numbers: Ints


@dataclass(frozen=True)
class _FlatTokens:
    """The tokens that fields are made from, end to end, and the positions of gaps in them."""

    columns: Mapping[Tokens, _Column]
    positions: Mapping[str, Ints]
    labels: Sequence[str | None]


def _read(examples: Sequence[Example], reading: Reading) -> _FlatTokens:
    """All examples one behind the other, in the units of the reading."""
    if reading.units:
        examples = reading.units.split(examples, reading.lowercase)
    columns: dict[Tokens, dict[str, int]] = {one.tokens: {} for one in reading.fields}
    numbers: dict[Tokens, list[int]] = {tokens: [] for tokens in columns}
    positions: dict[str, list[int]] = {name: [] for name in POSITIONS}
    source_start, target_start, first_of_document = 0, 0, 0
    document: str | None = None
    labels: list[str | None] = []
    for number, example in enumerate(examples):
        if example.document is None or example.document != document:
            first_of_document, document = number, example.document
        positions["first_of_document"].append(first_of_document)
        for tokens, index in columns.items():
            numbers[tokens] += [index.setdefault(token, len(index)) for token in tokens(example)]
        positions["source_starts"].append(source_start)
        positions["target_starts"].append(target_start)
        for gap in example.gaps:
            positions["sentence"].append(number)
            positions["target_position"].append(target_start + gap.position)
            positions["source_position"].append(source_start + gap.source_index)
            positions["head_position"].append(source_start + _head(example, gap))
            labels.append(gap.label)
        source_start += len(example.source)
        target_start += len(example.lemmas)
    positions["source_starts"].append(source_start)
    positions["target_starts"].append(target_start)
    sizes = {"source": source_start, "target": target_start, "gap": len(labels)}
    for one in reading.fields:  # a field that leaves a token out would shift all that follow
        found, expected = len(numbers[one.tokens]), sizes[one.side]
        if found != expected:
            what = f"{expected} tokens, one for each of side {one.side}"
            raise ValueError(f"field {one.name}: expected {what}, found {found}")
    return _FlatTokens(
        {
            tokens: _Column([*index], np.array(numbers[tokens], np.int32))
            for tokens, index in columns.items()
        },
        {name: np.array(own, np.int32) for name, own in positions.items()},
        labels,
    )


def _head(example: Example, gap: Gap) -> int:
    """The head of the source pronoun; the pronoun itself where none is known."""
    if example.source_parse is None:
        return gap.source_index
    head = example.source_parse.tokens[gap.source_index].head
    return head if head >= 0 else gap.source_index


def _counts(text: _FlatTokens, field: Field, reading: Reading) -> Counter[str]:
    """How often each word of a field occurs, or each character of a spelled one."""
    counted: Counter[str] = Counter()
    column = text.columns[field.tokens]
    times = np.bincount(column.numbers, minlength=len(column.types)).tolist()
    for token, number in zip(column.types, times, strict=True):
        word = field.read(token, reading.lowercase, reading.lexicons)
        for part in word if field.spelled else (word,):
            counted[part] += number
    return counted


def _encoded(text: _FlatTokens, encoder: Encoder, task: Task) -> EncodedText:
    """The arrays of tokens."""
    arrays: dict[str, Ints] = {}
    spellings: dict[str, Ints] = {}
    reading = encoder.reading
    for one in reading.fields:
        column, vocabulary = text.columns[one.tokens], encoder.vocabularies[one.numbered_in]
        words = [one.read(token, reading.lowercase, reading.lexicons) for token in column.types]
        if one.spelled:
            rows, spellings[one.name] = _spellings(words, vocabulary)
            numbers = [rows[word] for word in words]
        else:
            numbers = vocabulary.numbers(words)
        arrays[one.name] = np.array(numbers, np.int32)[column.numbers]
    labels = [task.class_index.get(label or "", UNKNOWN_LABEL) for label in text.labels]
    made: dict[str, Any] = {**text.positions, "label": np.array(labels, dtype=np.int32)}
    return EncodedText(arrays, spellings, **made)


def _spellings(words: Iterable[str], letters: Vocabulary) -> tuple[dict[str, int], Ints]:
    """The row of each word, and the characters of each row; `PAD` has none."""
    rows = {word: row for row, word in enumerate(dict.fromkeys(words), start=PAD + 1)}
    characters = np.full((len(rows) + 1, _MAX_CHARACTERS), PAD, dtype=np.int32)
    for word, row in rows.items():
        spelled = letters.numbers(word[:_MAX_CHARACTERS])
        characters[row, : len(spelled)] = spelled
    return rows, characters
