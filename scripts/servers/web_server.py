"""What our web servers share: types of ASGI, allowances, limits, headers, and how they listen.

The review server and the page to try systems each stand behind a layer of their own, since they let
in different people; what is the same before both of them is here, and needs no web package.
"""

from __future__ import annotations

import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from crosspro.data_prep.core.errors import input_error

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Layer = Callable[[Message, Receive, Send], Awaitable[None]]

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""What every answer says; what its pages may load is each server's own affair."""

UVICORN: dict[str, Any] = {
    "log_level": "warning",
    "access_log": False,  # addresses may be secret
    "server_header": False,
    "date_header": False,
    "proxy_headers": False,  # an address that a client names itself is none
    "lifespan": "off",
    "ws": "none",
}
"""Settings of uvicorn."""

_WAITING = 256
_DIGITS = 15


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


def is_short(length: bytes, most: int) -> bool:
    """Whether a Content-Length is a number up to `most`; what is read later is counted as well."""
    return length.isdigit() and len(length) <= _DIGITS and int(length) <= most


def with_headers(send: Send, headers: Mapping[str, str]) -> Send:
    """A way to send answers with further headers."""
    extra = [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *extra]
        await send(message)

    return sent


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
