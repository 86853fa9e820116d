"""Members of a configured ensemble are called by their configurations, as single runs are."""

from __future__ import annotations

import json

from crosspro.data_prep.core.example import Example, Gap
from crosspro.prediction.explanation import explain
from crosspro.prediction.runs import read_run
from crosspro.prediction.system import load_system
from tests.integration.training import SMALL, train

ENSEMBLE = """
defaults:
  - stymne_svm_2017@members.svm
  - helsinki_svm@members.other
  - source_aware_lm@members.lm
  - _self_
_target_: crosspro.prediction.ensemble.Ensemble
seeds: 2
tune: accuracy
"""
LINE = Example.of_tokens(("It", "is"), ("REPLACE_0", "être|VER"), ((0, 0),), (Gap(0, 0),), "d")


def test_members_have_the_names_of_their_configurations(tmp_path):
    (tmp_path / "system").mkdir()
    (tmp_path / "system" / "three.yaml").write_text(ENSEMBLE, "utf-8")
    done = train(tmp_path / "run", "--config-dir", str(tmp_path), "system=three", *SMALL)
    assert done.returncode == 0, done.stderr
    run = read_run(tmp_path / "run")
    names = {f"system.members.{key}": name for key, name in (
        ("svm", "stymne_svm_2017"), ("other", "helsinki_svm"), ("lm", "source_aware_lm"),
    )}  # fmt: skip
    assert names.items() <= run.configuration.choices.items()
    every = ["stymne_svm_2017"] * 2 + ["helsinki_svm"] * 2 + ["source_aware_lm"]
    assert [one["system"] for one in run.fit["members"]] == every
    saved = [tmp_path / "run" / "model" / f"member{n}" / "system.json" for n in range(5)]
    assert [json.loads(path.read_text("utf-8"))["configured"] for path in saved] == every
    system = load_system(tmp_path / "run")
    evidence = explain(system, [LINE], 0).evidence
    keys = ["svm", "svm.seed2", "other", "other.seed2"]
    labels = [f"{key} ({name})" for key, name in zip([*keys, "lm"], every, strict=True)]
    assert [one.label for one in evidence.members] == labels
    assert [row[0] for row in evidence.tables[0].rows] == labels
    assert {note.system for note in system.unlike_training(frozenset())} <= set(every)
