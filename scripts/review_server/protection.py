"""What stands between the network and the pages: hosts, origins, sizes, rates, headers.

An ASGI layer around the application: what it refuses never reaches a page. Nothing of a request is
written to a log.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from crosspro.data_prep import web_server
from crosspro.data_prep.web_server import Layer, Message, Receive, Send, is_short, with_headers

LARGEST_FORM = 64 * 1024
LARGEST_UPLOAD = 32 * 1024 * 1024
UPLOADS = "/import"
"""The end of the only address that takes files."""

HEADERS = {
    **web_server.HEADERS,
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "same-origin",
    "x-robots-tag": "noindex, nofollow",
}


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
        limit = LARGEST_UPLOAD if scope["path"].endswith(UPLOADS) else LARGEST_FORM
        if not is_short(headers.get(b"content-length", b"0"), limit):
            await _answer(send, 413, "larger than allowed")
            return
        read = 0
        too_large = False

        async def limited() -> Message:
            nonlocal read, too_large
            message = await receive()
            read += len(message.get("body", b""))
            if read > limit:
                too_large = True
                return {"type": "http.disconnect"}
            return message

        async def guarded(message: Message) -> None:
            if not too_large:  # whatever the pages make of half a form is not sent
                await send(message)

        try:
            await self.application(scope, limited, guarded)
        except Exception:
            if not too_large:
                raise
        if too_large:
            await _answer(send, 413, "larger than allowed")

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
    closing = (b"connection", b"close")
    start = {"type": "http.response.start", "status": status}
    await send({**start, "headers": [plain, size, closing]})
    await send({"type": "http.response.body", "body": body})
