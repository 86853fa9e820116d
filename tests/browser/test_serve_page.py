"""The page in a real browser: a pair is typed, a pronoun clicked, and bars are seen.

`SCREENSHOTS=docs/images pytest tests/browser` also writes the picture of docs/guides/serve.md.
"""

from __future__ import annotations

import signal

import pytest

from tests.browser.legible import hard_to_read
from tests.scripts.servers.prediction.conftest import HOUSE, small_systems
from tests.scripts.test_serve import start

pytest.importorskip("fastapi", reason="the extra review is not installed (fastapi)")
playwright = pytest.importorskip(
    "playwright.sync_api", reason="needs playwright: make extras EXTRAS=review,browser"
)

IN_DOCS = "serve-wide-light.png"
EVIL = "<img src=x onerror=document.title='owned'>"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    systems = small_systems()
    folder = tmp_path_factory.mktemp("runs")
    for name, system in systems.items():
        system.save(folder / name)
    process, found = start(*(folder / name for name in systems))
    assert found, process.communicate()[1]
    yield found
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


@pytest.fixture
def page(chromium, address, request):
    """A page of a width and colours; whatever its console complains about is a fault."""
    width, colours = getattr(request, "param", (1280, "light"))
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=colours)
    shown = context.new_page()
    faults = []
    shown.on("console", lambda told: faults.append(told.text)
             if told.type == "error" and "status of 422" not in told.text else None)  # fmt: skip
    shown.on("pageerror", lambda error: faults.append(str(error)))
    shown.on("request", lambda one: None if one.url.startswith((address, "data:"))
             else faults.append(one.url))  # fmt: skip
    shown.goto(address)
    playwright.expect(shown.locator("#about")).to_contain_text("classes")
    yield shown
    context.close()
    assert faults == []


def picture(page, pictures, name):
    """What `name` shows, for people; docs/guides/serve.md has one of them."""
    size = "wide" if page.viewport_size["width"] > 1000 else "narrow"
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    file = f"{name}-{size}-{'dark' if dark else 'light'}.png"
    if pictures is not None and (file == IN_DOCS or pictures.parent.name != "docs"):
        pictures.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=pictures / file, full_page=True)


def type_pair(page, pair):
    page.fill("#source", pair["source"])
    page.fill("#target", pair["target"])


def gaps(page):
    return page.locator(".asked-about .tok.gap")


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("page", [(1280, "light"), (400, "dark"), (400, "light")], indirect=True)
def test_a_pronoun_is_clicked_and_bars_are_seen(page, pictures):
    expect = playwright.expect
    type_pair(page, HOUSE)
    page.click("#go")
    expect(gaps(page)).to_have_text(["▢ elle"])
    cards = page.locator(".card")
    expect(cards.locator("h3")).to_have_text(["ngram", "majority"])
    expect(cards.first.locator("tr", has=page.locator(".bar"))).to_have_count(9)
    expect(cards.locator("details")).to_have_count(1)  # nothing is drawn anew from here on
    chosen = cards.first.locator("tr.chosen")
    expect(chosen).to_have_count(1)
    widths = [one.bounding_box()["width"] for one in cards.first.locator(".bar").all()]
    assert max(widths) == chosen.locator(".bar").bounding_box()["width"]
    expect(cards.first.locator(".had")).to_have_text("in the text")
    page.click("#restore")
    expect(gaps(page)).to_have_count(0)
    page.locator(".asked-about button.tok", has_text="elle").click()
    expect(gaps(page)).to_have_text(["▢ elle"])
    expect(page.locator("#asked")).to_have_text("Gap 1 of 1: it → ?")
    cards.first.locator("summary").click()
    expect(cards.first.locator(".evidence").first).to_be_visible()
    expect(cards.last.locator("details")).to_have_count(0)  # majority has no evidence
    assert fits(page)
    assert hard_to_read(page) == []
    picture(page, pictures, "serve")


def test_everything_can_be_done_with_the_keyboard(page):
    expect = playwright.expect
    page.focus("#source")
    page.keyboard.type("They say that it rains.")
    page.keyboard.press("Tab")
    page.keyboard.type("REPLACE disent que REPLACE pleut.")
    page.keyboard.press("Control+Enter")
    expect(gaps(page)).to_have_text(["▢ They?", "▢ it?"])
    expect(page.locator("#told")).to_contain_text("Gap 1, They: ngram: ")
    gaps(page).first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#asked")).to_have_text("Gap 2 of 2: it → ?")
    expect(gaps(page).last).to_have_attribute("aria-pressed", "true")
    expect(gaps(page).last).to_be_focused()
    expect(page.locator("#told")).to_contain_text("Gap 2, it: ")


