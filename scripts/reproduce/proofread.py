"""How well `crosspro proofread` finds what professional raters marked, against metrics of WMT 2023.

    python -m crosspro.scripts.reproduce.proofread judge WORK --verdicts DATA/verdicts
    python -m crosspro.scripts.reproduce.proofread calibrate WORK --verdicts DATA/verdicts
    python -m crosspro.scripts.reproduce.proofread compare WORK --verdicts DATA/verdicts
    python -m crosspro.scripts.reproduce.proofread exchanged PREFIX... --model en-de
    python -m crosspro.scripts.reproduce.proofread mended SOURCE REFERENCE OUTPUT... --model en-de

DATA/verdicts is as its README says: newstest 2020 and 2021 with the marks of several raters, and
WMT 2023 with those of one and with the scores of 42 metrics. `judge` reads every output once, into
WORK. `calibrate` learns the weights of conf/proofread.yaml from newstest 2021 and from the
documents of WMT 2023 whose names fall into the one half, and from newstest 2020, which three raters
read, how much one of them misses. `compare` measures on the other half. A pronoun is marked if a
mark of at most three words stands on it, for mistranslation, grammar or inconsistency.
`exchanged` puts one wrong pronoun into each segment of a reference, and `mended` asks how many
pronouns of MT output agree with a reference before and after mending.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
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
from crosspro.evaluation.core.statistics import (
    Resampling,
    draws,
    paired_tests,
    percentage,
    side_by_side,
    wilson_interval,
)
from crosspro.evaluation.inputs.mt_tests import read_mt_test
from crosspro.evaluation.inputs.rater_marks import (
    RatedOutput,
    RaterMark,
    SegmentScores,
    read_mqm_table,
    read_ratings,
    read_segment_scores,
)
from crosspro.evaluation.output.tables import markdown_table
from crosspro.prediction.models import chosen_run
from crosspro.prediction.pair_prediction import Predictor, load_predictor
from crosspro.prediction.proofread.doubts import DoubtKind
from crosspro.prediction.proofread.find import proofread
from crosspro.prediction.proofread.judge import features, load_judge
from crosspro.prediction.proofread.mend import mend
from crosspro.prediction.proofread.text import text_of_lines
from crosspro.scripts.main import command_app, run

app = command_app()

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Work = Annotated[Path, typer.Argument(help="Folder of what `judge` found.")]
Verdicts = Annotated[Path, typer.Option(help="Folder of the verdicts.")]
ModelName = Annotated[str, typer.Option(help="A model of the box, a run or an archive.")]

WMT23, NEWS = "wmt23", ("news2021", "news2020")
RATED_OFTEN = "news2020"
"""The set that three raters read: it says how much one of them misses."""
REFERENCE, SYNTHETIC = "refA", "synthetic_ref"
LONGEST_MARK = 3
_CATEGORIES = re.compile("mistranslation|grammar|inconsisten", re.IGNORECASE)
_LEFT_OUT = re.compile("omission", re.IGNORECASE)
_SEVERE = ("major", "critical")
FIRST = (50, 100)
TASK = load_task("en-de-text")
RIVALS = {
    "de": ("er sie es", "ihn sie es", "ihm ihr"),
    "en": ("he she it", "him her it", "his her its"),
    "es": ("él ella", "ellos ellas", "lo la", "los las"),
    "fr": ("il elle", "ils elles", "le la"),
}
"""Pronouns of one case and number, which translations take for each other."""


@dataclass(frozen=True)
class JudgedOutput:
    """A segment of a system: both texts, and the marks that count of each rater who read it."""

    system: str
    document: str
    number: int
    source: str
    target: str
    raters: tuple[tuple[RaterMark, ...], ...]

    def with_marks(self, longest: int) -> JudgedOutput:
        """Without marks of more words."""
        raters = tuple(
            tuple(one for one in marks if len(self.target[one.start : one.end].split()) <= longest)
            for marks in self.raters
        )
        return replace(self, raters=raters)


@dataclass(frozen=True)
class FoundPronoun:
    """A pronoun that was found in an output, and what the model says of it."""

    output: JudgedOutput
    kind: DoubtKind
    start: int
    end: int
    label: str
    source_word: str
    probabilities: Mapping[str, float]

    def level(self, marks: Sequence[RaterMark]) -> int:
        """How a rater marked it: 0 not at all, 1, or 2 for a severe mark."""
        wanted = _LEFT_OUT if self.kind is DoubtKind.MISSING else _CATEGORIES
        near = 1 if self.kind is DoubtKind.MISSING else 0
        return max(
            (
                1 + (mark.severity.lower() in _SEVERE)
                for mark in marks
                if mark.start is not None
                and mark.end is not None
                and mark.start < self.end + near
                and mark.end > self.start - near
                and wanted.search(mark.category)
            ),
            default=0,
        )


def read_wmt23(folder: Path, longest: int = LONGEST_MARK) -> list[JudgedOutput]:
    """The outputs of WMT 2023; segments that nobody read are the context of others."""
    test = read_mt_test(folder)
    marks = {
        (one.system, one.segment): tuple(mark for mark in one.marks if not mark.in_source)
        for one in read_ratings(folder / "mqm.tsv.xz")
    }
    outputs = []
    for system, lines in test.outputs.items():
        if system == SYNTHETIC:
            continue
        rows = zip(test.documents, test.source, lines, strict=True)
        for number, (document, english, german) in enumerate(rows):
            own = marks.get((system, number))
            raters = () if own is None else (own,)
            output = JudgedOutput(system, document, number, english, german, raters)
            outputs.append(output.with_marks(longest))
    return outputs


def read_newstest(path: Path) -> list[JudgedOutput]:
    """The outputs of a table with a row for each mark; raters who read one come together."""
    raters: dict[tuple[str, str, int], list[RatedOutput]] = defaultdict(list)
    for one in read_mqm_table(path):
        raters[one.system, one.document, one.segment].append(one)
    return [
        JudgedOutput(
            *key,
            own[0].source,
            own[0].target,
            tuple(
                tuple(mark for mark in one.marks if not mark.in_source and mark.start is not None)
                for one in own
            ),
        ).with_marks(LONGEST_MARK)
        for key, own in sorted(raters.items())
    ]


def _lines(path: Path) -> list[str]:
    return list(read_text_lines(path))


def _sets(verdicts: Path) -> dict[str, list[JudgedOutput]]:
    found = {WMT23: read_wmt23(verdicts / "wmt23.en-de")}
    return found | {name: read_newstest(verdicts / f"{name}.en-de.mqm.tsv.xz") for name in NEWS}


def _predictor(model: str) -> Predictor:
    return load_predictor(chosen_run(Path(model), lambda note: None), Path(model).stem)


@app.command()
def judge(work: Work, verdicts: Verdicts, model: ModelName = "en-de") -> None:
    """Read all outputs and keep what the model says of their pronouns; sets that are kept stay."""
    make_folder(work)
    predictor = _predictor(model)
    for name, outputs in _sets(verdicts).items():
        if (work / f"{name}.jsonl").is_file():
            continue
        rows = []
        for system in dict.fromkeys(one.system for one in outputs):
            own = [one for one in outputs if one.system == system]
            sides = [one.source for one in own], [one.target for one in own]
            text = text_of_lines(*sides, [one.document for one in own])
            for doubt in proofread(predictor, text):
                about = own[doubt.segment]
                where = (system, about.document, about.number, doubt.kind, doubt.start, doubt.end)
                rows.append([*where, doubt.label, doubt.source_word, dict(doubt.probabilities)])
            print(f"{name} {system}: {len(rows):,} pronouns", file=sys.stderr, flush=True)
        write_text(work / f"{name}.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))


def found_pronouns(work: Path, name: str, outputs: Sequence[JudgedOutput]) -> list[FoundPronoun]:
    """What `judge` found in a set."""
    known = {(one.system, one.document, one.number): one for one in outputs}
    path = work / f"{name}.jsonl"
    if not path.is_file():
        raise input_error(path, "file", "what `judge` has written", "none")
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        system, document, number, kind, *rest = json.loads(line)
        output = known.get((system, document, number))
        if output is not None and output.raters:
            found.append(FoundPronoun(output, DoubtKind(kind), *rest))
    return found


def of_development(document: str) -> bool:
    """Whether a document of WMT 2023 is for choices, and not for measurement."""
    return crc32(document.encode()) % 2 == 0


@app.command()
def calibrate(
    work: Work,
    verdicts: Verdicts,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = (
        CONF_DIR / "proofread.yaml"
    ),
) -> None:
    """Learn how probably pronouns are wrong, and write conf/proofread.yaml."""
    sets = {name: found_pronouns(work, name, own) for name, own in _sets(verdicts).items()}
    recall = rater_recall(sets[RATED_OFTEN])
    print(f"a rater marks {recall:.3f} of what another one marks")
    sets[WMT23] = [one for one in sets[WMT23] if of_development(one.output.document)]
    weights = {}
    for kind in (DoubtKind.WORD, DoubtKind.MISSING):
        own = {
            name: [one for one in found if one.kind is kind]
            for name, found in sets.items()
            if kind is DoubtKind.MISSING or name != RATED_OFTEN
        }
        marks = [Marks.of(found) for found in own.values()]
        weights[kind] = learnt_weights(marks, recall)
        numbers = {name: len(found) for name, found in own.items()}
        print(
            f"{kind}: {numbers}, {sum(one.marks.sum() for one in marks):,} marks: {weights[kind]}"
        )
    every = [one for found in sets.values() for one in found]
    added = [one for one in every if one.kind is DoubtKind.ADDITIONAL]
    marked = [one.level(rater) > 0 for one in added for rater in one.output.raters]
    share = min(1.0, float(np.mean(marked)) / recall)
    print(f"additional: {len(added):,} pronouns, {sum(marked):,} marks")
    lines = [
        f"{kind}: [{', '.join(f'{one:.4f}' for one in found)}]" for kind, found in weights.items()
    ]
    write_text(
        output,
        "# How probably a pronoun is wrong, by what a model says: prediction/proofread/judge.py.\n"
        "# Made by python -m crosspro.scripts.reproduce.proofread calibrate.\n"
        + "".join(f"{line}\n" for line in lines)
        + f"additional: {share:.4f}\n",
    )


def rater_recall(found: Sequence[FoundPronoun]) -> float:
    """How much of what one rater marked another one marked, over pairs of raters of an output."""
    both = asked = 0
    for one in found:
        if one.kind is not DoubtKind.WORD:
            continue
        marked = sum(one.level(rater) > 0 for rater in one.output.raters)
        both += marked * (marked - 1)
        asked += marked * (len(one.output.raters) - 1)
    return both / asked


@dataclass(frozen=True)
class Marks:
    """The features of pronouns, how many raters marked each, and how many read it."""

    rows: Floats
    marks: NDArray[np.int64]
    raters: NDArray[np.int64]

    @classmethod
    def of(cls, found: Sequence[FoundPronoun]) -> Marks:
        """Those of pronouns of one kind."""
        rows = [features(one.kind, one.label, one.probabilities, TASK) for one in found]
        levels = [[one.level(rater) > 0 for rater in one.output.raters] for one in found]
        numbers = np.array([len(one) for one in levels])
        return cls(np.array(rows), np.array([sum(one) for one in levels]), numbers)


def learnt_weights(sets: Sequence[Marks], recall: float) -> Floats:
    """Weights with which the marks of raters are most probable, who each mark `recall` of errors.

    All sets count alike. A small penalty keeps weights small that the marks say little of.
    """
    from scipy.optimize import minimize

    penalty = np.full(sets[0].rows.shape[1], 0.5)
    penalty[0] = 0.0
    least = min(len(one.rows) for one in sets)

    def loss(weights: Floats) -> tuple[float, Floats]:
        value, slope = float((penalty * weights**2).sum()), 2 * penalty * weights
        for one in sets:
            wrong = 1 / (1 + np.exp(-(one.rows @ weights)))
            chance = np.clip(recall * wrong, 1e-12, 1 - 1e-12)
            missed, share = one.raters - one.marks, least / len(one.rows)
            value -= share * float((one.marks * np.log(chance) + missed * np.log(1 - chance)).sum())
            change = (missed / (1 - chance) - one.marks / chance) * recall * wrong * (1 - wrong)
            slope = slope + share * (change @ one.rows)
        return value, slope

    start = np.zeros(len(penalty))
    start[0] = -2.0
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x)


@dataclass(frozen=True)
class Ranking:
    """Things in order of doubt, what raters say of each (0, 1 or 2), and their documents."""

    doubts: Floats
    levels: NDArray[np.int64]
    documents: Sequence[str]

    def row(self, other: Ranking | None = None) -> list[str]:
        """AUC of all marks and of severe ones, average precision, precision of the first ones.

        With another ranking of the same things, how far this one is above it.
        """
        values = self._resampled() - (0 if other is None else other._resampled())
        sign = "" if other is None else "+"
        cells = []
        for column in range(values.shape[1]):
            low, high = np.nanquantile(values[1:, column], (0.025, 0.975))
            cells.append(f"{values[0, column]:{sign}.3f} [{low:{sign}.3f}, {high:{sign}.3f}]")
        return cells

    def _resampled(self) -> Floats:
        """The measures, and then those of resampled documents."""
        units = np.unique(self.documents, return_inverse=True)[1]
        drawn = draws(int(units.max()) + 1, None, Resampling(500))
        weights = [
            np.ones(len(units)),
            *(one[units].astype(float) for some in drawn for one in some),
        ]
        return np.array([self._measures(one) for one in weights])

    @property
    def found(self) -> float:
        """The AUC of all marks."""
        return area(self.doubts, self.levels > 0, np.ones(len(self.levels)))

    def _measures(self, weights: Floats) -> list[float]:
        marked, severe = self.levels > 0, self.levels > 1
        found = [area(self.doubts, marked, weights), area(self.doubts, severe, weights)]
        found.append(average_precision(self.doubts, marked, weights))
        order = np.argsort(-self.doubts, kind="stable")
        for first in FIRST:
            kept = order[np.cumsum(weights[order]) <= first]
            total = weights[kept].sum()
            found.append(float((weights[kept] * marked[kept]).sum() / total) if total else np.nan)
        return found


HEADING = ("AUC, all marks", "AUC, major", "average precision", *(f"of first {n}" for n in FIRST))


def area(doubts: Floats, marked: Booleans, weights: Floats) -> float:
    """The area under the ROC curve: how often a marked one is doubted more than another."""
    values, places = np.unique(doubts, return_inverse=True)
    positive = np.bincount(places, weights * marked, len(values))
    negative = np.bincount(places, weights * ~marked, len(values))
    below = np.cumsum(negative) - negative / 2
    total = positive.sum() * negative.sum()
    return float((positive * below).sum() / total) if total else float("nan")


def average_precision(doubts: Floats, marked: Booleans, weights: Floats) -> float:
    """The mean, over marked ones, of the precision down to each of them."""
    order = np.argsort(-doubts, kind="stable")
    weight, hit = weights[order], (weights * marked)[order]
    precision = np.cumsum(hit) / np.maximum(np.cumsum(weight), 1e-12)
    return float((precision * hit).sum() / hit.sum()) if hit.sum() else float("nan")


def pronoun_ranking(
    found: Sequence[FoundPronoun], doubt: Callable[[FoundPronoun], float]
) -> Ranking:
    """Pronouns by doubt; marked by any rater."""
    levels = [max(map(one.level, one.output.raters)) for one in found]
    doubts = np.array([doubt(one) for one in found])
    return Ranking(doubts, np.array(levels), [one.output.document for one in found])


def segment_ranking(
    found: Sequence[FoundPronoun], doubt: Callable[[Sequence[FoundPronoun]], float]
) -> Ranking:
    """Segments with a pronoun by doubt; marked if one of its pronouns is."""
    groups = by_segment(found)
    levels = [
        max(one.level(rater) for one in some for rater in one.output.raters) for some in groups
    ]
    documents = [some[0].output.document for some in groups]
    return Ranking(np.array([doubt(some) for some in groups]), np.array(levels), documents)


def by_segment(found: Sequence[FoundPronoun]) -> list[list[FoundPronoun]]:
    """The pronouns of each segment of a system."""
    groups: dict[tuple[str, int], list[FoundPronoun]] = defaultdict(list)
    for one in found:
        groups[one.output.system, one.output.number].append(one)
    return list(groups.values())


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
) -> None:
    """Print the tables of WMT 2023: pronouns and segments, beside the metrics of that year.

    With `--longest-mark 1` only marks on a pronoun alone count; longer ones are mostly about others
    of their words.
    """
    outputs = read_wmt23(verdicts / "wmt23.en-de", longest)
    found = [one for one in found_pronouns(work, WMT23, outputs) if one.kind is DoubtKind.WORD]
    for title, words in (("all pronouns", None), ("it, they, them", ("it", "they", "them"))):
        own = [
            one
            for one in found
            if (every or not of_development(one.output.document))
            and (words is None or one.source_word.lower() in words)
        ]
        _print_tables(title, own, verdicts, metrics)
    _print_calibration([one for one in found if not of_development(one.output.document)])


def _print_tables(title: str, found: Sequence[FoundPronoun], verdicts: Path, metrics: int) -> None:
    own = load_judge()
    wrong = {id(one): own.wrong(one.kind, one.label, one.probabilities, TASK) for one in found}
    ranking = pronoun_ranking(found, lambda one: wrong[id(one)])
    documents = len(set(ranking.documents))
    share = float((ranking.levels > 0).mean())
    print(f"\n## {title}: {len(found):,} pronouns, {documents} documents, marked {share:.3f}\n")
    rows = [
        ["`proofread`: wrong", *ranking.row()],
        [
            "improbability alone",
            *pronoun_ranking(found, lambda one: -one.probabilities[one.label]).row(),
        ],
    ]
    print(markdown_table(("pronouns", *HEADING), rows))

    def worst(some: Sequence[FoundPronoun]) -> float:
        return max(wrong[id(one)] for one in some)

    segments: dict[str, Callable[[Sequence[FoundPronoun]], float]] = {
        "`proofread`: most doubtful": worst,
        "`proofread`: expected errors": lambda some: sum(wrong[id(one)] for one in some),
        "number of pronouns": lambda some: float(len(some)),
        "length of the source": lambda some: float(len(some[0].output.source)),
    }
    outputs = [one for one in found if one.output.system != REFERENCE]
    ours = {name: segment_ranking(outputs, doubt) for name, doubt in segments.items()}
    scores = read_segment_scores(verdicts / "wmt23.en-de" / "metrics.tsv.xz")
    theirs = {
        name: segment_ranking(outputs, partial(_low_score, own))
        for name, own in scores.items()
        if all((one.output.system, one.output.number) in own for one in outputs)
    }
    order = sorted(theirs, key=lambda name: -theirs[name].found)
    print(
        f"Of the systems, without the reference; {len(theirs)} metrics, the best {metrics} shown.\n"
    )
    rows = [[name, *ranking.row()] for name, ranking in ours.items()]
    rows += [[name, *theirs[name].row()] for name in order[:metrics]]
    first, best = next(iter(ours.values())), theirs[order[0]]
    rows.append([f"`proofread` with {order[0]}", *joined(first, best).row()])
    rows.append([f"`proofread` above {order[0]}", *first.row(best)])
    print(markdown_table(("segments", *HEADING), rows))


def _low_score(scores: SegmentScores, some: Sequence[FoundPronoun]) -> float:
    return -scores[some[0].output.system, some[0].output.number]


def joined(one: Ranking, other: Ranking) -> Ranking:
    """A logistic combination of two rankings, each document by weights learnt on the others."""
    from sklearn.linear_model import LogisticRegression

    ranks = [np.argsort(np.argsort(both.doubts)) / len(both.doubts) for both in (one, other)]
    rows = np.stack([np.log(one.doubts + 1e-6), *ranks], axis=1)
    units = np.unique(one.documents, return_inverse=True)[1]
    found = np.zeros(len(rows))
    for part in range(10):
        held = units % 10 == part
        if held.any():
            model = LogisticRegression(C=1.0, max_iter=1000).fit(rows[~held], one.levels[~held] > 0)
            found[held] = model.decision_function(rows[held])
    return Ranking(found, one.levels, one.documents)


def _print_calibration(found: Sequence[FoundPronoun]) -> None:
    """How often pronouns are marked that are wrong with a probability in some range."""
    own = load_judge()
    wrong = np.array([own.wrong(one.kind, one.label, one.probabilities, TASK) for one in found])
    marked = np.array([one.level(one.output.raters[0]) > 0 for one in found])
    edges = [0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0]
    rows = []
    for low, high in pairwise(edges):
        here = (wrong >= low) & (wrong < high)
        if here.any():
            rows.append(
                [
                    f"{low:.2f} to {high:.2f}",
                    f"{here.sum():,}",
                    f"{wrong[here].mean():.3f}",
                    f"{marked[here].mean():.3f}",
                ]
            )
    print(markdown_table(("wrong", "pronouns", "mean", "marked by the rater"), rows))


@app.command()
def exchanged(
    prefixes: Annotated[
        list[Path],
        typer.Argument(metavar="PREFIX...", help="Bitext: PREFIX.en.xz, PREFIX.doc-ids.xz …"),
    ],
    model: ModelName = "en-de",
    most: Annotated[int | None, typer.Option(min=1, help="Segments of each, at most.")] = None,
) -> None:
    """Put wrong pronouns into references, and print how many are found at a precision of 90%.

    In every third segment with a pronoun that has rivals of the same case and number, one of these
    is exchanged for one of its rivals; all other pronouns of the text are right.
    """
    predictor = _predictor(model)
    task = predictor.task
    rivals: dict[str, list[str]] = defaultdict(list)
    for group in RIVALS[task.target_language]:
        for word in group.split():
            rivals[word] += [one for one in group.split() if one != word]
    doubts: list[float] = []
    wrong: list[bool] = []
    rows = []
    for prefix in prefixes:
        sides = [
            _lines(Path(f"{prefix}.{language}.xz"))[:most]
            for language in (task.source_language, task.target_language)
        ]
        documents = [line.split("\t")[0] for line in _lines(Path(f"{prefix}.doc-ids.xz"))[:most]]
        found = proofread(predictor, text_of_lines(sides[0], sides[1], documents))
        target, changed = list(sides[1]), {}
        asked = [one for one in found if one.kind is DoubtKind.WORD and one.word.lower() in rivals]
        by_segment = {
            segment: list(some) for segment, some in groupby(asked, lambda one: one.segment)
        }
        for number, (segment, some) in enumerate(by_segment.items()):
            if number % 3 == 0:
                one = some[crc32(f"{segment}".encode()) % len(some)]
                others = rivals[one.word.lower()]
                new = others[crc32(f"{segment}.".encode()) % len(others)]
                new = new.capitalize() if one.word[0].isupper() else new
                line = target[segment]
                target[segment] = line[: one.start] + new + line[one.end :]
                changed[segment] = one.start
        again = proofread(predictor, text_of_lines(sides[0], target, documents))
        here = [one for one in again if one.kind is DoubtKind.WORD]
        own_doubts = np.array([one.wrong for one in here])
        own_wrong = np.array([changed.get(one.segment) == one.start for one in here])
        rows.append([prefix.name, *_at_precision(own_doubts, own_wrong, len(changed))])
        doubts += own_doubts.tolist()
        wrong += own_wrong.tolist()
    if len(prefixes) > 1:
        rows.append(["all", *_at_precision(np.array(doubts), np.array(wrong), sum(wrong))])
    heading = (
        "text",
        "pronouns",
        "exchanged",
        "AUC",
        "found at 90%",
        "above wrong",
        "at 0.5: precision",
        "found",
    )
    print(markdown_table(heading, rows))


def _at_precision(doubts: Floats, wrong: Booleans, number: int, least: float = 0.9) -> list[str]:
    """How many wrong ones are found where so many of those found are wrong; all are `number`."""
    order = np.argsort(-doubts, kind="stable")
    precision = np.cumsum(wrong[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(precision >= least)
    last = int(good[-1]) + 1 if len(good) else 0
    limit = f"{doubts[order[last - 1]]:.2f}" if last else "-"
    low, high = wilson_interval(int(wrong[order[:last]].sum()), number)
    share = wrong[order[:last]].sum() / number
    above = doubts >= 0.5
    at_half = wrong[above].mean() if above.any() else float("nan")
    return [
        f"{len(doubts):,}",
        f"{number:,}",
        f"{area(doubts, wrong, np.ones(len(doubts))):.3f}",
        f"{share:.1%} [{low:.1%}, {high:.1%}]",
        limit,
        f"{at_half:.1%}",
        f"{wrong[above].sum() / number:.1%}",
    ]


@app.command()
def mended(
    source: Annotated[Path, typer.Argument(help="Source, one segment a line (.xz).")],
    reference: Annotated[Path, typer.Argument(help="Its human translation (.xz).")],
    outputs: Annotated[list[Path], typer.Argument(metavar="OUTPUT...", help="MT output (.xz).")],
    documents: Annotated[Path, typer.Option(help="Document names in the last column (.xz).")],
    model: ModelName = "en-de",
    threshold: Annotated[float, typer.Option(min=0, max=1, help="Mend what is this wrong.")] = 0.9,
) -> None:
    """Print how many pronouns agree with a reference before and after mending.

    Source pronouns are counted for which both translations have a word of a class; they agree if it
    is of the same one. Differences are tested by documents.
    """
    predictor = _predictor(model)
    lines = _lines(source)
    names = [line.split("\t")[-1] for line in _lines(documents)]
    expected = {
        (one.segment, one.source_place): one.label
        for one in proofread(predictor, text_of_lines(lines, _lines(reference), names))
        if one.kind is DoubtKind.WORD
    }
    lexicon = predictor.system.noun_lexicons.get("target")
    rows = []
    for path in outputs:
        text = text_of_lines(lines, _lines(path), names)
        found = proofread(predictor, text)
        mending = mend(found, text, predictor.task, threshold, lexicon)
        changed = {id(change.doubt) for change in mending.changes}
        units: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
        better = worse = 0
        for one in found:
            wanted = expected.get((one.segment, one.source_place))
            if wanted is None or one.kind is not DoubtKind.WORD:
                continue
            before = one.label == wanted
            after = one.suggestion_label == wanted if id(one) in changed else before
            better += after and not before
            worse += before and not after
            own = units[names[one.segment]]
            own[0] += before
            own[1] += after
            own[2] += 1
        sums = np.array(list(units.values()))
        table = side_by_side(sums[:, [1, 2]], sums[:, [0, 2]])
        both = paired_tests(
            ("after", "before"), table, {"agreement": percentage}, Resampling(10_000)
        )
        rows.append(
            [
                path.name.removesuffix(".xz"),
                f"{int(sums[:, 2].sum()):,}",
                f"{100 * sums[:, 0].sum() / sums[:, 2].sum():.2f}",
                f"{100 * sums[:, 1].sum() / sums[:, 2].sum():.2f}",
                f"{len(mending.changes)}",
                f"{better} / {worse}",
                f"{both[0].p_randomisation:.4f}",
            ]
        )
    heading = ("output", "pronouns", "agree before", "after", "mended", "better / worse", "p")
    print(markdown_table(heading, rows))


if __name__ == "__main__":
    run(app)
