"""Classifiers over sparse 0/1 features: linear models and forests, stored as plain arrays."""
