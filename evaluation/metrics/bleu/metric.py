"""BLEU and chrF of MT output through sacrebleu, for comparison with the pronoun metrics (000 §4).

The scores are sacrebleu's; resampling is ours, so that intervals are by document where documents
are known and the paired tests are those of every other score here. Both metrics are functions of
summed sentence statistics, so text is looked at only once. sacrebleu does not publish those of
chrF: `_extract_corpus_statistics` and `_compute_score_from_stats` are what its own significance
tests use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any, cast

import numpy as np

from crosspro.data_prep.annotate.tokenise import SAMPLE, looks_tokenised
from crosspro.data_prep.core.errors import CrossproError, choices, how_to_install, input_error
from crosspro.evaluation.core.metric import Metric, Part, Scored
from crosspro.evaluation.core.statistics import Floats
from crosspro.evaluation.inputs.plain_text import MTText
from crosspro.evaluation.metrics.bleu.settings import TITLES, BleuSettings

_TOKENISED = (
    "the reference looks tokenised: BLEU is comparable with that of other reports only "
    "if their text was tokenised in the same way"
)


ScoredText = Scored[MTText, Floats]
"""The lines of some text, with what is counted on them."""


class Bleu(Metric[BleuSettings, MTText, Floats]):
    """BLEU and chrF, each with its own statistics of a line."""

    name = "bleu"
    settings_class = BleuSettings
    title = "BLEU and chrF"
    needs = "text"
    called = "BLEU and chrF"
    variants = {name: (title, {"metrics": (name,)}) for name, title in TITLES.items()}
    groups_in_csv = False

    def __init__(self, settings: BleuSettings) -> None:
        super().__init__(settings)
        if settings.word_order < 0:
            expected, found = "0 or more", str(settings.word_order)
            raise input_error("settings", "word_order", expected, found)
        self.measures = {name: TITLES[name] for name in settings.metrics}
        self.headline = settings.metrics[0]
        self.programs = {name: sacrebleu_metric(name, settings) for name in settings.metrics}

    @classmethod
    def lacks(cls, settings: Mapping[str, Any]) -> str:
        """sacrebleu is an optional package."""
        if find_spec("sacrebleu") is not None:
            return ""
        return f"sacrebleu is not installed: {how_to_install('mt')}"

    def items(self, data: MTText) -> ScoredText:
        """The lines, with what sacrebleu counts on each."""
        rows = []
        for lines in data.candidates:
            statistics = [
                program._extract_corpus_statistics(lines, data.references)
                for program in self.programs.values()
            ]
            # Rows of an array are a sequence of arrays, which numpy's types do not say.
            rows.append(cast(Sequence[Floats], np.concatenate(statistics, axis=1)))
        # sacrebleu knows its own signature only once it has counted.
        own = {name: one.get_signature().format() for name, one in self.programs.items()}
        cut_again = (_TOKENISED,) if self._tokenised(data.references[0]) else ()
        return Scored(data, data.names, tuple(rows), data.units, {"sacrebleu": own}, cut_again)

    def _tokenised(self, reference: Sequence[str]) -> bool:
        """Whether BLEU is to cut text into words that is cut already."""
        cut_again = "bleu" in self.measures and self.settings.tokenise != "none"
        return cut_again and looks_tokenised(reference[:SAMPLE])

    def statistics(self, scored: ScoredText, system: int) -> Floats:
        """What was counted."""
        rows: Floats = np.asarray(scored.items[system])
        return rows

    def score(self, sums: Floats) -> Mapping[str, Floats]:
        """What sacrebleu makes of sums; the columns of its metrics stand side by side."""
        measures = self._columns().items()
        return {name: self._values(name, sums[:, own])[name] for name, own in measures}

    def parts(self, scored: ScoredText, system: int) -> Iterable[Part]:
        """Everything, measure by measure: each is resampled for itself."""
        for name, columns in self._columns().items():
            yield Part(columns=columns, score=partial(self._values, name))

    def _columns(self) -> dict[str, range]:
        """The columns of each measure."""
        found, start = {}, 0
        for name, program in self.programs.items():
            found[name] = range(start, start := start + _width(name, program))
        return found

    def _values(self, name: str, sums: Floats) -> Mapping[str, Floats]:
        rows = np.rint(sums).astype(np.int64).tolist()
        program = self.programs[name]
        return {name: np.array([program._compute_score_from_stats(row).score for row in rows])}

    def described(self, scored: ScoredText, part: Part, measure: str, system: int) -> list[str]:
        """The measure and the number of lines."""
        return [measure, f"lines:{scored.size}"]

    def other_programs(self, scored: ScoredText, measure: str) -> Sequence[str]:
        """What sacrebleu says of its score."""
        return [f"sacrebleu|{scored.facts['sacrebleu'][measure]}"]

    def heading(self, scored: ScoredText) -> str:
        """How much text was scored."""
        return scored.data.size


def _width(name: str, program: Any) -> int:
    """How many numbers are counted on a line: lengths and n-grams for BLEU, triples for chrF."""
    return int(3 * program.order if name == "chrf" else 2 + 2 * program.max_ngram_order)


def sacrebleu_metric(name: str, settings: BleuSettings) -> Any:
    """A metric of sacrebleu, which is an optional package; its warnings are told in our words."""
    try:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
    except ImportError as error:
        raise CrossproError(
            f"BLEU and chrF need sacrebleu, which is not installed: {how_to_install('mt')}"
        ) from error
    if name == "chrf":
        return CHRF(word_order=settings.word_order, lowercase=settings.ignore_case)
    if settings.tokenise not in BLEU.TOKENIZERS:
        raise input_error("settings", "tokenise", choices(BLEU.TOKENIZERS), settings.tokenise)
    return BLEU(lowercase=settings.ignore_case, tokenize=settings.tokenise, force=True)


METRIC = Bleu
