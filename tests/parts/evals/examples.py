"""Results and arguments for the tests that hold for all that is public."""

import numpy as np

import tallymark as tm

HOSTILE = "<b>|\x1b[31m"
RNG = np.random.default_rng(0)
EASE = RNG.beta(2, 1, (120, 1))
GRADES = {name: RNG.random((120, 3)) < np.clip(EASE + shift, 0, 1)
          for name, shift in (("first", 0.2), (HOSTILE, 0.15), ("last", -0.3))}  # fmt: skip
BOARD = tm.evals(GRADES, task=np.where(np.arange(120) < 50, HOSTILE, "law"), least=0.02)

RESULTS = [BOARD, BOARD.models[0], BOARD.pairs[0], BOARD.tally]
CELL = """\
import tallymark as tm
tm.evals({"a": [1, 1, 0, 1], "b": [0, 1, 0, 0]})
"""
ARGUMENTS = {"graded": "correct", "scorer": "exact", "least": 0.02, "wins": 3, "losses": 2, "k": 2}
PLACES = {
    "evals.data": {"item": [1, 2, 1, 2], "m": [0, 0, 1, 1], "correct": [1, 0, 1, 1],
                   "scorer": ["exact"] * 4},
    "evals.item": "item",
    "evals.epoch": "m",
    "evals.model": "m",
    "evals.task": "m",
    "evals.cluster": "item",
    "Leaderboard.on.task": "law",
    "Leaderboard.pair.first": "first",
    "Leaderboard.pair.second": "last",
    "GradeTally.sums": np.array([[1.0, 0.0]]),
    "GradeTally.answers": np.array([[1.0, 1.0]]),
}  # fmt: skip
CALLS = {"plan_evals": {"difference": 0.02, "disagree": 0.15}}
COMMANDS = {
    "evals": ["f.csv"],
    "plan evals": ["--difference", "0.02", "--disagree", "0.15"],
}
