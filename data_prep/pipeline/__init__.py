"""The top floor: from parallel text to data sets, with what the rooms below it offer."""
