"""The n-gram baseline and the source-aware model as systems.

Lines as a language model reads them: the words of the parts between gaps, by number.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.baselines.fill import GapFiller, task_fillers, words_near_gaps
from crosspro.baselines.ngram_system import NGramSystem
from crosspro.baselines.source_aware import SourceAwareLM
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.pipeline.sets.splits import Splits
from crosspro.prediction.fit_and_score import fit_and_score
from crosspro.prediction.output import predicted
from crosspro.prediction.system import load_system
from tests.examples import example_of
from tests.integration.training import SMALL, train

TASK = load_task("en-fr")


@pytest.fixture(scope="module")
def data():
    return demo_examples(TASK, "train", 60), demo_examples(TASK, "dev", 20)


def test_a_model_over_lemmas_finds_no_plural_pronoun(data):
    """As the papers say of the baseline: recall 0 for ils and elles (004 Table 12)."""
    system = NGramSystem(order=3)
    system.fit(TASK, *data)
    found = {TASK.classes[index] for index in system.predict(data[1]).argmax(axis=1)}
    gold = {gap.label for example in data[1] for gap in example.gaps}
    assert {"ils", "elles"} <= gold
    assert not {"ils", "elles"} & found
    assert {"il", "elle", "ce"} <= found


def test_the_penalty_is_tuned_on_dev_and_the_whole_grid_reported(data):
    system = NGramSystem(order=3)
    system.fit(TASK, *data)
    grid = {row["none_penalty"]: row["macro_recall"] for row in system.report.figures["grid"]}
    assert list(grid) == [0, -0.5, -1, -1.5, -2, -2.5, -3, -3.5, -4]
    assert grid[system.penalty] == max(grid.values()) == system.report.figures["score"]
    fixed = NGramSystem(order=3, none_penalty=-1.0)
    fixed.fit(TASK, *data)
    assert (fixed.penalty, fixed.report) == (-1.0, None)


def labels(examples):
    return [gap.label for example in examples for gap in example.gaps]


def lines_of_two(examples):
    """Lines joined by twos, so that there are gaps to be filled together."""
    joined = []
    for one, other in zip(examples[::2], examples[1::2], strict=True):
        start, before = len(one.target), len(one.source)
        moved = [
            replace(gap, position=gap.position + start, source_index=gap.source_index + before)
            for gap in other.gaps
        ]
        joined.append(
            example_of(
                one.source + other.source, one.target + other.target, (), (*one.gaps, *moved)
            )
        )
    return joined


OTHERS = ["le", "la", "un", "cela", "qui", "tout", "y", "en", "se", "on", "me", "te"]


def test_the_baseline_decides_by_the_best_filling_as_the_fill_command(data, tmp_path):
    train, dev = (lines_of_two(part) for part in (data[0], data[1][: len(data[1]) // 2 * 2]))
    system = NGramSystem(order=3, none_penalty=-2.0, other_fillers=OTHERS)
    system.fit(TASK, train, dev)
    fillers = task_fillers(TASK, OTHERS)
    filled = GapFiller(system.model, fillers, -2.0).fill(dev)
    expected = [fillers.classes[choice] for choices in filled for choice in choices]
    assert labels(predicted(system, dev).labelled()) == expected
    system.save(tmp_path)
    assert (load_system(tmp_path).decide(dev) == system.decide(dev)).all()


def test_both_published_variants_are_reported_even_if_the_best_penalty_is_0(data, tmp_path):
    dev = [one for one in data[1] if all(gap.label == "OTHER" for gap in one.gaps)]
    system = NGramSystem(order=3)
    outcome = fit_and_score(TASK, system, Splits(data[0], dev, {"test": data[1]}), tmp_path)
    assert system.penalty == 0
    names = outcome.evaluations["test"].names
    assert names == ["baseline-tuned seed 1", "baseline0"]
    assert (tmp_path / "test.baseline0.submission.data").is_file()
    assert outcome.run.variants.keys() == {"baseline0"}


def test_the_experiment_stands_beside_its_published_rows(tmp_path):
    result = train(tmp_path / "run", "experiment=baseline", "task=en-fr", *SMALL)
    assert result.returncode == 0, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    assert [row for row in rows if "published" in row] == [
        ["2016,", "published", "baseline-1", "50.85", "53.35"],
        ["2016,", "published", "baseline0", "46.98", "52.01"],
        ["2017,", "published", "baseline-1.5", "37.05", "48.07"],
        ["2017,", "published", "baseline0", "36.31", "48.62"],
    ]
    assert rows.count(["uniform", "12.50", "12.50"]) == 2
    assert any(row[:5] == ["test", "baseline-tuned", "seed", "1,", "penalty"] for row in rows)


@pytest.mark.parametrize("variant", ["joined", "before"])
def test_a_source_aware_model_takes_the_best_path_through_a_line(data, variant):
    train, dev = (lines_of_two(part) for part in (data[0], data[1][:12]))
    system = SourceAwareLM(order=4, variant=variant)
    system.fit(TASK, train, dev)
    found = iter(system.decide(dev).tolist())
    for example in dev:
        ways = list(itertools.product(TASK.classes, repeat=len(example.gaps)))[:5000]
        lines = [system.marked(with_classes(example, way)) for way in ways]
        best = ways[int(np.argmax(np.round(system.model.log10(lines), 6)))]
        assert [TASK.classes[next(found)] for _ in example.gaps] == list(best)


def with_classes(example, classes):
    gaps = zip(example.gaps, classes, strict=True)
    return replace(example, gaps=tuple(replace(gap, label=label) for gap, label in gaps))


def test_a_source_aware_model_tells_polite_german_pronouns_from_others():
    task = load_task("de-en")
    target = ("REPLACE_0", "come|VERB")

    def line(word, label):
        return example_of((word, "kommen"), target, ((0, 0),), (Gap(0, 0, label, label),))

    train = [line("Sie", "you"), line("sie", "they")] * 20
    system = SourceAwareLM(order=3)
    system.fit(task, train, train)
    blind = [line("Sie", None), line("sie", None)]
    assert [task.classes[index] for index in system.decide(blind)] == ["you", "they"]


@pytest.mark.parametrize("penalty", ["1" + "0" * 400, '"much"'])
def test_a_damaged_penalty_is_refused(penalty, data, tmp_path):
    system = NGramSystem(order=2, none_penalty=0.0)
    system.fit(TASK, *data)
    system.save(tmp_path / "run")
    (state,) = (tmp_path / "run").rglob("ngram.json")
    state.write_text(f'{{"penalty": {penalty}}}')
    with pytest.raises(InputError, match=r"ngram\.json"):
        load_system(tmp_path / "run")


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=12), min_size=1), st.integers(0, 3))
def test_near_gaps_are_the_words_before_and_after_them(parts, reach):
    for number, (words, kept) in enumerate(zip(parts, words_near_gaps(parts, reach), strict=True)):
        places = range(len(words))
        after = [place for place in places if number and place < reach]
        last = number == len(parts) - 1
        before = [place for place in places if not last and place >= len(words) - reach]
        assert kept == [words[place] for place in sorted({*after, *before})]
