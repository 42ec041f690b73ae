"""How sure each number is: intervals, tests, bands and the rows that they take."""
