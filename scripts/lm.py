"""Estimate n-gram language models, and fill gaps with them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import typer

from crosspro.baselines.fill import Floats, GapFiller, task_fillers
from crosspro.baselines.ngram.files import load_model, save_model
from crosspro.baselines.official_search import FilledLayout, filled_lines, official_filling
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import other_form, read_examples
from crosspro.scripts.common import App, Output, TaskName, output_file, tell, warn, write_output

app = App()


@app.callback()
def lm() -> None:
    """Estimate n-gram language models, and fill gaps with them."""


@app.command(epilog="Example: crosspro lm estimate news.fr --order 5 -o fr.npz")
def estimate(
    texts: Annotated[
        list[Path],
        typer.Argument(help="Text, one sentence a line, words between spaces (.gz, .xz)."),
    ],
    output: Annotated[
        Path,
        output_file(
            "--output",
            "-o",
            help="The model to write: ARPA if it ends in .arpa[.gz|.xz], else arrays (.npz).",
        ),
    ],
    order: Annotated[int, typer.Option("--order", "-n", help="1 to 7.")] = 5,
) -> None:
    """Estimate a model with modified Kneser-Ney smoothing, as KenLM's lmplz does."""
    from crosspro.baselines.ngram.kneser_ney import FALLBACK, estimate
    from crosspro.baselines.ngram.text import read_sentences

    result = estimate(read_sentences(texts), order)
    save_model(output, result.model)
    if result.fallbacks:
        orders = ", ".join(f"{n}-grams" for n in result.fallbacks)
        warn([f"{orders}: too few for an estimate of discounts: {FALLBACK} are taken"])
    if result.left_out:
        warn([f"{result.left_out:,} times <s>, </s> or <unk> left out"])
    text = f"{result.words:,} words in {result.sentences:,} sentences"
    tell(f"{output}: {order}-gram model of {text}")


@app.command(epilog="Example: crosspro lm fill test.data --task en-fr --lm fr.npz -o filled.data")
def fill(
    file: Annotated[
        Path, typer.Argument(help="Five-column file, blind or not, or - for standard input.")
    ],
    task: TaskName,
    lm: Annotated[Path, typer.Option(help="Language model: ARPA, of `lm estimate`, or of KenLM.")],
    none_penalty: Annotated[
        float, typer.Option(help="Added to the log10 score of a gap that is left empty.")
    ] = 0.0,
    layout: Annotated[
        FilledLayout,
        typer.Option(
            help="replace: five columns; predicted: classes, words; scores: probabilities of each "
            "filler."
        ),
    ] = "replace",
    search: Annotated[
        Literal["exact", "official"],
        typer.Option(help="official: that of the official baseline, which is not exact."),
    ] = "exact",
    output: Output = None,
) -> None:
    """Fill gaps with a language model, the baseline of the shared tasks.

    All gaps of a line are filled together, by an exact search.
    """
    rules = load_task(task)
    fillers = task_fillers(rules)
    if form := other_form(file, rules):
        warn([form])
    model = load_model(lm)
    examples = list(read_examples(file, rules, lenient=True))
    filled: Iterable[tuple[tuple[int, ...], Floats]]
    if search == "official":
        filled = [official_filling(model, fillers, none_penalty, example) for example in examples]
    else:
        filler = GapFiller(model, fillers, none_penalty)
        shown = examples if layout == "scores" else []
        ends = np.cumsum([len(example.gaps) for example in examples])
        tables = np.split(filler.probabilities(shown), ends[:-1])
        filled = zip(filler.fill(examples), tables, strict=True)
    raw_lines = list(read_text_lines(file))
    if not raw_lines:
        raise input_error(file, "file", "at least one line", "none")
    lines: list[str] = []
    for number, (raw, (choices, table)) in enumerate(zip(raw_lines, filled, strict=True)):
        lines += filled_lines(number, raw.rstrip("\r"), choices, table, fillers, layout)
    write_output("".join(f"{line}\n" for line in lines), output)
    tell(f"{file}: filled with {lm}")
