"""Worked examples of the sources."""

from __future__ import annotations

import numpy as np
import pytest

from tallymark import RatingTally, agree
from test_golden import cases, same


@pytest.mark.parametrize("case", cases("ratings"))
def test_many_raters(case):
    counts = case["inputs"]["counts_subject_by_category"]
    t = RatingTally(tuple(range(len(counts[0]))), np.array(counts, dtype=float))
    observed, kappa = (agree(t, n).value for n in ("percent_agreement", "fleiss_kappa"))
    same(observed, case["expected"]["P_bar"], "P_bar")
    same((observed - kappa) / (1 - kappa), case["expected"]["P_e"], "P_e")
    same(kappa, case["expected"]["fleiss_kappa"], "fleiss_kappa")
