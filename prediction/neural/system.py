"""Neural systems: a network, its vocabularies and its training, behind the System interface.

A saved one is `network.safetensors`, `encoder.json` and the settings in `system.json`. While it
trains, its folder holds Lightning checkpoints, from which an interrupted run goes on.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.settings import to_mapping
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.pointed_nouns import PointedNouns
from crosspro.prediction.adjustment import Adjustment, load_adjustment, save_adjustment, tune_tau
from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.fit_report import FitReport
from crosspro.prediction.models import chosen_run
from crosspro.prediction.neural.inference import pointed_nouns, probabilities
from crosspro.prediction.neural.layers.network import (
    Network,
    load_weights,
    save_weights,
)
from crosspro.prediction.neural.network_system import NetworkSystem
from crosspro.prediction.neural.reading.encoding import (
    Encoder,
    Reading,
    closed_vocabularies,
    encode,
    fit_and_encode,
)
from crosspro.prediction.neural.reading.lexicon_fields import (
    inflected_text,
    noun_lists,
)
from crosspro.prediction.neural.reading.tensors import GapTensors, device_of, gap_tensors
from crosspro.prediction.neural.training.data import (
    TrainingData,
    check_context,
    check_heads,
    check_parse,
    learn_reading,
    needs_parse,
    training_data,
)
from crosspro.prediction.neural.training.distillation import Teacher, load_teacher, soft_targets
from crosspro.prediction.neural.training.fine_tuning import (
    IN_DOMAIN,
    fine_tuned_report,
    in_domain_stage,
    run_to_go_on,
    settings_to_go_on,
    take_weights,
)
from crosspro.prediction.runs import ENCODED
from crosspro.prediction.system import Classes, Probabilities, System

if TYPE_CHECKING:  # Lightning takes seconds to import
    from crosspro.prediction.neural.training.trainer import TrainedEpochs


class NeuralSystem(NetworkSystem):
    """A network by its name, trained with Lightning; `report` says how that went."""

    network: Network
    _later_snapshots: Sequence[NeuralSystem] = ()
    _teacher: Teacher | None = None
    _first_stage = ""

    @property
    def reads_source_parse(self) -> bool:
        """Whether the network has such fields."""
        return needs_parse(self.reads)

    def fit(
        self,
        task: Task,
        train: Sequence[Example],
        dev: Sequence[Example],
        folder: Path | None = None,
    ) -> None:
        """Train on labelled examples; the epoch with the best dev score is kept."""
        # Neither a prediction nor a wrong setting waits for Lightning.
        from crosspro.prediction.neural.training.progress import step_bar
        from crosspro.prediction.neural.training.trainer import NetworkTrainer

        trainer = NetworkTrainer(
            self.settings.trainer, self.settings.optimisation, self.settings.training, folder
        )
        self.task = task
        torch.set_num_threads(self.settings.trainer.threads)
        torch.manual_seed(self.settings.seed)
        distillation = self.settings.distillation
        if distillation.teacher:
            run = _chosen(distillation.teacher)
            self.settings = replace(self.settings, distillation=replace(distillation, teacher=run))
            self._teacher = load_teacher(run, task)
        earlier = self._earlier_run()
        reading = self._go_on_reading(earlier, train) if earlier else self._new_reading(train)
        check_context(self.reads, self.settings.training.context, train)
        check_parse(self.reads, chain(train, dev))
        check_heads(self.reads, train)
        data = self._training_data(train, dev, reading, earlier, folder)
        self.network = self._new_network()
        if earlier:
            same_classes = earlier.task.classes == task.classes
            take_weights(self.network, earlier.network, same_classes)
        elif self.settings.pretraining.epochs and not trainer.goes_on:
            device = device_of(self.settings.trainer.accelerator)
            inventory, settings = self._inventory(), self.settings.pretraining
            with step_bar(self.settings.trainer.progress_bar and sys.stderr.isatty()) as report:
                self.network.pretrain(
                    data.encoded, inventory, settings, self.settings.seed, device, report
                )
        trainer.prepare(self.network, data, self.settings.seed, self._identity(data))
        with trainer.interruptible():
            trainer.lightning.fit(trainer.module, ckpt_path="last", weights_only=True)
        self._keep(trainer.result(), data)
        self._tune(dev)
        self._first_stage = data.digests["train"]

    @property
    def fine_tunes(self) -> bool:
        """It trains on."""
        return True

    def fine_tune(
        self, in_domain: Sequence[Example], dev: Sequence[Example], folder: Path | None = None
    ) -> None:
        """Go on with in-domain data; the network that is better on dev is kept."""
        from crosspro.prediction.neural.training.trainer import NetworkTrainer

        place = folder and folder / IN_DOMAIN
        settings = in_domain_stage(
            self.settings.fine_tuning, self.settings.trainer, self.settings.optimisation
        )
        trainer = NetworkTrainer(*settings, self.settings.training, place)
        torch.manual_seed(self.settings.seed)
        data = self._training_data(in_domain, dev, self.encoder.reading, self, folder)
        network = self._new_network()
        network.load_state_dict(self.network.state_dict())
        stage = {"learning_rate": settings[1].learning_rate, "all": self._first_stage}
        trainer.prepare(network, data, self.settings.seed, {**self._identity(data), **stage})
        with trainer.interruptible():
            trainer.lightning.fit(trainer.module, ckpt_path="last", weights_only=True)
        trained = trainer.result()
        assert isinstance(self.report, FitReport)  # noqa: S101 - for the type checker
        report = fine_tuned_report(self.report, trained.reports(self.settings.training.monitor)[0])
        if report.kept == IN_DOMAIN:
            self._keep(trained, data)
            self._tune(dev)
        self.report = report

    def _tune(self, dev: Sequence[Example]) -> None:
        """Choose on dev how strongly rare classes are favoured, if that is asked for."""
        if self.settings.training.tune_adjustment:
            score = dev_score(self.task, dev, self.settings.training.monitor)
            for one in (self, *self._later_snapshots):
                frequencies = self.adjustment.frequencies
                tau = tune_tau(one.unadjusted(dev), frequencies, score)
                one.adjustment = Adjustment(tau, frequencies)

    def fit_encoded(
        self, task: Task, encoder: Encoder, data: TrainingData, folder: Path | None = None
    ) -> None:
        """Train on data that was encoded elsewhere, with its encoder."""
        from crosspro.prediction.neural.training.trainer import NetworkTrainer

        trainer = NetworkTrainer(
            self.settings.trainer, self.settings.optimisation, self.settings.training, folder
        )
        self.task, self.encoder = task, encoder
        torch.set_num_threads(self.settings.trainer.threads)
        torch.manual_seed(self.settings.seed)
        self.network = self._new_network()
        trainer.prepare(self.network, data, self.settings.seed, self._identity(data))
        with trainer.interruptible():
            trainer.lightning.fit(trainer.module, ckpt_path="last", weights_only=True)
        self._keep(trainer.result(), data)

    def _new_reading(self, train: Sequence[Example]) -> Reading:
        """How examples are read: the fields of the network, in words or units learnt from train."""
        return learn_reading(
            self.reads, self.settings.training, self.task, train, inflected_text(self.task, train)
        )

    def _go_on_reading(self, earlier: NeuralSystem, train: Sequence[Example]) -> Reading:
        """Read as the run that is gone on from, whatever the settings say.

        A network that `inherits` may read less of the document than that run, none of it too.
        """
        same, own = earlier.settings.training, self.settings.training
        if own.units != "words" and same.units == "words":
            found = "words, which the run to go on from has"
            raise input_error("settings", "system.training.units", "words", found)
        context = own.context if self.settings.network.inherits else own.context or same.context
        training = replace(own, units=same.units, lowercase=same.lowercase, context=context)
        self.settings = replace(self.settings, training=training)
        reading, lexicons = earlier.encoder.reading, self.reads.lexicons
        new = {side: name for side, name in lexicons.items() if side not in reading.lexicons}
        if self.reads.nouns and new:
            nouns = noun_lists(new, self.task, inflected_text(self.task, train))
            reading = replace(reading, lexicons={**reading.lexicons, **nouns})
        return replace(reading, fields=self.reads.fields)

    def _training_data(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        reading: Reading,
        earlier: NeuralSystem | None,
        folder: Path | None,
    ) -> TrainingData:
        """Train and dev as arrays; their vocabularies are learnt here, or those of before."""
        shared = self.settings.trainer.encoded_dir
        cache = Path(shared) if shared else folder / ENCODED if folder else None
        if earlier:
            known = {**closed_vocabularies(reading.fields), **earlier.encoder.vocabularies}
            self.encoder = Encoder(reading, known)
            encoded = encode(train, self.encoder, self.task, cache)
        else:
            self.encoder, encoded = fit_and_encode(
                train, reading, self.task, self.settings.training.min_count, cache
            )
        dev_encoded = encode(dev, self.encoder, self.task, cache)
        data = training_data(encoded, dev_encoded, self.task, self.settings.training, self.together)
        if self._teacher is None:
            return data
        soft = soft_targets(self._teacher, train, self.settings.distillation, cache)
        digests = {**data.digests, "teacher": self._teacher.digest}
        return replace(data, soft=soft, digests=digests)

    def _keep(self, trained: TrainedEpochs, data: TrainingData) -> None:
        """Take over what was learnt: the best epoch, and a system for each snapshot after it."""
        self.adjustment = replace(self.adjustment, frequencies=data.frequencies)
        systems = [self, *(copy(self) for _ in trained.kept[1:])]
        reports = trained.reports(self.settings.training.monitor)
        for system, epoch, report in zip(systems, trained.kept, reports, strict=True):
            if system is not self:
                system.network = self._new_network()
            system.network.load_state_dict(epoch.weights)
            system.network.eval().cpu()
            system.report = report
        self._later_snapshots = systems[1:]

    def snapshots(self) -> list[System]:
        """The systems of the epochs with the best dev scores, this one first.

        There are as many as `training.snapshots` says, or as the training had epochs. UU-Hardmeier
        (004 §5.4) averaged snapshots of one training. A system that was loaded has only itself.
        """
        return [self, *self._later_snapshots]

    def _identity(self, data: TrainingData) -> dict[str, Any]:
        """What a run must have in common with the one that it continues."""
        other = {"trainer", "fine_tuning", *(() if self._teacher else ("distillation",))}
        settings = {k: v for k, v in to_mapping(self.settings).items() if k not in other}
        return {"classes": list(self.task.classes), **settings, **data.digests}

    def _earlier_run(self) -> NeuralSystem | None:
        """The run to go on from (fine-tuning), which must have the same network and classes."""
        if not self.settings.init_from:
            return None
        folder = Path(_chosen(self.settings.init_from))
        earlier = run_to_go_on(folder, NeuralSystem, self.name, self.task)
        network = settings_to_go_on(earlier.settings.network, self.settings.network, folder)
        self.settings = replace(self.settings, init_from=str(folder), network=network)
        return earlier

    def _new_network(self) -> Network:
        return self.settings.network.build(self._inventory())

    def unadjusted(self, examples: Sequence[Example]) -> Probabilities:
        """Softmax of the network's scores."""
        tensors, device = self._inputs(examples)
        return probabilities(self.network, tensors, len(self.task.classes), device)

    def antecedents(self, examples: Sequence[Example], classes: Classes) -> list[PointedNouns]:
        """The nouns that the network points at, where it does."""
        if not self.points:
            return super().antecedents(examples, classes)
        tensors, device = self._inputs(examples)
        reading = self.encoder.reading
        return pointed_nouns(self.network, tensors, reading, examples, classes, device)

    def _inputs(self, examples: Sequence[Example]) -> tuple[GapTensors, torch.device]:
        """Examples as the network reads them, and where it runs."""
        check_parse(self.reads, examples)
        torch.set_num_threads(self.settings.trainer.threads)
        data = encode(examples, self.encoder, self.task)
        tensors = gap_tensors(data, self.settings.training.context, self.together)
        return tensors, device_of(self.settings.trainer.accelerator)

    def save_state(self, folder: Path) -> None:
        """Write the weights and the vocabularies."""
        save_weights(self.network, folder)
        self.encoder.save(folder)
        save_adjustment(self.adjustment, folder)

    def load_state(self, folder: Path) -> None:
        """Read the weights and the vocabularies; a damaged or foreign file is refused."""
        self._load_reading(folder)
        self.network = self._new_network()
        self.weights = load_weights(self.network, self.name, folder)
        self.network.eval()
        self.adjustment = load_adjustment(folder, len(self.task.classes))


def _chosen(run: str) -> str:
    """A run that a setting names, or the newest of the folder that it names."""
    chosen = chosen_run(Path(run), logging.getLogger("crosspro").warning)
    return run if chosen == Path(run) else str(chosen)
