"""The word lists, and what they say about words."""

from __future__ import annotations

import pytest

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
        assert lists.pronouns
    assert source_words("en").form("They") == "they"
    assert source_words("en").form("them") is None


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
    it, me = french.pronoun("il"), french.pronoun("vous")
    assert it and me
    assert THIRD.takes(it)
    assert not THIRD.takes(me)
    assert Slot("second", "any").takes(me)
    assert not Slot("third", "object").takes(it)
    assert french.pronoun("xyz") is None


def test_unknown_languages_and_missing_sections(tmp_path):
    with pytest.raises(InputError, match="xx"):
        target_words("xx")
    with pytest.raises(InputError):
        source_words("fr")
    with pytest.raises(InputError, match=r"none\.yaml"):
        target_words(str(tmp_path / "none.yaml"))


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ("language: [", ""),
        ("x: 1", "language"),
        ("language: it\ntarget: {pronouns: []}", "pronouns"),
        ("language: it\ntarget: {pronouns: [{forms: [a]}]}", "person"),
        (
            "language: it\ntarget: {pronouns: [{forms: [on], person: third, gender: neuter, "
            "number: either, role: any}], dropped: [], elisions: {}}",
            "forms",
        ),
        (
            "language: it\ntarget: {pronouns: [{forms: [x], person: first, gender: neuter, "
            "number: either, role: any}], dropped: [], elisions: {}, more: 1}",
            "person",
        ),
    ],
)
def test_bad_lists_are_refused(tmp_path, content, field):
    path = tmp_path / "it.yaml"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=rf"it\.yaml.*{field}"):
        target_words(str(path))


def test_own_lists(tmp_path):
    path = tmp_path / "it.yaml"
    path.write_text(
        "language: it\ntarget: {pronouns: [{forms: [esso], person: third, gender: masculine, "
        'number: singular, role: subject}], dropped: [il], elisions: {"l\'": [lo, la]}}',
        "utf-8",
    )
    lists = target_words(str(path))
    assert lists.pronouns_in("Esso") == ["esso"]
    assert lists.head_forms(["il", "l'auto"]) == {"l'", "auto"}


def test_problems_of_lists_are_told_together(tmp_path):
    path = tmp_path / "it.yaml"
    path.write_text(
        "language: it\ntarget:\n  pronouns:\n"
        "  - {forms: [esso], person: third, gender: masculine, number: singular, role: any}\n"
        "  - {forms: [essa], person: fourth, gender: feminine, number: singular, role: any}\n"
        "  elisions:\n    l': 3\n  dropped: [il]\n  other: 1\n",
        "utf-8",
    )
    with pytest.raises(InputError) as caught:
        target_words(str(path))
    assert [problem.field for problem in caught.value.problems] == [
        "target.pronouns.1.person",
        "target.elisions.l'",
        "target.other",
    ]


ESSO = "{forms: [esso], person: third, gender: masculine, number: singular, role: any}"


def test_a_file_that_has_changed_is_read_again(tmp_path):
    path = tmp_path / "it.yaml"
    for word in ("il", "lo"):
        lists = f"{{pronouns: [{ESSO}], elisions: {{}}, dropped: [{word}]}}"
        path.write_text(f"language: it\ntarget: {lists}\n", "utf-8")
        assert target_words(str(path)).dropped == {word}


def test_lists_that_inherit(tmp_path, french):
    path = tmp_path / "frc.yaml"
    path.write_text(
        'inherits: fr\nlanguage: frc\ntarget:\n  elisions: {"qu\'": [qui]}\nadd:\n  target:\n'
        "    dropped: [icitte]\n    pronouns:\n"
        "    - {forms: [vous-autres], person: second, gender: common, number: plural, role: any}\n",
        "utf-8",
    )
    lists = target_words(str(path))
    assert lists.language == "frc"
    assert lists.dropped == french.dropped | {"icitte"}
    assert list(lists.pronouns) == [*french.pronouns, "vous-autres"]
    assert lists.elisions == {**french.elisions, "qu'": ("qui",)}
    assert lists.signature != french.signature


@pytest.mark.parametrize("person", ["fourth", "third"])
def test_problems_of_lists_that_inherit_name_the_heir(tmp_path, person):
    own, parent = tmp_path / "own.yaml", tmp_path / "parent.yaml"
    parent.write_text(
        f"language: it\ntarget:\n  pronouns:\n  - {ESSO}\n"
        f"  - {{forms: [essa], person: {person}, gender: feminine, number: singular, role: any}}\n"
        "  elisions: {}\n  dropped: [il]\n",
        "utf-8",
    )
    own.write_text(
        "inherits: parent.yaml\nadd:\n  target:\n    pronouns:\n"
        "    - {forms: [esso], person: third, gender: common, number: either, role: any}\n",
        "utf-8",
    )
    with pytest.raises(InputError) as caught:
        target_words(str(own))
    (found,) = caught.value.problems
    field = "1.person" if person == "fourth" else "2.forms"
    assert (found.path, found.field) == (str(own), f"target.pronouns.{field}")
