"""What is said of a training whose numbers grew beyond all bounds."""

from __future__ import annotations

from crosspro.data_prep.core.errors import InputError, input_error


def diverged(setting: str, found: str) -> InputError:
    """The error of a training that ended in numbers that nobody can count with."""
    expected = "values with which training comes to an end (nearer to those of conf/system)"
    return input_error("settings", setting, expected, f"a training that diverged: {found}")
