"""The settings of AutoPRF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crosspro.evaluation.core.settings import setting


@dataclass(frozen=True)
class AutoPrfSettings:
    """How matches are counted."""

    clipping: Literal["occurrence", "corpus"] = setting(
        "occurrence", "Clip matches for each occurrence, or over the text."
    )
    one_pronoun: bool = setting(False, "Count one pronoun for each occurrence.", "--one-pronoun")
    ignore_case: bool = setting(False, "Compare words in lower case.", "--ignore-case")