@pytest.mark.parametrize("page", [(1280, "dark"), (400, "light")], indirect=True)
def test_an_example_shows_the_antecedent(page, pictures):
    expect = playwright.expect
    page.select_option("#task", "en-fr")
    no_text = page.locator("#lacks").inner_text() != ""  # nothing here lemmatises French
    expect(page.locator("#lines")).to_be_visible(visible=no_text)
    options = page.locator("#example optgroup[label^=lines]").first.locator("option")
    page.select_option("#example", options.nth(5).get_attribute("value"))
    expect(page.locator("#lines")).to_be_visible()
    expect(page.locator(".card h3")).to_have_text(["anaphora"])
    expect(page.locator(".card")).to_contain_text("Antecedent: ")
    expect(page.locator(".tok.antecedent").first).to_be_visible()
    assert fits(page)
    assert hard_to_read(page) == []
    picture(page, pictures, "serve-example")


@pytest.mark.parametrize("page", [(1280, "light"), (400, "dark")], indirect=True)
def test_typed_text_of_a_lemmatised_task_is_shown_as_systems_see_it(page):
    expect = playwright.expect
    type_pair(page, HOUSE)
    page.click("#go")
    expect(page.locator(".asked-about .sentence")).to_have_count(2)  # words are seen as typed
    page.select_option("#task", "en-fr")
    if page.locator("#lacks").inner_text():
        pytest.skip("nothing here lemmatises French")
    page.click("#go")
    expect(page.locator(".asked-about .seen")).to_contain_text("maison|NOM")
    expect(page.locator(".asked-about .seen")).to_contain_text("▢")
    expect(page.locator(".asked-about .tok", has_text="vieille")).to_be_visible()
    expect(page.locator("#notes")).to_contain_text("agreement was taken away")
    assert fits(page)
    assert hard_to_read(page) == []


def test_what_is_wrong_is_told_in_the_page(page):
    expect = playwright.expect
    type_pair(page, {"source": "Rain.", "target": "REPLACE pleut."})
    page.click("#go")
    expect(page.locator("#problems li")).to_contain_text("a source word that it translates")
    page.fill("#source", "It rains.")
    page.click("#go")
    expect(gaps(page)).to_have_count(1)
    expect(page.locator("#problems li")).to_have_count(0)


def test_a_link_that_rests_on_positions_is_told(page):
    expect = playwright.expect
    type_pair(page, HOUSE)
    page.click("#go")
    expect(page.locator("#asked")).to_contain_text("it")
    expect(page.locator("#rests")).to_be_hidden()
    type_pair(page, {"source": "It is old.", "target": "Blarf est vieux."})
    page.click("#go")
    expect(gaps(page)).to_have_text(["▢ Blarf"])
    expect(page.locator("#rests")).to_be_visible()


def test_numbers_stay_in_a_line_and_fields_are_told_apart(page):
    """A probability of one is the widest number; a screen reader hears whose field it is in."""
    expect = playwright.expect
    type_pair(page, HOUSE)
    page.click("#go")
    expect(page.locator(".card details")).to_have_count(1)  # nothing is drawn anew from here on
    page.evaluate("document.querySelector('tr.chosen .number').textContent = '100 %'")
    lines = """e => {
        const all = document.createRange();
        all.selectNodeContents(e);
        return all.getClientRects().length;
    }"""
    assert page.locator("tr.chosen .number").first.evaluate(lines) == 1
    page.click("#before > summary")
    for group, name in (("Sentences before", "context-source"), ("The sentence", "source")):
        field = page.get_by_role("group", name=group, exact=True).get_by_label("Source (English)")
        expect(field).to_have_attribute("id", name)


def test_scripts_that_are_typed_stay_text(page):
    expect = playwright.expect
    page.click("#before > summary")
    for side in ("source", "target"):
        page.fill(f"#context-{side}", f"It {EVIL}")
    type_pair(page, {"source": f"It {EVIL}", "target": f"Il {EVIL}"})
    page.click("#go")
    expect(page.locator("#sentences")).to_contain_text("onerror")
    expect(page.locator(".card details").first).to_be_visible()
    assert page.locator("#result img").count() == 0
    assert page.title() == "crosspro: try systems"


def test_a_page_elsewhere_cannot_ask(chromium, address):
    context = chromium.new_context()
    shown = context.new_page()
    shown.route("http://evil.example/", lambda route: route.fulfill(body="<p>evil"))
    shown.goto("http://evil.example/")
    found = shown.evaluate(
        """async (address) => {
            const body = JSON.stringify({ text: { source: "It.", target: "Il." } });
            const seen = [];
            for (const type of ["application/json", "text/plain"])
                try {
                    const init = { method: "POST", headers: { "content-type": type }, body };
                    seen.push((await fetch(`${address}api/predict`, init)).status);
                } catch { seen.push("refused"); }
            return seen;
        }""",
        address,
    )
    assert found == ["refused", "refused"]
    context.close()
