"""What stands before both web servers: names, origins, sizes, times, rates and headers.

A page elsewhere can make a browser send requests here, also under a name of its own that it points
at this machine (DNS rebinding). Therefore a request must come under a name that is known to be
ours, and from a page of ours if it comes from a page. What is refused never reaches a page, and
nothing of a request is written to a log.

An ASGI layer of our own: Starlette's TrustedHostMiddleware knows no IPv6 addresses and answers
without our headers, and its CORSMiddleware lets pages in, where these must be kept out.
"""

from __future__ import annotations

import asyncio
import re
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from crosspro.data_prep.core.errors import input_error

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Layer = Callable[[Message, Receive, Send], Awaitable[None]]
Refusal = Callable[[int, str], tuple[str, bytes]]
"""The content type and the content of an answer that says why there is no other."""

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""What every answer says; what its pages may load is each server's own affair."""

_UVICORN: dict[str, Any] = {
    "log_level": "warning",
    "access_log": False,  # addresses may be secret
    "server_header": False,
    "date_header": False,
    "proxy_headers": False,  # an address that a client names itself is none
    "lifespan": "off",
    "ws": "none",
}
_WAITING = 256
_DIGITS = 15
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\s\[\]:/?#@]+))(?::[0-9]{1,5})?")
_CLOSING = (b"connection", b"close")


class Buckets:
    """Allowances that fill up with time, one for each key; the keys seen last are remembered."""

    def __init__(
        self,
        rate: float,
        burst: float,
        most: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.rate = rate
        self.burst = burst
        self.most = most
        self.clock = clock
        self._lock = threading.Lock()  # requests of one key are answered in several threads
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, key: str) -> float:
        """Take one from the allowance of a key: 0, or else the seconds after which there is one."""
        now = self.clock()
        with self._lock:
            left, since = self._left.pop(key, (self.burst, now))
            left = min(self.burst, left + (now - since) * self.rate)
            seconds = 0.0 if left >= 1 else (1 - left) / self.rate
            self._left[key] = (left if seconds else left - 1, now)
            while len(self._left) > self.most:
                self._left.popitem(last=False)
        return seconds

    def allow(self, key: str) -> bool:
        """Take one from the allowance of a key, if there is one."""
        return not self.wait(key)


def is_own_name(host: str, names: Collection[str]) -> bool:
    """Whether a Host header has an address, `localhost` or one of some names.

    A name of somebody else's can be made to lead here; an address cannot.
    """
    found = _HOST.fullmatch(host)
    if found is None:
        return False
    name = found[1] or found[2]
    if found[2] and (name == "localhost" or name in names):
        return True
    try:
        return ip_address(name).version == (6 if found[1] else 4)
    except ValueError:
        return False


def is_short(length: bytes, most: int) -> bool:
    """Whether a Content-Length is a number up to `most`; what is read later is counted as well."""
    return length.isdigit() and len(length) <= _DIGITS and int(length) <= most


class _Body:
    """The body of a request as applications read it: up to a size, and up to a moment."""

    def __init__(self, receive: Receive, most: int, seconds: float) -> None:
        self._receive = receive
        self._most = self._left = most
        self._until = asyncio.get_running_loop().time() + seconds
        self.whole = False
        self.gone = False
        """Whether nobody waits for an answer any more."""
        self.refused: tuple[int, str] | None = None

    async def receive(self) -> Message:
        """The next part; one that is too much or too late is as if the client had gone."""
        if self.whole:
            return await self._receive()
        if self.refused is not None:
            return {"type": "http.disconnect"}
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            self.refused = 408, "expected the whole request in time"
            return {"type": "http.disconnect"}
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.refused = too_long(self._most)
            return {"type": "http.disconnect"}
        self.gone = message["type"] == "http.disconnect"
        self.whole = not self.gone and not message.get("more_body", False)
        return message


def too_long(most: int) -> tuple[int, str]:
    """The refusal of what is longer."""
    return 413, f"expected at most {most:,} bytes"


