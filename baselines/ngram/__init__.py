"""The n-gram language model: estimation as KenLM's lmplz does it, files, and fast queries."""
