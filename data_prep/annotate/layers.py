"""Layers of a data file: files beside X.data that say more of its lines, and their reader.

    X.doc-ids         the document of each line (`crosspro.data_prep.formats.shared_task`)
    X.source.conllu   a parse of the source: one CoNLL-U sentence a line, whose words are column 3
    X.target.conllu   a parse of the target: one sentence a line, whose words are column 4 with each
                      placeholder (REPLACE_2) as a word, and without |TAG where it is lemmatised
    X.chains.tsv      coreference chains (`crosspro.data_prep.formats.chains`)

Each may be plain, .gz or .xz, and so may X.data. X.gold.data and X.blind.data have the layers of X,
unless they have their own (X.gold.doc-ids).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from crosspro.data_prep.annotate.files import ConlluFile
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.core.files import is_file
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.chains import ChainRow, read_chains
from crosspro.data_prep.formats.shared_task import read_examples

COMPRESSED = ("", ".gz", ".xz")
BLIND = ".blind"
"""X.blind.data is X.data without its labels."""
SUFFIXES = {
    "documents": "doc-ids",
    "source_parse": "source.conllu",
    "target_parse": "target.conllu",
    "chains": "chains.tsv",
}


_ORDER = attrgetter("side", "first", "last", "chain")


@dataclass(frozen=True)
class Layers:
    """The files that belong to a data file; None where there is none."""

    documents: Path | None = None
    source_parse: Path | None = None
    target_parse: Path | None = None
    chains: Path | None = None

    def files(self) -> dict[str, Path]:
        """Those that there are, by the name of the layer."""
        return {name: path for name, path in asdict(self).items() if path is not None}


def layers_in(examples: Sequence[Example]) -> frozenset[str]:
    """The layers that any of these examples has."""
    attributes = {name: name for name in SUFFIXES} | {"documents": "document"}
    return frozenset(
        name
        for name, attribute in attributes.items()
        if any(getattr(example, attribute) not in (None, "") for example in examples)
    )


def layers_beside(path: str | Path) -> Layers:
    """The files that lie beside a data file."""
    path = Path(path)
    stem = data_stem(path)
    stems = dict.fromkeys((stem, stem.removesuffix(BLIND), stem.removesuffix(".gold")))

    files = {
        layer: first_file(path, [f"{name}.{suffix}" for name in stems if name])
        for layer, suffix in SUFFIXES.items()
    }
    return Layers(**files)


def first_file(beside: Path, names: Iterable[str]) -> Path | None:
    """The first file of some names beside a path, compressed or not."""
    paths = (beside.with_name(f"{name}{end}") for name in names for end in COMPRESSED)
    return next(filter(is_file, paths), None)


def data_stem(path: Path) -> str:
    """The name that the layers of a data file share with it: X of X.data.xz."""
    return path.name.removesuffix(".gz").removesuffix(".xz").removesuffix(".data")


def read_layered(
    path: str | Path, task: Task, layers: Layers | None = None, *, lenient: bool = False
) -> Iterator[Example]:
    """The examples of a data file with all its layers, or with the given ones."""
    layers = layers_beside(path) if layers is None else layers
    examples = read_examples(path, task, layers.documents, lenient=lenient)
    parses: dict[Side, Path | None] = {"source": layers.source_parse, "target": layers.target_parse}
    for side, parse in parses.items():
        if parse is not None:
            examples = _with_parse(examples, parse, task, side)
    return _with_chains(examples, layers.chains) if layers.chains else examples


def _words(example: Example, side: Side) -> tuple[str, ...]:
    return example.source if side == "source" else example.lemmas


def _with_parse(
    examples: Iterable[Example], path: Path, task: Task, side: Side
) -> Iterator[Example]:
    language = task.source_language if side == "source" else task.target_language
    file = ConlluFile(str(path), language, "universal")
    for example in examples:
        parse: Any = file.sentence(_words(example, side))
        yield replace(example, **{f"{side}_parse": parse})
    file.finish()


def _with_chains(examples: Iterable[Example], path: Path) -> Iterator[Example]:
    """The examples with their mentions."""
    rows: dict[tuple[str, int], list[ChainRow]] = defaultdict(list)
    for row in read_chains(path):
        rows[row.document, row.sentence].append(row)
    lines: dict[str, int] = defaultdict(int)
    for example in examples:
        document = example.document or ""
        of_line = rows.pop((document, lines[document]), [])
        lines[document] += 1
        for row in of_line:
            length = len(_words(example, row.mention.side))
            if row.mention.last >= length:
                expected = f"less than {length}, the number of {row.mention.side} tokens"
                raise input_error(path, "last", expected, str(row.mention.last), row.line)
        mentions = (row.mention for row in of_line)
        yield replace(example, chains=tuple(sorted(mentions, key=_ORDER)))
    for (document, sentence), (row, *_) in rows.items():
        if document not in lines:
            expected = "a document of the data"
            raise input_error(path, "document", expected, repr(document), row.line)
        expected = f"less than {lines[document]}, the number of lines of the document"
        raise input_error(path, "sentence", expected, str(sentence), row.line)
