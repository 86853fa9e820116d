"""A maximum-entropy model of what an `it` is: features, training, one JSON file.

Features are strings: lemmas and tags around it; its verb, the verb before it and the one it is the
object of; how its clause opens; the pattern that fits (`patterns`); where it stands; which nouns,
pronouns and clauses could be its antecedent, here and in the sentence before.

The file names the documents that were learnt from, so that nobody scores a text that the model
knows by accident. Loading it runs no code.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.special import softmax

from crosspro.baselines.features.matrix import Vocabulary, learn_matrix, matrix_of
from crosspro.baselines.it_classifier.context import (
    LABELS,
    PLEONASTIC,
    PRONOUN,
    Chances,
    ItContext,
    ItExample,
    annotated,
)
from crosspro.baselines.it_classifier.patterns import DEFAULT, PATTERNS, ItClause
from crosspro.data_prep.annotate.light_tagger import word_list
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Token
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.settings import check_settings, settings, to_mapping

_DEMONSTRATIVES = frozenset(("this", "that", "these", "those"))


def features_of(context: ItContext) -> list[str]:
    here, before = annotated(context.words), annotated(context.before)
    clause, end = ItClause(here, context.position), context.position
    return [
        "bias",
        *_window(clause),
        *_verbs(clause),
        *_patterns(clause),
        *_place(clause),
        *_antecedents(here[:end], "here"),
        *_antecedents(before, "before"),
        *_earlier_pronoun(here[:end], "here"),
        *_earlier_pronoun(before, "before"),
    ]


def _window(clause: ItClause) -> Iterator[str]:
    """Neighbours; wider windows of words, and n-grams, only overfit the little text there is."""
    for offset in (-2, -1, 1, 2):
        token = clause.at(clause.position + offset)
        yield f"tag{offset:+}={token.tag}"
        if abs(offset) == 1:
            yield f"lemma{offset:+}={token.lemma.lower()}"


def _verbs(clause: ItClause) -> Iterator[str]:
    yield f"verb={clause.main_verb or '-'}"
    yield f"verb,next={clause.main_verb or '-'}_{clause.word(clause.rest)}"
    yield f"verb,tag={clause.main_verb or '-'}_{clause.at(clause.rest).tag}"
    yield f"auxiliaries={'_'.join(clause.verbs[:-1]) or '-'}"
    yield f"inverted={clause.inverted or '-'}"
    yield f"object_of={clause.governor or '-'}"
    if clause.at(clause.position - 1).tag == "ADP" and not clause.verbs:
        yield f"after_preposition={clause.word(clause.position - 1)}"
    before = clause.tokens[: clause.position]
    verbs_before = (token.lemma.lower() for token in reversed(before) if token.tag == "VERB")
    yield f"verb_before={next(verbs_before, '-')}"
    for name in ("event-objects", "event-subjects", "weather", "seeming"):
        subject, governed = clause.main_verb, clause.governor
        if subject in word_list(name):
            yield f"subject_of:{name}"
        if governed in word_list(name):
            yield f"object_of:{name}"


def _patterns(clause: ItClause) -> Iterator[str]:
    fitting = [pattern.name for pattern in PATTERNS if pattern.fits(clause)]
    yield f"pattern={fitting[0] if fitting else DEFAULT.name}"
    for name in fitting:
        yield f"fits:{name}"
    if not clause.is_copula:
        return
    place = clause.rest
    while clause.at(place).tag == "ADV":
        place += 1
    predicate = clause.at(place)
    yield f"predicate={predicate.lemma.lower()}"
    yield f"predicate_tag={predicate.tag}"
    near = (clause.word(after) for after in range(place + 1, place + 6))
    following = next((word for word in near if word in word_list("opening")), "-")
    yield f"predicate,opening={predicate.tag}_{following}"


def _place(clause: ItClause) -> Iterator[str]:
    here = clause.position
    yield f"place={min(here, 5)}"
    yield f"left={_bucket(len(clause.tokens) - here - 1)}"
    yield f"end={clause.at(here + 1).tag == '.'}"
    ends = (place for place in reversed(range(here)) if clause.at(place).tag in (".", "CONJ"))
    opener = next(ends, -1)
    yield f"opener={clause.word(opener) if opener >= 0 else '-'}"
    yield f"clause_start={opener + 1 == here}"
    yield f"capital={clause.at(here).form[0].isupper()}"
    yield f"question={clause.word(len(clause.tokens) - 1) == '?'}"


def _antecedents(tokens: Sequence[Token], where: str) -> Iterator[str]:
    """What precedes an `it`: how many nouns and verbs, how near, and demonstratives."""
    nouns = [place for place, token in enumerate(tokens) if token.tag == "NOUN"]
    yield f"{where}:nouns={_bucket(len(nouns))}"
    yield f"{where}:verbs={_bucket(sum(token.tag == 'VERB' for token in tokens))}"
    yield f"{where}:length={_bucket(len(tokens))}"
    if nouns:
        yield f"{where}:distance={_bucket(len(tokens) - nouns[-1])}"
    if any(token.form.lower() in _DEMONSTRATIVES for token in tokens):
        yield f"{where}:demonstrative"


def _earlier_pronoun(tokens: Sequence[Token], where: str) -> Iterator[str]:
    """Whether there was an `it` already, and its verb: chains of pronouns go on."""
    places = [place for place, token in enumerate(tokens) if token.form.lower() == PRONOUN]
    if places:
        yield f"{where}:it"
        yield f"{where}:it_verb={ItClause(tokens, places[-1]).main_verb or '-'}"


def _bucket(number: int) -> str:
    for limit in (0, 1, 2, 4, 8, 16):
        if number <= limit:
            return f"<={limit}"
    return ">16"


_BALANCE = 0.7
"""How far rare labels are made to count as much as frequent ones, from 0 to 1."""
_STRENGTH = 0.05
"""The inverse of the L2 penalty (scikit-learn's C)."""
_RARE = 2
"""Features of fewer examples are left out."""


@settings
class ItClassifier:
    """A trained model, as its file has it: a weight for each feature and label."""

    weights: dict[str, tuple[float, float, float]]
    documents: tuple[str, ...]
    examples: int
    kind: Literal["crosspro it-classifier"] = "crosspro it-classifier"

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return {name: number for number, name in enumerate(self.weights)}

    def probabilities(self, contexts: Sequence[ItContext]) -> Chances:
        """A row for each context, a column for each of `LABELS`."""
        matrix = matrix_of(map(features_of, contexts), self._vocabulary)
        weights = np.array([*self.weights.values()]).reshape(-1, len(LABELS))
        return np.asarray(softmax(matrix @ weights, axis=1))

    def pleonastic(self, contexts: Sequence[ItContext]) -> Chances:
        return self.probabilities(contexts)[:, LABELS.index(PLEONASTIC)]

    def labels(self, contexts: Sequence[ItContext]) -> list[str]:
        return [LABELS[best] for best in self.probabilities(contexts).argmax(axis=1).tolist()]

    def save(self, path: Path) -> None:
        write_text(path, json.dumps(to_mapping(self), ensure_ascii=False, indent=0) + "\n")


def train_classifier(examples: Sequence[ItExample]) -> ItClassifier:
    from sklearn.linear_model import LogisticRegression  # slow to import, and for training only

    gold = np.array([LABELS.index(example.label) for example in examples], np.int64)
    counts = np.bincount(gold, minlength=len(LABELS))
    if not counts.all():
        missing = ", ".join(LABELS[label] for label in np.flatnonzero(counts == 0))
        expected = f"examples of {', '.join(LABELS)}"
        raise CrossproError(f"it-classifier: expected {expected}, found none of {missing}")
    contexts = (features_of(example.context) for example in examples)
    vocabulary, matrix = learn_matrix(contexts, _RARE)
    model = LogisticRegression(C=_STRENGTH, fit_intercept=False, max_iter=2000)
    shares = counts * len(LABELS) / len(gold)
    model.fit(matrix.astype(np.float64), gold, sample_weight=(shares**-_BALANCE)[gold])
    weights = zip(vocabulary, map(tuple, np.asarray(model.coef_).T.tolist()), strict=True)
    documents = sorted({example.document for example in examples})
    return ItClassifier(dict(weights), tuple(documents), len(examples))


def load_classifier(path: Path) -> ItClassifier:
    return check_settings(ItClassifier, read_json_object(path), path)
