"""The card of a model of the box: what it predicts, what it learnt from, how good it is.

    python -m crosspro.scripts.reproduce.cards WORK --model en-fr

predicts the test sets of WORK/data/NAME with WORK/models/NAME.zip and writes WORK/models/NAME.md:
scores by domain and by class, with intervals, size, speed on one core, digest, and the command that
makes the model again.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import make_folder, write_text
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.formats.shared_task import read_examples, write_doc_ids, write_examples
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.metrics.submissions.metric import evaluate_submissions
from crosspro.evaluation.metrics.submissions.submission import read_gold, read_submissions
from crosspro.evaluation.output.tables import markdown_table
from crosspro.prediction.models import summary
from crosspro.prediction.output import predicted
from crosspro.prediction.runs import find_run
from crosspro.prediction.system import System, load_system
from crosspro.scripts.main import command_app, run
from crosspro.scripts.reproduce.models import BOX

app = command_app()

LANGUAGES = {"de": "German", "en": "English", "es": "Spanish", "fr": "French"}
DOMAINS = {
    "TED talks": ("test.ted", "test.DiscoMT"),
    "subtitles": ("test.subtitles",),
    "news": ("test.news",),
    "dialogue": ("test.dialogue",),
}
CORPORA = {
    "bcontrast": ("BConTrasT, dialogues of the WMT 2020 chat task", "for research"),
    "chat22": ("dialogues of the WMT 2022 chat task", "for research, non-commercial"),
    "diabla": ("DiaBLa, dialogues", "CC BY-SA"),
    "europarl": ("European Parliament", "free with acknowledgement"),
    "newstest": ("WMT news test sets", "for research"),
    "opensubs": ("OpenSubtitles, as chosen by ctxpro", "for research"),
    "ted": ("TED talks", "CC BY-NC-ND"),
    "wesnoth": ("The Battle for Wesnoth", "GPL-2.0-or-later"),
}
"""What corpora are, by the beginnings of their names, and under which terms they are published."""
LEXICONS = {
    "lexique": "Gender and number of words are from Lexique 3.83 (CC BY-SA 4.0), in the archive. ",
    "german-nouns": "Gender of nouns is from german-nouns, after Wiktionary (CC BY-SA 4.0), in the "
    "archive. ",
}
_FEWEST = 20
"""Gaps of a class that has an interval."""
_DOCUMENTS = 10
_RESAMPLES, _SEED = 1000, 12345


@dataclass(frozen=True)
class Domain:
    """Test sets of a domain: gold examples, the same as predicted, and the seconds that took.

    Their documents are what is resampled: sentences, where there are few documents.
    """

    name: str
    files: tuple[str, ...]
    gold: tuple[Example, ...]
    found: tuple[Example, ...]
    seconds: float

    @property
    def gaps(self) -> list[tuple[str, str, str]]:
        """The document, the label and the predicted class of each gap."""
        return [
            (str(example.document), str(gap.label), str(own.label))
            for example, other in zip(self.gold, self.found, strict=True)
            for gap, own in zip(example.gaps, other.gaps, strict=True)
        ]


@app.command()
def cards(
    work: Annotated[Path, typer.Argument(help="Folder of reproduce.models: data, models.")],
    model: Annotated[
        list[str] | None, typer.Option(help="Models (repeat); all by default.")
    ] = None,
) -> None:
    """Write the cards of models."""
    for name in model or BOX:
        path = work / "models" / f"{name}.md"
        write_text(path, card(work, name))
        print(path)


def card(work: Path, name: str) -> str:
    """The card of a model as Markdown."""
    archive, folder = work / "models" / f"{name}.zip", work / "data" / name
    about, system = summary(archive), load_system(archive)
    task, record = system.task, find_run(archive)
    domains = [
        _predicted(system, title, files)
        for title, beginnings in DOMAINS.items()
        if (files := sorted(p for p in folder.glob("test.*.data") if p.name.startswith(beginnings)))
    ]
    source, target = LANGUAGES[task.source_language], LANGUAGES[task.target_language]
    gaps = sum(len(domain.gaps) for domain in domains)
    seconds = sum(domain.seconds for domain in domains)
    learnt = [] if record is None else [part for part in record.data if part.split == "train"]
    lexicon = LEXICONS.get(BOX[name].lexicon, "")
    parts = [
        f"# {name}: pronouns of a {target} translation of {source} text",
        f"A gap in the {target} text gets one of {len(task.classes)} classes. The model reads both "
        "sides of the document, ten sentences back where they are given, and points at the noun "
        "that it takes for the antecedent.",
        f"`crosspro predict --model {name} --text SOURCE TARGET` fills `REPLACE` in a sentence, "
        f"`crosspro predict --model {name} FILE.data -o OUT.data` a file.",
        "## What it predicts",
        markdown_table(("class", "words"), _classes(task), 2),
        f"Source words that make a gap: {', '.join(task.source_pronouns)}"
        + (", and verbs without a subject." if task.null_subjects else "."),
        "## What it learnt from",
        markdown_table(
            ("corpus", "what it is", "terms", "lines", "gaps"),
            [
                (
                    part.name.removeprefix("train.").removesuffix(".data"),
                    *_corpus(part.name.removeprefix("train.")),
                    f"{part.lines:,}",
                    f"{part.gaps:,}",
                )
                for part in learnt
            ],
            3,
        ),
        f"Before that it learnt from pronouns of the same text and of {target} novels of the "
        f"public domain. {lexicon}Nothing of the test sets below, and of other sets that are for "
        "tests alone, was in the text, on either side.",
        "The weights are for research and other non-commercial use, as parts of the text are "
        "(models/LICENSE). The code is under Apache-2.0.",
        "## What it is not for",
        "It does not know who people are: *he* and *she* are told from the text alone, and where "
        "the text does not tell, it repeats what was frequent in its corpora. Do not infer "
        f"anybody's gender with it. It was not tried on other languages than {source} and "
        f"{target}, on verse, or on text before 1800, and it is no judge of a translation as a "
        "whole.",
        "## Scores",
        f"Of the file as it is shipped, in per cent, with 95% intervals by document (by sentence "
        f"where there are fewer than {_DOCUMENTS} documents; bootstrap, {_RESAMPLES} resamples).",
        _scores(domains, task, work / "card", name),
        "Recall of each class, with the number of gaps; intervals where there are "
        f"{_FEWEST} or more:",
        _recalls(domains, task),
        "## Size, speed, digest",
        f"{about.size / 1e6:.1f} MB; {gaps / max(seconds, 1e-9):,.0f} gaps a second on one core "
        f"({platform.machine()}, {gaps:,} gaps of the tests with their documents); digest "
        f"`{about.digest}`.",
        f"`python -m crosspro.scripts.reproduce.models make WORK --corpora DATA --model {name}` "
        "makes it again.",
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _predicted(system: System, title: str, files: Sequence[Path]) -> Domain:
    """What a system predicts for the test sets of a domain."""
    task = system.task
    gold = [
        line for path in files for line in read_examples(path, task, path.with_suffix(".doc-ids"))
    ]
    before = _processor_seconds()
    found = predicted(system, gold).labelled()
    seconds = _processor_seconds() - before
    if len({line.document for line in gold}) < _DOCUMENTS:
        gold, found = (
            [replace(line, document=str(number)) for number, line in enumerate(lines)]
            for lines in (gold, found)
        )
    names = tuple(path.name.removeprefix("test.").removesuffix(".data") for path in files)
    return Domain(title, names, tuple(gold), tuple(found), seconds)


def _processor_seconds() -> float:
    """What this process and those that it started, for parts of a file, have had of processors."""
    return sum(os.times()[:4])


def _classes(task: Task) -> list[tuple[str, str]]:
    return [
        (label, "anything else, or nothing" if label == OTHER else ", ".join(words))
        for label, words in task.forms.items()
    ]


def _corpus(name: str) -> tuple[str, str]:
    found = [about for beginning, about in CORPORA.items() if name.startswith(beginning)]
    return found[0] if found else ("", "")


def _scores(domains: Sequence[Domain], task: Task, folder: Path, name: str) -> str:
    """Macro-averaged recall and accuracy of each domain."""
    make_folder(folder)
    rows = []
    for domain in domains:
        gold = folder / f"{name}.{domain.name.split()[0]}.data"
        submission = gold.with_suffix(".submission.data")
        write_examples(gold, domain.gold)
        write_doc_ids(gold.with_suffix(".doc-ids"), domain.gold)
        write_examples(submission, domain.found)
        labels = read_gold(gold, task, gold.with_suffix(".doc-ids"))
        found = read_submissions([submission], task, labels)
        evaluation = evaluate_submissions(task, labels, found, plan=Resampling(_RESAMPLES, _SEED))
        scores = evaluation.systems[0].scores
        cells = (_cell(scores[key]) for key in ("macro_recall", "accuracy"))
        rows.append((domain.name, ", ".join(domain.files), f"{len(domain.gaps):,}", *cells))
    return markdown_table(("domain", "sets", "gaps", "macro recall", "accuracy"), rows, 2)


def _cell(score: object) -> str:
    value, low, high = (getattr(score, key) for key in ("value", "low", "high"))
    return f"{value:.1f} [{low:.1f}, {high:.1f}]"


def _recalls(domains: Sequence[Domain], task: Task) -> str:
    """Recall of each class in each domain."""
    generator = np.random.default_rng(_SEED)
    rows = []
    for label in task.classes:
        cells = []
        for domain in domains:
            own = [
                (document, found == label) for document, gold, found in domain.gaps if gold == label
            ]
            if len(own) < _FEWEST:
                cells.append(f"({len(own)})")
                continue
            right = np.array([correct for _, correct in own], dtype=float)
            low, high = _interval(right, [document for document, _ in own], generator)
            cells.append(f"{100 * right.mean():.1f} [{low:.1f}, {high:.1f}] ({len(own)})")
        rows.append((label, *cells))
    return markdown_table(("class", *(domain.name for domain in domains)), rows)


def _interval(
    right: NDArray[np.float64], units: Sequence[str], generator: np.random.Generator
) -> tuple[float, float]:
    """The 95% interval of a share, from resampled units, each with all of its gaps."""
    numbers = {unit: number for number, unit in enumerate(dict.fromkeys(units))}
    places = np.array([numbers[unit] for unit in units])
    sums = np.bincount(places, right), np.bincount(places)
    drawn = generator.integers(0, len(numbers), (_RESAMPLES, len(numbers)))
    shares = 100 * sums[0][drawn].sum(1) / sums[1][drawn].sum(1)
    low, high = np.percentile(shares, (2.5, 97.5))
    return float(low), float(high)


if __name__ == "__main__":
    run(app)
