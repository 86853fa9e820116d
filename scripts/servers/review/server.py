"""Starts the review server and prints the links of its visitors."""

from __future__ import annotations

import socket
from collections.abc import Sequence

import uvicorn

from crosspro.data_prep.core.errors import input_error, printable
from crosspro.scripts.servers.review.app import ReviewSite, make_app

_KEEP_ALIVE_SECONDS = 15
_MOST_CONNECTIONS = 400


def run_server(
    site: ReviewSite, host: str, port: int, url: str | None, hosts: Sequence[str]
) -> None:
    """Serve until interrupted. The links are secret and are printed here alone."""
    try:
        listening = socket.create_server((host, port))
    except OSError as error:
        found = error.strerror or str(error)
        raise input_error(f"{host}:{port}", "--host, --port", "a free address", found) from error
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else answers wait 40 ms
    address = url or f"http://{host}:{listening.getsockname()[1]}"
    for who in site.people:
        print(f"{printable(who.name)}: {address.rstrip('/')}/{who.token}/", flush=True)
    config = uvicorn.Config(
        make_app(site, hosts),
        log_level="warning",
        access_log=False,  # addresses hold tokens
        proxy_headers=False,
        server_header=False,
        lifespan="off",
        ws="none",
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=5,
        limit_concurrency=_MOST_CONNECTIONS,
    )
    uvicorn.Server(config).run(sockets=[listening])
