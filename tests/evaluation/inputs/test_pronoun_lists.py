"""Pronoun lists: those that are shipped, and what can be wrong with your own."""

from __future__ import annotations

from collections import Counter

import pytest
import yaml

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.inputs.pronoun_lists import (
    lists_names,
    lists_to_mapping,
    load_lists,
)


def written(folder, mapping):
    """Lists as their file is read."""
    path = folder / "my.yaml"
    path.write_text(yaml.safe_dump(mapping, sort_keys=False), "utf-8")
    return load_lists(path)


@pytest.mark.parametrize("name", lists_names())
def test_shipped_lists_are_well_formed(tmp_path, name):
    lists = load_lists(name)
    assert lists.name == name
    assert name.startswith(f"{lists.source_language}-{lists.target_language}")
    assert written(tmp_path, lists_to_mapping(lists)) == lists


def test_pairs_that_are_shipped():
    assert {"en-fr", "en-de", "en-es", "fr-en", "de-en", "es-en"} <= set(lists_names())


def test_french_lists_are_those_of_the_paper():
    """000 Table 2."""
    lists = load_lists("en-fr")
    assert lists.label("c'") == "ce"
    assert lists.label("cela") == lists.label("ç'") == "ça"
    assert lists.probabilities == {frozenset(("ce", "il")): 0.6, frozenset(("ce", "ça")): 0.6}


def test_words_are_in_lower_case_and_groups_have_a_first_member(tmp_path):
    mapping = {
        "source_pronouns": ["It"],
        "target_pronouns": ["Il", "L"],
        "identical": [["L", "Il"]],
        "equivalent": [["il", "l"]],
    }
    lists = written(tmp_path, mapping)
    assert lists.source_pronouns == ("it",)
    assert lists.labels == {"il": "l", "l": "l"}
    assert lists.probabilities == {}
    assert lists.name == "my"


def test_every_problem_is_reported(tmp_path):
    mapping = {
        "source_pronouns": [],
        "target_pronouns": ["il", "il", True, "a b"],
        "translations": {"he": ["il"]},
        "identical": [["il"], ["il", "elle"]],
        "equivalent": [{"pronouns": ["il", "on"], "probability": 2, "p": 1}],
        "ambiguous": ["le"],
        "colour": "red",
    }
    with pytest.raises(InputError) as caught:
        written(tmp_path, mapping)
    fields = {problem.field for problem in caught.value.problems}
    assert fields >= {
        *("colour", "source_pronouns", "target_pronouns", "translations", "identical"),
        *("equivalent", "ambiguous"),
    }


def test_a_file_of_your_own(tmp_path):
    path = tmp_path / "my.yaml"
    path.write_text("source_pronouns: [it]\ntarget_pronouns: [es]\n", "utf-8")
    assert load_lists(path).target_pronouns == ("es",)
    path.write_text("source_pronouns: [it\n", "utf-8")
    with pytest.raises(InputError, match=r"my\.yaml:2"):
        load_lists(path)
    with pytest.raises(InputError, match="xx-yy"):
        load_lists("xx-yy")
    with pytest.raises(InputError, match=r"none\.yaml"):
        load_lists(tmp_path / "none.yaml")
    path.write_text("- it\n", "utf-8")
    with pytest.raises(InputError, match=r"my\.yaml"):
        load_lists(path)


def test_signatures_change_with_the_content(tmp_path):
    lists = load_lists("en-fr")
    mapping = lists_to_mapping(lists)
    assert written(tmp_path, mapping).digest == lists.digest
    mapping["equivalent"] = []
    assert written(tmp_path, mapping).digest != lists.digest


def test_problems_are_told_together(tmp_path):
    path = tmp_path / "my.yaml"
    path.write_text(
        "source_pronouns: [it]\n"
        "target_pronouns:\n  - il\n  - il\n  - a b\n"
        "translations:\n  it: [il]\n  he:\n    - il\n"
        "identical:\n  - [il]\n  - [il,\n     elle]\n"
        "equivalent:\n  - pronouns: [il, zz]\n    probability: 2\n    p: 1\n"
        "colour: red\n",
        "utf-8",
    )
    with pytest.raises(InputError) as caught:
        load_lists(path)
    fields = Counter(problem.field for problem in caught.value.problems)
    assert fields == {
        "target_pronouns": 2, "translations": 1, "identical": 3, "equivalent": 3, "colour": 1,
    }  # fmt: skip
    path.write_text("source_pronouns: [it]\ntarget_pronouns: [c\u0327a]\n", "utf-8")
    assert load_lists(path).target_pronouns == ("\u00e7a",)


