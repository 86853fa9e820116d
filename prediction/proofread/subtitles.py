"""Subtitles in two files (SubRip .srt, WebVTT .vtt) as a translated text.

A cue is a segment; its lines are joined by a space at the place of the line break. Tags, settings,
notes and styles are no text, nor is the dash before what somebody says. The whole file is one
document.

Where both files have a cue for a cue, at its time or lasting as long as it, the first goes with the
first. Where the translation is cut otherwise, cues go together that are seen together: then a
segment has several of them. A cue that nothing translates is a segment with an empty side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import pairwise
from typing import NamedTuple

from crosspro.data_prep.core.errors import Problem, quoted
from crosspro.prediction.proofread.text import (
    PlacedRun,
    PlacedText,
    TranslatedSegment,
    WrittenFile,
    placed_text,
)

_CLOCK = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[,.](\d{1,3})"
_TIMES = re.compile(rf"\s*{_CLOCK}\s*-->\s*{_CLOCK}(?:\s.*)?")
_EXPECTED_TIMES = "times such as 00:00:01,000 --> 00:00:02,500"
_NO_CUES = re.compile(r"(?:NOTE|STYLE|REGION)(?:\s|$)")
_BREAK_OR_DASH = r"(?P<ending>[\r\n])|(?P<dash>[-‐‑–—]+(?!\d))"
_SUBRIP = re.compile(
    r"</?(?:b|i|u|s|c|v|em|strong|span|font|ruby|rt|rb)\b[^<>]*>|\{\\[^{}]*\}|\{/?[bius]\}|"
    + _BREAK_OR_DASH,
    re.IGNORECASE,
)
_WEBVTT = re.compile(
    r"<[^<>]*>|(?P<entity>&(?:amp|lt|gt|quot|apos|nbsp|lrm|rlm|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)|"
    + _BREAK_OR_DASH
)
"""What is not simply text in a cue."""
_WEBVTT_ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;"}

_SEEN_TOGETHER = 0.5
"""Of the shorter of two cues."""
_AS_LONG = 0.1
"""The difference of two lengths, of the longer one, that rounding and frame rates explain."""
_MOST_CUES = 6
"""In a segment on one side: where more hang together the times are those of something else."""
_ENOUGH = 0.9
"""Of all cues, for them to be of the same film in the same version."""


class SubtitleCue(NamedTuple):
    """Some text and when it is seen, in thousandths of a second; the line is that of the times."""

    begin: int
    end: int
    line: int
    runs: tuple[PlacedRun, ...]


def subtitle_segments(
    source: WrittenFile, target: WrittenFile
) -> Iterator[TranslatedSegment | Problem]:
    """The segments of two files of subtitles, or what is wrong with them."""
    sides: list[list[SubtitleCue]] = []
    wrong = False
    for file in (source, target):
        cues = []
        for item in _cues(file):
            if isinstance(item, Problem):
                wrong = True
                yield item
            else:
                cues.append(item)
        if not cues and not wrong:
            wrong = True
            yield Problem(file.name, None, "cues", "at least one cue", "none")
        sides.append(cues)
    if wrong:
        return
    groups = _matched(*sides)
    if groups is None:
        yield _of_other_times(source, target, *sides)
        return
    for cues, others in groups:
        yield TranslatedSegment(_joined(source, cues), _joined(target, others), "")


def is_webvtt(content: str) -> bool:
    """Whether a text is WebVTT, and not SubRip."""
    return re.match(r"WEBVTT(?:\s|$)", content) is not None


def _cues(file: WrittenFile) -> Iterator[SubtitleCue | Problem]:
    texts = [file.content[start:end] for start, end in file.lines]
    times = {i: found for i, text in enumerate(texts) if (found := _TIMES.fullmatch(text))}
    notes: set[int] = set()
    if is_webvtt(file.content):
        notes = _outside_cues(texts)
    for i, text in enumerate(texts):
        if "-->" in text and i not in times and i not in notes:
            yield Problem(file.name, i + 1, "time", _EXPECTED_TIMES, quoted(text.strip()))
    begins = [i for i in times if i not in notes]
    first = _first_line(texts, begins[0]) if begins else len(texts)
    for i in range(first):
        if texts[i].strip() and i not in notes and "-->" not in texts[i]:
            expected = f"a number and then {_EXPECTED_TIMES}"
            yield Problem(file.name, i + 1, "cue", expected, quoted(texts[i].strip()))
            break
    for i, next_one in pairwise([*begins, len(texts)]):
        last = _first_line(texts, next_one) if next_one < len(texts) else next_one
        body = _body(texts, range(i + 1, last), blank_ends=is_webvtt(file.content))
        begin, end = _milliseconds(times[i].groups()[:4]), _milliseconds(times[i].groups()[4:])
        if end < begin:
            written = quoted(texts[i].strip())
            yield Problem(file.name, i + 1, "time", "an end after the beginning", written)
        yield SubtitleCue(begin, end, i + 1, tuple(_runs(file, body)))


def _first_line(texts: Sequence[str], times: int) -> int:
    """The first line of a cue: its number or name, if there is one before the times."""
    if times and texts[times - 1].strip().isdigit():
        return times - 1
    named = times and texts[times - 1].strip() and is_webvtt(texts[0])
    return times - 1 if named and (times < 2 or not texts[times - 2].strip()) else times


def _body(texts: Sequence[str], lines: range, *, blank_ends: bool) -> range:
    """The lines of a cue's text; a blank one among them ends it, or does not."""
    filled = [i for i in lines if texts[i].strip()]
    if not filled:
        return lines[:0]
    blank = (i for i in lines if blank_ends and not texts[i].strip())
    return range(lines.start, next(blank, filled[-1] + 1))


