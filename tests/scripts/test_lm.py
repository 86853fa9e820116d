"""`crosspro lm` as a user calls it."""

from __future__ import annotations

from unittest import mock

import pytest

from crosspro.baselines.ngram.load import load_own
from crosspro.scripts.main import COMMANDS
from tests.baselines.ngram.models import CASES, assert_same, entries_of, read_entries
from tests.scripts.run import crosspro


@pytest.fixture(autouse=True)
def registered():
    with mock.patch.dict(COMMANDS, lm="Train and query n-gram language models."):
        yield


def test_help_names_the_sub_commands():
    text = crosspro("lm", "--help").stdout.decode()
    for name in ("train", "query", "convert", COMMANDS["lm"]):
        assert name in text


def test_train_writes_both_forms(tmp_path):
    model, arpa = tmp_path / "b.lm", tmp_path / "b.arpa.gz"
    result = crosspro("lm", "train", CASES / "b.txt.xz", "-n", 3, "-o", model, "--arpa", arpa)
    assert result.code == 0, result.stderr
    assert b"3-grams: 14,931  D1=" in result.stderr
    assert b"3-gram model of 24,124 words in 3,000 sentences" in result.stderr
    expected = read_entries(CASES / "b.3gram.arpa.xz")
    assert_same(entries_of(load_own(model)), expected)
    assert_same(entries_of(load_own(arpa)), expected)


def test_cut_offs_and_fallback(tmp_path):
    common = ("lm", "train", CASES / "odd.txt", "--skip-symbols", "--discount-fallback")
    cut = tmp_path / "cut.arpa"
    result = crosspro(*common, "-n", 5, "-o", cut, "--prune", "0 1 2", "--memory", "1M")
    assert result.code == 0, result.stderr
    assert b"4-grams: 1  D1=0.5 D2=1 D3+=1.5 (fallback)" in result.stderr
    assert_same(
        entries_of(load_own(cut)), read_entries(CASES / "odd.5gram.fallback.prune_0_1_2.arpa")
    )
    one = tmp_path / "one.arpa"
    assert crosspro(*common, "-n", 1, "-o", one, "--fallback", "0.4,0.8").code == 0
    assert_same(read_entries(one), read_entries(CASES / "odd.1gram.fallback_0.4_0.8.arpa"))


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
    result = crosspro("lm", "query", model, data, "--task", "en-fr", "--per-word")
    assert result.stdout.startswith(b"elle=3 2 ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-n", 9], "order: expected 1 to 7, found 9"),
        (["--prune", "1 x"], "prune: expected numbers with spaces between, found '1 x'"),
        (["--memory", "lots"], "memory: expected a size such as 500M or 2G, found 'lots'"),
        (["-n", 3], "--discount-fallback"),
        (["-n", 7], "choose an order of 6 or less"),
        (["--task", "xx"], "xx"),
    ],
)
def test_train_explains_what_is_wrong(tmp_path, arguments, message):
    model = tmp_path / "model"
    result = crosspro("lm", "train", CASES / "tiny.txt", "-o", model, *arguments)
    assert result.code == 2
    assert message in result.stderr.decode()
    assert not model.exists()


def test_query_prints_words_sentences_and_totals(tmp_path):
    text = tmp_path / "text"
    text.write_text("only one qui\n\n")
    model = CASES / "tiny.3gram.fallback.arpa"
    result = crosspro("lm", "query", model, text, "--per-word")
    lines = result.stdout.decode().splitlines()
    assert lines[0].split("\t")[:3] == [
        "only=3 2 -0.22792287",
        "one=4 3 -0.09917787",
        "qui=0 1 -1.6812413",
    ]
    assert lines[0].endswith("OOV: 1")
    assert lines[1].startswith("</s>=2 1 -1.0377886\tTotal: -1.037789 OOV: 0")
    assert lines[-4:] == ["OOVs:\t1", "Tokens:\t5", "Sentences:\t2", lines[-1]]
    plain = crosspro("lm", "query", model, text).stdout.decode().splitlines()
    assert plain[0] == lines[0].split("\t")[-1]
    output = tmp_path / "out"
    assert crosspro("lm", "query", model, text, "--summary", "-o", output).code == 0
    assert output.read_text().splitlines() == plain[2:]
    assert plain[2].startswith("Perplexity including OOVs:\t")


def test_query_explains_what_is_wrong(tmp_path):
    model = CASES / "tiny.3gram.fallback.arpa"
    (tmp_path / "empty").write_text("")
    empty = crosspro("lm", "query", model, tmp_path / "empty", "-o", tmp_path / "out")
    assert empty.code == 2
    assert b"at least one sentence" in empty.stderr
    assert not (tmp_path / "out").exists()
    assert crosspro("lm", "query", tmp_path / "none", CASES / "tiny.txt").code == 2
    engine = crosspro("lm", "query", model, CASES / "tiny.txt", "--backend", "x")
    assert b"expected one of own, kenlm" in engine.stderr


def test_train_needs_something_to_write(tmp_path):
    arpa = tmp_path / "x.arpa"
    train = ("lm", "train", CASES / "tiny.txt", "-n", 3, "--discount-fallback")
    assert b"-o MODEL or --arpa FILE" in crosspro(*train).stderr
    assert crosspro(*train, "--arpa", arpa).code == 0
    assert_same(read_entries(arpa), read_entries(CASES / "tiny.3gram.fallback.arpa"))


def test_convert_goes_both_ways(tmp_path):
    arpa = CASES / "odd.4gram.fallback.arpa"
    assert crosspro("lm", "convert", arpa, "-o", tmp_path / "odd.lm").code == 0
    assert crosspro("lm", "convert", tmp_path / "odd.lm", "-o", tmp_path / "odd.arpa.xz").code == 0
    assert read_entries(tmp_path / "odd.arpa.xz") == read_entries(arpa)
