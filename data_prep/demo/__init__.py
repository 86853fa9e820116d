"""The demo corpus: a small bilingual grammar whose pronouns are decidable by construction.

`corpus.py` makes documents of scenes (`scenes.py`), which are said in two languages (`realise.py`)
with the words of `language.py`.
"""
