"""The pages of the review server: questions for annotators, an overview for the researcher.

Every address begins with the secret token of a visitor. Tokens are made from a key beside the store
of verdicts, so they stay the same for a store. A verdict is on the disk before it is acknowledged.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Form, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader, StrictUndefined

from crosspro.data_prep.core.errors import CrossproError, input_error, printable
from crosspro.evaluation.people.questions import Question, verdict_table
from crosspro.evaluation.people.verdicts import (
    AGREEMENT_HEADING,
    ANTECEDENT_VERDICTS,
    PRONOUN_VERDICTS,
    AntecedentVerdict,
    Judgement,
    Judgements,
    PronounVerdict,
    Verdict,
    VerdictStore,
    agreement_table,
)
from crosspro.scripts.servers.guard import Guard

RESEARCHER = "researcher"
LONGEST_REMARK = 2000
_KEY_LENGTH = 64


@dataclass(frozen=True)
class Visitor:
    """A person with a secret token; the researcher sees all verdicts and decides conflicts."""

    name: str
    is_researcher: bool
    token: str


def make_visitors(annotators: Iterable[str], key: bytes) -> list[Visitor]:
    """The researcher and the annotators, with their tokens."""
    visitors = []
    for name, is_researcher in [(RESEARCHER, True), *((name, False) for name in annotators)]:
        text = f"{is_researcher} {name}".encode()
        token = hmac.new(key, text, hashlib.sha256).hexdigest()[:32]
        visitors.append(Visitor(name, is_researcher, token))
    return visitors


def read_or_make_key(store: Path) -> bytes:
    """The key of a store, which only its owner may read; made where there is none."""
    path = store.with_name(store.name + ".key")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = path.read_bytes().strip()
        if len(key) != _KEY_LENGTH:
            raise input_error(path, "key", f"{_KEY_LENGTH} digits", str(len(key))) from None
        return key
    key = secrets.token_hex(_KEY_LENGTH // 2).encode()
    with os.fdopen(descriptor, "wb") as handle:
        handle.write(key)
        handle.flush()
        os.fsync(handle.fileno())
    return key


@dataclass(frozen=True)
class ReviewSite:
    """What all annotators judge, who they are, and where verdicts go.

    `languages` are those of source and output.
    """

    store: VerdictStore
    questions: Sequence[Question]
    people: Sequence[Visitor]
    languages: tuple[str, str]

    def judgements_for(self, who: Visitor) -> Judgements:
        return self.store.judgements(None if who.is_researcher else who.name)


ROUTER = APIRouter()
_PAGES = Environment(
    loader=PackageLoader("crosspro.scripts.servers.review"),
    autoescape=True,
    undefined=StrictUndefined,
)
_PAGES.globals.update(
    pronoun_verdicts=PRONOUN_VERDICTS,
    antecedent_verdicts=ANTECEDENT_VERDICTS,
    longest_remark=LONGEST_REMARK,
    agreement_heading=AGREEMENT_HEADING,
)


def make_app(site: ReviewSite, names: Collection[str] = ()) -> Guard:
    """The application behind its guard; `names` are those under which it may be addressed."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.site = site
    app.mount("/static", StaticFiles(directory=Path(__file__).with_name("static")))
    app.include_router(ROUTER)
    app.add_exception_handler(CrossproError, _not_stored)
    return Guard(app, names)


def _site(request: Request) -> ReviewSite:
    site: ReviewSite = request.app.state.site
    return site


Site = Annotated[ReviewSite, Depends(_site)]


def _visitor(token: str, site: Site) -> Visitor:
    sent = token.encode("utf-8", "replace")
    for who in site.people:
        if hmac.compare_digest(who.token.encode(), sent):
            return who
    raise HTTPException(404)


Who = Annotated[Visitor, Depends(_visitor)]


def _question(number: int, site: Site) -> Question:
    if not 0 <= number < len(site.questions):
        raise HTTPException(404)
    return site.questions[number]


AskedQuestion = Annotated[Question, Depends(_question)]


@ROUTER.get("/{token}/")
def show_home(who: Who, site: Site) -> Response:
    """The progress of an annotator, or the researcher's overview."""
    judgements = site.judgements_for(who)
    if who.is_researcher:
        return _page("overview.html", site, who, **_overview(site, judgements))
    return _page("home.html", site, who, done=_answered(site, judgements, who))


