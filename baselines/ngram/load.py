"""Opens and saves language models: finds out what a file is, and which engine reads it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crosspro.baselines.ngram.binary import MAGIC, is_binary, read_binary, write_binary
from crosspro.baselines.ngram.kenlm_engine import KENLM_MAGIC, KenlmModel
from crosspro.baselines.ngram.model import LanguageModel, NGramModel
from crosspro.data_prep.core.errors import CrossproError, choices, input_error
from crosspro.data_prep.core.files import read_lines

if TYPE_CHECKING:
    from crosspro.baselines.ngram.text import Report

ENGINES = ("own", "kenlm")


def load_model(
    path: str | Path, engine: str = "own", report: Report = lambda _: None
) -> LanguageModel:
    """Open a model with an engine: our own, or kenlm.

    Our own engine reads ARPA files (also .gz, .xz) and our binary files, kenlm reads ARPA files
    and KenLM's binary files.
    """
    if engine not in ENGINES:
        raise CrossproError(f"engine: expected {choices(ENGINES)}, found {engine!r}")
    if engine == "own":
        return load_own(path, report)
    if is_binary(_first_bytes(Path(path))):
        expected = "an ARPA file or KenLM's binary file for the engine kenlm"
        raise input_error(path, "file", expected, "a binary file of crosspro")
    return KenlmModel(Path(path))


def load_own(path: str | Path, report: Report = lambda _: None) -> NGramModel:
    """Open a model with our own engine."""
    path = Path(path)
    start = _first_bytes(path)
    if is_binary(start):
        return read_binary(path)
    if start.startswith(KENLM_MAGIC[: len(start)]) and start:
        expected = "an ARPA file or a binary file of crosspro (or the engine kenlm)"
        raise input_error(path, "file", expected, "KenLM's binary file")
    from crosspro.baselines.ngram.arpa import read_arpa  # which a binary model has no need of

    return read_arpa(path, report)


def save_model(path: str | Path, model: NGramModel, report: Report = lambda _: None) -> None:
    """Write a model: as ARPA if the name says so (.arpa, .arpa.gz, .arpa.xz), else binary."""
    path = Path(path)
    name = path.name.removesuffix(".gz").removesuffix(".xz")
    if name.endswith(".arpa"):
        from crosspro.baselines.ngram.arpa import write_arpa

        write_arpa(path, model, report)
    else:
        write_binary(path, model)


def _first_bytes(path: Path) -> bytes:
    if path.is_dir():
        raise input_error(path, "file", "a language model", "a folder")
    return next(iter(read_lines(path, binary=True)), b"")[: max(len(MAGIC), len(KENLM_MAGIC))]