def _outside_cues(texts: Sequence[str]) -> set[int]:
    """The lines of WebVTT that are in no cue: the header, notes, styles, regions.

    They go on to the next blank line; so does a cue, and what is after it without times is none.
    """
    outside: set[int] = set()
    start = 0
    while start < len(texts):
        end = start
        while end < len(texts) and texts[end].strip():
            end += 1
        block = range(start, end)
        timed = next((i for i in block if "-->" in texts[i]), end)
        if start == 0:
            outside.update(range(timed))
        elif block and (_NO_CUES.match(texts[start]) or timed == end):
            outside.update(block)
        start = end + 1
    return outside


def _milliseconds(clock: Sequence[str | None]) -> int:
    hours, minutes, seconds, rest = clock
    whole = (int(hours or 0) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)
    return whole * 1000 + int((rest or "0").ljust(3, "0"))


def _runs(file: WrittenFile, lines: range) -> Iterator[PlacedRun]:
    """What is text in some lines of a cue, with the line breaks between them."""
    if not lines:
        return
    content = file.content
    place, end = file.lines[lines[0]][0], file.lines[lines[-1]][1]
    begins = True  # nothing but tags and blanks of a line so far
    for found in (_WEBVTT if is_webvtt(content) else _SUBRIP).finditer(content, place, end):
        start, after = found.span()
        before = content[place:start]
        begins = begins and not before.strip()
        kind = found.lastgroup
        meant = unescape(found[0]) if kind == "entity" else ""
        if kind == "ending" or (kind == "dash" and not begins) or (kind and len(meant) > 1):
            before, start = content[place:after], after  # as it is
            begins = kind == "ending"
        if before:
            yield PlacedRun(before, place, start)
        if kind == "entity" and len(meant) == 1:
            begins = False
            yield PlacedRun(meant, start, after)
        place = after
    if place < end:
        yield PlacedRun(content[place:end], place, end)


def _joined(file: WrittenFile, cues: Sequence[SubtitleCue]) -> PlacedText:
    runs: list[PlacedRun] = []
    for cue in cues:
        if runs:
            runs.append(PlacedRun("\n", runs[-1].end, runs[-1].end))
        runs += cue.runs
    return placed_text(runs, _WEBVTT_ESCAPES if is_webvtt(file.content) else None)


_Groups = list[tuple[list[SubtitleCue], list[SubtitleCue]]]


def _matched(source: Sequence[SubtitleCue], target: Sequence[SubtitleCue]) -> _Groups | None:
    """Cues that go together, in order; None if the files are not of the same film."""
    if len(source) == len(target):
        pairs = list(zip(source, target, strict=True))
        if all(_seen_together(*pair) for pair in pairs) or (
            sum(_as_long(*pair) for pair in pairs) >= _ENOUGH * len(pairs)
        ):
            return [([one], [other]) for one, other in pairs]
    groups = _by_time(source, target)
    good = sum(
        len(cues) + len(others)
        for cues, others in groups
        if cues and others and max(len(cues), len(others)) <= _MOST_CUES
    )
    wanted = 2 * min(len(source), len(target))  # one side may have fewer: songs, signs
    return groups if good >= _ENOUGH * wanted else None


def _by_time(source: Sequence[SubtitleCue], target: Sequence[SubtitleCue]) -> _Groups:
    """The groups of cues that are seen together, by when they are seen."""
    cues = sorted(
        ((cue, side) for side, some in enumerate((source, target)) for cue in some),
        key=lambda item: (item[0].begin, item[1]),
    )
    groups: list[list[tuple[SubtitleCue, int]]] = []
    recent: list[tuple[SubtitleCue, int, int]] = []  # with the number of their group
    renamed: dict[int, int] = {}

    def found(group: int) -> int:
        while group in renamed:
            group = renamed[group]
        return group

    for cue, side in cues:
        recent = [item for item in recent if item[0].end > cue.begin]
        together = {found(g) for one, s, g in recent if s != side and _seen_together(one, cue)}
        number = min(together, default=len(groups))
        if number == len(groups):
            groups.append([])
        for other in together - {number}:
            groups[number] += groups[other]
            groups[other] = []
            renamed[other] = number
        groups[number].append((cue, side))
        recent.append((cue, side, number))
    ordered = [sorted(group, key=lambda item: item[0].begin) for group in groups if group]
    return [
        ([cue for cue, side in group if not side], [cue for cue, side in group if side])
        for group in ordered
    ]


def _seen_together(one: SubtitleCue, other: SubtitleCue) -> bool:
    shorter = max(1, min(one.end - one.begin, other.end - other.begin))
    return min(one.end, other.end) - max(one.begin, other.begin) >= _SEEN_TOGETHER * shorter


def _as_long(one: SubtitleCue, other: SubtitleCue) -> bool:
    lengths = one.end - one.begin, other.end - other.begin
    return abs(lengths[0] - lengths[1]) <= _AS_LONG * max(lengths)


def _of_other_times(
    source: WrittenFile,
    target: WrittenFile,
    cues: Sequence[SubtitleCue],
    others: Sequence[SubtitleCue],
) -> Problem:
    groups = _by_time(cues, others)
    alone = [some[0] for one, some in groups if some and not one] or list(others)
    first = min(alone, key=lambda cue: cue.line)
    expected = f"cues at the times of {source.name}, or as many ({len(cues):,}) that last as long"
    found = f"{len(others):,} cues, {len(alone):,} of them at other times; the first is here"
    return Problem(target.name, first.line, "cues", expected, found)
