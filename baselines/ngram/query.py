"""Scores text with a language model: words, sentences, and the perplexity of it all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from crosspro.baselines.ngram.model import LanguageModel, TokenScores
from crosspro.baselines.ngram.text import SentenceBatch

_TOTAL = b"Total: %.7g OOV: %d\n"


@dataclass(slots=True)
class Totals:
    """Sums over a text; tokens are its words and the `</s>` of each sentence."""

    sentences: int = 0
    tokens: int = 0
    unknown: int = 0
    log10: float = 0.0
    log10_unknown: float = 0.0

    def add(self, scores: TokenScores) -> None:
        """Count some sentences."""
        unknown = scores.unknown
        self.sentences += len(scores.ends)
        self.tokens += len(scores.ids)
        self.unknown += int(unknown.sum())
        self.log10 += float(scores.log10.sum(dtype=float))
        self.log10_unknown += float(scores.log10[unknown].sum(dtype=float))

    @property
    def perplexity(self) -> float:
        """Per token, unknown words included."""
        return _perplexity(self.log10, self.tokens)

    @property
    def perplexity_of_known(self) -> float:
        """Per token, unknown words left out of the sum (they still are context)."""
        return _perplexity(self.log10 - self.log10_unknown, self.tokens - self.unknown)

    def __str__(self) -> str:
        return (
            f"Perplexity including OOVs:\t{self.perplexity:.7g}\n"
            f"Perplexity excluding OOVs:\t{self.perplexity_of_known:.7g}\n"
            f"OOVs:\t{self.unknown}\n"
            f"Tokens:\t{self.tokens}\n"
            f"Sentences:\t{self.sentences}\n"
            f"Log10:\t{self.log10:.7g}"
        )


def score_batches(
    model: LanguageModel, batches: Iterable[SentenceBatch], totals: Totals
) -> Iterator[tuple[SentenceBatch, TokenScores]]:
    """The scores of text, batch by batch; `totals` grows with them."""
    for batch in batches:
        scores = model.score(model.ids(batch.words), batch.lengths)
        totals.add(scores)
        yield batch, scores


def sentence_lines(batch: SentenceBatch, scores: TokenScores, *, per_word: bool) -> bytes:
    """A line for each sentence, as KenLM's query prints it.

    Where asked for, each token comes first: `word=number`, the length of the n-gram that was found,
    and its log10 probability.
    """
    totals, unknown = scores.totals.tolist(), scores.unknown_totals.tolist()
    if not per_word:
        return b"".join([_TOTAL % pair for pair in zip(totals, unknown, strict=True)])
    from crosspro.baselines.ngram.arpa import formatted

    log10 = formatted(scores.log10)
    numbers, lengths = scores.ids.tolist(), scores.lengths.tolist()
    tokens = zip(numbers, lengths, log10, strict=True)
    lines = []
    for sentence, total, oov in zip(batch.sentences, totals, unknown, strict=True):
        lines += [
            b"%b=%d %d %b\t" % (word, *token)
            for word, token in zip([*sentence, b"</s>"], tokens, strict=False)
        ]
        lines.append(_TOTAL % (total, oov))
    return b"".join(lines)


def _perplexity(log10: float, tokens: int) -> float:
    if not tokens:
        return float("nan")
    exponent = -log10 / tokens
    return 10.0**exponent if exponent < 308 else float("inf")
