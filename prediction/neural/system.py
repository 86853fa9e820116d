"""Neural systems: a network, its vocabularies and its training, behind the System interface.

A saved one is `network.safetensors`, `encoder.json` and the settings in `system.json`. While it
trains, its folder holds Lightning checkpoints, from which an interrupted run goes on.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from crosspro.data_prep.errors import CrossproError, InputError, Problem, choices, input_error
from crosspro.data_prep.example import Example
from crosspro.data_prep.formats.textfile import write_text
from crosspro.data_prep.task import Task
from crosspro.prediction.adjustment import adjust, tune_tau
from crosspro.prediction.dev_score import MONITORS, dev_score
from crosspro.prediction.neural.batches import Batches, FixedBatches
from crosspro.prediction.neural.encoding import (
    EncodedData,
    Encoder,
    cached_encoding,
    encode,
    encoder_from_json,
    fit_encoder,
)
from crosspro.prediction.neural.flat_text import FlatText, flatten
from crosspro.prediction.neural.networks.turku_gru import STREAM_FIELDS, TurkuGRU
from crosspro.prediction.neural.networks.uppsala_bilstm import UppsalaBiLSTM
from crosspro.prediction.neural.pretraining import Pretraining, pretrain
from crosspro.prediction.neural.sampling import (
    POLICIES,
    Indices,
    Sampler,
    batch_size,
    class_weights,
)
from crosspro.prediction.neural.sections import network_problems, section
from crosspro.prediction.neural.subwords import Units, load_units, train_units
from crosspro.prediction.neural.tensors import GapTensors, extents, gap_tensors
from crosspro.prediction.neural.training_checks import (
    check_batches,
    check_context,
    check_heads,
    check_labels,
    check_parse,
)
from crosspro.prediction.neural.training_settings import (
    ACCELERATORS,
    DECAYS,
    PRECISIONS,
    Optimisation,
    TrainerSettings,
)
from crosspro.prediction.system import Probabilities, System, load_system, read_json_object

NETWORKS: dict[str, type[TurkuGRU] | type[UppsalaBiLSTM]] = {
    "turku_gru": TurkuGRU,
    "uppsala_bilstm": UppsalaBiLSTM,
}
UNITS = ("words", "sentencepiece")
_ADJUSTMENT = "adjustment.json"
_MAY_CHANGE = ("dropout", "word_dropout", "cuda_graphs")
"""Settings of a network in which fine-tuning may differ from the run it begins with."""


@dataclass(frozen=True)
class Training:
    """What is learnt from, and how; see `conf/system/turku_gru_2016.yaml` for each setting."""

    min_count: int = 2
    lowercase: bool = True
    context: int = 0
    units: str = "words"
    unit_vocabulary: int = 8000
    batch_size: int = 1000
    min_steps: int = 0
    class_weight_power: float = 1.0
    sampling: str = "all"
    share: float = 1.0
    monitor: str = "macro_recall"
    tune_adjustment: bool = False


class NeuralSystem(System):
    """A network from `NETWORKS`, trained with Lightning."""

    name = "neural"

    def __init__(
        self,
        network: str,
        network_settings: Mapping[str, Any] | None = None,
        training: Mapping[str, Any] | None = None,
        optimisation: Mapping[str, Any] | None = None,
        pretraining: Mapping[str, Any] | None = None,
        trainer: Mapping[str, Any] | None = None,
        init_from: str | None = None,
        seed: int = 1,
    ) -> None:
        if network not in NETWORKS:
            raise input_error("settings", "system.network", choices(NETWORKS), repr(network))
        self.name = network
        self.network_settings = dict(network_settings or {})
        problems = network_problems(network, self.network_settings, _arguments(network))
        self.training = section(
            Training,
            "system.training",
            training,
            problems,
            {
                "batch_size": (1, inf),
                "share": (1e-6, 1),
                "unit_vocabulary": (10, inf),
                "class_weight_power": (0, 5),
            },
            {"sampling": POLICIES, "monitor": MONITORS, "units": UNITS},
        )
        self.optimisation = section(
            Optimisation,
            "system.optimisation",
            optimisation,
            problems,
            {"label_smoothing": (0, 0.999)},
            {"decay": DECAYS},
        )
        least = {"threads": (1, 1024), "max_epochs": (1, inf), "checkpoint_epochs": (1, inf)}
        named = {"accelerator": ACCELERATORS, "precision": PRECISIONS}
        self.trainer = section(TrainerSettings, "trainer", trainer, problems, least, named)
        self.pretraining = section(
            Pretraining, "system.pretraining", pretraining, problems, {"window": (1, 1000)}
        )
        if init_from is not None and not (isinstance(init_from, str) and init_from):
            expected, found = "the folder of a run, or null", repr(init_from or "nothing")
            problems.append(Problem("settings", None, "system.init_from", expected, found))
        if problems:
            raise InputError(problems)
        self.init_from = init_from
        self.seed = seed
        self.tau = 0.0
        self.frequencies: NDArray[np.float64] = np.zeros(0)
        self.units: Units | None = None
        self.encoder: Encoder
        self.network: TurkuGRU | UppsalaBiLSTM

    def resolved_settings(self) -> dict[str, Any]:
        """The sections with their defaults, as fine-tuning may have changed them."""
        return {
            "network_settings": self.network_settings,
            "training": asdict(self.training),
            "optimisation": asdict(self.optimisation),
            "pretraining": asdict(self.pretraining),
            "trainer": asdict(self.trainer),
        }

    @property
    def context(self) -> int:
        """How many sentences before a gap's own the windows may reach into."""
        return self.training.context

    def fit(
        self,
        task: Task,
        train: Sequence[Example],
        dev: Sequence[Example],
        folder: Path | None = None,
    ) -> None:
        """Train on labelled examples; the epoch with the best dev score is kept."""
        # Lightning takes seconds to import: neither a prediction nor a wrong setting waits for it.
        from crosspro.prediction.neural.classifier import GapClassifier
        from crosspro.prediction.neural.trainer import NetworkTrainer

        monitor, clipping = self.training.monitor, self.optimisation.gradient_clipping
        trainer = NetworkTrainer(self.trainer, f"dev_{monitor}", clipping, folder)
        self.task = task
        torch.set_num_threads(self.trainer.threads)
        torch.manual_seed(self.seed)
        earlier = self._earlier_run()
        if earlier:
            if self.training.units == "sentencepiece" and earlier.units is None:
                found = "words, which the run to go on from has"
                raise input_error("settings", "system.training.units", "words", found)
            self.units = earlier.units
            same = earlier.training
            self.training = replace(
                self.training,
                units=same.units,
                lowercase=same.lowercase,
                context=self.training.context or same.context,
            )
        elif self.training.units == "sentencepiece":
            size = self.training.unit_vocabulary
            self.units = train_units(train, size, self.training.lowercase)
        check_context(self.training.context, train)
        text, dev_text = self._flat(train), self._flat(dev)
        self.encoder = earlier.encoder if earlier else fit_encoder(text, self.training.min_count)
        shared = self.trainer.encoded_dir
        cache = Path(shared) if shared else folder / "encoded" if folder else None
        data = cached_encoding(text, self.encoder, task, cache)
        train_tensors = gap_tensors(data, self.training.context)
        dev_data = cached_encoding(dev_text, self.encoder, task, cache)
        dev_tensors = gap_tensors(dev_data, self.training.context)
        labels = train_tensors.label.numpy().astype(np.int32)
        check_labels(labels, dev_data.label)
        self.network = self._new_network()
        check_parse(self.network, chain(train, dev))
        check_heads(self.network, train)
        if earlier:
            self.network.load_state_dict(earlier.network.state_dict())
        elif self.pretraining.epochs:
            self._pretrain(data)
        classes = len(task.classes)
        shares = np.bincount(dev_tensors.label.numpy(), minlength=classes) / len(dev_tensors.label)
        sampler = Sampler(self.training.sampling, self.training.share, tuple(shares))  # type: ignore[arg-type]
        limit = self.network.window
        drawn = int((labels >= 0).sum() * self.training.share)
        size = batch_size(self.training.batch_size, drawn, self.training.min_steps)
        batches = Batches(train_tensors, classes, size, limit, sampler, self.seed)
        check_batches(len(batches), labels, self.training.share)
        weights = class_weights(labels, classes, self.training.class_weight_power)
        module = GapClassifier(
            self.network,
            train_tensors,
            dev_tensors,
            batches,
            FixedBatches(_in_order(dev_tensors, limit, self.training.batch_size)),
            torch.from_numpy(weights),
            self.optimisation,
            self.seed,
        )
        trainer.fit(module, self._identity(text, dev_text))
        self.network.eval().cpu()
        counts = np.bincount(labels[labels >= 0], minlength=classes)
        self.frequencies = counts / counts.sum()
        if self.training.tune_adjustment:
            score = dev_score(task, dev, self.training.monitor)
            self.tau = tune_tau(self._raw(dev), self.frequencies, score)

    def _flat(self, examples: Sequence[Example]) -> FlatText:
        """The examples end to end, in the units of the encoder: words, or sub-words."""
        lowercase = self.training.lowercase
        return flatten(self.units.split(examples, lowercase) if self.units else examples, lowercase)

    def _identity(self, train: FlatText, dev: FlatText) -> dict[str, Any]:
        """What a run must have in common with the one that it continues."""
        settings = {key: value for key, value in self.settings().items() if key != "trainer"}
        classes = list(self.task.classes)
        return {"classes": classes, **settings, "train": train.digest, "dev": dev.digest}

    def _device(self) -> torch.device:
        """Where everything but Lightning runs."""
        wanted = self.trainer.accelerator in ("auto", "gpu", "cuda")
        return torch.device("cuda" if wanted and torch.cuda.is_available() else "cpu")

    def _earlier_run(self) -> NeuralSystem | None:
        """The run to go on from (fine-tuning), which must have the same network and classes."""
        if not self.init_from:
            return None
        folder = Path(self.init_from)
        earlier = load_system(folder)
        same = isinstance(earlier, NeuralSystem) and earlier.name == self.name
        if not same or earlier.task.classes != self.task.classes:
            expected = f"a run of {self.name} with the classes of {self.task.name}"
            found = f"{earlier.name} for {earlier.task.name}"
            raise input_error(folder, "init_from", expected, found)
        assert isinstance(earlier, NeuralSystem)  # noqa: S101 - for the type checker
        defaults = _arguments(self.name)
        one, other = ({**defaults, **s.network_settings} for s in (earlier, self))
        changed = [key for key in defaults if one[key] != other[key] and key not in _MAY_CHANGE]
        if changed:
            expected = "a run whose network has " + ", ".join(f"{k} {other[k]}" for k in changed)
            found = ", ".join(f"{k} {one[k]}" for k in changed)
            raise input_error(folder, "init_from", expected, found)
        return earlier

    def _pretrain(self, data: EncodedData) -> None:
        if not isinstance(self.network, TurkuGRU):
            raise CrossproError("settings: pretraining: expected turku_gru, found " + self.name)
        tables = pretrain(
            data,
            self.encoder.vocabularies,
            STREAM_FIELDS,
            self.network.dimension,
            len(self.task.classes),
            self.pretraining,
            self.seed,
            self._device(),
        )
        self.network.load_embeddings(tables)

    def _new_network(self) -> TurkuGRU | UppsalaBiLSTM:
        sizes = {name: len(v) for name, v in self.encoder.vocabularies.items()}
        settings = dict(self.network_settings)
        if self.name == "uppsala_bilstm":
            settings["counts"] = {
                name: torch.tensor(self.encoder.vocabularies[name].counts)
                for name in ("source", "lemma")
            }
        return NETWORKS[self.name](sizes, len(self.task.classes), **settings)

    def predict(self, examples: Sequence[Example]) -> Probabilities:
        """Softmax of the network's scores, adjusted for class frequency if that was tuned."""
        chances = self._raw(examples)
        return adjust(chances, self.frequencies, self.tau) if self.tau else chances

    def _raw(self, examples: Sequence[Example]) -> Probabilities:
        check_parse(self.network, examples)
        torch.set_num_threads(self.trainer.threads)
        data = encode(self._flat(examples), self.encoder, self.task)
        tensors = gap_tensors(data, self.training.context)
        if not len(tensors.label):
            return np.zeros((0, len(self.task.classes)))
        device = self._device()
        network, tensors = self.network.to(device).eval(), tensors.to(device)
        limit = self.network.window
        found = np.zeros((len(tensors.label), len(self.task.classes)))
        with torch.inference_mode():
            for gaps, width in _in_order(tensors, limit, 2048):
                scores: Tensor = network(tensors, torch.from_numpy(gaps).to(device), width)
                found[gaps] = torch.softmax(scores.double(), -1).cpu().numpy()
        network.cpu()
        return found

    def save_state(self, folder: Path) -> None:
        """Write the weights and the vocabularies."""
        tensors = {k: v.contiguous().cpu() for k, v in self.network.state_dict().items()}
        try:
            save_file(tensors, folder / "network.safetensors")
        except SafetensorError as error:  # a full disk, most of the time
            raise CrossproError(f"{folder / 'network.safetensors'}: {error}") from error
        if self.units:
            self.units.save(folder)
        write_text(folder / "encoder.json", json.dumps(self.encoder.to_json(), ensure_ascii=False))
        adjustment = {"tau": self.tau, "frequencies": self.frequencies.tolist()}
        write_text(folder / _ADJUSTMENT, json.dumps(adjustment))

    def load_state(self, folder: Path) -> None:
        """Read the weights and the vocabularies; a damaged or foreign file is refused."""
        path = folder / "encoder.json"
        self.encoder = encoder_from_json(read_json_object(path), path)
        if self.training.units == "sentencepiece":
            self.units = load_units(folder)
        weights = folder / "network.safetensors"
        try:
            self.network = self._new_network()
            self.network.load_state_dict(load_file(weights))
        except (OSError, SafetensorError, RuntimeError, TypeError) as error:
            found = " ".join(str(error).split()[:40])
            raise input_error(weights, "weights", f"those of {self.name}", found) from error
        self.network.eval()
        adjustment = read_json_object(folder / _ADJUSTMENT)
        try:
            self.tau = float(adjustment["tau"])
            self.frequencies = np.array(adjustment["frequencies"], dtype=np.float64)
        except (KeyError, TypeError, ValueError) as error:
            expected = "tau and frequencies"
            raise input_error(folder / _ADJUSTMENT, "file", expected, str(error)) from error
        known = self.frequencies.shape == (len(self.task.classes),)
        if not known or not np.isfinite([self.tau, *self.frequencies]).all():
            expected = f"a finite tau and {len(self.task.classes)} finite frequencies"
            raise input_error(folder / _ADJUSTMENT, "file", expected, "others")


def _arguments(network: str) -> dict[str, Any]:
    """The arguments of a network that settings may name, with their defaults."""
    parameters = inspect.signature(NETWORKS[network]).parameters
    return {
        name: parameter.default
        for name, parameter in parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.default is not None
    }


def _in_order(tensors: GapTensors, limit: int, size: int) -> list[tuple[Indices, int]]:
    """All gaps in batches of similar extent, the same every time."""
    widths = extents(tensors, limit)
    order = np.argsort(widths, kind="stable")
    groups = [order[i : i + size] for i in range(0, len(order), size)]
    return [(group, int(widths[group].max())) for group in groups]
