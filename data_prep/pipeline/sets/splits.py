"""Training, development and test data of a run: generated, or read from a folder of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from crosspro.data_prep.annotate.layers import (
    BLIND,
    COMPRESSED,
    data_stem,
    layers_beside,
    read_layered,
)
from crosspro.data_prep.core.collector import collector_off
from crosspro.data_prep.core.errors import InputError, Problem, empty_file
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.settings import Count, Folder, NameInFolder, Seed, Share
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.target_form import other_form
from crosspro.data_prep.pipeline.sets.contents import Contents, file_contents
from crosspro.data_prep.pipeline.sets.part import part_of


@dataclass(frozen=True)
class Splits:
    """Examples to fit on, to choose settings on, and to report on (by name).

    `files` says what they were read from, where they come from files. `in_domain` are those of
    train with which a training goes on at its end, if there are any.
    """

    train: Sequence[Example]
    dev: Sequence[Example]
    test: Mapping[str, Sequence[Example]]
    files: Sequence[Contents] = ()
    in_domain: Sequence[Example] = ()


class DocumentNumbers(TypedDict):
    """How many documents each split has."""

    train: Count
    dev: Count
    test: Count


def demo_splits(task: Task, documents: DocumentNumbers, seed: Seed) -> Splits:
    """The generated corpus with this many documents in train, dev and test."""
    train = demo_examples(task, "train", documents["train"], seed)
    dev = demo_examples(task, "dev", documents["dev"], seed)
    return Splits(train, dev, {"test": demo_examples(task, "test", documents["test"], seed)})


def file_splits(
    task: Task,
    dir: Folder,
    train: NameInFolder,
    dev: NameInFolder,
    test: NameInFolder | None = None,
    *,
    lenient: bool = False,
    in_domain: NameInFolder | None = None,
    share: Share = 1.0,
) -> Splits:
    """Five-column files of a folder, chosen by patterns such as `train*.data`.

    Several training or development files are joined; each test file is reported by itself, and
    there may be none. A blind file (X.blind.data, as `crosspro prepare --blind` writes it) is for
    tests alone, unless a pattern names it. The layers of each file are read too
    (`data_prep.annotate.layers`). Training files that `in_domain` matches, too, are those with
    which a training goes on at its end. A `share` below 1 takes so much of the training files, by
    documents. All files are checked, and all problems reported, before anything is returned.
    """
    folder = Path(dir)
    problems: list[Problem] = []
    paths: dict[str, list[Path]] = {}
    patterns = {"train": train, "dev": dev, **({} if test is None else {"test": test})}
    for split, pattern in patterns.items():
        paths[split] = _matching(folder, pattern)
        if split != "test" and "blind" not in pattern:
            paths[split] = [path for path in paths[split] if not data_stem(path).endswith(BLIND)]
        stems = [data_stem(path) for path in paths[split]]
        for stem in sorted({stem for stem in stems if stems.count(stem) > 1}):
            copies = ", ".join(path.name for path in paths[split] if data_stem(path) == stem)
            problems.append(Problem(str(folder), None, split, "one file of a name", copies))
        if not paths[split]:
            present = ", ".join(sorted(path.name for path in folder.glob("*"))[:20]) or "no file"
            labelled = "" if split == "test" else ", not blind"
            expected = f"files named {pattern} (or .gz, .xz{labelled})"
            problems.append(Problem(str(folder), None, split, expected, present))
    inner = [] if in_domain is None else _matching(folder, in_domain)
    inner = [path for path in inner if path in paths["train"]]
    if in_domain is not None and not inner:
        expected = f"training files named {in_domain} (or .gz, .xz)"
        present = ", ".join(path.name for path in paths["train"][:20]) or "no file"
        problems.append(Problem(str(folder), None, "in_domain", expected, present))
    examples: dict[Path, list[Example]] = {}
    with collector_off():
        for path in [path for split in paths.values() for path in split]:
            try:
                examples[path] = list(read_layered(path, task, lenient=lenient))
                form = None if lenient else other_form(path, task)
                problems += [] if form is None else [form]
                problems += [] if examples[path] else [empty_file(path)]
            except InputError as error:
                problems += error.problems
    for split in ("train", "dev"):
        for path in paths[split]:
            if _all_blind(examples.get(path, [])):
                expected, found = "a label for each gap", "none: this is a blind file"
                problems.append(Problem(str(path), None, split, expected, found))
    if problems:
        raise InputError(problems)
    part = {path: part_of(examples[path], share) for path in paths["train"]}
    return Splits(
        [example for path in paths["train"] for example in part[path]],
        [example for path in paths["dev"] for example in examples[path]],
        {data_stem(path): examples[path] for path in paths.get("test", [])},
        [
            file_contents(split, path, examples[path], list(layers_beside(path).files().values()))
            for split in paths
            for path in paths[split]
        ],
        [example for path in inner for example in part[path]],
    )


def _matching(folder: Path, pattern: str) -> list[Path]:
    """Files by a pattern, with or without the suffix of a compressed file."""
    found = {path for suffix in COMPRESSED for path in folder.glob(pattern + suffix)}
    return sorted(path for path in found if path.is_file())


def _all_blind(examples: Sequence[Example]) -> bool:
    gaps = [gap for example in examples for gap in example.gaps]
    return bool(gaps) and all(gap.label is None for gap in gaps)
