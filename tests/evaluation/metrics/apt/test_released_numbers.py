"""The released tool's numbers: scores, counts by case, and the case of every pronoun."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.inputs.mt_input import InputPaths, read_input
from crosspro.evaluation.inputs.pronoun_lists import Equivalent, PronounLists, load_lists
from crosspro.evaluation.metrics.apt.metric import Apt, case_counts
from crosspro.evaluation.metrics.apt.settings import AptSettings
from tests.conftest import GOLDEN, SHARED_DATA

FOLDER = GOLDEN / "apt"
UNREPAIRED = AptSettings(repair=False)


def read_groups(name):
    lines = (FOLDER / name).read_text("utf-8").splitlines()
    return tuple(tuple(word.strip() for word in line.split(",")) for line in lines)


LISTS = PronounLists(
    "released", "en", "fr", *(sum(read_groups(name), ()) for name in ("list_src", "list_tgt")),
    identical=read_groups("equal"), equivalent=tuple(map(Equivalent, read_groups("similar"))),
)  # fmt: skip
PATHS = InputPaths(
    FOLDER / "src.en", FOLDER / "ref.fr", (FOLDER / "mt.fr",),
    FOLDER / "ref.align", (FOLDER / "mt.align",),
)  # fmt: skip
CASES = {
    "basic": (UNREPAIRED, LISTS),
    "drop56": (replace(UNREPAIRED, discard=frozenset({5, 6})), LISTS),
    "heur": (AptSettings(heuristics="released"), LISTS),
    "hyphen": (UNREPAIRED, replace(LISTS, target_separator="-")),
    "nolists": (UNREPAIRED, replace(LISTS, identical=(), equivalent=())),
    "position": (UNREPAIRED, LISTS),
    "w2_0": (replace(UNREPAIRED, weights=(1, 0, 0, 0, 0, 0)), LISTS),
}


@pytest.mark.parametrize("name", CASES)
def test_scores_and_cases(name):
    settings, lists = CASES[name]
    tokens = FOLDER / "positions" if name == "position" else None
    if tokens:  # the tool takes any word at these positions
        lists = replace(lists, source_pronouns=())
    evaluation = evaluate(Apt(settings), read_input(replace(PATHS, tokens=tokens), lists))
    score, _, _, counts, *_ = (FOLDER / name / "out.score").read_text("utf-8").splitlines()
    assert evaluation.systems[0].scores["apt"].value == pytest.approx(
        float(score.removeprefix("Score: ")), abs=5e-5
    )
    occurrences = evaluation.scored.items[0]
    used = [case_counts(occurrences)[case - 1] for case in settings.used]
    assert used == [int(n) for n in counts.removeprefix("Findings per case: ").split(",")]
    rows = [
        line.split("\t") for line in (FOLDER / name / "out.detail").read_text("utf-8").splitlines()
    ]
    assert [(one.anchor.sentence, one.anchor.position, one.case) for one in occurrences] == [
        (int(row[0]), int(row[1]), int(row[-1])) for row in rows[1:]
    ]


@pytest.mark.parametrize(
    ("lists", "settings", "counts"),
    [
        ("en-fr-undivided", UNREPAIRED, (515, 76, 799, 23, 182, 9)),
        ("en-fr-undivided", AptSettings(heuristics="released"), (527, 85, 778, 23, 182, 9)),
        ("en-fr", AptSettings(heuristics="released"), (532, 88, 770, 23, 182, 9)),
        ("en-fr", UNREPAIRED, (520, 79, 791, 23, 182, 9)),
        ("en-fr-undivided", AptSettings(), (527, 88, 801, 21, 162, 5)),
        ("en-fr", AptSettings(), (536, 92, 791, 21, 159, 5)),
    ],
)
def test_counts_on_news(lists, settings, counts):
    """The first three are those of the tool; the paper's repair finds more pronouns."""
    folder = SHARED_DATA / "news_mt"
    if not folder.is_dir():
        pytest.skip("the news text is not here")
    paths = InputPaths(
        folder / "mt-output.en.xz",
        folder / "pronoun-test.tok.fr.xz",
        (folder / "mt-output.fr.xz",),
        folder / "pronoun-test.tok.en-fr.alig.xz",
        (folder / "mt-output.en-fr.alig.xz",),
        lenient=True,
    )
    data = read_input(paths, load_lists(lists))
    assert tuple(case_counts(evaluate(Apt(settings), data).scored.items[0])) == counts
