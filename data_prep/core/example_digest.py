"""A name of the content of examples: the same for two texts only if everything in them is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from operator import attrgetter

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.token import AnnotatedSentence

_LINE = attrgetter("source", "target", "links", "document", "tagged")
_GAP = attrgetter("position", "source_index", "label", "word")
_TOKEN = attrgetter("form", "lemma", "tag", "upos", "xpos", "head", "deprel", "features")


def examples_digest(examples: Iterable[Example]) -> str:
    """A short name of lines, documents, parses and chains."""
    digest = hashlib.blake2b(digest_size=12)
    for example in examples:
        parts = (*_LINE(example), [*map(_GAP, example.gaps)])  # tuples are shown fast
        if example.source_parse or example.target_parse or example.chains:
            parses = map(_parse, (example.source_parse, example.target_parse))
            parts = (*parts, *parses, example.chains)
        digest.update(repr(parts).encode("utf-8", errors="surrogatepass") + b"\n")
    return digest.hexdigest()


def _parse(sentence: AnnotatedSentence | None) -> object:
    return sentence and (sentence.scheme, [*map(_TOKEN, sentence.tokens)])
