"""What a gap looks like in a file: a token that begins with `REPLACE_`, then a source position.

Everyone who asks whether a token is a gap asks here. `fooREPLACE_1` is a word.
"""

from __future__ import annotations

PLACEHOLDER = "REPLACE_"
_AT_START = PLACEHOLDER.encode()
_LATER = b" " + _AT_START


def placeholder(source_index: int) -> str:
    """The token of a gap."""
    return f"{PLACEHOLDER}{source_index}"


def is_placeholder(token: str) -> bool:
    """Whether a target token is a gap."""
    return token.startswith(PLACEHOLDER)


def as_word(token: str) -> str:
    """A word of a text as a file can hold it: one that looks like a gap gets a mark before it."""
    return f"_{token}" if is_placeholder(token) else token


def count_placeholders(target: bytes) -> int:
    """How many tokens of a target column are gaps, without looking at each token."""
    return target.count(_LATER) + target.startswith(_AT_START)
