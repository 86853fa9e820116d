"""What ctxpro prints: accuracy by rule, with the faults of its comparison.

It takes the last sentence of a line as `sentence-splitter` cuts it, deletes every ASCII punctuation
mark without leaving a space, and looks for the expected form between spaces: `Il l'a vu` has *la*,
and `est-il` has no *il*. Sets and files of unequal length are scored as far as both go. Rows are by
rule; the form beside a rule is that of its first instance.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import (
    CrossproError,
    InputError,
    Problem,
    choices,
    how_to_install,
    input_error,
    quoted,
)

LAYOUTS = ("default", "complete", "pretty")
EXTRA = "contrastive"

_RULER = "-" * 43
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass
class _Row:
    """Counts of one rule."""

    form: str
    right: int = 0
    total: int = 0


def last_sentence_cutter(language: str) -> Callable[[str], str]:
    """What gives the last sentence of a line as ctxpro finds it."""
    try:
        from sentence_splitter import SentenceSplitter, SentenceSplitterException
    except ImportError as error:
        raise CrossproError(
            "--legacy: ctxpro cuts sentences with sentence-splitter, which is not installed: "
            f"{how_to_install(EXTRA)}"
        ) from error
    try:
        splitter = SentenceSplitter(language=language)
    except (SentenceSplitterException, OSError, ValueError) as error:
        expected = "a language of sentence-splitter, such as de, es, fr"
        raise input_error("--language", "language", expected, quoted(language)) from error

    def last(line: str) -> str:
        sentences: list[str] = splitter.split(line)
        return sentences[-1] if sentences else line

    return last


def ctxpro_finds(sentence: str, expected: str) -> bool:
    """Whether ctxpro calls a sentence right."""
    bare = sentence.lower().translate(_NO_PUNCTUATION)
    return f" {expected.lower()} " in f" {bare} "


def ctxpro_printout(
    path: Path, content: Any, lines: Sequence[str], language: str, layout: str
) -> str:
    """The printout for a set (the content of its JSON file) and the lines of an output."""
    if layout not in LAYOUTS:
        raise ValueError(choices(LAYOUTS))
    last = last_sentence_cutter(language)
    rows: dict[str, _Row] = {}
    instances = released_instances(path, content[: len(lines)])
    for (rule, expected), line in zip(instances, lines, strict=False):
        row = rows.setdefault(rule, _Row(expected))
        row.total += 1
        row.right += ctxpro_finds(last(line.strip()), expected)
    right, total = (sum(getattr(row, name) for row in rows.values()) for name in ("right", "total"))
    if not total:
        raise input_error(path, "instances", "at least one with its line of output", "none")
    if layout == "default":
        return f"{_share(right, total)}\n"
    body = [
        f"{rule} ({row.form})\t{row.right}\t{row.total}\t{_share(row.right, row.total)}%"
        for rule, row in rows.items()
    ]
    if layout == "complete":
        body.append(f"total\t{right}\t{total}\t{_share(right, total)}")
    else:
        body = ["rule (expected)\tcorrect\ttotal\taccuracy", _RULER, *body, _RULER]
        body.append(f"total\t\t\t{right}\t{total}\t{_share(right, total)}%")
    return "".join(f"{line}\n" for line in body)


def _share(right: int, total: int) -> str:
    return f"{right * 100 / total:.1f}"


def released_instances(path: Path, content: Any) -> list[tuple[str, str]]:
    """Rule and expected form of each instance; raises where ctxpro stops with an error."""
    if not isinstance(content, list):
        raise input_error(path, "file", "a list of instances", type(content).__name__)
    problems = []
    found = []
    for number, one in enumerate(content, start=1):
        values = [one.get(key) if isinstance(one, dict) else None for key in ("rule", "expected")]
        for key, value in zip(("rule", "expected"), values, strict=True):
            if not isinstance(value, str):
                field = f"instance {number}, {key}"
                problems.append(Problem(str(path), None, field, "text", quoted(repr(value))))
        found.append((str(values[0]), str(values[1])))
    if problems:
        raise InputError(problems)
    return found
