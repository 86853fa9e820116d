"""Pronouns in doubt per 100: how many pronouns of a translation are wrong, without a reference.

A model hides each pronoun of a translation that translates one of the source, and says how probably
it is wrong (docs/guides/proofread.md). The mean of these probabilities is the expected number of
wrong pronouns in a hundred. Candidates have different numbers of pronouns; what is resampled are
lines, or documents, which all of them have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from crosspro.data_prep.core.errors import counted
from crosspro.evaluation.metric import Display, Group, Items, Metric
from crosspro.evaluation.resampling import Columns, Scores, Sums, Units, ratio
from crosspro.evaluation.texts import Texts


@dataclass(frozen=True)
class ProofreadPronoun:
    """A pronoun of a translation and how probably it is wrong; lines count from 0.

    `source_word` is what it translates, `suggestion` a word that might stand there.
    """

    line: int
    word: str
    source_word: str
    wrong: float
    suggestion: str = ""
    reason: str = ""


class PronounJudge(Protocol):
    """What judges the pronouns of a translation."""

    @property
    def described(self) -> tuple[str, ...]:
        """What a signature says of it: the model and how it was calibrated."""

    def judged(
        self,
        source: Sequence[str],
        target: Sequence[str],
        documents: Sequence[str] | None,
    ) -> tuple[ProofreadPronoun, ...]:
        """The pronouns of a translation, line by line."""


@dataclass(frozen=True)
class PronounDoubtSettings:
    """The judge is a `PronounJudge`."""

    judge: Any = field(repr=False)


Line = list[ProofreadPronoun]


class PronounsInDoubt(Metric[PronounDoubtSettings, Texts, Line]):
    """The pronouns that are probably wrong, in a hundred; an item is a line."""

    name = "doubt"
    settings_class = PronounDoubtSettings
    display = Display(
        "Pronouns in doubt, without a reference",
        measures={"per_100": "in doubt per 100"},
        lower_is_better=True,
        column="in doubt",
        counts=("pronouns",),
        group="source word",
        notes=(
            "Expected number of wrong pronouns in a hundred, as a model judges them that reads "
            "source and translation and no reference: lower is better.",
        ),
    )

    def items(self, data: Texts) -> Items[Texts, Line]:
        data.require(self.name, "source")
        numbers = data.document_of_line
        documents = None if numbers is None else list(map(str, numbers))
        values, warnings = [], list(data.warnings)
        for name, target in data.candidates.items():
            lines: list[Line] = [[] for _ in target]
            for pronoun in self.settings.judge.judged(data.source, target, documents):
                lines[pronoun.line].append(pronoun)
            values.append(lines)
            if not any(lines):
                warnings.append(f"{name}: no pronoun that the model knows")
        units = Units.choose(document=numbers, line=range(data.size))
        size = counted(data.size, "line")
        names = tuple(data.candidates)
        return Items(data, names, tuple(values), units, size, {}, tuple(warnings))

    def statistics(self, items: Items[Texts, Line], candidate: int) -> Columns:
        """Of each line the sum of probabilities, and the number of pronouns."""
        return self._columns(items, None, candidate)

    def _columns(self, items: Items[Texts, Line], word: str | None, candidate: int) -> Columns:
        chances = [
            [p.wrong for p in line if word is None or p.source_word.lower() == word]
            for line in items.values[candidate]
        ]
        return {"wrong": list(map(sum, chances)), "pronouns": list(map(len, chances))}

    def score(self, sums: Sums) -> Scores:
        return {"per_100": 100 * ratio(sums["wrong"], sums["pronouns"])}

    def counts(self, items: Items[Texts, Line], candidate: int) -> Columns:
        return {"pronouns": self.statistics(items, candidate)["pronouns"]}

    def groups(self, items: Items[Texts, Line]) -> Iterable[Group]:
        lines = (line for candidate in items.values for line in candidate)
        counts = Counter(pronoun.source_word.lower() for line in lines for pronoun in line)
        for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            yield Group("source word", word, statistics=partial(self._columns, items, word))

    def signature(self, items: Items[Texts, Line]) -> Sequence[str]:
        return [f"lines:{items.size}", *self.settings.judge.described]

    def details(self, items: Items[Texts, Line], candidate: int) -> Iterable[dict[str, Any]]:
        pronouns = [pronoun for line in items.values[candidate] for pronoun in line]
        for pronoun in sorted(pronouns, key=lambda pronoun: -pronoun.wrong):
            yield {
                "sentence": pronoun.line,
                "source": pronoun.source_word,
                "word": pronoun.word,
                "expected": pronoun.suggestion,
                "wrong": pronoun.wrong,
                "reason": pronoun.reason,
            }
