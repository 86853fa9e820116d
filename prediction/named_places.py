"""What a run says of itself without the places of its machine: names and digests instead of paths.

Archives go to other people. A folder or a file is called by its last name; a run that was gone on
from, a teacher and the members of an ensemble also by the digest of their system, as `crosspro
models list` shows it: `NAME@sha256:DIGEST`. Folders for what can be made again are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

RUNS = frozenset({"init_from", "teacher", "members"})
"""Keys of settings whose values are runs."""
FOLDERS = frozenset({"dir"})
"""Keys of folders, which are called by their names even where a path is relative."""
MADE_AGAIN = frozenset({"encoded_dir"})
TEXTS = frozenset({"overrides", "warnings"})
"""Keys of lists of texts, in which paths stand among other words."""

_absolute = re.compile(
    r"""(?:(?<=^)|(?<=[\s"'`=(\[{,:;|]))
        (?: (?:file://)?/(?:[^/\s"'`,;)\]}]+/)* [^/\s"'`,;)\]}]+
          | [A-Za-z]:[\\/] [^\s"'`,;)\]}]+
          | \\\\ [^\s"'`,;)\]}]+ )""",
    re.VERBOSE,
)

DigestOf = Callable[[str], str]
"""The digest of the system of a run, and nothing where there is none any more."""


def without_places(content: Mapping[str, Any], digest_of: DigestOf) -> dict[str, Any]:
    """A description (of a run, or the settings of a system) that names no place of a machine."""
    places = sorted({*_places(content)}, key=len, reverse=True)

    def cleaned(value: Any, key: str) -> Any:
        if isinstance(value, Mapping):
            return {cleaned(name, ""): cleaned(one, name) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [cleaned(one, key) for one in value]
        if not isinstance(value, str) or not value:
            return value
        if key in MADE_AGAIN:
            return ""
        if key in RUNS:
            return _named_run(value, digest_of)
        if key not in TEXTS and (key in FOLDERS or _is_absolute(value)):
            return _without_home(_last_name(value))
        return _said(value, places)

    return {key: cleaned(value, key) for key, value in content.items()}


def _places(value: Any, key: str = "") -> Iterator[str]:
    """All values that are absolute paths as a whole."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _places(inner, name)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _places(inner, key)
    elif isinstance(value, str) and key not in TEXTS and _is_absolute(value):
        yield from (place for place in (value, value.rstrip("/\\")) if len(place) > 1)


def _is_absolute(text: str) -> bool:
    return PurePosixPath(text).is_absolute() or PureWindowsPath(text).is_absolute()


def _last_name(path: str) -> str:
    """What a path ends with, on whatever system it was written."""
    posix = PurePosixPath(path)
    found = posix.name if posix.is_absolute() or "\\" not in path else PureWindowsPath(path).name
    return found or "root"


def _named_run(run: str, digest_of: DigestOf) -> str:
    name, digest = _without_home(_last_name(run)), digest_of(run)
    return f"{name}@sha256:{digest}" if digest else name


def _said(text: str, places: Sequence[str]) -> str:
    """A text in which places are called by their names."""
    for place in places:
        text = text.replace(place, _last_name(place))
    return _without_home(_absolute.sub(lambda found: _last_name(found[0]), text))


def _without_home(text: str) -> str:
    try:
        home = str(Path.home())
    except RuntimeError:  # a user without any
        return text
    return text.replace(home, "~") if len(home) > 1 else text
