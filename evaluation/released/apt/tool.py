"""APT exactly as the released Python 2 tool computes it, quirks and all.

It departs from the paper in the repair of links (unlinked pronouns are never repaired, neighbours
are not looked at, words are not lower-cased at that stage) and in the matrix (an appended word that
is no label counts in a whole row). `.score` and `.detail` are the tool's two output files.

Scores that start from the reference are those published for Spanish-English TED systems in 2018:
every pronoun of the reference is an occurrence. Its candidate words are those linked to the source
words that it is linked to itself; a pronoun without a link is counted apart (`Not source`). Cases 5
and 6 cannot occur. Case, matrix and layout are those of the released tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, is_whole_number, quoted
from crosspro.data_prep.core.files import read_lines
from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.inputs.linked_text import raise_problems
from crosspro.evaluation.released.apt.config import ReleasedConfig, lower, texts_of
from crosspro.evaluation.released.apt.files import (
    Linked,
    ReleasedPronoun,
    Scorer,
    detail_file,
    score_file,
)
from crosspro.evaluation.released.apt.python2_order import Python2Set

_REACH = 2
"""How many words on each side of the links the heuristics look at."""


@dataclass(frozen=True)
class ReleasedFiles:
    """What the tool writes: two files, and what it says on the way."""

    score: str
    detail: str
    stdout: str


@dataclass(frozen=True)
class LinkedLines:
    """A translation and its links, line by line, cut at single spaces."""

    text_path: Path
    links_path: Path
    lines: list[list[str]]
    links: list[list[str]]


def run_released(config: ReleasedConfig) -> ReleasedFiles:
    """Score the files of an INI file. Where the tool would crash, every reason is reported."""
    problems: list[Problem] = []
    (lines,) = texts_of([config.source], problems)
    source = [line.strip() for line in lines]
    translations = [
        read_translated(text, links, problems)
        for text, links in (
            (config.reference, config.links_reference),
            (config.candidate, config.links_candidate),
        )
    ]
    positions = [] if config.positions is None else texts_of([config.positions], problems)[0]
    raise_problems(problems)
    if config.by_position:
        pronouns = _listed(source, positions, config, problems)
    else:
        pronouns = _found(source, config)
    raw = [line.split(" ") for line in source]
    sides, vocabularies, repairs = [], [], []
    for translation in translations:
        linked, vocabulary = _linked_words(pronouns, translation, config, problems)
        repairs.append(_heuristics(pronouns, linked, raw, translation, config, problems))
        sides.append(linked)
        vocabularies.append(vocabulary)
    raise_problems(list(dict.fromkeys(problems)))
    labels: list[str] = [*config.target_list, OTHER]
    if not config.target_list:
        labels = [str(word) for word in vocabularies[0].union(vocabularies[1])]
    scorer = Scorer(config, [*labels, NONE])
    cases = [scorer.count(*pair) for pair in zip(*sides, strict=True)]
    value = scorer.value()
    return ReleasedFiles(
        score_file(config, scorer, value),
        detail_file(pronouns, sides[0], sides[1], cases),
        _printed(config, repairs, value),
    )


def _found(source: Sequence[str], config: ReleasedConfig) -> list[ReleasedPronoun]:
    """Words of which some part is in the list; the first such part is the pronoun."""
    wanted = frozenset(config.source_list)
    known: dict[str, str | None] = {}
    found = []
    for sentence, line in enumerate(source):
        for position, word in enumerate(lower(line).split(" ")):
            if word not in known:
                parts = word.split(config.source_separator)
                known[word] = next((part for part in parts if part in wanted), None)
            part = known[word]
            if part is not None:
                found.append(ReleasedPronoun(sentence, position, part))
    return found


def _listed(
    source: Sequence[str], positions: Sequence[str], config: ReleasedConfig, problems: list[Problem]
) -> list[ReleasedPronoun]:
    """Words at given positions: a line and a position, from 0, on each line."""
    path = config.positions
    found = []
    for number, line in enumerate(positions, start=1):
        fields = line.split()
        if len(fields) != 2 or not all(map(is_whole_number, fields)):
            expected = "a line and a position from 0"
            problems.append(Problem(str(path), number, "position", expected, quoted(line)))
            continue
        sentence, position = map(int, fields)
        words = lower(source[sentence]).split(" ") if sentence < len(source) else []
        if position >= len(words):
            expected = f"a position below {len(words)} in line {sentence}"
            problems.append(Problem(str(path), number, "position", expected, fields[1]))
            continue
        found.append(ReleasedPronoun(sentence, position, words[position]))
    return found


def read_translated(text: Path, links: Path, problems: list[Problem]) -> LinkedLines:
    """Read a translation and its link file; empty items stay where spaces are doubled."""
    lines = [line.strip().split(" ") for line in texts_of([text], problems)[0]]
    content = [""]
    try:
        content = b"".join(read_lines(links)).decode("ascii", errors="replace").split("\n")
    except InputError as error:
        problems += error.problems
    pairs = [line.strip().split(" ") for line in (content if content[-1] else content[:-1])]
    return LinkedLines(text, links, lines, pairs)


def _linked_words(
    pronouns: Sequence[ReleasedPronoun],
    translation: LinkedLines,
    config: ReleasedConfig,
    problems: list[Problem],
) -> tuple[list[Linked | None], Python2Set]:
    linked: list[Linked | None] = [None] * len(pronouns)
    vocabulary = Python2Set()
    wanted = frozenset(config.target_list)
    # By sentence, because the order in which words are met is that of a set without a list.
    for index in sorted(range(len(pronouns)), key=lambda number: pronouns[number].sentence):
        pronoun = pronouns[index]
        line = pronoun.sentence
        missing = [
            path
            for path, lines in (
                (translation.text_path, translation.lines),
                (translation.links_path, translation.links),
            )
            if line >= len(lines)
        ]
        if missing:
            problems += [
                Problem(str(path), line + 1, "lines", f"a line {line + 1} as in the source", "none")
                for path in missing
            ]
            continue
        positions = _targets(pronoun, translation, problems)
        if not positions:
            continue
        words = [lower(translation.lines[line][position]) for position in positions]
        if wanted:
            parts = (
                next((p for p in word.split(config.target_separator) if p in wanted), None)
                for word in words
            )
            words = [part for part in parts if part is not None] or [OTHER]
        else:
            for word in words:
                vocabulary.add(word)
        linked[index] = Linked(positions, words)
    return linked, vocabulary


def _targets(
    pronoun: ReleasedPronoun, translation: LinkedLines, problems: list[Problem]
) -> list[int]:
    """Sorted target positions of a pronoun's links, with repetitions."""
    line = pronoun.sentence
    size = len(translation.lines[line])
    prefix = f"{pronoun.position}-"
    found = []
    for written in translation.links[line]:
        if not written.startswith(prefix):
            continue
        target = written.split("-")[1]
        if not is_whole_number(target):
            expected, what = "links s-t separated by spaces", quoted(written)
        elif int(target) >= size:
            expected, what = f"links inside {size} target words", written
        else:
            found.append(int(target))
            continue
        problems.append(Problem(str(translation.links_path), line + 1, "links", expected, what))
    return sorted(found)


