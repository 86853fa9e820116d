"""What an English `it` is: anaphoric, pleonastic or an event pronoun (UPPSALA 2016, 003 §5.8)."""
