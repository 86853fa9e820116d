"""UU-Cap's CRF: what it reads, that it learns, and that it is the same each time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crosspro.baselines.cap_crf import CapCRF
from crosspro.baselines.crf.windows import token_columns
from crosspro.baselines.majority import Majority
from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Token
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.lexicon.agreement import english_words
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon, write_lexicon
from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.system import load_system
from tests.integration.training import composed

TASK = load_task("en-de")
LEXICON = Lexicon.of([Entry("Katze", "NOUN", "Fem", "Sing"), Entry("Sein", "NOUN", "Neut", "Sing")])
LINE = Example.of_tokens(
    ("The", "cats", "say", "they", "sleep"),
    ("Katze|NOUN", "Sein|VERB", "REPLACE_3", "schlafen|VERB"),
    ((1, 0), (3, 2)),
    (Gap(2, 3, "sie", "sie"),),
)
PARSE = AnnotatedSentence(
    (
        Token("The", "the", "DET", "DET", "DT"),
        Token("cats", "cat", "NOUN", "NOUN", "NNS"),
        Token("say", "say", "VERB", "VERB", "VBP"),
        Token("they", "they", "PRON", "PRON", "PRP", features="Number=Plur|Person=3"),
        Token("sleep", "sleep", "VERB", "VERB", "VBP"),
    )
)


def read(example, lexicon=None, source_lexicon=None):
    return {one.name: one.values(example) for one in token_columns(2, lexicon, source_lexicon)}


def test_what_is_read_of_a_line():
    assert read(LINE, LEXICON) == {
        "target lemma": ["Katze", "Sein", "REPLACE", "schlafen"],
        "target tag": ["NOUN", "VERB", "REPLACE", "VERB"],
        "target gender": ["Fem", "", "", ""],
        "source pronoun": ["The", "cats", "say", "they", "sleep"],
        "source number": [""] * 5,
        "source gender": [""] * 5,
    }
    parsed = read(replace(LINE, source_parse=PARSE))
    assert parsed["source number"] == ["", "Plur", "", "Plur", ""]
    assert parsed["target gender"] == [""] * 4
    fem = [Token("x", "x", "X", "X", "X", features="Gender=Fem")] * 4
    gap_hidden = replace(LINE, target_parse=AnnotatedSentence(tuple(fem)))
    assert read(gap_hidden)["target gender"] == ["Fem", "Fem", "", "Fem"]
    words = Lexicon.of([Entry("cats", "NOUN", "Neut", "Plur")])
    assert read(LINE, None, words)["source gender"] == ["", "Neut", "", "", ""]


def test_english_words_have_gender_and_number_without_a_parse():
    """UU-Cap had both of EMOR (003 §5.9); here HanTa's tags, else endings and a list."""
    source = ("his", "cats", "and", "the", "woman", "say", "they")
    line = replace(LINE, source=source, gaps=(Gap(2, 6, "sie", "sie"),))
    words = read(line, None, english_words([source] * 3))
    assert words["source number"] == ["Sing", "Plur", "", "", "Sing", "", "Plur"]
    assert words["source gender"] == ["Masc", "", "", "", "Fem", "", ""]
    tags = ("DPS", "NN2", "CJC", "AT0", "NN1", "VVB", "PNP")
    tokens = (Token(w, w, "", None, tag) for w, tag in zip(source, tags, strict=True))
    parsed = replace(line, source_parse=AnnotatedSentence(tuple(tokens), "c5"))
    assert read(parsed)["source number"] == ["", "Plur", "", "", "Sing", "", ""]


def test_the_default_configuration_knows_genders_and_numbers_of_both_sides(tmp_path):
    settings = composed("system=cap_crf", "task=en-de")["system"]
    del settings["_target_"]
    system = CapCRF(**{**settings, "epochs": 1})
    train = demo("en-de", "train", 20)
    system.fit(TASK, train, train)
    assert not next(one for one in system.templates if one.name == "source number").says_nothing
    assert [one.side for one in system.report.lexicons] == ["target", "source"]
    system.save(tmp_path)
    assert (load_system(tmp_path).predict(train) == system.predict(train)).all()


