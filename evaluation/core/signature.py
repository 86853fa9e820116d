"""Signatures: one line with a score that says how it was computed, to be quoted with it."""

from __future__ import annotations

from collections.abc import Iterable

from crosspro.evaluation.core.significance import Resampling
from crosspro.version import __version__


def make_signature(
    parts: Iterable[str], plan: Resampling | None, unit: str, others: Iterable[str] = ()
) -> str:
    """What a metric says about itself, then the resampling if there was any, then the versions.

    `unit` is what was resampled; `others` are the signatures of other programs that took part.
    """
    resampling = []
    if plan is not None:
        resampling = [f"bootstrap:{plan.resamples}", f"by:{unit}", f"seed:{plan.seed}"]
    return "|".join([*parts, *resampling, f"crosspro:{__version__}", *others])
