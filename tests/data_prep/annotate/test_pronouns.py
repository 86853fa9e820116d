"""Lemmas of pronouns."""

from __future__ import annotations

import pytest

from crosspro.data_prep.annotate.tags import pronoun_forms, pronoun_lemma, read_table
from crosspro.data_prep.core.task import OTHER, load_task, task_names


@pytest.mark.parametrize("name", task_names())
def test_pronouns_of_the_tasks_stay_in_their_class_but_for_the_number_in_french(name):
    task = load_task(name)
    singular = {"ils": "il", "elles": "elle"}
    if not task.tagged:
        pytest.skip("the target of this task is not lemmatised")
    for label, forms in task.forms.items():
        for form in forms if label != OTHER else ():
            for written in (form, form.capitalize(), form.upper()):
                lemma = pronoun_lemma(written, "PRON", task.target_language)
                assert lemma is not None, f"{form} is not in the table"
                assert task.class_of(lemma) == singular.get(label, label)


@pytest.mark.parametrize(
    ("language", "form", "tag", "lemma"),
    [
        ("fr", "ils", "PRON", "il"),
        ("fr", "elles", "PRON", "elle"),
        ("fr", "ces", "DET", "ce"),
        ("fr", "cette", "PRON", "ce"),
        ("fr", "Cela", "PRON", "cela"),
        ("fr", "C'", "PRON", "ce"),
        ("fr", "c’", "PRON", "ce"),
        ("fr", "les", "PRON", "le"),
        ("fr", "les", "DET", "le"),
        ("fr", "la", "NOM", None),
        ("fr", "en", "PRON", "en"),
        ("fr", "en", "PRO", "en"),
        ("fr", "en", "PRP", None),
        ("fr", "s'", "KON", "si"),
        ("fr", "entre", "PRP", "entre"),
        ("fr", "entre", "VER", None),
        ("fr", "des", "PRP", "du"),
        ("fr", "des", "DET", "un"),
        ("en", "I", "PRON", "I"),
        ("en", "they", "PRON", "they"),
        ("en", "them", "PRON", "them"),
        ("en", "these", "DET", "these"),
        ("en", "mine", "NOUN", None),
        ("de", "Sie", "PRON", "sie"),
        ("de", "ihnen", "PRON", "ihnen"),
        ("es", "la", "PRON", "lo"),
        ("es", "la", "DET", "el"),
        ("it", "la", "DET", None),
    ],
)
def test_lemmas(language, form, tag, lemma):
    assert pronoun_lemma(form, tag, language) == lemma


def test_the_table_says_nothing_twice():
    rows = [row[:3] for row in read_table("lemmas", 4)]
    assert len(rows) == len(set(rows))
    assert {row[0] for row in rows} == {"en", "fr", "de", "es"}
    assert "ils" in pronoun_forms("fr")
