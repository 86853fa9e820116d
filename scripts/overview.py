"""What `crosspro` says of itself: lines to try, the commands, and an example of each.

Nothing else is imported for it, so that it is there at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

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
        "doctor": "Say what is installed, and what is missing.",
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

crosspro doctor --layout json
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


ABOUT = "Cross-lingual pronoun prediction and evaluation of pronoun translation."

FIRST_LINES = {
    "Fill a pronoun:": EXAMPLES[EXAMPLES.index("crosspro predict ") :].partition("\n")[0],
    "Find pronouns of a translation that are probably wrong:": (
        "crosspro proofread sample/mt/source.en sample/mt/outputs/careless.fr"
    ),
    "Score a model, or a submission, on a gold file:": (
        "crosspro evaluate sample/gold.data en-fr --task en-fr-text"
    ),
    "Compare two translations, on the page report/report.html:": (
        "crosspro report sample/mt -o report"
    ),
    "Try the models on a page in a browser (needs the extra review, see crosspro doctor):": (
        "crosspro serve"
    ),
}
"""Lines that work at once, in any folder: `sample/` is in the package where there is none."""

_OPTIONS = {
    "--version": "Show the version and exit.",
    "--install-completion": "Install completion for the current shell.",
    "--show-completion": "Show completion, to copy it or customize the installation.",
    "-h, --help": "Show this message and exit.",
}


def first_lines() -> str:
    """What to try first."""
    lines = "\n\n".join(f"{what}\n  {line}" for what, line in FIRST_LINES.items())
    more = "crosspro --help: all commands. crosspro doctor: what is installed, and what is missing."
    return f"crosspro {__version__}: {ABOUT[0].lower()}{ABOUT[1:]}\n\n{lines}\n\n{more}"


def help_text() -> str:
    """All commands, in panels."""
    sections = {"Options": _OPTIONS, **PANELS}
    usage = "Usage: crosspro [OPTIONS] COMMAND [ARGS]..."
    return "\n\n".join(
        (
            usage,
            f"  {ABOUT}",
            "  `crosspro COMMAND --help` says more.",
            *map(_section, sections.items()),
        )
    )


def _section(section: tuple[str, dict[str, str]]) -> str:
    title, rows = section
    width = max(map(len, rows if title == "Options" else COMMANDS))
    return "\n".join([f"{title}:", *(f"  {name:{width}}  {text}" for name, text in rows.items())])


SAID: dict[tuple[str, ...], Callable[[], str]] = {
    (): first_lines,
    ("--help",): help_text,
    ("-h",): help_text,
    ("--version",): lambda: f"crosspro {__version__}",
}
"""What is said to arguments that name no command."""


def main() -> bool:
    """Whether something is said to the arguments; what names a command is for others to answer.

    So is a shell that completes words.
    """
    answer = SAID.get(tuple(sys.argv[1:]))
    if answer is None or "_CROSSPRO_COMPLETE" in os.environ:
        return False
    open_standard_streams()
    try:
        print(answer(), flush=True)
    except OSError as error:
        end_after(error, "crosspro: ")
    return True
