"""Scores of machine translations in Python: `score` for several metrics, and one-liners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    tokenised: bool | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    baseline: str | None = None,
    resamples: int = 1000,
    seed: int = 12345,
) -> ScoreReport:
    """Score translations by several metrics: the named ones, or all for which there is enough.

    Metrics are apt, autoprf, pronoun-f1, bleu, chrf and doubt. Missing word links are made, and
    text without links is tokenised if it does not look so. `documents` has the name of the document
    of each line. `settings` are those of each metric, such as `{"apt": {"repair": "off"}}`.

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
    """
    from crosspro.evaluation.links import parse_links
    from crosspro.evaluation.resampling import Resampling
    from crosspro.evaluation.score_report import score_texts
    from crosspro.evaluation.texts import as_lines, make_texts

    named = _named(candidates)
    texts = make_texts(
        as_lines("source", source),
        as_lines("reference", reference),
        {name: as_lines(f"candidate {name}", lines) for name, lines in named.items()},
        None if documents is None else as_lines("documents", documents),
        (source_language, target_language),
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
            for name, lines in _named_links(candidate_links, named).items()
        },
        prior=prior,
        tokenised=tokenised,
        resampling=Resampling(resamples, seed) if resamples else None,
        baseline=baseline,
        judge_of=_judge_of,
    )


def apt(
    source: Lines,
    reference: Lines,
    candidates: Candidates,
    settings: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> Evaluation:
    """APT, how accurately source pronouns are translated; arguments are those of `score`.

    >>> import crosspro
    >>> result = crosspro.apt(
    ...     ["It rains .", "It sleeps ."],
    ...     ["Il pleut .", "Elle dort ."],
    ...     {"A": ["Il pleut .", "Il dort ."]},
    ...     links=["0-0 1-1 2-2", "0-0 1-1 2-2"],
    ...     candidate_links={"A": ["0-0 1-1 2-2", "0-0 1-1 2-2"]},
    ...     pronouns="en-fr",
    ...     resamples=0,
    ... )
    >>> result
    <apt apt: A 50.00>
    """
    return _one("apt", source, reference, candidates, settings, arguments)


def autoprf(
    source: Lines,
    reference: Lines,
    candidates: Candidates,
    settings: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> Evaluation:
    """AutoPRF, precision and recall of the words linked to source pronouns; as `apt`."""
    return _one("autoprf", source, reference, candidates, settings, arguments)


def pronoun_f1(
    reference: Lines,
    candidates: Candidates,
    target_language: str,
    settings: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> Evaluation:
    """Precision, recall and F1 of pronouns from plain text: no links, no parser.

    >>> import crosspro
    >>> crosspro.pronoun_f1(
    ...     ["Elle dort.", "Il pleut."], {"A": ["Il dort.", "Il pleut."]}, "fr", resamples=0
    ... )
    <pronoun-f1 f1: A 50.00>
    """
    arguments["target_language"] = target_language
    return _one("pronoun-f1", [], reference, candidates, settings, arguments)


def bleu(
    reference: Lines,
    candidates: Candidates,
    settings: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> Evaluation:
    """BLEU through sacrebleu, with intervals and tests by document: extra `mt`.

    >>> import crosspro
    >>> crosspro.bleu(["Elle dort dans la maison."], ["Elle dort dans la maison."], resamples=0)
    <bleu bleu: candidate 100.00>
    """
    return _one("bleu", [], reference, candidates, settings, arguments)


def _one(
    metric: str,
    source: Lines,
    reference: Lines,
    candidates: Candidates,
    settings: Mapping[str, Any] | None,
    arguments: Mapping[str, Any],
) -> Evaluation:
    report = score(
        source, reference, candidates, [metric], settings={metric: settings or {}}, **arguments
    )
    return report[metric]


def _named(candidates: Candidates) -> Mapping[str, Lines]:
    return candidates if isinstance(candidates, Mapping) else {"candidate": candidates}


def _named_links(
    links: Mapping[str, LinkLines] | LinkLines | None, candidates: Mapping[str, Lines]
) -> Mapping[str, LinkLines]:
    from crosspro.data_prep.core.errors import choices, input_error, quoted

    if links is None:
        return {}
    if not isinstance(links, Mapping):
        return {next(iter(candidates)): links}
    for name in links:
        if name not in candidates:
            raise input_error("candidate_links", "name", choices(candidates), quoted(name))
    return links


def _judge_of(source: str, target: str) -> PronounJudge | None:
    from crosspro.prediction.proofread.judge import judge_of

    return judge_of(source, target)
