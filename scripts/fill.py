"""Fill gaps with a language model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from crosspro.baselines.fill import task_fillers
from crosspro.baselines.fill_released import Format, fill_as_released, fill_exactly, format_filled
from crosspro.baselines.ngram.load import load_model
from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import other_form, read_examples
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import DocIdsBeside, Output, TaskName, layers_of, write_output

app = command_app()


class _Filler(TyperCommand):
    """A command that is easily taken for that of typed text."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Tell of the other command where its options are given."""
        if {"--model", "--text"} & {*args}:
            raise typer.BadParameter(
                "a language model is --lm LM; for other models, and typed text: "
                "crosspro predict --model en-fr --text SOURCE TARGET"
            )
        return super().parse_args(ctx, args)


@app.command(cls=_Filler)
def fill(
    file: Annotated[
        Path, typer.Argument(help="Five-column file, blind or not, or - for standard input.")
    ],
    task: TaskName,
    lm: Annotated[Path, typer.Option(help="Language model: ARPA, or a model of `crosspro lm`.")],
    none_penalty: Annotated[
        float, typer.Option(help="Added to the log10 score of a gap that is left empty.")
    ] = 0.0,
    format_: Annotated[
        Format,
        typer.Option(
            "--layout",
            help="replace: five columns; predicted: classes, words; both: gold words, words; "
            "compare: gold and predicted class of each gap; scores: chances of each filler.",
        ),
    ] = Format.REPLACE,
    legacy: Annotated[
        bool, typer.Option("--legacy", help="Search as the official program does, bugs included.")
    ] = False,
    other_fillers: Annotated[
        Path | None,
        typer.Option(help="Words in place of the official other fillers, one a line."),
    ] = None,
    doc_ids: DocIdsBeside = None,
    output: Output = None,
) -> None:
    """Fill gaps with a language model.

    All gaps of a line are filled together, by an exact search. Blind files are filled too; with
    --legacy they are echoed, as the official program does.
    """
    rules = load_task(task)
    others = list(read_text_lines(other_fillers)) if other_fillers else None
    fillers = task_fillers(rules, others)
    form = other_form(file, rules)
    if form is not None:
        print(f"warning: {form}", file=sys.stderr)
    model = load_model(lm)
    examples = read_examples(file, rules, layers_of(file, doc_ids).documents, lenient=True)
    raw = read_text_lines(file)
    if legacy:
        found = fill_as_released(model, fillers, none_penalty, examples)
    else:
        found = fill_exactly(model, fillers, none_penalty, examples, format_ is Format.SCORES)
    lines: list[str] = []
    seen = 0
    for number, (line, filled) in enumerate(zip(raw, found, strict=True)):
        labels = line.split("\t")[0]
        if format_ is Format.COMPARE and labels and len(labels.split(" ")) != len(filled[1]):
            expected = f"one for each gap, {len(filled[1])}"
            raise input_error(file, "classes", expected, quoted(labels), number + 1)
        lines += format_filled(number, line.rstrip("\r"), filled, format_, fillers, legacy)
        seen += 1
    if not seen:
        raise input_error(file, "file", "at least one line", "none")
    write_output("".join(text + "\n" for text in lines).encode("utf-8"), output)
    print(f"{file}: filled with {lm}", file=sys.stderr)


if __name__ == "__main__":
    run(app)
