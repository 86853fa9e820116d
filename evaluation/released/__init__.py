"""released."""
