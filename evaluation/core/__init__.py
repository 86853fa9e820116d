"""How certain scores are: units that are resampled, intervals, paired tests, signatures.

A resample is a vector of sums of per-unit statistics, and a metric is a pure function of such sums;
text is never looked at again. This room knows no metric.
"""
