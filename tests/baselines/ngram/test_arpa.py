"""Reading and writing ARPA files: the forms in use, and every kind of damage."""

from __future__ import annotations

import gzip
import lzma
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crosspro.baselines.ngram.arpa import formatted, read_arpa, write_arpa
from crosspro.baselines.ngram.load import load_own
from crosspro.data_prep.core.errors import InputError
from tests.baselines.ngram.models import (
    CASES,
    assert_same,
    entries_of,
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


def read(tmp_path, text: str | bytes):
    path = tmp_path / "x.arpa"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_arpa(path)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_what_is_written_is_read_again(tmp_path, suffix):
    model = load_own(CASES / "b.3gram.arpa.xz")
    path = tmp_path / f"b.arpa{suffix}"
    write_arpa(path, model)
    opener = {"": open, ".gz": gzip.open, ".xz": lzma.open}[suffix]
    with opener(path, "rb") as handle:
        assert handle.read().startswith(b"\\data\\\nngram 1=303\nngram ")
    again = load_own(path)
    for name in ("log_probs", "back_offs", "fails", "extends"):
        assert np.array_equal(getattr(model, name), getattr(again, name))
    assert_same(entries_of(again), read_entries(CASES / "b.3gram.arpa.xz"))


def test_the_form_is_that_of_kenlm(tmp_path):
    write_arpa(tmp_path / "x.arpa", read(tmp_path, SMALL))
    lines = (tmp_path / "x.arpa").read_text().splitlines()
    heading = lines.index("\\3-grams:")
    assert lines[heading + 1 :] == ["-0.25\t<s> il elle", "-0.5\telle il </s>", "", "\\end\\"]
    assert sorted(lines) == sorted(SMALL.splitlines())


def test_numbers_are_as_short_as_exactness_allows():
    values = np.array([-0.1, 0, -1e-9, -np.inf, 1 / 3], np.float32)
    assert formatted(values) == [b"-0.1", b"0", b"-1e-09", b"-inf", b"0.33333334"]
    assert [np.float32(float(text)) for text in formatted(values)] == values.tolist()


def test_numbers_are_those_of_numpy():
    generator = np.random.default_rng(1)
    usual = -np.concatenate([generator.random(20_000) * 10, generator.random(20_000) / 50])
    few = -np.round(generator.random(5000) * 10, 3)
    powers = -(2.0 ** np.arange(-20, 8))
    near = np.nextafter(powers.astype(np.float32), np.float32(0))
    all_sizes = generator.integers(0, 2**32, 5000, np.uint32).view(np.float32)
    all_sizes = all_sizes[np.isfinite(all_sizes)]
    values = np.concatenate([usual, few, powers, near, [-0.0, 100, -10], all_sizes])
    values = values.astype(np.float32)
    assert formatted(values) == [text.removesuffix(b".0") for text in values.astype("S").tolist()]


def test_words_may_be_long(tmp_path):
    words = ["é" * 40, "x" * 64, "y" * 5000, "z"]
    model = train([" ".join(words), " ".join(reversed(words))], 3)
    write_arpa(tmp_path / "x.arpa", model)
    assert_same(entries_of(load_own(tmp_path / "x.arpa")), entries_of(model))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\t", " "),
        lambda text: text.replace("\t", "\t\t").replace("\n", " \n"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: "some text\n# more\n\n" + text,
        lambda text: text.replace("ngram 1=5", "ngram  1=    5"),
        lambda text: text.replace("\t0\n", "\n"),
        lambda text: text.replace("<s> il elle", "<s> il elle\t0"),
        lambda text: text.replace("-0.25\t", "-2.5e-1\t"),
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("<unk>", "<UNK>"),
    ],
    ids=[
        "spaces",
        "wide",
        "CRLF",
        "blank",
        "preamble",
        "IRSTLM",
        "SRILM",
        "last",
        "exponent",
        "end",
        "UNK",
    ],
)
def test_forms_that_other_tools_write(tmp_path, change):
    assert entries_of(read(tmp_path, change(SMALL))) == read_entries_of(SMALL, tmp_path)


def read_entries_of(text, tmp_path):
    (tmp_path / "reference").write_text(text)
    return read_entries(tmp_path / "reference")


def test_unknown_words_are_as_in_kenlm_if_the_model_has_none(tmp_path):
    text = SMALL.replace("-1.5\t<unk>\t0\n", "").replace("ngram 1=5", "ngram 1=4")
    model = read(tmp_path, text)
    assert word_log10(model, "qui", [], begin=False) == -100
    assert model.counts == (5, 4, 2)


def test_zero_probabilities_are_kept(tmp_path):
    model = read(tmp_path, SMALL.replace("-1\telle\t", "-inf\telle\t"))
    assert word_log10(model, "elle", [], begin=False) == -math.inf
    assert word_log10(model, "<s>", [], begin=False) == -99


def test_small_positive_values_are_rounding(tmp_path):
    model = read(tmp_path, SMALL.replace("-0.125\til </s>", "0.0001\til </s>"))
    assert entries_of(model)[("il", "</s>")][0] == 0


