"""The record of gettext catalogues: a message and its translation, from a .po or .mo file."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import input_error, quoted

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
