"""`crosspro predict` finds what lies beside its input, and says what is missing."""

from __future__ import annotations

import shutil

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from tests.conftest import GOLDEN
from tests.prediction.neural.small import SMALL, neural
from tests.scripts.run import crosspro

MODELS = GOLDEN / "models"
NETWORK = {"embedding": 8, "hidden": 8, "dense": 8, "window": 20}
TRAINER = {"max_epochs": 1, "progress_bar": False, "accelerator": "cpu"}


def test_context_needs_documents_which_may_lie_beside_the_file(tmp_path):
    task = load_task("en-fr")
    train, dev = demo_examples(task, "train", 10), demo_examples(task, "dev", 10)
    system = neural("turku_gru", NETWORK, {"context": 2}, trainer=TRAINER)
    system.fit(task, train, dev)
    system.save(tmp_path / "run")
    data = tmp_path / "dev.data"
    write_examples(data, dev)

    def predicted():
        out, chances = tmp_path / "out", tmp_path / "chances"
        files = ("-o", out, "--probabilities", chances)
        result = crosspro("predict", tmp_path / "run", data, *files)
        assert result.code == 0, result.stderr
        return chances.read_bytes(), result.stderr

    alone, message = predicted()
    assert b"X.doc-ids" in message
    write_doc_ids(tmp_path / "dev.doc-ids", dev)
    beside, message = predicted()
    assert b"X.doc-ids" not in message
    assert beside != alone
    assert crosspro("predict", tmp_path / "run", data, "-o", data).code == 2


@pytest.mark.parametrize("record", ["{", '{"format": 2}', '{"format": 1, "colour": "red"}'])
def test_a_damaged_record_does_not_stop_a_good_model(tmp_path, record):
    shutil.copytree(MODELS / "majority", tmp_path / "run")
    (tmp_path / "run" / "run.json").write_text(record, "utf-8")
    result = crosspro("predict", tmp_path / "run", MODELS / "input.data", "-o", tmp_path / "out")
    assert result.code == 0, result.stderr
    scored = ("evaluate", MODELS / "input.data", tmp_path / "run", "-t", "en-fr", "--resamples", 0)
    assert (
        b"foo"
        in crosspro(
            *(f"foo={word}" if word == tmp_path / "run" else word for word in scored)
        ).stdout
    )
    refused = crosspro(*scored)  # which has no other name
    assert refused.code == 2
    assert b"run.json" in refused.stderr


POINTING = {
    "hardmeier_anaphora": SMALL["hardmeier_anaphora"],
    "document_encoder": {**SMALL["document_encoder"], "pointer": True},
}


@pytest.mark.parametrize("name", POINTING)
def test_antecedents_are_written(name, tmp_path):
    task = load_task("en-fr")
    dev = demo_examples(task, "dev", 8)
    system = neural(name, POINTING[name], {"context": 5}, trainer=TRAINER)
    system.fit(task, demo_examples(task, "train", 10), dev)
    system.save(tmp_path / "run")
    write_examples(tmp_path / "dev.data", dev)
    write_doc_ids(tmp_path / "dev.doc-ids", dev)
    result = crosspro(
        "predict", tmp_path / "run", tmp_path / "dev.data", "-o", tmp_path / "out",
        "--antecedents", tmp_path / "nouns.tsv",
    )  # fmt: skip
    assert result.code == 0, result.stderr
    header, *lines = (tmp_path / "nouns.tsv").read_text("utf-8").splitlines()
    assert header.split() == [
        "line", "gap", "rank", "side", "noun_line", "position", "word", "probability",
        "given_class",
    ]  # fmt: skip
    rows = [line.split("\t") for line in lines]
    gaps = [(str(n), str(g)) for n, line in enumerate(dev, start=1)
            for g in range(1, len(line.gaps) + 1)]  # fmt: skip
    assert list(dict.fromkeys((row[0], row[1]) for row in rows)) == gaps
    best = set()
    for line, _gap, rank, side, noun_line, position, word, *chances in rows:
        assert int(rank) <= 5
        assert all(0 <= float(chance) <= 1 for chance in chances)
        if rank == "1":
            best.add(side)
        if side == "none":
            assert (noun_line, position, word) == ("_", "_", "_")
        else:
            there = dev[int(noun_line) - 1]
            assert (there.source if side == "source" else there.target)[int(position)] == word
            assert int(noun_line) <= int(line)
            assert there.document == dev[int(line) - 1].document
    assert best > {"target"}


def test_systems_that_point_are_named_to_those_that_do_not(tmp_path):
    call = ("predict", MODELS / "majority", MODELS / "input.data", "-o", tmp_path / "out")
    result = crosspro(*call, "--antecedents", tmp_path / "nouns")
    assert result.code == 2
    assert b"--antecedents" in result.stderr
    assert not (tmp_path / "out").exists()
