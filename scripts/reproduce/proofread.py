"""How well `crosspro proofread` finds the pronouns that professional raters marked.

    python -m crosspro.scripts.reproduce.proofread judge WORK --verdicts DATA/verdicts
    python -m crosspro.scripts.reproduce.proofread calibrate WORK --verdicts DATA/verdicts
    python -m crosspro.scripts.reproduce.proofread measure WORK --verdicts DATA/verdicts

`judge` reads every output once and keeps in WORK what the model says. `calibrate` learns the
weights of conf/proofread.yaml from newstest 2021 and from one half of the documents of WMT 2023,
and from newstest 2020, which three raters read, how much one of them misses. `measure` does so on
the other half: how often a marked pronoun is doubted more than another one.

A pronoun is marked if a mark of at most three words stands on it, for mistranslation, grammar or
inconsistency.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from zlib import crc32

import numpy as np
import typer
from sklearn.metrics import roc_auc_score

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import make_folder, read_text_lines, write_text
from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.report.tables import markdown_table
from crosspro.evaluation.resampling import Booleans, Floats, Ints, Resampling
from crosspro.prediction.pair_prediction import load_predictor
from crosspro.prediction.proofread.find import proofread
from crosspro.prediction.proofread.judge import features, load_judge
from crosspro.prediction.proofread.text import DoubtKind, text_of_lines
from crosspro.scripts.cli import run
from crosspro.scripts.common import App, one_run, tell
from crosspro.scripts.reproduce.rater_marks import (
    Marks,
    RatedSegment,
    read_newstest,
    read_wmt23,
)

app = App()

Work = Annotated[Path, typer.Argument(help="Folder of what `judge` wrote.")]
Verdicts = Annotated[Path, typer.Option(help="Folder of the verdicts.")]

WMT23, NEWS2021, NEWS2020 = SETS = "wmt23", "news2021", "news2020"
SYNTHETIC = "synthetic_ref"
TASK = load_task("en-de-text")
LONGEST_MARK = 3
PENALTY = 0.5
"""Of squared weights; it keeps those small that the marks say little of."""
_CATEGORIES = re.compile("mistranslation|grammar|inconsisten", re.IGNORECASE)
_OMISSION = re.compile("omission", re.IGNORECASE)


# What the model says ------------------------------------------------------------------------------


@dataclass(frozen=True)
class RatedPronoun:
    """A pronoun in an output, and the probabilities that the model gives to its rivals."""

    segment: RatedSegment
    kind: DoubtKind
    start: int
    end: int
    label: str
    probabilities: Mapping[str, float]

    def is_marked_by(self, marks: Marks, longest: int = LONGEST_MARK) -> bool:
        """Whether one of a rater's marks stands on it."""
        missing = self.kind is DoubtKind.MISSING
        category, near = (_OMISSION, 1) if missing else (_CATEGORIES, 0)
        return any(
            mark.start < self.end + near
            and mark.end > self.start - near
            and category.search(mark.category)
            and len(self.segment.target[mark.start : mark.end].split()) <= longest
            for mark in marks
        )

    def marks(self, longest: int = LONGEST_MARK) -> int:
        """The number of raters who marked it."""
        return sum(self.is_marked_by(marks, longest) for marks in self.segment.raters)


def read_verdicts(verdicts: Path, name: str) -> list[RatedSegment]:
    """The segments of a set of verdicts."""
    if name == WMT23:
        segments = read_wmt23(verdicts / "wmt23.en-de")
        return [segment for segment in segments if segment.system != SYNTHETIC]
    return read_newstest(verdicts / f"{name}.en-de.mqm.tsv.xz")


