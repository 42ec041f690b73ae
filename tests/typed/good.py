"""What a user may write: it passes both type checkers, and it runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import tallymark as tm

y = [0, 1, 1, 0, 1]
called = np.array([0, 1, 0, 0, 1])
score = [0.2, 0.9, 0.4, 0.3, 0.8]
three = ["a", "b", "c", "a", "b"]

f2: float = tm.metrics.f_beta(y, called, beta=2)
alias: float = tm.metrics.TPR(y, called, positive=1, undefined=0.0) + tm.metrics.recall(y, called)
each: NDArray[np.float64] = tm.metrics.f1(three, three, average="per_class")
macro: float = tm.metrics.f1(three, three, average="macro", labels=np.unique(three))
area: float = tm.metrics.partial_roc_auc(
    y, score, high=0.5, axis="tpr", sample_weight=[1, 1, 1, 2, 2]
)
skill: float = tm.metrics.brier(tuple(y), score)
counted: float = tm.metrics.mcc(tm.LabelTally.from_arrays(y, called))
title: str = tm.metrics.mcc.title

ev: tm.Evaluation = tm.evaluate(y, score)
number: float = ev["f1"].value
half: float = ev["f1"] / 2 + 1 - ev["mcc"]
high: bool = ev["f1"] > 0.5
text: str = f"{ev['f1']:.3f} {round(ev['f1'], 3)}"
low: float = ev.value(tm.metrics.f_beta, beta=2.0).low
cells: NDArray[np.int64] = np.asarray(ev.confusion_matrix())
names: list[str] = [metric for metrics in ev.values().values() for metric in metrics]
own: float = ev.value(tm.Statistic(lambda c: c.tp / c.total, name="share_hit")).value
