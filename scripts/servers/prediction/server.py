"""Runs the application on an address of this machine until it is stopped."""

from __future__ import annotations

import socket
from collections.abc import Collection

import uvicorn

from crosspro.scripts.servers.prediction.app import make_app
from crosspro.scripts.servers.prediction.desk import Desk
from crosspro.scripts.servers.prediction.guard import Guard, RateLimit
from crosspro.scripts.servers.prediction.turn import SECONDS, Turns
from crosspro.scripts.servers.web_server import UVICORN

_CONNECTIONS = 100
_QUIET_SECONDS = 10
_LAST_SECONDS = 5
"""How long answers may take that are under way when the server is stopped."""


def address(listening: socket.socket) -> str:
    """What to type into a browser."""
    host, port = listening.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - only compared
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"


def serve(
    desk: Desk,
    listening: socket.socket,
    names: Collection[str],
    per_minute: int,
    seconds: float = SECONDS,
) -> None:
    """Answer until the process is interrupted; a request may take so many seconds."""
    config = uvicorn.Config(
        Guard(make_app(desk, Turns(seconds)), names, RateLimit(per_minute)),
        **UVICORN,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=_QUIET_SECONDS,
        timeout_graceful_shutdown=_LAST_SECONDS,
    )
    uvicorn.Server(config).run(sockets=[listening])
