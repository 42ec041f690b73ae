"""Results and arguments for the tests that hold for all that is public."""

import pandas as pd

import tallymark as tm
from tallymark.parts.agreement.coefficients import agreement

RATINGS = tm.RatingTally.from_arrays([[1, 1, 2], [2, 2, 2], [1, 1, 1], [3, 3, 2]])
HOSTILE = tm.RatingTally.from_arrays([["<b>|", "a\x1b[31m"], ["a\x1b[31m", "<script>"]] * 4)

RESULTS = [HOSTILE, agreement(HOSTILE, "linear", 0.95), agreement(RATINGS, "nominal", 0.9), RATINGS]
ARGUMENTS = {
    "tally": RATINGS, "ratings": [[1, 1], [1, 2]], "subject": [1, 1, 2], "rating": [1, 2, 2],
}  # fmt: skip
PLACES = {
    "RatingTally.from_table.data": pd.DataFrame({"a": [0, 1], "b": [0, 1]}),
    "RatingTally.reorder.labels": [1, 2, 3],
}
COMMANDS = {"agree": ["f.csv"]}
