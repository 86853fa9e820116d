"""Estimation against KenLM's lmplz, and what must hold of any model."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crosspro.baselines.ngram.kneser_ney import closed_form, estimate
from crosspro.baselines.ngram.text import gold_sentence, read_sentences
from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.core.task import load_task
from tests.baselines.ngram.models import CASES, assert_same, entries_of, read_entries, train
from tests.examples import example_of

GOLDEN_CASES = [
    ("a.txt.xz", 5, "a.5gram.arpa.xz", {}),
    ("a.txt.xz", 4, "a.4gram.prune_0_0_1.arpa.xz", {"prune": (0, 0, 1)}),
    ("b.txt.xz", 3, "b.3gram.arpa.xz", {}),
    ("tiny.txt", 3, "tiny.3gram.fallback.arpa", {}),
    ("tiny.txt", 7, "tiny.7gram.fallback.arpa", {}),
    ("odd.txt", 4, "odd.4gram.fallback.arpa", {}),
    ("odd.txt", 1, "odd.1gram.fallback_0.4_0.8.arpa", {"fallback": (0.4, 0.8, 0.8)}),
    ("odd.txt", 5, "odd.5gram.fallback.prune_0_1_2.arpa", {"prune": (0, 1, 2)}),
    ("odd.txt", 3, "odd.3gram.fallback.prune_10.arpa", {"prune": (10,)}),
]


@pytest.mark.parametrize(
    ("text", "order", "arpa", "settings"), GOLDEN_CASES, ids=[case[2] for case in GOLDEN_CASES]
)
def test_the_values_are_those_of_lmplz(text, order, arpa, settings, tmp_path):
    result = estimate(read_sentences([CASES / text]), order, **settings)
    assert_same(entries_of(result.model, tmp_path), read_entries(CASES / arpa))
    assert bool(result.fallbacks) == ("fallback" in arpa)


def test_several_files_and_compression_make_no_difference(tmp_path):
    lines = (CASES / "odd.txt").read_bytes().splitlines(keepends=True)
    (tmp_path / "1.txt").write_bytes(b"".join(lines[:20]))
    with gzip.open(tmp_path / "2.txt.gz", "wb") as handle:
        handle.write(b"".join(lines[20:]).rstrip(b"\n"))  # a last line needs no line end
    both = estimate(read_sentences([tmp_path / "1.txt", tmp_path / "2.txt.gz"]), 4)
    expected = read_entries(CASES / "odd.4gram.fallback.arpa")
    assert_same(entries_of(both.model, tmp_path), expected)
    assert both.sentences == 60


def test_words_are_what_stands_between_spaces(tmp_path):
    (tmp_path / "x").write_bytes("a\u00a0b\u3000c \x0bd\x0c\te\rf\0g\n".encode())
    model = estimate(read_sentences([tmp_path / "x"]), 1).model
    assert model.words[3:] == ["a\u00a0b\u3000c", "\x0bd\x0c", "e", "f", "g"]


@pytest.mark.parametrize("content", ["\n\n", "<s> </s>\n"])
def test_text_without_words_is_refused(tmp_path, content):
    (tmp_path / "x").write_text(content)
    with pytest.raises(CrossproError):
        estimate(read_sentences([tmp_path / "x"]), 2)


def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path):
    (tmp_path / "x").write_bytes(b"a b\n\xff b\n")
    with pytest.raises(InputError) as caught:
        estimate(read_sentences([tmp_path / "x"]), 2)
    assert caught.value.problems[0].line == 2


@pytest.mark.parametrize(
    "settings",
    [
        {"order": 8},
        {"prune": (1, 0)},
        {"prune": (-1,)},
        {"order": 2, "prune": (0, 0, 0)},
    ],
)
def test_bad_settings_are_refused(settings):
    with pytest.raises(CrossproError):
        train(["a b"], **settings)


def test_discounts_by_hand():
    # Y = 8/14; D = 1 - 2Y 3/8, 2 - 3Y 2/3, 3 - 4Y 1/2
    assert closed_form([0, 8, 3, 2, 1]) == pytest.approx((4 / 7, 6 / 7, 13 / 7))
    assert closed_form([0, 8, 0, 2, 1]) is None
    assert closed_form([0, 8, 1, 8, 1]) is None


word = st.sampled_from(["a", "b", "c", "d", "e", "f"])
texts = st.lists(st.lists(word, max_size=6).map(" ".join), min_size=1, max_size=12)


@given(texts, st.integers(1, 5), st.integers(0, 3), st.integers(0, 2))
def test_probabilities_of_all_words_sum_to_one(text, order, first, rise):
    assume(any(line.split() for line in text))
    model = train(text, order, prune=[first, first + rise][:order])
    words = [n for n in range(len(model.words)) if n != 1]  # all but <s>
    states = np.append(np.arange(len(model.extends))[model.extends], model.begin_state)
    log10, _ = model.advance(states[:, None], words)
    assert (10.0 ** log10.astype(float)).sum(axis=1) == pytest.approx(1, abs=1e-5)


def line_of(label, gold, task="en-fr", target="REPLACE_0 être|VER rouge|ADJ"):
    tagged = load_task(task).tagged
    gaps = (Gap(0, 0, label, gold),)
    return example_of(("It",), tuple(target.split()), (), gaps, tagged=tagged)


@pytest.mark.parametrize(
    ("label", "gold", "expected"),
    [
        ("elle", "Elle|PRO", ["elle", "être", "rouge"]),
        ("OTHER", "Marie|NAM", ["Marie", "être", "rouge"]),
        ("OTHER", "NONE", ["être", "rouge"]),
    ],
)
def test_gold_words_stand_in_gaps(label, gold, expected):
    assert gold_sentence(line_of(label, gold)) == expected
