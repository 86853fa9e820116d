"""The choice of test documents."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.pipeline.sets.selection import (
    CandidateDocument,
    candidates,
    select_shared,
)


def select_documents(documents, task, *limits, **settings):
    return select_shared([documents], [task], *limits, **settings)[0]


def test_rare_classes_decide_which_documents_are_chosen(en_fr):
    plain = [CandidateDocument(f"plain{i}", 50, 1000, {"ils": 10, "ce": 10}) for i in range(5)]
    rare = CandidateDocument("rare", 50, 1000, {"elles": 4, "elle": 4, "ce": 2})
    chosen = select_documents([*plain, rare], en_fr, 3, 10_000)
    assert chosen[0] is rare
    assert len(chosen) == 3


def test_a_selection_keeps_to_its_limits(examples, en_fr):
    documents = candidates(examples, en_fr, excluded={"train-00003"})
    assert "train-00003" not in {c.document for c in documents}
    chosen = select_documents(documents, en_fr, 8, 300, min_segments=5)
    assert sum(c.words for c in chosen) <= 300
    assert all(c.segments >= 5 for c in chosen)
    with pytest.raises(CrossproError):
        select_documents(documents, en_fr, 8, 300, min_segments=10_000)


def test_two_tasks_get_the_same_documents(en_fr, en_de):
    def pair(name, french, german, segments=50):
        return (
            CandidateDocument(name, segments, 1000, french),
            CandidateDocument(name, segments + 5, 1010, german),
        )

    common = {"ils": 10, "ce": 10}, {"sie": 10, "es": 10}
    documents = [pair(f"plain{i}", *common) for i in range(30)]
    documents += [
        pair("french", {"elle": 9, "elles": 9, "ce": 3}, common[1]),
        pair("german", common[0], {"er": 9, "man": 9, "es": 3}),
        pair("both", {"elle": 9, "elles": 9, "ce": 3}, {"er": 9, "man": 9, "es": 3}),
        pair("short", {"elle": 12, "elles": 12}, {"er": 12, "man": 12}, segments=10),
    ]
    left, right = (list(side) for side in zip(*documents, strict=True))
    alone = CandidateDocument("alone", 50, 1000, {"elle": 12, "elles": 12})
    french, german = select_shared([[alone, *left], right], [en_fr, en_de], 3, 10_000)
    assert [document.document for document in french] == [document.document for document in german]
    assert french[0].document == "both"
    assert {document.document for document in french} == {"both", "french", "german"}
    assert sum(document.words for document in french) == 3000
    assert sum(document.words for document in german) == 3030
    only_french = select_documents(left, en_fr, 2, 10_000)
    assert "german" not in {document.document for document in only_french}
    limited = select_shared([left, right], [en_fr, en_de], 3, 2025)
    assert len(limited[0]) == 2


def test_documents_that_no_two_tasks_share(en_fr, en_de):
    sets = [CandidateDocument("a", 50, 10, {})], [CandidateDocument("b", 50, 10, {})]
    with pytest.raises(CrossproError):
        select_shared(sets, [en_fr, en_de], 3, 100)
