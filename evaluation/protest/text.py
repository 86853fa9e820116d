"""The texts of a suite: source and references, the outputs of systems, and the links between them.

The text is plain files with a line a segment (and document ids beside them), IWSLT XML files, or
MMAX projects on both sides whose sentences correspond. Unlike other readers this one keeps blank
lines: the lines of a suite are those of the files that systems translate. Everything is checked
before anything is scored: the numbers of lines, links that lead nowhere, and tokens of the suite
that are not to be found in a system's source.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import ParamSpec, TypeVar

from crosspro.data_prep.align.align import align
from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.bitext.read import format_of, read_bitext
from crosspro.data_prep.bitext.segment import Missing, Segment
from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.core.example import AnnotatedSentence, Link
from crosspro.data_prep.formats.links import read_links
from crosspro.data_prep.formats.mmax import MmaxDocument, read_mmax
from crosspro.evaluation.inputs.plain_text import lines_of, parallel_lines, unequal_lines
from crosspro.evaluation.protest.locate import locate
from crosspro.evaluation.protest.marks import Positions, Words
from crosspro.evaluation.protest.suite import Place, Suite

Progress = Callable[[str], None]
Links = Sequence[tuple[Link, ...]]
"""The links of each line."""
Thing = TypeVar("Thing")
Given = ParamSpec("Given")


class Attempts:
    """Reads several things and raises the problems of all of them together."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def read(
        self, reader: Callable[Given, Thing], *given: Given.args, **named: Given.kwargs
    ) -> Thing | None:
        """What a reader gives, or nothing: then its problems are kept."""
        try:
            return reader(*given, **named)
        except InputError as error:
            self.problems += error.problems
            return None

    def finish(self) -> None:
        """Raise if any reader had problems."""
        if self.problems:
            raise InputError(self.problems)


def known(thing: Thing | None) -> Thing:
    """What a reader gave, once `Attempts.finish` has found no problem."""
    if thing is None:
        raise RuntimeError("a reader gave neither its content nor a problem")
    return thing


@dataclass(frozen=True)
class ParallelText:
    """The text of a suite, line by line: words, references, documents, links to each reference.

    `path` is how the source is called in messages. `parse` is empty, or has a sentence a line.
    """

    path: str
    source: Sequence[Words]
    references: Sequence[Sequence[Words]]
    documents: Sequence[str]
    links: Sequence[Links] = ()
    parse: Sequence[AnnotatedSentence] = ()


def read_texts(
    source: Path,
    references: Sequence[Path],
    doc_ids: Path | None,
    languages: tuple[str, str],
    tokenised: bool | None,
) -> ParallelText:
    """The text of files; every problem of every file is raised."""
    if format_of(source) == "iwslt":
        if doc_ids is not None:
            raise input_error(doc_ids, "doc-ids", "none: XML files have documents", "a file")
        sides, documents = _read_xml(source, references, languages)
    else:
        problems: list[Problem] = []
        lines, ids = parallel_lines([source, *references], doc_ids, problems)
        if problems:
            raise InputError(problems)
        sides = [line for line in lines if line is not None]
        documents = [""] * len(sides[0]) if ids is None else ids
    texts = _tokenised(sides, languages, tokenised)
    return ParallelText(str(source), texts[0], texts[1:], documents)


def _read_xml(
    source: Path, references: Sequence[Path], languages: tuple[str, str]
) -> tuple[list[list[str]], list[str]]:
    """The segments of each side, and their documents."""
    attempts = Attempts()
    read = [attempts.read(_segments, source, path, languages) for path in references]
    attempts.problems = list(dict.fromkeys(attempts.problems))  # the source is read each time
    attempts.finish()
    pairs = [known(segments) for segments in read]
    sides = [[pair.source for pair in pairs[0]], *([one.target for one in own] for own in pairs)]
    return sides, [one.document or "" for one in pairs[-1]]


def _segments(
    source: Path, target: Path, languages: tuple[str, str], missing: Missing = "error"
) -> list[Segment]:
    first, second = languages
    return list(
        read_bitext(source, target, source_language=first, target_language=second, missing=missing)
    )


def read_mmax_texts(source: Sequence[MmaxDocument], references: Sequence[Path]) -> ParallelText:
    """The sentences of MMAX projects that have the same documents with as many sentences."""
    found: list[list[Words]] = []
    attempts = Attempts()
    for path in references:
        project = attempts.read(read_mmax, path)
        if project is None:
            continue
        others = {document.name: document for document in project}
        text: list[Words] = []
        for document in source:
            other = others.get(document.name)
            if other is None:
                expected = f"a document {document.name}, as in the source"
                attempts.problems.append(Problem(str(path), None, "document", expected, "none"))
                continue
            mine, theirs = len(document.sentences), len(other.sentences)
            if mine != theirs:
                expected = f"{mine} as in {document.path}; give --source and --reference text"
                problem = Problem(other.path, None, "sentences", expected, str(theirs))
                attempts.problems.append(problem)
            text += _sentences(other)
        found.append(text)
    attempts.finish()
    documents = [document.name for document in source for _ in document.sentences]
    path_of_all = str(Path(source[0].path).parent) if source else ""
    words = [words for document in source for words in _sentences(document)]
    return ParallelText(path_of_all, words, found, documents)


