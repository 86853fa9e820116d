"""A metric of forty lines, as the tutorial shows it, and what the house makes of it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.metric import Display, Group, Items, Metric
from crosspro.evaluation.report.page import evaluation_page
from crosspro.evaluation.report.records import json_report
from crosspro.evaluation.report.tables import text_report
from crosspro.evaluation.resampling import Resampling, Units, ratio


@dataclass(frozen=True)
class Texts:
    """Lines of a reference and of candidates, and the document of each line."""

    reference: list[str]
    candidates: dict[str, list[str]]
    documents: list[str] | None = None


@dataclass(frozen=True)
class Words:
    """The words that are looked for."""

    words: tuple[str, ...] = ("il", "elle")


class WordRecall(Metric[Words, Texts, Counter]):
    """How many of some words of the reference are on the same line of the candidate."""

    name = "word_recall"
    display = Display("Recall of words", counts=("words",), group="word")

    def items(self, data):
        lines = range(len(data.reference))
        return Items(
            data,
            tuple(data.candidates),
            tuple([Counter(line.split()) for line in text] for text in data.candidates.values()),
            Units.choose(document=data.documents, line=lines),
            f"{len(lines)} lines",
        )

    def statistics(self, items, candidate):
        return self._of(items, candidate, self.settings.words)

    def score(self, sums):
        return {"recall": 100 * ratio(sums["matched"], sums["words"])}

    def counts(self, items, candidate):
        return {
            "words": self.statistics(items, candidate)["words"],
            "empty": [not line for line in items.values[candidate]],
        }

    def groups(self, items):
        for word in self.settings.words:
            yield Group("word", word, statistics=lambda place, w=word: self._of(items, place, (w,)))
        yield Group("half", "first", np.arange(items.size) < items.size // 2)

    def _of(self, items, candidate, words):
        references = [Counter(line.split()) for line in items.data.reference]
        pairs = list(zip(references, items.values[candidate], strict=True))
        return {
            "matched": [sum(min(a[word], b[word]) for word in words) for a, b in pairs],
            "words": [sum(a[word] for word in words) for a, _ in pairs],
        }


REFERENCE = ["il dort", "elle dort", "il voit elle", "rien"] * 5
GOOD = ["il dort", "elle dort", "il voit il", "rien"] * 5
BAD = ["il dort", "il dort", "il voit", ""] * 5
DOCUMENTS = [name for name in "abcdefghij" for _ in range(2)]
PLAN = Resampling(200, 1)


def texts(documents=DOCUMENTS, **candidates):
    return Texts(REFERENCE, candidates or {"good": GOOD, "bad": BAD}, documents)


@pytest.fixture(scope="module")
def result():
    return evaluate(WordRecall(Words()), texts(), PLAN)


def test_scores_counts_and_groups(result):
    good, bad = result.candidates
    assert (good.scores["recall"].value, bad.scores["recall"].value) == (75, 50)
    assert good.scores["recall"].low < 75 < good.scores["recall"].high
    assert bad.counts == {"words": 20, "empty": 5}
    values = {group.group: group.scores["recall"].value for group in bad.groups}
    assert values == {"il": 100, "elle": 0, "first": 50}
    assert bad.groups[2].counts["words"] == 10


def test_pairs_are_compared(result):
    (test,) = result.comparisons
    assert (test.first, test.second, test.difference) == ("good", "bad", 25)
    assert test.low <= 25 <= test.high
    assert test.p_randomisation > 0.05 and not test.decidable  # five documents differ
    assert result.compare("bad", "good").difference == -25
    four = texts(**dict(zip("abcd", [BAD, GOOD, BAD, BAD], strict=True)))
    for baseline, pairs in ((None, ["ba", "bc", "bd"]), ("c", ["ac", "bc", "dc"])):
        tests = evaluate(WordRecall(Words()), four, PLAN, baseline).comparisons
        assert [test.first + test.second for test in tests] == pairs


def test_three_documents_cannot_decide():
    documents = ["a"] * 8 + ["b"] * 8 + ["c"] * 4
    result = evaluate(WordRecall(Words()), texts(documents), PLAN)
    (test,) = result.comparisons
    assert (test.differing, test.decidable, test.significant) == (3, False, False)
    assert "too few documents: 3" in text_report(result)
    assert len(result.warnings) == 1


def test_all_outputs_are_there(result):
    text = text_report(result)
    assert result.signature in text
    assert "75.00 [" in text and "good - bad" in text
    assert str(result) == text.rstrip("\n")
    assert repr(result) == "<word_recall recall: good 75.00, bad 50.00>"
    content = json.loads(json_report(result), parse_constant=pytest.fail)
    assert content["candidates"][1]["scores"]["recall"]["value"] == 50
    assert content["settings"] == {"words": ["il", "elle"]}
    page = evaluation_page(result)
    assert result.signature in page and "75.00 [" in page
