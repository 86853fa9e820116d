"""Stored text as an attack on the review server's pages, in a browser that would run it."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace

import pytest

from crosspro.evaluation.human.items import KnownAnswer, ReviewCandidate, items_text
from crosspro.evaluation.human.verdicts import Item
from tests.browser.conftest import ReviewProcess
from tests.evaluation.human.sets import make_set

ATTACKS = (
    "<script>window.hit=1</script>",
    "\"'><img/src=x/onerror=window.hit=1>",
    "<svg/onload=window.hit=1>",
    "</textarea></title><script>window.hit=1</script>",
    '"autofocus/onfocus=window.hit=1/x="',
    "<iframe/srcdoc='<script>parent.hit=1</script>'>",
    "<a/href=javascript:window.hit=1>x</a>",
    "<form/action=//evil.example><input/name=form>",
    "<base/href=//evil.example/>",
    "<style>@import'//evil.example/x'</style>",
    "<meta/http-equiv=refresh/content=0;url=//evil.example>",
    "&lt;script&gt;window.hit=1&lt;/script&gt;",
    "{{constructor.constructor('window.hit=1')()}}",
    "<!--</p>--!><img/src=x/onerror=window.hit=1>",
)
INSTRUCTIONS = """\
# {0}

{0}

[x](javascript:window.hit=1) ![y](//evil.example/y.png) [z](data:text/html,{0}) <javascript:hit=1>

| a {0} | b |
| --- | :-: |
| {0} | <svg/onload=window.hit=1> |
"""


def attacking_set(attack):
    """Items in which every text is an attack."""
    items = make_set(2, ("good", "bad"))
    lines = [
        replace(
            line,
            document=attack + line.document,
            source=tuple(attack + word for word in line.source),
            references=tuple(tuple(attack + word for word in one) for one in line.references),
            candidates={
                attack + name: ReviewCandidate(tuple(attack + x for x in one.words), one.links)
                for name, one in line.candidates.items()
            },
        )
        for line in items.lines
    ]
    some = []
    for one in items.items:
        old = one.item
        item = Item(
            attack + old.token, attack + old.system, old.digest, attack, attack, old.anaphoric
        )
        some.append(replace(one, item=item, group=attack, why=attack))
    return replace(items, title=attack, lines=tuple(lines), items=tuple(some))


@pytest.fixture(params=[1, -1], ids=["forwards", "backwards"])
def attack(request):
    """All of them: where nothing is escaped, the first one that fits the place runs."""
    return "".join(ATTACKS[:: request.param])


@pytest.fixture
def watched(chromium):
    """A page, and everything that an attack would cause on it."""
    context = chromium.new_context(accept_downloads=True)
    page = context.new_page()
    seen = []
    page.on("dialog", lambda dialog: (seen.append("a dialog"), dialog.dismiss()))
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.on("console", lambda said: seen.append(said.text) if said.type == "error" else None)
    page.on("popup", lambda other: seen.append("a window"))
    page.on(
        "request",
        lambda one: seen.append(one.url) if not re.match(r"http://127\.0\.0\.1|file:", one.url)
        else None,
    )  # fmt: skip
    yield page, seen
    context.close()


STRANGE = r"""() => [...document.querySelectorAll('iframe, img, base, style, object, embed, svg')]
    .concat([...document.querySelectorAll('[href^="javascript:"], [href^="data:"]')])
    .concat([...document.forms].filter(e => !/^\/[^/]/.test(e.getAttribute('action') || '/x')))
    .map(e => e.outerHTML)"""


def is_unharmed(page, seen, address) -> None:
    page.goto(address)
    page.wait_for_load_state()
    assert page.evaluate("window.hit") is None, address
    assert page.evaluate(STRANGE) == [], address
    assert seen == [], address


@pytest.mark.slow
def test_stored_text_runs_nowhere(tmp_path, watched, attack):
    pytest.importorskip("uvicorn", reason="needs the extra `review`: make extras EXTRAS=review")
    page, seen = watched
    items = attacking_set(attack)
    (tmp_path / "items.jsonl").write_text(items_text(items), "utf-8")
    answer = KnownAnswer(("right",), ("right",), attack)
    lessons = replace(items, items=(replace(items.items[0], answer=answer),))
    (tmp_path / "tutorial.jsonl").write_text(items_text(lessons), "utf-8")
    (tmp_path / "guide.md").write_text(INSTRUCTIONS.format(attack), "utf-8")
    name = attack[:60].strip()
    options = ("--items", "items.jsonl", "--tutorial", "tutorial.jsonl", "--match-share", 1)
    options += ("--overlap", 1, "--instructions", "guide.md", "--title", attack)
    options += ("--tags", attack, "--show-reference", "--judge", name, "--judge", "Ben")
    review = ReviewProcess(tmp_path, *options)
    try:
        people = [link for who, link in review.links.items() if who != "researcher"]
        for number, link in enumerate(people):
            is_unharmed(page, seen, link)
            page.locator("button.primary").click()
            page.wait_for_url("**/work")
            for _ in range(3):  # the lesson, and questions
                page.locator("input[name=antecedent]").nth(number).check()
                page.locator("input[name=pronoun]").nth(number).check()
                page.locator("input[name=tag]").first.check(force=True)
                page.locator("input[name=alternative]").fill(attack[:100])
                page.locator("input[name=remark]").fill(attack)
                page.locator("button.primary[type=submit]").click()
                page.wait_for_load_state()
                is_unharmed(page, seen, page.url)
                is_unharmed(page, seen, f"{link}work")
            page.locator("input[name=remark]").fill(attack)
            page.locator("button[value=flag]").click()
            page.wait_for_load_state()
            is_unharmed(page, seen, f"{link}list")
        researcher = review.links["researcher"]
        for address in ("", "conflicts", "browse", "corrections", "data"):
            is_unharmed(page, seen, researcher + address)
        page.goto(researcher + "browse")
        page.locator("input[name=text]").fill(attack)
        page.locator("main button[type=submit]").first.click()
        page.wait_for_load_state()
        is_unharmed(page, seen, page.url)
        page.goto(researcher + "data")
        with page.expect_download() as download:
            page.get_by_text("Archive").click()
        archive = zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes()))
        archive.extractall(tmp_path / "archive")
    finally:
        review.stop()
    pages = sorted((tmp_path / "archive").rglob("*.html"))
    assert len(pages) >= 2
    for one in pages:  # where no header keeps scripts from running
        is_unharmed(page, seen, one.as_uri())
        assert attack[:20] in page.inner_text("body")
