"""What a metric of MT output reads: source, reference, candidates, links and documents.

All files are read and checked before anything is computed. Links that are not given are made with
our own aligner: reference and candidates are aligned together, with a larger corpus where the user
has one, or each alone with what was learnt from one. Both directions are merged by grow-diag-final
(000 §2.3). Text without links need not be tokenised: what does not look so is cut into words here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from crosspro.data_prep.align.symmetrise import SYMMETRISATIONS
from crosspro.data_prep.align.text import few_segments
from crosspro.data_prep.annotate.tokenise import SAMPLE, looks_tokenised
from crosspro.data_prep.bitext.segment import exchanged
from crosspro.data_prep.core.errors import InputError, Problem, choices
from crosspro.data_prep.core.files import read_bytes, sha256_of
from crosspro.data_prep.formats.links import ALIGNED_WORDS
from crosspro.evaluation.inputs.anchors import Anchor, token_anchors
from crosspro.evaluation.inputs.linked_text import (
    INSIDE,
    Links,
    Text,
    Translation,
    check_lengths,
    links_from_pairs,
    raise_problems,
    read_links,
    read_text,
    text_digest,
    tokenised_text,
)
from crosspro.evaluation.inputs.plain_text import (
    Documents,
    check_language,
    check_names,
    language_of,
    named_language,
    read_documents,
)
from crosspro.evaluation.inputs.pronoun_lists import PronounLists

if TYPE_CHECKING:
    from crosspro.data_prep.align.prior import Prior


Progress = Callable[[str], None]

SYMMETRISATION = "grow-diag-final"
_ZIP = b"PK"


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
    tokenised: bool | None = None
    """Whether there are spaces between words and punctuation; None says to look."""
    languages: tuple[str | None, str | None] = (None, None)
    """Those of source and translations, where neither lists nor the names of the files tell."""


@dataclass(frozen=True)
class AlignWith:
    """How links are made: with a parallel corpus, or a prior learnt from one; how they are merged.

    `symmetrisation` is that of 000 §2.3 unless another is named.
    """

    corpus: tuple[Path, Path] | None = None
    prior: Path | None = None
    symmetrisation: str | None = None


ALONE = AlignWith()


@dataclass(frozen=True)
class MtInput:
    """Everything that was read, line by line parallel."""

    source: Text
    reference: Translation
    candidates: tuple[Translation, ...]
    documents: Documents | None
    links: str
    """Where links come from, for signatures: given, aligned and with what, or both."""
    anchors: tuple[Anchor, ...] | None = None
    """The tokens that are scored, where a list of them was given."""
    warnings: tuple[str, ...] = ()
    lists: PronounLists | None = None
    """The pronouns that are scored."""

    @property
    def pronouns(self) -> PronounLists:
        """The lists, which must have been read."""
        if self.lists is None:
            raise ValueError("no lists of pronouns were read")
        return self.lists

    def document_of(self, line: int) -> str:
        """The name of a line's document, empty where documents are not known."""
        if self.documents is None:
            return ""
        return self.documents.names[int(self.documents.of_line[line])]


@dataclass(frozen=True)
class ReadTexts:
    """What was read, before links are made that are missing."""

    source: Text
    texts: tuple[Text, ...]
    """The reference and the candidates."""
    names: tuple[str, ...]
    links: tuple[Links | None, ...]
    documents: Documents | None
    helper: _Helper
    anchors: tuple[Anchor, ...] | None
    lists: PronounLists | None
    lenient: bool
    languages: tuple[str, str] | None
    """Those of source and translations, if our own tokeniser is to cut them into words."""


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
    source, target = stated_languages(paths, lists)
    problems = list(problems)
    check_names([paths.source], source, problems)
    check_names([paths.reference, *paths.candidates], target, problems)
    return linked_input(read_texts(paths, lists, align, problems), progress)


