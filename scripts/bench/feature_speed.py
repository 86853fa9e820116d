"""Training time, prediction speed and memory of the classical systems.

Run: python -m crosspro.scripts.bench.feature_speed [--data FILE …] [--gaps N] [--system NAME …]
Without --data the demo corpus is used. Times are processor seconds, all threads together, so that
other work on the machine counts little, and on a clock, since there are two processes where there
are processors for them, which share most of their memory; reading files is not part of them. Every
system has a process of its own, so that its memory is. A prediction is measured on the training
gaps, with all features extracted anew.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from crosspro.baselines.feature_system import FeatureSystem
from crosspro.conf import CONF_DIR
from crosspro.data_prep.annotate.layers import read_layered
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.demo.corpus import demo_examples

SYSTEMS = ("stymne_svm", "stymne_svm_2017", "helsinki_svm", "uedin_maxent", "cuni_linear",
           "limsi_forest")  # fmt: skip
_DEV_GAPS = 2000
_DEMO_DOCUMENTS = 15_000


def settings_of(name: str) -> dict[str, Any]:
    """The settings of a file in conf/system."""
    with initialize_config_dir(str(CONF_DIR), version_base="1.3"):
        content: Any = OmegaConf.to_container(compose("train", [f"system={name}"]), resolve=True)
    return {key: value for key, value in content["system"].items() if key != "_target_"}


def first_gaps(examples: Sequence[Example], gaps: int) -> list[Example]:
    """Lines from the beginning that have so many gaps together, or all."""
    kept = []
    for example in examples:
        if gaps <= 0:
            break
        kept.append(example)
        gaps -= len(example.gaps)
    return kept


def read(task: Task, paths: Sequence[str], gaps: int) -> list[Example]:
    """The examples to measure with."""
    if not paths:
        return first_gaps(demo_examples(task, "train", min(_DEMO_DOCUMENTS, gaps)), gaps)
    return first_gaps([one for path in paths for one in read_layered(path, task)], gaps)


def measure(name: str, task_name: str, paths: Sequence[str], gaps: int) -> str:
    """One line on one system."""
    task = load_task(task_name)
    examples = read(task, paths, gaps)
    found = sum(len(example.gaps) for example in examples)
    system = FeatureSystem(**settings_of(name))
    start, wall = processor_seconds(), time.perf_counter()
    system.fit(task, examples, first_gaps(examples, _DEV_GAPS))
    fitted, fit_wall = processor_seconds() - start, time.perf_counter() - wall
    start, wall = processor_seconds(), time.perf_counter()
    system.predict(examples)
    predicted, predict_wall = processor_seconds() - start, time.perf_counter() - wall
    processes = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    own, other = (resource.getrusage(one).ru_maxrss / 1024 for one in processes)
    return (
        f"{name:16} {found:,} gaps, {len(system.vocabulary):,} features: fit {fitted:.1f} s "
        f"(wall {fit_wall:.1f} s), predict {found / predicted:,.0f} gaps/s "
        f"(wall {found / predict_wall:,.0f}), {own:.0f} MB, at most {other:.0f} MB of the other"
    )


def processor_seconds() -> float:
    """Of this process and of those that it has waited for."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="en-fr")
    parser.add_argument("--data", nargs="*", default=[], type=Path)
    parser.add_argument("--gaps", type=int, default=100_000)
    parser.add_argument("--system", nargs="*", default=SYSTEMS)
    options = parser.parse_args()
    paths = [str(path) for path in options.data]
    for name in options.system:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            print(
                pool.submit(measure, name, options.task, paths, options.gaps).result(), flush=True
            )


if __name__ == "__main__":
    main()
