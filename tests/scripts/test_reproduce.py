"""`crosspro reproduce`: what makes a row, what is missing, and the comparison at the end."""

import json
from dataclasses import replace

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.leaderboard.evidence import (
    GoldLabels,
    label_digests,
    label_scores,
    labelled_sets,
    write_gold,
    write_labels,
)
from crosspro.evaluation.leaderboard.record import (
    Board,
    MakingStep,
    Provenance,
    Record,
    TrainingText,
    write_record,
)
from crosspro.scripts.reproduce import _PROGRAMS
from tests.scripts.run import crosspro

TASK = load_task("en-de")
GOLD = GoldLabels(("er", "sie", "es", "es", "OTHER", "sie") * 5, (10, 12, 8))
COPY = "import shutil, sys; shutil.copytree(sys.argv[1], sys.argv[2])"


def results(folder, labels, steps):
    """A folder with one record, whose labels and steps are these."""
    predicted = {"test": {"1": labels}}
    tested = labelled_sets(TASK, {"test": GOLD}, predicted, folder)
    record = Record(
        name="en-de/some_system",
        board=Board.PREDICTION,
        title="some_system, tuned",
        system="some_system",
        origin=Provenance.PAPERS,
        task="en-de",
        text=TrainingText("all", "0" * 64, 30),
        seeds=(1,),
        commit="0123456",
        steps=steps,
        sets={"test": GOLD.measured},
        scores={one.name: label_scores(one, TASK, Resampling(100)) for one in tested},
        digests=label_digests(predicted),
    )
    write_gold("en-de", {"test": GOLD}, folder)
    write_labels(record.name, predicted, folder)
    write_record(record, folder)
    return record


def some_right(number):
    return [*GOLD.labels[:number], *["OTHER"] * (len(GOLD.labels) - number)]


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """Results whose one step copies other results to where `reproduce` looks for new ones."""
    monkeypatch.setitem(_PROGRAMS, "copy", ("-c", COPY))
    again = MakingStep("scores", ("copy", "{corpora}/again", "{work}/results"))
    results(tmp_path / "results", some_right(20), (again,))
    return tmp_path


def reproduce(folder, *arguments):
    places = ("--results", folder / "results", "--work", folder / "work", "--corpora", folder)
    return crosspro("reproduce", *arguments, *places)


def test_steps_and_scores_are_printed_and_nothing_runs(recorded):
    told = reproduce(recorded, "en-de/some_system")
    assert told.code == 0, told.stderr.decode()
    assert "some_system, tuned, en-de, seeds 1" in told.stdout.decode()
    assert f"{recorded / 'work'}/results" in told.stdout.decode()
    assert "# scores" in told.stdout.decode()
    assert not (recorded / "work").exists()


def test_a_row_is_known_by_its_title_and_a_wrong_name_by_what_is_near(recorded):
    assert reproduce(recorded, "some_system, tuned").code == 0
    wrong = reproduce(recorded, "some")
    assert wrong.code == 2
    assert "en-de/some_system" in wrong.stderr.decode()


def test_a_published_figure_has_no_steps(recorded):
    name = "published/2017.en-fr/TurkuNLP-primary"
    assert "published: Loáiciga" in reproduce(recorded, name).stdout.decode()
    assert "published figure" in reproduce(recorded, name, "--run").stderr.decode()


def test_what_is_made_again_is_compared(recorded):
    results(recorded / "again", some_right(20), (MakingStep("x", ("crosspro",)),))
    told = reproduce(recorded, "some_system", "--run")
    assert told.code == 0, told.stderr.decode()
    assert "4 of 4 scores are within" in told.stdout.decode()
    assert (recorded / "work" / "done" / "en-de.some_system.1").is_file()


def test_other_scores_are_an_error(recorded):
    results(recorded / "again", some_right(1), (MakingStep("x", ("crosspro",)),))
    told = reproduce(recorded, "some_system", "--run")
    assert told.code == 1
    assert "outside" in told.stdout.decode()


def test_a_step_that_fails_names_its_log(recorded):
    told = reproduce(recorded, "some_system", "--run")  # there is nothing to copy
    assert told.code == 1
    assert "en-de.some_system.1.log" in told.stderr.decode()


@pytest.mark.parametrize(
    "command", [("sh", "-c", "touch here"), ("python", "-c", "1"), ("python",)]
)
def test_a_record_runs_no_programs_but_ours(recorded, command):
    results(recorded / "results", some_right(20), (MakingStep("x", command),))
    told = reproduce(recorded, "some_system", "--run")
    assert told.code == 2
    assert "expected crosspro, python train.py or python -m crosspro" in told.stderr.decode()
    assert not (recorded / "work").exists()


def test_all_that_is_missing_is_said_before_anything_starts(recorded):
    needs = ("folder {corpora}/bitext/en-de", "folder {work}/no_such_folder")
    record = recorded / "results" / "en-de" / "some_system.json"
    content = json.loads(record.read_text())
    content["steps"][0]["needs"] = needs
    record.write_text(json.dumps(content))
    told = reproduce(recorded, "some_system", "--run")
    assert told.code == 2
    assert "bitext" in told.stderr.decode()
    assert "no_such_folder" in told.stderr.decode()
    assert not (recorded / "work").exists()
    assert (
        "missing: folder {work}/no_such_folder"
        in reproduce(recorded, "some_system").stdout.decode()
    )


def test_a_record_without_commit_seeds_or_digest_is_refused(tmp_path):
    record = results(tmp_path, some_right(20), (MakingStep("x", ("crosspro",)),))
    bad = replace(record, commit="", seeds=(), text=None, steps=(), digests={})
    with pytest.raises(Exception, match=r"(?s)commit.*seed.*digest.*steps.*digests"):
        write_record(bad, tmp_path)
