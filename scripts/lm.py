"""Train n-gram language models, and fill gaps with them."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from crosspro.baselines.fill import Filling, Floats, GapFiller, task_fillers
from crosspro.baselines.ngram import DEFAULT_FALLBACK
from crosspro.baselines.ngram.load import is_arpa, load_model, save_model
from crosspro.baselines.ngram.text import read_sentences
from crosspro.baselines.official_search import FilledLayout, filled_lines, official_filling
from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.shared_task import other_form, read_examples
from crosspro.prediction.output import AT_ONCE, whole_documents
from crosspro.scripts.common import App, DocIdsBeside, Output, TaskName, layers_of, write_output

if TYPE_CHECKING:
    from crosspro.baselines.ngram.text import Report

app = App()

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
    """Train n-gram language models, and fill gaps with them."""


@app.command(epilog="Example: crosspro lm train news.fr --order 5 -o fr.lm")
def train(
    texts: Texts,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            writable=True,
            dir_okay=False,
            help="The model to write: binary, or ARPA if it ends in .arpa[.gz].",
        ),
    ] = None,
    order: Annotated[int, typer.Option("--order", "-n", help="1 to 7.")] = 5,
    arpa: Annotated[
        Path | None,
        typer.Option(
            writable=True, dir_okay=False, help="Write an ARPA file, too (also .gz, .xz)."
        ),
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
    skip_symbols: Annotated[
        bool,
        typer.Option("--skip-symbols", help="Leave out <s>, </s> and <unk> that the text has."),
    ] = False,
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
        prune=_prune(prune),
        fallback=DEFAULT_FALLBACK if discount_fallback else None,
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


class Search(StrEnum):
    """How fillings are searched for."""

    EXACT = "exact"
    OFFICIAL = "official"


@app.command(epilog="Example: crosspro lm fill test.data --task en-fr --lm fr.lm -o filled.data")
def fill(
    file: Annotated[
        Path, typer.Argument(help="Five-column file, blind or not, or - for standard input.")
    ],
    task: TaskName,
    lm: Annotated[Path, typer.Option(help="Language model: ARPA, of `lm train`, or of KenLM.")],
    none_penalty: Annotated[
        float, typer.Option(help="Added to the log10 score of a gap that is left empty.")
    ] = 0.0,
    layout: Annotated[
        FilledLayout,
        typer.Option(
            help="replace: five columns; predicted: classes, words; scores: probabilities of each "
            "filler."
        ),
    ] = FilledLayout.REPLACE,
    search: Annotated[
        Search, typer.Option(help="official: that of the official baseline, which is not exact.")
    ] = Search.EXACT,
    other_fillers: Annotated[
        Path | None,
        typer.Option(help="Words in place of the official other fillers, one a line."),
    ] = None,
    doc_ids: DocIdsBeside = None,
    output: Output = None,
) -> None:
    """Fill gaps with a language model, the baseline of the shared tasks.

    All gaps of a line are filled together, by an exact search.
    """
    rules = load_task(task)
    fillers = task_fillers(rules, list(read_text_lines(other_fillers)) if other_fillers else None)
    form_warning = other_form(file, rules)
    if form_warning is not None:
        print(f"warning: {form_warning}", file=sys.stderr)
    model = load_model(lm)
    examples = read_examples(file, rules, layers_of(file, doc_ids).documents, lenient=True)
    filled: Iterator[tuple[Filling, Floats]]
    if search is Search.OFFICIAL:
        filled = (official_filling(model, fillers, none_penalty, example) for example in examples)
    else:
        with_scores = layout is FilledLayout.SCORES
        filled = _fill_exactly(GapFiller(model, fillers, none_penalty), examples, with_scores)
    raw_lines = list(read_text_lines(file))
    if not raw_lines:
        raise input_error(file, "file", "at least one line", "none")
    lines: list[str] = []
    for number, (raw, (filling, table)) in enumerate(zip(raw_lines, filled, strict=True)):
        lines += filled_lines(number, raw.rstrip("\r"), filling.choices, table, fillers, layout)
    write_output("".join(f"{line}\n" for line in lines).encode("utf-8"), output)
    print(f"{file}: filled with {lm}", file=sys.stderr)


def _fill_exactly(
    filler: GapFiller, examples: Iterable[Example], with_scores: bool
) -> Iterator[tuple[Filling, Floats]]:
    """The best filling of each line; the probabilities of fillers only where they are shown."""
    for group in whole_documents(examples, AT_ONCE):
        table = filler.probabilities(group) if with_scores else None
        end = 0
        for example, filling in zip(group, filler.fill(group), strict=True):
            start, end = end, end + len(example.gaps)
            yield filling, np.zeros((0, 0)) if table is None else table[start:end]


def _rules(task: str | None) -> Task | None:
    return None if task is None else load_task(task)


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


def _prune(text: str) -> list[int]:
    try:
        return [int(part) for part in re.split(r"[\s,]+", text.strip())]
    except ValueError:
        expected = "numbers with spaces between"
        raise CrossproError(f"prune: expected {expected}, found {text!r}") from None
