"""Judge classifiers: count once, then everything is arithmetic on the counts."""
