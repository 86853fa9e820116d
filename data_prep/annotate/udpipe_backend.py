"""UDPipe 1 as annotator, by the path of a model file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crosspro.data_prep.annotate.assemble import Assembler, presentable
from crosspro.data_prep.annotate.tags import XPOS_SCHEMES
from crosspro.data_prep.core.errors import CrossproError, how_to_install, input_error
from crosspro.data_prep.core.token import AnnotatedSentence, AnyOrder


class UdpipeAnnotator(AnyOrder):
    """Tags, lemmatises and parses with a UDPipe model; the papers did so for Spanish (004 §3.3)."""

    def __init__(self, model: str, language: str, tagset: str, parse: bool = True) -> None:
        self.model = model
        self.parse = parse
        self.assembler = Assembler(language, tagset, XPOS_SCHEMES.get(language, "ud"))
        if find_spec("ufal") is None or find_spec("ufal.udpipe") is None:
            raise CrossproError(
                "annotator: expected the package ufal.udpipe, found nothing: "
                f"{how_to_install('udpipe')}"
            )
        if not Path(model).is_file():
            raise input_error(model, "model", "a UDPipe model file", "nothing")

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        """Lemmas, tags and, unless switched off, a parse."""
        return [self._sentence(sentence) for sentence in sentences]

    @cached_property
    def _udpipe(self) -> Any:
        from ufal.udpipe import Model

        model = Model.load(self.model)
        if model is None:
            raise input_error(self.model, "model", "a UDPipe model", "a file of another kind")
        return model

    def _sentence(self, forms: Sequence[str]) -> AnnotatedSentence:
        from ufal.udpipe import Sentence

        sentence = Sentence()
        for form in forms:
            sentence.addWord(presentable(form))
        if forms:
            self._udpipe.tag(sentence, self._udpipe.DEFAULT)
            if self.parse:
                self._udpipe.parse(sentence, self._udpipe.DEFAULT)
        tokens = []
        for form, word in zip(forms, list(sentence.words)[1:], strict=True):
            tokens.append(
                self.assembler.token(
                    form,
                    word.lemma,
                    word.xpostag,
                    word.upostag,
                    head=word.head - 1 if word.head > 0 else -1,
                    deprel=word.deprel,
                    features=word.feats,
                )
            )
        return AnnotatedSentence(tuple(tokens), self.assembler.scheme)
