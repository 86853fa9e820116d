"""PROTEST (002): a suite of pronoun tokens, its automatic matching and its manual evaluation."""
