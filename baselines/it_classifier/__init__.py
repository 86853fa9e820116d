"""What an English `it` is: anaphoric, pleonastic or an event pronoun (UPPSALA 2016, 003 §5.8).

`context` says what a scorer is asked and answers; `patterns` scores by hand-written patterns, and
`classifier` by a maximum-entropy model that is trained on annotated text (`training_data`).
"""
