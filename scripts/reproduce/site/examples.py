"""Reports as examples on the site, made by the commands of texts that come with the project.

They are made anew whenever the site is built, so they show what the commands make today. Nothing of
them is kept in the repository.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
STORIES = "docs/tutorials/two-systems"

_TASK = ("--task", "en-fr-text")
_SIDES = ("--source", f"{STORIES}/source.en", "--reference", f"{STORIES}/reference.fr",
          "--doc-ids", f"{STORIES}/doc-ids")  # fmt: skip
_OUTPUTS = ("--candidate", f"{STORIES}/outputs/sentence.fr", f"{STORIES}/outputs/document.fr")


def make_examples(folder: Path) -> list[Path]:
    """Make all pages in a folder, beside what they need."""
    work = folder / "work"
    gold, filled = work / "stories", work / "filled.data"
    suite, text = work / "suite.jsonl", "tests/golden/protest"
    commands: dict[str, Sequence[str | Path]] = {
        "report": ("report", STORIES, "-o", work / "report"),
        "apt": ("apt", *_SIDES, *_OUTPUTS, "--html", folder / "apt.html"),
        "proofread": ("proofread", f"{STORIES}/source.en", f"{STORIES}/outputs/sentence.fr",
                      "--doc-ids", f"{STORIES}/doc-ids", "--html", folder / "proofread.html"),
        "prepare": ("prepare", *_TASK, "--source", f"{STORIES}/source.en",
                    "--target", f"{STORIES}/reference.fr", "--doc-ids", f"{STORIES}/doc-ids",
                    "--blind", "-o", gold),
        "predict": ("predict", "--model", "en-fr", f"{gold}.blind.data", "-o", filled),
        "evaluate": ("evaluate", f"{gold}.data", filled, *_TASK,
                     "--html", folder / "evaluate.html"),
        "build": ("protest", "build", "--annotation", f"{text}/en", "--source", f"{text}/text.en",
                  "--reference", f"{text}/text.fr", "--doc-ids", f"{text}/text.doc-ids",
                  "--links", f"{text}/text.links", "--repair", "-o", suite),
        "protest": ("protest", "score", suite, "--candidate", f"{text}/text.fr",
                    "--candidate-links", f"{text}/text.links", "--repair", "--name", "reference",
                    "--html", folder / "protest.html"),
        "leaderboard": ("leaderboard", "-o", folder / "leaderboard.html"),
    }  # fmt: skip
    work.mkdir(parents=True)
    for arguments in commands.values():
        _run(arguments)
    (work / "report" / "report.html").rename(folder / "report.html")
    return sorted(folder.glob("*.html"))


def _run(arguments: Sequence[str | Path]) -> None:
    """Run a command in the repository's root; `proofread` ends with 1 where it found something."""
    program = "from crosspro.scripts.entry import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=ROOT, env={**os.environ, "COLUMNS": "100"}, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode > (arguments[0] == "proofread"):
        raise RuntimeError(f"crosspro {' '.join(map(str, arguments))}\n{done.stderr}")
