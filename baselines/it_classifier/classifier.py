"""A maximum-entropy model of what an `it` is: features, training, one JSON file.

Features are names that are there or not: lemmas and tags around it; its verb, the verb before it
and the one it is the object of; how its clause opens; the pattern that fits (`patterns`); where it
stands; which nouns, pronouns and clauses could be its antecedent, here and in the sentence before.

The file holds the weights with a checksum and the documents that were learnt from, so that nobody
scores a text that the model knows by accident. Loading it runs no code.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.baselines.it_classifier.context import (
    LABELS,
    PRONOUN,
    ItContext,
    ItExample,
    ItProbabilities,
    ItScorer,
    by_sentence,
)
from crosspro.baselines.it_classifier.patterns import PATTERNS, ItClause, pattern_of
from crosspro.data_prep.annotate.light_tagger import light_annotation, word_list
from crosspro.data_prep.core.errors import CrossproError, choices, input_error, quoted
from crosspro.data_prep.core.example import Token
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.settings import check_settings

_DEMONSTRATIVES = frozenset(("this", "that", "these", "those"))


def features_of(contexts: Sequence[ItContext]) -> Iterator[list[str]]:
    """The features of each `it`.

    A sentence in which many of them are is gone through once, so that the time grows with its words
    and not with the square of them.
    """
    for first, group in by_sentence(contexts):
        here = _Sentence(light_annotation(first.words).tokens)
        before = _Sentence(light_annotation(first.before).tokens)
        end = len(before.tokens)
        last = [*_antecedents(before, end, "before")], [*_earlier_pronoun(before, end, "before")]
        for context in group:
            clause = ItClause(here.tokens, context.position)
            yield [
                "bias",
                *_window(clause),
                *_verbs(clause, here),
                *_patterns(clause, here.tokens),
                *_place(clause, here),
                *_antecedents(here, context.position, "here"),
                *last[0],
                *_earlier_pronoun(here, context.position, "here"),
                *last[1],
            ]


class _Sentence:
    """A sentence, and for each place what stands before it (the last is the sentence's end)."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.nouns, self.verbs, self.openers = [0], [0], [0]
        self.last_noun, self.last_it = [-1], [-1]
        self.last_verb = ["-"]
        self.demonstrative = [False]
        for place, token in enumerate(tokens):
            form, noun, verb = token.form.lower(), token.tag == "NOUN", token.tag == "VERB"
            self.nouns.append(self.nouns[-1] + noun)
            self.verbs.append(self.verbs[-1] + verb)
            self.last_noun.append(place if noun else self.last_noun[-1])
            self.last_verb.append(token.lemma.lower() if verb else self.last_verb[-1])
            self.last_it.append(place if form == PRONOUN else self.last_it[-1])
            self.demonstrative.append(self.demonstrative[-1] or form in _DEMONSTRATIVES)
            ends = token.tag in (".", "CONJ")
            self.openers.append(place + 1 if ends else self.openers[-1])


def _window(clause: ItClause) -> Iterator[str]:
    """Neighbours; wider windows of words, and n-grams, only overfit the little text there is."""
    for offset in (-2, -1, 1, 2):
        token = clause.at(clause.position + offset)
        yield f"tag{offset:+}={token.tag}"
        if abs(offset) == 1:
            yield f"lemma{offset:+}={token.lemma.lower()}"


def _verbs(clause: ItClause, sentence: _Sentence) -> Iterator[str]:
    yield f"verb={clause.main_verb or '-'}"
    yield f"verb,next={clause.main_verb or '-'}_{clause.word(clause.rest)}"
    yield f"verb,tag={clause.main_verb or '-'}_{clause.at(clause.rest).tag}"
    yield f"auxiliaries={'_'.join(clause.verbs[:-1]) or '-'}"
    yield f"inverted={clause.inverted or '-'}"
    yield f"object_of={clause.governor or '-'}"
    if clause.at(clause.position - 1).tag == "ADP" and not clause.verbs:
        yield f"after_preposition={clause.word(clause.position - 1)}"
    yield f"verb_before={sentence.last_verb[clause.position]}"
    for name in ("event-objects", "event-subjects", "weather", "seeming"):
        subject, governed = clause.main_verb, clause.governor
        if subject in word_list(name):
            yield f"subject_of:{name}"
        if governed in word_list(name):
            yield f"object_of:{name}"


def _patterns(clause: ItClause, tokens: Sequence[Token]) -> Iterator[str]:
    yield f"pattern={pattern_of(tokens, clause.position).name}"
    for pattern in PATTERNS:
        if pattern.fits(clause):
            yield f"fits:{pattern.name}"
    if not clause.is_copula:
        return
    place = clause.rest
    while clause.at(place).tag == "ADV":
        place += 1
    predicate = clause.at(place)
    yield f"predicate={predicate.lemma.lower()}"
    yield f"predicate_tag={predicate.tag}"
    following = next(
        (
            clause.word(one)
            for one in range(place + 1, place + 6)
            if clause.word(one) in word_list("opening")
        ),
        "-",
    )
    yield f"predicate,opening={predicate.tag}_{following}"


def _place(clause: ItClause, sentence: _Sentence) -> Iterator[str]:
    here = clause.position
    yield f"place={min(here, 5)}"
    yield f"left={_bucket(len(clause.tokens) - here - 1)}"
    yield f"end={clause.at(here + 1).tag == '.'}"
    opener = sentence.openers[here]
    yield f"opener={clause.word(opener - 1) if opener else '-'}"
    yield f"clause_start={opener == here}"
    yield f"capital={clause.at(here).form[0].isupper()}"
    yield f"question={clause.word(len(clause.tokens) - 1) == '?'}"


def _antecedents(sentence: _Sentence, end: int, where: str) -> Iterator[str]:
    """What precedes a place: how many nouns and verbs, how near, and demonstratives."""
    nouns = sentence.nouns[end]
    yield f"{where}:nouns={_bucket(nouns)}"
    yield f"{where}:verbs={_bucket(sentence.verbs[end])}"
    yield f"{where}:length={_bucket(end)}"
    if nouns:
        yield f"{where}:distance={_bucket(end - sentence.last_noun[end])}"
    if sentence.demonstrative[end]:
        yield f"{where}:demonstrative"


def _earlier_pronoun(sentence: _Sentence, end: int, where: str) -> Iterator[str]:
    """Whether there was an `it` already, and its verb: chains of pronouns go on."""
    place = sentence.last_it[end]
    if place >= 0:
        first = max(0, place - 2)  # as far back as an auxiliary can be
        clause = ItClause(sentence.tokens[first:end], place - first)
        yield f"{where}:it"
        yield f"{where}:it_verb={clause.main_verb or '-'}"


def _bucket(number: int) -> str:
    for limit in (0, 1, 2, 4, 8, 16):
        if number <= limit:
            return f"<={limit}"
    return ">16"


FORMAT = 1
RARE = 2
"""Features of fewer examples are left out."""
BALANCE = 0.7
"""How far rare labels are made to count as much as frequent ones, from 0 to 1."""
_KIND = "crosspro it-classifier"


class ItClassifier(ItScorer):
    """A trained model: a weight for each feature and label."""

    def __init__(
        self,
        weights: Mapping[str, Sequence[float]],
        documents: Sequence[str] = (),
        examples: int = 0,
    ) -> None:
        self.documents = tuple(documents)
        self.examples = examples
        self.names = {name: number for number, name in enumerate(weights)}
        self.weights = np.array([*weights.values()], dtype=np.float64).reshape(-1, len(LABELS))

    def probabilities(self, contexts: Sequence[ItContext]) -> ItProbabilities:
        """The probability of each label for each context."""
        totals = np.zeros((len(contexts), len(LABELS)))
        for total, names in zip(totals, features_of(contexts), strict=True):
            known = [self.names[name] for name in dict.fromkeys(names) if name in self.names]
            total += self.weights[known].sum(axis=0)
        away = totals - totals.max(axis=1, keepdims=True)
        return np.asarray(np.exp(away - np.log(np.exp(away).sum(axis=1, keepdims=True))))

    def described(self) -> str:
        """What it is."""
        return f"a model trained on {self.examples:,} examples of {len(self.documents)} documents"

    def save(self, path: Path) -> None:
        """Write the model to a file."""
        content: dict[str, Any] = {
            "kind": _KIND,
            "format": FORMAT,
            "examples": self.examples,
            "documents": list(self.documents),
            "labels": list(LABELS),
            "weights": {name: self.weights[i].tolist() for name, i in self.names.items()},
        }
        whole = {"sha256": _digest(content), **content}
        write_text(path, json.dumps(whole, ensure_ascii=False, indent=0) + "\n")


def train_classifier(
    examples: Sequence[ItExample],
    balance: float = BALANCE,
    strength: float = 0.05,
) -> ItClassifier:
    """Learn weights; `strength` is the inverse of the L2 penalty (scikit-learn's C).

    With `balance` 0 all examples count alike, and probabilities mean what they say; with 1 all
    labels count alike, so that more events are found and more of what is called one is none. The
    same examples in the same order give the same weights.
    """
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    missing = [label for label in LABELS if label not in {one.label for one in examples}]
    if missing:
        raise CrossproError(
            f"it-classifier: expected examples of {choices(LABELS)}, found none of "
            f"{', '.join(missing)} among {len(examples):,}"
        )
    found = features_of([example.context for example in examples])
    rows = [list(dict.fromkeys(names)) for names in found]
    counts = Counter(name for row in rows for name in row)
    names = [name for name, count in counts.items() if count >= min(RARE, len(examples))]
    numbers = {name: number for number, name in enumerate(names)}
    places = [[numbers[name] for name in row if name in numbers] for row in rows]
    ends = np.cumsum([0, *map(len, places)])
    columns = np.array([place for row in places for place in row], dtype=np.int64)
    matrix = csr_matrix((np.ones(len(columns)), columns, ends), (len(rows), len(names)))
    gold = np.array([LABELS.index(one.label) for one in examples])
    shares = np.bincount(gold) * len(LABELS) / len(gold)
    model = LogisticRegression(C=strength, fit_intercept=False, max_iter=2000)
    model.fit(matrix, gold, sample_weight=(shares**-balance)[gold])
    weights = np.asarray(model.coef_, dtype=np.float64).T
    documents = sorted({one.document for one in examples})
    learnt = dict(zip(names, weights.tolist(), strict=True))
    return ItClassifier(learnt, documents, len(examples))


def load_classifier(path: Path) -> ItClassifier:
    """Read a model; raises `InputError` if the file is none, or has changed since it was saved."""
    content = read_json_object(path)
    if content.get("kind") != _KIND or content.get("format") != FORMAT:
        found = f"{quoted(repr(content.get('kind')))}, format {quoted(repr(content.get('format')))}"
        raise input_error(path, "file", f"a {_KIND} of format {FORMAT}", found)
    rest = {key: value for key, value in content.items() if key != "sha256"}
    if content.get("sha256") != _digest(rest):
        expected = f"the checksum {quoted(str(content.get('sha256')))} that it was saved with"
        raise input_error(path, "sha256", expected, _digest(rest))
    saved = check_settings(_Saved, content, path)
    if saved.labels != LABELS:
        raise input_error(path, "labels", ", ".join(LABELS), ", ".join(saved.labels))
    return ItClassifier(saved.weights, saved.documents, saved.examples)


@dataclass(frozen=True)
class _Saved:
    """The file of a model."""

    kind: str
    format: int
    sha256: str
    examples: int
    documents: tuple[str, ...]
    labels: tuple[str, ...]
    weights: dict[str, tuple[float, float, float]]


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode("ascii")).hexdigest()
