"""crosspro pretrain for several tasks: one run that fine-tuning for each of them begins with."""

from __future__ import annotations

import json

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task, task_to_mapping
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import read_examples, write_doc_ids, write_examples
from crosspro.prediction.neural.layers.network import network_class
from crosspro.prediction.neural.reading.lexicon_fields import load_lexicons
from crosspro.prediction.neural.system import NeuralSystem
from crosspro.prediction.neural.training.fine_tuning import run_to_go_on
from crosspro.prediction.system import load_run, load_system
from tests.integration.training import train
from tests.scripts.run import crosspro
from tests.scripts.test_pretrain import CHANGES

TASKS = ("en-fr", "en-de")
QUICK = (
    "trainer.max_epochs=1", "trainer.progress_bar=false", "trainer.accelerator=cpu",
    "trainer.precision=32-true", "resamples=0", "data=shared_task",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of two tasks, what was encoded of them, and the run that learnt from that."""
    folder = tmp_path_factory.mktemp("several")
    given = []
    for name in TASKS:
        (folder / name).mkdir()
        for split, documents in (("train", 6), ("dev", 3), ("test", 3)):
            examples = demo_examples(load_task(name), split, documents)
            write_examples(folder / name / f"{split}.data", examples)
            write_doc_ids(folder / name / f"{split}.doc-ids", examples)
        given += ["--task", name, "--data", f"{name}:{folder / name / 'train.data'}"]
        given += ["--unseen", f"{name}:{folder / name / 'test.data'}"]
    given += ["--own-gaps"]  # there are hardly any other pronouns
    pointer = ("--set", "network_settings.pointer=true")
    encoded = crosspro(
        "pretrain", "encode", *given, "--held-out", "0.2", *CHANGES, *pointer, "-o", folder / "set"
    )
    assert encoded.code == 0, encoded.stderr
    for epochs in (1, 2):  # the second goes on
        longer = ("--set", f"trainer.max_epochs={epochs}")
        learnt = crosspro(
            "pretrain", folder / "set", *CHANGES, *pointer, *longer, "-o", folder / "run"
        )
        assert learnt.code == 0, learnt.stderr
        assert "gaps for en-fr+en-de" in learnt.stderr.decode()
    return folder


def fine_tuned(folder, task, output):
    return train(
        output, "experiment=document_fine_tuning", f"system.init_from={folder / 'run'}",
        f"task={task}", f"data.dir={folder / task}", "system.network_settings.pointer=true",
        "system.training.batch_size=32", *QUICK,
    )  # fmt: skip


@pytest.mark.slow
def test_the_run_is_gone_on_from_for_one_of_its_tasks(folder, tmp_path):
    result = fine_tuned(folder, "en-de", tmp_path / "tuned")
    assert result.returncode == 0, result.stderr
    tuned, first = load_system(tmp_path / "tuned"), load_run(folder / "run")
    assert tuned.task == load_task("en-de")
    assert tuned.encoder.vocabularies["piece"] == first.encoder.vocabularies["piece"]
    assert first.report is None
    assert first.task.classes[-6:] == ("on", "er", "sie", "es", "man", "OTHER")
    output = tmp_path / "submission.data"
    made = crosspro(
        "predict", tmp_path / "tuned", folder / "en-de/test.data", "-o", output,
        "--antecedents", tmp_path / "nouns.tsv",
    )  # fmt: skip
    assert made.code == 0, made.stderr
    labels = {gap.label for line in read_examples(output, tuned.task) for gap in line.gaps}
    assert labels <= set(tuned.task.classes)
    listed = crosspro("models", "list", folder / "run", tmp_path / "tuned", "--layout", "json")
    assert [row["task"] for row in json.loads(listed.stdout)] == ["en-fr+en-de", "en-de"]
    assert crosspro("models", "check", folder / "run").code == 0


def test_another_target_language_is_refused(folder):
    network = network_class("document_encoder")
    expected = (
        "init_from: expected a run of document_encoder with the target language of de-en, "
        "found document_encoder for en-fr\\+en-de"
    )
    with pytest.raises(InputError, match=expected):
        run_to_go_on(folder / "run", NeuralSystem, "document_encoder", network, load_task("de-en"))


def test_it_predicts_nothing_itself(folder, tmp_path):
    made = crosspro("predict", folder / "run", folder / "en-de/test.data", "-o", tmp_path / "x")
    assert made.code == 2
    (line,) = made.stderr.decode().splitlines()
    assert line.endswith(
        "run: task: expected a system for one task, such as a fine-tuning of this one "
        "(system.init_from), found a pre-training for several: en-fr+en-de"
    )
    assert not (tmp_path / "x").exists()


def test_every_file_must_say_which_of_the_tasks_it_is_of(tmp_path):
    made = crosspro(
        "pretrain", "encode", "--task", "en-fr", "--task", "en-de", "-o", tmp_path / "set",
        "--data", "train.data", "--data", "en-de:train.data", "--text", "novel.txt",
        "--unseen", "de-en:dev.data", "--unseen", "en-fr:",
    )  # fmt: skip
    assert made.code == 2
    found = (("data", "train.data"), ("text", "novel.txt"), ("unseen", "de-en:dev.data"),
             ("unseen", "en-fr:"))  # fmt: skip
    assert made.stderr.decode().removeprefix("error: ").splitlines() == [
        f"settings: --{option}: expected TASK:FILE with one of en-fr, en-de, found '{file}'"
        for option, file in found
    ]
    assert not (tmp_path / "set").exists()


def test_every_task_needs_a_file_to_learn_from(tmp_path):
    made = crosspro(
        "pretrain", "encode", "--task", "en-fr", "--task", "en-de", "-o", tmp_path / "set",
        "--data", "en-fr:train.data", "--unseen", "en-de:dev.data",
    )  # fmt: skip
    assert made.code == 2
    expected = "settings: --task: expected a file of en-de (--data or --text), found none"
    assert made.stderr.decode().removeprefix("error: ").strip() == expected


def test_all_targets_must_be_of_one_kind(folder, tmp_path):
    made = crosspro(
        "pretrain", "encode", "--task", "en-de", "--task", "en-fr-2015", "-o", tmp_path / "set",
        "--data", f"en-de:{folder / 'en-de/train.data'}",
    )  # fmt: skip
    assert made.code == 2
    expected = "target: expected lemmatised in all tasks, as in en-de, found inflected in en-fr"
    assert expected in made.stderr.decode()


def test_text_is_labelled_by_the_rules_of_its_task_and_lexicons_are_joined(tmp_path):
    """Es is no pronoun in French, nor is elle in German."""
    german = task_to_mapping(load_task("en-de"))
    german |= {"name": "en-de-words", "target": "inflected", "tagset": "none"}
    task = tmp_path / "german.yaml"
    task.write_text(json.dumps(german), "utf-8")
    texts = {
        "en-fr-2015": "La maison est vieille .\nElle est ici .\nTu es la .\n",
        str(task): "Die Stadt ist alt .\nEs ist hier .\nWo ist elle ?\nDas Haus ist er .\n",
    }
    given = ["--held-out", "0.2"]
    for number, (name, text) in enumerate(texts.items()):
        (tmp_path / f"{number}.txt").write_text(text * 20, "utf-8")
        given += ["--task", name, "--text", f"{name}:{tmp_path / f'{number}.txt'}"]
    made = crosspro("pretrain", "encode", *given, *CHANGES, "-o", tmp_path / "set")
    assert made.code == 0, made.stderr
    told = [line.rpartition(": ")[2] for line in made.stderr.decode().splitlines()]
    assert told[:2] == ["20 pronouns", "40 pronouns"]
    lexicon = load_lexicons(tmp_path / "set")["target"]
    assert lexicon.gender("maison") == "Fem"
    assert lexicon.gender("Haus") == "Neut"
    saved = json.loads((tmp_path / "set/set.json").read_text("utf-8"))
    assert [one["name"] for one in saved["task"]["joint"]] == ["en-fr-2015", "en-de-words"]
