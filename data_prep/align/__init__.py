"""Word links: the aligner, symmetrisation, link files and their evaluation."""
