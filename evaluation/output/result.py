"""Results for people who write Python: they print as the commands print them.

A `Result` is an `Evaluation` with methods to look at it. Whatever else a public function returns (a
proofread translation, a report on a folder) shares `Displayed` with it.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from crosspro.data_prep.core.errors import CrossproError, choices, input_error, quoted
from crosspro.data_prep.core.files import write_text
from crosspro.evaluation.core.evaluation import Evaluation, compared
from crosspro.evaluation.core.metric import Metric
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.statistics import Difference, Resampling
from crosspro.evaluation.output import MOST_EXAMPLES
from crosspro.evaluation.output.records import plain, record
from crosspro.evaluation.output.tables import text_table
from crosspro.evaluation.output.text import NOT_CORRECTED, differences_table, text_report


class Displayed:
    """A page, and the printed text in a notebook."""

    def html(self) -> str:
        """The page of `--html`, or the printed text as a page where there is none."""
        return f"<!DOCTYPE html>\n<meta charset=utf-8>\n{self._repr_html_()}\n"

    def write_html(self, path: str | Path) -> None:
        """Write the page to a file, which appears complete or not at all."""
        write_text(Path(path), self.html())

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


@dataclass(frozen=True, repr=False)
class PairedTest(Displayed):
    """Two systems of a result, the second subtracted from the first, under each measure.

    It prints as the table of differences. `difference`, its 95% interval (`low`, `high`) and `p`
    (two-sided, by approximate randomisation) are those of `measure`; `differences` has all.
    """

    first: str
    second: str
    measure: str
    differences: tuple[Difference, ...]
    metric: Metric[Any, Any, Any]
    signature: str

    @property
    def _chosen(self) -> Difference:
        return next(test for test in self.differences if test.metric == self.measure)

    @property
    def difference(self) -> float:
        """The score of the first system less that of the second."""
        return self._chosen.difference

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self._chosen.low

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self._chosen.high

    @property
    def p(self) -> float:
        """The p value of approximate randomisation; that of the bootstrap is in `differences`."""
        return self._chosen.p_randomisation

    def __str__(self) -> str:
        measures = self.metric.measures
        heading, rows, left = differences_table(
            self.differences, self.metric.scale, lambda measure: measures.get(measure, measure)
        )
        return f"{text_table(heading, rows, left)}{NOT_CORRECTED}"

    def __repr__(self) -> str:
        change = self.metric.scale.number(self.difference, "+")
        return f"<PairedTest {self.first} - {self.second}: {self.measure} {change}, p {self.p:.4f}>"

    def to_dict(self) -> dict[str, Any]:
        """The same for programs."""
        content = {
            **{name: getattr(self, name) for name in ("first", "second", "measure", "signature")},
            "differences": [difference._asdict() for difference in self.differences],
        }
        return dict(plain(content))


@dataclass(frozen=True, repr=False)
class Result(Displayed, Evaluation):
    """The scores of some systems, which print as the table of the command.

    `result.scores["A"]["apt"].value` is a score, `.low` and `.high` are its 95% interval.
    """

    @classmethod
    def of(cls, evaluation: Evaluation) -> Self:
        """An evaluation as a result."""
        return cls(*(getattr(evaluation, field.name) for field in fields(Evaluation)))

    def __str__(self) -> str:
        warnings = "".join(f"warning: {text}\n" for text in self.warnings)
        return warnings + text_report(self).rstrip("\n")

    def __repr__(self) -> str:
        headline, scale = self.metric.headline, self.metric.scale
        scores = (
            f"{system.name} {scale.number(system.scores[headline].value)}"
            for system in self.systems
            if headline in system.scores
        )
        return f"<Result {self.metric.name}: {', '.join(scores)}>"

    @property
    def scores(self) -> Mapping[str, Mapping[str, Score]]:
        """The scores of everything, by system and by measure."""
        return {system.name: system.scores for system in self.systems}

    @property
    def signature(self) -> str:
        """How the first of the scores was computed; `signatures` are those of all."""
        return next(iter(self.signatures), "")

    def to_dict(self) -> dict[str, Any]:
        """What `--layout json` writes: plain lists, mappings, texts and numbers."""
        return dict(plain(record(self)))

    def html(self, max_examples: int = MOST_EXAMPLES) -> str:
        """The page of `--html`, complete in itself, with at most so many examples."""
        from crosspro.evaluation.output.page import evaluation_page

        return evaluation_page(self, max_examples)

    def compare(
        self,
        first: str,
        second: str,
        measure: str | None = None,
        *,
        resamples: int | None = None,
        seed: int | None = None,
    ) -> PairedTest:
        """Is one system better than another? The first less the second, its interval and p.

        Units (documents where they are known) are resampled and exchanged as often as for the
        scores, unless `resamples` or `seed` say otherwise.

        >>> import crosspro
        >>> gold = ["il", "elle", "il", "elle"] * 5
        >>> systems = {"A": gold, "B": ["il"] * 20}
        >>> result = crosspro.evaluate(gold, systems, "en-fr", resamples=200)
        >>> test = result.compare("A", "B")
        >>> test.difference, test.p < 0.05
        (50.0, True)
        """
        for argument, system in (("first", first), ("second", second)):
            if system not in self.names:
                raise input_error("arguments", argument, choices(self.names), quoted(str(system)))
        usual = self.plan or Resampling()
        plan = Resampling(
            usual.resamples if resamples is None else resamples,
            usual.seed if seed is None else seed,
        )
        if not isinstance(plan.resamples, int) or plan.resamples < 1:
            raise input_error("arguments", "resamples", "a whole number from 1", repr(resamples))
        if not self.scored.size:
            raise CrossproError("compare: nothing was scored, so there is nothing to compare")
        differences = compared(self, first, second, plan)
        measures = [difference.metric for difference in differences]
        if measure is None:
            headline = self.metric.headline
            measure = headline if headline in measures else measures[0]
        if measure not in measures:
            raise input_error("arguments", "measure", choices(measures), quoted(str(measure)))
        test = [f"test:{first}-{second}", f"samples:{plan.resamples}", f"seed:{plan.seed}"]
        signature = "|".join([*test, f"by:{self.scored.units.name}", self.signature])
        return PairedTest(first, second, measure, tuple(differences), self.metric, signature)
