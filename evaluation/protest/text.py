"""Reading the parallel text of a suite and making its word links.

The text is plain files with a line a segment (and document ids beside them), IWSLT XML files, or
MMAX projects on both sides whose sentences correspond. Unlike other readers this one keeps blank
lines: the lines of a suite are those of the files that systems translate.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from crosspro.data_prep.align.backends import AlignerSettings, align_corpus
from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.bitext.read import format_of, read_bitext
from crosspro.data_prep.core.errors import InputError, Problem, input_error
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.formats.links import scan_links
from crosspro.data_prep.formats.mmax import MmaxDocument, read_mmax
from crosspro.evaluation.inputs.parallel_lines import parallel_lines
from crosspro.evaluation.protest.suite import Words

Report = Callable[[str], None]


@dataclass(frozen=True)
class Texts:
    """A source and its references, line by line, with the document of each line."""

    path: str
    source: list[Words]
    references: list[list[Words]]
    documents: list[str]


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


NO_CORPUS = Corpus()


def read_texts(
    source: Path,
    references: Sequence[Path],
    doc_ids: Path | None,
    languages: tuple[str, str],
    tokenised: bool | None,
) -> Texts:
    """The text of files; every problem of every file is raised."""
    if format_of(source) == "iwslt":
        return _read_xml(source, references, doc_ids, languages, tokenised)
    problems: list[Problem] = []
    lines, ids = parallel_lines([source, *references], doc_ids, problems)
    if problems:
        raise InputError(problems)
    texts = _tokenised([one for one in lines if one is not None], languages, tokenised)
    documents = ["" for _ in texts[0]] if ids is None else ids
    return Texts(str(source), texts[0], texts[1:], documents)


def read_mmax_texts(source: Sequence[MmaxDocument], references: Sequence[Path]) -> Texts:
    """The sentences of MMAX projects that have the same documents with as many sentences."""
    found: list[list[Words]] = []
    problems: list[Problem] = []
    for path in references:
        try:
            others = {document.name: document for document in read_mmax(path)}
        except InputError as error:
            problems += error.problems
            continue
        text: list[Words] = []
        for document in source:
            other = others.get(document.name)
            if other is None:
                expected = f"a document {document.name}, as in the source"
                problems.append(Problem(str(path), None, "document", expected, "none"))
                continue
            mine, theirs = len(document.sentences), len(other.sentences)
            if mine != theirs:
                expected = f"{mine} as in {document.path}; give --source and --reference text"
                problems.append(Problem(other.path, None, "sentences", expected, str(theirs)))
            text += _sentences(other)
        found.append(text)
    if problems:
        raise InputError(problems)
    documents = [document.name for document in source for _ in document.sentences]
    path_of_all = str(Path(source[0].path).parent) if source else ""
    return Texts(path_of_all, [w for d in source for w in _sentences(d)], found, documents)


def read_corpus(
    paths: tuple[Path, Path] | None, languages: tuple[str, str], progress: Report
) -> Corpus:
    """A larger parallel text that helps the aligner, in two files; nothing if none is named."""
    if paths is None:
        return NO_CORPUS
    progress(f"reading {paths[0]} and {paths[1]}")
    source, target = languages
    segments = list(
        read_bitext(*paths, source_language=source, target_language=target, missing="skip")
    )
    sides = [[one.source for one in segments], [one.target for one in segments]]
    return Corpus(*_tokenised(sides, languages, None))


def make_links(
    source: Sequence[Words],
    target: Sequence[Words],
    corpus: Corpus,
    jobs: int,
    progress: Report,
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
    found = align_corpus(first, second, AlignerSettings(), jobs=jobs, progress=progress)
    for at, own in zip(full, found, strict=False):
        links[at] = own
    return links


def read_link_files(
    paths: Sequence[Path], source: Sequence[Words], targets: Sequence[Sequence[Words]]
) -> list[list[tuple[Link, ...]]]:
    """The links to each of some texts from files; every problem of every file is raised."""
    problems: list[Problem] = []
    found: list[list[tuple[Link, ...]]] = []
    for path, target in zip(paths, targets, strict=True):
        own: list[tuple[Link, ...]] = []
        try:
            for item in scan_links(path, source, target):
                if isinstance(item, Problem):
                    problems.append(item)
                else:
                    own.append(item)
        except InputError as error:
            problems += error.problems
        found.append(own)
    if problems:
        raise InputError(problems)
    return found


def _read_xml(
    source: Path,
    references: Sequence[Path],
    doc_ids: Path | None,
    languages: tuple[str, str],
    tokenised: bool | None,
) -> Texts:
    if doc_ids is not None:
        raise input_error(doc_ids, "doc-ids", "none: XML files have documents", "a file")
    sides: list[list[str]] = []
    documents: list[str] = []
    problems: list[Problem] = []
    for path in references:
        try:
            segments = list(
                read_bitext(
                    source, path, source_language=languages[0], target_language=languages[1]
                )
            )
        except InputError as error:
            problems += [one for one in error.problems if one not in problems]
            continue
        documents = [segment.document or "" for segment in segments]
        sides = sides or [[segment.source for segment in segments]]
        sides.append([segment.target for segment in segments])
    if problems:
        raise InputError(problems)
    texts = _tokenised(sides, languages, tokenised)
    return Texts(str(source), texts[0], texts[1:], documents)


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
