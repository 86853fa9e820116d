"""Work on arrays in several threads: numpy and zlib let another thread go on meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from crosspro.data_prep.core.processes import processors

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def in_threads(work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> list[Result]:
    """What the work makes of each piece; no thread is left when it is done."""
    waiting = list(pieces)
    threads = min(processors(), len(waiting))
    if threads < 2:
        return [work(piece) for piece in waiting]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, waiting))
