"""The pages of a researcher: progress, agreement, conflicts, browsing, and data in and out."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response as Page
from starlette.routing import Route

from crosspro.data_prep.core.errors import (
    SHOWN_AT_MOST,
    CrossproError,
    InputError,
    more_problems,
)
from crosspro.evaluation.human.campaign import RESEARCHER, Campaign
from crosspro.evaluation.human.exchange import (
    add_history,
    corrected_table,
    csv_line,
    history,
    read_history,
    read_review_file,
    review_table,
)
from crosspro.evaluation.human.items import Key
from crosspro.evaluation.human.progress import ReviewedQuestion, overview, reviewed
from crosspro.evaluation.human.store import StoreError, settings_of
from crosspro.evaluation.human.verdicts import (
    Verdict,
    VerdictKind,
    add_verdict,
    is_name,
    last_decisions,
    last_verdicts,
    value_of,
)
from crosspro.evaluation.human.work import LONGEST_REMARK, plain_text
from crosspro.scripts.servers.review.shown import shown_question
from crosspro.scripts.servers.review.site import (
    Fields,
    Site,
    Visitor,
    check_form,
    form_fields,
    go,
    site_of,
    static_file,
)

ON_A_PAGE = 20
ON_AN_ARCHIVED_PAGE = 50
FILTERS = ("system", "group", "status", "value", "annotator", "tag", "text")
NOTICES = {
    "added": "The annotator takes part now.",
    "renewed": "The annotator has a new link; the old one opens nothing any more.",
    "decided": "Decided.",
    "imported": "The verdicts were added.",
}


def manage(
    site: Site, visitor: Visitor, request: Request, error: str = "", status: int = 200
) -> Page:
    """Progress and agreement, and the links of annotators."""
    with site.campaign.file.reading() as database:
        figures = overview(database, site.campaign)
    return site.page(
        "manage.html",
        status,
        visitor=visitor,
        figures=figures,
        links={person.name: site.address(person) for person in site.people},
        tutorial=len(site.campaign.tutorial),
        notice=_notice(request),
        error=error,
    )


def add_annotator(site: Site, visitor: Visitor, request: Request, fields: Fields) -> Page:
    """Let somebody take part, or give them a new link."""
    name = " ".join(fields.get("name", [""])[0].split())
    if fields.get("action", [""])[0] == "renew":
        if name not in {person.name for person in site.people}:
            raise HTTPException(404)
        site.renew(name)
        return go(f"{visitor.base}/?say=renewed")
    try:
        site.campaign.join(name)
    except StoreError:
        raise
    except CrossproError as error:
        return manage(site, visitor, request, str(error), 422)
    site.read_people()
    return go(f"{visitor.base}/?say=added")


def conflicts(site: Site, visitor: Visitor, request: Request) -> Page:
    """Questions on which annotators disagree, side by side."""
    found = [one for one in _reviewed(site) if one.status == "conflict"]
    return _listed(site, visitor, request, "conflicts.html", found)


def browse(site: Site, visitor: Visitor, request: Request) -> Page:
    """All questions, or those that some filters leave."""
    chosen = {name: request.query_params.get(name, "").strip()[:200] for name in FILTERS}
    everything = _reviewed(site)
    found = [one for one in everything if _passes(site, one, chosen)]
    choices = {
        "system": sorted({name for one in everything for name in one.question.systems}),
        "group": sorted({one.question.shown.group for one in everything}),
        "status": ["open", "judged", "conflict", "decided", "flagged", "corrected", "not asked"],
        "value": ["right", "wrong", "unclear"],
        "annotator": sorted({said.annotator for one in everything for said in one.verdicts}),
        "tag": sorted({tag for one in everything for said in one.verdicts for tag in said.tags}),
    }
    return _listed(site, visitor, request, "browse.html", found, chosen=chosen, choices=choices)


def _passes(site: Site, one: ReviewedQuestion, chosen: dict[str, str]) -> bool:
    verdicts = one.verdicts
    if chosen["annotator"]:
        verdicts = tuple(said for said in verdicts if said.annotator == chosen["annotator"])
        if not verdicts:
            return False
    if chosen["value"] and not any(said.pronoun == chosen["value"] for said in verdicts):
        return False
    if chosen["tag"] and not any(chosen["tag"] in said.tags for said in verdicts):
        return False
    if chosen["system"] and chosen["system"] not in one.question.systems:
        return False
    if chosen["group"] and chosen["group"] != one.question.shown.group:
        return False
    states = {one.status}
    states |= {"flagged"} if one.flags else set()
    states |= {"corrected"} if any(said.corrected is not None for said in verdicts) else set()
    states |= set() if one.asked or one.verdicts else {"not asked"}
    if chosen["status"] and chosen["status"] not in states:
        return False
    if chosen["text"]:
        shown = one.question.shown
        line = site.campaign.items.lines[shown.pronoun.line]
        texts = [*line.source, *line.candidates[shown.item.system].words]
        texts += [said.remark for said in verdicts] + [shown.item.token]
        return chosen["text"].lower() in " ".join(texts).lower()
    return True


def _listed(
    site: Site,
    visitor: Visitor,
    request: Request,
    template: str,
    found: Sequence[ReviewedQuestion],
    **parts: Any,
) -> Page:
    """A page of a list; the number of the page comes from the address."""
    written = request.query_params.get("page", "1")
    pages = max(1, -(-len(found) // ON_A_PAGE))
    number = int(written) if written.isascii() and written.isdigit() and len(written) < 7 else 1
    number = min(max(number, 1), pages)
    shown = [
        (one, shown_question(site.campaign.items, one.question, 1), site.code(one.question.key))
        for one in found[(number - 1) * ON_A_PAGE : number * ON_A_PAGE]
    ]
    return site.page(
        template,
        visitor=visitor,
        entries=shown,
        count=len(found),
        number=number,
        pages=pages,
        notice=_notice(request),
        error="",
        **parts,
    )


def detail(site: Site, visitor: Visitor, request: Request) -> Page:
    """One question with all that was said about it."""
    code = request.path_params["code"]
    one = _one(site, code)
    shown = shown_question(site.campaign.items, one.question, site.campaign.settings.context)
    return site.page(
        "detail.html",
        visitor=visitor,
        one=one,
        shown=shown,
        code=code,
        notice=_notice(request),
        error="",
        settings=site.campaign.settings,
    )


def decide(site: Site, visitor: Visitor, request: Request, fields: Fields) -> Page:
    """Decide a question, for every system that translates so."""
    code = request.path_params["code"]
    question = _one(site, code).question
    pronoun = value_of(fields.get("pronoun", [""])[0])
    antecedent = value_of(fields.get("antecedent", [""])[0])
    anaphoric = question.shown.antecedent is not None
    if pronoun is None or (anaphoric and antecedent is None):
        raise HTTPException(422)
    remark = plain_text(fields.get("remark", [""])[0])[:LONGEST_REMARK]
    final = antecedent if anaphoric else None
    with site.campaign.file.writing() as database:
        for item in question.items:
            verdict = Verdict(item.item, RESEARCHER, pronoun, final, (), remark, kind="decision")
            add_verdict(database, verdict)
    back = "conflicts" if fields.get("back", [""])[0] == "conflicts" else f"q/{code}"
    return go(f"{visitor.base}/{back}?say=decided")


def corrections(site: Site, visitor: Visitor, request: Request) -> Page:
    """Words that annotators have corrected, and alternatives that they propose."""
    with site.campaign.file.reading() as database:
        heading, *rows = corrected_table(site.campaign.items, last_verdicts(database))
    return site.page("corrections.html", visitor=visitor, heading=heading, rows=rows)


def data(
    site: Site,
    visitor: Visitor,
    request: Request,
    problems: Sequence[str] = (),
    status: int = 200,
    conflicts: Sequence[str] = (),
    notice: str = "",
) -> Page:
    """Ways to take verdicts out and to bring some in."""
    with site.campaign.file.reading() as database:
        names = list(dict.fromkeys(verdict.annotator for verdict in last_verdicts(database)))
    people = list(dict.fromkeys([*names, *(person.name for person in site.people)]))
    return site.page(
        "data.html",
        status,
        visitor=visitor,
        names=names,
        people=people,
        notice=notice or _notice(request),
        problems=problems,
        conflicts=conflicts,
    )


def export_table(site: Site, visitor: Visitor, request: Request) -> Page:
    """The review file of one annotator, or of the decisions."""
    annotator = request.query_params.get("annotator", "")
    with site.campaign.file.reading() as database:
        found = last_verdicts(database, annotator) if annotator else last_decisions(database)
    if annotator and not found:
        raise HTTPException(404)
    table = review_table(site.campaign.items, found, site.campaign.settings.context)
    return _file(table, "verdicts.tsv", "text/tab-separated-values; charset=utf-8")


def export_history(site: Site, visitor: Visitor, request: Request) -> Page:
    """Every verdict that was ever given."""
    with site.campaign.file.reading() as database:
        lines = "".join(f"{line}\n" for line in history(database))
    return _file(lines.encode("utf-8"), "verdicts.jsonl", "application/jsonl; charset=utf-8")


def export_corrections(site: Site, visitor: Visitor, request: Request) -> Page:
    """Corrected words as a table."""
    with site.campaign.file.reading() as database:
        rows = corrected_table(site.campaign.items, last_verdicts(database))
    table = b"".join(csv_line(row) for row in rows)
    return _file(table, "corrected.tsv", "text/tab-separated-values; charset=utf-8")


def backup(site: Site, visitor: Visitor, request: Request) -> Page:
    """A copy of the whole store as of this moment; no link is in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "backup.sqlite"
        site.campaign.file.backup(path)
        content = path.read_bytes()
    return _file(content, "backup.sqlite", "application/vnd.sqlite3")


