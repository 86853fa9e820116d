"""Contrastive sets from bitext."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.metrics.contrastive.build import (
    KEPT,
    BuildRules,
    Line,
    build_set,
    read_lines_of,
)
from crosspro.evaluation.metrics.contrastive.formats import read_contrastive


def built(source, target, **rules):
    counts = Counter()
    found = list(build_set([Line(source, target, "d", None)], BuildRules(**rules), counts))
    assert counts.total() == 1
    return found[0]["errors"][0]["contrastive"] if found else next(iter(counts))


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("It rains.", "Elle tombe.", "Il tombe."),
        ("If it burns, go.", "Si elle brûle, va.", "S'il brûle, va."),
        ("If they burn, go.", "Va, s'ils brûlent.", "Va, si elles brûlent."),
        ("They're here.", "Je crois qu'elles sont là.", "Je crois qu'ils sont là."),
        ("IT BURNS", "ELLE BRÛLE", "IL BRÛLE"),
        ("It... burns", "Il... brûle", "Elle... brûle"),
        ("They want it.", "Ils la veulent.", "several source pronouns"),
        ("It is here and it sleeps.", "Elle dort.", "several source pronouns"),
        ("It sleeps when it can.", "Elle dort quand elle peut.", "several target pronouns"),
        ("It sleeps.", "Ça dort.", "no target pronoun"),
        ("Nothing.", "Il dort.", "no source pronoun"),
        ("They sleep.", "Il dort.", "source pronoun of another kind"),
        ("It is needed.", "Il faut ça.", "target pronoun impersonal"),
        ("It has none.", "Il n'y a rien.", "target pronoun impersonal"),
        ("It turns out.", "Il s'avère que oui.", "target pronoun impersonal"),
        ("It goes there.", "Il y va.", "Elle y va."),
        ("He has it.", "Il a ça.", "another possible source word"),
        ("Is it asleep?", "Dort-elle bien ?", "target pronoun no plain subject"),
        ("I came with it.", "Je suis venu avec elle hier.", "target pronoun no plain subject"),
        ("I dream of it.", "Je rêve d'elle souvent.", "target pronoun no plain subject"),
        ("It did it itself.", "Elle-même dort.", "target pronoun no plain subject"),
        ("It is it.", "C'est elle.", "target pronoun no plain subject"),
        ("It was the door.", "C'est elle qui ferme.", "target pronoun no plain subject"),
    ],
)
def test_lines_and_what_becomes_of_them(source, target, expected):
    assert built(source, target) == expected


def test_other_languages_by_their_forms():
    rules = {"forms": {"it": ("er", "sie", "es")}, "not_after": frozenset(), "impersonal": ""}
    counts = Counter()
    line = Line("It sleeps.", "Vielleicht schläft sie heute.", None, None)
    (found,) = build_set([line], BuildRules(**rules), counts)
    assert [error["replacement"] for error in found["errors"]] == ["er", "es"]
    assert found["errors"][1]["contrastive"] == "Vielleicht schläft es heute."


def test_marked_lines_are_instances_and_the_others_context(tmp_path):
    source, target, ids = (tmp_path / name for name in ("s", "t", "d"))
    source.write_text("A.\nB.\nIt sleeps.\nIt sleeps.\nC.\nIt sleeps.\n")
    target.write_text("a.\nb.\nIl dort.\nElle dort.\nc.\nElle dort.\n")
    ids.write_text("x\tctx\nx\tctx\nx\tcur\ny\tctx\ny\tctx\ny\tcur\n")
    counts = Counter()
    found = list(build_set(read_lines_of(source, target, ids), BuildRules(context=1), counts))
    assert counts == {KEPT: 2}
    assert [(one["document id"], one["segment id"]) for one in found] == [("x", 3), ("y", 3)]
    assert [one["src context"] for one in found] == [["B."], ["C."]]
    path = tmp_path / "set.json"
    path.write_text(json.dumps(found))
    test_set = read_contrastive(path)
    assert test_set.instances[0].groups == {"pronoun": "it:il"}
    assert test_set.instances[0].reference_context == ("b.",)


def test_context_stops_at_the_document():
    lines = [Line("A.", "a.", "x", None), Line("It sleeps.", "Il dort.", "y", None)]
    (found,) = build_set(lines, BuildRules(), Counter())
    assert found["src context"] == []


def test_unequal_files(tmp_path):
    for name, text in (("s", "a\nb\n"), ("t", "a\n"), ("d", "x\n")):
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        read_lines_of(*(tmp_path / name for name in "std"))
    assert len(caught.value.problems) == 2
