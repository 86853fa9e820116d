"""Cross-lingual pronoun prediction, and evaluation of pronoun translation."""

__version__ = "0.1.0"
