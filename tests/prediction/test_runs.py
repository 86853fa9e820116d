"""What a run's folder says about itself, and how runs are called."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from crosspro.baselines.majority import Majority
from crosspro.baselines.ngram_system import NGramSystem
from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.data_prep.pipeline.sets.splits import demo_splits, file_splits
from crosspro.prediction.configuration import Scoring
from crosspro.prediction.fit_and_score import fit_and_score
from crosspro.prediction.fit_report import epoch_report
from crosspro.prediction.runs import find_run, names_of, read_run, write_run
from crosspro.prediction.system import load_system
from tests.data_prep.pipeline.sets.test_cues import with_links, without_links

TASK = load_task("en-fr")
SIZES = {"train": 20, "dev": 5, "test": 5}
SMALL = demo_splits(TASK, SIZES, 1)
FIT = epoch_report("accuracy", 71.5, 3, 7, 1400, "patience")


class Stopped(Majority):
    """A system whose training is stopped."""

    def fit(self, *arguments, **named):
        raise KeyboardInterrupt


class Refused(Majority):
    """A system with settings that are refused."""

    def fit(self, *arguments, **named):
        raise CrossproError("settings: trainer: no such accelerator")


def test_a_run_writes_down_what_it_was_made_from_and_what_came_out(tmp_path):
    notes = []
    splits = demo_splits(TASK, SIZES, 4)  # whose dev set chooses a penalty other than 0
    outcome = fit_and_score(TASK, NGramSystem(order=3), splits, tmp_path / "run",
                            scoring=Scoring(seed=4, resamples=20), tell=notes.append)  # fmt: skip
    run = read_run(tmp_path / "run")
    assert run == outcome.run
    assert (run.status, run.task, run.system, run.seed) == (
        "complete",
        "en-fr",
        "baseline-tuned",
        4,
    )
    assert run.name == "baseline-tuned seed 4"
    assert [(one.split, one.name) for one in run.data] == [
        ("train", "train"), ("dev", "dev"), ("test", "test"),
    ]  # fmt: skip
    assert run.data[0].gaps == sum(len(example.gaps) for example in splits.train)
    score = run.scores["test"]["macro_recall"]
    own = json.loads((tmp_path / "run" / "test.scores.json").read_text("utf-8"))["candidates"]
    assert own[0]["name"] == "baseline-tuned seed 4"
    assert score.value == own[0]["scores"]["macro_recall"]["value"]
    assert score.signature.startswith("submissions|crosspro:")
    assert score.low <= score.value <= score.high
    assert run.variants["baseline0"]["dev"]["accuracy"].value > 0
    assert {"crosspro", "python", "numpy"} <= set(run.versions)
    assert run.times.ended >= run.times.started
    assert load_system(tmp_path / "run").name == "ngram"


def test_a_training_tells_what_its_data_gives_away(tmp_path):
    sizes = {"train": 100, "dev": 40, "test": 40}
    clean = demo_splits(TASK, sizes, 1)
    clean = replace(clean, train=[*map(with_links, clean.train)], dev=[*map(with_links, clean.dev)],
                    test={"test": [*map(with_links, clean.test["test"])]})  # fmt: skip
    notes = []
    fit_and_score(TASK, Majority(), clean, tmp_path / "clean", tell=notes.append)
    assert not [note for note in notes if "warning" in note]
    assert read_run(tmp_path / "clean").cues == {}
    old = replace(clean, train=[*map(without_links, clean.train)])
    outcome = fit_and_score(TASK, Majority(), old, tmp_path / "old", tell=notes.append)
    (warning,) = [note for note in notes if "warning" in note]
    assert warning.startswith("warning: train: a gap without a link is OTHER in 100.0 of 100 cases")
    run = read_run(tmp_path / "old")
    assert run == outcome.run
    assert list(run.cues) == ["train"]
    assert (run.cues["train"]["links"], run.cues["train"]["label"]) == ("without a link", "OTHER")


def test_a_run_says_what_its_system_tells_of_the_training(tmp_path):
    system = Majority()
    system.report = FIT
    notes = []
    fit_and_score(TASK, system, SMALL, tmp_path, tell=notes.append)
    assert read_run(tmp_path).fit == FIT.figures
    assert notes[1:] == [FIT.summary]


@pytest.mark.parametrize(
    ("chosen", "epochs", "steps", "warned"),
    [(0, 4, 400, True), (2, 6, 6, True), (49, 50, 9000, True), (30, 50, 9000, False)],
)
def test_a_training_that_was_too_short_gives_a_warning(chosen, epochs, steps, warned):
    report = epoch_report("mean", 17.0, chosen, epochs, steps, "patience")
    assert len(report.warnings) == warned


class Known(Majority):
    """A system that has seen the gold of some examples, and always answers `on` elsewhere."""

    seen: Sequence[Example] = ()

    def unadjusted(self, examples):
        index = self.task.class_index
        known = [gap.label for example in self.seen for gap in example.gaps]
        gaps = sum(len(example.gaps) for example in examples)
        labels = known if examples is self.seen else ["on"] * gaps
        return np.eye(len(self.task.classes))[[index[label] for label in labels]]


def test_a_system_below_the_majority_class_is_warned_of(tmp_path):
    run = fit_and_score(TASK, Known(), SMALL, tmp_path).run
    assert [warning.partition(":")[0] for warning in run.warnings] == ["dev", "test"]
    assert read_run(tmp_path) == run
    assert fit_and_score(TASK, Majority(), SMALL, tmp_path).run.warnings == ()


def test_a_stopped_run_can_be_told(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        fit_and_score(TASK, Stopped(), SMALL, tmp_path)
    run = read_run(tmp_path)
    assert run.status == "running"
    assert run.times.ended is None
    assert not run.scores


@pytest.mark.parametrize("record", [None, b"{"])
def test_a_run_that_is_refused_leaves_the_record_that_is_there(record, tmp_path):
    fit_and_score(TASK, Majority(), SMALL, tmp_path)
    path = tmp_path / "run.json"
    if record is not None:  # whatever it says
        path.write_bytes(record)
    before = path.read_bytes()
    with pytest.raises(CrossproError):
        fit_and_score(TASK, Refused(), SMALL, tmp_path, scoring=Scoring(seed=2))
    assert path.read_bytes() == before
    fit_and_score(TASK, Majority(), SMALL, tmp_path)
    assert read_run(tmp_path).status == "complete"


def test_files_are_known_by_their_digests(tmp_path):
    for split in ("train", "dev", "test"):
        examples = demo_examples(TASK, split, 5)
        write_examples(tmp_path / f"{split}.data", examples)
        write_doc_ids(tmp_path / f"{split}.doc-ids", examples)
    splits = file_splits(TASK, tmp_path, "train*.data", "dev*.data", "test*.data")
    run = fit_and_score(TASK, Majority(), splits, tmp_path / "run").run
    assert [one.name for one in run.data] == ["train.data", "dev.data", "test.data"]
    content = (tmp_path / "train.data").read_bytes()
    assert run.data[0].digest == hashlib.sha256(content).hexdigest()
    assert run.data[0].lines == content.count(b"\n")
    assert list(run.data[0].beside) == ["train.doc-ids"]


def test_a_damaged_record_is_refused_with_all_its_faults(tmp_path):
    fit_and_score(TASK, Majority(), SMALL, tmp_path)
    path = tmp_path / "run.json"
    whole = json.loads(path.read_text("utf-8"))
    wrong = {**whole, "status": "gone", "seed": "1", "colour": "red"}
    wrong["data"] = [{"split": "train"}]
    wrong["times"] = {"started": 3}
    path.write_text(json.dumps(wrong), "utf-8")
    with pytest.raises(InputError) as refused:
        read_run(tmp_path)
    assert [problem.field for problem in refused.value.problems] == [
        "status", "seed", "times.started", "data.0.name", "data.0.lines", "data.0.gaps",
        "data.0.digest", "colour",
    ]  # fmt: skip
    path.write_text(json.dumps({**whole, "format": 2}), "utf-8")
    with pytest.raises(InputError, match="format"):
        find_run(tmp_path)
    for changes in ({"format": "1"}, {"system": "\x1b[31mred"}):
        path.write_text(json.dumps({**whole, **changes}), "utf-8")
        with pytest.raises(InputError, match=next(iter(changes))):
            names_of([tmp_path])
    path.write_text("[]", "utf-8")
    with pytest.raises(InputError, match="a JSON object"):
        find_run(tmp_path)


def test_runs_are_called_by_system_and_seed_and_told_apart_by_folder(tmp_path):
    first = fit_and_score(TASK, Majority(), SMALL, tmp_path / "a").run
    for name, run in (("b", replace(first, seed=2)), ("c", first)):
        (tmp_path / name).mkdir()
        write_run(tmp_path / name, run)
    (tmp_path / "old").mkdir()
    a, b, c, old, file = (tmp_path / name for name in ("a", "b", "c", "old", "x.data"))
    assert names_of([a, b, old, file]) == ["majority seed 1", "majority seed 2", "old", "x"]
    assert names_of([a, b, c]) == ["majority seed 1 (a)", "majority seed 2", "majority seed 1 (c)"]
    assert find_run(old) is None
