"""Rows of the published submissions: which experiments they are, and how they are made."""

from __future__ import annotations

import gzip
import json

import pytest
from typer.testing import CliRunner

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import format_example
from crosspro.evaluation.published.results import published_results
from crosspro.scripts.reproduce.results import read_gold, read_row, scores_of
from crosspro.scripts.reproduce.shared_tasks import app
from crosspro.scripts.reproduce.submissions import experiment_of, planned_submissions
from crosspro.scripts.reproduce.trainings import official_sets, planned_trainings

TASK = load_task("en-fr")
CORPORA = {
    "Europarl.en-fr.data.filtered.gz": ("train", 40),
    "IWSLT15.en-fr.data.filtered.gz": ("train", 60),
    "TEDdev.en-fr.data.filtered.gz": ("dev", 10),
    "WMT2016.en-fr.data.filtered.final.gz": ("test", 10),
}


def write_official(folder, files=CORPORA, pair="en-fr"):
    """Demo text as official files of these names, with document ids."""
    folder.mkdir(parents=True)
    for seed, (name, (split, documents)) in enumerate(files.items(), start=1):
        examples = demo_examples(TASK, split, documents, seed)
        lines = "".join(f"{format_example(example)}\n" for example in examples)
        (folder / name).write_bytes(gzip.compress(lines.encode()))
        ids = "".join(f"{example.document}\n" for example in examples)
        corpus = name.partition(".")[0]
        (folder / f"{corpus}.{pair}.doc-ids.gz").write_bytes(gzip.compress(ids.encode()))
    return folder.parent


@pytest.fixture
def official(tmp_path):
    return write_official(tmp_path / "data/2016")


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def test_every_published_submission_is_an_experiment():
    rows = [row for row in published_results() if row.kind != "released"]
    assert len(rows) == 97
    assert all(experiment_of(row) for row in rows)
    made = {row.name: row for row in planned_submissions(years=[2016, 2017])}
    assert len(made) == len(rows)
    experiments = {name: row.settings[0].partition("=")[2] for name, row in made.items()}
    assert experiments["2016/de-en/UPPSALA-primary"] == "uppsala_2016_contrastive"
    assert experiments["2016/en-fr/UPPSALA-primary"] == "uppsala_2016_primary"
    assert experiments["2017/es-en/Uppsala-primary"] == "uppsala_2017_primary_es-en"
    assert experiments["2017/en-de/UU-Stymne16-primary"] == "stymne_2017"


def test_the_inflected_task_has_every_system_of_its_pair():
    rows = planned_submissions(years=[2015])
    assert {row.task for row in rows} == {"en-fr-2015"}
    titles = [row.title for row in rows]
    assert len(titles) == len(set(titles)) == len({row.name for row in rows})
    assert {"baseline0", "baseline-tuned", "limsi_2016_primary", "nyu_2017_primary"} < set(titles)


def test_official_files_are_found_by_their_names(tmp_path, official):
    assert set(official_sets(official, 2016, "en-fr")) == {
        f"{name}.{suffix}.gz"
        for name in ("train.Europarl", "train.ted_IWSLT15", "dev.TEDdev", "test.WMT2016")
        for suffix in ("data", "doc-ids")
    }
    assert "test.DiscoMT2017.data.gz" not in official_sets(official, 2017, "en-fr")
    later = {
        "IWSLT15.en-fr.data.filtered.gz": ("train", 1),
        "DiscoMT2017.en-fr.test.data.filtered.final.gz": ("test", 1),
    }
    write_official(tmp_path / "data/2017", later)
    names = set(official_sets(official, 2017, "en-fr"))
    assert {"dev.WMT2016.data.gz", "test.DiscoMT2017.data.gz", "train.Europarl.data.gz"} <= names
    assert "dev.TEDdev.data.gz" not in names


def test_german_document_ids_serve_both_directions(tmp_path):
    files = {name.replace("en-fr", "en-de"): value for name, value in CORPORA.items()}
    data = write_official(tmp_path / "data/2016", files, pair="de-en")
    assert "train.Europarl.doc-ids.gz" in official_sets(data, 2016, "en-de")


def test_what_is_missing_is_said_before_anything_is_trained(tmp_path):
    rows = planned_submissions(["en-de"], [2016], ["CUNI-*", "UU-Cap-*"])
    with pytest.raises(InputError) as caught:
        list(planned_trainings(rows, tmp_path, tmp_path / "work"))
    assert {problem.path for problem in caught.value.problems} == {str(tmp_path / "2016")}
    (tmp_path / "en-de").mkdir()
    (tmp_path / "en-de/train.data").touch()
    with pytest.raises(InputError) as caught:
        list(planned_trainings(rows, tmp_path, tmp_path / "work"))
    fields = {problem.field for problem in caught.value.problems}
    assert fields == {"train", "dev", "test"}  # UU-Cap learns from talks alone
    with pytest.raises(InputError):
        planned_submissions(systems=["nobody"])


