"""The page of errors in the sources: every entry stands there, and what its examples cannot show holds."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import tallymark as tm
from tallymark.metric import METRICS

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
PAGE = "\n".join(
    (ROOT / "docs" / f"{p}.md").read_text("utf-8") for p in ("tharwat", "shin", "liu2014")
)
ROWS = {row[0]: row[1:] for row in re.findall(r"^\| ([A-Z]\d\d) " + r"\| (.+?) " * 4 + r"\|$", PAGE, re.M)}  # fmt: skip
SERIES = {"T": 37, "S": 15, "B": 9, "R": 7, "L": 13}
beside = pytest.mark.skipif(not SHARED.is_dir(), reason="the sources are not beside this checkout")


def test_every_entry_has_four_cells_and_stands_once():
    numbers = [f"{series}{n:02}" for series, most in SERIES.items() for n in range(1, most + 1)]
    assert list(ROWS) == numbers
    assert len(re.findall(r"^\| [A-Z]\d\d \|", PAGE, re.M)) == len(numbers)
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    assert f"with {len(numbers)} errors in the sources" in index


@beside
def test_every_entry_of_the_list_of_errata_is_on_the_page():
    golden = (SHARED / "golden" / "errata.md").read_text("utf-8")
    listed = re.findall(r"^\* ([A-Z]\d\d) ", golden, re.M)
    assert [number for number in ROWS if number in listed] == listed


@beside
def test_the_data_sets_of_liu_are_what_the_page_says():
    shares, features = {}, {}
    for name in ("monks2", "monks3", "heart.statlog", "tic-tac-toe", "optdigits"):
        text = (SHARED / "datasets" / f"{name}.arff").read_text("utf-8")
        head, _, data = re.split(r"(@data)", text, maxsplit=1, flags=re.I)
        lines = [line.strip() for line in data.splitlines() if line.strip() and line[0] != "%"]
        classes = [line.rsplit(",", 1)[1].strip() for line in lines]
        features[name] = len(re.findall(r"^@attribute", head, re.M | re.I)) - 1
        shares[name] = np.array([classes.count(c) for c in sorted(set(classes))])
    (monks2, monks3) = (100 * n / n.sum() for n in (shares["monks2"], shares["monks3"]))
    told = f"{monks2.min():.2f} % and {monks2.max():.2f} %; {monks3.max():.2f} %; "
    told += f"{features['heart.statlog']} and {features['tic-tac-toe']} features"
    assert told in ROWS["L01"][2]
    low, high = shares["optdigits"][:5].sum(), shares["optdigits"][5:].sum()
    assert f"{low:,} and {high:,} rows" in ROWS["L02"][3]
    assert f"{high:,} rows, is that of the digits 5 to 9" in ROWS["L02"][2]


@beside
def test_the_correlations_of_liu_are_what_the_page_says():
    tables = json.loads((SHARED / "golden" / "liu_tables.json").read_text("utf-8"))
    names, groups = tables["metric_order"], tables["metric_groups"]
    inside = np.array([[groups[a] == groups[b] for b in names] for a in names])
    apart = ~np.eye(len(names), dtype=bool)
    of5 = [np.array(tables["table5"][kind]) for kind in ("pearson", "spearman")]
    least, most = min(t[inside & apart].min() for t in of5), max(t[~inside].max() for t in of5)
    assert ROWS["L05"][2] == f"The extremes are {least:.2f} and {most:.2f}."
    of4 = [np.array(tables["table4"][kind]) for kind in ("pearson", "spearman")]
    gaps = np.abs(of4[0] - of4[1])
    place = np.unravel_index(gaps.argmax(), gaps.shape)
    assert {names[i] for i in place} == {"KAP", "AUC"}
    assert f"by up to {gaps.max():.2f} (kappa and AUC)" in ROWS["L06"][2]
    assert (
        f"The average over all data sets is {of5[0][0, 3]:.2f} for accuracy and 1 − MAE"
        in ROWS["L07"][2]
    )
    assert all(-0.01 < np.linalg.eigvalsh(t).min() < 0 for t in of4), "L12"
    assert all(np.linalg.eigvalsh(t).min() > 0 for t in of5), "L12"


def test_no_metric_is_called_suitable():
    assert not [
        m.name for m in METRICS.values() if "suitable" in f"{m._function.__doc__}{m.words.misleads}"
    ]


def test_an_equal_error_rate_is_found_where_no_threshold_has_equal_rates():
    ev = tm.evaluate([1, 1, 1, 0, 0], y_score=[0.9, 0.8, 0.3, 0.5, 0.1])
    rates = [ev.at(threshold=t) for t in ev.curve("roc").threshold[1:]]
    assert not any(float(r["fpr"]) == float(r["fnr"]) for r in rates)
    assert (
        float(ev["equal_error_rate_low"]) <= float(ev["eer"]) <= float(ev["equal_error_rate_high"])
    )
