"""Cases of networks: training, pre-training, and the first step."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
import typer
from torch import Tensor

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
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
from crosspro.scripts.bench.measure import Row, apart, own_memory
from crosspro.scripts.pretraining_recipes import recipe_names, system_for_set, system_of

_WARM_UP = 5
_PROFILED = 5
_GAPS = 8192
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

Device = Annotated[str, typer.Option(help="cpu or cuda.")]
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
Settings = dict[str, Any]
"""Those of a network."""


class Measured(NamedTuple):
    """A network to measure: the length of its rows, and how many rows before are its context."""

    network: Callable[..., Network]
    length: int = 31
    context: int = 0


NETWORKS = {
    "turku_gru": Measured(TurkuGRU, 101),
    "uppsala_bilstm": Measured(UppsalaBiLSTM),
    "nyu_nmt": Measured(NyuNMT),
    "ukyoto_attention": Measured(UkyotoAttention),
    "hardmeier_cnn": Measured(HardmeierCNN, context=1),
    "hardmeier_anaphora": Measured(HardmeierAnaphora, context=3),
}


def train(
    network: list[str] = list(NETWORKS),  # noqa: B006 - Typer copies it
    device: Device = DEVICE,
    batch: list[int] = [1000, 4096],  # noqa: B006 - Typer copies it
    steps: int = 30,
    threads: int = 1,
    profile: Annotated[bool, typer.Option("--profile", help="Where the time goes.")] = False,
) -> Iterator[Row]:
    """Training of networks at their default shapes.

    Vocabulary 50,000, every row full, forward, backward and optimiser included: Turku's windows of
    50 tokens on every side, for the others sentences of 31 tokens, for UU-Hardmeier with those
    before. Every measurement has a process of its own, so that its memory is.
    """
    precisions = (False, True) if device == "cuda" else (False,)
    for name, bf16, size in product(network, precisions, batch):
        yield apart(measured, name, device, size, steps, bf16, threads)
        if profile:
            chosen = NETWORKS[name]
            data = make_data(chosen.length, device, chosen.context)
            yield {"": _profile(chosen.network(INVENTORY), data, size, bf16)}


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


def training(network: Network, data: GapTensors, batch: int, bf16: bool) -> Callable[[int], None]:
    """What trains the network for the step of a number."""
    device = data.label.device
    network.to(device).train()
    optimiser = torch.optim.AdamW(network.parameters(), fused=device.type == "cuda")
    width = int(network.extents(data).max())
    weights = torch.ones(len(INVENTORY.classes), device=device)
    losses = RecordedLosses(
        network, lambda gaps, width: network.loss(data, gaps, width, weights, 0.0)
    )

    def train(step: int) -> None:
        gaps = (torch.arange(batch, device=device) + step * batch) % len(data.label)
        with torch.autocast(device.type, torch.bfloat16) if bf16 else nullcontext():
            loss = losses(gaps, width).mean()
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()

    return train


def speed(network: Network, data: GapTensors, batch: int, steps: int, bf16: bool) -> float:
    """Examples per second in training."""
    train = training(network, data, batch, bf16)
    for step in range(steps + _WARM_UP):
        if step == _WARM_UP:
            _wait(data.label.device)
            start = time.perf_counter()
        train(step)
    _wait(data.label.device)
    return batch * steps / (time.perf_counter() - start)


def measured(name: str, device: str, batch: int, steps: int, bf16: bool, threads: int) -> Row:
    """The row of a network."""
    torch.set_num_threads(threads)
    chosen = NETWORKS[name]
    data = make_data(chosen.length, device, chosen.context)
    rate = speed(chosen.network(INVENTORY), data, batch, steps, bf16)
    return {
        "": f"{name}, batch {batch}, {'bf16' if bf16 else 'fp32'}:",
        "examples/s": f"{rate:,.0f}",
        "memory": _memory(device),
    }


def _memory(device: str) -> str:
    """The most memory that was used: of the GPU, or of the process."""
    if device != "cuda":
        return own_memory()
    return f"{torch.cuda.max_memory_allocated() / 2**20:,.0f} MB"


def _profile(network: Network, data: GapTensors, batch: int, bf16: bool) -> str:
    """Where the time of training goes, and on a GPU for which part of a step it is busy."""
    busy = _busy(network, data, batch, bf16) if data.label.is_cuda else ""
    with torch.profiler.profile() as profiler:
        speed(network, data, batch, _PROFILED, bf16)
    key = "self_device_time_total" if data.label.is_cuda else "self_cpu_time_total"
    table = profiler.key_averages().table(sort_by=key, row_limit=12, max_name_column_width=60)
    return f"{busy}\n{table}"


def _busy(network: Network, data: GapTensors, batch: int, bf16: bool) -> str:
    """How long kernels run in a step on a GPU, beside the step's time without a profiler."""
    step = batch / speed(network, data, batch, 40, bf16) * 1000
    train = training(network, data, batch, bf16)
    for number in range(_WARM_UP):
        train(number)
    _wait(data.label.device)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
        for number in range(_PROFILED):
            train(number)
        _wait(data.label.device)
    kernels = [event for event in profiler.events() or () if event.device_type.name == "CUDA"]
    running = sum(event.device_time_total for event in kernels) / _PROFILED / 1000
    return (
        f"a step takes {step:.1f} ms, of which the GPU is busy {running / step:.0%}, "
        f"with {len(kernels) / _PROFILED:,.0f} kernels"
    )


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


_DOCUMENT_GAPS = 4096
_UNTIL_RECORDED = 100
"""Steps until the usual widths of rows have come a few times."""
_SENTENCE = 500
_PIECES = 16_000


