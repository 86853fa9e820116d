"""The systems of a suite from files: read with all that belongs to them, linked and matched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import Problem
from crosspro.evaluation.inputs.parallel_lines import lines_of
from crosspro.evaluation.protest.attempts import Attempts, known
from crosspro.evaluation.protest.language import TargetWords, target_words
from crosspro.evaluation.protest.score import TokenResult, score_system
from crosspro.evaluation.protest.silver import Alternative, read_silver
from crosspro.evaluation.protest.suite import Suite
from crosspro.evaluation.protest.suite_reader import read_suite
from crosspro.evaluation.protest.systems import SystemOutput, read_systems, with_links
from crosspro.evaluation.protest.text import Report, read_corpus
from crosspro.evaluation.protest.verdicts import Judgement, VerdictStore


@dataclass(frozen=True)
class SystemFiles:
    """The files of some systems, and how missing links are made."""

    outputs: list[Path]
    links: list[Path] | None
    sources: list[Path] | None
    names: list[str]
    align_with: tuple[Path, Path] | None
    jobs: int


def system_name(path: Path) -> str:
    """A file's name without compression and ending; never by the company it is in.

    Verdicts are kept under this name.
    """
    name = path.name.removesuffix(".xz").removesuffix(".gz")
    return Path(name).stem


@dataclass(frozen=True)
class ScoredSystems:
    """The results of each system, silver alternatives and verdicts, how links came, and outputs."""

    results: dict[str, list[TokenResult]]
    silver: dict[str, list[Alternative]]
    judgements: dict[tuple[str, str, str], Judgement]
    links: str
    systems: tuple[SystemOutput, ...] = ()

    @property
    def tokens(self) -> list[TokenResult]:
        """The results of all systems."""
        return [one for own in self.results.values() for one in own]


def silver_of(path: Path | None, suite: Suite) -> dict[str, list[Alternative]]:
    """Silver alternatives, if a file is given."""
    return {} if path is None else read_silver(path, suite)


def judgements_of(path: Path | None, suite: Suite) -> dict[tuple[str, str, str], Judgement]:
    """What people have said, if a store is given."""
    if path is None:
        return {}
    with VerdictStore(path, suite.digest, create=False) as store:
        return store.judgements()


def read_and_score(
    suite: Path,
    files: SystemFiles,
    lists: str | None,
    silver: Path | None,
    verdicts: Path | None,
    repair: bool,
    progress: Report = lambda text: None,
) -> tuple[Suite, TargetWords, ScoredSystems]:
    """Read everything, or raise all that is wrong with it; then make links and match tokens."""
    attempts = Attempts()
    read = attempts.read(lambda: read_suite(suite))
    if read is None:  # how many lines there should be is not known
        attempts.problems += _unreadable(files)
        attempts.finish()
    own = known(read)
    count = len(files.outputs)
    sources: list[Path | None] = [None] * count
    if files.sources:
        sources = [*files.sources] * (count if len(files.sources) == 1 else 1)
    target_lists = attempts.read(lambda: target_words(lists or own.target_language))
    alternatives = attempts.read(lambda: silver_of(silver, own))
    judgements = attempts.read(lambda: judgements_of(verdicts, own))
    systems = attempts.read(
        lambda: read_systems(own, files.names, files.outputs, files.links, sources)
    )
    languages = (own.source_language, own.target_language)
    corpus = attempts.read(lambda: read_corpus(files.align_with, languages, progress))
    attempts.finish()
    linked = known(systems)
    if not files.links:
        linked = with_links(linked, known(corpus), files.jobs, progress)
    words, right = known(target_lists), known(alternatives)
    results = {one.name: score_system(own, one, words, right, repair) for one in linked}
    how = "given" if files.links else known(corpus).signature
    return own, words, ScoredSystems(results, right, known(judgements), how, tuple(linked))


def _unreadable(files: SystemFiles) -> list[Problem]:
    """What is wrong with the texts of systems whatever the suite is."""
    problems: list[Problem] = []
    for path in (*files.outputs, *(files.sources or ()), *(files.links or ())):
        lines_of(path, problems)
    return problems
