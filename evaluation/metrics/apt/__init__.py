"""APT, the accuracy of pronoun translation (000): occurrences, alignment repair, cases, scores."""
