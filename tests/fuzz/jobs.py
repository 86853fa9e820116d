"""Commands that are long enough to be killed at a random moment, and their data."""

from __future__ import annotations

import importlib
import re
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from crosspro.baselines.ngram_system import NGramSystem
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import is_placeholder, write_doc_ids, write_examples
from crosspro.scripts.main import main
from tests.conftest import GOLDEN
from tests.scripts.run import crosspro


@dataclass(frozen=True)
class Job:
    """A command (or several, one after the other) and the files that it needs."""

    name: str
    make: Callable[[Path], None]
    lines: tuple[tuple[str, ...], ...]
    other: str = "a^"
    """Files that differ from run to run: times, logs."""
    free: str = "a^"
    """Files that there may be more of when a run was started again."""
    done: str = ""
    """An output that is there when all of it is, and that is not written over."""

    def work(self) -> None:
        """Run the commands as a user does."""
        if self.done and Path(self.done).exists():
            return
        for line in self.lines:
            sys.argv = ["crosspro", *line]
            try:
                main()
            except SystemExit as end:
                if end.code:
                    raise

    def differs(self, name: str) -> bool:
        """Whether the content of a file is no part of the result."""
        return bool(re.search(self.other, name))

    def passes(self, name: str) -> bool:
        """Whether a file may be there or not."""
        return bool(re.search(self.free, name))

    def rows(self, database: sqlite3.Connection) -> Any:
        """What a store holds: the order in which rows were numbered does not matter."""
        query = """SELECT token, system, digest, item.pronoun, head, annotator.name,
                          verdict.pronoun, verdict.antecedent, remark
                   FROM verdict JOIN item ON item.id = verdict.item
                   JOIN annotator ON annotator.id = verdict.annotator"""
        check = database.execute("PRAGMA integrity_check").fetchall()
        return check, sorted(database.execute(query).fetchall())


def prepare(size: float) -> Job:
    """Text of the demo corpus, aligned here; lemmas and tags are given."""

    def make(folder: Path) -> None:
        examples = demo_examples(load_task("en-fr-2015"), "train", int(400 * size) + 1)
        source = [" ".join(one.source) for one in examples]
        words = [[word for word in one.target if not is_placeholder(word)] for one in examples]
        _write(folder / "text.en", source)
        _write(folder / "text.fr", (" ".join(line) for line in words))
        _write(folder / "tokens", (" ".join(f"{w}|{w}|X" for w in line) for line in words))
        _write(folder / "ids", (one.document or "" for one in examples))

    line = (
        "prepare", "--task", "en-fr-2015", "--source", "text.en", "--target", "text.fr",
        "--doc-ids", "ids", "--annotator", "tokens:tokens", "--tokenised", "--blind",
        "--rule", "filter_subjects=false", "-o", "train",
    )  # fmt: skip
    return Job("prepare", make, (line,), other=r"report\.json$")


def lm(size: float) -> Job:
    """Noise with the frequencies of words; little memory, so that files are used."""

    def make(folder: Path) -> None:
        rng = Random(1)
        _write(
            folder / "text",
            (
                " ".join(f"w{int(rng.paretovariate(0.6)) % 50000}" for _ in range(20))
                for _ in range(int(40_000 * size) + 10)
            ),
        )

    line = ("lm", "train", "text", "-n", "5", "-o", "model.lm", "--arpa", "model.arpa.gz",
            "--discount-fallback", "--memory", "32M")  # fmt: skip
    return Job("lm", make, (line,))


