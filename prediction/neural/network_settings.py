"""The settings of a network and what it reads with them, known before it is built; without torch.

Each network has one settings class, in its module in `networks`. `conf/system` names the class as
`network: {_target_: …}`; a saved system has the `name` of its network, which is that of the module.
"""

from __future__ import annotations

import pkgutil
from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, PlainValidator

from crosspro.data_prep.core.errors import InputError, choices
from crosspro.data_prep.core.settings import check_settings
from crosspro.prediction.neural import networks
from crosspro.prediction.neural.reading.fields import Reads

if TYPE_CHECKING:  # networks import torch
    from crosspro.prediction.neural.layers.network import Network
    from crosspro.prediction.neural.reading.vocabulary import Inventory

Size = Annotated[int, Field(ge=1, le=1_000_000)]
SizeOrNone = Annotated[int, Field(ge=0, le=1_000_000)]
"""0 leaves the part out."""
Fraction = Annotated[float, Field(ge=0, lt=1)]


class NetworkSettings(ABC):
    """The base of the settings classes of networks."""

    name: str

    may_change: ClassVar[tuple[str, ...]] = ("dropout",)
    """Settings in which fine-tuning may differ from the run that it begins with."""

    pretrains: ClassVar[bool] = False
    """Whether its `embeddings` can be learnt before the training (`pretraining`)."""

    @property
    @abstractmethod
    def reads(self) -> Reads:
        """The fields that the network reads."""

    @property
    def points(self) -> bool:
        """Whether the network points at antecedents."""
        return False

    @abstractmethod
    def build(self, inventory: Inventory) -> Network:
        """The network with new weights."""


NETWORKS = tuple(module.name for module in pkgutil.iter_modules(networks.__path__))


def network_settings(value: Any) -> NetworkSettings:
    """Settings of a network, made from plain values that name it unless they are made already."""
    if isinstance(value, NetworkSettings):
        place = type(value).__module__.removeprefix(f"{networks.__name__}.").partition(".")[0]
        if place in NETWORKS and value.name != place:
            raise ValueError(f"name should be {place}, by which a saved network is found")
        return value
    name = value.get("name") if isinstance(value, dict) else None
    if name not in NETWORKS:
        raise ValueError(f"name should be {choices(NETWORKS)}")
    module = import_module(f"{networks.__name__}.{name}")
    classes = (kind for kind in vars(module).values() if isinstance(kind, type))
    kind = next(kind for kind in classes if getattr(kind, "name", None) == name)
    try:
        made: NetworkSettings = check_settings(kind, value, name)
        return made
    except InputError as error:
        raise ValueError(str(error)) from None


AnyNetwork = Annotated[NetworkSettings, PlainValidator(network_settings)]
"""Settings of any network, as a field of other settings."""
