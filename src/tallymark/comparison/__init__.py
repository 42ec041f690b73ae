"""Which classifier is better: on the same rows, over folds and over data sets."""
