"""Statistics, overlap, choice of test documents and proposal of classes."""

from __future__ import annotations

from collections import Counter

import pytest

from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.errors import CrossproError
from crosspro.data_prep.example import Example
from crosspro.data_prep.gaps.inventory import AlignedSentence, count_translations, propose
from crosspro.data_prep.sets.overlap import TextIndex, overlap
from crosspro.data_prep.sets.select_test import Candidate, candidates, select_documents
from crosspro.data_prep.sets.statistics import data_statistics


@pytest.fixture(scope="module")
def examples(en_fr):
    return demo_examples(en_fr, "train", 30)


def test_statistics_count_everything_once(examples, en_fr):
    found = data_statistics(examples, en_fr)
    assert len(found.documents) == 30
    assert found.total.segments == len(examples)
    assert found.total.gaps == sum(found.classes.values())
    assert found.total.source_tokens == sum(len(example.source) for example in examples)
    assert set(found.pronouns) == {"it", "they"}


def test_inserted_placeholders_are_no_target_tokens(en_fr):
    inserted = sum(gap.word == "NONE" for e in demo_examples(en_fr, "dev", 5) for gap in e.gaps)
    tokens = sum(len(e.target) for e in demo_examples(en_fr, "dev", 5))
    found = data_statistics(demo_examples(en_fr, "dev", 5), en_fr)
    assert found.total.target_tokens == tokens - inserted


def test_shared_documents_are_found_by_id_and_by_text(examples):
    index = TextIndex()
    index.add(e for e in examples if e.document in ("train-00001", "train-00002"))
    renamed = [Example(e.source, e.target, e.links, e.gaps, f"x{e.document}") for e in examples]
    assert overlap(examples, index).shared_documents == ("train-00001", "train-00002")
    rich = overlap(renamed, index, longer_than=0)
    assert rich.shared_documents == ()
    assert {name for name, _ in rich.rich_documents} >= {"xtrain-00001", "xtrain-00002"}


def test_rare_classes_decide_which_documents_are_chosen(en_fr):
    plain = [Candidate(f"plain{i}", 50, 1000, {"ils": 10, "ce": 10}) for i in range(5)]
    rare = Candidate("rare", 50, 1000, {"elles": 4, "elle": 4, "ce": 2})
    chosen = select_documents([*plain, rare], en_fr, 3, 10_000)
    assert chosen.chosen[0] is rare
    assert len(chosen.chosen) == 3
    assert chosen.classes["elles"] == 4


def test_a_selection_keeps_to_its_limits(examples, en_fr):
    found = candidates(examples, en_fr, excluded={"train-00003"})
    assert "train-00003" not in {c.document for c in found}
    chosen = select_documents(found, en_fr, 8, 300, min_segments=5)
    assert chosen.words <= 300
    assert all(c.segments >= 5 for c in chosen.chosen)
    with pytest.raises(CrossproError, match="document ids are needed"):
        select_documents(found, en_fr, 8, 300, min_segments=10_000)


def sentence(pronoun, translation, tag="PRON", links=((0, 0),)):
    return AlignedSentence([pronoun, "x"], [translation, "y"], [tag, "VERB"], list(links))


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
    proposal = propose(counts, fillers, merge=[("ce", "c'")])
    assert proposal.source_pronouns == ("it",)
    assert proposal.dropped == ("he",)
    assert proposal.classes == {
        "il": ("il",), "elle": ("elle",), "c'": ("c'", "ce"), "OTHER": ("NONE",)
    }  # fmt: skip
    assert proposal.other_fillers == ("maison",)
    assert fillers == Counter({"maison": 10})
