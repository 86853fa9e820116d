"""What a network says of itself: its settings and what it reads, whatever calculates it.

This is all that settings are checked with, and needs no torch.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from crosspro.data_prep.core.settings import one_of
from crosspro.prediction.arguments import number, whole
from crosspro.prediction.neural.reading.fields import Field, Reads

_SIZES, _SHARES = (1, 1e6), (0.0, 0.999)
"""Where settings lie that are whole numbers, and others."""


class NetworkKind:
    """The settings of a network, and what it reads with them."""

    fields: ClassVar[tuple[Field, ...]] = ()
    """What it reads, if its settings change nothing about that (else see `reads`)."""

    limits: ClassVar[Mapping[str, tuple[float, float]]] = {}
    """Where settings may lie, if not from 1 (whole numbers) or from 0 to 0.999 (others)."""

    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """What settings that are texts may say."""

    multiples: ClassVar[Mapping[str, tuple[int, str]]] = {}
    """Settings that are so many times another one, or a multiple of that."""

    pointing: ClassVar[Mapping[str, object] | None] = None
    """The settings with which it points at antecedents; empty: always, None: never."""

    pretraining: ClassVar[type[Any] | None] = None
    """The settings of its pre-training, a dataclass that has `epochs` (0: none); None has none."""

    @classmethod
    def settings(cls) -> dict[str, Any]:
        """Its settings with their defaults: the keyword arguments of the constructor."""
        parameters = inspect.signature(cls).parameters.values()
        return {
            parameter.name: parameter.default
            for parameter in parameters
            if parameter.kind is parameter.KEYWORD_ONLY
        }

    @classmethod
    def setting_type(cls, name: str, default: object) -> Any:
        """What a setting may be: of the type of its default, and within its limits."""
        if name in cls.choices:
            return Annotated[str, one_of(cls.choices[name])]
        if isinstance(default, bool | str):
            return type(default)
        whole_number = isinstance(default, int)
        low, high = cls.limits.get(name, _SIZES if whole_number else _SHARES)
        if whole_number:
            return Annotated[int, whole(int(low), high)]
        return Annotated[float, number(low, high)]

    @classmethod
    def reads(cls, settings: Mapping[str, Any]) -> Reads:
        """What it reads with these settings, which are complete."""
        return Reads(cls.fields)
