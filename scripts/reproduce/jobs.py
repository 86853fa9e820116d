"""A training of a shared task: its data, official or prepared, its settings and its folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from pathlib import Path

from crosspro.data_prep.annotate.layers import (
    COMPRESSED,
    data_stem,
    layers_beside,
    read_layered,
)
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import make_folder, sha256_of
from crosspro.data_prep.core.task import Task, load_task
from crosspro.prediction.model_archive import RECORD
from crosspro.prediction.runs import read_run
from crosspro.scripts.reproduce.results import GoldLabels, GoldSet, joined_digest
from crosspro.scripts.reproduce.running import PROGRAM, logged
from crosspro.scripts.reproduce.submissions import Submission

TRAINING_SETS = ("Europarl", "NCv9", "IWSLT15")
TESTS = {2016: "WMT2016", 2017: "DiscoMT2017"}
DEVELOPMENT = {2016: ("TEDdev",), 2017: ("WMT2016", "TEDdev2")}
"""In 2017 dev was TEDdev2 for es-en, and the test set of 2016 for other pairs (004 §4)."""
STAGED = {"IWSLT15": "ted_IWSLT15"}
"""TED talks are `train.ted*`, as the experiments of teams name them that used nothing else."""
SPLITS = ("train", "dev", "test")


# Data ---------------------------------------------------------------------------------------------


def official_sets(data: Path, year: int | None, pair: str) -> dict[str, Path]:
    """The official files of a year and pair by usual names, such as train.Europarl.data.gz."""
    if year not in TESTS:
        return {}
    corpora = {f"train.{STAGED.get(name, name)}": name for name in TRAINING_SETS}
    corpora |= {f"dev.{name}": name for name in DEVELOPMENT[year]}
    corpora[f"test.{TESTS[year]}"] = TESTS[year]
    files = [path for folder in TESTS for path in sorted((data / str(folder)).rglob("*.*"))]
    reverse = "-".join(reversed(pair.split("-")))
    sets: dict[str, Path] = {}
    for title, corpus in corpora.items():
        forms = {
            "data": rf"{corpus}\.{pair}(\.test)?\.data(\.filtered)?(\.final)?(\.gz|\.xz)?",
            "doc-ids": rf"{corpus}\.({pair}|{reverse})(\.test)?\.doc-ids(\.gz|\.xz)?",
        }
        for suffix, pattern in forms.items():
            matching = [path for path in files if re.fullmatch(pattern, path.name)]
            if matching:
                best = max(matching, key=partial(_preference, str(year), pair))
                packed = best.suffix if best.suffix in COMPRESSED else ""
                sets[f"{title}.{suffix}{packed}"] = best
    return sets


def _preference(year: str, pair: str, path: Path) -> tuple[bool, ...]:
    """Final versions go before others, then files of the year, then those named by the pair."""
    return ".final" in path.name, year in path.parts, f".{pair}." in path.name


def data_folder(row: Submission, data: Path, work: Path) -> Path:
    """The folder of a row's data; official files are linked into one under their usual names."""
    official = official_sets(data, row.year, row.pair)
    present = {name.partition(".")[0] for name in official if ".data" in name}
    if present != set(SPLITS):
        folder = data / row.task
        if not folder.is_dir():
            actual = ", ".join(sorted(present)) or "none"
            expected = f"official files of {row.pair} for train, dev and test, or a folder {folder}"
            raise input_error(data / str(row.year), "files", expected, actual)
        return folder
    folder = work / "data" / str(row.year) / row.pair
    make_folder(folder)
    for name, path in official.items():
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(path.resolve())
    return folder


def data_files(folder: Path, pattern: str) -> list[Path]:
    """The files of a pattern such as test*.data, which may be compressed."""
    return sorted(path for end in COMPRESSED for path in folder.glob(pattern + end))


@cache
def training_digest(folder: Path, pattern: str) -> str:
    """The digest of training files and their layers, by which a row knows its data."""
    return joined_digest(
        (sha256_of(path), [sha256_of(layer) for layer in layers_beside(path).files().values()])
        for path in data_files(folder, pattern)
    )


@cache
def gold_set(path: Path, task: str) -> GoldSet:
    """Gold labels of a test file, and the sizes of its documents."""
    rules = load_task(task)
    examples = list(read_layered(path, rules, lenient=True))
    documents = tuple(
        sum(len(example.gaps) for example in lines)
        for document, lines in groupby(examples, key=lambda example: example.document)
        if document is not None
    )
    packed = GoldLabels(rules.classes).predictions(labels_of(examples)).labels
    return GoldSet(packed, tuple(size for size in documents if size))


def labels_of(examples: Iterable[Example]) -> list[str]:
    """The labels of all gaps; empty for none."""
    return [gap.label or "" for example in examples for gap in example.gaps]


# Trainings ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setup:
    """What the configuration of a training says of its system, and its data by patterns."""

    is_network: bool
    reads_parse: bool
    train: str
    dev: str
    test: str


@dataclass(frozen=True)
class Job:
    """A training with one seed, on the data of a folder, in a folder of its own, for its rows."""

    rows: tuple[Submission, ...]
    seed: int
    settings: tuple[str, ...]
    data: Path
    folder: Path
    setup: Setup

    @property
    def task(self) -> Task:
        return load_task(self.rows[0].task)

    @property
    def experiment(self) -> str:
        return self.rows[0].experiment

    @property
    def tests(self) -> dict[str, Path]:
        """Test files by the names of their sets."""
        files = data_files(self.data, self.setup.test)
        return {data_stem(path).removeprefix("test."): path for path in files}

    @property
    def gold(self) -> dict[str, GoldSet]:
        return {name: gold_set(path, self.task.name) for name, path in self.tests.items()}

    @property
    def arguments(self) -> list[str]:
        """The arguments of `crosspro train`."""
        folders = (f"data.dir={self.data}", f"hydra.run.dir={self.folder}")
        return [*self.settings, f"seed={self.seed}", *folders]

    @property
    def is_complete(self) -> bool:
        return (self.folder / RECORD).is_file() and read_run(self.folder).status == "complete"

    def train(self, threads: int) -> bool:
        """Train in another process, unless that was done before; whether it went well."""
        if self.is_complete:
            return True
        environment = {"OMP_NUM_THREADS": str(threads), **os.environ}
        if not self.setup.is_network:
            environment["CUDA_VISIBLE_DEVICES"] = ""
        return logged([*PROGRAM, "train", *self.arguments], self.folder / "log", environment)
