"""The command `crosspro`: finds the sub-command and runs its module, which alone is imported.

A new command is a module of this folder, a line in `PANELS` of `overview`, and a line in `EXAMPLES`
there for it or for each command inside it.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from types import ModuleType
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from crosspro.data_prep.core.errors import CrossproError, printable
from crosspro.data_prep.core.guard import guarded
from crosspro.scripts import overview
from crosspro.scripts.app import command_app as command_app
from crosspro.scripts.overview import COMMANDS, EXAMPLES, help_text
from crosspro.scripts.standard_streams import end_after, open_standard_streams


def main() -> None:
    """Entry point of the console command."""
    if overview.main():
        return
    open_standard_streams()
    if len(sys.argv) > 1 and sys.argv[1] in COMMANDS:
        module = _module(sys.argv[1])
        if hasattr(module, "app"):
            run(module.app, sys.argv[2:], f"crosspro {sys.argv[1]}")
        else:  # Hydra reads the arguments itself, and starts this file for each further GPU
            sys.argv = [str(module.__file__), *sys.argv[2:]]
            module.main()
    else:
        run(_overview(), sys.argv[1:], "crosspro")


def _module(command: str) -> ModuleType:
    """Import what a command needs, at the least cost of processor time."""
    name = f"crosspro.scripts.{command.replace('-', '_')}"
    if name in sys.modules:
        return sys.modules[name]
    if command != "train":
        # The threads that come with numpy turn idle for some 80 ms before they sleep, which is good
        # where large matrices are multiplied again and again, as in training.
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    # What modules hold stays to the end: garbage is not looked for in it, now or at the exit.
    gc.disable()
    try:
        return importlib.import_module(name)
    finally:
        gc.freeze()
        gc.enable()


def run(app: typer.Typer, arguments: list[str] | None = None, name: str | None = None) -> None:
    """Run a command; input errors become a message and exit status 2."""
    try:
        try:
            with guarded():
                command = typer.main.get_command(app)
                if name not in (None, "crosspro"):
                    _add_examples(command, name)
                command(args=arguments, prog_name=name)
        finally:
            sys.stdout.flush()  # not at the end of the program, which has no words for a full disk
    except CrossproError as error:
        print(printable(str(error), lines=True), file=sys.stderr)
        raise SystemExit(2) from None
    except OSError as error:
        end_after(error, "crosspro: ")
    except ValueError as error:
        if "has an empty name" not in str(error):  # what pathlib says of "" where a file must be
            raise
        print("crosspro: expected the name of a file, found an empty one, or .", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


class _Overview(TyperGroup):
    """All commands: what there is, and for shells that complete words. Others come in by `main`.

    Contexts are not typed because Typer may bring a click of its own.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment] # imported when needed

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, by panels."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One command with its options."""
        if cmd_name not in COMMANDS:
            return None
        module = _module(cmd_name)
        if not hasattr(module, "app"):  # train takes settings, which Hydra completes
            return TyperCommand(cmd_name)
        return typer.main.get_command(module.app)

    def get_help(self, ctx: Any) -> str:
        """All commands, without importing any."""
        return help_text()


def _overview() -> typer.Typer:
    """An application that knows no more than the commands' names: for completion, and typos."""
    app = command_app(cls=_Overview, add_completion=True)

    @app.callback()
    def overview(
        version: bool = typer.Option(False, "--version", help="Show the version and exit."),
    ) -> None:
        pass

    return app


def _add_examples(command: Any, name: str | None) -> None:
    """Let the help of a command, and of those inside it, end with an example."""
    for inner, one in getattr(command, "commands", {}).items():
        _add_examples(one, f"{name} {inner}")
    example = next((line for line in EXAMPLES.splitlines() if line.startswith(f"{name} ")), None)
    command.epilog = example and f"\b\nExample: {example}"


if __name__ == "__main__":
    main()
