"""UU-Cap's CRF: what it reads, that it learns, and that it is the same each time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.baselines.cap_crf import CapCRF
from crosspro.baselines.crf.windows import token_columns
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Token
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.lexicon.agreement import english_words
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon
from crosspro.prediction.system import load_system
from tests.integration.training import made

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


def test_the_default_configuration_knows_numbers_of_the_source(tmp_path, monkeypatch):
    """Also where no package is installed."""
    monkeypatch.setattr("crosspro.data_prep.lexicon.load._installed", lambda name: False)
    system = made("system=cap_crf", "task=en-de", epochs=1)
    train = demo("en-de", "train", 20)
    system.fit(TASK, train, train)
    assert not next(one for one in system.templates if one.name == "source number").says_nothing
    assert [one.side for one in system.report.lexicons] == ["target", "source"]
    system.save(tmp_path)
    assert (load_system(tmp_path).predict(train) == system.predict(train)).all()


def demo(task, split, documents):
    return demo_examples(load_task(task), split, documents)


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
