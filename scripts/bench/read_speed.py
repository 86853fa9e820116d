"""Time and memory of reading a large five-column file into examples.

Run: python -m crosspro.scripts.bench.read_speed [lines]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from crosspro.scripts.bench.files import write_large
from crosspro.scripts.bench.measure import measure


def main() -> None:
    """Print both for a tenth of the lines and for all of them: memory must not grow."""
    if sys.argv[1:] and not sys.argv[1].isdigit():
        raise SystemExit(__doc__)
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "large.data"
        for number in (lines // 10, lines):
            write_large(path, number)
            code = (
                "import sys; "
                "from crosspro.data_prep.formats.shared_task import read_examples as r; "
                "from crosspro.data_prep.core.task import load_task as t; "
                "print(sum(len(e.gaps) for e in r(sys.argv[1], t('en-fr'))))"
            )
            size = path.stat().st_size / 1e6
            result = measure([sys.executable, "-c", code, str(path)], 1)
            print(f"{number:,} lines, {size:.0f} MB: {result}")


if __name__ == "__main__":
    main()
