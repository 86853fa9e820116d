"""The application: pages under secret links, a few static files, and errors that say little."""

from __future__ import annotations

import errno
from collections.abc import Iterable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from crosspro.evaluation.human.store import StoreError
from crosspro.scripts.servers.review import annotator_pages, researcher_pages
from crosspro.scripts.servers.review.protection import Protection
from crosspro.scripts.servers.review.site import STATIC, Site, TooManyError, site_of, static_file
from crosspro.scripts.servers.web_server import Layer

_WORDS = {
    403: "This form was not sent by the page it belongs to. Open your link again.",
    404: "There is nothing here. Perhaps the link is not complete, or was replaced by a new one.",
    405: "This is not possible here.",
    415: "This is no form of this server.",
    422: "Something is missing. Go back and fill it in.",
    429: "Too many requests. Wait a moment.",
    500: "The server cannot use its store or its disk; nothing was stored. Tell the researcher.",
    503: "Another program uses the store; nothing was stored. Wait a moment, go back, try again.",
    507: "The server's disk is full; nothing was stored. Tell the researcher, go back, try again.",
}
RETRY_SECONDS = 10


def make_application(site: Site, hosts: Iterable[str], url: str | None = None) -> Layer:
    """The pages of a site behind all protection."""
    static = Route("/static/{name}", _static)
    routes: list[BaseRoute] = [*annotator_pages.ROUTES, *researcher_pages.ROUTES, static]
    application = Starlette(routes=routes)  # what FastAPI adds takes longer than storing an answer
    application.state.site = site
    application.add_exception_handler(HTTPException, _refused)
    application.add_exception_handler(TooManyError, _too_many)
    application.add_exception_handler(StoreError, _unusable)
    application.add_exception_handler(OSError, _unusable)
    return Protection(application, hosts, url)


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        raise HTTPException(404)
    return Response(static_file(name), media_type=STATIC[name])


def _refused(request: Request, error: Exception) -> Response:
    return _plain(error.status_code if isinstance(error, HTTPException) else 500)


def _too_many(request: Request, error: Exception) -> Response:
    return _plain(429)


def _unusable(request: Request, error: Exception) -> Response:
    """What is said when a store or a disk fails: visitors learn what to do, its owner why."""
    site_of(request).tell(error)
    full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    if full or (isinstance(error, StoreError) and error.full):
        return _plain(507)
    if isinstance(error, StoreError) and error.busy:
        answer = _plain(503)
        answer.headers["retry-after"] = str(RETRY_SECONDS)
        return answer
    return _plain(500)


def _plain(status: int) -> Response:
    return PlainTextResponse(f"{status}: {_WORDS.get(status, 'Not possible.')}\n", status)
