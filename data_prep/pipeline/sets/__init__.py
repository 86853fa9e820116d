"""Data sets as wholes: splits of a run, counts, shared text, choice of test documents."""
