"""Opens and saves language models, which are told apart by how their files begin.

KenLM's own binary files (the official models of 2016) are read by KenLM, an optional extra.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from crosspro.baselines.ngram.binary import MAGIC, is_binary, read_binary, write_binary
from crosspro.baselines.ngram.index import IntArray
from crosspro.baselines.ngram.model import (
    END_ID,
    SPECIAL_WORDS,
    UNKNOWN_ID,
    LanguageModel,
    NGramModel,
    Scores,
    TokenScores,
    as_bytes,
)
from crosspro.data_prep.core.errors import CrossproError, how_to_install, input_error
from crosspro.data_prep.core.files import read_lines

if TYPE_CHECKING:
    from crosspro.baselines.ngram.text import Report

KENLM_MAGIC = b"mmap lm http://kheafield.com/code"


def load_model(path: str | Path, report: Report = lambda _: None) -> LanguageModel:
    """Open a model: ARPA (also .gz, .xz), our binary form, or KenLM's."""
    if _first_bytes(Path(path)).startswith(KENLM_MAGIC):
        return KenlmModel(Path(path))
    return load_own(path, report)


def load_own(path: str | Path, report: Report = lambda _: None) -> NGramModel:
    """Open a model that KenLM is not needed for."""
    path = Path(path)
    start = _first_bytes(path)
    if is_binary(start):
        return read_binary(path)
    if start.startswith(KENLM_MAGIC[: len(start)]) and start:
        expected = "an ARPA file or a binary file of crosspro"
        raise input_error(path, "file", expected, "KenLM's binary file")
    from crosspro.baselines.ngram.arpa import read_arpa  # which a binary model has no need of

    return read_arpa(path, report)


def save_model(path: str | Path, model: NGramModel, report: Report = lambda _: None) -> None:
    """Write a model: as ARPA if the name says so (.arpa, .arpa.gz, .arpa.xz), else binary."""
    path = Path(path)
    if is_arpa(path):
        from crosspro.baselines.ngram.arpa import write_arpa

        write_arpa(path, model, report)
    else:
        write_binary(path, model)


def is_arpa(path: Path) -> bool:
    """Whether a model of that name is to be an ARPA file."""
    return path.name.removesuffix(".gz").removesuffix(".xz").endswith(".arpa")


def _first_bytes(path: Path) -> bytes:
    if path.is_dir():
        raise input_error(path, "file", "a language model", "a folder")
    return next(iter(read_lines(path, binary=True)), b"")[: max(len(MAGIC), len(KENLM_MAGIC))]


class KenlmModel(LanguageModel):
    """A model that KenLM has opened: an ARPA file or its own binary file.

    KenLM's Python module works word by word and hides its numbers, so words and states get numbers
    here when they are first met.
    """

    end_id = END_ID

    def __init__(self, path: Path) -> None:
        self.kenlm = _import_kenlm()
        config = self.kenlm.Config()
        config.show_progress = False
        config.arpa_complain = self.kenlm.ARPALoadComplain.NONE
        try:
            self.engine = self.kenlm.Model(str(path), config)
        except OSError as error:
            raise input_error(path, "file", "a model that KenLM can read", str(error)) from error
        self.order = self.engine.order
        self.words = [word.decode() for word in SPECIAL_WORDS]
        self.numbers = {word: number for number, word in enumerate(SPECIAL_WORDS)}
        self.states: list[Any] = []
        self.state_numbers: dict[Any, int] = {}
        state = self.kenlm.State()
        self.engine.NullContextWrite(state)
        self.null_state = self._number(state)
        state = self.kenlm.State()
        self.engine.BeginSentenceWrite(state)
        self.begin_state = self._number(state)

    def ids(self, words: Iterable[str | bytes]) -> IntArray:
        """The numbers of words; 0 for words that the model does not know."""
        return np.array([self._word_number(as_bytes(word)) for word in words], dtype=np.int64)

    def _word_number(self, word: bytes) -> int:
        number = self.numbers.get(word)
        if number is None:
            number = UNKNOWN_ID
            if word in self.engine:
                number = len(self.words)
                self.words.append(word.decode("utf-8"))
            self.numbers[word] = number
        return number

    def _number(self, state: Any) -> int:
        number = self.state_numbers.setdefault(state, len(self.states))
        if number == len(self.states):
            self.states.append(state)
        return number

    def advance(self, states: ArrayLike, words: ArrayLike) -> tuple[Scores, IntArray]:
        """The log10 probability of each word after its state, and the state after the word."""
        pairs = np.broadcast(np.asarray(states, np.int64), np.asarray(words, np.int64))
        log10 = np.empty(pairs.shape, np.float32)
        following = np.empty(pairs.shape, np.int64)
        for place, (state, word) in enumerate(pairs):
            after = self.kenlm.State()
            log10.flat[place] = self.engine.BaseScore(self.states[state], self.words[word], after)
            following.flat[place] = self._number(after)
        return log10, following

    def score(
        self, ids: IntArray, lengths: IntArray, *, begin: bool = True, end: bool = True
    ) -> TokenScores:
        """Score sentences, word by word."""
        tokens: list[int] = []
        ends: list[int] = []
        results: list[tuple[float, int]] = []
        stops = np.cumsum(lengths)
        for stop, length in zip(stops.tolist(), np.asarray(lengths).tolist(), strict=True):
            sentence = [*np.asarray(ids)[stop - length : stop].tolist(), *[END_ID] * end]
            state = self.states[self.begin_state if begin else self.null_state]
            for word in sentence:
                after = self.kenlm.State()
                found = self.engine.BaseFullScore(state, self.words[word], after)
                results.append((found.log_prob, found.ngram_length))
                state = after
            tokens += sentence
            ends.append(len(tokens))
        log10 = np.array([result[0] for result in results], np.float32)
        found_lengths = np.array([result[1] for result in results], np.uint8)
        token_array, end_array = np.array(tokens, np.int64), np.array(ends, np.int64)
        return TokenScores(token_array, log10, found_lengths, end_array)


def _import_kenlm() -> Any:
    try:
        return importlib.import_module("kenlm")
    except ImportError as error:
        raise CrossproError(
            f"KenLM's file: expected the package kenlm, found none: {how_to_install('kenlm')}"
        ) from error
