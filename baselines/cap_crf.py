"""UU-Cap 2016 (003 §5.9): a CRF that labels every target token with a pronoun class or 0.

A token reads its neighbours' lemmas, tags and genders; a gap also its source pronoun, and number
and gender of the words around that. Gender and number come from a parse where the data has one,
else from a lexicon. All gaps of a line are labelled together. A gap's probabilities are its
marginals, those of the classes alone. Lines without a gap are not learnt from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field

from crosspro.baselines.crf import ChainCRF, CRFSettings, Features
from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.example import AnnotatedSentence, Example
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.lexicon.antecedents import NOUN_TAGS
from crosspro.data_prep.lexicon.lexicon import (
    GENDERS,
    NOUNS,
    NUMBERS,
    Lexicon,
    read_lexicon,
    write_lexicon,
)
from crosspro.data_prep.lexicon.load import LexiconSetting, both_lexicons
from crosspro.prediction.adjustment import class_counts
from crosspro.prediction.fit_report import lexicon_report
from crosspro.prediction.system import Examples, Probabilities, System

_GAP, _NO_PRONOUN, _UNKNOWN = "REPLACE", "0", ""
_LOOKED_UP = (*NOUNS, "PRON")
"""The source words whose gender and number a lexicon is asked for."""
_LEXICONS = ("lexicon.tsv", "source_lexicon.tsv")


def token_features(
    example: Example, window: int, lexicon: Lexicon | None, source_lexicon: Lexicon | None
) -> list[Features]:
    parse = example.target_parse
    lemmas = [*example.lemmas]
    tags = [example.tag(place) for place in range(len(lemmas))]
    if parse is not None and not example.tagged:
        tags = [token.tag for token in parse.tokens]
    genders = target_genders(example, lexicon)
    source_indices = {}
    for gap in example.gaps:
        lemmas[gap.position] = tags[gap.position] = _GAP
        source_indices[gap.position] = gap.source_index
    numbers = source_values(example, "Number", NUMBERS, source_lexicon)
    source_genders = source_values(example, "Gender", GENDERS, source_lexicon)

    def features(place: int) -> Iterator[str]:
        yield from windowed("target lemma", lemmas, place, window)
        yield from windowed("target tag", tags, place, window)
        yield from windowed("target gender", genders, place, window)
        if place in source_indices:
            index = source_indices[place]
            yield f"source pronoun={example.source[index]}"
            yield from windowed("source number", numbers, index, window)
            yield from windowed("source gender", source_genders, index, window)

    return [list(features(place)) for place in range(len(lemmas))]


def windowed(name: str, values: Sequence[str], place: int, window: int) -> Iterator[str]:
    """The values around a place: `target lemma -1=être`; an empty value gives no feature."""
    for offset in range(-window, window + 1):
        at = place + offset
        value = values[at] if 0 <= at < len(values) else "(outside)"
        if value:
            yield f"{name} {offset:+d}={value}"


def target_genders(example: Example, lexicon: Lexicon | None) -> list[str]:
    """The gender of each target word: by a parse, else that of nouns by the lexicon."""
    genders = _parsed(example.target_parse, "Gender", GENDERS) or [_UNKNOWN] * len(example.lemmas)
    gaps = {gap.position for gap in example.gaps}
    for place, lemma in enumerate(example.lemmas):
        if place in gaps:
            genders[place] = _UNKNOWN
        elif not genders[place] and lexicon is not None:
            noun = example.tag(place) in NOUN_TAGS if example.tagged else lexicon.is_noun(lemma)
            genders[place] = (lexicon.gender(lemma) if noun else None) or _UNKNOWN
    return genders


def source_values(
    example: Example, feature: str, allowed: Sequence[str], lexicon: Lexicon | None
) -> list[str]:
    """The gender or number of each source word: by a parse, else by the lexicon."""
    parse = example.source_parse
    if parse is None or feature != "Number":
        values = _parsed(parse, feature, allowed) or [_UNKNOWN] * len(example.source)
    else:
        numbers = [parse.number(place) for place in range(len(example.source))]
        values = [number if number in allowed else _UNKNOWN for number in numbers]
    if lexicon is None:
        return values
    look_up = lexicon.number if feature == "Number" else lexicon.gender
    pairs = zip(values, example.source, strict=True)
    return [value or look_up(word, _LOOKED_UP) or _UNKNOWN for value, word in pairs]


def _parsed(parse: AnnotatedSentence | None, feature: str, allowed: Sequence[str]) -> list[str]:
    values = [token.feature(feature) for token in parse.tokens] if parse else []
    return [value if value in allowed else _UNKNOWN for value in values]


@settings
class CapSettings(CRFSettings):
    """The reach of the features, and what knows words.

    `window` words on each side of a token are its features. `lexicon` and `source_lexicon` (a name
    or a TSV file) say gender and number where the data has no parse.
    """

    window: Annotated[int, Field(ge=0, le=20)] = 5
    min_count: Annotated[int, Field(ge=1)] = 2
    lexicon: LexiconSetting = None
    source_lexicon: LexiconSetting = None


class CapCRF(System):
    """Labels target tokens."""

    name = "cap_crf"
    settings_class = CapSettings
    settings: CapSettings
    lexicons: tuple[Lexicon | None, Lexicon | None] = (None, None)
    chain: ChainCRF

    @property
    def layers_read(self) -> frozenset[str]:
        return frozenset({"source_parse", "target_parse"})

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        self.task = task
        self.trained_layers = layers_in(train)
        class_counts(task, train)  # there must be labels
        names = self.settings.lexicon, self.settings.source_lexicon
        target, source = both_lexicons(*names, task, train)
        self.lexicons = target.lexicon, source.lexicon
        self.settings = replace(self.settings, lexicon=target.name, source_lexicon=source.name)
        self.report = lexicon_report((target, source))
        labelled = (e for e in train if e.gaps and all(gap.label for gap in e.gaps))
        sequences = ((self._features(example), self._labels(example)) for example in labelled)
        self.chain = ChainCRF.train(sequences, self.settings, self.settings.min_count)

    def _features(self, example: Example) -> list[Features]:
        return token_features(example, self.settings.window, *self.lexicons)

    def _labels(self, example: Example) -> list[str]:
        labels = [_NO_PRONOUN] * len(example.lemmas)
        for gap in example.gaps:
            labels[gap.position] = self.task.classes[self.task.class_index[gap.label or ""]]
        return labels

    def unadjusted(self, examples: Examples) -> Probabilities:
        classes = self.task.classes
        rows = [np.zeros((0, len(classes)))]
        for example in examples:
            if example.gaps:
                places = [gap.position for gap in example.gaps]
                rows.append(self.chain.marginals(self._features(example), places, classes))
        marginals = np.concatenate(rows)
        return np.asarray(marginals / marginals.sum(axis=1, keepdims=True))

    def save_state(self, folder: Path) -> None:
        self.chain.save(folder)
        for file, lexicon in zip(_LEXICONS, self.lexicons, strict=True):
            if lexicon is not None:
                write_lexicon(folder / file, lexicon)

    def load_state(self, folder: Path) -> None:
        target, source = (folder / file for file in _LEXICONS)
        self.lexicons = (
            read_lexicon(target) if self.settings.lexicon else None,
            read_lexicon(source) if self.settings.source_lexicon else None,
        )
        self.chain = ChainCRF.load(folder)
