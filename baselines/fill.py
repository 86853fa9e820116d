"""Filling gaps with a language model: the baseline of the shared tasks (003 §4, 004 §4).

Every gap may take a pronoun of the task, a frequent other word, or nothing (NONE, with a penalty).
All gaps of a line are filled together, exactly: an n-gram model is a deterministic automaton, so
what a filler leads to by the next gap is one state, and hypotheses that meet in a state share all
that follows. The same lattice gives the best filling and the probability of every filler. Lines are
worked on together, one array operation a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.language_model import LanguageModel
from crosspro.data_prep.example import Example
from crosspro.data_prep.formats.placeholder import is_placeholder
from crosspro.data_prep.task import NONE, OTHER, Task
from crosspro.data_prep.token import TAG_SEPARATOR

_TAG = re.compile(rf"{re.escape(TAG_SEPARATOR)}[A-Za-z.:]+")
_LOG10 = np.log(10.0)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Fillers:
    """What is tried in a gap, in order; the last one is NONE."""

    words: tuple[str, ...]
    classes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)


def task_fillers(task: Task, others: Sequence[str] | None = None) -> Fillers:
    """The official fillers of a task, or others of one's own in place of its second list.

    The official second list holds words frequent in the test set: for clean experiments take
    words from training alignments (`crosspro classes` lists them).
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


def target_words(example: Example) -> list[list[str]]:
    """The words before, between and after the gaps, tags removed as the released program does."""
    parts: list[list[str]] = [[]]
    for words in map(_words, example.target):
        if words is None:
            parts.append([])
        else:
            parts[-1] += words
    return parts


@lru_cache(maxsize=1 << 17)
def _words(token: str) -> tuple[str, ...] | None:
    """A token without its tag; None for a gap."""
    return None if is_placeholder(token) else tuple(_TAG.sub("", token).split())


