"""Examples as integer arrays: all sentences end to end, and an entry for each gap.

Networks cut windows and sentences out of the flat arrays by position, so a training loop has no
Python for single examples. A window may reach k sentences back in the same document (`context`),
because they lie next to each other.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import SIDES, Example, Gap, Side
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.prediction.neural.reading.fields import Field, Reads, Tokens
from crosspro.prediction.neural.reading.lexicon_fields import load_lexicons, save_lexicons
from crosspro.prediction.neural.reading.subwords import Units, load_units
from crosspro.prediction.neural.reading.vocabulary import PAD, Vocabulary, build_vocabulary

if TYPE_CHECKING:
    from crosspro.prediction.neural.training.settings import Training

Array: TypeAlias = Any
"""A numpy array, or a tensor once a text was moved to a device of torch."""
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
"""The arrays of a text beside fields and labels; the first three are of sentences."""
_OF_GAPS = POSITIONS[3:]
_MAX_CHARACTERS = 24
_ENCODER_FILE = "encoder.json"


@dataclass(frozen=True)
class GapSpans:
    """Where gaps (or their pronouns) stand on one side, and what may be read around them.

    `start` is where a gap's own sentence begins; `low` and `high` bound its context.
    """

    position: Array
    start: Array
    low: Array
    high: Array

    def __getitem__(self, gaps: Array) -> GapSpans:
        return GapSpans(*(column[gaps] for column in vars(self).values()))

    def around(self, before: int, after: int, own_sentence: bool = False) -> tuple[Array, Array]:
        """Where the tokens around the gaps begin and end within the context or the sentence."""
        start = (self.position - before).clip(min=self.start if own_sentence else self.low)
        return start, (self.position + after + 1).clip(max=self.high)


@dataclass(frozen=True)
class EncodedText:
    """A text in flat arrays; each gap is a token of the target with the lemma `<gap>`.

    `fields` have the number of each token's word; of a spelled field the number of its spelling,
    whose characters are a row of `spellings`. `label` has an entry for each gap. The remaining
    arrays (`POSITIONS`) say where sentences, documents and gaps are; heads are the pronoun itself
    where no parse is known.
    """

    fields: Mapping[str, Array]
    spellings: Mapping[str, Array]
    positions: Mapping[str, Array]
    label: Array
    source: GapSpans
    target: GapSpans

    def __getitem__(self, name: str) -> Array:
        return self.fields[name]

    def __len__(self) -> int:
        return len(self.label)

    def __repr__(self) -> str:
        return f"EncodedText({len(self)} gaps, fields {', '.join(self.fields)})"

    def side(self, side: Side) -> GapSpans:
        return self.source if side == "source" else self.target

    def with_context(self, context: int | Ints) -> EncodedText:
        """The text with so many sentences of context before each gap's own."""
        return text_of(self.fields, self.spellings, self.positions, self.label, context)

    def labelled(self, fields: Iterable[Field]) -> EncodedText:
        """The same text with the gaps alone whose label is known."""
        chosen = self.label >= 0
        of_gaps = {*_OF_GAPS, *(field.name for field in fields if field.side == "gap")}
        tokens, positions = (
            {name: array[chosen] if name in of_gaps else array for name, array in arrays.items()}
            for arrays in (self.fields, self.positions)
        )
        return text_of(tokens, self.spellings, positions, self.label[chosen])

    def to(self, device: Any) -> EncodedText:
        import torch  # bundled models are read without it

        def moved(value: Any) -> Any:
            if isinstance(value, Mapping):
                return {name: moved(array) for name, array in value.items()}
            if isinstance(value, GapSpans):
                return GapSpans(*map(moved, vars(value).values()))
            return torch.as_tensor(value, dtype=torch.int64, device=device)

        return EncodedText(*map(moved, vars(self).values()))


