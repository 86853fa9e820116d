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
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from typing import Annotated
from zlib import crc32

import numpy as np
import typer
from numpy.typing import NDArray

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import make_folder, read_text_lines, write_text
from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.report.tables import markdown_table
from crosspro.prediction.models import chosen_run
from crosspro.prediction.pair_prediction import Predictor, load_predictor
from crosspro.prediction.proofread.doubts import DoubtKind
from crosspro.prediction.proofread.find import proofread
from crosspro.prediction.proofread.judge import features, load_judge
from crosspro.prediction.proofread.text import text_of_lines
from crosspro.scripts.cli import run
from crosspro.scripts.common import App
from crosspro.scripts.reproduce.rankings import MEASURES, Floats, Measured, Ranking
from crosspro.scripts.reproduce.rater_marks import (
    RatedSegment,
    RaterMark,
    read_metric_scores,
    read_newstest,
    read_wmt23,
)

app = App()

Work = Annotated[Path, typer.Argument(help="Folder of what `judge` found.")]
Verdicts = Annotated[Path, typer.Option(help="Folder of the verdicts.")]
ModelName = Annotated[str, typer.Option(help="A bundled model, a run or an archive.")]
JsonFile = Annotated[Path | None, typer.Option("--output", "-o", help="Figures as JSON.")]

WMT23, NEWS2021, NEWS2020 = "wmt23", "news2021", "news2020"
REFERENCE, SYNTHETIC = "refA", "synthetic_ref"
LONGEST_MARK = 3
CALIBRATION_EDGES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
TASK = load_task("en-de-text")
_CATEGORIES = re.compile("mistranslation|grammar|inconsisten", re.IGNORECASE)
_OMISSION = re.compile("omission", re.IGNORECASE)
_SEVERE = ("major", "critical")


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

    def level(self, marks: Sequence[RaterMark], longest: int = LONGEST_MARK) -> int:
        """How a rater marked it: 0 not at all, 1, or 2 for a severe mark."""
        missing = self.kind is DoubtKind.MISSING
        category = _OMISSION if missing else _CATEGORIES
        near = 1 if missing else 0
        return max(
            (
                1 + (mark.severity.lower() in _SEVERE)
                for mark in marks
                if mark.start < self.end + near
                and mark.end > self.start - near
                and (not mark.category or category.search(mark.category))
                and len(self.segment.target[mark.start : mark.end].split()) <= longest
            ),
            default=0,
        )

    def most_severe(self, longest: int = LONGEST_MARK) -> int:
        """The highest level of any rater."""
        return max(self.level(marks, longest) for marks in self.segment.raters)


def _read_set(verdicts: Path, name: str, more_raters: bool = False) -> list[RatedSegment]:
    if name == WMT23:
        segments = read_wmt23(verdicts / "wmt23.en-de", more_raters)
        return [segment for segment in segments if segment.system != SYNTHETIC]
    return read_newstest(verdicts / f"{name}.en-de.mqm.tsv.xz")


def _predictor(model: str) -> Predictor:
    return load_predictor(chosen_run(Path(model), lambda note: None), Path(model).stem)


