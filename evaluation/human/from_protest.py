"""Review items from the results of PROTEST, the same that `protest review export` writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crosspro.evaluation.human.items import (
    MarkedWords,
    ReviewCandidate,
    ReviewItem,
    ReviewLine,
    ReviewSet,
)
from crosspro.evaluation.protest.categories import BY_NAME
from crosspro.evaluation.protest.language import TargetWords
from crosspro.evaluation.protest.review import item_key
from crosspro.evaluation.protest.score import TokenResult, verified_alternative
from crosspro.evaluation.protest.suite import Suite
from crosspro.evaluation.protest.systems import SystemOutput
from crosspro.evaluation.protest.verdicts import Item


def protest_items(
    suite: Suite,
    systems: Sequence[SystemOutput],
    results: Mapping[str, Sequence[TokenResult]],
    lists: TargetWords,
) -> ReviewSet:
    """All tokens of all systems, in the whole text of the suite."""
    lines = tuple(
        ReviewLine(
            suite.documents[number],
            source,
            tuple(reference[number] for reference in suite.references),
            {
                one.name: ReviewCandidate(
                    tuple(one.output[number]),
                    tuple(one.links[number]),
                    None if tuple(one.source[number]) == source else tuple(one.source[number]),
                )
                for one in systems
            },
        )
        for number, source in enumerate(suite.source)
    )
    items = tuple(_item(result, lists) for own in results.values() for result in own)
    languages = (suite.source_language, suite.target_language)
    return ReviewSet("PROTEST", suite.digest, lines, items, languages)


def _item(result: TokenResult, lists: TargetWords) -> ReviewItem:
    token, found = result.token, verified_alternative(result, lists)
    words = " ".join(found.pronoun), " ".join(found.head)
    antecedent = None
    if result.head is not None:
        antecedent = MarkedWords(
            result.head.line,
            result.head.source_at,
            tuple(one.head_at for one in token.references),
            result.head.output_at,
        )
    return ReviewItem(
        Item(*item_key(result), *words, token.anaphoric),
        BY_NAME[token.category].label,
        MarkedWords(
            result.pronoun.line,
            result.pronoun.source_at,
            tuple(one.pronoun_at for one in token.references),
            result.pronoun.output_at,
        ),
        antecedent,
        result.outcome == "match",
        result.why,
    )
