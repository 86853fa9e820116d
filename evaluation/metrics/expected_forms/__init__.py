"""Generative scoring: whether a translation has the form that a context set expects."""
