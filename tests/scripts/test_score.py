"""`crosspro score`: files and folders, settings, outputs, and wrong input."""

from __future__ import annotations

import json
import shutil
import sys

import pytest

import crosspro as api
from tests.conftest import GOLDEN, ROOT, SHARED_DATA
from tests.scripts.run import crosspro, each

APT = GOLDEN / "apt"
SAMPLE = ROOT / "data_prep" / "sample" / "mt"
FILES = {
    "source": APT / "src.en",
    "reference": APT / "ref.fr",
    "candidate": APT / "mt.fr",
    "links": APT / "ref.align",
    "candidate-links": APT / "mt.align",
}


def options(**changes):
    values = FILES | {key.replace("_", "-"): value for key, value in changes.items()}
    return [part for name, value in values.items() if value is not None
            for part in (f"--{name}", value)]  # fmt: skip


def scores(tmp_path, *arguments):
    result = crosspro("score", *arguments, "--resamples", 0, "--json", tmp_path / "scores.json")
    assert result.code == 0, result.stderr
    content = json.loads((tmp_path / "scores.json").read_text("utf-8"))
    return {
        name: {one["name"]: one["scores"] for one in metric["candidates"]}
        for name, metric in content["metrics"].items()
    }


def test_files_and_every_output(tmp_path):
    names = {kind: tmp_path / f"out.{kind}" for kind in ("html", "json", "csv", "detail")}
    written = [part for kind, path in names.items() for part in (f"--{kind}", path)]
    result = crosspro("score", *options(), "-m", "apt", "-m", "autoprf", *written)
    assert result.code == 0, result.stderr
    assert all(path.stat().st_size for path in names.values())
    assert b"links:given" in result.stdout
    counts = json.loads(names["json"].read_text("utf-8"))["metrics"]["apt"]["candidates"][0][
        "counts"
    ]
    assert sum(counts[f"case_{case}"] for case in range(1, 7)) == 20


def test_settings_of_metrics(tmp_path):
    plain = scores(tmp_path, *options(), "-m", "apt", "--set", "apt.repair=off")
    # The lists of the package are not those of the golden files, whose numbers are elsewhere.
    lenient = scores(
        tmp_path, *options(), "-m", "apt", "--set", "apt.repair=off", "--set", "apt.discard=5,6"
    )
    assert lenient["apt"]["mt"]["apt"]["value"] > plain["apt"]["mt"]["apt"]["value"]
    tokens = scores(tmp_path, *options(), "-m", "apt", "--set", f"apt.tokens={APT / 'positions'}",
                    "--pronouns", lists_of_any_word(tmp_path))  # fmt: skip
    assert tokens["apt"]["mt"]["apt"]["value"] is not None


def lists_of_any_word(folder):
    """Lists whose source pronouns are the words at the positions of the golden file."""
    places = [map(int, line.split()) for line in (APT / "positions").read_text().splitlines()]
    source = [line.split() for line in (APT / "src.en").read_text("utf-8").splitlines()]
    words = sorted({source[line][position].lower() for line, position in places})
    path = folder / "lists.yaml"
    path.write_text(f"source_pronouns: {json.dumps(words)}\ntarget_pronouns: [il, elle, ce]\n")
    return path


def test_a_folder_and_its_files_have_the_same_scores(tmp_path):
    folder = scores(tmp_path, SAMPLE)
    outputs = sorted((SAMPLE / "outputs").iterdir())
    files = scores(
        tmp_path, "--source", SAMPLE / "source.en", "--reference", SAMPLE / "reference.fr",
        *each("--candidate", *outputs), "--doc-ids", SAMPLE / "doc-ids",
    )  # fmt: skip
    assert folder == files
    assert set(folder["apt"]) == {path.stem for path in outputs}


