"""IDIAP 2016 for English to French: a pronoun language model and two hand-written rules (003 §5.2).

The model is an n-gram model over what a target text says about gender and number: each noun is
`Fem.Sing` or the like, each pronoun itself, and other words are not there (`gender_numbers`). A gap
ends a text of its own: before it stands what the sentences before have, then what its own sentence
has before it, other gaps aside. So a class is scored by the nouns and pronouns that precede it, and
neither what follows nor the source is looked at.

IDIAP took gender and number from Morfette, a tagger of inflected French. Here the gender of a noun
comes from a lexicon or from a parse of the target, and its number too where the target is
inflected. Lemmas hide the number, and the source is not looked at, so that it is not known there.
In text without tags, nouns are the words that the lexicon has as such, and pronouns those of a
list; the rules, which ask for a verb, say nothing there.

Rules decide two cases only, *on* and pronouns that are not translated, from patterns of source and
target. The findings paper does not print them; these are ours (`_on`, `_untranslated`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from crosspro.baselines.fill import Fillers, GapFiller, filling_evidence
from crosspro.baselines.majority import class_counts
from crosspro.baselines.ngram.load import load_own, save_model
from crosspro.baselines.ngram.model import NGramModel
from crosspro.baselines.ngram_system import by_class, model_of
from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.core.words import word_set
from crosspro.data_prep.lexicon.antecedents import NOUN_TAGS
from crosspro.data_prep.lexicon.lexicon import Lexicon, read_lexicon, write_lexicon
from crosspro.data_prep.lexicon.load import LexiconSetting, side_lexicon
from crosspro.prediction.adjustment import Adjustment, load_adjustment, save_adjustment, tune_tau
from crosspro.prediction.dev_score import Monitor, dev_score
from crosspro.prediction.evidence import Evidence, EvidenceTable, GapQuestion
from crosspro.prediction.fit_report import LexiconReport, lexicons_used
from crosspro.prediction.system import Examples, Probabilities, System

PRONOUN_TAGS = frozenset(("PRO", "PRON"))
UNKNOWN = "?"


def gender_numbers(example: Example, lexicon: Lexicon | None) -> Iterator[tuple[int, str]]:
    """The positions of nouns and pronouns, gaps aside, and `Fem.Plur` or the like for each.

    A pronoun stands for itself, as its lemma says person and, mostly, gender. Where no tag tells
    pronouns they are known by a list.
    """
    gaps = {gap.position for gap in example.gaps}
    parse = example.target_parse
    for place, word in enumerate(example.lemmas):
        if place in gaps:
            continue
        token = None if parse is None else parse.tokens[place]
        known = example.tag(place) or (token.tag if token else "")
        if known in PRONOUN_TAGS or (not known and word.lower() in _PRONOUNS):
            yield place, word.lower()
        elif known in NOUN_TAGS or (not known and lexicon is not None and lexicon.is_noun(word)):
            gender = (token.feature("Gender") if token else "") or (
                lexicon.gender(word) if lexicon else None
            )
            number = None
            if not example.tagged:
                number = (parse.number(place) if parse else "") or (
                    lexicon.number(word) if lexicon else None
                )
            yield place, f"{gender or UNKNOWN}.{number or UNKNOWN}"


_MODEL, _LEXICON = "model.lm", "lexicon.tsv"
_NEVER = -1e6
_PARTICIPLES = word_set("idiap", "en", "participles")
_BE = word_set("idiap", "en", "be")
_NO_ACTIVE_VERB = word_set("idiap", "fr", "no-active-verb")
_SUBJECTS = word_set("idiap", "fr", "subjects")
_OBJECTS = word_set("idiap", "fr", "objects")
_PRONOUNS = word_set("idiap", "fr", "pronouns")
_BEFORE_VERBS = _OBJECTS | word_set("idiap", "fr", "between")


@settings
class IdiapSettings:
    """The model, and what the rules say."""

    order: Annotated[int, Field(ge=1)] = 3
    lexicon: LexiconSetting = None
    context: Annotated[int, Field(ge=0)] = 3
    rules: bool = True
    certainty: Annotated[float, Field(gt=0, lt=1)] = 0.9
    tune_adjustment: bool = False
    monitor: Monitor = "macro_recall"


class IdiapPLM(System):
    """Predicts pronouns by gender and number of the nouns and pronouns before them.

    `lexicon` gives the gender of nouns; without one only a parse of the target
    does. `context` sentences before a gap's are looked at. A rule that fits gives its class the
    probability `certainty`; without `rules` the model decides alone. `tune_adjustment` favours rare
    classes where the model decides, by as much as the dev score `monitor` says.
    """

    name = "idiap_plm"
    settings_class = IdiapSettings
    settings: IdiapSettings

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.adjustment = Adjustment(0.0, np.zeros(0))
        self.genders: Lexicon | None = None
        self.model: NGramModel

    @property
    def context(self) -> int:
        """The sentences whose nouns are looked at."""
        return self.settings.context

    @property
    def layers_read(self) -> frozenset[str]:
        """A parse of the target says gender and number before the lexicon does."""
        return super().layers_read | {"target_parse"}

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        """Train the model on the gender and number of what stands before labelled pronouns."""
        self.task = task
        self.trained_layers = layers_in(train)
        counts = class_counts(task, train)
        score = (
            dev_score(task, dev, self.settings.monitor) if self.settings.tune_adjustment else None
        )
        lexicon = side_lexicon(self.settings.lexicon, "system.lexicon", task, "target", train)
        self.settings = replace(self.settings, lexicon=lexicon.name)
        self.genders = lexicon.lexicon
        self.report = LexiconReport(lexicons_used([lexicon]))
        marked = [
            (*shown.target[:-1], _token(task.classes[task.class_index[gap.label]]))
            for shown in self._shown(train)
            for gap in shown.gaps
            if gap.label
        ]
        self.model = model_of(marked, (), self.settings.order)
        self.adjustment = Adjustment(0.0, counts / counts.sum())
        if score is not None:
            raw, frequencies = self._raw(dev), self.adjustment.frequencies
            tau = tune_tau(raw, frequencies, lambda chances: score(self._ruled(dev, chances)))
            self.adjustment = Adjustment(tau, frequencies)

    def _shown(self, examples: Examples) -> list[Example]:
        """What the model sees of each gap: gender and number of what stands before, and the gap."""
        own = [list(gender_numbers(example, self.genders)) for example in examples]
        found = []
        for number, example in enumerate(examples):
            earlier = self._words_before(examples, own, number) if example.gaps else []
            for gap in example.gaps:
                in_line = [shown for place, shown in own[number] if place < gap.position]
                words = [*earlier, *in_line][-self.settings.order :]
                alone = (replace(gap, position=len(words)),)
                lemmas = (*words, example.lemmas[gap.position])
                found.append(replace(example, lemmas=lemmas, tags=None, gaps=alone, links=()))
        return found

    def _words_before(
        self, examples: Examples, own: Sequence[list[tuple[int, str]]], number: int
    ) -> list[str]:
        document = examples[number].document
        words: list[str] = []
        for place in range(max(0, number - self.settings.context), number):
            if document is not None and examples[place].document == document:
                words += [shown for _, shown in own[place]]
            else:
                words = []
        return words

    def predict(self, examples: Examples) -> Probabilities:
        """What the model makes of each class, adjusted if that was tuned, and rules after it."""
        return self._ruled(examples, self.adjustment.of(self._raw(examples)))

    def unadjusted(self, examples: Examples) -> Probabilities:
        """The same without the adjustment."""
        return self._ruled(examples, self._raw(examples))

    def _raw(self, examples: Examples) -> Probabilities:
        filler = self._filler()
        return by_class(self.task, filler.fillers, filler.probabilities(self._shown(examples)))

    def _ruled(self, examples: Examples, chances: Probabilities) -> Probabilities:
        """Where a rule fits, the other classes share what it leaves."""
        if not self.settings.rules:
            return chances
        chances = chances.copy()
        gaps = ((example, gap) for example in examples for gap in example.gaps)
        for row, (example, gap) in zip(chances, gaps, strict=True):
            chosen = rule_of(example, gap)
            if chosen in self.task.class_index:
                index = self.task.class_index[chosen]
                rest = np.delete(np.arange(len(row)), index)
                row[rest] *= (1 - self.settings.certainty) / row[rest].sum()
                row[index] = self.settings.certainty
        return chances

    def _filler(self) -> GapFiller:
        """Any class may fill a gap; none is left empty."""
        classes = self.task.classes
        fillers = Fillers((*map(_token, classes), NONE), (*classes, classes[-1]))
        return GapFiller(self.model, fillers, _NEVER)

    def evidence(self, question: GapQuestion) -> Evidence:
        """The rule that fits, and the classes with the scores of what the model sees of the text.

        That is another text than the line, so that no token of the line has a number.
        """
        shown = self._shown(question.examples)[question.row]
        pair = (self.task.classes[question.chosen], self.task.classes[question.against])
        found = filling_evidence(self._filler(), shown, 0, *pair)
        rule = rule_of(question.example, question.gap) if self.settings.rules else ""
        seen = EvidenceTable("What the model sees", ("text",), ((" ".join(shown.target),),))
        how = (
            "log10 probability of the best line with each class, in what the model sees of the text"
        )
        if self.adjustment.tau:
            how += f"; rare classes are then favoured with tau {self.adjustment.tau:g}"
        if rule in self.task.class_index:
            how = (
                f"a rule gives {rule} the probability {self.settings.certainty:g}; the model: {how}"
            )
        return Evidence(how, (*found.tables, seen))

    def save_state(self, folder: Path) -> None:
        """Write the model, the lexicon, and the adjustment if it was tuned."""
        save_model(folder / _MODEL, self.model)
        if self.settings.tune_adjustment:
            save_adjustment(self.adjustment, folder)
        if self.genders is not None:
            write_lexicon(folder / _LEXICON, self.genders)

    def load_state(self, folder: Path) -> None:
        """Read them."""
        self.model = load_own(folder / _MODEL)
        if self.settings.tune_adjustment:
            self.adjustment = load_adjustment(folder, len(self.task.classes))
        self.genders = read_lexicon(folder / _LEXICON) if self.settings.lexicon else None


def rule_of(example: Example, gap: Gap) -> str:
    """The class that a hand-written rule gives to a gap, empty if none fits."""
    if _untranslated(example, gap):
        return OTHER
    return "on" if _on(example, gap) else ""


def _on(example: Example, gap: Gap) -> bool:
    """An English passive that French says actively, of people in general: it is said, on dit."""
    words = [word.lower() for word in example.source[gap.source_index + 1 : gap.source_index + 4]]
    if not words or words[0] not in _BE:
        return False
    if not any(word.endswith("ed") or word in _PARTICIPLES for word in words[1:]):
        return False
    place = gap.position + 1
    while _at(example, place)[0] in _OBJECTS:
        place += 1
    verb = _at(example, place)
    return verb[1].startswith("V") and verb[0] not in _NO_ACTIVE_VERB


def _untranslated(example: Example, gap: Gap) -> bool:
    """Whether no subject fits here: another one stands before, or no verb can follow.

    Told by tags, and by the few words that can stand between a subject and its verb.
    """
    before = _at(example, gap.position - 1)
    after = _at(example, gap.position + 1)
    if before[0] in _SUBJECTS and before[1] in ("", *PRONOUN_TAGS) and after[1].startswith("V"):
        return True
    if not example.tagged or after[0] in _BEFORE_VERBS:
        return False
    return after[1] in ("PUN", "SENT", ".", "PRP", "ADP", "NOM", "NOUN", "KON", "CONJ", "DET")


def _at(example: Example, place: int) -> tuple[str, str]:
    """Lemma and tag at a place; beyond the ends it is as a full stop."""
    if 0 <= place < len(example.lemmas):
        return example.lemmas[place].lower(), example.tag(place)
    return "", "."


def _token(label: str) -> str:
    return f"@class:{label}"
