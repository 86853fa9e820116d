"""Lists of lines and paths are one text; wrong arguments are named."""

from __future__ import annotations

import json

import pytest

import crosspro
from crosspro.prediction.pair_prediction import Predictor
from tests.conftest import GOLDEN
from tests.scripts.run import crosspro as command

APT = GOLDEN / "apt"
LINES = {
    name: (APT / name).read_text("utf-8").splitlines() for name in ("src.en", "ref.fr", "mt.fr")
}
LINKS = {name: (APT / name).read_text("utf-8").splitlines() for name in ("ref.align", "mt.align")}


def linked(metric, source, reference, candidates, links=LINKS["ref.align"], **more):
    named = candidates if isinstance(candidates, dict) else {"candidate": candidates}
    more = {"candidate_links": dict.fromkeys(named, LINKS["mt.align"]), "resamples": 50, **more}
    function = getattr(crosspro, metric)
    return function(source, reference, candidates, pronouns="en-fr", links=links, **more)


def scores_of(result):
    return [
        (score.value, score.low, score.high)
        for candidate in result.candidates
        for score in candidate.scores.values()
    ]


TEXTS = LINES["src.en"], LINES["ref.fr"]


@pytest.mark.parametrize("metric", ["apt", "autoprf"])
def test_lines_score_as_files_do(metric):
    files = linked(
        metric, APT / "src.en", APT / "ref.fr", str(APT / "mt.fr"), APT / "ref.align",
        candidate_links=APT / "mt.align",
    )  # fmt: skip
    lines = linked(metric, *TEXTS, {"A": LINES["mt.fr"], "B": APT / "mt.fr"})
    pairs = [
        [tuple(map(int, link.split("-"))) for link in line.split()] for line in LINKS["ref.align"]
    ]
    assert scores_of(linked(metric, *TEXTS, LINES["mt.fr"], pairs)) == scores_of(files)
    assert scores_of(lines) == scores_of(files) * 2
    assert (files.names, lines.names) == (["candidate"], ["A", "B"])
    assert lines.signature == files.signature


def test_documents_are_a_list_too(tmp_path):
    ids = [str(number // 3) for number in range(len(LINES["src.en"]))]
    (tmp_path / "ids").write_text("".join(f"{one}\n" for one in ids), "utf-8")
    by_path = linked("apt", *TEXTS, LINES["mt.fr"], documents=tmp_path / "ids")
    by_list = linked("apt", *TEXTS, LINES["mt.fr"], documents=ids)
    assert "by:document" in by_list.signature
    assert scores_of(by_list) == scores_of(by_path)


def test_languages_stand_for_lists():
    named = crosspro.apt(*TEXTS, LINES["mt.fr"], pronouns="en-fr", tokenised=True, prior="en-fr",
                         resamples=0)  # fmt: skip
    languages = {"source_language": "en", "target_language": "fr"}
    assert (
        crosspro.apt(*TEXTS, LINES["mt.fr"], resamples=0, **languages).signature == named.signature
    )


def test_several_metrics_and_their_settings():
    report = crosspro.score(
        *TEXTS, {"A": LINES["mt.fr"], "B": LINES["ref.fr"]}, ["apt", "pronoun-f1"],
        source_language="en", target_language="fr", resamples=9,
        settings={"apt": {"repair": "off"}},
    )  # fmt: skip
    assert list(report.scores["A"]) == ["apt", "pronoun-f1"]
    assert "repair:off" in report["apt"].signature
    plain = crosspro.pronoun_f1(LINES["ref.fr"], {"B": LINES["ref.fr"]}, "fr", resamples=0)
    assert plain.scores["B"]["f1"].value == report["pronoun-f1"].scores["B"]["f1"].value == 100


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: crosspro.apt("no.en", TEXTS[1], LINES["mt.fr"], pronouns="en-fr"), "no.en"),
        (lambda: linked("apt", *TEXTS, {"A": ["Oui ."]}), "candidate A"),
        (lambda: crosspro.pronoun_f1(["a"], {"A": [float("nan")]}, "fr"), "candidate A"),
        (lambda: crosspro.pronoun_f1({"A": ["a"]}, ["a"], "fr"), "reference"),
        (lambda: crosspro.pronoun_f1(["a"], {}, "fr"), "candidates"),
        (lambda: crosspro.pronoun_f1(["a"], ["a"], "xx"), "target-language"),
        (lambda: crosspro.pronoun_f1(["a"], ["a"], "fr", documents=["x", "y"]), "documents"),
        (lambda: crosspro.apt(*TEXTS, LINES["mt.fr"]), "language"),
        (lambda: linked("apt", *TEXTS, LINES["mt.fr"], candidate_links={"B": []}), "_links"),
        (lambda: linked("apt", *TEXTS, LINES["mt.fr"], ["0-0"]), "links"),
        (lambda: linked("apt", *TEXTS, LINES["mt.fr"], settings={"colour": 1}), "apt.colour"),
        (lambda: crosspro.proofread(["It sleeps."], ["Er schläft."]), "model"),
        (lambda: crosspro.proofread(["It."], ["Er.", "Es."], model="en-de"), "translation"),
    ],
)  # fmt: skip
def test_wrong_input_is_named(call, named):
    with pytest.raises(crosspro.InputError) as caught:
        call()
    assert named in str(caught.value)
    assert "--" not in str(caught.value)


