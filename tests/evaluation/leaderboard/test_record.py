"""Records: what they must say, and what may stand in none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.leaderboard.record import (
    Board,
    MakingStep,
    MeasuredSet,
    Provenance,
    Record,
    TrainingText,
    published_records,
    read_record,
    read_records,
    record_names,
    write_record,
)

WHOLE = Record(
    name="en-de/one",
    board=Board.PREDICTION,
    title="one",
    system="one",
    origin=Provenance.PAPERS,
    task="en-de",
    text=TrainingText("all", "a" * 64, 5, ("2017",)),
    seeds=(1, 2),
    commit="0123abc",
    steps=(MakingStep("one", ("crosspro", "train", "data.dir={work}/data/en-de"), ("gpu",)),),
    sets={"a": MeasuredSet(10, 2, "b" * 64)},
    scores={"a": {"accuracy": Score("accuracy", 100 / 3, "accuracy|x", 20.0, 40.0)}},
    digests={"a 1": "c" * 64, "a 2": "d" * 64},
)


def test_a_record_is_read_as_it_was_written(tmp_path):
    write_record(WHOLE, tmp_path)
    value = replace(WHOLE.scores["a"]["accuracy"], value=33.333333)
    expected = replace(WHOLE, scores={"a": {"accuracy": value}})
    assert read_records(tmp_path) == (expected,)
    assert record_names(tmp_path) == ["en-de/one"]
    write_record(replace(WHOLE, seeds=(3,)), tmp_path)
    assert read_record(tmp_path / "en-de" / "one.json").seeds == (3,)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"commit": ""}, "commit"),
        ({"commit": "0123abc+changed"}, "commit"),
        ({"seeds": ()}, "seeds"),
        ({"text": None}, "text.digest"),
        ({"text": TrainingText("all", "short", 5)}, "text.digest"),
        ({"steps": ()}, "steps"),
        ({"digests": {}}, "digests"),
        ({"sets": {}}, "sets"),
        ({"scores": {}}, "scores"),
        ({"name": "alone"}, "name"),
        ({"title": "/home/ada/runs/one"}, "title"),
        ({"notes": (r"from C:\runs\one",)}, "notes.0"),
        ({"configuration": ("system.lists=[/data/a/words]",)}, "configuration.0"),
        ({"steps": (MakingStep("x", ("crosspro", "~/runs/one")),)}, "steps.0.command.1"),
    ],
)
def test_what_nobody_could_make_again_is_refused(change, field, tmp_path):
    with pytest.raises(InputError) as error:
        write_record(replace(WHOLE, **change), tmp_path)
    assert [problem.field for problem in error.value.problems] == [field]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "text",
    ["69.1 / 71.1", "it/they", "https://aclanthology.org/W17-4801", "{corpora}/bitext/en-de/train"],
)
def test_what_is_no_path_of_a_machine(text, tmp_path):
    write_record(replace(WHOLE, notes=(text,)), tmp_path)


def test_all_faults_of_all_files_are_told(tmp_path):
    for name in ("en-de/one", "en-de/two"):
        path = write_record(replace(WHOLE, name=name), tmp_path)
        path.write_text(path.read_text().replace('"commit": "0123abc"', '"commit": ""'))
    with pytest.raises(InputError) as error:
        read_records(tmp_path)
    assert len(error.value.problems) == 2


def test_a_record_has_the_name_of_its_file(tmp_path):
    path = write_record(WHOLE, tmp_path)
    path.rename(path.with_name("other.json"))
    with pytest.raises(InputError, match="expected that of its file"):
        read_record(path.with_name("other.json"))


def test_published_figures_are_whole_records():
    assert not [fault for record in published_records() for fault in record.faults()]
