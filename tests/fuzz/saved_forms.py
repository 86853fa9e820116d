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
from tests.fuzz.subject import Files, Subject, files_of
from tests.fuzz.text_readers import EN_FR

MODELS = GOLDEN / "models"


def saved_forms(workshop: Path) -> Iterator[Subject]:
    """All of them, with originals of the workshop."""
    yield from _language_models(workshop)
    yield from _systems(workshop)
    yield from _caches(workshop)


def _language_models(workshop: Path) -> Iterator[Subject]:
    words = ["il", "pleut", "elle", "zzz", "."]

    def queried(path: Path) -> Any:
        model = load_own(path)
        return round(float(model.log10([words])[0]), 6)

    yield Subject(
        "lm.binary",
        ({"x.lm": (workshop / "model.lm").read_bytes()},),
        lambda folder: queried(folder / "x.lm"),
        sealed=True,
        share=1500,
    )
    arpa = GOLDEN / "lm_estimate"
    small = (arpa / "tiny.3gram.fallback.arpa").read_bytes()
    odd = (arpa / "odd.3gram.fallback.prune_10.arpa").read_bytes()
    yield Subject(
        "lm.arpa",
        ({"x.arpa": small}, {"x.arpa": odd}),
        lambda folder: queried(folder / "x.arpa"),
        share=1000,
        words=(b"\\data\\", b"\\2-grams:", b"\\end\\", b"ngram 2=3", b"<s>", b"-99", b"-0.5\tx"),
    )

    def batches(folder: Path) -> Any:
        text = [len(batch.lengths) for batch in read_text(folder / "text")]
        return text, [len(batch.lengths) for batch in read_targets(folder / "x.data", EN_FR)]

    data = b"".join((workshop / "dev.data").read_bytes().splitlines(keepends=True)[:2])
    text: Files = {"text": b"a b c\n\n<s> x </s>\n", "x.data": data}
    yield Subject("lm.text", (text,), batches, share=1500)


def _systems(workshop: Path) -> Iterator[Subject]:
    examples = list(read_examples(MODELS / "input.data", EN_FR, MODELS / "input.doc-ids"))

    def predicted(folder: Path) -> Any:
        return np.round(load_system(folder).predict(examples), 6).tolist()

    for name, share in (("majority", 800), ("ngram", 200), ("turku", 40), ("ensemble", 200)):
        yield Subject(
            f"system.{name}",
            (files_of(workshop / name),),
            predicted,
            sealed=True,
            rewritten=True,
            share=share,
        )
    for name, share, weights in (("majority", 800, "float32"), ("turku", 60, "int8")):
        path = workshop / f"{name}.zip"
        export_run(workshop / name, path, weights)
        packed: Files = {"x.zip": path.read_bytes()}
        yield Subject(
            f"archive.{name}",
            (packed,),
            lambda folder: predicted(folder / "x.zip"),
            sealed=True,
            share=share,
            words=(b"PK\x03\x04", b"PK\x01\x02", b"../x", b"archive.json", b"model/system.json"),
        )
    for name, share in (("class_prior", 500), ("source_aware_lm", 100), ("uppsala_bilstm", 30),
                        ("turku_gru_sentencepiece", 30)):  # fmt: skip
        files = {key: one for key, one in files_of(MODELS / name).items() if "expected" not in key}
        yield Subject(f"system_0.1.{name}", (files,), predicted, share=share)
    prior = (workshop / "prior.npz").read_bytes()

    def known(folder: Path) -> Any:
        found = load_prior(folder / "x.npz")
        arrays = (found.pair_source, found.pair_target, found.forward.pairs, found.backward.jump)
        digest = hashlib.sha256(b"".join(array.tobytes() for array in arrays))
        return found.form, found.source_words, found.target_words, digest.hexdigest()

    yield Subject("prior", ({"x.npz": prior},), known, sealed=True, share=500)
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

    def run_again(folder: Path) -> Any:
        return read_run(folder).name

    yield Subject("run.json", (files_of(place),), run_again, share=1500)
    state = {"epoch": 3, "state_dict": {"w": torch.ones(20)}, "callbacks": {"a": {"wait_count": 1}}}
    torch.save(state, workshop / "last.ckpt")
    yield Subject(
        "checkpoint",
        ({"last.ckpt": (workshop / "last.ckpt").read_bytes()},),
        lambda folder: str(read_checkpoint(folder / "last.ckpt")),
        share=300,
    )


def _caches(workshop: Path) -> Iterator[Subject]:
    sentence = AnnotatedSentence((Token("Il", "il", "PRON"), Token("pleut", "pleuvoir", "VER")), "")
    content = to_lines([sentence, sentence])
    arrays = {"a": np.arange(20, dtype=np.int32), "b": np.ones((3, 2), dtype=np.float32)}

    def annotation(folder: Path) -> Any:
        return list(read_store(Cache(folder).text("annotation", "key", lambda: content)))

    def encoded(folder: Path) -> Any:
        found = Cache(folder).arrays("encoding", "key", arrays, lambda: arrays)
        return {name: one.tolist() for name, one in found.items()}

    for name, make in (("cache.text", annotation), ("cache.arrays", encoded)):
        place = workshop / name
        make(place)
        yield Subject(name, (files_of(place),), make, sealed=True, rewritten=True, share=500)
