"""Commands that are killed at random moments and started again, against one that was let be.

A command runs in a forked process, which gets SIGKILL when it has computed for a random part of
the time that a whole run takes. After some kills in a row the command is run to its end: what it
wrote must be what the undisturbed run wrote, and no other file may lie about.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import pytest

from crosspro.baselines.ngram_system import NGramSystem
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import is_placeholder, write_doc_ids, write_examples
from crosspro.scripts.main import main
from tests.conftest import GOLDEN
from tests.fuzz.workshop import fill_review
from tests.scripts.run import crosspro

KILLS = 3


def _write(path: Path, lines: Any) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def make_prepare(folder: Path) -> None:
    examples = demo_examples(load_task("en-fr-2015"), "train", 21)
    words = [[word for word in one.target if not is_placeholder(word)] for one in examples]
    _write(folder / "text.en", (" ".join(one.source) for one in examples))
    _write(folder / "text.fr", (" ".join(line) for line in words))
    _write(folder / "tokens", (" ".join(f"{w}|{w}|X" for w in line) for line in words))
    _write(folder / "ids", (one.document or "" for one in examples))


def make_lm(folder: Path) -> None:
    """Noise with the frequencies of words."""
    rng = Random(1)
    lines = ([int(rng.paretovariate(0.6)) % 50000 for _ in range(20)] for _ in range(2010))
    _write(folder / "text", (" ".join(f"w{number}" for number in line) for line in lines))


def make_train(folder: Path) -> None:
    for name in (
        "crosspro.prediction.neural.training.trainer",
        "crosspro.scripts.train",
        "torch._dynamo",
        "torch.utils.tensorboard",
    ):
        importlib.import_module(name)  # once, and not again in every process


def make_protest(folder: Path) -> None:
    """A suite and a review file for many systems, filled in."""
    for name in ("text.en", "text.fr", "text.links", "text.doc-ids"):
        shutil.copy(GOLDEN / "protest" / name, folder)
    text = [folder / f"text.{name}" for name in ("en", "fr", "doc-ids", "links")]
    options = zip(("--source", "--reference", "--doc-ids", "--links"), text, strict=True)
    given = [word for option in options for word in option]
    suite, outputs = folder / "suite.jsonl", [text[1]] * 9
    annotation = ("--annotation", GOLDEN / "protest" / "en")
    assert crosspro("protest", "build", *annotation, *given, "-o", suite).code == 0
    names = [word for n in range(len(outputs)) for word in ("--name", f"s{n}")]
    links = [word for _ in outputs for word in ("--candidate-links", text[3])]
    line = ("protest", "review", "export", suite, "--candidate", *outputs, *names, *links)
    assert crosspro(*line, "--matches", "-o", folder / "review.tsv").code == 0
    fill_review(folder / "review.tsv", folder / "review.tsv")


def make_ensemble(folder: Path) -> None:
    """Language models, and data to choose them on."""
    task = load_task("en-fr")
    train = demo_examples(task, "train", 8)
    write_examples(folder / "dev.data", demo_examples(task, "dev", 5))
    for order in (2, 3, 4):
        system = NGramSystem(order)
        system.fit(task, train, train)
        system.save(folder / f"lm{order}")


def make_select_test(folder: Path) -> None:
    examples = demo_examples(load_task("en-fr"), "train", 50)
    write_examples(folder / "all.data", examples)
    write_doc_ids(folder / "all.doc-ids", examples)


@dataclass(frozen=True)
class Job:
    """A command (or several, one after the other) and the function that makes its files."""

    make: Callable[[Path], None]
    lines: tuple[str, ...] = ()
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
            sys.argv = ["crosspro", *line.split()]
            try:
                main()
            except SystemExit as end:
                if end.code:
                    raise


JOBS = {
    "prepare": Job(
        make_prepare,
        ("prepare --task en-fr-2015 --source text.en --target text.fr --doc-ids ids --tokenised"
         " --annotator tokens:tokens --blind --rule filter_subjects=false -o train",),
        other=r"report\.json$",
    ),
    "lm": Job(  # little memory, so that files are used
        make_lm,
        ("lm train text -n 5 -o model.lm --arpa model.arpa.gz --discount-fallback --memory 32M",),
    ),
    "train": Job(
        make_train,
        ("train task=en-fr system=uppsala_bilstm data.documents.dev=3 data.documents.test=3"
         " data.documents.train=20 resamples=20 trainer.accelerator=cpu trainer.max_epochs=6"
         " trainer.patience=100 trainer.progress_bar=false system.training.batch_size=64"
         " system.training.share=0.9 hydra.run.dir=run"
         " system.network_settings={words:16,hidden:12,mlp:12,characters:4,character_hidden:6}",),
        other=r"run\.json$|\.log$|\.hydra/|\.html$|\.ckpt$|timing",
        free=r"events\.out|tensorboard",
    ),
    "protest": Job(
        make_protest,
        tuple(f"protest review import suite.jsonl review.tsv --verdicts store.sqlite --judge {name}"
              for name in ("ann", "bea", "cleo", "dora")),
    ),
    "ensemble": Job(
        make_ensemble,
        ("ensemble lm2 lm3 lm4 --tune dev.data --choose both -o out",),
        other=r"run\.json$",
        done="out",
    ),
    "select-test": Job(
        make_select_test, ("select-test all.data --task en-fr --min-segments 3 -o out",)
    ),
}  # fmt: skip


def computed(pid: int) -> float:
    """The seconds that a process has computed."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has just ended
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stored(path: Path) -> Any:
    """What a store of verdicts holds: the order in which rows were numbered does not matter."""
    query = """SELECT token, system, digest, item.pronoun, head, annotator.name,
                      verdict.pronoun, verdict.antecedent, remark
               FROM verdict JOIN item ON item.id = verdict.item
               JOIN annotator ON annotator.id = verdict.annotator"""
    with sqlite3.connect(path) as database:
        check = database.execute("PRAGMA integrity_check").fetchall()
        return check, sorted(database.execute(query).fetchall())


