"""The table of cases: what each measures, the unit of its work, our commands and the peer's."""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.processes import may_have_gpu
from crosspro.evaluation.leaderboard.speed import SpeedRow
from crosspro.scripts.bench import programs
from crosspro.scripts.bench.measure import CROSSPRO, Command, Figures
from crosspro.scripts.bench.peers import VERSIONS, run_quietly
from crosspro.scripts.bench.table import BenchOptions, Case, Contest
from crosspro.scripts.bench.texts import TASK, examples, outputs, split, submission

_EN_FR = "bitext/en-fr/train/europarl"
_EN_DE = "bitext/en-de/train/europarl"
_TALKS = "bitext/en-de/train/ted_tst2011-2014"
_STEP = re.compile(r"(.+?) {2,}([\d,.]+) +([\d,.]+) +\d+%")
"""A line of the table at the end of `crosspro prepare`: step, seconds, CPU seconds."""
_TWO = {1: "one process", 2: "two processes"}
_CLASSICAL = ("stymne_svm", "stymne_svm_2017", "helsinki_svm", "uedin_maxent", "cuni_linear",
              "limsi_forest", "cap_crf", "uedin_crf")  # fmt: skip
_KENLM = f"{{}} of KenLM {VERSIONS['kenlm']}"
_FAST_ALIGN = f"fast_align (systran-align {VERSIONS['systran-align']})"
_SACREMOSES = f"sacremoses {VERSIONS['sacremoses']}"
_CORE = ("taskset", "-c", min(os.sched_getaffinity(0))) if which("taskset") else ()
"""What keeps a command on one core, where that is possible."""
_PROGRAM = (sys.executable, "-P", programs.__file__)


def _predict(given: BenchOptions, size: int, folder: Path) -> Contest:
    if may_have_gpu():
        raise input_error(
            "bench", "predict", "a machine without a GPU, where torch predicts", "one"
        )
    texts = {
        option: given.text(f"{_TALKS}.{end}.xz", size, folder / option)
        for option, end in (("source", "en"), ("target", "de"), ("doc-ids", "doc-ids"))
    }
    options = (word for option, path in texts.items() for word in (f"--{option}", path))
    run_quietly([*CROSSPRO, "prepare", "--task", "en-de-text", *options, "-o", folder / "text"])
    file = folder / "text.data"
    gaps, places = _gaps_and_places("en-de", file)
    show = partial(Command, figures=lambda _: places)
    ours = [*CROSSPRO, "predict", "en-de", file, "-o", folder / "labels.data"]
    torch = Command([*_CORE, *_PROGRAM, "torch", "en-de", file]) if find_spec("torch") else None

    commands = {"predict, one core": show([*_CORE, *ours]), "predict, all cores": show(ours)}
    return Contest(commands, torch, gaps, alone=("predict, all cores",))


def _gaps_and_places(model: str, file: Path) -> tuple[int, Figures]:
    """The gaps of a file, and how many pieces of text a model of the box reads for each."""
    from crosspro.data_prep.annotate.layers import layers_beside, read_layered
    from crosspro.prediction.model_archive import from_box
    from crosspro.prediction.neural.document_arrays import DocumentText
    from crosspro.prediction.neural.document_reader import DocumentReader
    from crosspro.prediction.neural.reading.encoding import encode
    from crosspro.prediction.system import load_system

    system = load_system(from_box(Path(model)))
    examples = list(read_layered(file, system.task, layers_beside(file)))
    gaps = sum(len(example.gaps) for example in examples)
    if not isinstance(system, DocumentReader):  # in torch, where there is a GPU
        return gaps, {}
    data, network = encode(examples, system.encoder, system.task), system.network
    text = DocumentText(data, network.settings, system.context, network.no_noun)
    return gaps, {"pieces a gap": float(text.sizes.sum()) / gaps}


def _predict_pair(given: BenchOptions, size: int, folder: Path) -> Contest:
    return Contest({"predict_pair": Command([*_PROGRAM, "pairs"], figures=json.loads)})


def _training(run: Path, *words: str) -> Command:
    """A run of train.py on the demo corpus, with the CPU seconds of its stages."""

    def stages(_: str) -> Figures:
        told = json.loads((run / "run.json").read_text("utf-8"))["times"]["stages"]
        return {f"{one['name']} CPU s": float(one["cpu_seconds"]) for one in told}

    options = ("task=en-fr", "trainer.progress_bar=false", f"hydra.run.dir={run}")
    command = [sys.executable, "-m", "crosspro.scripts.train", *words, *options]
    return Command(command, fresh=run, figures=stages)


def _train_demo(given: BenchOptions, size: int, folder: Path) -> Contest:
    return Contest({"make train": _training(folder / "run", "experiment=first_look")})


