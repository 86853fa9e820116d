"""AutoPRF (Hardmeier & Federico 2010): precision and recall of words linked to source pronouns."""
