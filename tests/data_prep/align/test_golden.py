"""The links of the aligner are the golden ones, and pieces of any size give the same."""

from __future__ import annotations

import hashlib
import json
import lzma
import re
from collections.abc import Collection
from dataclasses import replace
from itertools import islice

import pytest

from crosspro.data_prep.align.backends import (
    AlignerSettings,
    align_both_directions,
    align_corpus,
    default_settings,
)
from crosspro.data_prep.align.prior import load_prior, save_prior
from crosspro.data_prep.formats.links import format_links
from tests.conftest import GOLDEN, SHARED_DATA
from tests.data_prep.align.corpora import made_up_text

CHOSEN = AlignerSettings(form="word", max_length=12, back_off="ibm1")
SOURCE, TARGET = made_up_text(60)


def test_the_size_of_pieces_changes_nothing(monkeypatch, tmp_path):
    def run():
        found = align_both_directions(SOURCE, TARGET, CHOSEN, None, True)
        save_prior(tmp_path / "prior.npz", found.prior)
        known = align_corpus(TARGET, SOURCE, CHOSEN, load_prior(tmp_path / "prior.npz"))
        return list(found.directed), (tmp_path / "prior.npz").read_bytes(), list(known)

    whole = run()
    for name in ("text._PAIRS_AT_ONCE", "text._SEGMENTS_AT_ONCE", "blocks._KEYS_AT_ONCE"):
        monkeypatch.setattr(f"crosspro.data_prep.align.{name}", 7)
    assert run() == whole


class ReadOnce(Collection[list[str]]):
    """A text that can be gone over once only."""

    def __init__(self, sentences):
        self.sentences, self.read = sentences, 0

    def __len__(self):
        return len(self.sentences)

    def __contains__(self, words):
        return words in self.sentences

    def __iter__(self):
        self.read += 1
        assert self.read == 1
        return iter(self.sentences)


def test_the_text_is_read_once_and_links_are_made_when_asked_for():
    found = align_corpus(ReadOnce(SOURCE), ReadOnce(TARGET), CHOSEN)
    whole = list(align_corpus(SOURCE, TARGET, CHOSEN))
    assert found == whole
    assert found != whole[1:]
    assert (found[-1], found[3:5], len(found)) == (whole[-1], whole[3:5], len(whole))
    with pytest.raises(IndexError):
        found[len(whole)]


def bitext(name, language, number):
    path = SHARED_DATA / "bitext" / "en-fr" / "train" / f"{name}.{language}.xz"
    if not path.is_file():
        pytest.skip("the parallel text is not here")
    words = re.compile(r"\w+['’]|\w+(?:-\w+)*|[^\w\s]")
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        return [words.findall(line) for line in islice(lines, number)]


def digest(found):
    lines = "".join(format_links(one) + "\n" for one in found)
    return hashlib.sha256(lines.encode("ascii")).hexdigest()


@pytest.mark.slow
def test_links_are_the_golden_ones(monkeypatch, tmp_path, en_fr):
    golden = json.loads((GOLDEN / "align" / "links.json").read_text("utf-8"))
    monkeypatch.setattr("crosspro.data_prep.align.blocks._BLOCK_CELLS", 2**19)
    source, target = (
        bitext("ted_train30k", language, 4000) + bitext("europarl", language, 2000)
        for language in ("en", "fr")
    )
    long = [[word for line in side[:12] for word in line] for side in (source, target)]
    unequal = [word for line in target[1:4] for word in line][:30]
    source[5000:5000] = [long[0], source[0][:1], []]
    target[5000:5000] = [long[1], unequal, target[0]]
    task = default_settings(en_fr)
    assert digest(align_corpus(source, target, task)) == golden["task"]
    first = align_both_directions(source[:3000], target[:3000], AlignerSettings(), None, True)
    assert digest(first.links("grow-diag-final-and")) == golden["kept"]
    save_prior(tmp_path / "prior.npz", first.prior)
    prior = load_prior(tmp_path / "prior.npz")
    found = align_corpus(source[3000:], target[3000:], replace(task, iterations=0), prior)
    assert digest(found) == golden["only_link"]
