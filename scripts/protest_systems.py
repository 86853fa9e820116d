"""The systems that the sub-commands of `crosspro protest` read, and the options for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.scripts.common import NamedFile, names_of, warn

if TYPE_CHECKING:
    from crosspro.evaluation.protest.metric import ScoredSystems

SuiteFile = Annotated[Path, typer.Argument(metavar="SUITE", help="A suite from `protest build`.")]
Verdicts = Annotated[Path | None, typer.Option("--verdicts", help="People's verdicts (SQLite).")]
Sources = Annotated[
    list[Path] | None,
    typer.Option(
        "--source", help="The source as the systems tokenise it: one file, or one each (repeat)."
    ),
]


def scored_systems(
    suite_file: Path,
    candidates: Sequence[NamedFile],
    links: Sequence[Path] | None,
    sources: Sequence[Path] | None,
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
    for paths, option in ((links, "--candidate-links"), (sources, "--source")):
        if paths and len(paths) != number and not (option == "--source" and len(paths) == 1):
            raise typer.BadParameter(f"{number} candidates, but {len(paths)} times {option}")
    if links and prior:
        raise typer.BadParameter("--prior is for links that are made")
    suite = read_suite(suite_file)
    words = target_words(suite.target_language)
    silver = {} if silver_file is None else read_silver(silver_file, suite)
    links_of: Sequence[Path | None] = links or [None] * number
    source_of: Sequence[Path | None] = sources or [None]
    source_of = [*source_of] * (number // len(source_of))
    results = {}
    for name, file, file_links, source in zip(names, candidates, links_of, source_of, strict=True):
        output = read_system(suite, name, file.path, file_links, source, prior)
        warn([f"{name}: {warning}" for warning in output.warnings])
        results[name] = score_system(suite, output, words, silver)
    return ScoredSystems(suite, words, results, silver)