DAMAGES = [
    ("\\data\\\n", "", None, "a line \\data\\"),
    ("\\data\\\n", "iARPA\n\\data\\\n", 1, "compile-lm"),
    ("ngram 2=4", "ngram 3=4", 3, "ngram 2=COUNT"),
    ("ngram 2=4", "ngram 2=x", 3, "ngram 2=COUNT"),
    ("ngram 2=4", "bigrams: 4", 3, "ngram 2=COUNT"),
    ("ngram 1=5\nngram 2=4\nngram 3=2\n", "", 3, "ngram 1=COUNT"),
    ("ngram 1=5", "ngram 1=6", 13, "6 1-grams, as the head of the file says, found 5"),
    ("ngram 2=4", "ngram 2=3", 19, "3 2-grams, as the head of the file says, found 4"),
    ("ngram 3=2", "ngram 3=9", 23, "9 3-grams"),
    ("\\2-grams:", "\\3-grams:", 13, "\\2-grams:, found '\\\\3-grams:'"),
    ("\\1-grams:", "\\1-gram:", 6, "\\1-grams:"),
    ("ngram 3=2\n", "", 13, "none or 0 in the highest order, found '-0.125'"),
    ("\n\\end\\\n", "", 21, "\\end\\, found the end of the file"),
    ("\\end\\\n", "\\end\\\nmore\n", 24, "nothing after \\end\\"),
    ("-0.25\til elle\t0\n", "-0.25\til\n", 15, "2 words and perhaps a back-off"),
    ("-0.25\til elle\t0\n", "-0.25\til elle il 0 0\n", 15, "2 words and perhaps a back-off"),
    ("-0.25\til elle", "abc\til elle", 15, "a log10 probability"),
    ("-0.25\til elle", "nan\til elle", 15, "a log10 probability"),
    ("-0.25\til elle", "0.5\til elle", 15, "0 or less, found '0.5'"),
    ("il elle\t0", "il elle\tx", 15, "back-off:"),
    ("il elle\t0", "il elle\tinf", 15, "back-off"),
    ("il elle\t0", "il elle\t1e39", 15, "back-off"),
    ("<s> il elle", "<s> il elle\t-0.5", 20, "none or 0 in the highest order"),
    ("<s> il elle", "<s> il qui", 20, "words that are 1-grams, found 'qui'"),
    ("<s> il elle", "<s> elle il", 20, "a context that is one of the 2-grams, found '<s> elle'"),
    ("-1\telle il\t-0.5", "-1\til elle\t-0.5", 16, "each n-gram once"),
    ("-1\telle\t0.125", "-1\til\t0.125", 11, "each word once, found 'il' again"),
    ("<s>\t-0.5", "<S>\t-0.5", 13, "<s> and </s>, found no <s>"),
    ("-1\telle\t", "-1\tel\0le\t", 11, "no NUL character"),
]


@pytest.mark.parametrize(("old", "new", "line", "message"), DAMAGES)
def test_damage_is_named_with_its_line(tmp_path, old, new, line, message):
    assert old in SMALL
    with pytest.raises(InputError) as caught:
        read(tmp_path, SMALL.replace(old, new, 1))
    problem = caught.value.problems[0]
    assert message in str(problem)
    if line is not None:
        assert str(problem).startswith(f"{tmp_path / 'x.arpa'}:{line}: ")


def test_all_faults_of_a_section_are_reported(tmp_path):
    damaged = SMALL.replace("-0.5\t<s> il", "x\t<s> il").replace("elle il\t-0.5", "elle il\ty")
    with pytest.raises(InputError) as caught:
        read(tmp_path, damaged)
    assert [problem.line for problem in caught.value.problems] == [14, 16]


def test_words_that_are_not_utf8_are_named(tmp_path):
    with pytest.raises(InputError, match=r":11: encoding"):
        read(tmp_path, SMALL.encode().replace(b"-1\telle", b"-1\t\xffelle"))


@pytest.mark.parametrize("name", ["x.arpa.gz", "x.arpa.xz"])
def test_damaged_archives_are_input_errors(tmp_path, name):
    path = tmp_path / name
    opener = gzip.open if name.endswith("gz") else lzma.open
    with opener(path, "wb") as handle:
        handle.write(SMALL.encode() * 20)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=name):
        load_own(path)


def test_nothing_is_written_if_writing_fails(tmp_path):
    (tmp_path / "x.arpa").mkdir()
    with pytest.raises(InputError):
        write_arpa(tmp_path / "x.arpa", train("a b", 2))
    assert [path.name for path in tmp_path.iterdir()] == ["x.arpa"]


@given(st.lists(st.tuples(st.integers(0, len(SMALL)), st.binary(max_size=3)), max_size=4))
def test_mutated_files_are_read_or_refused(tmp_path_factory, edits):
    raw = SMALL.encode()
    for place, text in edits:
        raw = raw[:place] + text + raw[place + 1 :]
    try:
        model = read(tmp_path_factory.mktemp("mutant"), raw)
    except InputError as error:
        assert error.problems
    else:
        assert (model.log_probs <= 0).all()
        assert not np.isnan(model.log10([["il", "elle", "il"], []])).any()


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b", "c", "dé"]), max_size=5).map(" ".join), min_size=1
    ),
    st.integers(1, 4),
)
def test_any_model_survives(tmp_path_factory, text, order):
    assume(any(line.split() for line in text))
    model = train(text, order)
    path = tmp_path_factory.mktemp("round") / "x.arpa"
    write_arpa(path, model)
    assert entries_of(read_arpa(path)) == entries_of(model)
