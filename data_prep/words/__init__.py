"""Word lists of languages, and a guess at the language of a text by them."""
