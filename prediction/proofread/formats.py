"""A translation is read from its files, and written again with nothing changed but some words.

Plain lines and subtitles are two files; PO, XLIFF and TMX have both languages in one. The format is
known by the name; a file whose content plainly is of another is refused. Documents are what the
context of a pronoun is: of plain lines what doc-ids says, or all of them; of subtitles the whole
file; of PO the file in which messages are used; of XLIFF each `<file>`; of TMX what a property of
the units says, or all of them.

Text is UTF-8 or, with a byte-order mark, UTF-16; XML and PO may declare another encoding. Files may
be .gz or .xz.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from pathlib import Path

from crosspro.data_prep.bitext.read import beside
from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    empty_file,
    input_error,
    quoted,
    without_problems,
)
from crosspro.data_prep.core.files import (
    BLOCK,
    NOISE,
    bad_byte,
    has_byte_order_mark,
    is_file,
    is_noise,
    read_bytes,
)
from crosspro.data_prep.formats.shared_task import read_doc_ids
from crosspro.prediction.proofread.bilingual_xml import xml_segments
from crosspro.prediction.proofread.messages import message_segments
from crosspro.prediction.proofread.subtitles import is_webvtt, subtitle_segments
from crosspro.prediction.proofread.text import (
    LINE_BREAKS,
    Edit,
    PlacedText,
    TranslatedSegment,
    TranslatedText,
    WrittenFile,
)

FORMATS = {
    "plain": "two files, a segment a line",
    "srt": "two files of subtitles (SubRip)",
    "vtt": "two files of subtitles (WebVTT)",
    "po": "a gettext catalogue",
    "xliff": "XLIFF 1.2 or 2",
    "tmx": "a translation memory",
}
"""What a translation can be read from."""
_SUFFIXES = {
    ".srt": "srt",
    ".vtt": "vtt",
    ".po": "po",
    ".tmx": "tmx",
    **dict.fromkeys((".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff"), "xliff"),
}
_REFUSED = {
    ".pot": "a template of catalogues (.pot), which has no translations",
    ".mo": "a compiled catalogue",
    ".gmo": "a compiled catalogue",
    **dict.fromkeys((".docx", ".odt", ".pdf", ".html", ".htm", ".epub"), "a document"),
}
_SUBTITLES = {"srt", "vtt"}
_DECLARED = re.compile(rb"\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([-\w.:]+)[\"']")
_CHARSET = re.compile(rb"\"[^\"\n]*charset=([-\w.:]+)", re.IGNORECASE)
_ENCODING = re.compile(r"utf-8|ascii|utf-16|iso8859-\d+|cp125\d|koi8-[ru]")
_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_LOOKED_AT = 1 << 16
_SUBRIP = re.compile(r"\s*\d+[ \t]*[\r\n]+[ \t]*\d+:\d\d:\d\d[,.]\d+\s*-->")
_XML = re.compile(r"\s*<(?:\?xml|!DOCTYPE|(?:\w+:)?(?:xliff|tmx)\b)")
_ROOT = re.compile(r"<(?:\w+:)?(xliff|tmx)\b")
_MESSAGE = re.compile(r"^msgid[ \t]*\"", re.MULTILINE)
_TRANSLATION = re.compile(r"^msgstr(?:\[\d+\])?[ \t]*\"", re.MULTILINE)
_ONE_LINE = str.maketrans(dict.fromkeys(LINE_BREAKS, " "))


def read_translation(
    source: Path,
    target: Path | None = None,
    *,
    doc_ids: Path | None = None,
    languages: tuple[str, str] | None = None,
) -> TranslatedText:
    """A source and its translation, from two files or from one that has both.

    Without a target, `source` is such a file, or what two names have in common: `talk` for talk.en
    and talk.fr, or talk.en.srt and talk.fr.srt, with the documents in talk.doc-ids if there is such
    a file. `languages` are those of source and target; files that say otherwise are refused, and
    memories of several languages need them.
    """
    if target is None and languages is not None and not is_file(source):
        found = [beside(source, [one, f"{one}.srt", f"{one}.vtt"]) for one in languages]
        if found[0] is not None and found[1] is not None:
            if doc_ids is None and translation_format(found[0]) == "plain":
                doc_ids = beside(source, ["doc-ids"])
            source, target = found[0], found[1]
        else:
            first, second = (f"{source.name}.{one}" for one in languages)
            expected = f"a file, or {first} and {second} (also .srt, .vtt, .gz, .xz)"
            raise input_error(source, "file", expected, "none of them")
    kind = _checked_format(source, target, doc_ids)
    paths = [source] if target is None else [source, target]
    read = [_read(path, translation_format(path)) for path in paths]
    problems = [one for some in read if isinstance(some, list) for one in some]
    written = [one for one in read if isinstance(one, WrittenFile)]
    if problems:
        raise InputError(problems)
    files = written[0], written[-1]
    found_segments = _segments(kind, files, languages, doc_ids)
    segments = tuple(without_problems(found_segments))
    if not segments:
        raise input_error(source, "file", "at least one segment", "none")
    return TranslatedText(*files, segments)


def mended(text: TranslatedText, edits: Iterable[Edit]) -> bytes:
    """The translation's file with some edits, otherwise byte by byte as it is."""
    content = text.target.mended(edits)
    try:
        return text.target.encoded(content)
    except UnicodeEncodeError as error:
        name, expected = text.target.name, f"characters of {text.target.encoding}"
        raise input_error(name, "encoding", expected, quoted(content[error.start])) from error


