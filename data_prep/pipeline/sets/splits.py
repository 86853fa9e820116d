"""Training, development and test data of a run: generated, or read from a folder of files.

`Contents` says what a run was made from, in numbers and digests. `leaks` finds tests in the text
that a system learns from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, validate_call
from typing_extensions import TypedDict

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


def _folder(value: str | Path) -> str | Path:
    if Path(value).is_dir():
        return value
    raise ValueError(f"should be a folder: {value}")


def _inside(value: str) -> str:
    if value and not Path(value).is_absolute():
        return value
    raise ValueError("should be a file name or pattern inside data.dir")


Count = Annotated[int, Field(ge=1)]
Folder = Annotated[str | Path, AfterValidator(_folder)]
NameInFolder = Annotated[str, AfterValidator(_inside)]
_from_settings = validate_call(config=ConfigDict(strict=True))


class DocumentNumbers(TypedDict):
    """How many documents each split has."""

    train: Count
    dev: Count
    test: Count


@_from_settings
def demo_splits(task: Task, documents: DocumentNumbers, seed: Seed) -> Splits:
    """The generated corpus with this many documents in train, dev and test, with its layers."""
    train = demo_examples(task, "train", documents["train"], seed, layers=True)
    dev = demo_examples(task, "dev", documents["dev"], seed, layers=True)
    test = demo_examples(task, "test", documents["test"], seed, layers=True)
    return Splits(train, dev, {"test": test})


@_from_settings
def file_splits(
    task: Task,
    dir: Folder,
    train: NameInFolder,
    dev: NameInFolder,
    test: NameInFolder | None = None,
    *,
    lenient: bool = False,
    in_domain: NameInFolder | None = None,
) -> Splits:
    """Five-column files of a folder, chosen by patterns such as `train*.data`, with their layers.

    Several training or development files are joined; each test file is reported by itself, and
    there may be none. A blind file (X.blind.data) is for tests alone, unless a pattern names it.
    Training files that `in_domain` matches, too, are those with which a training goes on at its
    end. All problems of all files are reported together.
    """
    folder = Path(dir)
    problems: list[Problem] = []
    paths: dict[str, list[Path]] = {}
    patterns = {"train": train, "dev": dev, **({} if test is None else {"test": test})}
    for split, pattern in patterns.items():
        paths[split] = _matching(folder, pattern, split == "test" or "blind" in pattern)
        problems += _name_problems(folder, split, pattern, paths[split])
    inner = [] if in_domain is None else _matching(folder, in_domain, blind=True)
    inner = [path for path in inner if path in paths["train"]]
    if in_domain is not None and not inner:
        expected = f"training files named {in_domain} (or .gz, .xz)"
        problems.append(_absent(folder, "in_domain", expected, paths["train"]))
    examples: dict[Path, list[Example]] = {}
    for path in [path for some in paths.values() for path in some]:
        try:
            examples[path] = list(read_layered(path, task, lenient=lenient))
            form = None if lenient else other_form(path, task)
            problems += [] if form is None else [form]
            if not examples[path]:
                problems.append(Problem(str(path), None, "file", "at least one line", "none"))
        except InputError as error:
            problems += error.problems
    for split in ("train", "dev"):
        for path in paths[split]:
            if _all_blind(examples.get(path, [])):
                expected = "a label for each gap"
                problems.append(Problem(str(path), None, split, expected, "a blind file"))
    if problems:
        raise InputError(problems)

    def joined(some: Iterable[Path]) -> list[Example]:
        return [example for path in some for example in examples[path]]

    contents = [
        file_contents(split, path, examples[path], list(layers_beside(path).files().values()))
        for split in paths
        for path in paths[split]
    ]
    tests = {data_stem(path): examples[path] for path in paths.get("test", [])}
    return Splits(joined(paths["train"]), joined(paths["dev"]), tests, contents, joined(inner))


def _matching(folder: Path, pattern: str, blind: bool) -> list[Path]:
    """Files by a pattern, with or without the suffix of a compressed file."""
    paths = {path for suffix in COMPRESSED for path in folder.glob(pattern + suffix)}
    files = sorted(path for path in paths if path.is_file())
    return [path for path in files if blind or not data_stem(path).endswith(BLIND)]


def _name_problems(
    folder: Path, split: str, pattern: str, paths: Sequence[Path]
) -> Iterator[Problem]:
    stems = [data_stem(path) for path in paths]
    for stem in sorted({stem for stem in stems if stems.count(stem) > 1}):
        copies = ", ".join(path.name for path in paths if data_stem(path) == stem)
        yield Problem(str(folder), None, split, "one file of a name", copies)
    if not paths:
        labelled = "" if split == "test" else ", not blind"
        expected = f"files named {pattern} (or .gz, .xz{labelled})"
        yield _absent(folder, split, expected, sorted(folder.glob("*")))


def _absent(folder: Path, field: str, expected: str, present: Sequence[Path]) -> Problem:
    names = ", ".join(path.name for path in present[:20]) or "no file"
    return Problem(str(folder), None, field, expected, names)


def _all_blind(examples: Sequence[Example]) -> bool:
    gaps = [gap for example in examples for gap in example.gaps]
    return bool(gaps) and all(gap.label is None for gap in gaps)


def leaks(splits: Splits) -> list[str]:
    """A warning for each set with documents whose text stands in train, or in dev.

    Of train, which may be large, only what is in dev and in tests too is kept.
    """
    unseen = {"dev": splits.dev, **splits.test}
    index = TextIndex()
    for examples in unseen.values():
        index.add(examples)
    digests = (digest(example.source) for example in splits.train)
    train = TextIndex({line for line in digests if line in index.segments})
    dev = TextIndex()
    dev.add(splits.dev)
    warnings = [_leak(name, examples, "train", train) for name, examples in unseen.items()]
    warnings += [_leak(name, examples, "dev", dev) for name, examples in splits.test.items()]
    return [warning for warning in warnings if warning]


def _leak(name: str, examples: Sequence[Example], other: str, seen: TextIndex) -> str | None:
    shared = overlap(examples, seen)
    if not shared.same_text:
        return None
    share = 100 * shared.shared_segments / shared.segments
    return (
        f"{name}: {shared.shared_segments:,} of its {shared.segments:,} lines ({share:.0f}%) stand "
        f"in {other} too, so its scores say nothing of unseen text (crosspro check shows where)"
    )
