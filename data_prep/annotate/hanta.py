"""HanTa (Wartena 2019) as annotator for German and English: lemma and fine tag, no parse.

What it finds out about a word alone is remembered, for text repeats itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec

from crosspro.data_prep.annotate.tags import Assembler, presentable
from crosspro.data_prep.core.errors import (
    CrossproError,
    choices,
    how_to_install,
    input_error,
    quoted,
)
from crosspro.data_prep.core.example import AnnotatedSentence, AnyOrder

_REMEMBERED = 300_000
"""Words; a corpus of 50 million has about as many that are not rare."""

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
        for ask in ("analyze_forward", "_tag_word", "_analyze"):  # tags of a word, and its lemma
            setattr(tagger, ask, lru_cache(_REMEMBERED)(getattr(tagger, ask)))
        return lambda words: [(lemma, tag) for _, lemma, tag in tagger.tag_sent(words)]


def _joined_negation(words: list[str]) -> list[str]:
    """Moses splits `don't` into `don 't`; the tagger knows `do n't`."""
    words = list(words)
    for place in range(1, len(words)):
        stem = words[place - 1]
        if words[place].lower() == "'t" and len(stem) > 2 and stem.lower().endswith("n"):
            words[place - 1 : place + 1] = [stem[:-1], "n't"]
    return words
