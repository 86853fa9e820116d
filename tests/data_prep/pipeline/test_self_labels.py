"""Self-labelled text: which words become gaps, with which labels and source words."""

from __future__ import annotations

from crosspro.data_prep.core.example import AnnotatedSentence, Gap, Token
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.pipeline.self_labels import SelfLabels, held_out, learnt_determiners
from tests.examples import example_of

INFLECTED = SelfLabels(load_task("en-fr-2015"))
LEMMATISED = SelfLabels(load_task("en-fr"))


def plain(text, document=None):
    """A line of an inflected text without a source."""
    return example_of((), tuple(text.split()), (), (), document, tagged=False)


def test_every_pronoun_of_an_inflected_text_is_a_gap_with_its_word():
    (example,) = INFLECTED.of_bitext([plain("Elles disent que c' est", "novel")])
    assert example == example_of(
        (), ("REPLACE_0", "disent", "que", "REPLACE_0", "est"), (),
        (Gap(0, 0, "elles", "Elles"), Gap(3, 0, "ce", "c'")), "novel", tagged=False,
    )  # fmt: skip


def test_the_label_is_that_of_the_word_where_lemmas_hide_it():
    words = ("Ils/il/PRO", "aiment/aimer/VER", "ce/ce/DET", "livre/livre/NOM")
    sentence = AnnotatedSentence(tuple(Token(*word.split("/")) for word in words))
    (example,) = LEMMATISED.of_tagged_text([sentence], [None])
    assert example.target == ("REPLACE_0", "aimer|VER", "ce|DET", "livre|NOM")
    assert example.gaps == (Gap(0, 0, "ils", "il"),)


BEFORE = ["ce jour est ici", "Ce petit jour", "ce jour-là", "ce sera beau", "tu sais ce que je lis"]


def test_ce_before_a_noun_or_an_adjective_is_no_pronoun_without_a_tag():
    """Though ce is before sera as often as le is before jour."""
    text = ["le jour", "un jour", "du jour", "le petit jour", "un petit pain", "le petit pain",
            "le pain", "un pain", "du pain", *["ce sera beau"] * 9]  # fmt: skip
    labels = learnt_determiners(INFLECTED, list(INFLECTED.of_bitext(map(plain, text))))
    found = labels.of_bitext(map(plain, BEFORE))
    assert [[gap.position for gap in line.gaps] for line in found] == [[], [], [], [0], [2]]
    assert learnt_determiners(LEMMATISED, []).lexicon is None


def test_bitext_keeps_its_gaps_and_gets_those_whose_lemma_tells_the_class():
    """Its own have no label, since fine-tuning is to learn from them."""
    line = example_of(
        ("it", "seems", "one", "knows", "he", "does"),
        ("REPLACE_0", "sembler|VER", "on|PRO", "savoir|VER", "il|PRO", "faire|VER"),
        ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4)),
        (Gap(0, 0, "cela", "ça"),),
    )
    (found,) = LEMMATISED.of_bitext([line])
    assert found.target == (
        "REPLACE_0", "sembler|VER", "REPLACE_2", "savoir|VER", "il|PRO", "faire|VER",
    )  # fmt: skip
    assert found.gaps == (Gap(0, 0, None, LEMMATISED.as_shown("ça")), Gap(2, 2, "on", "on"))


def test_a_pronoun_without_a_link_belongs_to_the_word_of_its_neighbour():
    line = example_of(
        ("of", "course"), ("il", "est", "sûr"), ((1, 1),), (), tagged=False,
    )  # fmt: skip
    (found,) = INFLECTED.of_bitext([line])
    assert found.gaps == (Gap(0, 1, "il", "il"),)
    (alone,) = INFLECTED.of_bitext([example_of(("a", "b"), ("x", "il"), (), (), tagged=False)])
    assert alone.gaps[0].source_index == 1


def test_a_share_of_neighbouring_lines_is_held_out():
    lines = [example_of((), (str(number),), (), ()) for number in range(1000)]
    train, dev = held_out(lines, 0.1)
    assert len(dev) == 100
    assert sorted(train + dev, key=lambda line: int(line.target[0])) == lines
    numbers = [int(line.target[0]) for line in dev]
    assert numbers == [*range(250, 300), *range(750, 800)]


def test_what_only_links_tell_to_be_a_pronoun_is_none_in_text():
    """le and la are articles nearly everywhere; their gaps are those of prepared lines."""
    labels = SelfLabels(load_task("en-fr-text"))
    (example,) = labels.of_bitext([plain("il la voit et lui parle")])
    assert [gap.label for gap in example.gaps] == ["il", "lui"]


def test_a_form_of_address_is_no_pronoun_of_the_third_person():
    labels = SelfLabels(load_task("en-de-text"))
    lines = ["kommen Sie mit ihnen", "Sie kommt .", "er sagt : Sie kommt", "wenn Ihnen das hilft"]
    found = labels.of_bitext(map(plain, lines))
    assert [[gap.word for gap in line.gaps] for line in found] == [
        ["ihnen"],
        ["Sie"],
        ["er", "Sie"],
        [],
    ]
