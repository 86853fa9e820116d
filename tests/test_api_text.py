"""Lists of lines, open files and paths are one text; results print, compare and become tables."""

from __future__ import annotations

import io
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
GOLD = ["il", "elle", "OTHER", "il"]


def linked(metric, source, reference, candidates, links=None, candidate_links=None, **more):
    more = {
        "links": links or APT / "ref.align",
        "candidate_links": candidate_links or [APT / "mt.align"],
        "resamples": 50,
        **more,
    }
    return getattr(crosspro, metric)(source, reference, candidates, "en-fr", **more)


def scores_of(result):
    return [
        (score.value, score.low, score.high)
        for system in result.systems
        for score in system.scores.values()
    ]


@pytest.mark.parametrize("metric", ["apt", "autoprf"])
def test_lines_and_open_files_score_as_files_do(metric):
    files = linked(metric, APT / "src.en", APT / "ref.fr", APT / "mt.fr")
    with (APT / "src.en").open(encoding="utf-8") as source:
        opened = linked(
            metric, source, io.BytesIO((APT / "ref.fr").read_bytes()), {"A": LINES["mt.fr"]}
        )
    lines = linked(
        metric,
        LINES["src.en"],
        (f"{line}\n" for line in LINES["ref.fr"]),
        {"A": LINES["mt.fr"], "B": APT / "mt.fr"},
        LINKS["ref.align"],
        {"A": LINKS["mt.align"], "B": LINKS["mt.align"]},
    )
    assert scores_of(opened) == scores_of(files)
    assert scores_of(lines) == scores_of(files) * 2
    assert (files.names, opened.names, lines.names) == (["mt.fr"], ["A"], ["A", "B"])
    assert opened.signature == files.signature