def test_a_key_that_stands_twice_is_refused(tmp_path):
    path = tmp_path / "my.yaml"
    path.write_text("name: a\nname: b\n", "utf-8")
    with pytest.raises(InputError, match=r"my\.yaml:2: .*'name'"):
        load_lists(path)


def test_the_undivided_french_lists_differ_in_the_separator_alone():
    divided, undivided = (lists_to_mapping(load_lists(n)) for n in ("en-fr", "en-fr-undivided"))
    different = {key for key in divided if divided[key] != undivided[key]}
    assert different == {"name", "target_separator"}


@pytest.mark.parametrize("value", ["", "il", 0, False, {"il": 1}])
@pytest.mark.parametrize("key", ["other_source_pronouns", "ambiguous", "identical", "equivalent"])
def test_what_is_no_list_is_refused(tmp_path, key, value):
    lists = {"source_pronouns": ["it"], "target_pronouns": ["il"]}
    assert written(tmp_path, {**lists, key: None}).name == "my"
    with pytest.raises(InputError, match=f"{key}: "):
        written(tmp_path, {**lists, key: value})


def test_lists_that_inherit(tmp_path):
    """A file that adds a pronoun to the French lists; all else is theirs."""
    path = tmp_path / "my-fr.yaml"
    path.write_text(
        "inherits: en-fr\nadd:\n  target_pronouns: [iel, iels]\n"
        "  translations: {it: [iel], they: [iels]}\n  identical: [[iel, iels]]\n",
        "utf-8",
    )
    french, mine = lists_to_mapping(load_lists("en-fr")), lists_to_mapping(load_lists(path))
    assert mine["name"] == "my-fr"
    assert mine["target_pronouns"] == [*french["target_pronouns"], "iel", "iels"]
    assert mine["translations"]["they"] == [*french["translations"]["they"], "iels"]
    assert mine["identical"] == [*french["identical"], ["iel", "iels"]]
    changed = {"name", "target_pronouns", "translations", "identical"}
    assert {key for key in french if french[key] != mine[key]} == changed


def test_problems_of_lists_that_inherit_name_the_heir(tmp_path):
    own, parent = tmp_path / "own.yaml", tmp_path / "parent.yaml"
    parent.write_text(
        "source_pronouns: [it]\ntarget_pronouns:\n  - il\n  - a b\nidentical: [[il, elle]]\n",
        "utf-8",
    )
    own.write_text(
        "inherits: parent.yaml\nadd:\n  target_pronouns:\n  - IL\n  - ce\ncolour: red\n", "utf-8"
    )
    with pytest.raises(InputError) as caught:
        load_lists(own)
    problems = caught.value.problems
    assert {problem.path for problem in problems} == {str(own)}
    fields = sorted(problem.field for problem in problems)
    assert fields == ["colour", "identical", "target_pronouns", "target_pronouns"]


def test_what_is_inherited_and_does_not_fit_is_to_be_replaced(tmp_path):
    path = tmp_path / "my.yaml"
    path.write_text("inherits: en-fr\ntarget_pronouns: [il]\nidentical: [[il, elle]]\n", "utf-8")
    with pytest.raises(InputError) as caught:
        load_lists(path)
    assert {"identical", "equivalent"} <= {problem.field for problem in caught.value.problems}


def test_an_unknown_parent_and_a_circle(tmp_path):
    path = tmp_path / "my.yaml"
    path.write_text("inherits: en-fx\n", "utf-8")
    with pytest.raises(InputError, match=r"my\.yaml: inherits: .*'en-fx'"):
        load_lists(path)
    path.write_text("inherits: my.yaml\n", "utf-8")
    with pytest.raises(InputError, match=r"my\.yaml.*my\.yaml"):
        load_lists(path)
    path.write_text("inherits: en-fr\nadd: {target_pronouns: [il]}\n", "utf-8")
    with pytest.raises(InputError, match="'il'"):
        load_lists(path)
