"""Which nouns the third-person pronouns of a language can stand for, by gender and number.

What is not known of a noun agrees with nothing, but for the number of a noun whose gender is known:
lemmas hide it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from crosspro.data_prep.task import NONE, Task

NounKind = tuple[str | None, str | None]
"""Gender and number; None is unknown, or may be either."""


@dataclass(frozen=True)
class PronounAgreement:
    """The kinds of nouns that a pronoun, or a class of them, stands for.

    One without kinds tells nothing of nouns. An `expletive` may stand for nothing at all.
    """

    kinds: tuple[NounKind, ...] = ()
    expletive: bool = False

    def agrees(self, gender: str | None, number: str | None) -> bool:
        """Whether a noun is known to be of one of these kinds."""
        return any(
            its_gender in (None, gender)
            and (its_number in (None, number) or (number is None and gender is not None))
            for its_gender, its_number in self.kinds
        )

    def differs(self, gender: str | None, number: str | None) -> bool:
        """Whether a noun is known to be of none of these kinds."""
        return bool(self.kinds) and all(
            _differ(its_gender, gender) or _differ(its_number, number)
            for its_gender, its_number in self.kinds
        )


def _differ(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other


_MS, _FS, _NS = (("Masc", "Sing"),), (("Fem", "Sing"),), (("Neut", "Sing"),)
_MP, _FP = (("Masc", "Plur"),), (("Fem", "Plur"),)
_SING: tuple[NounKind, ...] = ((None, "Sing"),)
_PLUR: tuple[NounKind, ...] = ((None, "Plur"),)

PRONOUNS: Mapping[str, Mapping[str, tuple[NounKind, ...]]] = {
    "en": {"he": _SING, "she": _SING, "it": _SING, "they": _PLUR},
    "fr": {"il": _MS, "elle": _FS, "ils": _MP, "elles": _FP},
    "de": {"er": _MS, "sie": (*_FS, *_PLUR), "es": _NS},
    "es": {"él": _MS, "ella": _FS, "ellos": _MP, "ellas": _FP},
}
EXPLETIVES: Mapping[str, frozenset[str]] = {
    "en": frozenset({"it"}),
    "fr": frozenset({"il"}),
    "de": frozenset({"es"}),
}


def class_agreements(task: Task) -> tuple[PronounAgreement, ...]:
    """What each class of a task stands for, if all of its words tell."""
    known = PRONOUNS.get(task.target_language, {})
    expletives = EXPLETIVES.get(task.target_language, frozenset())
    found = []
    for words in task.forms.values():
        all_known = all(word in known for word in words if word != NONE)
        kinds = [kind for word in words if all_known for kind in known.get(word, ())]
        expletive = bool(kinds) and not expletives.isdisjoint(words)
        found.append(PronounAgreement(tuple(dict.fromkeys(kinds)), expletive))
    return tuple(found)