# Systems ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    sets = {name: crosspro.demo("en-fr", name, 20) for name in ("train", "dev", "test")}
    folder = tmp_path_factory.mktemp("run")
    return crosspro.train("en-fr", "ngram", data=sets, folder=folder, settings={"resamples": 20})


def test_train_is_the_command(run):
    assert set(run.evaluations) == {"dev", "test"}
    assert (run.folder / "run.json").is_file()
    assert run.run.configuration.choices["system"] == "ngram"
    assert "ngram seed 1, task en-fr" in str(run) and str(run.folder) in str(run)
    test = crosspro.demo("en-fr", "test", 20)
    found = crosspro.evaluate(test, {"A": run, "B": run.folder, "C": run.predict(test)}, "en-fr",
                              resamples=0)  # fmt: skip
    values = {one["macro_recall"].value for one in found.scores.values()}
    assert values == {run.evaluations["test"].candidates[0].scores["macro_recall"].value}


def test_a_run_is_explained_and_packed(run, tmp_path):
    test = crosspro.demo("en-fr", "test", 2)
    crosspro.write_examples(tmp_path / "x.data", test)
    shown = command("explain", run.folder, tmp_path / "x.data").stdout.decode()
    assert str(crosspro.explain(run, tmp_path / "x.data")) == shown.rstrip("\n")
    found = crosspro.explain(run, test)
    assert found.to_dict()["explanation"]["chosen"] == found.explanation.chosen
    crosspro.export(run, tmp_path / "x.zip")
    assert crosspro.predict(tmp_path / "x.zip", test) == run.predict(test)
    with pytest.raises(crosspro.InputError, match="weights"):
        crosspro.export(run, tmp_path / "y.zip", weights="int4")
    for wrong in ({"line": 0}, {"line": 10_000}, {"gap": "x"}):
        with pytest.raises(crosspro.InputError, match="expected"):
            crosspro.explain(run, test, **wrong)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"task": "en-xx"}, "task"),
        ({"system": "ngramm"}, "system/ngramm"),
        ({"system": "ngram,majority"}, "system"),
        ({"system": "majority", "settings": {"no.such": 1}}, "'no'"),
        ({"system": "ngram", "settings": {"system.order": "x"}}, "system.order"),
        ({"data": "no/such"}, "data.dir"),
        ({"data": {"train": []}}, "data['dev']"),
        ({"data": {"train": [3], "dev": []}}, "data['train']:1: example"),
    ],
)
def test_wrong_settings_are_told(arguments, told, tmp_path):
    with pytest.raises(crosspro.InputError) as caught:
        crosspro.train(**{"system": "majority", "folder": tmp_path / "x", **arguments})
    assert told in str(caught.value)
    assert not (tmp_path / "x").exists()


def test_examples_are_read_with_and_without_a_task(tmp_path):
    written = crosspro.demo("en-fr", "dev", 5)
    crosspro.write_examples(tmp_path / "x.data.xz", written)
    (tmp_path / "x.doc-ids").write_text("".join(f"{one.document}\n" for one in written), "utf-8")
    for task in ("en-fr", None):
        assert crosspro.read_examples(tmp_path / "x.data.xz", task) == written
    inflected = crosspro.demo("en-fr-2015", "dev", 5)
    crosspro.write_examples(tmp_path / "y.data", inflected)
    assert crosspro.read_examples(tmp_path / "y.data")[0].tags is None
    with pytest.raises(crosspro.InputError, match="no: file"):
        crosspro.read_examples("no", "en-fr")


SLEPT = (["The dog slept.", "It snored."], ["Der Hund schlief.", "Es schnarchte."])


def test_proofread_knows_the_model_of_files(tmp_path):
    for language, own in zip(("en", "de"), SLEPT, strict=True):
        (tmp_path / f"x.{language}").write_text("".join(f"{one}\n" for one in own), "utf-8")
    found = crosspro.proofread(tmp_path / "x.en", tmp_path / "x.de")
    assert [(one.word, one.suggestion) for one in found.doubtful] == [("Es", "Er")]
    assert "masculine" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["signature"] == found.signature
    assert "<html" in found.html()


@pytest.mark.slow
def test_proofread_takes_lines_as_files(tmp_path):
    for name, lines in zip(("en", "de"), SLEPT, strict=True):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    model = crosspro.load("en-de")
    assert isinstance(model, Predictor)
    files = crosspro.proofread(tmp_path / "en", tmp_path / "de", model=model)
    lines = crosspro.proofread(*SLEPT, documents=["a", "a"], model=model)
    named = crosspro.proofread(*SLEPT, source_language="en", target_language="de")
    chances = [[pronoun.wrong for pronoun in found] for found in (files, lines, named)]
    assert chances[0] == chances[1] == chances[2]
    assert len(chances[0]) == 1
