"""Fill gaps with a language model."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from crosspro.baselines.fill import Fillers, Floats, GapFiller, task_fillers
from crosspro.baselines.fill_released import legacy_fillings
from crosspro.baselines.ngram.language_model import LanguageModel
from crosspro.baselines.ngram.load import load_model
from crosspro.data_prep.errors import input_error
from crosspro.data_prep.example import Example
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.data_prep.formats.textfile import read_text_lines
from crosspro.data_prep.layers import layers_beside
from crosspro.data_prep.task import load_task
from crosspro.prediction.output import AT_ONCE, whole_documents
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import Output, TaskName, write_output

_PLACEHOLDER = re.compile(r"REPLACE_\d+")


class Format(StrEnum):
    """What is written for a line."""

    REPLACE = "replace"
    PREDICTED = "predicted"
    BOTH = "both"
    COMPARE = "compare"
    SCORES = "scores"


app = command_app()


@app.command()
def fill(
    file: Annotated[Path, typer.Argument(help="Five-column file, blind or not.")],
    task: TaskName,
    lm: Annotated[Path, typer.Option(help="Language model: ARPA, or a model of `crosspro lm`.")],
    none_penalty: Annotated[
        float, typer.Option(help="Added to the log10 score of a gap that is left empty.")
    ] = 0.0,
    format_: Annotated[
        Format,
        typer.Option(
            "--format",
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
    output: Output = None,
) -> None:
    """Fill gaps with a language model.

    All gaps of a line are filled together, by an exact search. Blind files are filled too; with
    --legacy they are echoed, as the official program does.
    """
    rules = load_task(task)
    others = list(read_text_lines(other_fillers)) if other_fillers else None
    fillers = task_fillers(rules, others)
    model = load_model(lm)
    examples = read_examples(file, rules, layers_beside(file).documents, lenient=True)
    raw = read_text_lines(file)
    if legacy:
        found = _legacy(model, fillers, none_penalty, examples)
    else:
        found = _exact(model, fillers, none_penalty, examples, format_ is Format.SCORES)
    lines: list[str] = []
    seen = 0
    for number, (line, filled) in enumerate(zip(raw, found, strict=True)):
        lines += _format(number, line.rstrip("\r"), filled, format_, fillers, legacy)
        seen += 1
    if not seen:
        raise input_error(file, "file", "at least one line", "none")
    write_output("".join(text + "\n" for text in lines).encode("utf-8"), output)
    print(f"{file}: filled with {lm}", file=sys.stderr)


Filled = tuple[Example, tuple[int, ...], Floats]


def _legacy(
    model: LanguageModel, fillers: Fillers, penalty: float, examples: Iterator[Example]
) -> Iterator[Filled]:
    for example in examples:
        filling, table = legacy_fillings(model, fillers, penalty, example)
        yield example, filling.choices, table


def _exact(
    model: LanguageModel,
    fillers: Fillers,
    penalty: float,
    examples: Iterator[Example],
    scores: bool,
) -> Iterator[Filled]:
    filler = GapFiller(model, fillers, penalty)
    for group in whole_documents(examples, AT_ONCE):
        gaps = sum(len(example.gaps) for example in group)
        table = filler.probabilities(group) if scores else np.zeros((gaps, len(fillers)))
        place = 0
        for example, filling in zip(group, filler.fill(group), strict=True):
            yield example, filling.choices, table[place : place + len(example.gaps)]
            place += len(example.gaps)


def _format(
    number: int,
    line: str,
    filled: Filled,
    format_: Format,
    fillers: Fillers,
    legacy: bool,
) -> list[str]:
    _, choices, table = filled
    words = [fillers.words[choice] for choice in choices]
    classes = [_official_class(fillers.words[c], fillers.classes[c]) for c in choices]
    columns = line.split("\t")
    echoed = legacy and line.startswith("\t")
    if format_ is Format.SCORES:
        text = "\t".join(columns[2:])
        shown = [f"{number}\tTEXT\t{text}"]
        if not echoed:
            shown += [
                f"{number}\tITEM {gap}\t{_shares(row, fillers)}" for gap, row in enumerate(table)
            ]
        return shown
    if format_ is Format.REPLACE:
        if echoed or not choices:
            return [line]
        columns[:2] = [" ".join(classes), " ".join(words)]
        columns[3] = _PLACEHOLDER.sub("REPLACE", columns[3])
        return ["\t".join(columns)]
    if echoed or not choices:
        return []
    if format_ is Format.PREDICTED:
        return [f"{' '.join(classes)}\t{' '.join(words)}"]
    if format_ is Format.BOTH:
        return [f"{columns[1]}\t{' '.join(words)}"]
    return [f"{gold}\t{ours}" for gold, ours in zip(columns[0].split(" "), classes, strict=True)]


def _official_class(word: str, name: str) -> str:
    """The official program writes ce for c', but keeps ça apart; the scorer merges them."""
    return name if name == "OTHER" or word == "c'" else word


def _shares(row: Floats, fillers: Fillers) -> str:
    order = sorted(range(len(row)), key=lambda index: -row[index])
    return " ".join(f"{fillers.words[i]} {row[i]:.4f}" for i in order if row[i] > 0.001)


if __name__ == "__main__":
    run(app)
