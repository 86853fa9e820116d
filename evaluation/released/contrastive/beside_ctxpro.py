"""The corrected numbers beside those of ctxpro: what differs, instance by instance, and why.

Like ctxpro, ours are of the last sentences of a line: its outputs join sentences by nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.evaluation.metrics.expected_forms.expected_sets import read_expected
from crosspro.evaluation.metrics.expected_forms.metric import judge
from crosspro.evaluation.metrics.expected_forms.outputs import read_outputs
from crosspro.evaluation.metrics.expected_forms.payload import PayloadRules
from crosspro.evaluation.released.contrastive.beside import (
    VerdictDifference,
    counted,
    difference_lines,
)
from crosspro.evaluation.released.contrastive.ctxpro import ctxpro_finds, last_sentence_cutter


@dataclass(frozen=True)
class BesideCtxpro:
    """How many instances are right by ctxpro and here, and those on which the two differ."""

    instances: int
    released: int
    here: int
    differences: tuple[VerdictDifference, ...]

    def __str__(self) -> str:
        return (
            f"ctxpro: {counted(self.released, self.instances)}; without its faults "
            f"(--payload sentence): {counted(self.here, self.instances)}; "
            f"{len(self.differences)} instances differ"
        )

    def table(self) -> Iterator[str]:
        """The differences as TSV."""
        return difference_lines("ctxpro", ("sentence of ctxpro", "sentence here"), self.differences)


def beside_ctxpro(path: Path, output: Path, lines: Sequence[str], language: str) -> BesideCtxpro:
    """Compare the verdicts; raises `InputError` where our own readers find a fault."""
    test_set, _ = read_expected(path, language)
    (system,) = read_outputs([output], test_set, PayloadRules(sentences=True), language)
    right = [one.right for one in judge(test_set, system, language)]
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
            why = _why(here, payload, expected)
            differences.append(
                VerdictDifference(number, expected, found, here, why, sentence, payload)
            )
    return BesideCtxpro(len(lines), released, sum(right), tuple(differences))


def _why(here: bool, payload: str, expected: str) -> str:
    """The fault of ctxpro's comparison that makes the difference."""
    if ctxpro_finds(payload, expected) == here:
        return "another sentence"
    return "form joined to a word" if here else "punctuation deleted"
