"""Bundled models: they come with the package, `NAME.zip` each, with a card `NAME.md` beside it."""
