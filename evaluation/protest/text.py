"""The texts of a suite and the outputs of systems, with word links.

Text is plain files with a segment on each line. Blank lines are kept: the lines of a suite are
those of the files that systems translate. Links that are not given are made for each text alone, so
that the score of a system never depends on the other systems.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import AnnotatedSentence
from crosspro.data_prep.core.files import read_text_lines
from crosspro.evaluation.links import Link, Links, link_texts, read_links
from crosspro.evaluation.protest.suite import Positions, Suite, Token, Words
from crosspro.evaluation.texts import TextFiles, Texts, load_texts

Languages = tuple[str, str]


@dataclass(frozen=True)
class ParallelText:
    """The text of a suite as lines of words: references, documents, links to each reference.

    `path` names the source in messages. `parse` is empty, or has a sentence for each line.
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
    languages: Languages,
    tokenised: bool | None,
) -> ParallelText:
    """The text of files; `tokenised` is None where it is to be detected."""
    files = TextFiles(source, None, {str(n): path for n, path in enumerate(references)}, doc_ids)
    texts = load_texts(files, languages, any_language=True)
    documents = list(texts.documents or [""] * texts.size)
    source_words = _tokens(texts.source, languages[0], tokenised)
    reference_words = [
        _tokens(lines, languages[1], tokenised) for lines in texts.candidates.values()
    ]
    return ParallelText(str(source), source_words, reference_words, documents)


def _tokens(lines: Iterable[str], language: str, tokenised: bool | None) -> list[Words]:
    return [tuple(words) for words in tokenise_lines(lines, language, tokenised=tokenised)]


def project(positions: Iterable[int], links: Iterable[Link]) -> Positions:
    """The target positions that are linked to some source positions, in order."""
    chosen = set(positions)
    return tuple(sorted({target for source, target in links if source in chosen}))


class WordLinks(NamedTuple):
    """The links of a text, where they come from, and what was noticed on the way."""

    links: Links
    signature: str
    warnings: Sequence[str]


def word_links(
    path: Path | None,
    source: Sequence[Words],
    target: Sequence[Words],
    languages: Languages,
    prior: str | Path | None = None,
) -> WordLinks:
    """The links of a file; without one those of our aligner, with the prior of the languages."""
    lines = [" ".join(words) for words in source], [" ".join(words) for words in target]
    if path is not None:
        return WordLinks(read_links(path, *lines), "given", ())
    texts = link_texts(Texts(*lines, {}, languages=languages), prior=prior, tokenised=True)
    return WordLinks(texts.linked.reference.links, texts.linked.signature, texts.warnings)


@dataclass(frozen=True)
class SystemOutput:
    """The output of a system as lines of words, with links from the source of a suite."""

    name: str
    output: Sequence[Words]
    links: Links
    link_signature: str = "given"
    warnings: Sequence[str] = ()

    def head_words(self, token: Token, positions: Positions) -> Words:
        if token.antecedent is None:
            return ()
        return tuple(self.output[token.antecedent.line][at] for at in positions)


def read_system(
    suite: Suite,
    name: str,
    output: Path,
    links: Path | None = None,
    prior: str | Path | None = None,
) -> SystemOutput:
    """The output of a system and its links; without links these are made, from raw text as well."""
    lines, expected = list(read_text_lines(output)), len(suite.source)
    if len(lines) != expected:
        first = min(len(lines), expected) + 1
        raise input_error(output, "lines", f"{expected} as in the suite", str(len(lines)), first)
    words = _tokens(lines, suite.target_language, None if links is None else True)
    languages = suite.source_language, suite.target_language
    linked = word_links(links, suite.source, words, languages, prior)
    return SystemOutput(name, words, linked.links, linked.signature, linked.warnings)