@app.command()
def judge(
    work: Work,
    verdicts: Verdicts,
    model: Annotated[Path, typer.Option(help="A bundled model, a run or an archive.")] = Path(
        "en-de"
    ),
) -> None:
    """Read all outputs and keep what the model says of their pronouns; sets that are kept stay."""
    make_folder(work)
    predictor = load_predictor(one_run(model), model.stem)
    for name in SETS:
        if (work / f"{name}.jsonl").is_file():
            continue
        segments = read_verdicts(verdicts, name)
        text = text_of_lines(
            [segment.source for segment in segments],
            [segment.target for segment in segments],
            [f"{segment.system} {segment.document}" for segment in segments],
        )
        rows = []
        for doubt in proofread(predictor, text):
            place = doubt.place
            word = (place.segment, doubt.kind, place.start, place.end, doubt.label)
            rows.append([*word, dict(doubt.probabilities)])
        write_text(work / f"{name}.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
        tell(f"{name}: {len(rows):,} pronouns")


def rated_pronouns(work: Path, verdicts: Path, name: str) -> list[RatedPronoun]:
    """The pronouns of a set that `judge` found in segments that somebody has read."""
    path = work / f"{name}.jsonl"
    if not path.is_file():
        raise input_error(path, "file", "what `judge` has written", "none")
    segments = read_verdicts(verdicts, name)
    pronouns = []
    for line in read_text_lines(path):
        number, kind, *rest = json.loads(line)
        if segments[number].raters:
            pronouns.append(RatedPronoun(segments[number], DoubtKind(kind), *rest))
    return pronouns


def is_development(pronoun: RatedPronoun) -> bool:
    """Whether a document of WMT 2023 is for choices, and not for measurement."""
    return crc32(pronoun.segment.document.encode()) % 2 == 0


# Calibration --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MarkCounts:
    """The features of pronouns, how many raters marked each, and how many read it."""

    rows: Floats
    marks: Ints
    raters: Ints


@app.command()
def calibrate(work: Work, verdicts: Verdicts) -> None:
    """Learn how probably pronouns are wrong, and write conf/proofread.yaml."""
    sets = {name: rated_pronouns(work, verdicts, name) for name in SETS}
    recall = rater_recall(sets[NEWS2020])
    print(f"a rater marks {recall:.3f} of what another one marks")
    sets[WMT23] = list(filter(is_development, sets[WMT23]))
    lines = [
        "# How probably a pronoun is wrong, by what a model says: prediction/proofread/judge.py.",
        "# Made by python -m crosspro.scripts.reproduce.proofread calibrate.",
    ]
    names = {DoubtKind.WORD: (WMT23, NEWS2021), DoubtKind.MISSING: SETS}
    for kind, of_kind in names.items():
        counts = []
        for name in of_kind:
            chosen = [pronoun for pronoun in sets[name] if pronoun.kind is kind]
            rows = [features(kind, each.label, each.probabilities, TASK) for each in chosen]
            marks = np.array([pronoun.marks() for pronoun in chosen])
            raters = np.array([len(pronoun.segment.raters) for pronoun in chosen])
            counts.append(MarkCounts(np.array(rows), marks, raters))
            print(f"{kind}: {name}: {len(chosen):,} pronouns, {marks.sum():,} marks")
        weights = learnt_weights(counts, recall)
        lines.append(f"{kind}: [{', '.join(f'{weight:.4f}' for weight in weights)}]")
    write_text(CONF_DIR / "proofread.yaml", "".join(f"{line}\n" for line in lines))


def rater_recall(pronouns: Sequence[RatedPronoun]) -> float:
    """How much of what one rater marked another one marked, over pairs of raters of an output."""
    words = [pronoun for pronoun in pronouns if pronoun.kind is DoubtKind.WORD]
    both = sum(pronoun.marks() * (pronoun.marks() - 1) for pronoun in words)
    return both / sum(pronoun.marks() * (len(pronoun.segment.raters) - 1) for pronoun in words)


def learnt_weights(sets: Sequence[MarkCounts], recall: float) -> Floats:
    """Weights with which the marks of raters are most probable, who each mark `recall` of errors.

    All sets count alike.
    """
    from scipy.optimize import minimize

    penalty = np.full(sets[0].rows.shape[1], PENALTY)
    penalty[0] = 0.0
    smallest = min(len(counts.rows) for counts in sets)

    def loss(weights: Floats) -> tuple[float, Floats]:
        value, slope = float((penalty * weights**2).sum()), 2 * penalty * weights
        for counts in sets:
            wrong = 1 / (1 + np.exp(-(counts.rows @ weights)))
            chance = np.clip(recall * wrong, 1e-12, 1 - 1e-12)
            marks, missed = counts.marks, counts.raters - counts.marks
            share = smallest / len(counts.rows)
            value -= share * float((marks * np.log(chance) + missed * np.log(1 - chance)).sum())
            change = (missed / (1 - chance) - marks / chance) * recall * wrong * (1 - wrong)
            slope = slope + share * (change @ counts.rows)
        return value, slope

    start = np.zeros(len(penalty))
    start[0] = -2.0  # pronouns are rarely wrong
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x)


# Measurement --------------------------------------------------------------------------------------


@app.command()
def measure(work: Work, verdicts: Verdicts) -> None:
    """Measure on WMT 2023 how pronouns are ordered.

    Marks of several words are mostly about others of their words than the pronoun.
    """
    pronouns = [
        pronoun
        for pronoun in rated_pronouns(work, verdicts, WMT23)
        if pronoun.kind is DoubtKind.WORD and not is_development(pronoun)
    ]
    calibration = load_judge()
    wrong = [
        calibration.wrong(each.kind, each.label, each.probabilities, TASK) for each in pronouns
    ]
    print(f"{len(pronouns):,} pronouns\n")
    print(markdown_table(("order", "marks of", "AUC"), measured(pronouns, wrong), 2))


def measured(
    pronouns: Sequence[RatedPronoun], wrong: Sequence[float]
) -> list[tuple[str, str, str]]:
    """How pronouns are ordered by what `proofread` says, and by their probabilities alone."""
    documents = [pronoun.segment.document for pronoun in pronouns]
    improbable = [-pronoun.probabilities[pronoun.label] for pronoun in pronouns]
    rows = []
    for longest, words in ((LONGEST_MARK, f"at most {LONGEST_MARK} words"), (1, "single words")):
        marked = np.array([pronoun.marks(longest) > 0 for pronoun in pronouns])
        for name, doubts in (("`proofread`", wrong), ("improbability alone", improbable)):
            area, *resampled = areas(np.array(doubts), marked, documents)
            low, high = np.quantile(resampled, (0.025, 0.975))
            rows.append((name, words, f"{area:.3f} [{low:.3f}, {high:.3f}]"))
    return rows


def areas(doubts: Floats, marked: Booleans, documents: Sequence[str]) -> list[float]:
    """The area under the ROC curve, and then those of resampled documents, where there is one."""
    units = np.unique(documents, return_inverse=True)[1]
    draws = Resampling(500).draws(int(units.max()) + 1)
    weights = [counts[units] for block in draws for counts in block]
    return [
        roc_auc_score(marked, doubts, sample_weight=row)
        for row in (np.ones(len(units)), *weights)
        if row[marked].any() and row[~marked].any()
    ]


if __name__ == "__main__":
    run(app)
