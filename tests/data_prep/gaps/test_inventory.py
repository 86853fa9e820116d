"""Classes proposed for a new language pair, and the draft of its task file."""

from __future__ import annotations

from collections import Counter

import pytest
import yaml

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.core.task import task_from_mapping
from crosspro.data_prep.gaps.inventory import (
    check_languages,
    count_translations,
    propose,
    task_draft,
)
from crosspro.data_prep.gaps.segments import LinkedSegment


def sentence(pronoun, translation, tag="PRON", links=((0, 0),)):
    tokens = Token(translation, translation, tag), Token("y", "y", "VERB")
    annotation = AnnotatedSentence(tokens)
    return LinkedSegment((pronoun, "x"), (translation, "y"), links, None, annotation)


def test_classes_are_proposed_from_aligned_counts():
    sentences = (
        [sentence("it", "il")] * 50 + [sentence("it", "elle")] * 30 + [sentence("it", "ce")] * 15
        + [sentence("it", "c'")] * 20 + [sentence("it", "truc")] * 1
        + [sentence("it", "maison", "NOUN")] * 10 + [sentence("it", "il", links=())] * 5
        + [sentence("he", "il")] * 99 + [sentence("he", "lui")] * 1
    )  # fmt: skip
    counts, fillers = count_translations(sentences, ["it", "he", "they"])
    it, he, they = counts
    assert (it.total, it.other, they.total) == (131, 15, 0)
    assert he.top_share == pytest.approx(0.99)
    proposal = propose(counts, fillers)
    assert proposal.source_pronouns == ("it",)
    assert proposal.dropped == ("he",)
    assert proposal.classes == {
        "il": ("il",), "elle": ("elle",), "c'": ("c'",), "ce": ("ce",), "OTHER": ("NONE",)
    }  # fmt: skip
    assert proposal.other_fillers == ("maison",)
    assert fillers == Counter({"maison": 10})
    assert proposal.class_numbers() == {"il": 50, "elle": 30, "c'": 20, "ce": 15, "OTHER": 16}
    task = task_from_mapping(yaml.safe_load(task_draft(proposal, "en", "fr", 231)), "draft")
    assert (task.name, task.forms) == ("en-fr", proposal.classes)


def test_languages_have_names_that_a_task_file_can_say():
    check_languages("en", "pt-BR")
    with pytest.raises(InputError) as caught:
        check_languages("\x85", "x" * 400)
    assert [problem.field for problem in caught.value.problems] == [
        "source language", "target language",
    ]  # fmt: skip
