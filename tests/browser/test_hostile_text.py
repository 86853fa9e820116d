"""Text that attacks the page that shows it: words, documents and names of files as scripts.

The pages of `crosspro serve`, and those that `evaluate`, `apt` and `report` write, are opened in a
real browser. Nothing of the text may run, load anything or become an element; it is shown as it is.
"""

from __future__ import annotations

import json
import re
import signal
from contextlib import contextmanager

import pytest

from crosspro.baselines.majority import Majority
from crosspro.baselines.ngram_system import NGramSystem
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import format_example
from tests.conftest import GOLDEN, mostly_slow
from tests.scripts.run import crosspro
from tests.scripts.servers.prediction.conftest import WORDS, fitted
from tests.scripts.test_serve import start

playwright = pytest.importorskip(
    "playwright.sync_api", reason="needs playwright: make extras EXTRAS=review,browser"
)

APT = GOLDEN / "apt"
RUN = "window.owned=1"
RUNNING = (
    f"<script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f'<img/src="x"/onerror={RUN}>',
    f'"><svg/onload={RUN}>',
    f"'><svg/onload={RUN}>",
    f'</title></style></textarea><img/src="x"/onerror={RUN}>',
    f'--><img/src="x"/onerror={RUN}>',
    f']]><img/src="x"/onerror={RUN}>',
    f"<iframe/srcdoc='<script>parent.{RUN[7:]}</script>'></iframe>",
)
LOADING = (
    '<img/src="//evil.example/x.png">',
    '<link/rel="stylesheet"/href="//evil.example/x.css">',
    '<meta/http-equiv="refresh"/content="0;url=//evil.example/">',
    '<base/href="//evil.example/">',
    '<form/action="//evil.example/"><button>',
    f'<a/href="javascript:{RUN}">here</a>',
)
ATTACKS = (
    *RUNNING,
    *LOADING,
    f'"/onmouseover="{RUN}"/autofocus/onfocus="{RUN}"/x="',
    f"javascript:{RUN}",
    "url(//evil.example/x.png)",
    f'&lt;img/src="x"/onerror={RUN}&gt;',
    f'&#60;img/src="x"/onerror={RUN}&#62;',
    f'\\u003cimg/src="x"/onerror={RUN}\\u003e',
    f"${{{RUN}}}",
    f"{{{{{RUN}}}}}",
    "__proto__",
    "constructor",
    "\u2028\u2029\u202e",
)
"""Words without a blank, as they may stand in any text."""
NAME = f"<img src=x onerror={RUN}>"
"""As a file may be called."""

_STIR = """() => {
    for (const one of document.querySelectorAll("details")) one.open = true;
    for (const one of document.querySelectorAll("*"))
        for (const kind of ["mouseover", "mouseenter", "focus", "toggle", "load", "error"])
            one.dispatchEvent(new Event(kind));
}"""
_EVERYTHING = """(text) => {
    const changed = (field, value) => {
        field.value = value;
        for (const kind of ["input", "change"])
            field.dispatchEvent(new Event(kind, {bubbles: true}));
    };
    for (const field of document.querySelectorAll("input[type=search], input[type=text]")) {
        changed(field, text);
        changed(field, "");
    }
    for (const choice of document.querySelectorAll("select"))
        for (const option of [...choice.options].reverse()) changed(choice, option.value);
    for (const button of document.querySelectorAll("button:enabled, summary")) button.click();
}"""
_MADE = """() => [...document.querySelectorAll(
    "iframe, base, meta[http-equiv=refresh], link[href*=evil], form[action*=evil], "
    + "[onerror], [onload], [onmouseover], [onfocus], [href^='javascript:'], img[src='x']"
)].map((one) => one.outerHTML.slice(0, 80))"""


@contextmanager
def watched(chromium, own):
    """A page; whatever it loads, runs or complains about is a fault."""
    context = chromium.new_context()
    page = context.new_page()
    faults = []
    page.on("dialog", lambda one: (faults.append(f"dialog {one.message}"), one.dismiss()))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("popup", lambda one: faults.append(f"popup {one.url}"))
    page.on("console", lambda told: faults.append(told.text)
            if told.type == "error" and "status of 4" not in told.text else None)  # fmt: skip
    page.on("request", lambda one: None if one.url.startswith((own, "data:", "blob:"))
            else faults.append(f"request {one.url}"))  # fmt: skip
    yield page
    page.evaluate(_STIR)
    page.wait_for_timeout(100)
    assert page.evaluate("window.owned") is None
    assert page.evaluate("Object.prototype.owned") is None
    assert page.evaluate(_MADE) == []
    context.close()
    assert faults == []


@pytest.mark.parametrize("attack", mostly_slow((*RUNNING, *LOADING), RUNNING[0], LOADING[0]))
def test_a_page_that_is_taken_in_is_noticed(chromium, tmp_path, attack):
    """Attacks work where text is written into a page as it is."""
    (tmp_path / "page.html").write_text(f"<p>{attack}</p>")
    with pytest.raises((AssertionError, playwright.Error)), watched(chromium, "file:") as shown:
        shown.route("**/evil.example/**", lambda route: route.abort())
        shown.goto((tmp_path / "page.html").as_uri())
        if attack in RUNNING:
            shown.wait_for_function("window.owned")


