"""The settings of a network and what it reads with them, known before it is built; without torch.

Each network has one settings class, in its module, which `conf/system` names as
`network: {_target_: …}`. A saved system has the `name` of its network instead.
"""

from __future__ import annotations

import pkgutil
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, PlainValidator

from crosspro.data_prep.core.errors import InputError, choices
from crosspro.data_prep.core.settings import check_settings
from crosspro.prediction.neural.reading.fields import Reads

if TYPE_CHECKING:  # networks import torch
    from crosspro.prediction.neural.layers.network import Network
    from crosspro.prediction.neural.reading.vocabulary import Inventory

Size = Annotated[int, Field(ge=1, le=1_000_000)]
SizeOrNone = Annotated[int, Field(ge=0, le=1_000_000)]
"""0 leaves the part out."""
Dropout = Annotated[float, Field(ge=0, lt=1)]


class NetworkSettings(ABC):
    """The base of the settings classes of networks."""

    name: str

    may_change: ClassVar[tuple[str, ...]] = ("dropout",)
    """Settings in which fine-tuning may differ from the run that it begins with."""

    inherits: ClassVar[bool] = False
    """Whether fine-tuning takes all other settings from that run, instead of refusing others."""

    pretrains: ClassVar[bool] = False
    """Whether the network can train its embeddings before the training (`pretraining`)."""

    @property
    @abstractmethod
    def reads(self) -> Reads:
        """The fields that the network reads."""

    @property
    def points(self) -> bool:
        return False

    @abstractmethod
    def build(self, inventory: Inventory) -> Network:
        """The network with new weights."""


_NETWORKS = "crosspro.prediction.neural.networks"
SETTINGS = {
    "document_encoder": "crosspro.prediction.neural.reading.document_rows:DocumentEncoderSettings",
    "hardmeier_anaphora": f"{_NETWORKS}.hardmeier_anaphora:HardmeierAnaphoraSettings",
    "hardmeier_cnn": f"{_NETWORKS}.hardmeier_cnn:HardmeierCNNSettings",
    "nyu_nmt": f"{_NETWORKS}.nyu_nmt:NyuNMTSettings",
    "turku_gru": f"{_NETWORKS}.turku_gru:TurkuGRUSettings",
    "ukyoto_attention": f"{_NETWORKS}.ukyoto_attention:UkyotoAttentionSettings",
    "uppsala_bilstm": f"{_NETWORKS}.uppsala_bilstm:UppsalaBiLSTMSettings",
}
"""The settings class of each network by the name that saved systems have."""


def network_settings(value: Any) -> NetworkSettings:
    """Settings of a network, made from plain values that name it unless they are made already."""
    if isinstance(value, NetworkSettings):
        return value
    name = value.get("name") if isinstance(value, dict) else None
    if name not in SETTINGS:
        raise ValueError(f"name should be {choices(SETTINGS)}")
    kind: type[NetworkSettings] = pkgutil.resolve_name(SETTINGS[name])
    try:
        return check_settings(kind, value, name)
    except InputError as error:
        raise ValueError(str(error)) from None


AnyNetwork = Annotated[NetworkSettings, PlainValidator(network_settings)]
"""Settings of any network, as a field of other settings."""
