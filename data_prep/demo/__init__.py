"""The demo corpus: a small bilingual grammar whose pronouns are decidable by construction.

`corpus.py` makes documents of scenes (`scenes.py`) out of clauses (`clauses.py`), which are said in
two languages (`realise.py`) with the words of `lexicon.py`; `ceiling.py` computes what a perfect
system could reach.
"""