def _fit(given: BenchOptions, size: int, folder: Path) -> Contest:
    sizes = {"train": size, "dev": 50, "test": 50}
    words = ["resamples=0", *(f"data.documents.{name}={one}" for name, one in sizes.items())]
    return Contest(
        {f"fit {one}": _training(folder / one, f"system={one}", *words) for one in _CLASSICAL}
    )


def _first_step(given: BenchOptions, size: int, folder: Path) -> Contest:
    for name, lines in (("train", size), ("dev", 300), ("test", 300)):
        examples(lines, folder / f"{name}.data", name)
    words = ["data=shared_task", f"data.dir={folder}", f"task={TASK}"]
    words += [f"hydra.run.dir={folder / 'run'}", "trainer.progress_bar=false"]

    def told(text: str) -> Figures:
        return {"imports s": float(text.rpartition("imports ")[2].split()[0])}

    command = [*_PROGRAM, "first_step", *words]
    step = Command(command, fresh=folder / "run", figures=told)
    return Contest({"first training step": step})


def _lm_train(given: BenchOptions, size: int, folder: Path) -> Contest:
    text = given.text(f"{_EN_FR}.en.xz", size, folder / "text", words=True)
    ours = [*CROSSPRO, "lm", "train", text, "--discount-fallback"]
    return Contest(
        {
            "lm train --arpa": Command([*ours, "--arpa", folder / "ours.arpa"]),
            "lm train -o": Command([*ours, "-o", folder / "ours"]),
        },
        given.beside(lambda peers: peers.lmplz(text, folder / "theirs.arpa")),
        alone=("lm train -o",),  # of our own form
    )


def _lm_query(given: BenchOptions, size: int, folder: Path) -> Contest:
    text = given.text(f"{_EN_FR}.en.xz", 800_000, folder / "text", words=True)
    scored = given.text(f"{_EN_DE}.en.xz", size, folder / "scored", words=True)
    model, arpa = folder / "model", folder / "model.arpa"
    train = [*CROSSPRO, "lm", "train", text, "--discount-fallback"]
    run_quietly([*train, "-o", model, "--arpa", arpa])
    ours = Command([*CROSSPRO, "lm", "query", model, scored])
    return Contest({"lm query": ours}, given.beside(lambda peers: peers.query(arpa, scored)))


def _fill(given: BenchOptions, size: int, folder: Path) -> Contest:
    text = given.text(f"{_EN_FR}.fr.xz", 800_000, folder / "text", words=True)
    run_quietly([*CROSSPRO, "lm", "train", text, "--discount-fallback", "-o", folder / "model"])
    file = examples(size, folder / "gaps.data")
    options = ["--task", TASK, "--lm", folder / "model", "--none-penalty", -1]
    return Contest({"fill": Command([*CROSSPRO, "fill", file, *options])})


def _align(given: BenchOptions, size: int, folder: Path) -> Contest:
    source, target = (
        split(given.text(f"{_EN_FR}.{language}.xz", size, folder / language))
        for language in ("en", "fr")
    )
    ours = [*CROSSPRO, "align", "--task", "en-fr", "--source", source, "--target", target]
    ours += ["-o", folder / "links", "--jobs"]
    commands = {f"align, {told}": Command([*ours, jobs]) for jobs, told in _TWO.items()}
    return Contest(commands, given.beside(lambda peers: peers.fast_align(source, target, folder)))


def _tokenise(given: BenchOptions, size: int, folder: Path) -> Contest:
    text = given.text(f"{_EN_FR}.en.xz", size, folder / "text")
    ours = [*CROSSPRO, "tokenise", text, "--language", "en", "--force"]
    return Contest(
        {"tokenise": Command(ours)}, given.beside(lambda peers: peers.sacremoses(text, "en"))
    )


def _annotate(given: BenchOptions, size: int, folder: Path) -> Contest:
    text = split(given.text(f"{_EN_FR}.en.xz", size, folder / "text"))
    ours = [*CROSSPRO, "annotate", text, "--language", "en", "--annotator", "hanta", "--jobs"]
    return Contest({f"annotate, {told}": Command([*ours, jobs]) for jobs, told in _TWO.items()})


def _prepare(given: BenchOptions, size: int, folder: Path) -> Contest:
    source, target = (
        given.text(f"{_EN_DE}.{language}.xz", size, folder / language) for language in ("en", "de")
    )
    ours = [*CROSSPRO, "prepare", "--task", "en-de-text", "--source", source, "--target", target]

    def steps(told: str) -> Figures:
        found = filter(None, map(_STEP.fullmatch, told.splitlines()))
        return {f"{row[1]} CPU s": float(row[3].replace(",", "")) for row in found}

    return Contest(
        {
            f"prepare, {told}": Command(
                [*ours, "--jobs", jobs, "-o", folder / f"out{jobs}", "--cache", folder / "cache"],
                fresh=folder / "cache",
                figures=steps,
            )
            for jobs, told in _TWO.items()
        }
    )


