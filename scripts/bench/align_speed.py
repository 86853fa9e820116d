"""Time, memory and, where there are gold links, quality of word alignment.

Run: python -m crosspro.scripts.bench.align_speed --source S --target T [--gold LINKS]
     [--task en-fr] [--segments 1000 10000 170000] [--aligner own eflomal] [--model hmm ibm1]
     [--jobs 2] [--split]

Each row is a run of its own, in a new process, on the first segments of the text; seconds include
numbering and symmetrisation, but not the reading of the text. Memory is the peak of the process and
of its children together. `--split` splits raw text roughly into tokens.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import time
from itertools import islice, product
from pathlib import Path

from crosspro.data_prep.align.backends import AlignerSettings, align_corpus
from crosspro.data_prep.align.symmetrise import score_links
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.links import read_links
from crosspro.evaluation.output.tables import text_table

WORDS = re.compile(r"\w+['’]|\w+(?:-\w+)*|[^\w\s]")
HEADING = ("aligner", "model", "segments", "jobs", "seconds", "MB", "segments/s", "F1", "pronouns")


def main() -> None:
    """Print a row for each combination of aligner, model and size."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--gold", type=Path)
    parser.add_argument("--task", default="en-fr", help="names the source pronouns")
    parser.add_argument("--segments", type=int, nargs="+", default=[10**9])
    parser.add_argument("--aligner", nargs="+", default=["own"])
    parser.add_argument("--model", nargs="+", default=["hmm"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--split", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(_measure(options)))
        return
    rows = []
    own = [*sys.argv[1:], "--one"]
    for aligner, model, segments in product(options.aligner, options.model, options.segments):
        choice = ["--aligner", aligner, "--model", model, "--segments", str(segments)]
        command = [sys.executable, "-m", "crosspro.scripts.bench.align_speed", *own, *choice]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        rows.append(json.loads(done.stdout))
        print(text_table(HEADING, rows), flush=True)


def _measure(options: argparse.Namespace) -> list[str]:
    settings = AlignerSettings(aligner=options.aligner[0], model=options.model[0])
    source, target = (
        [
            WORDS.findall(line) if options.split else line.split()
            for line in islice(read_text_lines(path), options.segments[0])
        ]
        for path in (options.source, options.target)
    )
    start = time.perf_counter()
    found = list(align_corpus(source, target, settings, jobs=options.jobs))
    seconds = time.perf_counter() - start
    kilobytes = sum(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    scores = ["", ""]
    if options.gold:
        gold = list(islice(read_links(options.gold), len(source)))
        pronouns = load_task(options.task).source_pronouns
        every = score_links(found, gold), score_links(found, gold, source, pronouns)
        scores = [f"{score.f1:.4f}" for score in every]
    return [
        settings.aligner,
        settings.model if settings.aligner == "own" else "",
        f"{len(source):,}",
        str(options.jobs),
        f"{seconds:.1f}",
        f"{kilobytes / 1024:,.0f}",
        f"{len(source) / seconds:,.0f}",
        *scores,
    ]


if __name__ == "__main__":
    main()
