"""How certain scores are: resampling, paired tests, signatures."""
