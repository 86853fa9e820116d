"""The word lists, and what they say about words."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.protest.language import source_words, target_words


def test_all_shipped_lists_can_be_read():
    for language in ("de", "en", "es", "fr"):
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
