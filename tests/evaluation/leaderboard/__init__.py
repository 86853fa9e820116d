"""Records, boards and their evidence."""
