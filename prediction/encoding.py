"""Examples as integer arrays, made once: all sentences end to end, and a row for each gap.

Networks cut their windows and sentences out of the flat arrays by position, on the device, so there
is no per-example Python in a training loop. With a context of k sentences a window may reach k
sentences back in the same document, because they lie next to each other.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data_prep.errors import input_error
from data_prep.example import Example, Gap
from data_prep.shared_task import PLACEHOLDER, format_example
from data_prep.task import Task
from prediction.vocabulary import PAD, Vocabulary, build_vocabulary, from_lists

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
_GAP_WORD = "<gap>"
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
    except (KeyError, TypeError) as error:
        raise input_error(path, "vocabularies", "words and counts", str(error)) from error
    return Encoder(read, bool(content.get("lowercase", True)))


def fit_encoder(examples: Sequence[Example], min_count: int = 2, lowercase: bool = True) -> Encoder:
    """Count the words of every field; those below `min_count` become unknown."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in FIELDS}
    for example in examples:
        source = _source_words(example, lowercase)
        counts["source"].update(source)
        tags, labels = _source_fields(example)
        counts["source_tag"].update(tags)
        counts["source_label"].update(labels)
        counts["character"].update("".join(source))
        lemmas, tags = _target_words(example)
        counts["lemma"].update(lemmas)
        counts["tag"].update(tags)
        counts["lemma_tag"].update(map("|".join, zip(lemmas, tags, strict=True)))
        counts["pronoun"].update(_aligned_words(example, gap, source) for gap in example.gaps)
    return Encoder({name: build_vocabulary(counts[name], min_count) for name in FIELDS}, lowercase)


@dataclass(frozen=True)
class EncodedData:
    """Flat arrays; the target has a token for each gap, whose lemma is the gap word.

    `characters[w]` spells word w of the source vocabulary. Source tags, labels and heads need a
    parse; without one they are unknown words and the pronoun itself. `sentence` and the columns
    that follow have an entry for each gap; `source_starts`, `target_starts` and
    `first_of_document` have one for each sentence (and one more at the end).
    """

    source: Ints
    source_tag: Ints
    source_label: Ints
    lemma: Ints
    tag: Ints
    lemma_tag: Ints
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

    def __len__(self) -> int:
        return len(self.sentence)


UNKNOWN_LABEL = -1


def encode(examples: Sequence[Example], encoder: Encoder, task: Task) -> EncodedData:
    """The arrays of some examples; gaps without a label get `UNKNOWN_LABEL`."""
    vocabularies = encoder.vocabularies
    columns: dict[str, list[int]] = {
        f.name: [] for f in fields(EncodedData) if f.name not in ("characters",)
    }
    columns["source_starts"].append(0)
    columns["target_starts"].append(0)
    previous: str | None = None
    for number, example in enumerate(examples):
        source = _source_words(example, encoder.lowercase)
        lemmas, tags = _target_words(example)
        source_start, target_start = len(columns["source"]), len(columns["lemma"])
        columns["source"] += vocabularies["source"].numbers(source)
        source_tags, source_labels = _source_fields(example)
        columns["source_tag"] += vocabularies["source_tag"].numbers(source_tags)
        columns["source_label"] += vocabularies["source_label"].numbers(source_labels)
        columns["lemma"] += vocabularies["lemma"].numbers(lemmas)
        columns["tag"] += vocabularies["tag"].numbers(tags)
        columns["lemma_tag"] += vocabularies["lemma_tag"].numbers(
            map("|".join, zip(lemmas, tags, strict=True))
        )
        columns["source_starts"].append(len(columns["source"]))
        columns["target_starts"].append(len(columns["lemma"]))
        same = number > 0 and example.document is not None and example.document == previous
        first = columns["first_of_document"][-1] if same else number
        columns["first_of_document"].append(first)
        previous = example.document
        for gap in example.gaps:
            label = UNKNOWN_LABEL if gap.label is None else task.class_index[gap.label]
            columns["sentence"].append(number)
            columns["target_position"].append(target_start + gap.position)
            columns["source_position"].append(source_start + gap.source_index)
            columns["head_position"].append(source_start + _head(example, gap))
            aligned = _aligned_words(example, gap, source)
            columns["pronoun"] += vocabularies["pronoun"].numbers([aligned])
            columns["label"].append(label)
    arrays = {name: np.array(values, dtype=np.int32) for name, values in columns.items()}
    return EncodedData(characters=_spellings(encoder), **arrays)


def cached_encoding(
    examples: Sequence[Example], encoder: Encoder, task: Task, folder: Path | None
) -> EncodedData:
    """The arrays, memory-mapped from a folder if they were made before from the same content."""
    if folder is None:
        return encode(examples, encoder, task)
    place = folder / _content_key(examples, encoder, task)
    names = [f.name for f in fields(EncodedData)]
    if not place.is_dir():
        data = encode(examples, encoder, task)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as temporary:
            for name in names:
                np.save(Path(temporary, f"{name}.npy"), getattr(data, name), allow_pickle=False)
            with contextlib.suppress(OSError):  # another process was quicker: the same arrays
                Path(temporary).rename(place)
    return EncodedData(
        **{
            name: np.load(place / f"{name}.npy", mmap_mode="r", allow_pickle=False)
            for name in names
        }
    )


def _content_key(examples: Sequence[Example], encoder: Encoder, task: Task) -> str:
    digest = hashlib.blake2b(digest_size=12)
    digest.update(json.dumps(encoder.to_json(), sort_keys=True).encode("utf-8"))
    digest.update(json.dumps(task.class_index).encode("utf-8"))
    for example in examples:
        line = f"{format_example(example)}\t{example.document}\t{example.source_parse}\n"
        digest.update(line.encode("utf-8"))
    return digest.hexdigest()


def _source_words(example: Example, lowercase: bool) -> list[str]:
    return [word.lower() for word in example.source] if lowercase else list(example.source)


def _source_fields(example: Example) -> tuple[Sequence[str], Sequence[str]]:
    """Tags and dependency labels of the source words; empty without a parse."""
    if example.source_parse is None:
        return [""] * len(example.source), [""] * len(example.source)
    tokens = example.source_parse.tokens
    return [token.tag for token in tokens], [token.deprel for token in tokens]


def _head(example: Example, gap: Gap) -> int:
    """The head of the source pronoun; the pronoun itself where none is known."""
    if example.source_parse is None:
        return gap.source_index
    head = example.source_parse.tokens[gap.source_index].head
    return head if head >= 0 else gap.source_index


def _target_words(example: Example) -> tuple[list[str], list[str]]:
    """Lemmas and tags; a placeholder is the gap word, whichever source index it names."""
    lemmas, tags = list(example.lemmas), list(example.tags)
    for gap in example.gaps:
        lemmas[gap.position], tags[gap.position] = _GAP_WORD, _GAP_WORD
    return [_GAP_WORD if lemma.startswith(PLACEHOLDER) else lemma for lemma in lemmas], tags


def _aligned_words(example: Example, gap: Gap, source: Sequence[str]) -> str:
    """The source words linked to the gap, joined; the source pronoun itself if there are none."""
    linked = sorted({s for s, t in example.links if t == gap.position})
    return " ".join(source[index] for index in linked or [gap.source_index])


def _spellings(encoder: Encoder) -> Ints:
    words = encoder.vocabularies["source"].words
    table = np.full((len(words), _MAX_CHARACTERS), PAD, dtype=np.int32)
    for number, word in enumerate(words[2:], start=2):
        spelling = encoder.vocabularies["character"].numbers(word[:_MAX_CHARACTERS])
        table[number, : len(spelling)] = spelling
    return table
