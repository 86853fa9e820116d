"""Time of `crosspro evaluate` on files of 100,000 lines, start-up included.

Run: python -m crosspro.scripts.bench.evaluate_speed

The ratios are CPU seconds to those of a plain Python loop that counts the same gaps.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from crosspro.scripts.bench import plain_loops
from crosspro.scripts.bench.files import write_large
from crosspro.scripts.bench.measure import measure

LINES = 100_000


def main() -> None:
    """Print the time without and with resampling, by gap and by document."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        gold, submission, ids = folder / "gold.data", folder / "system.data", folder / "doc-ids"
        write_large(gold, LINES)
        write_large(submission, LINES, predicted=True)
        ids.write_text("".join(f"talk{line // 100}\n" for line in range(LINES)), "utf-8")
        print(f"{LINES:,} lines, {gold.stat().st_size / 1e6:.0f} MB a file")
        command = [
            sys.executable,
            "-m",
            "crosspro.scripts.main",
            "evaluate",
            str(gold),
            str(submission),
        ]
        command += ["--task", "en-fr"]
        loop = [sys.executable, plain_loops.__file__, "score", str(gold), str(submission)]
        plain = measure(loop, 5)
        print(f"plain Python loop: {plain}")
        for title, options in {
            "official layout": ["--layout", "official"],
            "no resampling": ["--resamples", "0"],
            "1,000 resamples by gap": ["--resamples", "1000"],
            "1,000 resamples by document": ["--resamples", "1000", "--doc-ids", str(ids)],
        }.items():
            ours = measure(command + options, 5)
            print(f"{title}: {ours}; ratio {ours.cpu / plain.cpu:.2f}")


if __name__ == "__main__":
    main()
