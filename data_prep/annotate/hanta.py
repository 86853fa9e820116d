"""HanTa's two searches over the tables of its models, with the same results in a fraction of time.

HanTa (Wartena 2019) finds the morphemes of a word, and then the tags of a sentence, by beam
searches over second-order Markov models. Its program tries every tag at every step and asks for
each whether the model knows it; here only those tags are tried that the model knows for the
morpheme, or the word. Sums are made in the same order, and states are kept in the same order, so
that ties fall the same way and results agree to the last bit. What depends on a word alone is
remembered, for text repeats itself.

HanTa as annotator for German and English: lemma and fine tag, no parse.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from numpy import logaddexp

from crosspro.data_prep.annotate.tags import Assembler, presentable
from crosspro.data_prep.core.errors import (
    CrossproError,
    choices,
    how_to_install,
    input_error,
    quoted,
)
from crosspro.data_prep.core.example import AnnotatedSentence, AnyOrder

SUPPORTED = "1.2.1"
"""The release of HanTa whose models and results these are."""

_EMPTY, _START, _END, _UNKNOWN = 0, 1, 2, 3
_LOWEST = -1e6
_CUTOFF = 5
_MORPHEME_BEAM, _TAG_BEAM = 3, 5
_WHOLE_WORD = 4.6
"""What it costs to take a whole word for one unknown morpheme."""
_LONGEST_MORPHEME = 24
_REMEMBERED = 300_000
"""Words; a corpus of 50 million has about as many that are not rare."""

_State = tuple[int, int]
_Row = dict[_State, float]
_Back = dict[_State, tuple[_State, int]]


class HantaSearch:
    """Tags and lemmatises with the model of a `HanoverTagger`."""

    def __init__(self, tagger: Any) -> None:
        self._tagger = tagger
        # The tagger asks for these itself when it weighs the tags of a word, and for its lemma.
        tagger.analyze_forward = lru_cache(20_000)(self._tags_of)
        tagger.analyze_viterbi = self._morphemes_of
        self._known: dict[str, dict[int, float]] = {}
        for tag, morphemes in tagger.LP_m_t.items():
            for morpheme, chance in morphemes.items():
                self._known.setdefault(morpheme, {})[tag] = chance
        self._open = [tag for tag in tagger.LP_hapax_t if tag in tagger.LP_s_t]
        self._guesses = lru_cache(100_000)(self._guess)
        self._next_morphemes = lru_cache(20_000)(self._find_next_morphemes)
        self._next_tags = lru_cache(100_000)(self._find_next_tags)
        self._weighed = lru_cache(_REMEMBERED)(self._weigh)
        self._lemma = lru_cache(_REMEMBERED)(self._make_lemma)

    def __call__(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """Lemma and tag of each word of a sentence."""
        tags = self._tags(words) if words else []
        names = self._tagger.int2tag
        return [(self._lemma(word, tag), names[tag]) for word, tag in zip(words, tags, strict=True)]

    def _make_lemma(self, word: str, tag: int) -> str:
        return str(self._tagger._analyze(word, tag, taglevel=1)[0])

    # Tags of a sentence -------------------------------------------------------------------------

    def _weigh(self, word: str, first: bool) -> tuple[tuple[int, ...], dict[int, float]]:
        """The tags that a word may have, and how well each fits; none if any tag may do."""
        found = dict(self._tagger._tag_word(word, _CUTOFF, not first, conditional=True))
        if len(found) == 1 and _UNKNOWN in found:
            return (), {}
        return tuple(found), found

    def _find_next_tags(self, state: _State, tags: tuple[int, ...]) -> list[tuple[int, float]]:
        followers = self._tagger.LP_trans_word[state].items()
        wanted = frozenset(tags)
        return [(t, p) for t, p in followers if t != _END and (t in wanted or not wanted)]

    def _tags(self, words: Sequence[str]) -> list[int]:
        row: _Row = {(_EMPTY, _START): 0.0}
        came_from: list[dict[_State, _State]] = []
        for place, word in enumerate(words):
            tags, fits = self._weighed(word, place == 0)
            bound = _bound(row, _TAG_BEAM)
            before, row = row, {}
            back: dict[_State, _State] = {}
            for state, so_far in before.items():
                if so_far < bound:
                    continue
                for tag, step in self._next_tags(state, tags):
                    chance = so_far + step + fits.get(tag, 0)
                    if chance > _LOWEST:
                        new = (state[1], tag)
                        if new not in row or chance > row[new]:
                            row[new] = chance
                            back[new] = state
            came_from.append(back)
        ends = self._tagger.LP_trans_word
        best, most = (_EMPTY, _EMPTY), -math.inf
        for state, so_far in row.items():
            chance = so_far + ends[state].get(_END, -math.inf)
            if chance > most:
                best, most = state, chance
        found = []
        for back in reversed(came_from):
            found.append(best[1])
            best = back[best]
        return found[::-1]

    # Morphemes of a word ------------------------------------------------------------------------

    def _tags_of(self, word: str) -> list[tuple[int, float]]:
        """The tags of a word by itself, best first: the best analysis of each decides."""
        rows, _ = self._lattice(word, strict=False, target=None)
        finals: _Row = {}
        for state, so_far in rows[-1].items():
            for tag, step in self._tagger.LP_trans_final.get(state, ()):
                chance = so_far + step
                new = (state[1], tag)
                if chance > _LOWEST and (new not in finals or chance > finals[new]):
                    finals[new] = chance
        found: dict[int, float] = {}
        for (_, tag), chance in finals.items():
            found[-tag] = float(logaddexp(found[-tag], chance)) if -tag in found else chance
        return sorted(found.items(), key=lambda one: one[1], reverse=True) or [(_UNKNOWN, 0)]

    def _morphemes_of(self, word: str, target: int) -> list[tuple[int, int]]:
        """The tags of the morphemes of a word whose own is known, each with where it ends.

        Unknown morphemes are thought of only if the known ones do not make up the word.
        """
        end = len(word) + 1
        for strict in (True, False):
            rows, back = self._lattice(word, strict, target)
            best, most, before = (_EMPTY, _EMPTY), -math.inf, (_EMPTY, _EMPTY)
            for state, so_far in rows[-1].items():
                steps = dict(self._tagger.LP_trans_final.get(state, ()))
                if target in steps:
                    chance = so_far + steps[target]
                    if chance > _LOWEST and chance > most:
                        best, most, before = (state[1], target), chance, state
            if most > -math.inf:
                path = [(best[1], end)]
                state, place = before, len(word)
                while place > 0:
                    path.append((state[1], place))
                    state, place = back[place][state]
                return path[::-1]
        return [(_UNKNOWN, end - 1), (-_UNKNOWN, end)]

    def _lattice(
        self, word: str, strict: bool, target: int | None
    ) -> tuple[list[_Row], list[_Back]]:
        """The states after each character, with their chances and where they came from."""
        size = len(word)
        rows: list[_Row] = [{(_EMPTY, _START): 0}, *({} for _ in range(size))]
        back: list[_Back] = [{} for _ in range(size + 1)]
        for begin in range(size):
            bound = _bound(rows[begin], _MORPHEME_BEAM)
            states = [
                (state, so_far, self._next_morphemes(state, target))
                for state, so_far in rows[begin].items()
                if not so_far < bound
            ]
            for end in range(begin + 1, size + 1) if states else ():
                morpheme = word[begin:end]
                scores = self._known.get(morpheme) if strict else self._scores(morpheme, size)
                if not scores:
                    continue
                row = rows[end]
                for state, so_far, followers in states:
                    for tag in _common(followers, scores):
                        chance = so_far + followers[tag][1] + scores[tag]
                        if chance > _LOWEST:
                            new = (state[1], tag)
                            if new not in row or chance > row[new]:
                                row[new] = chance
                                back[end][new] = (state, begin)
        return rows, back

    def _find_next_morphemes(
        self, state: _State, target: int | None
    ) -> dict[int, tuple[int, float]]:
        """The tags after a state from which the target can be reached: their order and chances."""
        followers = self._tagger.LP_trans_nonfinal.get(state, ())
        if target is not None:
            reachable = self._tagger.reachability.get(target, frozenset())
            followers = [(tag, chance) for tag, chance in followers if tag in reachable]
        return {tag: (order, chance) for order, (tag, chance) in enumerate(followers)}

    def _scores(self, morpheme: str, length: int) -> dict[int, float]:
        """The chance of a morpheme for each tag, for open classes by its ending if not known."""
        known = self._known.get(morpheme)
        size = len(morpheme)
        if length >= 4 and size <= 2:
            return known or {}
        ending = morpheme[-4:] if size > 4 else morpheme[1:]
        guesses = self._guesses(ending, min(size, _LONGEST_MORPHEME), size == length)
        return guesses | known if known else guesses

    def _guess(self, ending: str, size: int, whole: bool) -> dict[int, float]:
        """The chance of an unknown morpheme of this size for each open class."""
        tagger, scores = self._tagger, {}
        for tag in self._open:
            endings, known = tagger.LP_s_t[tag], ending
            while known not in endings:
                known = known[1:]
            chance = tagger.Int_t + tagger.LP_hapax_t[tag] + tagger.LP_len_t[tag][size]
            chance += endings[known]
            scores[tag] = chance - _WHOLE_WORD if whole else chance
        return scores


def _bound(row: _Row, beam: int) -> float:
    """States below this are given up; always with those that are nearly as good as the last."""
    return sorted(row.values(), reverse=True)[beam] - 1 if len(row) > beam else _LOWEST


def _common(followers: dict[int, tuple[int, float]], scores: dict[int, float]) -> Iterable[int]:
    """The tags that both have, in the order of the followers."""
    if len(followers) <= 2 * len(scores):
        return [tag for tag in followers if tag in scores]
    return sorted((tag for tag in scores if tag in followers), key=lambda tag: followers[tag][0])


MODELS = {"de": ("morphmodel_ger.pgz", "stts"), "en": ("morphmodel_en.pgz", "c5")}
"""The models that come with the package, and their tags."""

_STTS = str.maketrans("", "", "()")


class HantaAnnotator(AnyOrder):
    """Annotates with the model of the language."""

    def __init__(self, language: str, tagset: str) -> None:
        if language not in MODELS:
            raise input_error(
                "settings",
                "annotator hanta",
                f"a language that is {choices(MODELS)}",
                quoted(language),
            )
        if find_spec("HanTa") is None:
            raise CrossproError(
                "annotator: expected the package HanTa, found nothing: "
                f"{how_to_install('annotate')}"
            )
        self.model, scheme = MODELS[language]
        self.assembler = Assembler(language, tagset, scheme)

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        """Lemmas and tags."""
        return [self._sentence(sentence) for sentence in sentences]

    def _sentence(self, forms: Sequence[str]) -> AnnotatedSentence:
        shown = [presentable(form) for form in forms]
        if self.assembler.language == "en":
            shown = _joined_negation(shown)
        tokens = tuple(
            self.assembler.plain_token(form, lemma, self._fine_tag(tag))
            for form, (lemma, tag) in zip(forms, self._tag(shown), strict=True)
        )
        return AnnotatedSentence(tokens, self.assembler.scheme)

    def _fine_tag(self, tag: str) -> str:
        if self.assembler.scheme != "stts" or tag.startswith("$"):
            return tag
        # HanTa writes VV(FIN) for VVFIN, and NNA and NNI for nouns made of adjectives and verbs.
        return "NN" if tag in ("NNA", "NNI") else tag.translate(_STTS)

    @cached_property
    def _tag(self) -> Callable[[Sequence[str]], list[tuple[str, str]]]:
        """Lemma and tag of each word of a sentence."""
        from HanTa.HanoverTagger import HanoverTagger

        tagger = HanoverTagger(self.model)
        if version("HanTa") == SUPPORTED:
            return HantaSearch(tagger)
        return lambda words: [(lemma, tag) for _, lemma, tag in tagger.tag_sent(words)]


def _joined_negation(words: list[str]) -> list[str]:
    """Moses splits `don't` into `don 't`; the tagger knows `do n't`."""
    words = list(words)
    for place in range(1, len(words)):
        stem = words[place - 1]
        if words[place].lower() == "'t" and len(stem) > 2 and stem.lower().endswith("n"):
            words[place - 1 : place + 1] = [stem[:-1], "n't"]
    return words
