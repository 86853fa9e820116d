"""gettext catalogues (.po, .mo) as parallel text.

A .po file has entries of `msgid` and `msgstr` with comments that say where they are used; an .mo
file, the compiled form, has two tables of strings. Text comes from one catalogue, with its messages
as the other language, or from two with the same messages. (polib 1.2 stops at one fault, lets an
open string pass, tells no line of a wrong byte, and reads files whole.) A document is the file in
which a message is first used. Messages that are fuzzy or not translated are left out, as programs
do.
"""

from __future__ import annotations

import contextlib
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from crosspro.data_prep.bitext.segment import (
    Segment,
    one_line,
    or_nothing,
    same_language,
)
from crosspro.data_prep.core.errors import Problem, input_error, quoted, without_problems
from crosspro.data_prep.core.files import read_bytes, read_lines

_CHARSET = re.compile(r"charset=([-\w]+)", re.IGNORECASE)
_LANGUAGE = re.compile(r"^Language:[ \t]*([-\w@]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a catalogue.

    `translations` has one text, or one for each plural form if there is a `plural`; texts are empty
    where the entry is not translated. `references` are the files in which the message is used.
    """

    text: str
    plural: str | None
    context: str | None
    translations: tuple[str, ...]
    references: tuple[str, ...]
    fuzzy: bool
    line: int

    @property
    def key(self) -> tuple[str | None, str]:
        """What identifies the message in every translation of a catalogue."""
        return self.context, self.text

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Message and translation; of plural forms the first (singular) and the last (plural)."""
        if self.plural is None:
            return ((self.text, self.translations[0]),)
        if len(self.translations) == 1:  # languages without a plural
            return ((self.plural, self.translations[0]),)
        return (self.text, self.translations[0]), (self.plural, self.translations[-1])


@dataclass(frozen=True, slots=True)
class Header:
    """What the entry with the empty message says about a catalogue."""

    language: str | None = None
    charset: str = "utf-8"


def parse_header(raw: bytes, path: Path, line: int) -> Header:
    """The header, from the translation of the empty message."""
    text = raw.decode("ascii", errors="replace").replace("\\n", "\n")
    charset = _CHARSET.search(text)
    language = _LANGUAGE.search(text)
    name = charset[1] if charset and charset[1].upper() != "CHARSET" else "utf-8"
    try:
        with contextlib.suppress(UnicodeError):
            b"a".decode(name)  # Python also knows encodings that are not of text (uu, hex)
    except LookupError as error:
        raise input_error(path, "charset", "a known encoding", quoted(name), line) from error
    return Header(language[1] if language else None, name)


_LITTLE, _BIG = b"\xde\x12\x04\x95", b"\x95\x04\x12\xde"


def scan_mo(path: Path) -> Iterator[Header | Message | Problem]:
    """The header, if there is one, then all messages and problems in order of the table.

    A message's line is its number in the table. Compiled catalogues do not say where messages are
    used, and leave fuzzy ones out.
    """
    content = read_bytes(path)
    order = {_LITTLE: "<", _BIG: ">"}.get(content[:4])
    if order is None or len(content) < 20:
        yield Problem(str(path), None, "file", "a gettext .mo file", "another kind of file")
        return
    revision, count, originals, translations = struct.unpack(f"{order}4I", content[4:20])
    if revision >> 16 > 1:
        yield Problem(str(path), None, "revision", "0 or 1", str(revision >> 16))
        return
    header = Header()
    for number in range(count):
        original = _string(content, order, originals + 8 * number)
        translation = _string(content, order, translations + 8 * number)
        if original is None or translation is None:
            expected = f"{count:,} strings inside the {len(content):,} bytes of the file"
            yield Problem(str(path), None, "table", expected, f"entry {number + 1} outside")
            return
        if not original:
            header = parse_header(translation, path, number + 1)
            yield header
            continue
        yield _compiled_message(original, translation, header.charset, path, number + 1)


def _string(content: bytes, order: str, entry: int) -> bytes | None:
    """A string by its entry in a table, None if the file is too short for either."""
    if entry + 8 > len(content):
        return None
    length, start = struct.unpack_from(f"{order}2I", content, entry)
    return content[start : start + length] if start + length <= len(content) else None


def _compiled_message(
    original: bytes, translation: bytes, charset: str, path: Path, number: int
) -> Message | Problem:
    try:
        text, translated = original.decode(charset), translation.decode(charset)
    except UnicodeDecodeError as error:
        found = f"byte 0x{error.object[error.start]:02x} in message {number}"
        return Problem(str(path), number, "encoding", f"{charset} as the header says", found)
    context, bar, rest = text.partition("\x04")
    singular, nul, plural = (rest if bar else text).partition("\x00")
    forms = tuple(translated.split("\x00")) if nul else (translated,)
    return Message(
        singular, plural if nul else None, context if bar else None, forms, (), False, number
    )


_KEYWORD = re.compile(rb"(msgctxt|msgid_plural|msgid|msgstr)(?:\[(\d{1,3})\])?[ \t]*(\".*)$")
_STRING = re.compile(rb'"((?:[^"\\]|\\.)*)"[ \t]*$')
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9A-Fa-f]{1,2}|.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ISOLATED = re.compile("\u2068([^\u2069]*)\u2069(?::\\d+)?|(\\S+)")
"""A file of a reference; names with spaces stand between isolate marks."""