def shown_words(page):
    return page.evaluate("document.documentElement.textContent")


@pytest.fixture(scope="module")
def examples():
    """Lines of the demo corpus in which words are attacks."""
    changed = []
    for number, example in enumerate(demo_examples(WORDS, "test", 6)):
        line = format_example(example).split("\t")
        attack = ATTACKS[number % len(ATTACKS)]
        line[2] += f" {attack}"
        line[3] += f" {attack}"
        changed.append("\t".join(line))
    return changed


def test_the_page_of_evaluate(chromium, examples, tmp_path):
    gold, other = tmp_path / "gold.data", tmp_path / f"{NAME}.data"
    for path in (gold, other):
        path.write_text("".join(f"{line}\n" for line in examples), "utf-8")
    (tmp_path / "gold.doc-ids").write_text(
        "".join(f"{ATTACKS[number % 3]}\n" for number in range(len(examples))), "utf-8"
    )
    page = tmp_path / "page.html"
    line = ("evaluate", gold, gold, other, "--task", "en-fr-2015", "--resamples", 9)
    result = crosspro(*line, "--html", page)
    assert result.code == 0, result.stderr
    with watched(chromium, "file:") as shown:
        shown.goto(page.as_uri())
        look_at_everything(shown)
        for text in (NAME, ATTACKS[1]):
            assert text in shown_words(shown)


def look_at_everything(page):
    """Press, choose and fill in what can be, so that all that is drawn later is drawn."""
    page.evaluate(_EVERYTHING, ATTACKS[2])


def hostile(path):
    """Attacks at the ends of the lines of a text."""
    lines = path.read_text("utf-8").splitlines()
    changed = [f"{line} {ATTACKS[number % len(ATTACKS)]}" for number, line in enumerate(lines)]
    path.write_text("".join(f"{line}\n" for line in changed), "utf-8")


def test_the_page_of_a_metric(chromium, tmp_path):
    files = {"s.en": "src.en", "r.fr": "ref.fr", f"{NAME}.fr": "mt.fr"}
    for name, golden in files.items():
        (tmp_path / name).write_bytes((APT / golden).read_bytes())
        hostile(tmp_path / name)
    (tmp_path / "ids").write_text("".join(f"{ATTACKS[n % 3]}\n" for n in range(15)), "utf-8")
    page = tmp_path / "page.html"
    result = crosspro(
        *(
            "score",
            "-m",
            "apt",
            "-m",
            "autoprf",
            "--source",
            tmp_path / "s.en",
            "--reference",
            tmp_path / "r.fr",
        ),
        *("--candidate", tmp_path / f"{NAME}.fr", "--pronouns", "en-fr", "--resamples", 9),
        *("--links", APT / "ref.align", "--candidate-links", APT / "mt.align"),
        *("--doc-ids", tmp_path / "ids", "--html", page),
    )
    assert result.code == 0, result.stderr
    with watched(chromium, "file:") as shown:
        shown.goto(page.as_uri())
        look_at_everything(shown)
        assert NAME in shown_words(shown)


@pytest.fixture(scope="module")
def served(tmp_path_factory, examples):
    pytest.importorskip("fastapi", reason="the extra review is not installed (fastapi)")
    pytest.importorskip("uvicorn", reason="the extra review is not installed (uvicorn)")
    folder = tmp_path_factory.mktemp("runs")
    for name, system in ((NAME, NGramSystem(order=2)), ("<b>majority", Majority())):
        fitted(system, WORDS).save(folder / name)
    data = folder / f"{NAME}.data"
    data.write_text("".join(f"{line}\n" for line in examples), "utf-8")
    process, found = start(folder / NAME, folder / "<b>majority", "--examples", data)
    assert found, process.communicate()[1]
    yield found
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


def test_the_page_to_try_systems(chromium, served):
    expect = playwright.expect
    with watched(chromium, served) as shown:
        shown.goto(served)
        expect(shown.locator("#about")).to_contain_text("classes")
        shown.click("#before > summary")
        for attack in ATTACKS:
            for side in ("context-source", "context-target"):
                shown.fill(f"#{side}", f"It {attack}")
            shown.fill("#source", f"It {attack} is old.")
            shown.fill("#target", f"Elle {attack} est vieille.")
            with shown.expect_response("**/api/explain") as answered:
                shown.click("#go")
            assert answered.value.ok
            expect(shown.locator(".card details")).to_have_count(1)
        expect(shown.locator(".card h3").first).to_have_text(NAME)
        offered = shown.locator("#example option").all()
        attacked = [one for one in offered if re.search("owned|evil", one.text_content() or "")]
        assert attacked
        for one in attacked[:5]:
            with shown.expect_response("**/api/explain"):
                shown.select_option("#example", one.get_attribute("value"))
            assert shown.evaluate("window.owned") is None


def test_answers_are_no_pages(chromium, served):
    """What the interface answers, opened by itself, is text for the browser, too."""
    with watched(chromium, served) as shown:
        for path in ("api/systems", f"api/examples/{ATTACKS[2]}/x", f"{ATTACKS[0]}?{ATTACKS[3]}"):
            answer = shown.goto(served + path)
            assert answer.headers["content-type"] == "application/json"
            json.loads(answer.text())
