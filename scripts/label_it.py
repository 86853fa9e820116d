"""Label each English it: anaphoric, pleonastic or event."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.data_prep.core.files import atomic_output, read_text_lines
from crosspro.scripts.app import group_app
from crosspro.scripts.main import run
from crosspro.scripts.options import Output, Resamples, Seed, write_output

if TYPE_CHECKING:
    from crosspro.baselines.it_classifier.classifier import LabelledSentence
    from crosspro.baselines.it_classifier.context import ItExample

app = group_app()

Data = Annotated[
    list[Path],
    typer.Argument(
        metavar="DATA...",
        help="ParCorFull (a folder, or a path into its archive), the table of event pronouns, or "
        "a TSV of your own: document, before, sentence (with __it__), label.",
    ),
]
AnnotatorName = Annotated[
    str,
    typer.Option("--annotator", help="light: tags by word lists; hanta: by a tagger."),
]
LeaveOut = Annotated[
    list[str] | None,
    typer.Option(
        help="A document that is not learnt from (repeat); discomt2015, teddev: the talks of "
        "these sets."
    ),
]
Balance = Annotated[
    float,
    typer.Option(min=0, max=1, help="0: all examples count alike; 1: all labels count alike."),
]


class ItLayout(StrEnum):
    """How labels are shown."""

    TSV = "tsv"
    JSONL = "jsonl"
    INLINE = "inline"


@app.callback()
def label_it() -> None:
    """Label each English it: anaphoric, pleonastic or event.

    `crosspro label-it FILE` is short for `crosspro label-it text FILE`.
    """


@app.command()
def text(
    file: Annotated[
        Path, typer.Argument(help="English, a sentence a line; an empty line ends a document (-).")
    ],
    classifier: Annotated[
        Path | None,
        typer.Option(help="A model of `crosspro label-it train`; without it, patterns decide."),
    ] = None,
    layout: Annotated[
        ItLayout, typer.Option(help="tsv: a row an it; jsonl: an object an it; inline: it|label.")
    ] = ItLayout.TSV,
    tokenised: Annotated[
        bool | None, typer.Option(help="Whether the text is tokenised; found out if not said.")
    ] = None,
    output: Output = None,
) -> None:
    """Label each it of a text.

    Lines and tokens are counted from 1 and 0, as elsewhere.
    """
    from crosspro.baselines.it_classifier.classifier import label_text, scorer_of
    from crosspro.data_prep.annotate.tokenise import tokenise_lines

    scorer = scorer_of(classifier)
    print(f"labels by {scorer.described()}", file=sys.stderr)
    sentences = tokenise_lines(read_text_lines(file), "en", tokenised=tokenised)
    counts: Counter[str] = Counter()
    rows = _rows(label_text(sentences, scorer), layout, counts)
    if output is None:
        for row in rows:
            sys.stdout.buffer.write(row)
        sys.stdout.buffer.flush()
    else:
        with atomic_output(output) as handle:
            handle.writelines(rows)
    shown = ", ".join(f"{count:,} {label}" for label, count in counts.most_common())
    print(f"{file}: {shown or 'no it'}", file=sys.stderr)


@app.command()
def train(
    data: Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model to write (JSON).")],
    annotator: AnnotatorName = "light",
    leave_out: LeaveOut = None,
    balance: Balance = 0.7,
) -> None:
    """Train a model on annotated text."""
    from crosspro.baselines.it_classifier.classifier import train_classifier

    learnt = train_classifier(_examples(data, annotator, leave_out), annotator, balance)
    learnt.save(output)
    print(f"{output}: {learnt.described()}", file=sys.stderr)


@app.command()
def evaluate(
    data: Data,
    annotator: AnnotatorName = "light",
    leave_out: LeaveOut = None,
    balance: Balance = 0.7,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the documents.")] = 10,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    output: Output = None,
) -> None:
    """Cross-validate a model on annotated text, by document, beside the patterns alone."""
    from crosspro.baselines.it_classifier.classifier import train_classifier
    from crosspro.baselines.it_classifier.training_data import cross_validate, report_table
    from crosspro.evaluation.core.statistics import Resampling

    examples = _examples(data, annotator, leave_out)
    trainer = partial(train_classifier, annotator=annotator, balance=balance)
    plan = Resampling(resamples, seed) if resamples else None
    write_output(report_table(cross_validate(examples, trainer, folds, plan)).encode(), output)


def _examples(data: list[Path], annotator: str, leave_out: list[str] | None) -> list[ItExample]:
    from crosspro.baselines.it_classifier.classifier import annotate_contexts, check_annotator
    from crosspro.baselines.it_classifier.training_data import (
        named_documents,
        read_training_data,
        without_documents,
    )

    check_annotator(annotator, "settings")
    whole = read_training_data(data)
    examples = without_documents(whole, named_documents(leave_out or ()))
    if leave_out:
        print(f"left out: {len(whole) - len(examples):,} of {len(whole):,}", file=sys.stderr)
    contexts = annotate_contexts([example.context for example in examples], annotator)
    return [replace(one, context=new) for one, new in zip(examples, contexts, strict=True)]


def _rows(
    sentences: Iterable[LabelledSentence], layout: ItLayout, counts: Counter[str]
) -> Iterator[bytes]:
    from crosspro.baselines.it_classifier.context import LABELS

    if layout is ItLayout.TSV:
        yield "\t".join(("line", "token", "word", "label", *LABELS)).encode() + b"\n"
    for line, sentence in enumerate(sentences, start=1):
        labels = sentence.labels()
        counts.update(labels.values())
        if layout is ItLayout.INLINE:
            marked = (
                f"{word}|{labels[place]}" if place in labels else word
                for place, word in enumerate(sentence.words)
            )
            yield f"{' '.join(marked)}\n".encode()
            continue
        for place, label in labels.items():
            chances = {name: round(chance, 4) for name, chance in sentence.chances[place].items()}
            word = sentence.words[place]
            if layout is ItLayout.TSV:
                cells = (str(line), str(place), word, label, *map(str, chances.values()))
                yield f"{chr(9).join(cells)}\n".encode()
            else:
                found = {"line": line, "token": place, "word": word, "label": label, **chances}
                yield f"{json.dumps(found, ensure_ascii=False)}\n".encode()


if __name__ == "__main__":
    run(app)
