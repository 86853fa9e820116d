"""`crosspro predict` finds what lies beside its input, and says what is missing."""

from __future__ import annotations

import shutil

import pytest

from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.data_prep.task import load_task
from crosspro.prediction.neural.system import NeuralSystem
from tests.conftest import GOLDEN
from tests.scripts.run import crosspro

MODELS = GOLDEN / "models" / "crosspro_0.1.0"
NETWORK = {"embedding": 8, "hidden": 8, "dense": 8, "window": 20}
TRAINER = {"max_epochs": 1, "progress_bar": False, "accelerator": "cpu"}


def test_context_needs_documents_which_may_lie_beside_the_file(tmp_path):
    task = load_task("en-fr")
    train, dev = demo_examples(task, "train", 10), demo_examples(task, "dev", 10)
    system = NeuralSystem("turku_gru", NETWORK, {"context": 2}, trainer=TRAINER)
    system.fit(task, train, dev)
    system.save(tmp_path / "run")
    data = tmp_path / "dev.data"
    write_examples(data, dev)

    def predicted(*options):
        out, chances = tmp_path / "out", tmp_path / "chances"
        result = crosspro("predict", tmp_path / "run", data, "-o", out, "--probabilities", chances,
                          *options)  # fmt: skip
        assert result.code == 0, result.stderr
        return chances.read_bytes(), result.stderr

    alone, message = predicted()
    assert b"no document ids" in message
    assert b"2 sentences of context" in message
    write_doc_ids(tmp_path / "named", dev)
    named, message = predicted("--doc-ids", tmp_path / "named")
    assert b"no document ids" not in message
    assert named != alone
    write_doc_ids(tmp_path / "dev.doc-ids", dev)
    beside, message = predicted()
    assert b"no document ids" not in message
    assert beside == named
    refused = crosspro("predict", tmp_path / "run", data, "-o", tmp_path / "dev.doc-ids")
    assert refused.code == 2


@pytest.mark.parametrize("record", ["{", '{"format": 2}', '{"format": 1, "colour": "red"}'])
def test_a_damaged_record_does_not_stop_a_good_model(tmp_path, record):
    shutil.copytree(MODELS / "majority", tmp_path / "run")
    (tmp_path / "run" / "run.json").write_text(record, "utf-8")
    result = crosspro("predict", tmp_path / "run", MODELS / "input.data", "-o", tmp_path / "out")
    assert result.code == 0, result.stderr
    assert f"warning: {tmp_path / 'run' / 'run.json'}: ".encode() in result.stderr
    assert b"gaps predicted by majority\n" in result.stderr
    scored = ("evaluate", MODELS / "input.data", tmp_path / "run", "-t", "en-fr", "--resamples", 0)
    assert b"foo" in crosspro(*scored, "--name", "foo").stdout
    refused = crosspro(*scored)  # which has no other name
    assert refused.code == 2
    assert b"run.json" in refused.stderr