def _around_gaps(parts: list[list[str]], reach: int) -> list[list[str]]:
    """The words that tell fillers apart: those up to `reach` before and after each gap.

    A model remembers no more words than that: by then what was in the gap is forgotten, and all
    fillings of a line share the score of the words between.
    """
    last = len(parts) - 1
    near = []
    for number, words in enumerate(parts):
        after = words[:reach] if number else []
        before = words[max(len(after), len(words) - reach) :] if number < last else []
        near.append(after + before)
    return near


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
        self.none_penalty = float(none_penalty)
        self.spelling = spelling
        self.filler_ids = model.ids(fillers.words[:-1])

    def fill(self, examples: Sequence[Example], at_once: int = 512) -> list[Filling]:
        """The best filling of each line."""
        return [found for batch in _batches(examples, at_once) for found in self._best(batch)]

    def probabilities(self, examples: Sequence[Example], at_once: int = 512) -> Floats:
        """The probability of each filler in each gap, given the rest of its line."""
        parts = [self._marginals(batch) for batch in _batches(examples, at_once)]
        return np.concatenate([np.zeros((0, len(self.fillers))), *parts])

    def _best(self, examples: Sequence[Example]) -> list[Filling]:
        lattice = self._lattice(examples, [target_words(example) for example in examples])
        scores = lattice.forward_best()
        choices: list[list[int]] = [[] for _ in examples]
        node = np.arange(len(examples))
        totals = scores[-1].copy()
        for number in range(len(lattice.layers) - 1, -1, -1):
            layer = lattice.layers[number]
            reached = scores[number][layer.origin] + layer.weight
            winners = np.flatnonzero(reached >= scores[number + 1][layer.end] - 1e-9)
            # Of equal edges the first filler wins, as in the released program: written last.
            winners = winners[np.argsort(-layer.filler[winners], kind="stable")]
            best = np.full(layer.ends, -1)
            best[layer.end[winners]] = winners
            chosen = best[node]
            active = layer.filler[chosen] >= 0
            for line in np.flatnonzero(active):
                choices[line].append(int(layer.filler[chosen[line]]))
            node = layer.origin[chosen]
        return [
            Filling(tuple(reversed(one)), float(total) / _LOG10)
            for one, total in zip(choices, totals, strict=True)
        ]

    def _marginals(self, examples: Sequence[Example]) -> Floats:
        reach = self.model.order - 1
        parts = [_around_gaps(target_words(example), reach) for example in examples]
        lattice = self._lattice(examples, parts)
        forward, backward = lattice.forward_sum(), lattice.backward_sum()
        gaps = np.array([len(example.gaps) for example in examples])
        first = np.cumsum(gaps) - gaps
        table = np.zeros((int(gaps.sum()), len(self.fillers)))
        for number, layer in enumerate(lattice.layers):
            line = lattice.lines[number][layer.origin]
            real = layer.filler >= 0
            path = forward[number][layer.origin] + layer.weight + backward[number + 1][layer.end]
            share = np.exp(path - backward[0][line])
            np.add.at(table, (first[line[real]] + number, layer.filler[real]), share[real])
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    # The lattice --------------------------------------------------------------------------------

    def _lattice(self, examples: Sequence[Example], parts: Sequence[list[list[str]]]) -> _Lattice:
        """A layer for each gap number; lines with fewer gaps pass through by a single edge."""
        depth = max((len(one) - 1 for one in parts), default=0)
        states = np.full(len(parts), self.model.begin_state, dtype=np.int64)
        lines = np.arange(len(parts))
        weight, states, nodes = self._read(states, lines, parts, 0)
        start = np.zeros(int(nodes.max(initial=-1)) + 1)
        start[nodes] = weight
        lattice = _Lattice(start, [lines], [])
        gaps = np.array([len(one) - 1 for one in parts])
        for gap in range(depth):
            ids = self._ids(examples, gap)
            origin, filler, entry, state = self._expand(states, lines, gaps > gap, ids)
            line = lines[origin]
            moved, states, end = self._read(state, line, parts, gap + 1)
            lines = np.zeros(len(states), dtype=np.int64)
            lines[end] = line
            layer = _Layer(origin, filler, end, (entry + moved) * _LOG10, len(states))
            lattice.layers.append(layer)
            lattice.lines.append(lines)
        lattice.start *= _LOG10
        return lattice

    def _ids(self, examples: Sequence[Example], gap: int) -> Ints:
        """The word numbers of the fillers of this gap, one row for all lines or one for each."""
        if self.spelling is None:
            return self.filler_ids[None, :]
        rows = [self.spelling(one)[gap] if gap < len(one.gaps) else () for one in examples]
        blank = ("",) * (len(self.fillers) - 1)
        words = [word for row in rows for word in (row or blank)]
        return self.model.ids(words).reshape(len(examples), -1)

    def _expand(
        self, states: Ints, lines: Ints, with_gap: NDArray[np.bool_], ids: Ints
    ) -> tuple[Ints, Ints, Floats, Ints]:
        """An edge for each filler of each node whose line has this gap; one edge for the others."""
        has_gap = with_gap[lines]
        here, passing = np.flatnonzero(has_gap), np.flatnonzero(~has_gap)
        rows = ids if len(ids) == 1 else ids[lines[here]]
        scores, after = self.model.advance(states[here, None], rows)
        width = len(self.fillers)
        weights = np.full((len(here), width), self.none_penalty)
        weights[:, :-1] = scores
        targets = np.repeat(states[here, None], width, axis=1)
        targets[:, :-1] = after
        origin = np.concatenate([np.repeat(here, width), passing])
        filler = np.concatenate([np.tile(np.arange(width), len(here)), np.full(len(passing), -1)])
        entry = np.concatenate([weights.ravel(), np.zeros(len(passing))])
        state = np.concatenate([targets.ravel(), states[passing]])
        return origin, filler, entry, state

    def _read(
        self, states: Ints, lines: Ints, parts: Sequence[list[list[str]]], part: int
    ) -> tuple[Floats, Ints, Ints]:
        """Read a part of each line from some states.

        Returns the score of each start, the states at the end, and which of them each start
        reached; after each word, starts of one line that meet in a state go on as one.
        """
        texts = [one[part] if part < len(one) else [] for one in parts]
        lengths = np.array([len(text) for text in texts])
        last = np.array([part == len(one) - 1 for one in parts])
        ids = self.model.ids([word for text in texts for word in text])
        offsets = np.cumsum(lengths) - lengths
        total = np.zeros(len(states))
        where = np.arange(len(states))
        state, line, where = _merge(states, lines, where)
        single = len(np.unique(lines))  # when no line has more than one state, all have met
        for step in range(int((lengths + last).max(initial=0))):
            reading = step < lengths[line]
            ending = (step == lengths[line]) & last[line]
            active = np.flatnonzero(reading | ending)
            if not len(active):
                break
            words = np.full(len(active), self.model.end_id)
            inside = reading[active]
            words[inside] = ids[offsets[line[active[inside]]] + step]
            scores, after = self.model.advance(state[active], words)
            gained = np.zeros(len(state))
            gained[active] = scores
            total += gained[where]
            state[active] = after
            if len(state) > single:
                state, line, where = _merge(state, line, where)
        return total, state, where


def _merge(state: Ints, line: Ints, where: Ints) -> tuple[Ints, Ints, Ints]:
    """One representative for each state of each line."""
    width = int(state.max(initial=0)) + 1
    keys, number = np.unique(line * width + state, return_inverse=True)
    return keys % width, keys // width, number[where]


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

    def forward_best(self) -> list[Floats]:
        scores = [self.start]
        for layer in self.layers:
            best = np.full(layer.ends, -np.inf)
            np.maximum.at(best, layer.end, scores[-1][layer.origin] + layer.weight)
            scores.append(best)
        return scores

    def forward_sum(self) -> list[Floats]:
        scores = [self.start]
        for layer in self.layers:
            scores.append(_sum_at(layer.end, scores[-1][layer.origin] + layer.weight, layer.ends))
        return scores

    def backward_sum(self) -> list[Floats]:
        """Scores of what follows each node; the first entry is the total of each line."""
        scores = [np.zeros(len(self.lines[-1]))]
        for layer, lines in zip(reversed(self.layers), reversed(self.lines[:-1]), strict=True):
            scores.append(_sum_at(layer.origin, layer.weight + scores[-1][layer.end], len(lines)))
        scores.reverse()
        scores[0] = scores[0] + self.start
        return scores


def _sum_at(place: Ints, values: Floats, size: int) -> Floats:
    """log(Σ exp(values)) for each place."""
    top = np.full(size, -np.inf)
    np.maximum.at(top, place, values)
    return np.asarray(np.log(np.bincount(place, np.exp(values - top[place]), minlength=size)) + top)


def _batches(examples: Sequence[Example], size: int) -> list[Sequence[Example]]:
    return [examples[i : i + size] for i in range(0, len(examples), size)]
