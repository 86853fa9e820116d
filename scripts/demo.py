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
from crosspro.data_prep.demo.corpus import SPLITS, demo_examples
from crosspro.data_prep.formats.chains import ChainRow, chains_text
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.scripts.common import App, TaskName, output_folder, tell

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

    For each split a .data file, its .doc-ids and layers of the source: lemmas and parse in
    .source.conllu, coreference in .chains.tsv.
    """
    rules = load_task(task)
    corpus = {
        name: demo_examples(rules, name, min(number, documents), layers=True)
        for name, number in SPLITS.items()
    }
    make_folder(output)
    for name, examples in corpus.items():
        write_examples(output / f"{name}.data", examples)
        write_doc_ids(output / f"{name}.doc-ids", examples)
        parses = [example.source_parse for example in examples if example.source_parse]
        write_text(output / f"{name}.source.conllu", "".join(map(conllu_text, parses)))
        write_text(output / f"{name}.chains.tsv", chains_text(_chain_rows(examples)))
        gaps = counted(sum(len(example.gaps) for example in examples), "gap")
        tell(f"{output / name}.data: {counted(len(examples), 'line')}, {gaps}")


def _chain_rows(examples: Sequence[Example]) -> Iterator[ChainRow]:
    lines: Counter[str] = Counter()
    for example in examples:
        document = example.document or ""
        for mention in example.chains or ():
            yield ChainRow(document, lines[document], mention)
        lines[document] += 1
