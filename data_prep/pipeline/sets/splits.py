"""Training, development and test data of a run: generated, or read from a folder of files.

`Contents` says what a run was made from, in numbers and digests. `leaks` finds tests in the text
that a system learns from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, DirectoryPath, Field, validate_call

from crosspro.data_prep.annotate.layers import (
    BLIND,
    COMPRESSED,
    data_stem,
    layers_beside,
    read_layered,
)
from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import sha256_of
from crosspro.data_prep.core.settings import Seed
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import format_example, other_form
from crosspro.data_prep.pipeline.sets.overlap import TextIndex, digest, overlap


@dataclass(frozen=True)
class Contents:
    """A file of a split (train, dev, test), or a set of examples that comes from no file.

    `digest` is the SHA-256 of the file as it lies there (`sha256sum FILE`), else of the examples;
    `beside` has the digests of the files that were read with it, by their names.
    """

    split: str
    name: str
    lines: int
    gaps: int
    digest: str
    beside: Mapping[str, str] = field(default_factory=dict)


def file_contents(
    split: str, path: Path, examples: Sequence[Example], beside: Iterable[Path] = ()
) -> Contents:
    """The contents of a file that these examples were read from."""
    others = {other.name: sha256_of(other) for other in beside}
    return Contents(split, path.name, len(examples), _gaps(examples), sha256_of(path), others)


def example_contents(split: str, name: str, examples: Sequence[Example]) -> Contents:
    """The contents of a set of examples: its lines, as they would be written, and its documents."""
    sha256 = hashlib.sha256()
    for example in examples:
        sha256.update(f"{example.document or ''}\t{format_example(example)}\n".encode())
    return Contents(split, name, len(examples), _gaps(examples), sha256.hexdigest())


def _gaps(examples: Sequence[Example]) -> int:
    return sum(len(example.gaps) for example in examples)


@dataclass(frozen=True)
class Splits:
    """Examples to fit on, to choose settings on, and to report on (by name).

    `files` are the files that they were read from, if any. `in_domain` are those of train with
    which a training goes on at its end, if there are any.
    """

    train: Sequence[Example]
    dev: Sequence[Example]
    test: Mapping[str, Sequence[Example]]
    files: Sequence[Contents] = ()
    in_domain: Sequence[Example] = ()


def _inside(value: str) -> str:
    if value and not Path(value).is_absolute():
        return value
    raise ValueError("should be a file name or pattern inside data.dir")


Count = Annotated[int, Field(ge=1)]
Folder = Annotated[DirectoryPath, Field(strict=False)]
Pattern = Annotated[str, AfterValidator(_inside)]
_from_settings = validate_call(config=ConfigDict(strict=True))


@_from_settings
def demo_splits(
    task: Task, documents: dict[Literal["train", "dev", "test"], Count], seed: Seed
) -> Splits:
    """The generated corpus with this many documents in train, dev and test, with its layers."""
    train, dev, test = (
        demo_examples(task, split, documents[split], seed, layers=True)
        for split in ("train", "dev", "test")
    )
    return Splits(train, dev, {"test": test})


@_from_settings
def file_splits(
    task: Task,
    dir: Folder,
    train: Pattern,
    dev: Pattern,
    test: Pattern | None = None,
    *,
    lenient: bool = False,
    in_domain: Pattern | None = None,
) -> Splits:
    """Five-column files of a folder, chosen by patterns such as `train*.data`, with their layers.

    Several training or development files are joined; each test file is reported by itself, and
    there may be none. A blind file (X.blind.data) is for tests alone, unless a pattern names it.
    Training files that `in_domain` matches, too, are those with which a training goes on at its
    end. All problems of all files are reported together.
    """
    patterns = {"train": train, "dev": dev, **({} if test is None else {"test": test})}
    paths = {split: _matching(dir, patterns[split], split == "test") for split in patterns}
    inner = [] if in_domain is None else _matching(dir, in_domain, blind=True)
    inner = [path for path in inner if path in paths["train"]]
    problems = [
        problem
        for split, pattern in patterns.items()
        for problem in _name_problems(dir, split, pattern, paths[split])
    ]
    if in_domain is not None and not inner:
        problems.append(_absent(dir, "in_domain", in_domain, paths["train"]))
    examples: dict[Path, list[Example]] = {}
    files = [(split, path) for split in paths for path in paths[split]]
    for split, path in files:
        try:
            lines = examples[path] = list(read_layered(path, task, lenient=lenient))
            if not lenient and (form := other_form(path, task)):
                problems.append(form)
            if not lines:
                problems.append(Problem(str(path), None, "file", "at least one line", "none"))
            if split != "test" and {gap.label for line in lines for gap in line.gaps} == {None}:
                expected = "a label for each gap"
                problems.append(Problem(str(path), None, split, expected, "a blind file"))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)

    def joined(files: Iterable[Path]) -> list[Example]:
        return [example for path in files for example in examples[path]]

    contents = [
        file_contents(split, path, examples[path], layers_beside(path).files().values())
        for split, path in files
    ]
    tests = {data_stem(path): examples[path] for path in paths.get("test", [])}
    return Splits(joined(paths["train"]), joined(paths["dev"]), tests, contents, joined(inner))


def _matching(folder: Path, pattern: str, blind: bool) -> list[Path]:
    """Files by a pattern, with or without the suffix of a compressed file."""
    paths = {path for suffix in COMPRESSED for path in folder.glob(pattern + suffix)}
    blind = blind or "blind" in pattern
    return sorted(
        path for path in paths if path.is_file() and (blind or not data_stem(path).endswith(BLIND))
    )


def _name_problems(
    folder: Path, split: str, pattern: str, paths: Sequence[Path]
) -> Iterator[Problem]:
    for _, same in groupby(paths, key=data_stem):
        if len(names := [path.name for path in same]) > 1:
            yield Problem(str(folder), None, split, "one file of a name", ", ".join(names))
    if not paths:
        yield _absent(folder, split, pattern, sorted(folder.glob("*")))


def _absent(folder: Path, field: str, pattern: str, present: Sequence[Path]) -> Problem:
    names = ", ".join(path.name for path in present[:20]) or "no file"
    return Problem(str(folder), None, field, f"files named {pattern} (or .gz, .xz)", names)


def leaks(splits: Splits) -> list[str]:
    """A warning for each set with documents whose text stands in train, or in dev.

    Of train, which may be large, only what is in dev and in tests too is kept.
    """
    unseen = {"dev": splits.dev, **splits.test}
    lines = {digest(example.source) for examples in unseen.values() for example in examples}
    train = TextIndex(lines.intersection(digest(example.source) for example in splits.train))
    dev = TextIndex()
    dev.add(splits.dev)
    pairs = [(name, "train", train) for name in unseen]
    pairs += [(name, "dev", dev) for name in splits.test]
    warnings = []
    for name, other, index in pairs:
        shared = overlap(unseen[name], index)
        if shared.same_text:
            number, total = shared.shared_segments, shared.segments
            warnings.append(
                f"{name}: {number:,} of its {total:,} lines ({100 * number / total:.0f}%) stand in "
                f"{other} too, so its scores say nothing of unseen text (crosspro check shows "
                "where)"
            )
    return warnings
