"""Estimators that go wrong, in a module that other processes can import."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression


class Failing(LogisticRegression):
    """Fails in the way it is told to, on some fold."""

    def __init__(self, way="fit"):
        super().__init__()
        self.way = way

    def fit(self, x, y):
        if self.way == "fit":
            raise RuntimeError("no luck\n  at all.")
        return super().fit(x, y)

    def predict_proba(self, x):
        p = super().predict_proba(x)
        off = {"above": 1 + 1e-5, "below": -1e-5, "rounded up": 1 + 1e-7, "rounded down": -1e-7}
        if self.way in off:
            p[:, 1] = np.where(np.arange(len(p)) == 0, off[self.way], p[:, 1])
            return p
        return {"nan": p * np.nan, "beyond": p * 3, "column": p[:, :1], "few": p[:3]}[self.way]


class Logged(LogisticRegression):
    """Takes its time to fit, and appends a line to a file each time."""

    def __init__(self, log="", seconds=0.0):
        super().__init__()
        self.log = log
        self.seconds = seconds

    def fit(self, x, y):
        time.sleep(self.seconds)
        with Path(self.log).open("a", encoding="utf-8") as file:
            file.write("fitted\n")
        return super().fit(x, y)


class Ended(LogisticRegression):
    def fit(self, x, y):
        os._exit(1)
