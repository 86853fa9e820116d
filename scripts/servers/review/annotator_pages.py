"""The pages of an annotator: instructions, tutorial, questions in batches, and what was done."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from inspect import iscoroutinefunction
from typing import Any, Literal, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response as Page
from starlette.routing import Route

from crosspro.evaluation.human.campaign import Assignment
from crosspro.evaluation.human.items import SuggestedAnswer
from crosspro.evaluation.human.work import (
    LONGEST_REMARK,
    Response,
    ResponseError,
    StaleError,
    Work,
    code_of,
    current,
    note_event,
    plain_text,
    positions_of,
    read_work,
    response_of,
    save,
    undo,
)
from crosspro.scripts.servers.review.shown import shown_question
from crosspro.scripts.servers.review.site import Fields, Site, Visitor, form_fields, go, site_of

NOTICES = {
    "saved": "Saved.",
    "undone": "Taken back. You can answer again.",
    "skipped": "Skipped. It comes back at the end of the batch.",
    "flagged": "Flagged for the researcher.",
    "unflagged": "The flag is gone.",
    "later": "Another answer was saved since that page was made. Nothing was taken back.",
    "nothing": "There is nothing to take back.",
    "moved": "This question is no longer yours. Here is the next one.",
    "check": "That was an attention check, and the answer was not the expected one. "
    "Please read each translation with care.",
}
"""What a page may say first; an address chooses one of them and nothing else."""


Mark = Literal["skip", "flag", "unflag"]
MARKS: dict[str, Mark] = {"skip": "skip", "flag": "flag", "unflag": "unflag"}
"""What can be done with a question beside answering it."""


class MovedError(Exception):
    """A question that an annotator answers has become somebody else's."""


_EMPTY: dict[str, Any] = {
    "pronoun": "",
    "antecedent": "",
    "bad": False,
    "tags": (),
    "remark": "",
    "alternative": "",
    "words": None,
}


def home(site: Site, visitor: Visitor, request: Request) -> Page:
    """The instructions, and the way to begin or go on."""
    return site.page("home.html", visitor=visitor, work=_work(site, visitor), site=site)


async def begin(site: Site, visitor: Visitor, request: Request) -> Page:
    """Note that the instructions were read."""
    await form_fields(request)
    await site.written(lambda database: note_event(database, visitor.name, "begin"))
    return go(f"{visitor.base}/work")


def work_on(site: Site, visitor: Visitor, request: Request) -> Page:
    """The next question, wherever the annotator has stopped."""
    work = _work(site, visitor)
    if not work.begun:
        return go(f"{visitor.base}/")
    for key in site.campaign.tutorial:
        if key not in work.tutorial:
            return _question(site, visitor, work, Assignment("tutorial", key), _notice(request))
    finished = request.query_params.get("batch", "")
    if work.next is None or (
        finished.isascii() and finished.isdigit() and int(finished[:6]) != work.batch(work.next.key)
    ):
        notice = _notice(request)
        return site.page("batch.html", visitor=visitor, work=work, site=site, notice=notice)
    return _question(site, visitor, work, work.next, _notice(request))


def list_all(site: Site, visitor: Visitor, request: Request) -> Page:
    """All places of the work, and what was said."""
    work = _work(site, visitor)
    rows = [
        (
            number,
            code_of(one.key),
            work.given.get(one.key),
            one.key in work.flagged,
            work.skipped.get(one.key),
        )
        for number, one in enumerate(work.places, start=1)
    ]
    return site.page("list.html", visitor=visitor, work=work, rows=rows, site=site)


def show(site: Site, visitor: Visitor, request: Request) -> Page:
    """One question, answered or not."""
    work = _work(site, visitor)
    place = site.places.get(request.path_params["code"])
    if place is None or not _is_mine(place, work):
        raise HTTPException(404)
    return _question(site, visitor, work, place, _notice(request))