def _tokenised(
    sides: Sequence[Sequence[str]], languages: tuple[str, str], tokenised: bool | None
) -> list[list[Words]]:
    named = chain([languages[0]], [languages[1]] * (len(sides) - 1))
    return [
        [tuple(words) for words in tokenise_lines(lines, language, tokenised=tokenised)]
        for lines, language in zip(sides, named, strict=True)
    ]


def _sentences(document: MmaxDocument) -> list[Words]:
    return [tuple(document.words[at] for at in sentence) for sentence in document.sentences]


# Links --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Corpus:
    """A larger parallel text from which the aligner learns, too; it may be empty."""

    source: Sequence[Words] = ()
    target: Sequence[Words] = ()

    @property
    def signature(self) -> str:
        """How links are made with it, for signatures of scores: its size and content."""
        if not self.source:
            return "aligned"
        content = "\n".join(" ".join(words) for words in chain(self.source, self.target))
        digest = hashlib.sha256(content.encode("utf-8")).hexdigest()[:8]
        return f"aligned+{len(self.source)}.{digest}"


def read_corpus(
    paths: tuple[Path, Path] | None, languages: tuple[str, str], progress: Progress
) -> Corpus:
    """A larger parallel text that helps the aligner, in two files; nothing if none is named."""
    if paths is None:
        return Corpus()
    progress(f"reading {paths[0]} and {paths[1]}")
    segments = _segments(*paths, languages, "skip")
    sides = [[segment.source for segment in segments], [one.target for one in segments]]
    return Corpus(*_tokenised(sides, languages, None))


def make_links(
    source: Sequence[Words],
    target: Sequence[Words],
    corpus: Corpus,
    jobs: int,
    progress: Progress,
) -> list[tuple[Link, ...]]:
    """Links by the project's own aligner, learnt from the text and a larger corpus together.

    Blank lines have no links: the aligner never sees them.
    """
    full = [at for at, (one, other) in enumerate(zip(source, target, strict=True)) if one and other]
    first = [*(source[at] for at in full), *corpus.source]
    second = [*(target[at] for at in full), *corpus.target]
    links: list[tuple[Link, ...]] = [()] * len(source)
    if not full:
        return links
    progress("aligning")
    found = align(zip(first, second, strict=True), jobs=jobs)
    for at, own in zip(full, found, strict=False):
        links[at] = own
    return links


def read_link_files(
    paths: Sequence[Path], source: Sequence[Words], targets: Sequence[Sequence[Words]]
) -> list[Links]:
    """The links to each of some texts from files; every problem of every file is raised."""
    problems: list[Problem] = []
    found = [
        _links(path, problems, source, target) for path, target in zip(paths, targets, strict=True)
    ]
    if problems:
        raise InputError(problems)
    return found


def _links(path: str | Path, problems: list[Problem], *texts: Sequence[Words]) -> Links:
    """The links of a file; without texts only what is wrong with them in any text is told."""
    found: list[tuple[Link, ...]] = []
    try:
        found += read_links(path, *texts)
    except InputError as error:
        problems += error.problems
    return found


# Systems ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SystemOutput:
    """A system's output, line by line, with links to it from `source`.

    `moved` says where the words of a line of the suite are if the system tokenises it otherwise.
    """

    name: str
    source: Sequence[Words]
    output: Sequence[Words]
    links: Links
    moved: Mapping[int, Sequence[Positions]] = field(default_factory=dict)

    def positions(self, place: Place) -> Positions:
        """The positions of some words of the suite in the system's source."""
        if place.line not in self.moved:
            return place.at
        found = self.moved[place.line]
        return tuple(sorted({spot for at in place.at for spot in found[at]}))


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
    texts: list[list[Words]] = []
    for path in (output, source):
        lines = None if path is None else lines_of(Path(path), problems)
        if path is not None and lines is not None:
            problems += unequal_lines(path, len(lines), len(suite.source), "the suite")
            texts.append([tuple(line.split()) for line in lines])
    if problems:
        if links is not None:
            _links(links, problems)
        raise InputError(problems)
    words = texts[0]
    if links is None:
        joined = (" ".join(line) for line in words)
        words = [tuple(line) for line in tokenise_lines(joined, suite.target_language)]
    own = suite.source if source is None else texts[1]
    moved = {} if source is None else relocate(suite, own, source, problems)
    found = () if links is None else _links(links, problems, own, words)
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


def read_systems(
    suite: Suite,
    outputs: Mapping[str, Path],
    links: Sequence[Path] | None,
    sources: Sequence[Path | None],
) -> list[SystemOutput]:
    """Several systems; without `links` they have none yet. Problems of all are raised together."""
    attempts = Attempts()
    own_links: Sequence[Path | None] = links or [None] * len(outputs)
    found = [
        attempts.read(read_system, suite, name, output, *files)
        for (name, output), *files in zip(outputs.items(), own_links, sources, strict=True)
    ]
    attempts.finish()
    return [known(one) for one in found]
