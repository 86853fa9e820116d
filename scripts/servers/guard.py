"""The guard before both web servers: hosts, origins, sizes, times, connections and headers.

A page elsewhere can make a browser send requests here, also under a name of its own that it points
at this machine (DNS rebinding). Therefore a request must come under a name of this server and, if a
page sends it, from a page of this server. Connections that never send a whole head of a request
(Slowloris) are closed, the oldest of them at once when there are many connections, and one client
cannot take all.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from dataclasses import KW_ONLY, dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from crosspro.data_prep.core.errors import input_error

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-robots-tag": "noindex, nofollow",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
"""Headers of every answer."""
HEAD_SECONDS = 10.0
"""Within this time the head of a request must have come."""
CONNECTIONS = 400
"""From so many on, a new connection takes the place of the oldest without a request."""
CONNECTIONS_PER_CLIENT = 100
"""A reverse proxy is one client."""
KEEP_ALIVE_SECONDS = 15
SHUTDOWN_SECONDS = 5
_WAITING = 256
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\s\[\]:/?#@]+))(?::[0-9]{1,5})?")


def is_own_name(host: str, names: Collection[str]) -> bool:
    """Whether a Host header is an address, `localhost`, or a name of this server.

    Somebody else's name can be made to lead here; an address cannot.
    """
    match = _HOST.fullmatch(host)
    if match is None:
        return False
    name = match[1] or match[2]
    if match[2] and (name == "localhost" or name in names):
        return True
    try:
        return ip_address(name).version == (6 if match[1] else 4)
    except ValueError:
        return False


@dataclass
class Guard:
    """An ASGI layer that passes on whole requests of a limited size, and adds headers to answers.

    `names` are those under which the server may be addressed, beside `localhost` and addresses.
    """

    application: Application
    names: Collection[str] = ()
    _: KW_ONLY
    largest_body: int = 64 * 1024
    body_seconds: float = 20.0
    content_type: str | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: HEADERS)

    def __post_init__(self) -> None:
        self.names = {name.lower() for name in self.names}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)
        body = b""
        if refusal is None:
            try:
                async with asyncio.timeout(self.body_seconds):
                    body = await self._body(receive)
            except TimeoutError:
                refusal = 408, "expected the whole request in time"
            except ConnectionError:
                return
            if len(body) > self.largest_body:
                refusal = 413, f"expected at most {self.largest_body:,} bytes"

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                # The rest of a refused request is not waited for.
                headers = {**self.headers, **({"connection": "close"} if refusal else {})}
                added = [(name.encode(), value.encode()) for name, value in headers.items()]
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        if refusal is not None:
            status, text = refusal
            content = json.dumps({"problems": [{"message": text}]}).encode()
            kind = [(b"content-type", b"application/json")]
            size = [(b"content-length", str(len(content)).encode())]
            start = {"type": "http.response.start", "status": status, "headers": kind + size}
            await send_with_headers(start)
            await send_with_headers({"type": "http.response.body", "body": content})
            return
        parts = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_whole() -> Message:
            return parts.pop() if parts else await receive()

        await self.application(scope, receive_whole, send_with_headers)

    async def _body(self, receive: Receive) -> bytes:
        """The body, of which no more is read than a little beyond the limit."""
        body, more = b"", True
        while more and len(body) <= self.largest_body:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            body += message.get("body", b"")
            more = message.get("more_body", False)
        return body

    def _refusal(self, scope: Message) -> tuple[int, str] | None:
        """Status and message for a request that is not passed on."""
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        hosts = [value for name, value in scope["headers"] if name.lower() == b"host"]
        host = headers.get(b"host", "").lower()
        if len(hosts) != 1 or not is_own_name(host, self.names):
            return 403, "expected a Host of this server; --allow-host or --url adds a name"
        if scope["method"] in ("GET", "HEAD"):
            return None
        if scope["method"] != "POST":
            return 405, "expected another method"
        origin = urlsplit(headers.get(b"origin", f"http://{host}").lower())
        if headers.get(b"sec-fetch-site", "same-origin") != "same-origin" or (
            origin.netloc != host and origin.hostname not in self.names
        ):
            return 403, "expected a request from a page of this server"
        content_type = headers.get(b"content-type", "").partition(";")[0].strip().lower()
        if self.content_type not in (None, content_type):
            return 415, f"expected Content-Type: {self.content_type}"
        return None


def listen(host: str, port: int) -> socket.socket:
    """A socket on an address; port 0 takes a free one."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=_WAITING)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise input_error(
            f"{host}:{port}", "--host, --port", "a free address of this machine", reason
        ) from error
    # Without it an answer in several parts waits 40 ms for the client to acknowledge the first.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def make_server(
    application: Application,
    head_seconds: float = HEAD_SECONDS,
    per_client: int = CONNECTIONS_PER_CLIENT,
) -> Any:
    """A server of uvicorn."""
    import h11
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    half_open: dict[Any, asyncio.TimerHandle] = {}

    class LimitedProtocol(H11Protocol):
        """A connection that is closed if no head of a request comes in time.

        uvicorn itself waits for the first byte, and for the rest of a head, for ever.
        """

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            clients = [getattr(connection, "client", None) for connection in self.connections]
            address = self.client and self.client[0]
            if sum(client is not None and client[0] == address for client in clients) > per_client:
                transport.abort()
                return
            if len(self.connections) > CONNECTIONS:
                oldest = next(iter(half_open), self)
                oldest.stop_waiting()
                oldest.transport.abort()
            self.wait_for_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self.wait_for_head()

        def connection_lost(self, exc: Exception | None) -> None:
            self.stop_waiting()
            super().connection_lost(exc)

        def wait_for_head(self) -> None:
            if self.conn.their_state is not h11.IDLE or self.transport.is_closing():
                self.stop_waiting()
            elif self not in half_open:
                half_open[self] = self.loop.call_later(head_seconds, self.transport.abort)

        def stop_waiting(self) -> None:
            if self in half_open:
                half_open.pop(self).cancel()

    config = uvicorn.Config(
        application,
        http=LimitedProtocol,
        log_level="warning",
        access_log=False,  # addresses of pages may be secret
        server_header=False,
        date_header=False,
        proxy_headers=False,  # clients could claim any address
        lifespan="off",
        ws="none",
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    return uvicorn.Server(config)
