"""The review server over HTTP: who gets in, what is stored, what is refused."""

from __future__ import annotations

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pytest

pytest.importorskip("fastapi", reason="needs the extra `review`: make extras EXTRAS=review")
pytest.importorskip("jinja2", reason="needs the extra `review`: make extras EXTRAS=review")
pytest.importorskip("python_multipart", reason="needs the extra `review`")
pytest.importorskip("uvicorn", reason="needs the extra `review`: make extras EXTRAS=review")

from crosspro.evaluation.people.questions import Question
from crosspro.evaluation.people.verdicts import Item, Verdict, VerdictStore
from crosspro.scripts.servers.guard import listen, make_server
from crosspro.scripts.servers.review.app import (
    ReviewSite,
    make_app,
    make_visitors,
    read_or_make_key,
)

NAMES = [f"Ann {number}" for number in range(20)]
RIGHT = {"pronoun": "right", "antecedent": "right"}
SCRIPT = "<script>window.owned=1</script>"


class NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


OPEN = build_opener(NoRedirect).open


@dataclass
class Served:
    site: ReviewSite
    port: int

    def __call__(self, path, data=None, host=None, accept="*/*"):
        """The status, the text and the headers of an answer."""
        request = Request(f"http://127.0.0.1:{self.port}{path}", headers={"accept": accept})
        if host is not None:
            request.add_header("host", host)
        request.data = urlencode(data).encode() if isinstance(data, dict) else data
        try:
            with OPEN(request, timeout=60) as answer:
                return answer.status, answer.read().decode(), answer.headers
        except HTTPError as error:
            with error:
                return error.code, error.read().decode(), error.headers

    def token(self, name):
        return next(who.token for who in self.site.people if who.name == name)


@pytest.fixture
def questions():
    """Questions 0 and 2 have antecedents; all texts hold a script."""
    line = ((SCRIPT, ""), ("it", "pronoun"), ("cup", "head"))
    return [
        Question(
            Item(f"talk:word_{number}", f"{number:012x}", "new", "elle", "tasse"), "category",
            "a category", number % 2 == 0, (line, line), (line, line), (line, line), "il", "", "",
        )
        for number in range(4)
    ]  # fmt: skip


@pytest.fixture
def site(questions, tmp_path):
    store = VerdictStore(tmp_path / "v.sqlite", "suite")
    people = make_visitors(NAMES, read_or_make_key(store.path))
    return ReviewSite(store, questions, people, ("en", "fr"))


@pytest.fixture
def served(site):
    server = make_server(make_app(site))
    with listen("127.0.0.1", 0) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield Served(site, listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()


def test_nobody_gets_in_without_a_token(served):
    token = served.token("Ann 0")
    others = ("/", "/x/", "/%C3%A9/next", f"/{token[:-1]}/", f"/{token}0/question/0")
    not_hers = (f"/{token}/{path}" for path in ("verdicts.tsv", "question/99", "question/-1"))
    for path in (*others, *not_hers, "/openapi.json/"):
        assert served(path)[0] == 404, path
    assert served(f"/{token[:-1]}/question/0", RIGHT)[0] == 404
    assert served.site.store.verdicts() == []
    assert served(f"/{token}/", host="evil.example")[0] == 403
    status, _, headers = served(f"/{token}/")
    assert status == 200
    assert "script-src 'self'" in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"


def test_an_answer_is_stored_shown_and_changed(served):
    home = f"/{served.token('Ann 0')}"
    status, _, headers = served(f"{home}/next")
    assert (status, headers["location"]) == (303, f"{home}/question/0")
    status, _, headers = served(f"{home}/question/0", RIGHT | {"remark": f" {SCRIPT}\n x "})
    assert (status, headers["location"]) == (303, f"{home}/next?after=0")
    page = served(f"{home}/question/0")[1]
    assert page.count("checked") == 2
    assert served(f"{home}/question/0", {"pronoun": "bad"}, accept="text/plain")[1] == "saved"
    assert "1 of 4" in served(f"{home}/")[1]
    remarks = [(v.pronoun, v.antecedent, v.remark) for v in served.site.store.verdicts()]
    assert remarks == [("right", "right", f"{SCRIPT} x"), ("bad", None, "")]


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"pronoun": "right"},
        {"pronoun": "good", "antecedent": "right"},
        {"pronoun": "right", "antecedent": "bad"},
        RIGHT | {"remark": "x" * 5000},
        b"{}",
    ],
)
def test_other_answers_are_refused(served, data):
    assert served(f"/{served.token('Ann 0')}/question/0", data)[0] == 422
    assert served.site.store.verdicts() == []


def test_twenty_annotators_at_once(served):
    def judge(name):
        home = f"/{served.token(name)}"
        while (target := served(f"{home}/next")[2]["location"]) != f"{home}/":
            assert served(target, RIGHT, accept="text/plain")[1] == "saved"

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(judge, NAMES))
    assert len(served.site.store.verdicts()) == 20 * 4


def test_the_researcher_decides_conflicts_and_takes_verdicts_away(served):
    item = served.site.questions[1].item
    ben = Verdict(item, "Ann 1", "right", None, "=x")
    served.site.store.add([Verdict(item, "Ann 0", "wrong"), ben])
    home = f"/{served.token('researcher')}"
    overview = served(f"{home}/")[1]
    assert item.token in overview
    assert "Ann 1: right" in overview
    assert served(f"{home}/next")[2]["location"] == f"{home}/question/1"
    assert "Ann 0" in served(f"{home}/question/1")[1]
    served(f"{home}/question/1", RIGHT)
    assert not served.site.store.judgements()[item.key].in_conflict
    assert served(f"{home}/next")[2]["location"] == f"{home}/"
    status, table, _ = served(f"{home}/verdicts.tsv")
    assert (status, len(table.splitlines())) == (200, 4)
    assert re.findall(r"\t(\w+)$", table, re.MULTILINE) == [
        *("kind", "verdict", "verdict", "decision")
    ]
