"""The command `crosspro`: finds the sub-command and runs its module, which alone is imported."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Callable
from types import ModuleType

import typer

from crosspro import __version__
from crosspro.data_prep.core.errors import CrossproError, printable
from crosspro.data_prep.core.guard import guarded
from crosspro.evaluation.inputs import sheets  # noqa: F401 - which protects them
from crosspro.scripts.command_files import App
from crosspro.scripts.standard_streams import end_after, open_standard_streams

COMMANDS = {
    "align": "Align the words of parallel text, or evaluate links.",
    "annotate": "Add lemmas, tags and parses to tokenised text.",
    "apt": "Score how accurately MT output translates pronouns.",
    "apt-equivalents": "Find equivalent pronouns for APT from judged examples.",
    "autoprf": "Precision and recall of MT output for pronouns (AutoPRF).",
    "check": "Check shared-task files and list every problem.",
    "classes": "Propose the classes of a new language pair.",
    "completion": "Print the script that completes words in a shell.",
    "contrastive": "Score systems on contrastive sets, or build such a set.",
    "correlate": "Correlate metrics with human scores of MT systems.",
    "demo": "Write the generated demo corpus as shared-task files.",
    "ensemble": "Join trained systems into one that averages them.",
    "evaluate": "Score submissions against a gold file.",
    "explain": "Say what decided the class of a gap.",
    "fetch-official": "Download the official data of the shared tasks.",
    "fill": "Fill gaps with a language model.",
    "gap-filling": "Let people fill in hidden pronouns, and score by it.",
    "label-it": "Label each English it: anaphoric, pleonastic or event.",
    "lexicon": "Learn, convert and look up gender and number of words.",
    "lm": "Train and query n-gram language models.",
    "models": "List, pack, check and unpack trained systems.",
    "mt-metrics": "BLEU and chrF of MT output, through sacrebleu.",
    "overlap": "Find text that two data sets share.",
    "predict": "Fill the gaps of a file with a trained system.",
    "prepare": "Make shared-task files from parallel text.",
    "pretrain": "Pre-train a network on text whose pronouns are hidden.",
    "pronoun-f1": "Precision, recall and F1 of pronouns without links.",
    "protest": "Build a PROTEST suite, score MT output, collect verdicts.",
    "published": "Show published results and the tables of the papers.",
    "report": "All scores of a folder of MT output as one page.",
    "select-test": "Choose test documents rich in rare classes.",
    "serve": "Try trained systems on sentence pairs in a browser.",
    "stats": "Count documents, tokens and classes of data files.",
    "tokenise": "Tokenise text as the official files are tokenised.",
    "train": "Train a system and score it.",
}
"""The sub-commands: `scripts/NAME.py` (with _ for -), and the first line of the help."""


def main() -> None:
    """Entry point of the console command."""
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
                app(args=arguments, prog_name=name)
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


def command_app() -> App:
    """A Typer application for one command, the same for all of them."""
    return App(
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )


def _overview() -> typer.Typer:
    """An application that only shows what there is: help, version, and the error for a typo."""
    app = command_app()

    @app.callback(invoke_without_command=True)
    def overview(
        context: typer.Context,
        version: bool = typer.Option(False, "--version", help="Show the version and exit."),
    ) -> None:
        """Cross-lingual pronoun prediction and evaluation of pronoun translation.

        `crosspro COMMAND --help` says more.
        """
        print(f"crosspro {__version__}" if version else context.get_help())

    for command, help_text in COMMANDS.items():
        app.command(command, help=help_text)(_nothing())
    return app


def _nothing() -> Callable[[], None]:
    return lambda: None


if __name__ == "__main__":
    main()
