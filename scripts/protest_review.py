"""The sub-commands of `crosspro protest review`: mismatches out, verdicts in, and the server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from crosspro.data_prep.core.errors import CrossproError, how_to_install
from crosspro.scripts.expanded_options import expanded
from crosspro.scripts.main import command_app
from crosspro.scripts.mt_options import VariadicCommand, check_outputs
from crosspro.scripts.options import show_table
from crosspro.scripts.protest_options import (
    NeededVerdicts,
    Silver,
    SuiteFile,
    Systems,
    Verdicts,
)

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

review = command_app()


@review.command("export", cls=VariadicCommand)
@expanded
def export_review(
    suite: SuiteFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The review file to write.")],
    systems: Systems,
    silver: Silver = None,
    verdicts: Verdicts = None,
    matches: Annotated[
        bool, typer.Option("--matches", help="Also what matches a reference: it may be wrong.")
    ] = False,
    conflicts: Annotated[
        bool, typer.Option("--conflicts", help="Only tokens that annotators disagree on.")
    ] = False,
) -> None:
    """Write mismatches (or all tokens) that nobody has judged, or conflicts, as a table to fill in.

    Write right, wrong or unclear into the columns pronoun and antecedent; tags and remarks are
    free. `protest review import` reads the file back.
    """
    from crosspro.evaluation.protest.review import to_judge, write_review

    if conflicts and verdicts is None:
        raise typer.BadParameter("--conflicts needs --verdicts")
    if conflicts and matches:
        raise typer.BadParameter("--conflicts and --matches do not go together")
    systems.check()
    check_outputs(output)
    scored = systems.scored(suite, silver, verdicts)
    if conflicts:
        disputed = {key for key, one in scored.judgements.items() if one.in_conflict}
        rows = [token for token in scored.tokens if token.item.key in disputed]
    else:
        rows = to_judge(scored.tokens, scored.judgements, matches)
    count = write_review(output, rows)
    print(f"{output}: {count} to judge", file=sys.stderr)


@review.command("import")
def import_review(
    suite: SuiteFile,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Filled-in files.")],
    verdicts: NeededVerdicts,
    judge: Annotated[str, typer.Option(help="Whose verdicts they are.")],
    resolve: Annotated[
        bool, typer.Option("--resolve", help="These verdicts end conflicts: they are final.")
    ] = False,
) -> None:
    """Read filled-in review files into the store of verdicts."""
    from crosspro.evaluation.human.exchange import read_review_file
    from crosspro.evaluation.human.verdicts import VerdictKind, VerdictStore
    from crosspro.evaluation.protest.suite import read_suite
    from crosspro.evaluation.protest.text import Attempts, known

    read = read_suite(suite)
    if not judge.strip():
        raise typer.BadParameter("an annotator needs a name")
    attempts = Attempts()
    kind: VerdictKind = "decision" if resolve else "verdict"
    filled = [
        attempts.read(read_review_file, path, read.anaphoric, judge.strip(), kind) for path in files
    ]
    attempts.finish()
    with VerdictStore(verdicts, read.digest) as store:
        count = store.record(one for own in filled for one in known(own))
        disputed = len(store.conflicts())
    print(f"{verdicts}: {count} verdicts by {judge}, {disputed} conflicts", file=sys.stderr)


@review.command("conflicts")
def show_conflicts(suite: SuiteFile, verdicts: NeededVerdicts) -> None:
    """Show the tokens that annotators disagree on."""
    from crosspro.evaluation.human.verdicts import VerdictStore
    from crosspro.evaluation.protest.suite import read_suite

    read = read_suite(suite)
    with VerdictStore(verdicts, read.digest, create=False) as store:
        found = store.conflicts()
    rows = [
        (
            one.item.token,
            one.item.system,
            one.annotator,
            one.pronoun,
            one.antecedent or "",
            one.item.pronoun,
            one.item.head,
            " ".join(one.tags),
            one.remark,
        )
        for _, own in found
        for one in own
    ]
    heading = (
        "token",
        "system",
        "annotator",
        "pronoun",
        "antecedent",
        "words",
        "head",
        "tags",
        "remark",
    )
    print(show_table(heading, rows, len(heading)) if rows else "no conflicts\n", end="")


@review.command("silver")
def write_alternatives(
    suite: SuiteFile,
    verdicts: NeededVerdicts,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    silver: Silver = None,
) -> None:
    """Write what people found right as silver alternatives, beside those that --silver has."""
    from crosspro.evaluation.human.verdicts import read_judgements
    from crosspro.evaluation.protest.match import read_silver, write_silver
    from crosspro.evaluation.protest.review import silver_from
    from crosspro.evaluation.protest.suite import read_suite

    read = read_suite(suite)
    judgements = read_judgements(verdicts, read.digest)
    found = silver_from(judgements.values(), read_silver(silver, read))
    write_silver(output, found)
    print(f"{output}: {sum(map(len, found.values()))} alternatives", file=sys.stderr)


@review.command("items", cls=VariadicCommand)
@expanded
def write_suite_items(
    suite: SuiteFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write (JSONL).")],
    systems: Systems,
) -> None:
    """Write all tokens of all candidates as review items, to make a tutorial from some of them."""
    from crosspro.data_prep.core.files import write_text
    from crosspro.evaluation.human.items import items_text
    from crosspro.evaluation.protest.review import protest_items

    systems.check()
    check_outputs(output)
    scored = systems.scored(suite)
    found = protest_items(scored.suite, scored.results)
    write_text(output, items_text(found))
    print(f"{output}: {len(found.items)} items", file=sys.stderr)


@review.command("precision")
def show_precision(
    items: Annotated[
        Path, typer.Argument(metavar="ITEMS", help="What `proofread --items` wrote (JSONL).")
    ],
    verdicts: NeededVerdicts,
) -> None:
    """Show how many of the most doubtful pronouns people find wrong, and what was expected.

    Only what is judged right or wrong counts; conflicts and what is unclear are open.
    """
    from crosspro.evaluation.human.doubted import precision_table
    from crosspro.evaluation.human.items import read_items
    from crosspro.evaluation.human.verdicts import read_judgements

    read = read_items(items)
    heading, rows = precision_table(read, read_judgements(verdicts, read.digest), items)
    print(show_table(heading, rows), end="")


@review.command("serve", cls=VariadicCommand)
@expanded
def serve(
    verdicts: Annotated[
        Path, typer.Option("--verdicts", help="The store of verdicts (SQLite); made if not there.")
    ],
    systems: Systems,
    suite: Annotated[
        Path | None, typer.Argument(metavar="[SUITE]", help="A suite from `protest build`.")
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(help="Instead of a suite: items from `--items` of another command (JSONL)."),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(help="Who judges; more can join on the management page."),
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
    hide_suggestions: Annotated[
        bool,
        typer.Option("--hide-suggestions", help="Show nothing of the answers that items suggest."),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the plan.")] = 1,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8017,
    url: Annotated[
        str | None, typer.Option(help="How the server is reached, as https://review.example.org.")
    ] = None,
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
    from crosspro.evaluation.human.campaign import TAGS, CampaignSettings, PlanSettings
    from crosspro.evaluation.human.items import read_items
    from crosspro.evaluation.protest.review import protest_items

    if (suite is None) == (items is None) or (suite is not None and not systems.candidate):
        raise typer.BadParameter("give a SUITE and --candidate, or --items")
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
        hide_suggestions,
    )
    if suite is not None:
        scored = systems.scored(suite)
        found = protest_items(scored.suite, scored.results)
    elif items is not None:
        found = read_items(items)
    lessons = None if tutorial is None else read_items(tutorial, answers=True)
    run_server(verdicts, found, lessons, settings, judge or [], host, port, url, hosts)
