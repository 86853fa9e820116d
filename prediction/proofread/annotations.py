"""Doubtful pronouns as annotations of a pull request: GitHub's workflow commands."""

from __future__ import annotations

from crosspro.prediction.proofread.doubts import DoubtKind, PronounDoubt
from crosspro.prediction.proofread.output import DOUBTFUL, Proofreading, doubt_text

_CERTAIN = 0.6
"""From this chance of being wrong on, a doubt is an error; one that is likelier than not warns."""
_TITLES = {
    DoubtKind.WORD: "A pronoun that is probably wrong",
    DoubtKind.MISSING: "A pronoun of the source that nothing translates",
    DoubtKind.ADDITIONAL: "A pronoun that translates nothing",
}


def _command(doubt: PronounDoubt) -> str:
    if doubt.wrong >= _CERTAIN:
        return "error"
    return "warning" if doubt.wrong >= DOUBTFUL else "notice"


def as_github(found: Proofreading, every: bool = False) -> str:
    """Workflow commands that annotate the lines of a pull request, the worst first."""
    lines = []
    for doubt in found.worst_first if every else found.doubtful:
        properties = {
            "file": found.text.target.name,
            "line": doubt.place.line,
            "endLine": doubt.place.line,
            "col": doubt.place.start + 1,
            "endColumn": max(doubt.place.end, doubt.place.start + 1),
            "title": _TITLES[doubt.kind],
        }
        where = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
        message = f"{doubt_text(doubt)} (chance of being wrong: {doubt.wrong:.2f})"
        lines.append(f"::{_command(doubt)} {where}::{_escaped(message)}\n")
    return "".join(lines)


def _escaped(text: str) -> str:
    """A message of a workflow command, which ends with its line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """The same for a property, which ends at a comma, and their list at a colon."""
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
