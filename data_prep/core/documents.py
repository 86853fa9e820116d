"""Documents of a text: doc-ids, one line a segment with the id in the first tab-separated column.

A document is a run of lines with equal ids. Further columns are extras, such as a speaker or the
mark `cur` of the lines that are instances.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files.textfile import read_text_lines

_DATA_COLUMNS = 5
_LINKS = re.compile(r"\d+-\d+( \d+-\d+)*")


def read_doc_ids(path: str | Path) -> Iterator[str]:
    """The document of each line of a text."""
    for number, line in enumerate(read_text_lines(Path(path)), start=1):
        columns = document_columns(line)
        if len(columns) == _DATA_COLUMNS and _LINKS.fullmatch(columns[-1]):
            expected, found = "the id of a document", f"a line of a data file: {quoted(line)}"
            raise input_error(path, "doc-ids", expected, found, number)
        yield columns[0]


def document_columns(line: str) -> list[str]:
    """The document of a line of doc-ids, and its extras."""
    return [column.rstrip("\r") for column in line.split("\t")]  # no id can end so and be written


def document_runs(ids: Iterable[str | None]) -> list[tuple[str | None, int]]:
    """The documents in order, each with its number of lines."""
    return [(document, len(list(run))) for document, run in groupby(ids)]
