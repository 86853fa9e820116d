"""Scores of submissions and of MT output, with intervals and tests."""
