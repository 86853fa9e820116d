"""Cases of networks on a GPU: training beside plain PyTorch, and pre-training.

Every row is full, vocabulary 50,000: Turku's windows of 50 tokens on every side, for the others
sentences of 31 tokens, for UU-Hardmeier with those before. What is measured is forward, backward
and optimiser; Lightning has no part in it, and gradients are not clipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from crosspro.evaluation.leaderboard.speed import Measured, SpeedRow
from crosspro.prediction.neural.document_set import load_document_set
from crosspro.prediction.neural.layers.document_rows import row_width
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.networks.document_encoder import DocumentEncoder
from crosspro.prediction.neural.networks.hardmeier_anaphora import HardmeierAnaphora
from crosspro.prediction.neural.networks.hardmeier_cnn import HardmeierCNN
from crosspro.prediction.neural.networks.nyu_nmt import NyuNMT
from crosspro.prediction.neural.networks.turku_gru import TurkuGRU
from crosspro.prediction.neural.networks.ukyoto_attention import UkyotoAttention
from crosspro.prediction.neural.networks.uppsala_bilstm import UppsalaBiLSTM
from crosspro.prediction.neural.reading.encoding import closed_vocabularies
from crosspro.prediction.neural.reading.fields import GAP_WORD
from crosspro.prediction.neural.reading.lexicon_fields import (
    NOUN_VOCABULARY,
    SOURCE_NOUN,
    TARGET_NOUN,
)
from crosspro.prediction.neural.reading.tensors import GapTensors, Indices, has_bfloat16
from crosspro.prediction.neural.reading.vocabulary import Inventory, Vocabulary
from crosspro.prediction.neural.training.data import bucketed_batches, on_device
from crosspro.prediction.neural.training.recording import RecordedLosses
from crosspro.scripts.bench.measure import apart, medians, own_memory, timed
from crosspro.scripts.bench.table import BenchOptions, ratio_of
from crosspro.scripts.pretraining_recipes import recipe_names, system_for_set, system_of

_WARM_UP = 5
_PROFILED = 5
_GAPS = 8192
_BATCH = (1000,)
_DOCUMENT_GAPS = 4096
_UNTIL_RECORDED = 100
"""Steps until the usual widths of rows have come a few times."""
_SENTENCE = 500
_PIECES = 16_000
SIZES = dict.fromkeys(("source", "lemma", "lemma_tag", "linked", "pronoun"), 50_000) | {
    "tag": 20,
    "character": 100,
}
WORDS = {name: tuple(map(str, range(n))) for name, n in SIZES.items()} | {
    "noun": ("<pad>", "<unk>", "", "? ?"),  # every second word is a noun
    "start": ("<pad>", "<unk>", "", "first"),
}
INVENTORY = Inventory(
    {name: Vocabulary(words, (1,) * len(words)) for name, words in WORDS.items()},
    classes=tuple(map(str, range(8))),
)

Settings = dict[str, Any]
"""Those of a network."""


class Shape(NamedTuple):
    """A network to measure: the length of its rows, and how many rows before are its context."""

    network: Callable[..., Network]
    length: int = 31
    context: int = 0


NETWORKS = {
    "turku_gru": Shape(TurkuGRU, 101),
    "uppsala_bilstm": Shape(UppsalaBiLSTM),
    "nyu_nmt": Shape(NyuNMT),
    "ukyoto_attention": Shape(UkyotoAttention),
    "hardmeier_cnn": Shape(HardmeierCNN, context=1),
    "hardmeier_anaphora": Shape(HardmeierAnaphora, context=3),
}
_PLAIN = {
    "uppsala_bilstm": "PlainUppsala",
    "nyu_nmt": "PlainNyu",
    "ukyoto_attention": "PlainUkyoto",
    "hardmeier_cnn": "PlainHardmeierCNN",
    "hardmeier_anaphora": "PlainHardmeierAnaphora",
}
"""Transcriptions in plain PyTorch, which the tests of a checkout have."""


def train(given: BenchOptions, steps: int) -> Iterator[SpeedRow]:
    """Ours and a plain network in turns; each pair has a process of its own."""
    device = given.device or _device()
    precisions = (False, True) if device == "cuda" else (False,)
    for name, bf16, batch in product(NETWORKS, precisions, given.batch or _BATCH):
        title = f"train {name}, batch {batch}, {'bf16' if bf16 else 'fp32'}"
        if given.wants(title):
            ours, theirs = apart(measured, name, device, batch, steps, bf16, given)
            size = batch * steps
            speed = {"examples/s": size / ours.wall}
            ratio, peer = ratio_of(ours, theirs), "plain PyTorch" if theirs else ""
            yield SpeedRow(title, ours, size, "examples", peer, theirs, ratio, figures=speed)


def _device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def make_data(length: int, device: str, context: int = 0) -> GapTensors:
    """Random sentences of one length with the gap in the middle: every row is full."""
    generator = torch.Generator().manual_seed(1)
    columns = {
        name: torch.randint(2, len(words), (_GAPS * length,), generator=generator)
        for name, words in WORDS.items()
        if name not in ("pronoun", "character")
    }
    columns["pronoun"] = torch.randint(2, 1000, (_GAPS,), generator=generator)
    columns["character"] = columns["source"]  # a word and its spelling have one number
    characters = torch.randint(2, SIZES["character"], (SIZES["source"], 8), generator=generator)
    labels = torch.randint(0, 8, (_GAPS,), generator=generator)
    return _full_rows(columns, {"character": characters}, labels, length, context).to(device)


def _full_rows(
    columns: dict[str, Tensor],
    spellings: dict[str, Tensor],
    labels: Tensor,
    length: int,
    context: int = 0,
) -> GapTensors:
    """Gaps in the middle of rows of one length, with some rows before them as context."""
    start = torch.arange(len(labels)) * length
    low = (start - context * length).clamp(min=0)
    middle, end = start + length // 2, start + length
    return GapTensors(
        columns,
        spellings=spellings,
        target_position=middle,
        source_position=middle,
        head_position=middle,
        target_low=low,
        target_start=start,
        target_high=end,
        source_low=low,
        source_start=start,
        source_high=end,
        target_from=middle,
        target_to=middle,
        source_from=middle,
        source_to=middle,
        label=labels,
    )


Step = Callable[[int], object]


def training(network: Network, data: GapTensors, batch: int, bf16: bool) -> Step:
    """What trains the network for the step of a number."""
    width = int(network.extents(data).max())

    def chosen(step: int) -> tuple[Tensor, int]:
        device = data.label.device
        return (torch.arange(batch, device=device) + step * batch) % len(data.label), width

    return _trained(network, data, chosen, bf16)


def _trained(
    network: Network, data: GapTensors, chosen: Callable[[int], tuple[Tensor, int]], bf16: bool
) -> Step:
    device = data.label.device
    network.to(device).train()
    optimiser = torch.optim.AdamW(network.parameters(), lr=1e-4, fused=device.type == "cuda")
    classes = int(data.label.max()) + 1
    weights = torch.ones(max(classes, len(INVENTORY.classes)), device=device)
    losses = RecordedLosses(
        network, lambda gaps, width: network.loss(data, gaps, width, weights, 0.0)
    )

    def step(number: int) -> None:
        with torch.autocast(device.type, torch.bfloat16, enabled=bf16):
            loss = losses(*chosen(number)).mean()
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()

    return step


def measured(
    name: str, device: str, batch: int, steps: int, bf16: bool, given: BenchOptions
) -> tuple[Measured, Measured | None]:
    """A network, and a plain one that does the same, if there is one."""
    torch.set_num_threads(1)
    chosen = NETWORKS[name]
    data = make_data(chosen.length, device, chosen.context)
    networks = [chosen.network(INVENTORY), *_plain(name)]
    works = [training(network, data, batch, bf16) for network in networks]
    found = _in_turns(works, steps, _WARM_UP, given.times, data.label.device)
    if given.profile:
        _profile(works[0], data.label.device)
    return found[0], found[1] if len(found) > 1 else None


def _plain(name: str) -> list[Network]:
    with suppress(ImportError):
        module = import_module("tests.prediction.neural.plain_networks")
        return [getattr(module, _PLAIN[name])(INVENTORY)] if name in _PLAIN else []
    return []


def _in_turns(
    works: Sequence[Step], steps: int, warm_up: int, times: int, where: torch.device
) -> list[Measured]:
    """Medians of so many rounds; memory is known on a GPU, and of the first one's process."""
    found: list[list[Measured]] = [[] for _ in works]
    for turn in range(-1, times):
        for own, work in zip(found, works, strict=True):
            if where.type == "cuda":
                torch.cuda.reset_peak_memory_stats()

            def run(work: Step = work, turn: int = turn) -> None:
                for step in range(steps if turn >= 0 else warm_up):
                    work(step)
                if where.type == "cuda":
                    torch.cuda.synchronize()

            measured = timed(run)[1]
            if turn >= 0:
                own.append(_with_memory(measured, where, first=work is works[0]))
    return [medians([(one, {}) for one in own])[0] for own in found]


