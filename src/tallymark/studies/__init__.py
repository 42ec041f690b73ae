"""Which number to look at: class balance, relations among metrics, advice, claims."""
