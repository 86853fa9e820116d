"""BLEU and chrF of MT output through sacrebleu, to compare pronoun metrics with (000 §4).

Scores are sacrebleu's; resampling is ours, so that intervals are by document where documents are
known and the paired tests are those of every other score. Both are functions of summed statistics
of lines: `_extract_corpus_statistics` and `_compute_score_from_stats` are what sacrebleu's own
significance tests use.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from crosspro.data_prep.annotate.tokenise import SAMPLE, looks_tokenised
from crosspro.data_prep.core.errors import (
    CrossproError,
    choices,
    counted,
    how_to_install,
    input_error,
)
from crosspro.evaluation.metric import Display, Items, Metric
from crosspro.evaluation.resampling import Columns, Floats, Scores, Sums, Units
from crosspro.evaluation.texts import Texts


class SacrebleuMetric(Metric[Any, Texts, Floats]):
    """A metric of sacrebleu; an item is a line with its statistics."""

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self.program = self.make_program(None)

    @abstractmethod
    def make_program(self, references: Sequence[Sequence[str]] | None) -> Any:
        """The metric of sacrebleu, which looks at references once."""

    def items(self, data: Texts) -> Items[Texts, Floats]:
        data.require(self.name, "reference")
        self.program = self.make_program([data.reference])
        rows: Any = tuple(
            np.array(self.program._extract_corpus_statistics(lines, None))
            for lines in data.candidates.values()
        )
        units = Units.choose(document=data.document_of_line, line=range(data.size))
        size = counted(data.size, "line")
        return Items(data, tuple(data.candidates), rows, units, size, {}, self.warnings(data))

    def warnings(self, data: Texts) -> tuple[str, ...]:
        return data.warnings

    def statistics(self, items: Items[Texts, Floats], candidate: int) -> Columns:
        return {"statistics": np.asarray(items.values[candidate])}

    def score(self, sums: Sums) -> Scores:
        rows = np.rint(np.atleast_2d(sums["statistics"])).astype(np.int64).tolist()
        values = [self.program._compute_score_from_stats(row).score for row in rows]
        return {self.name: np.array(values)}

    def signature(self, items: Items[Texts, Floats]) -> Sequence[str]:
        return [f"lines:{items.size}", f"sacrebleu|{self.program.get_signature().format()}"]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class BleuSettings:
    """The tokeniser of sacrebleu; `none` for tokenised text."""

    tokenise: str = "13a"


class Bleu(SacrebleuMetric):
    """BLEU (Papineni et al. 2002)."""

    name = "bleu"
    settings_class = BleuSettings
    display = Display("BLEU", measures={"bleu": "BLEU"})

    def make_program(self, references: Sequence[Sequence[str]] | None) -> Any:
        kind, tokeniser = _sacrebleu().BLEU, self.settings.tokenise
        if tokeniser not in kind.TOKENIZERS:
            raise input_error("bleu", "tokenise", choices(kind.TOKENIZERS), tokeniser)
        return kind(tokenize=tokeniser, force=True, references=references)

    def warnings(self, data: Texts) -> tuple[str, ...]:
        if self.settings.tokenise == "none" or not looks_tokenised(data.reference[:SAMPLE]):
            return data.warnings
        warning = (
            "the reference looks tokenised: BLEU is comparable with that of other reports only if "
            "their text was tokenised in the same way"
        )
        return (*data.warnings, warning)


class Chrf(SacrebleuMetric):
    """chrF (Popović 2015)."""

    name = "chrf"
    display = Display("chrF", measures={"chrf": "chrF"})

    def make_program(self, references: Sequence[Sequence[str]] | None) -> Any:
        return _sacrebleu().CHRF(references=references)


def _sacrebleu() -> Any:
    try:
        import sacrebleu.metrics
    except ImportError as error:
        raise CrossproError(
            f"BLEU and chrF need sacrebleu, which is not installed: {how_to_install('mt')}"
        ) from error
    return sacrebleu.metrics
