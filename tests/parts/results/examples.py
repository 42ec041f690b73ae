"""Results and arguments for the tests that hold for all that is public."""

import tallymark as tm
from parts.results.test_comparison import demsar

FOUND = tm.compare_results(demsar(), draws=100)

RESULTS = [
    FOUND, FOUND.pairs[0], FOUND._fields[0], FOUND.friedman, FOUND.pairs[0]._posterior,
]  # fmt: skip
CELL = """\
from parts.results.test_comparison import demsar
tm.compare_results(demsar(), draws=100)
"""
PLACES = {
    "ModelComparison.on.dataset": "iris",
    "ModelComparison.pair.first": "C4.5",
    "ModelComparison.pair.second": "C4.5+m",
    "compare_results.metric": "auc",
    "plot.critical_difference.what": FOUND,
}
COMMANDS = {"results": ["t.csv"]}
