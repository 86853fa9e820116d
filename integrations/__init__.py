"""Adapters to tools of other people, one a module; nothing else here imports any of them.

Each is written against the public API and imports its tool, so that it can be imported only where
that is installed. docs/integrations.md has an example of each.
"""

from __future__ import annotations

from functools import lru_cache

import crosspro


@lru_cache(maxsize=4)
def loaded(model: str) -> crosspro.Predictor:
    """A model by its name, or from a run or an archive; each process loads it once."""
    return crosspro.load(model)
