"""Training, development and test data of a run: generated, or read from a folder of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from data_prep.demo.corpus import demo_examples
from data_prep.errors import CrossproError, InputError, Problem
from data_prep.example import Example
from data_prep.shared_task import read_examples
from data_prep.task import Task


@dataclass(frozen=True)
class Splits:
    """Examples to fit on, to choose settings on, and to report on (by name)."""

    train: Sequence[Example]
    dev: Sequence[Example]
    test: Mapping[str, Sequence[Example]]


def demo_splits(task: Task, documents: Mapping[str, int], seed: int) -> Splits:
    """The generated corpus with this many documents in train, dev and test."""
    train, dev, test = (
        demo_examples(task, split, documents[split], seed) for split in ("train", "dev", "test")
    )
    return Splits(train, dev, {"test": test})


def file_splits(
    task: Task, folder: str | Path, train: str, dev: str, test: str, *, lenient: bool = False
) -> Splits:
    """Five-column files of a folder, chosen by patterns such as `train*.data`.

    Several training or development files are joined; each test file is reported by itself. The
    documents of X.data are read from X.doc-ids where there is one. All files are checked, and all
    problems reported, before anything is returned.
    """
    folder = Path(folder)
    problems: list[Problem] = []
    paths: dict[str, list[Path]] = {}
    for split, pattern in (("train", train), ("dev", dev), ("test", test)):
        paths[split] = sorted(path for path in folder.glob(pattern) if ".doc-ids" not in path.name)
        if not paths[split]:
            present = ", ".join(sorted(path.name for path in folder.glob("*"))[:20]) or "no file"
            problems.append(Problem(str(folder), None, split, f"files named {pattern}", present))
    examples: dict[Path, list[Example]] = {}
    for path in [path for split in paths.values() for path in split]:
        try:
            examples[path] = list(read_examples(path, task, doc_ids_of(path), lenient=lenient))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    test_names = {path: path.name.split(".data")[0] for path in paths["test"]}
    if len(set(test_names.values())) < len(test_names):
        raise CrossproError(
            f"{folder}: test: expected files of different names, "
            f"found {', '.join(path.name for path in test_names)}"
        )
    return Splits(
        [example for path in paths["train"] for example in examples[path]],
        [example for path in paths["dev"] for example in examples[path]],
        {name: examples[path] for path, name in test_names.items()},
    )


def doc_ids_of(path: Path) -> Path | None:
    """The document ids beside a data file: X.doc-ids for X.data, compressed or not."""
    stem = path.name.split(".data")[0]
    for suffix in ("", ".gz", ".xz"):
        candidate = path.with_name(f"{stem}.doc-ids{suffix}")
        if candidate.is_file():
            return candidate
    return None
