"""A campaign as a folder of pages in one ZIP file: read-only, without links, without a server."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator

from jinja2 import Environment

from crosspro.evaluation.human.campaign import Campaign
from crosspro.evaluation.human.exchange import corrected_table, csv_line, history, review_table
from crosspro.evaluation.human.progress import overview, reviewed, shown_score
from crosspro.evaluation.human.store import settings_of
from crosspro.evaluation.human.verdicts import last_decisions, last_verdicts
from crosspro.scripts.servers.review.shown import shown_question
from crosspro.scripts.servers.review.site import static_file

ON_A_PAGE = 50


def make_archive(campaign: Campaign, templates: Environment) -> bytes:
    """The whole campaign as of one moment."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _files(campaign, templates):
            archive.writestr(f"campaign/{name}", content)
    return memory.getvalue()


def _files(campaign: Campaign, templates: Environment) -> Iterator[tuple[str, bytes | str]]:
    items, settings = campaign.items, campaign.settings
    with campaign.file.reading() as database:
        figures = overview(database, campaign)
        questions = [one for one in reviewed(database, campaign) if one.asked or one.verdicts]
        lines = list(history(database))
        verdicts = last_verdicts(database)
        final = last_decisions(database)
        noted = settings_of(database)
    names = list(dict.fromkeys(one.annotator for one in verdicts))
    pages = max(1, -(-len(questions) // ON_A_PAGE))
    shared = {"title": settings.title, "languages": items.languages, "assets": ".", "pages": pages}
    tables = {name: f"verdicts-{number}.tsv" for number, name in enumerate(names, start=1)}
    for name in ("review.css", "review.svg"):
        yield name, static_file(name)
    yield (
        "index.html",
        templates.get_template("archive_index.html").render(
            **shared, figures=figures, shown_score=shown_score, tables=tables
        ),
    )
    for page in range(pages):
        part = questions[page * ON_A_PAGE : (page + 1) * ON_A_PAGE]
        entries = [(one, shown_question(items, one.question, settings.context), "") for one in part]
        yield (
            f"questions-{page + 1}.html",
            templates.get_template("archive_page.html").render(
                **shared, entries=entries, number=page + 1, settings=settings
            ),
        )
    for name, table in tables.items():
        own = [one for one in verdicts if one.annotator == name]
        yield table, review_table(items, own, settings.context)
    yield "decisions.tsv", review_table(items, final, settings.context)
    yield "corrected.tsv", b"".join(csv_line(row) for row in corrected_table(items, verdicts))
    yield "verdicts.jsonl", "".join(f"{line}\n" for line in lines)
    yield "instructions.md", settings.instructions
    yield "settings.json", json.dumps(noted, ensure_ascii=False, indent=2) + "\n"
