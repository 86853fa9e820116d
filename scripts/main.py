"""The command `crosspro`: finds the sub-command and runs its module, which alone is imported.

A new command is a module of this folder, a line in `PANELS`, and a line in `EXAMPLES` for it or for
each command inside it.
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
from crosspro.scripts.app import command_app as command_app
from crosspro.scripts.standard_streams import end_after, open_standard_streams
from crosspro.version import __version__

PANELS = {
    "Data": {
        "align": "Align the words of parallel text, or evaluate links.",
        "annotate": "Add lemmas, tags and parses to tokenised text.",
        "check": "Check shared-task files and list every problem.",
        "classes": "Propose the classes of a new language pair.",
        "demo": "Write the generated demo corpus as shared-task files.",
        "fetch-official": "Download the official data of the shared tasks.",
        "label-it": "Label each English it: anaphoric, pleonastic or event.",
        "lexicon": "Learn, convert and look up gender and number of words.",
        "overlap": "Find text that two data sets share.",
        "prepare": "Make shared-task files from parallel text.",
        "select-test": "Choose test documents rich in rare classes.",
        "stats": "Count documents, tokens and classes of data files.",
        "tokenise": "Tokenise text as the official files are tokenised.",
    },
    "Train and predict": {
        "ensemble": "Join trained systems into one that averages them.",
        "explain": "Say what decided the class of a gap.",
        "fill": "Fill gaps with a language model.",
        "lm": "Train and query n-gram language models.",
        "predict": "Fill the gaps of a file, or of a typed sentence.",
        "pretrain": "Pre-train a network on text whose pronouns are hidden.",
        "serve": "Try trained systems on sentence pairs in a browser.",
        "train": "Train a system and score it.",
    },
    "Score predictions": {
        "contrastive": "Score systems on contrastive sets, or build such a set.",
        "evaluate": "Score submissions against a gold file.",
    },
    "Judge translations": {
        "apt": "Score how accurately MT output translates pronouns.",
        "autoprf": "Precision and recall of MT output for pronouns (AutoPRF).",
        "correlate": "Correlate metrics with human scores of MT systems.",
        "mt-metrics": "BLEU and chrF of MT output, through sacrebleu.",
        "pronoun-f1": "Precision, recall and F1 of pronouns without links.",
        "proofread": "Find pronouns of a translation that are probably wrong.",
        "report": "All scores of a folder of MT output as one page.",
    },
    "People": {
        "apt-equivalents": "Find equivalent pronouns for APT from judged examples.",
        "gap-filling": "Let people fill in hidden pronouns, and score by it.",
        "protest": "Build a PROTEST suite, score MT output, collect verdicts.",
    },
    "Models and results": {
        "leaderboard": "Make the page and tables of all results from records.",
        "models": "List, pack, check and unpack trained systems.",
        "published": "Show published results and the tables of the papers.",
        "reproduce": "Make a row of the leaderboard again, and compare.",
        "results": "Record results, list them, and compute them again.",
    },
}
"""The sub-commands: `scripts/NAME.py` (with _ for -), and the first line of the help."""

COMMANDS = {name: text for panel in PANELS.values() for name, text in panel.items()}

EXAMPLES = """
crosspro align --source corpus.en --target corpus.fr -o corpus.links
crosspro annotate corpus.fr --language fr -o corpus.tagged.fr
crosspro check train.data --task en-fr
crosspro classes --source c.nl --source-language nl --target c.en --target-language en --source-pronouns hij --source-pronouns zij
crosspro demo --task en-fr -o demo
crosspro fetch-official --task en-fr --year 2017 -o data
crosspro label-it text novel.en -o novel.tsv
crosspro label-it train ParCorFull -o it.json
crosspro label-it evaluate ParCorFull
crosspro lexicon induce corpus.fr --language fr -o fr.tsv
crosspro lexicon convert lefff -o fr.tsv
crosspro lexicon look-up lefff maison
crosspro overlap train.data test.data --task en-fr
crosspro prepare --task en-fr --source corpus.en --target corpus.fr -o train
crosspro select-test corpus.data --task en-fr -o test
crosspro stats train.data --task en-fr
crosspro tokenise text.fr --language fr -o text.tok.fr

