"""Proofreading: find the pronouns of a translation that are probably wrong, say why, mend them."""
