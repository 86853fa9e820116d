"""The review server over HTTP: who gets in, what is stored, what is refused."""

from __future__ import annotations

import re
import socket
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

import uvicorn

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.human.verdicts import Verdict, VerdictStore
from crosspro.evaluation.protest.language import target_words
from crosspro.evaluation.protest.match import score_system
from crosspro.evaluation.protest.review import to_judge
from crosspro.evaluation.protest.suite import read_suite
from crosspro.evaluation.protest.text import read_system
from crosspro.scripts.servers.review import limits
from crosspro.scripts.servers.review.access import read_or_make_key, visitor_with, visitors
from crosspro.scripts.servers.review.app import ReviewSite, make_app
from tests.scripts.protest.conftest import BUILD, FOLDER, protest

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
def questions(tmp_path):
    protest(f"{BUILD} -o {tmp_path}/suite.jsonl")
    suite = read_suite(tmp_path / "suite.jsonl")
    text = (FOLDER / "text.fr").read_text("utf-8").replace("rouge", SCRIPT)
    (tmp_path / "new.fr").write_text(text, "utf-8")
    output = read_system(suite, "new", tmp_path / "new.fr", FOLDER / "text.links")
    return to_judge(score_system(suite, output, target_words("fr")), {}, matches=True)


@pytest.fixture
def site(questions, tmp_path):
    store = VerdictStore(tmp_path / "v.sqlite", questions[0].result.suite.digest)
    return ReviewSite(store, questions, visitors(NAMES, read_or_make_key(store.path)))


@pytest.fixture
def served(site):
    config = uvicorn.Config(make_app(site, ["127.0.0.1"]), log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield Served(site, listening.getsockname()[1])
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
    assert served(f"/{token}/", host="evil.example")[0] == 400
    status, _, headers = served(f"/{token}/")
    assert status == 200
    assert "script-src 'self'" in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"


def test_tokens_stay_and_are_secret(site, tmp_path):
    key = tmp_path / "v.sqlite.key"
    assert key.stat().st_mode & 0o077 == 0
    assert visitors(NAMES, read_or_make_key(site.store.path)) == list(site.people)
    assert len({who.token for who in site.people}) == 21
    assert visitors(NAMES, b"another")[0].token != site.people[0].token
    assert visitor_with("", site.people) is None
    key.write_bytes(b"short")
    with pytest.raises(InputError, match="key"):
        read_or_make_key(site.store.path)


def test_an_answer_is_stored_shown_and_changed(served):
    home = f"/{served.token('Ann 0')}"
    status, _, headers = served(f"{home}/next")
    assert (status, headers["location"]) == (303, f"{home}/question/0")
    status, _, headers = served(f"{home}/question/0", RIGHT | {"remark": f" {SCRIPT}\n x "})
    assert (status, headers["location"]) == (303, f"{home}/next?after=0")
    page = served(f"{home}/question/0")[1]
    assert page.count("checked") == 2
    assert served(f"{home}/question/0", {"pronoun": "bad"}, accept="text/plain")[1] == "saved"
    assert "1 of 14" in served(f"{home}/")[1]
    remarks = [(v.pronoun, v.antecedent, v.remark) for v in served.site.store.verdicts()]
    assert remarks == [("right", "right", f"{SCRIPT} x"), ("bad", None, "")]


def test_text_from_outside_stays_text(served):
    home = f"/{served.token('Ann 0')}"
    number = next(
        at for at, question in enumerate(served.site.questions)
        if any(SCRIPT in " ".join(line) for line in question.result.output.output)
        and question.result.token.name == "talk1:word_6"
    )  # fmt: skip
    path = f"{home}/question/{number}"
    served(path, RIGHT | {"remark": f"</textarea>{SCRIPT}"})
    page = served(path)[1]
    assert page.count("&lt;script&gt;window.owned") == 2
    assert "<script>" not in page


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
    number = next(n for n, q in enumerate(served.site.questions) if q.result.token.anaphoric)
    assert served(f"/{served.token('Ann 0')}/question/{number}", data)[0] == 422
    assert served.site.store.verdicts() == []


def test_long_and_slow_requests_are_refused(served, monkeypatch):
    path = f"/{served.token('Ann 0')}/question/0"
    assert served(path, b"x" * (limits.LARGEST_BODY + 1))[0] == 413
    monkeypatch.setattr(limits, "BODY_SECONDS", 0.2)
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as slow:
        slow.sendall(f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n".encode())
        slow.sendall(b"content-length: 100\r\n\r\npronoun=")
        assert b" 408 " in slow.recv(1000)
    assert served.site.store.verdicts() == []


def test_twenty_annotators_at_once(served):
    def judge(name):
        home = f"/{served.token(name)}"
        while (target := served(f"{home}/next")[2]["location"]) != f"{home}/":
            assert served(target, RIGHT, accept="text/plain")[1] == "saved"

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(judge, NAMES))
    assert len(served.site.store.verdicts()) == 20 * 14


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


def test_each_question_goes_to_some_annotators(questions, site):
    shared = ReviewSite(site.store, questions, site.people[:5], judges_each=2)
    counts = [
        sum(shared.asks(who, number) for who in shared.annotators)
        for number in range(len(questions))
    ]
    assert counts == [2] * 14
    assert {len(shared.numbers(who)) for who in shared.annotators} <= {6, 7, 8}


def test_a_store_that_cannot_be_used_acknowledges_nothing(served):
    path = served.site.store.path
    path.unlink()
    path.mkdir()
    answer = served(f"/{served.token('Ann 0')}/question/0", RIGHT, accept="text/plain")
    assert answer[0] == 503
