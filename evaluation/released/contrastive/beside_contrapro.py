"""The corrected numbers beside those of ContraPro's script: which rows differ, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.evaluation.metrics.expected_forms.expected_sets import TsvRow, read_expected
from crosspro.evaluation.metrics.expected_forms.metric import judge
from crosspro.evaluation.metrics.expected_forms.outputs import among, choose_instances, read_outputs
from crosspro.evaluation.metrics.expected_forms.payload import PayloadRules
from crosspro.evaluation.released.contrastive.beside import (
    VerdictDifference,
    counted,
    difference_lines,
)
from crosspro.evaluation.released.contrastive.generative_contrapro import (
    ReleasedChoice,
    ScriptVerdict,
)


@dataclass(frozen=True)
class BesideContrapro:
    """How many rows are right by the script and here, and those on which the two differ."""

    released: tuple[int, int]
    here: tuple[int, int]
    differences: tuple[VerdictDifference, ...]

    def __str__(self) -> str:
        return (
            f"ContraPro's script: {counted(*self.released)}; without its faults: "
            f"{counted(*self.here)}; rows that differ: {len(self.differences)}"
        )

    def table(self) -> Iterator[str]:
        """The differences as TSV."""
        return difference_lines(
            "script", ("payload of the script", "payload here"), self.differences
        )


def beside_contrapro(
    path: Path, language: str, choice: ReleasedChoice, verdicts: Sequence[ScriptVerdict]
) -> BesideContrapro:
    """Compare the verdicts; raises `InputError` where our own readers find a fault."""
    separators = (choice.separator,)
    test_set, tsv = read_expected(path, language, separators=separators)
    if tsv is None:
        raise ValueError("expected the TSV of the generative ContraPro")
    rules = PayloadRules(separators, share=choice.share)
    systems = read_outputs([], test_set, rules, language, tsv=(path, tsv), lenient=True)
    distances = choice.min_distance, choice.max_distance
    kept = choose_instances(path, test_set, tsv, distances, tuple(choice.forms))
    test_set, (system,) = among(test_set, systems, kept)
    right = [one.right for one in judge(test_set, system, language)]
    rows = [tsv.rows[place] for place in kept]
    ours = {
        row.line: (row, found, payload)
        for row, found, payload in zip(rows, right, system.payloads, strict=True)
    }
    script = {one.row.line: one for one in verdicts}
    differences = []
    for line in sorted({*ours, *script}):
        other = script.get(line)
        row, here, payload = ours.get(line, (None, None, ""))
        verdict = None if other is None else other.right
        if here != verdict:
            read = row or (other and other.row)
            expected = read.pronoun if read else ""
            looked_at = other.payload if other else ""
            why = _why(row, payload, other)
            differences.append(
                VerdictDifference(line, expected, verdict, here, why, looked_at, payload)
            )
    released = sum(one.right for one in verdicts), len(verdicts)
    return BesideContrapro(released, (sum(right), len(right)), tuple(differences))


def _why(row: TsvRow | None, payload: str, script: ScriptVerdict | None) -> str:
    """What the script does that makes the difference."""
    if script is None:
        return "the translation is empty, and the script reads other fields"
    if row is None or script.row.output != row.output:
        return "the translation is empty, and the row before is counted again"
    same = script.payload.replace(" ", "") == payload.replace(" ", "")
    return "words are cut otherwise" if same else "another payload"
