"""Align the words of parallel text, or evaluate links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.align.align import learn, read_token_pairs
from crosspro.data_prep.align.prior import load_prior, save_prior
from crosspro.data_prep.align.symmetrise import (
    GROW_DIAG_FINAL_AND,
    SYMMETRISATIONS,
    score_links,
)
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.links import read_links, write_links
from crosspro.scripts.common import App, Prior, output_file, prior_file, show_table, tell
from crosspro.scripts.steps import step_display

Links = Iterable[tuple[Link, ...]]

app = App()


@app.command(epilog="Example: crosspro align --source corpus.en --target corpus.fr -o corpus.links")
def align(
    source: Annotated[Path, typer.Option(help="Tokenised source text (also .gz, .xz).")],
    target: Annotated[Path, typer.Option(help="Tokenised target text, line by line.")],
    output: Annotated[
        Path | None, output_file("--output", "-o", help="Where links are written.")
    ] = None,
    task: Annotated[
        str | None,
        typer.Option("--task", "-t", help="Gives the symmetrisation and the source pronouns."),
    ] = None,
    prior: Prior = None,
    save: Annotated[
        Path | None, output_file("--save-prior", help="Keep the counts for new text (.npz).")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Threads; one a core by default.")
    ] = None,
    evaluate: Annotated[
        Path | None, typer.Option(metavar="GOLD", help="Compare with these links.")
    ] = None,
    links: Annotated[
        Path | None, typer.Option(help="With --evaluate: compare these links, not our own.")
    ] = None,
) -> None:
    """Align the words of parallel text, or evaluate links.

    With --evaluate, precision, recall and F1 of all links and of those of the task's source
    pronouns are shown, as in Table 4 of the WMT 2016 findings.
    """
    if output is None and evaluate is None and save is None:
        raise typer.BadParameter("nothing to do: give -o, --evaluate or --save-prior")
    if links is not None and (output or save or not evaluate):
        raise typer.BadParameter("--links belongs to --evaluate, without -o and --save-prior")
    rules = load_task(task) if task else None
    symmetrisation = rules.symmetrisation if rules else GROW_DIAG_FINAL_AND
    pairs = read_token_pairs(source, target)
    words = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    gold = list(read_links(evaluate, *words)) if evaluate else []
    if links is not None:
        _show([(links.name, read_links(links, *words))], gold, words[0], rules)
        return
    prior = prior_file(prior, rules)
    earlier = load_prior(prior) if prior else None
    with step_display() as show_step:
        alignment = learn(
            pairs,
            earlier,
            jobs,
            progress=lambda name, done, total: show_step(name, "", done, total),
            names=(source, target),
        )
    if save is not None:
        save_prior(save, alignment.prior())
    if output is not None:
        write_links(output, alignment.links(symmetrisation))
        by_ibm1 = f"{alignment.backed_off:,} too long or too unequal, linked by IBM 1"
        tell(f"{output}: links of {len(pairs):,} segments; {by_ibm1}")
    if evaluate is not None:
        rows = [(name, alignment.links(name)) for name in SYMMETRISATIONS]
        _show(rows, gold, words[0], rules)


def _show(
    rows: Sequence[tuple[str, Links]],
    gold: Sequence[tuple[Link, ...]],
    source: Sequence[Sequence[str]],
    task: Task | None,
) -> None:
    """A row for each symmetrisation, as in 003 Table 4."""
    heading = ["links", "P", "R", "F1"]
    if task is not None:
        heading += ["P pronouns", "R pronouns", "F1 pronouns"]
    table = []
    for name, links in rows:
        proposed = list(links)
        scores = [score_links(proposed, gold)]
        if task is not None:
            scores.append(score_links(proposed, gold, source, task.source_pronouns))
        cells = [f"{value:.3f}" for s in scores for value in (s.precision, s.recall, s.f1)]
        table.append((name, *cells))
    print(show_table(heading, table), end="")
