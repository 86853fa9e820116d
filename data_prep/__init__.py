"""Examples: tasks, formats, the pipeline from parallel text, the demo corpus, a sample."""
