"""Questions for annotators about the results of systems, and what their verdicts say by place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from crosspro.evaluation.correlation.disagreement import BAD, CORRECT, INCORRECT, PlacedVerdict
from crosspro.evaluation.people.questions import MarkedLine, Question
from crosspro.evaluation.people.verdicts import Item, ItemKey, Judgement
from crosspro.evaluation.protest.categories import BY_NAME
from crosspro.evaluation.protest.match import TokenResult
from crosspro.evaluation.protest.suite import Spots, Suite, Token, Words

Mark = Literal["", "pronoun", "head"]


def questions_of(results: Iterable[TokenResult]) -> dict[ItemKey, Question]:
    """All questions in the order of the results; equal translations of systems are one."""
    groups: dict[ItemKey, list[TokenResult]] = {}
    for result in results:
        groups.setdefault(result.key, []).append(result)
    return {
        key: question_of(group[0], [result.output.name for result in group])
        for key, group in groups.items()
    }


def question_of(result: TokenResult, systems: Sequence[str]) -> Question:
    suite, token = result.suite, result.token
    references = [reference for reference in token.references if reference.pronoun]
    return Question(
        Item(*result.key, ", ".join(systems), result.pronoun, result.head),
        token.category,
        BY_NAME[token.category].label,
        token.anaphoric,
        _marked(suite, token, suite.source, token.spots),
        _marked(suite, token, suite.references[0], token.references[0].spots),
        _marked(suite, token, result.output.output, result.target),
        " | ".join(" ".join(reference.pronoun) for reference in references),
        " | ".join(" ".join(reference.head) for reference in references),
        result.why,
    )


def to_judge(
    results: Sequence[TokenResult],
    judgements: Mapping[ItemKey, Judgement],
    matches: bool = False,
) -> list[Question]:
    """The mismatches, and on demand the matches, on which there is no verdict yet."""
    mismatches = {result.key for result in results if result.outcome == "mismatch"}
    return [
        question
        for key, question in questions_of(results).items()
        if (matches or key in mismatches) and key not in judgements
    ]


def _marked(
    suite: Suite, token: Token, text: Sequence[Words], spots: Spots
) -> tuple[MarkedLine, ...]:
    marks: dict[tuple[int, int], Mark] = {}
    if token.antecedent is not None:
        marks |= {(token.antecedent.line, at): "head" for at in spots.head}
    marks |= {(token.place.line, at): "pronoun" for at in spots.pronoun}
    return tuple(
        tuple((word, marks.get((line, at), "")) for at, word in enumerate(text[line]))
        for line in suite.context(token)
    )


def placed_verdicts(
    results: Iterable[TokenResult], judgements: Mapping[ItemKey, Judgement]
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
