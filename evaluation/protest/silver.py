"""Silver alternatives: translations that people have verified, for automatic use later (002 §8.2).

A tab-separated file with the columns token, pronoun, head and remark; words are separated by
spaces. For anaphoric tokens an alternative is a pair of pronoun and head, for others a pronoun.
Scores that use them are not comparable with published ones and are always reported apart.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, quoted
from crosspro.data_prep.core.files import atomic_output, read_text_lines
from crosspro.evaluation.protest.suite import Suite, Words

COLUMNS = ("token", "pronoun", "head", "remark")


@dataclass(frozen=True, slots=True)
class Alternative:
    """A right translation that is in no reference."""

    pronoun: Words
    head: Words = ()
    remark: str = ""


def read_silver(path: str | Path, suite: Suite) -> dict[str, list[Alternative]]:
    """The alternatives of a file by token; every problem is raised."""
    tokens = suite.by_name()
    problems: list[Problem] = []
    found: dict[str, list[Alternative]] = defaultdict(list)

    def problem(field: str, expected: str, written: str) -> None:
        problems.append(Problem(str(path), number, field, expected, written))

    for number, line in enumerate(read_text_lines(Path(path)), start=1):
        cells = line.rstrip("\r").split("\t")
        if number == 1:
            if tuple(cells) != COLUMNS:
                problem("columns", " ".join(COLUMNS), quoted(line))
                break
            continue
        if not line.strip():
            continue
        if len(cells) not in (3, 4):
            problem("columns", "3 or 4 separated by tabs", f"{len(cells)}: {quoted(line)}")
            continue
        name, pronoun, head, remark = (*cells, "")[:4]
        if name not in tokens:
            problem("token", "a token of the suite", quoted(name))
            continue
        if not pronoun.split():
            problem("pronoun", "at least one word", "none")
        if bool(head.split()) != tokens[name].anaphoric:
            expected = "the head of the antecedent" if tokens[name].anaphoric else "nothing"
            problem("head", f"{expected} for {tokens[name].category}", quoted(head))
        found[name].append(Alternative(tuple(pronoun.split()), tuple(head.split()), remark))
    if problems:
        raise InputError(problems)
    return dict(found)


def silver_signature(alternatives: Mapping[str, Iterable[Alternative]]) -> str:
    """How many alternatives there are and a short name of their content; remarks do not count."""
    rows = sorted(
        (name, one.pronoun, one.head) for name, some in alternatives.items() for one in some
    )
    if not rows:
        return "none"
    return f"{len(rows)}.{hashlib.sha256(repr(rows).encode()).hexdigest()[:8]}"


def write_silver(path: str | Path, alternatives: Mapping[str, Iterable[Alternative]]) -> None:
    """Write alternatives atomically."""
    with atomic_output(Path(path)) as handle:
        handle.write("\t".join(COLUMNS).encode("utf-8") + b"\n")
        for name, some in alternatives.items():
            for one in some:
                cells = (name, " ".join(one.pronoun), " ".join(one.head), one.remark)
                handle.write("\t".join(cells).encode("utf-8") + b"\n")
