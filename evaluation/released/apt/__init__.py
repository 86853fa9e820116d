"""APT exactly as the released Python 2 tool computes it, quirks and all."""
