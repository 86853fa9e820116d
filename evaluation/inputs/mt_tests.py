"""An MT test: source, references, outputs of systems, documents; and tests that are folders.

Folders of mt-metrics-eval (README of google-research/mt-metrics-eval, "File organization") have
`sources/en-de.txt`, `references/en-de.refA.txt`, `system-outputs/en-de/SYSTEM.txt`, and
`documents/en-de.docs` with a domain and a document on each line; what raters and metrics say is in
`human-scores/en-de.mqm.seg.rating` and `metric-scores/en-de/METRIC-refA.seg.score`. The same in a
folder of one pair: `source.en`, `reference.de`, `outputs/SYSTEM.de`, `documents.tsv`, `mqm.tsv`,
`metrics.tsv`. Every file may be compressed.

What a test lacks (a system without some segment, a document without a reference where others have
one) is left out and told; what contradicts itself is a problem.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    choices,
    counted,
    input_error,
    quoted,
)
from crosspro.data_prep.core.files import make_folder, write_text
from crosspro.evaluation.inputs.plain_text import (
    check_lengths,
    domains_and_documents,
    language_of,
    lines_of,
    plain_name,
)

Pair = tuple[str, str]
SOURCES = "sources"
REFERENCE = re.compile(r"ref[A-Za-z]?")
"""How references are called that stand among outputs."""
SUFFIXES = (".xml", ".jsonl")
"""How the names of files end that have a whole test."""
NO_DOMAIN = "-"
BREAKS = str.maketrans("\r\n", "  ")
"""A text on one line is as long as it was."""


@dataclass(frozen=True)
class MTTest:
    """The texts of a test, segment by segment, by the names of references and systems.

    `documents` and `domains` have one entry a segment, or none at all; `left_out` says what was.
    """

    languages: tuple[str | None, str | None]
    source: tuple[str, ...]
    references: Mapping[str, tuple[str, ...]]
    outputs: Mapping[str, tuple[str, ...]]
    documents: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class MTTestFiles:
    """The files of a test that is a folder: marks and scores of metrics by their names."""

    languages: tuple[str | None, str | None]
    source: Path
    references: Mapping[str, Path]
    outputs: Mapping[str, Path]
    documents: Path | None = None
    ratings: Mapping[str, Path] = field(default_factory=dict)
    metrics: Mapping[str, Path] = field(default_factory=dict)


def check_is_test(path: Path) -> None:
    """Raise if a path is neither a folder nor a file that can have a test."""
    if path.is_dir() or (path.is_file() and plain_name(path).endswith(SUFFIXES)):
        return
    expected = f"a folder, or a file of WMT ({', '.join(SUFFIXES)})"
    raise input_error(path, "folder", expected, "a file" if path.exists() else "nothing")


def read_mt_test(path: Path, pair: Pair | None = None) -> MTTest:
    """A test of any form: a folder, XML or JSONL; raises `InputError` with all its faults.

    `pair` says which one is meant where a file or folder has several.
    """
    from crosspro.evaluation.inputs.wmt_jsonl import read_wmt_jsonl
    from crosspro.evaluation.inputs.wmt_xml import read_wmt_xml

    if path.is_dir():
        return read_test_folder(path, pair)
    return read_wmt_xml(path) if plain_name(path).endswith(".xml") else read_wmt_jsonl(path, pair)


def files_of_test(folder: Path, pair: Pair | None, problems: list[Problem]) -> MTTestFiles | None:
    """The files of a folder of either layout; None with a problem if there is no test in it."""
    if (folder / SOURCES).is_dir():
        return metrics_eval_files(folder, pair, problems)
    named = {plain_name(path): path for path in sorted(folder.glob("*")) if path.is_file()}
    sources = [path for name, path in named.items() if name.startswith("source.")]
    if len(sources) != 1:
        expected = f"one file such as source.en, or a folder {SOURCES}"
        shown = ", ".join(path.name for path in sources) or "none"
        problems.append(Problem(str(folder), None, "source", expected, shown))
        return None
    references = [path for name, path in named.items() if name.startswith("reference.")]
    outputs = named_files(folder / "outputs")
    target = next(filter(None, map(language_of, [*references, *outputs.values()])), None)
    return MTTestFiles(
        pair or (language_of(sources[0]), target),
        sources[0],
        {plain_name(path).split(".")[0]: path for path in references},
        outputs,
        named.get("documents.tsv"),
        {"mqm": named["mqm.tsv"]} if "mqm.tsv" in named else {},
        {"": named["metrics.tsv"]} if "metrics.tsv" in named else {},
    )


def metrics_eval_files(
    folder: Path, pair: Pair | None, problems: list[Problem]
) -> MTTestFiles | None:
    """The files of one pair in a folder of mt-metrics-eval."""
    sources = named_files(folder / SOURCES)
    wanted = "-".join(pair) if pair else next(iter(sources), "")
    if wanted not in sources or (pair is None and len(sources) > 1):
        if pair:
            expected = choices(sources) if sources else "a file such as en-de.txt"
            problems.append(Problem(str(folder / SOURCES), None, "pair", expected, wanted))
        else:
            expected = "one pair, or --pair that says which"
            shown = ", ".join(sources) or "none"
            problems.append(Problem(str(folder / SOURCES), None, "pair", expected, shown))
        return None
    own = f"{wanted}."
    references = named_files(folder / "references")
    documents = named_files(folder / "documents", (".docs",))
    ratings = named_files(folder / "human-scores", (".seg.rating",))
    source, _, target = wanted.partition("-")
    return MTTestFiles(
        (source, target),
        sources[wanted],
        {name.removeprefix(own): path for name, path in references.items() if name.startswith(own)},
        named_files(folder / "system-outputs" / wanted),
        documents.get(wanted),
        {name.removeprefix(own): path for name, path in ratings.items() if name.startswith(own)},
        named_files(folder / "metric-scores" / wanted, (".seg.score",)),
    )


def named_files(folder: Path, suffixes: Sequence[str] = ()) -> dict[str, Path]:
    """The files of a folder by their names without suffixes; texts end in .txt or a language."""
    found = {}
    for path in sorted(folder.glob("*")) if folder.is_dir() else ():
        name = plain_name(path)
        if not path.is_file() or name.startswith((".", "README")):
            continue
        if suffixes:
            ends = [one for one in suffixes if name.endswith(one)]
            if ends:
                found[name.removesuffix(ends[0])] = path
        else:
            stem, dot, last = name.rpartition(".")
            found[stem if dot and (last == "txt" or language_of(path)) else name] = path
    return found


def read_test_folder(folder: Path, pair: Pair | None = None) -> MTTest:
    """The test of a folder; raises `InputError` with all that is wrong with it."""
    problems: list[Problem] = []
    files = files_of_test(folder, pair, problems)
    if files is None:
        raise InputError(problems)
    paths = [files.source, *files.references.values(), *files.outputs.values()]
    read = [lines_of(path, problems) for path in paths]
    check_lengths(paths, read, problems)
    both: list[tuple[str, str]] = []
    if files.documents is not None:
        try:
            both = list(domains_and_documents(files.documents))
            check_lengths([files.source, files.documents], [read[0], both], problems)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    texts = [tuple(lines or ()) for lines in read]
    split = 1 + len(files.references)
    return MTTest(
        files.languages,
        texts[0],
        dict(zip(files.references, texts[1:split], strict=True)),
        dict(zip(files.outputs, texts[split:], strict=True)),
        tuple(document for _, document in both),
        tuple(domain for domain, _ in both),
    )


# Texts that come document by document


@dataclass
class DocumentTexts:
    """What was read of a document: its segments by id, those of references and systems beside."""

    name: str
    line: int
    domain: str = ""
    source: dict[str, str] = field(default_factory=dict)
    references: dict[str, dict[str, str]] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)


def assembled_test(
    path: Path, documents: Sequence[DocumentTexts], languages: tuple[str | None, str | None]
) -> MTTest:
    """The test of all documents, without what is not there for all of them."""
    if not any(document.source for document in documents):
        raise input_error(path, "source", "at least one segment", "none")
    left_out = []
    names = Counter(name for document in documents for name in document.references)
    reference = max(names, key=lambda name: names[name]) if names else None
    kept = [one for one in documents if reference is None or reference in one.references]
    if len(kept) < len(documents):
        without = counted(len(documents) - len(kept), "document")
        left_out.append(f"{without} without the reference {reference}")
    both = []
    for kind in ("references", "outputs"):
        found: dict[str, tuple[str, ...]] = {}
        for name in dict.fromkeys(name for one in kept for name in getattr(one, kind)):
            lines = [
                getattr(document, kind).get(name, {}).get(segment)
                for document in kept
                for segment in document.source
            ]
            missing = sum(line is None for line in lines)
            if missing:
                left_out.append(f"{name}, which lacks {counted(missing, 'segment')}")
            else:
                found[name] = tuple(line or "" for line in lines)
        both.append(found)
    return MTTest(
        languages,
        tuple(line for document in kept for line in document.source.values()),
        both[0],
        both[1],
        tuple(document.name for document in kept for _ in document.source),
        tuple(document.domain for document in kept for _ in document.source),
        tuple(left_out),
    )


# As plain files


def write_mt_test(test: MTTest, folder: Path, called: Path) -> None:
    """Write a test as a folder of plain text; `called` is named where something is wrong."""
    problems = [
        Problem(str(called), None, "system", "a name that a file can have", quoted(name))
        for name in test.outputs
        if "/" in name or "\0" in name or name.startswith((".", "README")) or not name.strip()
    ]
    if problems:
        raise InputError(problems)
    make_folder(folder / "outputs")
    files = {"source.txt": test.source}
    if test.references:
        files["reference.txt"] = next(iter(test.references.values()))
    files |= {f"outputs/{name}.txt": text for name, text in test.outputs.items()}
    if test.documents:
        both = zip(test.domains, test.documents, strict=True)
        files["documents.tsv"] = tuple(
            f"{domain.strip() or NO_DOMAIN}\t{name.translate(BREAKS)}" for domain, name in both
        )
    for name, lines in files.items():
        write_text(folder / name, "".join(f"{line}\n" for line in lines))
