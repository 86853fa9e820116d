"""Let people fill in hidden pronouns, and score by it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.errors import counted
from crosspro.scripts.expanded_options import expanded
from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import (
    LinkedFiles,
    Outputs,
    Pronouns,
    Resampled,
    VariadicCommand,
    check_outputs,
    refuse_pairs,
    tell,
)
from crosspro.scripts.options import (
    Seed,
    write_output,
)

app = command_app()


@app.callback()
def gap_filling() -> None:
    """Let people fill in hidden pronouns, and score by it.

    This is how DiscoMT 2015 evaluated translations of pronouns: annotators who do not see a
    system's pronoun say which ones could stand there.
    """


@app.command(cls=VariadicCommand)
@expanded
def draw(
    context: typer.Context,
    output: Annotated[Path, typer.Option("--output", "-o", help="The sheet to write (TSV).")],
    key_file: Annotated[
        Path, typer.Option("--key", help="What the gaps hide, and whose they are (TSV).")
    ],
    files: LinkedFiles,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Pronouns of each system, drawn at random; else all.")
    ] = None,
    lines_before: Annotated[
        int, typer.Option("--context", min=0, help="Lines before that annotators see.")
    ] = 3,
    seed: Seed = 12345,
) -> None:
    """Write a sheet of gaps for annotators, and a key that they do not get.

    Fill the column `accepted` with the pronouns that could stand in the gap, `other`, or `bad
    translation`. The same pronouns of all candidates are in the sheet, in random order. The
    reference is only for the cases of APT, which the key has.
    """
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.human.gap_sheets import draw_gaps
    from crosspro.evaluation.metrics import make_metric

    refuse_pairs(context, [("doc_ids", "doc_starts")])
    check_outputs(output, key_file)
    data = files.read()
    for warning in data.warnings:
        tell(f"warning: {warning}")
    evaluation = evaluate(make_metric("apt"), data)
    drawn = draw_gaps(evaluation, data.documents, sample, lines_before, seed)
    if not drawn.examples:
        raise typer.BadParameter(f"no pronoun of the lists {data.pronouns.name} is in the source")
    write_output(drawn.sheet, output)
    write_output(drawn.key, key_file)
    systems = counted(len(data.candidates), "system")
    tell(f"{output}: {counted(drawn.examples, 'gap')} of {systems}; key {key_file}")


@app.command()
@expanded
def score(
    context: typer.Context,
    sheets: Annotated[
        list[Path], typer.Argument(metavar="SHEET...", help="Filled-in sheets (TSV or CSV).")
    ],
    resampled: Resampled,
    outputs: Outputs,
    key: Annotated[
        Path | None,
        typer.Option(
            "--key", help="What the gaps hide; not needed if the sheets have system and output."
        ),
    ] = None,
    pronouns: Pronouns = "en-fr",
    judged_file: Annotated[
        Path | None,
        typer.Option("--judged", help="Also write verdicts for `crosspro correlate cases` (CSV)."),
    ] = None,
) -> None:
    """Score systems by what people filled in: accuracy, precision, lenient recall, F.

    Accuracy with *other* is over all gaps. Without it, gaps are left out in which a system has
    *other* or people accept nothing else. Lenient recall asks for a pronoun only where no other
    accepted word stands.
    """
    from crosspro.data_prep.core.errors import InputError
    from crosspro.evaluation.human.gap_filling import evaluate_gaps
    from crosspro.evaluation.human.gap_sheets import judged_csv, read_filled_gaps
    from crosspro.evaluation.inputs.plain_text import lines_of
    from crosspro.evaluation.inputs.pronoun_lists import lists_or_problems

    outputs.check(context, (), (judged_file,))
    lists, problems = lists_or_problems(pronouns)
    if lists is None:  # what words mean is not known, but files that cannot be read are told
        for path in filter(None, (*sheets, key)):
            lines_of(path, problems)
        raise InputError(problems)
    filled = read_filled_gaps(sheets, key, lists)
    if judged_file is not None and any(gap.case is None for gap in filled.gaps):
        raise typer.BadParameter("--judged: the key has no cases (`gap-filling draw` writes them)")
    evaluation = evaluate_gaps(filled, lists, resampled.plan)
    outputs.write(evaluation, more={judged_file: lambda: judged_csv(filled)})


if __name__ == "__main__":
    run(app)
