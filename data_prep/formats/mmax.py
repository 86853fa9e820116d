"""Reading MMAX projects: the words of a text, its sentences, and a level of markables over them.

A project is a folder with a `NAME.mmax` file for each document, its words in `Basedata/` and each
level of annotation in `Markables/NAME_LEVEL_level.xml`. ParCor and ParCorFull come in this form.
Files without an `.mmax` file are left alone: they are drafts. Entity declarations are refused and
DTDs never opened.

`read_mmax` reads everything or raises one `InputError` with every problem of every file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.formats.xml_stream import TextBuffer, xml_events

NO_VALUE = ("", "empty", "none")
"""How MMAX writes that an attribute has no value."""

_FOLDERS = {"words": ("Basedata", "basedata", "."), "level": ("Markables", "markables", ".")}


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
    problems: list[Problem] = []
    documents = []
    for project in projects:
        try:
            documents.append(_document(project, level))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return documents


def _find(folder: Path, kind: str, name: str) -> Path | None:
    """A file of words or of a level, in the folder of its kind."""
    places = (folder / part / name for part in _FOLDERS[kind])
    return next((place for place in places if place.is_file()), None)


def _document(project: Path, level: str) -> MmaxDocument:
    written = _words_file(project)
    folder = project.parent
    stem = written.removesuffix(".xml").removesuffix("_words")
    wanted = {
        "words": _find(folder, "words", written),
        "sentence": _find(folder, "level", f"{stem}_sentence_level.xml"),
        level: _find(folder, "level", f"{stem}_{level}_level.xml"),
    }
    problems = [
        Problem(str(project), None, kind, f"a file of {stem} with its {kind}", "none")
        for kind, name in wanted.items()
        if name is None
    ]
    if problems or wanted["words"] is None:
        raise InputError(problems)
    names, words = _words(wanted["words"])
    positions = {name: position for position, name in enumerate(names)}
    levels = []
    for kind in ("sentence", level):
        name = wanted[kind]
        try:
            levels.append(_markables(name, positions) if name else [])
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    sentences, markables = levels
    if wanted["sentence"]:
        _check_sentences(wanted["sentence"], sentences)
    return MmaxDocument(
        project.stem,
        str(wanted["words"]),
        tuple(words),
        tuple(names),
        tuple(markable.words for markable in sorted(sentences, key=lambda one: one.words[0])),
        tuple(sorted(markables, key=lambda one: (one.words[0], len(one.words), one.line))),
    )


def _words_file(path: Path) -> str:
    text = TextBuffer(path)
    inside = False
    for event in xml_events(path):
        if event.kind == "start" and event.name == "words":
            inside = True
            text.clear()
        elif event.kind == "end" and event.name == "words":
            name = PurePosixPath(text.content()).name
            if name:
                return name
            inside = False
        elif event.kind == "text" and inside:
            text.add(event.text, event.line)
    raise input_error(path, "words", "the name of a file of words in <words>", "none")


def _words(file: Path) -> tuple[list[str], list[str]]:
    path = str(file)
    names: list[str] = []
    words: list[str] = []
    problems = []
    known: set[str] = set()
    text = TextBuffer(file)
    for event in xml_events(file):
        if event.name != "word":
            if event.kind == "text":
                text.add(event.text, event.line)
            continue
        if event.kind == "start":
            text.clear()
            identity = event.attributes.get("id", "")
            if not identity or identity in known:
                found = f"a second {identity}" if identity else "none"
                problems.append(Problem(path, event.line, "word", "an id that occurs once", found))
            known.add(identity)
            names.append(identity)
        else:
            words.append(text.content())
            if not words[-1]:
                problems.append(Problem(path, event.line, "word", f"text of {names[-1]}", "none"))
    if not names and not problems:
        problems.append(Problem(path, None, "word", "at least one <word>", "none"))
    if problems:
        raise InputError(problems)
    return names, words


def _markables(file: Path, positions: Mapping[str, int]) -> list[Markable]:
    path = str(file)
    found: list[Markable] = []
    problems: list[Problem] = []
    known: set[str] = set()
    for event in xml_events(file):
        if event.kind != "start" or event.name.rpartition(":")[2] != "markable":
            continue
        identity = event.attributes.get("id", "")
        if not identity or identity in known:
            written = f"a second {identity}" if identity else "none"
            problems.append(
                Problem(path, event.line, "markable", "an id that occurs once", written)
            )
        known.add(identity)
        span = event.attributes.get("span", "")
        words = _span(path, event.line, identity, span, positions, problems)
        attributes = {
            key: value
            for key, value in event.attributes.items()
            if key not in ("id", "span", "mmax_level") and value not in NO_VALUE
        }
        if words:
            found.append(Markable(identity, words, attributes, event.line))
    if problems:
        raise InputError(problems)
    return found


def _span(
    path: str,
    line: int,
    identity: str,
    span: str,
    positions: Mapping[str, int],
    problems: list[Problem],
) -> tuple[int, ...]:
    """The positions of a span such as `word_3..word_5,word_9`."""

    def problem(expected: str, found: str) -> None:
        problems.append(Problem(path, line, "span", f"{expected} in {identity}", found))

    if not span:
        problem("the words of the markable", "no span")
        return ()
    words: set[int] = set()
    for part in span.split(","):
        first, dots, last = part.strip().partition("..")
        ends = [first, last] if dots else [first]
        unknown = [name for name in ends if name not in positions]
        if unknown:
            problem("words of the document", ", ".join(quoted(name) for name in unknown))
            continue
        low, high = positions[first], positions[last if dots else first]
        if low > high:
            problem("a range that runs forward", quoted(part))
        words.update(range(low, high + 1))
    return tuple(sorted(words))


def _check_sentences(path: Path, sentences: Sequence[Markable]) -> None:
    """A word belongs to one sentence at most."""
    owner: dict[int, Markable] = {}
    problems = []
    for sentence in sorted(sentences, key=lambda one: one.line):
        before = {owner[word].name for word in sentence.words if word in owner}
        if before:
            found = f"words of {', '.join(sorted(before))} in {sentence.name}"
            problems.append(
                Problem(str(path), sentence.line, "span", "sentences that do not overlap", found)
            )
        owner.update(dict.fromkeys(sentence.words, sentence))
    if problems:
        raise InputError(problems)
