"""Curves by their declarations: drawn from few points, and metrics as curves."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from tallymark.curve import CURVES, definition, thinned
from tallymark.curve.definitions import declare


def test_curves_of_very_many_scores_are_drawn_from_few_and_say_how_far_they_are_off():
    n = 140_000
    y, s = np.arange(n) * 7919 % 10 < 3, np.arange(n) * 104_729 % n / n
    s = np.where(y, s**0.5, s)
    tally = tm.ScoreTally.from_arrays(y, s)
    wanted = {name: CURVES[name] for name in ("roc", "pr", "far", "calibration", "decision")}
    drawn = thinned(tally, probabilities=True, definitions=wanted, level=0.8)
    assert list(drawn) == list(wanted)
    for name in ("roc", "far"):
        found, exact = drawn[name], CURVES[name](tally)
        assert len(found) <= 500 < len(exact)
        assert 2 / 2**16 <= found.error < 0.02
        order = slice(None) if name == "roc" else slice(None, None, -1)
        x = np.nan_to_num(exact.x, posinf=2)[order]
        at = np.interp(np.nan_to_num(found.x, posinf=2), x, exact.y[order])
        assert np.abs(at - found.y).max() <= found.error
    few = tm.ScoreTally.from_arrays(y[:90], s[:90])
    small = thinned(few, probabilities=True, definitions=wanted)
    assert {c.error for c in small.values()} == {0.0}
    scored = {n for n, c in wanted.items() if c.needs == "scores"}
    assert (
        set(thinned(few, probabilities=False, definitions=wanted)) == scored == {"roc", "pr", "far"}
    )
    of_roles = {n for n, c in CURVES.items() if c.role}
    assert not of_roles & thinned(few, probabilities=True).keys()


def test_a_metric_of_decisions_is_a_curve_over_its_thresholds():
    made = definition("f_beta", beta=2.0)
    assert (made.name, made.title, made.y.title) == (
        "f_beta",
        "F-beta by threshold",
        "F-beta, beta 2.0",
    )
    assert (made.step, made.params, made.references) == ("post", {"beta": 2.0}, ())
    assert made.meaning == "F-beta at every threshold."
    tally = tm.ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    drawn = made(tally)
    wanted = [
        tm.metrics.f2([0, 1, 0, 1], [int(s >= t) for s in (0.1, 0.9, 0.4, 0.3)])
        for t in (2, 0.9, 0.4, 0.3, 0.1)
    ]
    np.testing.assert_allclose(drawn.y, np.nan_to_num(wanted))
    (chance,) = definition("youden_j").references
    assert (chance.label, chance.points(0.3)) == ("chance", ([0, 1], [0.0, 0.0]))
    for ask, sentence in (
        (lambda: definition("rocc"), "there is no curve 'rocc'; did you mean 'roc'?"),
        (lambda: definition("roc_auc"),
         "roc_auc is not computed at a single threshold; choose a threshold metric"),
        (lambda: declare("roc", "sensitivity", "precision"), "there is already a curve called 'roc'"),
        (lambda: CURVES["roc"](tally, beta=1), "sensitivity has no parameter 'beta'; it has none"),
        (lambda: CURVES["calibration"](tally, bin=3),
         "the curve 'calibration' has no parameter 'bin'; did you mean 'bins'?"),
    ):  # fmt: skip
        with pytest.raises(tm.InputError) as caught:
            ask()
        assert str(caught.value) == sentence
