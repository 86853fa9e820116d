"""Reading MMAX projects: the words of a text, its sentences, and a level of markables over them.

A project is a folder with a `NAME.mmax` file for each document, its words in `Basedata/` and each
level of annotation in `Markables/NAME_LEVEL_level.xml`. ParCor and ParCorFull come in this form.
Files without an `.mmax` file are left alone: they are drafts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.formats.xml_elements import Element, read_elements

NO_VALUE = ("", "empty", "none")
"""How MMAX writes that an attribute has no value."""

_WORD_FOLDERS = ("Basedata", "basedata", ".")
_LEVEL_FOLDERS = ("Markables", "markables", ".")


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
        owner = [-1] * len(self.words)
        for number, sentence in enumerate(self.sentences):
            for position in sentence:
                owner[position] = number
        return owner


def read_mmax(path: str | Path, level: str = "coref") -> list[MmaxDocument]:
    """All documents of a project, in the order of their names."""
    folder = Path(path)
    if not folder.is_dir():
        raise input_error(path, "project", "a folder", "none")
    projects = sorted(folder.glob("*.mmax"))
    if not projects:
        raise input_error(path, "project", "at least one file NAME.mmax", "none")
    return [_read_document(project, level) for project in projects]


def _read_document(project: Path, level: str) -> MmaxDocument:
    names = (element.text() for element in read_elements(project, {"words"}))
    words_name = PurePosixPath(next(names, "")).name
    if not words_name:
        raise input_error(project, "words", "the name of a file of words in <words>", "none")
    stem = words_name.removesuffix(".xml").removesuffix("_words")
    words_file = _find(project, "words", _WORD_FOLDERS, words_name)
    sentence_file = _find(project, "sentence", _LEVEL_FOLDERS, f"{stem}_sentence_level.xml")
    level_file = _find(project, level, _LEVEL_FOLDERS, f"{stem}_{level}_level.xml")
    words = _read_words(words_file)
    positions = {name: position for position, name in enumerate(words)}
    sentences = sorted(_read_markables(sentence_file, positions), key=lambda each: each.line)
    owner: dict[int, str] = {}
    for sentence in sentences:
        for word in sentence.words:
            if word in owner:
                found = f"words of {owner[word]} in {sentence.name}"
                expected = "sentences that do not overlap"
                raise input_error(sentence_file, "span", expected, found, sentence.line)
            owner[word] = sentence.name
    markables = _read_markables(level_file, positions)
    return MmaxDocument(
        project.stem,
        str(words_file),
        tuple(words.values()),
        tuple(words),
        tuple(sorted(sentence.words for sentence in sentences)),
        tuple(sorted(markables, key=lambda each: (each.words[0], len(each.words), each.line))),
    )


def _find(project: Path, field: str, folders: tuple[str, ...], name: str) -> Path:
    for folder in folders:
        path = project.parent / folder / name
        if path.is_file():
            return path
    raise input_error(project, field, f"a file {name} in {folders[0]}", "none")


def _identity(path: Path, element: Element, seen: Mapping[str, object]) -> str:
    identity = element.attributes.get("id", "")
    if not identity or identity in seen:
        found = f"a second {identity}" if identity else "none"
        raise input_error(path, element.name, "an id that occurs once", found, element.line)
    return identity


def _read_words(path: Path) -> dict[str, str]:
    """The words by their ids, in order."""
    words: dict[str, str] = {}
    for element in read_elements(path, {"word"}):
        identity = _identity(path, element, words)
        words[identity] = element.text()
        if not words[identity]:
            raise input_error(path, "word", f"text of {identity}", "none", element.line)
    if not words:
        raise input_error(path, "word", "at least one <word>", "none")
    return words


def _read_markables(path: Path, positions: Mapping[str, int]) -> list[Markable]:
    markables: dict[str, Markable] = {}
    for element in read_elements(path, {"markable"}):
        identity = _identity(path, element, markables)
        attributes = {
            key: value
            for key, value in element.attributes.items()
            if key not in ("id", "span", "mmax_level") and value not in NO_VALUE
        }
        words = _span(path, element, positions)
        markables[identity] = Markable(identity, words, attributes, element.line)
    return list(markables.values())


def _span(path: Path, element: Element, positions: Mapping[str, int]) -> tuple[int, ...]:
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
