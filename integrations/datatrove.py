"""Blocks for datatrove: score and filter translated documents, make examples of them, write these.

A document of bitext has the translation as its text, a segment a line, and as many lines of the
source in its metadata, under `source`.

    LocalPipelineExecutor([
        JsonlReader("bitext"),
        PronounFilter("en-de"),
        PronounExamples("en-de"),
        ExamplesWriter("examples"),
    ], tasks=8).run()
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import IO, Any

from datatrove.data import Document, DocumentsPipeline
from datatrove.io import DataFolderLike
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.writers.disk_base import DiskWriter

import crosspro
from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.data_prep.formats.shared_task import format_example
from crosspro.data_prep.pipeline.pairs.typed_text import SentencePair, typed_pairs
from crosspro.integrations import loaded

UNEQUAL = "unequal_lines"
"""Why a document is dropped whose source and translation do not belong together."""


def _sides(doc: Document, source: str) -> tuple[list[str], list[str]] | None:
    """The lines of both sides, if there are as many of each."""
    lines = doc.metadata.get(source, ())
    one = lines.split("\n") if isinstance(lines, str) else [*lines]
    other = doc.text.split("\n")
    return (one, other) if len(one) == len(other) else None


class PronounFilter(BaseFilter):
    """Keeps documents in which at most a share of the pronouns is doubtful.

    A pronoun is doubtful from a chance of `threshold` on of being wrong. Metadata get the scores:
    `pronouns`, `doubtful_pronouns` and `worst_pronoun`, the chance of the worst one. With a
    `most` of 1 everything is kept, and only scored.
    """

    name = "👤 Pronouns"

    def __init__(
        self,
        model: str,
        threshold: float = 0.4,
        most: float = 0.1,
        source: str = "source",
        exclusion_writer: DiskWriter | None = None,
    ) -> None:
        for field, value in (("threshold", threshold), ("most", most)):
            if not 0 <= value <= 1:
                raise ValueError(f"{field}: expected a number from 0 to 1, found {value}")
        super().__init__(exclusion_writer)
        self.model, self.threshold, self.most, self.source = model, threshold, most, source

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        """Whether a document is kept, or why not."""
        sides = _sides(doc, self.source)
        if sides is None:
            return False, UNEQUAL
        chances = [one.wrong for one in crosspro.proofread(*sides, None, loaded(self.model))]
        doubtful = sum(chance >= self.threshold for chance in chances)
        doc.metadata |= {
            "pronouns": len(chances),
            "doubtful_pronouns": doubtful,
            "worst_pronoun": round(max(chances, default=0.0), 4),
        }
        self.stat_update("pronouns", value=len(chances))
        self.stat_update("doubtful_pronouns", value=doubtful)
        return (True, "") if doubtful <= self.most * len(chances) else (False, "pronouns")


class PronounExamples(PipelineStep):
    """Makes each document examples of the task of a model, linked by what that has learnt.

    The text becomes lines of five columns as `crosspro prepare` writes them; a document without any
    gap is dropped. What a document becomes does not depend on the others of its shard.
    """

    name = "🕳 Pronoun examples"
    type = "✂️ - EXAMPLES"

    def __init__(self, model: str, source: str = "source") -> None:
        super().__init__()
        self.model, self.source = model, source

    def run(
        self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        """The documents with examples for their text."""
        for doc in data:
            sides = _sides(doc, self.source)
            if sides is None:
                self.stat_update("dropped", f"dropped_{UNEQUAL}")
                continue
            with self.track_time():
                gaps, lines = self._examples(*sides)
            self.stat_update("segments", value=len(lines))
            self.stat_update("gaps", value=gaps)
            if not gaps:
                self.stat_update("dropped", "dropped_no_gap")
                continue
            yield replace(doc, text="\n".join(lines), metadata={**doc.metadata, "gaps": gaps})

    def _examples(self, source: list[str], target: list[str]) -> tuple[int, list[str]]:
        pipeline = loaded(self.model).pipeline
        pairs = [SentencePair(*pair) for pair in zip(source, target, strict=True)]
        number, lines = 0, []
        for made in pipeline.prepare_text(typed_pairs(pairs, pipeline.task), left_over=False):
            gaps = tuple(
                replace(gap, label=hidden.label or OTHER, word=hidden.word or NONE)
                for gap, hidden in zip(made.example.gaps, made.gaps, strict=True)
            )
            number += len(gaps)
            lines.append(format_example(replace(made.example, gaps=gaps)))
        return number, lines


class ExamplesWriter(DiskWriter):
    """Writes examples as `00000.data`, and the document of each line as `00000.doc-ids`."""

    name = "🕳 Examples"
    default_output_filename = "${rank}.data"

    def __init__(self, output_folder: DataFolderLike, compression: str | None = None) -> None:
        super().__init__(output_folder, compression=compression)

    def _write(self, document: dict[str, Any], file_handler: IO[str], filename: str) -> None:
        file_handler.write(document["text"] + "\n")
        stem, _, rest = filename.rpartition(".data")
        ids = self.output_mg.get_file(f"{stem}.doc-ids{rest}")
        name = " ".join(document["id"].split())
        ids.write(f"{name}\n" * (document["text"].count("\n") + 1))
