"""Lemmas, tags and parses for tokenised text, by one of several backends."""
