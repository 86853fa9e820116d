"""Automatic matching of a system's output with the references of a suite (002 §5.2).

The words that a system has for the pronoun must overlap with those of a reference and, for
anaphoric tokens, the words for the antecedent's head as well, with the same reference: a pair is
never put together from two (002 §8.2). Case and elision make no difference. What matches no
reference but a silver alternative, which people have verified, is counted apart (002 §6). A
mismatch is not an error: it goes to people.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from crosspro.data_prep.core.example import Link
from crosspro.evaluation.protest.language import TargetWords
from crosspro.evaluation.protest.links import Neighbours, project, pronoun_in, pronoun_words
from crosspro.evaluation.protest.silver import Alternative
from crosspro.evaluation.protest.suite import Place, Positions, Suite, SuiteToken, Words
from crosspro.evaluation.protest.systems import SystemOutput

Outcome = Literal["match", "silver", "mismatch"]

CONTEXT = 1
"""Lines before the pronoun's that are shown in any case."""


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A line around a token, as people need it to judge: all texts, and the system's links.

    `system_source` is the source in the system's tokenisation, which its links count in.
    """

    line: int
    source: Words
    system_source: Words
    references: tuple[Words, ...]
    output: Words
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class FoundWords:
    """Where some source words are in the system's source and output, and the words there."""

    line: int
    source_at: Positions
    output_at: Positions
    words: Words


@dataclass(frozen=True, slots=True)
class TokenResult:
    """Everything about one token in one system's output.

    `pronoun_matches` and `head_matches` say whether each agrees with some reference by itself;
    `reference` is the one that both agree with. `digest` names the output that was seen, so that
    verdicts about another output are not taken for this one.
    """

    system: str
    token: SuiteToken
    form: str
    pronoun: FoundWords
    head: FoundWords | None
    pronoun_matches: bool
    head_matches: bool | None
    reference: int | None
    outcome: Outcome
    context: tuple[ContextLine, ...]
    digest: str

    @property
    def why(self) -> str:
        """The outcome in words: what did not match, or was not found."""
        if self.outcome != "mismatch":
            return self.outcome
        missing = [] if self.pronoun.words else ["pronoun not found"]
        if self.pronoun.words and not self.pronoun_matches:
            missing.append("pronoun differs")
        if self.head is not None:
            if not self.head.words:
                missing.append("head not found")
            elif not self.head_matches:
                missing.append("head differs")
        return ", ".join(missing) or "pair of two references"


def score_system(
    suite: Suite,
    system: SystemOutput,
    lists: TargetWords,
    silver: Mapping[str, Sequence[Alternative]] | None = None,
    repair: bool = False,
) -> list[TokenResult]:
    """The results of a system for every token of a suite, in the suite's order."""
    scorer = _Scorer(suite, system, lists, silver or {}, repair)
    return [scorer.result(token) for token in suite.tokens]


class _Scorer:
    """Scores the tokens of one system."""

    def __init__(
        self,
        suite: Suite,
        system: SystemOutput,
        lists: TargetWords,
        silver: Mapping[str, Sequence[Alternative]],
        repair: bool,
    ) -> None:
        self.suite = suite
        self.system = system
        self.lists = lists
        self.silver = silver
        self.repair = repair

    def result(self, token: SuiteToken) -> TokenResult:
        """The result of one token."""
        pronoun = self.pronoun(token)
        head = None if token.antecedent is None else self.head(token.antecedent)
        forms = self.lists.pronoun_forms(pronoun.words)
        heads = set() if head is None else self.lists.head_forms(head.words)
        same = [bool(forms & self.lists.pronoun_forms(one.pronoun)) for one in token.references]
        same_head = [bool(heads & self.lists.head_forms(one.head)) for one in token.references]
        both = [one and (other or head is None) for one, other in zip(same, same_head, strict=True)]
        outcome: Outcome = "match" if any(both) else "mismatch"
        if outcome == "mismatch" and any(
            self.agrees(one, forms, heads, head is not None)
            for one in self.silver.get(token.name, ())
        ):
            outcome = "silver"
        context = self.context(token)
        return TokenResult(
            self.system.name,
            token,
            self.suite.form(token),
            pronoun,
            head,
            any(same),
            None if head is None else any(same_head),
            both.index(True) if any(both) else None,
            outcome,
            context,
            _digest(token, pronoun, head, context),
        )

    def agrees(
        self, alternative: Alternative, forms: set[str], heads: set[str], anaphoric: bool
    ) -> bool:
        """Whether the output has a silver alternative: the pair of both where there is a head."""
        if not forms & self.lists.pronoun_forms(alternative.pronoun):
            return False
        return not anaphoric or bool(heads & self.lists.head_forms(alternative.head))

    def pronoun(self, token: SuiteToken) -> FoundWords:
        """What a system has for a pronoun."""
        at = self.system.positions(token.place)
        links, words = self.line(token.place)
        beside = self.neighbours(token.place) if self.repair else None
        found = pronoun_words(at, links, words, self.lists, token.slot, beside)
        return FoundWords(token.place.line, at, found, tuple(words[place] for place in found))

    def neighbours(self, place: Place) -> Neighbours:
        """The suite's words before and after, wherever the system's tokenisation has put them."""
        last = len(self.suite.source[place.line]) - 1
        before = self.system.positions(Place(place.line, (max(0, min(place.at) - 1),)))
        after = self.system.positions(Place(place.line, (min(last, max(place.at) + 1),)))
        return before if min(place.at) > 0 else (), after if max(place.at) < last else ()

    def head(self, place: Place) -> FoundWords:
        """What a system has for the head of an antecedent."""
        at = self.system.positions(place)
        links, words = self.line(place)
        found = project(at, links)
        return FoundWords(place.line, at, found, tuple(words[place] for place in found))

    def line(self, place: Place) -> tuple[tuple[Link, ...], Words]:
        """The links and the output of a line."""
        return tuple(self.system.links[place.line]), self.system.output[place.line]

    def context(self, token: SuiteToken) -> tuple[ContextLine, ...]:
        """The lines from the antecedent, or the line before, to the pronoun."""
        last = token.place.line
        wanted = set(range(max(0, last - CONTEXT), last + 1))
        if token.antecedent is not None:
            wanted.add(token.antecedent.line)
        return tuple(
            ContextLine(
                line,
                self.suite.source[line],
                self.system.source_line(line),
                tuple(reference[line] for reference in self.suite.references),
                self.system.output[line],
                tuple(self.system.links[line]),
            )
            for line in sorted(wanted)
            if self.suite.documents[line] == token.document
        )


def verified_alternative(result: TokenResult, lists: TargetWords) -> Alternative:
    """The words of a result as a silver alternative: its pronoun if it has one, its head."""
    pronouns = [pronoun_in(word, lists, result.token.slot) for word in result.pronoun.words]
    pronoun = next((form for form in pronouns if form is not None), None)
    words = (pronoun,) if pronoun is not None else result.pronoun.words
    heads = () if result.head is None else sorted(lists.head_forms(result.head.words))
    return Alternative(words, tuple(heads))


def _digest(
    token: SuiteToken,
    pronoun: FoundWords,
    head: FoundWords | None,
    context: Iterable[ContextLine],
) -> str:
    """A short name for what was seen of a token: the lines in question and the words in them."""
    lines = {pronoun.line} | ({head.line} if head else set())
    seen = [" ".join(line.output) for line in context if line.line in lines]
    places = (pronoun.output_at, head.output_at if head else ())
    content = "\n".join([token.name, *seen, repr(places)])
    return hashlib.sha256(content.encode("utf-8")).hexdigest()[:12]