def translation_format(path: Path) -> str:
    """The format that a file's name says, compressed or not: plain if it says nothing."""
    return _SUFFIXES.get(_suffix(path), "plain")


def _suffix(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix not in (".gz", ".xz")]
    return suffixes[-1] if suffixes else ""


def _checked_format(source: Path, target: Path | None, doc_ids: Path | None) -> str:
    """The format of a translation whose files go together by their names."""
    for path in (source, target):
        if path is not None and (refused := _REFUSED.get(_suffix(path))):
            expected = "plain lines, .srt, .vtt, .po, .xliff or .tmx"
            raise input_error(path, "format", expected, refused)
    kind = translation_format(source)
    single = kind not in {"plain", *_SUBTITLES}
    if single and target is not None:
        expected = f"no second file: {FORMATS[kind]} has both languages"
        raise input_error(target, "target", expected, "one")
    if not single and target is None:
        expected = "a second file with the translation, or a .po, .xliff or .tmx file with both"
        raise input_error(source, "target", expected, "none")
    if target is not None:
        other = translation_format(target)
        if other != kind and not {kind, other} <= _SUBTITLES:
            expected = f"{FORMATS[kind]}, as {source} is one of"
            raise input_error(target, "format", expected, FORMATS[other])
    if doc_ids is not None and kind != "plain":
        found = f"the format {kind}"
        raise input_error(doc_ids, "doc-ids", "none: the format has documents", found)
    return kind


def _segments(
    kind: str,
    files: tuple[WrittenFile, WrittenFile],
    languages: tuple[str, str] | None,
    doc_ids: Path | None,
) -> Iterator[TranslatedSegment | Problem]:
    if kind in _SUBTITLES:
        return subtitle_segments(*files)
    if kind == "po":
        return message_segments(files[0], languages)
    if kind in ("xliff", "tmx"):
        return xml_segments(files[0], languages, kind)
    return _plain_segments(*files, doc_ids)


def _plain_segments(
    source: WrittenFile, target: WrittenFile, doc_ids: Path | None
) -> Iterator[TranslatedSegment | Problem]:
    wrong = [empty_file(file.name) for file in (source, target) if not file.content]
    yield from wrong
    sides = _plain_texts(source), _plain_texts(target)
    documents: Iterable[str | None] = repeat("", len(sides[0]))
    if not wrong and len(sides[0]) != len(sides[1]):
        expected = f"{len(sides[0]):,} lines as in {source.name}"
        wrong.append(Problem(target.name, None, "lines", expected, f"{len(sides[1]):,} lines"))
        yield wrong[-1]
    if doc_ids is not None:
        try:
            names = list(read_doc_ids(doc_ids))
        except InputError as error:
            yield from error.problems
            return
        if source.content and len(names) != len(sides[0]):
            expected = f"{len(sides[0]):,} lines as in {source.name}"
            wrong.append(Problem(str(doc_ids), None, "doc-ids", expected, f"{len(names):,} lines"))
            yield wrong[-1]
        documents = (name or None for name in names)
    if not wrong:
        for first, second, document in zip(*sides, documents, strict=True):
            yield TranslatedSegment(first, second, document)


