"""`crosspro contrastive`: score files, trained systems, building sets."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from crosspro.baselines.ngram_system import NGramSystem
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import load_task
from tests.conftest import GOLDEN, ROOT, SHARED_DATA
from tests.evaluation.metrics.contrastive.instances import french_instance, written_set
from tests.scripts.run import crosspro

CASE = GOLDEN / "contrastive" / "small_set"


@pytest.mark.parametrize("which", ["min", "max", "short"])
def test_legacy_is_what_the_released_script_prints(which):
    scores = CASE / ("scores_short" if which == "short" else "scores")
    options = ["--maximise"] if which == "max" else []
    result = crosspro("contrastive", CASE / "test.json", scores, "--legacy", *options)
    assert result.stdout == (CASE / f"expected_{which}.txt").read_bytes()
    assert result.code == int((CASE / f"exit_{which}").read_text())
    assert (b"the end of the file" in result.stderr) == (which == "short")


def test_the_table_has_the_numbers_of_the_released_script(tmp_path):
    details = tmp_path / "details.tsv"
    result = crosspro("contrastive", CASE / "test.json", CASE / "scores", "--detail", details)
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


def test_bad_input_is_refused_with_every_problem(tmp_path):
    result = crosspro("contrastive", CASE / "test.json", CASE / "scores_short")
    assert result.code == 2
    assert b"expected 120 (a reference and its errors" in result.stderr
    assert crosspro("contrastive", CASE / "test.json").code == 2
    content = json.loads((CASE / "test.json").read_text("utf-8"))
    for one in content[::10]:
        one["intrasegmental"] = None
    path = tmp_path / "null.json"
    path.write_text(json.dumps(content))
    refused = crosspro("contrastive", path, CASE / "scores")
    assert refused.code == 2
    assert refused.stderr.count(b"intrasegmental: expected true or false") == 4
    accepted = crosspro("contrastive", path, CASE / "scores", "--allow-unknown")
    assert b"antecedent unknown                  4" in accepted.stdout


def test_every_score_file_is_looked_at(tmp_path):
    files = (CASE / "scores", CASE / "scores_short", tmp_path / "none")
    result = crosspro("contrastive", CASE / "test.json", *files)
    assert result.code == 2
    lines = result.stderr.decode().splitlines()
    assert [line.partition(": expected")[0].rpartition("/")[2] for line in lines] == [
        "scores_short:119: scores",
        "none: file",
    ]
    result = crosspro("contrastive", tmp_path / "no.json", CASE / "scores", tmp_path / "none")
    assert result.stderr.count(b"expected a readable file") == 2
    result = crosspro("contrastive", tmp_path / "no.json", tmp_path / "none", "--legacy")
    assert result.stderr.count(b"expected a readable file") == 2


def test_legacy_names_the_instances_that_stop_it(tmp_path):
    content = json.loads((CASE / "test.json").read_text("utf-8"))
    for number in (3, 7):
        content[number]["ante distance"] = None
    path = tmp_path / "null.json"
    path.write_text(json.dumps(content))
    result = crosspro("contrastive", path, CASE / "scores", "--legacy")
    assert (result.code, result.stdout) == (1, b"")
    assert b"instance 4, ante distance: expected a number" in result.stderr
    assert b"instance 8, ante distance: expected a number" in result.stderr


def test_nothing_is_written_if_an_output_cannot_be(tmp_path):
    detail = tmp_path / "d.tsv"
    outputs = ("--detail", detail, "-o", tmp_path / "none" / "x")
    assert crosspro("contrastive", CASE / "test.json", CASE / "scores", *outputs).code == 2
    assert not detail.exists()


@pytest.mark.parametrize(
    "extra",
    [
        *(f"--legacy {CASE / 'scores'}", "--legacy --layout json", "--legacy --detail x"),
        *("--legacy --seed 1", "--write-scores x", "--source x", "--annotator hanta"),
        "--max-examples 3",
    ],
)
def test_options_that_do_not_go_together(extra):
    result = crosspro("contrastive", CASE / "test.json", CASE / "scores", *extra.split())
    assert result.code == 2


# Sets from bitext -------------------------------------------------------------------------------


def build(folder, source, target, *doc_ids):
    """The command, which writes `set.json` to the folder."""
    documents = ("--doc-ids", *doc_ids) if doc_ids else ()
    texts = ("--source", source, "--target", target, *documents)
    return crosspro("contrastive", "build", *texts, "-o", folder / "set.json")


def test_a_set_is_built_and_written_as_text(tmp_path):
    for name, lines in (("en", "A cat.\nIt sleeps.\n"), ("fr", "Un chat.\nIl dort.\n")):
        (tmp_path / name).write_text(lines)
    (tmp_path / "ids").write_text("d\nd\n")
    result = build(tmp_path, *(tmp_path / name for name in ("en", "fr", "ids")))
    assert result.code == 0, result.stderr
    assert b"it:il" in result.stdout
    crosspro("contrastive", "text", tmp_path / "set.json", "-o", tmp_path / "out")
    assert (tmp_path / "out.src").read_text() == "It sleeps.\nIt sleeps.\n"
    assert (tmp_path / "out.trg").read_text() == "Il dort.\nElle dort.\n"
    assert (tmp_path / "out.context.trg").read_text() == "Un chat.\nUn chat.\n"
    (tmp_path / "scores").write_text("1\n2\n")
    scored = crosspro("contrastive", tmp_path / "set.json", tmp_path / "scores")
    assert b"pronoun it:il" in scored.stdout


def test_bitext_of_unequal_length(tmp_path):
    for name, number in (("en", 3), ("fr", 2), ("ids", 4)):
        (tmp_path / name).write_text("A.\n" * number)
    result = build(tmp_path, *(tmp_path / name for name in ("en", "fr", "ids")))
    assert b"fr:3: lines: expected 3 lines as in" in result.stderr
    assert b"ids:4: lines: expected 3 lines as in" in result.stderr


def test_a_text_without_instances(tmp_path):
    (tmp_path / "t").write_text("A.\n")
    result = build(tmp_path, tmp_path / "t", tmp_path / "t")
    assert result.code == 2
    assert b"at least one instance, found no target pronoun 1" in result.stderr
    assert not (tmp_path / "set.json").exists()


def test_the_subtitles_give_a_balanced_set(tmp_path):
    folder = SHARED_DATA / "bitext" / "en-fr" / "test"
    if not folder.is_dir():
        pytest.skip("the contrastive subtitles are not here")
    names = [folder / f"opensubs_contrastive.{ending}.xz" for ending in ("en", "fr", "doc-ids")]
    result = build(tmp_path, *names)
    assert result.code == 0, result.stderr
    content = json.loads((tmp_path / "set.json").read_text("utf-8"))
    assert len(content) == 4472
    for word in ("il", "elle", "ils", "elles"):
        share = sum(one["ref pronoun"].lower() == word for one in content) / len(content)
        assert 0.23 < share < 0.27


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
    links = tmp_path / "links"
    links.write_text("0-0\n" * 5)
    result = crosspro(
        *("contrastive", written_set(tmp_path, content), "--model", trained, "--links", links),
        *("--detail", tmp_path / "d.tsv", "--write-scores", tmp_path / "scores", "--signatures"),
    )
    assert result.code == 0, result.stderr
    rows = [line.split("\t") for line in (tmp_path / "d.tsv").read_text().splitlines()[1:]]
    assert [row[-3] for row in rows] == ["right", "wrong", "right", "undecidable", "right"]
    note = "small: 1 instances are undecidable and count as wrong (reference and error fall into"
    assert note in result.stdout.decode()
    origin = "|task:en-fr-2015|annotator:none|text:own|links:given|"
    assert origin in result.stdout.decode()
    assert "|run:" in result.stdout.decode()
    other = crosspro(
        "contrastive", tmp_path / "set.json", "--model", trained, "--signatures"
    ).stdout.decode()
    assert origin.replace("given", "aligned") in other
    refused = crosspro("contrastive", tmp_path / "set.json", "--model", trained, "--maximise")
    assert refused.code == 2
    again = crosspro("contrastive", tmp_path / "set.json", tmp_path / "scores")
    assert "total 5 60.00" in " ".join(again.stdout.decode().split())


def test_a_system_that_can_decide_nothing_is_an_error(trained, tmp_path):
    content = [french_instance("Er schläft .", "Sie schläft .", "Es schläft .")] * 2
    result = crosspro("contrastive", written_set(tmp_path, content), "--model", trained)
    assert (result.code, result.stdout) == (2, b"")
    assert b"expected an instance that small (en-fr-2015) can decide, found none" in result.stderr


def test_lines_of_files_for_a_run_are_counted_together(trained, tmp_path):
    path = written_set(tmp_path, [french_instance("Il dort .", "Elle dort .")] * 2)
    (tmp_path / "one").write_text("x\n")
    (tmp_path / "three").write_text("x\n" * 3)
    files = ("--source", tmp_path / "one", "--target", tmp_path / "three")
    result = crosspro("contrastive", path, "--model", trained, *files)
    assert b"one:2: lines: expected 2 lines as in" in result.stderr
    assert b"three:3: lines: expected 2 lines as in" in result.stderr


def test_discevalmt_with_a_trained_system(trained, tmp_path):
    def pair(kind, right, wrong):
        return {kind: ["Une porte .", right], "incorrect": ["Une porte .", wrong], "type": "f.sg"}

    block = {
        "src": ["A door .", "It does ."],
        "trg": [
            pair("correct", "Elle dort .", "Il dort ."),
            pair("semi-correct", "Il mange .", "Elle mange ."),
            pair("correct", "Je la vois .", "Je le vois ."),
        ],
    }
    path = written_set(tmp_path, {"1": block})
    result = crosspro("contrastive", path, "--model", trained)
    assert result.code == 0, result.stderr
    text = " ".join(result.stdout.decode().split())
    assert "blocks entirely right 1 0.00" in text
    assert "kind semi-correct 1 100.00" in text
    assert "1 instances are undecidable" in text


def test_sets_without_text_need_it_from_files(trained, tmp_path):
    bare = {"src pronoun": "it", "ref pronoun": "elle", "errors": [{"replacement": "il"}]}
    result = crosspro("contrastive", written_set(tmp_path, [bare]), "--model", trained)
    assert result.code == 2
    assert b"src segment: expected text, or a file given with --source" in result.stderr
    bad = crosspro("contrastive", tmp_path / "set.json", "--model", tmp_path, "--source", "none")
    assert bad.code == 2


def test_help_is_quick():
    code = "import sys\nfrom crosspro.scripts import contrastive, correlate, mt_metrics\n"
    code += "print(*sys.modules)"
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert not {"torch", "numpy", "sacrebleu", "scipy"} & set(result.stdout.split())
