"""Print the counts of the sample."""

from crosspro.data_prep.sample import sample_summary

print(sample_summary())
