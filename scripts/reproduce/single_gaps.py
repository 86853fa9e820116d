"""A development set that asks as contrastive sets do: for one pronoun, with all others known.

    python -m crosspro.scripts.reproduce.single_gaps FILE.data --task TASK -o FOLDER

FILE is training text of a task whose target is inflected, with its documents beside it. One in
`--parts` of the documents is for development: each of its gaps with one of the `--classes` becomes
a document of its own in FOLDER/dev.NAME.data, its sentence and up to `--context` sentences before
it, in which all other gaps have their words. The other documents go to FOLDER/train.NAME.data as
they are, and FOLDER/unseen.NAME.data has all lines of those that were taken, for a pre-training.
Which documents are taken depends on nothing but their names, so lines may stand on both sides; it
is said how many gaps do.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated
from zlib import crc32

import typer

from crosspro.data_prep.errors import choices, input_error, quoted
from crosspro.data_prep.example import Example, Gap
from crosspro.data_prep.files.textfile import make_folder
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.data_prep.layers import read_layered
from crosspro.data_prep.task import NONE, Task, load_task
from crosspro.scripts.main import command_app, run

app = command_app()


@app.command()
def split(
    file: Annotated[Path, typer.Argument(help="Prepared text with its doc-ids beside it.")],
    task: Annotated[str, typer.Option(help="A task, or the path of a task file.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for both parts.")],
    classes: Annotated[
        list[str] | None, typer.Option(help="Classes to ask for (repeat); else all.")
    ] = None,
    parts: Annotated[int, typer.Option(min=1, help="One document of so many is asked.")] = 4,
    context: Annotated[int, typer.Option(min=0, help="Sentences before, at most.")] = 1,
) -> None:
    """Split prepared text into single gaps for development and the rest for training."""
    rules = load_task(task)
    if rules.tagged:
        raise input_error("settings", "--task", "one whose target is inflected", rules.name)
    for name in classes or ():
        if name not in rules.classes:
            raise input_error("settings", "--classes", choices(rules.classes), quoted(name))
    lines = list(read_layered(file, rules))
    if any(line.document is None for line in lines):
        raise input_error(file, "documents", "a file of doc-ids beside it", "none")
    asked = [crc32((line.document or "").encode()) % parts == 0 for line in lines]
    taken, rest = (
        [line for line, one in zip(lines, asked, strict=True) if one == side]
        for side in (True, False)
    )
    dev = list(single_gaps(taken, rules, classes or rules.classes, context))
    name = file.name.split(".data")[0].removeprefix("train.")
    make_folder(output)
    for part, examples in {"train": rest, "dev": dev, "unseen": taken}.items():
        path = output / f"{part}.{name}.data"
        write_examples(path, examples)
        write_doc_ids(output / f"{part}.{name}.doc-ids", examples)
        gaps = sum(len(one.gaps) for one in examples)
        print(f"{path}: {len(examples):,} lines, {gaps:,} gaps", file=sys.stderr)
    learnt = {(line.source, with_words(line).target) for line in rest if line.gaps}
    both = sum((one.source, with_words(one).target) in learnt for one in dev if one.gaps)
    if both:
        print(f"note: {both:,} gaps of dev stand in lines of train, too", file=sys.stderr)


def single_gaps(
    lines: Sequence[Example], task: Task, classes: Sequence[str], context: int
) -> Iterator[Example]:
    """Each gap of these classes, with the lines before it, as a document of its own."""
    wanted = {task.class_index[name] for name in classes}
    number = 0
    for place, line in enumerate(lines):
        for gap in line.gaps:
            if gap.label is None or task.class_index[gap.label] not in wanted:
                continue
            number += 1
            for earlier in lines[max(0, place - context) : place]:
                if earlier.document == line.document:
                    yield replace(with_words(earlier), document=f"gap{number}")
            yield replace(with_words(line, gap), document=f"gap{number}")


def with_words(line: Example, kept: Gap | None = None) -> Example:
    """A line whose gaps have their words, but for one that is kept; what stood for no word goes.

    Layers count tokens of the line as it was, and are left out.
    """
    filled = {gap.position: gap.word for gap in line.gaps if gap is not kept}
    tokens: list[str] = []
    places: dict[int, int] = {}
    for position, token in enumerate(line.target):
        word = filled.get(position, token)
        if word is not None and word != NONE:
            places[position] = len(tokens)
            tokens.append(word)
    links = tuple((source, places[target]) for source, target in line.links if target in places)
    gaps = () if kept is None else (replace(kept, position=places[kept.position]),)
    return Example(line.source, tuple(tokens), links, gaps, line.document, line.tagged)


if __name__ == "__main__":
    run(app)
