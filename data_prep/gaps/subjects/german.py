"""The clause around a German pronoun: where it begins and ends, and its finite verb.

Commas separate clauses in German, so punctuation does most of the work; conjunctions, question
words and a second finite verb show where a clause begins without one.

Is a German `es` or `sie` a subject? Rules over words and predicted tags, for want of a parser.

German marks the difference on neither word, so the rules look at the whole clause: its finite verb,
its kind (verb first, second or last), other words that must be nominative, and the number of the
verb. Tried in this order; reports count them by name:

- *preposition*, *attribute*: `für sie` and `der sie begleitende Arzt` are objects.
- *infinitive*: a clause without a finite verb has no subject (`, sie zu sehen`, `und sie sehen`).
- *nominative*: `ich`, `er`, `wir`, `man`, `wer` … in the same clause leave no room for another.
- *pair*: of `es` and `sie` in one clause the first is the subject, but `es` in `gibt es sie`, and
  `sie` where the verb is plural.
- *verb_last*: after a conjunction it is the subject (`weil sie …`), unless a noun phrase comes
  between; after a relative pronoun the pronoun's form and the verb's number decide.
- *first*: in front of the finite verb it is the subject (`Sie haben`, `Es gibt`); if other words
  come between, the clause continues one that has its subject (`und sie nicht zählt`).
- *verb_first*: `Haben sie` and `, haben sie` are questions or main clauses after a clause, so it is
  the subject; `und lasse es` continues a clause that has one.
- *verb_second*: `Dann haben sie` is the subject, unless what stands before the verb can be it: a
  noun phrase that agrees with the verb and is not marked as another case.
- *no_verb*: without any verb, it is a subject if the clause begins with it.

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

_WORDS = subject_words("de")
BREAKS, COMPARISON = _WORDS["breaks"], _WORDS["comparison"]
CONJUNCTION_TOO = _WORDS["conjunction-too"]
INFINITIVE_CONJUNCTIONS = _WORDS["infinitive-conjunctions"]
VERBS = frozenset((W.FINITE, W.BASE, W.PARTICIPLE))
NOUN_PHRASE = frozenset((W.DET, W.ADJ, W.NUM, W.NOUN))


class GermanClause(PronounContext):
    """The clause of the pronoun at `index`: the words from `start` up to `end`.

    `coordinated`: a conjunction such as `und` joins it to what goes before.
    `opener`: the place of the conjunction, question word or relative pronoun that puts the verb
    last; `verb`: the place of the finite verb. Both are -1 if there is none.
    """

    def __init__(self, sentence: AnnotatedSentence, index: int) -> None:
        super().__init__(sentence, index)
        self.pronoun = self.words[index]
        self.start, self.end = self._bounds()
        self.coordinated = self.kind(self.start - 1) is W.COORD
        self.opener = self._opener()
        self.verb = self._finite_verb()

    def plural_verb(self) -> bool:
        """Whether the finite verb is plural."""
        return is_plural(self.words[self.verb])

    def verb_is(self, lemmas: frozenset[str]) -> bool:
        """Whether the finite verb is one of these."""
        return self.lemmas[self.verb] in lemmas

    def has_zu(self, place: int) -> bool:
        """Whether the infinitive here has `zu`, before it or within (`einzukaufen`)."""
        return self.kind(place - 1) is W.TO or "zu" in self.words[place][1:-3]

    def is_question(self) -> bool:
        """Whether the sentence ends with a question mark."""
        marks = (word for word in self.words[self.index :] if word in (".", "!", "?"))
        return next(marks, "") == "?"

    def phrase_start(self, place: int) -> int:
        """The first word of the noun phrase that ends here."""
        while place > 0 and self.classes[place - 1] in NOUN_PHRASE:
            place -= 1
        return place

    def after_opener(self) -> int:
        """The place after the opener's phrase: `wie viele Leute`, `welche Leute`, `deren Leute`."""
        word, after = self.words[self.opener], self.opener + 1
        with_noun = word.startswith("welch") or word in ("deren", "dessen")
        if not with_noun and not self.word(after).startswith(("viel", "wenig")):
            return after
        nouns = (p for p in range(after, self.index) if self.classes[p] is W.NOUN)
        return next(nouns, self.opener) + 1

    def before_relative_clause(self) -> tuple[int, int]:
        """The range of `Der Hof` in `Der Hof , der es prüfte , nannte sie`; else an empty one."""
        comma = self.start - 1
        relative = self._back_to_break(comma)
        is_relative = W.RELATIVE in self.classes[relative : relative + 2]
        if self.word(comma) != "," or relative == 0 or not is_relative:
            return 0, 0
        return self._back_to_break(relative - 1), relative - 1

    def _back_to_break(self, place: int) -> int:
        while place > 0 and not self._breaks(place - 1):
            place -= 1
        return max(place, 0)

    def _bounds(self) -> tuple[int, int]:
        start, end = self.index, self.index + 1
        while start > 0 and not self._begins_at(start):
            start -= 1
        while end < len(self.words) and not self._breaks(end) and not self._another_at(end):
            end += 1
        return start, end

    def _breaks(self, place: int) -> bool:
        if self.words[place] == "-":  # a hyphen between nouns is no dash
            return not {self.kind(place - 1), self.kind(place + 1)} <= NOUN_PHRASE
        return self.words[place] in BREAKS

    def _begins_at(self, place: int) -> bool:
        """Whether the pronoun's clause begins here, at it or before it."""
        if self._breaks(place - 1):
            return True
        if self.classes[place - 1] is W.COORD:  # joins clauses, not words
            return not VERBS.isdisjoint(self.classes[place:])
        if place == self.index:  # `wir denken es ändert`
            single = self.kind(place + 1) is W.FINITE and not is_plural(self.word(place + 1))
            return single and self.kind(place - 1) in VERBS
        if place == self.index - 1 and self.kind(place) is W.FINITE:
            # `Wenn Sie fragen ist es`: the fronted clause has a verb of its own
            return self.kind(place - 1) in VERBS
        if self.kind(place) in (W.SUBORD, W.WH):
            following = self.classes[place + 1 : self.index]
            return W.FINITE not in following or following[0] is W.FINITE  # `warum hat es`
        return False

    def _another_at(self, place: int) -> bool:
        """Whether another clause begins here, after the pronoun."""
        if self.classes[place] is W.COORD:
            return W.FINITE in self.classes[place:]
        if self.words[place] in COMPARISON:
            return self.kind(place + 1) in (W.PRON, W.SUBORD)
        return self._puts_verb_last(place)

    def _puts_verb_last(self, place: int) -> bool:
        kind = self.classes[place]
        return kind in (W.SUBORD, W.RELATIVE, W.WH) or self.words[place] == "was"

    def _opener(self) -> int:
        for place in range(self.index - 1, self.start - 1, -1):
            if self.classes[place] is W.FINITE:
                return -1
            if self._puts_verb_last(place) or self.words[place] in CONJUNCTION_TOO:
                return place
            if self.classes[place] is W.DET and place == self.index - 1:
                return place  # a relative pronoun read as an article
        return -1

    def _finite_verb(self) -> int:
        finite = [p for p in range(self.start, self.end) if self.classes[p] is W.FINITE]
        if self.opener < 0:
            return finite[0] if finite else -1
        after = [p for p in finite if p > self.index]
        if after:
            return after[-1]
        if self.words[self.opener] in INFINITIVE_CONJUNCTIONS:
            return -1
        # Plural verbs at the end of a clause look like infinitives, and taggers call them so.
        rest = range(self.index, self.end)
        bare = [p for p in rest if self.classes[p] is W.BASE and not self.has_zu(p)]
        participles = [p for p in rest if self.classes[p] is W.PARTICIPLE]
        return (bare or participles or [-1])[-1]