crosspro ensemble runs/a runs/b -o both
crosspro explain runs/en-fr test.data --line 12
crosspro fill test.data --task en-fr --lm fr.lm -o filled.data
crosspro lm train news.fr --order 5 -o fr.lm
crosspro lm query fr.lm text.fr --summary
crosspro lm convert fr.arpa.gz -o fr.lm
crosspro predict --model en-fr --text "The cup fell, but it did not break." "La tasse est tombée, mais REPLACE ne s'est pas cassée."
crosspro pretrain learn encoded -o pretrained
crosspro pretrain encode --task en-fr --data train.data --text novels -o encoded
crosspro serve --port 8000
crosspro train task=en-fr system=turku_gru_2016

crosspro contrastive score set.json scores.txt --html page.html
crosspro contrastive generate set.json --candidate output.txt --html page.html
crosspro contrastive build --source text.en --target text.de -o set.json
crosspro contrastive text set.json -o sentences
crosspro evaluate gold.data submission.data --task en-fr --html page.html

crosspro apt --source s.en --reference r.fr --candidate mt.fr --pronouns en-fr --html page.html
crosspro autoprf --source s.en --reference r.fr --candidate mt.fr --pronouns en-fr
crosspro correlate systems scores.csv --human ranking
crosspro correlate disagreement judged.csv
crosspro correlate cases judged.csv
crosspro correlate weights judged.csv
crosspro mt-metrics --candidate mt.fr --reference r.fr
crosspro pronoun-f1 --candidate mt.fr --reference r.fr --language fr
crosspro proofread book.en book.de --html page.html
crosspro report wmt-folder -o report

crosspro apt-equivalents draw --source s.en --reference r.fr --candidate mt.fr --pronouns en-fr -o sheet.tsv
crosspro apt-equivalents estimate sheet.tsv --pronouns en-fr -o equivalents.yaml
crosspro gap-filling draw --source s.en --reference r.fr --candidate mt.fr --pronouns en-fr -o sheet.tsv --key key.tsv
crosspro gap-filling score sheet.tsv --key key.tsv
crosspro protest build --annotation ParCor --source s.en --reference r.de --target-language de -o suite.jsonl
crosspro protest score suite.jsonl --candidate mt.de --html page.html
crosspro protest tokens suite.jsonl
crosspro protest judged suite.jsonl --candidate mt.de --verdicts store.sqlite --cases cases.json
crosspro protest stats ParCor
crosspro protest review serve suite.jsonl --candidate mt.de --verdicts store.sqlite --judge Ada
crosspro protest review items suite.jsonl --candidate mt.de -o items.jsonl
crosspro protest review export suite.jsonl --candidate mt.de -o review.tsv
crosspro protest review import suite.jsonl review.tsv --verdicts store.sqlite --judge Ada
crosspro protest review conflicts suite.jsonl --verdicts store.sqlite
crosspro protest review silver suite.jsonl --verdicts store.sqlite -o silver.tsv
crosspro protest review precision doubts.jsonl --verdicts store.sqlite

crosspro leaderboard --results results -o leaderboard.html
crosspro models list runs
crosspro models export runs/en-fr -o en-fr.zip --weights int8 --prior en-fr.npz
crosspro models check runs/en-fr
crosspro models import en-fr.zip -o runs/en-fr
crosspro published --year 2017 --task en-fr
crosspro reproduce en-de/uppsala_bilstm --corpora data
crosspro results add runs/a.1 runs/a.2 runs/a.3 --data data/en-fr
crosspro results verify en-de/uppsala_bilstm
crosspro results list --task en-fr
"""  # noqa: E501 - lines to be copied
"""One use of each command, which its help shows last."""


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

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands in panels, without importing any."""
        width = max(map(len, COMMANDS))
        for panel, commands in PANELS.items():
            with formatter.section(panel):
                formatter.write_dl([(name.ljust(width), text) for name, text in commands.items()])


def _overview() -> typer.Typer:
    """An application that only shows what there is: help, version, and the error for a typo."""
    app = command_app(cls=_Overview, add_completion=True)

    @app.callback(invoke_without_command=True)
    def overview(
        context: typer.Context,
        version: bool = typer.Option(False, "--version", help="Show the version and exit."),
    ) -> None:
        """Cross-lingual pronoun prediction and evaluation of pronoun translation.

        `crosspro COMMAND --help` says more.
        """
        print(f"crosspro {__version__}" if version else context.get_help())
        raise typer.Exit

    return app


def _add_examples(command: Any, name: str | None) -> None:
    """Let the help of a command, and of those inside it, end with an example."""
    for inner, one in getattr(command, "commands", {}).items():
        _add_examples(one, f"{name} {inner}")
    example = next((line for line in EXAMPLES.splitlines() if line.startswith(f"{name} ")), None)
    command.epilog = example and f"\b\nExample: {example}"


if __name__ == "__main__":
    main()
