"""Record results, list them, and compute them again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.errors import Problem, printable
from crosspro.evaluation.core.score import Scale
from crosspro.evaluation.leaderboard.record import (
    FOLDER,
    SUFFIX,
    Provenance,
    Record,
    read_records,
    record_file,
    record_names,
)
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import Names, show_table

app = command_app()

Results = Annotated[Path, typer.Option(help="Folder of records.")]
_SCALE = Scale(digits=1)
_OF_ONE = "--title, --year, --training-text and --member"


@app.callback()
def results() -> None:
    """Record results, list them, and compute them again."""


@app.command()
def add(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN…",
            help="Runs (RUN, or RUN:VARIANT), ensembles, archives, models of the box.",
        ),
    ],
    data: Annotated[Path, typer.Option(help="Folder with the gold files test*.data.")],
    name: Names = None,
    title: Annotated[str | None, typer.Option(help="What tables call it.")] = None,
    origin: Annotated[
        Provenance | None, typer.Option(help="Whose system it is; known of our own systems.")
    ] = None,
    year: Annotated[int | None, typer.Option(help="The year of the shared task.")] = None,
    training_text: Annotated[
        str | None, typer.Option(help="What tables call the training text: all, TED …")
    ] = None,
    commit: Annotated[
        str | None, typer.Option(help="The commit that runs were made at, if they do not say it.")
    ] = None,
    member: Annotated[
        list[str] | None,
        typer.Option(help="The record of an ensemble's member (repeat); found by predictions."),
    ] = None,
    note: Annotated[list[str] | None, typer.Option(help="What else to know (repeat).")] = None,
    task: Annotated[
        str | None,
        typer.Option("--task", "-t", help="The task of the gold files, if runs are of another."),
    ] = None,
    apart: Annotated[
        list[str] | None, typer.Option(help="A test set that is not pooled (repeat).")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace records of these names.")
    ] = False,
    results: Results = FOLDER,
) -> None:
    """Record the results of runs: configuration, data, commit, scores, and labels as evidence.

    Runs that differ in their seed alone become one record, results/TASK/NAME.json, with their
    predictions beside it (labels, no text); --name calls records otherwise, TASK/NAME, in the order
    of the runs. Gold must be what the runs were tested on. With --task it is of another task: each
    class of the runs counts as the class that has most of its words, and sets are scored once more
    (SET.joined) where it has words of several, these as one. What has no commit, seed or digest of
    its data is refused.
    """
    from crosspro.prediction.run_records import Asked, new_records, rows_of
    from crosspro.scripts.reproduce.making import making_steps
    from crosspro.scripts.steps import counting_bar

    rows = rows_of(runs)
    if len(rows) > 1 and (title or year or training_text or member):
        raise typer.BadParameter(f"{_OF_ONE} are of one record; these runs make {len(rows)}")
    if len(name or ()) > len(rows):
        raise typer.BadParameter(f"{len(name or ())} names for {len(rows)}")
    asked = Asked(
        tuple(name or ()),
        title,
        origin,
        year,
        training_text,
        commit,
        tuple(member or ()),
        tuple(note or ()),
        task,
    )
    with counting_bar("records", len(rows)) as progress:
        found = new_records(
            rows,
            data,
            asked,
            making_steps,
            results,
            apart=apart or (),
            replaced=replace,
            progress=progress,
        )
    found.write(results)
    for one in found.records:
        print(f"{record_file(one.record.name, results)}: {_told(one.record)}")


@app.command()
def verify(
    records: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RECORD]…", help="Names (en-de/ngram), or files; all by default."),
    ] = None,
    results: Results = FOLDER,
) -> None:
    """Compute records again from their evidence: digests, scores, intervals, classes.

    All that differs is told, and the exit status is 1.
    """
    from crosspro.evaluation.leaderboard.verify import verify_record
    from crosspro.scripts.steps import counting_bar

    names = record_names(results)
    chosen = [_name(one, results) for one in records or ()] or names
    problems: list[Problem] = []
    with counting_bar("records", len(chosen)) as progress:
        for one in chosen:
            problems += verify_record(one, set(names), results)
            progress(1)
    if problems:
        for problem in problems:  # all of them: no record hides another
            print(printable(str(problem)), file=sys.stderr)
        raise typer.Exit(1)
    number = "1 record" if len(chosen) == 1 else f"{len(chosen):,} records"
    print(f"{results}: {number}, computed again: all as they say", file=sys.stderr)


@app.command("list")
def list_command(
    task: Annotated[
        str | None, typer.Option("--task", "-t", help="Those of one task alone.")
    ] = None,
    results: Results = FOLDER,
) -> None:
    """List records with the scores by which they are ranked."""
    rows = [
        (
            one.name,
            one.title,
            one.text.name if one.text else "",
            str(len(one.seeds)),
            *_figures(one),
        )
        for one in read_records(results)
        if task in (None, one.task)
    ]
    heading = ("record", "system", "text", "seeds", "macro recall", "accuracy")
    print(show_table(heading, rows, 3), end="")


def _figures(record: Record) -> list[str]:
    scores = record.scores[record.headline_set]
    return [
        scores[name].shown(_SCALE) if name in scores else ""
        for name in ("macro_recall", "accuracy")
    ]


def _told(record: Record) -> str:
    """The scores of a record by which it is ranked."""
    seeds = ", ".join(map(str, record.seeds))
    told = " / ".join(_figures(record))
    return f"{told} on {record.headline_set} (seed {seeds})"


def _name(text: str, results: Path) -> str:
    """The name of a record, of which the file may be given."""
    path = Path(text)
    if path.suffix == SUFFIX and path.is_relative_to(results):
        return str(path.relative_to(results).with_suffix(""))
    return text


if __name__ == "__main__":
    run(app)
