"""Training, development and test data of a run: generated, or read from a folder of files.

`Contents` says what a run was made from, in numbers and digests. `part_of` takes a share of a
training set by documents, for learning curves. `leaks` finds tests among what a system learns from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import groupby
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
from crosspro.data_prep.core.errors import InputError, Problem, empty_file
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import sha256_of
from crosspro.data_prep.core.settings import Seed, Share
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import format_example, other_form
from crosspro.data_prep.pipeline.sets.overlap import TextIndex, overlap, segment_digest


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
    """What a file holds that these examples were read from."""
    others = {other.name: sha256_of(other) for other in beside}
    return Contents(split, path.name, len(examples), _gaps(examples), sha256_of(path), others)


def example_contents(split: str, name: str, examples: Sequence[Example]) -> Contents:
    """What a set of examples holds: its lines, as they would be written, and its documents."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(f"{example.document or ''}\t{format_example(example)}\n".encode())
    return Contents(split, name, len(examples), _gaps(examples), digest.hexdigest())


def _gaps(examples: Sequence[Example]) -> int:
    return sum(len(example.gaps) for example in examples)


_LONGEST = 200
"""Longer documents, and lines without one, are taken in pieces of so many lines."""


def part_of(examples: Sequence[Example], share: float) -> list[Example]:
    """About this share of the examples, from 0 to 1, in their order.

    Which documents are in it depends on their names alone: a larger share has those of a smaller
    one, and the same share of two systems is the same text.
    """
    if share >= 1:
        return list(examples)
    pieces = (piece for piece in _pieces(examples) if _place(*piece) < share)
    return [example for _, _, lines in pieces for example in lines]


def _pieces(examples: Sequence[Example]) -> Iterator[tuple[str, int, list[Example]]]:
    """The name of each document, the number of a piece of it, and its lines.

    A piece of a longer document is a document of its own: what stood before it may be left out.
    """
    for document, lines in groupby(examples, key=lambda example: example.document):
        whole = list(lines)
        for number, start in enumerate(range(0, len(whole), _LONGEST)):
            piece = whole[start : start + _LONGEST]
            if document is not None and len(whole) > _LONGEST:
                piece = [replace(line, document=f"{document}#{number}") for line in piece]
            yield document or "", number, piece


def _place(document: str, number: int, lines: Sequence[Example]) -> float:
    """A number from 0 to 1 that a piece always has."""
    name = f"{document}\n{number}\n{' '.join(lines[0].source)}".encode(
        "utf-8", errors="surrogatepass"
    )
    return int.from_bytes(blake2b(name, digest_size=6).digest(), "big") / 2**48


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
    """The generated corpus with this many documents in train, dev and test."""
    train = demo_examples(task, "train", documents["train"], seed)
    dev = demo_examples(task, "dev", documents["dev"], seed)
    return Splits(train, dev, {"test": demo_examples(task, "test", documents["test"], seed)})


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
                expected = "a label for each gap"
                problems.append(Problem(str(path), None, split, expected, "a blind file"))
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
    paths = {path for suffix in COMPRESSED for path in folder.glob(pattern + suffix)}
    return sorted(path for path in paths if path.is_file())


def _all_blind(examples: Sequence[Example]) -> bool:
    gaps = [gap for example in examples for gap in example.gaps]
    return bool(gaps) and all(gap.label is None for gap in gaps)


def leaks(splits: Splits) -> list[str]:
    """A warning for each set with documents whose text stands in train, or in dev.

    Only what is in dev and in tests too is kept of train, which may be large.
    """
    unseen = {"dev": splits.dev, **splits.test}
    index = TextIndex()
    for examples in unseen.values():
        index.add(examples)
    digests = (segment_digest(example) for example in splits.train)
    train = TextIndex({digest for digest in digests if digest in index.segments})
    dev = TextIndex()
    dev.add(splits.dev)
    warnings = [_leak(name, examples, "train", train) for name, examples in unseen.items()]
    warnings += [_leak(name, examples, "dev", dev) for name, examples in splits.test.items()]
    return [warning for warning in warnings if warning]


def _leak(name: str, examples: Sequence[Example], other: str, seen: TextIndex) -> str | None:
    shared = overlap(examples, seen)
    if not shared.rich_documents:
        return None
    share = 100 * shared.shared_segments / shared.segments
    return (
        f"{name}: {shared.shared_segments:,} of its {shared.segments:,} lines ({share:.0f}%) stand "
        f"in {other} too, so its scores say nothing of unseen text (`crosspro check --against` "
        "shows where)"
    )
