"""Commands whose usual use needs no name: `crosspro contrastive SET …` beside `… build`.

A group that runs its first command where the first argument is none of its commands.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from crosspro.scripts.command_files import App


class DefaultFirst(TyperGroup):
    """A group of commands with a default: the one that was defined first.

    Contexts are not typed because Typer may bring a click of its own.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands in the order in which they were defined."""
        return list(self.commands)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the name of the default before arguments that name no command."""
        names = self.list_commands(ctx)
        if args and args[0] not in (*names, *ctx.help_option_names):
            args = [names[0], *args]
        return super().parse_args(ctx, args)


def group_app() -> App:
    """An application with a default command, otherwise as `command_app` makes them."""
    return App(
        cls=DefaultFirst,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
