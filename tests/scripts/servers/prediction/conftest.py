"""Systems of two tasks at a desk: one of raw text, one of lemmas that nothing here can make."""

from __future__ import annotations

import pytest

from crosspro.baselines.majority import Majority
from crosspro.baselines.ngram_system import NGramSystem
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline
from crosspro.scripts.servers.prediction.desk import Desk
from crosspro.scripts.servers.prediction.offered import offered_examples
from tests.prediction.neural.small import system as neural_system

WORDS, LEMMAS = load_task("en-fr-2015"), load_task("en-fr")
HOUSE = {
    "source": "The house is old, but it stands.",
    "target": "La maison est vieille, mais elle tient debout.",
}


def fitted(system, task):
    system.fit(task, demo_examples(task, "train", 12), demo_examples(task, "dev", 4))
    return system


def small_systems():
    """Systems by name, trained on a few documents."""
    return {
        "ngram": fitted(NGramSystem(order=3), WORDS),
        "majority": fitted(Majority(), WORDS),
        "anaphora": fitted(neural_system("hardmeier_anaphora", context=3), LEMMAS),
    }


@pytest.fixture(scope="session")
def systems():
    return small_systems()


@pytest.fixture(scope="session")
def desk(systems):
    pipelines = {
        "en-fr-2015": PairPipeline(WORDS),
        "en-fr": PairPipeline(LEMMAS, annotator="spacy:no_such_model"),
    }
    made = Desk(systems, pipelines, offered_examples([WORDS, LEMMAS], ()))
    made.warm()
    return made
