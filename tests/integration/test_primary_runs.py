"""Experiments of the papers from training to explanation, in small (slow)."""

from __future__ import annotations

import json

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from tests.integration.training import SMALL, train
from tests.scripts.run import crosspro

QUICK = ("task=en-fr", *SMALL, "trainer.accelerator=cpu", "trainer.max_epochs=5",
         "trainer.progress_bar=false")  # fmt: skip
RUNS = {
    "nyu_2017_primary": (
        "checkpoints/best.ckpt",
        "system.training.min_steps=5",
        "system.network={embedding: 8, hidden: 8, window: 20}",
    ),
    "hardmeier_2016_primary": (
        "members/network/checkpoints/best.ckpt",
        "system.members.network.training.min_steps=5",
        "system.members.network.network={words: 8, hidden: 8, anaphora_hidden: 8}",
        "system.members.lm.order=3",
    ),
    "hardmeier_2017_primary": (
        "members/wide/checkpoints/last.ckpt",
        *(
            f"system.members.{member}.{setting}"
            for member in ("narrow", "wide")
            for setting in (
                "training.min_steps=5",
                "network={words: 8, filters: 8, distances: 4, window: 20}",
            )
        ),
        "system.members.lm.order=3",
    ),
}
MEMBERS = {
    "hardmeier_2016_primary": ["network", "lm"],
    "hardmeier_2017_primary": ["narrow"] * 4 + ["wide"] * 4 + ["lm"],  # snapshots
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_an_experiment_is_trained_predicts_and_explains(name, tmp_path):
    checkpoint, *settings = RUNS[name]
    run, data = tmp_path / "run", tmp_path / "new.data"
    result = train(run, f"experiment={name}", *QUICK, *settings)
    assert result.returncode == 0, result.stderr
    assert (run / checkpoint).is_file()
    assert (run / "test.report.html").is_file()
    if name in MEMBERS:
        weights = json.loads((run / "run.json").read_text("utf-8"))["fit"]["members"]
        assert [row["name"] for row in weights] == MEMBERS[name]
        assert sum(row["weight"] for row in weights) == pytest.approx(1, abs=1e-4)
    examples = demo_examples(load_task("en-fr"), "test", 2)
    write_examples(data, examples)
    write_doc_ids(tmp_path / "new.doc-ids", examples)
    filled = crosspro("predict", run, data, "-o", tmp_path / "filled")
    assert filled.code == 0, filled.stderr
    gaps = sum(len(example.gaps) for example in examples)
    lines = (tmp_path / "filled").read_text("utf-8").splitlines()
    assert sum(len(line.split("\t")[0].split()) for line in lines) == gaps
    if name in MEMBERS:  # other networks have no explanation
        assert crosspro("explain", run, data).code == 0