def _plain_texts(file: WrittenFile) -> Sequence[PlacedText]:
    """The text of each line; what ends lines elsewhere is a space in it."""
    return [
        PlacedText(file.content[start:end].translate(_ONE_LINE), range(start, end))
        for start, end in file.lines
    ]


def _read(path: Path, kind: str) -> WrittenFile | list[Problem]:
    """A file as it is, or what is wrong with it."""
    try:
        raw = read_bytes(path)
        mark = codecs.BOM_UTF8 if has_byte_order_mark(path) else b""
    except InputError as error:
        return error.problems
    encoding = "utf-8"
    if not mark and raw[:2] in _MARKS:
        mark, raw = raw[:2], raw[2:]
        encoding = _MARKS[mark]
    elif is_noise(raw[:BLOCK]):
        return [Problem(str(path), None, "file", "text", NOISE)]
    elif not mark and (declared := _declared_encoding(raw, kind)):
        known = _known_encoding(declared)
        if known is None:
            expected = "UTF-8, UTF-16, ISO-8859-1 and the like, or windows-1252 and the like"
            return [Problem(str(path), 1, "encoding", expected, declared)]
        encoding = known
    try:
        content = raw.decode(encoding)
    except UnicodeDecodeError as error:
        return _wrong_bytes(path, raw, encoding, error)
    if "\0" in content:
        line = content.count("\n", 0, content.index("\0")) + 1
        found = "a NUL (UTF-16 perhaps, without a byte-order mark)"
        return [Problem(str(path), line, "file", "text", found)]
    wrong = _wrong_content(path, kind, content)
    return [wrong] if wrong else WrittenFile(str(path), content, encoding, mark)


def _declared_encoding(raw: bytes, kind: str) -> str | None:
    """The encoding that a file says it has."""
    if kind not in ("po", "xliff", "tmx"):
        return None
    if kind == "po":
        found = _CHARSET.search(raw, 0, _LOOKED_AT)
        return found[1].decode() if found and found[1] != b"CHARSET" else None
    found = _DECLARED.match(raw)
    return found[1].decode() if found else None


def _known_encoding(declared: str) -> str | None:
    """The name of an encoding of text that gives the same bytes again.

    What could be read as ASCII so far is not UTF-16, whatever it says: such files are UTF-8.
    """
    try:
        name = codecs.lookup(declared).name
    except LookupError:
        return None
    if not _ENCODING.match(name):
        return None
    return "utf-8" if name.startswith("utf-") or name == "ascii" else name


def _wrong_bytes(path: Path, raw: bytes, encoding: str, error: UnicodeDecodeError) -> list[Problem]:
    """All lines of a file that are not in its encoding."""
    name = "UTF-8, or UTF-16 with a byte-order mark" if encoding == "utf-8" else encoding
    if encoding in _MARKS.values():
        return [Problem(str(path), None, "encoding", name, f"{error.reason} at byte {error.start}")]
    problems = []
    for number, line in enumerate(raw.split(b"\n"), start=1):
        try:
            line.decode(encoding)
        except UnicodeDecodeError as one:
            problems.append(Problem(str(path), number, "encoding", name, bad_byte(one)))
    return problems


def _wrong_content(path: Path, kind: str, content: str) -> Problem | None:
    """What is wrong with a file that plainly is of another format than its name says."""
    beginning = content[:_LOOKED_AT]
    looks = None
    if is_webvtt(content):
        looks = "vtt"
    elif _SUBRIP.match(beginning):
        looks = "srt"
    elif _XML.match(beginning):
        root = _ROOT.search(beginning)
        looks = root[1] if root else "XML"
    elif _MESSAGE.search(beginning) and _TRANSLATION.search(beginning):
        looks = "po"
    if looks is None and kind == "vtt":
        return Problem(str(path), 1, "format", "WEBVTT in the first line", quoted(content[:40]))
    if looks in (None, kind) or (looks == "XML" and kind in ("xliff", "tmx")):
        return None
    expected = f"{FORMATS[kind]}, by the name of the file"
    found = f"{FORMATS[looks]}: name it .{looks}" if looks in FORMATS else looks
    return Problem(str(path), 1, "format", expected, found or "another")
