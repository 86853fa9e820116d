"""What people say of a source pronoun in one system's output, and where that pronoun is."""

from __future__ import annotations

from dataclasses import dataclass

CORRECT, INCORRECT, BAD = "correct", "incorrect", "bad translation"
"""The verdicts of 000 Table 5; a pronoun that nobody has judged has none."""


@dataclass(frozen=True, slots=True)
class PlacedVerdict:
    """A verdict on the pronoun at a line and a position, both from 0; `human` may be empty."""

    system: str
    line: int
    position: int
    category: str
    human: str
    token: str = ""
    document: str = ""
    anaphoric: bool = False
