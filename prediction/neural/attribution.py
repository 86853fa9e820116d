"""Why a network gave its logits: gradient times input of each word, and what it attended to.

Every embedding that a network looks up is noted with the token that it belongs to, whatever windows
the network cuts. For that the numbers of words carry the number of their token along; a hook before
each embedding takes it off again. Spelled fields carry it with their characters. What a network
does with numbers other than look up embeddings, it does with `word_numbers` of them.

Numbers of tokens are summed to those of words, where words were cut into units.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from crosspro.data_prep.core.example import SIDES, Example, Side
from crosspro.prediction.evidence import Cell, Evidence, EvidenceTable, GapQuestion
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.reading.encoding import Reading
from crosspro.prediction.neural.reading.fields import Field
from crosspro.prediction.neural.reading.tensors import TOKEN_MARK, GapTensors, word_numbers
from crosspro.prediction.neural.reading.vocabulary import PAD
from crosspro.prediction.neural.reading.word_places import word_sizes

_SIDES = ("source", "target", "gap")
Floats = NDArray[np.float64]


def word_sums(
    values: Floats, reading: Reading, examples: Sequence[Example], side: str
) -> list[Floats]:
    """The numbers of each line's words, each the sum of those of its units; 0 without any."""
    sizes = word_sizes(reading, examples, side)
    if not len(values):
        return [np.zeros(len(own)) for own in sizes]
    ends = np.cumsum([int(own.sum()) for own in sizes])
    lines = [values[end - int(own.sum()) : end] for own, end in zip(sizes, ends, strict=True)]
    if reading.units is None:
        return lines
    return [_summed(own, of_words) for own, of_words in zip(lines, sizes, strict=True)]


def _summed(values: Floats, sizes: NDArray[np.int64]) -> Floats:
    """The sums of so many values each."""
    ends = np.cumsum(sizes)
    running = np.concatenate([[0.0], np.cumsum(values)])
    return np.asarray(running[ends] - running[ends - sizes])


Attribution = dict[str, Floats]
"""For each side (source, target, gap) a number for each token of the text, or for each gap."""


def token_gradients(
    network: Network,
    tensors: GapTensors,
    fields: Sequence[Field],
    gap: int,
    chosen: int,
    against: int,
) -> Attribution | None:
    """What each token adds to the score of one class over another; None if none is embedded."""
    sizes = dict.fromkeys(_SIDES, 0)
    for field in fields:
        sizes[field.side] = len(tensors[field.name])
    first = dict(zip(_SIDES, np.cumsum([1, *sizes.values()]).tolist(), strict=False))
    marked = _marked(tensors, fields, first)
    looked_up: list[tuple[Tensor, Tensor]] = []
    noting = _copy_of(network.cpu().eval())
    with torch.enable_grad():
        for module in noting.modules():
            if isinstance(module, nn.Embedding):
                note = _Note(looked_up)
                module.register_forward_pre_hook(note.before)
                module.register_forward_hook(note.after)
        scores = noting(marked, torch.tensor([gap]))[0]
        if not looked_up:
            return None
        inputs = [vectors for _, vectors in looked_up]
        slopes = torch.autograd.grad(scores[chosen] - scores[against], inputs, allow_unused=True)
    added = torch.zeros(1 + sum(sizes.values()), dtype=torch.float64)
    for (tokens, vectors), slope in zip(looked_up, slopes, strict=True):
        if slope is not None:
            values = (slope * vectors).sum(-1).double().flatten()
            added.index_add_(0, tokens.flatten(), values.detach())
    found = added.numpy()
    return {side: found[first[side] : first[side] + sizes[side]] for side in _SIDES}


def _copy_of(network: Network) -> Network:
    """The same modules over the same weights: whatever ends an explanation, the network itself has
    none of its hooks."""
    shared = (*network.parameters(), *network.buffers())
    return deepcopy(network, {id(tensor): tensor for tensor in shared})


def _marked(tensors: GapTensors, fields: Sequence[Field], first: dict[str, int]) -> GapTensors:
    """The same data whose numbers carry the numbers of their tokens."""
    marked, spellings = dict(tensors.fields), dict(tensors.spellings)
    for field in fields:
        numbers = tensors[field.name]
        tokens = torch.arange(len(numbers)) + first[field.side]
        if not field.spelled:
            marked[field.name] = tokens * TOKEN_MARK + numbers
            continue
        # A row of characters for each token instead of one for each word.
        letters = tensors.spellings[field.name][numbers]
        letters = torch.where(letters == PAD, PAD, tokens[:, None] * TOKEN_MARK + letters)
        nothing = torch.full_like(letters[:1], PAD)
        spellings[field.name] = torch.cat((nothing, letters))
        marked[field.name] = torch.arange(len(numbers)) + PAD + 1
    return replace(tensors, fields=marked, spellings=spellings)