def train(size: float) -> Job:
    """A tiny network on the demo corpus."""
    for name in (
        "crosspro.prediction.neural.training.trainer",
        "crosspro.scripts.train",
        "torch._dynamo",
        "torch.utils.tensorboard",
    ):
        importlib.import_module(name)  # once, and not again in every process
    settings = (
        "task=en-fr", "system=uppsala_bilstm", "data.documents.dev=3", "data.documents.test=3",
        f"data.documents.train={int(300 * size) + 5}", "resamples=20", "trainer.accelerator=cpu",
        "trainer.max_epochs=6", "trainer.patience=100", "trainer.progress_bar=false",
        "system.training.batch_size=64", "system.training.share=0.9", "hydra.run.dir=run",
        "system.network_settings={words: 16, hidden: 12, mlp: 12, characters: 4,"
        " character_hidden: 6}",
    )  # fmt: skip
    return Job(
        "train",
        lambda folder: None,
        (("train", *settings),),
        other=r"run\.json$|\.log$|\.hydra/|\.html$|\.ckpt$|timing",
        free=r"events\.out|tensorboard",
    )


def protest(size: float) -> Job:
    """Verdicts of several people on many systems, one import after the other."""
    golden = GOLDEN / "protest"
    people = ("ann", "bea", "cleo", "dora")

    def make(folder: Path) -> None:
        text = ("--source", golden / "text.en", "--reference", golden / "text.fr")
        more = ("--doc-ids", golden / "text.doc-ids", "--links", golden / "text.links")
        suite = folder / "suite.jsonl"
        _good(
            crosspro("protest", "build", "--annotation", golden / "en", *text, *more, "-o", suite)
        )
        outputs = [golden / "text.fr"] * (int(150 * size) + 2)
        names = [word for n in range(len(outputs)) for word in ("--name", f"s{n}")]
        links = [word for _ in outputs for word in ("--candidate-links", golden / "text.links")]
        review = folder / "review.tsv"
        line = (
            "protest",
            "review",
            "export",
            suite,
            "--candidate",
            *outputs,
            *names,
            *links,
            "--matches",
        )
        _good(crosspro(*line, "-o", review))
        heading, *rows = review.read_text("utf-8").splitlines()
        columns = heading.split("\t")
        pronoun, antecedent = columns.index("pronoun"), columns.index("antecedent")
        filled = []
        for row in rows:
            cells = row.split("\t")
            cells[pronoun] = "right"
            cells[antecedent] = "wrong" if "anaphoric" in cells[columns.index("category")] else ""
            filled.append("\t".join(cells))
        _write(review, [heading, *filled])

    command = ("protest", "review", "import", "suite.jsonl", "review.tsv")
    lines = tuple((*command, "--verdicts", "store.sqlite", "--judge", person) for person in people)
    return Job("protest", make, lines)


def ensemble(size: float) -> Job:
    """Language models as one, chosen on the demo corpus."""

    def make(folder: Path) -> None:
        task = load_task("en-fr")
        train = demo_examples(task, "train", int(60 * size) + 5)
        write_examples(folder / "dev.data", demo_examples(task, "dev", int(40 * size) + 3))
        for order in (2, 3, 4):
            system = NGramSystem(order)
            system.fit(task, train, train)
            system.save(folder / f"lm{order}")

    runs = ("lm2", "lm3", "lm4")
    line = ("ensemble", *runs, "--tune", "dev.data", "--choose", "both", "-o", "out")
    return Job("ensemble", make, (line,), other=r"run\.json$", done="out")


def select_test(size: float) -> Job:
    """Test documents of the demo corpus."""

    def make(folder: Path) -> None:
        examples = demo_examples(load_task("en-fr"), "train", int(400 * size) + 30)
        write_examples(folder / "all.data", examples)
        write_doc_ids(folder / "all.doc-ids", examples)

    line = ("select-test", "all.data", "--task", "en-fr", "--min-segments", "3", "-o", "out")
    return Job("select-test", make, (line,))


def _good(result: Any) -> None:
    if result.code:
        raise RuntimeError(result.stderr.decode())


def _write(path: Path, lines: Any) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


JOBS: dict[str, Callable[[float], Job]] = {
    "prepare": prepare,
    "lm": lm,
    "train": train,
    "protest": protest,
    "ensemble": ensemble,
    "select-test": select_test,
}
