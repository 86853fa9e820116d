"""Examples from the tokens that a file has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crosspro.data_prep.core.example import Example, Gap, Link, target_columns


def example_of(
    source: tuple[str, ...],
    target: Sequence[str],
    links: tuple[Link, ...],
    gaps: tuple[Gap, ...],
    document: str | None = None,
    tagged: bool = True,
    **layers: Any,
) -> Example:
    """An example of target tokens, `lemma|TAG` if it is `tagged`."""
    return Example(source, *target_columns(target, tagged), links, gaps, document, **layers)
