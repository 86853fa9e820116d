"""How often a typed pair gets the gap, and a written gap the source word, of an official file.

Run: python -m crosspro.scripts.reproduce.typed_pairs FILE.data --task en-fr-2015 [--prior P.npz]

The words of an inflected five-column file are put back into its gaps, and each line is prepared by
itself, as `crosspro serve` does it: once as whole text, once with REPLACE in the place of the first
gap. A gap is found again if it has the same source word and the same place.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from crosspro.data_prep.annotate.layers import read_layered
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.pipeline.pairs.pair_links import aligner_of_package, aligner_with_prior
from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline
from crosspro.data_prep.pipeline.pairs.typed_text import WRITTEN_GAP, SentencePair
from crosspro.evaluation.output.tables import text_table


@dataclass(frozen=True)
class Found:
    """Gaps, those found again from the text, and first gaps that got their source word."""

    gaps: int
    again: int
    written: int
    right: int

    def rows(self) -> list[tuple[str, ...]]:
        """The same as rows of a table."""
        return [
            ("gaps of whole text", str(self.gaps), f"{self.again / max(self.gaps, 1):.1%}"),
            ("source of REPLACE", str(self.written), f"{self.right / max(self.written, 1):.1%}"),
        ]


def typed_again(pipeline: PairPipeline, examples: Iterable[Example]) -> Found:
    """Prepare each line by itself from its words; lines with a gap between words are left out."""
    gaps = again = written = right = 0
    for example in examples:
        hidden = {gap.position: gap.word or "NONE" for gap in example.gaps}
        if not hidden or "NONE" in hidden.values():
            continue
        words = [hidden.get(place, word) for place, word in enumerate(example.target)]
        source, gold = (
            " ".join(example.source),
            {(g.source_index, g.position) for g in example.gaps},
        )
        first = example.gaps[0]
        gapped = [*words[: first.position], WRITTEN_GAP, *words[first.position + 1 :]]
        whole = pipeline.prepare(SentencePair(source, " ".join(words))).example
        marked = pipeline.prepare(SentencePair(source, " ".join(gapped))).example
        if len(whole.source) != len(example.source) or len(marked.target) != len(example.target):
            continue
        gaps += len(gold)
        again += len(gold & {(gap.source_index, gap.position) for gap in whole.gaps})
        written += 1
        right += marked.gaps[0].source_index == first.source_index
    return Found(gaps, again, written, right)


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--task", default="en-fr-2015")
    parser.add_argument("--prior", type=Path)
    options = parser.parse_args()
    task = load_task(options.task)
    if task.tagged:
        raise CrossproError(f"{task.name}: expected a task with an inflected target")
    prior = options.prior
    aligner = partial(aligner_with_prior, path=prior) if prior else aligner_of_package
    found = typed_again(PairPipeline(task, make_aligner=aligner), read_layered(options.file, task))
    print(text_table(("", "number", "found"), found.rows()), end="")


if __name__ == "__main__":
    main()
