"""Gaps of es-en: English subjects of Spanish third-person verbs that have none (004 §3.3.1).

From the Spanish parse come the verb phrases (headed by VERB, AUX or ADJ) in the third person
without a subject. The links of their words lead to the English verb, and the English annotation to
its subject: a pronoun is aligned with nothing, so links cannot find it. Where the English side has
no parse, the subject is looked for to the left of the verb by tags.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crosspro.data_prep.core.example import AnnotatedSentence, Link, Token
from crosspro.data_prep.gaps.extract import GapRules, Placement, insert_unaligned, linked_targets
from crosspro.data_prep.words.lists import word_set

_HEADS = frozenset(("VERB", "AUX", "ADJ"))
_HELPERS = frozenset(("aux", "aux:pass", "auxpass", "cop"))
_SUBJECTS = frozenset(("nsubj", "nsubj:pass", "nsubjpass", "csubj", "expl"))
_SPANISH_SUBJECTS = frozenset(("nsubj", "nsubj:pass", "nsubjpass"))
_SUBJECT_FORMS = word_set("gaps", "en", "subjects")
_OBJECT_FORMS = word_set("gaps", "en", "objects")
_FIRST_PERSON = word_set("gaps", "en", "first-person")
_PASSED_OVER = frozenset(("VERB", "ADV", "PRT"))
_REACH = 8


@dataclass(frozen=True, slots=True)
class VerbPhrase:
    """A Spanish verb phrase without a subject: its first word, and all its words."""

    first: int
    words: tuple[int, ...]


def null_subject_verbs(spanish: AnnotatedSentence) -> list[VerbPhrase]:
    """The third-person verb phrases of a parsed sentence that have no subject."""
    tokens = spanish.tokens
    children: dict[int, list[int]] = {}
    for index, token in enumerate(tokens):
        children.setdefault(token.head, []).append(index)
    phrases = []
    for head, token in enumerate(tokens):
        if token.upos not in _HEADS or token.deprel in _HELPERS:
            continue
        below = children.get(head, [])
        helpers = [child for child in below if tokens[child].deprel in _HELPERS]
        if not any(_third_person(tokens[index]) for index in (head, *helpers)):
            continue
        if any(tokens[child].deprel in _SPANISH_SUBJECTS for child in below):
            continue
        words = tuple(sorted((head, *helpers)))
        phrases.append(VerbPhrase(words[0], words))
    return sorted(phrases, key=lambda phrase: phrase.first)


def _third_person(token: Token) -> bool:
    finite = token.feature("VerbForm") in ("Fin", "")
    return finite and token.feature("Person") == "3" and token.upos in ("VERB", "AUX")


def english_subject(english: AnnotatedSentence, verb: int) -> int | None:
    """The position of the subject of an English verb, None where it has none."""
    if english.parsed:
        return _subject_by_parse(english.tokens, verb)
    return _subject_by_tags(english.tokens, verb)


def _subject_by_parse(tokens: Sequence[Token], verb: int) -> int | None:
    clause = tokens[verb].head if tokens[verb].deprel in _HELPERS else verb
    for index, token in enumerate(tokens):
        if token.head == clause and token.deprel in _SUBJECTS:
            return index
    return None


def _subject_by_tags(tokens: Sequence[Token], verb: int) -> int | None:
    """The nearest subject to the left, over auxiliaries and adverbs; in questions too."""
    for index in range(verb - 1, max(-1, verb - 1 - _REACH), -1):
        form, tag = tokens[index].form.lower(), tokens[index].tag
        if form in _SUBJECT_FORMS:
            return index
        if form in _OBJECT_FORMS or form == "to":
            return None
        if tag in ("NOUN", "PRON"):
            return index
        if tag not in _PASSED_OVER:
            return None
    return None


def place_null_subjects(
    spanish: AnnotatedSentence,
    english: AnnotatedSentence,
    links: Sequence[Link],
    rules: GapRules,
) -> list[Placement]:
    """A placement for each verb phrase; its source index is that of the phrase's first word."""
    linked = linked_targets(links)
    taken: set[int] = set()
    placements = []
    for phrase in null_subject_verbs(spanish):
        targets = [t for word in phrase.words for t in linked.get(word, ())]
        if not targets:
            if rules.insert_unaligned:
                sizes = len(spanish.tokens), len(english.tokens)
                placements.append(insert_unaligned(phrase.first, *sizes, linked))
            else:
                placements.append(Placement(phrase.first, "left_out_unaligned", None))
            continue
        verbs = [t for t in targets if _is_verb(english.tokens[t])]
        subjects = [english_subject(english, verb) for verb in verbs or targets]
        linked_subjects = [subject for subject in subjects if subject is not None]
        if not linked_subjects:
            placements.append(Placement(phrase.first, "left_out_no_subject", None))
        elif (
            not rules.keep_first_person
            and english.tokens[linked_subjects[0]].form.lower() in _FIRST_PERSON
        ):
            # Many forms are first and third person alike (tenía); the translation tells.
            placements.append(Placement(phrase.first, "left_out_first_person", None))
        elif linked_subjects[0] in taken:
            placements.append(Placement(phrase.first, "left_out_shared_subject", None))
        else:
            taken.add(linked_subjects[0])
            placements.append(Placement(phrase.first, "subject_found", linked_subjects[0]))
    return placements


_FINITE = word_set("gaps", "en", "after-subjects")
_NO_VERBS = word_set("gaps", "es", "no-verbs")


def linked_verb(
    spanish: Sequence[str], english: Sequence[str], links: Sequence[Link], subject: int
) -> int | None:
    """The Spanish word that the verb of an English subject is linked to, found without a parse.

    The verb follows its subject, but for questions, in which a form of it stands before.
    """
    linked = linked_targets((t, s) for s, t in links)
    places = list(range(subject + 1, min(subject + 1 + _REACH // 2, len(english))))
    if subject and english[subject - 1].lower() in _FINITE:
        places.insert(0, subject - 1)
    for place in (*places, subject):
        verbs = [
            word
            for word in sorted(linked.get(place, ()))
            if spanish[word].isalpha() and spanish[word].lower() not in _NO_VERBS
        ]
        if verbs:
            return verbs[0]
    return None


def _is_verb(token: Token) -> bool:
    return token.tag == "VERB" or token.upos in ("VERB", "AUX")
