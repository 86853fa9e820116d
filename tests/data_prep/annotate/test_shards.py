"""Shards of a text: where they begin, and that they are made once."""

from __future__ import annotations

import json

import pytest

from crosspro.data_prep.annotate.corpus import (
    LONGEST,
    AnnotationSettings,
    annotate_shards,
    document_shards,
    read_store,
)
from crosspro.data_prep.annotate.parsers import _BATCH
from crosspro.data_prep.annotate.tags import tables_digest
from crosspro.data_prep.core.stored import Cache, content_key


@pytest.mark.parametrize(
    ("documents", "bounds"),
    [
        ([], [0, 0]),
        (["a"] * 1500, [0, 1500]),
        (["a"] * 999 + ["b"] * 2, [0, 1001]),
        (["a"] * 1000 + ["b"] * 2, [0, 1000, 1002]),
        ([None] * 2001, [0, 1000, 2000, 2001]),
        (["a"] * 10 + [None] * 995, [0, 1000, 1005]),
        (["a"] * (2 * LONGEST + 1), [0, LONGEST, 2 * LONGEST, 2 * LONGEST + 1]),
    ],
)
def test_documents_are_not_cut_unless_they_are_endless(documents, bounds):
    found = document_shards(iter(documents))
    assert [found[0].start, *(shard.stop for shard in found)] == bounds
    assert LONGEST % _BATCH == 0  # a cut changes no batch, so no result


def test_shards_are_kept_by_settings_tables_and_sentences(tmp_path):
    settings = AnnotationSettings(f"tokens:{tmp_path / 'tokens'}", "fr", "treetagger-fr")
    sentences = [("il", "dort"), (), ("été",)]
    lines = [" ".join(f"{word}|{word}|X" for word in sentence) for sentence in sentences]
    (tmp_path / "tokens").write_text("\n".join(lines) + "\n", "utf-8")
    steps = []
    cache = Cache(tmp_path / "cache")
    (file,) = annotate_shards(
        settings, sentences, [range(3)], cache, lambda *step: steps.append(step)
    )
    plain = {"spec": settings.spec, "language": "fr", "tagset": "treetagger-fr", "parse": True}
    key = content_key(plain, tables_digest(), tmp_path / "tokens", sentences)
    assert file == cache.path("annotation", key)
    assert [sentence.forms for sentence in read_store(file)] == sentences
    assert steps[-1][1:] == (3, 3)
    assert json.loads(file.read_text("utf-8").splitlines()[0])[1][0][:3] == ["il", "il", "X"]


def test_finished_shards_are_not_made_again(tmp_path, monkeypatch):
    pytest.importorskip("HanTa")
    settings = AnnotationSettings("hanta", "en", "universal")
    text = [("it", "works", str(number)) for number in range(6)]
    parts = [range(number, number + 2) for number in (0, 2, 4)]
    cache = Cache(tmp_path / "cache")
    files = annotate_shards(settings, text, parts, cache, lambda *step: None)
    assert [s.forms for file in files for s in read_store(file)] == text
    files[1].unlink()
    done = []
    again = annotate_shards(settings, text, parts, cache, lambda *step: done.append(step[1:]))
    assert again == files
    assert done == [(0, 2), (2, 2)]
