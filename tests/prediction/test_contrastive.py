"""Contrastive sets as examples of a task: where the gap is, and which words compete for it."""

from __future__ import annotations

from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.metrics.contrastive.formats import read_contrastive
from crosspro.prediction.contrastive import ContrastiveTexts, prepare_set
from tests.evaluation.metrics.contrastive.instances import french_instance, written_set


def prepared(tmp_path, content, **files):
    paths = {}
    for name, text in files.items():
        paths[name] = tmp_path / name
        paths[name].write_text(text)
    test_set = read_contrastive(written_set(tmp_path, content))
    return prepare_set(test_set, load_task("en-fr-2015"), ContrastiveTexts(**paths))


def test_the_gap_is_found_among_several_equal_words(tmp_path):
    reference = "il croit qu'il dort quand il peut"
    error = "il croit qu'elle dort quand il peut"
    one = french_instance(
        reference, error, **{"ref pronoun": "il", "src segment": "he thinks it sleeps"}
    )
    found = prepared(tmp_path, [one])
    assert found.gaps[0].position == 3  # il croit qu' [il]
    assert found.gaps[0].source_index == 2
    assert found.gaps[0].words == ("il", "elle")
    assert found.examples[0].target == (
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
    assert prepared(tmp_path, [one]).gaps[0].words == ("elle", "il")


def test_tokenised_text_of_the_user(tmp_path):
    one = french_instance(
        "Si elle dort, elle rêve.", "S'il dort, elle rêve.", **{"ref pronoun": "elle"}
    )
    found = prepared(
        tmp_path, [one], source="When it does ,\n", target="Si elle dort , elle rêve .\n"
    )
    assert found.gaps[0].position == 1
    assert found.gaps[0].source_index == 1


def test_context_becomes_lines_of_the_same_document(tmp_path):
    context = {"src context": ["A cat .", "Yes ."], "ref context": ["Un chat .", "Oui ."]}
    found = prepared(tmp_path, [french_instance("Il dort .", "Elle dort .", **context)])
    assert [len(one.gaps) for one in found.examples] == [0, 0, 1]
    assert len({one.document for one in found.examples}) == 1


def test_a_gap_that_is_not_there(tmp_path):
    gone = french_instance("Il dort .", "Elle dort .", **{"ref pronoun": "ce"})
    assert prepared(tmp_path, [gone]).gaps == [None]


def test_sets_without_text_take_it_from_files(tmp_path):
    bare = {"src pronoun": "it", "ref pronoun": "elle", "errors": [{"replacement": "il"}]}
    found = prepared(tmp_path, [bare], source="It does .\n", target="Elle dort .\n")
    assert found.gaps[0].words == ("elle", "il")
