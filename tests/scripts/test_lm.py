"""`crosspro lm` as a user calls it."""

from __future__ import annotations

import pytest

from crosspro.baselines.ngram.load import load_own
from tests.baselines.ngram.models import CASES, assert_same, entries_of, read_entries
from tests.scripts.run import crosspro


def test_train_writes_both_forms(tmp_path):
    model, arpa = tmp_path / "b.lm", tmp_path / "b.arpa.gz"
    result = crosspro("lm", "train", CASES / "b.txt.xz", "-n", 3, "-o", model, "--arpa", arpa)
    assert result.code == 0, result.stderr
    for number in (b"14,931", b"24,124", b"3,000"):
        assert number in result.stderr
    expected = read_entries(CASES / "b.3gram.arpa.xz")
    assert_same(entries_of(load_own(model)), expected)
    assert_same(entries_of(load_own(arpa)), expected)


def test_cut_offs_and_fallback(tmp_path):
    common = ("lm", "train", CASES / "odd.txt", "--skip-symbols", "--discount-fallback")
    cut = tmp_path / "cut.arpa"
    result = crosspro(*common, "-n", 5, "-o", cut, "--prune", "0 1 2")
    assert result.code == 0, result.stderr
    assert_same(
        entries_of(load_own(cut)), read_entries(CASES / "odd.5gram.fallback.prune_0_1_2.arpa")
    )


def test_train_on_five_columns(tmp_path):
    data = tmp_path / "x.data"
    data.write_text(
        "elle\tElle|PRO\tit is red\tREPLACE_0 être|VER rouge|ADJ\t0-0\n"
        "\t\tThank you\tmerci|NOM\t\n",
        encoding="utf-8",
    )
    model = tmp_path / "model"
    options = ("--task", "en-fr", "-n", 2, "-o", model, "--discount-fallback")
    assert crosspro("lm", "train", data, *options).code == 0
    words = [word.decode() for word in load_own(model).vocabulary.words[3:]]
    assert words == ["elle", "être", "rouge", "merci"]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["-n", 9], "order"),
        (["--prune", "1 x"], "prune"),
        (["-n", 3], "1-grams"),
        (["--task", "xx"], "xx"),
    ],
)
def test_train_names_what_is_wrong(tmp_path, arguments, name):
    model = tmp_path / "model"
    result = crosspro("lm", "train", CASES / "tiny.txt", "-o", model, *arguments)
    assert result.code == 2
    assert name in result.stderr.decode()
    assert not model.exists()


def test_train_needs_something_to_write(tmp_path):
    arpa = tmp_path / "x.arpa"
    train = ("lm", "train", CASES / "tiny.txt", "-n", 3, "--discount-fallback")
    assert crosspro(*train).code == 2
    assert crosspro(*train, "--arpa", arpa).code == 0
    assert_same(read_entries(arpa), read_entries(CASES / "tiny.3gram.fallback.arpa"))
