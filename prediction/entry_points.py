"""Classes that other packages register by name, as entry points; their code may do anything."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from crosspro.data_prep.core.errors import input_error


def entry_names(group: str) -> set[str]:
    """All names that packages register in a group."""
    return set(entry_points(group=group).names)


def entry_class(group: str, name: object, base: type, where: str | Path, field: str) -> type | None:
    """The subclass of `base` that a package registers under a name; None where none does.

    What goes wrong in the package is an `InputError` that names it; `where` and `field` are the
    place that says the name.
    """
    found = {entry.value: entry for entry in entry_points(group=group) if entry.name == name}
    if not found:
        return None
    if len(found) > 1:
        several = ", ".join(sorted(map(_origin, found.values())))
        raise input_error(where, field, f"one class registered as {name} in {group}", several)
    ((value, entry),) = found.items()
    try:
        loaded = entry.load()
    except (Exception, SystemExit) as error:
        expected = f"{value}, which is registered as {name} in {group}"
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise input_error(where, field, expected, f"{reason} ({_origin(entry)})") from error
    if not (isinstance(loaded, type) and issubclass(loaded, base)):
        expected = f"a subclass of {base.__module__}.{base.__qualname__} registered as {name}"
        raise input_error(where, field, expected, _origin(entry))
    return loaded


def _origin(entry: EntryPoint) -> str:
    return f"{entry.value} of the package {entry.dist.name if entry.dist else 'without a name'}"
