"""A development set that asks as contrastive sets do: for one pronoun, with all others known.

    python -m crosspro.scripts.reproduce.single_gaps FILE.data --task TASK -o FOLDER

FILE is training text of a task whose target is inflected, with its documents beside it. One in
`--parts` of the documents is taken for development: each of its gaps with one of the `--classes`
becomes a document of its own in FOLDER/dev.NAME.data, its sentence and up to `--context` sentences
before it, in which all other gaps have their words. The other documents go to
FOLDER/train.NAME.data, and FOLDER/unseen.NAME.data has all lines of those that were taken, for a
pre-training. Layers other than documents are left out. Which documents are taken depends on their
names alone, so lines may stand on both sides; it is said how many gaps do. Intervals on such a set
resample gaps.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from typing import Annotated
from zlib import crc32

import typer

from crosspro.data_prep.annotate.layers import data_stem, layers_beside
from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import check_new_folder, make_folder
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.shared_task import (
    read_examples,
    refuse_other_forms,
    write_doc_ids,
    write_examples,
)
from crosspro.data_prep.gaps.extract import with_gold_words
from crosspro.scripts.main import command_app, run

app = command_app()


@app.command()
def split(
    file: Annotated[Path, typer.Argument(help="Prepared text with its doc-ids beside it.")],
    task: Annotated[str, typer.Option(help="A task, or the path of a task file.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to make.")],
    classes: Annotated[
        list[str] | None, typer.Option(help="Classes to ask for (repeat); else all.")
    ] = None,
    parts: Annotated[int, typer.Option(min=2, help="One document of so many is taken.")] = 4,
    context: Annotated[int, typer.Option(min=0, help="Sentences before, at most.")] = 1,
) -> None:
    """Split prepared text into single gaps for development and the rest for training."""
    rules = load_task(task)
    if rules.tagged:
        raise input_error("settings", "--task", "one whose target is inflected", rules.name)
    for name in classes or ():
        if name not in rules.classes:
            raise input_error("settings", "--classes", choices(rules.classes), quoted(name))
    check_new_folder(output)
    refuse_other_forms([(file, rules)])
    documents = read_documents(file, rules)
    taken = [lines for lines in documents if _is_taken(lines, parts)]
    rest = [lines for lines in documents if not _is_taken(lines, parts)]
    asked = classes or rules.classes
    dev = [gap for lines in taken for gap in single_gaps(lines, rules, asked, context)]
    if not dev or not rest:
        found = f"{len(rest)}, and {len(taken)} with no such gap" if rest else "none"
        raise input_error(file, "documents", "some to learn from, and some with gaps to ask", found)
    make_folder(output)
    name = data_stem(file).removeprefix("train").removeprefix(".") or "text"
    for part, examples in {"train": rest, "dev": dev, "unseen": taken}.items():
        lines = list(chain.from_iterable(examples))
        path = output / f"{part}.{name}.data"
        write_examples(path, lines)
        write_doc_ids(output / f"{part}.{name}.doc-ids", lines)
        gaps = sum(len(line.gaps) for line in lines)
        print(f"{path}: {len(lines):,} lines, {gaps:,} gaps", file=sys.stderr)
    learnt = {_text(line) for lines in rest for line in lines if line.gaps}
    both = sum(_text(lines[-1]) in learnt for lines in dev)
    if both:
        print(f"note: {both:,} gaps of dev stand in lines of train, too", file=sys.stderr)


def read_documents(file: Path, task: Task) -> list[list[Example]]:
    """The lines of each document; every gap has its label and its word, and no id comes again."""
    lines = list(read_examples(file, task, layers_beside(file).documents))
    problems = [
        Problem(str(file), number, "gaps", "a label and a word for each", "one without")
        for number, line in enumerate(lines, start=1)
        if any(gap.label is None or gap.word is None for gap in line.gaps)
    ]
    found = [list(group) for _, group in groupby(lines, key=lambda line: line.document)]
    names = [group[0].document for group in found]
    if None in names:
        expected = "a file of doc-ids beside it"
        problems.append(Problem(str(file), None, "documents", expected, "none"))
    for name, times in Counter(names).items():
        if times > 1:
            expected = "the lines of a document together"
            again = f"{quoted(str(name))} again after others"
            problems.append(Problem(str(file), None, "documents", expected, again))
    if problems:
        raise InputError(problems)
    return found


def single_gaps(
    lines: Sequence[Example], task: Task, classes: Sequence[str], context: int
) -> Iterator[list[Example]]:
    """Each gap of these classes in a document, with the lines before it, as one of its own."""
    wanted = {task.class_index[name] for name in classes}
    number = 0
    for place, line in enumerate(lines):
        for gap in line.gaps:
            if gap.label is None or task.class_index[gap.label] not in wanted:
                continue
            number += 1
            before = map(with_gold_words, lines[max(0, place - context) : place])
            shown = [*(one for one in before if one.target), with_gold_words(line, gap)]
            yield [replace(one, document=f"{line.document}#{number}") for one in shown]


def _is_taken(lines: Sequence[Example], parts: int) -> bool:
    return crc32(str(lines[0].document).encode()) % parts == 0


def _text(line: Example) -> tuple[Sequence[str], Sequence[str]]:
    """Both sides with all words."""
    return line.source, with_gold_words(line).target


if __name__ == "__main__":
    run(app)
