"""The 13 categories of PROTEST (002 Table 2), derived from the attributes of ParCor annotation.

ParCor writes `type="event"`, ParCorFull `type="anaphoric" antetype="event"`; both are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of pronoun: its label in tables, and its number of tokens in 002 Table 2."""

    name: str
    label: str
    pronoun: str
    wanted: int
    anaphoric: bool = False


CATEGORIES = (
    Category("anaphoric_intra_subject_it", "intra subject it", "it", 25, True),
    Category("anaphoric_intra_nonsubject_it", "intra non-subject it", "it", 15, True),
    Category("anaphoric_inter_subject_it", "inter subject it", "it", 25, True),
    Category("anaphoric_inter_nonsubject_it", "inter non-subject it", "it", 5, True),
    Category("anaphoric_intra_they", "intra they", "they", 25, True),
    Category("anaphoric_inter_they", "inter they", "they", 25, True),
    Category("anaphoric_singular_they", "singular they", "they", 15, True),
    Category("anaphoric_group_it_they", "group it/they", "it/they", 10, True),
    Category("event_it", "event it", "it", 30),
    Category("pleonastic_it", "pleonastic it", "it", 30),
    Category("addressee_generic_you", "generic you", "you", 20),
    Category("addressee_deictic_singular_you", "deictic singular you", "you", 15),
    Category("addressee_deictic_plural_you", "deictic plural you", "you", 10),
)
BY_NAME = {category.name: category for category in CATEGORIES}

ANAPHORIC = "anaphoric"
EVENT = "event"
PLEONASTIC = "pleonastic"
ADDRESSEE = "addressee reference"

_OTHER_PRONOUNS = ("relative", "possessive", "reflexive", "demonstrative")


class LeftOutError(Exception):
    """Why a pronoun has no category, or no translation that can be matched; reports count it."""


def function_of(attributes: Mapping[str, str]) -> str:
    """The function of a pronoun: anaphoric, event, pleonastic or addressee reference."""
    kind = attributes.get("type", "").replace("_", " ")
    if attributes.get("type_of_pronoun") in _OTHER_PRONOUNS:
        raise LeftOutError(f"annotated as {attributes['type_of_pronoun']} pronoun")
    if kind == ANAPHORIC:
        return anaphoric_function(attributes)
    if kind in (EVENT, PLEONASTIC, ADDRESSEE):
        return kind
    raise LeftOutError(f"type {kind}" if kind else "type not annotated")


def anaphoric_function(attributes: Mapping[str, str]) -> str:
    """The function of a pronoun whose type is anaphoric: anaphoric, or event (ParCorFull)."""
    split = attributes.get("split", "")
    if split == "no explicit antecedent":
        raise LeftOutError("no specific antecedent")
    if split == "split reference":
        raise LeftOutError("several antecedents")
    return EVENT if attributes.get("antetype") == "event" else ANAPHORIC


def category_of(
    form: str, function: str, attributes: Mapping[str, str], same_line: bool, group: bool
) -> str:
    """The category of a pronoun (`form`: it, they or you).

    For anaphoric pronouns, `same_line` says whether the antecedent is in the same sentence, and
    `group` whether its head is a group noun, which overrides all other distinctions.
    """
    if form == "it" and function in (EVENT, PLEONASTIC):
        return f"{function}_it"
    if form == "you" and function == ADDRESSEE:
        return _addressee(attributes)
    if form == "you" or function != ANAPHORIC:
        raise LeftOutError(f"no category for {form} of type {function}")
    if group:
        return "anaphoric_group_it_they"
    distance = "intra" if same_line else "inter"
    if form == "they":
        number = attributes.get("agreement", "")
        if number not in ("singular", "plural"):
            raise LeftOutError("number not annotated")
        return f"anaphoric_{'singular' if number == 'singular' else distance}_they"
    position = attributes.get("position", "").replace("-", "")
    if position not in ("subject", "nonsubject"):
        raise LeftOutError("position not annotated")
    return f"anaphoric_{distance}_{position}_it"


def _addressee(attributes: Mapping[str, str]) -> str:
    audience = attributes.get("audience", "")
    if audience.startswith("generic"):
        return "addressee_generic_you"
    if not audience.startswith("deictic"):
        raise LeftOutError("audience not annotated")
    numbers = (attributes.get("agreement", ""), audience.removeprefix("deictic").strip())
    for number in ("singular", "plural"):
        if number in numbers:
            return f"addressee_deictic_{number}_you"
    raise LeftOutError("number not annotated")
