"""What ctxpro and the script of the generative ContraPro find, where their packages are here."""

from __future__ import annotations

import sys

import pytest

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.evaluation.metrics.expected_forms.expected_sets import read_expected
from crosspro.evaluation.metrics.expected_forms.metric import judge
from crosspro.evaluation.metrics.expected_forms.outputs import PayloadRules, read_outputs
from crosspro.evaluation.released.contrastive.ctxpro import (
    ctxpro_finds,
    ctxpro_printout,
    last_sentence_cutter,
)
from crosspro.evaluation.released.contrastive.generative_contrapro import (
    ReleasedChoice,
    generative_printout,
    script_verdicts,
)
from tests.conftest import GOLDEN
from tests.evaluation.metrics.expected_forms.context_sets import tsv_row, written

CASES = GOLDEN / "ctxpro"


@pytest.mark.parametrize(
    ("sentence", "form", "found", "ours"),
    [
        ("Il l'a vu.", "la", True, False),
        ("Va-t-elle bien ?", "elle", False, True),
        ("Qu'elle vienne !", "elle", False, True),
        ("Où est-il ?", "il", False, True),
        ("Elle, dort.", "Elle", True, True),
    ],
)
def test_faults_of_ctxpro_are_its_own(tmp_path, sentence, form, found, ours):
    assert ctxpro_finds(sentence, form) == found
    path = written(tmp_path, "set.json", [{"rule": "r", "expected": form}])
    test_set, _ = read_expected(path, "fr")
    output = written(tmp_path, "out", sentence + "\n")
    (read,) = read_outputs([output], test_set, PayloadRules(), "fr")
    assert [one.right for one in judge(test_set, read, "fr")] == [ours]


def test_all_differences_on_the_released_case_are_hyphens():
    pytest.importorskip("sentence_splitter")
    different = []
    for language in ("fr", "de"):
        last = last_sentence_cutter(language)
        output = CASES / language / f"out.{language}"
        test_set, _ = read_expected(CASES / language / "set.json", language)
        (read,) = read_outputs([output], test_set, PayloadRules(sentences=True), language)
        right = [one.right for one in judge(test_set, read, language)]
        lines = output.read_text("utf-8").splitlines()
        for one, line, payload, ours in zip(
            test_set.instances, lines, read.payloads, right, strict=True
        ):
            assert last(line) == payload
            if ctxpro_finds(payload, one.reference_pronoun) != ours:
                different.append((one.reference_pronoun, ours, payload))
    assert different == [
        ("il", True, "lui dort, dit-il."),
        ("la", True, "Mais-la a-t-elle compris ?"),
        ("lui", True, "Et-lui est arrivé hier."),
        ("ils", True, "Et-ils l'a vu."),
        ("elle", True, "Et elles a-t-elle compris ?"),
    ]


def test_ctxpro_scores_as_far_as_both_files_go(tmp_path):
    pytest.importorskip("sentence_splitter")
    content = [{"rule": "r", "expected": form} for form in ("il", "elle", "il")]
    shown = ctxpro_printout(tmp_path, content, ["Il dort.", "Il. Elle."], "fr", "complete")
    assert shown == "r (il)\t2\t2\t100.0%\ntotal\t2\t2\t100.0\n"
    with pytest.raises(InputError, match="at least one with its line of output"):
        ctxpro_printout(tmp_path, content, [], "fr", "default")
    with pytest.raises(InputError) as caught:
        ctxpro_printout(tmp_path, [{"rule": 1}, 2], ["a", "b"], "fr", "default")
    assert len(caught.value.problems) == 4
    with pytest.raises(InputError, match="a language of sentence-splitter"):
        ctxpro_printout(tmp_path, content, ["a"], "xx", "default")


@pytest.mark.parametrize("package", ["sentence_splitter", "sacremoses"])
def test_missing_packages_are_named(tmp_path, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(CrossproError, match=r"make extras EXTRAS=contrastive"):
        if package == "sacremoses":
            path = written(tmp_path, "x.tsv", tsv_row())
            script_verdicts(path, "fr", ReleasedChoice())
        else:
            ctxpro_printout(tmp_path, [], [], "fr", "default")


def printed(tmp_path, rows, language="fr", layout="complete", **choice):
    path = written(tmp_path, "x.tsv", "".join(f"{row}\n" for row in rows))
    return generative_printout(script_verdicts(path, language, ReleasedChoice(**choice)), layout)


def test_the_generative_script_of_contrapro(tmp_path):
    pytest.importorskip("sacremoses")
    rows = [
        tsv_row(output="Il. <eos> Qu'elle dorme."),  # right
        tsv_row(output="Elle. <eos> Va-t-elle bien ?", distance=0),  # right: hyphens apart
        tsv_row(output="Elle. <eos> Il dort.", distance=5),  # wrong
        tsv_row(label="incorrect", output="Elle"),  # not counted
        tsv_row(payload=1, output="Elle."),  # wrong: no such part
        tsv_row(payload=0, output="Elle. <eos> Il."),  # right
        tsv_row(pronoun="Il", output="Il dort."),  # right
    ]
    assert printed(tmp_path, rows) == "4 6 66.7\n"
    assert printed(tmp_path, rows, layout="default") == "66.7\n"
    assert printed(tmp_path, rows, min_distance=1, max_distance=4) == "3 4 75.0\n"
    assert printed(tmp_path, rows, forms=["il"]) == "1 1 100.0\n"
    assert printed(tmp_path, rows, language="de") == "3 6 50.0\n"
    assert printed(tmp_path, rows[:3], separator="||") == "3 3 100.0\n"
    assert printed(tmp_path, rows[:3], share=1.0) == "1 3 33.3\n"
    with pytest.raises(InputError, match="at least one that is to be counted"):
        printed(tmp_path, rows, forms=["sie"])


def test_the_script_drops_empty_translations_or_counts_rows_twice(tmp_path):
    pytest.importorskip("sacremoses")
    assert printed(tmp_path, [tsv_row(), tsv_row(output="")]) == "2 2 100.0\n"
    assert printed(tmp_path, [tsv_row(payload=1), tsv_row(payload=1, output="")]) == "1 1 100.0\n"
    with pytest.raises(InputError, match=r"x.tsv:1: fields: expected 6 or 7, found 5"):
        printed(tmp_path, [tsv_row(output="")])
    with pytest.raises(InputError, match=r"x.tsv:1: distance: expected a whole number"):
        printed(tmp_path, [tsv_row(distance="x")])