def test_rows_of_official_files_are_written_once(tmp_path, official):
    arguments = ["--data", official, "-t", "en-fr", "--year", 2016, "--systems", "baseline0",
                 "--work", tmp_path / "work", "--results", tmp_path / "results"]  # fmt: skip
    made = run(*arguments)
    assert made.exit_code == 0, made.output
    row = read_row("2016/en-fr/baseline0", tmp_path / "results")
    gold = read_gold("en-fr", tmp_path / "results")
    assert (row.origin, row.task, row.seeds, row.system) == (
        "papers",
        "en-fr",
        (1,),
        "baseline-tuned",
    )
    assert set(row.test_sets) == {"WMT2016"}
    assert row.test_sets["WMT2016"]["documents"] == 10
    assert row.scores == scores_of(gold, row.predictions)
    scores = json.loads(next((tmp_path / "work").rglob("test.WMT2016.scores.json")).read_text())
    _, system = scores["candidates"]  # the tuned one is the first
    for measure in ("macro_recall", "accuracy"):
        value = row.scores["WMT2016"][measure].value
        assert value == pytest.approx(system["scores"][measure]["value"], abs=1e-5)
    assert str(tmp_path) not in row.commands[0]["command"]
    assert not run(*arguments, "--dry-run").output


@pytest.fixture
def plain(tmp_path):
    folder = tmp_path / "data/en-fr"
    folder.mkdir(parents=True)
    for split, documents in (("train", 60), ("dev", 10), ("test", 10)):
        lines = (f"{format_example(one)}\n" for one in demo_examples(TASK, split, documents))
        (folder / f"{split}.data").write_text("".join(lines), "utf-8")
    return ["--data", tmp_path / "data", "-t", "en-fr", "--year", 2017, "--work",
            tmp_path / "work", "--results", tmp_path / "results"]  # fmt: skip


def test_first_seeds_come_first_and_networks_have_further_ones(plain):
    systems = ["--systems", "NYU-primary", "--systems", "UU-Stymne16-*"]
    planned = run(*plain, *systems, "--seeds", 2, "--dry-run").output.splitlines()
    assert [(line.split("experiment=")[1].split()[0], line.split(" seed=")[1][0])
            for line in planned] == [
        ("nyu_2017_primary", "1"), ("stymne_2017", "1"), ("nyu_2017_primary", "2"),
    ]  # fmt: skip


def test_a_setting_can_be_for_some_experiments(plain):
    systems = ["--systems", "NYU-primary", "--systems", "TurkuNLP-primary"]
    planned = run(*plain, *systems, "--set", "turku_*:trainer.patience=5", "--dry-run").output
    patient = {line.split("experiment=")[1].split()[0]: "trainer.patience=5" in line
               for line in planned.splitlines()}  # fmt: skip
    assert patient == {"nyu_2017_primary": False, "turku_2017_primary": True}


def test_a_setting_that_is_not_there_is_refused(plain):
    result = run(*plain, "--systems", "NYU-primary", "--set", "trainer.patient=5", "--dry-run")
    assert isinstance(result.exception, InputError)


def test_the_tuned_baseline_says_its_penalty(tmp_path, plain):
    made = run(*plain, "--systems", "baseline-*", "--jobs", 2)
    assert made.exit_code == 0, made.output
    row = read_row("2017/en-fr/baseline-1.5", tmp_path / "results")
    assert set(row.test_sets) == {"test"}
    assert "penalty" in row.notes[0]


@pytest.mark.slow
def test_a_second_seed_joins_the_row_of_the_first(tmp_path, plain):
    tiny = "system.network={embedding: 8, hidden: 8, dense: 12, window: 20}"
    quick = ("--set", tiny, "--set", "trainer.max_epochs=1", "--systems", "TurkuNLP-primary")
    (tmp_path / "data/en-fr/notes.txt").write_text(
        "demo: generated text\nsource.conllu weak parser: none\n", "utf-8"
    )
    for seeds in (1, 2):
        made = run(*plain, *quick, "--seeds", seeds, "--ensembles")
        assert made.exit_code == 0, made.output
        row = read_row("2017/en-fr/TurkuNLP-primary", tmp_path / "results")
        assert row.seeds == tuple(range(1, seeds + 1))
        assert set(row.predictions["test"]) == {"1", "2"} & set(map(str, row.seeds))
        assert row.notes == ("demo: generated text",)
    name = "references/en-fr/2x_turku_2017_primary"
    both = read_row(name, tmp_path / "results")
    assert (both.title, both.ensemble) == ("2 × turku_2017_primary, prior tuned", True)
    assert set(both.predictions["test"]) == {"1+2"}


def test_a_training_that_fails_is_reported_and_leaves_no_row(tmp_path, plain):
    (tmp_path / "data/en-fr/dev.data").write_text("il\tIl\tno links\n", "utf-8")
    made = run(*plain, "--systems", "baseline0")
    assert made.exit_code == 1
    assert not list(tmp_path.rglob("results/**/*.json"))
