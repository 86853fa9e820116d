"""Examples as integer arrays, made once: all sentences end to end, and a row for each gap.

Networks cut their windows and sentences out of the flat arrays by position, on the device, so there
is no per-example Python in a training loop. With a context of k sentences a window may reach k
sentences back in the same document, because they lie next to each other.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.errors import input_error
from crosspro.data_prep.task import Task
from crosspro.prediction.neural.flat_text import FlatText
from crosspro.prediction.neural.vocabulary import PAD, Vocabulary, build_vocabulary, from_lists

Ints = NDArray[np.int32]

FIELDS = (
    "source",
    "source_tag",
    "source_label",
    "lemma",
    "tag",
    "lemma_tag",
    "pronoun",
    "character",
)
_MAX_CHARACTERS = 24


@dataclass(frozen=True)
class Encoder:
    """The vocabularies of all fields; `lowercase` folds the source side."""

    vocabularies: dict[str, Vocabulary]
    lowercase: bool = True

    def to_json(self) -> dict[str, object]:
        """As saved with a model."""
        return {
            "lowercase": self.lowercase,
            "vocabularies": {
                name: {"words": v.words, "counts": v.counts}
                for name, v in self.vocabularies.items()
            },
        }


def encoder_from_json(content: dict[str, object], path: Path) -> Encoder:
    """An encoder as saved; `path` is named in messages."""
    vocabularies = content.get("vocabularies")
    if not isinstance(vocabularies, dict) or set(vocabularies) != set(FIELDS):
        raise input_error(path, "vocabularies", f"the fields {', '.join(FIELDS)}", "others")
    try:
        read = {name: from_lists(v["words"], v["counts"]) for name, v in vocabularies.items()}
    except (KeyError, TypeError, ValueError) as error:
        raise input_error(path, "vocabularies", "words and counts", str(error)) from error
    return Encoder(read, bool(content.get("lowercase", True)))


def fit_encoder(text: FlatText, min_count: int = 2) -> Encoder:
    """Count the words of every field; those below `min_count` become unknown."""
    counts = {name: text.counts(name) for name in FIELDS if name != "character"}
    counts["character"] = Counter()
    for word, number in counts["source"].items():
        for character in word:
            counts["character"][character] += number
    vocabularies = {name: build_vocabulary(counts[name], min_count) for name in FIELDS}
    return Encoder(vocabularies, text.lowercase)


@dataclass(frozen=True)
class EncodedData:
    """Flat arrays; the target has a token for each gap, whose lemma is the gap word.

    `characters[spelling[i]]` spells token i of the source, be it a known word or not. Source tags,
    labels and heads need a parse; without one they are unknown words and the pronoun itself.
    `sentence` and the columns that follow have an entry for each gap; `source_starts`,
    `target_starts` and `first_of_document` have one for each sentence (and one more at the end).
    """

    source: Ints
    source_tag: Ints
    source_label: Ints
    lemma: Ints
    tag: Ints
    lemma_tag: Ints
    spelling: Ints
    characters: Ints
    source_starts: Ints
    target_starts: Ints
    first_of_document: Ints
    sentence: Ints
    target_position: Ints
    source_position: Ints
    head_position: Ints
    pronoun: Ints
    label: Ints


UNKNOWN_LABEL = -1


def encode(text: FlatText, encoder: Encoder, task: Task) -> EncodedData:
    """The arrays of a text; gaps without a label of the task get `UNKNOWN_LABEL`."""
    words = {
        name: _numbers(text, name, encoder.vocabularies[name])
        for name in FIELDS
        if name != "character"
    }
    labels = [task.class_index.get(label or "", UNKNOWN_LABEL) for label in text.labels]
    spelling, characters = _spellings(text, encoder.vocabularies["character"])
    positions = {name: np.array(getattr(text, name), dtype=np.int32) for name in _POSITIONS}
    return EncodedData(
        **words,
        **positions,
        spelling=spelling,
        characters=characters,
        label=np.array(labels, dtype=np.int32),
    )


_POSITIONS = (
    "source_starts",
    "target_starts",
    "first_of_document",
    "sentence",
    "target_position",
    "source_position",
    "head_position",
)


def _numbers(text: FlatText, name: str, vocabulary: Vocabulary) -> Ints:
    """The numbers of a field's words; each type of token is looked up once."""
    tokens = text.tokens(name)
    table = {token: vocabulary.number(text.word(name, token)) for token in set(tokens)}
    return np.fromiter(map(table.__getitem__, tokens), dtype=np.int32, count=len(tokens))


def cached_encoding(
    text: FlatText, encoder: Encoder, task: Task, folder: Path | None
) -> EncodedData:
    """The arrays, memory-mapped from a folder if they were made before from the same content."""
    if folder is None:
        return encode(text, encoder, task)
    settings = json.dumps([encoder.to_json(), task.class_index], sort_keys=True)
    key = hashlib.blake2b(f"{settings} {text.digest}".encode(), digest_size=12).hexdigest()
    place = folder / key
    if place.is_dir():
        with contextlib.suppress(OSError, ValueError):
            return _mapped(place)
        shutil.rmtree(place, ignore_errors=True)  # damaged
    data = encode(text, encoder, task)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as temporary:
        for field in fields(EncodedData):
            path = Path(temporary, f"{field.name}.npy")
            np.save(path, getattr(data, field.name), allow_pickle=False)
        with contextlib.suppress(OSError):  # another process was quicker: the same arrays
            Path(temporary).rename(place)
    return _mapped(place)


def _mapped(place: Path) -> EncodedData:
    return EncodedData(
        **{
            field.name: np.load(place / f"{field.name}.npy", mmap_mode="r", allow_pickle=False)
            for field in fields(EncodedData)
        }
    )


def _spellings(text: FlatText, letters: Vocabulary) -> tuple[Ints, Ints]:
    """The spelling of each source token, and the characters of each spelling; `PAD` has none."""
    words = {token: text.word("source", token) for token in dict.fromkeys(text.source)}
    rows = {word: row for row, word in enumerate(dict.fromkeys(words.values()), start=PAD + 1)}
    characters = np.full((len(rows) + 1, _MAX_CHARACTERS), PAD, dtype=np.int32)
    for word, row in rows.items():
        spelled = letters.numbers(word[:_MAX_CHARACTERS])
        characters[row, : len(spelled)] = spelled
    row_of = {token: rows[word] for token, word in words.items()}
    count = len(text.source)
    return np.fromiter(map(row_of.__getitem__, text.source), np.int32, count), characters
