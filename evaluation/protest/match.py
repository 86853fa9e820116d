"""Automatic matching of a system's output with the references of a suite (002 §5.2).

The system's words for the pronoun must overlap with those of a reference and, for anaphoric tokens,
its words for the antecedent's head as well, with the same reference: a pair is never put together
from two (002 §8.2). Case and elision make no difference. A translation that matches only a *silver*
alternative (`silver.py`) is counted apart. A mismatch is not an error: it goes to annotators.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from crosspro.evaluation.people.verdicts import ItemKey
from crosspro.evaluation.protest.language import TargetWords
from crosspro.evaluation.protest.silver import Alternative
from crosspro.evaluation.protest.suite import Positions, Spots, Suite, Token, Words
from crosspro.evaluation.protest.text import SystemOutput, project

Outcome = Literal["match", "silver", "mismatch"]


@dataclass(frozen=True)
class TokenResult:
    """A token in the output of one system.

    `target` has its positions in the output. A verdict is about `pronoun` (the fitting pronoun
    among the words, or all words) and `head`. `reference` is the first one that matches, and `why`
    the outcome in words.
    """

    suite: Suite = field(repr=False)
    output: SystemOutput = field(repr=False)
    token: Token
    target: Spots
    pronoun: str
    head: str
    outcome: Outcome
    reference: int | None
    why: str

    @property
    def words(self) -> Words:
        line = self.output.output[self.token.place.line]
        return tuple(line[at] for at in self.target.pronoun)

    @property
    def head_words(self) -> Words:
        return self.output.head_words(self.token, self.target.head)

    @cached_property
    def key(self) -> ItemKey:
        """The token, and a digest of the lines that an annotator sees and of the words in them.

        Verdicts about another output are thereby not taken for verdicts about this one.
        """
        places = (self.token.place, self.token.antecedent)
        lines = sorted({place.line for place in places if place is not None})
        seen = [" ".join(self.output.output[line]) for line in lines]
        positions = repr((self.target.pronoun, self.target.head))
        content = "\n".join([self.token.name, *seen, positions])
        return self.token.name, hashlib.sha256(content.encode("utf-8")).hexdigest()[:12]


def score_system(
    suite: Suite,
    output: SystemOutput,
    lists: TargetWords,
    silver: Mapping[str, Sequence[Alternative]] | None = None,
) -> list[TokenResult]:
    return [
        _result(suite, output, token, lists, (silver or {}).get(token.name, ()))
        for token in suite.tokens
    ]


def _result(
    suite: Suite,
    output: SystemOutput,
    token: Token,
    lists: TargetWords,
    silver: Iterable[Alternative],
) -> TokenResult:
    line = token.place.line
    linked = project(token.place.at, output.links[line])
    words = [output.output[line][position] for position in linked]
    head_linked: Positions = ()
    if token.antecedent is not None:
        head_linked = project(token.antecedent.at, output.links[token.antecedent.line])
    head_words = output.head_words(token, head_linked)
    forms, heads = lists.pronoun_forms(words), lists.head_forms(head_words)

    def same_pronoun(pronoun: Words) -> bool:
        return not forms.isdisjoint(lists.pronoun_forms(pronoun))

    def same_head(head: Words) -> bool:
        return token.antecedent is None or not heads.isdisjoint(lists.head_forms(head))

    pronouns = [same_pronoun(reference.pronoun) for reference in token.references]
    same_heads = [same_head(reference.head) for reference in token.references]
    pairs = [all(pair) for pair in zip(pronouns, same_heads, strict=True)]
    outcome: Outcome = "mismatch"
    if any(pairs):
        outcome = "match"
    elif any(same_pronoun(pair.pronoun) and same_head(pair.head) for pair in silver):
        outcome = "silver"
    faults = []
    if not any(pronouns):
        faults.append("pronoun differs" if words else "pronoun not found")
    if not any(same_heads):
        faults.append("head differs" if head_words else "head not found")
    why = ", ".join(faults) or "pair of two references"
    fitting = filter(None, (lists.pronoun_in(word, token.slot) for word in words))
    return TokenResult(
        suite,
        output,
        token,
        target=Spots(linked, head_linked),
        pronoun=next(fitting, " ".join(words)),
        head=" ".join(sorted(heads)),
        outcome=outcome,
        reference=pairs.index(True) if any(pairs) else None,
        why=why if outcome == "mismatch" else outcome,
    )
