"""The two simplest baselines, the majority class and a random class: they learn class counts."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.settings import Seed, settings
from crosspro.data_prep.core.task import Task
from crosspro.prediction.system import Examples, Probabilities, System

FILE = "class_counts.json"


def class_counts(task: Task, examples: Examples) -> NDArray[np.int64]:
    """How often each class labels a gap; there must be one label at least."""
    counts = np.zeros(len(task.classes), dtype=np.int64)
    for example in examples:
        for gap in example.gaps:
            if gap.label is not None:
                counts[task.class_index[gap.label]] += 1
    if not counts.any():
        raise CrossproError(
            f"task {task.name}: train: expected labelled gaps, found none in "
            f"{len(examples):,} examples"
        )
    return counts


def read_counts(task: Task, path: Path) -> NDArray[np.int64]:
    """Counts by class name, as they were saved."""
    content = read_json_object(path)
    values = [content.get(name) for name in task.classes]
    if len(content) != len(values) or not all(
        isinstance(v, int) and 0 <= v < 2**60 for v in values
    ):
        raise input_error(
            path,
            "counts",
            f"a count for each of {', '.join(task.classes)}",
            ", ".join(map(str, content)),
        )
    if not any(values):
        raise input_error(path, "counts", "a count above 0", "none")
    return np.array(values, dtype=np.int64)


def number_of_gaps(examples: Examples) -> int:
    """Gaps of all examples."""
    return sum(len(example.gaps) for example in examples)


class Majority(System):
    """Gives every gap the distribution of the training data, so the majority class wins.

    Its macro recall is 1/C, the random and majority baseline of the papers' tables.
    """

    name = "majority"
    counts: NDArray[np.int64]

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        """Count the classes of the training data."""
        self.task = task
        self.counts = class_counts(task, train)

    def predict(self, examples: Examples) -> Probabilities:
        """The training distribution for every gap."""
        return np.tile(self.counts / self.counts.sum(), (number_of_gaps(examples), 1))

    def save_state(self, folder: Path) -> None:
        """Write the counts."""
        counts = dict(zip(self.task.classes, self.counts.tolist(), strict=True))
        write_text(folder / FILE, json.dumps(counts, ensure_ascii=False))

    def load_state(self, folder: Path) -> None:
        """Read the counts."""
        self.counts = read_counts(self.task, folder / FILE)


@settings
class PriorSettings:
    """The seed of the draws."""

    seed: Seed = 1


class ClassPrior(Majority):
    """Guesses by the training distribution, and is certain of its guess.

    A guess depends on the seed and on the gap's sentence and position alone, so it does not change
    with the order, the grouping or the document ids with which examples are predicted.
    """

    name = "class_prior"
    settings_class = PriorSettings
    settings: PriorSettings

    def predict(self, examples: Examples) -> Probabilities:
        """Probability 1 for the class that was drawn."""
        draws = np.fromiter(
            (self._draw(example, gap.position) for example in examples for gap in example.gaps),
            np.float64,
            number_of_gaps(examples),
        )
        bounds = np.cumsum(self.counts) / self.counts.sum()
        drawn = np.searchsorted(bounds, draws, side="right")
        return np.eye(len(self.counts))[drawn]

    def _draw(self, example: Example, position: int) -> float:
        """A number in [0, 1), the same for the same gap."""
        key = (str(self.settings.seed), str(position))
        text = "\t".join((*key, *example.source, *example.target))
        digest = hashlib.blake2b(text.encode("utf-8"), digest_size=6).digest()
        return int.from_bytes(digest, "big") / 2.0**48
