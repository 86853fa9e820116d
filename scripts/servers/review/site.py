"""What the pages of a running server share: the campaign, links, templates, and who may enter."""

from __future__ import annotations

import sqlite3
import sys
import threading
from asyncio import get_running_loop, wrap_future
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from crosspro.data_prep.core.errors import printable
from crosspro.evaluation.human.campaign import Assignment, Campaign, Person, new_generation, people
from crosspro.evaluation.human.items import Key
from crosspro.evaluation.human.store import Job, Result, StoreError
from crosspro.evaluation.human.verdicts import UnknownValueError
from crosspro.evaluation.human.work import code_of
from crosspro.scripts.servers.gate import Buckets
from crosspro.scripts.servers.review.links import LinkKey, find, same
from crosspro.scripts.servers.review.shown import choices_html, far_html, words_html

_FOLDER = Path(__file__).resolve().parent
STATIC = {
    "review.css": "text/css; charset=utf-8",
    "review.js": "text/javascript; charset=utf-8",
    "review.svg": "image/svg+xml",
}
MOST_FIELDS = 500
PAGES_AT_ONCE = 2
"""Pages for annotators that are made at once: more are not made sooner, and make saves wait."""

Fields = dict[str, list[str]]


class TooManyError(Exception):
    """Somebody asks more often than people do."""


def make_environment() -> Environment:
    """Templates in which everything that is put in is escaped."""
    environment = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {one.__name__: one for one in (words_html, far_html, choices_html)}
    return environment


def static_file(name: str) -> bytes:
    """One of the files that pages load."""
    return (_FOLDER / "static" / name).read_bytes()


def rendered_markdown(text: str) -> str:
    """Markdown as HTML: what is HTML in it is shown as text, and nothing is loaded."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = markdown.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):  # the page has a heading of its own
            token.tag = f"h{min(6, int(token.tag[1:]) + 1)}"
        style = token.attrs.pop("style", "")  # no page may bring styles along
        if style:
            token.attrSet("class", str(style).replace("text-align:", "to-"))
    return str(markdown.renderer.render(tokens, markdown.options, {}))


@dataclass(frozen=True)
class Visitor:
    """Somebody who has a link: an annotator, or the researcher (who has no name here)."""

    secret: str
    base: str
    form: str
    person: Person | None = None

    @property
    def name(self) -> str:
        """The annotator's name."""
        return "" if self.person is None else self.person.name


class Site:
    """A campaign that is served."""

    def __init__(self, campaign: Campaign, links: LinkKey, url: str) -> None:
        self.campaign = campaign
        self.links = links
        self.url = url.rstrip("/")
        self.templates = make_environment()
        self.instructions = rendered_markdown(campaign.settings.instructions)
        self.visits = Buckets(rate=30, burst=120)
        self.wrong_links = Buckets(rate=0.2, burst=20)
        self.places: dict[str, Assignment] = {
            code_of(key): Assignment(kind, key)
            for kind, own in campaign.sets.items()
            for key in own.questions
        }
        self._threads = ThreadPoolExecutor(PAGES_AT_ONCE, "page")
        self._lock = threading.Lock()
        self._told = ""
        self._people: dict[bytes, Person] = {}
        self.read_people()

    def read_people(self) -> None:
        """See who takes part."""
        with self.campaign.file.reading() as database, self._lock:
            self._people = self.links.all(people(database))

    @property
    def people(self) -> tuple[Person, ...]:
        """Those who take part."""
        return tuple(self._people.values())

    def annotator(self, request: Request) -> Visitor:
        """Whose link was opened; a link of nobody is told apart from nothing else."""
        secret = request.path_params["secret"]
        person = find(secret, self._people)
        if person is None:
            self._turn_away(request)
        return self._visitor(secret, "a", person)

    def researcher(self, request: Request) -> Visitor:
        """The same for the management link."""
        secret = request.path_params["secret"]
        if not same(self.links.management, secret):
            self._turn_away(request)
        return self._visitor(secret, "m", None)

    def _visitor(self, secret: str, kind: str, person: Person | None) -> Visitor:
        if not self.visits.allow(secret):
            raise TooManyError
        return Visitor(secret, f"/{kind}/{secret}", self.links.form(secret), person)

    def _turn_away(self, request: Request) -> None:
        address = request.client.host if request.client else ""
        if not self.wrong_links.allow(address):
            raise TooManyError
        raise HTTPException(404)

    async def written(self, job: Job[Result]) -> Result:
        """What came of something that writes, once it is on disk; no thread waits for it."""
        try:
            return await wrap_future(self.campaign.file.submit(job))
        except (sqlite3.DatabaseError, UnknownValueError) as error:
            raise StoreError(self.campaign.file.path, error) from error

    def tell(self, error: Exception) -> None:
        """Tell who runs the server what is wrong with its store or disk, once until it changes."""
        if str(error) != self._told:
            self._told = str(error)
            print(printable(self._told), file=sys.stderr, flush=True)

    async def made(self, page: Callable[..., Response], *arguments: Any) -> Response:
        """A page for an annotator, made in one of a few threads."""
        return await get_running_loop().run_in_executor(self._threads, page, *arguments)

    def renew(self, name: str) -> None:
        """Give somebody a new link."""
        with self.campaign.file.writing() as database:
            new_generation(database, name)
        self.read_people()

    def address(self, person: Person) -> str:
        """The link that is sent to an annotator."""
        return f"{self.url}/a/{self.links.annotator(person)}/"

    @property
    def management(self) -> str:
        """The researcher's link."""
        return f"{self.url}/m/{self.links.management}/"

    def page(self, template: str, status: int = 200, /, **parts: Any) -> Response:
        """A page from a template."""
        text = self.templates.get_template(template).render(
            title=self.campaign.settings.title,
            languages=self.campaign.items.languages,
            assets="/static",
            **parts,
        )
        return HTMLResponse(text, status)

    def code(self, key: Key) -> str:
        """What a question is called in addresses."""
        return code_of(key)


def site_of(request: Request) -> Site:
    """The site that a request came to."""
    site = request.app.state.site
    assert isinstance(site, Site)  # noqa: S101 - the application is made with one
    return site


async def form_fields(request: Request) -> Fields:
    """The fields of a form; it must be one that this server has sent to this visitor."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415)
    try:
        text = (await request.body()).decode("utf-8")
        fields = parse_qs(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise HTTPException(400) from error
    check_form(request, fields)
    return fields


def check_form(request: Request, fields: Mapping[str, list[str]]) -> None:
    """Refuse a form that lacks what this server has put into it."""
    expected = site_of(request).links.form(request.path_params["secret"])
    if not same(expected, next(iter(fields.get("form", ())), "")):
        raise HTTPException(403)


def go(address: str) -> Response:
    """Send the browser to another page after a form was taken."""
    return RedirectResponse(address, 303)
