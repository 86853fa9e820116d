"""Windows of tokens for a batch of gaps, cut out of a text's flat arrays where they lie."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from crosspro.prediction.neural.reading.encoding import EncodedText, GapSpans
from crosspro.prediction.neural.reading.vocabulary import PAD


@dataclass(frozen=True)
class Window:
    """Positions (batch, width) in the text; the first `lengths` (batch,) of each row count."""

    positions: Tensor
    lengths: Tensor

    @property
    def inside(self) -> Tensor:
        return inside(self.lengths, self.positions.shape[1])

    def pick(self, tokens: Tensor) -> Tensor:
        return torch.where(self.inside, tokens[self.positions], PAD)

    def reversed(self) -> Window:
        """The same tokens in the opposite order; padding stays behind them."""
        columns = torch.arange(self.positions.shape[1], device=self.positions.device)
        backwards = (self.lengths[:, None] - 1 - columns).clamp(min=0)
        return Window(self.positions.gather(1, backwards), self.lengths)


def inside(lengths: Tensor, width: int) -> Tensor:
    return torch.arange(width, device=lengths.device) < lengths[:, None]


def between(start: Tensor, end: Tensor) -> Window:
    lengths = (end - start).clamp(min=0)
    columns = torch.arange(_width(lengths), device=start.device)
    last = (end - 1).clamp(min=0)
    return Window((start[:, None] + columns).minimum(last[:, None]), lengths)


def outwards(
    spans: GapSpans, step: int, limit: int, first: int = 1, own_sentence: bool = False
) -> Window:
    """At most `limit` tokens to the left (step -1) or right (1), the nearest first.

    `first` is the distance of the nearest (0 begins with the gap itself); with `own_sentence` the
    sentences of context before it are left out.
    """
    low = spans.start if own_sentence else spans.low
    room = spans.position - low if step < 0 else spans.high - 1 - spans.position
    lengths = (room + 1 - first).clamp(0, limit)
    offsets = torch.arange(first, first + _width(lengths), device=lengths.device) * step
    positions = spans.position[:, None] + offsets
    return Window(positions.clamp(low[:, None], spans.high[:, None] - 1), lengths)


def _width(lengths: Tensor) -> int:
    return max(1, int(lengths.max()))


def longest(bounds: Iterable[tuple[Tensor, Tensor]]) -> Tensor:
    """The length of the longest of some texts of each gap, at least 1."""
    return torch.stack([end - start for start, end in bounds]).amax(0).clamp(min=1)


def widest_side(text: EncodedText, limit: int) -> Tensor:
    """The most tokens on a side of each gap or of its source word: what a batch is sorted by."""
    source, target = text.source, text.target
    before = (target.low, target.position), (source.low, source.position + 1)
    after = (target.position + 1, target.high), (source.position, source.high)
    return longest((*before, *after)).clamp(max=limit)
