"""Layers of a data file: what may lie beside X.data and say more of its lines, and their reader.

    X.doc-ids         the document of each line (`crosspro.data_prep.formats.shared_task`)
    X.source.conllu   a parse of the source: one CoNLL-U sentence a line, whose words are column 3
    X.target.conllu   a parse of the target: one sentence a line, whose words are column 4 with each
                      placeholder (REPLACE_2) as a word, and without |TAG where it is lemmatised
    X.chains.tsv      coreference chains (`crosspro.data_prep.formats.chains`); without this file,
                      the entities of the parses, if they have any (CorefUD)

Each may be plain, .gz or .xz, and so may X.data. X.gold.data and X.blind.data have the layers of X,
unless they have their own (X.gold.doc-ids). Whatever reads five-column files finds them here.
What reads a layer is imported where there is one, for most data has none.
`cut -f3 X.data | crosspro annotate … --layout conllu`, or any parser of the user's, makes a parse.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.example import Example, Mention, Side
from crosspro.data_prep.core.files import is_file
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.shared_task import read_examples

if TYPE_CHECKING:
    from crosspro.data_prep.annotate.files import ConlluFile
    from crosspro.data_prep.formats.chains import ChainRow

COMPRESSED = ("", ".gz", ".xz")
BLIND = ".blind"
"""X.blind.data is X.data without its labels."""
_VARIANTS = (BLIND, ".gold")
"""Files with the lines of X.data, and so with its layers."""
SUFFIXES = {
    "documents": "doc-ids",
    "source_parse": "source.conllu",
    "target_parse": "target.conllu",
    "chains": "chains.tsv",
}


@dataclass(frozen=True)
class Layers:
    """The files that belong to a data file; None where there is none."""

    documents: Path | None = None
    source_parse: Path | None = None
    target_parse: Path | None = None
    chains: Path | None = None

    def files(self) -> dict[str, Path]:
        """Those that there are, by the name of the layer."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: path for name, path in found.items() if path is not None}

    def present(self) -> frozenset[str]:
        """The layers that lines get from these files; chains may be the entities of a parse."""
        parses = (self.source_parse, self.target_parse)
        entities = any(parse is not None and _has_entities(parse) for parse in parses)
        return frozenset(self.files()) | ({"chains"} if entities else frozenset())


def layers_in(examples: Sequence[Example]) -> frozenset[str]:
    """The layers that any of these examples has."""
    found = {
        "documents": any(example.document for example in examples),
        "source_parse": any(example.source_parse is not None for example in examples),
        "target_parse": any(example.target_parse is not None for example in examples),
        "chains": any(example.chains is not None for example in examples),
    }
    return frozenset(name for name, there in found.items() if there)


def layers_beside(path: str | Path) -> Layers:
    """The files that lie beside a data file."""
    path = Path(path)
    return Layers(**{name: _beside(path, suffix) for name, suffix in SUFFIXES.items()})


def data_stem(path: Path) -> str:
    """The name that the layers of a data file share with it: X of X.data.xz."""
    return path.name.removesuffix(".gz").removesuffix(".xz").removesuffix(".data")


def read_layered(
    path: str | Path, task: Task, layers: Layers | None = None, *, lenient: bool = False
) -> Iterator[Example]:
    """The examples of a data file with all its layers, or with the given ones."""
    layers = layers_beside(path) if layers is None else layers
    examples = read_examples(path, task, layers.documents, lenient=lenient)
    if layers.source_parse:
        examples = _with_source_parse(examples, layers.source_parse, task)
    if layers.target_parse:
        examples = _with_target_parse(examples, layers.target_parse, task)
    if layers.chains:
        return _with_chains(examples, layers.chains)
    parses: dict[Side, Path | None] = {"source": layers.source_parse, "target": layers.target_parse}
    for side, parse in parses.items():
        if parse and _has_entities(parse):
            examples = _with_entities(examples, parse, side)
    return examples


