"""What people decide about single tokens when a suite is built (002 §5.1: manual examination).

A tab-separated file with the columns document, word, category and head. The category may be one of
the 13, `reject` to leave the token out, or empty to keep the annotation's; the head, if there is
one, names the words of the antecedent's head, separated by spaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.data_prep.core.files import read_text_lines
from crosspro.evaluation.protest.categories import BY_NAME

COLUMNS = ("document", "word", "category", "head")
REJECTED = "reject"


@dataclass(frozen=True, slots=True)
class Decision:
    """A category (or none), the words of the head (or none), and where it was written."""

    category: str
    heads: tuple[str, ...]
    line: int


def read_decisions(path: str | Path) -> dict[tuple[str, str], Decision]:
    """The decisions of a file, by document and word; every problem is raised."""
    found, problems = scan_decisions(path)
    if problems:
        raise InputError(problems)
    return found


def scan_decisions(
    path: str | Path,
) -> tuple[dict[tuple[str, str], Decision], list[Problem]]:
    """The decisions of a file, and all that is wrong with them in themselves."""
    problems: list[Problem] = []
    found: dict[tuple[str, str], Decision] = {}

    def problem(number: int, field: str, expected: str, written: str) -> None:
        problems.append(Problem(str(path), number, field, expected, written))

    for number, line in enumerate(read_text_lines(Path(path)), start=1):
        cells = line.rstrip("\r").split("\t")
        if number == 1:
            if tuple(cells) != COLUMNS:
                problem(1, "columns", " ".join(COLUMNS), quoted(line))
                break
            continue
        if not line.strip() or line.startswith("#"):
            continue
        if len(cells) not in (3, 4):
            problem(number, "columns", "3 or 4 separated by tabs", f"{len(cells)}: {quoted(line)}")
            continue
        document, word, category, head = (*cells, "")[:4]
        if category and category != REJECTED and category not in BY_NAME:
            problem(number, "category", choices([*BY_NAME, REJECTED]), quoted(category))
        if (document, word) in found:
            problem(number, "word", "one decision a word", f"a second one for {document} {word}")
        found[document, word] = Decision(category, tuple(head.split()), number)
    return found, problems
