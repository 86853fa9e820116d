"""Several tasks as one: its classes, its languages, and how it is saved."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import joint_task, load_task, saved_task, task_to_save, tasks_of

FRENCH, GERMAN, ENGLISH = (load_task(name) for name in ("en-fr", "en-de", "de-en"))


def test_classes_are_those_of_all_tasks_with_one_other_at_the_end():
    joint = joint_task([FRENCH, GERMAN, ENGLISH])
    assert joint.name == "en-fr+en-de+de-en"
    assert joint.classes == (
        "ce", "elle", "elles", "il", "ils", "cela", "on", "er", "sie", "es", "man",
        "he", "she", "it", "they", "you", "this", "these", "there", "OTHER",
    )  # fmt: skip
    assert joint.forms["cela"] == FRENCH.forms["cela"]
    assert joint.forms["OTHER"] == ("NONE",)
    assert joint.class_of("that") == "this"
    assert joint.target == "lemmatised"
    with pytest.raises(FrozenInstanceError):
        joint.name = "other"


def test_languages_that_differ_are_several():
    joint = joint_task([FRENCH, GERMAN])
    assert (joint.source_language, joint.target_language) == ("en", "mul")
    joint = joint_task([load_task("fr-en"), ENGLISH])
    assert (joint.source_language, joint.target_language) == ("mul", "en")
    assert tasks_of(joint) == (load_task("fr-en"), ENGLISH)
    assert tasks_of(ENGLISH) == (ENGLISH,)


def test_one_task_stays_itself():
    assert joint_task([FRENCH]) is FRENCH


def test_a_form_belongs_to_the_class_of_its_name_or_to_the_first():
    forms = {"ça": ("ça", "ca"), "cela": ("cela",), "ils": ("ils", "ca"), "OTHER": ("NONE", "on")}
    joint = joint_task([FRENCH, replace(FRENCH, name="mine", forms=forms)])
    assert joint.forms["cela"] == ("cela", "ca", "ç'")
    assert joint.forms["ça"] == ("ça",)
    assert joint.forms["ils"] == ("ils",)
    assert joint.forms["OTHER"] == ("NONE",)
    assert all(joint.class_of(name) == name for name in joint.classes)


@pytest.mark.parametrize("task", [FRENCH, joint_task([FRENCH, GERMAN])])
def test_a_task_is_loaded_as_it_was_saved(task):
    assert saved_task(json.loads(json.dumps(task_to_save(task))), "file") == task


def test_what_cannot_be_joined_is_refused():
    with pytest.raises(InputError) as found:
        joint_task([GERMAN, load_task("en-fr-2015")])
    assert str(found.value) == (
        "settings: --task: target: expected lemmatised in all tasks, as in en-de, "
        "found inflected in en-fr-2015"
    )
    with pytest.raises(InputError, match="expected each task once, found en-de twice"):
        joint_task([GERMAN, FRENCH, GERMAN])
    with pytest.raises(InputError, match="x: tasks: expected at least one, found none"):
        saved_task({"joint": []}, "x")
    nested = {"joint": [task_to_save(joint_task([FRENCH, GERMAN])), task_to_save(ENGLISH)]}
    with pytest.raises(InputError, match="x: 1: joint: expected one of name"):
        saved_task(nested, "x")
    with pytest.raises(InputError, match="x: joint: expected one of name"):
        saved_task({"joint": {}}, "x")
