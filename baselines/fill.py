"""Filling gaps with a language model: the baseline of the shared tasks (003 §4, 004 §4).

Every gap may take a pronoun of the task, a frequent other word, or nothing (NONE, with a penalty).
All gaps of a line are filled together, exactly: an n-gram model is a deterministic automaton, so
what a filler leads to by the next gap is one state, and hypotheses that meet in a state share all
that follows. The same lattice gives the best filling and the probability of every filler. Lines are
worked on together, one array operation a word.

`filling_evidence` says why a gap is filled as it is. The score of a filler is that of the best line
which has it in this gap. A token speaks for the chosen class by what it adds to the log10
probability of that class's best line over the best line of the other class; words before the gap
are the same in both and add nothing.
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

_TAG = re.compile(rf"{re.escape(TAG_SEPARATOR)}[A-Za-z.:]+")
_REMEMBERED = 1 << 17
"""Tokens whose words are remembered."""

Ints = NDArray[np.int64]


def target_words(example: Example) -> list[list[str]]:
    """The words before, between and after the gaps, tags removed as the released program does."""
    parts: list[list[str]] = [[]]
    for words in map(_words, example.target):
        if words is None:
            parts.append([])
        else:
            parts[-1] += words
    return parts


@lru_cache(maxsize=_REMEMBERED)
def _words(token: str) -> tuple[str, ...] | None:
    """A token without its tag; None for a gap."""
    return None if is_placeholder(token) else tuple(_TAG.sub("", token).split())


@dataclass(frozen=True)
class GapTexts:
    """The words of some lines by number, all parts of all lines one after the other.

    A part has a place in `ids` where it starts, and a length. A line begins with its part `first`
    and has one part more than `gaps`.
    """

    ids: Ints
    starts: Ints
    lengths: Ints
    first: Ints
    gaps: Ints

    def near_gaps(self, reach: int) -> GapTexts:
        """The words that tell fillers apart: those up to `reach` before and after each gap.

        A model remembers no more words than that: by then what was in the gap is forgotten, and all
        fillings of a line share the score of the words between.
        """
        part = np.repeat(np.arange(len(self.lengths)), self.lengths)
        place = np.arange(len(self.ids)) - self.starts[part]
        begins, ends = np.zeros((2, len(self.lengths)), bool)
        begins[self.first] = ends[self.first + self.gaps] = True
        after = (place < reach) & ~begins[part]
        before = (place >= self.lengths[part] - reach) & ~ends[part]
        near = after | before
        lengths = np.bincount(part[near], minlength=len(self.lengths))
        starts = np.cumsum(lengths) - lengths
        return GapTexts(self.ids[near], starts, lengths, self.first, self.gaps)


def gap_texts(examples: Sequence[Example], model: LanguageModel) -> GapTexts:
    """The words of some lines without tags, as in `target_words`, by the numbers of a model."""
    lines = [target_words(example) for example in examples]
    parts = list(chain.from_iterable(lines))
    lengths = np.fromiter(map(len, parts), np.int64, len(parts))
    gaps = np.fromiter(map(len, lines), np.int64, len(lines)) - 1
    first = np.arange(len(lines)) + np.cumsum(gaps) - gaps
    ids = model.ids(chain.from_iterable(parts))
    return GapTexts(ids, np.cumsum(lengths) - lengths, lengths, first, gaps)


_LOG10 = np.log(10.0)

Floats = NDArray[np.float64]


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


class GapFiller:
    """Fills lines with one model, one list of fillers and one NONE penalty.

    `spelling` may give the words of the fillers for each gap of a line, where they differ from gap
    to gap (the source-aware model has the source pronoun in them). `favour` may have the log10 of a
    factor for each filler but NONE that makes it more probable in every gap.
    """

    def __init__(
        self,
        model: LanguageModel,
        fillers: Fillers,
        none_penalty: float = 0.0,
        spelling: Callable[[Example], Sequence[Sequence[str]]] | None = None,
        favour: Floats | None = None,
    ) -> None:
        self.model = model
        self.fillers = fillers
        plain = np.zeros(len(fillers) - 1) if favour is None else favour
        self.added = np.append(plain, float(none_penalty))
        self.spelling = spelling
        self.filler_ids = model.ids(fillers.words[:-1])

    def fill(self, examples: Sequence[Example], at_once: int = 512) -> list[Filling]:
        """The best filling of each line."""
        return [found for batch in _batches(examples, at_once) for found in self._best(batch)]

    def probabilities(self, examples: Sequence[Example], at_once: int = 1 << 14) -> Floats:
        """The probability of each filler in each gap, given the rest of its line."""
        parts = [self._marginals(batch) for batch in _batches(examples, at_once)]
        return np.concatenate([np.zeros((0, len(self.fillers))), *parts])

    def _best(self, examples: Sequence[Example]) -> list[Filling]:
        lattice = self._lattice(examples, gap_texts(examples, self.model))
        scores = lattice.forward(_max_at)
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
        texts = gap_texts(examples, self.model).near_gaps(self.model.order - 1)
        lattice = self._lattice(examples, texts)
        forward, backward = lattice.forward(_sum_at), lattice.backward_sum()
        gaps = np.array([len(example.gaps) for example in examples])
        first = np.cumsum(gaps) - gaps
        places, shares = [np.zeros(0, np.int64)], [np.zeros(0)]
        for number, layer in enumerate(lattice.layers):
            real = np.flatnonzero(layer.filler >= 0)
            origin = layer.origin[real]
            line = lattice.lines[number][origin]
            path = forward[number][origin] + layer.weight[real]
            path += backward[number + 1][layer.end[real]]
            shares.append(np.exp(path - backward[0][line]))
            places.append((first[line] + number) * len(self.fillers) + layer.filler[real])
        size = int(gaps.sum()) * len(self.fillers)
        found = np.bincount(np.concatenate(places), np.concatenate(shares), minlength=size)
        table = found.reshape(-1, len(self.fillers))
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    # The lattice --------------------------------------------------------------------------------

    def _lattice(self, examples: Sequence[Example], texts: GapTexts) -> _Lattice:
        """A layer for each gap number; lines with fewer gaps pass through by a single edge."""
        states = np.full(len(texts.gaps), self.model.begin_state, dtype=np.int64)
        lines = np.arange(len(texts.gaps))
        weight, states, nodes = self._read(states, lines, texts, 0)
        start = np.zeros(int(nodes.max(initial=-1)) + 1)
        start[nodes] = weight
        lattice = _Lattice(start, [lines], [])
        for gap in range(int(texts.gaps.max(initial=0))):
            ids = self._ids(examples, gap)
            origin, filler, entry, state = self._expand(states, lines, texts.gaps > gap, ids)
            line = lines[origin]
            moved, states, end = self._read(state, line, texts, gap + 1)
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
        rows = [
            self.spelling(example)[gap] if gap < len(example.gaps) else () for example in examples
        ]
        blank = ("",) * (len(self.fillers) - 1)
        words = [word for row in rows for word in (row or blank)]
        return self.model.ids(words).reshape(len(examples), -1)

    def _expand(
        self, states: Ints, lines: Ints, with_gap: NDArray[np.bool_], ids: Ints
    ) -> tuple[Ints, Ints, Floats, Ints]:
        """An edge for each filler of each node whose line has this gap; one edge for the others."""
        has_gap = with_gap[lines]
        here, passing = np.flatnonzero(has_gap), np.flatnonzero(~has_gap)
        if len(ids) == 1:  # states that lines share are asked once, and so are unknown fillers
            known, row = np.unique(states[here], return_inverse=True)
            words, column = np.unique(ids[0], return_inverse=True)
            found = self.model.advance(known[:, None], words)
            scores, after = (one[:, column][row] for one in found)
        else:
            scores, after = self.model.advance(states[here, None], ids[lines[here]])
        width = len(self.fillers)
        weights = np.tile(self.added, (len(here), 1))
        weights[:, :-1] += scores
        targets = np.repeat(states[here, None], width, axis=1)
        targets[:, :-1] = after
        origin = np.concatenate([np.repeat(here, width), passing])
        filler = np.concatenate([np.tile(np.arange(width), len(here)), np.full(len(passing), -1)])
        entry = np.concatenate([weights.ravel(), np.zeros(len(passing))])
        state = np.concatenate([targets.ravel(), states[passing]])
        return origin, filler, entry, state

    def _read(
        self, states: Ints, lines: Ints, texts: GapTexts, part: int
    ) -> tuple[Floats, Ints, Ints]:
        """Read a part of each line from some states.

        Returns the score of each start, the states at the end, and which of them each start
        reached; after each word, starts of one line that meet in a state go on as one.
        """
        here = texts.first + np.minimum(part, texts.gaps)
        lengths = np.where(part <= texts.gaps, texts.lengths[here], 0)
        offsets = texts.starts[here]
        last = np.equal(part, texts.gaps)
        state, line, begin = _merge(states, lines)
        steps: list[tuple[Floats, Ints | slice]] = []  # what nodes gain, and which they become
        for step in range(int((lengths + last).max(initial=0))):
            reading = step < lengths[line]
            ending = (step == lengths[line]) & last[line]
            active = np.flatnonzero(reading | ending)
            if not len(active):
                break
            words = np.full(len(active), self.model.end_id)
            inside = reading[active]
            words[inside] = texts.ids[offsets[line[active[inside]]] + step]
            scores, after = self.model.advance(state[active], words)
            gained = np.zeros(len(state))
            gained[active] = scores
            state[active] = after
            become: Ints | slice = slice(None)
            if len(state) > len(texts.gaps):  # else all starts of each line have met
                state, line, become = _merge(state, line)
            steps.append((gained, become))
        total, end = np.zeros(len(state)), np.arange(len(state))
        for gained, become in reversed(steps):
            total, end = gained + total[become], end[become]
        return total[begin], state, end[begin]


def _merge(state: Ints, line: Ints) -> tuple[Ints, Ints, Ints]:
    """One node for each state of each line, and which of them each state becomes."""
    bits = int(state.max(initial=0)).bit_length()
    keys, number = np.unique((line << bits) + state, return_inverse=True)
    return keys & ((1 << bits) - 1), keys >> bits, number


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
        """Scores of what leads to each node, its ways gathered by `_max_at` or `_sum_at`."""
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
    """The largest value of each place."""
    top = np.full(size, -np.inf)
    np.maximum.at(top, place, values)
    return top


def _sum_at(place: Ints, values: Floats, size: int) -> Floats:
    """log(Σ exp(values)) for each place."""
    top = _max_at(place, values, size)
    return np.asarray(np.log(np.bincount(place, np.exp(values - top[place]), minlength=size)) + top)


def _batches(examples: Sequence[Example], size: int) -> list[Sequence[Example]]:
    return [examples[i : i + size] for i in range(0, len(examples), size)]


_HOW = (
    "log10 probability of the best line with each filling; tokens: what they add to {} over {} "
    "(the words that follow the gap, and the gap itself)"
)


def filling_evidence(
    filler: GapFiller, example: Example, number: int, chosen: str, against: str
) -> Evidence:
    """The fillings of a gap, the best first, and what each token adds to the chosen class."""
    size = len(filler.fillers)
    words = list(filler.fillers.words)
    spelled = words if filler.spelling is None else [*filler.spelling(example)[number], words[-1]]
    lines = [_with_filler(example, number, spelled[place]) for place in range(size - 1)]
    lines.append(_without(example, number))
    fillings = filler.fill(lines)
    scores = np.array([filling.score for filling in fillings])
    scores += filler.added
    chances = filler.probabilities([example])[number]
    classes = filler.fillers.classes
    order = [place for place in np.argsort(-scores, kind="stable").tolist() if chances[place] > 0]
    rows = tuple(
        (words[place], classes[place], float(scores[place]), float(chances[place]))
        for place in order
    )
    columns = ("filling", "class", "log10", "probability")
    added = [
        _by_token(filler, example, number, place, fillings[place].choices)
        for one in (chosen, against)
        for place in [place for place in order if classes[place] == one][:1]
    ]
    target = tuple((added[0] - added[1]).tolist()) if len(added) == 2 else ()
    table = EvidenceTable("Fillings", columns, rows)
    return Evidence(_HOW.format(chosen, against), (table,), target=target)


def _with_filler(example: Example, number: int, word: str) -> Example:
    """The line with a word in the gap, which is a gap no more."""
    target = list(example.target)
    target[example.gaps[number].position] = word
    gaps = example.gaps[:number] + example.gaps[number + 1 :]
    return replace(example.with_target(target), gaps=gaps)


def _without(example: Example, number: int) -> Example:
    """The line with nothing in the gap."""
    place = example.gaps[number].position
    gaps = tuple(
        replace(gap, position=gap.position - (gap.position > place))
        for gap in (*example.gaps[:number], *example.gaps[number + 1 :])
    )
    target = example.target[:place] + example.target[place + 1 :]
    return replace(example.with_target(target), gaps=gaps)


def _by_token(
    filler: GapFiller, example: Example, number: int, place: int, others: Sequence[int]
) -> Floats:
    """The log10 probability of each target token in a line that is filled throughout.

    `place` fills the gap, `others` the other gaps; the end of the line counts with its last token.
    """
    none = len(filler.fillers) - 1
    choices = [*others[:number], place, *others[number:]]
    spelled = filler.spelling(example) if filler.spelling else None
    words: list[str] = []
    tokens: list[int] = []
    gap = 0
    for position, token in enumerate(example.target):
        if gap < len(example.gaps) and position == example.gaps[gap].position:
            choice = choices[gap]
            row = spelled[gap] if spelled else filler.fillers.words
            found = [] if choice == none else [row[choice]]
            gap += 1
        else:
            found = list(_words(token) or ())
        words += found
        tokens += [position] * len(found)
    scores = filler.model.score(*filler.model.encode([words])).log10.astype(np.float64)
    tokens.append(len(example.lemmas) - 1)
    added = np.zeros(len(example.lemmas))
    np.add.at(added, tokens, scores)
    added[example.gaps[number].position] += filler.added[place]
    return added