def pretrain(
    recipe: Annotated[str, typer.Option(help=f"One of {', '.join(recipe_names())}.")] = "documents",
    set: Annotated[
        Path | None, typer.Option(help="A folder of `crosspro pretrain encode`.")
    ] = None,
    change: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="layers, width, heads …")
    ] = None,
    batch: int = 256,
    steps: int = 50,
    device: Device = DEVICE,
    compile: Annotated[bool, typer.Option("--compile")] = False,
    fp32: Annotated[bool, typer.Option("--fp32", help="Not in bf16.")] = False,
    profile: Annotated[bool, typer.Option("--profile", help="Where the time goes.")] = False,
) -> Iterator[Row]:
    """Self-labelled pre-training in pieces of text a second: forward, backward and optimiser.

    Without a folder every row is full (302 pieces of random text for the large network, both
    sides). What fills rows up does not count; its share is shown. Gradients are not clipped, and
    Lightning has no part in it.
    """
    changes = [f"network_settings.{one}" for one in ("pointer=false", *(change or ()))]
    try:
        inventory, data, settings = (
            loaded(set, recipe, changes) if set else full_documents(recipe, changes)
        )
    except InputError as error:
        raise SystemExit(str(error)) from error
    where = torch.device(device)
    torch.manual_seed(1)
    network = DocumentEncoder(inventory, **settings)
    extents = network.extents(data)
    network, data = network.to(where).train(), data.to(where)
    if compile:
        network.compile(dynamic=True)
    optimiser = torch.optim.AdamW(network.parameters(), lr=1e-4, fused=where.type == "cuda")
    weights = torch.ones(len(inventory.classes), device=where)
    calculated = RecordedLosses(
        network, lambda gaps, width: network.loss(data, gaps, width, weights, 0.0)
    )
    drawn = batches(extents, batch, where)
    half = not fp32 and (where.type == "cuda" or has_bfloat16())
    losses: list[Tensor] = []

    def step() -> tuple[int, int]:
        gaps, width, pieces = next(drawn)
        with torch.autocast(where.type, torch.bfloat16, enabled=half):
            loss = calculated(gaps, width).mean()
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()
        losses.append(loss.detach())
        return pieces, row_width(width, where) * len(gaps)

    for _ in range(_UNTIL_RECORDED if where.type == "cuda" else 1):
        step()
    _wait(where)
    began, cpu = time.perf_counter(), time.process_time()
    counted = [step() for _ in range(steps)]
    _wait(where)
    # On a CPU others may be at work: what counts is its own time.
    seconds = time.perf_counter() - began if where.type == "cuda" else time.process_time() - cpu
    pieces, places = (sum(column) for column in zip(*counted, strict=True))
    shape = f"{settings['layers']} layers of {settings['width']}, {network.window} pieces"
    yield {
        "": f"{shape}, batch {batch}, {where.type}{' compiled' if compile else ''}:",
        "pieces/s": f"{pieces / seconds:,.0f}",
        "gaps/s": f"{batch * steps / seconds:,.0f}",
        "filled up": f"{1 - pieces / places:.1%}",
        "memory": _memory(where.type),
        "mean loss": f"{torch.stack(losses).mean():.3f}",
    }
    if profile:
        with torch.profiler.profile() as profiled:
            for _ in range(_PROFILED):
                step()
            _wait(where)
        order = "self_cuda_time_total" if where.type == "cuda" else "self_cpu_time_total"
        yield {"": profiled.key_averages().table(sort_by=order, row_limit=60)}


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


_MARK = "first training step"


def first_step(
    arguments: Annotated[list[str] | None, typer.Argument(help="Settings of train.py.")] = None,
    lines: int = 100_000,
) -> Iterator[Row]:
    """Seconds from the start of `train.py` to its first training step, on the demo corpus.

    Half of them are imports, and far more where the packages have no bytecode (images that were
    built without, PYTHONDONTWRITEBYTECODE), since then every start compiles them; both are said.
    """
    task = load_task("en-fr")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for split, documents in (("train", lines // 10), ("dev", 100), ("test", 10)):
            examples = demo_examples(task, split, documents)[:lines]
            write_examples(folder / f"{split}.data", examples)
            write_doc_ids(folder / f"{split}.doc-ids", examples)
        code = "from crosspro.scripts.bench.networks import until_first_step as f; f()"
        where = ["data=shared_task", f"data.dir={folder}", f"hydra.run.dir={folder / 'run'}"]
        command = [sys.executable, "-c", code, *where, "trainer.progress_bar=false"]
        start = time.perf_counter()
        with subprocess.Popen(
            [*command, *(arguments or ())], stdout=subprocess.PIPE, text=True
        ) as process:
            for line in process.stdout or ():
                if _MARK in line:
                    yield {"": f"{time.perf_counter() - start:.1f} s to the {line.strip()}"}
                    return
        raise SystemExit(f"train.py ended without a step (exit {process.returncode})")


def until_first_step() -> None:
    """Run `train.py` with the arguments of this process, and leave it at its first step."""
    start = time.perf_counter()
    from crosspro.prediction.neural.training.module import GapClassifier
    from crosspro.scripts import train

    imports = time.perf_counter() - start
    compiled = "with" if Path(torch.__spec__.cached or "").is_file() else "without"

    def leave(*_: Any) -> None:
        print(f"{_MARK}, further imports {imports:.1f} s, {compiled} bytecode", flush=True)
        sys.exit()

    GapClassifier.training_step = leave  # type: ignore[method-assign, assignment]
    train.main()
