"""HTML pages of the metrics that judge MT output: scores, matrices, examples with links."""
