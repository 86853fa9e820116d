"""The settings of AutoPRF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class AutoPrfSettings:
    """How matches are counted: clipped for each occurrence, or over the corpus.

    With `one_pronoun` one pronoun counts for each occurrence; with `ignore_case` words are compared
    in lower case.
    """

    clipping: Literal["occurrence", "corpus"] = "occurrence"
    one_pronoun: bool = False
    ignore_case: bool = False
