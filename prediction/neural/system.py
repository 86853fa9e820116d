"""Neural systems: a network, its encoder and its training, behind the System interface.

A saved one is `network.safetensors`, `encoder.json` and the settings in `system.json`. While it
trains, its folder holds Lightning checkpoints, from which an interrupted run goes on.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import content_digest
from crosspro.data_prep.core.settings import to_mapping
from crosspro.data_prep.core.task import Task
from crosspro.prediction.fit_report import fine_tuned_report
from crosspro.prediction.models import chosen_run
from crosspro.prediction.neural.layers.network import Network, device_of
from crosspro.prediction.neural.layers.skip_gram import pretrain_embeddings
from crosspro.prediction.neural.network_system import NetworkSystem, PointedTokens
from crosspro.prediction.neural.reading.encoding import (
    EncodedText,
    Encoder,
    closed_vocabularies,
)
from crosspro.prediction.neural.reading.lexicon_fields import (
    Text,
    inflected_text,
    lexicons_for,
    noun_lists,
)
from crosspro.prediction.neural.reading.subwords import train_units
from crosspro.prediction.neural.training.data import (
    TrainingData,
    check_labels,
    check_parse,
    check_reads,
    sorted_batches,
)
from crosspro.prediction.neural.training.other_runs import (
    IN_DOMAIN,
    Teacher,
    continued_settings,
    in_domain_settings,
    load_teacher,
    run_to_continue,
    soft_targets,
    take_weights,
)
from crosspro.prediction.neural.training.settings import NeuralSettings
from crosspro.prediction.stored_tensors import Arrays, check_names
from crosspro.prediction.system import Classes, Probabilities, System

if TYPE_CHECKING:  # Lightning takes seconds to import
    from crosspro.prediction.neural.training.trainer import KeptEpoch, TrainingRun

_AT_ONCE = 2048
_POINTED_AT_ONCE = 256
_PLACES_ON_CPU = 1 << 11
"""Gaps of a batch times their extent, so few that tensors stay in caches."""


class NeuralSystem(NetworkSystem):
    """A network, trained with Lightning; `report` says how that went."""

    network: Network
    fine_tunes = True
    _later_snapshots: Sequence[NeuralSystem] = ()
    _teacher: Teacher | None = None

    @property
    def reads_source_parse(self) -> bool:
        return self.reads.needs_parse

    def fit(
        self,
        task: Task,
        train: Sequence[Example],
        dev: Sequence[Example],
        folder: Path | None = None,
    ) -> None:
        """Train on labelled examples; the epoch with the best dev score is kept."""
        from crosspro.prediction.neural.training.trainer import has_checkpoint

        self.task = task
        earlier = self._start(task)
        if earlier:
            self._continue_reading(earlier, train)
        else:
            self.encoder = self.new_encoder(train, inflected_text(task, train))
        check_reads(self.reads, self.settings.training.context, train, dev)
        data = self._encode(train, dev, learn=earlier is None)
        self.network = self.settings.network.build(self.inventory)
        if earlier:
            take_weights(self.network, earlier.network, earlier.task.classes == task.classes)
        elif self.settings.pretraining.epochs and not has_checkpoint(folder):
            self._pretrain(data.train)
        with self._training(self.network, data, self.settings, folder, train) as run:
            run.trainer.fit(run.module, ckpt_path=run.checkpoint, weights_only=True)
        self._keep(run.kept, data, dev)

    def _pretrain(self, text: EncodedText) -> None:
        """Begin with the embeddings of a skip-gram, those of the aligned words too (004 §5.1)."""
        settings, trainer = self.settings, self.settings.trainer
        embeddings: Any = self.network.embeddings
        pretrain_embeddings(
            embeddings,
            text.to(device_of(trainer.accelerator)),
            self.inventory,
            self.reads.fields,
            settings.pretraining,
            settings.seed,
            trainer.progress_bar and sys.stderr.isatty(),
        )

    def fit_encoded(
        self, task: Task, encoder: Encoder, data: TrainingData, folder: Path | None = None
    ) -> None:
        """Train on data that was encoded elsewhere, with its encoder."""
        self.task, self.encoder = task, encoder
        self._start(task)
        data = data.with_contexts(self.settings.training)
        self.network = self.settings.network.build(self.inventory)
        with self._training(self.network, data, self.settings, folder) as run:
            run.trainer.fit(run.module, ckpt_path=run.checkpoint, weights_only=True)
        self._keep(run.kept, data)

    def fine_tune(
        self, in_domain: Sequence[Example], dev: Sequence[Example], folder: Path | None = None
    ) -> None:
        """Go on with in-domain data; the network that is better on dev is kept."""
        settings = in_domain_settings(self.settings)
        torch.manual_seed(settings.seed)
        data = self._encode(in_domain, dev, learn=False)
        network = settings.network.build(self.inventory)
        network.load_state_dict(self.network.state_dict())
        stage = folder and folder / IN_DOMAIN
        with self._training(network, data, settings, stage, in_domain) as run:
            run.trainer.fit(run.module, ckpt_path=run.checkpoint, weights_only=True)
        assert self.report is not None  # noqa: S101 - for the type checker
        report = fine_tuned_report(self.report, run.kept[0].report)
        if report.figures["kept"] == IN_DOMAIN:
            self._keep(run.kept, data, dev)
        self.report = report

    def _training(
        self,
        network: Network,
        data: TrainingData,
        settings: NeuralSettings,
        folder: Path | None,
        train: Sequence[Example] = (),
    ) -> AbstractContextManager[TrainingRun]:
        """A training of a network, and what it must have in common with one that it continues."""
        from crosspro.prediction.neural.training.module import GapClassifier
        from crosspro.prediction.neural.training.trainer import training_run

        teacher = self._teacher
        soft = soft_targets(teacher, train, settings.distillation) if teacher else None
        ignored = {"trainer", "fine_tuning", *(() if teacher else ("distillation",))}
        values = {key: v for key, v in to_mapping(settings).items() if key not in ignored}
        identity = {"classes": list(self.task.classes), **values, **data.digests}
        identity["teacher"] = teacher and teacher.digest
        module = GapClassifier(network, data, settings, len(self.task.classes), soft, identity)
        return training_run(module, settings, folder)

    def _start(self, task: Task) -> NeuralSystem | None:
        """Set seed and threads; load the teacher and the run to go on from, if there are any."""
        settings = self.settings
        torch.set_num_threads(settings.trainer.threads)
        torch.manual_seed(settings.seed)
        if settings.distillation.teacher:
            run = _chosen(settings.distillation.teacher)
            distillation = replace(settings.distillation, teacher=run)
            self.settings = settings = replace(settings, distillation=distillation)
            self._teacher = load_teacher(run, task)
        if not settings.init_from:
            return None
        folder = Path(_chosen(settings.init_from))
        earlier = run_to_continue(folder, NeuralSystem, self.name, task)
        network = continued_settings(earlier.settings.network, settings.network, folder)
        self.settings = replace(settings, init_from=str(folder), network=network)
        return earlier

    def new_encoder(self, train: Sequence[Example], text: Text) -> Encoder:
        """How examples are read, in words or in units learnt from train; `text` is for lexicons."""
        training, reads = self.settings.training, self.reads
        units = None
        if training.units != "words":
            size, joint = training.unit_vocabulary, training.units == "joint"
            units = train_units(train, size, training.lowercase, joint)
        lexicons = lexicons_for(reads, self.task, text)
        return Encoder(reads.fields, training.lowercase, units, lexicons)

    def _continue_reading(self, earlier: NeuralSystem, train: Sequence[Example]) -> None:
        """Read in the units of the earlier run, and as much context unless the settings say."""
        before, training = earlier.settings.training, self.settings.training
        if training.units != "words" and before.units == "words":
            units = "words, which the run to go on from has"
            raise input_error("settings", "system.training.units", training.units, units)
        training = replace(
            training,
            units=before.units,
            lowercase=before.lowercase,
            context=training.context or before.context,
        )
        self.settings = replace(self.settings, training=training)
        encoder, fields = earlier.encoder, self.reads.fields
        nouns = noun_lists(
            self.reads, encoder.lexicons, self.task, inflected_text(self.task, train)
        )
        vocabularies = {**closed_vocabularies(fields), **encoder.vocabularies}
        lexicons = {**encoder.lexicons, **nouns}
        self.encoder = replace(encoder, fields=fields, lexicons=lexicons, vocabularies=vocabularies)

    def _encode(
        self, train: Sequence[Example], dev: Sequence[Example], learn: bool
    ) -> TrainingData:
        """Train and dev as arrays; vocabularies may be learnt from train."""
        training, task = self.settings.training, self.task
        if learn:
            self.encoder, encoded = self.encoder.fit_and_encode(train, task, training.min_count)
        else:
            encoded = self.encoder.encode(train, task)
        encoded_dev = self.encoder.encode(dev, task)
        check_labels(encoded, encoded_dev)
        digests = {"train": content_digest(iter(train)), "dev": content_digest(iter(dev))}
        return TrainingData(encoded, encoded_dev, digests).with_contexts(training)

    def _keep(
        self, kept: Sequence[KeptEpoch], data: TrainingData, dev: Sequence[Example] = ()
    ) -> None:
        """Take over the best epoch, and make a system of each snapshot after it."""
        labels, classes = data.train.label, len(self.task.classes)
        counts = np.bincount(labels[labels >= 0], minlength=classes)
        systems = [self, *(copy(self) for _ in kept[1:])]
        for system, epoch in zip(systems, kept, strict=True):
            system.network = self.settings.network.build(self.inventory)
            system.network.load_state_dict(epoch.weights)
            system.network.eval()
            system.report = epoch.report
            if self.settings.training.tune_adjustment and dev:
                system.correct_prior(dev, self.settings.training.monitor, counts / counts.sum())
        self._later_snapshots = systems[1:]

    def snapshots(self) -> list[System]:
        """The systems of the best epochs, this one first (UU-Hardmeier averaged them, 004 §5.4)."""
        return [self, *self._later_snapshots]

    def unadjusted(self, examples: Sequence[Example]) -> Probabilities:
        gaps_in_all = sum(len(example.gaps) for example in examples)
        probabilities = np.zeros((gaps_in_all, len(self.task.classes)))
        for text, gaps in self._batches(examples, _AT_ONCE):
            scores = self.network(text, gaps)
            probabilities[gaps.cpu()] = torch.softmax(scores.double(), -1).cpu().numpy()
        return probabilities

    def pointed_tokens(
        self, examples: Sequence[Example], classes: Classes
    ) -> Iterator[PointedTokens]:
        for text, batch in self._batches(examples, _POINTED_AT_ONCE):
            gaps = batch.cpu().numpy()
            for side, *tensors in self.network.antecedents(text, batch):
                tokens, probabilities, given_class = (tensor.cpu().numpy() for tensor in tensors)
                row, column = np.nonzero(probabilities)
                yield PointedTokens(
                    side,
                    gaps[row],
                    tokens[row, column],
                    probabilities[row, column].astype(np.float64),
                    given_class[row, classes[gaps[row]], column].astype(np.float64),
                )

    def _batches(
        self, examples: Sequence[Example], size: int
    ) -> Iterator[tuple[EncodedText, Tensor]]:
        """The examples as the network reads them, with the numbers of all gaps in batches."""
        check_parse(self.reads, examples)
        torch.set_num_threads(self.settings.trainer.threads)
        device = device_of(self.settings.trainer.accelerator)
        self.network.to(device).eval()
        text = self.encoder.encode(examples, self.task).with_context(self.context).to(device)
        places = _PLACES_ON_CPU if device.type == "cpu" else None
        if len(text):
            with torch.inference_mode():
                extents = self.network.extents(text).cpu().numpy()
                for gaps in sorted_batches(extents, size, places):
                    yield text, torch.from_numpy(gaps).to(device)

    def weights(self) -> Arrays:
        weights = self.network.state_dict().items()
        return {name: tensor.contiguous().cpu().numpy() for name, tensor in weights}

    def take_weights(self, arrays: Arrays) -> None:
        self.network = self.settings.network.build(self.inventory)
        check_names(arrays, self.network.state_dict())
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        self.network.load_state_dict(tensors)
        self.network.eval()


def _chosen(run: str) -> str:
    """A run that a setting names, or the newest of the folder that it names."""
    return str(chosen_run(Path(run), logging.getLogger("crosspro").warning))
