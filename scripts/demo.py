"""Write the generated demo corpus as shared-task files."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.errors import counted
from crosspro.data_prep.core.files import make_folder, write_text
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import SPLITS, DemoSentence, ceilings, demo_corpus, kinds
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.evaluation.output.tables import text_table
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import TaskName

app = command_app()


@app.command()
def demo(
    task: TaskName,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")],
    train: Annotated[int, typer.Option(min=1, help="Training documents.")] = SPLITS["train"],
    dev: Annotated[int, typer.Option(min=1, help="Development documents.")] = SPLITS["dev"],
    test: Annotated[int, typer.Option(min=1, help="Test documents.")] = SPLITS["test"],
    seed: Annotated[int, typer.Option(help="Another seed gives another corpus.")] = 1,
) -> None:
    """Write the generated demo corpus as shared-task files.

    For each split a .data file, its .doc-ids and a .gaps.tsv that says where each pronoun comes
    from; then the kinds of gaps and the best scores that any system can reach, by its context.
    """
    rules = load_task(task)
    sizes = {"train": train, "dev": dev, "test": test}
    corpus = {name: demo_corpus(rules, name, number, seed) for name, number in sizes.items()}
    make_folder(output)
    for name, sentences in corpus.items():
        examples = [sentence.example for sentence in sentences]
        write_examples(output / f"{name}.data", examples)
        write_doc_ids(output / f"{name}.doc-ids", examples)
        write_text(output / f"{name}.gaps.tsv", _origins(sentences))
        gaps = sum(len(example.gaps) for example in examples)
        print(
            f"{output / name}.data: {counted(len(examples), 'line')}, {counted(gaps, 'gap')}",
            file=sys.stderr,
        )
    print(_kinds_table(corpus["test"]))
    print(
        text_table(
            ("best reachable on test, reading", "macro recall", "accuracy", "decided gaps"),
            [
                (c.context, f"{c.macro_recall:.2f}", f"{c.accuracy:.2f}", f"{c.decidable:.1f}%")
                for c in ceilings(rules, corpus["test"])
            ],
        ),
        end="",
    )


def _kinds_table(sentences: list[DemoSentence]) -> str:
    counted = kinds(sentences)
    total = sum(counted.values())
    rows = [
        (kind, str(back), str(number), f"{100 * number / total:.1f}%")
        for (kind, back), number in sorted(counted.items(), key=lambda item: -item[1])
    ]
    return text_table(("kind of gap", "sentences back", "gaps", "share"), rows)


def _origins(sentences: list[DemoSentence]) -> str:
    output = io.StringIO()
    writer = csv.writer(output, delimiter="\t", lineterminator="\n")
    writer.writerow(("line", "position", "label", "kind", "sentences_back", "candidates"))
    for line, sentence in enumerate(sentences, start=1):
        for gap, origin in zip(sentence.example.gaps, sentence.origins, strict=True):
            chances = " ".join(f"{name}:{share:g}" for name, share in origin.candidates.items())
            writer.writerow((line, gap.position, gap.label, origin.kind, origin.back, chances))
    return output.getvalue()


if __name__ == "__main__":
    run(app)
