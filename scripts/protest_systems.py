"""The systems that the sub-commands of `crosspro protest` read, and the options for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.scripts.common import NamedFile, names_of, tell

if TYPE_CHECKING:
    from crosspro.evaluation.protest.metric import ScoredSystems

SuiteFile = Annotated[Path, typer.Argument(metavar="SUITE", help="A suite from `protest build`.")]
Verdicts = Annotated[Path | None, typer.Option("--verdicts", help="People's verdicts (SQLite).")]
Repair = Annotated[
    bool,
    typer.Option("--repair", help="Repair links of pronouns as APT does; PROTEST (2016) does not."),
]
Sources = Annotated[
    list[Path] | None,
    typer.Option(
        "--source", help="The source as the systems tokenise it: one file, or one each (repeat)."
    ),
]
LinkPrior = Annotated[
    str | None,
    typer.Option(
        "--prior",
        help="Without links: a bundled model, a file of `align --save-prior`, or none; else that "
        "of the languages.",
    ),
]


@dataclass(frozen=True)
class Systems:
    """The outputs of systems, their links, and how these are found."""

    candidates: Sequence[NamedFile]
    links: Sequence[Path] | None = None
    sources: Sequence[Path] | None = None
    repair: bool = False
    target_language: str | None = None
    prior: str | None = None

    def scored(self, suite_file: Path, silver_file: Path | None = None) -> ScoredSystems:
        """The systems, read and matched with a suite; nobody has judged them yet."""
        from crosspro.evaluation.protest.language import target_words
        from crosspro.evaluation.protest.match import score_system
        from crosspro.evaluation.protest.metric import ScoredSystems
        from crosspro.evaluation.protest.silver import read_silver
        from crosspro.evaluation.protest.suite import read_suite
        from crosspro.evaluation.protest.text import read_system
        from crosspro.evaluation.texts import plain_name

        number = len(self.candidates)
        defaults = [Path(plain_name(file.path)).stem for file in self.candidates]
        names = names_of(self.candidates, defaults)
        if len(set(names)) < number:
            raise typer.BadParameter(f"names must differ (NAME=FILE): {', '.join(names)}")
        for paths, option, allowed in (
            (self.links, "--candidate-links", {number}),
            (self.sources, "--source", {1, number}),
        ):
            if paths and len(paths) not in allowed:
                raise typer.BadParameter(f"{number} candidates, but {len(paths)} times {option}")
        if self.links and self.prior:
            raise typer.BadParameter("--prior is for links that are made")
        suite = read_suite(suite_file)
        lists = target_words(self.target_language or suite.target_language)
        silver = {} if silver_file is None else read_silver(silver_file, suite)
        sources: Sequence[Path | None] = self.sources or [None]
        links: Sequence[Path | None] = self.links or [None] * number
        results = {}
        for name, file, own_links, source in zip(
            names, self.candidates, links, [*sources] * (number // len(sources)), strict=True
        ):
            output = read_system(suite, name, file.path, own_links, source, self.prior)
            for warning in output.warnings:
                tell(f"warning: {name}: {warning}")
            results[name] = score_system(suite, output, lists, silver, self.repair)
        return ScoredSystems(suite, lists, results, silver)
