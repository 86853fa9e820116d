"""A suite from files: annotation and text are read, linked, searched for tokens and selected from.

Everything that is wrong with any file is raised together, before links are made, which takes
longest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crosspro.data_prep.core.example import AnnotatedSentence, Link
from crosspro.data_prep.core.files import write_text
from crosspro.data_prep.formats.links import write_links
from crosspro.data_prep.formats.mmax import MmaxDocument, read_mmax
from crosspro.evaluation.protest.attempts import Attempts, known
from crosspro.evaluation.protest.build import (
    Candidates,
    ParallelText,
    find_candidates,
    match_documents,
    unknown_decisions,
)
from crosspro.evaluation.protest.decisions import Decision, scan_decisions
from crosspro.evaluation.protest.language import SourceWords, TargetWords
from crosspro.evaluation.protest.parsed_heads import read_source_parse
from crosspro.evaluation.protest.select import select, top_up
from crosspro.evaluation.protest.suite import Suite
from crosspro.evaluation.protest.text import (
    Report,
    Texts,
    make_links,
    read_corpus,
    read_link_files,
    read_mmax_texts,
    read_texts,
)

Decisions = Mapping[tuple[str, str], Decision]


@dataclass(frozen=True)
class SuiteFiles:
    """What a suite is made from.

    Without a source the references are MMAX projects, as the annotation is. Links are made where
    they are not given, together with the corpus `align_with`. `tokenised` is None where it is to be
    found out. Heads of antecedents come from `source_parse` where it is given.
    """

    annotation: Path
    references: Sequence[Path]
    source: Path | None = None
    doc_ids: Path | None = None
    links: Sequence[Path] = ()
    align_with: tuple[Path, Path] | None = None
    decisions: Path | None = None
    tokenised: bool | None = None
    source_parse: Path | None = None


@dataclass(frozen=True)
class SuiteSettings:
    """How tokens are found and selected: `wanted` tokens of each category."""

    wanted: Mapping[str, int]
    top_up: bool = False
    seed: int = 1
    repair: bool = False


@dataclass(frozen=True)
class BuiltSuite:
    """A suite, the candidates that it was selected from, and the links of each reference."""

    suite: Suite
    candidates: Candidates
    links: Sequence[Sequence[tuple[Link, ...]]]


def build_suite(
    files: SuiteFiles,
    settings: SuiteSettings,
    source: SourceWords,
    target: TargetWords,
    jobs: int = 1,
    progress: Report = lambda text: None,
) -> BuiltSuite:
    """Read everything, or raise all that is wrong with it; then make links and select tokens."""
    languages = (source.language, target.language)
    attempts = Attempts()
    documents = attempts.read(lambda: read_mmax(files.annotation))
    decided = _decisions(files.decisions, documents, attempts)
    texts = _texts(files, documents, languages, attempts)
    links: Sequence[Sequence[tuple[Link, ...]]] = ()
    if files.links and texts is not None:
        sides = (texts.source, texts.references)
        links = attempts.read(lambda: read_link_files(files.links, *sides)) or ()
    parse: Sequence[AnnotatedSentence] = ()
    parse_file = files.source_parse
    if parse_file is not None and texts is not None:
        asked = (parse_file, source.language, texts.source)
        parse = attempts.read(lambda: read_source_parse(*asked)) or ()
    corpus = attempts.read(lambda: read_corpus(files.align_with, languages, progress))
    attempts.finish()
    talks, lines, larger = known(documents), known(texts), known(corpus)
    unlinked = ParallelText(lines.path, lines.source, lines.references, [], lines.documents)
    match_documents(talks, unlinked)
    if not files.links:
        links = [make_links(lines.source, r, larger, jobs, progress) for r in lines.references]
    parallel = replace(unlinked, links=links, parse=parse)
    candidates = find_candidates(talks, parallel, source, target, decided, settings.repair)
    wanted = dict(settings.wanted)
    if settings.top_up:
        wanted = top_up(wanted, candidates.usable(), sum(wanted.values()))
    origin = {
        "seed": settings.seed,
        "repair": settings.repair,
        "links": "given" if files.links else larger.signature,
        "decisions": len(decided),
        "wanted": wanted,
        **({"heads": "parse"} if parse else {}),
    }
    suite = Suite(
        *languages,
        tuple(lines.source),
        tuple(tuple(one) for one in lines.references),
        tuple(lines.documents),
        tuple(select(candidates.tokens, wanted, target, settings.seed)),
        origin,
    )
    return BuiltSuite(suite, candidates, links)


def _decisions(
    path: Path | None, documents: Sequence[MmaxDocument] | None, attempts: Attempts
) -> Decisions:
    """What was decided by hand; decisions about words that no document has are problems."""
    if path is None:
        return {}
    decided, faults = attempts.read(lambda: scan_decisions(path)) or ({}, [])
    if documents is not None:
        faults += unknown_decisions(decided, documents, path)
    attempts.problems += sorted(faults, key=lambda one: one.line or 0)
    return decided


def _texts(
    files: SuiteFiles,
    documents: Sequence[MmaxDocument] | None,
    languages: tuple[str, str],
    attempts: Attempts,
) -> Texts | None:
    source, references = files.source, list(files.references)
    if source is not None:
        tokenised = True if files.links else files.tokenised
        return attempts.read(
            lambda: read_texts(source, references, files.doc_ids, languages, tokenised)
        )
    if documents is None:
        return None
    return attempts.read(lambda: read_mmax_texts(documents, references))


def write_suite_text(prefix: Path, built: BuiltSuite) -> None:
    """The tokenised text of a suite with its links and doc-ids, in files that begin alike."""
    suite = built.suite
    write_text(Path(f"{prefix}.{suite.source_language}"), _lines(map(" ".join, suite.source)))
    write_text(Path(f"{prefix}.doc-ids"), _lines(suite.documents))
    for number, (reference, own) in enumerate(zip(suite.references, built.links, strict=True)):
        mark = f".{number}" if number else ""
        path = Path(f"{prefix}{mark}.{suite.target_language}")
        write_text(path, _lines(map(" ".join, reference)))
        write_links(f"{prefix}{mark}.links", own)


def _lines(texts: Iterable[str]) -> str:
    return "".join(f"{text}\n" for text in texts)
