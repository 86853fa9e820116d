"""How much input may ask for: a small file can stand for more than fits into memory.

Input beyond a limit is refused.
"""

from __future__ import annotations

LINE_BYTES = 1 << 26
"""Characters of a segment of XML: 10 million words."""
FILE_BYTES = 1 << 30
"""Of a compressed file that is read as a whole or an archive of a system, once unpacked; of what
comes through a pipe; of a file of a tar archive, and of all that are held in memory."""
UNPACKED_BYTES = 1 << 26
PACKED_TIMES = 100
"""A compressed file may unpack to UNPACKED_BYTES, or to so many times its size. Text and counts
shrink to a tenth; what shrinks to less than a hundredth (document ids do) is seldom that large."""
ARRAY_BYTES = 1 << 28
"""Of the arrays of a compressed file (a prior, say)."""
ALIGNED_WORDS = 2000
"""Of a line that is to be aligned: time and memory grow with the square of it."""
