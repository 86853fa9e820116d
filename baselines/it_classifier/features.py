"""Features of an `it` for a maximum-entropy model: names that are there or not.

Lemmas and tags around it; its verb, the verb before it and the one it is the object of; how
its clause opens; the pattern that fits (`patterns`); where it stands; which nouns, pronouns and
clauses could be its antecedent, here and in the sentence before; its head, where a parse is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crosspro.baselines.it_classifier.context import PRONOUN, ItContext
from crosspro.baselines.it_classifier.patterns import PATTERNS, ItClause, pattern_of
from crosspro.data_prep.annotate.light_tagger import light_annotation, word_list
from crosspro.data_prep.token import Token

_DEMONSTRATIVES = frozenset(("this", "that", "these", "those"))


def it_features(context: ItContext, annotated: bool) -> list[str]:
    """The features of an `it`, with the annotation that its context has or with the light one."""
    if annotated and context.annotated is not None:
        tokens: Sequence[Token] = context.annotated.tokens
        before = context.annotated_before.tokens if context.annotated_before else ()
    else:
        tokens = light_annotation(context.words).tokens
        before = light_annotation(context.before).tokens
    clause = ItClause(tokens, context.position)
    return [
        "bias",
        *_window(clause),
        *_verbs(clause),
        *_patterns(clause, tokens),
        *_place(clause),
        *_antecedents(tokens[: context.position], "here"),
        *_antecedents(before, "before"),
        *_earlier_pronouns(clause, before),
        *_parsed(tokens, context.position),
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
    earlier = (one for one in reversed(clause.tokens[: clause.position]) if one.tag == "VERB")
    yield f"verb_before={next((one.lemma.lower() for one in earlier), '-')}"
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


def _place(clause: ItClause) -> Iterator[str]:
    here = clause.position
    yield f"place={min(here, 5)}"
    yield f"left={_bucket(len(clause.tokens) - here - 1)}"
    yield f"end={clause.at(here + 1).tag == '.'}"
    opener = here
    while opener > 0 and clause.at(opener - 1).tag not in (".", "CONJ"):
        opener -= 1
    yield f"opener={clause.word(opener - 1) if opener else '-'}"
    yield f"clause_start={opener == here}"
    yield f"capital={clause.at(here).form[0].isupper()}"
    yield f"question={clause.word(len(clause.tokens) - 1) == '?'}"


def _antecedents(tokens: Sequence[Token], where: str) -> Iterator[str]:
    """What precedes in a sentence: how many nouns and verbs, how near, and demonstratives."""
    nouns = [place for place, token in enumerate(tokens) if token.tag == "NOUN"]
    yield f"{where}:nouns={_bucket(len(nouns))}"
    yield f"{where}:verbs={_bucket(sum(token.tag == 'VERB' for token in tokens))}"
    yield f"{where}:length={_bucket(len(tokens))}"
    if nouns:
        yield f"{where}:distance={_bucket(len(tokens) - nouns[-1])}"
    if any(token.form.lower() in _DEMONSTRATIVES for token in tokens):
        yield f"{where}:demonstrative"


def _earlier_pronouns(clause: ItClause, before: Sequence[Token]) -> Iterator[str]:
    """Whether there was an `it` already, and its verb: chains of pronouns go on."""
    for where, tokens in (("here", clause.tokens[: clause.position]), ("before", before)):
        places = [i for i, token in enumerate(tokens) if token.form.lower() == PRONOUN]
        if places:
            yield f"{where}:it"
            yield f"{where}:it_verb={ItClause(tokens, places[-1]).main_verb or '-'}"


def _parsed(tokens: Sequence[Token], position: int) -> Iterator[str]:
    """Label and head of the pronoun, and the labels of its head's other dependants."""
    token = tokens[position]
    if not token.deprel:
        return
    yield f"label={token.deprel}"
    if token.head < 0:
        return
    head = tokens[token.head]
    yield f"head={head.lemma.lower()}"
    yield f"label,head={token.deprel}_{head.lemma.lower()}"
    yield f"head_tag={head.tag}"
    for other in tokens:
        if other.head == token.head and other is not token:
            yield f"sister={other.deprel}"


def _bucket(number: int) -> str:
    for limit in (0, 1, 2, 4, 8, 16):
        if number <= limit:
            return f"<={limit}"
    return ">16"
