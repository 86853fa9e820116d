"""How results look: tables, charts, and the HTML page with examples that all metrics share."""

MOST_EXAMPLES = 20_000
"""A page with so many is still quick."""
