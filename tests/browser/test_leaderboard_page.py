"""The page of `crosspro leaderboard` in a browser: sorting, filters, tests, phones, attacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.leaderboard.boards import PLAN, make_boards
from crosspro.evaluation.leaderboard.evidence import differences, evidence_of
from crosspro.evaluation.leaderboard.page import leaderboard_page
from crosspro.evaluation.leaderboard.record import (
    MakingStep,
    Record,
    TrainingText,
    published_records,
    read_record,
    read_records,
)
from tests.browser.legible import hard_to_read
from tests.browser.test_hostile_text import ATTACKS, look_at_everything, shown_words, watched
from tests.conftest import ROOT
from tests.evaluation.leaderboard.small_board import write_small_board
from tests.evaluation.leaderboard.test_ranking import write_systems

IN_DOCS = {1280: "leaderboard-1280.png", 400: "leaderboard-400.png"}


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    return write_small_board(tmp_path_factory.mktemp("small") / "results")


def write_page(results: Path, records: Sequence[Record] = ()) -> Path:
    own = records or read_records(results)
    boards = make_boards((*own, *published_records()), results)
    path = results.parent / "page.html"
    path.write_text(leaderboard_page(boards), "utf-8")
    return path


@pytest.fixture
def opened(chromium, results):
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(write_page(results).as_uri())
    yield page
    context.close()
    assert faults == []


def control(page, name, board="prediction"):
    return page.locator(f"#{board}").get_by_label(name, exact=True)


def titles(page, board="prediction"):
    return page.locator(f"#{board} tbody .title").all_inner_texts()


def test_rows_are_sorted_and_filtered(opened):
    control(opened, "whose").select_option("own")
    assert titles(opened) == ["both system", "ours system"]
    opened.get_by_role("button", name="macro recall").first.click()
    assert titles(opened) == ["ours system", "both system"]
    assert opened.locator("#prediction th[aria-sort=ascending]").inner_text() == "macro recall"
    opened.keyboard.press("Enter")  # the heading has kept the focus
    assert titles(opened) == ["both system", "ours system"]
    control(opened, "whose").select_option("")
    control(opened, "kind").select_option("ensemble")
    assert titles(opened) == ["both system"]
    control(opened, "kind").select_option("")
    control(opened, "learnt from").select_option("TED")
    assert titles(opened) == ["weak system"]
    control(opened, "learnt from").select_option("")
    control(opened, "year").select_option("2016")
    control(opened, "search").fill("THEIRS system")
    assert titles(opened) == ["theirs system"]
    assert opened.locator("#prediction [role=status]").first.inner_text().startswith("1 of ")


def test_scores_follow_the_test_set(opened):
    control(opened, "search").fill("weak")
    before = opened.locator("#prediction tr.row .plain").first.inner_text()
    control(opened, "test set").select_option("news")
    assert opened.locator("#prediction tr.row .plain").first.inner_text() != before


def test_a_row_opens_and_is_tested_against_another(opened, results):
    opened.get_by_role("button", name="weak system").press("Enter")
    details = opened.locator("tr.details")
    details.locator("table.matrix").wait_for()
    assert "crosspro reproduce en-de/weak" in details.inner_text()
    assert "0123abc" in details.inner_text()
    choice = details.get_by_label("this row less")
    options = choice.locator("option").all_inner_texts()
    assert len(options) == 4  # three other rows with labels
    choice.select_option(str([one.endswith("theirs system") for one in options].index(True) - 1))
    told = details.locator("[role=status]").inner_text()
    task, both = load_task("en-de"), []
    for name in ("weak", "theirs"):
        record = read_record(results / "en-de" / f"{name}.json")
        both.append(next(s for s in evidence_of(record, task, results) if s.name == "pooled"))
    macro = differences(*both, task, PLAN)[0]
    value = f"{abs(macro.difference):.2f}"
    assert f"macro recall: −{value} [" in told
    p = float(told.split("p ")[1].split("\n")[0].replace("< ", ""))
    assert p == pytest.approx(macro.p_randomisation, abs=0.03)
    assert "5,000 samples" in told
    choice.select_option("")
    choice.select_option(str([one.endswith("theirs system") for one in options].index(True) - 1))
    assert details.locator("[role=status]").inner_text() == told
    choice.press("Escape")
    assert opened.locator("tr.details").count() == 0


def test_mt_systems_have_ranks_and_are_tested(chromium, tmp_path):
    results = tmp_path / "results"
    write_systems(results, "pronoun_f1")
    page = chromium.new_page(viewport={"width": 400, "height": 900})
    page.goto(write_page(results).as_uri() + "#translations/poor")
    details = page.locator("tr.details")
    choice = details.get_by_label("this row less")
    choice.wait_for()
    assert choice.locator("option").count() == 4  # three others have evidence
    choice.select_option("0")
    assert "pronoun F1: −60.00 [−60.00, −60.00], p < 0.001" in details.inner_text()
    assert "poor less good on toy" in details.inner_text()
    ranks = page.locator("#translations tr.row td[data-label=rank]").all_inner_texts()
    assert ranks == ["1", "2", "3–4", "–", "3–4"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert hard_to_read(page) == []
    control(page, "sort by", "translations").select_option("rank")
    assert titles(page, "translations")[:2] == ["good", "fair"]
    page.close()


def test_tabs_and_addresses(opened):
    opened.get_by_role("tab", name="Prediction").focus()
    opened.keyboard.press("ArrowRight")
    assert titles(opened, "translations") == ["mt/a", "mt/b"]
    opened.keyboard.press("ArrowRight")
    assert titles(opened, "metrics") == ["metric x"]
    opened.locator(".overview a", has_text="theirs system").click()
    assert opened.get_by_role("tab", name="Prediction").get_attribute("aria-selected") == "true"
    assert opened.locator("tr.details h3").inner_text() == "theirs system"


def test_a_browser_that_cannot_unpack_says_so(chromium, results):
    page = chromium.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto(write_page(results).as_uri() + "#en-de/weak")
    page.get_by_text("cannot unpack").wait_for()
    page.close()


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_it_can_be_read(chromium, results, width, colours, pictures):
    context = chromium.new_context(viewport={"width": width, "height": 1000}, color_scheme=colours)
    page = context.new_page()
    if pictures is not None and colours == "light" and (ROOT / "results").is_dir():
        recorded = read_records(ROOT / "results")
        boards = make_boards((*recorded, *published_records()), ROOT / "results")
        path = results.parent / "real.html"
        path.write_text(leaderboard_page(boards), "utf-8")
        page.goto(path.as_uri())
        pictures.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=pictures / IN_DOCS[width])
    page.goto(write_page(results).as_uri() + "#en-de/ours")
    page.locator("table.matrix").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert hard_to_read(page) == []
    context.close()


def hostile(record: Record, attack: str) -> Record:
    """A record in which every free word is an attack, as a stranger's may be."""
    return replace(
        record,
        title=attack,
        system=attack,
        text=TrainingText(attack, attack, 5, (attack,)),
        commit=attack,
        configuration=(attack,),
        environment={attack: attack},
        steps=(MakingStep(attack, (attack,), (attack,)),),
        members=(attack,),
        digests={attack: attack},
        source=attack,
        notes=(attack,),
    )


def test_words_that_attack_the_page_are_words(chromium, results, tmp_path):
    own = read_records(results)
    for start in range(0, len(ATTACKS), len(own)):
        attacks = [ATTACKS[(start + place) % len(ATTACKS)] for place in range(len(own))]
        records = [hostile(*pair) for pair in zip(own, attacks, strict=True)]
        path = write_page(results, records)
        with watched(chromium, "file:") as shown:
            for record, attack in zip(records, attacks, strict=True):
                shown.goto(f"{path.as_uri()}#{record.name}")
                shown.reload()  # another place of the same page alone loads nothing
                shown.locator("tr.details dl").first.wait_for()
                look_at_everything(shown)
                assert attack in shown_words(shown)


def test_the_pictures_of_the_documentation_are_there():
    text = (ROOT / "docs" / "results" / "leaderboard.md").read_text("utf-8")
    for name in IN_DOCS.values():
        assert f"(../images/{name})" in text
        assert (ROOT / "docs" / "images" / name).stat().st_size < 300_000
