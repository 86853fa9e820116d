"""Check shared-task files and list every problem."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.errors import (
    SHOWN_AT_MOST,
    InputError,
    Problem,
    counted,
    empty_file,
    more_problems,
)
from crosspro.data_prep.formats.shared_task import scan
from crosspro.data_prep.formats.target_form import other_form
from crosspro.data_prep.layers import layer_problems
from crosspro.data_prep.task import load_task
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import DocIdsBeside, TaskName, layers_of

app = command_app()


@app.command()
def check(
    files: Annotated[
        list[Path],
        typer.Argument(help="Five-column files (also .gz, .xz, or - for standard input)."),
    ],
    task: TaskName,
    doc_ids: DocIdsBeside = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Accept what the official scorer accepts.")
    ] = False,
) -> None:
    """Check shared-task files and list every problem.

    The files that lie beside X.data are checked too: document ids (X.doc-ids), parses
    (X.source.conllu, X.target.conllu) and coreference chains (X.chains.tsv).

    Problems go to standard output as `path:line: field: expected …, found …`, and a summary to
    standard error; a terminal gets the first 20 of each file. The exit status is 0 if all files are
    well-formed and 1 if not.
    """
    rules = load_task(task)
    if doc_ids is not None and len(files) > 1:
        raise typer.BadParameter("document ids belong to one file: check files one by one")
    most = SHOWN_AT_MOST if sys.stdout.isatty() else sys.maxsize
    bad = 0
    for path in files:
        lines = gaps = problems = 0
        layers = layers_of(path, doc_ids)
        try:
            for item in scan(path, rules, layers.documents, lenient=lenient):
                if isinstance(item, Problem):
                    problems += 1
                    if problems <= most:
                        print(item)
                else:
                    lines += 1
                    gaps += len(item.gaps)
        except InputError as error:
            problems += error.total
            print(error)
        if not problems and not lines:
            problems += 1
            print(empty_file(path))
        form = None if problems else other_form(path, rules)
        if form and lenient:
            print(f"warning: {form}", file=sys.stderr)
        elif form:
            problems += 1
            print(form)
        if not problems:  # layers can be told to fit only where the lines are known
            for problem in layer_problems(path, rules, layers, lenient=lenient):
                problems += 1
                print(problem)
        if problems > most:
            print(more_problems(problems - most), "(redirect the output to see them all)")
        bad += problems > 0
        verdict = counted(problems, "problem") if problems else "ok"
        size = f"{counted(lines, 'good line')}, {counted(gaps, 'gap')}"
        print(f"{path}: {verdict}, {size}", file=sys.stderr)
    raise typer.Exit(1 if bad else 0)


if __name__ == "__main__":
    run(app)
