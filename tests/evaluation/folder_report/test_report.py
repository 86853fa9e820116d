"""A report has the numbers of the single commands, on a page and in JSON."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.core.score import PERCENT, Score
from crosspro.evaluation.core.statistics import Difference, Resampling
from crosspro.evaluation.folder_report.compute import Headline, ReportSettings
from crosspro.evaluation.folder_report.contents import ReadingRules
from crosspro.evaluation.folder_report.folder import report_on
from crosspro.evaluation.folder_report.page import report_page
from crosspro.evaluation.folder_report.results import report_json, report_text, standing
from tests.evaluation.folder_report.folders import make_folder, word_judge
from tests.evaluation.report.reading import Elements
from tests.scripts.run import crosspro, each

SETTINGS = ReportSettings(Resampling(50, 1))
METRICS = ["BLEU", "chrF", "pronoun F1", "APT", "AutoPRF F1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    pytest.importorskip("sacrebleu")
    return make_folder(tmp_path_factory.mktemp("folder"))


@pytest.fixture(scope="module")
def report(folder):
    return report_on(folder, settings=SETTINGS)


@pytest.fixture(scope="module")
def content(report):
    return json.loads(report_json(report))


def single(*arguments):
    """What a command of its own gives, as JSON."""
    result = crosspro(*arguments, "--resamples", 50, "--seed", 1, "--layout", "json")
    assert result.code == 0, result.stderr
    return json.loads(result.stdout)


def test_every_metric_is_that_of_its_own_command(folder, content):
    outputs = [f"{name}={folder}/outputs/{name}.fr" for name in ("mt", "people")]
    systems = each("--candidate", *outputs)
    reference = ("--reference", folder / "reference.fr", "--doc-ids", folder / "doc-ids")
    linked = ("--source", folder / "source.en", "--links", folder / "reference.links")
    links = [folder / "outputs/mt.links", folder / "outputs/people.links"]
    linked = (*linked, *systems, *each("--candidate-links", *links), *reference)
    mt = single("mt-metrics", *systems, *reference)
    alone = {
        "pronoun_f1": single("pronoun-f1", *systems, *reference, "-l", "fr"),
        "apt": single("apt", *linked),
        "autoprf": single("autoprf", *linked),
    }
    for metric in ("bleu", "chrf"):
        for one, ours in zip(mt["systems"], content["metrics"][metric]["systems"], strict=True):
            assert ours["scores"] == {metric: one["scores"][metric]}
    for key, expected in alone.items():
        ours = content["metrics"][key]
        assert without_order(ours) == without_order(expected), key


def without_order(record):
    """Comparisons are with the best here, and of each with each there; two systems are one pair."""
    others = {key: value for key, value in record.items() if key != "comparisons"}
    pairs = [
        (one.get("metric"), abs(one["difference"]), one["p_randomisation"], one["p_bootstrap"])
        for one in record["comparisons"]
    ]
    return others, pairs


def test_scores_have_signatures_intervals_and_data(folder, content):
    assert list(dict.fromkeys(one["metric"] for one in content["scores"])) == METRICS
    for one in content["scores"]:
        assert one["low"] <= one["value"] <= one["high"]
        assert "bootstrap:50|by:" in one["signature"]
    assert {one["by"] for one in map(unit, content["scores"][:10])} == {"document"}
    assert (content["lines"], content["documents"]) == (15, 3)
    assert content["systems"] == ["mt", "people"]
    files = {one["path"]: one for one in content["data"]}
    source = files["source.en"]
    assert (source["role"], source["lines"]) == ("source", 15)
    assert source["sha256"] == hashlib.sha256((folder / "source.en").read_bytes()).hexdigest()
    assert len(files) == 8
    assert "3 documents" in " ".join(content["warnings"])


def unit(score):
    return dict(part.partition(":")[::2] for part in score["signature"].split("|"))


def test_the_best_is_compared_with_the_others(content):
    pairs = {(one["metric"], one["first"], one["second"]) for one in content["comparisons"]}
    assert pairs == {(metric, "people", "mt") for metric in METRICS}


def test_a_baseline_is_subtracted(folder):
    found = report_on(folder, settings=SETTINGS, baseline="people")
    differences = [one for part in found.headlines for one in part.comparisons]
    assert {(one.first, one.second) for one in differences} == {("mt", "people")}
    assert all(one.difference < 0 for one in differences)
    with pytest.raises(InputError, match=r"--baseline: .*'x'"):
        report_on(folder, baseline="x")


def test_the_page_is_complete_in_itself(report):
    page = report_page(report)
    elements = Elements(page)
    assert all(one.startswith("#") for one in elements.loaded)
    assert {one.removeprefix("#") for one in elements.loaded} <= set(_ids(page))
    assert "script" not in elements.tags
    assert "url(" not in page
    for title in (*METRICS, "Where systems differ", "Paired differences", "Data", "Signatures"):
        assert title in page
    assert "{{" not in page
    for part in report.parts:
        for score in part.headline.scores.values():
            assert score.signature in page


def _ids(page):
    return [piece.partition('"')[0] for piece in page.split(' id="')[1:]]


def test_names_are_text_and_not_html(tmp_path):
    name, folder = "<b>&'\"x", make_folder(tmp_path)
    for ending in ("fr", "links"):
        (folder / f"outputs/mt.{ending}").rename(folder / f"outputs/{name}.{ending}")
    found = report_on(folder, settings=SETTINGS)
    page = report_page(found)
    assert "<b>&" not in page
    assert "&lt;b&gt;&amp;" in page
    assert json.loads(report_json(found))["systems"][0] == name


def test_without_resampling(folder):
    found = report_on(folder, settings=ReportSettings())
    content = json.loads(report_json(found))
    assert content["comparisons"] == []
    assert {one["low"] for one in content["scores"]} == {None}
    assert "Paired differences" not in report_page(found)
    assert "*" not in report_text(found)


def test_what_is_not_there_is_listed(folder, tmp_path):
    small = tmp_path / "small"
    (small / "outputs").mkdir(parents=True)
    for name in ("reference.fr", "outputs/mt.fr"):
        (small / name).write_bytes((folder / name).read_bytes())
    found = report_on(small, settings=SETTINGS)
    assert [one.headline.title for one in found.parts] == METRICS[:3]
    (reason,) = {one.reason for one in found.not_computed}
    assert reason in report_page(found)
    assert f"APT, AutoPRF: {reason}" in report_text(found)
    assert json.loads(report_json(found))["not_computed"][0] == {"metric": "APT", "reason": reason}
    for name in ("source.en", "doc-ids"):
        (small / name).write_bytes((folder / name).read_bytes())
    everything = report_on(small, settings=SETTINGS)
    assert [one.headline.title for one in everything.parts] == METRICS
    assert "aligned(2-texts" in everything.parts[3].headline.scores["mt"].signature


def test_text_without_a_pronoun_has_no_score(tmp_path):
    (tmp_path / "outputs").mkdir()
    for name in ("source.en", "reference.fr", "outputs/a.fr", "outputs/b.fr"):
        (tmp_path / name).write_text("x y .\n" * 4, "utf-8")
    found = report_on(tmp_path, settings=SETTINGS)
    values = {one.title: [score.value for score in one.scores.values()] for one in found.headlines}
    assert np.isnan(values["APT"]).all()
    assert json.loads(report_json(found))["scores"][-1]["value"] is None
    assert "–" in report_text(found)
    assert "–" in report_page(found)


def test_a_folder_that_is_none(tmp_path):
    with pytest.raises(InputError, match="none: folder: "):
        report_on(tmp_path / "none")


def headline(p, first="a", second="b", difference=1.0):
    scores = {name: Score("x", value, "s") for name, value in (("a", 2.0), ("b", 1.0))}
    one = Difference("x", first, second, difference, 0, 2, p, p)
    return Headline("x", PERCENT, scores, (one,))


def test_how_systems_stand():
    assert [standing(headline(0.01), name) for name in "abc"] == ["best", "", ""]
    assert [standing(headline(0.05), name) for name in "ab"] == ["best", "equal"]
    assert [standing(headline(0.01, "a", "b"), name, "b") for name in "ab"] == [
        *("better", "baseline")
    ]
    assert standing(headline(0.01, "b", "a", -1.0), "b", "a") == "worse"
    assert standing(headline(0.5, "b", "a", -1.0), "b", "a") == ""
    assert standing(headline(0.01), "a", "elsewhere") == "best"


def doubt_of(folder, **options):
    rules = ReadingRules(**options.pop("rules", {}))
    found = report_on(folder, rules=rules, settings=SETTINGS, judge_of=word_judge, **options)
    return found, json.loads(report_json(found))


def test_pronouns_are_judged_where_something_judges_the_pair(folder, report):
    found, content = doubt_of(folder)
    titles = [one.title for one in found.headlines]
    assert titles == [*METRICS, "in doubt per 100"]
    own = [one for one in content["scores"] if one["metric"] == "in doubt per 100"]
    assert [one["value"] for one in own] == [50, 50]
    assert {one["better"] for one in own} == {"lower"}
    assert "|model:test.0|" in own[0]["signature"]
    assert "|by:document|" in own[0]["signature"]
    groups = content["metrics"]["pronoun_doubt"]["systems"][0]["groups"]
    assert [one["group"] for one in groups] == ["it-3"]
    assert "Lower is better: in doubt per 100.\n" in report_text(found)
    assert "Lower is better: in doubt per 100. " in report_page(found)
    others = [one for one in content["scores"] if one["metric"] != "in doubt per 100"]
    assert others == json.loads(report_json(report))["scores"]


def test_a_pair_that_nothing_judges_has_the_report_of_before(folder, report):
    found = report_on(folder, settings=SETTINGS, judge_of=lambda source, target: None)
    assert report_json(found) == report_json(report)
    assert report_page(found) == report_page(report)
    assert report_text(found) == report_text(report)


@pytest.mark.parametrize(
    ("rules", "most", "reason"),
    [
        ({"proofread": False}, 100, "--no-proofread"),
        ({}, 29, "--proofread"),
        ({"proofread": True}, 29, ""),
        ({}, 30, ""),
    ],
)
def test_what_is_not_judged_is_told(folder, monkeypatch, rules, most, reason):
    monkeypatch.setattr("crosspro.evaluation.folder_report.contents.PROOFREAD_LINES", most)
    found, _ = doubt_of(folder, rules=rules)
    missing = {one.metric: one.reason for one in found.not_computed}
    assert reason in missing.get("pronouns in doubt per 100", "")
    assert bool(reason) == ("pronouns in doubt per 100" in missing)


def test_a_folder_without_a_reference_has_the_score_that_needs_none(folder, tmp_path):
    for name in ("source.en", "outputs/mt.fr", "doc-ids"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    found, content = doubt_of(tmp_path)
    assert [one.title for one in found.headlines] == ["in doubt per 100"]
    assert (content["lines"], content["documents"]) == (15, 3)
    assert len({one.reason for one in found.not_computed}) == 1
    assert report_page(found)
    for rules in ({"proofread": False}, {}):
        judge = word_judge if rules else lambda source, target: None
        with pytest.raises(InputError, match="reference: "):
            report_on(tmp_path, rules=ReadingRules(**rules), judge_of=judge)


def test_without_a_source_nothing_is_judged(folder, tmp_path):
    for name in ("reference.fr", "outputs/mt.fr"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    found, _ = doubt_of(tmp_path, pair=("en", "fr"))
    missing = {one.metric: one.reason for one in found.not_computed}
    assert missing["pronouns in doubt per 100"] == missing["APT"]


def test_a_lower_score_is_better_where_the_metric_says_so():
    scores = {name: Score("x", value, "") for name, value in (("a", 30.0), ("b", 10.0))}
    tests = (Difference("per_100", "b", "a", -20, -30, -10, 0.01, 0.01),)
    lower = Headline("x", PERCENT, scores, tests, better=-1)
    assert [standing(lower, name) for name in "ab"] == ["", "best"]
    assert standing(lower, "b", baseline="a") == "better"
    assert standing(Headline("x", PERCENT, scores, tests), "b", baseline="a") == "worse"


def test_a_page_without_a_script_has_no_buttons(folder):
    page = report_page(report_on(folder, settings=SETTINGS))
    assert "<button" not in page
    assert ">APT: cases</h2>" in page
    assert "Signs follow the randomisation test." in page