def archive(site: Site, visitor: Visitor, request: Request) -> Page:
    """The campaign as pages that need no server."""
    return _file(make_archive(site.campaign, site.templates), "archive.zip", "application/zip")


def make_archive(campaign: Campaign, templates: Environment) -> bytes:
    """The whole campaign as of one moment: pages in one ZIP file, read-only, without links."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _archived(campaign, templates):
            archive.writestr(f"campaign/{name}", content)
    return memory.getvalue()


def _archived(campaign: Campaign, templates: Environment) -> Iterator[tuple[str, bytes | str]]:
    items, settings = campaign.items, campaign.settings
    with campaign.file.reading() as database:
        figures = overview(database, campaign)
        questions = [one for one in reviewed(database, campaign) if one.asked or one.verdicts]
        lines = list(history(database))
        verdicts = last_verdicts(database)
        final = last_decisions(database)
        noted = settings_of(database)
    names = list(dict.fromkeys(one.annotator for one in verdicts))
    pages = max(1, -(-len(questions) // ON_AN_ARCHIVED_PAGE))
    shared = {"title": settings.title, "languages": items.languages, "assets": ".", "pages": pages}
    tables = {name: f"verdicts-{number}.tsv" for number, name in enumerate(names, start=1)}
    for name in ("review.css", "review.svg"):
        yield name, static_file(name)
    yield (
        "index.html",
        templates.get_template("archive_index.html").render(
            **shared, figures=figures, tables=tables
        ),
    )
    for page in range(pages):
        part = questions[page * ON_AN_ARCHIVED_PAGE : (page + 1) * ON_AN_ARCHIVED_PAGE]
        entries = [(one, shown_question(items, one.question, settings.context), "") for one in part]
        yield (
            f"questions-{page + 1}.html",
            templates.get_template("archive_page.html").render(
                **shared, entries=entries, number=page + 1, settings=settings
            ),
        )
    for name, table in tables.items():
        own = [verdict for verdict in verdicts if verdict.annotator == name]
        yield table, review_table(items, own, settings.context)
    yield "decisions.tsv", review_table(items, final, settings.context)
    yield "corrected.tsv", b"".join(csv_line(row) for row in corrected_table(items, verdicts))
    yield "verdicts.jsonl", "".join(f"{line}\n" for line in lines)
    yield "instructions.md", settings.instructions
    yield "settings.json", json.dumps(noted, ensure_ascii=False, indent=2) + "\n"


async def _uploaded(request: Request) -> tuple[bytes, Fields]:
    """The file that a form brings along, and its other fields."""
    async with request.form(max_files=1, max_fields=10) as form:
        fields = {name: [str(value)] for name, value in form.items() if isinstance(value, str)}
        check_form(request, fields)
        upload = form.get("file")
        return b"" if upload is None or isinstance(upload, str) else await upload.read(), fields


def take_in(site: Site, visitor: Visitor, request: Request, uploaded: tuple[bytes, Fields]) -> Page:
    """Add the verdicts of a file: a review file of somebody, or an export of another store."""
    try:
        conflicts = _import(site, *uploaded)
    except StoreError:
        raise
    except InputError as error:
        problems = [
            f"line {problem.line}: {problem.field}: expected {problem.expected}, "
            f"found {problem.found}"
            for problem in error.problems[:SHOWN_AT_MOST]
        ]
        if error.total > len(problems):
            problems.append(more_problems(error.total - len(problems)))
        return data(site, visitor, request, [*problems, *filter(None, [error.hint])], 422)
    except CrossproError as error:
        return data(site, visitor, request, [str(error)], 422)
    if not conflicts:
        return go(f"{visitor.base}/data?say=imported")
    more = len(conflicts) - SHOWN_AT_MOST
    told = [*conflicts[:SHOWN_AT_MOST], *([f"… and {more:,} more"] if more > 0 else ())]
    return data(site, visitor, request, conflicts=told, notice=NOTICES["imported"])


def _import(site: Site, content: bytes, fields: Fields) -> Sequence[str]:
    """Add verdicts; what of them says something else than the store."""
    campaign = site.campaign
    name = " ".join(fields.get("annotator", [""])[0].split())
    final = bool(fields.get("final", [""])[0])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "import"
        path.write_bytes(content)
        if content.lstrip()[:1] == b"{":
            records = read_history(path)
            with campaign.file.writing() as database:
                merged = add_history(database, records)
                campaign.carry_over(database)
            return merged.conflicts
        if not is_name(name):
            raise CrossproError("a review file needs the name of the annotator who filled it in")
        kind: VerdictKind = "decision" if final else "verdict"
        verdicts = read_review_file(path, campaign.items.anaphoric, name, kind)
    with campaign.file.writing() as database:
        for verdict in verdicts:
            add_verdict(database, verdict)
        campaign.carry_over(database)
    return ()


def _reviewed(site: Site) -> list[ReviewedQuestion]:
    with site.campaign.file.reading() as database:
        return reviewed(database, site.campaign)


def _one(site: Site, code: str) -> ReviewedQuestion:
    place = site.places.get(code)
    if place is None or place.kind != "item":
        raise HTTPException(404)
    key: Key = place.key
    return next(one for one in _reviewed(site) if one.question.key == key)


def _notice(request: Request) -> str:
    return NOTICES.get(request.query_params.get("say", ""), "")


def _file(content: bytes, name: str, kind: str) -> Page:
    disposition = {"content-disposition": f'attachment; filename="{name}"'}
    return Page(content, media_type=kind, headers=disposition)


def _entered(
    page: Callable[..., Page], read: Callable[[Request], Awaitable[object]] | None = None
) -> Callable[[Request], Awaitable[Page]]:
    """A page under the researcher's link, made in a thread of its own from what a form says."""

    async def entered(request: Request) -> Page:
        site = site_of(request)
        visitor = site.researcher(request)
        given = () if read is None else (await read(request),)
        return await run_in_threadpool(page, site, visitor, request, *given)

    return entered


_GET: dict[str, Callable[..., Page]] = {
    "/": manage,
    "/conflicts": conflicts,
    "/browse": browse,
    "/q/{code}": detail,
    "/corrections": corrections,
    "/data": data,
    "/verdicts.tsv": export_table,
    "/verdicts.jsonl": export_history,
    "/corrected.tsv": export_corrections,
    "/backup.sqlite": backup,
    "/archive.zip": archive,
}
_POST: dict[str, Callable[[Request], Awaitable[Page]]] = {
    "/annotators": _entered(add_annotator, form_fields),
    "/q/{code}": _entered(decide, form_fields),
    "/import": _entered(take_in, _uploaded),
}
ROUTES = [
    *(Route(f"/m/{{secret}}{address}", _entered(page)) for address, page in _GET.items()),
    *(Route(f"/m/{{secret}}{at}", page, methods=["POST"]) for at, page in _POST.items()),
]
