"""Encoded data as tensors on one device, and the cuts that networks make in them.

Everything is arithmetic on positions: a batch is a tensor of gap numbers, and windows or sentences
are gathered from the flat arrays where they lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crosspro.prediction.neural.reading.encoding import EncodedText, Ints
from crosspro.prediction.neural.reading.vocabulary import PAD

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class GapTensors:
    """The arrays of `EncodedText` on a device, and the bounds of each gap's context.

    `data["lemma"]` is the field of that name. `target_low` and `source_low` are where the context
    of a gap begins: its sentence, or up to `context` sentences before it in the same document.
    `target_start` and `source_start` are where its own sentence begins. From `target_from` to
    `target_to`, and the same of the source, stand all gaps that are read together with it.
    """

    fields: Mapping[str, Tensor]
    spellings: Mapping[str, Tensor]
    target_position: Tensor
    source_position: Tensor
    head_position: Tensor
    target_low: Tensor
    target_start: Tensor
    target_high: Tensor
    source_low: Tensor
    source_start: Tensor
    source_high: Tensor
    target_from: Tensor
    target_to: Tensor
    source_from: Tensor
    source_to: Tensor
    label: Tensor

    def __getitem__(self, field: str) -> Tensor:
        return self.fields[field]

    @property
    def every(self) -> Tensor:
        """The numbers of all gaps."""
        return torch.arange(len(self.label), device=self.label.device)

    def bounds(self, side: str, gaps: Tensor, low: str = "low") -> tuple[Tensor, Tensor, Tensor]:
        """Where gaps or their pronouns stand on a side, and where what is read begins and ends.

        With `low` "start" it is their own sentence alone.
        """
        position, first, last = (
            getattr(self, f"{side}_{name}")[gaps] for name in ("position", low, "high")
        )
        return position, first, last

    def to(self, device: torch.device | str) -> GapTensors:
        """The same tensors on another device."""
        columns = (getattr(self, column.name) for column in fields(self))
        return GapTensors(*(_moved(column, device) for column in columns))


def _moved(column: Any, device: torch.device | str) -> Any:
    """A tensor, or a mapping of them, on another device."""
    if isinstance(column, Mapping):
        return {name: tensor.to(device) for name, tensor in column.items()}
    return column.to(device)


def gap_tensors(data: EncodedText, context: int | Ints = 0, together: int = 0) -> GapTensors:
    """Tensors of encoded data on the CPU (see `EncodedText.spans`)."""
    spans = vars(data.spans(context, together))
    return GapTensors(
        {name: _tensor(array) for name, array in data.fields.items()},
        {name: _tensor(array) for name, array in data.spellings.items()},
        target_position=_tensor(data.target_position),
        source_position=_tensor(data.source_position),
        head_position=_tensor(data.head_position),
        target_start=_tensor(data.target_starts[data.sentence]),
        source_start=_tensor(data.source_starts[data.sentence]),
        label=_tensor(data.label),
        **{name: _tensor(array) for name, array in spans.items() if name != "row"},
    )


def _tensor(array: Ints) -> Tensor:
    return torch.from_numpy(np.array(array, dtype=np.int64))


def window(
    centre: Tensor, low: Tensor, high: Tensor, step: int, width: int, first: int = 1
) -> tuple[Tensor, Tensor]:
    """Positions outward from a centre, nearest first, and how many of them are inside the bounds.

    `step` is -1 to the left and 1 to the right; `first` is 0 to include the centre. Positions
    beyond the bounds are clamped, and stand after all good ones.
    """
    offsets = torch.arange(first, first + width, device=centre.device) * step
    positions = centre[:, None] + offsets
    room = centre - low if step < 0 else high - 1 - centre
    lengths = (room + 1 - first).clamp(0, width)
    return positions.clamp(low[:, None], high[:, None] - 1), lengths


def cut(
    centre: Tensor, low: Tensor, high: Tensor, before: int, after: int
) -> tuple[Tensor, Tensor]:
    """Where the tokens around a centre begin and end within the bounds."""
    return torch.maximum(low, centre - before), torch.minimum(high, centre + after + 1)


def longest(texts: Iterable[tuple[Tensor, Tensor]]) -> Indices:
    """The length of the longest text of each gap, from 1; texts have beginnings and ends."""
    lengths = torch.stack([end - start for start, end in texts])
    return np.asarray(lengths.amax(0).clamp(min=1).cpu().numpy())


def inside(lengths: Tensor, width: int) -> Tensor:
    """(batch, width): where the rows have something."""
    return torch.arange(width, device=lengths.device) < lengths[:, None]


def span(start: Tensor, end: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Positions from a start on, and how many of them stand before the end; `width` at most.

    Positions from the end on are clamped, and stand after all good ones.
    """
    positions = start[:, None] + torch.arange(width, device=start.device)
    last = (end - 1).clamp(min=0)
    return positions.minimum(last[:, None]), (end - start).clamp(0, width)


def table_width(lengths: Tensor, width: int | None) -> int:
    """How wide a table of sequences must be; for a known `width` a GPU is not asked."""
    return width if width and lengths.is_cuda else max(1, int(lengths.max()))


def pick(flat: Tensor, positions: Tensor, lengths: Tensor) -> Tensor:
    """The entries at window positions, PAD beyond each window's length."""
    return torch.where(inside(lengths, positions.shape[1]), flat[positions], PAD)


def widest_sides(tensors: GapTensors, limit: int) -> Indices:
    """The widest context of each gap on any side, at most `limit`."""
    sides = torch.stack(
        [
            tensors.target_position - tensors.target_low,
            tensors.target_high - 1 - tensors.target_position,
            tensors.source_position - tensors.source_low + 1,
            tensors.source_high - tensors.source_position,
        ]
    )
    return np.asarray(sides.amax(dim=0).clamp(1, limit).cpu().numpy())


def device_of(accelerator: str) -> torch.device:
    """Where everything but Lightning runs, by the accelerator that it was given."""
    wanted = accelerator in ("auto", "gpu", "cuda")
    return torch.device("cuda" if wanted and torch.cuda.is_available() else "cpu")


@cache
def has_bfloat16() -> bool:
    """Whether this processor has instructions for bfloat16; older versions of torch cannot say."""
    known: Mapping[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return any(there is True for name, there in known.items() if "bf16" in name)