def _proofread(given: BenchOptions, size: int, folder: Path) -> Contest:
    texts = (given.text(f"{_TALKS}.{end}.xz", size, folder / f"text.{end}") for end in ("en", "de"))
    options = ["--format", "json", "-o", folder / "found.json", "--threshold", 1]
    command = [*CROSSPRO, "proofread", *texts, "--model", "en-de", *options]
    return Contest({"proofread": Command(command)})


def _report(given: BenchOptions, size: int, folder: Path) -> Contest:
    text = outputs(given, size, folder / "text", 3)
    ours = [*CROSSPRO, "report", text, "--no-proofread", "-o"]
    again = [*ours, folder / "again", "--cache", folder / "cache"]
    run_quietly(again)
    first = Command([*ours, folder / "first", "--cache", "none"])
    return Contest({"report, first run": first, "report, run again": Command(again)})


def _evaluate(given: BenchOptions, size: int, folder: Path) -> Contest:
    gold = examples(size, folder / "gold.data")
    files = [gold, submission(gold, folder / "system.data")]
    ids = folder / "doc-ids"
    ids.write_text("".join(f"talk{line // 100}\n" for line in range(size)), "utf-8")
    ours = [*CROSSPRO, "evaluate", *files, "--task", TASK]
    rows: dict[str, list[object]] = {
        "evaluate, official layout": ["--layout", "official"],
        "evaluate, no resampling": ["--resamples", 0],
        "evaluate, 1,000 resamples by gap": ["--resamples", 1000],
        "evaluate, 1,000 resamples by document": ["--resamples", 1000, "--doc-ids", ids],
    }
    commands = {title: Command([*ours, *options]) for title, options in rows.items()}
    return Contest(commands, Command([*_PROGRAM, "score", *files]))


def _start_up(given: BenchOptions, size: int, folder: Path) -> Contest:
    gold = examples(1000, folder / "gold.data")
    evaluate = [*CROSSPRO, "evaluate", gold, gold, "--task", TASK]
    commands = {
        "import crosspro": Command([sys.executable, "-c", "import crosspro"]),
        "crosspro --help": Command([*CROSSPRO, "--help"]),
        "crosspro evaluate, 1,000 lines": Command(evaluate),
    }
    return Contest(commands, Command([sys.executable, "-c", "pass"]))


def _rows(place: str) -> Callable[[BenchOptions, int], Iterator[SpeedRow]]:
    """The rows of a function, whose packages are imported when it is asked for."""

    def rows(given: BenchOptions, size: int) -> Iterator[SpeedRow]:
        module, name = place.split(":")
        found: Any = getattr(importlib.import_module(f"{__package__}.{module}"), name)
        yield from found(given, size)

    return rows


CASES = {
    "predict": Case(
        "a model of the box with documents", _predict, 1000, "gaps", "torch, one core"
    ),
    "predict-pair": Case("the first sentence from Python, and the next ones", _predict_pair),
    "train-demo": Case("`make train`, from start to scores", _train_demo, needs=("torch",)),
    "first-step": Case(
        "train.py until its first training step", _first_step, 10_000, "lines", needs=("torch",)
    ),
    "lm-train": Case("a 5-gram model", _lm_train, 800_000, "words", _KENLM.format("lmplz")),
    "lm-query": Case(
        "scores of sentences, given a 5-gram model of 800,000 words",
        _lm_query, 800_000, "words", _KENLM.format("query, probing"),
    ),
    "fill": Case("gaps filled by a 5-gram model", _fill, 2000, "lines"),
    "align": Case("word links in both directions", _align, 4000, "segments", _FAST_ALIGN),
    "tokenise": Case("raw text", _tokenise, 20_000, "lines", _SACREMOSES),
    "annotate": Case(
        "English lemmas and tags by HanTa", _annotate, 2000, "sentences", needs=("HanTa",)
    ),
    "prepare": Case("examples from parallel text, by step", _prepare, 5000, "pairs"),
    "proofread": Case("pronouns of a translation", _proofread, 250, "segments"),
    "report": Case("all scores of three systems, links made", _report, 1000, "segments"),
    "evaluate": Case("a submission", _evaluate, 100_000, "lines", "plain Python loop"),
    "start-up": Case("commands that do little", _start_up, peer="python -c pass"),
    "fit": Case(
        "classical systems on the demo corpus, with scores", _fit, 250, "documents",
        needs=("scikit-learn", "hydra-core"),
    ),
    "review": Case("the review server under load, and killed", size=1000, unit="verdicts",
                   rows=_rows("review:review"), needs=("fastapi", "uvicorn"), once=True),
    "train": Case("networks at their default shapes", size=20, unit="steps",
                  rows=_rows("networks:train"), peer="plain PyTorch", needs=("torch",), gpu=True),
    "pretrain": Case("pre-training, forward, backward and optimiser", size=50, unit="steps",
                     rows=_rows("networks:pretrain"), needs=("torch",), gpu=True),
}  # fmt: skip
"""What can be measured; those for a GPU are no part of `all`."""
