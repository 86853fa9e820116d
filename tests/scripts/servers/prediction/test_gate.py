"""The gate before the app, tried with what attackers send."""

from __future__ import annotations

import asyncio
import json

import pytest

pytest.importorskip("fastapi", reason="the extra review is not installed (fastapi)")

from crosspro.scripts.servers import gate as servers_gate
from crosspro.scripts.servers.gate import is_own_name
from crosspro.scripts.servers.prediction.app import BURST, HEADERS, MOST_BYTES, MOST_CLIENTS, gate


def ask(guard, method="GET", headers=(), body=b"", client="127.0.0.1", chunks=None):
    """The status, the headers and the content of an answer."""
    parts = list(chunks if chunks is not None else [body])
    sent = []
    given = dict(headers)
    lines = [(b"host", given.pop("host", "127.0.0.1:8080").encode("latin-1"))]
    lines += [(name.encode(), value.encode("latin-1")) for name, value in given.items()]
    scope = {"type": "http", "method": method, "headers": lines, "client": (client, 1)}

    async def receive():
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message):
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    content = b"".join(one.get("body", b"") for one in sent)
    return sent[0]["status"], dict(sent[0]["headers"]), content


async def echo(scope, receive, send):
    """Sends back what it gets, as far as it gets anything."""
    body, more = b"", scope["method"] == "POST"
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


def guarded(*names, per_minute=10_000):
    return gate(echo, names, per_minute)


JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("host", "own"),
    [
        *((host, True) for host in ("127.0.0.1", "127.0.0.1:8080", "localhost:1", "[::1]:80")),
        *((host, True) for host in ("192.168.0.7:8080", "lab.example:8080", "lab.example")),
        *((host, False) for host in ("", "evil.example", "127.0.0.1.evil.example", "localhost.x")),
        *(
            (host, False)
            for host in ("a@127.0.0.1", "127.0.0.1/x", "127.0.0.1:x", "[::1", "1 2", "[::1]evil")
        ),
        *((host, False) for host in ("127.0.0.1#x", "127.0.0.1?x", "x.lab.example", "0x7f.1")),
    ],
)
def test_only_addresses_and_known_names_are_ours(host, own):
    assert is_own_name(host, {"lab.example"}) is own


def test_a_rebound_name_is_refused_for_every_method():
    for method in ("GET", "POST", "DELETE"):
        status, _, content = ask(guarded(), method, {"host": "evil.example:8080", **JSON})
        assert status == 403
        assert "Host" in json.loads(content)["problems"][0]["message"]
    assert ask(guarded("Evil.Example"), "GET", {"host": "evil.example:8080"})[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://127.0.0.1:8080.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_requests_of_other_pages_are_refused(headers):
    assert ask(guarded(), "POST", {**JSON, **headers}, b"{}")[0] == 403


def test_requests_of_the_own_page_pass():
    own = {"origin": "http://127.0.0.1:8080", "sec-fetch-site": "same-origin"}
    assert ask(guarded(), "POST", {**JSON, **own}, b"{}")[::2] == (200, b"{}")
    assert ask(guarded(), "POST", JSON, b"{}")[0] == 200  # a program, which sends neither


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_what_a_form_can_send_is_refused(kind):
    assert ask(guarded(), "POST", {"content-type": kind}, b"{}")[0] == 415


def test_long_requests_are_refused_whatever_they_say_of_their_length():
    big = str(MOST_BYTES + 1)
    assert ask(guarded(), "POST", {**JSON, "content-length": big})[0] == 413
    assert ask(guarded(), "POST", {**JSON, "content-length": "9" * 400})[0] == 413
    assert ask(guarded(), "POST", {**JSON, "content-length": "-1"})[0] == 413
    chunks = [b"x" * 65536] * 100
    assert ask(guarded(), "POST", {**JSON, "content-length": "10"}, chunks=chunks)[0] == 413
    assert ask(guarded(), "POST", JSON, chunks=[b"a", b"b"])[2] == b"ab"


def test_requests_that_do_not_come_are_not_waited_for(monkeypatch):
    monkeypatch.setattr("crosspro.scripts.servers.prediction.app.BODY_SECONDS", 0.05)

    async def never():
        await asyncio.sleep(10)

    sent = []

    async def send(message):
        sent.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "headers": headers, "client": ("127.0.0.1", 1)}
    asyncio.run(guarded()(scope, never, send))
    assert [one["status"] for one in sent if "status" in one] == [408]


def test_what_is_still_to_come_of_a_refused_request_is_not_waited_for():
    for headers in ({"content-type": "text/plain"}, {**JSON, "content-length": "9" * 20}):
        assert ask(guarded(), "POST", headers)[1][b"connection"] == b"close"
    chunks = [b"x" * 65536] * 100
    assert ask(guarded(), "POST", JSON, chunks=chunks)[1][b"connection"] == b"close"
    assert b"connection" not in ask(guarded(), "POST", JSON, b"{}")[1]


def test_every_answer_tells_browsers_what_the_page_may_do():
    for headers in ({}, {"host": "evil.example"}):
        _, found, _ = ask(guarded(), "GET", headers)
        for name, value in {**servers_gate.HEADERS, **HEADERS}.items():
            assert found[name.encode()] == value.encode()
    policy = HEADERS["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


def test_an_address_may_not_ask_too_often():
    now = [0.0]
    guard = gate(echo, (), 60, lambda: now[0])
    assert [ask(guard)[0] for _ in range(BURST)] == [200] * BURST
    status, headers, _ = ask(guard)
    assert (status, headers[b"retry-after"]) == (429, b"2")
    assert ask(guard, client="127.0.0.2")[0] == 200
    now[0] = 1.0
    assert [ask(guard)[0] for _ in range(2)] == [200, 429]
    now[0] = 0.5  # a clock that goes back gives nothing away and breaks nothing
    assert ask(guard)[0] == 429


def test_many_addresses_do_not_fill_the_memory():
    limit = gate(echo, (), 60, lambda: 0.0).rate
    for number in range(3 * MOST_CLIENTS):
        limit.wait(str(number))
    assert len(limit._left) == MOST_CLIENTS
