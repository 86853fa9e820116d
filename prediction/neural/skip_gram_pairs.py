"""The pairs of words from which a skip-gram learns: a word, and what it is to predict.

A word predicts the words of its window and the pronouns of its target sentence, which are the
labels of the sentence's gaps, OTHER included. They are found by arithmetic on the flat arrays of
`EncodedData`, for some words at a time, so that memory does not grow with the text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from crosspro.prediction.neural.encoding import EncodedData
from crosspro.prediction.neural.fields import SOURCE, Field


@dataclass(frozen=True)
class Pairs:
    """Words, what each predicts, and whether that is a pronoun (a class) or a word."""

    centres: Tensor
    contexts: Tensor
    to_class: Tensor


@dataclass(frozen=True)
class SkipGramText:
    """A field's words as centres: where each stands among the words around it, and its gaps.

    `low` and `high` bound the sentence of each centre; its gaps are so many labels from `first_gap`
    on. The centres of a field of gaps (aligned source words) stand at the source pronouns.
    """

    centres: Tensor
    places: Tensor
    around: Tensor
    low: Tensor
    high: Tensor
    gaps: Tensor
    first_gap: Tensor
    labels: Tensor


def skip_gram_text(
    data: EncodedData, field: Field, device: torch.device, source: str = SOURCE.name
) -> SkipGramText:
    """The text of a field on a device; `source` is the field of the source's words."""
    of_gaps = field.side == "gap"
    starts = data.target_starts if field.side == "target" else data.source_starts
    lengths = np.diff(starts)
    sentence = data.sentence if of_gaps else np.repeat(np.arange(len(lengths)), lengths)
    places = data.source_position if of_gaps else np.arange(len(sentence))
    around = data.fields[context_field(field, source)]
    known = data.label >= 0
    gaps = np.bincount(data.sentence[known], minlength=len(lengths))
    first = np.cumsum(gaps) - gaps
    columns = (
        data.fields[field.name],
        places,
        around,
        starts[:-1][sentence],
        starts[1:][sentence],
        gaps[sentence],
        first[sentence],
        data.label[known],
    )
    return SkipGramText(
        *(torch.from_numpy(np.array(one, dtype=np.int64)).to(device) for one in columns)
    )


def context_field(field: Field, source: str = SOURCE.name) -> str:
    """The field whose words a field's words predict."""
    return source if field.side == "gap" else field.name


def all_pairs(text: SkipGramText, chosen: Tensor, window: int, first_class: int) -> Pairs:
    """Every pair of the chosen centres; classes are numbered from `first_class` on."""
    device = chosen.device
    steps = torch.arange(-window, window + 1, device=device)
    neighbours = text.places[chosen][:, None] + steps[steps != 0]
    inside = (neighbours >= text.low[chosen][:, None]) & (neighbours < text.high[chosen][:, None])
    centres = text.centres[chosen]
    near = centres[:, None].expand(neighbours.shape)[inside]
    words = text.around[neighbours[inside]]
    numbers = text.gaps[chosen]
    repeated = torch.repeat_interleave(numbers)
    begun = numbers.cumsum(0) - numbers
    within = torch.arange(len(repeated), device=device) - begun[repeated]
    classes = text.labels[text.first_gap[chosen][repeated] + within] + first_class
    to_class = torch.zeros(len(words) + len(classes), dtype=torch.bool, device=device)
    to_class[len(words) :] = True
    return Pairs(torch.cat((near, centres[repeated])), torch.cat((words, classes)), to_class)


def sampled_pairs(
    text: SkipGramText,
    chosen: Tensor,
    window: int,
    first_class: int,
    pronoun_share: float,
    generator: torch.Generator,
) -> Pairs:
    """For each chosen centre a neighbour, or a pronoun of its sentence."""
    device = chosen.device

    def draw(high: Tensor | int) -> Tensor:
        share = torch.rand(len(chosen), generator=generator, device=device)
        return (share * high).long()

    distance = draw(window) + 1
    sign = draw(2) * 2 - 1
    neighbours = text.places[chosen] + distance * sign
    inside = (neighbours >= text.low[chosen]) & (neighbours < text.high[chosen])
    contexts = text.around[neighbours.clamp(0, len(text.around) - 1)]
    chance = torch.rand(len(chosen), generator=generator, device=device)
    to_class = (text.gaps[chosen] > 0) & (chance < pronoun_share)
    if len(text.labels):
        gap = text.first_gap[chosen] + draw(text.gaps[chosen])
        labels = text.labels[gap.clamp(max=len(text.labels) - 1)]
        contexts = torch.where(to_class, labels + first_class, contexts)
    keep = inside | to_class
    return Pairs(text.centres[chosen][keep], contexts[keep], to_class[keep])
