"""Scores of submissions to the shared tasks: labels, confusion counts, scores, tests, reports."""
