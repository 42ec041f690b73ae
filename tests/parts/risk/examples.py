"""Results and arguments for the tests that hold for all that is public."""

import numpy as np

import tallymark as tm

HOSTILE = "<script>alert(1)</script>|\x1b[31m"
RNG = np.random.default_rng(0)
SCORE = RNG.beta(0.5, 0.5, 400)
Y = (RNG.random(400) < SCORE).astype(int)
ANSWERS = tm.AnswerTally.from_arrays(Y, SCORE > 0.5, np.abs(SCORE - 0.5))
FOUND = tm.evaluate(Y, y_score={HOSTILE: SCORE}).refer([0.1, 0.0001])
SETS = tm.SetTally.from_arrays([HOSTILE, "b"] * 20, [[HOSTILE], [HOSTILE, "b"]] * 20)
JUDGED = tm.prediction_sets(SETS, alpha=0.1, calibration_rows=50)

RESULTS = [FOUND, FOUND.limits[0], ANSWERS, SETS, JUDGED]
ARGUMENTS = {
    "answers": ANSWERS, "confidence": [0.5, 0.75], "risk": 0.1, "coverage": 0.5,
    "sets": [["a"], []], "p_values": [[0.5, 0.1], [0.2, 0.9]], "alpha": 0.1, "calibration_rows": 50,
}  # fmt: skip
PLACES = {
    "SetTally.from_arrays.y_true": ["a", "b"],
    "SetTally.reorder.labels": [HOSTILE, "b"],
    "SetTally.from_table.data": {"truth": ["a", "b"], "set": ["a,b", "b"]},
    "SetTally.from_table.sets": "set",
    "SetTally.from_table.truth": "truth",
    "SetTally.from_table.p_values": ["a", "b"],
    "prediction_sets.tally": SETS,
    "AnswerTally.from_arrays.y_true": [0, 1],
    "AnswerTally.from_arrays.y_pred": [0, 1],
    "AnswerTally.from_table.data": {"truth": [0, 1], "pred": [1, 1], "sure": [0.5, 0.7]},
    "AnswerTally.from_table.confidence": "sure",
    "AnswerTally.from_table.truth": "truth",
    "AnswerTally.from_table.pred": "pred",
}
COMMANDS = {"refer": ["f.csv"]}
TABLES = {"refer": ["f.csv", "--score", "x", "--risk", "0.2"]}
CURVES = ("risk_coverage",)
METRICS = ("aurc", "augrc", "e_aurc")
UNPROVED = METRICS
NO_PEER = dict.fromkeys(METRICS, "no library here refers cases; test_measures.py goes row by row")
COUNTS_ROWS = ("aurc", "e_aurc")
