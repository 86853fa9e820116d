"""One number for one set of files: what `crosspro report` prints, each command prints, too."""

from __future__ import annotations

import json
import re
import shutil

import pytest

import crosspro as api
from crosspro.data_prep.core.files import read_text_lines
from tests.conftest import SHARED_DATA
from tests.evaluation.folder_report.folders import make_folder
from tests.scripts.run import crosspro, each

RESAMPLES = 20
REAL = SHARED_DATA / "mt_outputs" / "wmt24.en-es"
DOUBT = "in doubt per 100"
KEYS = ("value", "low", "high", "signature")


def as_written(text):
    """Tokenised text without spaces before punctuation and after an elision."""
    return re.sub(r" (?=[.,?!])|(?<=') ", "", text)


def with_links(folder):
    make_folder(folder)


def without_links(folder):
    make_folder(folder)
    for path in folder.rglob("*.links"):
        path.unlink()


def untokenised(folder):
    without_links(folder)
    for path in (folder / "source.en", folder / "reference.fr", *folder.glob("outputs/*")):
        path.write_text(as_written(path.read_text("utf-8")), "utf-8")


def real_text(folder):
    """The first lines of what nobody has tokenised, with two systems."""
    if not REAL.is_dir():
        pytest.skip("the output of WMT 2024 is not here")
    (folder / "outputs").mkdir(parents=True)
    for name in ("source.en", "reference.es", "outputs/Aya23.es", "outputs/CycleL.es"):
        lines = list(read_text_lines(REAL / f"{name}.xz"))[:30]
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


@pytest.fixture(params=[with_links, without_links, untokenised, real_text])
def folder(request, tmp_path):
    pytest.importorskip("sacrebleu")
    request.param(tmp_path / "folder")
    return tmp_path / "folder"


def answer(*arguments):
    result = crosspro(*arguments, "--resamples", RESAMPLES, "--layout", "json")
    assert result.code == 0, result.stderr
    return json.loads(result.stdout)


def of_commands(folder):
    """All scores, each by the command that is for it alone."""
    (reference,) = folder.glob("reference.??")
    outputs = sorted(folder.glob("outputs/*.??"))
    systems = each("--candidate", *(f"{path.stem}={path}" for path in outputs))
    documents = ["--doc-ids", folder / "doc-ids"] if (folder / "doc-ids").exists() else []
    texts = ["--source", folder / "source.en", "--reference", reference, *systems]
    if (folder / "reference.links").exists():
        links = [path.with_suffix(".links") for path in outputs]
        texts += ["--links", folder / "reference.links", *each("--candidate-links", *links)]
    plain = [*systems, "--reference", reference, *documents]
    found = {}
    apt = answer("apt", *texts, *documents)
    for one in apt["systems"]:
        found["APT", one["name"]] = one["scores"]["apt"]
    autoprf = answer("autoprf", *texts, *documents)
    for one in autoprf["systems"]:
        found["AutoPRF F1", one["name"]] = one["scores"]["f1"]
    for one in answer("mt-metrics", *plain)["systems"]:
        found["BLEU", one["name"]] = one["scores"]["bleu"]
        found["chrF", one["name"]] = one["scores"]["chrf"]
    for one in answer("pronoun-f1", *plain, "--language", reference.suffix[1:])["systems"]:
        found["pronoun F1", one["name"]] = one["scores"]["f1"]
    return {name: [score[key] for key in KEYS] for name, score in found.items()}


def mean_doubt(folder, system):
    """What `crosspro proofread` says of a system's pronouns, in a hundred."""
    (output,) = folder.glob(f"outputs/{system}.??")
    documents = ["--doc-ids", folder / "doc-ids"] if (folder / "doc-ids").exists() else []
    result = crosspro("proofread", folder / "source.en", output, *documents, "--format", "json")
    assert result.code in (0, 1), result.stderr
    pronouns = json.loads(result.stdout)["pronouns"]
    words = [one["wrong"] for one in pronouns if one["kind"] == "word"]
    return 100 * sum(words) / len(words)


def test_each_command_gives_the_numbers_of_the_report(folder):
    result = crosspro("report", folder, "--resamples", RESAMPLES)
    assert result.code == 0, result.stderr
    content = json.loads((folder / "report/report.json").read_bytes())
    shutil.rmtree(folder / "report")
    told = {(one["metric"], one["system"]): [one[key] for key in KEYS] for one in content["scores"]}
    doubted = {name: told.pop((title, name))[0] for title, name in [*told] if title == DOUBT}
    assert of_commands(folder) == told
    assert content["not_computed"] == []
    for name, value in doubted.items():
        assert value == pytest.approx(mean_doubt(folder, name))


@pytest.mark.parametrize("metric", [api.apt, api.autoprf])
def test_the_python_interface_tokenises_as_the_report_does(tmp_path, metric):
    untokenised(tmp_path)
    files = [tmp_path / "source.en", tmp_path / "reference.fr"]
    outputs = sorted(tmp_path.glob("outputs/*.fr"))
    report = api.report(tmp_path, resamples=0)
    title = {api.apt: "APT", api.autoprf: "AutoPRF F1"}[metric]
    (told,) = (one.scores for one in report.headlines if one.title == title)
    found = metric(*files, outputs, "en-fr", resamples=0)
    scores = [one.scores[found.metric.headline] for one in found.systems]
    assert [one.value for one in scores] == [told[path.stem].value for path in outputs]
    cut = "|links:aligned(3-texts,grow-diag-final,tokenised)"
    assert cut in scores[0].signature
    as_it_is = metric(*files, outputs, "en-fr", resamples=0, tokenised=True)
    assert "grow-diag-final)" in as_it_is.scored.data.links
