"""The six cases of APT (000 §2.4) by number and by name, for all that speak of them."""

from __future__ import annotations

CASES = (1, 2, 3, 4, 5, 6)
CASE_NAMES = ("same", "equivalent", "different", "not in cand.", "not in ref.", "in neither")
"""The cases as the paper's Table 5 calls them."""
