"""UU-Cap's CRF: what it reads, that it learns, and that it is the same each time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.baselines.cap_crf import CapCRF, source_values, target_genders, token_features
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import AnnotatedSentence, Gap, Token
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.lexicon.agreement import english_words
from crosspro.data_prep.lexicon.lexicon import GENDERS, NUMBERS, Entry, Lexicon
from crosspro.prediction.system import load_system
from tests.examples import example_of

TASK = load_task("en-de")
LEXICON = Lexicon.of([Entry("Katze", "NOUN", "Fem", "Sing"), Entry("Sein", "NOUN", "Neut", "Sing")])
LINE = example_of(
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


def read(example, lexicon=None, source_lexicon=None, place=2):
    """The features of a token, by default of the gap, by name."""
    (tokens,) = [token_features(example, 1, lexicon, source_lexicon)]
    return dict(feature.rsplit("=", 1) for feature in tokens[place])


def test_what_is_read_of_a_gap():
    assert read(LINE, LEXICON) == {
        "target lemma -1": "Sein",
        "target lemma +0": "REPLACE",
        "target lemma +1": "schlafen",
        "target tag -1": "VERB",
        "target tag +0": "REPLACE",
        "target tag +1": "VERB",
        "source pronoun": "they",
    }
    parsed = read(replace(LINE, source_parse=PARSE))
    assert parsed["source number +0"] == "Plur"
    words = Lexicon.of([Entry("say", "NOUN", "Neut", "Plur")])
    assert read(LINE, None, words)["source gender -1"] == "Neut"


def test_what_is_read_of_other_tokens():
    first = read(LINE, LEXICON, place=0)
    assert first["target gender +0"] == "Fem"
    assert first["target lemma -1"] == "(outside)"
    assert not any(name.startswith("source") for name in first)
    fem = [Token("x", "x", "X", "X", "X", features="Gender=Fem")] * 4
    hidden = replace(LINE, target_parse=AnnotatedSentence(tuple(fem)))
    assert target_genders(hidden, None) == ["Fem", "Fem", "", "Fem"]


def test_english_words_have_gender_and_number_without_a_parse():
    """UU-Cap had both of EMOR (003 §5.9); here HanTa's tags, else endings and a list."""
    source = ("his", "cats", "and", "the", "woman", "say", "they")
    line = replace(LINE, source=source, gaps=(Gap(2, 6, "sie", "sie"),))
    words = english_words([source] * 3)
    assert source_values(line, "Number", NUMBERS, words) == [
        "Sing", "Plur", "", "", "Sing", "", "Plur",
    ]  # fmt: skip
    genders = source_values(line, "Gender", GENDERS, words)
    assert genders == ["Masc", "", "", "", "Fem", "", ""]
    tags = ("DPS", "NN2", "CJC", "AT0", "NN1", "VVB", "PNP")
    tokens = (Token(w, w, "", None, tag) for w, tag in zip(source, tags, strict=True))
    parsed = replace(line, source_parse=AnnotatedSentence(tuple(tokens), "c5"))
    numbers = source_values(parsed, "Number", NUMBERS, None)
    assert numbers == ["", "Plur", "", "", "Sing", "", ""]


def test_gaps_of_a_line_are_labelled_together():
    """In training, the second pronoun is always the first one again; only the first is known."""
    lines = [
        example_of(
            (word, "and", "it"),
            (f"{word}|X", "REPLACE_0", "REPLACE_2"),
            (),
            (Gap(1, 0, label), Gap(2, 2, label)),
        )
        for word, label in (("a", "er"), ("b", "es"))
    ]
    system = CapCRF(window=1, min_count=1, iterations=40)
    system.fit(TASK, lines * 20, lines)
    chosen = system.predict(lines).argmax(axis=1).tolist()
    assert [TASK.classes[number] for number in chosen] == ["er", "er", "es", "es"]


def test_a_changed_model_is_refused_before_crfsuite_reads_it(tmp_path):
    train = demo_examples(TASK, "train", 5)
    system = CapCRF(iterations=1)
    system.fit(TASK, train, train)
    system.save(tmp_path)
    path = tmp_path / "model.crfsuite"
    path.write_bytes(path.read_bytes()[:-8] + b"\xff" * 8)
    with pytest.raises(InputError, match=r"model\.crfsuite"):
        load_system(tmp_path)
