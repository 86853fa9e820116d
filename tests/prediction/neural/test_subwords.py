"""Sub-word units: positions move with the words, and a trained system keeps its units."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Token
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.neural.reading.subwords import load_units, split_example, train_units
from crosspro.prediction.system import load_system
from tests.prediction.neural.small import neural

TASK = load_task("en-fr")
EXAMPLE = Example.of_tokens(
    ("They", "work"),
    ("REPLACE_0", "travailler|VER", ".|SENT"),
    ((0, 0), (1, 1)),
    (Gap(0, 0, "ils", "ils"),),
    source_parse=AnnotatedSentence(
        (Token("They", "they", "PRON", head=1, deprel="nsubj"), Token("work", "work", "VERB"))
    ),
)


def letters(word):
    return list(word)


def pairs(word):
    return [word[i : i + 2] for i in range(0, len(word), 2)]


def test_gaps_links_tags_and_heads_move_with_the_words():
    split = split_example(EXAMPLE, pairs, letters)
    assert split.source == ("Th", "ey", "wo", "rk")
    assert split.target[0] == "REPLACE_0"
    assert split.target[1] == "t|VER"
    assert len(split.target) == 1 + len("travailler") + 1
    assert split.gaps == (Gap(0, 0, "ils", "ils"),)
    assert split.links == ((0, 0), (1, 0), (2, 1), (3, 1))
    assert [token.head for token in split.source_parse.tokens] == [2, 2, -1, -1]
    assert [token.tag for token in split.source_parse.tokens] == ["PRON", "PRON", "VERB", "VERB"]


def test_a_capital_does_not_change_how_a_word_is_cut():
    units = train_units(demo_examples(TASK, "train", 20), 200, lowercase=True)
    small = replace(EXAMPLE, source=("they", "work"))
    folded, as_is = (units.split([EXAMPLE], lowercase)[0].source for lowercase in (True, False))
    assert folded == units.split([small], True)[0].source
    assert folded != as_is


def test_too_few_units_are_refused():
    with pytest.raises(InputError, match="unit_vocabulary"):
        train_units(demo_examples(TASK, "train", 20), 10, lowercase=True)


def test_a_gap_behind_split_words_is_found_again():
    later = replace(
        EXAMPLE.with_target(("travailler|VER", "REPLACE_0", ".|SENT")),
        gaps=(Gap(1, 0, "ils", "ils"),),
        links=((0, 1), (1, 0)),
    )
    split = split_example(later, pairs, pairs)
    assert split.target[split.gaps[0].position] == "REPLACE_0"


def test_a_system_keeps_its_units(tmp_path):
    train, dev = demo_examples(TASK, "train", 12), demo_examples(TASK, "dev", 4)
    system = neural(
        "turku_gru",
        {"embedding": 8, "hidden": 8, "dense": 12, "window": 20},
        {"units": "sentencepiece", "unit_vocabulary": 200, "batch_size": 32},
        trainer={"max_epochs": 1, "progress_bar": False, "accelerator": "cpu"},
    )
    system.fit(TASK, train, dev)
    assert len(system.encoder.vocabularies["source"]) < 250
    system.save(tmp_path)
    assert (load_system(tmp_path).predict(dev) == system.predict(dev)).all()
    (tmp_path / "units.source.model").write_bytes(b"nonsense")
    with pytest.raises(InputError, match=r"units\.source\.model: units"):
        load_system(tmp_path)


def test_the_same_text_gives_the_same_units(tmp_path):
    examples = demo_examples(TASK, "train", 12)
    first, again = (train_units(examples, 150, True) for _ in range(2))
    assert first == again
    first.save(tmp_path)
    assert load_units(tmp_path) == first
