"""Parallel text with documents, from the formats in which it is published.

`read_bitext` reads any of them; each format has a module with a reader of its own.
"""

from crosspro.data_prep.bitext.read import FORMATS, read_bitext
from crosspro.data_prep.bitext.segment import Segment

__all__ = ["FORMATS", "Segment", "read_bitext"]
