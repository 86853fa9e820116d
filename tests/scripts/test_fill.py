"""The official baseline's outputs, and an exact search that is never worse."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosspro.baselines.fill import Fillers, GapFiller, task_fillers
from crosspro.baselines.ngram.arpa import read_arpa
from crosspro.baselines.official_search import official_filling
from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import is_placeholder, read_examples
from tests.conftest import GOLDEN
from tests.examples import example_of
from tests.scripts.run import crosspro

FOLDER = GOLDEN / "lm_baseline"
MODELS = {"en-fr": "toy.fr.arpa", "de-en": "toy.en.arpa"}
CASES = sorted(
    (path.parent.name, *path.name.split(".")[1:3]) for path in FOLDER.glob("*/expected.*.txt")
)


def run_case(pair, kind, penalty, *options):
    return crosspro("lm", "fill", FOLDER / pair / "input.tsv", "--task", pair, "--lm",
                    FOLDER / MODELS[pair], "--none-penalty", penalty.removeprefix("none"),
                    "--layout", kind, *options)  # fmt: skip


@pytest.mark.parametrize(("pair", "kind", "penalty"), CASES)
def test_the_official_search_writes_the_same(pair, kind, penalty):
    result = run_case(pair, kind, penalty, "--search", "official")
    expected = (FOLDER / pair / f"expected.{kind}.{penalty}.txt").read_text("utf-8")
    assert result.code == 0, result.stderr
    found = result.stdout.decode()
    if kind != "scores":
        assert found == expected
        return
    for ours, theirs in zip(found.splitlines(), expected.splitlines(), strict=True):
        if "ITEM" not in theirs:
            assert ours == theirs
            continue
        assert ours.split("\t")[:2] == theirs.split("\t")[:2]
        assert pairs(ours) == pairs(theirs)  # ties may be ordered differently


def pairs(line):
    items = line.split("\t")[2].split(" ")
    return sorted(zip(items[::2], items[1::2], strict=True))


@pytest.mark.parametrize("pair", MODELS)
@pytest.mark.parametrize("penalty", [0.0, -1.0, -2.0])
def test_the_exact_search_never_scores_worse(pair, penalty):
    task = load_task(pair)
    model, fillers = read_arpa(FOLDER / MODELS[pair]), task_fillers(task)
    examples = list(read_examples(FOLDER / pair / "input.tsv", task, lenient=True))
    for example, exact in zip(
        examples, GapFiller(model, fillers, penalty).fill(examples), strict=True
    ):
        official, _ = official_filling(model, fillers, penalty, example)
        words = [None if is_placeholder(token) else token for token in example.lemmas]
        ours, theirs = (score(model, fillers, words, way, penalty) for way in (exact, official))
        assert ours >= theirs - 1e-6


def score(model, fillers, target, choices, penalty):
    """The log10 score of a line with a filler in each gap, which are None in `target`."""
    chosen = iter(choices)
    words = [fillers.words[next(chosen)] if word is None else word for word in target]
    sentence = [word for word in words if word != "NONE"]
    return float(model.log10([sentence])[0]) + penalty * choices.count(len(fillers) - 1)


WORDS = ("il", "elle", "ce", "venir", "être", "ici", "xyz", "et")
FILLERS = Fillers(("il", "elle", "c'", "le", "NONE"), ("il", "elle", "ce", "OTHER", "OTHER"))
MODEL = read_arpa(FOLDER / "toy.fr.arpa")


def brute_force(target, penalty):
    ways = itertools.product(range(len(FILLERS)), repeat=target.count(None))
    return {way: score(MODEL, FILLERS, target, way, penalty) for way in ways}


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.one_of(st.sampled_from(WORDS), st.none()), max_size=12), max_size=4),
    st.sampled_from([0.0, -0.7]),
)
def test_the_search_equals_brute_force(targets, penalty):
    targets = [target for target in targets if target.count(None) <= 3]
    examples = []
    for target in targets:
        tokens = tuple(f"REPLACE_{i}" if w is None else f"{w}|X" for i, w in enumerate(target))
        gaps = tuple(Gap(i, 0) for i, word in enumerate(target) if word is None)
        examples.append(example_of(("x",), tokens or ("",), (), gaps))
    filler = GapFiller(MODEL, FILLERS, penalty)
    found, chances = filler.fill(examples), filler.probabilities(examples)
    row = 0
    for target, choices in zip(targets, found, strict=True):
        scores = brute_force(target, penalty)
        assert scores[choices] == pytest.approx(max(scores.values()), abs=1e-4)
        total = sum(10**score for score in scores.values())
        for gap in range(target.count(None)):
            expected = np.zeros(len(FILLERS))
            for chosen, score in scores.items():
                expected[chosen[gap]] += 10**score / total
            assert chances[row] == pytest.approx(expected, abs=1e-4)
            row += 1


def test_thousands_of_gaps_on_a_line_are_filled(tmp_path):
    source, target = " ".join(["it", "is"] * 1500), " ".join(["REPLACE_0", "est"] * 1500)
    (tmp_path / "x.data").write_text(f"il\til\t{source}\t{target}\t\n")
    for options in ((), ("--search", "official")):
        result = crosspro("lm", "fill", tmp_path / "x.data", "--task", "en-fr", "--lm",
                          FOLDER / MODELS["en-fr"], *options)  # fmt: skip
        assert result.code == 0, result.stderr
        assert len(result.stdout.decode().split("\t")[0].split(" ")) == 1500
