"""A run of the shared tasks is one command, and so are its predictions, report and explanation."""

from __future__ import annotations

import json

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from tests.conftest import mostly_slow
from tests.integration.training import SMALL, train
from tests.scripts.run import crosspro

QUICK = (
    "task=en-fr", *SMALL, "trainer.accelerator=cpu", "trainer.max_epochs=5",
    "trainer.progress_bar=false",
)  # fmt: skip
NETWORKS = {
    "nyu_2017_primary": "{embedding: 8, hidden: 8, window: 20}",
    "ukyoto_2016": "{embedding: 8, tags: 4, hidden: 8, dense: 8, window: 20}",
}
RUNS = {
    "hardmeier_2016_primary": (
        "members/network/checkpoints/best.ckpt", ["hardmeier_anaphora", "source_aware_lm"],
        "system.members.network.training.min_steps=5",
        "system.members.network.network={words: 8, hidden: 8, anaphora_hidden: 8}",
        "system.members.lm.order=3",
    ),
    "hardmeier_2017_primary": (
        "members/wide/checkpoints/last.ckpt",
        ["hardmeier_cnn", "source_aware_lm"],
        *(
            f"system.members.{one}.{setting}"
            for one in ("narrow", "wide")
            for setting in (
                "training.min_steps=5",
                "network={words: 8, filters: 8, distances: 4, window: 20}",
            )
        ),
        "system.members.lm.order=3",
    ),
}  # fmt: skip


def predicted(run, folder):
    """A new file whose gaps a run has filled, by a command."""
    data = folder / "new.data"
    examples = demo_examples(load_task("en-fr"), "test", 2)
    write_examples(data, examples)
    write_doc_ids(folder / "new.doc-ids", examples)
    crosspro("predict", str(run), str(data), "-o", str(folder / "new.submission"))
    gaps = sum(len(example.gaps) for example in examples)
    lines = (folder / "new.submission").read_text("utf-8").splitlines()
    assert sum(len(line.split("\t")[0].split()) for line in lines) == gaps
    return data


def demo_files(folder):
    """The demo as files, of which those of TED are for training."""
    folder.mkdir()
    for title, split, documents in (
        ("train.ted", "train", 20),
        ("dev", "dev", 5),
        ("test", "test", 5),
    ):
        examples = demo_examples(load_task("en-fr"), split, documents)
        write_examples(folder / f"{title}.data", examples)
        write_doc_ids(folder / f"{title}.doc-ids", examples)
    return folder


@pytest.mark.parametrize("name", mostly_slow(["hardmeier_2016_primary", "hardmeier_2017_primary"]))
def test_a_primary_run_is_trained_predicts_and_explains(name, tmp_path):
    checkpoint, members, *settings = RUNS[name]
    run = tmp_path / "run"
    result = train(run, f"experiment={name}", *QUICK, *settings)
    assert result.returncode == 0, result.stderr
    assert (run / checkpoint).is_file()
    assert (run / "test.report.html").is_file()
    weights = json.loads((run / "ensemble_weights.json").read_text("utf-8"))
    parts = ["network"]
    if name == "hardmeier_2017_primary":  # snapshots of two configurations, each with its weight
        parts = ["narrow"] * 4 + ["wide"] * 4
    assert [one["member"] for one in weights] == [*parts, "lm"]
    assert sum(one["weight"] for one in weights) == pytest.approx(1, abs=1e-4)
    found = [
        json.loads((run / f"model/member{number}/system.json").read_text("utf-8"))["system"]
        for number in range(len(weights))
    ]
    assert found == ["neural"] * len(parts) + ["source_aware_lm"]
    data = predicted(run, tmp_path)
    text = crosspro("explain", str(run), str(data)).stdout.decode()
    assert all(one in text for one in members)


@pytest.mark.parametrize("name", mostly_slow(["nyu_2017_primary", "ukyoto_2016"]))
def test_a_network_is_trained_and_predicts(name, tmp_path):
    run, page = tmp_path / "run", tmp_path / "report.html"
    settings = "system.training.min_steps=5", f"system.network={NETWORKS[name]}"
    quick = QUICK
    if name == "ukyoto_2016":  # trained on files of TED
        quick = [one for one in QUICK if not one.startswith("data.")]
        quick.append(f"data.dir={demo_files(tmp_path / 'data')}")
    result = train(run, f"experiment={name}", *quick, *settings)
    assert result.returncode == 0, result.stderr
    assert (run / "checkpoints/best.ckpt").is_file()
    assert (run / "test.report.html").is_file()
    data = predicted(run, tmp_path)
    crosspro("evaluate", str(data), str(run), "--task", "en-fr", "--html", str(page))
    network = json.loads((run / "run.json").read_text("utf-8"))["system"]
    assert network in page.read_text("utf-8")
