"""Is an English `it` a subject? Rules over words and predicted tags, for want of a parser.

The papers asked a dependency parser (003 §3.3.3). Without one, what stands before and after `it`
decides nearly always. The rules are tried in this order; reports count them by name:

- *inversion*: an auxiliary without a subject of its own stands before it (`Is it`, `does n't it`,
  `nor has it`); in `who did it` and `that is it` it is no subject.
- *preposition*: after one it is an object, unless a clause follows (`for it to work`, `of it
  being`), also after words that are conjunctions too (`before it starts`, `like it is`).
- *verb*: after a verb it is an object, unless the verb takes a clause and a finite verb follows
  (`I think it works`); `let it go`, `get it done`, `the way we say it is` stay objects.
- *verb_follows*: elsewhere it is a subject if a verb comes next, adverbs aside.
- *clause_start*: at the start of a clause it is a subject even if the tagger saw no verb.
- *nothing*: otherwise it is none.

The word lists are in `conf/words/subjects/`.
"""

from __future__ import annotations

from crosspro.data_prep.core.example import AnnotatedSentence
from crosspro.data_prep.gaps.subjects.words import (
    PronounContext,
    SubjectJudgement,
    subject_words,
)
from crosspro.data_prep.gaps.subjects.words import WordClass as W

_WORDS = subject_words("en")
NEGATED, NEGATION, BETWEEN = _WORDS["negated"], _WORDS["negation"], _WORDS["between"]
BE, MODAL = _WORDS["be"], _WORDS["modal"]
AUXILIARY = BE | MODAL | _WORDS["do-have"]
CLAUSE_VERBS, EXPLETIVE_VERBS = _WORDS["clause-verbs"], _WORDS["expletive-verbs"]
CONJUNCTION_TOO = _WORDS["conjunction-too"]
VERBS = frozenset((W.FINITE, W.BASE, W.ING, W.PARTICIPLE))


class EnglishIt(PronounContext):
    """An `it` in its sentence: `before` and `after` are the places that decide."""

    def __init__(self, sentence: AnnotatedSentence, index: int) -> None:
        super().__init__(sentence, index)
        self.before = index - 1
        self.after = self._step_over(index + 1)

    def verdict(self) -> SubjectJudgement:
        """The first rule that applies decides."""
        for rule in (self.inversion, self.preposition, self.verb):
            subject = rule()
            if subject is not None:
                return SubjectJudgement(subject, rule.__name__, subject and self._expletive())
        if self.verb_follows():
            return SubjectJudgement(True, "verb_follows", self._expletive())
        if self.at_clause_start():
            return SubjectJudgement(True, "clause_start")
        return SubjectJudgement(False, "nothing")

    # The three contexts that can make it an object; None where the context is another.

    def inversion(self) -> bool | None:
        """After an auxiliary: whether that waits for a subject."""
        place = self.before - 1 if self.word(self.before) in NEGATION else self.before
        auxiliary, kind = self.word(place), self.kind(place)
        if auxiliary not in AUXILIARY:
            return None
        if kind not in (W.FINITE, W.PUNCT, W.OTHER) and auxiliary not in NEGATED:
            return None
        if auxiliary in MODAL:
            return True
        has_subject = self._subject_ends_at(place - 1)
        if auxiliary in BE:
            # `that is it` has its subject, but `what kind is it` and `the reason is it works` not
            return not has_subject or self._asks(place) or self.finite_follows()
        if has_subject:
            return None
        # do and have are main verbs too: `who did it`, `Have it your way`
        if self.kind(self.after) in VERBS:
            return True
        left = self.word(place - 1)
        tag_question = left == "," and self.kind(self.index + 1) is W.PUNCT
        return tag_question or left in ("nor", "neither", "so", "than", "as")

    def preposition(self) -> bool | None:
        """After a preposition: whether a clause follows."""
        if self.kind(self.before) not in (W.PREP, W.TO):
            return None
        word, follower = self.word(self.before), self.word(self.index + 1)
        if word in CONJUNCTION_TOO:
            return self.verb_follows()
        return follower in ("being", "having") or (word == "for" and follower == "to")

    def verb(self) -> bool | None:
        """After a verb: whether a clause follows that the verb can take."""
        if self.kind(self.before) not in VERBS:
            return None
        if not self.finite_follows() or self.lemmas[self.before] not in CLAUSE_VERBS:
            return False
        return self.word(self.before - 2) != "way"

    # What follows.

    def verb_follows(self) -> bool:
        """Whether the next word, adverbs aside, is a verb that can belong to it."""
        if self.after >= len(self.words):
            return False
        word, kind = self.word(self.after), self.kind(self.after)
        if word in AUXILIARY or kind in (W.FINITE, W.BASE, W.PARTICIPLE):
            return True
        return kind is W.NOUN and word.endswith("s")  # `it maps`: no noun phrase begins with it

    def finite_follows(self) -> bool:
        """Whether that verb is finite, so that it has a clause of its own."""
        if self.after >= len(self.words):
            return False
        return self.word(self.after) in AUXILIARY or self.kind(self.after) is W.FINITE

    def at_clause_start(self) -> bool:
        """Whether a clause begins with it."""
        kind, word = self.kind(self.before), self.word(self.before)
        if self.before < 0 or kind in (W.SUBORD, W.WH) or word in CONJUNCTION_TOO:
            return True
        return kind is W.PUNCT and self.kind(self.index + 1) is not W.PUNCT

    def _expletive(self) -> bool:
        """Whether it only announces a clause: `it is hard to say`, `it seems that`."""
        if self.after < len(self.words):
            lemma = self.lemmas[self.after]
            if lemma in EXPLETIVE_VERBS or (lemma == "turn" and self.word(self.after + 1) == "out"):
                return True
        following = [*zip(self.words, self.classes, strict=True)][self.index + 1 : self.index + 9]
        is_predicate = False
        for word, kind in following:
            if kind is W.PUNCT:
                return False
            if is_predicate and (kind is W.TO or word == "that"):
                return True
            is_predicate = is_predicate or kind is W.ADJ
            if kind in VERBS and word not in AUXILIARY and word not in ("be", "been"):
                return False
        return False

    # Small steps.

    def _step_over(self, place: int) -> int:
        """The first place from here that holds neither an adverb nor a word such as `all`."""
        while place < len(self.words):
            word = self.words[place]
            if self.kind(place) is not W.ADV and word not in BETWEEN and word not in NEGATION:
                break
            if word == "s":  # `it s`, written without the apostrophe
                break
            place += 1
        return place

    def _subject_ends_at(self, place: int) -> bool:
        """Whether a noun phrase ends here that can be the subject of an auxiliary."""
        while place >= 0 and self.kind(place) is W.ADV:
            place -= 1
        if self.kind(place) in (W.NOUN, W.PRON, W.NUM):
            return True
        return self.word(place) in ("this", "that", "these", "those", "all")

    def _asks(self, place: int) -> bool:
        """Whether a question word opens the phrase that ends before `place`."""
        while place > 0 and self.kind(place - 1) not in VERBS | {W.PUNCT}:
            place -= 1
            if self.kind(place) is W.WH:
                return True
        return False
