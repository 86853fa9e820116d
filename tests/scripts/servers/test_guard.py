"""The guard before both servers: whose requests pass, and that nobody is locked out."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from contextlib import contextmanager

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.scripts.servers import guard
from crosspro.scripts.servers.guard import HEADERS, Guard, is_own_name, listen, make_server

MOST = 1000


async def echo(scope, receive, send):
    message = await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": message["body"]})


def ask(method="GET", headers=(), chunks=(b"",), names=(), **options):
    """The status, the headers and the content of an answer."""
    parts, sent = list(chunks), []
    values = {"host": "127.0.0.1:8080", **dict(headers)}
    lines = [(name.encode(), value.encode("latin-1")) for name, value in values.items()]
    scope = {"type": "http", "method": method, "headers": lines, "client": ("127.0.0.1", 1)}

    async def receive():
        if not parts:
            await asyncio.sleep(10)
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": part != b""}

    async def send(message):
        sent.append(message)

    asyncio.run(Guard(echo, names, largest_body=MOST, **options)(scope, receive, send))
    content = b"".join(message.get("body", b"") for message in sent)
    return sent[0]["status"], dict(sent[0]["headers"]), content


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        *((host, True) for host in ("127.0.0.1", "127.0.0.1:8080", "localhost:1", "[::1]:80")),
        *((host, True) for host in ("192.168.0.7:8080", "lab.example:8080", "lab.example")),
        *((host, False) for host in ("", "evil.example", "127.0.0.1.evil.example", "localhost.x")),
        *((host, False) for host in ("a@127.0.0.1", "127.0.0.1/x", "127.0.0.1:x", "[::1", "1 2")),
        *((host, False) for host in ("127.0.0.1#x", "x.lab.example", "0x7f.1", "[::1]evil")),
    ],
)
def test_only_addresses_and_known_names_are_ours(host, is_ours):
    assert is_own_name(host, {"lab.example"}) is is_ours
    assert ask(headers={"host": host}, names=["Lab.Example"])[0] == (200 if is_ours else 403)


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
def test_pages_elsewhere_cannot_post(headers):
    assert ask("POST", headers)[0] == 403


def test_own_pages_programs_and_proxies_can_post():
    is_ours = {"origin": "http://127.0.0.1:8080", "sec-fetch-site": "same-origin"}
    for headers in (is_ours, {}, {"origin": "https://lab.example"}):
        answer = ask("POST", headers, (b"a", b"b", b""), names=["lab.example"])
        assert (answer[0], answer[2]) == (200, b"ab")
    assert ask("DELETE")[0] == 405
    assert ask("POST", {"content-type": "text/plain"}, content_type="application/json")[0] == 415


def test_long_and_slow_requests_are_refused():
    status, headers, content = ask("POST", chunks=[b"x" * 600] * 9)
    assert (status, headers[b"connection"]) == (413, b"close")
    assert json.loads(content)["problems"]
    assert ask("POST", chunks=[b"x"], body_seconds=0.05)[0] == 408


def test_every_answer_tells_browsers_what_the_page_may_do():
    for host in ("127.0.0.1", "evil.example"):
        headers = ask(headers={"host": host})[1]
        assert {name.encode(): value.encode() for name, value in HEADERS.items()}.items() <= (
            headers.items()
        )
    assert "unsafe" not in HEADERS["content-security-policy"]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_an_address_that_is_taken_is_an_error(host):
    try:
        listening = listen(host, 0)
    except InputError:
        pytest.skip("no such address on this machine")
    with listening:
        assert listening.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        with pytest.raises(InputError, match="--host, --port"):
            listen(host, listening.getsockname()[1])


# Connections --------------------------------------------------------------------------------------


@contextmanager
def serving(head_seconds=10.0, per_client=100):
    pytest.importorskip("uvicorn", reason="needs the extra `review`")
    server = make_server(Guard(echo), head_seconds, per_client)
    with listen("127.0.0.1", 0) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield lambda: socket.create_connection(listening.getsockname(), timeout=20)
        finally:
            server.should_exit = True
            thread.join()


def answer_on(connection, request=b""):
    """What the server sends, which is nothing if it closes the connection."""
    try:
        connection.sendall(request)
        return connection.recv(4096)
    except ConnectionError:
        return b""


def get(connection):
    return answer_on(connection, b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")


@pytest.mark.parametrize("head", [b"", b"GET / HTT"])
def test_connections_without_a_request_are_closed(head):
    with serving(head_seconds=0.3) as connect:
        half_open = [connect() for _ in range(20)]
        for connection in half_open:
            connection.sendall(head)
        for connection in half_open:
            with connection:
                assert answer_on(connection) == b""


def test_connections_of_one_client_are_limited_and_free_again():
    with serving(per_client=3) as connect:
        half_open = [connect() for _ in range(3)]
        with connect() as refused:
            assert get(refused) == b""
        half_open.pop().close()
        answer = b""
        while not answer:  # until the server has seen that it is closed
            time.sleep(0.02)
            with connect() as again:
                answer = get(again)
        assert b" 200 " in answer
        for connection in half_open:
            assert b" 200 " in get(connection)
            connection.close()


def test_half_open_connections_of_many_clients_make_way(monkeypatch):
    monkeypatch.setattr(guard, "CONNECTIONS", 5)
    with serving() as connect:
        half_open = [connect() for _ in range(12)]
        with connect() as other:
            assert b" 200 " in get(other)
        assert answer_on(half_open[0]) == b""
        for connection in half_open:
            connection.close()