def read_texts(
    paths: InputPaths,
    lists: PronounLists | None = None,
    align: AlignWith = ALONE,
    problems: Sequence[Problem] = (),
) -> ReadTexts:
    """Read all files, or raise all that is wrong with any of them."""
    problems = list(problems)
    names = candidate_names(paths.candidates, problems)
    source = _source(paths, problems)
    texts = [_text(path, source, problems, paths) for path in (paths.reference, *paths.candidates)]
    own, other = stated_languages(paths, lists)
    for text, language in ((source, own), *((text, other) for text in texts)):
        shown = (line.decode("utf-8", "replace") for line in text.lines)
        check_language(Path(text.path), shown, language, problems)
    links = [
        None if path is None else read_links(path, source, text, problems, lenient=paths.lenient)
        for path, text in zip(_link_files(paths, problems), texts, strict=True)
    ]
    size = len(source.lines) if source.readable else None
    documents = read_documents(paths.doc_ids, paths.doc_starts, size, problems)
    helper = _helper(align, all(link is not None for link in links), problems)
    languages = None
    if not _tokenised(paths, source, texts[0], problems):
        languages = _languages(paths, lists, problems)
    if None in links:
        problems += _too_long_to_align(source, *texts)
    anchors = None
    if paths.tokens is not None and lists is not None:
        anchors = tuple(token_anchors(paths.tokens, source, lists, problems))
    nowhere = any(problem.expected.startswith(INSIDE) for problem in problems)
    raise_problems(problems, "--lenient drops links that lead to no word" if nowhere else "")
    named = (paths.reference.name.removesuffix(".xz").removesuffix(".gz"), *names)
    return ReadTexts(
        source,
        tuple(texts),
        named,
        tuple(links),
        documents,
        helper,
        anchors,
        lists,
        paths.lenient,
        languages,
    )


def linked_input(
    read: ReadTexts,
    progress: Progress = lambda text: None,
) -> MtInput:
    """What was read, tokenised if it is to be, with the links that were missing."""
    source, texts, helper = read.source, read.texts, read.helper
    if read.languages is not None:
        source = tokenised_text(source, read.languages[0])
        texts = tuple(tokenised_text(text, read.languages[1]) for text in texts)
        helper = _tokenised_helper(helper, read.languages)
        raise_problems(_too_long_to_align(source, *texts), "")
    made = _missing_links(source, texts, read.links, helper, progress)
    translations = [Translation(*item) for item in zip(read.names, texts, made, strict=True)]
    return MtInput(
        source,
        translations[0],
        tuple(translations[1:]),
        read.documents,
        _origin(read),
        read.anchors,
        (
            *_exchanged(source, texts[0], read.lists),
            *_few_lines(read),
            *(
                f"{one.path}: links that lead to no word, which were dropped: {one.dropped:,}"
                for one in made
                if one.dropped
            ),
        ),
        read.lists,
    )


def _exchanged(source: Text, reference: Text, lists: PronounLists | None) -> list[str]:
    """A warning if the pronouns of the lists stand on the wrong sides."""
    if lists is None:
        return []
    first, second = (map(text.words, range(len(text.lines))) for text in (source, reference))
    if not exchanged(first, second, lists.source_pronouns, lists.target_pronouns):
        return []
    names = f"{source.path} and {reference.path}"
    return [f"{names}: source and reference look exchanged: each has the pronouns of the other"]


def _few_lines(read: ReadTexts) -> list[str]:
    """A warning if links are learnt from little text, so that they depend on what is in a run."""
    few = few_segments(len(read.source.lines))
    if not few or None not in read.links or read.helper.prior or read.helper.corpus:
        return []
    return [f"{few}. Without, the links and scores of a system change with the others of the run"]


def _tokenised(paths: InputPaths, source: Text, reference: Text, problems: list[Problem]) -> bool:
    """Whether texts are taken as they are: given links and lists of tokens count such words."""
    counted = [
        name
        for name, given in (
            ("links", paths.links_reference is not None or paths.links_candidates),
            ("tokens", paths.tokens is not None),
        )
        if given
    ]
    if paths.tokenised is False:
        for name in counted:
            expected = f"no {name}: they count the words of tokenised text"
            problems.append(Problem(name, None, "text", expected, "text that is to be tokenised"))
    if counted or paths.tokenised is not None:
        return bool(counted) or paths.tokenised is True
    return _looks_tokenised(source) or _looks_tokenised(reference)


