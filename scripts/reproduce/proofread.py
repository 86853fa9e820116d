"""How well `crosspro proofread` finds the pronouns that professional raters marked.

    python -m crosspro.scripts.reproduce.proofread judge WORK --verdicts DATA/verdicts
    python -m crosspro.scripts.reproduce.proofread calibrate WORK --verdicts DATA/verdicts
    python -m crosspro.scripts.reproduce.proofread compare WORK --verdicts DATA/verdicts

`judge` reads every output once and keeps in WORK what the model says. `calibrate` learns the
weights of conf/proofread.yaml from newstest 2021 and from one half of the documents of WMT 2023,
and from newstest 2020, which three raters read, how much one of them misses. `compare` measures on
the other half, beside 42 metrics.

A pronoun is marked if a mark of at most three words stands on it, for mistranslation, grammar or
inconsistency.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Annotated
from zlib import crc32

import numpy as np
import typer

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import make_folder, read_text_lines, write_text
from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.report.tables import markdown_table
from crosspro.evaluation.resampling import Booleans, Floats, Ints, Resampling
from crosspro.prediction.pair_prediction import load_predictor
from crosspro.prediction.proofread.doubts import DoubtKind
from crosspro.prediction.proofread.find import proofread
from crosspro.prediction.proofread.judge import features, load_judge
from crosspro.prediction.proofread.text import text_of_lines
from crosspro.scripts.cli import run
from crosspro.scripts.common import App, one_run, tell
from crosspro.scripts.reproduce.rater_marks import (
    RatedSegment,
    RaterMark,
    SegmentScores,
    read_metric_scores,
    read_newstest,
    read_wmt23,
)

app = App()

Work = Annotated[Path, typer.Argument(help="Folder of what `judge` wrote.")]
Verdicts = Annotated[Path, typer.Option(help="Folder of the verdicts.")]

WMT23, NEWS2021, NEWS2020 = "wmt23", "news2021", "news2020"
REFERENCE, SYNTHETIC = "refA", "synthetic_ref"
TASK = load_task("en-de-text")
LONGEST_MARK = 3
SHOWN_METRICS = 12
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
    source_word: str
    probabilities: Mapping[str, float]

    def is_marked_by(self, marks: Sequence[RaterMark], longest: int = LONGEST_MARK) -> bool:
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

    def is_marked(self, longest: int = LONGEST_MARK) -> bool:
        """Whether any rater marked it."""
        return any(self.is_marked_by(marks, longest) for marks in self.segment.raters)

    @property
    def marks(self) -> int:
        """The number of raters who marked it."""
        return sum(map(self.is_marked_by, self.segment.raters))

    @property
    def features(self) -> Floats:
        """What its probability of being wrong is calculated from."""
        return features(self.kind, self.label, self.probabilities, TASK)


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
    for name in (WMT23, NEWS2021, NEWS2020):
        if (work / f"{name}.jsonl").is_file():
            continue
        rows = []
        segments = sorted(read_verdicts(verdicts, name), key=lambda segment: segment.system)
        for system, group in groupby(segments, key=lambda segment: segment.system):
            output = list(group)
            text = text_of_lines(
                [line.source for line in output],
                [line.target for line in output],
                [line.document for line in output],
            )
            for doubt in proofread(predictor, text):
                line, at = output[doubt.place.segment], doubt.place
                place = (system, line.document, line.number, doubt.kind, at.start, at.end)
                rows.append([*place, doubt.label, doubt.source_word, dict(doubt.probabilities)])
            tell(f"{name} {system}: {len(rows):,} pronouns")
        write_text(work / f"{name}.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))


def rated_pronouns(work: Path, name: str, segments: Sequence[RatedSegment]) -> list[RatedPronoun]:
    """The pronouns of a set that `judge` found in segments that somebody has read."""
    path = work / f"{name}.jsonl"
    if not path.is_file():
        raise input_error(path, "file", "what `judge` has written", "none")
    by_place = {(line.system, line.document, line.number): line for line in segments if line.raters}
    pronouns = []
    for line in read_text_lines(path):
        system, document, number, kind, *rest = json.loads(line)
        if segment := by_place.get((system, document, number)):
            pronouns.append(RatedPronoun(segment, DoubtKind(kind), *rest))
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

    @classmethod
    def of(cls, pronouns: Sequence[RatedPronoun]) -> MarkCounts:
        """Those of pronouns of one kind."""
        return cls(
            np.array([pronoun.features for pronoun in pronouns]),
            np.array([pronoun.marks for pronoun in pronouns]),
            np.array([len(pronoun.segment.raters) for pronoun in pronouns]),
        )


@app.command()
def calibrate(
    work: Work,
    verdicts: Verdicts,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = (
        CONF_DIR / "proofread.yaml"
    ),
) -> None:
    """Learn how probably pronouns are wrong, and write conf/proofread.yaml."""
    sets = {
        name: rated_pronouns(work, name, read_verdicts(verdicts, name))
        for name in (WMT23, NEWS2021, NEWS2020)
    }
    recall = rater_recall(sets[NEWS2020])
    print(f"a rater marks {recall:.3f} of what another one marks")
    sets[WMT23] = [pronoun for pronoun in sets[WMT23] if is_development(pronoun)]
    lines = [
        "# How probably a pronoun is wrong, by what a model says: prediction/proofread/judge.py.",
        "# Made by python -m crosspro.scripts.reproduce.proofread calibrate.",
    ]
    names = {DoubtKind.WORD: (WMT23, NEWS2021), DoubtKind.MISSING: tuple(sets)}
    for kind, of_kind in names.items():
        chosen = [[pronoun for pronoun in sets[name] if pronoun.kind is kind] for name in of_kind]
        counts = [MarkCounts.of(pronouns) for pronouns in chosen]
        weights = learnt_weights(counts, recall)
        for name, count in zip(of_kind, counts, strict=True):
            print(f"{kind}: {name}: {len(count.marks):,} pronouns, {count.marks.sum():,} marks")
        lines.append(f"{kind}: [{', '.join(f'{weight:.4f}' for weight in weights)}]")
    write_text(output, "".join(f"{line}\n" for line in lines))


def rater_recall(pronouns: Sequence[RatedPronoun]) -> float:
    """How much of what one rater marked another one marked, over pairs of raters of an output."""
    words = [pronoun for pronoun in pronouns if pronoun.kind is DoubtKind.WORD]
    both = sum(pronoun.marks * (pronoun.marks - 1) for pronoun in words)
    return both / sum(pronoun.marks * (len(pronoun.segment.raters) - 1) for pronoun in words)


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


# Comparison ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ranking:
    """Items by doubt, which of them raters marked, and their documents."""

    doubts: Floats
    marked: Booleans
    documents: Sequence[str]

    def measured(self, other: Ranking | None = None) -> str:
        """The area with its interval by document, or how far it is above another ranking's."""
        values = self.resampled() - (0 if other is None else other.resampled())
        low, high = np.nanquantile(values[1:], (0.025, 0.975))
        return f"{values[0]:.3f} [{low:.3f}, {high:.3f}]"

    def resampled(self) -> Floats:
        """The area, and then those of resampled documents."""
        units = np.unique(self.documents, return_inverse=True)[1]
        draws = Resampling(500).draws(int(units.max()) + 1)
        weights = [counts[units].astype(float) for block in draws for counts in block]
        every = np.ones(len(units))
        return np.array([area(self.doubts, self.marked, row) for row in (every, *weights)])


