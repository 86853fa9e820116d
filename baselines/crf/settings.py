"""Settings that both CRF systems have, as types that say what a value must be."""

from __future__ import annotations

from typing import Annotated

from crosspro.data_prep.core.settings import Must

Reach = Annotated[int, Must("a whole number from 0 to 20", lambda value: 0 <= value <= 20)]
Rate = Annotated[float, Must("a number above 0, at most 1000", lambda value: 0 < value <= 1000)]
Penalty = Annotated[float, Must("a number from 0 to 1e+09", lambda value: 0 <= value <= 1e9)]
