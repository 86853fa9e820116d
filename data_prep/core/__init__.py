"""The ground floor: errors, files, settings, tasks, examples, words; it knows nothing above it."""