def is_plural(verb: str) -> bool:
    """Whether a finite verb is plural, as far as its form tells."""
    return verb == "sind" or verb.endswith(("en", "ern", "eln"))


NOMINATIVE, OBLIQUE, MASCULINE = _WORDS["nominative"], _WORDS["oblique"], _WORDS["masculine"]
SINGULAR, PLURAL, TIMES = _WORDS["singular"], _WORDS["plural"], _WORDS["times"]
COPULA, IMPERSONAL = _WORDS["copula"], _WORDS["impersonal"]
EXPLETIVE_VERBS, DROPPED_I = _WORDS["expletive-verbs"], _WORDS["dropped-i"]
FRONT_ADVERBS = _WORDS["front-adverbs"]


class GermanPronoun(GermanClause):
    """An `es`, `sie` or `Sie`; each rule gives a verdict, or None where it does not apply."""

    def verdict(self) -> SubjectJudgement:
        """The first rule that applies decides."""
        rules = (
            self.preposition,
            self.attribute,
            self.infinitive,
            self.nominative,
            self.pair,
            self.verb_last,
            self.first,
            self.verb_first,
            self.verb_second,
        )
        for rule in rules:
            subject = rule()
            if subject is not None:
                return SubjectJudgement(subject, rule.__name__, subject and self._expletive())
        return SubjectJudgement(self.index == self.start, "no_verb")

    def preposition(self) -> bool | None:
        word, kind = self.word(self.index - 1), self.kind(self.index - 1)
        if kind is W.COMPARE or (kind is W.PREP and word in CONJUNCTION_TOO):
            return None if self.verb > self.index else False
        return False if kind is W.PREP else None

    def attribute(self) -> bool | None:
        inside = self.kind(self.index - 1) is W.DET and self.kind(self.index + 1) is W.ADJ
        return False if inside and self.kind(self.index + 2) in NOUN_PHRASE else None

    def infinitive(self) -> bool | None:
        if self.verb >= 0:
            return None
        verbs = [p for p in range(self.index, self.end) if self.classes[p] in VERBS]
        if not verbs:
            announced = self.opener >= 0 and self.words[self.opener] in INFINITIVE_CONJUNCTIONS
            return False if announced else None
        # `sie überlegen ,`: a plural verb read as an infinitive
        misread = self.pronoun == "sie" and self.index == self.start and not self.coordinated
        return misread and verbs[0] == self.index + 1 and not self.has_zu(verbs[0])

    def nominative(self) -> bool | None:
        others = (p for p in range(self.start, self.end) if p != self.index)
        return False if any(self._must_be_nominative(p) for p in others) else None

    def pair(self) -> bool | None:
        others = [
            place
            for place in range(self.start, self.end)
            if self.words[place] in ("es", "sie")
            and place != self.index
            and self.kind(place - 1) is not W.PREP
        ]
        if not others or self.verb < 0:
            return None
        if self.pronoun != self.words[others[0]]:
            if self.plural_verb():
                return self.pronoun == "sie"
            if self.verb_is(IMPERSONAL):
                return self.pronoun == "es"
        return self.index < others[0]

    def verb_last(self) -> bool | None:
        if self.opener < 0:
            return None
        if any(self._may_be_nominative(p) for p in range(self.after_opener(), self.index)):
            return False
        relative = self.classes[self.opener] in (W.RELATIVE, W.DET)
        if relative and self.words[self.opener] in MASCULINE:
            return self.kind(self.opener - 1) is W.PREP
        return self._agrees()

    def first(self) -> bool | None:
        if self.verb < self.index:
            return None
        between = self.words[self.index + 1 : self.verb]
        if all(word in FRONT_ADVERBS for word in between):
            return True
        return self.index == 0 or self.verb_is(COPULA)

    def verb_first(self) -> bool | None:
        if self.verb != self.start:
            return None
        if self._subject_between():
            return False
        if self.forms[self.index] == "Sie" or self.is_question():
            return True
        if self.coordinated:
            return self.pronoun == "es" and self.verb_is(IMPERSONAL)
        if self.start == 0:
            return self.words[self.verb] not in DROPPED_I
        return self._against(*self.before_relative_clause())

    def verb_second(self) -> bool | None:
        if self.verb < 0:
            return None
        return not self._subject_between() and self._against(self.start, self.verb)

    # Other phrases that may be the subject.

    def _must_be_nominative(self, place: int) -> bool:
        word = self.words[place]
        if self.classes[place] not in (W.PRON, W.WH, W.RELATIVE):
            return False
        if word == "ihr":
            return self.verb >= 0 and self.words[self.verb].endswith("t")
        return word in NOMINATIVE

    def _may_be_nominative(self, place: int) -> bool:
        """Whether a phrase that may be nominative has its head here."""
        kind = self.classes[place]
        if kind is W.PRON:
            return self.words[place] not in OBLIQUE and self.kind(place - 1) is not W.PREP
        if kind is not W.NOUN or self.kind(place + 1) is W.NOUN:
            return False
        first = self.phrase_start(place)
        return self.kind(first - 1) is not W.PREP and self.words[first] not in OBLIQUE

    def _subject_between(self) -> bool:
        """Whether a possible subject stands between the verb and the pronoun."""
        return any(self._may_be_nominative(p) for p in range(self.verb + 1, self.index))

    def _against(self, start: int, end: int) -> bool:
        """Whether the pronoun is the subject rather than the phrase before the verb."""
        front = self._front_phrase(start, end)
        if front < 0:
            return self._agrees()
        if self.pronoun == "es" and self.verb_is(IMPERSONAL | COPULA):
            return True
        word = self.words[front]
        if self.plural_verb():
            return self.pronoun == "sie" and word in SINGULAR
        if word in PLURAL:
            return True
        return word in ("das", "dies") and self.classes[front] is not W.DET

    def _front_phrase(self, start: int, end: int) -> int:
        """The first word of a noun phrase that may be the subject, -1 if there is none."""
        for place in range(start, end):
            if self.classes[place] is W.PREP:
                return -1
            if self._may_be_nominative(place) and self.words[place] not in TIMES:
                return self.phrase_start(place)
        return -1

    def _agrees(self) -> bool:
        """`es` is not the subject of a plural verb, unless it is a copula (`es waren Leute`)."""
        if self.verb < 0 or self.pronoun != "es":
            return True
        return not is_plural(self.words[self.verb]) or self.verb_is(COPULA)

    def _expletive(self) -> bool:
        verbs = (p for p in range(self.start, self.end) if self.classes[p] in VERBS)
        return self.pronoun == "es" and any(
            self.lemmas[place] in EXPLETIVE_VERBS for place in verbs
        )
