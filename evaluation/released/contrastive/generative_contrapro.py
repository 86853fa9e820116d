"""What the script of the generative ContraPro prints: one percentage.

It tokenises the payload as Moses does (sacremoses), for French after putting spaces around hyphens,
and looks for the pronoun among the tokens in lower case. A payload part that an output does not
have counts as wrong, silently. The end of a line is stripped, and with it an empty translation: if
five fields are left the row before counts once more, if six are left they are read as other fields
than they are, and the row is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import (
    CrossproError,
    InputError,
    Problem,
    how_to_install,
    input_error,
    quoted,
)
from crosspro.evaluation.inputs.plain_text import lines_of
from crosspro.evaluation.metrics.expected_forms.outputs import CORRECT, TsvRow
from crosspro.evaluation.released.contrastive.ctxpro import EXTRA

LAYOUTS = ("default", "complete")
SEPARATOR = "<eos>"


@dataclass(frozen=True)
class ReleasedChoice:
    """Which rows the script counts, and where it looks for the payload."""

    separator: str = SEPARATOR
    min_distance: int = 0
    max_distance: int = 1_000_000
    forms: Collection[str] = ()
    share: float | None = None


def moses_tokeniser(language: str) -> Callable[[str], str]:
    """The tokeniser of the script: tokens joined by spaces."""
    try:
        from sacremoses import MosesTokenizer
    except ImportError as error:
        raise CrossproError(
            "--legacy: the script of ContraPro tokenises with sacremoses, which is not installed: "
            f"{how_to_install(EXTRA)}"
        ) from error
    tokeniser = MosesTokenizer(lang=language)

    def tokens(text: str) -> str:
        joined: str = tokeniser.tokenize(text, return_str=True)
        return joined

    return tokens


def script_rows(path: Path) -> list[TsvRow]:
    """The rows labelled `correct` as the script reads them; raises where it stops."""
    problems: list[Problem] = []
    lines = lines_of(path, problems) or []
    rows: list[TsvRow] = []
    cells: list[str] = []
    for number, line in enumerate(lines, start=1):
        read = line.rstrip().split("\t")
        payload = ""
        if len(read) in (6, 7):
            cells = read[-6:]
            payload = read[0] if len(read) == 7 else ""
        if not cells:
            problems.append(Problem(str(path), number, "fields", "6 or 7", str(len(read))))
            continue
        place = _number(path, number, payload or "-1", "payload", problems)
        if cells[1] == CORRECT:
            distance = _number(path, number, cells[0], "distance", problems)
            rows.append(TsvRow(number, place, distance, *cells[2:]))
    if problems:
        raise InputError(problems)
    return rows


def _number(path: Path, line: int, text: str, field: str, problems: list[Problem]) -> int:
    try:
        return int(text)
    except ValueError:
        problems.append(Problem(str(path), line, field, "a whole number", quoted(text)))
        return 0


@dataclass(frozen=True)
class ScriptVerdict:
    """A row that the script counts, the payload that it looks at, and whether that is right."""

    row: TsvRow
    payload: str
    right: bool


def script_verdicts(path: Path, language: str, choice: ReleasedChoice) -> list[ScriptVerdict]:
    """The verdicts on the rows labelled `correct` that are wanted; raises if there is none."""
    tokens = moses_tokeniser(language)
    found = []
    for row in script_rows(path):
        form = row.pronoun.lower()
        if not choice.min_distance <= row.distance <= choice.max_distance:
            continue
        if choice.forms and form not in choice.forms:
            continue
        output = row.output.replace("-", " - ") if language == "fr" else row.output
        payload = _payload(row, output, choice)
        found.append(ScriptVerdict(row, payload, form in tokens(payload).lower().split()))
    if not found:
        raise input_error(path, "rows", "at least one that is to be counted", "none")
    return found


def generative_printout(verdicts: Sequence[ScriptVerdict], layout: str) -> str:
    """What the script prints."""
    right, total = sum(verdict.right for verdict in verdicts), len(verdicts)
    share = f"{100 * right / total:.1f}"
    return f"{right} {total} {share}\n" if layout == "complete" else f"{share}\n"


def _payload(row: TsvRow, output: str, choice: ReleasedChoice) -> str:
    if choice.share is not None:
        size = len(row.source.split())
        payload = len(row.source.split(choice.separator)[-1].split())
        words = output.split()
        number = int(len(words) * (payload / size) * choice.share) if size else 0
        return " ".join(words[-number:])  # none asked for: all of them, as the script has it
    parts = output.split(choice.separator)
    place = row.payload or 0
    return parts[place] if -len(parts) <= place < len(parts) else ""
