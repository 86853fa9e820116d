"""Estimation against KenLM's lmplz, and what must hold of any model.

Arrays on disk have their place before they are written to.
"""

from __future__ import annotations

import gzip
import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crosspro.baselines.ngram import DEFAULT_FALLBACK
from crosspro.baselines.ngram.estimate import (
    EstimationSettings,
    closed_form,
    estimate,
)
from crosspro.baselines.ngram.index import workspace
from crosspro.baselines.ngram.text import read_sentences
from crosspro.data_prep.core.errors import CrossproError, InputError
from tests.baselines.ngram.models import (
    CASES,
    assert_same,
    entries_of,
    read_entries,
    state_after,
    train,
    train_file,
)

FALLBACK = {"fallback": DEFAULT_FALLBACK}
GOLDEN_CASES = [
    ("a.txt.xz", 5, "a.5gram.arpa.xz", {}),
    ("a.txt.xz", 4, "a.4gram.prune_0_0_1.arpa.xz", {"prune": (0, 0, 1)}),
    ("b.txt.xz", 3, "b.3gram.arpa.xz", {}),
    ("tiny.txt", 3, "tiny.3gram.fallback.arpa", FALLBACK),
    ("tiny.txt", 7, "tiny.7gram.fallback.arpa", FALLBACK),
    ("odd.txt", 4, "odd.4gram.fallback.arpa", FALLBACK),
    ("odd.txt", 1, "odd.1gram.fallback_0.4_0.8.arpa", {"fallback": (0.4, 0.8)}),
    ("odd.txt", 5, "odd.5gram.fallback.prune_0_1_2.arpa", FALLBACK | {"prune": (0, 1, 2)}),
    ("odd.txt", 3, "odd.3gram.fallback.prune_10.arpa", FALLBACK | {"prune": (10,)}),
]


@pytest.mark.parametrize(
    ("text", "order", "arpa", "settings"), GOLDEN_CASES, ids=[case[2] for case in GOLDEN_CASES]
)
@pytest.mark.parametrize("memory", [2 << 30, 400_000])
def test_the_values_are_those_of_lmplz(text, order, arpa, settings, memory):
    model = train_file(CASES / text, order, memory=memory, skip_symbols=True, **settings)
    assert_same(entries_of(model), read_entries(CASES / arpa))


def test_several_files_and_compression_make_no_difference(tmp_path):
    lines = (CASES / "odd.txt").read_bytes().splitlines(keepends=True)
    (tmp_path / "1.txt").write_bytes(b"".join(lines[:20]))
    with gzip.open(tmp_path / "2.txt.gz", "wb") as handle:
        handle.write(b"".join(lines[20:]))
    settings = EstimationSettings(order=4, skip_symbols=True, **FALLBACK)
    both = estimate(read_sentences([tmp_path / "1.txt", tmp_path / "2.txt.gz"]), settings)
    assert_same(entries_of(both.model), read_entries(CASES / "odd.4gram.fallback.arpa"))
    assert both.sentences == 60


def test_a_last_line_without_line_end_is_a_sentence(tmp_path):
    (tmp_path / "with").write_text("a b\nb a\n")
    (tmp_path / "without").write_text("a b\nb a")
    with_end = train_file(tmp_path / "with", 2, **FALLBACK)
    assert_same(entries_of(train_file(tmp_path / "without", 2, **FALLBACK)), entries_of(with_end))


def test_words_are_what_stands_between_spaces(tmp_path):
    (tmp_path / "x").write_bytes("a\u00a0b\u3000c \x0bd\x0c\te\rf\0g\n".encode())
    words = train_file(tmp_path / "x", 1, **FALLBACK).vocabulary.words[3:]
    assert [word.decode() for word in words] == ["a\u00a0b\u3000c", "\x0bd\x0c", "e", "f", "g"]


@pytest.mark.parametrize("content", ["", "\n\n", " \t\n", "<s> </s>\n"])
def test_text_without_words_is_refused(tmp_path, content):
    (tmp_path / "x").write_text(content)
    with pytest.raises(CrossproError):
        train_file(tmp_path / "x", 2, skip_symbols=True, **FALLBACK)


