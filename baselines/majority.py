"""The majority baseline: always the most frequent class, with the training distribution."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.counts import FILE, class_counts, from_json, number_of_gaps, repeat, to_json
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import write_text
from crosspro.data_prep.core.task import Task
from crosspro.prediction.system import Probabilities, System


class Majority(System):
    """Gives every gap the distribution of the training data, so the majority class wins.

    Its macro recall is 1/C, the random and majority baseline of the papers' tables.
    """

    name = "majority"
    counts: NDArray[np.int64]

    def fit(
        self,
        task: Task,
        train: Sequence[Example],
        dev: Sequence[Example],
        folder: Path | None = None,
    ) -> None:
        """Count the classes of the training data."""
        self.task = task
        self.counts = class_counts(task, train)

    def predict(self, examples: Sequence[Example]) -> Probabilities:
        """The training distribution for every gap."""
        return repeat(self.counts / self.counts.sum(), number_of_gaps(examples))

    def save_state(self, folder: Path) -> None:
        """Write the counts."""
        write_text(folder / FILE, json.dumps(to_json(self.task, self.counts), ensure_ascii=False))

    def load_state(self, folder: Path) -> None:
        """Read the counts."""
        self.counts = from_json(self.task, folder / FILE)
