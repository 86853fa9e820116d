"""What stands between the network and the pages: hosts, origins, sizes, times, headers.

An ASGI layer around the application: what it refuses never reaches a page. Nothing of a request is
written to a log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from urllib.parse import urlsplit

from crosspro.scripts.servers import web_server
from crosspro.scripts.servers.web_server import (
    Layer,
    Message,
    Receive,
    Send,
    is_short,
    with_headers,
)

LARGEST_FORM = 64 * 1024
LARGEST_UPLOAD = 32 * 1024 * 1024
UPLOADS = "/import"
"""The end of the only address that takes files."""

FORM_SECONDS = 20.0
UPLOAD_SECONDS = 300.0
"""How long a form and a file may take to arrive."""

_CLOSING = (b"connection", b"close")

HEADERS = {
    **web_server.HEADERS,
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "same-origin",
    "x-robots-tag": "noindex, nofollow",
}


class _Body:
    """The body of a request as pages read it: up to a size, and up to a moment."""

    def __init__(self, receive: Receive, most: int, seconds: float) -> None:
        self._receive = receive
        self._left = most
        self._until = asyncio.get_running_loop().time() + seconds
        self.whole = False
        self.gone = False
        """Whether nobody waits for an answer any more."""
        self.refused: tuple[int, str] | None = None

    async def receive(self) -> Message:
        """The next part; one that is too much or too late is as if the client had gone."""
        if self.whole:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            self.refused = 408, "not here in time"
            return {"type": "http.disconnect"}
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.refused = 413, "larger than allowed"
            return {"type": "http.disconnect"}
        self.gone = message["type"] == "http.disconnect"
        self.whole = not self.gone and not message.get("more_body", False)
        return message


class Protection:
    """The layer; `hosts` are the names under which the server may be addressed."""

    def __init__(self, application: Layer, hosts: Iterable[str], url: str | None = None) -> None:
        self.application = application
        self.hosts = {host.lower() for host in hosts}
        self.origin = None if url is None else _origin(url)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on and add headers to what comes back."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.application(scope, receive, send)
            return
        send = with_headers(send, HEADERS)
        headers = {name.lower(): value for name, value in scope["headers"]}
        refused = self._refused(scope, headers)
        if refused is not None:
            await _answer(send, *refused)
            return
        upload = scope["path"].endswith(UPLOADS)
        limit = LARGEST_UPLOAD if upload else LARGEST_FORM
        if not is_short(headers.get(b"content-length", b"0"), limit):
            await _answer(send, 413, "larger than allowed")
            return
        body = _Body(receive, limit, UPLOAD_SECONDS if upload else FORM_SECONDS)

        async def guarded(message: Message) -> None:
            if body.refused is not None:  # whatever the pages make of half a form is not sent
                return
            if message["type"] == "http.response.start" and scope["method"] == "POST":
                closing = () if body.whole else (_CLOSING,)  # what is not wanted is not waited for
                message["headers"] = [*message.get("headers", ()), *closing]
            await send(message)

        try:
            await self.application(scope, body.receive, guarded)
        except Exception:
            if body.refused is None and not body.gone:
                raise
        if body.refused is not None:
            await _answer(send, *body.refused)

    def _refused(self, scope: Message, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if _name(host) not in self.hosts:
            return 421, "this server has another name"
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "not allowed"
        if scope["method"] != "POST":
            return None
        site = headers.get(b"sec-fetch-site", b"same-origin")
        origin = headers.get(b"origin")
        own = {f"http://{host}", f"https://{host}"} if self.origin is None else {self.origin}
        if site != b"same-origin" or (
            origin is not None and origin.decode("latin-1").lower() not in own
        ):
            return 403, "forms are taken from this server's own pages only"
        return None


def _name(host: str) -> str:
    """A host without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


async def _answer(send: Send, status: int, text: str) -> None:
    body = f"{status}: {text}\n".encode()
    plain = (b"content-type", b"text/plain; charset=utf-8")
    size = (b"content-length", str(len(body)).encode("ascii"))
    start = {"type": "http.response.start", "status": status}
    await send({**start, "headers": [plain, size, _CLOSING]})
    await send({"type": "http.response.body", "body": body})
