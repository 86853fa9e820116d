"""Evaluations for people and programs: text, Markdown, HTML pages, JSON, CSV."""
