"""BLEU and chrF of MT output: what the pronoun metrics are compared with."""