@app.command()
def judge(work: Work, verdicts: Verdicts, model: ModelName = "en-de") -> None:
    """Read all outputs and keep what the model says of their pronouns; sets that are kept stay."""
    make_folder(work)
    predictor = _predictor(model)
    for name in (WMT23, NEWS2021, NEWS2020):
        if (work / f"{name}.jsonl").is_file():
            continue
        rows = []
        segments = sorted(_read_set(verdicts, name), key=lambda segment: segment.system)
        for system, group in groupby(segments, key=lambda segment: segment.system):
            output = list(group)
            text = text_of_lines(
                [segment.source for segment in output],
                [segment.target for segment in output],
                [segment.document for segment in output],
            )
            for doubt in proofread(predictor, text):
                at = output[doubt.place.segment]
                place = (system, at.document, at.number, doubt.kind, *doubt.place[2:])
                rows.append([*place, doubt.label, doubt.source_word, dict(doubt.probabilities)])
            print(f"{name} {system}: {len(rows):,} pronouns", file=sys.stderr, flush=True)
        write_text(work / f"{name}.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))


def rated_pronouns(work: Path, name: str, segments: Sequence[RatedSegment]) -> list[RatedPronoun]:
    """The pronouns of a set that `judge` found in segments that somebody has read."""
    by_place = {(one.system, one.document, one.number): one for one in segments if one.raters}
    path = work / f"{name}.jsonl"
    if not path.is_file():
        raise input_error(path, "file", "what `judge` has written", "none")
    pronouns = []
    for line in read_text_lines(path):
        system, document, number, kind, *rest = json.loads(line)
        segment = by_place.get((system, document, number))
        if segment is not None:
            pronouns.append(RatedPronoun(segment, DoubtKind(kind), *rest))
    return pronouns


def is_development(document: str) -> bool:
    """Whether a document of WMT 2023 is for choices, and not for measurement."""
    return crc32(document.encode()) % 2 == 0


# Calibration --------------------------------------------------------------------------------------


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
        name: rated_pronouns(work, name, _read_set(verdicts, name))
        for name in (WMT23, NEWS2021, NEWS2020)
    }
    recall = rater_recall(sets[NEWS2020])
    print(f"a rater marks {recall:.3f} of what another one marks")
    sets[WMT23] = [one for one in sets[WMT23] if is_development(one.segment.document)]
    lines = []
    for kind, names in (
        (DoubtKind.WORD, (WMT23, NEWS2021)),
        (DoubtKind.MISSING, (WMT23, NEWS2021, NEWS2020)),
    ):
        counts = [MarkCounts.of([one for one in sets[name] if one.kind is kind]) for name in names]
        weights = learnt_weights(counts, recall)
        numbers = ", ".join(
            f"{name} {len(one.marks):,}" for name, one in zip(names, counts, strict=True)
        )
        marks = sum(int(one.marks.sum()) for one in counts)
        print(f"{kind}: {numbers} pronouns, {marks:,} marks: {weights}")
        lines.append(f"{kind}: [{', '.join(f'{weight:.4f}' for weight in weights)}]")
    additional = [one for own in sets.values() for one in own if one.kind is DoubtKind.ADDITIONAL]
    marked = [one.level(rater) > 0 for one in additional for rater in one.segment.raters]
    lines.append(f"additional: {min(1.0, float(np.mean(marked)) / recall):.4f}")
    heading = (
        "# How probably a pronoun is wrong, by what a model says: prediction/proofread/judge.py.",
        "# Made by python -m crosspro.scripts.reproduce.proofread calibrate.",
    )
    write_text(output, "".join(f"{line}\n" for line in (*heading, *lines)))


def rater_recall(pronouns: Sequence[RatedPronoun]) -> float:
    """How much of what one rater marked another one marked, over pairs of raters of an output."""
    both = asked = 0
    for one in pronouns:
        if one.kind is DoubtKind.WORD:
            marked = sum(one.level(rater) > 0 for rater in one.segment.raters)
            both += marked * (marked - 1)
            asked += marked * (len(one.segment.raters) - 1)
    return both / asked


@dataclass(frozen=True)
class MarkCounts:
    """The features of pronouns, how many raters marked each, and how many read it."""

    rows: Floats
    marks: NDArray[np.int64]
    raters: NDArray[np.int64]

    @classmethod
    def of(cls, pronouns: Sequence[RatedPronoun]) -> MarkCounts:
        """Those of pronouns of one kind."""
        rows = [features(one.kind, one.label, one.probabilities, TASK) for one in pronouns]
        marks = [sum(one.level(rater) > 0 for rater in one.segment.raters) for one in pronouns]
        raters = [len(one.segment.raters) for one in pronouns]
        return cls(np.array(rows), np.array(marks), np.array(raters))


def learnt_weights(sets: Sequence[MarkCounts], recall: float) -> Floats:
    """Weights with which the marks of raters are most probable, who each mark `recall` of errors.

    All sets count alike. A small penalty keeps weights small that the marks say little of.
    """
    from scipy.optimize import minimize

    penalty = np.full(sets[0].rows.shape[1], 0.5)
    penalty[0] = 0.0
    smallest = min(len(one.rows) for one in sets)

    def loss(weights: Floats) -> tuple[float, Floats]:
        value, slope = float((penalty * weights**2).sum()), 2 * penalty * weights
        for one in sets:
            wrong = 1 / (1 + np.exp(-(one.rows @ weights)))
            chance = np.clip(recall * wrong, 1e-12, 1 - 1e-12)
            missed, share = one.raters - one.marks, smallest / len(one.rows)
            value -= share * float((one.marks * np.log(chance) + missed * np.log(1 - chance)).sum())
            change = (missed / (1 - chance) - one.marks / chance) * recall * wrong * (1 - wrong)
            slope = slope + share * (change @ one.rows)
        return value, slope

    start = np.zeros(len(penalty))
    start[0] = -2.0
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x)


# Comparison ---------------------------------------------------------------------------------------


