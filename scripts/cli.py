"""The command `crosspro`: its sub-commands, each a module of this folder with a Typer `app`.

A module is imported when its command is called. A new command is a module with an example in its
`epilog`, and a line in `COMMANDS`.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from crosspro.data_prep.core.errors import CrossproError, printable
from crosspro.version import __version__

ABOUT = "Cross-lingual pronoun prediction and evaluation of pronoun translation."
COMMANDS = {
    "Data": {
        "align": "Align the words of parallel text, or evaluate links.",
        "annotate": "Add lemmas, tags and parses to tokenised text.",
        "check": "Check shared-task files, and count what they hold.",
        "classes": "Propose the classes of a new language pair.",
        "demo": "Write the generated demo corpus as shared-task files.",
        "fetch-official": "Download the official data of the shared tasks.",
        "prepare": "Make shared-task files from parallel text.",
        "select-test": "Choose test documents rich in rare classes.",
        "tokenise": "Tokenise text as the official files are tokenised.",
    },
    "Train and predict": {
        "train": "Train a system and score it.",
        "pretrain": "Pre-train a network on text whose pronouns are hidden.",
        "ensemble": "Join trained systems into one that averages them.",
        "predict": "Fill the gaps of a file, or of a typed sentence.",
        "serve": "Try trained systems on sentence pairs in a browser.",
        "lm": "Train n-gram language models, and fill gaps with them.",
        "models": "List and pack trained systems.",
    },
    "Score predictions": {
        "evaluate": "Score submissions against a gold file.",
        "contrastive": "Score systems on contrastive sets.",
        "published": "Show published results and the figures of the papers.",
    },
    "Judge translations": {
        "correlate": "Correlate metrics with human scores of MT systems.",
        "proofread": "Find pronouns of a translation that are probably wrong.",
        "protest": "Build a PROTEST suite, score MT output, collect verdicts.",
        "score": "Score machine translations by metrics of pronouns, BLEU and chrF.",
    },
}
"""The sub-commands by panels of the help: `scripts/NAME.py` (with _ for -)."""

NAMES = [name for panel in COMMANDS.values() for name in panel]


class LazyGroup(TyperGroup):
    """The sub-commands, listed with their first lines and imported when called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for panel, commands in COMMANDS.items():
            for name, line in commands.items():
                self.commands[name] = TyperCommand(name, help=line, rich_help_panel=panel)

    def list_commands(self, ctx: Any) -> list[str]:
        """The names in the order of the panels."""
        return NAMES

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that arguments name, from its module, and the rest of the arguments."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, command_of(str(name)), rest


def command_of(name: str) -> Any:
    """A sub-command with its options; Hydra, and not Typer, reads those of train."""
    if name == "train":
        return TyperCommand(name, help=COMMANDS["Train and predict"][name])
    module = import_module(f"crosspro.scripts.{name.replace('-', '_')}")
    command = typer.main.get_command(module.app)
    command.name = name
    return command


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"crosspro {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=LazyGroup,
    help=ABOUT,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(help=ABOUT)
def crosspro(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_print_version),
    ] = False,
) -> None:
    """The options before a sub-command."""


def main() -> None:
    """Run the command line."""
    if sys.argv[1:2] == ["train"]:  # Hydra reads the arguments, and starts this file for each GPU
        train = import_module("crosspro.scripts.train")
        sys.argv = [str(train.__file__), *sys.argv[2:]]
        train.main()
        return
    # Else pydantic looks for plugins in the metadata of every installed package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Threads of OpenBLAS wait busily for work; only training multiplies enough to profit.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    run(app, "crosspro")


def run(application: typer.Typer, name: str | None = None) -> None:
    """Run an application; wrong input becomes one message and exit status 2."""
    escape_output()
    try:
        try:
            typer.main.get_command(application)(prog_name=name)
        finally:
            sys.stdout.flush()  # the interpreter would exit silently if this fails at its end
    except CrossproError as error:
        print(printable(str(error), lines=True), file=sys.stderr)
        raise SystemExit(2) from None
    except OSError as error:
        end_after(error)


def escape_output() -> None:
    """Print characters that the terminal's encoding lacks as escapes."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # a closed stream, or a test's
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def end_after(error: OSError) -> None:
    """Exit after an error of reading or writing; without a file name it is reported as `output`."""
    with suppress(OSError, ValueError):  # the interpreter would flush stdout once more at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):  # as with `| head`
        raise SystemExit(1)
    place = printable(str(error.filename or "output"))
    print(f"crosspro: {place}: {error.strerror or error}", file=sys.stderr)
    raise SystemExit(2)


if __name__ == "__main__":
    main()