def _heuristics(
    pronouns: Sequence[ReleasedPronoun],
    linked: Sequence[Linked | None],
    source: Sequence[list[str]],
    translation: LinkedLines,
    config: ReleasedConfig,
    problems: list[Problem],
) -> list[str]:
    """Append a pronoun to links that have none; what the tool prints for each."""
    printed = []
    sources, targets = frozenset(config.source_pronouns), frozenset(config.target_pronouns)
    for pronoun, side in zip(pronouns, linked, strict=True):
        if side is None or not targets or not targets.isdisjoint(side.words):
            continue
        line = pronoun.sentence
        words = translation.lines[line]
        first = max(min(side.positions) - _REACH, 0)
        last = min(max(side.positions) + _REACH, len(words) - 1)
        weights = _weights(last - first + 1)
        best = None
        for position, weight in zip(range(first, last + 1), weights, strict=True):
            part = words[position].split("-")[-1]
            if part not in targets or part in side.words:
                continue
            if _linked_to(position, line, source[line], sources, translation, problems):
                continue
            if best is None or weight < best[0]:
                best = weight, position
        if best is None:
            continue
        position = best[1]
        side.positions.append(position)
        if side.words == [OTHER]:
            side.words.clear()
        side.words.append(words[position])
        printed.append(f"{line} {pronoun.position} {pronoun.word} {position} {words[position]}\n")
    return printed


