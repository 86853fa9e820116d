"""The library of the package: what is calculated in C where there was a compiler.

Its sources stand beside the modules that call them (`*.c`), which say the same with numpy where it
is absent. It needs nothing but libc, and knows nothing of Python.
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path


@cache
def library() -> ctypes.CDLL | None:
    """The library, where it was built and can be loaded."""
    for path in sorted(Path(__file__).parent.glob("_compiled.*")):
        try:
            return ctypes.CDLL(str(path))
        except OSError:  # built for another machine
            continue
    return None
