"""crosspro pretrain: from files to a run that fine-tuning begins with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.prediction.runs import Configuration, read_run, write_run
from crosspro.prediction.system import load_system
from tests.scripts.run import crosspro

TINY = [
    "training.unit_vocabulary=120", "training.batch_size=16", "training.share=1.0",
    "network.width=8", "network.layers=1", "network.heads=2",
    "trainer.max_epochs=1", "trainer.precision=32-true", "trainer.progress_bar=false",
    "trainer.accelerator=cpu",
]  # fmt: skip
CHANGES = [word for setting in TINY for word in ("--set", setting)]

LEARN = ("pretrain", "learn")


def files(folder):
    task = load_task("en-fr-2015")
    examples = demo_examples(task, "train", 6)
    write_examples(folder / "train.data", examples)
    write_doc_ids(folder / "train.doc-ids", examples)
    text = "La maison est vieille .\nElle est belle .\nIls sont la .\n" * 20
    (folder / "novel.txt").write_text(text, "utf-8")
    (folder / "novel.doc-ids").write_text("novel\n" * 60, "utf-8")
    return [
        "--task", "en-fr-2015", "--data", str(folder / "train.data"),
        "--text", str(folder / "novel.txt"), "--doc-ids", str(folder / "novel.doc-ids"),
        "--held-out", "0.2",
    ]  # fmt: skip


@pytest.mark.parametrize("unseen", [False, True])
def test_a_set_has_the_same_bytes_for_any_number_of_jobs(tmp_path, unseen):
    given = [*files(tmp_path), *CHANGES]
    if unseen:
        examples = demo_examples(load_task("en-fr-2015"), "train", 2)
        write_examples(tmp_path / "dev.data", examples)
        given += ["--unseen", str(tmp_path / "dev.data")]
    found = []
    for jobs in (1, 2, 3):
        folder = tmp_path / str(jobs)
        made = crosspro("pretrain", "encode", *given, "-o", str(folder), "--jobs", str(jobs))
        assert made.code == 0, made.stderr
        found.append({path.name: path.read_bytes() for path in folder.iterdir()})
        told = made.stderr.decode()
        assert ("0 lines left out" in told) == unseen
    assert found[0] == found[1] == found[2]


def told_of(stderr: bytes) -> dict[str, str]:
    """What a command tells of files, by their names."""
    lines = stderr.decode().splitlines()
    return dict(line.split(": ", 1) for line in lines if ": " in line)


def test_text_and_bitext_become_a_run(tmp_path):
    """Units and lexicons are those of the encoded text, and need not be told again."""
    other = ["--set", "network.target_lexicon=none"]
    given = [*files(tmp_path), *CHANGES, *other]
    made = crosspro("pretrain", "encode", *given, "-o", str(tmp_path / "set"))
    assert made.code == 0, made.stderr
    assert "novel.txt: 40 " in made.stderr.decode()
    assert "lines left out" not in made.stderr.decode()
    run = tmp_path / "run"
    learning = CHANGES[2:]  # without unit_vocabulary
    learnt = crosspro(*LEARN, tmp_path / "set", *learning, "-o", str(run))
    assert learnt.code == 0, learnt.stderr
    assert "warning: " in learnt.stderr.decode()
    record = read_run(run)
    assert (record.status, record.seed, record.fit["epochs"]) == ("complete", 1, 1)
    assert [(one.split, one.name, list(one.beside)) for one in record.data] == [
        ("train", "train.data", ["train.doc-ids"]), ("train", "novel.txt", ["novel.doc-ids"]),
    ]  # fmt: skip
    assert record.configuration.settings["held_out"] == 0.2
    system = load_system(run)
    assert system.task.name == "en-fr-2015"
    assert "▁Elle" in system.encoder.vocabularies["piece"].words
    assert system.settings.network.target_lexicon == "none"
    wrong = ["--set", "network.target_lexicon=induced"]
    refused = crosspro(
        "pretrain", "learn", str(tmp_path / "set"), *learning, *wrong, "-o", str(run)
    )
    assert refused.code == 2
    assert "set.json: read" in refused.stderr.decode()
    wrong = ["--set", "training.batch_size=8"]
    refused = crosspro(
        "pretrain", "learn", str(tmp_path / "set"), *learning, *wrong, "-o", str(run)
    )
    assert refused.code == 2
    assert read_run(run) == record
    write_run(run, replace(record, configuration=Configuration()))
    refused = crosspro(*LEARN, tmp_path / "set", *learning, "-o", str(run))
    assert refused.code == 2
    assert b"output" in refused.stderr


def test_what_is_wrong_is_said(tmp_path):
    cases = {
        ("--recipe", "nothing"): "--recipe",
        ("--set", "width"): "--set",
        ("--set", "network.witdh=3"): "witdh",
        ("--set", "sytem=3"): "sytem",
        ("--doc-ids", str(tmp_path / "novel.doc-ids")): "--doc-ids",
    }
    given = files(tmp_path)
    for words, message in cases.items():
        found = crosspro("pretrain", "encode", *given, *words, "-o", str(tmp_path / "set"))
        assert found.code == 2
        assert message in found.stderr.decode()
    nothing = crosspro("pretrain", "encode", "--task", "en-fr", "-o", str(tmp_path / "set"))
    assert "--data" in nothing.stderr.decode()
    (tmp_path / "empty.txt").write_text("Rien .\n", "utf-8")
    words = ("--task", "en-fr-2015", "--text", str(tmp_path / "empty.txt"))
    found = crosspro("pretrain", "encode", *words, "-o", str(tmp_path / "set"))
    assert not (tmp_path / "set.cache").exists()
