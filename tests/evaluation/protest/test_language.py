"""The word lists, and what they say about words."""

from __future__ import annotations

import pytest

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.protest.language import (
    Slot,
    shipped_languages,
    source_words,
    target_words,
)

THIRD = Slot("third", "subject")


def test_all_shipped_lists_can_be_read():
    assert shipped_languages() == ["de", "en", "es", "fr"]
    for language in shipped_languages():
        lists = target_words(language)
        assert lists.language == language
        assert lists.by_form
    assert source_words("en").form("They") == "they"
    assert source_words("en").form("them") is None


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
    ("one", "other", "same"),
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
def test_case_and_elision_make_no_difference(one, other, same, french):
    assert bool(french.pronoun_forms([one]) & french.pronoun_forms([other])) is same


def test_slots_tell_persons_and_roles(french):
    assert [french.pronoun_in(word, THIRD) for word in ("il", "vous", "xyz")] == ["il", None, None]
    assert french.pronoun_in("vous", Slot("second", "any")) == "vous"
    assert french.pronoun_in("il", Slot("third", "object")) is None


def test_unknown_languages_and_missing_sections(tmp_path):
    for read, language in (
        (target_words, "xx"),
        (source_words, "fr"),
        (target_words, str(tmp_path / "none.yaml")),
    ):
        with pytest.raises(InputError):
            read(language)


ESSO = "{forms: [esso], person: third, gender: masculine, number: singular, role: subject}"


@pytest.mark.parametrize(
    "content",
    [
        "language: [",
        "x: 1",
        "language: it\ntarget: {pronouns: [], dropped: []}",
        "language: it\ntarget: {pronouns: [{forms: [a]}], dropped: []}",
        f"target: {{pronouns: [{ESSO}], dropped: []}}",
        f"language: it\ntarget: {{pronouns: [{ESSO}, {ESSO}], dropped: []}}",
        f"language: it\ntarget: {{pronouns: [{ESSO}], dropped: [], more: 1}}",
        f"language: it\ntarget: {{pronouns: [{ESSO.replace('third', 'first')}], dropped: []}}",
        "language: it\ntarget: {pronouns: [{forms: [on], person: third, gender: neuter, "
        "number: either, role: any}], dropped: []}",  # YAML reads `on` as true
    ],
)
def test_bad_lists_are_refused(tmp_path, content):
    path = tmp_path / "it.yaml"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=r"it\.yaml"):
        target_words(str(path))


def test_own_lists(tmp_path, french):
    path = tmp_path / "it.yaml"
    lists = f'{{pronouns: [{ESSO}], dropped: [Il], elisions: {{"l\'": [lo, la]}}}}'
    path.write_text(f"language: it\ntarget: {lists}\n", "utf-8")
    words = target_words(str(path))
    assert words.pronouns_in("Esso") == ["esso"]
    assert words.head_forms(["il", "l'auto"]) == {"l'", "auto"}
    shipped = (CONF_DIR / "words" / "protest" / "fr.yaml").read_text("utf-8")
    path.write_text(shipped.replace("ceci", "ceça"), "utf-8")
    assert target_words(str(path)).signature != french.signature
