"""Which number to look at: class balance, advice, comparisons of models, the gate."""
