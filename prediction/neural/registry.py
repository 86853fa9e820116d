"""Networks by name: those of `networks/`, each in the module of its name, and those from elsewhere.

A package of somebody else names its networks in the entry-point group `crosspro.networks`, each
with its class, so that runs with them can be loaded again; a module that was imported needs not.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import TypeVar

from crosspro.data_prep.core.errors import choices, input_error
from crosspro.prediction.entry_points import entry_class, entry_names
from crosspro.prediction.neural import networks
from crosspro.prediction.neural.network import Network

N = TypeVar("N", bound=type[Network])
GROUP = "crosspro.networks"

_registered: dict[str, type[Network]] = {}


def register(name: str) -> Callable[[N], N]:
    """A decorator that makes a network known by a name."""

    def add(network: N) -> N:
        known = _registered.setdefault(name, network)
        if (known.__module__, known.__qualname__) != (network.__module__, network.__qualname__):
            raise ValueError(f"network {name}: {known.__module__} has one of that name already")
        return network

    return add


def network_class(name: str) -> type[Network]:
    """The network of a name; no other module than those listed here is ever imported for it."""
    if name not in _registered and name in _modules():
        importlib.import_module(f"{networks.__name__}.{name}")
    elif name not in _registered:
        found = entry_class(GROUP, name, Network, "settings", "system.network")
        if found is not None:  # its module may have registered it already
            _registered.setdefault(name, found)
    if name not in _registered:
        raise input_error("settings", "system.network", choices(network_names()), repr(name))
    return _registered[name]


def network_names() -> list[str]:
    """All names that are known."""
    return sorted({*_modules(), *_registered, *entry_names(GROUP)})


def pointing_networks() -> list[str]:
    """Networks that point at antecedents, with the settings that they need for it."""
    found = []
    for name in sorted({*_modules(), *_registered}):
        needed = network_class(name).pointing
        if needed is not None:
            settings = [f"network_settings.{key}={value}" for key, value in needed.items()]
            found.append(f"{name} ({', '.join(settings).lower()})" if settings else name)
    return found


def _modules() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(networks.__path__)]