@dataclass(slots=True)
class _Entry:
    """An entry as it is read: the bytes of each string, to be decoded when the charset is known."""

    line: int
    strings: dict[str, bytearray] = field(default_factory=dict)
    references: bytearray = field(default_factory=bytearray)
    fuzzy: bool = False

    @property
    def complete(self) -> bool:
        return any(name.startswith("msgstr") for name in self.strings)


def scan_po(path: Path) -> Iterator[Header | Message | Problem]:
    """The header, if there is one, then all messages and problems in order of lines."""
    header = Header()
    for entry in _entries(path):
        if isinstance(entry, Problem):
            yield entry
        elif not entry.strings:
            continue
        elif "msgid" not in entry.strings or not entry.complete:
            lacking = "msgstr" if "msgid" in entry.strings else "msgid"
            yield Problem(str(path), entry.line, lacking, f"{lacking} in every entry", "none")
        elif not entry.strings["msgid"] and "msgctxt" not in entry.strings:
            header = parse_header(bytes(entry.strings.get("msgstr", b"")), path, entry.line)
            yield header
        else:
            yield _message(entry, header.charset, path)


def _entries(path: Path) -> Iterator[_Entry | Problem]:
    entry = _Entry(1)
    current = ""
    for number, raw in enumerate(read_lines(path), start=1):
        line = raw.strip()
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line.startswith((b"#", b"msgctxt", b"msgid ", b'msgid"')) and entry.complete:
            yield entry
            entry, current = _Entry(number), ""
        if not entry.strings:
            entry.line = number
        if line.startswith(b'"'):
            string = _STRING.match(line)
            if string is None or not current:
                yield _syntax(path, number, line)
            else:
                entry.strings[current] += string[1]
        elif keyword := _KEYWORD.match(line):
            current = _slot(keyword)
            string = _STRING.match(keyword[3])
            if string is None or current in entry.strings:
                yield _syntax(path, number, line)
            entry.strings[current] = bytearray(string[1] if string else b"")
        elif line.startswith(b"#:"):
            entry.references += line[2:]
        elif line.startswith(b"#,"):
            entry.fuzzy |= b"fuzzy" in line
        elif line and not line.startswith(b"#"):
            yield _syntax(path, number, line)
        if not line.startswith((b'"', b"msg")):
            current = ""
    yield entry


def _slot(keyword: re.Match[bytes]) -> str:
    """The name under which a string is kept: msgid, or msgstr[1] for a plural form."""
    name = keyword[1].decode()
    return f"{name}[{int(keyword[2])}]" if keyword[2] else name


def _syntax(path: Path, number: int, line: bytes) -> Problem:
    expected = 'a comment, or msgid, msgid_plural, msgctxt or msgstr with a string in ""'
    return Problem(str(path), number, "syntax", expected, quoted(line))


def _message(entry: _Entry, charset: str, path: Path) -> Message | Problem:
    try:
        strings = {
            name: _unescape(bytes(raw).decode(charset)) for name, raw in entry.strings.items()
        }
        references = bytes(entry.references).decode(charset)
    except UnicodeDecodeError as error:
        found = f"byte 0x{error.object[error.start]:02x} in the entry"
        return Problem(str(path), entry.line, "encoding", f"{charset} as the header says", found)
    forms = sorted(
        (int(name[7:-1]) if name != "msgstr" else 0, text)
        for name, text in strings.items()
        if name.startswith("msgstr")
    )
    return Message(
        strings["msgid"],
        strings.get("msgid_plural"),
        strings.get("msgctxt"),
        tuple(text for _, text in forms),
        tuple(dict.fromkeys(reference_files(references))),
        entry.fuzzy,
        entry.line,
    )


