"""The two simplest baselines, the majority class and a random class: they learn class counts."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.settings import Seed, settings
from crosspro.data_prep.core.task import Task
from crosspro.prediction.adjustment import class_counts
from crosspro.prediction.system import Examples, Probabilities, System

_FILE = "class_counts.json"
_MOST = 1 << 60


def number_of_gaps(examples: Examples) -> int:
    return sum(len(example.gaps) for example in examples)


class Majority(System):
    """Gives every gap the distribution of the training data, so the majority class wins.

    Its macro recall is 1/C, the random and majority baseline of the papers' tables.
    """

    name = "majority"
    counts: NDArray[np.int64]

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        self.task = task
        self.counts = class_counts(task, train)

    def unadjusted(self, examples: Examples) -> Probabilities:
        return np.tile(self.counts / self.counts.sum(), (number_of_gaps(examples), 1))

    def save_state(self, folder: Path) -> None:
        counts = dict(zip(self.task.classes, self.counts.tolist(), strict=True))
        write_text(folder / _FILE, json.dumps(counts, ensure_ascii=False))

    def load_state(self, folder: Path) -> None:
        counts = read_json_object(folder / _FILE)
        whole = all(type(count) is int and 0 <= count < _MOST for count in counts.values())
        if set(counts) != set(self.task.classes) or not whole or not any(counts.values()):
            expected = f"a count for each of {', '.join(self.task.classes)}"
            raise input_error(folder / _FILE, "counts", expected, "others")
        self.counts = np.array([counts[name] for name in self.task.classes])


@settings
class ClassPriorSettings:
    """The seed of the guesses."""

    seed: Seed = 1


class ClassPrior(Majority):
    """Guesses by the training distribution, and is certain of its guess.

    A guess depends on the seed and on the gap's sentence and position alone, so it does not change
    with the order, the grouping or the document ids with which examples are predicted.
    """

    name = "class_prior"
    settings_class = ClassPriorSettings
    settings: ClassPriorSettings

    def unadjusted(self, examples: Examples) -> Probabilities:
        gaps = ((example, gap.position) for example in examples for gap in example.gaps)
        draws = np.array([self._draw(example, position) for example, position in gaps])
        bounds = np.cumsum(self.counts) / self.counts.sum()
        return np.eye(len(self.counts))[np.searchsorted(bounds, draws, side="right")]

    def _draw(self, example: Example, position: int) -> float:
        """A number in [0, 1), the same for the same gap."""
        text = "\t".join((str(self.settings.seed), str(position), *example.source, *example.target))
        digest = hashlib.blake2b(text.encode("utf-8"), digest_size=6).digest()
        return int.from_bytes(digest, "big") / 2.0**48
