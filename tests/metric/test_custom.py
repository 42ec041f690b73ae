"""A user's own function has everything that a metric has."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm


def f1(c):
    return 2 * c.tp / (2 * c.tp + c.fp + c.fn)


def rows(seed=0, n=300):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    a, b = (1 / (1 + np.exp(-(rng.normal(size=n) + k * y - 0.5))) for k in (1.5, 1.0))
    return y, a, b


def test_a_function_of_counts_is_the_metric_of_the_same_formula():
    y, a, b = rows()
    mine = tm.Statistic(f1, name="my_f1", range=(0, 1), better="high")
    ev = tm.evaluate(y, y_score={"a": a, "b": b})
    one = ev.model("a")
    ours, theirs = one.value(mine), one["f1"]
    assert (ours.value, ours.low, ours.high, ours.method) == pytest.approx(
        (theirs.value, theirs.low, theirs.high, theirs.method)
    )
    differences = ev.compare(metric=mine, metrics=["f1"], permutations=50).pairs[0].differences
    x, z = differences["my_f1"], differences["f1"]
    assert (x.value, x.low, x.high, x.p_value) == pytest.approx((z.value, z.low, z.high, z.p_value))
    assert "my f1" in str(ev.compare(metric=mine, permutations=0))


def test_a_function_of_scores_has_an_interval():
    y, a, _ = rows()

    def half_found(r, *, share=0.5):
        """Rows called positive until so large a share of the positives is found."""
        tp, fp = r.cumulative_counts
        at = (tp >= share * tp[..., -1:]).argmax(-1)[..., None]
        return np.take_along_axis(tp + fp, at, -1)[..., 0] / r.total

    mine = tm.Statistic(half_found, needs="ranking", range=(0, 1), error="quantile")
    v = tm.evaluate(y, y_score=a).value(mine)
    assert 0 < v.low < v.value < v.high < 1
    assert tm.evaluate(y, y_score=a).value(mine, share=0.9).value > v.value


def test_undefined_is_said():
    mine = tm.Statistic(lambda c: c.tp / (c.tp + c.fp), name="my_precision", range=(0, 1))
    v = tm.evaluate([0, 1, 0, 1], [0, 0, 0, 0]).value(mine)
    assert np.isnan(v.value)
    assert v.reason == "the function gives no number"


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (f1, {}, "'f1' is a metric already; give the statistic another name"),
        (lambda c: c.tp, {}, "a statistic needs a name, and this is '<lambda>'; say name="),
        (3, {"name": "three"}, "a statistic is a function, and this is int"),
        (f1, {"name": "mine", "needs": "rank"}, "needs is 'rank'; did you mean 'ranking'"),
    ],
)
def test_what_is_no_statistic_is_refused(given, options, message):
    with pytest.raises(tm.InputError, match=message.replace("(", r"\(")):
        tm.Statistic(given, **options)
