"""Word links: our own aligner, symmetrisation, link files and their evaluation."""
