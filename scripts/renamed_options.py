"""Options that were spelled otherwise: the old spelling works, is shown nowhere, and is told.

docs/commands.md has the vocabulary, and in its last table every old spelling.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from typer.core import TyperCommand


def accepting(renamed: Mapping[str, str], base: type[TyperCommand] | None = None) -> Any:
    """A class of commands that take the old spellings for the new ones."""
    parent: Any = base or TyperCommand

    class Accepting(parent):  # type: ignore[misc]
        old_spellings: ClassVar = dict(renamed)

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            found: list[str] = super().parse_args(ctx, list(current(args, renamed)))
            return found

    return Accepting


def current(arguments: Sequence[str], renamed: Mapping[str, str]) -> Iterator[str]:
    """Arguments as they are spelled now, with a warning for each old spelling."""
    told = set()
    rest = False
    for argument in arguments:
        rest = rest or argument == "--"
        name, equals, value = argument.partition("=")
        if len(argument) > 2 and argument[0] == "-" != argument[1]:  # -n5
            name, equals, value = argument[:2], "", argument[2:]
        if rest or name not in renamed:
            yield argument
            continue
        new = renamed[name]
        if name not in told:
            told.add(name)
            print(f"warning: {name} is now {new}", file=sys.stderr)
        if equals:
            yield f"{new}={value}"
        else:
            yield new
            yield from filter(None, [value])
