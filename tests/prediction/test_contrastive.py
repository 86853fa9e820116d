"""Contrastive sets as examples of a task: where the gap is, and which words compete for it."""

from __future__ import annotations

from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.metrics.contrastive_sets import read_contrastive
from crosspro.prediction.contrastive import prepare_set
from tests.evaluation.metrics.contrastive_instances import french_instance, written_set


def prepared(tmp_path, content):
    test_set = read_contrastive(written_set(tmp_path, content))
    return prepare_set(test_set, load_task("en-fr-2015")).instances


def test_the_gap_is_found_among_several_equal_words(tmp_path):
    reference = "il croit qu'il dort quand il peut"
    error = "il croit qu'elle dort quand il peut"
    one = french_instance(
        reference, error, **{"ref pronoun": "il", "src segment": "he thinks it sleeps"}
    )
    found = prepared(tmp_path, [one])
    assert found[0].gap.position == 3  # il croit qu' [il]
    assert found[0].gap.source_index == 2
    assert found[0].gap.words == ("il", "elle")
    assert found[0].example.target == (
        "il",
        "croit",
        "qu'",
        "REPLACE_2",
        "dort",
        "quand",
        "il",
        "peut",
    )


def test_agreement_in_the_error_does_not_matter(tmp_path):
    one = french_instance("Elle est partie .", "Il est parti .")
    assert prepared(tmp_path, [one])[0].gap.words == ("elle", "il")


def test_context_becomes_lines_of_the_same_document(tmp_path):
    context = {"src context": ["A cat .", "Yes ."], "ref context": ["Un chat .", "Oui ."]}
    (found,) = prepared(tmp_path, [french_instance("Il dort .", "Elle dort .", **context)])
    lines = [*found.context, found.example]
    assert [len(line.gaps) for line in lines] == [0, 0, 1]
    assert len({line.document for line in lines}) == 1


def test_a_gap_that_is_not_there(tmp_path):
    gone = french_instance("Il dort .", "Elle dort .", **{"ref pronoun": "ce"})
    assert prepared(tmp_path, [gone])[0].gap is None
