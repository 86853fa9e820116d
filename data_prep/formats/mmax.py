"""Reading MMAX projects: the words of a text, its sentences, and a level of markables over them.

A project is a folder (or a folder inside a tar archive, which is never unpacked to disk) with a
`NAME.mmax` file for each document, its words in `Basedata/` and each level of annotation in
`Markables/NAME_LEVEL_level.xml`. ParCor and ParCorFull come in this form. Files without an `.mmax`
file are left alone: they are drafts. Entity declarations are refused and DTDs never opened.

`read_mmax` reads everything or raises one `InputError` with every problem of every file.
"""

from __future__ import annotations

import lzma
import tarfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.core.files import open_bytes
from crosspro.data_prep.core.limits import FILE_BYTES
from crosspro.data_prep.formats.xml_stream import Event, TextBuffer, xml_events

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
    """All documents of a project, in the order of their names.

    `path` is a folder, or leads through a tar archive: `corpus.tar.xz/corpus/DiscoMT/EN`.
    """
    files = _open_project(Path(path))
    projects = sorted(name for name in files.names() if name.suffix == ".mmax")
    if not projects:
        raise input_error(path, "project", "at least one file NAME.mmax", _instead(files))
    problems: list[Problem] = []
    documents = []
    for project in projects:
        try:
            documents.append(_document(files, project, level))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return documents


class _Files:
    """The files of a project, wherever they are; names are relative to the project."""

    def __init__(self, shown: Path, contents: Mapping[PurePosixPath, bytes | Path]) -> None:
        self.shown = shown
        self.contents = contents

    def names(self) -> Iterator[PurePosixPath]:
        """The files at the top of the project."""
        return (name for name in self.contents if len(name.parts) == 1)

    def path(self, name: PurePosixPath) -> Path:
        """How a file is called in messages."""
        return self.shown / name

    def find(self, kind: str, name: str) -> PurePosixPath | None:
        """A file of words or of a level, in the folder of its kind."""
        places = (PurePosixPath(folder) / name for folder in _FOLDERS[kind])
        return next((place for place in places if place in self.contents), None)

    def events(self, name: PurePosixPath) -> Iterator[Event]:
        """The XML events of a file."""
        content = self.contents[name]
        pieces = [content] if isinstance(content, bytes) else None
        return xml_events(self.path(name), pieces)


def _open_project(path: Path) -> _Files:
    for archive in (path, *path.parents):
        if archive.is_file():
            inside = PurePosixPath(*path.parts[len(archive.parts) :])
            return _Files(path, _members(archive, inside))
    if not path.is_dir():
        raise input_error(path, "project", "a folder, or a path into a tar archive", "neither")
    found = [
        PurePosixPath(file.relative_to(path).as_posix())
        for folder in sorted({path, *(path / name for name in ("Basedata", "Markables"))})
        if folder.is_dir()
        for file in sorted(folder.iterdir())
        if file.is_file()
    ]
    return _Files(path, {name: path / name for name in found})


def _members(archive: Path, inside: PurePosixPath) -> dict[PurePosixPath, bytes]:
    """The project's files in an archive; links and the like are passed over."""
    found: dict[PurePosixPath, bytes] = {}
    total = 0
    try:
        with open_bytes(archive) as raw, tarfile.open(fileobj=raw, mode="r|") as members:
            for member in members:
                if member.size > FILE_BYTES.most():  # going over it would take years
                    expected = FILE_BYTES.expected("bytes")
                    raise input_error(archive / member.name, "file", expected, f"{member.size:,}")
                name = PurePosixPath(member.name)
                if not member.isfile() or not name.is_relative_to(inside):
                    continue
                name = name.relative_to(inside)
                if name.suffix not in (".mmax", ".xml") or len(name.parts) > 2:
                    continue
                total += member.size
                if total > FILE_BYTES.most():
                    expected = FILE_BYTES.expected("bytes")
                    raise input_error(archive / inside, "project", expected, f"{total:,} or more")
                handle = members.extractfile(member)
                if handle is not None:
                    found[name] = handle.read()
    except (tarfile.TarError, OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise input_error(archive, "file", "a readable tar archive", str(error)) from error
    return found


def _instead(files: _Files) -> str:
    names = sorted(str(name) for name in files.contents)
    return f"{len(names)} other files, as {names[0]}" if names else "no file at all"


def _document(files: _Files, project: PurePosixPath, level: str) -> MmaxDocument:
    written = _words_file(files, project)
    stem = written.removesuffix(".xml").removesuffix("_words")
    wanted = {
        "words": files.find("words", written),
        "sentence": files.find("level", f"{stem}_sentence_level.xml"),
        level: files.find("level", f"{stem}_{level}_level.xml"),
    }
    problems = [
        Problem(str(files.path(project)), None, kind, f"a file of {stem} with its {kind}", "none")
        for kind, name in wanted.items()
        if name is None
    ]
    if problems or wanted["words"] is None:
        raise InputError(problems)
    names, words = _words(files, wanted["words"])
    positions = {name: position for position, name in enumerate(names)}
    levels = []
    for kind in ("sentence", level):
        name = wanted[kind]
        try:
            levels.append(_markables(files, name, positions) if name else [])
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    sentences, markables = levels
    if wanted["sentence"]:
        _check_sentences(files.path(wanted["sentence"]), sentences)
    return MmaxDocument(
        project.stem,
        str(files.path(wanted["words"])),
        tuple(words),
        tuple(names),
        tuple(markable.words for markable in sorted(sentences, key=lambda one: one.words[0])),
        tuple(sorted(markables, key=lambda one: (one.words[0], len(one.words), one.line))),
    )


def _words_file(files: _Files, project: PurePosixPath) -> str:
    path = files.path(project)
    text = TextBuffer(path)
    inside = False
    for event in files.events(project):
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


def _words(files: _Files, name: PurePosixPath) -> tuple[list[str], list[str]]:
    path = str(files.path(name))
    names: list[str] = []
    words: list[str] = []
    problems = []
    known: set[str] = set()
    text = TextBuffer(Path(path))
    for event in files.events(name):
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


def _markables(files: _Files, name: PurePosixPath, positions: Mapping[str, int]) -> list[Markable]:
    path = str(files.path(name))
    found: list[Markable] = []
    problems: list[Problem] = []
    known: set[str] = set()
    for event in files.events(name):
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
