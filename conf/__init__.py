"""Hydra configuration and task files; a package so that they travel with the wheel."""

from pathlib import Path

CONF_DIR = Path(__file__).resolve().parent
GROUPS = ("task", "data", "system", "trainer", "experiment")
"""What a configuration is chosen from; there must be one of each but of the last."""
