"""Cases of systems without a network, of filling gaps, and of the prediction of any system."""

from __future__ import annotations

import random
import resource
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path
from typing import Annotated, Any

import typer
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from crosspro.baselines.fill import GapFiller, task_fillers
from crosspro.baselines.fill_released import released_fillings
from crosspro.baselines.ngram.load import load_model
from crosspro.conf import CONF_DIR
from crosspro.data_prep.annotate.layers import layers_beside, read_layered
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Token
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import is_placeholder, placeholder, read_examples
from crosspro.prediction.model_archive import from_box
from crosspro.prediction.system import System, load_system
from crosspro.scripts.bench.measure import CROSSPRO, Row, apart, measure, timed

SYSTEMS = ["stymne_svm", "stymne_svm_2017", "helsinki_svm", "uedin_maxent", "cuni_linear",
           "limsi_forest", "cap_crf", "uedin_crf"]  # fmt: skip
_DEV_GAPS = 2000
_DEMO_DOCUMENTS = 15_000
_APART = 4
_PROFILED = 20


def system_of(name: str) -> System:
    """A new system as a file in conf/system describes it."""
    with initialize_config_dir(str(CONF_DIR), version_base="1.3"):
        system: System = instantiate(compose("train", [f"system={name}"]).system, _convert_="all")
    return system


def first_gaps(examples: Sequence[Example], gaps: int) -> list[Example]:
    """Lines from the beginning that have so many gaps together, or all."""
    kept = []
    for example in examples:
        if gaps <= 0:
            break
        kept.append(example)
        gaps -= len(example.gaps)
    return kept


def examples_of(task: Task, paths: Sequence[Path], gaps: int) -> list[Example]:
    """The examples to measure with: of files, or of the demo with words for a parse."""
    if paths:
        return first_gaps([one for path in paths for one in read_layered(path, task)], gaps)
    chosen = first_gaps(demo_examples(task, "train", min(_DEMO_DOCUMENTS, gaps)), gaps)
    return [replace(one, source_parse=_parse(one.source)) for one in chosen]


def _parse(words: Sequence[str]) -> AnnotatedSentence:
    """Lemmas and tags that are always the same for a word."""
    tags = ("NOUN", "VERB", "DET", "ADP", "ADJ", "ADV", "PUNCT", "PRON")
    return AnnotatedSentence(
        tuple(Token(word, word.lower(), tags[sum(map(ord, word)) % len(tags)]) for word in words)
    )


def fit(
    system: list[str] = SYSTEMS,
    task: str = "en-fr",
    data: list[Path] | None = None,
    gaps: int = 100_000,
) -> Iterator[Row]:
    """Training and prediction of the classical systems, each in a process of its own.

    Without --data on the demo corpus. Reading files is no part of the times. A prediction is
    measured on the training gaps, with all features extracted anew.
    """
    for name in system:
        yield apart(fitted, name, task, data or (), gaps)


def fitted(name: str, task_name: str, paths: Sequence[Path], gaps: int) -> Row:
    """The row of one system."""
    task = load_task(task_name)
    examples = examples_of(task, paths, gaps)
    found = sum(len(example.gaps) for example in examples)
    system = system_of(name)
    dev = first_gaps(examples, _DEV_GAPS)
    _, fit_wall, fit_cpu = timed(partial(system.fit, task, examples, dev))
    _, wall, cpu = timed(partial(system.predict, examples))
    processes = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    own, other = (
        f"{resource.getrusage(process).ru_maxrss / 1024:,.0f} MB" for process in processes
    )
    return {
        "": f"{name}: {found:,} gaps,",
        "fit CPU": f"{fit_cpu:.1f} s",
        "wall": f"{fit_wall:.1f} s",
        "predicted gaps/CPU s": f"{found / cpu:,.0f}",
        "gaps/s": f"{found / wall:,.0f}",
        "memory": own,
        "of another process": other,
    }


