"""The rules by which gaps are placed: those of each year, and what the papers leave open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

from crosspro.data_prep.core.errors import choices, input_error

Side = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class GapRules:
    """How gaps are placed; the defaults are the rules of 2016 and 2017.

    `several_accepted`: of several linked words that belong to a class, the leftmost or rightmost
    (the official files of 2015 have now the one, now the other).
    `equally_short`: of several shortest words, the leftmost or the rightmost.
    `shared_word`: of two pronouns that claim one word, the first or the second gets it.
    `skip_inversions`: a line in which a pronoun is linked to a verb with a pronoun attached
    (ont-ils), and to no word of a class, has no gaps at all. The papers do not say so, but the
    official files of 2015 follow this rule without exception.
    `first_side`: the neighbour that decides if both at the same distance are linked.
    `neighbour_link`: of several words linked to that neighbour, the one nearest to the gap, or the
    leftmost or rightmost.
    `insert_unaligned`: whether pronouns without a link get a placeholder. 003 §3.3.2 says that
    those of 2015 got none, but a sixth of the gaps in its files are such placeholders, nearly all
    of them where these rules put them.
    `insert_shared`: whether a pronoun whose words another one got does, too; it does not in the
    files of 2015.
    `filter_subjects`, `keep_expletives`: whether ambiguous pronouns must be subjects, and whether
    expletives pass; None does as the tasks did, which kept English ones and lost German ones.
    `keep_first_person`: whether a Spanish verb without a subject is a gap (of class OTHER) where
    its English subject is `I` or `we`. 004 §3.3.1 takes every verb that the parser calls third
    person, also those that only look like it (tenía), so they stay unless this says otherwise.
    """

    several_accepted: Side = "left"
    equally_short: Side = "left"
    shared_word: Side = "right"
    skip_inversions: bool = False
    first_side: Side = "left"
    neighbour_link: Literal["nearest", "left", "right"] = "nearest"
    insert_unaligned: bool = True
    insert_shared: bool = True
    filter_subjects: bool = True
    keep_expletives: bool | None = None
    keep_first_person: bool = True


RULES = {
    "2015": GapRules(skip_inversions=True, insert_shared=False, filter_subjects=False),
    "2016": GapRules(),
    "2017": GapRules(),
}
"""The rules of each year; 2016 and 2017 are the same procedure."""

_SIDES = ("left", "right")
_VALUES = {"neighbour_link": ("nearest", *_SIDES)}
_YES_OR_NO = ("true", "false")


def changed_rules(year: str, changes: Iterable[str]) -> GapRules:
    """The rules of a year with changes as a user writes them, NAME=VALUE."""
    values = asdict(RULES[year])
    for change in changes:
        name, _, text = change.partition("=")
        if name not in values:
            raise input_error("settings", "--rule", choices(values), name)
        named = isinstance(values[name], str)
        allowed = _VALUES.get(name, _SIDES) if named else _YES_OR_NO
        if text not in allowed:
            raise input_error("settings", f"--rule {name}", choices(allowed), repr(text))
        values[name] = text if named else text == "true"
    return GapRules(**values)
