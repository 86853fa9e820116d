"""The clause around a German pronoun: where it begins and ends, and its finite verb.

Commas separate clauses in German, so punctuation does most of the work; conjunctions, question
words and a second finite verb show where a clause begins without one.
"""

from __future__ import annotations

from collections.abc import Sequence

from crosspro.data_prep.gaps.subjects.word_classes import WordClass as W
from crosspro.data_prep.gaps.subjects.words import subject_words

_WORDS = subject_words("de")
BREAKS, COMPARISON = _WORDS["breaks"], _WORDS["comparison"]
CONJUNCTION_TOO = _WORDS["conjunction-too"]
INFINITIVE_CONJUNCTIONS = _WORDS["infinitive-conjunctions"]
VERBS = frozenset((W.FINITE, W.BASE, W.PARTICIPLE))
NOUN_PHRASE = frozenset((W.DET, W.ADJ, W.NUM, W.NOUN))


class GermanClause:
    """The clause of the pronoun at `index`: the words from `start` up to `end`.

    `coordinated`: a conjunction such as `und` joins it to what goes before.
    `opener`: the place of the conjunction, question word or relative pronoun that puts the verb
    last; `verb`: the place of the finite verb. Both are -1 if there is none.
    """

    def __init__(
        self, forms: Sequence[str], lemmas: Sequence[str], classes: Sequence[W], index: int
    ) -> None:
        self.forms = forms
        self.words = [form.lower() for form in forms]
        self.lemmas = lemmas
        self.classes = classes
        self.index = index
        self.pronoun = self.words[index]
        self.start, self.end = self._bounds()
        self.coordinated = self.kind(self.start - 1) is W.COORD
        self.opener = self._opener()
        self.verb = self._finite_verb()

    def word(self, place: int) -> str:
        """The word at a place, empty beyond the ends of the sentence."""
        return self.words[place] if 0 <= place < len(self.words) else ""

    def kind(self, place: int) -> W:
        """The word class at a place; the ends of the sentence are like punctuation."""
        return self.classes[place] if 0 <= place < len(self.words) else W.PUNCT

    def plural_verb(self) -> bool:
        """Whether the finite verb is plural."""
        return is_plural(self.words[self.verb])

    def verb_is(self, lemmas: frozenset[str]) -> bool:
        """Whether the finite verb is one of these."""
        return self.lemmas[self.verb].lower() in lemmas

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