def demo(task, split, documents):
    return demo_examples(load_task(task), split, documents)


@pytest.mark.parametrize("task", ["en-de", "en-fr", "de-en", "fr-en", "es-en", "en-fr-2015"])
def test_it_beats_the_majority_class_on_every_pair(task):
    train, dev = demo(task, "train", 60), demo(task, "dev", 20)
    score = dev_score(load_task(task), dev, "macro_recall")
    found = []
    for system in (CapCRF(window=3), Majority()):
        system.fit(load_task(task), train, dev)
        found.append(score(system.predict(dev)))
    assert found[0] > found[1] + 10


def test_it_can_learn_fifty_examples_by_heart():
    train = [example for example in demo("en-de", "train", 40) if example.gaps][:50]
    system = CapCRF(min_count=1, epochs=60, l2=0.01)
    system.fit(TASK, train, train)
    assert dev_score(TASK, train, "accuracy")(system.predict(train)) == 100


def test_the_same_data_gives_the_same_system(tmp_path):
    train = demo("en-de", "train", 20)
    write_lexicon(tmp_path / "words.tsv", LEXICON)
    systems = [CapCRF(lexicon=str(tmp_path / "words.tsv"), epochs=2) for _ in range(2)]
    for system in systems:
        system.fit(TASK, train, train)
    first, second = (system.predict(train) for system in systems)
    assert (first == second).all()
    systems[0].save(tmp_path / "model")
    (tmp_path / "words.tsv").unlink()  # the model has its own copy
    assert (load_system(tmp_path / "model").predict(train) == first).all()


def test_gaps_of_a_line_are_labelled_together():
    """In training, the second pronoun is always the first one again; only the first is known."""
    lines = [
        Example.of_tokens(
            (word, "and", "it"),
            (f"{word}|X", "REPLACE_0", "REPLACE_2"),
            (),
            (Gap(1, 0, label), Gap(2, 2, label)),
        )
        for word, label in (("a", "er"), ("b", "es"))
    ]
    system = CapCRF(window=1, min_count=1, epochs=40)
    system.fit(TASK, lines * 20, lines)
    chosen = system.predict(lines).argmax(axis=1).tolist()
    assert [TASK.classes[number] for number in chosen] == ["er", "er", "es", "es"]


def test_values_of_a_saved_system_must_be_those_of_its_windows(tmp_path):
    train = demo("en-de", "train", 5)
    system = CapCRF(epochs=1)
    system.fit(TASK, train, train)
    for change in (
        ('"name": "target lemma"', '"places": [-5'),
        ('"templates": [', '"templates": [3, '),
    ):
        system.save(tmp_path)
        path = tmp_path / "templates.json"
        path.write_text(path.read_text("utf-8").replace(change[0], change[1], 1), "utf-8")
        with pytest.raises(InputError, match=r"templates\.json"):
            load_system(tmp_path)


def test_training_without_a_label_is_refused():
    blind = [replace(LINE, gaps=(Gap(2, 3),))]
    with pytest.raises(CrossproError, match="train: expected labelled gaps, found none"):
        CapCRF().fit(TASK, blind, [LINE])


def test_rare_classes_can_be_favoured():
    train, dev = demo("en-de", "train", 30), demo("en-de", "dev", 10)
    system = CapCRF(epochs=3, tune_adjustment=True)
    system.fit(TASK, train, dev)
    score = dev_score(TASK, dev, "macro_recall")
    assert score(system.predict(dev)) >= score(system.unadjusted(dev))
    assert np.allclose(system.predict(dev).sum(axis=1), 1)


def test_class_weights_favour_rare_classes():
    train, dev = demo("en-de", "train", 30), demo("en-de", "dev", 10)
    means = []
    for power in (0.0, 1.0):
        system = CapCRF(epochs=3, class_weight_power=power)
        system.fit(TASK, train, dev)
        seen = np.flatnonzero(system.adjustment.frequencies)
        rare = seen[np.argsort(system.adjustment.frequencies[seen])[:3]]
        means.append(system.predict(dev)[:, rare].mean())
    assert means[1] > 1.2 * means[0]
