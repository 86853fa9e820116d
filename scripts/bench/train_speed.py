"""Training speed of the Turku network at its published shapes, against eight separate nn.GRUs.

Run: python -m crosspro.scripts.bench.train_speed [--device cuda] [--batch 1000 4096] [--steps 30]
Windows of 50 tokens on every side, vocabulary 50,000, forward, backward and optimiser included.
Every measurement has a process of its own, so that its memory is. On a machine whose speed wavers
--ratio is the better measure: steps of both networks in turn. With --profile also where the time of
our network goes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from statistics import median

import torch
from torch import Tensor, nn

from crosspro.prediction.neural.network import Inventory, Network
from crosspro.prediction.neural.networks.turku_gru import STREAMS, TurkuGRU
from crosspro.prediction.neural.tensors import GapTensors
from crosspro.prediction.neural.vocabulary import Vocabulary

_WARM_UP = 5
LENGTH = 101
WINDOW = 50
SIZES = {field.name: 50_000 for field in TurkuGRU.fields} | {"tag": 20}
INVENTORY = Inventory(
    {name: Vocabulary(tuple(map(str, range(n))), (1,) * n) for name, n in SIZES.items()},
    classes=tuple(map(str, range(8))),
)


class PlainTurku(Network):
    """The same network as one writes it first: a GRU module for each stream."""

    def __init__(self, inventory: Inventory) -> None:
        super().__init__()
        self.inner = TurkuGRU(inventory)
        self.grus = nn.ModuleList(nn.GRU(90, 90, 2, batch_first=True) for _ in range(8))

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """Scores as in `TurkuGRU`, all windows full."""
        states = []
        centre = data.target_position[gaps]
        for step in (-1, 1):
            for number, field in enumerate(STREAMS):
                places = centre[:, None] + step * torch.arange(1, WINDOW + 1, device=gaps.device)
                inputs = self.inner.embeddings[field.name](data[field.name][places])
                states.append(self.grus[number + 4 * (step > 0)](inputs)[0][:, -1])
        states.append(self.inner.embeddings["pronoun"](data["pronoun"][gaps]))
        hidden = torch.relu(self.inner.dense(torch.cat(states, -1)))
        scores: Tensor = self.inner.output(hidden)
        return scores


def make_data(gaps: int, device: str) -> GapTensors:
    """Random sentences of 101 tokens with the gap in the middle: every window is full."""
    generator = torch.Generator().manual_seed(1)
    start = torch.arange(gaps) * LENGTH
    columns = {
        field.name: torch.randint(2, SIZES[field.name], (gaps * LENGTH,), generator=generator)
        for field in STREAMS
    }
    columns["pronoun"] = torch.randint(2, 1000, (gaps,), generator=generator)
    return GapTensors(
        columns,
        spellings={},
        target_position=start + WINDOW,
        source_position=start + WINDOW,
        head_position=start + WINDOW,
        target_low=start,
        target_start=start,
        target_high=start + LENGTH,
        source_low=start,
        source_start=start,
        source_high=start + LENGTH,
        label=torch.randint(0, 8, (gaps,), generator=generator),
    ).to(device)


def training(network: nn.Module, data: GapTensors, batch: int, bf16: bool) -> Callable[[int], None]:
    """What trains the network for the step of a number."""
    device = data.label.device
    network.to(device).train()
    optimiser = torch.optim.AdamW(network.parameters(), fused=device.type == "cuda")

    def train(step: int) -> None:
        gaps = (torch.arange(batch, device=device) + step * batch) % len(data.label)
        with torch.autocast(device.type, torch.bfloat16) if bf16 else nullcontext():
            loss = nn.functional.cross_entropy(
                network(data, gaps, WINDOW).float(), data.label[gaps]
            )
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()

    return train


def speed(network: nn.Module, data: GapTensors, batch: int, steps: int, bf16: bool) -> float:
    """Examples per second in training."""
    train = training(network, data, batch, bf16)
    for step in range(steps + _WARM_UP):
        if step == _WARM_UP:
            _wait(data.label.device)
            start = time.perf_counter()
        train(step)
    _wait(data.label.device)
    return batch * steps / (time.perf_counter() - start)


def ratio(device: str, batch: int, steps: int, bf16: bool, threads: int) -> str:
    """The line that compares both networks, from the medians of steps that take turns."""
    torch.set_num_threads(threads)
    data = make_data(8192, device)
    trainings = {name: training(NETWORKS[name](), data, batch, bf16) for name in ("ours", "plain")}
    seconds: dict[str, list[float]] = {name: [] for name in trainings}
    for step in range(steps + _WARM_UP):
        for name in sorted(trainings, reverse=step % 2 == 0):
            _wait(data.label.device)
            start = time.perf_counter()
            trainings[name](step)
            _wait(data.label.device)
            seconds[name].append(time.perf_counter() - start)
    ours, plain = (median(seconds[name][_WARM_UP:]) for name in ("ours", "plain"))
    return (
        f"batch {batch:5} {'bf16' if bf16 else 'fp32'}: ours {batch / ours:,.0f}, "
        f"plain {batch / plain:,.0f} examples/s, ratio {plain / ours:.2f}"
    )


def _memory(device: str) -> float:
    """The most memory that was used: of the GPU, or of the process."""
    if device != "cuda":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return torch.cuda.max_memory_allocated() / 2**20


def _profile(network: nn.Module, data: GapTensors, batch: int, bf16: bool) -> None:
    with torch.profiler.profile() as profiler:
        speed(network, data, batch, 5, bf16)
    key = "self_device_time_total" if data.label.is_cuda else "self_cpu_time_total"
    print(profiler.key_averages().table(sort_by=key, row_limit=12, max_name_column_width=60))


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def measure(name: str, device: str, batch: int, steps: int, bf16: bool, threads: int) -> str:
    """The line of one network."""
    torch.set_num_threads(threads)
    data = make_data(8192, device)
    rate = speed(NETWORKS[name](), data, batch, steps, bf16)
    precision = "bf16" if bf16 else "fp32"
    return (
        f"{name:19} batch {batch:5} {precision}: {rate:10,.0f} examples/s, "
        f"{_memory(device):,.0f} MB"
    )


NETWORKS: dict[str, Callable[[], Network]] = {
    "ours": lambda: TurkuGRU(INVENTORY),
    "ours without graphs": lambda: TurkuGRU(INVENTORY, cuda_graphs=False),
    "plain": lambda: PlainTurku(INVENTORY),
}


def main() -> None:
    """Print examples/s of both networks for each batch size and precision."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--batch", type=int, nargs="+", default=[1000, 4096])
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ratio", action="store_true")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    on_gpu = options.device == "cuda"
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as pool:
        for bf16 in (False, True) if on_gpu else (False,):
            for batch in options.batch:
                how = (options.device, batch, options.steps, bf16, options.threads)
                if options.ratio:
                    print(pool.submit(ratio, *how).result(), flush=True)
                    continue
                for name in NETWORKS if on_gpu else ("ours", "plain"):
                    print(pool.submit(measure, name, *how).result(), flush=True)
                if options.profile:
                    data = make_data(8192, options.device)
                    _profile(TurkuGRU(INVENTORY), data, batch, bf16)


if __name__ == "__main__":
    main()
