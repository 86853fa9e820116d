"""Contrastive test sets: does a system prefer the right pronoun to wrong ones?"""
