"""Parallel text with documents, from the formats in which it is published."""

from crosspro.data_prep.bitext.read import read_bitext
from crosspro.data_prep.bitext.segment import Segment

__all__ = ["Segment", "read_bitext"]
