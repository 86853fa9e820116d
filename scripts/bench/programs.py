"""Programs that are measured as commands are; each imports what it needs and nothing else.

Run: python -P programs.py score GOLD SUBMISSION, torch MODEL FILE, pairs, first_step SETTING…
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

_PAIR = ("They are {} years old, but it stands.", "Elles ont {} ans, mais REPLACE tient debout.")
_PAIRS = 20


def score(gold: str, submission: str) -> float:
    """The accuracy of a submission as a plain loop counts it, gap by gap; nothing is checked."""
    cells: Counter[tuple[str, str]] = Counter()
    with Path(gold).open(encoding="utf-8") as ours, Path(submission).open("r") as theirs:
        for line, other in zip(ours, theirs, strict=True):
            labels, predicted = line.split("\t")[0].split(), other.split("\t")[0].split()
            cells.update(zip(labels, predicted, strict=True))
    return sum(count for (one, two), count in cells.items() if one == two) / cells.total()


def torch(model: str, file: str) -> int:
    """Predict with a model of the box in torch, in one thread."""
    import torch

    from crosspro.data_prep.annotate.layers import layers_beside, read_layered
    from crosspro.prediction.model_archive import from_box
    from crosspro.prediction.system import load_system

    torch.set_num_threads(1)
    system: Any = load_system(from_box(Path(model)))
    path = Path(file)
    examples = list(read_layered(path, system.task, layers_beside(path)))
    return len(system.trainable().predict(examples))


def pairs() -> None:
    """Tell the time of the first sentence, from an import on, and of those that follow."""
    start = time.perf_counter()
    import crosspro
    from crosspro.prediction.model_archive import from_box

    system = crosspro.load_system(from_box(Path("en-fr")))
    crosspro.predict_pair(system, *(side.format(_PAIRS) for side in _PAIR))
    first = time.perf_counter()
    for years in range(_PAIRS):
        crosspro.predict_pair(system, *(side.format(years) for side in _PAIR))
    following = (time.perf_counter() - first) / _PAIRS
    json.dump({"first ms": 1000 * (first - start), "next ms": 1000 * following}, sys.stderr)


def first_step(*_: str) -> None:
    """Run `train.py` with the arguments of this process, and leave it at its first step."""
    start = time.perf_counter()
    from crosspro.prediction.neural.training.module import GapClassifier
    from crosspro.scripts import train

    imported = time.perf_counter() - start

    def leave(*_: Any) -> None:
        print(f"\nimports {imported} s", file=sys.stderr, flush=True)
        os._exit(0)

    GapClassifier.training_step = leave  # type: ignore[method-assign, assignment]
    del sys.argv[1]
    train.main()
    raise SystemExit("train.py ended without a step")


if __name__ == "__main__":
    print(globals()[sys.argv[1]](*sys.argv[2:]))
