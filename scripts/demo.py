"""Write the generated demo corpus as shared-task files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.files import conllu_text
from crosspro.data_prep.core.errors import counted
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import make_folder, write_text
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import SPLITS, DemoSentence, demo_corpus
from crosspro.data_prep.formats.chains import ChainRow, chains_text
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.evaluation.report.records import csv_text
from crosspro.scripts.common import App, TaskName, output_folder, show_table, tell

app = App()


@app.command(epilog="Example: crosspro demo --task en-fr -o demo")
def demo(
    task: TaskName,
    output: Annotated[Path, output_folder("Folder to write to.")],
    documents: Annotated[
        int, typer.Option(min=1, help="Training documents; dev and test have at most as many.")
    ] = SPLITS["train"],
) -> None:
    """Write the generated demo corpus as shared-task files.

    For each split a .data file, its .doc-ids and layers of the source (lemmas and parse in
    .source.conllu, coreference in .chains.tsv), and a .gaps.tsv with the origin of each pronoun;
    then the kinds of gaps.
    """
    rules = load_task(task)
    corpus = {
        name: demo_corpus(rules, name, min(number, documents), layers=True)
        for name, number in SPLITS.items()
    }
    make_folder(output)
    for name, sentences in corpus.items():
        examples = [example for example, _ in sentences]
        write_examples(output / f"{name}.data", examples)
        write_doc_ids(output / f"{name}.doc-ids", examples)
        write_text(output / f"{name}.gaps.tsv", _origins(sentences))
        parses = [example.source_parse for example in examples if example.source_parse]
        write_text(output / f"{name}.source.conllu", "".join(map(conllu_text, parses)))
        write_text(output / f"{name}.chains.tsv", chains_text(_chain_rows(examples)))
        gaps = counted(sum(len(example.gaps) for example in examples), "gap")
        tell(f"{output / name}.data: {counted(len(examples), 'line')}, {gaps}")
    test = [origin for _, origins in corpus["test"] for origin in origins]
    numbers = Counter((origin.kind, origin.back) for origin in test)
    rows = [
        (kind, str(back), str(number), f"{100 * number / len(test):.1f}%")
        for (kind, back), number in sorted(numbers.items(), key=lambda item: -item[1])
    ]
    print(show_table(("kind of gap", "sentences back", "gaps", "share"), rows), end="")


def _chain_rows(examples: Sequence[Example]) -> Iterator[ChainRow]:
    lines: Counter[str] = Counter()
    for example in examples:
        document = example.document or ""
        for mention in example.chains or ():
            yield ChainRow(document, lines[document], mention)
        lines[document] += 1


def _origins(sentences: list[DemoSentence]) -> str:
    rows: list[Sequence[object]] = [("line", "position", "label", "kind", "sentences_back")]
    for line, (example, origins) in enumerate(sentences, start=1):
        for gap, origin in zip(example.gaps, origins, strict=True):
            rows.append((line, gap.position, gap.label, origin.kind, origin.back))
    return csv_text(rows, "\t")
