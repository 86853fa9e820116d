"""The word lists, and what they say about words."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.protest.language import Slot, source_words, target_words


def test_all_shipped_lists_can_be_read():
    for language in ("de", "en", "es", "fr"):
        lists = target_words(language)
        assert lists.language == language
        assert lists.pronouns
        assert lists.dropped
    assert source_words().form("They") == "they"
    assert source_words().form("them") is None
    with pytest.raises(InputError, match="language"):
        target_words("xx")


@pytest.mark.parametrize("word", ["company", "Companies", "families", "team", "teams", "churches"])
def test_group_nouns(word, english):
    assert english.is_group_noun(word)
    assert not english.is_group_noun("bicycle")


@pytest.mark.parametrize(
    ("word", "pronouns"),
    [
        ("Il", ["il"]),
        ("Qu’il", ["il"]),
        ("dit-il", ["il"]),
        ("est-ce", ["ce"]),
        ("C'", ["c'"]),
        ("celui-ci", ["celui-ci"]),
        ("peut-être", []),
        ("en-dessous", []),
        ("table", []),
    ],
)
def test_pronouns_in_words(word, pronouns, french):
    assert french.pronouns_in(word) == pronouns


@pytest.mark.parametrize(
    ("word", "other", "same"),
    [
        ("c'", "Ce", True),
        ("C’", "ce", True),
        ("l'", "La", True),
        ("l'", "le", True),
        ("ç'", "ça", True),
        ("ca", "Ça", True),
        ("a-t-elle", "elle", True),
        ("cela", "ça", False),
        ("elle", "elles", False),
        ("le", "la", False),
    ],
)
def test_case_and_elision_make_no_difference(word, other, same, french):
    assert bool(french.pronoun_forms([word]) & french.pronoun_forms([other])) is same


@pytest.mark.parametrize(
    ("form", "slots"),
    [
        ("il", ["3 subject"]), ("lui", ["3 object"]), ("eux", ["3 subject", "3 object"]),
        ("y", ["3 object"]), ("on", ["3 subject", "2 any"]), ("vous", ["2 any"]), ("son", []),
        ("c'", ["3 subject", "3 object"]), ("se", []),
    ],
)  # fmt: skip
def test_the_slots_of_a_pronoun(form, slots, french):
    every = [Slot("3", "subject"), Slot("3", "object"), Slot("2", "any")]
    filled = [slot for slot in every if french.pronoun_in(form, slot)]
    assert [f"{slot.person} {slot.role}" for slot in filled] == slots