class Attempt:
    """A command in a folder of its own, started as often as it takes."""

    def __init__(self, job: Job, given: Path, folder: Path) -> None:
        self.job, self.folder = job, folder
        shutil.copytree(given, folder / "work")
        (folder / "tmp").mkdir()

    def _work(self) -> None:
        os.setsid()
        os.chdir(self.folder / "work")
        os.environ["TMPDIR"] = str(self.folder / "tmp")
        tempfile.tempdir = None
        said = os.open(self.folder / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for descriptor in (1, 2):
            os.dup2(said, descriptor)
        self.job.work()

    def run(self, longest: float = float("inf")) -> tuple[int | None, float]:
        """Run the command, kill it if it computes for longer; its exit code and its seconds."""
        process = get_context("fork").Process(target=self._work)
        process.start()
        used = 0.0
        while process.is_alive() and used < longest:
            used = max(used, computed(process.pid))
            time.sleep(0.002)
        if process.is_alive():
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        return process.exitcode, used

    def result(self) -> dict[str, Any]:
        """The content of all files; only that there is one where runs may differ."""
        found: dict[str, Any] = {}
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if name == "said" or re.search(self.job.free, name):
                continue
            if path.is_dir() or re.search(self.job.other, name):
                found[name] = "a folder" if path.is_dir() else "a file"
            else:
                found[name] = stored(path) if path.suffix == ".sqlite" else path.read_bytes()
        return found


def faults(job: Job, kills: int, place: Path) -> Iterator[str]:
    """Kill a command so often, and tell what differs at its end; the folder must be empty."""
    rng = Random(1)
    given = place / "given"
    given.mkdir()
    job.make(given)
    whole = Attempt(job, given, place / "whole")
    code, seconds = whole.run()
    assert code == 0, (whole.folder / "said").read_text("utf-8", "replace")
    expected = whole.result()
    for number in range(1000):
        if kills <= 0:
            break
        parts = Attempt(job, given, place / f"parts{number}")
        for _ in range(min(rng.randint(1, 4), kills)):
            kills -= parts.run(rng.random() * seconds)[0] == -signal.SIGKILL
        code, _ = parts.run()
        if code:
            yield f"ended with {code}: {(parts.folder / 'said').read_text('utf-8', 'replace')}"
            continue
        found = parts.result()
        yield from (f"{name} is missing" for name in expected.keys() - found.keys())
        yield from (f"{name} was left behind" for name in found.keys() - expected.keys())
        both = found.keys() & expected.keys()
        yield from (f"{name} is another one" for name in both if found[name] != expected[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", JOBS)
def test_a_killed_command_ends_as_one_that_was_not(name, tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert list(faults(JOBS[name], KILLS, tmp_path)) == []


class Careless(Job):
    """A command that writes as nobody should: its work can be half done, and says so nowhere."""

    def work(self) -> None:
        path = Path("out")
        if path.exists():
            return
        Path(f"tmp{os.getpid()}").touch()
        for number in range(400):
            with path.open("a") as handle:
                handle.write(f"{number} {sum(range(20_000))}\n")
        Path(f"tmp{os.getpid()}").unlink()
        sys.exit(0)


def test_what_careless_commands_leave_is_found(tmp_path):
    said = "\n".join(faults(Careless(lambda folder: None), 4, tmp_path))
    assert "out is another one" in said
    assert "was left behind" in said
