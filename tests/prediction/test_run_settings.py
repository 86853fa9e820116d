"""Settings of a run are checked together, and wrong names are answered with the right ones."""

from __future__ import annotations

from crosspro.baselines.class_prior import ClassPrior
from crosspro.prediction.run_settings import Settings, unknown_names


def test_every_problem_is_found():
    check = Settings()
    check.choice("absent", "perhaps", ("skip", "zero"))
    check.number("resamples", -1, 0)
    check.number("resamples", True, 0)
    check.data({"kind": "demo", "seed": 1, "documents": {"train": 0, "dev": 1}, "colour": 1})
    check.component("system", ClassPrior, {"sead": 1})
    check.component("system", dict, {})
    keys = [problem.field for problem in check.problems]
    assert keys == [
        "absent", "resamples", "resamples", "data.colour", "data.documents.train",
        "data.documents.test", "system.sead", "system._target_",
    ]  # fmt: skip


def test_data_of_another_kind_and_without_a_folder(tmp_path):
    check = Settings()
    check.data({"kind": "cloud"})
    check.data({"kind": "shared_task", "dir": "???", "train": "a", "dev": "b", "test": "c"})
    files = {"train": "a", "dev": "b", "test": "c", "lenient": False}
    check.data({"kind": "shared_task", "dir": str(tmp_path / "none"), **files})
    check.data({"kind": "shared_task", "dir": str(tmp_path), **files})
    assert [problem.field for problem in check.problems] == [
        "data.kind", "data.dir", "data.lenient", "data.dir",
    ]  # fmt: skip


def test_unknown_names_list_the_choices():
    known = {
        "": ["task", "data", "seed"],
        "data": ["kind", "dir", "documents"],
        "data.documents": ["train"],
    }
    good = ["task=en-fr", "data.dir=x", "+data.new=1", "hydra.run.dir=x", "-m", "--cfg=job"]
    assert unknown_names([*good, "data.documents.train=3", "data.dir.any=4"], known) == []
    first, second, third = unknown_names(["taks=x", "data.dri=y", "data.documents.trian=2"], known)
    assert "did you mean data.documents.train?" in str(third)
    assert "one of task, data, seed" in str(first)
    assert "did you mean task?" in str(first)
    assert "one of data.kind, data.dir, data.documents" in str(second)
