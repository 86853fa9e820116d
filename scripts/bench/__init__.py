"""Measurements of speed and memory, none of which is a test: python -m crosspro.scripts.bench."""
