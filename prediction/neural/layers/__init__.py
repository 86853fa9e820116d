"""Layers that networks are built from."""
