"""Scores of machine translations in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from crosspro.data_prep.core.errors import choices, input_error, quoted

if TYPE_CHECKING:
    from crosspro.evaluation.evaluation import Evaluation
    from crosspro.evaluation.metrics.pronoun_doubt import PronounJudge
    from crosspro.evaluation.pronouns import PronounLists
    from crosspro.evaluation.score_report import ScoreReport

Lines = Sequence[str] | str | Path
"""The lines of a text, or the path of a file."""
Candidates = Mapping[str, Lines] | Lines
"""Translations by the names of systems, or one translation."""
LinkLines = Sequence[str | Sequence[tuple[int, int]]] | str | Path
"""The links of each line: `0-0 1-2`, or pairs of positions."""
ContrastiveData = str | Path | Sequence[Mapping[str, Any]]
"""A set: the path of its JSON, or what `json.load` gives."""


def score(
    source: Lines,
    reference: Lines,
    candidates: Candidates,
    metrics: Sequence[str] = (),
    *,
    source_language: str = "",
    target_language: str = "",
    documents: Lines | None = None,
    pronouns: PronounLists | str | None = None,
    links: LinkLines | None = None,
    candidate_links: Mapping[str, LinkLines] | LinkLines | None = None,
    prior: str | Path | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    baseline: str | None = None,
    any_language: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> ScoreReport:
    """Score translations by several metrics: the named ones, or all for which there is enough.

    Metrics are apt, autoprf, pronoun-f1, bleu, chrf and doubt. Missing word links are made, and
    text without links is tokenised unless it looks so. `documents` has the name of the document
    of each line. `settings` are those of each metric, such as `{"apt": {"repair": "off"}}`. The
    source may be empty for metrics that do not read it (pronoun-f1, bleu, chrf). Long texts that
    look like another language are refused unless `any_language`.

    >>> import crosspro
    >>> report = crosspro.score(
    ...     ["The cup fell , but it is whole .", "They are late ."],
    ...     ["La tasse est tombée , mais elle est entière .", "Ils sont en retard ."],
    ...     {
    ...         "A": ["La tasse est tombée , mais elle est entière .", "Ils sont en retard ."],
    ...         "B": ["La tasse est tombée , mais il est entier .", "Elles sont en retard ."],
    ...     },
    ...     ["apt", "pronoun-f1"],
    ...     source_language="en",
    ...     target_language="fr",
    ...     resamples=0,
    ... )
    >>> report.scores["A"]["apt"].value, report.scores["B"]["apt"].value
    (100.0, 0.0)
    >>> report["apt"]
    <apt apt: A 100.00, B 0.00>
    """
    from crosspro.evaluation.links import parse_links
    from crosspro.evaluation.resampling import Resampling
    from crosspro.evaluation.score_report import score_texts
    from crosspro.evaluation.texts import as_lines, make_texts

    by_name = candidates if isinstance(candidates, Mapping) else {"candidate": candidates}
    texts = make_texts(
        as_lines("source", source),
        as_lines("reference", reference),
        {name: as_lines(f"candidate {name}", lines) for name, lines in by_name.items()},
        None if documents is None else as_lines("documents", documents),
        (source_language, target_language),
        any_language=any_language,
    )

    def parsed(name: str, lines: LinkLines, target: Sequence[str]) -> Any:
        pairs = as_lines(name, lines) if isinstance(lines, str | Path) else lines
        return parse_links(pairs, texts.source, target, name)

    return score_texts(
        texts,
        metrics,
        settings,
        pronouns=pronouns,
        links=None if links is None else parsed("links", links, texts.reference),
        candidate_links={
            name: parsed(f"links of {name}", lines, texts.candidates[name])
            for name, lines in _named_links(candidate_links, by_name).items()
        },
        prior=prior,
        resampling=Resampling(resamples, seed) if resamples else None,
        baseline=baseline,
        judge_of=judge_of,
    )


def _named_links(
    links: Mapping[str, LinkLines] | LinkLines | None, candidates: Mapping[str, Lines]
) -> Mapping[str, LinkLines]:
    if links is None:
        return {}
    if not isinstance(links, Mapping):
        return {next(iter(candidates)): links}
    for name in links:
        if name not in candidates:
            raise input_error("candidate_links", "name", choices(candidates), quoted(name))
    return links


def judge_of(source: str, target: str) -> PronounJudge | None:
    """What the metric `doubt` asks: the bundled model of two languages, if there is one."""
    from crosspro.prediction.proofread.bundled import judge_of

    return judge_of(source, target)


def contrastive(
    test_set: ContrastiveData,
    scores: Mapping[str, Sequence[float]],
    *,
    maximise: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Evaluation:
    """Accuracy on a contrastive set, by scores of the reference and of each error.

    Scores of a system are numbers, one for each translation of the set, in its order. Lower ones
    are better unless `maximise`.

    >>> import crosspro
    >>> instance = {
    ...     "src pronoun": "it",
    ...     "ref pronoun": "elle",
    ...     "src segment": "It sleeps.",
    ...     "ref segment": "Elle dort.",
    ...     "errors": [{"contrastive": "Il dort.", "replacement": "il"}],
    ... }
    >>> result = crosspro.contrastive([instance, instance], {"A": [1.5, 2.5, 3, 2]}, resamples=0)
    >>> result.scores["A"]["accuracy"].value
    50.0
    """
    import numpy as np

    from crosspro.evaluation.evaluation import evaluate
    from crosspro.evaluation.metrics.contrastive import Contrastive, ScoredSet, SystemScores
    from crosspro.evaluation.metrics.contrastive_sets import contrastive_set, read_objects
    from crosspro.evaluation.resampling import resampling_or_none

    resampling = resampling_or_none(resamples, seed)
    name, content = _content(test_set, read_objects)
    instances = contrastive_set(name, content)
    systems = []
    for system, numbers in scores.items():
        values = np.asarray(numbers, dtype=np.float64)
        if values.shape != (instances.candidates,) or np.isnan(values).any():
            expected = f"{instances.candidates} numbers, one for each translation"
            raise input_error(system, "scores", expected, f"{values.size}, or not a number")
        systems.append(SystemScores(system, values, maximise, origin=("scores:list",)))
    return evaluate(Contrastive(None), ScoredSet(instances, tuple(systems)), resampling)


def expected_forms(
    test_set: ContrastiveData,
    translations: Mapping[str, Sequence[str]],
    language: str,
    *,
    match: Literal["words", "released"] = "words",
    resamples: int = 1000,
    seed: int = 12345,
) -> Evaluation:
    """Accuracy of translations of a contrastive set: is the expected form a word of them?

    A system has a translation for each instance, in `language`. ctxpro's sets are read as well.
    """
    from crosspro.evaluation.evaluation import evaluate
    from crosspro.evaluation.metrics.contrastive_sets import read_objects
    from crosspro.evaluation.metrics.expected_forms import (
        ExpectedForms,
        ExpectedFormsSettings,
        GeneratedSet,
        expected_set,
    )
    from crosspro.evaluation.resampling import resampling_or_none

    resampling = resampling_or_none(resamples, seed)
    name, content = _content(test_set, read_objects)
    instances = expected_set(name, content, language)
    for system, lines in translations.items():
        if len(lines) != len(instances.instances):
            expected = f"{len(instances.instances)} translations, one for each instance"
            raise input_error(system, "translations", expected, str(len(lines)))
    metric = ExpectedForms(ExpectedFormsSettings(language, match))
    return evaluate(metric, GeneratedSet(instances, translations), resampling)


def _content(test_set: ContrastiveData, read: Any) -> tuple[str, Any]:
    """The name and the content of a set."""
    if isinstance(test_set, str | Path):
        return Path(test_set).name, read(Path(test_set))
    return "test_set", test_set
