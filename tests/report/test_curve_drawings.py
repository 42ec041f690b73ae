"""Lines of curves, bars of tenths, curves in texts and in cards, at no symmetric point."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from asymmetric import FIRST, ILL, LEVEL, MODELS, SECOND, TRUTH, area, cells, roc
from tallymark import quantities
from tallymark.curve import Curve, Histogram, definition
from tallymark.display import text
from tallymark.metric import get
from tallymark.report.drawing import Axis, Line, axes, distribution, threshold_range
from tallymark.report.drawing import drawing as chart_of
from tallymark.report.subjects import curves
from tallymark.report.terminal import as_text


@pytest.fixture(scope="module")
def ev():
    return tm.evaluate(TRUTH, y_score=MODELS, positive="ill", level=LEVEL, threshold=0.4)


def test_lines_know_their_model_share_number_and_threshold(ev):
    lines = curves.lines_of(ev, "roc")
    for i, (line, (name, score)) in enumerate(zip(lines, MODELS.items(), strict=True)):
        v = ev.model(name)["roc_auc"]
        assert (line.name, line.key, line.style) == (name, name, i)
        assert line.number == f"area {area(score):.3f} ({quantities.between(v.low, v.high)})"
        assert (line.share, line.threshold) == (0.1, 0.4)
        assert (line.bands, line.sides) == ((), ())
        (c,) = line.curves
        assert c.y == pytest.approx(roc(score, c.x)) or c.x[0] == 0
    banded = curves.lines_of(ev, "roc", "vertical")
    assert [len(line.bands) for line in banded] == [1, 1]
    assert banded[0].bands[0].low is not None
    pairs = curves.lines_of(ev, "frr")
    assert [len(line.curves) for line in pairs] == [2, 2]
    assert [c.name for c in pairs[0].curves] == ["frr", "far"]
    made = curves.lines_of({"a": ev.curves()["first"]}, "roc")[0]
    assert (made.name, made.share, made.number) == ("a", pytest.approx(0.1), "")
    assert curves.lines_of(ev.model("first").curve("roc"), "roc")[0].share is None


def test_classes_are_named_alone_where_there_is_one_model():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 60)
    p = rng.dirichlet(np.ones(3), 60)
    one = tm.evaluate(y, y_score={"m": p})
    assert [line.name for line in curves.lines_of(one, "roc")] == ["0", "1", "2"]
    two = tm.evaluate(y, y_score={"m": p, "n": p[::-1]})
    names = [line.name for line in curves.lines_of(two, "roc")]
    assert names == ["m: 0", "m: 1", "m: 2", "n: 0", "n: 1", "n: 2"]
    assert [line.style for line in curves.lines_of(two, "roc")] == list(range(6))
    value = one.per_class()["m"][1]["roc_auc"]
    assert curves.lines_of(one, "roc")[1].number == curves.with_interval("area", value)


def test_tenths_stand_side_by_side_with_the_share_down_to_each(ev):
    d = curves.tenths(curves.lines_of(ev, "deciles"))
    assert (d.places, d.width) == (10, 0.4)
    assert (d.x_label, d.y_label) == (
        "tenth of the rows, highest scores first",
        "share of positives",
    )
    for bars, shift, score in zip(d.bars, (-0.2, 0.2), (FIRST, SECOND), strict=True):
        assert bars.x == pytest.approx(np.arange(1, 11) + shift)
        assert bars.y.sum() * 100 == pytest.approx(100)
        assert bars.y[0] == pytest.approx(top_tenth(score))
    for (style, x, y), bars in zip(d.lines, d.bars, strict=True):
        assert style == bars.style
        assert x.tolist() == list(range(1, 11))
        assert y == pytest.approx(np.cumsum(bars.y) / np.arange(1, 11))
    everyone, down = d.guides
    assert (everyone.x, everyone.y, everyone.kind, everyone.label) == (
        [0.5, 10.5], [pytest.approx(0.1)] * 2, "chance", "all rows",
    )  # fmt: skip
    assert (down.x, down.kind, down.label) == ([], "best", "down to there")


def top_tenth(score):
    """Return the share of ill rows among the highest 100 scores, ties counted by share."""
    last = np.sort(score)[-100]
    above, tied = score > last, score == last
    return ((above & ILL).sum() + (100 - above.sum()) * (tied & ILL).sum() / tied.sum()) / 100


def test_metrics_over_the_threshold_have_bounds_and_the_value_there(ev):
    tp, fp, fn, _ = cells(SECOND, threshold=0.4)
    f1 = 2 * tp / (2 * tp + fp + fn)
    line = curves.over_thresholds(ev, get("f1"), None)[1]
    assert line.number.startswith(f"{f1:.3f} (")
    (band,) = line.bands
    at = (
        np.flatnonzero(band.threshold <= 0.4).min()
        if band.threshold[0] > band.threshold[-1]
        else None
    )
    assert at is not None
    assert (band.low <= band.y).all() or np.isnan(band.y).any()
    assert curves.over_thresholds(ev, get("fbeta"), None, beta=2)[0].bands == ()


def test_metrics_over_the_prevalence_have_a_dot_where_the_rows_are(ev):
    d = curves.over_prevalence(ev, [get("precision"), get("f1")])
    assert [(s.name, s.style) for s in d.series] == [
        ("first: Precision", 0), ("first: F1", 1), ("second: Precision", 2), ("second: F1", 3),
    ]  # fmt: skip
    tp, fp, fn, _ = cells(SECOND, threshold=0.4)
    x, y, style = d.dots[2]
    assert (x, y, style) == (0.1, pytest.approx(tp / (tp + fp)), 2)
    assert d.dots[3][1] == pytest.approx(2 * tp / (2 * tp + fp + fn))
    assert [a.style for a in d.areas] == [0, 1, 2, 3]
    assert (d.x.label, d.x.scale, d.y.label) == ("share of positives", "logit", "value")
    one = curves.over_prevalence(ev, [get("precision")])
    assert [s.name for s in one.series] == ["first", "second"]
    assert one.y.label == "Precision"
    alone = curves.over_prevalence(ev.model("first"), [get("precision"), get("f1")])
    assert [s.name for s in alone.series] == ["Precision", "F1"]


def test_hulls_and_ties_begin_at_a_style(ev):
    assert [g.style for g in curves.hulls(ev, 3)] == [3, 4]
    assert {g.kind for g in curves.hulls(ev)} == {"hull"}
    shapes = curves.ties(ev, 2)
    assert [s.style for s in shapes] == [2, 3]
    assert len(shapes[0].x) == len(shapes[0].y)
    assert (shapes[0].x[0], shapes[0].x[-1]) == (0, 0)


def points(n, **options):
    x = np.linspace(0, 1, n)
    return Curve("roc", "false_positive_rate", "sensitivity", x, x**0.5, **options)


def test_a_curve_prints_twelve_of_its_points():
    c = points(3, threshold=np.array([np.inf, 0.5, 0.25]), method="by hand")
    assert repr(c) == (
        "<Curve: roc, 3 points, sensitivity (recall) against false positive rate, last point (1, 1)>"
    )
    assert text(c).splitlines() == [
        "roc: sensitivity (recall) against false positive rate",
        "threshold  false_positive_rate  sensitivity",
        "      inf                    0            0",
        "      0.5                  0.5       0.7071",
        "     0.25                    1            1",
        "bounds: by hand",
    ]
    lines = text(points(14)).splitlines()
    assert lines[-1] == "and 2 more points"
    assert len(lines) == 2 + 12 + 1
    assert lines[2].split() == ["0", "0"]
    assert lines[-2].split() == ["1", "1"]
    assert len(text(points(12)).splitlines()) == 2 + 12
    bounded = points(2, low=np.array([0, 0.5]), high=np.array([0.25, np.nan]))
    assert text(bounded).splitlines()[1].split()[-2:] == ["low", "high"]
    own = Curve("mine", "my_axis", "my_value", np.zeros(2), np.ones(2))
    assert text(own).splitlines()[0] == "mine: my value against my axis"


def test_a_card_of_a_curve_has_its_chart_and_its_points(ev):
    c = ev.model("second").curve("roc", band="vertical")
    chart, folded = curves.curve_card(c)
    assert (chart.title, chart.kind) == ("ROC curve", "curve")
    assert chart.words == (
        f"sensitivity (recall) against false positive rate, {len(c)} points. Bounds: {c.method}."
    )
    assert (
        chart.description == f"sensitivity (recall) against false positive rate, {len(c)} points."
    )
    assert len(chart.drawn.areas) == 1
    assert folded.title == "Points"
    over = ev.model("second").curve("precision", over="prevalence")
    chart, _ = curves.curve_card(over)
    assert chart.title == "precision by prevalence"
    assert [a.style for a in chart.drawn.areas] == [s.style for s in chart.drawn.series] == [0]
    own, _ = curves.curve_card(Curve("mine", "my_axis", "my_value", np.zeros(2), np.ones(2)))
    assert (own.title, own.words) == ("my value by my axis", "my value against my axis, 2 points.")
    assert not own.drawn.areas
    pr, _ = curves.curve_card(ev.model("second").curve("pr"))
    assert next(g.label for g in pr.drawn.guides if g.kind == "chance").endswith(" 0.100")
    assert "none" not in as_text([own])


# -- axes --------------------------------------------------------------------------------------


def test_axes_of_thresholds_and_rates_reach_as_far_as_their_points():
    for scores, ends in (
        ([0.0, 1.0], (0, 1)), ([0.2, 0.4], (0, 1)), ([], (0, 1)), ([np.inf, np.nan], (0, 1)),
        ([-1.0, 1.0], (-1.08, 1.08)), ([2.0, 2.0], (1.5, 2.5)), ([0, 1.5], (-0.06, 1.56)),
        ([-0.001, 1.0], (-0.001 - 0.04 * 1.001, 1 + 0.04 * 1.001)),
    ):  # fmt: skip
        assert threshold_range(np.array(scores)) == pytest.approx(ends)
    det = definition("det")
    for least, low in ((0.05, 0.01), (0.01, 0.01), (0.009, 1e-3), (0.0002, 1e-4), (1e-5, 1e-5)):
        x, y = np.array([0, least, 0.5, 1]), np.array([1, 0.5, 0.2, 0])
        found = axes(det, [Curve("det", "a", "b", x, y)])
        assert [(a.low, a.high, a.scale) for a in found] == [(low, 0.8, "probit")] * 2
    edge = Curve("det", "a", "b", np.array([0, 0.002, 0.5]), np.array([1, 0.8, 0.5]))
    assert axes(det, [edge])[0].low == 0.01  # 0.8 is the end of the axis: its point is not shown
    assert [a.low for a in axes(det, [Curve("det", "a", "b", x, y)], (0.002, 0.5))] == [0.002] * 2
    assert Axis("x", 0.001, 0.4, "probit").rates == [0.001, 0.01, 0.05, 0.2, 0.4]


def test_a_drawing_has_areas_squares_and_gaps_as_its_curve_declares(ev):
    roc_lines = curves.lines_of(ev, "roc", "vertical")
    d = chart_of(definition("roc"), roc_lines, 30)
    assert d.square
    assert [a.style for a in d.areas] == [0, 1]
    assert all(len(s.curve) <= 30 for s in d.series)
    ks = chart_of(definition("ks_positive"), curves.lines_of(ev, "ks_positive"), 100)
    assert not ks.square
    assert [(s.name, s.second) for s in ks.series] == [
        ("first", False), ("first", True), ("second", False), ("second", True),
    ]  # fmt: skip
    gaps = [g for g in ks.guides if g.kind == "gap"]
    assert [g.style for g in gaps] == [0, 1]
    widths = [abs(g.y[0] - g.y[1]) for g in gaps]
    exact = [
        max(abs(ill_below(s, t) - well_below(s, t)) for t in np.unique(s)) for s in (FIRST, SECOND)
    ]
    assert widths == pytest.approx(exact)
    named = [Line("m", line.curves, 0, sides=("up", "down")) for line in curves.lines_of(ev, "frr")]
    errors = chart_of(definition("frr"), named[:1], 100)
    assert [s.name for s in errors.series] == ["m, up", "m, down"]
    ((_, y, style),) = errors.dots
    assert style == 0
    assert y == pytest.approx(ev.model("first")["equal_error_rate"].value, abs=1e-3)


def ill_below(score, t):
    return (score[ILL] <= t).mean()


def well_below(score, t):
    return (score[~ILL] <= t).mean()


def test_a_histogram_is_a_share_of_each_class():
    h = Histogram(np.array([0.0, 0.5, 1.0]), np.array([1, 3]), np.array([5, 0]))
    d = distribution("m", h, 0.5, 3)
    assert [share.tolist() for share in d.shares] == [[0.25, 0.75], [1, 0]]
    assert (d.name, d.cut, d.style) == ("m", 0.5, 3)
    empty = distribution("m", Histogram(h.edges, np.zeros(2), h.neg))
    assert empty.shares[0].tolist() == [0, 0]


def test_one_row_of_a_class_is_enough_for_a_curve():
    one = tm.evaluate([1, 0, 0, 0], y_score=[0.8, 0.9, 0.3, 0.2], positive=1)
    assert one.curve("roc").y.tolist() == [0, 0, 1, 1, 1]
    assert len(curves.lines_of(one, "roc")) == 1
    lone = tm.evaluate([0, 1, 1, 1], y_score=[0.8, 0.9, 0.3, 0.2], positive=1)
    assert len(curves.lines_of(lone, "roc")) == 1
