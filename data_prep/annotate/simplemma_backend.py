"""simplemma as lemmatiser on top of any other backend, which gives the tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec

from crosspro.data_prep.annotate.assemble import LONGEST, presentable
from crosspro.data_prep.annotate.pronouns import pronoun_lemma
from crosspro.data_prep.core.errors import CrossproError, how_to_install
from crosspro.data_prep.core.token import AnnotatedSentence, Annotator, Token

_REMEMBERED = 200_000


class SimplemmaAnnotator:
    """Takes tags and parse from another annotator and looks lemmas up."""

    def __init__(self, tagger: Annotator, language: str) -> None:
        if find_spec("simplemma") is None:
            raise CrossproError(
                "annotator: expected the package simplemma, found nothing: "
                f"{how_to_install('annotate')}"
            )
        from simplemma import lemmatize

        self.tagger = tagger
        self.language = language
        self.sequential = tagger.sequential
        try:
            lemmatize("a", language)
        except ValueError as error:
            raise CrossproError(
                f"annotator simplemma: expected a language that it knows, found {language}: {error}"
            ) from error
        self._lookup = lru_cache(_REMEMBERED)(lambda word: str(lemmatize(word, language)))

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        """The tagger's sentences with other lemmas."""
        return [
            replace(sentence, tokens=tuple(self._token(token) for token in sentence.tokens))
            for sentence in self.tagger.annotate(sentences)
        ]

    def finish(self) -> None:
        """The tagger may have a file to check."""
        self.tagger.finish()

    def _token(self, token: Token) -> Token:
        lemma = pronoun_lemma(token.form, token.tag, self.language)
        if lemma is None:
            whole = token.form.strip() and len(token.form) <= LONGEST
            lemma = self._lookup(presentable(token.form)) if whole else token.form
        return replace(token, lemma="_".join(lemma.split()) or token.form)
