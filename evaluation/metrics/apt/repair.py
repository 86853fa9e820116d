"""The repair of pronoun links in four steps, as the APT paper describes it (000 §2.3, Table 1).

1. A source pronoun is suspect if it has no link, links to words that are no pronoun, or to several
   words. If one of several words is a pronoun, that one is taken. Otherwise the links of the source
   words before and after it are the *markers*.
2. The range goes from one word before the first marker to one word after the second.
3. Its likely translations of the source pronoun are the candidates.
4. The candidate nearest to the centre of the range is chosen.

The paper leaves some points open; `RepairRules` names them and their settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING

from crosspro.data_prep.core.errors import InputError, Problem, choices

if TYPE_CHECKING:
    from crosspro.evaluation.inputs.linked_text import SentenceLinks


class Repair(StrEnum):
    """What became of the links of a pronoun."""

    KEPT = "kept"
    PICKED = "picked"
    """One of several linked words, which is a pronoun."""
    MOVED = "moved"
    """A word between the markers."""


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
    for setting in settings:
        name, _, value = setting.partition("=")
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


@dataclass(frozen=True)
class Target:
    """What the repair asks about the words of a target sentence, by position.

    `likely` says whether a word may translate the pronoun, `labelled` whether it is one of the
    pronouns that are scored, `ambiguous` whether it may be no pronoun at all, and `taken` whether
    it belongs to another source pronoun.
    """

    length: int
    likely: Callable[[int], bool]
    labelled: Callable[[int], bool]
    ambiguous: Callable[[int], bool]
    taken: Callable[[int], bool]


def find_translation(
    position: int, source_length: int, links: SentenceLinks, target: Target, rules: RepairRules
) -> tuple[tuple[int, ...], Repair]:
    """The target positions of a source pronoun after the repair.

    Among several linked pronouns, those that are scored are preferred.
    """
    linked = links.targets(position)
    pronouns = list(filter(target.labelled, linked)) or list(filter(target.likely, linked))
    if pronouns:
        how = Repair.KEPT if len(linked) == 1 else Repair.PICKED
        return (pronouns[0],), how
    span = _range(position, source_length, links, target.length, rules)
    if span is None:
        return linked, Repair.KEPT
    first, last = span
    candidates = [
        t
        for t in range(first, last + 1)
        if target.likely(t)
        and (not target.ambiguous(t) or _is_pronoun(t, position, links, rules))
        and (rules.shared == "allow" or not target.taken(t))
    ]
    if not candidates:
        return linked, Repair.KEPT
    # Twice the distance from the centre, so that it stays a whole number.
    side = 1 if rules.ties == "left" else -1
    chosen = min(candidates, key=lambda t: (abs(2 * t - first - last), side * t))
    return (chosen,), Repair.MOVED


def _is_pronoun(target: int, position: int, links: SentenceLinks, rules: RepairRules) -> bool:
    """Whether an ambiguous word is taken for a pronoun, by its links and those of the next word."""
    if rules.ambiguous != "verb":
        return rules.ambiguous == "any"
    near = range(position - 1, position + 2)
    following = links.sources(target + 1)
    return all(source in near for source in links.sources(target)) and any(
        source in near for source in following
    )


def _range(
    position: int, source_length: int, links: SentenceLinks, target_length: int, rules: RepairRules
) -> tuple[int, int] | None:
    """Steps 1 and 2: from one word before the first marker to one after the second."""
    left = _marker(links, range(position - 1, -1, -1), rules)
    right = _marker(links, range(position + 1, source_length), rules)
    if not left and not right:
        return None
    if not (left and right):
        if rules.missing_marker == "skip":
            return None
        markers = left or right
        if rules.marker_links == "inner":
            markers = (markers[-1],) if left else (markers[0],)
    else:
        if rules.marker_links == "inner":
            left, right = (left[-1],), (right[0],)
        if rules.crossed == "skip" and left[0] > right[-1]:
            return None
        markers = (*left, *right)
    return max(min(markers) - 1, 0), min(max(markers) + 1, target_length - 1)


def _marker(links: SentenceLinks, neighbours: range, rules: RepairRules) -> tuple[int, ...]:
    """The links of the next source word, or of the next one that has any."""
    reach = len(neighbours) if rules.missing_marker == "further" else 1
    for neighbour in neighbours[:reach]:
        found = links.targets(neighbour)
        if found:
            return found
    return ()
