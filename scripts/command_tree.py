"""All commands as one tree, for the reference in the documentation."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from crosspro.scripts.cli import ABOUT, NAMES, command_of


def with_examples(command: Any) -> Any:
    """The command, whose help text ends with its example."""
    for child in getattr(command, "commands", {}).values():
        with_examples(child)
    if command.epilog:
        command.help = f"{command.help}\n\n{command.epilog}"
    return command


tree = TyperGroup(
    name="crosspro",
    help=ABOUT,
    commands={name: with_examples(command_of(name)) for name in NAMES},
)
