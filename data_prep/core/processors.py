"""How many processors there are for this process."""

from __future__ import annotations

import os
import sys


def processors() -> int:
    """Those that this process may use, where it can be asked; elsewhere 1."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
