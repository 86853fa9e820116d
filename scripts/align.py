"""Align the words of parallel text, or evaluate links."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from data_prep.align.backends import AlignerSettings, align_with_prior, default_settings
from data_prep.align.evaluate import score_links
from data_prep.align.links import read_links, write_links
from data_prep.align.prior import load_prior, save_prior
from data_prep.align.symmetrise import SYMMETRISATIONS
from data_prep.errors import input_error
from data_prep.example import Link
from data_prep.task import load_task
from data_prep.textfile import read_text_lines
from evaluation.tables import text_table
from scripts.crosspro import command_app, run


class Aligner(StrEnum):
    """Which program makes the links."""

    OWN = "own"
    EFLOMAL = "eflomal"


app = command_app()


@app.command()
def align(
    source: Annotated[Path, typer.Option(help="Tokenised source text.")],
    target: Annotated[Path, typer.Option(help="Tokenised target text, line by line.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where links are written.")
    ] = None,
    task: Annotated[
        str | None,
        typer.Option("--task", "-t", help="Gives symmetrisation and source pronouns."),
    ] = None,
    aligner: Annotated[Aligner, typer.Option(help="Our own, or eflomal.")] = Aligner.OWN,
    model: Annotated[str, typer.Option(help="ibm1 or hmm (ibm1 first, then hmm).")] = "hmm",
    symmetrisation: Annotated[
        str | None, typer.Option(help="intersection, union, grow-diag, …; the task's by default.")
    ] = None,
    form: Annotated[
        str, typer.Option(help="Compare words by a prefix, or as a whole word.")
    ] = "prefix",
    prefix_length: Annotated[int, typer.Option(min=1, help="Characters of the prefix.")] = 5,
    variational: Annotated[
        float, typer.Option(min=0, help="Variational Bayes with this concentration; 0: plain EM.")
    ] = 0.0,
    max_length: Annotated[
        int, typer.Option(min=1, help="Longer segments are aligned by IBM 1.")
    ] = 100,
    prior: Annotated[Path | None, typer.Option(help="What was learnt from another text.")] = None,
    save: Annotated[
        Path | None, typer.Option("--save-prior", help="Keep what is learnt (.npz).")
    ] = None,
    evaluate: Annotated[
        Path | None, typer.Option(metavar="GOLD", help="Compare with these links.")
    ] = None,
    links: Annotated[
        Path | None, typer.Option(help="Evaluate these links instead of making them.")
    ] = None,
    all_symmetrisations: Annotated[
        bool, typer.Option("--all-symmetrisations", help="With --evaluate: a row for each.")
    ] = False,
) -> None:
    """Align the words of parallel text, or evaluate links.

    With --evaluate, precision, recall and F1 of all links and of those of the task's source
    pronouns are shown, as in Table 4 of the WMT 2016 findings.
    """
    rules = load_task(task) if task else None
    settings = default_settings(rules) if rules else AlignerSettings()
    settings = replace(
        settings,
        aligner=aligner.value,
        model=model,
        form=form,
        prefix_length=prefix_length,
        variational=variational,
        max_length=max_length,
        symmetrisation=symmetrisation or settings.symmetrisation,
    )
    settings.check()
    if output is None and evaluate is None and save is None:
        raise typer.BadParameter("nothing to do: give -o, --evaluate or --save-prior")
    known = load_prior(prior) if prior else None
    left, right = _tokens(source), _tokens(target)
    if len(left) != len(right):
        raise input_error(target, "lines", f"{len(left)} as in {source}", str(len(right)))
    gold = list(read_links(evaluate, left, right)) if evaluate else None
    console = Console(stderr=True)

    def progress(text: str) -> None:
        console.print(text, highlight=False, markup=False)

    def made(rule: str) -> list[tuple[Link, ...]]:
        found, learnt = align_with_prior(
            left, right, replace(settings, symmetrisation=rule), known, progress
        )
        if save and learnt:
            save_prior(save, learnt)
        return found

    rows = []
    if links is not None:
        rows.append((str(links), list(read_links(links, left, right))))
    else:
        names = [*SYMMETRISATIONS] if all_symmetrisations else [settings.symmetrisation]
        rows += [(name, made(name)) for name in names]
    if output is not None:
        write_links(output, rows[-1][1])
        print(f"{output}: links of {len(left):,} segments", file=sys.stderr)
    if gold is not None:
        pronouns = rules.source_pronouns if rules else ()
        _show(rows, gold, left, pronouns)


def _tokens(path: Path) -> list[list[str]]:
    lines = [line.split() for line in read_text_lines(path)]
    if not lines:
        raise input_error(path, "file", "at least one line", "none")
    return lines


def _show(
    rows: list[tuple[str, list[tuple[Link, ...]]]],
    gold: list[tuple[Link, ...]],
    source: list[list[str]],
    pronouns: tuple[str, ...],
) -> None:
    table = []
    for name, found in rows:
        scores = [score_links(found, gold)]
        if pronouns:
            scores.append(score_links(found, gold, source, pronouns))
        cells = [f"{v:.3f}" for s in scores for v in (s.precision, s.recall, s.f1)]
        table.append((name, *cells))
    heading = ["symmetrisation", "P", "R", "F1"]
    if pronouns:
        heading += ["P pronouns", "R pronouns", "F1 pronouns"]
    print(text_table(heading, table), end="")


if __name__ == "__main__":
    run(app)
