"""What a metric of MT output reads: source, reference, candidates, links and documents.

All files are read and checked before anything is computed. Links that are not given are made with
our own aligner: reference and candidates are aligned together, with a larger corpus or with what
was learnt from one where the user has it (000 §2.3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from data_prep.errors import InputError, Problem, input_error
from evaluation.apt.occurrences import Anchor, token_anchors
from evaluation.document_units import Documents, read_doc_ids, read_doc_starts
from evaluation.linked_text import (
    Links,
    Text,
    Translation,
    check_lengths,
    links_from_pairs,
    raise_problems,
    read_links,
    read_text,
)
from evaluation.pronoun_lists import PronounLists

Progress = Callable[[str], None]


@dataclass(frozen=True)
class InputPaths:
    """The files of a comparison; links may be missing for the reference or for all candidates."""

    source: Path
    reference: Path
    candidates: tuple[Path, ...]
    links_reference: Path | None = None
    links_candidates: tuple[Path, ...] = ()
    doc_ids: Path | None = None
    doc_starts: Path | None = None
    tokens: Path | None = None
    lenient: bool = False


@dataclass(frozen=True)
class AlignWith:
    """What helps to make links: a parallel corpus, or a prior learnt from one."""

    corpus: tuple[Path, Path] | None = None
    prior: Path | None = None


ALONE = AlignWith()


@dataclass(frozen=True)
class MtInput:
    """Everything that was read, line by line parallel."""

    source: Text
    reference: Translation
    candidates: tuple[Translation, ...]
    documents: Documents | None
    links: str
    """Where links come from: given, aligned, or given and aligned."""
    anchors: tuple[Anchor, ...] | None = None
    """The tokens that are scored, where a list of them was given."""


def read_input(
    paths: InputPaths,
    lists: PronounLists | None = None,
    align: AlignWith = ALONE,
    progress: Progress = lambda text: None,
    problems: Sequence[Problem] = (),
) -> MtInput:
    """Read all files, or raise all that is wrong with any of them; then make missing links.

    `problems` are those that the caller has found already, in the lists perhaps.
    """
    problems = list(problems)
    if paths.links_candidates and len(paths.links_candidates) != len(paths.candidates):
        expected = f"as many link files as candidates, {len(paths.candidates)}"
        raise input_error("links", "candidate", expected, str(len(paths.links_candidates)))
    source = read_text(paths.source, problems)
    if not problems and not source.lines:
        problems.append(Problem(source.path, None, "file", "at least one line", "none"))
    texts = [_text(path, source, problems, paths) for path in (paths.reference, *paths.candidates)]
    given: list[Path | None] = [paths.links_reference]
    given += list(paths.links_candidates) or [None] * len(paths.candidates)
    links: list[Links | None] = [
        None if path is None else read_links(path, source, text, problems, lenient=paths.lenient)
        for path, text in zip(given, texts, strict=True)
    ]
    documents = None
    if paths.doc_ids is not None:
        documents = read_doc_ids(paths.doc_ids, len(source.lines), problems)
    elif paths.doc_starts is not None:
        documents = read_doc_starts(paths.doc_starts, len(source.lines), problems)
    corpus = _corpus(align, problems)
    anchors = None
    if paths.tokens is not None and lists is not None:
        anchors = tuple(token_anchors(paths.tokens, source, lists, problems))
    raise_problems(problems)
    made = _missing_links(source, texts, links, corpus, align.prior, progress)
    names = _names((paths.reference, *paths.candidates))
    translations = [Translation(*item) for item in zip(names, texts, made, strict=True)]
    return MtInput(
        source, translations[0], tuple(translations[1:]), documents, _origin(links), anchors
    )


def _text(path: Path, source: Text, problems: list[Problem], paths: InputPaths) -> Text:
    before = len(problems)
    text = read_text(path, problems)
    if len(problems) > before and not text.lines:  # unreadable: its length says nothing
        return text
    return check_lengths(text, source, problems, lenient=paths.lenient)


def _corpus(align: AlignWith, problems: list[Problem]) -> tuple[Text, Text] | None:
    if align.corpus is None:
        return None
    first, second = (read_text(path, problems) for path in align.corpus)
    check_lengths(second, first, problems)
    return first, second


def _missing_links(
    source: Text,
    texts: Sequence[Text],
    links: Sequence[Links | None],
    corpus: tuple[Text, Text] | None,
    prior: Path | None,
    progress: Progress,
) -> list[Links]:
    """The given links, and those of one run of the aligner over all texts for the others."""
    if all(one is not None for one in links):
        if corpus is not None or prior is not None:
            raise input_error("links", "aligner", "no text to align with: all are given", "one")
        return [one for one in links if one is not None]
    from data_prep.align.backends import AlignerSettings, align_corpus
    from data_prep.align.prior import load_prior

    sentences = source.sentences()
    left = sentences * len(texts)
    right = [words for text in texts for words in text.sentences()]
    if corpus is not None:
        left, right = left + corpus[0].sentences(), right + corpus[1].sentences()
    known = None if prior is None else load_prior(prior)
    settings = AlignerSettings()
    if known is not None:
        settings = AlignerSettings(form=known.form, prefix_length=known.prefix_length)
    made = align_corpus(left, right, settings, known, 1, progress)
    size = len(sentences)
    return [
        links_from_pairs("aligned", made[number * size : (number + 1) * size])
        if one is None
        else one
        for number, one in enumerate(links)
    ]


def _origin(links: Sequence[Links | None]) -> str:
    kinds = {"given" if one is not None else "aligned" for one in links}
    return "+".join(sorted(kinds, reverse=True))


def _names(paths: Sequence[Path]) -> list[str]:
    """Short names of the files, with as much of their path as tells them apart."""
    for depth in range(1, max(len(path.parts) for path in paths) + 1):
        names = ["/".join(path.parts[-depth:]) for path in paths]
        names = [name.removesuffix(".xz").removesuffix(".gz") for name in names]
        if len(set(names)) == len(names):
            return names
    repeated = next(str(path) for path in paths if paths.count(path) > 1)
    raise InputError([Problem(repeated, None, "file", "each text once", "it twice")])
