"""Translations of every format, and what must hold for any that was read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.prediction.proofread.formats import read_translation
from crosspro.prediction.proofread.text import (
    LINE_BREAKS,
    Edit,
    PlacedText,
    TranslatedText,
    WrittenFile,
)
from tests.conftest import GOLDEN

FOLDER = GOLDEN / "proofread"


class Sample(NamedTuple):
    """Files of a translation; what is read from them is in NAME.tsv."""

    name: str
    files: tuple[str, ...]
    languages: tuple[str, str]
    doc_ids: str | None = None

    def read(self, folder: Path = FOLDER) -> TranslatedText:
        ids = None if self.doc_ids is None else folder / self.doc_ids
        paths = [folder / name for name in self.files]
        return read_translation(*paths, doc_ids=ids, languages=self.languages)

    def contents(self) -> dict[str, bytes]:
        names = [*self.files, *([self.doc_ids] if self.doc_ids else [])]
        return {name: (FOLDER / name).read_bytes() for name in names}


SAMPLES = (
    Sample("dog", ("dog.en", "dog.de"), ("en", "de"), "dog.doc-ids"),
    Sample("harbour", ("harbour.en.srt", "harbour.de.srt"), ("en", "de")),
    Sample("garden", ("garden.en.vtt", "garden.fr.vtt"), ("en", "fr")),
    Sample("editor", ("editor.de.po",), ("en", "de")),
    Sample("manual", ("manual.de.xlf",), ("en", "de")),
    Sample("museum", ("museum.fr.xliff",), ("en", "fr")),
    Sample("letters.fr", ("letters.tmx",), ("en", "fr")),
    Sample("letters.de", ("letters.tmx",), ("en", "de")),
)
BY_NAME = {sample.name: sample for sample in SAMPLES}


def refused(*paths: Path, **options: object) -> list[tuple[str, int | None, str]]:
    """File, line and field of each fault of files that cannot be read."""
    with pytest.raises(InputError) as error:
        read_translation(*paths, **options)
    return [(Path(fault.path).name, fault.line, fault.field) for fault in error.value.problems]


def rows(text: TranslatedText) -> list[tuple[str, str, str]]:
    return [(one.document or "", one.source.text, one.target.text) for one in text.segments]


def assert_placed(text: TranslatedText) -> None:
    """Every character is where its place says; what is longer there is an entity or an escape."""
    for segment in text.segments:
        for placed, file in ((segment.source, text.source), (segment.target, text.target)):
            _assert_side(placed, file)


def _assert_side(placed: PlacedText, file: WrittenFile) -> None:
    assert len(placed.places) == len(placed.text)
    for i, (character, place) in enumerate(zip(placed.text, placed.places, strict=True)):
        end = placed.end(i)
        if end == place:
            assert character == " "
        elif end == place + 1:
            written = file.content[place]
            assert written == character or (character == " " and written in LINE_BREAKS)
        else:
            assert file.content[place] in "&\\", file.content[place:end]
            assert "\n" not in file.content[place:end]


def words_of(text: TranslatedText) -> list[tuple[int, int, int]]:
    """The words of the translation that stand together: segment, start, end."""
    return [
        (number, *found.span())
        for number, segment in enumerate(text.segments)
        for found in re.finditer(r"[^\W\d_]+", segment.target.text)
        if segment.target.stands_together(*found.span())
    ]


def edited(
    text: TranslatedText, changes: Iterable[tuple[tuple[int, int, int], str]]
) -> tuple[list[Edit], list[str]]:
    """The edits that put some words, and the texts of the translation after them."""
    edits = []
    texts = [segment.target.text for segment in text.segments]
    for (number, start, end), word in sorted(changes, reverse=True):
        edits.append(text.segments[number].target.edit(start, end, word))
        texts[number] = texts[number][:start] + word + texts[number][end:]
    return edits, texts


def spliced(raw: bytes, file: WrittenFile, edits: Sequence[Edit]) -> bytes:
    """The bytes of a file with edits, by the lengths of what is before them."""
    for edit in sorted(edits, reverse=True):
        start, end = (
            len(file.mark) + len(file.content[:place].encode(file.encoding))
            for place in (edit.start, edit.end)
        )
        raw = raw[:start] + edit.text.encode(file.encoding) + raw[end:]
    return raw