def test_special_words_are_named_with_their_lines(tmp_path):
    (tmp_path / "x").write_text("a b\na <unk> b\n\nb </s> <s>\n")
    with pytest.raises(InputError) as caught:
        train_file(tmp_path / "x", 2, **FALLBACK)
    assert [problem.line for problem in caught.value.problems] == [2, 4, 4]
    assert "--skip-symbols" in str(caught.value)
    skipped = train_file(tmp_path / "x", 2, skip_symbols=True, **FALLBACK)
    assert_same(entries_of(skipped), entries_of(train("a b\na b\n\nb", 2)))


def test_bytes_that_are_not_utf8_are_named_with_their_lines(tmp_path):
    (tmp_path / "x").write_bytes(b"a b\n\xff b\nb\n" * 5000)
    with pytest.raises(InputError) as caught:
        train_file(tmp_path / "x", 2, **FALLBACK)
    assert caught.value.problems[0].line == 2
    assert caught.value.total == 5000


def test_discounts_that_cannot_be_estimated_are_explained():
    with pytest.raises(CrossproError) as caught:
        train("a b c\nb c d\n", 2, fallback=None)
    assert "1-grams:" in str(caught.value)
    assert "2-grams: " in str(caught.value)
    assert "--discount-fallback" in str(caught.value)


def test_an_order_above_the_longest_sentence_is_explained():
    with pytest.raises(CrossproError):
        train("a b\nb a\n", 6, fallback=None)
    assert train("a b\nb a\n", 6).counts == (5, 6, 4, 2, 0, 0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"order": 0}, "order:"),
        ({"order": 8}, "order:"),
        ({"prune": (1, 0)}, "prune:"),
        ({"prune": (-1,)}, "prune"),
        ({"order": 2, "prune": (0, 0, 0)}, "prune:"),
        ({"fallback": ()}, "fallback:"),
        ({"fallback": (0.5, 2.5)}, "fallback:"),
        ({"memory": 0}, "memory"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(CrossproError, match=re.escape(message)):
        EstimationSettings(**settings)


def test_a_temporary_folder_must_exist(tmp_path):
    with pytest.raises(CrossproError):
        train("a b", 2, folder=tmp_path / "none")


def test_discounts_by_hand():
    # Y = 8/14; D = 1 - 2Y 3/8, 2 - 3Y 2/3, 3 - 4Y 1/2
    amounts = closed_form([0, 8, 3, 2, 1])
    assert amounts == pytest.approx((4 / 7, 6 / 7, 13 / 7))
    assert "adjusted count 2" in closed_form([0, 8, 0, 2, 1])
    assert "a discount of" in closed_form([0, 8, 1, 8, 1])


word = st.sampled_from(["a", "b", "c", "d", "e", "f"])
texts = st.lists(st.lists(word, max_size=6).map(" ".join), min_size=1, max_size=12)


@given(texts, st.integers(1, 5), st.lists(st.integers(0, 3), max_size=1), st.integers(0, 2))
def test_probabilities_of_all_words_sum_to_one(text, order, prune, rise):
    assume(any(line.split() for line in text))
    thresholds = [*prune, *(threshold + rise for threshold in prune)][:order]
    model = train(text, order, prune=thresholds)
    words = [n for n in range(len(model.vocabulary)) if n != 1]  # all but <s>
    states = [state_after(model, line.split()) for line in text] + [model.null_state]
    log10, _ = model.advance(np.array(states)[:, None], words)
    assert (10.0 ** log10.astype(float)).sum(axis=1) == pytest.approx(1, abs=1e-5)


@given(texts, st.integers(1, 5), st.integers(1000, 9000))
def test_little_memory_gives_the_same_model(text, order, memory):
    assume(any(line.split() for line in text))
    model, other = train(text, order), train(text, order, memory=memory)
    assert entries_of(model) == entries_of(other)
    assert np.array_equal(model.fails, other.fails)


def test_an_array_in_a_file_takes_its_place_at_once_and_is_zero(tmp_path):
    with workspace(0, tmp_path) as space:
        path = space.new_file()
        space.new_file = lambda: path
        linked = path.with_name("kept")
        path.touch()
        linked.hardlink_to(path)
        array = space.zeros(1 << 20, np.int64)
        assert isinstance(array, np.memmap)
        assert linked.stat().st_blocks * 512 >= 8 << 20
        assert not array.any()
        array[:] = 5
        assert array.sum() == 5 << 20


def test_a_disk_without_room_is_told_and_kills_nobody(tmp_path):
    with workspace(0, tmp_path) as space:
        with pytest.raises(InputError):
            space.empty(1 << 60, np.uint8)
        assert not list(space.folder.iterdir())