@ROUTER.get("/{token}/next")
def show_next(who: Who, site: Site, after: int = -1) -> Response:
    done = _answered(site, site.judgements_for(who), who)
    waiting = [number for number in range(len(site.questions)) if number not in done]
    number = next((number for number in waiting if number > after), next(iter(waiting), None))
    path = f"/{who.token}/" if number is None else f"/{who.token}/question/{number}"
    return RedirectResponse(path, 303)


@ROUTER.get("/{token}/question/{number}")
def show_question(who: Who, site: Site, question: AskedQuestion, number: int) -> Response:
    judgements = site.judgements_for(who)
    judgement = judgements.get(question.item.key)
    return _page(
        "question.html",
        site,
        who,
        question=question,
        number=number,
        passages=list(zip(question.source, question.output, strict=True)),
        answer=_answer_of(judgement, who),
        judgement=judgement,
        done=_answered(site, judgements, who),
    )


@ROUTER.post("/{token}/question/{number}")
def save_answer(
    request: Request,
    who: Who,
    site: Site,
    question: AskedQuestion,
    number: int,
    pronoun: Annotated[PronounVerdict, Form()],
    antecedent: Annotated[AntecedentVerdict | None, Form()] = None,
    remark: Annotated[str, Form(max_length=LONGEST_REMARK)] = "",
) -> Response:
    """Store a verdict, or the researcher's decision; it is on the disk before the answer."""
    asks_antecedent = question.anaphoric and pronoun != "bad"
    if asks_antecedent and antecedent is None:
        raise HTTPException(422)
    verdict = Verdict(
        question.item,
        who.name,
        pronoun,
        antecedent if asks_antecedent else None,
        " ".join(remark.split()),
        "decision" if who.is_researcher else "verdict",
    )
    site.store.add([verdict])
    if request.headers.get("accept") == "text/plain":
        return PlainTextResponse("saved")
    return RedirectResponse(f"/{who.token}/next?after={number}", 303)


@ROUTER.get("/{token}/verdicts.tsv")
def export_verdicts(who: Who, site: Site) -> Response:
    """All verdicts as a review file, for the researcher."""
    if not who.is_researcher:
        raise HTTPException(404)
    by_key = {question.item.key: question for question in site.questions}
    content = verdict_table(by_key, site.store.verdicts())
    name = {"content-disposition": 'attachment; filename="verdicts.tsv"'}
    return Response(content, media_type="text/tab-separated-values", headers=name)


def _not_stored(request: Request, error: Exception) -> Response:
    print(printable(str(error)), file=sys.stderr)
    return PlainTextResponse("Nothing was stored: the file of verdicts cannot be used.", 503)


def _page(template: str, site: ReviewSite, who: Visitor, **values: Any) -> HTMLResponse:
    return HTMLResponse(_PAGES.get_template(template).render(site=site, who=who, **values))


def _answer_of(judgement: Judgement | None, who: Visitor) -> Verdict | None:
    if judgement is None:
        return None
    return judgement.decision if who.is_researcher else judgement.by_annotator.get(who.name)


def _answered(site: ReviewSite, judgements: Judgements, who: Visitor) -> set[int]:
    """The numbers of the questions that need no answer of a visitor any more."""
    answered = set()
    for number, question in enumerate(site.questions):
        judgement = judgements.get(question.item.key)
        if who.is_researcher:
            settled = judgement is None or not judgement.in_conflict
        else:
            settled = _answer_of(judgement, who) is not None
        if settled:
            answered.add(number)
    return answered


def _overview(site: ReviewSite, judgements: Judgements) -> dict[str, Any]:
    """Progress by annotator, agreement, and conflicts with their numbers."""
    judged = [
        (number, question, judgements[question.item.key])
        for number, question in enumerate(site.questions)
        if question.item.key in judgements
    ]
    return {
        "progress": [
            (who, sum(_answer_of(judgement, who) is not None for *_, judgement in judged))
            for who in site.people
            if not who.is_researcher
        ],
        "agreement": agreement_table(judgement for *_, judgement in judged),
        "conflicts": [row for row in judged if row[2].in_conflict],
    }