def _weights(size: int) -> list[int]:
    half = size // 2
    return [*range(half, 0, -1), *([1] * (size % 2)), *range(1, half + 1)]


def _linked_to(
    position: int,
    line: int,
    source: Sequence[str],
    wanted: frozenset[str],
    translation: LinkedLines,
    problems: list[Problem],
) -> bool:
    """Whether a target word is linked to one of the source words."""
    for written in translation.links[line]:
        one, _, other = written.partition("-")
        if not (is_whole_number(one) and is_whole_number(other)):
            expected, what = "links s-t separated by spaces", quoted(written)
        elif int(other) != position or (int(one) < len(source) and source[int(one)] not in wanted):
            continue
        elif int(one) < len(source):
            return True
        else:
            expected, what = f"links inside {len(source)} source words", written
        problems.append(Problem(str(translation.links_path), line + 1, "links", expected, what))
    return False


def _printed(config: ReleasedConfig, repairs: Sequence[Sequence[str]], value: float) -> str:
    absent = "".join(f"{line}\n" for line in config.absent)
    reference, candidate = map("".join, repairs)
    return (
        f"*** Reading input\n\n{absent}*** End Reading input\n\n"
        f"*** Improving alignment\n\nFor reference:\n{reference}For target:\n{candidate}"
        "*** End improving alignment\n\n"
        f"*** Calculating score\n\nScore: {value:.4f}\nMore details in output files\n"
        "*** End calculating score\n\n"
    )


def score_from_reference(config: ReleasedConfig) -> str:
    """The content of the `.apt.score` file."""
    problems: list[Problem] = []
    reference = read_translated(config.reference, config.links_reference, problems)
    candidate = read_translated(config.candidate, config.links_candidate, problems)
    texts_of([config.source], problems)  # not used, but a bad file is not to pass unseen
    raise_problems(problems)
    scorer = Scorer(config, [*config.target_list, OTHER, NONE])
    wanted = frozenset(config.target_list)
    unlinked = 0
    for line in range(len(reference.lines)):
        pronouns = [(place, lower(word)) for place, word in enumerate(reference.lines[line])]
        pronouns = [(place, word) for place, word in pronouns if word in wanted]
        if not pronouns:
            continue
        ours = _links(reference, line, problems)
        theirs = _links(candidate, line, problems)
        for place, word in pronouns:
            sources = {source for source, target in ours if target == place}
            if not sources:
                unlinked += 1
                continue
            positions = sorted(target for source, target in theirs if source in sources)
            linked = [lower(candidate.lines[line][position]) for position in positions]
            found = [other for other in linked if other in wanted] or [OTHER]
            side = Linked(positions, found) if positions else None
            scorer.count(Linked([place], [word]), side)
    raise_problems(problems)
    return score_file(config, scorer, scorer.value(), f"Not source: {unlinked}")


def _links(translation: LinkedLines, line: int, problems: list[Problem]) -> list[tuple[int, int]]:
    """The links of a line, or problems if there is no such line or a link is bad."""
    path = str(translation.links_path)
    if line >= min(len(translation.links), len(translation.lines)):
        problems.append(Problem(path, line + 1, "lines", "as many as in the reference", "fewer"))
        return []
    found = []
    size = len(translation.lines[line])
    for written in filter(None, translation.links[line]):
        source, _, target = written.partition("-")
        if not (is_whole_number(source) and is_whole_number(target) and int(target) < size):
            expected = f"links s-t inside {size} target words"
            problems.append(Problem(path, line + 1, "links", expected, repr(written)))
        else:
            found.append((int(source), int(target)))
    return found
