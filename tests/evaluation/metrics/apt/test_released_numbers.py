"""The released tool's numbers: scores, counts by case, and the case of every pronoun."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.metrics.apt.metric import Apt, AptSettings
from crosspro.evaluation.pronouns import Equivalent, PronounLists, load_lists, read_tokens
from tests.conftest import GOLDEN, SHARED_DATA
from tests.evaluation.metrics.apt.texts import case_counts, linked_files

FOLDER = GOLDEN / "apt"
NEWS = SHARED_DATA / "news_mt"


def read_groups(name):
    lines = (FOLDER / name).read_text("utf-8").splitlines()
    return tuple(tuple(word.strip() for word in line.split(",")) for line in lines)


TEXTS = linked_files(
    *(FOLDER / name for name in ("src.en", "ref.fr", "mt.fr", "ref.align", "mt.align"))
)
TOKENS = tuple(read_tokens(FOLDER / "positions"))
LISTS = PronounLists(
    *(sum(read_groups(name), ()) for name in ("list_src", "list_tgt")),
    "released", "en", "fr",
    identical=read_groups("equal"), equivalent=tuple(map(Equivalent, read_groups("similar"))),
)  # fmt: skip
ANY_WORD = replace(
    LISTS,
    source_pronouns=tuple(
        {TEXTS.linked.source[line][position].lower(): None for line, position in TOKENS}
    ),
)
"""The tool takes any word at given positions."""
PLAIN = AptSettings(repair="off", pronouns=LISTS)
CASES = {
    "basic": PLAIN,
    "drop56": replace(PLAIN, discard=frozenset({5, 6})),
    "heur": replace(PLAIN, repair="released"),
    "hyphen": replace(PLAIN, pronouns=replace(LISTS, target_separator="-")),
    "nolists": replace(PLAIN, pronouns=replace(LISTS, identical=(), equivalent=())),
    "position": replace(PLAIN, tokens=TOKENS, pronouns=ANY_WORD),
    "w2_0": replace(PLAIN, weights=(1, 0, 0, 0, 0, 0)),
}


@pytest.mark.parametrize("name", CASES)
def test_scores_and_cases(name):
    settings = CASES[name]
    evaluation = evaluate(Apt(settings), TEXTS, None)
    score, _, _, counts, *_ = (FOLDER / name / "out.score").read_text("utf-8").splitlines()
    assert evaluation.scores["mt"]["apt"].value == pytest.approx(
        100 * float(score.removeprefix("Score: ")), abs=5e-3
    )
    occurrences = evaluation.items.values[0]
    used = [
        number
        for case, number in enumerate(case_counts(occurrences), start=1)
        if case not in settings.discard
    ]
    assert used == [int(n) for n in counts.removeprefix("Findings per case: ").split(",")]
    rows = [
        line.split("\t") for line in (FOLDER / name / "out.detail").read_text("utf-8").splitlines()
    ]
    assert [
        (occurrence.anchor.line, occurrence.anchor.position, occurrence.case)
        for occurrence in occurrences
    ] == [(int(row[0]), int(row[1]), int(row[-1])) for row in rows[1:]]


@pytest.fixture(scope="module")
def news():
    if not NEWS.is_dir():
        pytest.skip("the news text is not here")
    names = (
        *("mt-output.en", "pronoun-test.tok.fr", "mt-output.fr"),
        *("pronoun-test.tok.en-fr.alig", "mt-output.en-fr.alig"),
    )
    return linked_files(*(NEWS / f"{name}.xz" for name in names))


@pytest.mark.parametrize(
    ("lists", "repair", "counts"),
    [
        ("en-fr-undivided", "off", [515, 76, 799, 23, 182, 9]),
        ("en-fr-undivided", "released", [527, 85, 778, 23, 182, 9]),
        ("en-fr", "released", [532, 88, 770, 23, 182, 9]),
        ("en-fr", "off", [520, 79, 791, 23, 182, 9]),
        ("en-fr-undivided", "paper", [527, 88, 801, 21, 162, 5]),
        ("en-fr", "paper", [536, 92, 791, 21, 159, 5]),
    ],
)
def test_counts_on_news(news, lists, repair, counts):
    """The first three are those of the tool; the paper's repair finds more pronouns."""
    metric = Apt(AptSettings(repair=repair, pronouns=load_lists(lists)))
    assert case_counts(metric.items(news).values[0]) == counts