def _with_memory(measured: Measured, where: torch.device, first: bool) -> Measured:
    if where.type != "cuda":  # on a CPU others may be at work: what counts is its own time
        return replace(measured, memory=own_memory() if first else None)
    return Measured(measured.wall, None, torch.cuda.max_memory_allocated() / 2**20)


def _profile(step: Step, where: torch.device) -> None:
    """Print where the time goes."""
    with torch.profiler.profile() as profiler:
        for number in range(_PROFILED):
            step(number)
        if where.type == "cuda":
            torch.cuda.synchronize()
    key = f"self_{'device' if where.type == 'cuda' else 'cpu'}_time_total"
    print(profiler.key_averages().table(sort_by=key, row_limit=40, max_name_column_width=60))


def pretrain(given: BenchOptions, steps: int) -> Iterator[SpeedRow]:
    """Pieces of text a second of each recipe; what fills rows up does not count."""
    for recipe in recipe_names():
        for batch in given.batch or (256,):
            compiled = ", compiled" if given.compile else ""
            title = f"pretrain {recipe}, batch {batch}{compiled}"
            if given.wants(title):
                changes = ["network_settings.pointer=false"]
                if given.set is None:
                    found = full_documents(recipe, changes)
                else:
                    found = loaded(given.set, recipe, changes)
                yield pretrained(title, found, batch, steps, given)