class Gate:
    """An ASGI layer around an application.

    `names` are those under which it may be addressed beside `localhost` and addresses, and `origin`
    is that of its pages where a proxy stands before it. `limits` has the bytes and the seconds that
    the body of a request may have, `kind` its content type, if there is one alone, `rate` the
    allowance of an address. `misdirected` is the status of what came under another name.
    """

    def __init__(
        self,
        application: Layer,
        names: Collection[str],
        headers: Mapping[str, str],
        refusal: Refusal,
        limits: Callable[[str], tuple[int, float]],
        *,
        url: str | None = None,
        kind: str | None = None,
        rate: Buckets | None = None,
        misdirected: int = 421,
    ) -> None:
        self.application = application
        self.names = frozenset(name.lower() for name in names)
        self.headers = [
            (name.encode("ascii"), value.encode("ascii"))
            for name, value in {**HEADERS, **headers}.items()
        ]
        self.refusal = refusal
        self.limits = limits
        self.origin = None
        if url is not None:
            parts = urlsplit(url)
            self.origin = f"{parts.scheme}://{parts.netloc}".lower()
        self.kind = kind
        self.rate = rate
        self.misdirected = misdirected

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on and add headers to what comes back."""
        if scope["type"] != "http":
            return
        most, seconds = self.limits(scope.get("path", ""))
        refused = self._refused(scope, most)
        if refused is not None:
            await self._refuse(send, *refused)
            return
        body = _Body(receive, most, seconds)

        async def guarded(message: Message) -> None:
            if body.refused is not None:  # whatever is made of half a request is not sent
                return
            if message["type"] == "http.response.start":
                # What is not wanted of a request is not waited for.
                closing = () if body.whole or scope["method"] != "POST" else (_CLOSING,)
                message["headers"] = [*message.get("headers", ()), *self.headers, *closing]
            await send(message)

        try:
            await self.application(scope, body.receive, guarded)
        except Exception:
            if body.refused is None and not body.gone:
                raise
        if body.refused is not None:
            await self._refuse(send, *body.refused)

    def _refused(self, scope: Message, most: int) -> tuple[int, str, int] | tuple[int, str] | None:
        """Status, message, and seconds to wait of a request that is not passed on."""
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        hosts = [value for name, value in scope["headers"] if name.lower() == b"host"]
        host = headers.get(b"host", "").lower()
        if len(hosts) != 1 or not is_own_name(host, self.names):
            text = "expected a Host that is this server's; --allow-host or --url adds a name"
            return self.misdirected, text
        own = {f"http://{host}", f"https://{host}"} if self.origin is None else {self.origin}
        origin = headers.get(b"origin")
        asks = scope["method"] in ("GET", "HEAD")
        elsewhere = headers.get(b"sec-fetch-site", "same-origin") != "same-origin" and not asks
        if elsewhere or (origin is not None and origin.lower() not in own):
            return 403, "expected a request from a page of this server"
        if not asks and scope["method"] != "POST":
            return 405, "expected another method"
        if not asks and self.kind is not None:
            kind = headers.get(b"content-type", "").partition(";")[0].strip().lower()
            if kind != self.kind:
                return 415, f"expected Content-Type: {self.kind}"
        if not is_short(headers.get(b"content-length", "0").encode("latin-1"), most):
            return too_long(most)
        if self.rate is not None:
            client = scope.get("client") or ("", 0)
            seconds = self.rate.wait(str(client[0]))
            if seconds:
                return 429, "too many requests; wait a little", max(1, round(seconds + 0.5))
        return None

    async def _refuse(self, send: Send, status: int, text: str, seconds: int = 0) -> None:
        kind, content = self.refusal(status, text)
        headers = [(b"content-type", kind.encode("ascii")), *self.headers, _CLOSING]
        headers.append((b"content-length", str(len(content)).encode("ascii")))
        if seconds:
            headers.append((b"retry-after", str(seconds).encode("ascii")))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})


def listen(host: str, port: int) -> socket.socket:
    """A socket on an address; port 0 takes a free one.

    What its connections send goes at once: an answer in several parts would else wait 40 ms for
    the client to acknowledge the first of them.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=_WAITING)
    except (OSError, OverflowError) as error:
        found = getattr(error, "strerror", None) or str(error)
        raise input_error(
            "server", "--host, --port", "a free address of this machine", found
        ) from error
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # connections inherit it
    return listening


def web_server(application: Layer, **settings: Any) -> Any:
    """A server of uvicorn, which is imported here because it belongs to an extra."""
    import uvicorn

    return uvicorn.Server(uvicorn.Config(application, **_UVICORN, **settings))
