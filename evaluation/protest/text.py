"""The texts of a suite and the outputs of systems, with word links.

Text is plain files with a segment on each line. Blank lines are kept: the lines of a suite are
those of the files that systems translate. Links that are not given are made for each text alone, so
that the score of a system never depends on the other systems.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.example import AnnotatedSentence
from crosspro.data_prep.core.files import read_text_lines
from crosspro.evaluation.links import Link, Links, link_texts, read_links
from crosspro.evaluation.protest.locate import locate
from crosspro.evaluation.protest.suite import Place, Positions, Suite, Token, Words
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


def _check_length(path: Path, lines: int, suite: Suite) -> None:
    expected = len(suite.source)
    if lines != expected:
        first = min(lines, expected) + 1
        raise input_error(path, "lines", f"{expected} as in the suite", str(lines), first)


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
    """The output of a system as lines of words, with links to it from `source`.

    `moved` has the positions of a line's words if the system tokenises it in another way.
    """

    name: str
    source: Sequence[Words]
    output: Sequence[Words]
    links: Links
    moved: Mapping[int, Sequence[Positions]] = field(default_factory=dict)
    link_signature: str = "given"
    warnings: Sequence[str] = ()

    def positions(self, place: Place) -> Positions:
        moved = self.moved.get(place.line)
        if moved is None:
            return place.at
        return tuple(sorted({position for at in place.at for position in moved[at]}))

    def head_words(self, token: Token, positions: Positions) -> Words:
        if token.antecedent is None:
            return ()
        return tuple(self.output[token.antecedent.line][at] for at in positions)


def read_system(
    suite: Suite,
    name: str,
    output: Path,
    links: Path | None = None,
    source: Path | None = None,
    prior: str | Path | None = None,
) -> SystemOutput:
    """The output of a system and its links; without links these are made, from raw text as well.

    `source` is the source as the system tokenises it, to which its links belong.
    """
    lines = list(read_text_lines(output))
    _check_length(output, len(lines), suite)
    words = _tokens(lines, suite.target_language, None if links is None else True)
    system_source: Sequence[Words] = suite.source
    moved: Mapping[int, Sequence[Positions]] = {}
    if source is not None:
        system_source = [tuple(line.split()) for line in read_text_lines(source)]
        _check_length(source, len(system_source), suite)
        moved = relocate(suite, system_source, str(source))
    languages = suite.source_language, suite.target_language
    linked = word_links(links, system_source, words, languages, prior)
    return SystemOutput(
        name, system_source, words, linked.links, moved, linked.signature, linked.warnings
    )


def relocate(suite: Suite, source: Sequence[Words], path: str) -> dict[int, Sequence[Positions]]:
    """The suite's words in another tokenisation, for the lines that tokens are on (002 §5.2)."""
    moved: dict[int, Sequence[Positions]] = {}
    places = (
        (token.name, place)
        for token in suite.tokens
        for place in (token.place, token.antecedent)
        if place is not None
    )
    for name, place in places:
        words, others = suite.source[place.line], source[place.line]
        if words == others:
            continue
        if place.line not in moved:
            moved[place.line] = locate(words, others)
        for at in place.at:
            if not moved[place.line][at]:
                expected = f"{quoted(words[at])} of token {name}"
                line = quoted(" ".join(others))
                raise input_error(path, "source", expected, line, place.line + 1)
    return moved
