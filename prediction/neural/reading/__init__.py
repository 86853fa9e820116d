"""Text to arrays: fields, lexicons, sub-words, vocabularies, encoding, tensors."""
