"""Which ambiguous source pronouns are subjects: by a parse, or by rules over words and tags."""
