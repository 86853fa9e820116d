"""Train and query n-gram language models.

What estimates models is imported where one is trained: a query should not wait for it.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from crosspro.baselines.ngram import DEFAULT_FALLBACK
from crosspro.baselines.ngram.load import ENGINES, is_arpa, load_model, load_own, save_model
from crosspro.baselines.ngram.query import Totals, score_batches, sentence_lines
from crosspro.baselines.ngram.text import read_sentences
from crosspro.data_prep.core.errors import CrossproError, choices, input_error
from crosspro.data_prep.core.files import atomic_output
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import Output

if TYPE_CHECKING:
    from crosspro.baselines.ngram.text import Report
    from crosspro.data_prep.core.task import Task

app = command_app()

Number = TypeVar("Number", int, float)

Texts = Annotated[
    list[Path], typer.Argument(help="Text, one sentence a line, words between spaces (.gz, .xz).")
]
FiveColumns = Annotated[
    str | None,
    typer.Option(
        "--task",
        "-t",
        help="The files have five columns, of this task: take their target lemmas, "
        "with the gold words in the gaps.",
    ),
]


@app.callback()
def lm() -> None:
    """Train and query n-gram language models."""


@app.command()
def train(
    texts: Texts,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The model to write: binary, or ARPA if it ends in .arpa[.gz]."
        ),
    ] = None,
    order: Annotated[int, typer.Option("--order", "-n", help="1 to 7.")] = 5,
    arpa: Annotated[
        Path | None, typer.Option(help="Write an ARPA file, too (also .gz, .xz).")
    ] = None,
    task: FiveColumns = None,
    prune: Annotated[
        str,
        typer.Option(
            help="Leave out n-grams that occur at most so often: a number for each order, the "
            "last one for all that follow, as in '0 0 1'."
        ),
    ] = "0",
    discount_fallback: Annotated[
        bool,
        typer.Option(
            "--discount-fallback", help="Take default discounts where none can be estimated."
        ),
    ] = False,
    fallback: Annotated[
        str, typer.Option(help="The default discounts of counts 1, 2, and 3 or more.")
    ] = " ".join(f"{amount:g}" for amount in DEFAULT_FALLBACK),
    skip_symbols: Annotated[
        bool,
        typer.Option("--skip-symbols", help="Leave out <s>, </s> and <unk> that the text has."),
    ] = False,
    memory: Annotated[
        str, typer.Option(help="About how much memory to use: 500M, 2G; the rest goes to disk.")
    ] = "2G",
    temp: Annotated[
        Path | None, typer.Option(help="Folder for temporary files, if not the system's.")
    ] = None,
) -> None:
    """Estimate a model with modified Kneser-Ney smoothing, as KenLM's lmplz does."""
    from crosspro.baselines.ngram.arpa import write_ngrams
    from crosspro.baselines.ngram.estimate import EstimationSettings, estimate

    if output is None and arpa is None:
        raise CrossproError(
            "output: expected a model to write (-o MODEL or --arpa FILE), found none"
        )
    settings = EstimationSettings(
        order=order,
        prune=_numbers("prune", prune, int),
        fallback=_numbers("fallback", fallback, float) if discount_fallback else None,
        memory=_bytes(memory),
        folder=temp,
        skip_symbols=skip_symbols,
    )
    sentences = read_sentences(texts, _rules(task))
    start = time.perf_counter()
    with _progress() as report:
        made = estimate(sentences, settings, report)
        for path in filter(None, (arpa, output)):
            if path is arpa or is_arpa(path):
                write_ngrams(path, made.words, made.orders, report)
            else:
                report("building the index")
                save_model(path, made.model, report)
    for n, (ngrams, discounts) in enumerate(zip(made.orders, made.discounts, strict=True), start=1):
        print(f"{n}-grams: {len(ngrams):,}  {discounts}", file=sys.stderr)
    print(
        f"{output or arpa}: {order}-gram model of {made.tokens:,} words in "
        f"{made.sentences:,} sentences, {time.perf_counter() - start:.1f} s",
        file=sys.stderr,
    )


@app.command()
def query(
    model: Annotated[Path, typer.Argument(help="A binary model or an ARPA file (also .gz, .xz).")],
    texts: Texts,
    task: FiveColumns = None,
    per_word: Annotated[
        bool,
        typer.Option(
            "--per-word", help="Show each word=number, the n-gram length and the log10 probability."
        ),
    ] = False,
    summary: Annotated[
        bool, typer.Option("--summary", help="Show only perplexities and counts.")
    ] = False,
    engine: Annotated[
        str, typer.Option("--backend", help=f"What answers the queries: {choices(ENGINES)}.")
    ] = ENGINES[0],
    output: Output = None,
) -> None:
    """Score text: log10 of each sentence, perplexity with and without unknown words (OOVs)."""
    sentences = read_sentences(texts, _rules(task))
    totals = Totals()
    with _progress() as report:
        opened = load_model(model, engine, report)
        target = nullcontext(sys.stdout.buffer) if output is None else atomic_output(output)
        with target as handle:
            for batch, scores in score_batches(opened, sentences, totals):
                if not summary:
                    handle.write(sentence_lines(batch, scores, per_word=per_word))
                report(f"{totals.tokens:,} tokens, {totals.sentences:,} sentences")
            if not totals.sentences:
                raise input_error(texts[0], "text", "at least one sentence", "none in any file")
            handle.write(f"{totals}\n".encode())
            handle.flush()


@app.command()
def convert(
    model: Annotated[Path, typer.Argument(help="A binary model or an ARPA file (also .gz, .xz).")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Where to write: ARPA if it ends in .arpa[.gz], else binary."
        ),
    ],
) -> None:
    """Write a model in the other form: ARPA as binary, which opens at once, or the reverse."""
    with _progress() as report:
        save_model(output, load_own(model, report), report)


def _rules(task: str | None) -> Task | None:
    if task is None:
        return None
    from crosspro.data_prep.core.task import load_task

    return load_task(task)


@contextmanager
def _progress() -> Iterator[Report]:
    """A line on the terminal that says what is being done and for how long."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("opening", total=None)
        yield lambda text: progress.update(bar, description=text)


def _numbers(name: str, text: str, kind: Callable[[str], Number]) -> list[Number]:
    try:
        return [kind(part) for part in re.split(r"[\s,]+", text.strip())]
    except ValueError:
        expected = "numbers with spaces between"
        raise CrossproError(f"{name}: expected {expected}, found {text!r}") from None


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if not match:
        raise CrossproError(f"memory: expected a size such as 500M or 2G, found {text!r}")
    if len(match[1]) > 18:
        raise CrossproError(f"memory: expected a size that a machine can have, found {text!r}")
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))


if __name__ == "__main__":
    run(app)
