"""Parallel text, tokens, lemmas, tags and parses, the latter by one of several backends."""
