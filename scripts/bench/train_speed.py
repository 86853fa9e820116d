"""Training speed of the networks at their default shapes, against plain transcriptions of them.

Run: python -m crosspro.scripts.bench.train_speed [--network turku_gru nyu_nmt] [--device cuda]
     [--batch 1000 4096] [--steps 30]
Vocabulary 50,000, every row full, forward, backward and optimiser included: Turku's windows of 50
tokens on every side, for the others sentences of 31 tokens, for UU-Hardmeier with those before.
Every measurement has a process of its own, so that its memory is. On a machine whose speed wavers
--ratio is the better measure: steps of both networks in turn, on a CPU by the time that the process
had of it. With --profile also where the time of our network goes, and on a GPU how many kernels a
step has and for which part of it they keep the GPU busy; what is missing to all is waited for.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from statistics import median

import torch

from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.networks.hardmeier_anaphora import HardmeierAnaphora
from crosspro.prediction.neural.networks.hardmeier_cnn import HardmeierCNN
from crosspro.prediction.neural.networks.nyu_nmt import NyuNMT
from crosspro.prediction.neural.networks.turku_gru import TurkuGRU
from crosspro.prediction.neural.networks.ukyoto_attention import UkyotoAttention
from crosspro.prediction.neural.networks.uppsala_bilstm import UppsalaBiLSTM
from crosspro.prediction.neural.reading.tensors import GapTensors
from crosspro.prediction.neural.reading.vocabulary import Inventory, Vocabulary
from crosspro.scripts.bench.plain_hardmeier import PlainHardmeierAnaphora, PlainHardmeierCNN
from crosspro.scripts.bench.plain_networks import (
    PlainNyu,
    PlainTurku,
    PlainUkyoto,
    PlainUppsala,
)

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


@dataclass(frozen=True)
class MeasuredNetworks:
    """What is measured: networks by name, ours and a plain one among them, at a row's length.

    `context` is how many rows before its own are a gap's context.
    """

    length: int
    networks: Mapping[str, Callable[[Inventory], Network]]
    context: int = 0


NETWORKS = {
    "turku_gru": MeasuredNetworks(
        101,
        {
            "ours": TurkuGRU,
            "ours without graphs": partial(TurkuGRU, cuda_graphs=False),
            "plain": PlainTurku,
        },
    ),
    "uppsala_bilstm": MeasuredNetworks(31, {"ours": UppsalaBiLSTM, "plain": PlainUppsala}),
    "nyu_nmt": MeasuredNetworks(31, {"ours": NyuNMT, "plain": PlainNyu}),
    "ukyoto_attention": MeasuredNetworks(31, {"ours": UkyotoAttention, "plain": PlainUkyoto}),
    "hardmeier_cnn": MeasuredNetworks(31, {"ours": HardmeierCNN, "plain": PlainHardmeierCNN}, 1),
    "hardmeier_anaphora": MeasuredNetworks(
        31, {"ours": HardmeierAnaphora, "plain": PlainHardmeierAnaphora}, 3
    ),
}


def make_data(length: int, device: str, context: int = 0) -> GapTensors:
    """Random sentences of one length with the gap in the middle: every row is full."""
    generator = torch.Generator().manual_seed(1)
    start = torch.arange(_GAPS) * length
    low = (start - context * length).clamp(min=0)
    middle, end = start + length // 2, start + length
    columns = {
        name: torch.randint(2, len(words), (_GAPS * length,), generator=generator)
        for name, words in WORDS.items()
        if name not in ("pronoun", "character")
    }
    columns["pronoun"] = torch.randint(2, 1000, (_GAPS,), generator=generator)
    columns["character"] = columns["source"]  # a word and its spelling have one number
    characters = torch.randint(2, SIZES["character"], (SIZES["source"], 8), generator=generator)
    return GapTensors(
        columns,
        spellings={"character": characters},
        target_position=middle,
        source_position=middle,
        head_position=middle,
        target_low=low,
        target_start=start,
        target_high=end,
        source_low=low,
        source_start=start,
        source_high=end,
        label=torch.randint(0, 8, (_GAPS,), generator=generator),
    ).to(device)


def training(network: Network, data: GapTensors, batch: int, bf16: bool) -> Callable[[int], None]:
    """What trains the network for the step of a number."""
    device = data.label.device
    network.to(device).train()
    optimiser = torch.optim.AdamW(network.parameters(), fused=device.type == "cuda")
    width = int(network.extents(data).max())
    weights = torch.ones(len(INVENTORY.classes), device=device)

    def train(step: int) -> None:
        gaps = (torch.arange(batch, device=device) + step * batch) % len(data.label)
        with torch.autocast(device.type, torch.bfloat16) if bf16 else nullcontext():
            loss = network.loss(data, gaps, width, weights, 0.0).mean()
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


def ratio(network: str, device: str, batch: int, steps: int, bf16: bool, threads: int) -> str:
    """The line that compares ours and plain, from the medians of steps that take turns."""
    torch.set_num_threads(threads)
    compared = NETWORKS[network]
    data = make_data(compared.length, device, compared.context)
    trainings = {
        name: training(compared.networks[name](INVENTORY), data, batch, bf16)
        for name in ("ours", "plain")
    }
    now = time.perf_counter if device == "cuda" else time.process_time
    seconds: dict[str, list[float]] = {name: [] for name in trainings}
    for step in range(steps + _WARM_UP):
        for name in sorted(trainings, reverse=step % 2 == 0):
            _wait(data.label.device)
            start = now()
            trainings[name](step)
            _wait(data.label.device)
            seconds[name].append(now() - start)
    ours, plain = (median(seconds[name][_WARM_UP:]) for name in ("ours", "plain"))
    return (
        f"{network:16} batch {batch:5} {'bf16' if bf16 else 'fp32'}: ours {batch / ours:,.0f}, "
        f"plain {batch / plain:,.0f} examples/s, ratio {plain / ours:.2f}"
    )


def _memory(device: str) -> float:
    """The most memory that was used: of the GPU, or of the process."""
    if device != "cuda":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return torch.cuda.max_memory_allocated() / 2**20


def _profile(network: Network, data: GapTensors, batch: int, bf16: bool) -> None:
    if data.label.is_cuda:
        print(busy(network, data, batch, bf16))
    with torch.profiler.profile() as profiler:
        speed(network, data, batch, 5, bf16)
    key = "self_device_time_total" if data.label.is_cuda else "self_cpu_time_total"
    print(profiler.key_averages().table(sort_by=key, row_limit=12, max_name_column_width=60))


def busy(network: Network, data: GapTensors, batch: int, bf16: bool) -> str:
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


def measure(
    network: str, name: str, device: str, batch: int, steps: int, bf16: bool, threads: int
) -> str:
    """The line of one network."""
    torch.set_num_threads(threads)
    compared = NETWORKS[network]
    data = make_data(compared.length, device, compared.context)
    rate = speed(compared.networks[name](INVENTORY), data, batch, steps, bf16)
    precision = "bf16" if bf16 else "fp32"
    return (
        f"{network:16} {name:19} batch {batch:5} {precision}: {rate:10,.0f} examples/s, "
        f"{_memory(device):,.0f} MB"
    )


def main() -> None:
    """Print examples/s of the networks for each batch size and precision."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--batch", type=int, nargs="+", default=[1000, 4096])
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ratio", action="store_true")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    on_gpu = options.device == "cuda"
    context = multiprocessing.get_context("spawn")
    kinds = [
        (network, bf16, batch)
        for network in options.network
        for bf16 in ((False, True) if on_gpu else (False,))
        for batch in options.batch
    ]
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as pool:
        for network, bf16, batch in kinds:
            how = (options.device, batch, options.steps, bf16, options.threads)
            if options.ratio:
                print(pool.submit(ratio, network, *how).result(), flush=True)
                continue
            compared = NETWORKS[network]
            for name in compared.networks if on_gpu else ("ours", "plain"):
                print(pool.submit(measure, network, name, *how).result(), flush=True)
            if options.profile:
                data = make_data(compared.length, options.device, compared.context)
                _profile(compared.networks["ours"](INVENTORY), data, batch, bf16)


if __name__ == "__main__":
    main()