class _Note:
    """Notes what an embedding looks up, and for which tokens."""

    def __init__(self, looked_up: list[tuple[Tensor, Tensor]]) -> None:
        self.looked_up = looked_up
        self.tokens: list[Tensor] = []

    def before(self, module: nn.Module, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Take the numbers of the tokens off."""
        numbers = arguments[0]
        self.tokens.append(torch.div(numbers, TOKEN_MARK, rounding_mode="floor"))
        return (word_numbers(numbers), *arguments[1:])

    def after(self, module: nn.Module, arguments: tuple[Any, ...], output: Tensor) -> Tensor:
        """Note the vectors, from which on gradients are wanted."""
        vectors = output.detach().requires_grad_()
        self.looked_up.append((self.tokens.pop(), vectors))
        return vectors


_HOW = (
    "gradient times input: what each token adds to the score of {} over {}, were the network "
    "linear; what the network knows of the source pronoun counts with that word"
)


def gradient_evidence(
    found: Attribution, reading: Reading, question: GapQuestion, names: tuple[str, ...]
) -> Evidence:
    """The numbers of the line's words; earlier sentences, where any count, are a table."""
    read = question.examples[: question.line + 1]
    lines = {
        side: word_sums(found[side], reading, question.examples, side)[: len(read)]
        for side in SIDES
    }
    source = lines["source"][-1]
    source[question.gap.source_index] += found["gap"][question.row] if len(found["gap"]) else 0
    rows: list[tuple[Cell, ...]] = [
        (word, side, question.line - number, float(value))
        for side in SIDES
        for number, values in enumerate(lines[side][:-1])
        for word, value in zip(getattr(read[number], side), values, strict=True)
        if value
    ]
    rows.sort(key=lambda row: -abs(float(row[3])))
    columns = ("token", "side", "sentences before", f"{names[0]} over {names[1]}")
    tables = (EvidenceTable("Earlier sentences", columns, tuple(rows)),) if rows else ()
    target = lines["target"][-1]
    return Evidence(_HOW.format(*names), tables, tuple(source.tolist()), tuple(target.tolist()))


@dataclass(frozen=True)
class WordFocus:
    """How probable it is that a network chose each word of some lines for a gap.

    `shares` has an array for each line with a number for each word, `given` one of (classes, words)
    with the probabilities once the class is known, or is empty. What is missing to 1 is the
    probability that no word was chosen.
    """

    title: str
    side: Side
    shares: tuple[Floats, ...]
    given: tuple[Floats, ...] = ()


def word_focus(
    network: Network, tensors: GapTensors, reading: Reading, examples: Sequence[Example], row: int
) -> list[WordFocus]:
    """What a network chose for the gap of a row; it has chosen nothing unless it says so."""
    with torch.inference_mode():
        found = network.cpu().eval().focus(tensors, torch.tensor([row]))
    result = []
    for focus in found:
        size = sum(int(own.sum()) for own in word_sizes(reading, examples, focus.side))
        lines = []
        for part in (focus.shares[0], *(() if focus.given is None else focus.given[0])):
            flat = torch.zeros(size, dtype=torch.float64)
            flat.index_add_(0, focus.tokens[0], part.double())
            lines.append(word_sums(flat.numpy(), reading, examples, focus.side))
        shares, *given = lines
        by_class = (np.stack(parts) for parts in zip(*given, strict=True))
        result.append(WordFocus(focus.title, focus.side, tuple(shares), tuple(by_class)))
    return result


def focus_tables(
    found: Sequence[WordFocus], question: GapQuestion, chosen: str
) -> list[EvidenceTable]:
    """A table for each choice, whose words may be those of both sides."""
    titles = dict.fromkeys(focus.title for focus in found)
    return [
        _table([focus for focus in found if focus.title == title], question, chosen)
        for title in titles
    ]


def _table(parts: Sequence[WordFocus], question: GapQuestion, chosen: str) -> EvidenceTable:
    """The words with their probabilities, before and after the class is known."""
    known = all(part.given for part in parts)
    sides = len(parts) > 1
    rows: list[tuple[tuple[Cell, ...], list[float]]] = []
    for part in parts:
        for line, shares in enumerate(part.shares):
            words = getattr(question.examples[line], part.side)
            for place in np.flatnonzero(shares):
                where = (*([part.side] if sides else []), question.line - line, int(place))
                given = [float(part.given[line][question.chosen, place])] if known else []
                rows.append(((words[place], *where), [float(shares[place]), *given]))
    left = [1 - sum(row[1][column] for row in rows) for column in range(1 + known)]
    rows.append((("(none)", *[""] * (2 + sides)), [max(0.0, one) for one in left]))
    rows.sort(key=lambda row: -row[1][0])
    columns = ("word", *(["side"] if sides else []), "sentences before", "position", "probability")
    last = (f"given {chosen}",) if known else ()
    return EvidenceTable(
        parts[0].title, (*columns, *last), tuple((*cells, *numbers) for cells, numbers in rows)
    )
