"""Check shared-task files, and count what they hold."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import layers_beside, read_layered
from crosspro.data_prep.core.errors import (
    SHOWN_AT_MOST,
    InputError,
    Problem,
    counted,
    input_error,
)
from crosspro.data_prep.core.files import STANDARD_INPUT, is_file
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.shared_task import other_form, read_examples, scan
from crosspro.data_prep.pipeline.sets.cues import LinkTable
from crosspro.data_prep.pipeline.sets.overlap import TextIndex, overlap
from crosspro.data_prep.pipeline.sets.statistics import DataSize
from crosspro.scripts.common import App, TaskName, show_table, tell, warn

app = App()


@app.command(epilog="Example: crosspro check train.data --task en-fr")
def check(
    files: Annotated[
        list[Path],
        typer.Argument(help="Five-column files (also .gz, .xz, or - for standard input)."),
    ],
    task: TaskName,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Accept what the official scorer accepts.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Labels that links give away are a problem.")
    ] = False,
    against: Annotated[
        list[Path] | None,
        typer.Option(help="A set that the files should share no text with (repeatable)."),
    ] = None,
) -> None:
    """Check shared-task files, and count what they hold.

    The files that lie beside X.data are checked too: document ids (X.doc-ids), parses
    (X.source.conllu, X.target.conllu) and coreference chains (X.chains.tsv).

    Problems go to standard output as `path:line: field: expected …, found …`, and a summary to
    standard error; a terminal gets the first 20 of each file. Without problems the tables are those
    of the WMT 2016 findings: sizes (Tables 1-3) and classes (Table 5). A warning is given if the
    number of links of a gap gives its label away.

    --against compares segments by their source words; a document is shared if its id is, or more
    than half of its longer segments. The exit status is 0 if all files are well-formed and share no
    document, and 1 if not.
    """
    rules = load_task(task)
    for path in files:
        if not (path == STANDARD_INPUT or is_file(path)):
            raise input_error(path, "file", "a readable file", "none")
    statistics = {path: DataSize() for path in files}
    problems = [
        _print_problems(path, rules, counts, lenient=lenient, strict=strict)
        for path, counts in statistics.items()
    ]
    shared = False
    if not any(problems):
        tables = [_sizes(statistics), _classes(statistics, rules)]
        if against:
            rows = [_overlap(path, other, rules) for path in files for other in against]
            shared = any(row[-2:] != ("-", "-") for row in rows)
            heading = ("file", "compared with", "shared segments", "documents by id", "by text")
            tables.append(show_table(heading, rows, 2))
        print("\n".join(tables), end="")
    raise typer.Exit(1 if any(problems) or shared else 0)


def _print_problems(
    path: Path, task: Task, statistics: DataSize, *, lenient: bool, strict: bool
) -> int:
    """Print the problems of a file, and return their number."""
    most = SHOWN_AT_MOST if sys.stdout.isatty() else sys.maxsize
    links = LinkTable(task)
    number = 0

    def report(problem: object, problems: int = 1) -> None:
        nonlocal number
        number += problems
        if number <= most or problems > 1:
            print(problem)

    layers = layers_beside(path)
    try:
        for item in scan(path, task, layers.documents, lenient=lenient):
            if isinstance(item, Problem):
                report(item)
            else:
                statistics.add(item, task)
                links.add(item)
    except InputError as error:
        report(error, error.total)
    if not number and not statistics.segments:
        report(Problem(str(path), None, "file", "at least one line", "none"))
    if not number and (form := other_form(path, task)):
        if lenient:
            warn([form])
        else:
            report(form)
    if not number:  # layers can be told to fit only where the lines are known
        try:
            for _ in read_layered(path, task, layers, lenient=lenient):
                pass
        except InputError as error:
            report(error, error.total)
    if not number and (leak := links.leak()):
        if strict:
            report(Problem(str(path), None, "links", "labels that links do not tell", str(leak)))
        else:
            warn([f"{path}: {leak}"])
    if number > most:
        print(f"… and {counted(number - most, 'more problem')} (redirect the output to see all)")
    lines = counted(statistics.segments, "good line")
    gaps = counted(statistics.gaps, "gap")
    tell(f"{path}: {counted(number, 'problem') if number else 'ok'}, {lines}, {gaps}")
    return number


def _sizes(statistics: Mapping[Path, DataSize]) -> str:
    rows = []
    for path, counts in statistics.items():
        sizes = counts.documents, counts.segments, counts.source_tokens, counts.target_tokens
        rows.append((path.name, *(f"{number:,}" for number in (*sizes, counts.gaps))))
    heading = ("file", "documents", "segments", "source tokens", "target tokens", "gaps")
    return show_table(heading, rows)


def _classes(statistics: Mapping[Path, DataSize], task: Task) -> str:
    rows: list[tuple[str, ...]] = []
    for name in task.classes:
        cells = []
        for counts in statistics.values():
            number = counts.classes[name]
            cells.append(f"{number:,} ({100 * number / (counts.gaps or 1):.1f}%)")
        rows.append((name, *cells))
    return show_table(("class", *(path.name for path in statistics)), rows)


def _overlap(path: Path, other: Path, task: Task) -> tuple[str, ...]:
    """Segments, documents by id and documents by text that two files share."""
    index = TextIndex()
    index.add(read_examples(other, task, layers_beside(other).documents, lenient=True))
    examples = read_examples(path, task, layers_beside(path).documents, lenient=True)
    shared = overlap(examples, index)
    share = 100 * shared.shared_segments / max(shared.segments, 1)
    by_text = (document or "(no id)" for document in shared.same_text)
    return (
        path.name,
        str(other),
        f"{shared.shared_segments:,} ({share:.1f}%)",
        " ".join(shared.same_id) or "-",
        " ".join(by_text) or "-",
    )
