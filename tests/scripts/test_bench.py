"""The bench: its table is complete, and what it runs is counted, compared and kept."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest
import yaml

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.sample import sample_path
from crosspro.evaluation.leaderboard.record import record_names
from crosspro.evaluation.leaderboard.speed import Measured, read_speed, speed_block
from crosspro.evaluation.metrics.submissions.metric import evaluate_submissions
from crosspro.evaluation.metrics.submissions.submission import read_gold, read_submissions
from crosspro.scripts.bench.__main__ import app
from crosspro.scripts.bench.cases import CASES
from crosspro.scripts.bench.measure import Command, exponent, in_turns, medians
from crosspro.scripts.bench.programs import score
from crosspro.scripts.bench.table import BenchOptions, Case, Contest, ratio_of, rows_of
from crosspro.scripts.bench.texts import TASK, examples, submission
from tests.conftest import ROOT, mostly_slow

COMMANDS = [name for name, case in CASES.items() if case.work is not None and not case.needs]
SLOW = {"predict", "predict-pair", "train-demo", "report", "proofread", "evaluate",
        "align", "prepare", "start-up", "lm-train", "lm-query", "fill"}  # fmt: skip


def python(code, **options):
    return Command([sys.executable, "-c", code], **options)


def bench(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        app([*map(str, arguments)])
    return end.value.code, capsys.readouterr().out


def test_without_a_case_the_table_is_shown(capsys):
    code, shown = bench(capsys)
    assert not code
    for name, case in CASES.items():
        assert f"  {name} " in shown
        assert case.about in shown
        assert case.peer in shown
    assert all((case.work is None) != (case.rows is None) for case in CASES.values())


def test_an_unknown_case_and_a_missing_package_are_told(capsys, monkeypatch):
    assert "all, predict" in bench(capsys, "tokenize")[0]
    monkeypatch.setitem(CASES, "tokenise", replace(CASES["tokenise"], needs=("no_such_package",)))
    assert "no package no_such_package" in bench(capsys, "tokenise")[0]


def test_all_leaves_out_gpus_and_what_is_not_installed(capsys, monkeypatch):
    for name in list(CASES):
        if name not in ("tokenise", "train", "review"):
            monkeypatch.delitem(CASES, name)
    monkeypatch.setitem(CASES, "review", replace(CASES["review"], needs=("no_such_package",)))
    code, shown = bench(capsys, "all", "--times", 1, "--size", 10)
    assert not code
    first, second = shown.splitlines()
    assert first == "review: left out, no package no_such_package"
    assert second.startswith("tokenise  10 lines  CPU s ")


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.slow) if one in SLOW else one for one in COMMANDS]
)
def test_commands_of_cases_work(name):
    rows = list(rows_of(CASES[name], BenchOptions(times=1, size=60)))
    assert rows
    for row in rows:
        assert row.ours.wall > 0
        assert bool(row.size) == bool(CASES[name].size)
        assert all(value >= 0 for value in row.figures.values())


def test_a_row_has_its_work_its_peer_and_its_growth(tmp_path):
    seen = []

    def work(given, size, folder):
        seen.append(size)
        wait = "sum(range({}))"
        ours = {name: python(wait.format(size)) for name in ("this", "that")}
        return Contest(ours, python(wait.format(10)), units=2 * size)

    case = Case("sums", work, 100, "numbers", "a sum")
    (row,) = rows_of(case, BenchOptions(times=2, scale=True, only=("tha",)))
    assert seen == [100, 200, 400]
    assert (row.name, row.size, row.unit, row.peer) == ("that", 200, "numbers", "a sum")
    assert row.ratio == row.ours.cpu / row.theirs.cpu
    assert row.exponent == pytest.approx(0, abs=1)
    assert row.figures["numbers/s"] == pytest.approx(200 / row.ours.wall)


def test_what_has_no_size_does_not_grow():
    case = Case("nothing", lambda given, size, folder: Contest({"it": python("")}))
    (row,) = rows_of(case, BenchOptions(times=1, scale=True))
    assert (row.size, row.exponent, row.peer, row.ratio) == (None, None, "", None)


def test_commands_are_run_in_turns(tmp_path):
    """With their text, after what they leave behind is removed; what they tell is counted."""
    notes, left, text = tmp_path / "notes", tmp_path / "left", tmp_path / "text"
    text.write_text("b")
    noting = f"import sys, pathlib; pathlib.Path({str(notes)!r}).open('a').write"
    other = python(
        f"{noting}(sys.stdin.read()); pathlib.Path({str(left)!r}).mkdir(); sys.stderr.write('7')",
        text=text, fresh=left, figures=lambda told: {"seven": float(told)},
    )  # fmt: skip
    first, second = in_turns([python(f"{noting}('a')"), other], 3)
    assert notes.read_text() == "ababab"
    assert first[1] == {}
    assert second[1] == {"seven": 7}
    assert second[0].cpu > 0


def test_a_command_that_fails_is_told():
    with pytest.raises(SystemExit, match="exit status 3\nno such thing"):
        in_turns([python("import sys; sys.stderr.write('no such thing'); sys.exit(3)")], 1)


def test_growth_and_medians():
    assert exponent([10, 20, 40], [1.0, 2.0, 4.0]) == pytest.approx(1)
    assert exponent([10, 40], [1.0, 16.0]) == pytest.approx(2)
    assert exponent([10], [1.0]) is None
    assert exponent([10, 20], [None, 2.0]) is None
    found = [(Measured(wall, None, wall), {"x": wall}) for wall in (3.0, 1.0, 2.0)]
    assert medians(found) == (Measured(2.0, None, 2.0), {"x": 2.0})
    assert ratio_of(Measured(1.0, 3.0), Measured(1.0, 2.0)) == 1.5
    assert ratio_of(Measured(1.0), Measured(2.0, 5.0)) == 0.5


def test_texts_are_those_of_corpora_or_the_sample(tmp_path):
    whole = sample_path("sample.fr").read_bytes()
    lines = whole.count(b"\n")
    text = BenchOptions().text("bitext/x.fr.xz", lines + 2, tmp_path / "text").read_bytes()
    assert text.startswith(whole)
    assert text.count(b"\n") == lines + 2
    ids = BenchOptions().text("x.doc-ids.xz", lines + 1, tmp_path / "ids").read_text("utf-8")
    assert ids.splitlines()[-1].startswith("1.story-01")
    (tmp_path / "own.fr").write_text("a b\nc\nd\n")
    given = BenchOptions(corpora=tmp_path)
    assert given.text("own.fr", 3, tmp_path / "words", words=True).read_text() == "a b\nc\n"


def test_a_peer_that_cannot_be_installed_is_left_out(tmp_path, capsys):
    def failing(peers):
        raise CrossproError("no compiler")

    assert BenchOptions(peers=tmp_path).beside(failing) is None
    assert "no peer: no compiler" in capsys.readouterr().out
    assert BenchOptions().beside(failing) is None


def test_records_are_kept_without_paths_and_shown(tmp_path, capsys):
    results = tmp_path / "results"
    given = ("--times", 1, "--size", 20, "--scale", "--record", results / "bench")
    told = bench(capsys, "tokenise", "--only", "to", *given)
    assert "none with --record" in str(told)
    assert not results.exists()
    assert not bench(capsys, "tokenise", "start-up", *given)[0]
    kept = json.loads((results / "bench" / "tokenise.json").read_text("utf-8"))
    command = "python -m crosspro.scripts.bench tokenise --times 1 --scale --size 20"
    assert kept["command"] == command
    assert kept["machine"].keys() == {"processor", "cores", "architecture"}
    assert str(tmp_path) not in json.dumps(kept)
    start, tokenise = read_speed(results)
    (row,) = tokenise.rows
    assert (row.name, row.size, row.unit) == ("tokenise", 20, "lines")
    assert isinstance(row.exponent, float)
    block = speed_block([start, tokenise])
    assert block.count("measured once") == 1
    assert "| tokenise | 20 lines | " in block
    assert "| crosspro --help |" in block
    assert "python -c pass" in block
    with pytest.raises(CrossproError, match="expected records"):
        record_names(results)


def test_every_record_of_the_repository_is_of_a_case():
    for record in read_speed(ROOT / "results"):
        assert record.about == CASES[record.case].about
        assert record.command.split()[3] == record.case


def test_the_page_of_speed_is_in_the_navigation():
    lines = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    assert "results/speed.md" in str(yaml.safe_load(lines))


def test_the_plain_loop_gives_our_accuracy(tmp_path):
    task = load_task(TASK)
    gold = examples(300, tmp_path / "gold.data")
    system = submission(gold, tmp_path / "system.data")
    labels = read_gold(gold, task)
    ours = evaluate_submissions(task, labels, read_submissions([system], task, labels))
    accuracy = ours.systems[0].scores["accuracy"].value
    assert 50 < accuracy < 100
    assert round(100 * score(str(gold), str(system)), 6) == round(accuracy, 6)


@pytest.mark.slow
def test_the_first_step_is_reached():
    pytest.importorskip("torch")
    (row,) = rows_of(CASES["first-step"], BenchOptions(times=1, size=300))
    assert 0 < row.figures["imports s"] < row.ours.wall


NETWORKS = ["turku_gru", "uppsala_bilstm", "nyu_nmt", "ukyoto_attention", "hardmeier_cnn",
            "hardmeier_anaphora"]  # fmt: skip


@pytest.mark.parametrize("network", mostly_slow(NETWORKS, "uppsala_bilstm"))
def test_networks_are_trained_beside_plain_ones(network, monkeypatch):
    torch = pytest.importorskip("torch")
    from crosspro.scripts.bench import networks

    assert list(networks.NETWORKS) == NETWORKS
    monkeypatch.setattr(networks, "_WARM_UP", 1)
    monkeypatch.setattr(networks, "apart", lambda work, *given: work(*given))
    threads = torch.get_num_threads()
    given = BenchOptions(times=1, batch=(2,), device="cpu", only=(f"{network},",))
    (row,) = networks.train(given, 1)
    torch.set_num_threads(threads)
    assert row.name == f"train {network}, batch 2, fp32"
    assert row.figures["examples/s"] == pytest.approx(2 / row.ours.wall)
    assert (row.theirs is None) == (network == "turku_gru")


def test_the_speed_of_pretraining_is_measured(monkeypatch):
    pytest.importorskip("torch")
    from crosspro.scripts.bench import networks

    def small(work, *given):
        return work(*given, [f"network_settings.{one}" for one in ("layers=1", "width=12")])

    monkeypatch.setattr(networks, "_DOCUMENT_GAPS", 12)
    monkeypatch.setattr(networks, "_WARM_UP", 1)
    monkeypatch.setattr(networks, "apart", small)
    given = BenchOptions(times=1, batch=(4,), device="cpu", only=("tiny",))
    (row,) = networks.pretrain(given, 1)
    assert row.name == "pretrain tiny_documents, batch 4"
    assert (row.size, row.unit) == (4 * 122, "pieces")
    assert row.figures["pieces/s"] == pytest.approx(row.size / row.ours.wall)
