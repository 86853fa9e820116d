"""Everything that can be computed from a folder of source, reference, outputs and documents."""
