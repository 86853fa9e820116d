"""IDIAP 2016 for English to French: a pronoun language model and two hand-written rules (003 §5.2).

The model is an n-gram model over what a target text says about gender and number: each noun is
`Fem.Sing` or the like, each pronoun itself, and other words are not there (`gender_numbers`). A gap
ends a text of its own: before it stands what the sentences before have, then what its own sentence
has before it, other gaps aside. Neither what follows nor the source is looked at.

In place of Morfette, a lexicon or a parse of the target gives the gender of a noun, and its number
where the target is inflected. Rules decide two cases only, *on* and pronouns that are not
translated; the findings paper does not print them, so these are ours, and they need tags.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field

from crosspro.baselines.fill import Fillers, GapFiller
from crosspro.baselines.ngram_system import FillingSystem, NGramOrder, model_of
from crosspro.baselines.source_aware import NEVER
from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.lexicon.antecedents import NOUN_TAGS
from crosspro.data_prep.lexicon.lexicon import Lexicon, read_lexicon, write_lexicon
from crosspro.data_prep.lexicon.load import LexiconSetting, side_lexicon
from crosspro.data_prep.words.lists import word_set
from crosspro.prediction.adjustment import class_counts
from crosspro.prediction.fit_report import lexicon_report
from crosspro.prediction.system import Classes, Examples, Probabilities, System

PRONOUN_TAGS = frozenset(("PRO", "PRON"))
UNKNOWN = "?"
_LEXICON = "lexicon.tsv"
_CERTAINTY = 0.9
"""The probability of a class that a rule gives."""
_PARTICIPLES = word_set("idiap", "en", "participles")
_BE = word_set("idiap", "en", "be")
_NO_ACTIVE_VERB = word_set("idiap", "fr", "no-active-verb")
_SUBJECTS = word_set("idiap", "fr", "subjects")
_OBJECTS = word_set("idiap", "fr", "objects")
_PRONOUNS = word_set("idiap", "fr", "pronouns")
_BEFORE_VERBS = _OBJECTS | word_set("idiap", "fr", "between")
_NO_VERB_TAGS = ("PUN", "SENT", ".", "PRP", "ADP", "NOM", "NOUN", "KON", "CONJ", "DET")


def gender_numbers(example: Example, lexicon: Lexicon | None) -> Iterator[tuple[int, str]]:
    """The positions of nouns and pronouns, gaps aside, and `Fem.Plur` or the like for each.

    A pronoun stands for itself, as its lemma says person and, mostly, gender.
    """
    gaps = {gap.position for gap in example.gaps}
    parse = example.target_parse
    for place, word in enumerate(example.lemmas):
        if place in gaps:
            continue
        tag = example.tag(place) or (parse.tokens[place].tag if parse else "")
        if tag in PRONOUN_TAGS or (not tag and word.lower() in _PRONOUNS):
            yield place, word.lower()
        elif tag in NOUN_TAGS or (not tag and lexicon is not None and lexicon.is_noun(word)):
            gender = parse.tokens[place].feature("Gender") if parse else None
            number = parse.number(place) if parse else None
            if lexicon is not None:
                gender, number = gender or lexicon.gender(word), number or lexicon.number(word)
            shown = UNKNOWN if example.tagged else number or UNKNOWN  # lemmas hide the number
            yield place, f"{gender or UNKNOWN}.{shown}"


@settings
class IdiapSettings:
    """The model, and whether the rules say something.

    `lexicon` gives the gender of nouns; without one only a parse of the target does. `context`
    sentences before a gap's are looked at. Without `rules` the model decides alone.
    """

    order: NGramOrder = 3
    lexicon: LexiconSetting = None
    context: Annotated[int, Field(ge=0)] = 3
    rules: bool = True


class IdiapPLM(FillingSystem):
    """Predicts pronouns by gender and number of the nouns and pronouns before them."""

    name = "idiap_plm"
    settings_class = IdiapSettings
    settings: IdiapSettings
    genders: Lexicon | None = None

    @property
    def context(self) -> int:
        return self.settings.context

    @property
    def layers_read(self) -> frozenset[str]:
        """A parse of the target says gender and number before the lexicon does."""
        return super().layers_read | {"target_parse"}

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        self.task = task
        self.trained_layers = layers_in(train)
        class_counts(task, train)  # there must be labels
        lexicon = side_lexicon(self.settings.lexicon, "system.lexicon", task, "target", train)
        self.settings = replace(self.settings, lexicon=lexicon.name)
        self.genders = lexicon.lexicon
        self.report = lexicon_report([lexicon])
        marked = [
            [*text.target[:-1], _token(task.classes[task.class_index[gap.label]])]
            for text in self.read(train)
            for gap in text.gaps
            if gap.label
        ]
        self.model = model_of(marked, self.settings.order)

    def read(self, examples: Examples) -> list[Example]:
        """What the model reads of each gap: gender and number of what stands before it."""
        read = [list(gender_numbers(example, self.genders)) for example in examples]
        texts = []
        for number, example in enumerate(examples):
            first = number
            while (
                number - first < self.settings.context
                and first
                and examples[first - 1].document == example.document is not None
            ):
                first -= 1
            earlier = [word for line in read[first:number] for _, word in line]
            for gap in example.gaps:
                in_line = [word for place, word in read[number] if place < gap.position]
                words = [*earlier, *in_line][-self.settings.order :]
                lemmas = (*words, example.lemmas[gap.position])
                alone = (replace(gap, position=len(words)),)
                texts.append(replace(example, lemmas=lemmas, tags=None, gaps=alone, links=()))
        return texts

    def unadjusted(self, examples: Examples) -> Probabilities:
        """The model's probabilities; where a rule fits, the other classes share what it leaves."""
        chances = super().unadjusted(examples)
        if not self.settings.rules:
            return chances
        gaps = ((example, gap) for example in examples for gap in example.gaps)
        for row, (example, gap) in zip(chances, gaps, strict=True):
            label = rule_of(example, gap)
            if label in self.task.class_index:
                index = self.task.class_index[label]
                rest = np.arange(len(row)) != index
                row[rest] *= (1 - _CERTAINTY) / row[rest].sum()
                row[index] = _CERTAINTY
        return chances

    def choose(self, examples: Examples, probabilities: Probabilities | None = None) -> Classes:
        return System.choose(self, examples, probabilities)  # each gap for itself

    def filler(self) -> GapFiller:
        classes = self.task.classes
        fillers = Fillers((*map(_token, classes), NONE), (*classes, classes[-1]))
        return GapFiller(self.model, fillers, NEVER)

    def save_state(self, folder: Path) -> None:
        super().save_state(folder)
        if self.genders is not None:
            write_lexicon(folder / _LEXICON, self.genders)

    def load_state(self, folder: Path) -> None:
        super().load_state(folder)
        self.genders = read_lexicon(folder / _LEXICON) if self.settings.lexicon else None


