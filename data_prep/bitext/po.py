"""gettext .po files: entries of `msgid` and `msgstr` with comments that say where they are used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from crosspro.data_prep.bitext.message import Header, Message, parse_header
from crosspro.data_prep.core.errors import Problem, quoted
from crosspro.data_prep.core.files.textfile import read_lines

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
        tuple(dict.fromkeys(_files(references))),
        entry.fuzzy,
        entry.line,
    )


def _files(references: str) -> Iterator[str]:
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
