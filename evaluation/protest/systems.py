"""Reading what a system has made of a suite's text: output, links and, if it differs, its source.

Everything is checked before anything is scored: the numbers of lines, links that lead nowhere, and
tokens of the suite that are not to be found in the system's source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.core.errors import InputError, Problem, quoted
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.formats.links import scan_links
from crosspro.evaluation.inputs.parallel_lines import lines_of, unequal_lines
from crosspro.evaluation.protest.locate import locate
from crosspro.evaluation.protest.suite import Place, Positions, Suite, Words
from crosspro.evaluation.protest.text import NO_CORPUS, Corpus, Report, make_links


@dataclass(frozen=True)
class SystemOutput:
    """A system's output, line by line, with links to it from `source`.

    `moved` says where the words of a line of the suite are if the system tokenises it otherwise.
    """

    name: str
    source: Sequence[Words]
    output: Sequence[Words]
    links: Sequence[Sequence[Link]]
    moved: Mapping[int, Sequence[Positions]] = field(default_factory=dict)

    def positions(self, place: Place) -> Positions:
        """The positions of some words of the suite in the system's source."""
        if place.line not in self.moved:
            return place.at
        found = self.moved[place.line]
        return tuple(sorted({spot for at in place.at for spot in found[at]}))

    def source_line(self, line: int) -> Words:
        """A line of the source in the system's tokenisation."""
        return self.source[line]


def read_system(
    suite: Suite,
    name: str,
    output: str | Path,
    links: str | Path | None = None,
    source: str | Path | None = None,
) -> SystemOutput:
    """A system's output and links, checked; every problem is raised.

    Without links there are none yet, and the output may be raw text: it is then tokenised.
    """
    problems: list[Problem] = []
    texts = [_text(path, suite, problems) for path in (output, source) if path is not None]
    if problems:
        problems += _syntax(links) if links is not None else []
        raise InputError(problems)
    words = texts[0]
    if links is None:
        lines = (" ".join(line) for line in words)
        words = [tuple(line) for line in tokenise_lines(lines, suite.target_language)]
    own = suite.source if source is None else texts[1]
    moved = {} if source is None else relocate(suite, own, source, problems)
    found: list[tuple[Link, ...]] = []
    for item in _links(links, own, words) if links is not None else ():
        if isinstance(item, Problem):
            problems.append(item)
        else:
            found.append(item)
    if problems:
        raise InputError(problems)
    return SystemOutput(name, own, words, found, moved)


def relocate(
    suite: Suite, source: Sequence[Words], path: str | Path, problems: list[Problem]
) -> dict[int, Sequence[Positions]]:
    """Where the suite's words are in another tokenisation, for the lines that tokens are on."""
    needed: dict[int, list[tuple[str, int]]] = {}
    for token in suite.tokens:
        for place in (token.place, token.antecedent):
            if place is not None:
                needed.setdefault(place.line, []).extend((token.name, at) for at in place.at)
    moved: dict[int, Sequence[Positions]] = {}
    for line, wanted in sorted(needed.items()):
        ours, theirs = suite.source[line], source[line]
        if tuple(ours) == tuple(theirs):
            continue
        found = locate(ours, theirs) or [()] * len(ours)
        moved[line] = found
        for name, at in wanted:
            if not found[at]:
                expected = f"{quoted(ours[at])} of token {name}"
                shown = quoted(" ".join(theirs))
                problems.append(Problem(str(path), line + 1, "source", expected, shown))
    return moved


def _text(path: str | Path, suite: Suite, problems: list[Problem]) -> list[Words]:
    """The words of each line of a file that must have as many lines as the suite."""
    lines = lines_of(Path(path), problems)
    if lines is None:
        return []
    problems += unequal_lines(path, len(lines), len(suite.source), "the suite")
    return [tuple(line.split()) for line in lines]


def _links(
    path: str | Path, source: Sequence[Words], output: Sequence[Words]
) -> Iterator[tuple[Link, ...] | Problem]:
    try:
        yield from scan_links(path, source, output)
    except InputError as error:
        yield from error.problems


def _syntax(path: str | Path) -> list[Problem]:
    """What is wrong with a file of links whatever the texts are."""
    try:
        return [item for item in scan_links(path) if isinstance(item, Problem)]
    except InputError as error:
        return error.problems


def read_systems(
    suite: Suite,
    names: Sequence[str],
    outputs: Sequence[Path],
    links: Sequence[Path] | None,
    sources: Sequence[Path | None],
) -> list[SystemOutput]:
    """Several systems; without `links` they have none yet. Problems of all are raised together."""
    problems: list[Problem] = []
    found: list[SystemOutput] = []
    for number, name in enumerate(names):
        try:
            own_links = links[number] if links else None
            found.append(read_system(suite, name, outputs[number], own_links, sources[number]))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found


def with_links(
    systems: Sequence[SystemOutput],
    corpus: Corpus = NO_CORPUS,
    jobs: int = 1,
    progress: Report = lambda text: None,
) -> list[SystemOutput]:
    """The systems with links that are made here, of each by itself: others change nothing."""
    return [
        replace(one, links=make_links(one.source, one.output, corpus, jobs, progress))
        for one in systems
    ]
