"""`crosspro protest review serve`: people judge in a browser; and `items`, what they judge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from crosspro.data_prep.core.errors import CrossproError, how_to_install
from crosspro.scripts.mt_options import AlignWithOption, check_outputs
from crosspro.scripts.options import Names
from crosspro.scripts.protest_options import (
    Jobs,
    LinkFiles,
    Lists,
    Outputs,
    Repair,
    SourceFiles,
    SuiteFile,
    progress_shown,
    system_files,
)

if TYPE_CHECKING:
    from crosspro.evaluation.human.items import ReviewSet
    from crosspro.evaluation.protest.scored_systems import SystemFiles
    from crosspro.evaluation.protest.text import Report

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def serve(
    store: Annotated[
        Path, typer.Option("--store", help="The store of verdicts (SQLite); made if not there.")
    ],
    suite: Annotated[
        Path | None, typer.Argument(metavar="[SUITE]", help="A suite from `protest build`.")
    ] = None,
    outputs: Annotated[
        list[Path] | None, typer.Argument(metavar="[OUTPUT]...", help="MT output of the suite.")
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(help="Instead of a suite: items from `--items` of another command (JSONL)."),
    ] = None,
    links: LinkFiles = None,
    source: SourceFiles = None,
    name: Names = None,
    align_with: AlignWithOption = None,
    lists: Lists = None,
    repair: Repair = False,
    annotator: Annotated[
        list[str] | None,
        typer.Option("--judge", help="Who judges; more can join on the management page."),
    ] = None,
    instructions: Annotated[
        Path | None, typer.Option(help="What annotators read first (Markdown).")
    ] = None,
    tutorial: Annotated[
        Path | None, typer.Option(help="Items with answers and feedback to begin with (JSONL).")
    ] = None,
    title: Annotated[str, typer.Option(help="What the pages are called.")] = "Pronoun review",
    context: Annotated[
        int, typer.Option(min=0, max=50, help="Lines before the pronoun's that are shown at once.")
    ] = 2,
    batch: Annotated[int, typer.Option(min=1, help="Questions in a batch.")] = 25,
    tags: Annotated[
        str | None, typer.Option(help="The tags that there are, separated by commas.")
    ] = None,
    matches: Annotated[
        float,
        typer.Option(
            "--match-share", min=0, max=1, help="Share of automatic matches that is judged, too."
        ),
    ] = 0.0,
    overlap: Annotated[
        float, typer.Option(min=0, max=1, help="Share of questions that several annotators judge.")
    ] = 0.2,
    judges: Annotated[
        int, typer.Option("--overlap-judges", min=2, help="How many annotators those are.")
    ] = 2,
    checks: Annotated[
        float, typer.Option(min=0, max=100, help="Attention checks to a hundred questions.")
    ] = 0.0,
    loud_checks: Annotated[
        bool, typer.Option("--loud-checks", help="Tell annotators when they fail a check.")
    ] = False,
    show_reference: Annotated[
        bool, typer.Option("--show-reference", help="Show the reference to annotators.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the plan.")] = 1,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8017,
    url: Annotated[
        str | None, typer.Option(help="How the server is reached, as https://review.example.org.")
    ] = None,
    jobs: Jobs = 1,
) -> None:
    """Serve pages on which people judge pronouns, and one to follow them.

    Prints a secret link for the researcher and one for each annotator. `protest score --verdicts`
    reads the store while it is in use.
    """
    try:
        from crosspro.scripts.servers.review.server import run_server
    except ModuleNotFoundError as error:
        needed = f"{error.name} is not installed: {how_to_install('review')}"
        raise CrossproError(f"protest review serve: {needed}") from error
    from crosspro.data_prep.core.files import read_text_lines
    from crosspro.evaluation.human.campaign import TAGS, CampaignSettings
    from crosspro.evaluation.human.item_files import read_items
    from crosspro.evaluation.human.plan import PlanSettings

    if (suite is None) == (items is None) or (suite is not None and not outputs):
        raise typer.BadParameter("give a SUITE and OUTPUTs, or --items")
    hosts = [*LOOPBACK, host]
    if url is not None:
        parts = urlsplit(url)
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or parts.path not in ("", "/")
        ):
            raise typer.BadParameter(f"--url {url}: expected https://NAME or http://NAME:PORT")
        hosts.append(parts.hostname)
    elif host not in LOOPBACK:
        raise typer.BadParameter("--host: say how the server is reached (--url)")
    chosen = TAGS if tags is None else tuple(dict.fromkeys(tags.replace(",", " ").split()))
    text = "" if instructions is None else "\n".join(read_text_lines(instructions))
    settings = CampaignSettings(
        title,
        context,
        batch,
        chosen,
        text,
        loud_checks,
        show_reference,
        PlanSettings(seed, matches, overlap, judges, checks),
    )
    if suite is not None:
        files = system_files(outputs or [], links, source, name, align_with, jobs)
        with progress_shown() as progress:
            found = _suite_items(suite, files, lists, repair, progress)
    elif items is not None:
        found = read_items(items)
    lessons = None if tutorial is None else read_items(tutorial, answers=True)
    run_server(store, found, lessons, settings, annotator or [], host, port, url, hosts)


def write_suite_items(
    suite: SuiteFile,
    outputs: Outputs,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write (JSONL).")],
    links: LinkFiles = None,
    source: SourceFiles = None,
    name: Names = None,
    align_with: AlignWithOption = None,
    lists: Lists = None,
    repair: Repair = False,
    jobs: Jobs = 1,
) -> None:
    """Write all tokens of all outputs as review items, to make a tutorial from some of them."""
    from crosspro.data_prep.core.files import write_text
    from crosspro.evaluation.human.item_files import items_text

    files = system_files(outputs, links, source, name, align_with, jobs)
    check_outputs(output)
    with progress_shown() as progress:
        found = _suite_items(suite, files, lists, repair, progress)
    write_text(output, items_text(found))
    print(f"{output}: {len(found.items)} items", file=sys.stderr)


def _suite_items(
    suite: Path, files: SystemFiles, lists: str | None, repair: bool, progress: Report
) -> ReviewSet:
    from crosspro.evaluation.human.from_protest import protest_items
    from crosspro.evaluation.protest.scored_systems import read_and_score

    read, words, scored = read_and_score(suite, files, lists, None, None, repair, progress)
    return protest_items(read, scored.systems, scored.results, words)
