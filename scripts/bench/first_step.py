"""Seconds from the start of `train.py` to its first training step, for N lines of the demo corpus.

Half of them are imports, and far more where the packages have no bytecode (images that were built
without, PYTHONDONTWRITEBYTECODE), since then every start compiles them; both are said.

Run: python -m crosspro.scripts.bench.first_step [--lines 100000] [arguments of train.py]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples

MARK = "first training step"


def child(arguments: list[str]) -> None:
    """Run `train.py` and leave it at its first step."""
    start = time.perf_counter()
    import torch

    from crosspro.prediction.neural.training.module import GapClassifier
    from crosspro.scripts import train

    imports = time.perf_counter() - start
    compiled = "with" if Path(torch.__spec__.cached or "").is_file() else "without"

    def first_step(*_: Any) -> None:
        print(f"{MARK}, imports {imports:.1f} s, {compiled} bytecode", flush=True)
        sys.exit()

    GapClassifier.training_step = first_step  # type: ignore[method-assign, assignment]
    sys.argv = ["train.py", *arguments]
    train.main()


def main() -> None:
    """Write the data, start the child, and wait for its mark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options, arguments = parser.parse_known_args()
    if options.child:
        child(arguments)
        return
    task = load_task("en-fr")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for split, documents in (("train", options.lines // 10), ("dev", 100), ("test", 10)):
            examples = demo_examples(task, split, documents)[: options.lines]
            write_examples(folder / f"{split}.data", examples)
            write_doc_ids(folder / f"{split}.doc-ids", examples)
            if split == "train":
                print(f"{len(examples):,} lines, {sum(len(e.gaps) for e in examples):,} gaps")
        where = [
            "data=shared_task",
            f"data.dir={folder}",
            "trainer.progress_bar=false",
            f"hydra.run.dir={folder / 'run'}",
        ]
        command = [
            sys.executable,
            "-m",
            "crosspro.scripts.bench.first_step",
            "--child",
            *where,
            *arguments,
        ]
        start = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout or ():
                if MARK in line:
                    print(f"{time.perf_counter() - start:.1f} s to the {line.strip()}")
                    return
        sys.exit(f"train.py ended without a step (exit {process.returncode})")


if __name__ == "__main__":
    main()
