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
from typing import Any, NamedTuple

import torch
from torch import Tensor

from crosspro.evaluation.leaderboard.speed import Measured, SpeedRow
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
from crosspro.prediction.neural.reading.lexicon_fields import NOUN_VOCABULARY as NOUN
from crosspro.prediction.neural.reading.lexicon_fields import SOURCE_NOUN, TARGET_NOUN
from crosspro.prediction.neural.reading.tensors import GapTensors, has_bfloat16
from crosspro.prediction.neural.reading.vocabulary import Inventory, Vocabulary
from crosspro.prediction.neural.training.recording import RecordedLosses
from crosspro.scripts.bench.measure import apart, medians, own_memory, timed
from crosspro.scripts.bench.table import BenchOptions, ratio_of
from crosspro.scripts.pretraining_recipes import recipe_names, system_of

_WARM_UP = 5
_GAPS = 8192
_DOCUMENT_GAPS = 4096
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
    """A network to measure, its transcription in plain PyTorch, which the tests of a checkout have,
    the length of its rows, and how many rows before are its context."""

    network: Callable[..., Network]
    plain: str = ""
    length: int = 31
    context: int = 0


NETWORKS = {
    "turku_gru": Shape(TurkuGRU, length=101),
    "uppsala_bilstm": Shape(UppsalaBiLSTM, "PlainUppsala"),
    "nyu_nmt": Shape(NyuNMT, "PlainNyu"),
    "ukyoto_attention": Shape(UkyotoAttention, "PlainUkyoto"),
    "hardmeier_cnn": Shape(HardmeierCNN, "PlainHardmeierCNN", context=1),
    "hardmeier_anaphora": Shape(HardmeierAnaphora, "PlainHardmeierAnaphora", context=3),
}


def train(given: BenchOptions, steps: int) -> Iterator[SpeedRow]:
    """Ours and a plain network in turns; each pair has a process of its own."""
    device = given.device or _device()
    precisions = (False, True) if device == "cuda" else (False,)
    for name, bf16, batch in product(NETWORKS, precisions, given.batch or (1000,)):
        title = f"train {name}, batch {batch}, {'bf16' if bf16 else 'fp32'}"
        if given.wants(title):
            ours, theirs = apart(measured, name, device, batch, steps, bf16, given.times)
            size = batch * steps
            speed = {"examples/s": size / ours.wall}
            ratio, peer = ratio_of(ours, theirs), "plain PyTorch" if theirs else ""
            yield SpeedRow(title, ours, size, "examples", peer, theirs, ratio, figures=speed)


def pretrain(given: BenchOptions, steps: int) -> Iterator[SpeedRow]:
    """Pieces of text a second of each recipe, in a process of its own."""
    for recipe, batch in product(recipe_names(), given.batch or (256,)):
        title = f"pretrain {recipe}, batch {batch}"
        if given.wants(title):
            device = given.device or _device()
            ours, places = apart(pretrained, recipe, device, batch, steps, given.times)
            size = batch * steps
            figures = {"pieces/s": size * places / ours.wall, "gaps/s": size / ours.wall}
            yield SpeedRow(title, ours, size * places, "pieces", figures=figures)


def _device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def measured(
    name: str, device: str, batch: int, steps: int, bf16: bool, times: int
) -> tuple[Measured, Measured | None]:
    """A network, and a plain one that does the same, if there is one."""
    torch.set_num_threads(1)
    shape = NETWORKS[name]
    networks = [shape.network(INVENTORY)]
    with suppress(ImportError):
        module = import_module("tests.prediction.neural.plain_networks")
        networks += [getattr(module, shape.plain)(INVENTORY)] if shape.plain else []
    data = make_data(shape.length, device, shape.context)
    ours, *theirs = _in_turns(networks, data, batch, bf16, steps, times)
    return ours, theirs[0] if theirs else None


def pretrained(
    recipe: str, device: str, batch: int, steps: int, times: int, changes: Sequence[str] = ()
) -> tuple[Measured, int]:
    """A recipe's network, and the pieces of a row."""
    where = torch.device(device)
    inventory, data, settings = full_documents(recipe, changes)
    torch.manual_seed(1)
    network, data = DocumentEncoder(inventory, **settings), data.to(where)
    bf16 = where.type == "cuda" or has_bfloat16()
    (ours,) = _in_turns([network], data, batch, bf16, steps, times)
    return ours, network.window


Step = Callable[[int], object]


def training(network: Network, data: GapTensors, batch: int, bf16: bool) -> Step:
    """What trains the network for the step of a number."""
    device = data.label.device
    network.to(device).train()
    optimiser = torch.optim.AdamW(network.parameters(), fused=device.type == "cuda")
    width = int(network.extents(data).max())
    weights = torch.ones(int(data.label.max()) + 1, device=device)
    losses = RecordedLosses(
        network, lambda gaps, width: network.loss(data, gaps, width, weights, 0.0)
    )

    def step(number: int) -> None:
        gaps = (torch.arange(batch, device=device) + number * batch) % len(data.label)
        with torch.autocast(device.type, torch.bfloat16, enabled=bf16):
            loss = losses(gaps, width).mean()
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()

    return step


def _in_turns(
    networks: Sequence[Network], data: GapTensors, batch: int, bf16: bool, steps: int, times: int
) -> list[Measured]:
    """Medians of so many rounds. Memory is what a network adds on a GPU, or that of a process in
    which there is no other."""
    on_gpu = data.label.is_cuda
    works: list[Step] = []
    memory: list[float | None] = [None for _ in networks]

    def steps_of(work: Step, number: int) -> None:
        for step in range(number):
            work(step)
        if on_gpu:
            torch.cuda.synchronize()

    for place, network in enumerate(networks):
        before = torch.cuda.memory_allocated() if on_gpu else 0
        works.append(training(network, data, batch, bf16))
        steps_of(works[-1], _WARM_UP)
        if on_gpu:
            memory[place] = (torch.cuda.max_memory_allocated() - before) / 2**20
            torch.cuda.reset_peak_memory_stats()

    if len(networks) == 1 and not on_gpu:
        memory = [own_memory()]

    def run(work: Step, memory: float | None) -> Measured:
        found = timed(lambda: steps_of(work, steps))[1]
        return replace(found, cpu=None if on_gpu else found.cpu, memory=memory)

    rounds = [[run(*one) for one in zip(works, memory, strict=True)] for _ in range(times)]
    return [medians([(one, {}) for one in own])[0] for own in zip(*rounds, strict=True)]


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


def full_documents(recipe: str, changes: Sequence[str]) -> tuple[Inventory, GapTensors, Settings]:
    """Random text without tags in which every row is full, and every twentieth piece a pronoun."""
    generator = torch.Generator().manual_seed(1)
    words = ("<pad>", "<unk>", GAP_WORD, *map(str, range(_PIECES - 3)))
    vocabularies = {
        "piece": Vocabulary(words, (1,) * len(words)),
        "agreement": Vocabulary(tuple(map(str, range(15))), (1,) * 15),
        **closed_vocabularies((SOURCE_NOUN, TARGET_NOUN)),
    }
    kinds = len(vocabularies[NOUN])
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
    labels = torch.arange(_DOCUMENT_GAPS) % 9
    usual = ("network_settings.tags=false", "network_settings.pointer=false")
    system = system_of(recipe, [*usual, *changes])
    inventory = Inventory(vocabularies, tuple(map(str, range(9))))
    return inventory, _full_rows(columns, {}, labels, _SENTENCE), system.network_settings
