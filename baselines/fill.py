"""Filling gaps with a language model: the baseline of the shared tasks (003 §4, 004 §4).

Every gap may take a pronoun of the task, a frequent other word, or nothing (NONE, with a penalty).
All gaps of a line are filled together, exactly: an n-gram model is a deterministic automaton, so
hypotheses that reach the same state share all that follows. The same lattice gives the best filling
and the probability of every filler. Many lines are worked on together, one array operation a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.model import LanguageModel
from crosspro.data_prep.core.example import TAG_SEPARATOR, Example
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.formats.shared_task import is_placeholder
from crosspro.prediction.evidence import Evidence, EvidenceTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_TAG = re.compile(rf"{re.escape(TAG_SEPARATOR)}[A-Za-z.:]+")
_REMEMBERED_TOKENS = 1 << 17
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
    scores of the words further away, which therefore cancel in probabilities.
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


@dataclass(frozen=True)
class Filling:
    """The best filler of each gap of a line, and the log10 score of the filled sentence."""

    choices: tuple[int, ...]
    score: float


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

    def fill(self, examples: Sequence[Example], at_once: int = 512) -> list[Filling]:
        batches = (examples[at : at + at_once] for at in range(0, len(examples), at_once))
        return [filling for batch in batches for filling in self._best(batch)]

    def probabilities(self, examples: Sequence[Example], at_once: int = 1 << 14) -> Floats:
        batches = (examples[at : at + at_once] for at in range(0, len(examples), at_once))
        none = np.zeros((0, len(self.fillers)))
        return np.concatenate([none, *(self._marginals(batch) for batch in batches)])

    def _best(self, examples: Sequence[Example]) -> list[Filling]:
        lattice = self._lattice(examples, [target_words(example) for example in examples])
        scores = lattice.forward(_max_at)
        choices: list[list[int]] = [[] for _ in examples]
        node = np.arange(len(examples))
        for number in range(len(lattice.layers) - 1, -1, -1):
            layer = lattice.layers[number]
            reached = scores[number][layer.origin] + layer.weight
            winners = np.flatnonzero(reached >= scores[number + 1][layer.end] - _TIE)
            # The first filler is written last and stays.
            winners = winners[np.argsort(-layer.filler[winners], kind="stable")]
            best = np.full(layer.ends, -1)
            best[layer.end[winners]] = winners
            edges = best[node]
            for line, filler in enumerate(layer.filler[edges].tolist()):
                if filler >= 0:
                    choices[line].insert(0, filler)
            node = layer.origin[edges]
        totals = (scores[-1] / _LOG10).tolist()
        return [Filling(tuple(row), total) for row, total in zip(choices, totals, strict=True)]

    def _marginals(self, examples: Sequence[Example]) -> Floats:
        reach = self.model.order - 1
        parts = [words_near_gaps(target_words(example), reach) for example in examples]
        lattice = self._lattice(examples, parts)
        forward, backward = lattice.forward(_sum_at), lattice.backward_sum()
        gaps = np.array([len(example.gaps) for example in examples])
        first = np.cumsum(gaps) - gaps
        table = np.zeros((int(gaps.sum()), len(self.fillers)))
        for number, layer in enumerate(lattice.layers):
            edges = np.flatnonzero(layer.filler >= 0)
            origin = layer.origin[edges]
            line = lattice.lines[number][origin]
            path = forward[number][origin] + layer.weight[edges]
            path += backward[number + 1][layer.end[edges]]
            share = np.exp(path - backward[0][line])
            np.add.at(table, (first[line] + number, layer.filler[edges]), share)
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    def _lattice(self, examples: Sequence[Example], parts: list[list[list[str]]]) -> _Lattice:
        texts = _Texts.of(parts, self.model)
        lines = np.arange(len(parts))
        states = np.full(len(parts), self.model.begin_state)
        scores, states, nodes = self._read(states, lines, texts, 0)
        start = np.zeros(len(parts))
        start[nodes] = scores * _LOG10
        lattice = _Lattice(start, [lines], [])
        for gap in range(int(texts.gaps.max(initial=0))):
            filler_ids = self._filler_ids(examples, gap)
            origin, filler, entry, reached = self._expand(
                states, lines, texts.gaps > gap, filler_ids
            )
            line = lines[origin]
            scores, states, end = self._read(reached, line, texts, gap + 1)
            lines = np.zeros(len(states), np.int64)
            lines[end] = line
            weight = (entry + scores) * _LOG10
            lattice.layers.append(_Layer(origin, filler, end, weight, len(states)))
            lattice.lines.append(lines)
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
        self, states: Ints, lines: Ints, with_gap: NDArray[np.bool_], filler_ids: Ints
    ) -> tuple[Ints, Ints, Floats, Ints]:
        """An edge for each filler of each node whose line has this gap; one edge for the others.

        Returns origin, filler (-1: no gap), log10 score and state of each edge.
        """
        inside = with_gap[lines]
        here, passing = np.flatnonzero(inside), np.flatnonzero(~inside)
        words = filler_ids[lines[here]]
        width = len(self.fillers)
        scores = np.full((len(here), width), float(self.none_penalty))
        after = np.repeat(states[here, None], width, axis=1)
        # Lines share many states and fillers: each pair is asked once.
        span = int(words.max(initial=0)) + 1
        pairs, places = np.unique((states[here, None] * span + words).ravel(), return_inverse=True)
        log_probs, following = self.model.advance(pairs // span, pairs % span)
        scores[:, :-1] = log_probs[places].reshape(words.shape)
        after[:, :-1] = following[places].reshape(words.shape)
        return (
            np.concatenate([np.repeat(here, width), passing]),
            np.concatenate([np.tile(np.arange(width), len(here)), np.full(len(passing), -1)]),
            np.concatenate([scores.ravel(), np.zeros(len(passing))]),
            np.concatenate([after.ravel(), states[passing]]),
        )

    def _read(
        self, states: Ints, lines: Ints, texts: _Texts, part: int
    ) -> tuple[Floats, Ints, Ints]:
        """Read a part of each line, and `</s>` after the last, from some states.

        Returns the score of each start, the states at the end, and which of them each start
        reaches: after each word, hypotheses of one line that meet in a state go on as one.
        """
        places = texts.first + np.minimum(part, texts.gaps)
        lengths = np.where(part <= texts.gaps, texts.lengths[places], 0)
        last = np.equal(part, texts.gaps)
        state, line, node = _merge(states, lines)
        steps: list[tuple[Floats, Ints]] = []  # what nodes gain, and which nodes they become
        for step in range(int((lengths + last).max(initial=0))):
            inside = step < lengths[line]
            active = np.flatnonzero(inside | (step == lengths[line]) & last[line])
            words = np.full(len(active), self.model.end_id)
            inner = inside[active]
            words[inner] = texts.ids[texts.starts[places[line[active[inner]]]] + step]
            gained = np.zeros(len(state))
            gained[active], state[active] = self.model.advance(state[active], words)
            state[active[~inner]] = self.model.null_state
            become = np.arange(len(state))
            if len(state) > len(texts.gaps):  # else all hypotheses of each line have met
                state, line, become = _merge(state, line)
            steps.append((gained, become))
        total, end = np.zeros(len(state)), np.arange(len(state))
        for gained, become in reversed(steps):
            total, end = gained + total[become], end[become]
        return total[node], state, end[node]


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


def _merge(state: Ints, line: Ints) -> tuple[Ints, Ints, Ints]:
    """One node for each state of each line, and the node of each hypothesis."""
    bits = int(state.max(initial=0)).bit_length()
    keys, node = np.unique((line << bits) + state, return_inverse=True)
    return keys & ((1 << bits) - 1), keys >> bits, node


@dataclass(frozen=True)
class _Layer:
    """The edges of a gap: from a node, by a filler (-1: no gap), to a node of the next layer."""

    origin: Ints
    filler: Ints
    end: Ints
    weight: Floats
    ends: int


@dataclass
class _Lattice:
    """Natural log scores of the first nodes, the line of each node, and the edges of each gap."""

    start: Floats
    lines: list[Ints]
    layers: list[_Layer]

    def forward(self, gather: Callable[[Ints, Floats, int], Floats]) -> list[Floats]:
        """Scores of what leads to each node, its paths gathered by `_max_at` or `_sum_at`."""
        scores = [self.start]
        for layer in self.layers:
            scores.append(gather(layer.end, scores[-1][layer.origin] + layer.weight, layer.ends))
        return scores

    def backward_sum(self) -> list[Floats]:
        """Scores of what follows each node; the first entry is the total of each line."""
        scores = [np.zeros(len(self.lines[-1]))]
        for layer, lines in zip(reversed(self.layers), reversed(self.lines[:-1]), strict=True):
            scores.append(_sum_at(layer.origin, layer.weight + scores[-1][layer.end], len(lines)))
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


def filling_evidence(filler: GapFiller, example: Example, number: int) -> Evidence:
    """The fillings of a gap, the best first.

    The score of a filler is that of the best line which has it in this gap.
    """
    words, classes = filler.fillers.words, filler.fillers.classes
    spelled = [*filler.spelling(example)[number], NONE] if filler.spelling else words
    fillings = filler.fill([_with_filler(example, number, word) for word in spelled])
    scores = np.array([filling.score for filling in fillings])
    scores[-1] += filler.none_penalty
    chances = filler.probabilities([example])[number]
    order = [place for place in np.argsort(-scores, kind="stable").tolist() if chances[place] > 0]
    rows = [(words[n], classes[n], float(scores[n]), float(chances[n])) for n in order]
    table = EvidenceTable("Fillings", ("filling", "class", "log10", "probability"), tuple(rows))
    return Evidence("log10 probability of the best line with each filling", (table,))


def _with_filler(example: Example, number: int, word: str) -> Example:
    """The line with a word (or nothing, for NONE) in a gap, which is a gap no more."""
    place = example.gaps[number].position
    target = [*example.target]
    target[place : place + 1] = [] if word == NONE else [word]
    moved = len(target) - len(example.target)
    gaps = [gap for gap in example.gaps if gap.position != place]
    gaps = [replace(gap, position=gap.position + moved * (gap.position > place)) for gap in gaps]
    return replace(example.with_target(target), gaps=tuple(gaps))
