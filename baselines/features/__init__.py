"""Features of gaps: named extractors, and the sparse matrix that classifiers learn from."""
