"""From one sentence pair, as somebody types it, to an example: tokens, links, lemmas, gaps."""
