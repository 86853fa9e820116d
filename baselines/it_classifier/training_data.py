"""Text in which people have said what each `it` is, and the F1 of what is learnt from it.

Two kinds of files are read:

- The folder of an MMAX project of ParCor or ParCorFull: pronouns with the types anaphoric, event
  (or an antecedent of that type) and pleonastic.
- The table of Loáiciga, Guillou and Hardmeier 2017: pronouns of Europarl with a manual label; the
  sentences before the pronoun's stand in the same column, where the pronoun is `__it__`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from crosspro.baselines.it_classifier.classifier import train_classifier
from crosspro.baselines.it_classifier.context import (
    ANAPHORIC,
    EVENT,
    LABELS,
    PLEONASTIC,
    PRONOUN,
    ItContext,
    ItExample,
)
from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.formats.mmax import MmaxDocument, read_mmax
from crosspro.evaluation.metrics.submissions.scores import confusion_counts, f1
from crosspro.evaluation.protest.categories import LeftOutError, function_of

_COLUMNS = ("doc", "source", "manual_label")
"""What is read of the table of event pronouns, whose sentences are in quotation marks."""
_MARK = "__"
_LABELS = {"nominal_ref": ANAPHORIC, "pleonastic_ref": PLEONASTIC, "event_ref": EVENT}
_SENTENCE_ENDS = frozenset((".", "!", "?"))

DISCOMT_2015_TALKS = (
    *("1756", "1819", "1825", "1894", "1935", "1938"),
    *("1950", "1953", "1979", "2043", "205", "2053"),
)
"""The talks of the DiscoMT 2015 test set, ten of which are the DiscoMT part of ParCorFull."""

TEDDEV_TALKS = ("767", "769", "779", "783", "785", "790", "792", "799", "805", "824", "837")
"""The talks of the development set TEDdev, ten of which are the TED part of ParCorFull."""

NAMED_SETS = {"discomt2015": DISCOMT_2015_TALKS, "teddev": TEDDEV_TALKS}
"""Talks on which systems are scored or chosen, by the name of their set."""


def read_training_data(paths: Iterable[Path]) -> list[ItExample]:
    return [
        example
        for path in paths
        for example in (_read_table(path) if path.is_file() else _read_project(path))
    ]


def without_documents(examples: Sequence[ItExample], names: Iterable[str]) -> list[ItExample]:
    """The examples of other documents; `000_1756` is the document 1756 as well.

    `discomt2015` and `teddev` stand for the talks of these sets; other names must be documents.
    """
    left_out = {talk for name in names for talk in NAMED_SETS.get(name, (name,))}
    documents = {talk for talks in NAMED_SETS.values() for talk in talks}
    for example in examples:
        documents |= _names(example)
    for name in sorted(left_out - documents):
        expected = "a document or " + choices(NAMED_SETS)
        raise input_error("settings", "system.leave_out", expected, quoted(name))
    return [example for example in examples if not left_out & _names(example)]


def _names(example: ItExample) -> set[str]:
    return {example.document, example.document.rpartition("_")[2]}


def _read_project(path: Path) -> Iterator[ItExample]:
    for document in read_mmax(path):
        yield from _annotated_pronouns(document)


def _annotated_pronouns(document: MmaxDocument) -> Iterator[ItExample]:
    """The pronouns of a document that have one annotation with a type that we know."""
    functions: dict[int, list[str]] = {}
    for markable in document.markables:
        if len(markable.words) == 1:
            try:
                function = function_of(markable.attributes)
            except LeftOutError:
                function = ""
            functions.setdefault(markable.words[0], []).append(function)
    before: tuple[str, ...] = ()
    for sentence in document.sentences:
        words = tuple(document.words[place] for place in sentence)
        for position, word in enumerate(words):
            labels = functions.get(sentence[position], [])
            if word.lower() == PRONOUN and len(labels) == 1 and labels[0] in LABELS:
                yield ItExample(ItContext(words, position, before), labels[0], document.name)
        before = words


def _read_table(path: Path) -> Iterator[ItExample]:
    rows = (line.rstrip("\r").split("\t") for line in read_text_lines(path))
    names = next(rows, [])
    if not set(_COLUMNS) <= set(names):
        expected = f"the columns {', '.join(_COLUMNS)}"
        raise input_error(path, "header", expected, quoted("\t".join(names)), 1)
    for number, cells in enumerate(rows, start=2):
        if len(cells) != len(names):
            expected = f"{len(names)} separated by tabs"
            raise input_error(path, "columns", expected, str(len(cells)), number)
        document, source, label = (cells[names.index(name)].strip() for name in _COLUMNS)
        if label not in _LABELS:
            raise input_error(path, "manual_label", choices(_LABELS), quoted(label), number)
        words = source.removeprefix('"').removesuffix('"').split()
        marked = [place for place, word in enumerate(words) if _is_marked(word)]
        if len(marked) != 1:
            expected = f"one {_MARK}it{_MARK} in the text"
            raise input_error(path, "source", expected, str(len(marked)), number)
        plain = tuple(word.strip("_") if _MARK in word else word for word in words)
        yield ItExample(_last_sentence(plain, marked[0]), _LABELS[label], document)


def _is_marked(word: str) -> bool:
    return word.startswith(_MARK) and word.endswith(_MARK) and word.strip("_").lower() == PRONOUN


def _last_sentence(words: tuple[str, ...], position: int) -> ItContext:
    """The last of a few sentences, which has the pronoun, and the one before it."""
    ends = [0, *(place + 1 for place in range(position) if words[place] in _SENTENCE_ENDS)]
    first, earlier = ends[-1], ends[-2] if len(ends) > 1 else 0
    return ItContext(words[first:], position - first, words[earlier:first])


def cross_validated_f1(examples: Sequence[ItExample], folds: int) -> dict[str, float]:
    """The F1 of each label in per cent; no document is learnt from and scored in the same fold."""
    documents = sorted({example.document for example in examples})
    fold_of = {document: number % folds for number, document in enumerate(documents)}
    gold: list[str] = []
    predicted: list[str] = []
    for fold in range(folds):
        classifier = train_classifier([e for e in examples if fold_of[e.document] != fold])
        held_out = [e for e in examples if fold_of[e.document] == fold]
        gold += [example.label for example in held_out]
        predicted += classifier.labels([example.context for example in held_out])
    sides = (np.array([LABELS.index(label) for label in side]) for side in (gold, predicted))
    counts = confusion_counts(next(sides), next(sides), len(LABELS))
    return dict(zip(LABELS, np.asarray(f1(counts)).tolist(), strict=True))
