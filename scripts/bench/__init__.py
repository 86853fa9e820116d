"""Measurements of speed and memory; none of them is a test."""
