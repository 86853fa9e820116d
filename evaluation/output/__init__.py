"""How results look: tables, charts, and the HTML page with examples that all metrics share."""
