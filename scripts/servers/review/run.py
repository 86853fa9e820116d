"""Start the server of a campaign, and say where it is."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from crosspro.data_prep.core.errors import printable
from crosspro.evaluation.human.campaign import Campaign, CampaignSettings, reference_checks
from crosspro.evaluation.human.items import ReviewSet
from crosspro.evaluation.human.store import CampaignFile
from crosspro.scripts.servers.review.application import make_application
from crosspro.scripts.servers.review.links import open_key
from crosspro.scripts.servers.review.site import Site
from crosspro.scripts.servers.web_server import UVICORN, listen

SWITCH_SECONDS = 0.0005
"""How long a thread that makes a page may keep others waiting. Whenever the server's loop reads or
writes it lets such a thread in, and then waits until it is let in again, for 5 ms as a rule."""


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
    configuration = uvicorn.Config(
        make_application(site, hosts, url),
        **UVICORN,
        timeout_keep_alive=30,
        limit_concurrency=500,
    )
    try:
        uvicorn.Server(configuration).run(sockets=[listening])
    finally:
        campaign.file.close()