def text_of(
    tokens: Mapping[str, Ints],
    spellings: Mapping[str, Ints],
    positions: Mapping[str, Ints],
    label: Ints,
    context: int | Ints = 0,
) -> EncodedText:
    sentence = positions["sentence"]
    first = np.maximum(sentence - context, positions["first_of_document"][sentence])

    def spans(side: Side) -> GapSpans:
        starts = positions[f"{side}_starts"]
        return GapSpans(
            positions[f"{side}_position"], starts[sentence], starts[first], starts[sentence + 1]
        )

    return EncodedText(tokens, spellings, positions, label, spans("source"), spans("target"))


@dataclass(frozen=True)
class Encoder:
    """How examples become numbers: fields, units, lexicons of the sides, and vocabularies."""

    fields: tuple[Field, ...]
    lowercase: bool = True
    units: Units | None = None
    lexicons: Mapping[str, Lexicon] = attribute(default_factory=dict)
    vocabularies: Mapping[str, Vocabulary] = attribute(default_factory=dict)

    def fit_and_encode(
        self, examples: Sequence[Example], task: Task, min_count: int = 2
    ) -> tuple[Encoder, EncodedText]:
        """Learn the vocabularies, and encode; words below `min_count` become unknown."""
        text = self._flat(examples)
        counts: dict[str, Counter[str]] = {}
        for field in self.fields:
            if not field.closed:
                of_vocabulary = counts.setdefault(field.vocabulary_name, Counter())
                frequencies = np.bincount(text.tokens[field.tokens].numbers).tolist()
                for word, frequency in zip(self._words(text, field), frequencies, strict=True):
                    for part in word if field.spelled else (word,):
                        of_vocabulary[part] += frequency
        learnt = {name: build_vocabulary(words, min_count) for name, words in counts.items()}
        fitted = replace(self, vocabularies={**learnt, **closed_vocabularies(self.fields)})
        return fitted, fitted._encoded(text, task)

    def encode(self, examples: Sequence[Example], task: Task) -> EncodedText:
        return self._encoded(self._flat(examples), task)

    def word_sizes(self, examples: Sequence[Example], side: Side) -> list[list[int]]:
        """How many tokens each word of each line is read as."""
        lines = [example.source if side == "source" else example.lemmas for example in examples]
        if self.units is None:
            return [[1] * len(words) for words in lines]
        cut = self.units.cut(side, self.lowercase)
        return [[len(cut(word)) for word in words] for words in lines]

    def save(self, folder: Path) -> None:
        if self.units:
            self.units.save(folder)
        save_lexicons(self.lexicons, folder)
        vocabularies = {
            name: {"words": vocabulary.words, "counts": vocabulary.counts}
            for name, vocabulary in self.vocabularies.items()
        }
        content = {"lowercase": self.lowercase, "vocabularies": vocabularies}
        write_text(folder / _ENCODER_FILE, json.dumps(content, ensure_ascii=False))

    def _flat(self, examples: Sequence[Example]) -> _FlatText:
        units = self.units.split(examples, self.lowercase) if self.units else examples
        return _flatten(units, self.fields)

    def _words(self, text: _FlatText, field: Field) -> list[str]:
        """The word that a field has for each type of its tokens."""
        types = text.tokens[field.tokens].types
        return [field.read(token, self.lowercase, self.lexicons) for token in types]

    def _encoded(self, text: _FlatText, task: Task) -> EncodedText:
        arrays: dict[str, Ints] = {}
        spellings: dict[str, Ints] = {}
        for field in self.fields:
            words, vocabulary = self._words(text, field), self.vocabularies[field.vocabulary_name]
            if field.spelled:
                rows, spellings[field.name] = _spellings(words, vocabulary)
                numbers = [rows[word] for word in words]
            else:
                numbers = [vocabulary.number(word) for word in words]
            arrays[field.name] = np.array(numbers, np.int32)[text.tokens[field.tokens].numbers]
        labels = [task.class_index.get(label or "", UNKNOWN_LABEL) for label in text.labels]
        return text_of(arrays, spellings, text.positions, np.array(labels, np.int32))


