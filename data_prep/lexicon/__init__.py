"""Gender and number of words: a table, its sources, and an inducer that learns it from text."""
