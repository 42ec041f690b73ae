"""What a user may write: it passes both type checkers, and it runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tallymark.sklearn import RocCurveDisplay, confusion_matrix, f1_score, roc_curve, scorers

y = [0, 1, 1, 0, 1]
called = np.array([0, 1, 0, 0, 1])
score = [0.2, 0.9, 0.4, 0.3, 0.8]

matrix: NDArray[np.int64] = confusion_matrix(y, called)
dropped: float = f1_score(y, called, zero_division=1.0)
each_class: NDArray[np.float64] = f1_score(y, called, average=None)
false_positives, true_positives, thresholds = roc_curve(y, score)
displays = RocCurveDisplay, scorers()["youden_j"]