def area(doubts: Floats, marked: Booleans, weights: Floats) -> float:
    """The area under the ROC curve: how often a marked item is doubted more than another."""
    values, places = np.unique(doubts, return_inverse=True)
    positive = np.bincount(places, weights * marked, len(values))
    negative = np.bincount(places, weights * ~marked, len(values))
    below = np.cumsum(negative) - negative / 2
    total = positive.sum() * negative.sum()
    return float((positive * below).sum() / total) if total else float("nan")


@app.command()
def compare(
    work: Work,
    verdicts: Verdicts,
    longest: Annotated[
        int, typer.Option("--longest-mark", help="Marks of more words do not count.", min=1)
    ] = LONGEST_MARK,
) -> None:
    """Measure on WMT 2023 how pronouns and segments are ordered, beside the metrics of that year.

    With `--longest-mark 1` only marks on a pronoun alone count; longer ones are mostly about others
    of their words.
    """
    pronouns = [
        pronoun
        for pronoun in rated_pronouns(work, WMT23, read_verdicts(verdicts, WMT23))
        if pronoun.kind is DoubtKind.WORD and not is_development(pronoun)
    ]
    calibration = load_judge()
    wrong = np.array(
        [calibration.wrong(each.kind, each.label, each.probabilities, TASK) for each in pronouns]
    )
    scores = read_metric_scores(verdicts / "wmt23.en-de" / "metrics.tsv.xz")
    print(f"{len(pronouns):,} pronouns\n")
    print(markdown_table(("pronouns", "AUC"), pronoun_rows(pronouns, wrong, longest)))
    print(markdown_table(("segments", "AUC"), segment_rows(pronouns, wrong, longest, scores)))


def pronoun_rows(
    pronouns: Sequence[RatedPronoun], wrong: Floats, longest: int = LONGEST_MARK
) -> list[tuple[str, str]]:
    """How pronouns are ordered by what `proofread` says, and by their probabilities alone."""
    marked = np.array([pronoun.is_marked(longest) for pronoun in pronouns])
    documents = [pronoun.segment.document for pronoun in pronouns]
    improbable = np.array([-pronoun.probabilities[pronoun.label] for pronoun in pronouns])
    return [
        ("`proofread`: wrong", Ranking(wrong, marked, documents).measured()),
        ("improbability alone", Ranking(improbable, marked, documents).measured()),
    ]


def segment_rows(
    pronouns: Sequence[RatedPronoun],
    wrong: Floats,
    longest: int,
    scores: Mapping[str, SegmentScores],
) -> list[tuple[str, str]]:
    """How segments of systems are ordered that have a pronoun: by `proofread` and by metrics."""
    groups: dict[tuple[str, int], list[int]] = defaultdict(list)
    for place, pronoun in enumerate(pronouns):
        if pronoun.segment.system != REFERENCE:
            groups[pronoun.segment.system, pronoun.segment.number].append(place)
    on_pronoun = [pronoun.is_marked(longest) for pronoun in pronouns]
    marked = np.array([any(on_pronoun[place] for place in places) for places in groups.values()])
    documents = [pronouns[places[0]].segment.document for places in groups.values()]

    def ranking(doubts: Sequence[float]) -> Ranking:
        return Ranking(np.array(doubts), marked, documents)

    metrics = {
        name: ranking([-of_segment[key] for key in groups])
        for name, of_segment in scores.items()
        if groups.keys() <= of_segment.keys()
    }
    every = np.ones(len(marked))
    best = sorted(metrics, key=lambda name: -area(metrics[name].doubts, marked, every))
    worst = ranking([wrong[places].max() for places in groups.values()])
    return [
        ("`proofread`: most doubtful", worst.measured()),
        *((name, metrics[name].measured()) for name in best[:SHOWN_METRICS]),
        *((f"`proofread` above {name}", worst.measured(metrics[name])) for name in best[:1]),
    ]


if __name__ == "__main__":
    run(app)
