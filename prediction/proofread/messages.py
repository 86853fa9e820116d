"""gettext catalogues (.po) as a translated text: messages and their translations in one file.

A document is the file in which messages are first used, as long as they follow each other; so are
messages without a reference. Entries that are fuzzy count as not translated, as they do for
programs: their translation is that of another message. Obsolete entries are comments. Of plural
forms the first translates the singular, all others the plural.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from crosspro.data_prep.bitext.segment import same_language
from crosspro.data_prep.core.errors import Problem, quoted
from crosspro.prediction.proofread.text import (
    PlacedRun,
    TranslatedSegment,
    WrittenFile,
    placed_text,
)

_KEYWORD = re.compile(r"(msgctxt|msgid_plural|msgid|msgstr)(?:\[(\d{1,3})\])?[ \t]*(?=\")")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"[ \t]*')
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9A-Fa-f]{1,2}|.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_WRITTEN = {ord('"'): '\\"', ord("\\"): "\\\\"}
_LANGUAGE = re.compile(r"^Language:[ \t]*([-\w@]+)", re.MULTILINE)


@dataclass(slots=True)
class _PlacedEntry:
    """An entry as it is read: the text of each of its strings."""

    line: int
    strings: dict[str, list[PlacedRun]] = field(default_factory=dict)
    references: str = ""
    fuzzy: bool = False

    @property
    def complete(self) -> bool:
        return any(name.startswith("msgstr") for name in self.strings)


def message_segments(
    file: WrittenFile, languages: tuple[str, str] | None
) -> Iterator[TranslatedSegment | Problem]:
    """The segments of a catalogue, or what is wrong with it."""
    for entry in _entries(file):
        if isinstance(entry, Problem):
            yield entry
        elif not entry.strings:
            continue
        elif "msgid" not in entry.strings or not entry.complete:
            lacking = "msgstr" if "msgid" in entry.strings else "msgid"
            yield Problem(file.name, entry.line, lacking, f"{lacking} in every entry", "none")
        elif not entry.strings["msgid"] and "msgctxt" not in entry.strings:
            header = "".join(one.text for one in entry.strings.get("msgstr", ()))
            stated = _LANGUAGE.search(header)
            tag = stated[1].partition("@")[0] if stated else ""  # ca@valencia
            if stated and languages and not same_language(tag, languages[1]):
                yield Problem(file.name, entry.line, "Language", languages[1], stated[1])
        else:
            yield from _segments(entry)


def _segments(entry: _PlacedEntry) -> Iterator[TranslatedSegment]:
    document = _first_file(entry.references)
    forms = sorted((name for name in entry.strings if name.startswith("msgstr")), key=_form)
    for number, form in enumerate(forms):
        plural = "msgid_plural" in entry.strings and (number > 0 or len(forms) == 1)
        message = entry.strings["msgid_plural" if plural else "msgid"]
        translation = [] if entry.fuzzy else entry.strings[form]
        yield TranslatedSegment(
            placed_text(message, _WRITTEN), placed_text(translation, _WRITTEN), document
        )


_FILE = re.compile("\u2068([^\u2069]*)\u2069|(\\S+)")


def _first_file(references: str) -> str:
    """The file where a message is first used; a name with spaces stands between isolate marks."""
    reference = _FILE.search(references)
    if reference is None:
        return ""
    return reference[1] or re.sub(r":\d+$", "", reference[0])


def _form(name: str) -> int:
    """The number of a plural form, as in msgstr[1]."""
    return int(name[len("msgstr[") : -1] or 0)


def _entries(file: WrittenFile) -> Iterator[_PlacedEntry | Problem]:
    entry = _PlacedEntry(1)
    current = ""
    for number, (start, end) in enumerate(file.lines, start=1):
        written = file.content[start:end]
        line = written.strip()
        place = start + len(written) - len(written.lstrip())
        if entry.complete and line.startswith(("#", "msgctxt", "msgid ", "msgid\t", 'msgid"')):
            yield entry
            entry, current = _PlacedEntry(number), ""
        if not entry.strings:
            entry.line = number
        keyword = _KEYWORD.match(line)
        if keyword or line.startswith('"'):
            if keyword:
                current = f"{keyword[1]}[{int(keyword[2])}]" if keyword[2] else keyword[1]
            begin = keyword.end() if keyword else 0
            string = _STRING.fullmatch(line, begin)
            if string is None or not current or (keyword and current in entry.strings):
                yield _no_entry(file, number, line)
            else:
                kept = entry.strings.setdefault(current, [])
                kept += _unescaped(string[1], place + begin + 1)
            continue
        current = ""
        if line.startswith("#~"):  # obsolete, with the comments before it
            entry = _PlacedEntry(number)
        elif line.startswith("#:"):
            entry.references += line[2:]
        elif line.startswith("#,"):
            entry.fuzzy |= "fuzzy" in line
        elif line and not line.startswith("#"):
            yield _no_entry(file, number, line)
    yield entry


def _no_entry(file: WrittenFile, number: int, line: str) -> Problem:
    expected = 'a comment, or msgid, msgid_plural, msgctxt or msgstr with a string in ""'
    return Problem(file.name, number, "syntax", expected, quoted(line))


def _unescaped(text: str, place: int) -> Iterator[PlacedRun]:
    at = 0
    for escape in _ESCAPE.finditer(text):
        start, end = escape.span()
        if at < start:
            yield PlacedRun(text[at:start], place + at, place + start)
        yield PlacedRun(_meant(escape[1]), place + start, place + end)
        at = end
    if at < len(text):
        yield PlacedRun(text[at:], place + at, place + len(text))


def _meant(code: str) -> str:
    if code[0] in "01234567":
        return chr(int(code, 8))
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, code)
