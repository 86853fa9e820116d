"""The n-gram baseline and the source-aware model as systems."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from crosspro.baselines.fill import task_fillers
from crosspro.baselines.ngram_system import PENALTIES, NGramSystem
from crosspro.baselines.source_aware import SourceAwareLM
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.errors import CrossproError, InputError
from crosspro.data_prep.task import load_task

TASK = load_task("en-fr")


@pytest.fixture(scope="module")
def data():
    return demo_examples(TASK, "train", 60), demo_examples(TASK, "dev", 20)


@pytest.mark.parametrize(
    "system",
    [NGramSystem(3), SourceAwareLM(4, "joined"), SourceAwareLM(4, "before")],
    ids=["ngram", "joined", "before"],
)
def test_more_than_half_of_the_gaps_are_filled_rightly(system, data):
    system.fit(TASK, *data)
    gold = [TASK.class_index[gap.label] for example in data[1] for gap in example.gaps]
    assert np.mean(system.predict(data[1]).argmax(axis=1) == gold) > 0.5


def test_a_source_aware_model_needs_labels(data):
    blind = [replace(e, gaps=tuple(replace(g, label=None) for g in e.gaps)) for e in data[0]]
    with pytest.raises(CrossproError, match="train: expected labelled gaps, found none"):
        SourceAwareLM(3).fit(TASK, blind, data[1])


def test_a_model_over_lemmas_finds_no_plural_pronoun(data):
    """As the papers say of the baseline: recall 0 for ils and elles (004 Table 12)."""
    system = NGramSystem(3)
    system.fit(TASK, *data)
    found = {TASK.classes[index] for index in system.predict(data[1]).argmax(axis=1)}
    gold = {gap.label for example in data[1] for gap in example.gaps}
    assert {"ils", "elles"} <= gold
    assert not {"ils", "elles"} & found
    assert {"il", "elle", "ce"} <= found


def test_the_penalty_is_tuned_on_dev_and_the_whole_grid_reported(data, tmp_path):
    system = NGramSystem(3)
    system.fit(TASK, *data, tmp_path)
    assert set(system.grid) == set(PENALTIES)
    assert PENALTIES[0] == 0
    assert PENALTIES[-1] == -4
    best = max(recall for recall, _ in system.grid.values())
    assert system.grid[system.penalty][0] == best
    assert len(json.loads((tmp_path / "none_penalty.json").read_text("utf-8"))) == 9
    given = NGramSystem(3, none_penalty=-1.0)
    given.fit(TASK, *data)
    assert given.penalty == -1.0
    assert given.grid == {}


def test_a_larger_penalty_leaves_fewer_gaps_empty(data):
    system = NGramSystem(3, none_penalty=0.0)
    system.fit(TASK, *data)
    other = TASK.class_index["OTHER"]
    shares = [system._with_penalty(data[1], p)[:, other].mean() for p in (0.0, -2.0, -4.0)]
    assert shares[0] > shares[1] > shares[2]


def test_fillers_of_ones_own_replace_the_official_list():
    fillers = task_fillers(TASK, ["chose"])
    assert fillers.words[-2:] == ("chose", "NONE")
    assert fillers.classes[-2:] == ("OTHER", "OTHER")
    assert fillers.classes[fillers.words.index("ça")] == "cela"


def test_an_unknown_variant_lists_the_choices():
    with pytest.raises(InputError, match="joined, before"):
        SourceAwareLM(variant="after")
