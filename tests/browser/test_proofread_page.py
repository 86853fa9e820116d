"""The page of `crosspro proofread` in a browser: keys, decisions, exports, phones, attacks."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import crosspro as api
from crosspro.prediction.proofread.page import proofreading_page
from crosspro.prediction.proofread.text import Place, text_of_lines
from tests.browser.legible import hard_to_read
from tests.prediction.proofread.proofread_text import (
    TARGET,
    proofread_pronouns,
    proofread_result,
)

STORY = """\
The dog ran into the garden because it had heard a noise.|Der Hund lief in den Garten, weil es ein Geräusch gehört hatte.
It barked loudly at the old cat that lived next door.|Er bellte laut die alte Katze an, die nebenan wohnte.
The cat saw it and climbed a tree.|Die Katze sah ihn und kletterte auf einen Baum.
The tree was high, but she was not afraid of it.|Der Baum war hoch, aber sie hatte keine Angst vor ihm.
Then the neighbour came out with a bag in her hand.|Dann kam die Nachbarin mit einer Tasche in der Hand heraus.
She put it on the table and called the cat.|Sie stellte es auf den Tisch und rief die Katze.
The table was made of wood; it was older than the house.|Der Tisch war aus Holz; er war älter als das Haus.
They both waited until the dog had gone.|Beide warteten, bis der Hund gegangen war.
Its tail was still wagging.|Sein Schwanz wedelte noch.
The boys laughed when they saw it.|Die Jungen lachten, als er ihn sah.
"""  # noqa: E501 - a segment a line
IN_DOCS = "proofread-wide-light.png"
RUN = "window.owned=1"
NAME = f"<img src=x onerror={RUN}>"
ATTACKS = (
    f"<script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f'"><svg/onload={RUN}>',
    f"'/onmouseover='{RUN}'/autofocus/onfocus='{RUN}'/x='",
    f"<iframe/srcdoc='<script>parent.{RUN[7:]}</script>'></iframe>",
    f'<a/href="javascript:{RUN}">here</a>',
)
"""Words without a blank, as they may stand in any text."""
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 400, "height": 800}


@pytest.fixture
def page_file(tmp_path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(proofreading_page(proofread_result()), "utf-8")
    return path


@pytest.fixture
def opened(chromium, page_file):
    context = chromium.new_context(viewport=WIDE, accept_downloads=True)
    page = context.new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(page_file.as_uri())
    yield page
    context.close()
    assert faults == []


def doubts(page):
    return page.locator(".doubt").all_inner_texts()


def current(page):
    return page.locator(".doubt[aria-current=true]").get_attribute("aria-label")


def saved(page, button):
    with page.expect_download() as download:
        page.locator(button).click()
    return download.value.suggested_filename, Path(download.value.path()).read_text("utf-8")


def test_words_are_chosen_accepted_undone_and_exported(opened):
    assert doubts(opened) == ["Es", "+"]
    assert current(opened).startswith("Es, ")
    assert "0.93" in current(opened)
    assert opened.locator("#reason").inner_text() == proofread_pronouns()[0].reason
    assert opened.locator(".noun").all_inner_texts() == ["dog", "Hund"]
    assert opened.locator(".partner.on").all_inner_texts() == ["It"]
    opened.keyboard.press("2")
    assert opened.locator("#change").inner_text() == "Es → Sie?"
    opened.keyboard.press("1")
    opened.keyboard.press("Enter")
    assert opened.locator("#d0").inner_text().split() == ["Es", "Er"]
    assert current(opened).startswith("–, ")
    opened.keyboard.press("0")
    opened.keyboard.press("u")
    assert re.findall(r"\d+", opened.locator("#state").inner_text())[2:] == ["1", "1"]
    opened.keyboard.press("a")
    name, text = saved(opened, "#mended")
    assert name == "mended.txt"
    assert text.splitlines() == [
        TARGET[0],
        TARGET[1].replace("Es", "Er"),
        "Die Katze sah ihn und sie kämpften.",
        TARGET[3],
    ]
    name, content = saved(opened, "#save")
    assert name == "decisions.json"
    made = json.loads(content)
    assert (made["kind"], made["model"]) == ("crosspro-proofread", "en-de")
    assert made["accepted"][0] == {
        **{"segment": 2, "line": 2, "start": 2, "end": 4, "word": "Es", "replacement": "Er"},
        **{"kind": "word", "wrong": 0.93},
    }
    assert made["kept"] == []


@pytest.fixture(scope="module")
def story(tmp_path_factory) -> Path:
    """The page of a story, as a bundled model reads it."""
    pairs = [line.split("|") for line in STORY.splitlines()]
    result = api.proofread(*zip(*pairs, strict=True), model="en-de")
    text = replace(result.text, source_name="story.en", target_name="story.de")
    path = tmp_path_factory.mktemp("story") / "page.html"
    path.write_text(proofreading_page(replace(result, text=text)), "utf-8")
    return path


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_it_can_be_read(chromium, story, size, colours, pictures):
    context = chromium.new_context(viewport=size, color_scheme=colours)
    page = context.new_page()
    page.goto(story.as_uri())
    if size is PHONE:
        page.locator("#settings summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert hard_to_read(page) == []
    unnamed = page.locator("button, input, select").evaluate_all(
        "all => all.filter(one => !(one.ariaLabel || one.innerText || one.closest('label')"
        " || one.labels?.length)).length"
    )
    assert unnamed == 0
    page.keyboard.press("j")
    row, panel = page.locator(".segment.open").bounding_box(), page.locator("#panel").bounding_box()
    assert row["y"] >= 0
    assert size is WIDE or row["y"] + row["height"] <= panel["y"]
    name = f"proofread-{'wide' if size is WIDE else 'narrow'}-{colours}.png"
    if pictures is not None and (name == IN_DOCS or pictures.parent.name != "docs"):
        pictures.mkdir(parents=True, exist_ok=True)
        if size is PHONE:
            page.locator("#settings summary").click()
        page.keyboard.press("k")
        page.screenshot(path=pictures / name)
    context.close()


def test_words_that_attack_the_page_are_words(opened, tmp_path):
    lines = [f"{attack} it {attack}" for attack in ATTACKS]
    text = replace(text_of_lines(lines, lines, list(ATTACKS)), target_name=f"{NAME}.de")
    first = proofread_pronouns()[0]
    pronouns = []
    for number, attack in enumerate(ATTACKS):
        start = len(attack) + 1
        place = Place(number, number + 1, start, start + 2)
        words = {"word": "it", "suggestion": attack, "reason": attack, "source_word": attack}
        pronouns.append(replace(first, **words, place=place, source_place=place, stands_for=()))
    path = tmp_path / "page.html"
    result = replace(proofread_result(), text=text, pronouns=tuple(pronouns))
    path.write_text(proofreading_page(result), "utf-8")
    opened.goto(path.as_uri())
    for _ in ATTACKS:
        opened.keyboard.press("a")
    opened.evaluate(
        """() => document.querySelectorAll("*").forEach((element) =>
            ["mouseover", "focus", "toggle", "load", "error"].forEach((kind) =>
                element.dispatchEvent(new Event(kind))))"""
    )
    assert opened.evaluate("window.owned") is None
    assert NAME in opened.locator("body").inner_text()