def load_encoder(folder: Path, reads: Reads, settings: Training) -> Encoder:
    """The encoder of a saved system, with units and lexicons if its settings ask for them."""
    path = folder / _ENCODER_FILE
    saved: Any = read_json_object(path).get("vocabularies")
    try:
        vocabularies = {
            name: Vocabulary.of_lists(saved[name]["words"], saved[name]["counts"])
            for name in dict.fromkeys(field.vocabulary_name for field in reads.fields)
        }
    except (KeyError, TypeError, ValueError) as error:
        raise input_error(path, "vocabularies", "words and counts", repr(error)) from error
    units = load_units(folder) if settings.units != "words" else None
    lexicons = load_lexicons(folder) if reads.lexicons else {}
    return Encoder(reads.fields, settings.lowercase, units, lexicons, vocabularies)


def closed_vocabularies(fields: Iterable[Field]) -> dict[str, Vocabulary]:
    return {
        field.vocabulary_name: Vocabulary.of_closed(field.closed)
        for field in fields
        if field.closed
    }


class _TokenTypes(NamedTuple):
    """Token types in the order in which they come, and the type of each token."""

    types: Sequence[str]
    numbers: Ints


class _FlatText(NamedTuple):
    """The tokens that fields are made from, end to end, and the positions of sentences and gaps."""

    tokens: Mapping[Tokens, _TokenTypes]
    positions: Mapping[str, Ints]
    labels: Sequence[str | None]


def _flatten(examples: Iterable[Example], fields: Iterable[Field]) -> _FlatText:
    """All examples end to end; what depends on a token's type is worked out once a type."""
    types: dict[Tokens, dict[str, int]] = {field.tokens: {} for field in fields}
    numbers: dict[Tokens, list[int]] = {tokens: [] for tokens in types}
    positions: dict[str, list[int]] = {name: [] for name in POSITIONS}
    positions["source_starts"], positions["target_starts"] = [0], [0]
    first_of_document = 0
    document: str | None = None
    labels: list[str | None] = []
    for number, example in enumerate(examples):
        if example.document is None or example.document != document:
            first_of_document, document = number, example.document
        positions["first_of_document"].append(first_of_document)
        for tokens, index in types.items():
            numbers[tokens] += [index.setdefault(token, len(index)) for token in tokens(example)]
        source_start, target_start = (positions[f"{side}_starts"][-1] for side in SIDES)
        for gap in example.gaps:
            positions["sentence"].append(number)
            positions["target_position"].append(target_start + gap.position)
            positions["source_position"].append(source_start + gap.source_index)
            positions["head_position"].append(source_start + _head(example, gap))
            labels.append(gap.label)
        positions["source_starts"].append(source_start + len(example.source))
        positions["target_starts"].append(target_start + len(example.lemmas))
    sizes: dict[str, int] = {side: positions[f"{side}_starts"][-1] for side in SIDES} | {
        "gap": len(labels)
    }
    for field in fields:  # a field that leaves a token out would shift all that follow
        if len(numbers[field.tokens]) != sizes[field.side]:
            raise ValueError(
                f"field {field.name}: expected {sizes[field.side]} tokens, one for each of side "
                f"{field.side}, found {len(numbers[field.tokens])}"
            )
    typed = {
        tokens: _TokenTypes([*index], np.array(numbers[tokens], np.int32))
        for tokens, index in types.items()
    }
    arrays = {name: np.array(array, np.int32) for name, array in positions.items()}
    return _FlatText(typed, arrays, labels)


def _head(example: Example, gap: Gap) -> int:
    """The head of the source pronoun; the pronoun itself where none is known."""
    if example.source_parse is None:
        return gap.source_index
    head = example.source_parse.tokens[gap.source_index].head
    return head if head >= 0 else gap.source_index


def _spellings(words: Iterable[str], letters: Vocabulary) -> tuple[dict[str, int], Ints]:
    """The row of each word, and the characters of each row; `PAD` has none."""
    rows = {word: row for row, word in enumerate(dict.fromkeys(words), start=PAD + 1)}
    characters = np.full((len(rows) + 1, _MAX_CHARACTERS), PAD, dtype=np.int32)
    for word, row in rows.items():
        numbers = [letters.number(letter) for letter in word[:_MAX_CHARACTERS]]
        characters[row, : len(numbers)] = numbers
    return rows, characters
