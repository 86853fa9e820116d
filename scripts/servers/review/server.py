"""The server of a campaign: pages under secret links, errors that say little, and its start."""

from __future__ import annotations

import errno
import gc
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from crosspro.data_prep.core.errors import printable
from crosspro.evaluation.human.campaign import Campaign, CampaignSettings, reference_checks
from crosspro.evaluation.human.items import ReviewSet
from crosspro.evaluation.human.store import CampaignFile, StoreError
from crosspro.scripts.servers.gate import Gate, listen, web_server
from crosspro.scripts.servers.review import annotator_pages, researcher_pages
from crosspro.scripts.servers.review.links import open_key
from crosspro.scripts.servers.review.site import STATIC, Site, TooManyError, site_of, static_file

LARGEST_FORM = 64 * 1024
LARGEST_UPLOAD = 32 * 1024 * 1024
UPLOADS = "/import"
"""The end of the only address that takes files."""

FORM_SECONDS = 20.0
UPLOAD_SECONDS = 300.0
"""How long a form and a file may take to arrive."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "same-origin",
    "x-robots-tag": "noindex, nofollow",
}
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
SWITCH_SECONDS = 0.0005
"""How long a thread that makes a page may keep others waiting. Whenever the server's loop reads or
writes it lets such a thread in, and then waits until it is let in again, for 5 ms as a rule."""


def make_application(site: Site, hosts: Collection[str], url: str | None = None) -> Gate:
    """The pages of a site behind all protection; `hosts` are names of the server."""
    static = Route("/static/{name}", _static)
    routes: list[BaseRoute] = [*annotator_pages.ROUTES, *researcher_pages.ROUTES, static]
    # A route of FastAPI takes 140 µs of each request, one of Starlette 20; a save takes 1,200.
    application = Starlette(routes=routes)
    application.state.site = site
    application.add_exception_handler(HTTPException, _refused)
    application.add_exception_handler(TooManyError, _too_many)
    application.add_exception_handler(StoreError, _unusable)
    application.add_exception_handler(OSError, _unusable)
    return Gate(application, hosts, HEADERS, _refusal, _limits, url=url)


def _limits(path: str) -> tuple[int, float]:
    if path.endswith(UPLOADS):
        return LARGEST_UPLOAD, UPLOAD_SECONDS
    return LARGEST_FORM, FORM_SECONDS


def _refusal(status: int, text: str) -> tuple[str, bytes]:
    return "text/plain; charset=utf-8", f"{status}: {text}\n".encode()


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


def open_campaign(
    store: Path,
    items: ReviewSet,
    tutorial: ReviewSet | None,
    settings: CampaignSettings,
    annotators: Sequence[str],
) -> Campaign:
    """A campaign, new or known, with everything planned that is new."""
    plan = settings.plan
    checks = None
    if plan.checks:
        count = -(-len(items.questions) * plan.checks // 100)
        checks = reference_checks(items, max(4, int(count)), plan.seed)
    file = CampaignFile(store, items.digest)
    try:
        campaign = Campaign(file, items, settings, tutorial, checks)
        campaign.start(annotators)
    except BaseException:
        file.close()
        raise
    return campaign


def run_server(
    store: Path,
    items: ReviewSet,
    tutorial: ReviewSet | None,
    settings: CampaignSettings,
    annotators: Sequence[str],
    host: str,
    port: int,
    url: str | None,
    hosts: Sequence[str],
) -> None:
    """Serve until it is stopped. Addresses, which are secret, are printed here and nowhere else."""
    listening = listen(host.strip("[]"), port)  # so that links that are printed can be opened
    campaign = open_campaign(store, items, tutorial, settings, annotators)
    shown = f"[{host}]" if ":" in host and not host.startswith("[") else host
    site = Site(campaign, open_key(store), url or f"http://{shown}:{listening.getsockname()[1]}")
    print(f"researcher: {site.management}")
    for person in site.people:
        print(f"{printable(person.name)}: {site.address(person)}")
    sys.stdout.flush()
    if settings.plan.overlap and settings.plan.judges > max(2, len(site.people)):
        print(
            f"note: --overlap-judges {settings.plan.judges}, but {len(site.people)} take part: "
            "what is shared now is shared by all of them",
            file=sys.stderr,
        )
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()  # questions stay: going through them again and again stopped everybody for 0.1 s
    application = make_application(site, hosts, url)
    try:
        web_server(application, timeout_keep_alive=30, limit_concurrency=500).run(
            sockets=[listening]
        )
    finally:
        campaign.file.close()
