"""The case of the leaderboard: how long a thousand records take, and how soon their page is there.

The records are made up: systems that are right about a gap the more often the easier it is for all
of them, three seeds each, on three test sets of the six tasks. Page and browser are those of this
machine; without playwright and chromium the page alone is made.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from crosspro.data_prep.core.task import Task, load_task
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.leaderboard.boards import MAIN_TASKS
from crosspro.evaluation.leaderboard.evidence import (
    GoldLabels,
    class_scores,
    digest_of,
    label_digests,
    label_scores,
    labelled_sets,
    write_gold,
    write_labels,
)
from crosspro.evaluation.leaderboard.record import (
    Board,
    MakingStep,
    Provenance,
    Record,
    TrainingText,
    write_record,
)
from crosspro.scripts.bench.measure import CROSSPRO, Row, measure

_SETS = {"tst2014": 400, "tst2015": 350, "tst2016": 400}
_DOCUMENTS = 12
_FEW = Resampling(20)
"""Intervals of made-up records need not be good."""


def leaderboard(records: int = 1000, folder: Path | None = None, opened: int = 5) -> Iterator[Row]:
    """`crosspro leaderboard`: from records to the page, and from its opening to its table."""
    with tempfile.TemporaryDirectory() as temporary:
        place = folder or Path(temporary)
        results = place / "results"
        if not results.is_dir():
            write_made_up(results, records)
        page = place / "leaderboard.html"
        command = [*CROSSPRO, "leaderboard", "--results", results, "-o", page]
        ran = measure(command, 1)
        yield ran.row("crosspro leaderboard", records, "records") | {
            "page": f"{page.stat().st_size / 1e6:.2f} MB"
        }
        yield from _opened(page, opened)


def write_made_up(results: Path, number: int) -> None:
    """So many records, with their evidence, spread over the tasks of the overview."""
    generator = np.random.default_rng(1)
    for place, name in enumerate(MAIN_TASKS):
        own = number // len(MAIN_TASKS) + (place < number % len(MAIN_TASKS))
        _write_task(load_task(name), own, results, generator)


def _write_task(task: Task, number: int, results: Path, generator: np.random.Generator) -> None:
    size = len(task.classes)
    shares = 1 / np.arange(1, size + 1)
    gold, classes, ease = {}, {}, {}
    for test, gaps in _SETS.items():
        classes[test] = generator.choice(size, gaps, p=shares / shares.sum())
        ease[test] = generator.normal(0.6, 1.5, gaps)
        cuts = np.sort(generator.choice(np.arange(1, gaps), _DOCUMENTS - 1, replace=False))
        runs = np.diff(cuts, prepend=0, append=gaps).tolist()
        gold[test] = GoldLabels(tuple(task.classes[one] for one in classes[test]), tuple(runs))
    write_gold(task.name, gold, results)
    for place in range(number):
        name = f"{task.name}/made_up_{place:04}"
        quality = generator.normal(0.5, 0.5)
        labels: dict[str, dict[str, list[str]]] = {}
        for test, truth in classes.items():
            common = generator.normal(0, 0.8, len(truth))
            wrong = generator.choice(size, len(truth), p=shares / shares.sum())
            labels[test] = {}
            for seed in ("1", "2", "3"):
                noise = common + generator.normal(0, 0.4, len(truth))
                found = np.where(ease[test] + quality + noise > 0, truth, wrong)
                labels[test][seed] = [task.classes[one] for one in found]
        write_labels(name, labels, results)
        sets = labelled_sets(task, gold, labels, results)
        write_record(
            Record(
                name=name,
                board=Board.PREDICTION,
                title=f"made-up system {place}",
                system=f"made_up_{place:04}",
                origin=Provenance.PAPERS if place % 3 else Provenance.OWN,
                task=task.name,
                ensemble=place % 5 == 0,
                year=2015 + place % 10,
                text=TrainingText("all" if place % 2 else "TED", digest_of(name), 80_000),
                seeds=(1, 2, 3),
                commit=digest_of(name)[:40],
                configuration=(f"task={task.name}", "system=made_up"),
                environment={"python": "3.11", "numpy": "2.0", "device": "none"},
                steps=(MakingStep("run", ("crosspro", "train", f"task={task.name}")),),
                sets={test: one.measured for test, one in gold.items()},
                scores={one.name: label_scores(one, task, _FEW) for one in sets},
                classes={one.name: class_scores(one, task, _FEW) for one in sets},
                digests=label_digests(labels),
            ),
            results,
        )


def _opened(page: Path, times: int) -> Iterator[Row]:
    """How long a browser takes from the opening of the page until its table is drawn."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        yield {"": "no browser here"}
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        seconds = []
        for _ in range(times):
            shown = browser.new_page(viewport={"width": 1280, "height": 800})
            start = time.perf_counter()
            shown.goto(page.as_uri())
            shown.locator("#prediction tbody tr").first.wait_for()
            seconds.append(time.perf_counter() - start)
            shown.close()
        browser.close()
    ordered = sorted(seconds)
    yield {
        "": "opened in chromium:",
        "best": f"{ordered[0]:.2f} s",
        "median": f"{ordered[times // 2]:.2f} s",
    }
