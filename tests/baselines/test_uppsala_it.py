"""The source-aware model with labels of it: labels in the tokens, training data, saving."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.baselines.it_classifier.classifier import ItClassifier
from crosspro.baselines.it_classifier.context import LABELS
from crosspro.baselines.it_classifier.patterns import pattern_labels
from crosspro.baselines.it_classifier.training_data import NAMED_SETS
from crosspro.baselines.uppsala_it import UppsalaIt
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.system import load_system
from tests.examples import example_of
from tests.integration.training import made

TASK = load_task("en-fr")


@pytest.fixture(scope="module")
def data():
    return demo_examples(TASK, "train", 60), demo_examples(TASK, "dev", 20)


def line(sentence, *gaps, document="d"):
    source = tuple(sentence.split())
    return example_of(source, ("REPLACE_0",) * len(gaps), (), gaps, document)


def labelled(*examples):
    system = UppsalaIt()
    system.task = TASK
    return [" ".join(one.source) for one in system.labelled(examples)]


def test_labels_stand_with_the_pronouns_of_gaps():
    rain = line("It rained , and they saw it .", Gap(0, 0), Gap(1, 4))
    assert labelled(rain) == ["It:pleonastic rained , and they saw it ."]
    assert labelled(line("The car broke ; it was old .", Gap(0, 4))) == [
        "The car broke ; it:anaphoric was old ."
    ]


def test_the_sentence_before_counts_within_a_document(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "crosspro.baselines.uppsala_it.pattern_labels",
        lambda contexts: asked.append(contexts) or pattern_labels(contexts),
    )
    system = UppsalaIt()
    system.task = TASK
    gap = Gap(0, 0)
    lines = [line("A .", document="d"), line("It is .", gap), line("It was .", gap, document="e")]
    system.labelled(lines)
    system.labelled([replace(example, document=None) for example in lines])
    befores = [[context.before for context in contexts] for contexts in asked]
    assert befores == [[("A", "."), ()], [(), ()]]


def test_other_source_languages_have_no_labels():
    system = UppsalaIt()
    system.task = load_task("fr-en")
    examples = [line("il pleut", Gap(0, 0)), line("it", Gap(0, 0))]
    assert system.labelled(examples) == examples


def table(path, documents):
    rows = ["document\tbefore\tsentence\tlabel"]
    for name in documents:
        rows += [
            f"{name}\t\tI have a car and __it__ broke .\tanaphoric",
            f"{name}\t\tBut __it__ seems that he left .\tpleonastic",
            f"{name}\tHe left .\tWe told him to do __it__ .\tevent",
        ]
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return str(path)


def test_a_trained_classifier_is_saved_with_the_system(data, tmp_path):
    names = ("000_1756", "1819", "779", "001_805", "780", "ep-1")
    system = UppsalaIt(order=4, it_data=[table(tmp_path / "it.tsv", names)])
    system.fit(TASK, *data)
    assert isinstance(system.classifier, ItClassifier)
    assert system.classifier.documents == ("780", "ep-1")  # no talk of DiscoMT 2015 or TEDdev
    system.save(tmp_path / "model")
    (tmp_path / "it.tsv").unlink()
    loaded = load_system(tmp_path / "model")
    assert loaded.classifier.documents == ("780", "ep-1")
    assert loaded.predict(data[1]) == pytest.approx(system.predict(data[1]), abs=1e-6)
    assert (loaded.decide(data[1]) == system.decide(data[1])).all()


def test_a_training_without_annotated_text_warns_of_patterns(data):
    system = UppsalaIt(order=3)
    system.fit(TASK, *data)
    assert len(system.report.warnings) == 1
    assert system.report.figures["f1"] is None


def test_a_training_with_ten_documents_says_its_cross_validated_f1(data, tmp_path):
    path = table(tmp_path / "it.tsv", [f"ep-{number}" for number in range(10)])
    system = UppsalaIt(order=3, it_data=[path])
    system.fit(TASK, *data)
    assert system.report.figures["f1"] == dict.fromkeys(LABELS, 100)
    assert system.report.warnings == ()


def test_the_configuration_leaves_out_what_is_scored_and_what_is_chosen_on(data, tmp_path):
    path = table(tmp_path / "it.tsv", ("000_1756", "002_779"))
    system = made("system=uppsala_it", order=3, it_data=[path])
    assert list(system.settings.leave_out) == list(NAMED_SETS) == ["discomt2015", "teddev"]
    with pytest.raises(InputError, match="it_data: "):
        system.fit(TASK, *data)
    with pytest.raises(InputError):
        UppsalaIt(order=3, it_data=[str(tmp_path / "none")]).fit(TASK, *data)
