"""A maximum-entropy model of what an `it` is, saved as one JSON file with its checksum.

The file holds the weights, the documents that were learnt from (so that nobody scores a text that
the model knows by accident) and the annotation that its contexts need. Loading it runs no code.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import log_softmax

from crosspro.baselines.it_classifier.context import (
    ANNOTATORS,
    LABELS,
    LIGHT,
    ItContext,
    ItProbabilities,
    ItScorer,
)
from crosspro.baselines.it_classifier.features import features_of
from crosspro.baselines.it_classifier.training_data import ItExample
from crosspro.data_prep.core.errors import CrossproError, choices, input_error, quoted
from crosspro.data_prep.core.files import write_text
from crosspro.prediction.system import read_json_object

FORMAT = 1
RARE = 2
"""Features of fewer examples are left out."""
BALANCE = 0.7
"""How far rare labels are made to count as much as frequent ones, from 0 to 1."""
_KIND = "crosspro it-classifier"


class ItClassifier(ItScorer):
    """A trained model: a weight for each feature and label."""

    def __init__(
        self,
        weights: dict[str, Sequence[float]],
        annotator: str = LIGHT,
        documents: Sequence[str] = (),
        examples: int = 0,
    ) -> None:
        self.annotator = annotator
        self.documents = tuple(documents)
        self.examples = examples
        self.names = {name: number for number, name in enumerate(weights)}
        self.weights = np.array([*weights.values()], dtype=np.float64).reshape(-1, len(LABELS))

    def probabilities(self, contexts: Sequence[ItContext]) -> ItProbabilities:
        """The probability of each label for each context."""
        totals = np.zeros((len(contexts), len(LABELS)))
        annotated = self.annotator != LIGHT
        if annotated and any(context.annotated is None for context in contexts):
            raise CrossproError(
                f"it-classifier: expected text annotated with {self.annotator}, as it was "
                "trained on, found plain text"
            )
        for total, names in zip(totals, features_of(contexts, annotated), strict=True):
            known = [self.names[name] for name in dict.fromkeys(names) if name in self.names]
            total += self.weights[known].sum(axis=0)
        return np.asarray(np.exp(log_softmax(totals, axis=1)))

    def described(self) -> str:
        """What it is."""
        return (
            f"a model trained on {self.examples:,} examples of {len(self.documents)} documents "
            f"(annotation: {self.annotator})"
        )

    def save(self, path: Path) -> None:
        """Write the model to a file."""
        content: dict[str, Any] = {
            "kind": _KIND,
            "format": FORMAT,
            "annotator": self.annotator,
            "examples": self.examples,
            "documents": list(self.documents),
            "labels": list(LABELS),
            "weights": {name: self.weights[i].tolist() for name, i in self.names.items()},
        }
        whole = {"sha256": _digest(content), **content}
        write_text(path, json.dumps(whole, ensure_ascii=False, indent=0) + "\n")


def train_classifier(
    examples: Sequence[ItExample],
    annotator: str = LIGHT,
    balance: float = BALANCE,
    strength: float = 0.05,
) -> ItClassifier:
    """Learn weights; `strength` is the inverse of the L2 penalty (scikit-learn's C).

    With `balance` 0 all examples count alike, and probabilities mean what they say; with 1 all
    labels count alike, so that more events are found and more of what is called one is none. The
    same examples in the same order give the same weights.
    """
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    missing = [label for label in LABELS if label not in {one.label for one in examples}]
    if missing:
        raise CrossproError(
            f"it-classifier: expected examples of {choices(LABELS)}, found none of "
            f"{', '.join(missing)} among {len(examples):,}"
        )
    found = features_of([one.context for one in examples], annotator != LIGHT)
    rows = [list(dict.fromkeys(names)) for names in found]
    counts = Counter(name for row in rows for name in row)
    names = [name for name, count in counts.items() if count >= min(RARE, len(examples))]
    numbers = {name: number for number, name in enumerate(names)}
    places = [[numbers[name] for name in row if name in numbers] for row in rows]
    ends = np.cumsum([0, *map(len, places)])
    columns = np.array([place for row in places for place in row], dtype=np.int64)
    matrix = csr_matrix((np.ones(len(columns)), columns, ends), (len(rows), len(names)))
    gold = np.array([LABELS.index(one.label) for one in examples])
    shares = np.bincount(gold) * len(LABELS) / len(gold)
    model = LogisticRegression(C=strength, fit_intercept=False, max_iter=2000)
    model.fit(matrix, gold, sample_weight=(shares**-balance)[gold])
    weights = np.asarray(model.coef_, dtype=np.float64).T
    documents = sorted({one.document for one in examples})
    learnt = dict(zip(names, weights.tolist(), strict=True))
    return ItClassifier(learnt, annotator, documents, len(examples))


def load_classifier(path: Path) -> ItClassifier:
    """Read a model; raises `InputError` if the file is none, or has changed since it was saved."""
    content = read_json_object(path)
    if content.get("kind") != _KIND or content.get("format") != FORMAT:
        found = f"{quoted(repr(content.get('kind')))}, format {quoted(repr(content.get('format')))}"
        raise input_error(path, "file", f"a {_KIND} of format {FORMAT}", found)
    rest = {key: value for key, value in content.items() if key != "sha256"}
    if content.get("sha256") != _digest(rest):
        expected = f"the checksum {quoted(str(content.get('sha256')))} that it was saved with"
        raise input_error(path, "sha256", expected, _digest(rest))
    weights, labels = content.get("weights"), content.get("labels")
    if labels != list(LABELS):
        raise input_error(path, "labels", choices(LABELS), quoted(repr(labels)))
    sound = isinstance(weights, dict) and all(map(_is_row, weights.values()))
    if not sound:
        raise input_error(path, "weights", f"{len(LABELS)} numbers for each feature", "others")
    annotator = str(content.get("annotator"))
    check_annotator(annotator, path)
    documents, examples = content.get("documents"), content.get("examples")
    if not isinstance(documents, list) or type(examples) is not int:
        raise input_error(path, "documents, examples", "a list and a number", "others")
    return ItClassifier(content["weights"], annotator, list(map(str, documents)), examples)


def check_annotator(name: str, where: Path | str) -> None:
    """Raise if contexts cannot be annotated so: a file may not name programs or models to load."""
    if name not in ANNOTATORS:
        raise input_error(where, "annotator", choices(ANNOTATORS), quoted(name))


def _is_row(row: object) -> bool:
    numbers = isinstance(row, list) and all(
        type(one) in (int, float) and abs(one) <= sys.float_info.max for one in row
    )
    return numbers and len(row) == len(LABELS)  # type: ignore[arg-type]


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode("ascii")).hexdigest()
