"""Pronouns in doubt per 100: how many of a translation's pronouns are wrong, without a reference.

A model hides each pronoun of a translation that translates one of the source, and says how probably
it is wrong (docs/guides/proofread.md). The mean of these probabilities is the expected number of
wrong pronouns in a hundred. Systems have different numbers of pronouns; what is resampled and
exchanged are lines, or documents, which all systems have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from crosspro.data_prep.core.errors import counted
from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.core.metric import Metric, Part, Scored
from crosspro.evaluation.core.statistics import Floats, Ints, choose_units, quotient
from crosspro.evaluation.core.tables import Table

WORST = 20
"""The most doubtful pronouns that a page shows."""


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


Segments = Sequence[str]


class PronounJudge(Protocol):
    """What judges the pronouns of a translation; other processes must be able to read it."""

    @property
    def described(self) -> tuple[str, ...]:
        """What a signature says of it: the model and how it was calibrated."""

    def judged(
        self,
        source: Segments,
        target: Segments,
        documents: Sequence[str] | None,
        progress: Callable[[int], None] = lambda lines: None,
    ) -> tuple[ProofreadPronoun, ...]:
        """The pronouns of a translation, line by line; `progress` hears of lines newly read."""


@dataclass(frozen=True)
class JudgedText:
    """Some translations of one text whose pronouns are judged; `judge` says by what."""

    names: tuple[str, ...]
    pronouns: tuple[tuple[ProofreadPronoun, ...], ...]
    lines: int
    documents: Ints | None
    judge: tuple[str, ...]


@dataclass(frozen=True)
class PronounDoubtSettings:
    """From which probability of being wrong on a pronoun counts as doubtful."""

    threshold: float = 0.5


DoubtedText = Scored[JudgedText, list[ProofreadPronoun]]
"""The lines of some text, with the judged pronouns of each."""


class PronounsInDoubt(Metric[PronounDoubtSettings, JudgedText, list[ProofreadPronoun]]):
    """The pronouns that are probably wrong, in a hundred; an item is a line."""

    name = "pronoun_doubt"
    settings_class = PronounDoubtSettings
    title = "Pronouns in doubt, without a reference"
    needs = "judged"
    called = "pronouns in doubt per 100"
    column = "in doubt per 100"
    measures = {"per_100": "in doubt per 100", "doubtful": "% doubtful"}
    headline = "per_100"
    lower_is_better = True
    grouped = "source word"

    def items(self, data: JudgedText) -> DoubtedText:
        """The lines, each with its pronouns."""
        found = []
        for own in data.pronouns:
            lines: list[list[ProofreadPronoun]] = [[] for _ in range(data.lines)]
            for one in own:
                lines[one.line].append(one)
            found.append(lines)
        units = choose_units(document=data.documents, line=np.arange(data.lines))
        none = [name for name, own in zip(data.names, data.pronouns, strict=True) if not own]
        warnings = tuple(f"{name}: no pronoun that the model knows" for name in none)
        facts = {"judge": list(data.judge)}
        return Scored(data, data.names, tuple(found), units, facts, warnings)

    def statistics(self, scored: DoubtedText, system: int) -> Floats:
        """Of each line the sum of probabilities, pronouns, and those over the threshold."""
        return self._rows(scored, system)

    def parts(self, scored: DoubtedText, system: int) -> Iterable[Part]:
        """Everything, then the translations of each source word, the most frequent first."""
        yield Part()
        counts = Counter(one.source_word.lower() for own in scored.data.pronouns for one in own)
        for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            yield Part(self.grouped, word, rows=self._rows(scored, system, word))

    def _rows(self, scored: DoubtedText, system: int, word: str | None = None) -> Floats:
        rows = np.zeros((scored.size, 3))
        for one in scored.data.pronouns[system]:
            if word is None or one.source_word.lower() == word:
                rows[one.line] += (one.wrong, 1, one.wrong >= self.settings.threshold)
        return rows

    def score(self, sums: Floats) -> Mapping[str, Floats]:
        """Not a number where there is no pronoun."""
        wrong, pronouns, doubtful = sums.T
        return {
            "per_100": 100 * quotient(wrong, pronouns),
            "doubtful": 100 * quotient(doubtful, pronouns),
        }

    def counts(self, sums: Floats) -> Mapping[str, int]:
        """How many pronouns there are, and how many of them are doubtful."""
        return {"pronouns": int(sums[1]), "doubtful": int(sums[2])}

    def described(self, scored: DoubtedText, part: Part, measure: str, system: int) -> list[str]:
        """The measure, the group, the model and its calibration."""
        return [
            f"pronoun_doubt_{measure}",
            *([] if part.is_total else [f"source_word:{part.group.replace(' ', '_')}"]),
            *scored.data.judge,
            *([f"threshold:{self.settings.threshold:g}"] if measure == "doubtful" else []),
            f"lines:{scored.size}",
        ]

    def heading(self, scored: DoubtedText) -> str:
        """How many pronouns of each system were judged, and by what."""
        systems = zip(scored.systems, scored.data.pronouns, strict=True)
        found = ", ".join(f"{len(own):,} of {name}" for name, own in systems)
        return f"Pronouns in {counted(scored.size, 'line')}: {found}"

    def notes(self, scored: DoubtedText) -> tuple[str, ...]:
        """What the numbers are."""
        return (
            "Expected number of wrong pronouns in a hundred, as a model judges them that reads "
            "source and translation and no reference: lower is better.",
        )

    def tables(self, evaluation: Evaluation) -> Sequence[Table]:
        """The most doubtful pronouns of all systems."""
        data = evaluation.scored.data
        systems = zip(data.names, data.pronouns, strict=True)
        every = [(one, name) for name, own in systems for one in own]
        every.sort(key=lambda item: -item[0].wrong)
        rows = [
            (name, str(one.line + 1), one.source_word, one.word, one.suggestion, f"{one.wrong:.2f}")
            for one, name in every[:WORST]
        ]
        heading = (self.system, "line", "source", "word", "expected", "wrong")
        title = "Most doubtful pronouns"
        return [Table(heading, rows, title, 5, only="page")] if rows else []


METRIC = PronounsInDoubt
