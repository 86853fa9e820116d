"""Systems that crosspro 0.1.0 saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NETWORKS = ("turku_gru", "uppsala_bilstm")
"""Names of format 1, in which each network was a system of its own."""


def in_todays_words(description: Mapping[str, Any]) -> dict[str, Any]:
    """The description of a saved system of format 1 as one of today."""
    name, settings = description.get("system"), description.get("settings")
    if name == "ensemble" and settings == {}:  # its members were named by their folders alone
        settings = {"members": []}
    return {**description, "system": "neural" if name in NETWORKS else name, "settings": settings}
