"""The tasks of lm_eval: read by its loader, run by its evaluator."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("lm_eval")

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

import crosspro
from tests.conftest import GOLDEN, ROOT

FOLDER = ROOT / "integrations" / "lm_eval"
TASKS = ("crosspro_contrastive", "crosspro_gaps", "crosspro_gaps_written")
SET = GOLDEN / "contrastive" / "small_set" / "test.json"


class Answering(LM):
    """A model that answers each request by a function of it."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def loglikelihood(self, requests, disable_tqdm=False):
        return [(self.answer(one), False) for one in requests]

    def generate_until(self, requests, disable_tqdm=False):
        return [self.answer(one) for one in requests]

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError


def results(name, model, **metadata):
    manager = TaskManager(include_path=str(FOLDER), include_defaults=False, metadata=metadata)
    found = simple_evaluate(
        model=model, tasks=[name], task_manager=manager, bootstrap_iters=0, log_samples=False
    )
    own = found["results"][name]
    return {key.partition(",")[0]: value for key, value in own.items() if ",none" in key}


def labels():
    return [gap.label for one in crosspro.demo("en-fr", "test", 10) for gap in one.gaps]


def test_ranked_gaps():
    right = Answering(lambda one: float(one.doc["label"] == one.arguments[1].strip()))
    found = results("crosspro_gaps", right)
    assert (found["macro_recall"], found["accuracy"]) == (1, 1)
    gold = labels()
    one_class = Answering(lambda one: float(one.arguments[1].strip() == "ce"))
    found = results("crosspro_gaps", one_class)
    assert found["accuracy"] == pytest.approx(gold.count("ce") / len(gold))
    assert found["macro_recall"] == pytest.approx(1 / len(set(gold)))


def test_written_gaps():
    assert (
        results("crosspro_gaps_written", Answering(lambda one: f" “{one.doc['label']}”.\n"))[
            "macro_recall"
        ]
        == 1
    )
    gold = labels()
    found = results("crosspro_gaps_written", Answering(lambda one: "Ça, sans doute"))
    assert found["accuracy"] == pytest.approx(gold.count("cela") / len(gold))


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "own.data"
    crosspro.write_examples(path, crosspro.demo("de-en", "test", 3))
    right = Answering(lambda one: float(one.doc["label"] == one.arguments[1].strip()))
    assert results("crosspro_gaps", right, data=str(path), task="de-en")["accuracy"] == 1


def test_a_contrastive_set_where_a_tie_is_wrong():
    reference = Answering(lambda one: float(one.arguments[1].strip() == one.doc["versions"][0]))
    assert results("crosspro_contrastive", reference, data=str(SET))["accuracy"] == 1
    assert (
        results("crosspro_contrastive", Answering(lambda one: 0.0), data=str(SET))["accuracy"] == 0
    )


@pytest.mark.parametrize("task", TASKS)
def test_the_dummy_model_runs(task):
    random.seed(1)
    found = results(task, "dummy", **({"data": str(SET)} if "contrastive" in task else {}))
    assert all(
        0 <= value <= 1 for key, value in found.items() if key in ("accuracy", "macro_recall")
    )
