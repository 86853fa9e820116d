"""How good links between sentences are: line breaks are taken away, and found again.

python -m crosspro.scripts.reproduce.sentence_links SOURCE.en --documents FILE TARGET.de …

The lines of SOURCE and of each TARGET correspond. All lines of a document of the TARGET are joined
and cut into sentences again, by rules; the lines of the SOURCE are cut as well, and sentences are
aligned within documents, as `--align-sentences` does it. A link is a line of the source and a
sentence of the target that share a bead; it is right if the sentence, or a part of it, stood on
this line. Where lines are paragraphs, links inside of one are not told apart.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, pairwise
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.align.sentence_costs import (
    SentenceLexicon,
    length_ratio,
    lexicon_of,
)
from crosspro.data_prep.align.sentences import Bead, align_sentences, learnt_lexicon
from crosspro.data_prep.annotate.sentences import sentences_of_lines
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.formats.shared_task import document_columns
from crosspro.evaluation.inputs.plain_text import language_of, plain_name
from crosspro.evaluation.output.tables import text_table
from crosspro.prediction.proofread.box_judge import box_prior
from crosspro.scripts.main import command_app, run

app = command_app()


class WordsFrom(StrEnum):
    """Where the words come from by which sentences are aligned."""

    BOX = "box"
    LEARNT = "learnt"
    NONE = "none"


@dataclass(frozen=True)
class JoinedDocument:
    """A document: sentences with the line of each, in the target with all lines they are from."""

    source: tuple[str, ...]
    source_lines: tuple[int, ...]
    target: tuple[str, ...]
    target_lines: tuple[frozenset[int], ...]

    @property
    def truth(self) -> set[tuple[int, int]]:
        """The right links."""
        known = {*self.source_lines}
        lines = enumerate(self.target_lines)
        return {(line, place) for place, own in lines for line in own if line in known}

    def links(self, beads: Iterable[Bead]) -> set[tuple[int, int]]:
        """The links that beads say."""
        return {(self.source_lines[s], t) for one in beads for s in one.source for t in one.target}


@dataclass(frozen=True)
class LinkCounts:
    """How many links were found, how many there are, and how many of both are the same."""

    sentences: int
    single: int
    found: int
    true: int
    right: int
    seconds: float

    @property
    def row(self) -> tuple[str, ...]:
        """The counts as they are shown."""
        speed = self.sentences / max(self.seconds, 1e-9)
        counts = (f"{number:,}" for number in (self.sentences, self.true, self.found, self.right))
        shares = (self.right / max(self.found, 1), self.right / max(self.true, 1))
        single = self.single / max(self.sentences, 1)
        return (
            *counts,
            *(f"{100 * one:.2f}" for one in shares),
            f"{100 * single:.1f}",
            f"{speed:,.0f}",
        )


HEADING = ("target", "sentences", "true", "found", "right", "P", "R", "% 1-1", "sentences/s")


@app.command()
def sentence_links(
    source: Annotated[Path, typer.Argument(help="Source text, its name ends in its language.")],
    targets: Annotated[list[Path], typer.Argument(help="Translations, line by line.")],
    documents: Annotated[Path, typer.Option(help="The document of each line.")],
    column: Annotated[int, typer.Option(min=1, help="The column that it is in.")] = 1,
    words: Annotated[WordsFrom, typer.Option(help="Words of a model, of the text, or none.")] = (
        WordsFrom.BOX
    ),
    drop: Annotated[
        int, typer.Option(min=0, help="Leave out every so manieth line of the target.")
    ] = 0,
) -> None:
    """Precision and recall of links between sentences whose line breaks were taken away."""
    lines = list(read_text_lines(source))
    ids = [document_columns(line)[column - 1] for line in read_text_lines(documents)]
    rows = []
    for target in targets:
        own = list(read_text_lines(target))
        for path, size in ((target, len(own)), (documents, len(ids))):
            if size != len(lines):
                raise input_error(path, "lines", f"{len(lines)} as in {source}", str(size))
        if drop:
            own = ["" if number % drop == 0 else line for number, line in enumerate(own, start=1)]
        languages = language_of(source) or "", language_of(target) or ""
        joined = list(joined_documents(lines, own, ids, *languages))
        rows.append((plain_name(target), *measured(joined, words, *languages).row))
    print(text_table(HEADING, rows))


def joined_documents(
    source: Sequence[str], target: Sequence[str], ids: Sequence[str], *languages: str
) -> Iterator[JoinedDocument]:
    """The documents of a text, the lines of the target joined and cut again."""
    cut = sentences_of_lines(source, languages[0])
    start = 0
    for _, run_of_ids in groupby(ids):
        stop = start + len(list(run_of_ids))
        left = [(text, line) for line in range(start, stop) for text in cut[line]]
        owners = [
            line for line in range(start, stop) for letter in target[line] if not letter.isspace()
        ]
        sentences = sentences_of_lines(
            [" ".join(" ".join(target[start:stop]).split())], languages[1]
        )
        ends = [0]
        for sentence in sentences[0]:
            ends.append(ends[-1] + sum(not letter.isspace() for letter in sentence))
        yield JoinedDocument(
            tuple(text for text, _ in left),
            tuple(line for _, line in left),
            tuple(sentences[0]),
            tuple(frozenset(owners[a:b]) for a, b in pairwise(ends)),
        )
        start = stop


def measured(joined: Sequence[JoinedDocument], words: WordsFrom, *languages: str) -> LinkCounts:
    """How well the sentences of some documents are aligned."""
    began = time.perf_counter()
    sides = (
        [sentence for document in joined for sentence in getattr(document, side)]
        for side in ("source", "target")
    )
    ratio = length_ratio(*sides)
    lexicon: SentenceLexicon | None = None
    if words is WordsFrom.BOX:
        prior = box_prior(*languages)
        if prior is None:
            raise input_error("--words", "words", "languages of a model", "-".join(languages))
        lexicon = lexicon_of(prior)
    elif words is WordsFrom.LEARNT:
        lexicon = learnt_lexicon(
            (document.source[bead.source[0]], document.target[bead.target[0]])
            for document in joined
            for bead in align_sentences(document.source, document.target, None, ratio)
            if bead.kind == (1, 1)
        )
    sentences = single = found = true = right = 0
    for document in joined:
        beads = align_sentences(document.source, document.target, lexicon, ratio)
        links, truth = document.links(beads), document.truth
        sentences += len(document.source)
        single += sum(bead.kind == (1, 1) for bead in beads)
        found, true, right = found + len(links), true + len(truth), right + len(links & truth)
    return LinkCounts(sentences, single, found, true, right, time.perf_counter() - began)


if __name__ == "__main__":
    run(app)
