"""Text in which people have said what each `it` is, and the F1 of what is learnt from it.

Three kinds of files are read:

- The folder of an MMAX project of ParCor or ParCorFull: pronouns with the types anaphoric, event
  (or an antecedent of that type) and pleonastic.
- The table of Loáiciga, Guillou and Hardmeier 2017: pronouns of Europarl with a manual label; the
  sentences before the pronoun's stand in the same column.
- A table of one's own, tab-separated under a header line with the columns `document`, `before`,
  `sentence` and `label`: tokenised text in which the pronoun is marked: `I think __it__ rains`.

"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from crosspro.baselines.it_classifier.classifier import train_classifier
from crosspro.baselines.it_classifier.context import (
    ANAPHORIC,
    EVENT,
    LABELS,
    PLEONASTIC,
    ItContext,
    ItExample,
    positions,
)
from crosspro.data_prep.core.errors import (
    CrossproError,
    InputError,
    Problem,
    choices,
    input_error,
    quoted,
)
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.formats.mmax import MmaxDocument, read_mmax
from crosspro.evaluation.metrics.submissions.scores import confusion_counts, f1
from crosspro.evaluation.protest.categories import NoCategory, function_of

OWN_COLUMNS = ("document", "before", "sentence", "label")
EUROPARL_COLUMNS = ("doc", "source", "manual_label")
"""What is read of the table of event pronouns."""
MARK = "__"
_EUROPARL_LABELS = {"nominal_ref": ANAPHORIC, "pleonastic_ref": PLEONASTIC, "event_ref": EVENT}
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


def read_training_data(paths: Sequence[Path]) -> list[ItExample]:
    """All examples of some files and projects; raises `InputError` with the faults of all."""
    found: list[ItExample] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            found += _read_table(path) if path.is_file() else _read_project(path)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found


def named_documents(names: Iterable[str]) -> list[str]:
    """Names of documents, in which `discomt2015` and `teddev` stand for the talks of these sets."""
    return [one for name in names for one in NAMED_SETS.get(name, (name,))]


def without_documents(examples: Iterable[ItExample], names: Iterable[str]) -> list[ItExample]:
    """The examples of other documents; `000_1756` is the document 1756 as well."""
    left_out = frozenset(names)
    examples = list(examples)
    known = {
        part
        for example in examples
        for part in (example.document, example.document.rpartition("_")[2])
    }
    known.update(talk for talks in NAMED_SETS.values() for talk in talks)
    problems = [
        Problem("settings", None, "leave-out", "a document or " + choices(NAMED_SETS), quoted(name))
        for name in sorted(left_out - known)
    ]
    if problems:
        raise InputError(problems)
    return [
        one for one in examples if not left_out & {one.document, one.document.rpartition("_")[2]}
    ]


def _read_project(path: Path) -> list[ItExample]:
    return [example for document in read_mmax(path) for example in _annotated(document)]


def _annotated(document: MmaxDocument) -> Iterator[ItExample]:
    """The pronouns of a document that have one annotation with a type that we know."""
    functions: dict[int, list[str | NoCategory]] = {}
    for markable in document.markables:
        if len(markable.words) == 1:
            functions.setdefault(markable.words[0], []).append(function_of(markable.attributes))
    before: tuple[str, ...] = ()
    for sentence in document.sentences:
        words = tuple(document.words[place] for place in sentence)
        for position in positions(words):
            found = functions.get(sentence[position], [])
            if len(found) == 1 and isinstance(found[0], str) and found[0] in LABELS:
                context = ItContext(words, position, before)
                yield ItExample(context, found[0], document.name)
        before = words


def _read_table(path: Path) -> list[ItExample]:
    lines = enumerate(read_text_lines(path), start=1)
    header = [line.rstrip("\r").split("\t") for _, line in islice(lines, 1)]
    names = header[0] if header else []
    if set(OWN_COLUMNS) <= set(names):
        read = _own_row
    elif set(EUROPARL_COLUMNS) <= set(names):
        read = _europarl_row
    else:
        expected = f"the columns {', '.join(OWN_COLUMNS)} (or {', '.join(EUROPARL_COLUMNS)})"
        raise input_error(path, "header", expected, quoted("\t".join(names)), 1)
    problems: list[Problem] = []
    examples: list[ItExample] = []
    for number, line in lines:
        cells = line.rstrip("\r").split("\t")
        if len(cells) != len(names):
            expected = f"{len(names)} separated by tabs"
            problems.append(Problem(str(path), number, "columns", expected, str(len(cells))))
            continue
        try:
            examples.append(read(dict(zip(names, cells, strict=True))))
        except InputError as error:
            problems += [
                Problem(str(path), number, problem.field, problem.expected, problem.found)
                for problem in error.problems
            ]
    if problems:
        raise InputError(problems)
    return examples


def _own_row(row: dict[str, str]) -> ItExample:
    if row["label"] not in LABELS:
        raise input_error("", "label", choices(LABELS), quoted(row["label"]))
    words, position = _unmarked("sentence", row["sentence"].split())
    return ItExample(
        ItContext(words, position, tuple(row["before"].split())), row["label"], row["document"]
    )


def _europarl_row(row: dict[str, str]) -> ItExample:
    """One of Europarl: a few sentences in quotation marks, the last of which has the pronoun."""
    label = _EUROPARL_LABELS.get(row["manual_label"].strip())
    if label is None:
        expected = choices(_EUROPARL_LABELS)
        raise input_error("", "manual_label", expected, quoted(row["manual_label"]))
    text = row["source"].strip().removeprefix('"').removesuffix('"').split()
    words, position = _unmarked("source", text)
    first = max(
        (place + 1 for place in range(position) if words[place] in _SENTENCE_ENDS), default=0
    )
    earlier = max(
        (place + 1 for place in range(first - 1) if words[place] in _SENTENCE_ENDS), default=0
    )
    context = ItContext(words[first:], position - first, words[earlier:first])
    return ItExample(context, label, row["doc"])


def _unmarked(field: str, words: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """The words without the mark, and where the pronoun is; other words may be marked, too."""
    marked = [
        number
        for number, word in enumerate(words)
        if word.startswith(MARK) and word.endswith(MARK) and word.strip("_").lower() == "it"
    ]
    if len(marked) != 1:
        raise input_error("", field, f"one {MARK}it{MARK} in the text", str(len(marked)))
    return tuple(word.strip("_") if MARK in word else word for word in words), marked[0]


def cross_validated_f1(examples: Sequence[ItExample], folds: int = 10) -> dict[str, float]:
    """The F1 of each label in per cent; no document is learnt from and scored in the same fold."""
    documents = sorted({example.document for example in examples})
    if len(documents) < folds:
        raise CrossproError(
            f"it-classifier: expected at least {folds} documents for {folds} folds, found "
            f"{len(documents)}"
        )
    fold_of = {document: number % folds for number, document in enumerate(documents)}
    gold, predicted = [], []
    for fold in range(folds):
        training = [example for example in examples if fold_of[example.document] != fold]
        held_out = [example for example in examples if fold_of[example.document] == fold]
        classifier = train_classifier(training)
        gold += [LABELS.index(example.label) for example in held_out]
        predicted += classifier.probabilities([e.context for e in held_out]).argmax(1).tolist()
    counts = confusion_counts(np.array(gold), np.array(predicted), len(LABELS))
    return dict(zip(LABELS, np.asarray(f1(counts)).tolist(), strict=True))
