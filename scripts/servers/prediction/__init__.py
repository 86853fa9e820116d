"""A page to try systems on sentence pairs, and the JSON interface behind it (extra `review`)."""
