"""Layers of training and prediction: a run says what it had; commands warn where data differs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.baselines.feature_system import FeatureSystem
from crosspro.data_prep.core.example import Mention
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.chains import ChainRow
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.data_prep.pipeline.sets.splits import Splits
from crosspro.prediction.fit_and_score import fit_and_score
from crosspro.prediction.runs import read_run
from crosspro.prediction.system import load_system
from tests.data_prep.formats.conllu_sample import write_chains
from tests.scripts.run import crosspro

TASK = load_task("en-fr")
FEATURES = ["source_pronoun", "target_lemmas:1", "antecedents"]
PLAIN, DEV = demo_examples(TASK, "train", 20), demo_examples(TASK, "dev", 5)


def chained(examples):
    """The same lines; each pronoun of a gap is a chain of its own."""
    return [
        replace(
            one,
            chains=tuple(
                Mention(f"c{gap.source_index}", "source", gap.source_index, gap.source_index)
                for gap in one.gaps
            ),
        )
        for one in examples
    ]


def written(folder, examples, *, chains):
    """A data file with its documents and, if asked for, its chains."""
    path = folder / ("chained.data" if chains else "plain.data")
    stem = path.name.removesuffix(".data")
    write_examples(path, examples)
    write_doc_ids(folder / f"{stem}.doc-ids", examples)
    if chains:
        rows, places = [], {}
        for one in examples:
            number = places[one.document] = places.get(one.document, -1) + 1
            rows += [ChainRow(one.document, number, m) for m in one.chains]
        write_chains(folder / f"{stem}.chains.tsv", rows)
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs, with and without chains, and data with and without."""
    folder = tmp_path_factory.mktemp("layers")
    told = []
    for name, train, dev in (("with", chained(PLAIN), chained(DEV)), ("without", PLAIN, DEV)):
        system = FeatureSystem(features=FEATURES, context=2)
        sets = Splits(train, dev, {"one": DEV, "other": chained(DEV)})
        system.configured = "stymne_svm_2016"
        fit_and_score(TASK, system, sets, folder / name, tell=told.append)
    return folder, told


NONE = "has no X.chains.tsv, unlike the training data of stymne_svm_2016"
MORE = "has X.chains.tsv, unlike the training data of stymne_svm_2016"


def test_a_run_says_which_layers_it_was_trained_with(runs):
    folder, _ = runs
    assert read_run(folder / "with").layers == ("chains", "documents")
    assert read_run(folder / "without").layers == ("documents",)
    loaded = [load_system(folder / name) for name in ("with", "without")]
    assert [one.trained_layers for one in loaded] == [{"chains", "documents"}, {"documents"}]
    assert [one.shown_name for one in loaded] == ["stymne_svm_2016"] * 2


def test_training_warns_of_test_sets_with_other_layers_once_each(runs):
    _, told = runs
    assert [note for note in told if NONE in note and note.startswith("warning: one: ")]
    assert [note for note in told if f"warning: other: {MORE}" in note]
    about = [note for note in told if "do not hold here" in note]
    assert len(about) == len(set(about)) == 2


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_commands_warn_once(runs, tmp_path, command):
    folder, _ = runs
    files = {False: written(tmp_path, DEV, chains=False)}
    files[True] = written(tmp_path, chained(DEV), chains=True)

    def message(run, chains):
        data, end = files[chains], ("-o", tmp_path / f"{run}{chains}")
        words = {
            "predict": (command, folder / run, data, *end),
            "evaluate": (command, data, folder / run, "-t", "en-fr", "--resamples", 0),
        }
        result = crosspro(*words[command])
        assert result.code == 0, result.stderr
        return result.stderr.decode()

    assert message("with", False).count(f"warning: {files[False]}: {NONE}") == 1
    assert message("without", True).count(f"warning: {files[True]}: {MORE}") == 1
    assert "the training data of" not in message("with", True) + message("without", False)
