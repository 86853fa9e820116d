"""Pronouns in doubt: what a model that was never shown a reference says of a translation."""
