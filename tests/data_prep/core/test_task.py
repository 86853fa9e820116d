"""Task files: the shared tasks as the papers define them, and strict reading."""

from __future__ import annotations

import pytest
import yaml

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.settings import to_mapping
from crosspro.data_prep.core.task import load_task, task_from_mapping, task_names

CLASSES = {  # 003 §2, 004 Table 1, in the order of the released scorers
    "en-fr": "ce elle elles il ils cela on OTHER",
    "en-fr-2015": "ce cela elle elles il ils on ça OTHER",
    "fr-en": "he she it they this these there OTHER",
    "en-de": "er sie es man OTHER",
    "de-en": "he she it they you this these there OTHER",
    "es-en": "he she it they you there OTHER",
}
FOR_USE = {  # ours, for text as people have it
    "en-fr-text": "il elle ils elles ce cela on le la l' les lui leur eux y en OTHER",
    "en-de-text": "er sie es das ihn ihm ihr ihnen man sein ihre OTHER",
    "en-es-text": "él ella ellos ellas lo la los las le les eso OTHER",
    "fr-en-text": "he she it they him her them his its their you we this these there OTHER",
    "de-en-text": "he she it they him her them his its their you your we this these there OTHER",
    "es-en-text": "he she it they him her them his its their you your we this these there OTHER",
}


@pytest.mark.parametrize(("name", "classes"), (CLASSES | FOR_USE).items())
def test_classes_are_in_official_order(name, classes):
    assert " ".join(load_task(name).classes) == classes


def test_all_tasks_are_there():
    assert set(task_names()) == {*CLASSES, *FOR_USE}


@pytest.mark.parametrize(
    ("name", "word", "expected"),
    [
        ("en-fr", "c'", "ce"),
        ("en-fr", "ça", "cela"),
        ("en-fr", "ca", "cela"),
        ("en-fr", "ç'", "cela"),
        ("en-fr", "le", "OTHER"),
        ("en-fr-2015", "ça", "ça"),
        ("fr-en", "that", "this"),
        ("fr-en", "those", "these"),
        ("es-en", "this", "OTHER"),
        ("en-de", "NONE", "OTHER"),
    ],
)
def test_words_fall_into_classes(name, word, expected):
    assert load_task(name).class_of(word) == expected


def test_coarse_grouping_of_2015(en_fr_2015):
    assert en_fr_2015.coarse == {"on": "OTHER", "ça": "cela"}
    assert en_fr_2015.coarse_classes == ("ce", "cela", "elle", "elles", "il", "ils", "OTHER")


def test_symmetrisation_and_subject_filter_follow_the_papers():
    assert load_task("de-en").symmetrisation == "intersection"
    assert load_task("en-fr").symmetrisation == "grow-diag-final-and"
    assert load_task("en-fr").subject_filter.pronouns == ("it",)
    assert load_task("de-en").subject_filter.expletive_labels[0] == "EP"
    assert load_task("es-en").null_subjects


@pytest.mark.parametrize("name", CLASSES)
def test_mapping_round_trip(name):
    task = load_task(name)
    assert task_from_mapping(to_mapping(task), "again") == task


def content(name="en-fr"):
    return yaml.safe_load((CONF_DIR / "task" / f"{name}.yaml").read_text(encoding="utf-8"))


def change(**changes):
    mapping = content()
    mapping.update(changes)
    return mapping


@pytest.mark.parametrize(
    ("mapping", "key"),
    [
        (change(colour="red"), "colour"),
        ({k: v for k, v in content().items() if k != "source_pronouns"}, "source_pronouns"),
        (change(classes={"il": [], "OTHER": ["NONE"]}), "classes.il"),
        (change(classes={"il": ["il"], "on": ["il"], "OTHER": ["NONE"]}), "classes.on"),
        (change(classes={"il": ["il"]}), "classes"),
        (change(classes={"il": [["il"]], "OTHER": ["NONE"]}), "classes.il.0"),
        (change(target="stemmed"), "target"),
        (change(fillers=["maison"]), "fillers"),
        (change(other_fillers=["il"]), "other_fillers"),
        (change(coarse={"on": "XX"}), "coarse.on"),
        (change(source_pronouns=[]), "source_pronouns"),
        (change(years=["x"]), "years.0"),
        (change(tagset="none"), "tagset"),
        ([1, 2], "file"),
    ],
)
def test_faults_name_the_file_and_the_key(mapping, key):
    with pytest.raises(InputError) as caught:
        task_from_mapping(mapping, "my.yaml")
    assert f"my.yaml: {key}:" in str(caught.value)


def test_a_task_of_few_keys_is_one():
    task = task_from_mapping(
        {"name": "en-it", "source_language": "en", "target_language": "it", "target": "inflected",
         "tagset": "none", "source_pronouns": ["it"],
         "classes": {"lo": ["lo", "l'"], "la": ["la"], "OTHER": ["NONE"]}},
        "my.yaml",
    )  # fmt: skip
    assert task.fillers == ("lo", "l'", "la")
    assert (task.years, task.coarse, task.null_subjects, task.other_fillers) == ((), {}, False, ())
    assert task.subject_filter.pronouns == ()
    assert task_from_mapping(to_mapping(task), "again") == task


@pytest.mark.parametrize("name", CLASSES)
def test_tasks_that_come_with_the_package_have_no_fault(name):
    assert task_from_mapping(content(name), name) == load_task(name)


def test_all_faults_are_reported_together():
    with pytest.raises(InputError) as caught:
        task_from_mapping(change(colour="red", target="stemmed", fillers=3), "my.yaml")
    assert caught.value.total == 3


def test_an_unknown_name_lists_the_tasks():
    with pytest.raises(InputError, match="de-en, de-en-text, en-de"):
        load_task("en-xx")
