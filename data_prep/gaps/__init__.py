"""From aligned, annotated text to gaps: which pronouns count, what translates them."""
