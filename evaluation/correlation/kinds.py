"""Kinds of disagreement between APT and people (001 Table 4), told by words where they can be.

001 sorted the disagreements by hand. What the words decide is decided here: of the pronouns that
people reject, those that APT takes for equivalent are E. Of the different ones that they accept, an
anaphoric pronoun that is another personal pronoun is V (it agrees with another translation of the
antecedent), and one that is impersonal where the reference has a personal pronoun is I. All else is
O, as are all accepted pronouns that are not anaphoric.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from crosspro.evaluation.inputs.pronoun_forms import LANGUAGES, readings_of

KINDS: Mapping[str, str] = {
    "V": "valid alternative",
    "E": "incorrect equivalence",
    "I": "impersonal",
    "O": "other",
}
"""The kinds and what they stand for."""

UNKNOWN_KIND = ""
KNOWN_LANGUAGES = LANGUAGES
"""Target languages whose pronouns are known to be personal or impersonal."""


def kind_of(
    case: int,
    correct: bool,
    anaphoric: bool,
    reference: Collection[str],
    candidate: Collection[str],
    language: str,
) -> str:
    """The kind of a disagreement; `reference` and `candidate` are the labels of both."""
    if case == 2 and not correct:
        return "E"
    if case == 3 and correct and anaphoric:
        if any(is_impersonal(word, language) for word in candidate):
            return "I" if any(is_personal(word, language) for word in reference) else "O"
        if any(is_personal(word, language) for word in candidate):
            return "V"
    return "O"


def is_personal(form: str, language: str) -> bool:
    """Whether a form may be a personal pronoun of the third person."""
    readings = readings_of(language).get(form.lower(), ())
    return any(one.kind == "personal" and one.person == "3" for one in readings)


def is_impersonal(form: str, language: str) -> bool:
    """Whether a form agrees with no noun: a demonstrative without masculine or feminine."""
    readings = readings_of(language).get(form.lower(), ())
    return bool(readings) and all(
        one.kind == "demonstrative" and one.gender in ("", "n") for one in readings
    )
