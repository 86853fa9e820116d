"""A training of a shared task: its data, official or prepared, its settings and its folder."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from crosspro.conf import CONF_DIR
from crosspro.data_prep.annotate.layers import (
    COMPRESSED,
    data_stem,
    layers_beside,
    read_layered,
)
from crosspro.data_prep.core.errors import InputError, Problem, input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import make_folder, sha256_of
from crosspro.data_prep.core.task import Task, load_task
from crosspro.prediction.model_archive import RECORD
from crosspro.prediction.runs import read_run
from crosspro.scripts.common import tell
from crosspro.scripts.reproduce.results import GoldLabels, GoldSet
from crosspro.scripts.reproduce.running import PROGRAM, logged
from crosspro.scripts.reproduce.submissions import TASKS, Submission

_TRAINING = {"train.Europarl": "Europarl", "train.NCv9": "NCv9", "train.ted_IWSLT15": "IWSLT15"}
"""TED talks are `train.ted*`, as the experiments of teams name them that used nothing else."""
OFFICIAL = {
    2016: {**_TRAINING, "dev.TEDdev": "TEDdev", "test.WMT2016": "WMT2016"},
    # dev was TEDdev2 for es-en, and the test set of 2016 for other pairs (004 §4)
    2017: {
        **_TRAINING,
        "dev.WMT2016": "WMT2016",
        "dev.TEDdev2": "TEDdev2",
        "test.DiscoMT2017": "DiscoMT2017",
    },
}
"""Our names of the official corpora of a year."""
SPLITS = ("train", "dev", "test")


# Data ---------------------------------------------------------------------------------------------


def official_sets(data: Path, year: int | None, pair: str) -> dict[str, Path]:
    """The official files of a year and pair by our names, such as train.Europarl.data.gz."""
    files = [path for folder in OFFICIAL for path in sorted((data / str(folder)).rglob("*.*"))]
    reverse = "-".join(reversed(pair.split("-")))
    sets: dict[str, Path] = {}

    def preference(path: Path) -> tuple[bool, ...]:
        """Final versions go before others, then files of the year, then those of the pair."""
        return ".final" in path.name, str(year) in path.parts, f".{pair}." in path.name

    for title, corpus in OFFICIAL.get(year or 0, {}).items():
        forms = {
            "data": rf"{corpus}\.{pair}(\.test)?\.data(\.filtered)?(\.final)?(\.gz|\.xz)?",
            "doc-ids": rf"{corpus}\.({pair}|{reverse})(\.test)?\.doc-ids(\.gz|\.xz)?",
        }
        for suffix, pattern in forms.items():
            matching = [path for path in files if re.fullmatch(pattern, path.name)]
            if matching:
                best = max(matching, key=preference)
                packed = best.suffix if best.suffix in COMPRESSED else ""
                sets[f"{title}.{suffix}{packed}"] = best
    return sets


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
def gold_set(path: Path, task: str) -> GoldSet:
    """Gold labels of a test file, and the sizes of its documents."""
    rules = load_task(task)
    examples = list(read_layered(path, rules, lenient=True))
    documents = tuple(
        sum(len(example.gaps) for example in lines)
        for document, lines in groupby(examples, key=lambda example: example.document)
        if document is not None
    )
    packed = GoldLabels(rules.classes).packed(labels_of(examples))
    return GoldSet(packed, tuple(size for size in documents if size))


def labels_of(examples: Iterable[Example]) -> list[str]:
    """The labels of all gaps; empty for none."""
    return [gap.label or "" for example in examples for gap in example.gaps]


@cache
def _text_digest(folder: Path, pattern: str) -> str:
    paths = [
        path
        for data in data_files(folder, pattern)
        for path in (data, *layers_beside(data).files().values())
    ]
    return hashlib.sha256(" ".join(map(sha256_of, paths)).encode()).hexdigest()


# Trainings ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Training:
    """A training with one seed, on the data of a folder, in a folder of its own, for its rows.

    `patterns` are those of the files of train, dev and test.
    """

    rows: tuple[Submission, ...]
    seed: int
    settings: tuple[str, ...]
    data: Path
    folder: Path
    patterns: Mapping[str, str]
    is_network: bool
    reads_parse: bool

    @property
    def task(self) -> Task:
        return load_task(self.rows[0].task)

    @property
    def experiment(self) -> str:
        return self.rows[0].experiment

    @property
    def is_ours(self) -> bool:
        return self.rows[0].year is None

    @property
    def tests(self) -> dict[str, Path]:
        """Test files by the names of their sets."""
        files = data_files(self.data, self.patterns["test"])
        return {data_stem(path).removeprefix("test."): path for path in files}

    @property
    def text_digest(self) -> str:
        """The digest of training files and their layers, by which a row knows its data."""
        return _text_digest(self.data, self.patterns["train"])

    @property
    def arguments(self) -> list[str]:
        """The arguments of `crosspro train`."""
        folders = (f"data.dir={self.data}", f"hydra.run.dir={self.folder}")
        return [*self.settings, f"seed={self.seed}", *folders]

    @property
    def is_complete(self) -> bool:
        return (self.folder / RECORD).is_file() and read_run(self.folder).status == "complete"

    def train(self) -> bool:
        """Train in another process, unless that was done before; whether it went well."""
        if self.is_complete:
            return True
        environment = {"OMP_NUM_THREADS": "1", **os.environ}
        if not self.is_network:
            environment["CUDA_VISIBLE_DEVICES"] = ""
        return logged([*PROGRAM, "train", *self.arguments], self.folder / "log", environment)


def _first_training(row: Submission, data: Path, folder: Path, settings: Sequence[str]) -> Training:
    """The training of a row with seed 1; raises what is wrong with its settings or its data."""
    from hydra import compose, initialize_config_dir
    from hydra.errors import HydraException

    from crosspro.prediction.configuration import training_setup

    try:
        with initialize_config_dir(str(CONF_DIR), version_base="1.3"):
            config = compose("train", [*settings, f"data.dir={data}"])
    except HydraException as error:
        fault = str(error).partition("\n")[0]
        raise input_error("settings", row.experiment, "settings of conf/", fault) from error
    setup = training_setup(config, {"task": row.task})
    patterns = {split: str(setup.values["data"][split]) for split in SPLITS}
    if missing := [split for split in SPLITS if not data_files(data, patterns[split])]:
        raise InputError(
            Problem(str(data), None, split, f"a file {patterns[split]}", "none")
            for split in missing
        )
    system = setup.system
    is_network = _has_trainer(setup.values["system"])
    reads_parse = system.reads_source_parse or "source_parse" in system.layers_read
    return Training((row,), 1, tuple(settings), data, folder, patterns, is_network, reads_parse)


def _has_trainer(system: Mapping[str, Any]) -> bool:
    return "trainer" in system or any(map(_has_trainer, system.get("members", {}).values()))


def planned_trainings(
    rows: Sequence[Submission],
    data: Path,
    work: Path,
    seeds: int = 1,
    settings: Sequence[str] = (),
) -> list[Training]:
    """All trainings of these rows, seed 1 of every row first, then those of primary submissions.

    Rows that are one experiment on the same data share one. Rows that lack data are left out; if
    all do, this is an error.
    """
    problems: list[Problem] = []
    first: dict[Path, Training] = {}
    for row in rows:
        try:
            row_data = data_folder(row, data, work)
            official = row_data.is_relative_to(work)
            group = f"{row.year}/{row.pair}" if official else row.task
            folder = work / group / row.experiment / "seed1"
            if folder in first:
                training = first[folder]
                first[folder] = replace(training, rows=(*training.rows, row))
                continue
            lenient = f"data.lenient={str(official).lower()}"  # as the official scorer
            usual = (f"task={row.task}", "data=shared_task", lenient, "resamples=0")
            chosen = (*row.settings, *usual, *settings_of(row.experiment, settings))
            first[folder] = _first_training(row, row_data, folder, chosen)
        except InputError as error:
            problems += error.problems
    if not first:
        raise InputError(dict.fromkeys(problems))
    for problem in dict.fromkeys(problems):
        tell(f"left out: {problem}")
    by_seed = [
        replace(training, seed=seed, folder=training.folder.with_name(f"seed{seed}"))
        for seed in range(1, seeds + 1)
        for training in first.values()
        if seed == 1 or training.is_network
    ]
    return sorted(by_seed, key=lambda each: (each.seed > 1, _importance(each), each.seed))


def settings_of(experiment: str, settings: Iterable[str]) -> Iterator[str]:
    """The settings for an experiment: NAME=VALUE, or PATTERN:NAME=VALUE for those it matches."""
    for text in settings:
        pattern, colon, setting = text.partition(":")
        if not colon or "=" in pattern:
            yield text
        elif fnmatch(experiment, pattern):
            yield setting


def _importance(training: Training) -> tuple[bool, int]:
    """Primary submissions and baselines go first, then by task."""
    kinds = {row.kind for row in training.rows}
    return not kinds & {"primary", "baseline"}, TASKS.index(training.rows[0].task)
