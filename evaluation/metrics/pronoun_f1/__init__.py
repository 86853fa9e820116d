"""Precision, recall and F1 of pronouns from plain text, without links."""
