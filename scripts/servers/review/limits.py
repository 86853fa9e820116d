"""ASGI layers before the pages: the size and the time of a request, and the headers of answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 64 * 1024
BODY_SECONDS = 20.0
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex, nofollow",
    "cache-control": "no-store",
}


class BodyLimit:
    """Reads the whole body before the application is called, or refuses it (413, 408)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = b""
        try:
            async with asyncio.timeout(BODY_SECONDS):
                more = True
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return
                    body += message.get("body", b"")
                    more = message.get("more_body", False)
                    if len(body) > LARGEST_BODY:
                        await _refuse(413, scope, receive, send)
                        return
        except TimeoutError:
            await _refuse(408, scope, receive, send)
            return
        whole = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def replay() -> Message:
            return next(whole, None) or await receive()

        await self.app(scope, replay, send)


class AnswerHeaders:
    """Adds headers to all answers."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self.app = app
        self.headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        await self.app(scope, receive, send_with_headers)


async def _refuse(status: int, scope: Scope, receive: Receive, send: Send) -> None:
    response = PlainTextResponse("", status, {"connection": "close"})
    await response(scope, receive, send)
