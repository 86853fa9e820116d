"""BLEU and chrF of MT output through sacrebleu, for comparison with the pronoun metrics (000 §4).

The scores are sacrebleu's; resampling is ours, so that intervals are by document where documents
are known and the paired tests are those of every other score here. Both metrics are functions of
summed sentence statistics, so text is looked at only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np

from crosspro.data_prep.core.errors import (
    CrossproError,
    InputError,
    Problem,
    choices,
    how_to_install,
    input_error,
)
from crosspro.evaluation.core.pairs import PairChoice, every_pair
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.signature import make_signature
from crosspro.evaluation.core.significance import (
    Difference,
    Resampling,
    paired_tests,
    scores_of,
)
from crosspro.evaluation.core.units import (
    FEW_DOCUMENTS,
    Floats,
    Ints,
    choose_units,
    side_by_side,
    tally,
)
from crosspro.evaluation.inputs.parallel_lines import parallel_lines
from crosspro.evaluation.metrics.bleu.line_statistics import SacrebleuMetric, line_statistics

TITLES = {"bleu": "BLEU", "chrf": "chrF"}
METRICS = tuple(TITLES)


@dataclass(frozen=True, slots=True)
class MTSettings:
    """What changes the scores; the defaults are sacrebleu's. `silent` only spares its warnings."""

    metrics: tuple[str, ...] = METRICS
    tokenise: str = "13a"
    lowercase: bool = False
    word_order: int = 0
    silent: bool = False


@dataclass(frozen=True)
class MTText:
    """Candidates and references, line by line; `documents` numbers the document of each line."""

    names: tuple[str, ...]
    candidates: tuple[list[str], ...]
    references: tuple[list[str], ...]
    documents: Ints | None = None

    @property
    def lines(self) -> int:
        """The number of lines of each file."""
        return len(self.references[0])


@dataclass(frozen=True)
class MTResult:
    """The scores of one candidate, by metric."""

    name: str
    scores: dict[str, Score]


@dataclass(frozen=True)
class MTEvaluation:
    """Everything that was computed for some candidates."""

    lines: int
    documents: int | None
    results: tuple[MTResult, ...]
    comparisons: tuple[Difference, ...]
    warnings: tuple[str, ...]


def read_mt_text(
    candidates: Sequence[Path], references: Sequence[Path], doc_ids: Path | None = None
) -> MTText:
    """Read plain text; raises `InputError` with the faults of all files.

    That files have different numbers of lines is one of them.
    """
    problems: list[Problem] = []
    paths = [*references, *candidates]
    read, documents = parallel_lines(paths, doc_ids, problems)
    if read[0] == []:
        problems.append(Problem(str(paths[0]), None, "lines", "at least one", "none"))
    if problems:
        raise InputError(problems)
    texts = [lines for lines in read if lines is not None]
    numbers = None
    if documents is not None:
        # A document is a run of equal ids, as everywhere.
        new = [i > 0 and one != documents[i - 1] for i, one in enumerate(documents)]
        numbers = np.cumsum(new)
    split = len(references)
    return MTText(_names(candidates), tuple(texts[split:]), tuple(texts[:split]), numbers)


def _names(paths: Sequence[Path]) -> tuple[str, ...]:
    short = [path.name.removesuffix(".gz").removesuffix(".xz") for path in paths]
    return tuple(
        name if short.count(name) == 1 else str(path)
        for name, path in zip(short, paths, strict=True)
    )


def evaluate_mt(
    text: MTText,
    settings: MTSettings | None = None,
    plan: Resampling | None = None,
    pairs: PairChoice = every_pair,
) -> MTEvaluation:
    """Score candidates; with a resampling plan also their intervals and paired differences."""
    settings = settings or MTSettings()
    units = choose_units(document=text.documents, line=np.arange(text.lines))
    documents = None if text.documents is None else int(text.documents[-1]) + 1
    scores: list[dict[str, Score]] = [{} for _ in text.names]
    comparisons: list[Difference] = []
    for name in settings.metrics:
        metric = make_metric(name, settings)
        values = {name: partial(_values, metric)}
        counted = line_statistics(name, metric, text.candidates, text.references)
        summed = [units.sums(statistics) for statistics in counted]
        # sacrebleu knows its own signature only once it has counted.
        own = [f"sacrebleu|{metric.get_signature().format()}"]
        signature = make_signature([name, f"lines:{text.lines}"], plan, units.name, own)
        for found, statistics in zip(scores, summed, strict=True):
            found |= scores_of(tally(statistics), values, plan, {name: signature})
        if plan:
            own_values = [found[name].value for found in scores]
            for i, j in pairs(text.names, own_values):
                pair = (text.names[i], text.names[j])
                comparisons += paired_tests(pair, side_by_side(summed[i], summed[j]), values, plan)
    results = tuple(MTResult(n, one) for n, one in zip(text.names, scores, strict=True))
    warnings = []
    if plan and documents is not None and 1 < documents < FEW_DOCUMENTS:
        warnings.append(
            f"{documents} documents are few: intervals and bootstrap p values are too small"
        )
    return MTEvaluation(text.lines, documents, results, tuple(comparisons), tuple(warnings))


def make_metric(name: str, settings: MTSettings) -> SacrebleuMetric:
    """A metric of sacrebleu, which is an optional package."""
    try:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
    except ImportError as error:
        raise CrossproError(
            f"BLEU and chrF need sacrebleu, which is not installed: {how_to_install('mt')}"
        ) from error
    if name == "chrf":
        chrf = CHRF(word_order=settings.word_order, lowercase=settings.lowercase)
        return cast(SacrebleuMetric, chrf)
    if name != "bleu":
        raise input_error("settings", "metric", choices(METRICS), name)
    if settings.tokenise not in BLEU.TOKENIZERS:
        raise input_error("settings", "tokenise", choices(BLEU.TOKENIZERS), settings.tokenise)
    # `force` only silences a warning about tokenised text, which "none" is for.
    force = settings.silent or settings.tokenise == "none"
    found = BLEU(lowercase=settings.lowercase, tokenize=settings.tokenise, force=force)
    return cast(SacrebleuMetric, found)


def _values(metric: SacrebleuMetric, sums: Floats) -> Floats:
    rows = np.rint(sums).astype(np.int64).tolist()
    return np.array([metric._compute_score_from_stats(row).score for row in rows])
