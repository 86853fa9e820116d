"""Annotated sentences as lines of JSON, for results that are kept between steps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from crosspro.data_prep.core.files.textfile import read_text_lines
from crosspro.data_prep.core.token import AnnotatedSentence, Token


def to_line(sentence: AnnotatedSentence) -> str:
    """A sentence as one line."""
    tokens = [
        (t.form, t.lemma, t.tag, t.upos, t.xpos, t.head, t.deprel, t.features)
        for t in sentence.tokens
    ]
    return json.dumps([sentence.scheme, tokens], ensure_ascii=False, separators=(",", ":"))


def from_line(line: str) -> AnnotatedSentence:
    """A sentence as written by `to_line`."""
    scheme, tokens = json.loads(line)
    return AnnotatedSentence(tuple(Token(*fields) for fields in tokens), scheme)


def to_lines(sentences: Iterable[AnnotatedSentence]) -> str:
    """Several sentences."""
    return "".join(to_line(sentence) + "\n" for sentence in sentences)


def read_store(path: Path) -> Iterator[AnnotatedSentence]:
    """The sentences of a file."""
    return (from_line(line) for line in read_text_lines(path))
