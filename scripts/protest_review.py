"""The sub-commands of `crosspro protest review`: questions out, verdicts in, and the server.

`scored_systems` reads the systems that are judged here and scored by `crosspro protest score`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlsplit

import typer

from crosspro.data_prep.core.errors import (
    CrossproError,
    counted,
    how_to_install,
    input_error,
    printable,
)
from crosspro.scripts.common import (
    App,
    CandidateLinks,
    Candidates,
    NamedFile,
    names_of,
    output_file,
    show_table,
    tell,
    warn,
)

if TYPE_CHECKING:
    from crosspro.evaluation.protest.metric import ScoredSystems

LOOPBACK = ("127.0.0.1", "localhost")

review = App(no_args_is_help=True)

SuiteFile = Annotated[Path, typer.Argument(metavar="SUITE", help="A suite from `protest build`.")]
Verdicts = Annotated[Path | None, typer.Option("--verdicts", help="People's verdicts (SQLite).")]
Format = Annotated[
    Literal["tsv", "pearmut"],
    typer.Option("--format", help="A table, or JSON of the server Pearmut."),
]
Judges = Annotated[list[str] | None, typer.Option("--judge", help="An annotator; repeatable.")]
Matches = Annotated[
    bool, typer.Option("--matches", help="Also what matches a reference: it may be wrong.")
]
Store = Annotated[Path, typer.Option("--verdicts", help="The store of verdicts (SQLite).")]


@review.command(
    "export",
    epilog="Example: crosspro protest review export suite.jsonl --candidate mt.de -o review.tsv",
)
def export_review(
    suite: SuiteFile,
    candidate: Candidates,
    output: Annotated[Path, output_file("--output", "-o", help="The file to write.")],
    candidate_links: CandidateLinks = None,
    verdicts: Verdicts = None,
    matches: Matches = False,
    conflicts: Annotated[
        bool, typer.Option("--conflicts", help="Only what annotators disagree on.")
    ] = False,
    format_: Format = "tsv",
    judge: Judges = None,
) -> None:
    """Write what nobody has judged, as a table to fill in or as a campaign of Pearmut.

    Write right, wrong, unclear or bad (too bad to tell) into the column pronoun, the first three
    into antecedent; remarks are free. `protest review import` reads the table back.
    """
    from crosspro.data_prep.core.files import write_text
    from crosspro.evaluation.people.pearmut import campaign
    from crosspro.evaluation.people.questions import review_table
    from crosspro.evaluation.people.verdicts import read_judgements
    from crosspro.evaluation.protest.review import questions_of, to_judge

    if output.exists():
        expected = "a new file, as people may have filled it in"
        raise input_error(output, "output", expected, "a file")
    if conflicts and (verdicts is None or matches):
        raise typer.BadParameter("--conflicts needs --verdicts, and no --matches")
    if (format_ == "pearmut") != bool(judge):
        raise typer.BadParameter("--format pearmut needs --judge, a table has none")
    scored = scored_systems(suite, candidate, candidate_links)
    judgements = read_judgements(verdicts, scored.suite.digest)
    if conflicts:
        disputed = {key for key, judged in judgements.items() if judged.in_conflict}
        every = questions_of(scored.tokens)
        questions = [question for key, question in every.items() if key in disputed]
    else:
        questions = to_judge(scored.tokens, judgements, matches)
    if format_ == "pearmut":
        write_text(output, campaign(scored.suite.digest, questions, judge or ()))
    else:
        write_text(output, review_table(questions))
    tell(f"{output}: {len(questions)} to judge")


@review.command(
    "import",
    epilog="Example: crosspro protest review import suite.jsonl review.tsv "
    "--verdicts store.sqlite --judge Ada",
)
def import_review(
    suite: SuiteFile,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files with verdicts.")],
    verdicts: Store,
    judge: Annotated[
        str | None, typer.Option(help="Whose verdicts they are, where a table does not say it.")
    ] = None,
    decide: Annotated[
        bool, typer.Option("--decide", help="These verdicts are final: they end conflicts.")
    ] = False,
    format_: Format = "tsv",
) -> None:
    """Read tables or annotations of Pearmut into a store; print conflicts and agreement."""
    from crosspro.evaluation.people.agreement import AGREEMENT_HEADING, agreement_table
    from crosspro.evaluation.people.pearmut import read_annotations
    from crosspro.evaluation.people.questions import read_review
    from crosspro.evaluation.people.verdicts import Kind, VerdictStore
    from crosspro.evaluation.protest.suite import read_suite

    tokens = read_suite(suite)
    kind: Kind = "decision" if decide else "verdict"
    added_verdicts = []
    for path in files:
        if format_ == "pearmut":
            added_verdicts += read_annotations(path, tokens.digest, tokens.anaphoric, kind)
        else:
            added_verdicts += read_review(path, tokens.anaphoric, judge, kind)
    store = VerdictStore(verdicts, tokens.digest)
    added = store.add(added_verdicts)
    judgements = store.judgements().values()
    conflicts = [judgement for judgement in judgements if judgement.in_conflict]
    rows = [
        (judgement.item.token, judgement.item.system, verdict.annotator, verdict.pronoun,
         verdict.antecedent or "", verdict.remark)
        for judgement in conflicts
        for verdict in judgement.by_annotator.values()
    ]  # fmt: skip
    heading = ("token", "system", "annotator", "pronoun", "antecedent", "remark")
    if rows:
        print(show_table(heading, rows, len(heading)))
    agreement = [row for row in agreement_table(judgements) if row[1] != "0"]
    if agreement:
        print(show_table(AGREEMENT_HEADING, agreement), end="")
    numbers = f"{counted(added, 'new verdict')}, {counted(len(conflicts), 'conflict')}"
    tell(f"{verdicts}: {numbers}")


@review.command(
    epilog="Example: crosspro protest review serve suite.jsonl --candidate mt.de "
    "--verdicts store.sqlite --judge Ada"
)
def serve(
    suite: SuiteFile,
    verdicts: Store,
    judge: Annotated[list[str], typer.Option("--judge", help="An annotator (repeatable).")],
    candidate: Candidates,
    candidate_links: CandidateLinks = None,
    matches: Matches = False,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8017,
    url: Annotated[
        str | None, typer.Option(help="How the server is reached, as https://review.example.org.")
    ] = None,
) -> None:
    """Serve pages on which annotators judge mismatches, and one on which they are followed.

    Prints a secret link for the researcher and for each annotator; they stay the same for a store.
    `protest score --verdicts` reads the store while it is in use.
    """
    from crosspro.evaluation.people.verdicts import VerdictStore
    from crosspro.evaluation.protest.review import to_judge
    from crosspro.scripts.servers.guard import listen, make_server

    try:
        from crosspro.scripts.servers.review.app import (
            ReviewSite,
            make_app,
            make_visitors,
            read_or_make_key,
        )
    except ModuleNotFoundError as error:
        needed = f"{error.name} is not installed: {how_to_install('review')}"
        raise CrossproError(f"protest review serve: {needed}") from error

    names = [name.strip() for name in judge]
    if len(set(names)) < len(names) or not all(name and name.isprintable() for name in names):
        raise typer.BadParameter("--judge: annotators need different names")
    parts = urlsplit(url or "")
    if url is not None and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise typer.BadParameter(f"--url {url}: expected https://NAME")
    if url is None and host not in LOOPBACK:
        raise typer.BadParameter("--host: say how the server is reached (--url)")
    scored = scored_systems(suite, candidate, candidate_links)
    questions = to_judge(scored.tokens, {}, matches)
    if not questions:
        raise CrossproError("protest review serve: nothing to judge, all tokens match")
    store = VerdictStore(verdicts, scored.suite.digest)
    people = make_visitors(names, read_or_make_key(verdicts))
    languages = scored.suite.source_language, scored.suite.target_language
    site = ReviewSite(store, questions, people, languages)
    with listen(host, port) as listening:
        address = url or f"http://{host}:{listening.getsockname()[1]}"
        for who in people:  # the links are secret and are printed here alone
            print(f"{printable(who.name)}: {address.rstrip('/')}/{who.token}/", flush=True)
        app = make_app(site, [*filter(None, [parts.hostname])])
        make_server(app).run(sockets=[listening])


def scored_systems(
    suite_file: Path,
    candidates: Sequence[NamedFile],
    links: Sequence[Path] | None,
    prior: str | None = None,
    silver_file: Path | None = None,
) -> ScoredSystems:
    """The outputs of systems, read and matched with a suite; nobody has judged them yet."""
    from crosspro.evaluation.protest.language import target_words
    from crosspro.evaluation.protest.match import score_system
    from crosspro.evaluation.protest.metric import ScoredSystems
    from crosspro.evaluation.protest.silver import read_silver
    from crosspro.evaluation.protest.suite import read_suite
    from crosspro.evaluation.protest.text import read_system
    from crosspro.evaluation.texts import plain_name

    number = len(candidates)
    names = names_of(candidates, [Path(plain_name(file.path)).stem for file in candidates])
    if len(set(names)) < number:
        raise typer.BadParameter(f"names must differ (NAME=FILE): {', '.join(names)}")
    if links and len(links) != number:
        raise typer.BadParameter(f"{number} candidates, but {len(links)} times --candidate-links")
    if links and prior:
        raise typer.BadParameter("--prior is for links that are made")
    suite = read_suite(suite_file)
    words = target_words(suite.target_language)
    silver = {} if silver_file is None else read_silver(silver_file, suite)
    links_of: Sequence[Path | None] = links or [None] * number
    results = {}
    for name, file, file_links in zip(names, candidates, links_of, strict=True):
        output = read_system(suite, name, file.path, file_links, prior)
        warn([f"{name}: {warning}" for warning in output.warnings])
        results[name] = score_system(suite, output, words, silver)
    return ScoredSystems(suite, words, results, silver)
