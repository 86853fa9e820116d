"""Features of an `it` for a maximum-entropy model: names that are there or not.

Lemmas and tags around it; its verb, the verb before it and the one it is the object of; how
its clause opens; the pattern that fits (`patterns`); where it stands; which nouns, pronouns and
clauses could be its antecedent, here and in the sentence before; its head, where a parse is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from crosspro.baselines.it_classifier.context import PRONOUN, ItContext, by_sentence
from crosspro.baselines.it_classifier.patterns import PATTERNS, ItClause, pattern_of
from crosspro.data_prep.annotate.light_tagger import light_annotation, word_list
from crosspro.data_prep.core.example import Token

_DEMONSTRATIVES = frozenset(("this", "that", "these", "those"))


def it_features(context: ItContext, annotated: bool) -> list[str]:
    """The features of an `it`, with the annotation that its context has or with the light one."""
    return next(features_of([context], annotated))


def features_of(contexts: Sequence[ItContext], annotated: bool) -> Iterator[list[str]]:
    """The same for several; a sentence in which many of them are is gone through once, so that the
    time grows with its words and not with the square of them."""
    for first, group in by_sentence(contexts):
        if annotated and first.annotated is not None:
            here = _Sentence(first.annotated.tokens)
            before = _Sentence(first.annotated_before.tokens if first.annotated_before else ())
        else:
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
                *_parsed(here, context.position),
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
        self.labels: dict[int, Counter[str]] = {}
        """The labels of the dependants of each head."""
        for token in tokens:
            if token.deprel:
                self.labels.setdefault(token.head, Counter())[token.deprel] += 1


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


def _parsed(sentence: _Sentence, position: int) -> Iterator[str]:
    """Label and head of the pronoun, and the labels of its head's other dependants."""
    token = sentence.tokens[position]
    if not token.deprel:
        return
    yield f"label={token.deprel}"
    if token.head < 0:
        return
    head = sentence.tokens[token.head]
    yield f"head={head.lemma.lower()}"
    yield f"label,head={token.deprel}_{head.lemma.lower()}"
    yield f"head_tag={head.tag}"
    for label, count in sentence.labels[token.head].items():
        if count > (label == token.deprel):
            yield f"sister={label}"


def _bucket(number: int) -> str:
    for limit in (0, 1, 2, 4, 8, 16):
        if number <= limit:
            return f"<={limit}"
    return ">16"
