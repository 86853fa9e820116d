"""Gradient times input: how much each token of the text speaks for one class rather than another.

Every embedding that a network looks up is noted with the token that it belongs to, whatever windows
the network cuts. For that the numbers of words carry the number of their token along; a hook before
each embedding takes it off again. Spelled fields carry it with their characters. What a network
does with numbers other than look up embeddings, it does with `word_numbers` of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from crosspro.prediction.neural.fields import Field
from crosspro.prediction.neural.network import Network
from crosspro.prediction.neural.tensors import TOKEN_MARK, GapTensors, word_numbers
from crosspro.prediction.neural.vocabulary import PAD

_SIDES = ("source", "target", "gap")

Attribution = dict[str, NDArray[np.float64]]
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
