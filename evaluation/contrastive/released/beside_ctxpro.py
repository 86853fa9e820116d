"""The corrected numbers beside those of ctxpro: what differs, instance by instance, and why.

Like ctxpro, ours are of the last sentences of a line: its outputs join sentences by nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.evaluation.contrastive.generative.expected_sets import read_expected
from crosspro.evaluation.contrastive.generative.outputs import read_outputs
from crosspro.evaluation.contrastive.generative.payload import PayloadRules
from crosspro.evaluation.contrastive.generative.score import judge
from crosspro.evaluation.contrastive.released.ctxpro import ctxpro_finds, last_sentence_cutter
from crosspro.evaluation.contrastive.report import tsv_line

_COLUMNS = ("line", "expected", "ctxpro", "here", "why", "sentence of ctxpro", "sentence here")


@dataclass(frozen=True)
class CtxproDifference:
    """An instance on which the verdicts differ: its line, its form, and what each looked at."""

    line: int
    expected: str
    here: bool
    released_sentence: str
    payload: str

    @property
    def why(self) -> str:
        """The fault of ctxpro's comparison that makes the difference."""
        if ctxpro_finds(self.payload, self.expected) == self.here:
            return "another sentence"
        return "form joined to a word" if self.here else "punctuation deleted"


@dataclass(frozen=True)
class BesideCtxpro:
    """How many instances are right by ctxpro and here, and those on which the two differ."""

    instances: int
    released: int
    here: int
    differences: tuple[CtxproDifference, ...]

    def __str__(self) -> str:
        share = 100 / self.instances
        return (
            f"ctxpro: {self.released}/{self.instances}, {self.released * share:.1f}; without its "
            f"faults (--payload sentence): {self.here}/{self.instances}, {self.here * share:.1f}; "
            f"{len(self.differences)} instances differ"
        )


def beside_ctxpro(path: Path, output: Path, lines: Sequence[str], language: str) -> BesideCtxpro:
    """Compare the verdicts; raises `InputError` where our own readers find a fault."""
    test_set, _ = read_expected(path, language)
    (system,) = read_outputs([output], test_set, PayloadRules(sentences=True), language)
    right = judge(test_set, system, language).right.tolist()
    last = last_sentence_cutter(language)
    released = 0
    differences = []
    judged = zip(test_set.instances, lines, system.payloads, right, strict=True)
    for number, (instance, line, payload, here) in enumerate(judged, start=1):
        expected = instance.reference_pronoun or ""
        sentence = last(line.strip())
        found = ctxpro_finds(sentence, expected)
        released += found
        if found != here:
            differences.append(CtxproDifference(number, expected, here, sentence, payload))
    return BesideCtxpro(len(lines), released, sum(right), tuple(differences))


def difference_lines(differences: Sequence[CtxproDifference]) -> Iterator[str]:
    """The differences as TSV."""
    words = {True: "right", False: "wrong"}
    yield tsv_line([*_COLUMNS])
    for one in differences:
        verdicts = (words[not one.here], words[one.here])
        sentences = (one.released_sentence, one.payload)
        yield tsv_line([str(one.line), one.expected, *verdicts, one.why, *sentences])
