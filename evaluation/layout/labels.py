"""Labels that stand in tables and matrices where there is no pronoun."""

from __future__ import annotations

OTHER = "OTHER"
"""Words that are no pronouns of the lists."""
NONE = "NONE"
"""No word at all."""
