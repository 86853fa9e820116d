"""Saved forms: language models, systems, priors, runs, caches, checkpoints.

Damage to what has a checksum must be refused, or mended, or make no difference.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from crosspro.baselines.ngram.load import load_own
from crosspro.baselines.ngram.text import read_targets, read_text
from crosspro.data_prep.align.prior import load_prior
from crosspro.data_prep.annotate.corpus import read_store, to_lines
from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.core.stored import Cache
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.prediction.models import export_run
from crosspro.prediction.neural.training.trainer import read_checkpoint
from crosspro.prediction.runs import Configuration, Run, Times, read_run, write_run
from crosspro.prediction.system import load_system
from tests.conftest import GOLDEN
from tests.fuzz.reader import Reader, files_of
from tests.fuzz.text_readers import EN_FR

MODELS = GOLDEN / "models"


def language_models(workshop: Path) -> Iterator[Reader]:
    """Models in our form and ARPA, and the text that they are estimated from."""

    def queried(folder: Path) -> Any:
        model = load_own(folder / "x.lm")
        return round(float(model.log10([["il", "pleut", "elle", "zzz", "."]])[0]), 6)

    binary = {"x.lm": (workshop / "model.lm").read_bytes()}
    yield Reader("lm.binary", queried, binary, sealed=True)
    names = ("tiny.3gram.fallback.arpa", "odd.3gram.fallback.prune_10.arpa")
    arpa = [{"x.lm": (GOLDEN / "lm_estimate" / name).read_bytes()} for name in names]
    words = "\\data\\, \\2-grams:, \\end\\, ngram 2=3, <s>, -99, -0.5\tx"
    yield Reader("lm.arpa", queried, *arpa, words=words)

    def batches(folder: Path) -> Any:
        text = [len(batch.lengths) for batch in read_text(folder / "text")]
        return text, [len(batch.lengths) for batch in read_targets(folder / "x.data", EN_FR)]

    data = b"".join((workshop / "dev.data").read_bytes().splitlines(keepends=True)[:2])
    yield Reader("lm.text", batches, {"text": b"a b c\n\n<s> x </s>\n", "x.data": data})


def systems(workshop: Path) -> Iterator[Reader]:
    """Systems of today and of 0.1, and archives."""
    examples = list(read_examples(MODELS / "input.data", EN_FR, MODELS / "input.doc-ids"))

    def predicted(folder: Path) -> Any:
        return np.round(load_system(folder).predict(examples), 6).tolist()

    for name, share in (("majority", 1), ("ngram", 0.2), ("turku", 0.1), ("ensemble", 0.2)):
        files = files_of(workshop / name)
        yield Reader(f"system.{name}", predicted, files, sealed=True, rewritten=True, share=share)
    for name, share, weights in (("majority", 1, "float32"), ("turku", 0.1, "int8")):
        path = workshop / f"{name}.zip"
        export_run(workshop / name, path, weights)
        yield Reader(
            f"archive.{name}",
            lambda folder: predicted(folder / "x.zip"),
            {"x.zip": path.read_bytes()},
            sealed=True,
            share=share,
            words="PK\x03\x04, PK\x01\x02, ../x, archive.json, model/system.json",
        )
    for name, share in (("class_prior", 1), ("source_aware_lm", 0.1), ("uppsala_bilstm", 0.05),
                        ("turku_gru_sentencepiece", 0.05)):  # fmt: skip
        files = {key: one for key, one in files_of(MODELS / name).items() if "expected" not in key}
        yield Reader(f"system_0.1.{name}", predicted, files, share=share)


def runs(workshop: Path) -> Iterator[Reader]:
    """Priors of alignment, run.json, checkpoints."""

    def known(folder: Path) -> Any:
        found = load_prior(folder / "x.npz")
        arrays = (found.pair_source, found.pair_target, found.forward.pairs, found.backward.jump)
        digest = hashlib.sha256(b"".join(array.tobytes() for array in arrays))
        return found.form, found.source_words, found.target_words, digest.hexdigest()

    prior = {"x.npz": (workshop / "prior.npz").read_bytes()}
    yield Reader("prior", known, prior, sealed=True)
    run = Run(
        status="complete",
        task="en-fr",
        system="majority",
        seed=1,
        versions={"crosspro": "0"},
        times=Times("2026-01-01"),
        data=(),
        configuration=Configuration({"task": "en-fr"}, ("a=b",), {"x": {"y": 1}}),
    )
    place = workshop / "run"
    place.mkdir(exist_ok=True)
    write_run(place, run)
    yield Reader("run.json", lambda folder: read_run(folder).name, files_of(place))
    state = {"epoch": 3, "state_dict": {"w": torch.ones(20)}, "callbacks": {"a": {"wait_count": 1}}}
    torch.save(state, workshop / "last.ckpt")
    checkpoint = {"last.ckpt": (workshop / "last.ckpt").read_bytes()}
    yield Reader(
        "checkpoint", lambda folder: str(read_checkpoint(folder / "last.ckpt")), checkpoint
    )


def caches(workshop: Path) -> Iterator[Reader]:
    """Stored annotation and arrays: damaged ones are made again."""
    sentence = AnnotatedSentence((Token("Il", "il", "PRON"), Token("pleut", "pleuvoir", "VER")), "")
    content = to_lines([sentence, sentence])
    arrays = {"a": np.arange(20, dtype=np.int32), "b": np.ones((3, 2), dtype=np.float32)}

    def annotation(folder: Path) -> Any:
        return list(read_store(Cache(folder).text("annotation", "key", lambda: content)))

    def encoded(folder: Path) -> Any:
        found = Cache(folder).arrays("encoding", "key", arrays, lambda: arrays)
        return {name: one.tolist() for name, one in found.items()}

    for name, make in (("cache.text", annotation), ("cache.arrays", encoded)):
        make(workshop / name)
        yield Reader(name, make, files_of(workshop / name), sealed=True, rewritten=True)


GROUPS = (language_models, systems, runs, caches)
