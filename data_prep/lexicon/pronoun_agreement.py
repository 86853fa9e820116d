"""Which nouns the third-person pronouns of a language can stand for, by gender and number.

What is not known of a noun agrees with nothing, but for the number of a noun whose gender is known:
lemmas hide it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from crosspro.data_prep.core.joint_task import tasks_of
from crosspro.data_prep.core.task import NONE, Task
from crosspro.data_prep.core.words import word_lists

NounKind = tuple[str | None, str | None]
"""Gender and number; None is unknown, or may be either."""
_EXPLETIVES = "expletives"


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


@cache
def pronoun_kinds(language: str) -> Mapping[str, tuple[NounKind, ...]]:
    """The kinds of nouns that each pronoun of a language stands for: `conf/words/agreement/`."""
    found: dict[str, tuple[NounKind, ...]] = {}
    for kind, words in word_lists("agreement", language).items():
        if kind != _EXPLETIVES:
            gender, _, number = kind.rpartition(".")
            for word in words:
                found[word] = (*found.get(word, ()), (gender or None, number))
    return found


def class_agreements(task: Task) -> tuple[PronounAgreement, ...]:
    """What each class of a task stands for, if all of its words tell.

    A class that stands for different things in the tasks of a joint one tells nothing.
    """
    parts = [dict(zip(one.classes, _agreements(one), strict=True)) for one in tasks_of(task)]
    found = ({part[name] for part in parts if name in part} for name in task.classes)
    return tuple(each.pop() if len(each) == 1 else PronounAgreement() for each in found)


def _agreements(task: Task) -> tuple[PronounAgreement, ...]:
    """What each class of a task of one language stands for."""
    known = pronoun_kinds(task.target_language)
    expletives = frozenset(word_lists("agreement", task.target_language).get(_EXPLETIVES, ()))
    found = []
    for words in task.forms.values():
        all_known = all(word in known for word in words if word != NONE)
        kinds = [kind for word in words if all_known for kind in known.get(word, ())]
        expletive = bool(kinds) and not expletives.isdisjoint(words)
        found.append(PronounAgreement(tuple(dict.fromkeys(kinds)), expletive))
    return tuple(found)
