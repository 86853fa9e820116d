"""Files of models: ARPA in the forms in use, arrays, and every kind of damage."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crosspro.baselines.ngram.arpa import read_arpa
from crosspro.baselines.ngram.files import load_model, load_ngram_model, save_model
from crosspro.baselines.ngram.model import LOWEST
from crosspro.data_prep.core.errors import CrossproError, InputError
from tests.baselines.ngram.models import (
    CASES,
    assert_same,
    entries_of,
    golden_a,
    read_entries,
    train,
    word_log10,
)

SMALL = """\\data\\
ngram 1=5
ngram 2=4
ngram 3=2

\\1-grams:
-1.5	<unk>	0
-99	<s>	-0.5
-0.75	</s>	0
-0.5	il	-0.25
-1	elle	0.125

\\2-grams:
-0.5	<s> il	-0.125
-0.25	il elle	0
-1	elle il	-0.5
-0.125	il </s>	0

\\3-grams:
-0.25	<s> il elle
-0.5	elle il </s>

\\end\\
"""
ARRAYS = ("counts", "keys", "log_probs", "back_offs", "fails")


def read(folder: Path, text: str | bytes):
    path = folder / "x.arpa"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_arpa(path)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_what_is_written_is_read_again(tmp_path, suffix):
    path = tmp_path / f"b.arpa{suffix}"
    save_model(path, load_ngram_model(CASES / "b.3gram.arpa.xz"))
    opener = {"": open, ".gz": gzip.open, ".xz": lzma.open}[suffix]
    with opener(path, "rb") as handle:
        assert handle.read().startswith(b"\\data\\\nngram 1=303\nngram ")
    entries = entries_of(load_ngram_model(path), tmp_path)
    assert_same(entries, read_entries(CASES / "b.3gram.arpa.xz"))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\t", "\t\t").replace("\n", " \n"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: "some text\n# more\n\n" + text,
        lambda text: text.replace("ngram 1=5", "ngram  1=    5"),
        lambda text: text.replace("\t0\n", "\n"),
        lambda text: text.replace("<s> il elle", "<s> il elle\t0"),
        lambda text: text.replace("<unk>", "<UNK>"),
    ],
    ids=range(8),
)
def test_forms_that_other_tools_write(tmp_path, change):
    (tmp_path / "reference").write_text(SMALL)
    found = entries_of(read(tmp_path, change(SMALL)), tmp_path)
    assert found == read_entries(tmp_path / "reference")


def test_unknown_words_are_as_in_kenlm_if_the_model_has_none(tmp_path):
    text = SMALL.replace("-1.5\t<unk>\t0\n", "").replace("ngram 1=5", "ngram 1=4")
    model = read(tmp_path, text)
    assert word_log10(model, "qui", [], begin=False) == -100
    assert model.counts == (5, 4, 2)


def test_values_are_finite_and_not_above_zero(tmp_path):
    text = SMALL.replace("-1\telle\t", "-inf\telle\t").replace("-0.125\til </s>", "0.0001\til </s>")
    model = read(tmp_path, text)
    assert word_log10(model, "elle", [], begin=False) == LOWEST
    assert entries_of(model, tmp_path)[("il", "</s>")][0] == 0


DAMAGES = [
    ("\\data\\\n", "", None),
    ("ngram 2=4", "ngram 3=4", 3),
    ("ngram 2=4", "ngram 2=x", 3),
    ("ngram 1=5\nngram 2=4\nngram 3=2\n", "", 3),
    ("ngram 1=5", "ngram 1=6", 13),
    ("\\2-grams:", "\\3-grams:", 13),
    ("ngram 3=2\n", "", 13),
    ("\n\\end\\\n", "", 21),
    ("\\end\\\n", "\\end\\\nmore\n", 24),
    ("-0.25\til elle\t0\n", "-0.25\til\n", 15),
    ("-0.25\til elle\t0\n", "-0.25\til elle il 0 0\n", 15),
    ("-0.25\til elle", "abc\til elle", 15),
    ("-0.25\til elle", "nan\til elle", 15),
    ("-0.25\til elle", "0.5\til elle", 15),
    ("il elle\t0", "il elle\tx", 15),
    ("il elle\t0", "il elle\t1e39", 15),
    ("<s> il elle", "<s> il elle\t-0.5", 20),
    ("-1\telle", "-1\t\udcffelle", 11),
    ("<s> il elle", "<s> il qui", None),
    ("<s> il elle", "<s> elle il", None),
    ("-1\telle il\t-0.5", "-1\til elle\t-0.5", None),
    ("-1\telle\t0.125", "-1\til\t0.125", None),
    ("<s>\t-0.5", "<S>\t-0.5", None),
]


@pytest.mark.parametrize(("old", "new", "line"), DAMAGES)
def test_damage_is_named_with_its_line(tmp_path, old, new, line):
    assert old in SMALL
    with pytest.raises(InputError) as caught:
        read(tmp_path, SMALL.replace(old, new, 1).encode("utf-8", "surrogateescape"))
    (problem,) = caught.value.problems
    assert problem.path == str(tmp_path / "x.arpa")
    assert line is None or problem.line == line


@given(st.lists(st.tuples(st.integers(0, len(SMALL)), st.binary(max_size=3)), max_size=4))
def test_mutated_files_are_read_or_refused(tmp_path_factory, edits):
    raw = SMALL.encode()
    for place, text in edits:
        raw = raw[:place] + text + raw[place + 1 :]
    try:
        model = read(tmp_path_factory.mktemp("mutant"), raw)
    except InputError:
        return
    assert (model.log_probs <= 0).all()
    assert np.isfinite(model.log10([["il", "elle", "il"], []])).all()


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b", "c", "dé"]), max_size=5).map(" ".join), min_size=1
    ),
    st.integers(1, 4),
)
def test_any_model_survives_both_forms(tmp_path_factory, text, order):
    assume(any(line.split() for line in text))
    model, folder = train(text, order), tmp_path_factory.mktemp("round")
    for name in ("x.arpa", "x.npz"):
        save_model(folder / name, model)
        again = load_ngram_model(folder / name)
        assert again.words == model.words
        assert all(
            np.allclose(getattr(again, array), getattr(model, array), rtol=1e-6) for array in ARRAYS
        )


def set_first(value):
    def change(array):
        array[0] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("log_probs", set_first(np.nan)),
        ("log_probs", set_first(1)),
        ("log_probs", lambda array: array[1:]),
        ("back_offs", set_first(np.inf)),
        ("keys", lambda array: array[1:]),
        ("counts", set_first(3)),
        ("words", lambda array: array[5:]),
        ("words", set_first(255)),
        ("words", lambda array: np.array([None])),
    ],
)
def test_damaged_arrays_are_refused(tmp_path, name, change):
    save_model(tmp_path / "x.npz", golden_a())
    with np.load(tmp_path / "x.npz") as members:
        arrays = dict(members)
    arrays[name] = change(arrays[name].copy())
    np.savez(tmp_path / "y.npz", **arrays)
    with pytest.raises(InputError, match=r"y\.npz"):
        load_ngram_model(tmp_path / "y.npz")


def test_what_is_no_model_is_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0")
    with pytest.raises(CrossproError, match="kenlm"):
        load_model(tmp_path / "x")
    for path in (tmp_path, tmp_path / "x", tmp_path / "none"):
        with pytest.raises(InputError):
            load_ngram_model(path)