def reference_files(references: str) -> Iterator[str]:
    """The files of comments that say where a message is used, without their lines."""
    for isolated, plain in _ISOLATED.findall(references):
        yield isolated or re.sub(r":\d+$", "", plain)


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "01234567":
            return chr(int(code, 8))
        if code[0] == "x" and len(code) > 1:
            return chr(int(code[1:], 16))
        return _ESCAPED.get(code, code)

    return _ESCAPE.sub(character, text)


MESSAGE_LANGUAGE = "en"
"""The language of messages by long custom."""


def read_catalogue(
    source: Path,
    target: Path | None = None,
    *,
    source_language: str,
    target_language: str,
    fuzzy: bool = False,
    compiled: bool | None = None,
) -> Iterator[Segment]:
    """The segments of one catalogue (messages and translations), or of two by the same messages.

    The header of a single catalogue says which of the two languages it translates into; without a
    header its file name does (fr.po), else it is the one that is not English. Catalogues named .mo
    are `compiled` unless said otherwise.
    """
    messages = _scan(source, compiled)
    if target is None:
        found = _single(messages, source, source_language, target_language, fuzzy)
    else:
        others = _scan(target, compiled)
        found = _double(messages, others, source, target, source_language, target_language, fuzzy)
    return without_problems(or_nothing(found, source))


def _scan(path: Path, compiled: bool | None) -> Iterator[Header | Message | Problem]:
    if compiled is None:
        compiled = any(suffix in {".mo", ".gmo"} for suffix in path.suffixes)
    return scan_mo(path) if compiled else scan_po(path)


def _single(
    messages: Iterator[Header | Message | Problem],
    path: Path,
    source_language: str,
    target_language: str,
    fuzzy: bool,
) -> Iterator[Segment | Problem]:
    reverse = _translates_into(None, path, source_language, target_language) == source_language
    for item in messages:
        if isinstance(item, Header):
            language = _translates_into(item.language, path, source_language, target_language)
            if language is None:
                expected = f"{source_language} or {target_language}"
                yield Problem(str(path), None, "Language", expected, str(item.language))
                return
            reverse = language == source_language
        elif isinstance(item, Problem):
            yield item
        elif fuzzy or not item.fuzzy:
            for message, translation in item.pairs:
                texts = one_line(message), one_line(translation)
                if all(texts):
                    first, second = reversed(texts) if reverse else texts
                    yield Segment(first, second, _document(item), item.line)


def _translates_into(
    stated: str | None, path: Path, source_language: str, target_language: str
) -> str | None:
    """Which of the two languages a catalogue's translations are in; None if it states another."""
    both = (target_language, source_language)
    if stated is not None:
        return next((language for language in both if same_language(stated, language)), None)
    for part in reversed(path.name.split(".")):
        for language in both:
            if same_language(part, language):
                return language
    return source_language if same_language(target_language, MESSAGE_LANGUAGE) else target_language


def _double(
    messages: Iterator[Header | Message | Problem],
    translations: Iterator[Header | Message | Problem],
    source: Path,
    target: Path,
    source_language: str,
    target_language: str,
    fuzzy: bool,
) -> Iterator[Segment | Problem]:
    others: dict[tuple[str | None, str], Message] = {}
    for item in translations:
        if isinstance(item, Message):
            others[item.key] = item
        else:
            yield from _wrong(item, target, target_language)
    for item in messages:
        if not isinstance(item, Message):
            yield from _wrong(item, source, source_language)
            continue
        other = others.get(item.key)
        if other is None or ((item.fuzzy or other.fuzzy) and not fuzzy):
            continue
        forms = [(item.translations[0], other.translations[0])]
        if len(item.translations) > 1 and len(other.translations) > 1:
            forms.append((item.translations[-1], other.translations[-1]))
        for first, second in forms:
            if first.strip() and second.strip():
                yield Segment(one_line(first), one_line(second), _document(item), item.line)


def _wrong(item: Header | Problem, path: Path, language: str) -> Iterator[Problem]:
    if isinstance(item, Problem):
        yield item
    elif item.language is not None and not same_language(item.language, language):
        yield Problem(str(path), None, "Language", language, item.language)


def _document(message: Message) -> str | None:
    return message.references[0] if message.references else None