@app.command()
def compare(
    work: Work,
    verdicts: Verdicts,
    every: Annotated[
        bool, typer.Option("--all", help="All documents, not only those nothing was chosen on.")
    ] = False,
    metrics: Annotated[int, typer.Option(help="Metrics to show, the best first.", min=1)] = 12,
    longest: Annotated[
        int, typer.Option("--longest-mark", help="Marks of more words do not count.", min=1)
    ] = LONGEST_MARK,
    more_raters: Annotated[
        bool, typer.Option("--more-raters", help="With the marks of raters.tsv, too.")
    ] = False,
    output: JsonFile = None,
) -> None:
    """Measure on WMT 2023 how pronouns and segments are ordered, beside the metrics of that year.

    With `--longest-mark 1` only marks on a pronoun alone count; longer ones are mostly about others
    of their words.
    """
    segments = _read_set(verdicts, WMT23, more_raters)
    pronouns = [one for one in rated_pronouns(work, WMT23, segments) if one.kind is DoubtKind.WORD]
    unseen = [one for one in pronouns if not is_development(one.segment.document)]
    scores = read_metric_scores(verdicts / "wmt23.en-de" / "metrics.tsv.xz")
    figures: dict[str, dict[str, dict[str, Measured]]] = {}
    for title, words in (("all pronouns", None), ("it, they, them", ("it", "they", "them"))):
        asked = [
            one
            for one in (pronouns if every else unseen)
            if words is None or one.source_word.lower() in words
        ]
        tables = {
            "pronouns": pronoun_figures(asked, longest),
            "segments": segment_figures(asked, longest, scores, metrics),
        }
        documents = len({one.segment.document for one in asked})
        print(f"\n## {title}: {len(asked):,} pronouns, {documents} documents\n")
        for items, rows in tables.items():
            cells = [[name, *map(_shown, values)] for name, values in rows.items()]
            print(markdown_table((items, *MEASURES), cells))
        figures[title] = tables
    heading = ("wrong", "pronouns", "mean", "marked by the first rater")
    print(markdown_table(heading, calibration_rows(unseen, longest)))
    if output is not None:
        write_text(output, json.dumps(figures, indent=1) + "\n")


def _shown(measured: tuple[float, float, float]) -> str:
    value, low, high = measured
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def pronoun_figures(pronouns: Sequence[RatedPronoun], longest: int) -> dict[str, Measured]:
    """How pronouns are ordered by what `proofread` says, and by their probabilities alone."""
    levels = np.array([one.most_severe(longest) for one in pronouns])
    documents = [one.segment.document for one in pronouns]
    improbable = np.array([-one.probabilities[one.label] for one in pronouns])
    return {
        "`proofread`: wrong": Ranking(_wrong(pronouns), levels, documents).measured(),
        "improbability alone": Ranking(improbable, levels, documents).measured(),
    }


def _wrong(pronouns: Sequence[RatedPronoun]) -> Floats:
    judge = load_judge()
    return np.array([judge.wrong(one.kind, one.label, one.probabilities, TASK) for one in pronouns])


def segment_figures(
    pronouns: Sequence[RatedPronoun],
    longest: int,
    scores: Mapping[str, Mapping[tuple[str, int], float]],
    shown: int,
) -> dict[str, Measured]:
    """How segments of systems are ordered that have a pronoun: by `proofread` and by metrics."""
    groups: dict[tuple[str, int], list[int]] = defaultdict(list)
    for place, one in enumerate(pronouns):
        if one.segment.system != REFERENCE:
            groups[one.segment.system, one.segment.number].append(place)
    wrong = _wrong(pronouns)
    levels = np.array(
        [max(pronouns[n].most_severe(longest) for n in places) for places in groups.values()]
    )
    firsts = [pronouns[places[0]].segment for places in groups.values()]
    documents = [segment.document for segment in firsts]

    def ranking(doubt: Callable[[list[int]], float]) -> Ranking:
        doubts = np.array([doubt(places) for places in groups.values()])
        return Ranking(doubts, levels, documents)

    worst = ranking(lambda places: float(wrong[places].max()))
    metrics = {
        name: Ranking(np.array([-of_segment[key] for key in groups]), levels, documents)
        for name, of_segment in scores.items()
        if groups.keys() <= of_segment.keys()
    }
    order = sorted(metrics, key=lambda name: -metrics[name].auc)
    best = metrics[order[0]]
    lengths = np.array([float(len(segment.source)) for segment in firsts])
    return {
        "`proofread`: most doubtful": worst.measured(),
        "`proofread`: expected errors": ranking(lambda places: wrong[places].sum()).measured(),
        "number of pronouns": ranking(lambda places: float(len(places))).measured(),
        "length of the source": Ranking(lengths, levels, documents).measured(),
        **{name: metrics[name].measured() for name in order[:shown]},
        f"`proofread` above {order[0]}": worst.measured(best),
    }


def calibration_rows(pronouns: Sequence[RatedPronoun], longest: int) -> list[list[str]]:
    """How often pronouns are marked that are wrong with a probability in some range."""
    wrong = _wrong(pronouns)
    marked = np.array([one.level(one.segment.raters[0], longest) > 0 for one in pronouns])
    rows = []
    for low, high in pairwise(CALIBRATION_EDGES):
        here = (wrong >= low) & (wrong < high)
        if here.any():
            shares = f"{wrong[here].mean():.3f}", f"{marked[here].mean():.3f}"
            rows.append([f"{low:.2f} to {high:.2f}", f"{here.sum():,}", *shares])
    return rows


if __name__ == "__main__":
    run(app)
