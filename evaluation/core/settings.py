"""Settings of metrics: fields of a dataclass, of which commands make options.

Settings import nothing heavy: the help of a command needs them.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any


def setting(default: Any, help_text: str, option: str = "", read: Any = None) -> Any:
    """A field of a metric's settings, of which commands make an option; `...` is no default.

    `option` is how it is spelled, if not as the field; `read` makes a value of what is written.
    """
    if default is ...:
        return field(metadata={"help": help_text, "option": option, "read": read})
    return field(default=default, metadata={"help": help_text, "option": option, "read": read})
