"""The corrected numbers beside those of a released tool: which instances differ, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.evaluation.metrics.expected_forms.expected_sets import read_expected
from crosspro.evaluation.metrics.expected_forms.metric import judge
from crosspro.evaluation.metrics.expected_forms.outputs import (
    PayloadRules,
    TsvRow,
    among,
    choose_instances,
    read_outputs,
)
from crosspro.evaluation.released.contrastive.ctxpro import ctxpro_finds, last_sentence_cutter
from crosspro.evaluation.released.contrastive.generative_contrapro import (
    ReleasedChoice,
    ScriptVerdict,
)

_WORDS = {True: "right", False: "wrong", None: "not counted"}


@dataclass(frozen=True)
class VerdictDifference:
    """A line, its form, both verdicts (None: not counted), the reason, and what each looked at."""

    line: int
    expected: str
    released: bool | None
    here: bool | None
    why: str
    released_text: str
    text: str


@dataclass(frozen=True)
class BesideReleased:
    """What is said of a tool's numbers and ours, and the instances on which the two differ.

    `heading` has the name of the tool, and the titles of what it and we looked at.
    """

    said: str
    heading: tuple[str, str, str]
    differences: tuple[VerdictDifference, ...]

    def table(self) -> Iterator[str]:
        """The differences as lines of TSV: no cell has a tab or an end of line."""
        tool, *texts = self.heading
        rows = [["line", "expected", tool, "here", "why", *texts]]
        for difference in self.differences:
            verdicts = (_WORDS[difference.released], _WORDS[difference.here])
            looked_at = (difference.released_text, difference.text)
            rows.append(
                [str(difference.line), difference.expected, *verdicts, difference.why, *looked_at]
            )
        for cells in rows:
            yield "\t".join(" ".join(cell.split()) for cell in cells) + "\n"


def beside_ctxpro(path: Path, output: Path, lines: Sequence[str], language: str) -> BesideReleased:
    """Compare the verdicts of ctxpro; raises `InputError` where our own readers find a fault.

    Like ctxpro's, ours are of the last sentences of a line: its outputs join sentences by nothing.
    """
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
            why = "form joined to a word" if here else "punctuation deleted"
            if ctxpro_finds(payload, expected) == here:
                why = "another sentence"
            differences.append(
                VerdictDifference(number, expected, found, here, why, sentence, payload)
            )
    said = (
        f"ctxpro: {_share(released, len(lines))}; without its faults (--payload sentence): "
        f"{_share(sum(right), len(lines))}; {len(differences)} instances differ"
    )
    heading = ("ctxpro", "sentence of ctxpro", "sentence here")
    return BesideReleased(said, heading, tuple(differences))


def beside_contrapro(
    path: Path, language: str, choice: ReleasedChoice, verdicts: Sequence[ScriptVerdict]
) -> BesideReleased:
    """Compare the verdicts of ContraPro's script; raises where our own readers find a fault."""
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
            why = _why_of_script(row, payload, other)
            differences.append(
                VerdictDifference(line, expected, verdict, here, why, looked_at, payload)
            )
    said = (
        f"ContraPro's script: {_share(sum(one.right for one in verdicts), len(verdicts))}; "
        f"without its faults: {_share(sum(right), len(right))}; "
        f"rows that differ: {len(differences)}"
    )
    heading = ("script", "payload of the script", "payload here")
    return BesideReleased(said, heading, tuple(differences))


def _share(right: int, total: int) -> str:
    """How many of how many, and the percentage."""
    return f"{right}/{total}, {100 * right / total:.1f}"


def _why_of_script(row: TsvRow | None, payload: str, script: ScriptVerdict | None) -> str:
    """What the script does that makes the difference."""
    if script is None:
        return "the translation is empty, and the script reads other fields"
    if row is None or script.row.output != row.output:
        return "the translation is empty, and the row before is counted again"
    same = script.payload.replace(" ", "") == payload.replace(" ", "")
    return "words are cut otherwise" if same else "another payload"
