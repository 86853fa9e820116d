"""Cases of systems: classical ones that learn, and what a command for prediction is beside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from crosspro.conf import CONF_DIR
from crosspro.data_prep.annotate.layers import layers_beside, read_layered
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Token
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.evaluation.leaderboard.speed import Measured, SpeedRow
from crosspro.prediction.model_archive import from_box
from crosspro.prediction.system import System, load_system
from crosspro.scripts.bench.measure import Found, apart, exponent, medians, own_memory, timed
from crosspro.scripts.bench.table import SCALES, BenchOptions

SYSTEMS = ("stymne_svm", "stymne_svm_2017", "helsinki_svm", "uedin_maxent", "cuni_linear",
           "limsi_forest", "cap_crf", "uedin_crf")  # fmt: skip
_DEV_GAPS = 2000


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


def demo_gaps(task: Task, gaps: int) -> list[Example]:
    """Examples of the demo, with words for a parse."""
    chosen = first_gaps(demo_examples(task, "train", gaps), gaps)
    return [replace(one, source_parse=_parse(one.source)) for one in chosen]


def _parse(words: Sequence[str]) -> AnnotatedSentence:
    """Lemmas and tags that are always the same for a word."""
    tags = ("NOUN", "VERB", "DET", "ADP", "ADJ", "ADV", "PUNCT", "PRON")
    return AnnotatedSentence(
        tuple(Token(word, word.lower(), tags[sum(map(ord, word)) % len(tags)]) for word in words)
    )


def fit(given: BenchOptions, size: int) -> Iterator[SpeedRow]:
    """Learning, each time in a process of its own; features of predictions are extracted anew."""
    scales = SCALES if given.scale else SCALES[:1]
    for name in filter(given.wants, SYSTEMS):
        rounds = [[apart(fitted, name, size * one) for one in scales] for _ in range(given.times)]
        found = [medians(own) for own in zip(*rounds, strict=True)]
        grown = exponent([size * one for one in scales], [one.cpu for one, _ in found])
        measured, figures = found[0]
        yield SpeedRow(f"fit {name}", measured, size, "gaps", exponent=grown, figures=figures)


def fitted(name: str, gaps: int) -> Found:
    """What one system takes to learn, and how fast it predicts."""
    task = load_task("en-fr")
    examples = demo_gaps(task, gaps)
    system = system_of(name)
    _, fit = timed(partial(system.fit, task, examples, first_gaps(examples, _DEV_GAPS)))
    _, predicted = timed(partial(system.predict, examples))
    speed = {"predicted gaps/CPU s": gaps / predicted.cpu} if predicted.cpu else {}
    return Measured(fit.wall, fit.cpu, own_memory()), speed


def gaps_and_places(model: str, file: Path) -> tuple[int, float]:
    """The gaps of a file, and how many places of text a model of the box reads for each."""
    from crosspro.prediction.neural.document_arrays import DocumentText
    from crosspro.prediction.neural.document_reader import DocumentReader
    from crosspro.prediction.neural.reading.encoding import encode

    system = load_system(from_box(Path(model)))
    examples = list(read_layered(file, system.task, layers_beside(file)))
    gaps = sum(len(example.gaps) for example in examples)
    if not isinstance(system, DocumentReader):  # in torch, where there is a GPU
        return gaps, float("nan")
    data, network = encode(examples, system.encoder, system.task), system.network
    text = DocumentText(data, network.settings, system.context, network.no_noun)
    return gaps, float(text.sizes.sum()) / gaps
