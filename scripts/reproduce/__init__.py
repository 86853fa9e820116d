"""What makes the data and the tables of RESULTS.md."""
