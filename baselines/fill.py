"""Filling gaps with a language model: the baseline of the shared tasks (003 §4, 004 §4).

Every gap may take a pronoun of the task, a frequent other word, or nothing (NONE, with a penalty).
All gaps of a line are filled together, exactly: an n-gram model is a deterministic automaton, so
hypotheses that reach the same state share all that follows. The same lattice gives the best filling
and the probability of every filler. Many lines are worked on together, one array operation a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.model import LanguageModel
from crosspro.data_prep.core.example import TAG_SEPARATOR, Example
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.formats.shared_task import is_placeholder

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Gather = Callable[[Ints, Floats, int], Floats]
"""Joins the log scores of all paths that lead to a place: `_max_at` or `_sum_at`."""

_TAG = re.compile(rf"{re.escape(TAG_SEPARATOR)}[A-Za-z.:]+")
_REMEMBERED_TOKENS = 1 << 17
_LINES_AT_ONCE = 4096
_LOG10 = np.log(10.0)
_TIE = 1e-9
"""Hypotheses whose scores differ by less are equally good; the first filler wins."""


def target_words(example: Example) -> list[list[str]]:
    """The words before, between and after the gaps, tags removed as the official program does."""
    parts: list[list[str]] = [[]]
    for words in map(_words, example.target):
        if words is None:
            parts.append([])
        else:
            parts[-1] += words
    return parts


@lru_cache(maxsize=_REMEMBERED_TOKENS)
def _words(token: str) -> tuple[str, ...] | None:
    """A token without its tag; None for a gap."""
    return None if is_placeholder(token) else tuple(_TAG.sub("", token).split())


def words_near_gaps(parts: list[list[str]], reach: int) -> list[list[str]]:
    """Only the words up to `reach` before and after each gap.

    A model of order reach + 1 forgets a gap after so many words: all fillings of a line share the
    scores of the words further away, which therefore decide nothing.
    """
    near = []
    for number, words in enumerate(parts):
        first, last = number == 0, number == len(parts) - 1
        begin = 0 if first else reach
        end = len(words) if last else max(begin, len(words) - reach)
        near.append(
            (words[:begin] + ([] if last else words[end:])) if len(words) > begin else words
        )
    return near


@dataclass(frozen=True)
class Fillers:
    """What is tried in a gap, in order; the last one is NONE."""

    words: tuple[str, ...]
    classes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)


def task_fillers(task: Task, others: Sequence[str] | None = None) -> Fillers:
    """The official fillers of a task; `others` may replace its list of words of the class OTHER.

    The official list was taken from the test sets: for clean experiments take words from training
    alignments (`crosspro classes` lists them).
    """
    rest = task.other_fillers if others is None else tuple(others)
    words = (*task.fillers, *rest, NONE)
    classes = [task.class_of(word) for word in task.fillers]
    return Fillers(words, (*classes, *(OTHER for _ in rest), OTHER))


class GapFiller:
    """Fills lines with one model, one list of fillers and one NONE penalty.

    `spelling` may give the words of the fillers for each gap of a line, where they differ from gap
    to gap (the source-aware model has the source pronoun in them).
    """

    def __init__(
        self,
        model: LanguageModel,
        fillers: Fillers,
        none_penalty: float = 0.0,
        spelling: Callable[[Example], Sequence[Sequence[str]]] | None = None,
    ) -> None:
        self.model = model
        self.fillers = fillers
        self.none_penalty = none_penalty
        self.spelling = spelling

    def fill(self, examples: Sequence[Example]) -> list[tuple[int, ...]]:
        """The number of the filler of each gap in the best filling of each line."""
        return [choices for batch in _batches(examples) for choices in self._best(batch)]

    def probabilities(self, examples: Sequence[Example]) -> Floats:
        """A row for each gap, a column for each filler."""
        tables = [self._log_scores(batch) for batch in _batches(examples)]
        table = np.exp(np.concatenate([np.zeros((0, len(self.fillers))), *tables]))
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    def _best(self, examples: Sequence[Example]) -> list[tuple[int, ...]]:
        lattice = self._lattice(examples)
        scores = lattice.forward(_max_at)
        choices: list[list[int]] = [[] for _ in examples]
        node = np.arange(len(examples))
        for number in range(len(lattice.layers) - 1, -1, -1):
            layer = lattice.layers[number]
            reached = scores[number][layer.origin] + layer.weight
            winners = np.flatnonzero(reached >= scores[number + 1][layer.end] - _TIE)
            # The first filler is written last and stays.
            winners = winners[np.argsort(-layer.filler[winners], kind="stable")]
            best = np.full(len(layer.lines), -1)
            best[layer.end[winners]] = winners
            edges = best[node]
            for line, filler in enumerate(layer.filler[edges].tolist()):
                if filler >= 0:
                    choices[line].append(filler)
            node = layer.origin[edges]
        return [tuple(reversed(row)) for row in choices]

    def _log_scores(self, examples: Sequence[Example]) -> Floats:
        """The log score of the fillings with each filler in each gap, over that of all fillings."""
        lattice = self._lattice(examples)
        forward, backward = lattice.forward(_sum_at), lattice.backward()
        gaps = np.array([len(example.gaps) for example in examples])
        first = np.cumsum(gaps) - gaps
        cells, scores = [np.zeros(0, np.int64)], [np.zeros(0)]
        for number, layer in enumerate(lattice.layers):
            edges = np.flatnonzero(layer.filler >= 0)
            line = layer.lines[layer.end[edges]]
            cells.append((first[line] + number) * len(self.fillers) + layer.filler[edges])
            path = forward[number][layer.origin[edges]] + layer.weight[edges]
            scores.append(path + backward[number + 1][layer.end[edges]] - backward[0][line])
        size = int(gaps.sum()) * len(self.fillers)
        table = _sum_at(np.concatenate(cells), np.concatenate(scores), size)
        return table.reshape(-1, len(self.fillers))

    def _lattice(self, examples: Sequence[Example]) -> _Lattice:
        reach = self.model.order - 1
        texts = _Texts.of([words_near_gaps(target_words(e), reach) for e in examples], self.model)
        lines = np.arange(len(examples))
        scores, states = self._read(np.full(len(lines), self.model.begin_state), lines, texts, 0)
        lattice = _Lattice(scores * _LOG10, [])
        for gap in range(int(texts.gaps.max(initial=0))):
            filler_ids = self._filler_ids(examples, gap)
            origin, filler, entry, reached = self._expand(states, lines, texts, gap, filler_ids)
            gained, reached = self._read(reached, lines[origin], texts, gap + 1)
            states, lines, end = _merge(reached, lines[origin])
            lattice.layers.append(_Layer(origin, filler, end, (entry + gained) * _LOG10, lines))
        return lattice

    def _filler_ids(self, examples: Sequence[Example], gap: int) -> Ints:
        """The word numbers of the fillers but NONE for the gap with this number in each line."""
        words = self.fillers.words[:-1]
        if self.spelling is None:
            return np.broadcast_to(self.model.ids(words), (len(examples), len(words)))
        rows = [
            self.spelling(example)[gap] if gap < len(example.gaps) else words
            for example in examples
        ]
        return self.model.ids(chain.from_iterable(rows)).reshape(len(examples), -1)

    def _expand(
        self, states: Ints, lines: Ints, texts: _Texts, gap: int, filler_ids: Ints
    ) -> tuple[Ints, Ints, Floats, Ints]:
        """An edge for each filler of each node whose line has this gap; one edge for the others.

        Returns origin, filler (-1: no gap), log10 score and state of each edge.
        """
        inside = texts.gaps[lines] > gap
        here, passing = np.flatnonzero(inside), np.flatnonzero(~inside)
        words = filler_ids[lines[here]]
        width = len(self.fillers)
        scores = np.full((len(here), width), float(self.none_penalty))
        after = np.repeat(states[here, None], width, axis=1)
        log_probs, following = self._advance(after[:, :-1].ravel(), words.ravel())
        scores[:, :-1] = log_probs.reshape(words.shape)
        after[:, :-1] = following.reshape(words.shape)
        return (
            np.concatenate([np.repeat(here, width), passing]),
            np.concatenate([np.tile(np.arange(width), len(here)), np.full(len(passing), -1)]),
            np.concatenate([scores.ravel(), np.zeros(len(passing))]),
            np.concatenate([after.ravel(), states[passing]]),
        )

    def _read(self, states: Ints, lines: Ints, texts: _Texts, part: int) -> tuple[Floats, Ints]:
        """Read a part of each line, and `</s>` after the last: log10 scores and states after it."""
        place = texts.first[lines] + np.minimum(part, texts.gaps[lines])
        length = np.where(part <= texts.gaps[lines], texts.lengths[place], 0)
        last = np.equal(part, texts.gaps[lines])
        scores, states = np.zeros(len(states)), states.copy()
        for step in range(int((length + last).max(initial=0))):
            active = np.flatnonzero(step < length + last)
            words = np.full(len(active), self.model.end_id)
            inner = step < length[active]
            words[inner] = texts.ids[texts.starts[place[active[inner]]] + step]
            gained, states[active] = self._advance(states[active], words)
            scores[active] += gained
        states[last] = self.model.null_state
        return scores, states

    def _advance(self, states: Ints, words: Ints) -> tuple[Floats, Ints]:
        """`advance` of the model; hypotheses share many states, and each pair is asked once."""
        span = int(words.max(initial=0)) + 1
        pairs, places = np.unique(states * span + words, return_inverse=True)
        log_probs, following = self.model.advance(pairs // span, pairs % span)
        return log_probs[places].astype(np.float64), following[places]


def _batches(examples: Sequence[Example]) -> Iterator[Sequence[Example]]:
    for start in range(0, len(examples), _LINES_AT_ONCE):
        yield examples[start : start + _LINES_AT_ONCE]


@dataclass(frozen=True)
class _Texts:
    """The word numbers of all parts of all lines, one after the other.

    `starts` and `lengths` are those of the parts; a line begins with its part `first` and has one
    part more than `gaps`.
    """

    ids: Ints
    starts: Ints
    lengths: Ints
    first: Ints
    gaps: Ints

    @classmethod
    def of(cls, lines: list[list[list[str]]], model: LanguageModel) -> _Texts:
        parts = list(chain.from_iterable(lines))
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))
        sizes = np.fromiter(map(len, lines), np.int64, len(lines))
        ids = model.ids(chain.from_iterable(parts))
        return cls(ids, np.cumsum(lengths) - lengths, lengths, np.cumsum(sizes) - sizes, sizes - 1)


def _merge(states: Ints, lines: Ints) -> tuple[Ints, Ints, Ints]:
    """One node for each state of each line, and the node of each hypothesis."""
    bits = int(states.max(initial=0)).bit_length()
    keys, node = np.unique((lines << bits) + states, return_inverse=True)
    return keys & ((1 << bits) - 1), keys >> bits, node


@dataclass(frozen=True)
class _Layer:
    """The edges of a gap: from a node, by a filler (-1: no gap), to a node of the next layer.

    `lines` are those of the nodes that they lead to.
    """

    origin: Ints
    filler: Ints
    end: Ints
    weight: Floats
    lines: Ints


@dataclass(frozen=True)
class _Lattice:
    """The natural log score of the first node of each line, and the edges of each gap."""

    start: Floats
    layers: list[_Layer]

    def forward(self, gather: Gather) -> list[Floats]:
        """Scores of what leads to each node."""
        scores = [self.start]
        for layer in self.layers:
            reached = scores[-1][layer.origin] + layer.weight
            scores.append(gather(layer.end, reached, len(layer.lines)))
        return scores

    def backward(self) -> list[Floats]:
        """Summed scores of what follows each node; the first entry is the total of each line."""
        sizes = [len(self.start), *(len(layer.lines) for layer in self.layers)]
        scores = [np.zeros(sizes[-1])]
        for layer, size in zip(reversed(self.layers), reversed(sizes[:-1]), strict=True):
            scores.append(_sum_at(layer.origin, layer.weight + scores[-1][layer.end], size))
        scores.reverse()
        scores[0] = scores[0] + self.start
        return scores


def _max_at(place: Ints, values: Floats, size: int) -> Floats:
    top = np.full(size, -np.inf)
    np.maximum.at(top, place, values)
    return top


def _sum_at(place: Ints, values: Floats, size: int) -> Floats:
    """log(Σ exp(values)) for each place."""
    top = _max_at(place, values, size)
    return np.asarray(np.log(np.bincount(place, np.exp(values - top[place]), minlength=size)) + top)
