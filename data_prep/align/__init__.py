"""Word links: the aligner, symmetrisation and the evaluation of links."""