def _looks_tokenised(text: Text) -> bool:
    """Whether the first lines do; bytes that are no text are told elsewhere."""
    return looks_tokenised(line.decode("utf-8", "replace") for line in text.lines[:SAMPLE])


def _languages(
    paths: InputPaths, lists: PronounLists | None, problems: list[Problem]
) -> tuple[str, str] | None:
    """The languages by which texts are tokenised: of the lists, else those that the files tell."""
    source, target = stated_languages(paths, lists)
    expected = (
        "names that end in a language (X.en) or pronoun lists with their languages, by which text "
        "is tokenised; or --tokenised if it is"
    )
    for path, language in ((paths.source, source), (paths.reference, target)):
        if not language:
            problems.append(Problem(str(path), None, "language", expected, "neither"))
    return (source, target) if source and target else None


def told_languages(paths: InputPaths) -> tuple[str | None, str | None]:
    """The languages that the names of source and translations end in, where they do."""
    return language_of(paths.source), named_language((paths.reference, *paths.candidates))


def stated_languages(
    paths: InputPaths, lists: PronounLists | None
) -> tuple[str | None, str | None]:
    """The languages of source and translations: of the lists, else given, else those of names."""
    of_lists = ("", "") if lists is None else (lists.source_language, lists.target_language)
    source, target = (
        one or given or told or None
        for one, given, told in zip(of_lists, paths.languages, told_languages(paths), strict=True)
    )
    return source, target


def _source(paths: InputPaths, problems: list[Problem]) -> Text:
    """The source; one without lines is reported once, and not for every file beside it."""
    text = read_text(paths.source, problems)
    if text.readable and not text.lines:
        problems.append(Problem(text.path, None, "file", "at least one line", "none"))
        return replace(text, readable=False)
    return text


def _link_files(paths: InputPaths, problems: list[Problem]) -> list[Path | None]:
    """The link file of the reference and of each candidate, or None."""
    given, wanted = len(paths.links_candidates), len(paths.candidates)
    if given not in (0, wanted):
        expected = f"as many link files as candidates, {wanted}"
        problems.append(Problem("links", None, "candidate", expected, str(given)))
    same = given == wanted
    return [paths.links_reference, *(paths.links_candidates if same else [None] * wanted)]


def _text(path: Path, source: Text, problems: list[Problem], paths: InputPaths) -> Text:
    text = read_text(path, problems)
    return check_lengths(text, source, problems, lenient=paths.lenient)


def _too_long_to_align(*texts: Text) -> list[Problem]:
    """Lines that the aligner refuses, by the files that they stand in."""
    most = ALIGNED_WORDS
    expected = f"at most {ALIGNED_WORDS:,} where links are to be made"
    return [
        Problem(text.path, 1 + line, "words", expected, f"{text.lengths[line]:,}")
        for text in texts
        for line in np.flatnonzero(text.lengths > most).tolist()
    ]


@dataclass(frozen=True)
class _Helper:
    """What helps the aligner, as it was read, and names for its content and for the merging."""

    corpus: tuple[Text, Text] | None
    prior: Prior | None
    symmetrisation: str
    digests: tuple[str, ...]

    @property
    def one_by_one(self) -> bool:
        """Whether each text is aligned alone: what was learnt before knows more than the others."""
        return self.prior is not None and self.corpus is None


def _helper(align: AlignWith, all_given: bool, problems: list[Problem]) -> _Helper:
    corpus = prior = None
    symmetrisation = align.symmetrisation or SYMMETRISATION
    digests = [symmetrisation]
    if all_given and align != ALONE:
        expected = "no text, prior or symmetrisation to align with: all links are given"
        problems.append(Problem("links", None, "aligner", expected, "one"))
    if symmetrisation not in SYMMETRISATIONS:
        expected = choices(SYMMETRISATIONS)
        problems.append(Problem("links", None, "symmetrisation", expected, symmetrisation))
    if align.corpus is not None:
        first, second = (read_text(path, problems) for path in align.corpus)
        check_lengths(second, first, problems)
        corpus = first, second
        digests.append(f"corpus-{text_digest(first, second)}")
    if align.prior is not None:
        prior = _prior(align.prior, problems)
        if prior is not None:
            digests.append(f"prior-{sha256_of(align.prior)[:8]}")
    return _Helper(corpus, prior, symmetrisation, tuple(digests))


