"""Every metric is held to a system that others wrote, or it is said here why it is not."""

from __future__ import annotations

from of_parts import by_name
from peers import (
    imblearn_table,
    pycm_table,
    r_table,
    sklearn_table,
    stats_table,
    torchmetrics_table,
)
from tallymark.metric import METRICS

_SETS = "the cases here have one class a row; tests/metric/test_label_sets.py compares with scikit-learn"
NO_PEER: dict[str, str] = by_name("NO_PEER") | dict.fromkeys(
    ("subset_accuracy", "hamming_loss", "ranking_loss", "coverage_error",
     "label_ranking_average_precision"), _SETS,
)  # fmt: skip
"""Metrics that no peer has, nor anything that it could be put together from: name and reason."""

TABLES = (sklearn_table, pycm_table, imblearn_table, torchmetrics_table, stats_table, r_table)
HELD = {line.ours for table in TABLES for line in table.TABLE}


def test_every_metric_is_held_to_a_peer_or_says_why_not():
    missing = sorted(set(METRICS) - HELD - set(NO_PEER))
    assert not missing, f"no peer's table has {missing}; add them, or NO_PEER with the reason"


def test_no_table_names_an_unknown_metric():
    assert not sorted((HELD | set(NO_PEER)) - set(METRICS))


def test_what_has_a_peer_has_no_excuse():
    assert not sorted(HELD & set(NO_PEER))
