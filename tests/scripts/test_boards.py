"""Records of MT systems and of metrics, made from the golden sample of a WMT folder."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crosspro.evaluation.folder_report.compute import ReportSettings
from crosspro.evaluation.folder_report.folder import report_on
from crosspro.evaluation.leaderboard.mt_evidence import (
    PLAN,
    measured_metric,
    measured_translations,
)
from crosspro.evaluation.leaderboard.record import Board, read_records
from crosspro.scripts.reproduce import boards
from tests.conftest import GOLDEN
from tests.evaluation.folder_report.folders import WordJudge

WMT = GOLDEN / "wmt"
COMMIT = "0123456789abcdef"


def run(*words):
    result = CliRunner().invoke(boards.app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.output


class GermanJudge(WordJudge):
    """Takes each `er` or `es` for wrong with a chance, and counts how often it is asked."""

    asked = 0

    def judged(self, source, target, documents, progress=lambda lines: None):
        """As if the words were French."""
        type(self).asked += 1
        words = [line.replace("Er ", "il ").replace("Es ", "il ") for line in target]
        return super().judged(source, words, documents, progress)


@pytest.mark.parametrize("form", ["pair", "test.xml"])
def test_records_of_translations_are_what_a_report_says(form, tmp_path, monkeypatch):
    pytest.importorskip("sacrebleu")
    monkeypatch.setattr(boards, "judge_of", lambda source, target: GermanJudge())
    GermanJudge.asked = 0
    options = ("--corpora", WMT, "--work", tmp_path, "--commit", COMMIT)
    told = run("translations", form, *options, "--results", tmp_path / "results")
    name = form.removesuffix(".xml")
    assert told.endswith(f"results/{name}: 2 records\n")
    records = {one.title: one for one in read_records(tmp_path / "results")}
    assert list(records) == ["alpha", "beta"]
    report = report_on(
        WMT / form,
        settings=ReportSettings(PLAN),
        judge_of=lambda source, target: GermanJudge(),
    )
    titles = {
        "chrF": "chrf",
        "pronoun F1": "pronoun_f1",
        "APT": "apt",
        "in doubt per 100": "in_doubt",
    }
    for system, record in records.items():
        assert (record.board, record.task) == (Board.TRANSLATIONS, name)
        assert record.sets[name].items == 4
        assert record.sets[name].documents == 2
        scores = record.scores[name]
        for headline in report.headlines:
            if headline.title not in titles:
                continue
            found, wanted = scores[titles[headline.title]], headline.scores[system]
            factor = 100 if headline.title == "APT" else 1
            assert found.value == pytest.approx(factor * wanted.value, abs=1e-5)
            assert found.low == pytest.approx(factor * wanted.low, abs=1e-5)
            assert found.high == pytest.approx(factor * wanted.high, abs=1e-5)
            assert found.signature == wanted.signature
        again = measured_translations(record, tmp_path / "results")
        assert again.digests == record.digests
        assert dict(again.sets) == dict(record.sets)
        for measure, score in again.scores[name].items():
            assert score.value == pytest.approx(scores[measure].value, abs=1e-4)
    assert GermanJudge.asked == 4  # each output once here and once by the report
    run("translations", form, *options, "--results", tmp_path / "again")
    assert GermanJudge.asked == 4
    for path in (tmp_path / "results").rglob("*.*"):
        again = tmp_path / "again" / path.relative_to(tmp_path / "results")
        assert again.read_bytes() == path.read_bytes()


def test_evidence_has_no_text(tmp_path, monkeypatch):
    pytest.importorskip("sacrebleu")
    monkeypatch.setattr(boards, "judge_of", lambda source, target: None)
    options = ("--corpora", WMT, "--work", tmp_path, "--commit", COMMIT, "--without", "beta")
    run("translations", "pair", *options, "--results", tmp_path / "results")
    content = lzma.decompress((tmp_path / "results/pair/alpha.xz").read_bytes()).decode()
    record = (tmp_path / "results/pair/alpha.json").read_text("utf-8")
    for word in ("Hund", "Schl", "dog.1"):
        assert word not in content
        assert word not in record
    assert list(json.loads(content)["sums"]) == ["chrf", "pronoun_f1", "apt"]
    assert not (tmp_path / "results/pair/beta.json").exists()


@pytest.fixture
def verdicts(tmp_path) -> Path:
    """Corpora with the golden folder as WMT 2023, and what `judge` found in it."""
    folder = tmp_path / "corpora" / boards.VERDICTS
    (folder / "outputs").mkdir(parents=True)
    for path in (WMT / "pair").rglob("*.*"):
        target = folder / f"{path.relative_to(WMT / 'pair')}.xz"
        if target.parent in (folder, folder / "outputs"):
            target.write_bytes(lzma.compress(path.read_bytes()))
    names = lzma.compress(b"home\tdog.1\nhome\tdog.1\nnews\tkey.4\nnews\tkey.4\n")
    (folder / "documents.tsv.xz").write_bytes(names)
    return tmp_path


def test_records_of_metrics(verdicts, monkeypatch):
    monkeypatch.setattr(boards, "of_development", lambda document: False)
    rows = [
        (system, document, number, "word", start, end, "es", "It", {"er": 1 - doubt, "es": doubt})
        for system, document, number, start, end, doubt in (
            ("alpha", "dog.1", 1, 0, 2, 0.1),
            ("beta", "dog.1", 1, 0, 2, 0.9),
            ("alpha", "dog.1", 0, 0, 3, 0.8),
            ("beta", "dog.1", 0, 0, 3, 0.7),
            ("alpha", "key.4", 2, 0, 3, 0.9),
        )
    ]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    (verdicts / "wmt23.jsonl").write_text(text, "utf-8")
    options = ("--corpora", verdicts / "corpora", "--work", verdicts, "--commit", COMMIT)
    told = run("metrics", *options, "--results", verdicts / "results")
    assert told.endswith("metrics.wmt23.en-de: 3 records\n")
    records = {one.system: one for one in read_records(verdicts / "results")}
    assert list(records) == ["number-of-pronouns", "proofread", "toy-refA"]
    scores = {name: one.scores["pronouns"] for name, one in records.items()}
    assert scores["proofread"]["auc"].value == 100  # Es, which a rater marked, is doubted most
    assert scores["toy-refA"]["auc"].value == 100  # and has the lowest score
    assert scores["number-of-pronouns"]["auc"].value == 50
    assert scores["toy-refA"]["auc_within"].value == 100
    for record in records.values():
        assert record.sets["pronouns"].items == 5
        again = measured_metric(record, verdicts / "results")
        assert (again.digests, dict(again.sets)) == (dict(record.digests), dict(record.sets))
        for test, own in again.scores.items():
            for measure, score in own.items():
                assert score.value == pytest.approx(record.scores[test][measure].value, abs=1e-5)
