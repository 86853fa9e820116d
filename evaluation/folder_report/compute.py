"""All metrics of a report, one after the other or in several processes.

Words are aligned first, if links are missing: all metrics that need them share them. Then each
metric is a piece of work of its own; the number of processes changes nothing but the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from crosspro.data_prep.core.engine import map_shards
from crosspro.data_prep.core.step import Report, Step
from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.core.pairs import PairChoice, against_best
from crosspro.evaluation.core.significance import Resampling
from crosspro.evaluation.folder_report.contents import ReportContents
from crosspro.evaluation.folder_report.parts import (
    ReportPart,
    generated_part,
    metric_part,
    mt_part,
    pronoun_part,
    scored_part,
)
from crosspro.evaluation.folder_report.sets import PAYLOAD, GeneratedSet, ScoredSet
from crosspro.evaluation.inputs.inputs import MtInput, linked_input
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.metrics.bleu.pronoun_f1 import evaluate_pronouns
from crosspro.evaluation.metrics.bleu.score import METRICS, TITLES, MTSettings, MTText, evaluate_mt
from crosspro.evaluation.metrics.contrastive.accuracy import evaluate_contrastive
from crosspro.evaluation.metrics.expected_forms.score import evaluate_generative

ALIGNING = "aligning words"


@dataclass(frozen=True)
class ReportSettings:
    """How a report is computed: resampling, which systems are compared, sacrebleu's tokeniser."""

    plan: Resampling | None = None
    pairs: PairChoice = against_best
    tokenise: str = "13a"
    most_examples: int = 20


@dataclass(frozen=True)
class _Piece:
    """A metric: what is computed, and from what."""

    title: str
    compute: Callable[..., list[ReportPart]]
    data: tuple[object, ...]
    settings: ReportSettings


def compute_parts(
    contents: ReportContents,
    language: str,
    settings: ReportSettings,
    jobs: int = 1,
    report: Report = lambda step: None,
) -> list[ReportPart]:
    """All parts in the order in which a report shows them."""
    linked = _linked(contents, jobs, report)
    pieces = list(_pieces(contents, linked, language, settings))
    results = map_shards(_computed, pieces, jobs=min(jobs, len(pieces)))
    parts = []
    for piece in pieces:
        report(Step(piece.title))
        parts += next(results)
    order = ("bleu", "chrf", "pronoun_f1", "apt", "autoprf")
    return sorted(
        parts, key=lambda part: order.index(part.key) if part.key in order else len(order)
    )


def _linked(contents: ReportContents, jobs: int, report: Report) -> MtInput | None:
    if contents.linked is None:
        return None
    if None in contents.linked.links:
        report(Step(ALIGNING))
    return linked_input(
        contents.linked, lambda text: report(Step(ALIGNING, text)), 1 if jobs == 1 else None
    )


def _pieces(
    contents: ReportContents, linked: MtInput | None, language: str, settings: ReportSettings
) -> Iterator[_Piece]:
    """What is to be computed, the longest first, so that no process waits long for the others."""
    without = {one.metric for one in contents.not_computed}
    text = contents.text
    if text is not None and "pronoun F1" not in without:
        yield _Piece("pronoun F1", _pronouns, (text, language), settings)
    if linked is not None:
        yield _Piece("APT", _linked_metric, (linked, "apt", "APT"), settings)
        yield _Piece("AutoPRF", _linked_metric, (linked, "autoprf", "AutoPRF F1"), settings)
    for metric in reversed(METRICS):
        if text is not None and TITLES[metric] not in without:
            yield _Piece(TITLES[metric], _mt, (text, metric), settings)
    for one in contents.sets:
        if one.scored is not None:
            yield _Piece(f"set {one.name}", _scored, (one.name, one.scored), settings)
        if one.generated is not None:
            yield _Piece(
                f"set {one.name}", _generated, (one.name, one.generated, language), settings
            )


def _computed(piece: _Piece) -> list[ReportPart]:
    return piece.compute(piece.settings, *piece.data)


def _mt(settings: ReportSettings, text: MTText, metric: str) -> list[ReportPart]:
    own = MTSettings(metrics=(metric,), tokenise=settings.tokenise, silent=True)
    return [mt_part(evaluate_mt(text, own, settings.plan, settings.pairs), metric)]


def _pronouns(settings: ReportSettings, text: MTText, language: str) -> list[ReportPart]:
    return [pronoun_part(evaluate_pronouns(text, language, settings.plan, pairs=settings.pairs))]


def _linked_metric(
    settings: ReportSettings, data: MtInput, name: str, title: str
) -> list[ReportPart]:
    found = evaluate(make_metric(name), data, settings.plan, settings.pairs)
    return [metric_part(found, title, settings.most_examples if name == "apt" else 0)]


def _scored(settings: ReportSettings, name: str, data: ScoredSet) -> list[ReportPart]:
    found = evaluate_contrastive(data.test_set, data.systems, settings.plan, settings.pairs)
    return [scored_part(found, name)]


def _generated(
    settings: ReportSettings, name: str, data: GeneratedSet, language: str
) -> list[ReportPart]:
    plan, pairs = settings.plan, settings.pairs
    found = evaluate_generative(data.test_set, data.outputs, language, PAYLOAD, plan, pairs)
    return [generated_part(found, name)]
