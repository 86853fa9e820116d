"""Programs that make data, models, measurements and the table of results."""
