"""The choice of test documents."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.pipeline.sets.selection import (
    CandidateDocument,
    candidates,
    select_documents,
)


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
