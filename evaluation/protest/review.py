"""Questions for annotators about the results of systems, and what their verdicts say by place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from crosspro.evaluation.correlation.disagreement import BAD, CORRECT, INCORRECT, PlacedVerdict
from crosspro.evaluation.people.questions import MarkedLine, Question
from crosspro.evaluation.people.verdicts import Item, ItemKey, Judgements
from crosspro.evaluation.protest.categories import BY_NAME
from crosspro.evaluation.protest.match import ReviewItem, TokenResult, reference_words, review_items
from crosspro.evaluation.protest.suite import Spots, Suite, Token, Words


def questions_of(results: Iterable[TokenResult]) -> dict[ItemKey, Question]:
    """All questions by the keys of their items, in the order of the results."""
    return {key: _question(item) for key, item in review_items(results).items()}


def to_judge(
    results: Sequence[TokenResult], judgements: Judgements, matches: bool = False
) -> list[Question]:
    """The mismatches, and on demand the matches, on which there is no verdict yet."""
    mismatches = {result.key for result in results if result.outcome == "mismatch"}
    return [
        question
        for key, question in questions_of(results).items()
        if (matches or key in mismatches) and key not in judgements
    ]


def _question(item: ReviewItem) -> Question:
    result, token, suite = item.result, item.result.token, item.result.suite
    return Question(
        Item(*item.key, ", ".join(item.systems), result.pronoun, result.head),
        token.category,
        BY_NAME[token.category].label,
        token.anaphoric,
        _marked(suite, token, suite.source, token.spots),
        _marked(suite, token, suite.references[0], token.references[0].spots),
        _marked(suite, token, result.output.output, result.target),
        *reference_words(token),
        result.why,
    )


def _marked(
    suite: Suite, token: Token, text: Sequence[Words], spots: Spots
) -> tuple[MarkedLine, ...]:
    """The lines that are needed to judge a token, with its pronoun and head marked."""
    heads = set()
    if token.antecedent is not None:
        heads = {(token.antecedent.line, at) for at in spots.head}
    pronouns = {(token.place.line, at) for at in spots.pronoun}
    return tuple(
        tuple(
            (
                word,
                "pronoun" if (line, at) in pronouns else "head" if (line, at) in heads else "",
            )
            for at, word in enumerate(text[line])
        )
        for line in suite.context(token)
    )


def placed_verdicts(
    results: Iterable[TokenResult], judgements: Judgements
) -> Iterator[PlacedVerdict]:
    """Human verdicts by place, for comparison with metrics (001 §6); a match is no verdict."""
    names = {"right": CORRECT, "wrong": INCORRECT, "bad": BAD}
    for result in results:
        judgement = judgements.get(result.key)
        yield PlacedVerdict(
            result.output.name,
            result.token.place.line,
            result.suite.position(result.token),
            result.token.category,
            "" if judgement is None else names.get(judgement.pronoun, ""),
            result.token.name,
            result.token.document,
        )
