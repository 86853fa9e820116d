"""What people say of the tokens of a suite in each output, for comparison with metrics (001 §6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from crosspro.evaluation.inputs.placed_verdict import BAD, CORRECT, INCORRECT, PlacedVerdict
from crosspro.evaluation.protest.review import item_key
from crosspro.evaluation.protest.score import TokenResult
from crosspro.evaluation.protest.suite import Suite
from crosspro.evaluation.protest.token_list import token_position
from crosspro.evaluation.protest.verdicts import Judgement

_SAID = {"right": CORRECT, "wrong": INCORRECT}


def token_verdicts(
    suite: Suite,
    results: Iterable[TokenResult],
    judgements: Mapping[tuple[str, str, str], Judgement],
) -> list[PlacedVerdict]:
    """The verdicts on some results; what matched automatically was judged by nobody."""
    return [
        PlacedVerdict(
            one.system,
            one.token.place.line,
            token_position(suite, one.token),
            one.token.category,
            _human(judgements.get(item_key(one))),
            one.token.name,
            one.token.document,
            one.token.anaphoric,
        )
        for one in results
    ]


def _human(judgement: Judgement | None) -> str:
    if judgement is None:
        return ""
    return BAD if judgement.bad else _SAID.get(judgement.pronoun, "")
