"""Equivalents estimated from judged examples."""

from __future__ import annotations

import numpy as np
import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.inputs.linked_text import Text, Translation, links_from_pairs
from crosspro.evaluation.inputs.pronoun_lists import Equivalent, load_lists
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.metrics.apt.equivalents import (
    SHEET_COLUMNS,
    Judged,
    draw_sheet,
    estimate,
    read_judged,
    with_equivalents,
)
from tests.evaluation.metrics.apt.texts import mt_input

LISTS = load_lists("en-fr")


def sample(*groups):
    return [
        Judged(candidate, reference, number < right)
        for candidate, reference, right, total in groups
        for number in range(total)
    ]


def test_the_procedure_of_the_paper():
    """000 §2.5: at least 5% of the sample, right in more than half."""
    judged = sample(
        ("il", "il", 80, 80),
        ("ce", "il", 6, 10),  # kept
        ("ça", "ce", 3, 6),  # half is not more than half
        ("elle", "il", 4, 4),  # 4% of the sample
    )
    found = {(one.candidate, one.reference): one for one in estimate(judged)}
    assert found["ce", "il"].why == "equivalent"
    assert found["ce", "il"].probability == 0.6
    assert found["ça", "ce"].why == "not probable"
    assert found["elle", "il"].why == "too rare"
    assert ("il", "il") not in found
    lists = with_equivalents(LISTS, list(found.values()))
    assert lists.equivalent == (Equivalent(("ce", "il"), 0.6),)


def test_exactly_five_per_cent_is_enough():
    judged = sample(("il", "il", 95, 95), ("ce", "il", 5, 5))
    assert estimate(judged)[0].kept


def test_directions_apart_or_pooled():
    judged = sample(("il", "il", 90, 90), ("ce", "il", 4, 4), ("il", "ce", 2, 6))
    assert [one.why for one in estimate(judged)] == ["not probable", "too rare"]
    (pooled,) = estimate(judged, pooled=True)
    assert (pooled.examples, pooled.right, pooled.kept) == (10, 6, True)
    assert pooled.low < 0.6 < pooled.high


def test_missing_and_other_words_count_in_the_sample_only():
    judged = sample(("OTHER", "il", 0, 10), ("NONE", "il", 0, 10), ("ce", "il", 1, 1))
    (one,) = estimate(judged)
    assert one.share == pytest.approx(1 / 21)


def test_reading(tmp_path):
    path = tmp_path / "judged.tsv"
    path.write_text(
        "n\treference\tcandidate\tcorrect\n1\tc'\tIl\t1\n2\tcela\tça\t\n3\t-\tOTHER\tno\n", "utf-8"
    )
    assert read_judged(path, LISTS) == [
        Judged("il", "ce", True),
        Judged("ça", "ça", None),
        Judged("OTHER", "NONE", False),
    ]


def test_every_problem_of_a_sheet(tmp_path):
    path = tmp_path / "judged.tsv"
    path.write_text(
        "reference\tcandidate\tcorrect\nil\n\nil\txx\t1\nil\tce\t\nil\tce\tperhaps\n", "utf-8"
    )
    with pytest.raises(InputError) as caught:
        read_judged(path, LISTS)
    assert [(p.line, p.field) for p in caught.value.problems] == [
        (2, "columns"),
        (4, "candidate"),
        (5, "correct"),
        (6, "correct"),
    ]
    path.write_text("a\tb\n", "utf-8")
    with pytest.raises(InputError, match="columns reference, candidate, correct"):
        read_judged(path, LISTS)


def test_a_sheet_to_be_judged_can_be_read_back(tmp_path):
    lines = [b"it rains"] * 20
    text = Text("en", lines, np.full(20, 2))
    links = links_from_pairs("links", [[(0, 0)]] * 20)
    reference = Translation("ref", Text("fr", [b"il pleut"] * 20, np.full(20, 2)), links)
    candidate = Translation("mt", Text("fr", [b"ce pleut"] * 20, np.full(20, 2)), links)
    evaluation = evaluate(make_metric("apt"), mt_input(text, reference, [candidate]))
    sheet = draw_sheet(evaluation, 5, 1)
    assert sheet == draw_sheet(evaluation, 5, 1)
    rows = sheet.splitlines()
    assert rows[0].split("\t") == list(SHEET_COLUMNS)
    assert len(rows) == 6
    assert rows[1].endswith("\tit\til\tce\t\t[it] rains\t[il] pleut\t[ce] pleut")
    path = tmp_path / "sheet.tsv"
    path.write_text(sheet.replace("\til\tce\t\t", "\til\tce\t1\t"), "utf-8")
    assert estimate(read_judged(path, LISTS))[0].kept
    assert len(draw_sheet(evaluation, 100, 1).splitlines()) == 21
