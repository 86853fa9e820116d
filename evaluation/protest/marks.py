"""Words of a line, and where they are."""

from __future__ import annotations

from dataclasses import dataclass

Words = tuple[str, ...]
Positions = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MarkedWords:
    """Words that matter: their line, and where they are in source, references and candidate."""

    line: int
    source: Positions
    references: tuple[Positions, ...]
    candidate: Positions