def test_documents_are_a_list_too(tmp_path):
    ids = [str(number // 3) for number in range(len(LINES["src.en"]))]
    (tmp_path / "ids").write_text("".join(f"{one}\n" for one in ids), "utf-8")
    texts = LINES["src.en"], LINES["ref.fr"], LINES["mt.fr"]
    by_path = linked("apt", *texts, documents=tmp_path / "ids")
    assert scores_of(linked("apt", *texts, documents=ids)) == scores_of(by_path)
    numbers = linked("apt", *texts, documents=list(map(int, ids)))
    assert "by:document" in numbers.signature
    assert scores_of(numbers) == scores_of(by_path)


def test_languages_stand_for_lists():
    texts = (LINES["src.en"], LINES["ref.fr"], LINES["mt.fr"])
    named = crosspro.apt(*texts, "en-fr", resamples=0)
    said = crosspro.apt(*texts, source_language="en", target_language="fr", resamples=0)
    told = crosspro.apt(APT / "src.en", APT / "ref.fr", APT / "mt.fr", resamples=0)
    assert named.signature == said.signature == told.signature


def f1(candidates, reference, language=None, **more):
    return crosspro.pronoun_f1(
        reference=reference, candidates=candidates, target_language=language, **more
    )


def test_pronoun_f1_takes_the_language_of_names_and_no_places():
    found = f1(APT / "mt.fr", LINES["ref.fr"], resamples=0)
    assert scores_of(found) == scores_of(f1(APT / "mt.fr", APT / "ref.fr", "fr", resamples=0))
    with pytest.raises(TypeError):
        crosspro.pronoun_f1(LINES["mt.fr"], LINES["ref.fr"], "fr")


def test_columns_of_a_table_are_systems():
    class Table(dict):
        columns = property(list)

    table = Table(A=LINES["mt.fr"], B=LINES["ref.fr"])
    found = f1(table, LINES["ref.fr"], "fr", resamples=0)
    assert found.names == ["A", "B"]
    assert found.scores["B"]["f1"].value == 100


def test_bleu_of_lines():
    pytest.importorskip("sacrebleu")
    references = [LINES["ref.fr"], LINES["mt.fr"]]
    found = crosspro.bleu(candidates={"A": LINES["mt.fr"]}, references=references, resamples=0)
    assert found.scores["A"]["bleu"].value == pytest.approx(100)
    one = crosspro.bleu(candidates=LINES["mt.fr"], references=LINES["ref.fr"], resamples=0)
    path = crosspro.bleu(candidates=APT / "mt.fr", references=str(APT / "ref.fr"), resamples=0)
    assert scores_of(one) == scores_of(path)


# Labels and examples ------------------------------------------------------------------------------


# Results ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def result():
    systems = {"A": LINES["ref.fr"], "<b>B": LINES["mt.fr"]}
    return linked("apt", LINES["src.en"], LINES["ref.fr"], systems,
                  candidate_links={"A": LINKS["ref.align"], "<b>B": LINKS["mt.align"]})  # fmt: skip


def test_a_result_prints_as_the_command_does():
    texts = ("--source", APT / "src.en", "--reference", APT / "ref.fr")
    candidate = ("--candidate", APT / "mt.fr", "--candidate-links", APT / "mt.align")
    files = (*texts, *candidate, "--links", APT / "ref.align")
    found = linked("apt", APT / "src.en", APT / "ref.fr", APT / "mt.fr")
    printed = command("apt", *files, "--pronouns", "en-fr", "--resamples", 50)
    shown, _, signature = printed.stdout.decode().partition("\n\nSignatures\n\n- ")
    assert f"{printed.stderr.decode()}{shown}" == str(found)
    assert signature == f"{found.signature}\n"
    score = found.scores["mt.fr"]["apt"]
    assert repr(found) == f"<Result apt: mt.fr {score.value:.4f}>"
    shown = command("apt", *files, "--pronouns", "en-fr", "--resamples", 50, "--layout", "json")
    assert found.to_dict() == json.loads(shown.stdout)


def test_a_result_compares(result):
    found = result.compare("A", "<b>B")
    known = result.comparisons[0]
    assert found.differences == (known,)
    assert (found.difference, found.low, found.high) == (
        known.difference,
        known.low,
        known.high,
    )
    assert found.p == known.p_randomisation
    turned = result.compare("<b>B", "A", resamples=200, seed=1)
    assert turned.difference == -found.difference
    assert "samples:200|seed:1" in turned.signature
    assert "A - <b>B" in str(found) and "A - &lt;b&gt;B" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["measure"] == "apt"


def test_a_notebook_and_a_page_show_it(result, tmp_path):
    shown = result._repr_html_()
    assert "&lt;b&gt;B" in shown and "<b>B" not in shown
    assert "95% interval" in shown
    result.write_html(tmp_path / "x.html")
    assert (tmp_path / "x.html").read_text("utf-8") == result.html()


def test_nothing_scored_compares_nothing():
    found = crosspro.apt(["Yes ."], ["Oui ."], {"A": ["Oui ."], "B": ["Non ."]}, "en-fr")
    assert "no pronoun of the lists" in str(found)
    assert found.html() and found._repr_html_()
    with pytest.raises(crosspro.CrossproError):
        found.compare("A", "B")


# What is wrong ------------------------------------------------------------------------------------

TEXTS = (LINES["src.en"], LINES["ref.fr"])
WRONG = {
    "a string for lines": (
        lambda: crosspro.apt("It sleeps .", *TEXTS[1:], LINES["mt.fr"], "en-fr"),
        "source",
    ),
    "a file that is not there": (
        lambda: crosspro.apt(*TEXTS, ["no.fr"], "en-fr"),
        "no.fr",
    ),
    "lines of other length": (
        lambda: crosspro.apt(*TEXTS, {"A": ["Oui ."]}, "en-fr"),
        'candidates["A"]:2: lines: expected',
    ),
    "lines that are none": (
        lambda: f1({"A": ["a", float("nan")], "B": ["a\nb", "c"]}, ["a", "b"], "fr"),
        'candidates["A"]:2: line: expected one line of text, found nan\ncandidates["B"]:1: line',
    ),
    "half a character": (
        lambda: f1({"A": ["\ud800"]}, ["a"], "fr"),
        'candidates["A"]:1: encoding: expected UTF-8',
    ),
    "a mapping for the reference": (
        lambda: f1(["a"], {"A": ["a"]}, "fr"),
        "reference",
    ),
    "no systems": (lambda: f1({}, ["a"], "fr"), "candidates"),
    "a closed file": (
        lambda: f1(closed(), ["a"], "fr"),
        "candidates",
    ),
    "no language": (
        lambda: f1(["a"], ["a"]),
        "target_language",
    ),
    "an unknown language": (
        lambda: f1(["a"], ["a"], "xx"),
        "target_language",
    ),
    "lists that there are not": (
        lambda: crosspro.apt(*TEXTS, LINES["mt.fr"], source_language="en", target_language="ru"),
        "source_language and target_language: lists",
    ),
    "documents for other lines": (
        lambda: f1(["a"], ["a"], "fr", documents=["x", "y"]),
        "documents",
    ),
    "lists that are none": (
        lambda: crosspro.apt(*TEXTS, LINES["mt.fr"], 3),
        "pronouns",
    ),
    "a folder that is none": (lambda: crosspro.report(["x"]), "folder"),
    "no model": (
        lambda: crosspro.proofread(["It sleeps."], ["Er schläft."]),
        "model, or source_language and target_language",
    ),
}


def closed():
    file = io.StringIO("a\n")
    file.close()
    return file


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_told(case):
    call, told = WRONG[case]
    with pytest.raises(crosspro.InputError) as caught:
        call()
    assert told in str(caught.value)


def test_all_texts_are_checked_at_once():
    with pytest.raises(crosspro.InputError) as caught:
        crosspro.apt("It sleeps .", ["a"], {"A": 3}, "en-fr", documents=["x\ty"])
    assert len(caught.value.problems) == 3


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
    found = run.explain(test)
    assert found.to_dict()["explanation"]["chosen"] == found.explanation.chosen
    run.export(tmp_path / "x.zip")
    assert crosspro.predict(tmp_path / "x.zip", test) == run.predict(test)
    with pytest.raises(crosspro.InputError, match="weights"):
        crosspro.export(run, tmp_path / "y.zip", weights="int4")
    for wrong in ({"line": 0}, {"line": 10_000}, {"gap": "x"}):
        with pytest.raises(crosspro.InputError, match="expected"):
            run.explain(test, **wrong)


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


def test_examples_stream_as_often_as_they_are_asked_for(tmp_path):
    written = crosspro.demo("en-fr", "dev", 5)
    crosspro.write_examples(tmp_path / "x.data.xz", written)
    (tmp_path / "x.doc-ids").write_text("".join(f"{one.document}\n" for one in written), "utf-8")
    for stream in (crosspro.examples(tmp_path / "x.data.xz", task) for task in ("en-fr", None)):
        assert list(stream) == list(stream) == written
    inflected = crosspro.demo("en-fr-2015", "dev", 5)
    crosspro.write_examples(tmp_path / "y.data", inflected)
    assert next(iter(crosspro.examples(tmp_path / "y.data"))).tags is None
    with pytest.raises(crosspro.InputError, match="no: file"):
        list(crosspro.examples("no", "en-fr"))


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
    (tmp_path / "de").write_text("".join(f"{one}\n" for one in SLEPT[1]), "utf-8")
    model = crosspro.load("en-de")
    assert isinstance(model, Predictor)
    with (tmp_path / "de").open("rb") as opened:
        files = crosspro.proofread(io.StringIO("\n".join(SLEPT[0])), opened, ["a", "a"], model)
    lines = crosspro.proofread(*SLEPT, model=model)
    named = crosspro.proofread(*SLEPT, source_language="en", target_language="de")
    found = [[one.wrong for one in some] for some in (files, lines, named)]
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 1
