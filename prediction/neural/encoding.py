"""Examples as integer arrays, made once: all sentences end to end, and a row for each gap.

Networks cut their windows and sentences out of the flat arrays by position, on the device, so there
is no per-example Python in a training loop. With a context of k sentences a window may reach k
sentences back in the same document, because they lie next to each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.stored import content_key
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.lexicon.lexicon import entry_line
from crosspro.prediction.neural.fields import Field
from crosspro.prediction.neural.flat_text import POSITIONS, FlatText, Reading
from crosspro.prediction.neural.vocabulary import (
    PAD,
    Vocabulary,
    build_vocabulary,
    closed_vocabulary,
    from_lists,
)

Ints = NDArray[np.int32]

UNKNOWN_LABEL = -1
_MAX_CHARACTERS = 24


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


def encoder_from_json(content: Mapping[str, object], path: Path, reading: Reading) -> Encoder:
    """An encoder as saved; `path` is named in messages.

    Vocabularies of fields that are not read are left out: version 0.1.0 saved those of all.
    """
    names = list(dict.fromkeys(field.numbered_in for field in reading.fields))
    vocabularies = content.get("vocabularies")
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


def fit_encoder(text: FlatText, min_count: int = 2) -> Encoder:
    """Count the words of every field; those below `min_count` become unknown."""
    counted: dict[str, Counter[str]] = {}
    for field in text.reading.fields:
        if not field.closed:
            counted.setdefault(field.numbered_in, Counter()).update(text.counts(field))
    vocabularies = {name: build_vocabulary(counts, min_count) for name, counts in counted.items()}
    return Encoder(text.reading, {**vocabularies, **closed_vocabularies(text.reading.fields)})


def closed_vocabularies(fields: Iterable[Field]) -> dict[str, Vocabulary]:
    """The vocabularies of fields whose words are known beforehand, by name."""
    return {field.numbered_in: closed_vocabulary(field.closed) for field in fields if field.closed}


@dataclass(frozen=True)
class EncodedData:
    """Flat arrays; the target has a token for each gap, whose lemma is the gap word.

    `fields` have the number of each token's word; where a field is spelled, that of its spelling,
    whose characters are a row of `spellings` (known words or not). `sentence` and the columns that
    follow have an entry for each gap; `source_starts`, `target_starts` and `first_of_document` have
    one for each sentence (and one more at the end). Heads need a parse; without one they are the
    pronoun itself.
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


def encode(text: FlatText, encoder: Encoder, task: Task) -> EncodedData:
    """The arrays of a text; gaps without a label of the task get `UNKNOWN_LABEL`."""
    arrays: dict[str, Ints] = {}
    spellings: dict[str, Ints] = {}
    for field in encoder.reading.fields:
        vocabulary = encoder.vocabularies[field.numbered_in]
        if field.spelled:
            arrays[field.name], spellings[field.name] = _spelled(text, field, vocabulary)
        else:
            arrays[field.name] = _numbers(text, field, vocabulary)
    labels = [task.class_index.get(label or "", UNKNOWN_LABEL) for label in text.labels]
    positions = {name: np.array(getattr(text, name), dtype=np.int32) for name in POSITIONS}
    return EncodedData(arrays, spellings, **positions, label=np.array(labels, dtype=np.int32))


def _numbers(text: FlatText, field: Field, vocabulary: Vocabulary) -> Ints:
    """The numbers of a field's words; each type of token is looked up once."""
    tokens = text.tokens(field)
    table = {token: vocabulary.number(text.word(field, token)) for token in set(tokens)}
    return np.fromiter(map(table.__getitem__, tokens), dtype=np.int32, count=len(tokens))


def _spelled(text: FlatText, field: Field, letters: Vocabulary) -> tuple[Ints, Ints]:
    """The spelling of each token, and the characters of each spelling; `PAD` has none."""
    tokens = text.tokens(field)
    words = {token: text.word(field, token) for token in dict.fromkeys(tokens)}
    rows = {word: row for row, word in enumerate(dict.fromkeys(words.values()), start=PAD + 1)}
    characters = np.full((len(rows) + 1, _MAX_CHARACTERS), PAD, dtype=np.int32)
    for word, row in rows.items():
        spelled = letters.numbers(word[:_MAX_CHARACTERS])
        characters[row, : len(spelled)] = spelled
    row_of = {token: rows[word] for token, word in words.items()}
    return np.fromiter(map(row_of.__getitem__, tokens), np.int32, len(tokens)), characters
