"""A development set that asks as contrastive sets do: for one pronoun, with all others known.

One in `parts` of the documents of a training file is taken for development: each of its gaps with
one of the classes becomes a document of its own, its sentence and up to `context` sentences before
it, in which all other gaps have their words. The other documents are left to train on. Which
documents are taken depends on their names alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from zlib import crc32

from crosspro.data_prep.annotate.layers import data_stem, layers_beside
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import make_folder
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.shared_task import read_examples, write_doc_ids, write_examples
from crosspro.data_prep.gaps.extract import with_gold_words


def split_single_gaps(
    file: Path, task: Task, folder: Path, classes: Sequence[str], *, parts: int, context: int
) -> None:
    """Write dev.NAME.data, train.NAME.data (the rest) and unseen.NAME.data (all that was taken)."""
    lines = read_examples(file, task, layers_beside(file).documents)
    documents = [list(group) for _, group in groupby(lines, key=lambda line: line.document)]
    taken = [lines for lines in documents if _is_taken(lines, parts)]
    dev = [gap for lines in taken for gap in single_gaps(lines, classes, context)]
    rest = [lines for lines in documents if not _is_taken(lines, parts)]
    make_folder(folder)
    name = data_stem(file).removeprefix("train.")
    for part, examples in {"train": rest, "dev": dev, "unseen": taken}.items():
        flat = list(chain.from_iterable(examples))
        write_examples(folder / f"{part}.{name}.data", flat)
        write_doc_ids(folder / f"{part}.{name}.doc-ids", flat)


def single_gaps(
    lines: Sequence[Example], classes: Sequence[str], context: int
) -> Iterator[list[Example]]:
    """Each gap of these classes in a document, with the lines before it, as a document."""
    number = 0
    for place, line in enumerate(lines):
        for gap in line.gaps:
            if gap.label not in classes:
                continue
            number += 1
            before = map(with_gold_words, lines[max(0, place - context) : place])
            shown = [*(known for known in before if known.target), with_gold_words(line, gap)]
            yield [replace(known, document=f"{line.document}#{number}") for known in shown]


def _is_taken(lines: Sequence[Example], parts: int) -> bool:
    return crc32(str(lines[0].document).encode()) % parts == 0