def pretrained(
    title: str,
    found: tuple[Inventory, GapTensors, Settings],
    batch: int,
    steps: int,
    given: BenchOptions,
) -> SpeedRow:
    """The row of a network."""
    inventory, data, settings = found
    where = torch.device(given.device or _device())
    torch.manual_seed(1)
    network = DocumentEncoder(inventory, **settings)
    drawn = batches(network.extents(data), batch, where)
    network, data = network.to(where), data.to(where)
    if given.compile:
        network.compile(dynamic=True)
    counted = [0, 0]

    def chosen(_: int) -> tuple[Tensor, int]:
        gaps, width, pieces = next(drawn)
        counted[0] += pieces
        counted[1] += row_width(width, where) * len(gaps)
        return gaps, width

    bf16 = where.type == "cuda" or has_bfloat16()
    work = _trained(network, data, chosen, bf16)
    warm_up = _UNTIL_RECORDED if where.type == "cuda" else 1
    (ours,) = _in_turns([work], steps, warm_up, given.times, where)
    share, all_steps = counted[0] / counted[1], warm_up + steps * given.times
    if given.profile:
        _profile(work, where)
    pieces = round(counted[0] / all_steps * steps)
    figures = {"filled up %": 100 * (1 - share), "gaps/s": batch * steps / ours.wall}
    figures["pieces/s"] = pieces / ours.wall
    return SpeedRow(title, ours, pieces, "pieces", figures=figures)


def full_documents(recipe: str, changes: Sequence[str]) -> tuple[Inventory, GapTensors, Settings]:
    """Random text without tags in which every row is full, and every twentieth piece a pronoun."""
    generator = torch.Generator().manual_seed(1)
    words = ("<pad>", "<unk>", GAP_WORD, *map(str, range(_PIECES - 3)))
    vocabularies = {
        "piece": Vocabulary(words, (1,) * len(words)),
        "agreement": Vocabulary(tuple(map(str, range(15))), (1,) * 15),
        **closed_vocabularies((SOURCE_NOUN, TARGET_NOUN)),
    }
    kinds = len(vocabularies[NOUN_VOCABULARY])
    size = _DOCUMENT_GAPS * _SENTENCE
    nouns = (SOURCE_NOUN.name, TARGET_NOUN.name)

    def drawn(low: int, high: int) -> Tensor:
        return torch.randint(low, high, (size,), generator=generator)

    shown = drawn(3, _PIECES)
    target = torch.where(drawn(0, 20) == 0, 2, shown)
    target[_SENTENCE // 2 :: _SENTENCE] = 2
    columns = {
        "source_piece": drawn(3, _PIECES),
        "target_piece": target,
        "shown_piece": shown,
        "source_agreement": drawn(2, 15),
        "target_agreement": drawn(2, 15),
        # A word of five is a noun.
        **{name: torch.where(drawn(0, 5) == 0, drawn(3, kinds), 2) for name in nouns},
    }
    labels = torch.randint(0, 9, (_DOCUMENT_GAPS,), generator=generator)
    system = system_of(recipe, ["network_settings.tags=false", *changes])
    inventory = Inventory(vocabularies, tuple(map(str, range(9))))
    return inventory, _full_rows(columns, {}, labels, _SENTENCE), system.network_settings


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
