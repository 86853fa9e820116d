"""What it costs to take some sentences of a text for the translation of some of another.

The cost of a bead (so many sentences of the source, so many of the target) is made of

- how rare its kind is, and how unlikely lengths in characters are that differ so much: Gale and
  Church 1993 (§3.1, §3.2), with the ratio of lengths taken from the texts themselves;
- how much better its words are explained as translations of each other than by their frequency:
  IBM 1, as in Moore 2002 (§2.3), here in both directions and with the counts of our own aligner.
  Words that no text of the aligner had count if they are written alike on both sides.

Costs are computed for blocks of pairs of sentences at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.align.prior import REST, Prior
from crosspro.data_prep.align.text import make_form

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Kind = tuple[int, int]
"""How many sentences of the source and of the target are in a bead."""

_WORD = re.compile(r"\w+")
_TINY = 1e-9


@dataclass(frozen=True)
class SentenceSettings:
    """How costs are computed; chosen on development sets.

    `kinds` has how frequent each kind of bead is: Gale and Church's table 5, but pairs of pairs ten
    times as rare, and beads of three and four sentences added. `variance` is theirs, for each
    character. `weight` is how much the evidence of words counts, `null` the share of words without
    a counterpart. Words written alike are linked with the chance `alike`; a text of fewer words
    than `fewest` is taken to have as many, so that a word is not rare because the text is short.
    `band` is how many sentences beside its first way a long document is searched.
    """

    kinds: tuple[tuple[int, int, float], ...] = (
        (1, 1, 0.89),
        (1, 0, 0.00495),
        (0, 1, 0.00495),
        (2, 1, 0.0445),
        (1, 2, 0.0445),
        (2, 2, 0.001),
        (3, 1, 0.005),
        (1, 3, 0.005),
        (4, 1, 0.001),
        (1, 4, 0.001),
    )
    variance: float = 6.8
    weight: float = 0.5
    null: float = 0.2
    alike: float = 0.5
    fewest: int = 1000
    band: int = 30

    @property
    def most(self) -> int:
        """The most sentences of a side in a bead."""
        return max(max(kind[:2]) for kind in self.kinds)


SETTINGS = SentenceSettings()


@dataclass(frozen=True)
class SentenceLexicon:
    """Which words translate each other: how much more often than by chance they stand together.

    The pairs of source word `n` are those from `starts[n]`, in the order of their target words.
    """

    source: dict[str, int]
    target: dict[str, int]
    starts: Ints
    words: Ints
    ratios: Floats
    form: Callable[[str], str] = field(repr=False)

    def table(self, source: Sequence[str], target: Sequence[str]) -> Floats:
        """The ratios of all pairs of some forms; 0 where nothing is known of a pair."""
        places = {self.target[word]: n for n, word in enumerate(target) if word in self.target}
        column = np.full(len(self.target), -1, np.int64)
        column[list(places)] = list(places.values())
        found = np.zeros((len(source), len(target)))
        for row, word in enumerate(source):
            number = self.source.get(word)
            if number is not None:
                pairs = slice(self.starts[number], self.starts[number + 1])
                columns = column[self.words[pairs]]
                here = columns >= 0
                found[row, columns[here]] = self.ratios[pairs][here]
        return found


def lexicon_of(prior: Prior) -> SentenceLexicon:
    """The lexicon of what the aligner has learnt, the mean of both directions."""
    left, right = prior.pair_source.astype(np.int64), prior.pair_target.astype(np.int64)
    sizes = len(prior.source_words), len(prior.target_words)
    ratios = np.zeros(len(left))
    for tally, given, made, (givens, mades) in (
        (prior.forward, left, right, sizes),
        (prior.backward, right, left, sizes[::-1]),
    ):
        beside = np.bincount(given, tally.pairs, givens)
        alone = np.bincount(made, tally.pairs, mades) + tally.unlinked[:mades]
        share = alone / max(alone.sum(), _TINY)
        chance = tally.pairs / np.maximum(beside[given], _TINY)
        ratios += chance / np.maximum(share[made], _TINY) / 2
    known = np.ones(len(left), np.bool_)
    for words, numbers in ((prior.source_words, left), (prior.target_words, right)):
        known &= numbers != words.get(REST, -1)
    kept = np.flatnonzero(known)
    kept = kept[np.lexsort((right[kept], left[kept]))]
    return SentenceLexicon(
        prior.source_words,
        prior.target_words,
        np.searchsorted(left[kept], np.arange(sizes[0] + 1)),
        right[kept],
        ratios[kept],
        make_form(prior.form, prior.prefix_length),
    )


def length_ratio(source: Sequence[str], target: Sequence[str]) -> float:
    """How many characters of the target a character of the source becomes."""
    left, right = sum(map(len, source)), sum(map(len, target))
    return min(max(right / left, 0.1), 10.0) if left and right else 1.0


def words_of(sentence: str) -> list[str]:
    """The words of a sentence, without its punctuation."""
    return _WORD.findall(sentence)


@dataclass(frozen=True)
class _Side:
    """The sentences of one side; `characters` and `ends` are those before each sentence."""

    characters: Floats
    words: Ints
    ends: Ints
    forms: tuple[str, ...]

    def counts(self, first: int, last: int) -> tuple[Floats, list[str]]:
        """How often each form is in each of some sentences, and the forms."""
        words = self.words[self.ends[first] : self.ends[last]]
        forms, places = np.unique(words, return_inverse=True)
        sentences = np.repeat(np.arange(last - first), np.diff(self.ends[first : last + 1]))
        flat = np.bincount(sentences * len(forms) + places, minlength=(last - first) * len(forms))
        shape = last - first, len(forms)
        return flat.astype(np.float64).reshape(shape), [self.forms[n] for n in forms.tolist()]


def _side(sentences: Sequence[str], form: Callable[[str], str]) -> _Side:
    numbers: dict[str, int] = {}
    words = [words_of(sentence) for sentence in sentences]
    flat = [numbers.setdefault(form(word), len(numbers)) for one in words for word in one]
    lengths = np.fromiter(map(len, sentences), np.float64, len(sentences))
    counts = np.fromiter(map(len, words), np.int64, len(words))
    return _Side(_before(lengths), np.array(flat, np.int64), _before(counts), tuple(numbers))


class SentenceCosts:
    """The costs of all beads of a document."""

    def __init__(
        self,
        source: Sequence[str],
        target: Sequence[str],
        lexicon: SentenceLexicon | None,
        ratio: float,
        settings: SentenceSettings = SETTINGS,
    ) -> None:
        form = lexicon.form if lexicon else str.lower
        self.source, self.target = _side(source, form), _side(target, form)
        self.lexicon, self.ratio, self.settings = lexicon, ratio, settings
        self.rows, self.columns = len(source), len(target)
        self.shares = {(a, b): share for a, b, share in settings.kinds}

    @cached_property
    def inserted(self) -> Floats:
        """What it costs to leave all target sentences before each one without a partner."""
        alone = self._length(np.zeros(1), np.diff(self.target.characters))
        return _before(alone - np.log(self.shares[0, 1]))

    def block(self, rows: range, columns: range, words: bool) -> dict[Kind, Floats]:
        """For each kind with a source the costs of beads that begin at some rows and columns.

        Without `words` they are those of lengths alone. What would go beyond the end of a text is
        cut there, and has no meaning.
        """
        evidence = _Evidence(self, rows, columns) if words else None
        found = {}
        for (a, b), share in self.shares.items():
            if a:
                lengths = (
                    _spans(side.characters, part, size)
                    for side, part, size in ((self.source, rows, a), (self.target, columns, b))
                )
                cost = self._length(*np.meshgrid(*lengths, indexing="ij")) - np.log(share)
                if evidence is not None and b:
                    cost -= self.settings.weight * evidence.of(a, b)
                found[a, b] = cost
        return found

    def _length(self, source: Floats, target: Floats) -> Floats:
        """Minus the logarithm of the chance of lengths that differ as much or more.

        A sentence without a partner costs the same at any length: whole sentences are left out.
        """
        mean = (source + target / self.ratio) / 2
        spread = np.sqrt(self.settings.variance * np.maximum(mean, 1))
        cost = -_log_tails(np.abs(target - self.ratio * source) / spread)
        return np.where((source == 0) | (target == 0), 0.0, cost)

    def table(self, source: Sequence[str], target: Sequence[str], counts: Floats) -> Floats:
        """How much more often than by chance forms stand together; `counts` are of the target."""
        lexicon = self.lexicon
        found = np.zeros((len(source), len(target)))
        if lexicon is not None:
            found = lexicon.table(source, target)
        places = {word: column for column, word in enumerate(target)}
        total = self.settings.alike * max(counts.sum(), self.settings.fewest)
        for row, word in enumerate(source):
            column = places.get(word)
            if column is not None and not (
                lexicon and word in lexicon.source and word in lexicon.target
            ):
                found[row, column] = total / counts[column]
        return found


class _Evidence:
    """How much better the words of beads of a block are explained by each other than alone.

    `source` and `target` count the forms of each sentence: only those of which something is known.
    """

    def __init__(self, costs: SentenceCosts, rows: range, columns: range) -> None:
        self.shape, self.null = (len(rows), len(columns)), costs.settings.null
        beyond = costs.settings.most
        source, left = costs.source.counts(rows.start, min(costs.rows, rows.stop + beyond))
        target, right = costs.target.counts(
            columns.start, min(costs.columns, columns.stop + beyond)
        )
        table = costs.table(left, right, target.sum(axis=0))
        here, there = table.any(axis=1), table.any(axis=0)
        self.source, self.target = source[:, here], target[:, there]
        table = table[here][:, there]
        self.forward, self.backward = self.source @ table, self.target @ table.T
        self.made: dict[tuple[bool, int], Floats] = {}

    def of(self, a: int, b: int) -> Floats:
        """The logarithm of the ratio for beads of a kind, the mean of both directions."""
        rows, columns = map(range, self.shape)
        forward = _spans(_before(self._explained(True, a).T), columns, b).T
        backward = _spans(_before(self._explained(False, b).T), rows, a)
        return (_filled(forward, self.shape) + _filled(backward, self.shape)) / 2

    def _explained(self, forward: bool, size: int) -> Floats:
        """How well so many sentences from each explain every sentence of the other side."""
        if (forward, size) not in self.made:
            given, made = (self.source, self.target)[:: 1 if forward else -1]
            starts = range(len(given))
            sums = _spans(_before(self.forward if forward else self.backward), starts, size)
            words = np.maximum(_spans(_before(given.sum(axis=1)), starts, size), 1)[:, None]
            logs = np.log(self.null + (1 - self.null) * sums / words)
            self.made[forward, size] = logs @ made.T
        return self.made[forward, size]


def _filled(values: Floats, shape: tuple[int, int]) -> Floats:
    """The values of a block, nothing where it reaches beyond the end of a text."""
    found = np.zeros(shape)
    rows, columns = (min(pair) for pair in zip(values.shape, shape, strict=True))
    found[:rows, :columns] = values[:rows, :columns]
    return found


def _before(values: NDArray[Any]) -> NDArray[Any]:
    """The sums of all values before each row, and of all."""
    sums = np.cumsum(values, axis=0)
    return np.concatenate([np.zeros_like(sums, shape=(1, *sums.shape[1:])), sums])


def _spans(before: Floats, starts: range, size: int) -> Floats:
    """The sums of so many rows from each start, fewer at the end."""
    first = np.minimum(np.arange(starts.start, starts.stop), len(before) - 1)
    spans: Floats = before[np.minimum(first + size, len(before) - 1)] - before[first]
    return spans


_TAIL = (0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429)


def _log_tails(deviation: Floats) -> Floats:
    """The logarithm of both tails of the normal distribution (Abramowitz and Stegun 26.2.17)."""
    part = 1 / (1 + 0.2316419 * deviation)
    sums = part * np.polynomial.polynomial.polyval(part, _TAIL)
    logs: Floats = np.log(2 * sums) - deviation**2 / 2 - 0.5 * np.log(2 * np.pi)
    return np.minimum(logs, 0.0)
