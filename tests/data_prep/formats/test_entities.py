"""Coreference in the last column of CoNLL-U."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.formats.chains import entity_mentions, has_entities
from crosspro.data_prep.formats.conllu import ConlluSentence, ConlluWord, Contraction
from tests.data_prep.formats.conllu_sample import write_conllu


def sentence(*misc, **more):
    return ConlluSentence(tuple(ConlluWord("w", misc=cell) for cell in misc), **more)


@pytest.mark.parametrize(
    ("misc", "expected"),
    [
        (("Entity=(e1-person-1-)", "_"), [("e1", 0, 0)]),
        (("Entity=(e1-person-1", "SpaceAfter=No|Entity=e1)"), [("e1", 0, 1)]),
        (("Entity=(e1-x(e2-y)", "_", "Entity=e1)"), [("e2", 0, 0), ("e1", 0, 2)]),
        (("Entity=(e1(e2", "Entity=e2)e1)"), [("e1", 0, 1), ("e2", 0, 1)]),
        (("Entity=(e1-x", "Entity=(e1-x)", "Entity=e1)"), [("e1", 0, 2), ("e1", 1, 1)]),
        (("Entity=(e1[1/2]-x)", "_", "Entity=(e1[2/2]-x)"), [("e1", 0, 0), ("e1", 2, 2)]),
        (("Entity=e9)", "Entity=(e1-x)"), [("e1", 1, 1)]),  # e9 began on an empty node
        (("Entities=(e1)", "_"), []),
    ],
)
def test_mentions(misc, expected):
    assert entity_mentions("x", sentence(*misc)) == expected


def test_broken_values_are_refused():
    with pytest.raises(InputError) as refused:
        entity_mentions("x.conllu", sentence("Entity=e1", "Entity=()", line=4))
    assert str(refused.value.problems[0]).startswith("x.conllu:4: Entity:")


def test_a_file_declares_its_entities(tmp_path):
    comments = ("# newdoc id = d", "# global.Entity = eid-etype-head-other")
    for name, comment in (("with", comments), ("without", comments[:1])):
        write_conllu(tmp_path / name, [sentence("_", comments=comment)])
    assert has_entities(tmp_path / "with")
    assert not has_entities(tmp_path / "without")


def test_words_of_a_contraction_have_one_place():
    words = sentence(*"____", contractions=(Contraction(2, 3, "du"),))
    assert words.written_positions() == [0, 1, 1, 2]
