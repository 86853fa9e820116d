"""Metrics against people: correlation over systems, disagreement over pronouns (000, 001)."""
