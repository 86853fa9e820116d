"""Reading MMAX projects: the words of a text, its sentences, and a level of markables over them.

A project is a folder with a `NAME.mmax` file for each document, its words in `Basedata/` and each
level of annotation in `Markables/NAME_LEVEL_level.xml`. ParCor and ParCorFull come in this form.
Files without an `.mmax` file are left alone: they are drafts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from xml.parsers import expat

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import read_bytes

NO_VALUE = ("", "empty", "none")
"""How MMAX writes that an attribute has no value."""


@dataclass(frozen=True, slots=True)
class Markable:
    """A piece of annotation: the positions of its words, in order, and its attributes.

    `line` is where it stands in its file. Attributes without a value are left out.
    """

    name: str
    words: tuple[int, ...]
    attributes: Mapping[str, str]
    line: int


@dataclass(frozen=True)
class MmaxDocument:
    """One document: words, sentences as positions of words, and the markables of one level."""

    name: str
    path: str
    words: tuple[str, ...]
    word_names: tuple[str, ...]
    sentences: tuple[tuple[int, ...], ...]
    markables: tuple[Markable, ...]

    def sentence_of(self) -> list[int]:
        """The sentence of each word; -1 for words outside all sentences."""
        sentences = [-1] * len(self.words)
        for number, sentence in enumerate(self.sentences):
            for position in sentence:
                sentences[position] = number
        return sentences


def read_mmax(path: str | Path, level: str = "coref") -> list[MmaxDocument]:
    """All documents of a project, in the order of their names."""
    projects = sorted(Path(path).glob("*.mmax"))
    if not projects:
        raise input_error(path, "project", "a folder with at least one file NAME.mmax", "none")
    return [_read_document(project, level) for project in projects]


def _read_document(project: Path, level: str) -> MmaxDocument:
    names = [element.text for element in _elements(project, "words")]
    words_name = PurePosixPath(next(iter(names), "")).name
    if not words_name:
        raise input_error(project, "words", "the name of a file of words in <words>", "none")
    stem = words_name.removesuffix(".xml").removesuffix("_words")
    words_file = _file(project, "words", "Basedata", words_name)
    sentence_file = _file(project, "sentence", "Markables", f"{stem}_sentence_level.xml")
    level_file = _file(project, level, "Markables", f"{stem}_{level}_level.xml")

    words: dict[str, str] = {}
    for identity, element in _identified(words_file, "word"):
        words[identity] = element.text
        if not words[identity]:
            raise input_error(words_file, "word", f"text of {identity}", "none", element.line)
    if not words:
        raise input_error(words_file, "word", "at least one <word>", "none")

    positions = {name: position for position, name in enumerate(words)}
    sentences = list(_markables(sentence_file, positions))
    seen: set[int] = set()
    for sentence in sentences:
        if not seen.isdisjoint(sentence.words):
            expected = "sentences that do not overlap"
            raise input_error(sentence_file, "span", expected, sentence.name, sentence.line)
        seen.update(sentence.words)
    markables = _markables(level_file, positions)
    return MmaxDocument(
        project.stem,
        str(words_file),
        tuple(words.values()),
        tuple(words),
        tuple(sorted(sentence.words for sentence in sentences)),
        tuple(sorted(markables, key=lambda each: (each.words[0], len(each.words), each.line))),
    )


def _file(project: Path, field: str, folder: str, name: str) -> Path:
    for path in (project.parent / part / name for part in (folder, folder.lower(), ".")):
        if path.is_file():
            return path
    raise input_error(project, field, f"a file {name} in {folder}", "none")


@dataclass
class _Element:
    """An XML element without children; its text is on one line."""

    line: int
    attributes: Mapping[str, str]
    text: str = ""


def _elements(path: Path, name: str) -> list[_Element]:
    """The elements of a name, without its prefix. Entities, by which texts grow, are refused."""
    elements: list[_Element] = []
    inside = False

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal inside
        inside = tag.rpartition(":")[2] == name
        if inside:
            elements.append(_Element(parser.CurrentLineNumber, attributes))

    def end(_: str) -> None:
        nonlocal inside
        inside = False

    def text(content: str) -> None:
        if inside:
            elements[-1].text += content

    def refuse(entity: str, *_: object) -> None:
        raise ValueError(f"<!ENTITY {entity} …>")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = text, refuse
    try:
        parser.Parse(read_bytes(path), True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        line = parser.ErrorLineNumber or parser.CurrentLineNumber
        expected, actual = "well-formed XML without entities", str(error).partition(": line")[0]
        raise input_error(path, "XML", expected, actual, line) from error
    for element in elements:
        element.text = " ".join(element.text.split())
    return elements


def _identified(path: Path, name: str) -> Iterator[tuple[str, _Element]]:
    """The elements of a name with their ids, which are unique."""
    seen: set[str] = set()
    for element in _elements(path, name):
        identity = element.attributes.get("id", "")
        if not identity or identity in seen:
            raise input_error(path, name, "an id that occurs once", quoted(identity), element.line)
        seen.add(identity)
        yield identity, element


def _markables(path: Path, positions: Mapping[str, int]) -> Iterator[Markable]:
    for identity, element in _identified(path, "markable"):
        attributes = {
            key: value
            for key, value in element.attributes.items()
            if key not in ("id", "span", "mmax_level") and value not in NO_VALUE
        }
        yield Markable(identity, _span(path, element, positions), attributes, element.line)


def _span(path: Path, element: _Element, positions: Mapping[str, int]) -> tuple[int, ...]:
    """The positions of a span such as `word_3..word_5,word_9`."""
    words: set[int] = set()
    for part in element.attributes.get("span", "").split(","):
        first, dots, last = part.strip().partition("..")
        low, high = positions.get(first), positions.get(last if dots else first)
        if low is None or high is None or low > high:
            expected = "words of the document, in their order"
            raise input_error(path, "span", expected, quoted(part), element.line)
        words.update(range(low, high + 1))
    return tuple(sorted(words))
