"""A campaign that is served within the test, if the packages of the extra `review` are there."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

import pytest

from crosspro.evaluation.human.campaign import CampaignSettings, PlanSettings
from crosspro.evaluation.human.items import KnownAnswer, ReviewSet, items_text, read_items
from tests.evaluation.human.sets import make_set

NEEDED = "needs httpx and the extra `review`: make extras EXTRAS=review"
PACKAGES = ("fastapi", "uvicorn", "jinja2", "markdown_it", "python_multipart", "httpx")

SETTINGS = CampaignSettings(batch=4, plan=PlanSettings(matches=1, overlap=1))
HOST = "127.0.0.1"


@dataclass
class Served:
    """A served campaign, and a browser that has no script."""

    site: Any
    client: Any
    store: Any

    def base(self, name: str | None = None) -> str:
        if name is None:
            return f"/m/{self.site.links.management}"
        (person,) = [one for one in self.site.people if one.name == name]
        return f"/a/{self.site.links.annotator(person)}"

    def get(self, address: str, name: str | None = None, **settings: Any) -> Any:
        return self.client.get(self.base(name) + address, **settings)

    def post(self, address: str, name: str | None = None, /, **fields: Any) -> Any:
        base = self.base(name)
        fields.setdefault("form", self.site.links.form(base.rpartition("/")[2]))
        return self.client.post(base + address, data=fields, follow_redirects=False)

    def begin(self, name: str) -> Any:
        return self.post("/begin", name)

    def undo(self, name: str) -> Any:
        """Take back the last answer, as the page that comes next offers it."""
        (last,) = re.findall(r'name="last" value="(\d+)"', self.get("/work", name).text) or ["0"]
        return self.post("/undo", name, last=last)

    def next(self, name: str) -> tuple[str, dict[str, str]]:
        """The address of the next question, and its hidden fields."""
        return question_of(self.get("/work", name).text)

    def answer(self, name: str, **fields: Any) -> Any:
        """Answer the next question."""
        address, hidden = self.next(name)
        said = {"pronoun": "right", "antecedent": "right", "word": "0"}
        return self.post(address, name, **(hidden | said | fields))


def question_of(page: str) -> tuple[str, dict[str, str]]:
    (address,) = re.findall(r'id="answer" method="post" action="/a/[^/]+(/q/\w+)"', page)
    hidden = dict(
        re.findall(r'<input type="hidden" name="(seen|words-shown)" value="(\d+)">', page)
    )
    return address, hidden


def tutorial_of(items: ReviewSet) -> ReviewSet:
    """Two of some items with answers."""
    answer = KnownAnswer(("wrong",), ("right",), "Because <b>elle</b> has another gender.")
    some = [replace(one, answer=answer) for one in items.items if one.item.system == "bad"][:2]
    return replace(items, items=tuple(some))


@pytest.fixture
def serve(tmp_path):
    """Makes served campaigns; further ones on the same store are the same campaign again."""
    for package in PACKAGES:
        pytest.importorskip(package, reason=NEEDED)
    from starlette.testclient import TestClient

    from crosspro.scripts.servers.review.links import open_key
    from crosspro.scripts.servers.review.server import make_application, open_campaign
    from crosspro.scripts.servers.review.site import Site

    opened = []

    def make(items=None, settings=SETTINGS, names=("Anna", "Ben"), tutorial=False, url=None):
        store = tmp_path / "v.sqlite"
        items = items or make_set(6)
        while opened:  # one server for each store
            opened.pop().file.close()
        lessons = tutorial_of(items) if tutorial else None
        campaign = open_campaign(store, items, lessons, settings, names)
        opened.append(campaign)
        site = Site(campaign, open_key(store), url or f"http://{HOST}")
        application = make_application(site, [HOST], url)
        client = TestClient(application, base_url=f"http://{HOST}")
        return Served(site, client, store)

    yield make
    for campaign in opened:
        campaign.file.close()


@pytest.fixture
def served(serve):
    return serve()


@pytest.fixture
def reread(tmp_path):
    """A set of items after a way through its file."""

    def again(items, *changes):
        path = tmp_path / "again.jsonl"
        text = items_text(items)
        for old, new in changes:
            text = text.replace(json.dumps(old), json.dumps(new))
        path.write_text(text, "utf-8")
        return read_items(path)

    return again
