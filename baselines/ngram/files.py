"""Files of language models: our arrays (.npz), ARPA, and the binary files of KenLM."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosspro.baselines.ngram.arpa import read_arpa, write_arpa
from crosspro.baselines.ngram.counts import SPECIAL_WORDS, UNKNOWN_ID, Ints
from crosspro.baselines.ngram.model import LanguageModel, NGramModel, Scores
from crosspro.data_prep.core.arrays import read_npz
from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.files import atomic_output, read_lines

_KENLM_MAGIC = b"mmap lm http://kheafield.com/code"
_ZIP_MAGIC = b"PK\x03\x04"
_TYPES = {"keys": "<i8", "log_probs": "<f4", "back_offs": "<f4", "fails": "<u4"}


def load_model(path: str | Path) -> LanguageModel:
    """Open a model: ARPA (also .gz, .xz), our arrays, or a binary file of KenLM."""
    if _first_bytes(Path(path)).startswith(_KENLM_MAGIC):
        return KenlmModel(Path(path))
    return load_ngram_model(path)


def load_ngram_model(path: str | Path) -> NGramModel:
    """Open a model that KenLM is not needed for."""
    path = Path(path)
    start = _first_bytes(path)
    if start.startswith(_KENLM_MAGIC):
        raise input_error(path, "file", "an ARPA file or .npz", "KenLM's binary file")
    return _read_arrays(path) if start.startswith(_ZIP_MAGIC) else read_arpa(path)


def save_model(path: str | Path, model: NGramModel) -> None:
    """Write a model: as ARPA if the name says so (.arpa, .arpa.gz, .arpa.xz), else its arrays."""
    path = Path(path)
    if path.name.removesuffix(".gz").removesuffix(".xz").endswith(".arpa"):
        write_arpa(path, model)
        return
    arrays: dict[str, Any] = {name: getattr(model, name) for name in _TYPES}
    text = np.frombuffer("\n".join(model.words).encode("utf-8"), np.uint8)
    with atomic_output(path) as handle:
        np.savez(handle, words=text, counts=np.array(model.counts), **arrays)


def _read_arrays(path: Path) -> NGramModel:
    """Read the arrays of a model; whatever queries rely on is checked."""
    try:
        arrays = read_npz(path)
        words = arrays["words"].astype(np.uint8).tobytes().decode("utf-8").split("\n")
        counts = tuple(arrays["counts"].tolist())
        parts: dict[str, NDArray[Any]] = {
            name: np.ascontiguousarray(arrays[name], kind) for name, kind in _TYPES.items()
        }
        model = NGramModel(words, counts, **parts)
        _check(model)
    except (OSError, ValueError, KeyError, TypeError, BadZipFile) as error:
        raise input_error(path, "file", "the arrays of a language model", str(error)) from error
    return model


def _check(model: NGramModel) -> None:
    """Raise a ValueError if the arrays do not fit together."""
    size, nodes = len(model.words), 1 + sum(model.counts)
    shapes = (model.keys, model.log_probs, model.back_offs, model.fails)
    expected = (nodes - 1 - size, nodes, nodes - model.counts[-1], nodes)
    special = [word.decode() for word in SPECIAL_WORDS]
    if (
        model.words[: len(special)] != special
        or model.counts[0] != size
        or min(model.counts) < 0
        or tuple(array.shape for array in shapes) != tuple((length,) for length in expected)
        or (model.log_probs > 0).any()
    ):
        raise ValueError("arrays that do not fit together")
    order = np.repeat(np.arange(len(model.counts) + 1), (1, *model.counts)).astype(np.uint8)
    contexts = model.keys // size
    in_range = (contexts >= 0) & (contexts < len(model.back_offs))
    if not in_range.all() or (order[contexts] != order[1 + size :] - 1).any():
        raise ValueError("keys have contexts of another order")
    if (np.diff(model.keys) <= 0).any():
        raise ValueError("keys do not rise")
    if (model.fails >= len(model.back_offs)).any() or (order[model.fails[1:]] >= order[1:]).any():
        raise ValueError("fails do not lead to shorter n-grams")


def _first_bytes(path: Path) -> bytes:
    if path.is_dir():
        raise input_error(path, "file", "a language model", "a folder")
    return next(iter(read_lines(path, binary=True)), b"")[: len(_KENLM_MAGIC)]


class KenlmModel(LanguageModel):
    """A model that KenLM has opened.

    KenLM's Python module works word by word and hides its numbers, so words and states get numbers
    when they are first met.
    """

    def __init__(self, path: Path) -> None:
        try:
            self.kenlm: Any = importlib.import_module("kenlm")
        except ImportError as error:
            raise CrossproError(
                f"{path}: expected the package kenlm, which reads it, found none: pip install kenlm"
            ) from error
        config = self.kenlm.Config()
        config.show_progress = False
        try:
            self.engine = self.kenlm.Model(str(path), config)
        except OSError as error:
            raise input_error(path, "file", "a model that KenLM can read", str(error)) from error
        self.order = self.engine.order
        self.words = [word.decode() for word in SPECIAL_WORDS]
        self.numbers = {word: number for number, word in enumerate(self.words)}
        self.states: list[Any] = []
        self.state_numbers: dict[Any, int] = {}
        empty, begin = self.kenlm.State(), self.kenlm.State()
        self.engine.NullContextWrite(empty)
        self.engine.BeginSentenceWrite(begin)
        self.null_state, self.begin_state = self._number(empty), self._number(begin)

    def _number(self, state: Any) -> int:
        number = self.state_numbers.setdefault(state, len(self.states))
        if number == len(self.states):
            self.states.append(state)
        return number

    def ids(self, words: Iterable[str]) -> Ints:
        return np.array([self._word_number(word) for word in words], dtype=np.int64)

    def _word_number(self, word: str) -> int:
        number = self.numbers.get(word)
        if number is None:
            number = UNKNOWN_ID
            if word.encode("utf-8", "backslashreplace") in self.engine:
                number = len(self.words)
                self.words.append(word)
            self.numbers[word] = number
        return number

    def advance(self, states: ArrayLike, words: ArrayLike) -> tuple[Scores, Ints]:
        pairs = np.broadcast(np.asarray(states, np.int64), np.asarray(words, np.int64))
        scores = np.empty(pairs.shape, np.float32)
        following = np.empty(pairs.shape, np.int64)
        for place, (state, word) in enumerate(pairs):
            after = self.kenlm.State()
            scores.flat[place] = self.engine.BaseScore(self.states[state], self.words[word], after)
            following.flat[place] = self._number(after)
        return scores, following
