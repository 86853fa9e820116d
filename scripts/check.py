"""Check shared-task files, and count what they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import layers_beside, read_layered
from crosspro.data_prep.core.errors import InputError, Problem, counted, input_error
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
    standard error. Without problems the tables are those of the WMT 2016 findings: sizes (Tables
    1-3) and classes (Table 5). A warning is given if the number of links of a gap gives its label
    away.

    --against compares segments by their source words; a document is shared if its id is, or more
    than half of its longer segments. The exit status is 0 if all files are well-formed and share no
    document, and 1 if not.
    """
    rules = load_task(task)
    for path in files:
        if not (path == STANDARD_INPUT or is_file(path)):
            raise input_error(path, "file", "a readable file", "none")
    sizes = {path: DataSize() for path in files}
    faults = 0
    for path, size in sizes.items():
        number = 0
        for problem in _problems(path, rules, size, lenient=lenient, strict=strict):
            number += 1
            print(problem)
        lines, gaps = counted(size.segments, "good line"), counted(size.gaps, "gap")
        tell(f"{path}: {counted(number, 'problem') if number else 'ok'}, {lines}, {gaps}")
        faults += number
    if not faults:
        tables = [_size_table(sizes), _class_table(sizes, rules)]
        if against:
            rows = [_overlap(path, other, rules) for path in files for other in against]
            faults = sum(row[-2:] != ("-", "-") for row in rows)
            heading = ("file", "compared with", "shared segments", "documents by id", "by text")
            tables.append(show_table(heading, rows, 2))
        print("\n".join(tables), end="")
    raise typer.Exit(1 if faults else 0)


def _problems(
    path: Path, task: Task, size: DataSize, *, lenient: bool, strict: bool
) -> Iterator[Problem]:
    """The problems of the lines; of the file as a whole only where its lines have none."""
    layers, links, faulty = layers_beside(path), LinkTable(task), False
    try:
        for item in scan(path, task, layers.documents, lenient=lenient):
            if isinstance(item, Problem):
                faulty = True
                yield item
            else:
                size.add(item, task)
                links.add(item)
        if faulty:
            return
        if not size.segments:
            yield Problem(str(path), None, "file", "at least one line", "none")
            return
        if form := other_form(path, task):
            if not lenient:
                yield form
                return
            warn([form])
        for _ in read_layered(path, task, layers, lenient=lenient):
            pass  # raises if a layer does not fit
    except InputError as error:
        yield from error.problems
    if leak := links.leak():
        if strict:
            yield Problem(str(path), None, "links", "labels that links do not tell", str(leak))
        else:
            warn([f"{path}: {leak}"])


def _size_table(sizes: Mapping[Path, DataSize]) -> str:
    rows = []
    for path, size in sizes.items():
        numbers = size.documents, size.segments, size.source_tokens, size.target_tokens, size.gaps
        rows.append((path.name, *(f"{number:,}" for number in numbers)))
    heading = ("file", "documents", "segments", "source tokens", "target tokens", "gaps")
    return show_table(heading, rows)


def _class_table(sizes: Mapping[Path, DataSize], task: Task) -> str:
    rows = []
    for name in task.classes:
        numbers = [(size.classes[name], size.gaps or 1) for size in sizes.values()]
        shares = (f"{number:,} ({100 * number / gaps:.1f}%)" for number, gaps in numbers)
        rows.append((name, *shares))
    return show_table(("class", *(path.name for path in sizes)), rows)


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
