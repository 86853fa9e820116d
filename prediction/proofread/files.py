"""Translations in files: plain lines here, other formats by libraries in `formats.py`.

A side of a segment is a `Passage` of pieces, each of which knows where it is stored. Accepted
changes are made there and the file is written again; before it takes its place it is read again,
and must hold the changed text.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from crosspro.data_prep.core.errors import InputError, input_error, quoted
from crosspro.data_prep.core.files import (
    has_byte_order_mark,
    read_bytes,
    read_json_object,
    refuse_binary,
)
from crosspro.data_prep.core.settings import check_settings
from crosspro.data_prep.formats.shared_task import read_doc_ids
from crosspro.prediction.proofread.text import ONE_LINE, Segment, TranslatedText

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass
class Piece:
    """Some text of a passage, and the function that stores another in its place.

    What has none cannot be changed: an entity, or the space of a line break.
    """

    text: str
    store: Callable[[str], object] | None = None


@dataclass(frozen=True)
class Passage:
    """One side of a segment; `line` is where it begins in its file, 0 if it is not there."""

    pieces: Sequence[Piece]
    line: int

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces).translate(ONE_LINE)

    def replace(self, start: int, end: int, word: str) -> bool:
        """Put a word for some characters; False where they do not lie in one piece."""
        at = 0
        for piece in self.pieces:
            after = at + len(piece.text)
            if piece.store is not None and at <= start <= end <= after and at < after:
                changed = piece.text[: start - at] + word + piece.text[end - at :]
                piece.store(changed)
                piece.text = changed
                return True
            at = after
        return False


def content_piece(content: list[str], start: int, end: int) -> Piece:
    """Some characters of the only string of a content; changes are made from the end on."""
    piece = Piece(content[0][start:end])

    def store(text: str) -> None:
        content[0] = content[0][:start] + text + content[0][start + len(piece.text) :]

    piece.store = store
    return piece


class Pair(NamedTuple):
    """Both sides of a segment, and its document."""

    source: Passage
    target: Passage
    document: str | None


@dataclass(frozen=True)
class File:
    """The name and the whole content of a file."""

    name: str
    raw: bytes
    mark: bytes = b""

    @classmethod
    def read(cls, path: Path) -> File:
        raw = read_bytes(path)
        return cls(str(path), raw, _BYTE_ORDER_MARK if has_byte_order_mark(path) else b"")

    def decoded(self) -> str:
        refuse_binary(self.name, self.raw)
        try:
            return self.raw.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.raw.count(b"\n", 0, error.start) + 1
            raise input_error(self.name, "encoding", "UTF-8", str(error), line) from None


class Translation(ABC):
    """A translation in one or two files of a format.

    `pairs` may raise `InputError` for what it finds; `encoded` is the changed target file.
    """

    is_line: ClassVar[bool] = False
    by_message: ClassVar[bool] = False
    """Whether each segment is a document of its own by default."""

    def __init__(self, source: File, target: File) -> None:
        self.source, self.target = source, target

    def stated(self) -> tuple[set[str], set[str]]:
        return set(), set()

    @abstractmethod
    def pairs(self, languages: tuple[str, str]) -> Iterator[Pair]:
        """All segments."""

    @abstractmethod
    def encoded(self) -> bytes:
        """The target file with the changes made in its passages."""


class Lines(Translation):
    """Two plain files with as many lines; what else ends lines is a space in them."""

    is_line = True

    def __init__(self, source: File, target: File) -> None:
        super().__init__(source, target)
        self._source, self._target = [source.decoded()], [target.decoded()]

    def pairs(self, languages: tuple[str, str]) -> Iterator[Pair]:
        sides = [_lines(content) for content in (self._source, self._target)]
        for file, side in zip((self.source, self.target), sides, strict=True):
            if not side:
                raise input_error(file.name, "file", "at least one line", "none")
        check_sizes(self.source.name, sides[0], self.target.name, sides[1], "lines")
        for source, target in zip(*sides, strict=True):
            yield Pair(source, target, "")

    def encoded(self) -> bytes:
        return self._target[0].encode("utf-8")


def _lines(content: list[str]) -> list[Passage]:
    passages = []
    for number, match in enumerate(re.finditer(r"([^\n]*?)\r?(?:\n|\Z)", content[0]), start=1):
        if match[0]:
            passages.append(Passage([content_piece(content, *match.span(1))], number))
    return passages


def check_sizes(
    name: str, items: Sequence[Any], other: str, others: Sequence[Any], of: str
) -> None:
    if len(items) != len(others):
        expected = f"{len(items):,} {of} as in {name}"
        raise input_error(other, of, expected, f"{len(others):,} {of}")


# Reading ------------------------------------------------------------------------------------------

SUFFIXES = {
    ".srt": "Subtitles", ".vtt": "Subtitles", ".po": "Catalogue", ".tmx": "Memory",
    **dict.fromkeys((".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff"), "Xliff"),
}  # fmt: skip
"""The class of `formats.py` that reads files of a suffix; all others are plain lines."""


def open_translation(source: Path, target: Path | None = None) -> Translation:
    """Read the files of a translation; the format is known by their names, compressed or not."""
    kind = SUFFIXES.get(_suffix(source))
    if kind in (None, "Subtitles"):
        if target is None:
            expected = "TRANSLATION, or a PO, XLIFF or TMX file"
            raise input_error(source, "translation", expected, "one file")
        if SUFFIXES.get(_suffix(target)) != kind:
            raise input_error(target, "format", f"that of {source}", f"a name in {target.suffix}")
    elif target is not None:
        raise input_error(target, "translation", f"no file: {source} has both languages", "one")
    first = File.read(source)
    second = first if target is None else File.read(target)
    if kind is None:
        return Lines(first, second)
    from crosspro.prediction.proofread import formats

    opened: Translation = getattr(formats, kind)(first, second)
    return opened


def _suffix(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix not in (".gz", ".xz")]
    return suffixes[-1] if suffixes else ""


@dataclass(frozen=True)
class OpenedText:
    """The text of a translation, and where its characters are stored."""

    translation: Translation
    languages: tuple[str, str]
    pairs: tuple[Pair, ...]
    text: TranslatedText


def read_text(
    translation: Translation,
    languages: tuple[str, str],
    doc_ids: Path | None = None,
    by_message: bool | None = None,
) -> OpenedText:
    """The segments of a translation from one language to another.

    `doc_ids` has the document of each line. `by_message` makes each segment its own document; by
    default the messages of a catalogue are.
    """
    for side, stated, language in zip(
        ("source", "target"), translation.stated(), languages, strict=True
    ):
        if stated and language not in stated:
            name, others = translation.target.name, ", ".join(sorted(stated))
            raise input_error(name, f"{side} language", language, others)
    pairs = tuple(translation.pairs(languages))
    if not pairs:
        raise input_error(translation.target.name, "file", "at least one segment", "none")
    documents: Sequence[str | None] = [pair.document for pair in pairs]
    if doc_ids is not None:
        if not translation.is_line:
            raise input_error(doc_ids, "doc-ids", "two plain files", translation.target.name)
        documents = [name or None for name in read_doc_ids(doc_ids)]
        check_sizes(translation.source.name, pairs, str(doc_ids), documents, "lines")
    elif by_message or (by_message is None and translation.by_message):
        documents = [None] * len(pairs)
    segments = tuple(
        Segment(
            pair.source.text,
            pair.target.text,
            document,
            pair.source.line or pair.target.line,
            pair.target.line or pair.source.line,
        )
        for pair, document in zip(pairs, documents, strict=True)
    )
    names = translation.source.name, translation.target.name
    text = TranslatedText(*names, segments, translation.is_line)
    return OpenedText(translation, languages, pairs, text)


# Writing ------------------------------------------------------------------------------------------


DECISIONS = "crosspro-proofread"
"""The kind that files of decisions state."""


@dataclass(frozen=True)
class DecidedPronoun:
    """A pronoun that somebody has looked at, and what shall stand there.

    Segments and lines count from 1, characters of the segment from 0.
    """

    segment: int
    line: int
    start: int
    end: int
    word: str
    replacement: str
    kind: str
    wrong: float


@dataclass(frozen=True)
class Decisions:
    """What a page exports: pronouns that are to be changed, and those that are right."""

    format: int
    kind: str
    crosspro: str
    model: str
    digest: str
    files: Mapping[str, str]
    accepted: tuple[DecidedPronoun, ...]
    kept: tuple[DecidedPronoun, ...]


def read_decisions(path: Path) -> Decisions:
    content = read_json_object(path)
    if content.get("kind") != DECISIONS:
        expected = "decisions that a page of crosspro proofread has exported"
        raise input_error(path, "kind", expected, quoted(str(content.get("kind"))))
    return check_settings(Decisions, content, path)


def apply_decisions(opened: OpenedText, accepted: Iterable[DecidedPronoun]) -> bytes:
    """The file of a translation with accepted changes; it must hold their words as they were."""
    translation, name = opened.translation, opened.translation.target.name
    texts = [segment.target for segment in opened.text.segments]
    ordered = sorted(accepted, key=lambda item: (item.segment, item.start, item.end), reverse=True)
    for later, earlier in pairwise(ordered):
        if later.segment == earlier.segment and (
            later.start < earlier.end or (later.start, later.end) == (earlier.start, earlier.end)
        ):
            raise input_error(name, "text", "one change of a word", "two", later.line)
    for decided in ordered:
        number = decided.segment - 1
        text = texts[number] if 0 <= number < len(texts) else ""
        within = 0 <= decided.start <= decided.end <= len(text)
        if not within or text[decided.start : decided.end] != decided.word:
            expected, present = f"{quoted(decided.word)} there", quoted(text) if text else "nothing"
            raise input_error(name, "text", expected, present, decided.line)
        if any(unicodedata.category(character) in _REFUSED for character in decided.replacement):
            word = quoted(decided.replacement)
            raise input_error(name, "replacement", "a word on one line", word, decided.line)
        start, end, word = _spaced(text, decided.start, decided.end, decided.replacement)
        if not opened.pairs[number].target.replace(start, end, word):
            markup = "a tag, an entity or a line break"
            raise input_error(name, "text", "characters without markup", markup, decided.line)
        texts[number] = text[:start] + word + text[end:]
    try:
        raw = translation.encoded()
        _read_again(opened, raw, texts)
    except (InputError, ValueError) as error:  # ValueError: a character that the encoding lacks
        expected = "replacements that the format can hold"
        raise input_error(name, "replacement", expected, str(error)) from error
    return translation.target.mark + raw


_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control, format and private characters, surrogates, line breaks."""


def _read_again(opened: OpenedText, raw: bytes, texts: Sequence[str]) -> None:
    """Raise unless the content of a file has these texts, and the other side as it was."""
    before = opened.translation
    target = File(before.target.name, raw)
    source = target if before.source is before.target else before.source
    again = [
        (pair.source.text, pair.target.text)
        for pair in type(before)(source, target).pairs(opened.languages)
    ]
    sources = (segment.source for segment in opened.text.segments)
    if again != list(zip(sources, texts, strict=True)):
        raise ValueError("another text when the file is read again")


def _spaced(text: str, start: int, end: int, word: str) -> tuple[int, int, str]:
    """Add a space where a word is no longer elided (l'aime, les aime), remove it where it is."""
    before, after = text[start:end], text[end : end + 1]
    if before.endswith(_APOSTROPHES) and not word.endswith(_APOSTROPHES) and after.isalpha():
        return start, end, f"{word} "
    if word.endswith(_APOSTROPHES) and not before.endswith(_APOSTROPHES) and after == " ":
        return start, end + 1, word
    return start, end, word


_APOSTROPHES = ("'", "’")
