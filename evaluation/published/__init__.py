"""Published figures of the papers, as data."""
