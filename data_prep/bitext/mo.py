"""gettext .mo files, the compiled form of catalogues: two tables of strings in one binary file."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from crosspro.data_prep.bitext.message import Header, Message, parse_header
from crosspro.data_prep.core.errors import Problem
from crosspro.data_prep.core.files.textfile import read_bytes

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
        yield _message(original, translation, header.charset, path, number + 1)


def _string(content: bytes, order: str, entry: int) -> bytes | None:
    """A string by its entry in a table, None if the file is too short for either."""
    if entry + 8 > len(content):
        return None
    length, start = struct.unpack_from(f"{order}2I", content, entry)
    return content[start : start + length] if start + length <= len(content) else None


def _message(
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
