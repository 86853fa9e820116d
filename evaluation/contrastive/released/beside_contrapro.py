"""The corrected numbers beside those of ContraPro's script: which rows differ, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.evaluation.contrastive.generative.choice import among, choose_instances
from crosspro.evaluation.contrastive.generative.expected_sets import read_expected
from crosspro.evaluation.contrastive.generative.outputs import read_outputs
from crosspro.evaluation.contrastive.generative.payload import PayloadRules
from crosspro.evaluation.contrastive.generative.score import judge
from crosspro.evaluation.contrastive.generative.tsv_set import TsvRow
from crosspro.evaluation.contrastive.released.generative_contrapro import (
    ReleasedChoice,
    ScriptVerdict,
)
from crosspro.evaluation.contrastive.report import tsv_line

_COLUMNS = ("line", "expected", "script", "here", "why", "payload of the script", "payload here")
_WORDS = {True: "right", False: "wrong", None: "not counted"}


@dataclass(frozen=True)
class ScriptDifference:
    """A line on which the verdicts differ: what the script and we read there, if we count it."""

    line: int
    script: ScriptVerdict | None
    row: TsvRow | None
    here: bool | None
    payload: str

    @property
    def expected(self) -> str:
        """The form that is looked for."""
        rows = (self.row, None if self.script is None else self.script.row)
        return next((row.pronoun for row in rows if row is not None), "")

    @property
    def why(self) -> str:
        """What the script does that makes the difference."""
        if self.script is None:
            return "the translation is empty, and the script reads other fields"
        if self.row is None or self.script.row.output != self.row.output:
            return "the translation is empty, and the row before is counted again"
        same = self.script.payload.replace(" ", "") == self.payload.replace(" ", "")
        return "words are cut otherwise" if same else "another payload"


@dataclass(frozen=True)
class BesideContrapro:
    """How many rows are right by the script and here, and those on which the two differ."""

    released: tuple[int, int]
    here: tuple[int, int]
    differences: tuple[ScriptDifference, ...]

    def __str__(self) -> str:
        script, here = (
            f"{right}/{total}, {100 * right / total:.1f}"
            for right, total in (self.released, self.here)
        )
        return (
            f"ContraPro's script: {script}; without its faults: {here}; "
            f"rows that differ: {len(self.differences)}"
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
    right = judge(test_set, system, language).right.tolist()
    rows = [tsv.rows[place] for place in kept]
    ours: dict[int, tuple[TsvRow | None, bool | None, str]] = {
        row.line: (row, found, payload)
        for row, found, payload in zip(rows, right, system.payloads, strict=True)
    }
    script = {one.row.line: one for one in verdicts}
    differences = []
    for line in sorted({*ours, *script}):
        other = script.get(line)
        row, here, payload = ours.get(line, (None, None, ""))
        if here != (None if other is None else other.right):
            differences.append(ScriptDifference(line, other, row, here, payload))
    released = sum(one.right for one in verdicts), len(verdicts)
    return BesideContrapro(released, (sum(right), len(right)), tuple(differences))


def script_difference_lines(differences: Sequence[ScriptDifference]) -> Iterator[str]:
    """The differences as TSV."""
    yield tsv_line([*_COLUMNS])
    for one in differences:
        script = None if one.script is None else one.script.right
        verdicts = (_WORDS[script], _WORDS[one.here])
        payloads = ("" if one.script is None else one.script.payload, one.payload)
        yield tsv_line([str(one.line), one.expected, *verdicts, one.why, *payloads])
