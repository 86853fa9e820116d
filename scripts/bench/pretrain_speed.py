"""Speed of self-labelled pre-training in pieces a second: forward, backward and optimiser.

Run: python -m crosspro.scripts.bench.pretrain_speed [--recipe documents] [--set FOLDER]
     [--device cuda] [--batch 256] [--layers N] [--width N] [--heads N] [--dropout P]
     [--steps 50] [--pointer] [--compile] [--fp32] [--profile]
Sizes are those of a recipe of conf/pretraining, where they are not given, but for that of a batch.
Without a folder of `crosspro pretrain encode` every row is full (302 pieces of random text for the
large network, both sides). Only pieces of text count, not what fills rows up; the share of the
latter is shown. Gradients are not clipped, and Lightning has no part in it. In bf16, if the device
has it and not --fp32. With --profile also where the time goes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from crosspro.data_prep.core.errors import InputError
from crosspro.prediction.neural.document_set import load_document_set
from crosspro.prediction.neural.layers.document_rows import row_width
from crosspro.prediction.neural.networks.document_encoder import DocumentEncoder
from crosspro.prediction.neural.reading.encoding import closed_vocabularies
from crosspro.prediction.neural.reading.fields import GAP_WORD
from crosspro.prediction.neural.reading.lexicon_fields import NOUNS, SOURCE_NOUN, TARGET_NOUN
from crosspro.prediction.neural.reading.tensors import GapTensors, Indices, has_bfloat16
from crosspro.prediction.neural.reading.vocabulary import Inventory, Vocabulary
from crosspro.prediction.neural.training.data import bucketed_batches, on_device
from crosspro.scripts.pretraining_recipes import recipe_names, system_for_set, system_of

_WARM_UP = 10
_GAPS = 4096
_SENTENCE = 500
_PIECES = 16_000
_CHANGES = {"layers": int, "width": int, "heads": int, "dropout": float}
"""Settings of a network that may be given."""

Settings = dict[str, Any]
"""Those of a network."""


def full_rows(recipe: str, changes: Sequence[str]) -> tuple[Inventory, GapTensors, Settings]:
    """Random text without tags in which every row is full, and every twentieth piece a pronoun."""
    generator = torch.Generator().manual_seed(1)
    words = ("<pad>", "<unk>", GAP_WORD, *map(str, range(_PIECES - 3)))
    vocabularies = {
        "piece": Vocabulary(words, (1,) * len(words)),
        "agreement": Vocabulary(tuple(map(str, range(15))), (1,) * 15),
        **closed_vocabularies((SOURCE_NOUN, TARGET_NOUN)),
    }
    kinds = len(vocabularies[NOUNS])
    size = _GAPS * _SENTENCE
    nouns = (SOURCE_NOUN.name, TARGET_NOUN.name)

    def drawn(low: int, high: int) -> Tensor:
        return torch.randint(low, high, (size,), generator=generator)

    start = torch.arange(_GAPS) * _SENTENCE
    middle, end = start + _SENTENCE // 2, start + _SENTENCE
    shown = drawn(3, _PIECES)
    target = torch.where(drawn(0, 20) == 0, 2, shown)
    target[middle] = 2
    data = GapTensors(
        {
            "source_piece": drawn(3, _PIECES),
            "target_piece": target,
            "shown_piece": shown,
            "source_agreement": drawn(2, 15),
            "target_agreement": drawn(2, 15),
            # A word of five is a noun.
            **{name: torch.where(drawn(0, 5) == 0, drawn(3, kinds), 2) for name in nouns},
        },
        spellings={},
        target_position=middle,
        source_position=middle,
        head_position=middle,
        target_low=start,
        target_start=start,
        target_high=end,
        source_low=start,
        source_start=start,
        source_high=end,
        label=torch.randint(0, 9, (_GAPS,), generator=generator),
    )
    system = system_of(recipe, ["network_settings.tags=false", *changes])
    return Inventory(vocabularies, tuple(map(str, range(9)))), data, system.network_settings


def loaded(
    folder: Path, recipe: str, changes: Sequence[str]
) -> tuple[Inventory, GapTensors, Settings]:
    """The data of a folder of `crosspro pretrain encode`, and what its network is like."""
    system = system_for_set(folder, recipe, changes)
    found = load_document_set(folder, system)
    inventory = Inventory(found.encoder.vocabularies, found.task.classes)
    return inventory, found.data.train, system.network_settings


def batches(extents: Indices, size: int, device: torch.device) -> Iterator[tuple[Tensor, int, int]]:
    """Whole batches without end: gaps, the widest row, and the pieces of all."""
    generator = np.random.default_rng(1)
    while True:
        order = generator.permutation(len(extents))
        drawn = [
            (gaps, width)
            for gaps, width in bucketed_batches(order, extents, size, generator)
            if len(gaps) == size or len(extents) < size
        ]
        for numbers, (gaps, width) in zip(
            on_device([gaps for gaps, _ in drawn], device), drawn, strict=True
        ):
            yield numbers, width, int(extents[gaps].sum())


def main() -> None:
    """Measure, and print a line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--recipe", choices=recipe_names(), default="documents")
    parser.add_argument("--set", type=Path, help="a folder of `crosspro pretrain encode`")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    for name, kind in _CHANGES.items():
        parser.add_argument(f"--{name}", type=kind)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--steps", type=int, default=50)
    for name in ("pointer", "compile", "fp32", "profile"):
        parser.add_argument(f"--{name}", action="store_true")
    given = parser.parse_args()
    asked = {name: getattr(given, name) for name in _CHANGES if getattr(given, name) is not None}
    asked["pointer"] = str(given.pointer).lower()
    chosen = (given.recipe, [f"network_settings.{name}={value}" for name, value in asked.items()])
    try:
        inventory, data, settings = loaded(given.set, *chosen) if given.set else full_rows(*chosen)
    except InputError as error:
        parser.error(str(error))
    print(measured(inventory, data, settings, given))


