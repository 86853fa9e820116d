"""What stands before the app: who may ask, how much and how often, and what browsers may do.

A page elsewhere can make a browser send requests here, also under a name of its own that it points
at this machine (DNS rebinding). Therefore a request must come under a name that is known to be
ours, and from a page of ours if it comes from a page.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from crosspro.scripts.servers import web_server
from crosspro.scripts.servers.web_server import (
    Buckets,
    Layer,
    Message,
    Receive,
    Send,
    is_short,
    with_headers,
)

MOST_BYTES = 256 * 1024
BODY_SECONDS = 10.0
MOST_CLIENTS = 1024
BURST = 30
"""Requests that an address may send at once, if it has been quiet."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    **web_server.HEADERS,
    "content-security-policy": _POLICY,
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class RateLimit(Buckets):
    """So many requests a minute from each address."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(per_minute / 60, min(BURST, per_minute), MOST_CLIENTS, clock)


def own_name(host: str, names: Collection[str]) -> bool:
    """Whether a Host header has an address, `localhost` or one of some names.

    A name of somebody else's can be made to lead here; an address cannot.
    """
    try:
        parts = urlsplit(f"//{host}")
        name = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return False
    if parts.netloc != host or parts.username is not None or not name:
        return False
    if name == "localhost" or name in names:
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """An ASGI app around another one."""

    def __init__(self, app: Layer, names: Collection[str], rate: RateLimit) -> None:
        self.app = app
        self.names = frozenset(name.lower() for name in names)
        self.rate = rate

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with what is wrong."""
        if scope["type"] != "http":
            return
        send = with_headers(send, HEADERS)
        refused = self._refused(scope)
        if refused is not None:
            await _answer(send, *refused)
            return
        body = b""
        if scope["method"] not in ("GET", "HEAD"):
            try:
                body = await asyncio.wait_for(_body(receive), BODY_SECONDS)
            except TimeoutError:
                await _answer(send, 408, "expected the whole request in time")
                return
            if len(body) > MOST_BYTES:
                await _answer(send, 413, f"expected at most {MOST_BYTES:,} bytes")
                return
        await self.app(scope, _replayed(body, receive), send)

    def _refused(self, scope: Message) -> tuple[int, str, int] | None:
        """Status, message, and seconds to wait (0: none) of a request that is not passed on."""
        headers = {
            key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]
        }
        hosts = [value for key, value in scope["headers"] if key == b"host"]
        host = headers.get("host", "").lower()
        if len(hosts) != 1 or not own_name(host, self.names):
            return 403, "expected a Host that is this server's; --allow-host adds a name", 0
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
            return 403, "expected a request from a page of this server", 0
        if scope["method"] not in ("GET", "HEAD"):
            if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
                return 403, "expected a request from a page of this server", 0
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                return 415, "expected JSON (Content-Type: application/json)", 0
            if not is_short(headers.get("content-length", "0").encode("latin-1"), MOST_BYTES):
                return 413, f"expected at most {MOST_BYTES:,} bytes", 0
        client = scope.get("client") or ("", 0)
        seconds = self.rate.wait(str(client[0]))
        if seconds:
            return 429, "too many requests; wait a little", max(1, round(seconds + 0.5))
        return None


async def _body(receive: Receive) -> bytes:
    """The body of a request, or so much of it that it is seen to be too long."""
    parts = bytearray()
    while len(parts) <= MOST_BYTES:
        message = await receive()
        if message["type"] != "http.request":
            break
        parts += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return bytes(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


async def _answer(send: Send, status: int, text: str, seconds: int = 0) -> None:
    content = json.dumps({"problems": [{"message": text}]}).encode("utf-8")
    # What is still to come of a request that is refused is not waited for.
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    if seconds:
        headers.append((b"retry-after", str(seconds).encode("ascii")))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
