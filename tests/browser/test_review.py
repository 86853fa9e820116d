"""People in a browser: two annotators by keyboard alone, a researcher, and the score at the end."""

from __future__ import annotations

import json
import re

import pytest

from crosspro.evaluation.human.items import items_text
from tests.browser.conftest import ReviewProcess
from tests.browser.legible import hard_to_read
from tests.conftest import ROOT
from tests.evaluation.human.sets import doubted_set
from tests.scripts.run import crosspro

QUICK = ("wide", "light")
"""What is tried in every run of the tests."""
SIZES = {"wide": (1280, 900), "narrow": (400, 800)}
IN_DOCS = {
    "review-question-wide-light.png",
    "review-question-narrow-dark.png",
    "review-progress-wide-light.png",
    "review-conflicts-wide-dark.png",
    "review-doubt-wide-light.png",
}


@pytest.fixture
def page(chromium):
    """A page on which every error of a script, and everything that is blocked, is a failure."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("request", lambda one: wrong.append(one.url) if "127.0.0.1" not in one.url else None)
    yield page
    context.close()
    assert [one for one in wrong if "409" not in one and "422" not in one] == []


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def heading(page) -> str:
    return page.locator("h1").inner_text()


def wait_for_heading(page, beginning: str) -> None:
    """Wait for the page that begins so; keys are of use when its script has run."""
    page.locator("h1", has_text=re.compile(f"^{beginning}")).wait_for()
    page.wait_for_load_state()


def wait_for_focus(page, selector: str) -> None:
    """Wait until the focus is there: browsers set it some time after the page has come."""
    page.wait_for_function("e => document.activeElement.matches(e)", arg=selector)


def judge(page, keys) -> None:
    """Answer one question by keyboard; the page that follows is another one."""
    anaphoric = page.locator("input[name=antecedent]").count()
    before = page.locator("form#answer").get_attribute("action")
    press(page, *keys, *(["4"] if anaphoric else []), "Enter")
    page.wait_for_function(
        "before => !document.querySelector('form#answer') || "
        "document.querySelector('form#answer').getAttribute('action') !== before",
        arg=before,
    )
    page.wait_for_load_state()  # keys before that are lost


def finish(page, link, keys=("1",)) -> int:
    """Judge all that is left, by keyboard alone."""
    page.goto(link)
    press(page, "Enter")  # begin, or go on
    page.wait_for_url("**/work")
    count = 0
    while count < 50:
        if page.locator("form#answer").count():
            judge(page, keys)
            count += 1
        elif "batch is done" in heading(page):
            press(page, "Enter")
            page.wait_for_url("**/work")
        else:
            break
    assert "All done" in heading(page)
    return count


def test_two_annotators_and_a_researcher(review, page, suite):
    # Anna begins by keyboard alone, judges a batch, and stops.
    page.goto(review.links["Anna"])
    assert heading(page) == "Instructions"
    assert page.locator(".prose strong").inner_text() == "marked pronoun"
    press(page, "Enter")
    page.wait_for_url("**/work")
    assert heading(page).startswith("Question 1")
    judge(page, ["1"])
    assert page.locator("[role=status]").inner_text() == "Saved."
    # Undo brings the question back with its answer; skip puts it off; a flag stays.
    press(page, "u")
    page.wait_for_url("**say=undone")
    assert page.locator("input[name=pronoun]:checked").count() == 0
    press(page, "f")
    page.wait_for_url("**say=flagged")
    press(page, "s")
    page.wait_for_url("**say=skipped**")
    assert heading(page).startswith("Question 2")
    # A comment, a tag, an alternative and other words, without a mouse.
    press(page, "2", "c")
    page.keyboard.type("does not agree")
    press(page, "Escape", "t", "Space", "ArrowRight", "Space", "a")
    page.keyboard.type("elle")
    press(page, "Escape", "w", "Space", "ArrowRight", "Space", "b", "b")
    if page.locator("input[name=antecedent]").count():
        press(page, "4")
    press(page, "c", "Enter")  # Enter saves from a field, too
    page.wait_for_url("**say=saved**")
    # She comes back later, after the server was started again, and goes on where she was.
    done = page.locator(".where p").inner_text()
    page.goto("about:blank")
    review.stop()
    review.start()
    page.goto(review.links["Anna"])
    press(page, "Enter")
    page.wait_for_url("**/work")
    assert page.locator(".where p").inner_text() == done
    left = finish(page, review.links["Anna"])
    # Ben finds everything wrong.
    assert finish(page, review.links["Ben"], ("2",)) == left + 1
    # The researcher sees who disagrees, and decides: everything is right.
    page.goto(review.links["researcher"])
    assert page.locator(".figures").inner_text().split()[:3] == ["6", "of", "6"]
    page.goto(review.links["researcher"] + "conflicts")
    conflicts = int(heading(page).split()[0])
    assert conflicts == 5  # on one of the six Anna said wrong as well
    for left in range(conflicts, 0, -1):
        wait_for_heading(page, f"{left} conflict")
        entry = page.locator("article").first
        for name in ("antecedent", "pronoun"):
            if entry.locator(f"input[name={name}]").count():
                entry.locator(f"input[name={name}][value=right]").check()
        entry.locator("button[type=submit]").click()
        page.wait_for_url("**say=decided")
    wait_for_heading(page, "0 conflicts")
    page.goto(review.links["researcher"] + "browse?status=flagged")
    assert heading(page) == "1 question"
    page.goto(review.links["researcher"] + "corrections")
    assert "elle" in page.locator("tbody").inner_text()
    # Exports, and the score while the server runs: 13 and 11 matches, and 5 of 6 found right.
    page.goto(review.links["researcher"] + "data")
    with page.expect_download() as download:
        page.get_by_text("Every verdict ever given").click()
    rows = [json.loads(line) for line in download.value.path().read_text("utf-8").splitlines()]
    kinds = [row["kind"] for row in rows]
    assert (kinds.count("decision"), kinds.count("withdrawn")) == (5, 1)
    with page.expect_download() as download:
        page.get_by_text("Review file of Ben").click()
    assert len(download.value.path().read_text("utf-8").splitlines()) == 7
    files = (suite / "suite.jsonl", "--candidate", suite / "old.fr", suite / "new.fr")
    links = ("--candidate-links", suite / "text.links") * 2
    store = ("--verdicts", suite / "v.sqlite", "--repair", "--layout", "json")
    scored = crosspro("protest", "score", *files, *links, *store)
    assert scored.code == 0, scored.stderr
    systems = json.loads(scored.stdout)["systems"]
    found = {one["name"]: one["counts"] for one in systems}
    nothing = {"silver": 0, "unclear": 0, "conflict": 0, "open": 0}
    assert found == {
        "old": {"tokens": 15, "matches": 13, "automatic": 13, "right": 1, "wrong": 1, **nothing},
        "new": {"tokens": 15, "matches": 11, "automatic": 11, "right": 4, "wrong": 0, **nothing},
    }
    values = [round(one["scores"]["semi-automatic"]["value"], 4) for one in systems]
    assert values == [0.9333, 1.0]


def test_links_are_drawn_and_words_follow_the_mouse(review, page):
    page.goto(review.links["Anna"])
    press(page, "Enter")
    page.wait_for_url("**/work")
    page.locator(".line.asked [data-side=source] .w").first.hover()
    assert page.locator("svg.links path").count() >= 1
    assert page.locator(".w.linked").count() >= 2
    page.mouse.move(5, 5)
    assert page.locator("svg.links").count() == 0
    page.locator("#keys").click()
    press(page, "Escape", "1")
    assert page.locator("input[name=pronoun]:checked").count() == 0
    page.reload()
    assert page.locator("#keys").inner_text() == "Shortcuts are off"


def test_pages_work_without_script(review, chromium):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(review.links["Anna"])
    page.locator("button.primary").click()
    page.locator("input[name=pronoun][value=right]").check()
    if page.locator("input[name=antecedent]").count():
        page.locator("input[name=antecedent][value=right]").check()
    page.locator("button.primary").click()
    wait_for_heading(page, "Question 2")
    assert page.locator("[role=status]").inner_text() == "Saved."
    context.close()


@pytest.mark.parametrize("review", [("--tutorial", "tutorial.jsonl")], indirect=True)
def test_what_comes_of_an_answer_is_where_the_focus_is(review, page):
    """A screen reader begins at the focus: with an error, or with what belongs to a link."""
    page.goto(review.links["Anna"])
    press(page, "Enter")
    page.wait_for_url("**/work")
    press(page, "Enter")  # without an answer
    page.wait_for_url("**/q/*")
    wait_for_focus(page, "[role=alert]")
    press(page, "1", "Enter")
    page.wait_for_selector(".feedback")
    wait_for_focus(page, "a[data-key=Enter]")
    described = page.locator(
        f"#{page.locator('a[data-key=Enter]').get_attribute('aria-describedby')}"
    )
    assert "Another answer was expected" in described.inner_text()
    assert "A house." in described.inner_text()
    assert page.locator("kbd", has_text="Enter").count() == 1  # a key that is shown does that
    press(page, "Enter")
    page.wait_for_url("**/work")
    assert heading(page).startswith("Question 1")


def test_letters_choose_in_a_list_and_do_not_turn_pages(review, page):
    page.goto(review.links["researcher"] + "browse")
    assert page.locator("a[data-key=n]").count() == 1
    page.locator("select[name=system]").focus()
    press(page, "n")
    assert page.locator("select[name=system]").input_value() == "new"
    page.wait_for_timeout(200)
    assert "page=" not in page.url
    press(page, "Escape", "n")
    page.wait_for_url("**page=2")


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        pytest.param(size, scheme, marks=() if (size, scheme) == QUICK else pytest.mark.slow)
        for size in SIZES
        for scheme in ("light", "dark")
    ],
)
def test_pages_fit_and_can_be_read_aloud(review, chromium, size, scheme, pictures):
    width, height = SIZES[size]
    context = chromium.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, device_scale_factor=1
    )
    page = context.new_page()
    finish(page, review.links["Ben"], ("2",))
    page.goto(review.links["Anna"])
    seen = {"instructions": review.links["Anna"]}
    press(page, "Enter")
    page.wait_for_url("**/work")
    judge(page, ["1"])
    seen["question"] = review.links["Anna"] + "work"
    seen |= {
        name: review.links["researcher"] + name
        for name in ("conflicts", "browse", "corrections", "data")
    }
    seen["progress"] = review.links["researcher"]
    for name, link in seen.items():
        page.goto(link)
        if name == "question":
            press(page, "1")
            page.locator("mark.pronoun").first.hover()
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{name} is {wide} pixels wide"
        unnamed = page.evaluate(
            """() => [...document.querySelectorAll('input:not([type=hidden]), select, button, a')]
               .filter(e => !(e.labels && e.labels.length && e.labels[0].innerText.trim())
                            && !e.innerText.trim() && !e.getAttribute('aria-label'))
               .map(e => e.outerHTML)"""
        )
        assert unnamed == []
        assert hard_to_read(page) == [], name
        assert page.locator("html[lang]").count() == 1
        file = f"review-{name}-{size}-{scheme}.png"
        if pictures is not None and (file in IN_DOCS or pictures.parent.name != "docs"):
            pictures.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=pictures / file, full_page=name != "browse")
    context.close()


def test_the_pictures_of_the_documentation_are_there():
    text = (ROOT / "docs" / "guides" / "review.md").read_text("utf-8")
    assert set(re.findall(r"images/(review-[\w-]+\.png)", text)) == IN_DOCS
    assert all((ROOT / "docs" / "images" / name).is_file() for name in IN_DOCS)


def test_doubtful_pronouns_are_confirmed_or_changed_by_one_key(page, tmp_path, pictures):
    pytest.importorskip("uvicorn", reason="needs the extra `review`: make extras EXTRAS=review")
    items = tmp_path / "doubts.jsonl"
    items.write_text(items_text(doubted_set([0.3, 0.9, 0.8])), "utf-8")
    served = ReviewProcess(tmp_path, "--items", items.name, "--judge", "Anna")
    try:
        page.goto(served.links["Anna"])
        press(page, "Enter")
        wait_for_heading(page, "Question 1")
        assert "Wrong with a chance of 90%" in page.locator("section.card").inner_text()
        assert page.locator("input[name=alternative]").input_value() == "Il"
        assert hard_to_read(page) == []
        if pictures is not None:
            page.screenshot(path=pictures / "review-doubt-wide-light.png", full_page=True)
        judge(page, ())
        judge(page, ("1",))
        judge(page, ("1",))
        shown = crosspro(
            *("protest", "review", "precision", items, "--verdicts", tmp_path / "v.sqlite")
        ).stdout.decode()
    finally:
        served.stop()
    (row,) = shown.splitlines()[2:]
    assert row.split()[:4] == ["3", "1", "2", "0"]
    assert row.split()[-1] == "1"
