"""Align the words of parallel text, or evaluate links."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from crosspro.data_prep.align.backends import (
    AlignerSettings,
    align_both_directions,
    default_settings,
    parallel_words,
)
from crosspro.data_prep.align.prior import load_prior, save_prior
from crosspro.data_prep.align.symmetrise import SYMMETRISATIONS, score_links
from crosspro.data_prep.align.text import Sentences
from crosspro.data_prep.align.train import Progress as Report
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.files import atomic_output
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.links import read_links
from crosspro.scripts.common import App, Prior, show_table

Links = Sequence[tuple[Link, ...]]
DEFAULTS = AlignerSettings()


class Form(StrEnum):
    """What words are compared by."""

    PREFIX = "prefix"
    WORD = "word"


app = App()


@app.command(epilog="Example: crosspro align --source corpus.en --target corpus.fr -o corpus.links")
def align(
    source: Annotated[Path, typer.Option(help="Tokenised source text (also .gz, .xz).")],
    target: Annotated[Path, typer.Option(help="Tokenised target text, line by line.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", writable=True, dir_okay=False, help="Where links are written."
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option("--task", "-t", help="Gives the symmetrisation and the source pronouns."),
    ] = None,
    symmetrisation: Annotated[
        str | None,
        typer.Option(help=f"{', '.join(SYMMETRISATIONS)}; the task's by default."),
    ] = None,
    form: Annotated[Form, typer.Option(help="What words are compared by.")] = Form.PREFIX,
    iterations: Annotated[
        int, typer.Option(min=0, help="Passes over the text; 0 only links it, with --prior.")
    ] = DEFAULTS.iterations,
    prior: Prior = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save-prior", writable=True, dir_okay=False, help="Keep what is learnt (.npz)."
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, help="Processes; one a core by default."),
    ] = None,
    evaluate: Annotated[
        Path | None, typer.Option(metavar="GOLD", help="Compare with these links.")
    ] = None,
    links: Annotated[
        Path | None, typer.Option(help="With --evaluate: these links, instead of making them.")
    ] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Drop links of GOLD and --links that lead nowhere.")
    ] = False,
) -> None:
    """Align the words of parallel text, or evaluate links.

    With --evaluate, precision, recall and F1 of all links and of those of the task's source
    pronouns are shown, as in Table 4 of the WMT 2016 findings.
    """
    rules = load_task(task) if task else None
    settings = default_settings(rules) if rules else DEFAULTS
    settings = replace(
        settings,
        form=form.value,
        iterations=iterations,
        symmetrisation=symmetrisation or settings.symmetrisation,
    )
    settings.check()
    if output is None and evaluate is None and save is None:
        raise typer.BadParameter("nothing to do: give -o, --evaluate or --save-prior")
    if links is not None and (output or save or not evaluate):
        raise typer.BadParameter("--links belongs to --evaluate, without -o and --save-prior")
    words = parallel_words(source, target)
    gold = list(read_links(evaluate, *words, lenient=lenient)) if evaluate else None
    if links is not None:
        rows: list[tuple[str, Links]]
        rows = [(links.name, list(read_links(links, *words, lenient=lenient)))]
        _show(rows, gold or [], words[0], rules)
        return
    known = load_prior(prior) if prior else None
    files = {"source": source, "target": target}
    with _bar() as report:
        with _of_files(files):
            alignment = align_both_directions(
                *words, settings, known, save is not None, jobs, report
            )
        if save is not None and alignment.prior is not None:
            save_prior(save, alignment.prior)
        if output is not None:
            found = alignment.links(settings.symmetrisation)
            with atomic_output(output) as handle:
                for lines in found.lines(len(found), report):
                    handle.write(lines.encode("ascii"))
    if output is not None:
        number = alignment.beyond
        backed = f", {number:,} of them beyond the limits and backed off" if number else ""
        print(f"{output}: links of {len(words[0]):,} segments{backed}", file=sys.stderr)
    if gold is not None:
        compared = [(name, alignment.links(name)) for name in SYMMETRISATIONS]
        _show(compared, gold, words[0], rules)


@contextmanager
def _of_files(files: Mapping[str, Path]) -> Iterator[None]:
    """Let problems of a side name its file."""
    try:
        yield
    except InputError as error:
        named = [
            replace(problem, path=str(files.get(problem.path, problem.path)))
            for problem in error.problems
        ]
        raise InputError(named, error.hint, error.total) from error


@contextmanager
def _bar() -> Iterator[Report]:
    """A progress bar on standard error."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        shown = bar.add_task("reading", total=None)

        def report(name: str, done: int, total: int) -> None:
            bar.update(shown, description=name, completed=done, total=total)

        yield report


def _show(
    rows: Sequence[tuple[str, Links]], gold: Links, source: Sentences, task: Task | None
) -> None:
    """A row for each symmetrisation, as in 003 Table 4."""
    heading = ["links", "P", "R", "F1"]
    if task is not None:
        heading += ["P pronouns", "R pronouns", "F1 pronouns"]
    table = []
    for name, found in rows:
        scores = [score_links(found, gold)]
        if task is not None:
            scores.append(score_links(found, gold, source, task.source_pronouns))
        cells = [f"{value:.3f}" for s in scores for value in (s.precision, s.recall, s.f1)]
        table.append((name, *cells))
    print(show_table(heading, table), end="")