def layer_problems(
    path: str | Path, task: Task, layers: Layers, *, lenient: bool = False
) -> list[Problem]:
    """What is wrong with the layers of a data file whose lines and documents are good."""
    problems: list[Problem] = []
    for name, file in replace(layers, documents=None).files().items():
        alone = Layers(**{"documents": layers.documents, name: file})
        try:
            for _ in read_layered(path, task, alone, lenient=lenient):
                pass
        except InputError as error:
            problems += error.problems
    return problems


def _beside(path: Path, suffix: str) -> Path | None:
    own = data_stem(path)
    for stem in dict.fromkeys((own, *(own.removesuffix(variant) for variant in _VARIANTS))):
        for compressed in COMPRESSED:
            candidate = path.with_name(f"{stem}.{suffix}{compressed}")
            if stem and is_file(candidate):
                return candidate
    return None


def _parse(path: Path, language: str) -> ConlluFile:
    from crosspro.data_prep.annotate.files import ConlluFile

    return ConlluFile(str(path), language, "universal")


def _has_entities(parse: Path) -> bool:
    from crosspro.data_prep.formats.chains import has_entities

    return has_entities(parse)


def _with_source_parse(examples: Iterable[Example], path: Path, task: Task) -> Iterator[Example]:
    parse = _parse(path, task.source_language)
    for example in examples:
        yield replace(example, source_parse=parse.annotate([example.source])[0])
    parse.finish()


def _with_target_parse(examples: Iterable[Example], path: Path, task: Task) -> Iterator[Example]:
    parse = _parse(path, task.target_language)
    for example in examples:
        yield replace(example, target_parse=parse.annotate([example.lemmas])[0])
    parse.finish()


def _with_entities(examples: Iterable[Example], path: Path, side: Side) -> Iterator[Example]:
    """The examples with the mentions of a parse that has been matched with them already.

    Entities of the two sides have names of their own.
    """
    from crosspro.data_prep.formats.chains import entity_mentions, written_positions
    from crosspro.data_prep.formats.conllu import read_conllu

    sentences = read_conllu(path)
    for example in examples:
        words = example.source if side == "source" else example.target
        if not words:
            yield example
            continue
        sentence = next(sentences)
        places = list(range(len(sentence.words)))
        if len(words) != len(places):
            places = written_positions(sentence)
        mentions = [
            Mention(f"{side}:{entity}", side, places[first], places[last])
            for entity, first, last in entity_mentions(path, sentence)
        ]
        yield replace(example, chains=(*(example.chains or ()), *dict.fromkeys(mentions)))


def _with_chains(examples: Iterable[Example], path: Path) -> Iterator[Example]:
    """The examples with their mentions; at the first fault none follows, and all are raised."""
    from crosspro.data_prep.formats.chains import read_chains

    rows: dict[tuple[str, int], list[ChainRow]] = defaultdict(list)
    for row in read_chains(path):
        rows[row.document, row.sentence].append(row)
    problems: list[Problem] = []
    sentences: dict[str, int] = defaultdict(int)
    for example in examples:
        document = example.document or ""
        found = rows.pop((document, sentences[document]), [])
        sentences[document] += 1
        problems += [p for row in found if (p := _outside(path, row, example)) is not None]
        if not problems:
            mentions = sorted(
                (row.mention for row in found), key=lambda m: (m.side, m.first, m.last, m.chain)
            )
            yield replace(example, chains=tuple(mentions))
    for row in (row for left in rows.values() for row in left):
        known = sentences.get(row.document)
        if known is None:
            expected, field = "a document of the data", "document"
            problems.append(Problem(str(path), row.line, field, expected, repr(row.document)))
        else:
            expected = f"one of 0 to {known - 1}, as the document has {known} lines"
            problems.append(Problem(str(path), row.line, "sentence", expected, str(row.sentence)))
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.line or 0))


def _outside(path: Path, row: ChainRow, example: Example) -> Problem | None:
    side = row.mention.side
    length = len(example.source if side == "source" else example.target)
    if row.mention.last < length:
        return None
    expected = f"less than {length}, the number of {side} tokens"
    return Problem(str(path), row.line, "last", expected, str(row.mention.last))
