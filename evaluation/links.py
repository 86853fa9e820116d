"""Word links of the texts that are compared: given, or made by our aligner.

Each text is aligned alone, so that the links and scores of a system never depend on the other
systems of a run. What is known of the two languages comes from a prior: that of the bundled model
of these languages, or one that `crosspro align --save-prior` has learnt. Only without a prior links
are learnt from the text. Both directions are merged by grow-diag-final (000 §2.3). Text without
links need not be tokenised.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from crosspro.data_prep.annotate.tokenise import SAMPLE, Tokeniser, looks_tokenised
from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.files import read_text_lines, sha256_of
from crosspro.data_prep.formats.links import parse_link
from crosspro.evaluation.texts import Texts

if TYPE_CHECKING:
    from crosspro.data_prep.align.prior import Prior

Link = tuple[int, int]
Links = Sequence[Sequence[Link]]
"""The links of each line, in the order of source and target position."""

SYMMETRISATION = "grow-diag-final"
NO_PRIOR = "none"
FEW_LINES = 20_000
"""Fewer lines teach the aligner little."""
_WORDS = re.compile(r"\S+", re.ASCII)
"""A no-break space is a part of a word, as in other tools that count words."""


@dataclass(frozen=True, slots=True)
class LinkedSentence:
    """A source sentence, its translation, and the links between their words."""

    source: Sequence[str]
    target: Sequence[str]
    links: Sequence[Link]

    def targets(self, position: int) -> tuple[int, ...]:
        return tuple(target for source, target in self.links if source == position)

    def sources(self, position: int) -> tuple[int, ...]:
        return tuple(source for source, target in self.links if target == position)


@dataclass(frozen=True)
class LinkedTranslation:
    """The tokens of a reference or a candidate, and its links to the source."""

    words: Sequence[Sequence[str]]
    links: Links


@dataclass(frozen=True)
class LinkedWords:
    """All texts as tokens, with their links."""

    source: Sequence[Sequence[str]]
    reference: LinkedTranslation
    candidates: Mapping[str, LinkedTranslation]
    signature: str
    """Where the links come from."""

    def sentence(self, translation: LinkedTranslation, line: int) -> LinkedSentence:
        return LinkedSentence(self.source[line], translation.words[line], translation.links[line])


def link_texts(
    texts: Texts,
    links: Links | None = None,
    candidate_links: Mapping[str, Links] | None = None,
    *,
    prior: str | Path | None = None,
    tokenised: bool = False,
) -> Texts:
    """The texts with tokens and links; links that are not given are made.

    Given links count words between spaces. Other text is tokenised, unless it is `tokenised` or
    looks so. `prior` is a file, a bundled model or `none`; without it the bundled model of the two
    languages is taken.
    """
    texts.require("word links", "source", "reference")
    ready = [links, *((candidate_links or {}).get(name) for name in texts.candidates)]
    lines = [texts.reference, *texts.candidates.values()]
    samples = texts.source[:SAMPLE], texts.reference[:SAMPLE]
    as_it_is = tokenised or any(ready) or any(map(looks_tokenised, samples))
    if not as_it_is:
        texts.require("word links of untokenised text", "source_language", "target_language")
    split_source, split = (
        _words if as_it_is else Tokeniser(language) for language in texts.languages
    )
    source = list(map(split_source, texts.source))
    translations = [list(map(split, text)) for text in lines]
    warnings = list(texts.warnings)
    signature = ["given"] if any(link is not None for link in ready) else []
    loaded: Prior | None = None
    if any(link is None for link in ready):
        loaded, origin = _load_prior(prior, texts.languages)
        if loaded is None and len(source) < FEW_LINES:
            warnings.append(
                f"{len(source):,} lines are few to learn word links from, fewer than "
                f"{FEW_LINES:,}: a prior learnt from more text of these languages is better"
            )
        signature.append(origin if as_it_is else f"{origin},tokenised")
    all_links = [
        make_links(source, words, loaded) if link is None else link
        for words, link in zip(translations, ready, strict=True)
    ]
    linked = [LinkedTranslation(*pair) for pair in zip(translations, all_links, strict=True)]
    candidates = dict(zip(texts.candidates, linked[1:], strict=True))
    words = LinkedWords(source, linked[0], candidates, "+".join(signature))
    return replace(texts, links=words, warnings=tuple(warnings))


def _words(line: str) -> list[str]:
    return _WORDS.findall(unicodedata.normalize("NFC", line))


def read_links(path: Path, source: Sequence[str], target: Sequence[str]) -> Links:
    """A file with `s-t s-t …` on each line, checked against the texts."""
    return parse_links(list(read_text_lines(path)), source, target, str(path))


def parse_links(
    lines: Sequence[str | Sequence[Link]],
    source: Sequence[str],
    target: Sequence[str],
    place: str,
) -> Links:
    """Links as `s-t s-t …` or as pairs, in order and each once."""
    if len(lines) != len(source):
        at = min(len(lines), len(source)) + 1
        raise input_error(place, "lines", f"{len(source)} as in the source", str(len(lines)), at)
    links: list[list[Link]] = []
    for number, (line, left, right) in enumerate(zip(lines, source, target, strict=True), start=1):
        pairs: list[Link] = []
        for written in line.split() if isinstance(line, str) else line:
            link = parse_link(written) if isinstance(written, str) else written
            if link is None:
                raise input_error(place, "links", "links s-t", quoted(str(written)), number)
            pairs.append((int(link[0]), int(link[1])))
        pairs = sorted(set(pairs))
        size = len(_WORDS.findall(left)), len(_WORDS.findall(right))
        for first, second in pairs:
            if not (0 <= first < size[0] and 0 <= second < size[1]):
                expected = f"links inside {size[0]} source and {size[1]} target words"
                raise input_error(place, "links", expected, f"{first}-{second}", number)
        links.append(pairs)
    return links


def make_links(
    source: Sequence[Sequence[str]], target: Sequence[Sequence[str]], prior: Prior | None
) -> Links:
    """The links of one text; with a prior each line is linked alone, as in `proofread`."""
    from crosspro.data_prep.align.align import align, link_by_prior

    pairs = zip(source, target, strict=True)
    if prior is None:
        return align(pairs, SYMMETRISATION)
    return link_by_prior(pairs, prior, SYMMETRISATION)


def _load_prior(prior: str | Path | None, languages: tuple[str, str]) -> tuple[Prior | None, str]:
    """The named prior, or that of the bundled model of the languages, and its signature."""
    from crosspro.data_prep.align.prior import archived_prior, bundled_models, load_prior

    pair = "-".join(languages)
    bundled = bundled_models()
    if prior is None:
        prior = pair if pair in bundled else NO_PRIOR
    if str(prior) == NO_PRIOR:
        return None, f"learnt({SYMMETRISATION})"
    path, name = Path(prior), str(prior)
    if path.is_file():
        return load_prior(path), f"prior-{sha256_of(path)[:8]}({SYMMETRISATION})"
    if name not in bundled:
        expected = f"a file, {NO_PRIOR} or a bundled model ({choices(bundled)})"
        raise input_error(path, "prior", expected, "no such file")
    if all(languages) and name != pair:
        expected = f"a prior of the languages of the texts, {pair}"
        raise input_error("prior", "languages", expected, name)
    digest = hashlib.sha256(archived_prior(bundled[name]).read()).hexdigest()[:8]
    return load_prior(bundled[name]), f"prior-{name}-{digest}({SYMMETRISATION})"
