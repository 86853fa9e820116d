"""Tags and dependencies of the source, which five-column files lack: X.source.conllu beside X.data.

`cut -f3 X.data | crosspro annotate … --layout conllu` or any parser of the user's makes such a
file; its sentences must be those of the data file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from crosspro.data_prep.annotate.files import ConlluFile
from crosspro.data_prep.example import Example
from crosspro.data_prep.task import Task


def with_source_parse(
    examples: Iterable[Example], path: str | Path, task: Task
) -> Iterator[Example]:
    """The examples with what a CoNLL-U file says about their source sentences."""
    parse = ConlluFile(str(path), task.source_language, "universal")
    for example in examples:
        yield replace(example, source_parse=parse.annotate([example.source])[0])
    parse.finish()
