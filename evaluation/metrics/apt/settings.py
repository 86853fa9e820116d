"""The settings of APT, and those of the repair of links that its paper leaves open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Literal

from crosspro.data_prep.core.errors import InputError, Problem, choices
from crosspro.evaluation.core.settings import setting
from crosspro.evaluation.inputs.case_records import CASES

Others = Literal["different", "equal", "missing"]
"""Two words that are no pronouns of the list: different, equal, or not found (cases 4 to 6)."""

PAPER_WEIGHTS = (1.0, 0.5, 0.0, 0.0, 0.0, 0.0)
"""The setting with the best correlation in 000 Table 4, and APT-B of 001."""

RULE_CHOICES: dict[str, tuple[str, ...]] = {
    "missing_marker": ("other", "further", "skip"),
    "marker_links": ("all", "inner"),
    "crossed": ("span", "skip"),
    "ties": ("left", "right"),
    "shared": ("refuse", "allow"),
    "ambiguous": ("verb", "any", "refuse"),
}


@dataclass(frozen=True, slots=True)
class RepairRules:
    """The points that the paper leaves open.

    - `missing_marker`: a neighbour has no link or there is none. `other`: the range lies around
      the other marker; `further`: the next source word on that side that has a link is the marker;
      `skip`: no repair.
    - `marker_links`: a neighbour has several links. `all`: the range covers them; `inner`: only
      the one next to the other marker counts.
    - `crossed`: the left neighbour's marker stands right of the right neighbour's. `span`: the
      range goes from the leftmost to the rightmost; `skip`: no repair.
    - `ties`: which of two candidates at the same distance is chosen.
    - `shared`: `refuse` leaves out words that are linked to another source pronoun, or were chosen
      for one; `allow` lets two pronouns have the same word.
    - `ambiguous`: words that are pronouns or something else (French `le`, `la` and `l'` are mostly
      articles), for which the paper would ask a tagger. `verb`: such a word is chosen only if it
      has no link but to the pronoun and its neighbours, and stands before a word that is linked to
      one of them, which for a pronoun is its verb; `any`: it is chosen like other words; `refuse`:
      never. They always count as pronouns in step 1.
    """

    missing_marker: str = "other"
    marker_links: str = "all"
    crossed: str = "span"
    ties: str = "left"
    shared: str = "refuse"
    ambiguous: str = "verb"

    def __str__(self) -> str:
        return ",".join(str(getattr(self, f.name)) for f in fields(self))


def make_rules(settings: Iterable[str]) -> RepairRules:
    """Rules from `name=value` settings; what is not named stays as it is."""
    problems = []
    values: dict[str, str] = {}
    for written in settings:
        name, _, value = written.partition("=")
        if name not in RULE_CHOICES:
            problems.append(Problem("repair rule", None, name, choices(RULE_CHOICES), repr(name)))
        elif value not in RULE_CHOICES[name]:
            expected = choices(RULE_CHOICES[name])
            problems.append(Problem("repair rule", None, name, expected, repr(value)))
        else:
            values[name] = value
    if problems:
        raise InputError(problems)
    return RepairRules(**values)


def _weights(text: str) -> tuple[float, ...]:
    return tuple(float(item) for item in text.split(","))


def _cases(text: str) -> frozenset[int]:
    return frozenset(int(item) for item in text.split(",") if item.strip())


@dataclass(frozen=True)
class AptSettings:
    """What is counted and how.

    `weights` are those of the six cases, `discard` the cases that are left out of both sums. With
    `probabilities` an equivalent pronoun weighs its probability, where the list has one.
    """

    weights: tuple[float, ...] = setting(PAPER_WEIGHTS, "Weights of the six cases.", read=_weights)
    discard: frozenset[int] = setting(frozenset(), "Cases left out, such as 5,6.", read=_cases)
    probabilities: bool = setting(
        False, "Weigh equivalents by their probability.", "--weigh-equivalents"
    )
    others: Others = setting(
        "different", "Words that are no pronouns: different, equal or missing.", "--other"
    )
    repair: bool = setting(True, "Repair the links of pronouns as the paper does.")
    rules: RepairRules = setting(
        RepairRules(), "A point that the paper leaves open; see docs.", "--repair-rule", make_rules
    )
    start: Literal["source", "reference"] = setting(
        "source", "Score pronouns of the source or of the reference.", "--from"
    )

    def check(self) -> None:
        """Raise if the weights or cases make no sense; all faults together."""
        problems = []
        if len(self.weights) != len(CASES) or not all(0 <= w <= 1 for w in self.weights):
            shown = ",".join(f"{w:g}" for w in self.weights)
            problems.append(Problem("settings", None, "weights", "six numbers from 0 to 1", shown))
        for case in sorted(self.discard):
            if case not in CASES:
                problems.append(Problem("settings", None, "discard", "cases 1 to 6", str(case)))
        if set(CASES) <= self.discard:
            problems.append(Problem("settings", None, "discard", "a case that is left", "none"))
        if problems:
            raise InputError(problems)

    @property
    def used(self) -> tuple[int, ...]:
        """The cases that are counted."""
        return tuple(case for case in CASES if case not in self.discard)

    @property
    def repairs(self) -> RepairRules | None:
        """How links are repaired; None if they are not, as where the reference comes first."""
        return self.rules if self.repair and self.start == "source" else None
