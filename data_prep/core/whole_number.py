"""What a whole number looks like in a file: ASCII digits, and no more than anybody writes."""

from __future__ import annotations

MOST_DIGITS = 18


def is_whole_number(text: str) -> bool:
    """Whether `int` reads the text; it knows neither ² nor numbers of thousands of digits."""
    return text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