def _tokenised_helper(helper: _Helper, languages: tuple[str, str]) -> _Helper:
    """What helps, cut into words as the texts are, unless it is already."""
    if helper.corpus is None or any(map(_looks_tokenised, helper.corpus)):
        return helper
    first, second = map(tokenised_text, helper.corpus, languages)
    return replace(helper, corpus=(first, second))


def _prior(path: Path, problems: list[Problem]) -> Prior | None:
    try:
        is_archive = read_bytes(path, len(_ZIP)) == _ZIP
        if is_archive:
            from crosspro.data_prep.align.prior import load_prior

            return load_prior(path)
        expected = "a prior that `crosspro align --save-prior` wrote"
        problems.append(Problem(str(path), None, "file", expected, "a file of another kind"))
    except InputError as error:
        problems += error.problems
    except OSError as error:
        found = error.strerror or str(error)
        problems.append(Problem(str(path), None, "file", "a readable file", found))
    return None


def _missing_links(
    source: Text,
    texts: Sequence[Text],
    links: Sequence[Links | None],
    helper: _Helper,
    progress: Progress,
) -> list[Links]:
    """The given links; for the others those of one run over all texts, or of one for each."""
    missing = [number for number, link in enumerate(links) if link is None]
    if not missing:
        return [link for link in links if link is not None]
    from crosspro.data_prep.align.backends import AlignerSettings, align_corpus

    prior = helper.prior
    settings = AlignerSettings(symmetrisation=helper.symmetrisation)
    if prior is not None:
        settings = replace(settings, form=prior.form, prefix_length=prior.prefix_length)
    sentences = source.sentences()
    aligned: dict[int, Links] = {}
    for run in [[number] for number in missing] if helper.one_by_one else [list(range(len(texts)))]:
        left = sentences * len(run)
        right = [words for number in run for words in texts[number].sentences()]
        if helper.corpus is not None:
            left += helper.corpus[0].sentences()
            right += helper.corpus[1].sentences()
        pairs = align_corpus(left, right, settings, prior, 1, progress)
        for place, number in enumerate(run):
            part = pairs[place * len(sentences) : (place + 1) * len(sentences)]
            aligned[number] = links_from_pairs("aligned", part)
    return [aligned[number] if link is None else link for number, link in enumerate(links)]


def _origin(read: ReadTexts) -> str:
    """All that decides the links: how lenient, how many texts were aligned together (or each
    alone), how, with what, and whether they were tokenised here."""
    found = []
    if any(link is not None for link in read.links):
        found.append("given(lenient)" if read.lenient else "given")
    if any(one is None for one in read.links):
        cut = () if read.languages is None else ("tokenised",)
        texts = "one-by-one" if read.helper.one_by_one else f"{len(read.links)}-texts"
        parts = (texts, *read.helper.digests, *cut)
        found.append(f"aligned({','.join(parts)})")
    return "+".join(found)


def candidate_names(paths: Sequence[Path], problems: list[Problem]) -> list[str]:
    """Short names of the files, with as much of their path as tells them apart."""
    for suffixes in ((".xz", ".gz"), ()):
        for depth in range(1, max(1, *(len(path.parts) for path in paths)) + 1):
            names = ["/".join(path.parts[-depth:]) or str(path) for path in paths]
            for suffix in suffixes:
                names = [name.removesuffix(suffix) for name in names]
            if len(set(names)) == len(names):
                return names
    for path in dict.fromkeys(path for path in paths if paths.count(path) > 1):
        problems.append(Problem(str(path), None, "candidate", "each candidate once", "it twice"))
    return names
