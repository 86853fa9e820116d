"""Columns of the tables that people fill in, which no output ever replaces."""

from __future__ import annotations

from crosspro.data_prep.core.guard import protect_sheets

ITEM_COLUMNS = ("token", "system", "digest")
VERDICT_COLUMNS = ("pronoun", "antecedent", "tags", "remark")
"""The first and the last columns of a review file; people fill in the last."""
GAP_COLUMNS = ("example", "source", "translation")
FILLED_COLUMNS = ("accepted", "remark")
"""The same of a sheet of gaps."""
CHECK_COLUMNS = ("line", "position", "pronoun")
CHECKED_COLUMNS = ("subject", "words", "remark")
"""The same of a sheet of source pronouns."""

protect_sheets(ITEM_COLUMNS, VERDICT_COLUMNS)
protect_sheets(GAP_COLUMNS, FILLED_COLUMNS)
protect_sheets(CHECK_COLUMNS, CHECKED_COLUMNS)
