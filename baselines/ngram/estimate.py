"""Estimates an n-gram model from text, with the smoothing and the conventions of KenLM's lmplz."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.baselines.ngram.corpus import NumberedText, Report, read_corpus
from crosspro.baselines.ngram.counting import count_ngrams
from crosspro.baselines.ngram.discounts import Discounts, adjusted_counts, estimate_discounts
from crosspro.baselines.ngram.model import NGramModel, build_model
from crosspro.baselines.ngram.ngrams import NGrams
from crosspro.baselines.ngram.sentences import SentenceBatch
from crosspro.baselines.ngram.smoothing import smooth
from crosspro.baselines.ngram.workspace import Workspace, workspace
from crosspro.data_prep.core.errors import CrossproError

MAX_ORDER = 7
DEFAULT_MEMORY = 2 << 30


@dataclass(frozen=True, slots=True)
class EstimationSettings:
    """How a model is estimated; checked when it is made.

    `prune` has a threshold for each order, the last one for all that follow: n-grams that occur no
    more often are left out. `fallback` has the discounts of adjusted counts 1, 2, and 3 or more for
    orders where they cannot be estimated. `memory` is in bytes; what does not fit goes to files in
    `folder`. `skip_symbols` leaves out `<s>`, `</s>` and `<unk>` that are in the text.
    """

    order: int = 5
    prune: Sequence[int] = ()
    fallback: Sequence[float] | None = None
    memory: int = DEFAULT_MEMORY
    folder: Path | None = None
    skip_symbols: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.order <= MAX_ORDER:
            raise CrossproError(f"order: expected 1 to {MAX_ORDER}, found {self.order}")
        if self.memory < 1:
            raise CrossproError(f"memory: expected bytes above 0, found {self.memory}")
        prune = [*self.prune]
        if len(prune) > self.order:
            raise CrossproError(
                f"prune: expected at most {self.order} thresholds, found {len(prune)}"
            )
        if prune != sorted(prune) or any(threshold < 0 for threshold in prune):
            # A cut-off that falls would keep n-grams whose parts are gone.
            found = " ".join(map(str, prune))
            raise CrossproError(f"prune: expected thresholds from 0 that never fall, found {found}")
        if self.fallback is not None:
            _check_fallback(self.fallback)

    @property
    def thresholds(self) -> list[int]:
        """The threshold of each order."""
        given = [*self.prune] or [0]
        return given + given[-1:] * (self.order - len(given))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A model and what it was estimated from."""

    model: NGramModel
    discounts: list[Discounts]
    tokens: int
    sentences: int


def estimate(
    batches: Iterable[SentenceBatch], settings: EstimationSettings, report: Report = lambda _: None
) -> Estimate:
    """Estimate a model from sentences."""
    with workspace(settings.memory, settings.folder) as space:
        corpus = read_corpus(batches, space, report, skip_symbols=settings.skip_symbols)
        tokens, sentences = corpus.tokens, corpus.sentences
        words, orders, discounts = _smoothed(corpus, settings, space, report)
        del corpus
        report("building the index")
        model = build_model(words, orders, space)
    return Estimate(model, discounts, tokens, sentences)


def _smoothed(
    corpus: NumberedText, settings: EstimationSettings, space: Workspace, report: Report
) -> tuple[list[bytes], list[NGrams], list[Discounts]]:
    """The words and n-grams of the model; what only counting needs is gone afterwards."""
    tables = count_ngrams(corpus, settings.order, space, report)
    report("smoothing")
    adjusted = [adjusted_counts(tables, n, space) for n in range(1, len(tables) + 1)]
    discounts = estimate_discounts(tables, adjusted, settings.fallback, space)
    orders, left = smooth(tables, adjusted, discounts, settings.thresholds, space)
    return [corpus.words[number] for number in left], orders, discounts


def _check_fallback(fallback: Sequence[float]) -> None:
    if not 1 <= len(fallback) <= 3:
        raise CrossproError(f"fallback: expected 1 to 3 discounts, found {len(fallback)}")
    for count, discount in enumerate(fallback, start=1):
        if not 0 <= discount <= count:
            raise CrossproError(
                f"fallback: expected a discount from 0 to {count} for count {count}, "
                f"found {discount:g}"
            )
