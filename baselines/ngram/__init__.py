"""The n-gram language model: estimation as KenLM's lmplz does it, files, and fast queries."""

DEFAULT_FALLBACK = (0.5, 1.0, 1.5)
"""The discounts that lmplz takes for `--discount_fallback` without numbers."""
