"""What a run is held against on the demo corpus."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_corpus
from crosspro.data_prep.demo.language import PROFILES
from crosspro.scripts.train_comparison import demo_ceilings


def ceilings(name, **documents):
    return demo_ceilings(load_task(name), {"documents": documents, "seed": 1}, 0)


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_the_best_possible_is_of_the_scored_split_and_not_of_train(name):
    small, large = (ceilings(name, train=train, dev=5, test=20) for train in (2, 100))
    assert small == large
    assert small["dev"] != small["test"]


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_no_answer_by_the_evidence_is_better(name):
    classes = load_task(name).classes
    best = ceilings(name, train=1, dev=1, test=20)["test"]
    found = defaultdict(Counter)
    inside = []
    for sentence in demo_corpus(load_task(name), "test", 20, 1):
        for origin, gap in zip(sentence.origins, sentence.example.gaps, strict=True):
            if origin.back:
                found[origin.kind, origin.evidence][gap.label] += 1
            else:
                likely = max(classes, key=lambda label: origin.candidates.get(label, 0))
                inside.append(gap.label == likely)
    right = sum(inside) + sum(max(labels.values()) for labels in found.values())
    gaps = len(inside) + sum(sum(labels.values()) for labels in found.values())
    assert best.accuracy == pytest.approx(100 * right / gaps)