async def answer(site: Site, visitor: Visitor, request: Request) -> Page:
    """Store an answer, skip a question, or flag it."""
    fields = await form_fields(request)
    code = request.path_params["code"]
    place = site.places.get(code)
    question = None if place is None else site.campaign.question(place.kind, place.key)
    if place is None or question is None:
        raise HTTPException(404)
    action = fields.get("action", ["save"])[0]
    if action in MARKS:
        return await _mark(site, visitor, place, MARKS[action], fields)
    items = site.campaign.sets[place.kind]
    try:
        response = response_of(fields, question, items, site.campaign.settings.tags)
        good, batch = await site.written(
            lambda database: _saved(
                database, site, visitor, place, response, _number(fields, "seen")
            )
        )
    except MovedError:
        return go(f"{visitor.base}/work?say=moved")
    except ResponseError as error:
        return await site.made(_again, site, visitor, place, fields, str(error), 422)
    except StaleError:
        message = (
            "Another page has saved another answer to this question in the meantime. "
            "Nothing was stored now: look at it again and save."
        )
        return await site.made(_again, site, visitor, place, fields, message, 409)
    if place.kind == "tutorial":
        return go(f"{visitor.base}/q/{code}")
    loud = place.kind == "check" and not good and site.campaign.settings.loud_checks
    return go(f"{visitor.base}/work?say={'check' if loud else 'saved'}&batch={batch}")


def _saved(
    database: sqlite3.Connection,
    site: Site,
    visitor: Visitor,
    place: Assignment,
    response: Response,
    seen: int,
) -> tuple[bool | None, int]:
    """Whether an answer was the expected one, where that is known, and the batch that it is in."""
    batch = _batch(database, site, visitor, place)
    return save(database, site.campaign, visitor.name, place, response, seen), batch


async def take_back(site: Site, visitor: Visitor, request: Request) -> Page:
    """Take back the answer that the page called the last one, and ask again."""
    fields = await form_fields(request)
    if "last" not in fields:
        raise HTTPException(422)
    last = _number(fields, "last")
    try:
        place = await site.written(
            lambda database: undo(
                database, site.campaign, read_work(database, site.campaign, visitor.name), last
            )
        )
    except StaleError:
        return go(f"{visitor.base}/work?say=later")
    if place is None:
        return go(f"{visitor.base}/work?say=nothing")
    return go(f"{visitor.base}/q/{code_of(place.key)}?say=undone")


async def _mark(
    site: Site,
    visitor: Visitor,
    place: Assignment,
    action: Mark,
    fields: Fields,
) -> Page:
    remark = plain_text(fields.get("remark", [""])[0])[:LONGEST_REMARK]

    def noted(database: sqlite3.Connection) -> int:
        batch = _batch(database, site, visitor, place)
        note_event(database, visitor.name, action, place.key, remark)
        return batch

    try:
        batch = await site.written(noted)
    except MovedError:
        return go(f"{visitor.base}/work?say=moved")
    if action == "skip":
        return go(f"{visitor.base}/work?say=skipped&batch={batch}")
    return go(f"{visitor.base}/q/{code_of(place.key)}?say={action}ged")


def _batch(database: sqlite3.Connection, site: Site, visitor: Visitor, place: Assignment) -> int:
    """The batch of a question that is one of the annotator's own."""
    if place.kind == "tutorial":
        return 0
    row = database.execute(
        "SELECT place FROM assignment WHERE token = ? AND digest = ? "
        "AND annotator = (SELECT id FROM annotator WHERE name = ?)",
        (*place.key, visitor.name),
    ).fetchone()
    if row is None:
        raise MovedError
    return int(row[0] - 1) // site.campaign.settings.batch


def _is_mine(place: Assignment, work: Work) -> bool:
    return place.kind == "tutorial" or code_of(place.key) in work.codes


def _number(fields: Fields, name: str) -> int:
    """What a page has put into a hidden field of its form."""
    written = fields.get(name, ["0"])[0]
    return int(written) if written.isascii() and written.isdigit() and len(written) < 16 else -1


