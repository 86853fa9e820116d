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
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

from crosspro.data_prep.core.errors import InputError, input_error, quoted
from crosspro.data_prep.core.files import (
    has_byte_order_mark,
    read_bytes,
    read_json_object,
    refuse_binary,
)
from crosspro.data_prep.core.settings import check_settings
from crosspro.data_prep.formats.shared_task import read_doc_ids
from crosspro.prediction.proofread.text import ONE_LINE, Segment, TranslatedText, check_sizes

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


class Pair(NamedTuple):
    """Both sides of a segment, and its document."""

    source: Passage
    target: Passage
    document: str


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
        """The languages that the files state."""
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
        # Lines and what ends them in turn.
        self._parts = [re.split(r"(\r?\n|\r\Z)", file.decoded()) for file in (source, target)]

    def pairs(self, languages: tuple[str, str]) -> Iterator[Pair]:
        source, target = map(_lines, self._parts)
        if source:
            check_sizes(self.source.name, source, self.target.name, target, "lines")
        return map(Pair, source, target, [""] * len(source))

    def encoded(self) -> bytes:
        return "".join(self._parts[1]).encode("utf-8")


def _lines(parts: list[str]) -> list[Passage]:
    places = range(0, len(parts) if parts[-1] else len(parts) - 1, 2)
    return [
        Passage([Piece(parts[place], partial(parts.__setitem__, place))], number)
        for number, place in enumerate(places, start=1)
    ]


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
            expected = "a second file, TRANSLATION, unless the first is a PO, XLIFF or TMX file"
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


def read_text(
    translation: Translation,
    languages: tuple[str, str],
    doc_ids: Path | None = None,
    by_message: bool | None = None,
) -> TranslatedText:
    """The segments of a translation from one language to another.

    `doc_ids` has the document of each line. `by_message` makes each segment its own document; by
    default the messages of PO and XLIFF are.
    """
    pairs = _pairs(translation, languages)
    source_name, target_name = translation.source.name, translation.target.name
    documents: Sequence[str | None] = [pair.document for pair in pairs]
    if doc_ids is not None:
        if not translation.is_line:
            raise input_error(doc_ids, "doc-ids", "two plain files", target_name)
        documents = [name or None for name in read_doc_ids(doc_ids)]
        check_sizes(source_name, pairs, str(doc_ids), documents, "lines")
    elif translation.by_message if by_message is None else by_message:
        documents = [None] * len(pairs)
    segments = (
        Segment(
            *(pair.source.text, pair.target.text, document),
            *(pair.source.line or pair.target.line, pair.target.line or pair.source.line),
        )
        for pair, document in zip(pairs, documents, strict=True)
    )
    return TranslatedText(source_name, target_name, tuple(segments), translation.is_line)


def _pairs(translation: Translation, languages: tuple[str, str]) -> list[Pair]:
    name = translation.target.name
    for side, stated, language in zip(
        ("source", "target"), translation.stated(), languages, strict=True
    ):
        if stated and language not in stated:
            raise input_error(name, f"{side} language", language, ", ".join(sorted(stated)))
    pairs = list(translation.pairs(languages))
    if not pairs:
        raise input_error(name, "file", "at least one segment", "none")
    return pairs


# Writing ------------------------------------------------------------------------------------------

_APOSTROPHES = ("'", "’")
_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control, format and private characters, surrogates, line breaks."""


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
    kind: Literal["crosspro-proofread"]
    crosspro: str
    model: str
    digest: str
    files: Mapping[str, str]
    accepted: tuple[DecidedPronoun, ...]
    kept: tuple[DecidedPronoun, ...]


def read_decisions(path: Path) -> Decisions:
    return check_settings(Decisions, read_json_object(path), path)


def apply_decisions(
    translation: Translation, languages: tuple[str, str], accepted: Iterable[DecidedPronoun]
) -> bytes:
    """The file of a translation with accepted changes; it must hold their words as they were."""
    name, pairs = translation.target.name, _pairs(translation, languages)
    texts = [(pair.source.text, pair.target.text) for pair in pairs]
    # From the end on, so that earlier characters keep their places.
    ordered = sorted(accepted, key=lambda item: (item.segment, item.start, item.end), reverse=True)
    for later, earlier in pairwise(ordered):
        same_place = (later.start, later.end) == (earlier.start, earlier.end)
        if later.segment == earlier.segment and (same_place or later.start < earlier.end):
            raise input_error(name, "text", "one change of a word", "two", later.line)
    for decided in ordered:
        number = decided.segment - 1
        source, text = texts[number] if 0 <= number < len(texts) else ("", "")
        within = 0 <= decided.start <= decided.end <= len(text)
        if not within or text[decided.start : decided.end] != decided.word:
            expected = f"{quoted(decided.word)} there"
            raise input_error(name, "text", expected, quoted(text), decided.line)
        if any(unicodedata.category(character) in _REFUSED for character in decided.replacement):
            word = quoted(decided.replacement)
            raise input_error(name, "replacement", "a word on one line", word, decided.line)
        start, end, word = _spaced(text, decided.start, decided.end, decided.replacement)
        if not pairs[number].target.replace(start, end, word):
            markup = "a tag, an entity or a line break"
            raise input_error(name, "text", "characters without markup", markup, decided.line)
        texts[number] = source, text[:start] + word + text[end:]
    try:
        raw = translation.encoded()
        # Read again: the changed texts must be there, and all others as they were.
        target = File(name, raw)
        alone = translation.source is translation.target
        again = type(translation)(target if alone else translation.source, target)
        if [(pair.source.text, pair.target.text) for pair in again.pairs(languages)] != texts:
            raise ValueError("another text when the file is read again")
    except (InputError, ValueError) as error:  # ValueError: a character that the encoding lacks
        expected = "replacements that the format can hold"
        raise input_error(name, "replacement", expected, str(error)) from error
    return translation.target.mark + raw


def _spaced(text: str, start: int, end: int, word: str) -> tuple[int, int, str]:
    """Add a space where a word is no longer elided (l'aime, les aime), remove it where it is."""
    before, after = text[start:end], text[end : end + 1]
    if before.endswith(_APOSTROPHES) and not word.endswith(_APOSTROPHES) and after.isalpha():
        return start, end, f"{word} "
    if word.endswith(_APOSTROPHES) and not before.endswith(_APOSTROPHES) and after == " ":
        return start, end + 1, word
    return start, end, word
