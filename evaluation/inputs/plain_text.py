"""Plain text for metrics that need no links: candidates and references, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crosspro.data_prep.core.errors import InputError, Problem, counted
from crosspro.evaluation.core.statistics import Ints, ResampledUnits, choose_units
from crosspro.evaluation.inputs.parallel_lines import parallel_lines, plain_name


@dataclass(frozen=True)
class MTText:
    """Candidates and references, line by line; `documents` numbers the document of each line."""

    names: tuple[str, ...]
    candidates: tuple[list[str], ...]
    references: tuple[list[str], ...]
    documents: Ints | None = None

    @property
    def lines(self) -> int:
        """The number of lines of each file."""
        return len(self.references[0])

    @property
    def size(self) -> str:
        """How much text it is, in words."""
        lines = counted(self.lines, "line")
        if self.documents is None:
            return lines
        return f"{lines} in {counted(int(self.documents[-1]) + 1, 'document')}"

    @property
    def units(self) -> ResampledUnits:
        """What is resampled: documents, else lines."""
        return choose_units(document=self.documents, line=np.arange(self.lines))


def read_mt_text(
    candidates: Sequence[Path], references: Sequence[Path], doc_ids: Path | None = None
) -> MTText:
    """Read plain text; raises `InputError` with the faults of all files.

    That files have different numbers of lines is one of them.
    """
    problems: list[Problem] = []
    paths = [*references, *candidates]
    read, documents = parallel_lines(paths, doc_ids, problems)
    if read[0] == []:
        problems.append(Problem(str(paths[0]), None, "lines", "at least one", "none"))
    if problems:
        raise InputError(problems)
    texts = [lines for lines in read if lines is not None]
    numbers = None
    if documents is not None:
        # A document is a run of equal ids, as everywhere.
        new = [i > 0 and one != documents[i - 1] for i, one in enumerate(documents)]
        numbers = np.cumsum(new)
    short = [plain_name(path) for path in candidates]
    names = tuple(
        name if short.count(name) == 1 else str(path)
        for name, path in zip(short, candidates, strict=True)
    )
    split = len(references)
    return MTText(names, tuple(texts[split:]), tuple(texts[:split]), numbers)