def fill(model: Path, file: Path, task: str = "en-fr", lines: int = 2000) -> Iterator[Row]:
    """Gap filling with a language model by the number of gaps: exact, and as released.

    Lines of more than twenty words, with gaps at random places at least four words apart.
    """
    rules = load_task(task)
    opened = load_model(model)
    fillers = task_fillers(rules)
    chooser = random.Random(1)
    examples = [e for e in read_examples(file, rules, lenient=True) if len(e.lemmas) > 20]
    for number in (1, 2, 3, 4):
        chosen = [with_gaps(example, number, chooser) for example in examples[:lines]]
        filler = GapFiller(opened, fillers, -1.0)
        _, exact, _ = timed(partial(filler.fill, chosen))
        few = chosen[:20]
        _, released, _ = timed(
            lambda few=few: [released_fillings(opened, fillers, -1.0, one) for one in few]  # type: ignore[misc]
        )
        yield {
            "": f"{number} gaps:",
            "lines/s": f"{len(chosen) / exact:,.0f}",
            "as released": f"{len(few) / released:,.0f}",
        }


def with_gaps(example: Example, number: int, chooser: random.Random) -> Example:
    """The example with this many gaps, four or more words apart as subject pronouns are."""
    target = [token for token in example.target if not is_placeholder(token)]
    room = len(target) - (_APART - 1) * (number - 1)
    first = sorted(chooser.sample(range(room), number))
    places = [place + (_APART - 1) * order for order, place in enumerate(first)]
    for place in places:
        target[place] = placeholder(0)
    gaps = tuple(Gap(place, 0) for place in places)
    return Example.of_tokens(example.source, target, (), gaps, None, example.tagged)


def predict(
    model: Path,
    file: Path,
    times: Annotated[int, typer.Option(help="The best of so many counts.")] = 3,
    in_torch: Annotated[
        bool, typer.Option("--torch", help="With torch on one core, where it is not needed, too.")
    ] = False,
    profile: Annotated[
        bool, typer.Option("--profile", help="Also the operations of torch.")
    ] = False,
) -> Iterator[Row]:
    """Prediction of a run or an archive: loading, gaps a second, and the command's memory."""
    system, _, seconds = timed(lambda: load_system(from_box(model)))
    if in_torch or profile:
        import torch

        torch.set_num_threads(1)
        system = system.trainable()
    yield {"": f"{system.name}:", "loaded in": f"{seconds:.2f} s", **_network(system)}
    layers = layers_beside(file)
    examples, _, seconds = timed(lambda: list(read_layered(file, system.task, layers)))
    gaps = sum(len(example.gaps) for example in examples)
    yield {"": f"{len(examples):,} lines,", "read in": f"{seconds:.2f} s"}
    system.predict(examples[: max(1, len(examples) // 20)])  # what is made on first use
    found = [timed(lambda: system.predict(examples))[1:] for _ in range(times)]
    wall, cpu = map(min, zip(*found, strict=True))
    yield {
        "": f"{gaps:,} gaps,",
        "predicted in": f"{wall:.2f} s",
        "gaps/s": f"{gaps / wall:,.0f}",
        "gaps/CPU s": f"{gaps / cpu:,.0f}",
    }
    if profile:
        with torch.profiler.profile() as profiled:
            system.predict(examples)
        table = profiled.key_averages().table(sort_by="self_cpu_time_total", row_limit=_PROFILED)
        yield {"": table}
    if not in_torch:
        with tempfile.TemporaryDirectory() as folder:
            command = [*CROSSPRO, "predict", model, file, "-o", Path(folder) / "labels.data"]
            yield measure(command, times).row("crosspro predict", gaps, "gaps")


def _network(system: Any) -> Row:
    """How large a network is, and how its weights were stored."""
    network = getattr(system, "network", None)
    if network is None:
        return {}
    arrays = getattr(network, "arrays", None) or dict(network.named_parameters())
    weights = sum(prod(array.shape) for array in arrays.values())
    return {"million weights": f"{weights / 1e6:.1f}", "stored as": system.weights}
