"""R's numbers: pROC, ROCR and R itself, asked once about all cases."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from peers import cases
from peers.compare import NAN, hold, lines
from peers.r_table import ALONG, ANSWERS, SCORES, need_r
from tallymark.curve import best_thresholds
from tallymark.infer.delong import auc_variance
from tallymark.metric import METRICS

pytestmark = pytest.mark.r


def asked() -> list[cases.Case]:
    """Return unweighted scores of two classes."""
    return [c for c in cases.scores(225, weighted=False) if not c.one_class]


@pytest.fixture(scope="module", autouse=True)
def answers(tmp_path_factory):
    """Ask R once about all cases."""
    need_r()
    folder = tmp_path_factory.mktemp("r")
    given, told = folder / "rows.csv", folder / "answers.txt"
    rows = asked()
    with given.open("w", encoding="utf-8") as file:
        file.write("case,y,score\n")
        for i, c in enumerate(rows):
            pairs = zip(c.y.tolist(), c.p.tolist(), strict=True)
            file.writelines(f"{i},{y},{s!r}\n" for y, s in pairs)
    script = Path(__file__).with_name("answers.R")
    subprocess.run(["Rscript", "--vanilla", str(script), str(given), str(told)], check=True)
    ANSWERS.clear()
    with told.open(encoding="utf-8") as file:
        for line in file:
            case, name, *values = line.split()
            ANSWERS.setdefault(rows[int(case)].name, {})[name] = np.array(
                [NAN if v == "NA" else float(v) for v in values]
            )
    return ANSWERS


@pytest.mark.parametrize("line", lines(SCORES))
def test_scores(line):
    hold(line, asked())


@pytest.mark.parametrize(
    ("ours", "options", "name", "made", "mute"), [pytest.param(*x, id=x[2]) for x in ALONG]
)
def test_every_threshold(ours, options, name, made, mute, answers):
    """Compare a metric of the counts at each threshold, from the highest down."""
    metric, seen, muted = METRICS[ours], set(), 0
    for c in asked():
        counts = c.score_tally._score_counts._counts_by_threshold()
        found = metric.compute(counts if metric._needs == "counts" else counts.matrix(), **options)
        theirs = answers[c.name][name]
        theirs = made(theirs) if made else theirs
        assert found.shape == theirs.shape
        if mute:
            muted += (np.isnan(theirs) & ~np.isnan(found)).sum()
            found = np.where(np.isnan(theirs), np.nan, found)
        np.testing.assert_allclose(found, theirs, rtol=1e-9, atol=1e-11, err_msg=c.name)
        seen.update(found.tolist())
    assert len(seen) > 100
    assert mute == (muted > 0)


def test_delong_variance(answers):
    compared = 0
    for c in asked():
        ours, theirs = auc_variance(c.score_tally)[1], answers[c.name]["delong"][0]
        if min(c.y.sum(), (1 - c.y).sum()) > 1:
            assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-13), c.name
            compared += 1
    assert compared > 100


def test_best_thresholds_of_youden(answers):
    for c in asked():
        thresholds, value = best_thresholds(c.score_tally, METRICS["youden_j"])
        assert value == pytest.approx(answers[c.name]["best_youden"][0], rel=1e-9, abs=1e-12)
        found = [np.mean(c.p[c.y == 1] >= t) for t in thresholds]
        np.testing.assert_allclose(sorted(found), sorted(answers[c.name]["best_tpr"]), atol=1e-12)
