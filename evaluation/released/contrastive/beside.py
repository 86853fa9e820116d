"""Instances on which a released tool and we differ, each with its reason, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_WORDS = {True: "right", False: "wrong", None: "not counted"}


@dataclass(frozen=True)
class VerdictDifference:
    """A line, its form, both verdicts (None: not counted), the reason, and what each looked at."""

    line: int
    expected: str
    released: bool | None
    here: bool | None
    why: str
    released_text: str
    text: str


def counted(right: int, total: int) -> str:
    """How many of how many, and the percentage."""
    return f"{right}/{total}, {100 * right / total:.1f}"


def difference_lines(
    tool: str, texts: tuple[str, str], differences: Sequence[VerdictDifference]
) -> Iterator[str]:
    """The differences as TSV; `texts` are the titles of what the tool and we looked at."""
    yield _line(["line", "expected", tool, "here", "why", *texts])
    for one in differences:
        verdicts = (_WORDS[one.released], _WORDS[one.here])
        looked_at = (one.released_text, one.text)
        yield _line([str(one.line), one.expected, *verdicts, one.why, *looked_at])


def _line(cells: list[str]) -> str:
    """A line of TSV: no cell has a tab or an end of line."""
    return "\t".join(" ".join(cell.split()) for cell in cells) + "\n"
