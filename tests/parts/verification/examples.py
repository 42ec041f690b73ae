"""Results and arguments for the tests that hold for all that is public."""

import tallymark as tm

HOSTILE = "<script>alert(1)</script>|\x1b[31m"
EVALUATION = tm.verify({HOSTILE: [0.9, 0.8, 0.4]}, {HOSTILE: [0.1, 0.5]}, threshold=0.45)
FOUND = EVALUATION.verification()[HOSTILE]

RESULTS = [FOUND, FOUND.at_fmr[0], EVALUATION]
