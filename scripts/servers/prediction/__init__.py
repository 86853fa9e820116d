"""A page on which people try models on sentence pairs."""
