"""`crosspro contrastive`: score files and trained systems."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from crosspro.baselines.ngram_system import NGramSystem
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import load_task
from tests.conftest import GOLDEN, ROOT
from tests.evaluation.metrics.contrastive.instances import french_instance, written_set
from tests.scripts.run import crosspro

CASE = GOLDEN / "contrastive" / "small_set"
SCORED = (CASE / "test.json", CASE / "scores")


def test_the_table_has_the_numbers_of_the_released_script(tmp_path):
    details = tmp_path / "details.tsv"
    result = crosspro(
        "contrastive", "score", CASE / "test.json", CASE / "scores", "--detail", details
    )
    text = result.stdout.decode()
    assert "40 instances in 10 documents" in text
    assert "total                              40  32.50 [" in text
    assert "distance >3                        10  40.00 [" in text
    lines = details.read_text("utf-8").splitlines()
    assert len(lines) == 41
    assert sum("\tright\t" in line for line in lines) == 13


@pytest.mark.parametrize("layout", ["json", "csv"])
def test_other_layouts(tmp_path, layout):
    output = tmp_path / "out"
    files = (CASE / "test.json", CASE / "scores", "-o", output)
    result = crosspro("contrastive", "score", *files, "--layout", layout, "--resamples", 20)
    assert (result.code, result.stdout) == (0, b"")
    assert "32.5" in output.read_text("utf-8")


def test_bad_input_is_refused_with_every_fault(tmp_path):
    (tmp_path / "short").write_text("1\n2\n")
    result = crosspro(
        "contrastive", "score", CASE / "test.json", CASE / "scores", tmp_path / "short"
    )
    assert result.code == 2
    assert b"short:3" in result.stderr
    assert crosspro("contrastive", "score", CASE / "test.json").code == 2
    content = json.loads((CASE / "test.json").read_text("utf-8"))
    for one in content[::10]:
        one["intrasegmental"] = None
    path = tmp_path / "null.json"
    path.write_text(json.dumps(content))
    refused = crosspro("contrastive", "score", path, CASE / "scores")
    assert refused.code == 2
    assert refused.stderr.count(b"intrasegmental") == 4
    accepted = crosspro("contrastive", "score", path, CASE / "scores", "--allow-unknown")
    assert b"antecedent unknown                  4" in accepted.stdout


def test_nothing_is_written_if_an_output_cannot_be(tmp_path):
    detail = tmp_path / "d.tsv"
    outputs = ("--detail", detail, "-o", tmp_path / "none" / "x")
    assert crosspro("contrastive", "score", CASE / "test.json", CASE / "scores", *outputs).code == 2
    assert not detail.exists()


# Trained systems --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A language model of an inflected task (no lemmas needed): cats eat, doors sleep."""
    task = load_task("en-fr-2015")
    lines = [("il", "mange"), ("elle", "dort"), ("ils", "mangent"), ("elles", "dorment")] * 5
    examples = [
        Example.of_tokens(
            ("it", "."), ("REPLACE_0", verb, "."), ((0, 0),), (Gap(0, 0, word, word),), None, False
        )
        for word, verb in lines
    ]
    system = NGramSystem(order=3, none_penalty=0.0)
    system.fit(task, examples, [])
    folder = tmp_path_factory.mktemp("run") / "small"
    system.save(folder / "model")
    return folder


def test_a_trained_system_scores_by_its_probabilities(trained, tmp_path):
    content = [
        french_instance("Elle dort .", "Il dort ."),
        french_instance("Il dort .", "Elle dort ."),
        french_instance("Il mange .", "Elle mange .", "Ils mange ."),
        french_instance("Rien dort .", "Tout dort ."),
        french_instance("Il mange .", "Rien ."),
    ]
    result = crosspro(
        *("contrastive", "score", written_set(tmp_path, content), "--model", trained),
        *("--detail", tmp_path / "d.tsv", "--write-scores", tmp_path / "scores"),
    )
    assert result.code == 0, result.stderr
    rows = [line.split("\t") for line in (tmp_path / "d.tsv").read_text().splitlines()[1:]]
    assert [row[-3] for row in rows] == ["right", "wrong", "right", "undecidable", "right"]
    note = "small: 1 instances are undecidable and count as wrong (reference and error fall into"
    assert note in result.stdout.decode()
    assert "|task:en-fr-2015|annotator:none|" in result.stdout.decode()
    assert "|run:" in result.stdout.decode()
    refused = crosspro(
        "contrastive", "score", tmp_path / "set.json", "--model", trained, "--maximise"
    )
    assert refused.code == 2
    again = crosspro("contrastive", "score", tmp_path / "set.json", tmp_path / "scores")
    assert "total 5 60.00" in " ".join(again.stdout.decode().split())


def test_a_system_that_can_decide_nothing_is_an_error(trained, tmp_path):
    content = [french_instance("Er schläft .", "Sie schläft .", "Es schläft .")] * 2
    result = crosspro("contrastive", "score", written_set(tmp_path, content), "--model", trained)
    assert (result.code, result.stdout) == (2, b"")


def test_help_is_quick():
    code = "import sys\nfrom crosspro.scripts import contrastive, correlate, mt_metrics\n"
    code += "print(*sys.modules)"
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert not {"torch", "numpy", "sacrebleu", "scipy"} & set(result.stdout.split())
