"""The n-gram language model: modified Kneser-Ney estimation as in lmplz, files and queries."""
