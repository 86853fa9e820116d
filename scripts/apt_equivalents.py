"""Find equivalent pronouns for APT from judged examples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crosspro.scripts.expanded_options import expanded
from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import (
    LinkedFiles,
    Pronouns,
    VariadicCommand,
    check_outputs,
    refuse_pairs,
    tell,
)
from crosspro.scripts.options import Output, Seed, show_table, write_output

app = command_app()


@app.callback()
def apt_equivalents() -> None:
    """Find equivalent pronouns for APT from judged examples."""


@app.command(cls=VariadicCommand)
@expanded
def draw(
    context: typer.Context,
    files: LinkedFiles,
    size: Annotated[int, typer.Option("--sample", min=1, help="Pronouns to judge.")] = 100,
    seed: Seed = 12345,
    output: Output = None,
) -> None:
    """Draw a random sample of translated pronouns, to be judged by people.

    Fill the column `correct` with 1 or 0: is the candidate's pronoun right, whatever the reference
    has? Where the two are the same, or one is OTHER or NONE, it may stay empty.
    """
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.metrics import make_metric
    from crosspro.evaluation.metrics.apt.equivalents import draw_sheet

    check_outputs(output)
    if len(files.candidate or ()) > 1:
        raise typer.BadParameter("--candidate: the output of one system")
    refuse_pairs(context, [("doc_ids", "doc_starts")])
    data = files.read()
    for warning in data.warnings:
        tell(f"warning: {warning}")
    evaluation = evaluate(make_metric("apt"), data)
    write_output(draw_sheet(evaluation, size, seed).encode("utf-8"), output)


@app.command()
def estimate(
    judged: Annotated[
        Path, typer.Argument(help="Table with tabs: reference, candidate, correct (1 or 0).")
    ],
    pronouns: Pronouns = "en-fr",
    share: Annotated[
        float,
        typer.Option("--min-share", min=0, max=1, help="Rarer pairs of the sample are dropped."),
    ] = 0.05,
    probability: Annotated[
        float,
        typer.Option(
            "--min-probability", min=0, max=1, help="Equivalents are right more often than this."
        ),
    ] = 0.5,
    pooled: Annotated[
        bool, typer.Option("--pooled", help="Take both directions of a pair together.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the lists here, as .yaml.")
    ] = None,
) -> None:
    """Estimate which different pronouns are equivalents, as in the APT paper."""
    from crosspro.data_prep.core.files import write_text
    from crosspro.evaluation.inputs.pronoun_lists import lists_to_mapping, load_lists
    from crosspro.evaluation.metrics.apt.equivalents import estimate as estimate_pairs
    from crosspro.evaluation.metrics.apt.equivalents import read_judged, with_equivalents

    if output is not None and output.suffix not in (".yaml", ".yml"):
        raise typer.BadParameter("--output: a file whose name ends in .yaml, as lists must")
    check_outputs(output)
    lists = load_lists(pronouns)
    examples = read_judged(judged, lists)
    pairs = estimate_pairs(examples, share, probability, pooled)
    rows = [
        (
            pair.candidate,
            pair.reference,
            str(pair.examples),
            f"{100 * pair.share:.1f}%",
            f"{pair.probability:.2f} [{pair.low:.2f}, {pair.high:.2f}]",
            pair.why,
        )
        for pair in pairs
    ]
    if output is not None:
        import yaml

        mapping = lists_to_mapping(with_equivalents(lists, pairs))
        text = yaml.safe_dump(mapping, allow_unicode=True, sort_keys=False)
        write_text(output, text)
    print(f"{len(examples):,} judged examples, {len(pairs):,} pairs of different pronouns\n")
    if rows:
        heading = ("candidate", "reference", "examples", "share", "p(right)", "")
        print(show_table(heading, rows, 2), end="")


if __name__ == "__main__":
    run(app)