def test_python_has_the_same_scores(tmp_path):
    command = scores(tmp_path, SAMPLE, "-m", "apt", "-m", "autoprf", "-m", "pronoun-f1")
    lines = {
        path.stem: path.read_text("utf-8").splitlines() for path in (SAMPLE / "outputs").iterdir()
    }
    source, reference = (
        (SAMPLE / name).read_text("utf-8").splitlines() for name in ("source.en", "reference.fr")
    )
    languages = {"source_language": "en", "target_language": "fr", "resamples": 0}
    report = api.score(source, reference, lines, ["apt", "autoprf", "pronoun-f1"], **languages)
    for metric, evaluation in report.evaluations.items():
        for name, measures in command[metric].items():
            for measure, score in measures.items():
                assert evaluation.scores[name][measure].value == pytest.approx(score["value"])


def test_names_of_candidates(tmp_path):
    two = each("--candidate", f"first={APT / 'mt.fr'}", APT / "ref.fr")
    texts = ["--source", APT / "src.en", "--reference", APT / "ref.fr"]
    found = scores(tmp_path, *texts, *two, "-m", "pronoun-f1")
    assert list(found["pronoun-f1"]) == ["first", "ref"]
    assert found["pronoun-f1"]["ref"]["f1"]["value"] == 100


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (options(source=APT / "none.en"), "none.en"),
        (options(candidate=APT / "none.de"), "none.de"),
        (options(links=APT / "mt.fr"), "mt.fr"),
        (options(candidate_links=SAMPLE / "doc-ids"), "doc-ids"),
        (options(links=None, candidate_links=None, prior="en-de"), "prior"),
        (options(links=None, candidate_links=None, prior=APT / "none"), "none"),
        (options(pronouns="en-xx"), "pronouns"),
        (options(pronouns="en-de"), "pronouns"),
        (options(candidate=None), "candidate"),
        ([SAMPLE, "--source", APT / "src.en"], "folder"),
        ([SAMPLE / "none"], "none"),
        ([APT / "src.en"], "src.en"),
        ([SAMPLE, "-m", "meteor"], "meteor"),
        ([SAMPLE, "--set", "apt"], "--set"),
        ([SAMPLE, "--set", "apt.colour=red"], "apt.colour"),
        ([SAMPLE, "--baseline", "nobody"], "baseline"),
    ],
)
def test_wrong_input_is_named_and_nothing_is_written(arguments, named, tmp_path):
    page = tmp_path / "page.html"
    result = crosspro("score", *arguments, "--resamples", 0, "--html", page)
    assert result.code == 2
    assert named in result.stderr.decode()
    assert result.stdout == b""
    assert not page.exists()


def test_a_missing_package_is_told_before_any_file_is_read(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    call = ("--source", tmp_path / "none", "--candidate", tmp_path / "none")
    result = crosspro("score", *call, "-m", "apt", "-m", "bleu")
    assert (result.code, result.stdout) == (2, b"")
    assert b"sacrebleu" in result.stderr and b"none" not in result.stderr


def test_a_long_text_in_another_language_is_refused_unless_any_language(tmp_path):
    long = {name: tmp_path / f"{name}.{end}" for name, end in (("ref", "fr"), ("mt", "fr"))}
    for name, path in long.items():
        text = "Il est là et elles ne sont pas dans la maison pour nous .\n"
        other = "Es war nicht da und sie sind auch nicht hier , was das für uns ist .\n"
        path.write_text((text if name == "ref" else other) * 250, "utf-8")
    call = ("score", "--reference", long["ref"], "--candidate", long["mt"], "-m", "pronoun-f1")
    refused = crosspro(*call, "--resamples", 0)
    assert refused.code == 2 and b"any-language" in refused.stderr
    assert crosspro(*call, "--resamples", 0, "--any-language").code == 0


def test_few_lines_of_a_pair_with_a_bundled_model_need_no_advice(tmp_path):
    """Links by the model of the pair: no other model is recommended."""
    real = SHARED_DATA / "mt_outputs" / "wmt24.en-de"
    if not real.is_dir():
        pytest.skip("the output of WMT 2024 is not here")
    (tmp_path / "outputs").mkdir()
    for name in ("source.en.xz", "reference.de.xz", "outputs/Aya23.de.xz"):
        shutil.copy(real / name, tmp_path / name)
    result = crosspro("score", tmp_path, "-m", "apt", "--resamples", 0)
    assert result.code == 0, result.stderr
    assert b"en-fr" not in result.stdout + result.stderr
    assert b"links:prior-en-de-" in result.stdout
