"""Gender in generated translations, where a set has two references and names no form: MT-GenEval.

A translation is right unless it has a word that stands only in the reference with the other gender
(Currey et al. 2022): one with the words of neither is right as well. Words are compared as the
authors' script does: in lower case, with ASCII punctuation as spaces.
"""

from __future__ import annotations

import string
from collections.abc import Sequence

from crosspro.evaluation.core.tables import Matrix
from crosspro.evaluation.metrics.contrastive.formats import ContrastiveSet, Instance
from crosspro.evaluation.metrics.expected_forms.expected_sets import MT_GENEVAL
from crosspro.evaluation.metrics.expected_forms.metric import (
    ExpectedForms,
    ExpectedFormsSettings,
    FoundForms,
    JudgedSet,
)
from crosspro.evaluation.metrics.expected_forms.outputs import GeneratedOutput
from crosspro.evaluation.output.examples import Mark

OWN, NEITHER, BOTH, OTHER = range(4)
VERDICTS = ("its gender", "neither gender", "both genders", "the other gender")
_SPACES = str.maketrans(dict.fromkeys(string.punctuation, " "))


class GenderWords(ExpectedForms):
    """Has the translation no word of the other gender?"""

    title = "Gender in generated translations"
    examples_note = "Marked are the words of one of the two references alone."
    verdict_kinds = tuple(zip(VERDICTS, ("right", "part", "wrong", "wrong"), strict=True))
    rule = "no-word-of-the-other-reference-alone"
    note = "right if no word stands only in the reference with the other gender."

    def judged(self, test_set: ContrastiveSet, output: GeneratedOutput) -> list[FoundForms]:
        """The verdict on each instance of an output."""
        found = []
        for instance, payload in zip(test_set.instances, output.payloads, strict=True):
            words = _words(payload)
            own, other = telling_words(instance)
            rivals = tuple(word for word in other if word in words)
            there = any(word in words for word in own)
            verdict = (BOTH if there else OTHER) if rivals else (OWN if there else NEITHER)
            # An empty translation has no wrong word, and is none that is right.
            found.append(FoundForms(verdict if words else OTHER, rivals))
        return found

    def matrices(self, scored: JudgedSet) -> Sequence[Matrix]:
        """Instances expect no word that could be counted over the set."""
        return ()

    def cells(self, scored: JudgedSet) -> list[list[tuple[str, str]]]:
        """The verdict that is hoped for, and the one that there is."""
        return [[(VERDICTS[OWN], VERDICTS[one.verdict]) for one in own] for own in scored.items]

    def known_as(self, instance: Instance) -> str:
        """The words of the reference alone."""
        return " ".join(telling_words(instance)[0])

    def marks(self, instance: Instance, line: int, text: str, rivals: Sequence[str]) -> list[Mark]:
        """Nothing in the source; of the text, the words of one reference alone."""
        own, other = telling_words(instance)
        telling = {*own, *other}
        found = [
            place for place, chunk in enumerate(text.split()) if telling.intersection(_words(chunk))
        ]
        return [Mark(line, [], ()), Mark(line, (), found)]


def telling_words(instance: Instance) -> tuple[list[str], list[str]]:
    """The words of the reference alone, and those of the one with the other gender alone."""
    own = _words(instance.reference or "")
    other = _words(instance.errors[0].text or "")
    return [word for word in own if word not in other], [word for word in other if word not in own]


def _words(text: str) -> dict[str, None]:
    """The words of a text, each once, in its order."""
    return dict.fromkeys(text.lower().translate(_SPACES).split())


def metric_of(test_set: ContrastiveSet, settings: ExpectedFormsSettings) -> ExpectedForms:
    """What decides the instances of a set of this kind."""
    return (GenderWords if test_set.kind == MT_GENEVAL else ExpectedForms)(settings)
