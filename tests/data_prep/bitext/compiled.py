"""Compiles gettext messages, for tests that need a .mo file."""

from __future__ import annotations

import struct


def compile_catalogue(messages: dict[str, str], order: str = "<") -> bytes:
    """A .mo file with these messages and translations."""
    originals = sorted(messages)
    tables = 28
    strings = tables + 16 * len(originals)
    entries: list[tuple[int, int]] = []
    blob = b""
    for text in [*originals, *(messages[original] for original in originals)]:
        raw = text.encode("utf-8")
        entries.append((len(raw), strings + len(blob)))
        blob += raw + b"\0"
    head = struct.pack(
        f"{order}7I", 0x950412DE, 0, len(originals), tables, tables + 8 * len(originals), 0, 0
    )
    return head + b"".join(struct.pack(f"{order}2I", *entry) for entry in entries) + blob
