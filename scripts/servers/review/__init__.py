"""The review server: pages on which people judge, and on which a researcher follows them."""