def _notice(request: Request) -> str:
    return NOTICES.get(request.query_params.get("say", ""), "")


def _work(site: Site, visitor: Visitor) -> Work:
    with site.campaign.file.reading() as database:
        return read_work(database, site.campaign, visitor.name)


def _again(
    site: Site, visitor: Visitor, place: Assignment, fields: Fields, message: str, status: int
) -> Page:
    """The same question with what was filled in, and why it was not stored."""
    filled = {
        "pronoun": fields.get("pronoun", [""])[0],
        "antecedent": fields.get("antecedent", [""])[0],
        "bad": bool(fields.get("bad", [""])[0]),
        "tags": tuple(fields.get("tag", ())),
        "remark": fields.get("remark", [""])[0],
        "alternative": fields.get("alternative", [""])[0],
        "words": positions_of(fields)[0],
    }
    work = _work(site, visitor)
    if not _is_mine(place, work):
        return go(f"{visitor.base}/work?say=moved")
    return _question(site, visitor, work, place, "", filled, message, status)


def _filled(response: Response) -> dict[str, Any]:
    return {**asdict(response), "antecedent": response.antecedent or ""}


def _filled_in(suggested: SuggestedAnswer) -> dict[str, Any]:
    """What an annotator finds filled in, to be confirmed or changed."""
    if suggested.pronoun is None:
        return _EMPTY
    return {**_EMPTY, "pronoun": suggested.pronoun, "alternative": suggested.alternative}


def _question(
    site: Site,
    visitor: Visitor,
    work: Work,
    place: Assignment,
    notice: str,
    filled: Mapping[str, Any] | None = None,
    error: str = "",
    status: int = 200,
) -> Page:
    campaign = site.campaign
    question = campaign.question(place.kind, place.key)
    if question is None:
        raise HTTPException(404)
    tutorial = place.kind == "tutorial"
    given = None
    if place.key in (work.tutorial if tutorial else work.given):
        with campaign.file.reading() as database:
            given = current(database, place, visitor.name)
    items = campaign.sets[place.kind]
    settings = campaign.settings
    suggested = None if settings.hide_suggestions else question.shown.suggested
    if filled is None and given is not None:
        filled = _filled(given.response)
    elif filled is None:
        filled = _EMPTY if suggested is None else _filled_in(suggested)
    reference = settings.show_reference
    shown = shown_question(items, question, settings.context, filled["words"], reference)
    before = None if tutorial else work.before(place.key)
    after = None if tutorial else work.after(place.key)
    places = campaign.tutorial
    return site.page(
        "question.html",
        status,
        site=site,
        visitor=visitor,
        work=work,
        shown=shown,
        filled=filled,
        given=given,
        notice=notice,
        error=error,
        code=code_of(place.key),
        tutorial=tutorial,
        answer=question.shown.answer if tutorial and given is not None else None,
        number=(places.index(place.key) if tutorial else work.number(place.key)) + 1,
        total=len(places) if tutorial else len(work.places),
        before=None if before is None else code_of(before.key),
        after=None if after is None else code_of(after.key),
        flagged=place.key in work.flagged,
        settings=settings,
        suggested=suggested,
    )


def _entered(
    page: Callable[[Site, Visitor, Request], Any],
) -> Callable[[Request], Awaitable[Page]]:
    """A page under an annotator's link; one that writes nothing is made in a thread."""

    async def entered(request: Request) -> Page:
        site = site_of(request)
        visitor = site.annotator(request)
        if iscoroutinefunction(page):
            return cast(Page, await page(site, visitor, request))
        return await site.made(page, site, visitor, request)

    return entered


ROUTES = [
    Route(f"/a/{{secret}}{address}", _entered(page), methods=[method])
    for method, address, page in (
        ("POST", "/q/{code}", answer),
        ("POST", "/begin", begin),
        ("POST", "/undo", take_back),
        ("GET", "/", home),
        ("GET", "/work", work_on),
        ("GET", "/list", list_all),
        ("GET", "/q/{code}", show),
    )
]
