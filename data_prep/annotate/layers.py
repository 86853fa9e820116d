"""Layers of a data file: files beside X.data that say more of its lines, and their reader.

    X.doc-ids         the document of each line (`crosspro.data_prep.formats.shared_task`)
    X.source.conllu   a parse of the source: one CoNLL-U sentence a line, whose words are column 3
    X.target.conllu   a parse of the target: one sentence a line, whose words are column 4 with each
                      placeholder (REPLACE_2) as a word, and without |TAG where it is lemmatised
    X.chains.tsv      coreference chains (`crosspro.data_prep.formats.chains`); without this file,
                      the entities of the parses, if they have any (CorefUD)

Each may be plain, .gz or .xz, and so may X.data. X.gold.data and X.blind.data have the layers of X,
unless they have their own (X.gold.doc-ids). Readers of single layers are imported where there is
one, for most data has none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, input_error
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Mention, Side
from crosspro.data_prep.core.files import is_file
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.shared_task import read_examples

COMPRESSED = ("", ".gz", ".xz")
BLIND = ".blind"
"""X.blind.data is X.data without its labels."""
_VARIANTS = (BLIND, ".gold")
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
        paths = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: path for name, path in paths.items() if path is not None}

    def present(self) -> frozenset[str]:
        """The layers that lines get from these files; chains may be the entities of a parse."""
        entities = any(_has_entities(path) for path in (self.source_parse, self.target_parse))
        return frozenset(self.files()) | ({"chains"} if entities else frozenset())


def layers_in(examples: Sequence[Example]) -> frozenset[str]:
    """The layers that any of these examples has."""
    present = {
        "documents": any(example.document for example in examples),
        "source_parse": any(example.source_parse is not None for example in examples),
        "target_parse": any(example.target_parse is not None for example in examples),
        "chains": any(example.chains is not None for example in examples),
    }
    return frozenset(name for name in present if present[name])


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
    parses: dict[Side, Path | None] = {"source": layers.source_parse, "target": layers.target_parse}
    for side, parse in parses.items():
        if parse is not None:
            examples = _with_parse(examples, parse, task, side)
    if layers.chains:
        return _with_chains(examples, layers.chains)
    for side, parse in parses.items():
        if parse is not None and _has_entities(parse):
            examples = _with_entities(examples, parse, side)
    return examples


def layer_problems(
    path: str | Path, task: Task, layers: Layers, *, lenient: bool = False
) -> list[Problem]:
    """The first fault of each layer of a data file whose lines and documents are good."""
    problems: list[Problem] = []
    for name, file in replace(layers, documents=None).files().items():
        single = Layers(**{"documents": layers.documents, name: file})
        try:
            for _ in read_layered(path, task, single, lenient=lenient):
                pass
        except InputError as error:
            problems += error.problems
    return problems


def _beside(path: Path, suffix: str) -> Path | None:
    whole = data_stem(path)
    for stem in dict.fromkeys((whole, *(whole.removesuffix(variant) for variant in _VARIANTS))):
        for compressed in COMPRESSED:
            candidate = path.with_name(f"{stem}.{suffix}{compressed}")
            if stem and is_file(candidate):
                return candidate
    return None


def _has_entities(parse: Path | None) -> bool:
    if parse is None:
        return False
    from crosspro.data_prep.formats.chains import has_entities

    return has_entities(parse)


def _with_parse(
    examples: Iterable[Example], path: Path, task: Task, side: Side
) -> Iterator[Example]:
    from crosspro.data_prep.annotate.files import ConlluFile

    def parsed(words: Sequence[str]) -> AnnotatedSentence:
        return file.annotate([words])[0]

    language = task.source_language if side == "source" else task.target_language
    file = ConlluFile(str(path), language, "universal")
    for example in examples:
        if side == "source":
            yield replace(example, source_parse=parsed(example.source))
        else:
            yield replace(example, target_parse=parsed(example.lemmas))
    file.finish()


def _with_entities(examples: Iterable[Example], path: Path, side: Side) -> Iterator[Example]:
    """The examples with the mentions of a parse that has been matched with them already.

    Entities of the two sides have names of their own.
    """
    from crosspro.data_prep.formats.chains import entity_mentions
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
            places = sentence.written_positions()
        mentions = [
            Mention(f"{side}:{entity}", side, places[first], places[last])
            for entity, first, last in entity_mentions(path, sentence)
        ]
        yield replace(example, chains=(*(example.chains or ()), *dict.fromkeys(mentions)))


def _with_chains(examples: Iterable[Example], path: Path) -> Iterator[Example]:
    """The examples with their mentions."""
    from crosspro.data_prep.formats.chains import ChainRow, read_chains

    rows: dict[tuple[str, int], list[ChainRow]] = defaultdict(list)
    for row in read_chains(path):
        rows[row.document, row.sentence].append(row)
    lines: dict[str, int] = defaultdict(int)
    for example in examples:
        document = example.document or ""
        of_line = rows.pop((document, lines[document]), [])
        lines[document] += 1
        for row in of_line:
            side = row.mention.side
            length = len(example.source if side == "source" else example.target)
            if row.mention.last >= length:
                expected = f"less than {length}, the number of {side} tokens"
                raise input_error(path, "last", expected, str(row.mention.last), row.line)
        mentions = [row.mention for row in of_line]
        mentions.sort(
            key=lambda mention: (mention.side, mention.first, mention.last, mention.chain)
        )
        yield replace(example, chains=tuple(mentions))
    for (document, sentence), (row, *_) in rows.items():
        if document not in lines:
            expected = "a document of the data"
            raise input_error(path, "document", expected, repr(document), row.line)
        expected = f"less than {lines[document]}, the number of lines of the document"
        raise input_error(path, "sentence", expected, str(sentence), row.line)