def measured(
    inventory: Inventory, data: GapTensors, settings: Settings, given: argparse.Namespace
) -> str:
    """The speed of a network, with the options of the command."""
    device = torch.device(given.device)
    torch.manual_seed(1)
    network = DocumentEncoder(inventory, **settings)
    extents = network.extents(data)
    network, data = network.to(device).train(), data.to(device)
    if given.compile:
        network.compile(dynamic=True)
    optimiser = torch.optim.AdamW(network.parameters(), lr=1e-4, fused=device.type == "cuda")
    weights = torch.ones(len(inventory.classes), device=device)
    source = batches(extents, given.batch, device)
    half = not given.fp32 and (device.type == "cuda" or has_bfloat16())
    losses: list[Tensor] = []

    def step() -> tuple[int, int]:
        gaps, width, pieces = next(source)
        with torch.autocast(device.type, torch.bfloat16, enabled=half):
            loss = network.loss(data, gaps, width, weights, 0.0).mean()
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()
        losses.append(loss.detach())
        return pieces, row_width(width, device) * len(gaps)

    for _ in range(_WARM_UP if device.type == "cuda" else 1):
        step()
    _wait(device)
    began, cpu = time.perf_counter(), time.process_time()
    counted = [step() for _ in range(given.steps)]
    _wait(device)
    # On a CPU others may be at work: what counts is its own time.
    seconds = time.perf_counter() - began if device.type == "cuda" else time.process_time() - cpu
    pieces, places = (sum(column) for column in zip(*counted, strict=True))
    memory = torch.cuda.max_memory_allocated() / 2**30 if device.type == "cuda" else 0.0
    shown = (
        f"{settings['layers']} layers of {settings['width']}, {network.window} pieces, "
        f"batch {given.batch}, {device.type}"
        f"{' compiled' if given.compile else ''}: "
        f"{pieces / seconds:,.0f} pieces/s, {given.batch * given.steps / seconds:,.0f} gaps/s, "
        f"{1 - pieces / places:.1%} filled up, {memory:.1f} GiB, "
        f"mean loss {torch.stack(losses).mean():.3f}"
    )
    if given.profile:
        with torch.profiler.profile() as profiled:
            for _ in range(5):
                step()
            _wait(device)
        order = "self_cuda_time_total" if device.type == "cuda" else "self_cpu_time_total"
        shown += "\n" + profiled.key_averages().table(sort_by=order, row_limit=60)
    return shown


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