def rule_of(example: Example, gap: Gap) -> str:
    """The class that a hand-written rule gives to a gap, empty if none fits."""
    if _is_untranslated(example, gap):
        return OTHER
    return "on" if _is_on(example, gap) else ""


def _is_on(example: Example, gap: Gap) -> bool:
    """An English passive that French says actively, of people in general: it is said, on dit."""
    words = [word.lower() for word in example.source[gap.source_index + 1 : gap.source_index + 4]]
    if not words or words[0] not in _BE:
        return False
    if not any(word.endswith("ed") or word in _PARTICIPLES for word in words[1:]):
        return False
    place = gap.position + 1
    while _lemma_and_tag(example, place)[0] in _OBJECTS:
        place += 1
    lemma, tag = _lemma_and_tag(example, place)
    return tag.startswith("V") and lemma not in _NO_ACTIVE_VERB


def _is_untranslated(example: Example, gap: Gap) -> bool:
    """Whether no subject fits here: another one stands before, or no verb can follow."""
    lemma, tag = _lemma_and_tag(example, gap.position - 1)
    next_lemma, next_tag = _lemma_and_tag(example, gap.position + 1)
    if lemma in _SUBJECTS and tag in ("", *PRONOUN_TAGS) and next_tag.startswith("V"):
        return True
    return example.tagged and next_lemma not in _BEFORE_VERBS and next_tag in _NO_VERB_TAGS


def _lemma_and_tag(example: Example, place: int) -> tuple[str, str]:
    """Lemma and tag at a place; beyond the ends it is as a full stop."""
    if 0 <= place < len(example.lemmas):
        return example.lemmas[place].lower(), example.tag(place)
    return "", "."


def _token(label: str) -> str:
    return f"@class:{label}"
