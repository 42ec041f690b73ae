"""What each chart of a page holds: lines, legend, words and the table below it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tallymark as tm
from asymmetric import (
    FIRST,
    ILL,
    MODELS,
    SECOND,
    STEEP,
    area,
    average_precision,
    brier,
    judged,
    roc,
    wilson,
)
from tallymark.report.blocks import Key
from tallymark.report.drawing import Area
from tallymark.report.subjects.curve_charts import (
    CURVE_KEYS,
    bands_in_short,
    calibration_table,
    chart_groups,
    first_chart,
    parted,
)


@pytest.fixture(scope="module")
def one():
    return judged({"second": SECOND})


@pytest.fixture(scope="module")
def two():
    return judged(MODELS)


@pytest.fixture(scope="module")
def of_one(one):
    (group,) = chart_groups(one)
    return group


@pytest.fixture(scope="module")
def of_two(two):
    (group,) = chart_groups(two)
    return group


def charts(group):
    return {c.kind: c for c in (*group.curves, *group.more)}


FPR, TPR, CALLED = "false positive rate", "sensitivity (recall)", "share of rows called positive"
EER = 0.073
OF_ONE = {  # the number in the legend, the kinds of keys, whether names stand inline, heads, rows
    "roc": (f"area {area(SECOND):.3f}", "band fine", True, ("threshold", FPR, TPR), 11),
    "pr": (f"AP {average_precision(SECOND):.3f}", "fine chance", True, ("threshold", TPR, "precision"), 11),
    "calibration": (
        f"Brier {brier(SECOND):.4f}", "fine band", False,
        ("mean probability given", "share truly positive", "80 % interval", "rows"), 10,
    ),
    "det": ("EER 0.073", "", True, ("threshold", FPR, "false negative rate"), 5),
    "error_rates": ("EER 0.073", "line second", False, ("threshold", "error rate"), 10),
    "ks": ("KS 0.856", "line second", False, ("score", "share of the class at or below"), 10),
    "gain": ("top tenth 0.81", "", True, ("threshold", CALLED, TPR), 5),
    "lift": ("top tenth 8.07", "", True, ("threshold", CALLED, "lift"), 5),
    "cost": ("", "", True, ("threshold", "probability cost of positives", "normalised expected cost"), 5),
    "kappa": ("area 0.242", "", True, ("threshold", FPR, "Cohen's kappa"), 5),
    "deciles": (
        "", "", False,
        ("tenth of the rows, from the highest scores", "share of positives", "80 % interval", "rows"), 10,
    ),
    "decision": ("", "", True, ("threshold", "threshold probability", "net benefit"), 5),
}  # fmt: skip
READ_AT_A_THRESHOLD = {"error_rates", "ks", "metrics"}


def test_each_chart_of_one_model_has_its_legend_and_its_table(of_one):
    found = charts(of_one)
    assert [*found] == [*OF_ONE, "metrics"]
    for kind, (number, keys, inline, heads, rows) in OF_ONE.items():
        c = found[kind]
        assert c.legend == ((0, "second", number),), kind
        assert " ".join(k.kind for k in c.keys) == keys, kind
        assert c.inline == inline, kind
        assert c.numbers.heads == ("Model", *heads), kind
        assert len(c.numbers.rows) == rows, kind
        assert c.hinted == (kind not in READ_AT_A_THRESHOLD), kind
        assert c.reads
        assert not c.switches
        assert c.key == ""
        assert len(c.counts) == (kind in ("roc", "pr", "calibration"))
        first = " of second" if c.counts else ""
        assert c.description == (
            f"{c.drawn.y.label} against {c.drawn.x.label}{first}; the table below holds numbers."
        )
        assert c.words.endswith(" Bars are 80 % intervals.") == (kind == "calibration")
        assert c.error == 0
    assert (of_one.title, of_one.omitted, [s.name for s in of_one.lines]) == ("", 0, ["second"])


def test_metrics_over_the_threshold_are_four_of_one_model_and_f1_of_several(of_one, of_two):
    c = charts(of_one)["metrics"]
    names = ("F1", "Matthews correlation", "Accuracy", "Youden's J")
    assert c.legend == tuple((i, n, "") for i, n in enumerate(names))
    assert (c.numbers.heads, len(c.numbers.rows)) == (("Line", "threshold", "value"), 20)
    assert c.title == "Metrics by threshold"
    c = charts(of_two)["metrics"]
    assert c.legend == ((0, "first", ""), (1, "second", ""))
    assert (c.numbers.heads, len(c.numbers.rows)) == (("Line", "threshold", "F1"), 10)


def test_tables_below_charts_hold_points_of_the_curve(of_one):
    found = charts(of_one)
    for name, *values in found["roc"].numbers.rows[1:]:
        threshold, fpr, tpr = map(float, values)
        called = threshold <= SECOND
        assert name == "second"
        assert (fpr, tpr) == pytest.approx((called[~ILL].mean(), called[ILL].mean()), abs=6e-4)
    assert found["roc"].numbers.rows[0] == ("second", "∞", "0.000", "0.000")
    order = np.argsort(SECOND, kind="stable")
    start = 0
    for _, mean, share, bounds, rows in found["calibration"].numbers.rows:
        of_bin = order[start : start + int(rows)]
        hits = ILL[of_bin].sum()
        exact = SECOND[of_bin].mean(), hits / len(of_bin)
        assert float(mean) == pytest.approx(exact[0], abs=6e-4)
        low, high = wilson(hits, len(of_bin))
        digits = max(2, 1 - math.floor(math.log10(high - low)))
        assert share == f"{exact[1]:.{digits}f}"
        assert bounds == f"{abs(low):.{digits}f} to {high:.{digits}f}"
        start += int(rows)
    assert start == 1000
    tenth = found["deciles"].numbers.rows[0]
    assert tenth[:3] == ("second", "0.100", "0.81")
    assert tenth[4] == "100"


def test_a_chart_of_distributions_holds_each_bin_that_has_rows(of_one):
    (c,) = of_one.distributions
    assert (c.title, c.key, c.called, c.kind) == (
        "Score distribution: second", "0", "Score distribution of second", "scores",
    )  # fmt: skip
    assert c.description == "Scores of ill upward, of well downward."
    assert c.numbers.heads == ("from", "to", "ill", "well")
    assert c.drawn.sides == ("ill", "well")
    total = np.zeros(2)
    for low, high, ill, well in c.numbers.rows:
        assert float(high) - float(low) == pytest.approx(0.025)
        assert int(ill) + int(well) > 0
        total += int(ill), int(well)
    assert c.numbers.rows[0] == ("0", "0.025", "0", str((SECOND < 0.025).sum()))
    assert total.tolist() == [100, 900]


def test_two_models_share_charts_and_each_has_its_band(of_two):
    found = charts(of_two)
    assert [c.switches for c in of_two.curves] == [True, False, False]
    assert found["roc"].legend == (
        (0, "first", f"area {area(FIRST):.3f}"), (1, "second", f"area {area(SECOND):.3f}"),
    )  # fmt: skip
    text = CURVE_KEYS["roc band"]
    assert found["roc"].keys == tuple(
        Key("band", text.format(level="80 %", name=f" of {n}"), i) for i, n in enumerate(MODELS)
    )
    assert [a.style for a in found["roc"].drawn.areas] == [0, 1]
    assert found["calibration"].keys == ()
    assert found["calibration"].drawn.series[1].curve.low is not None
    assert np.isnan(found["deciles"].drawn.series[1].curve.low).all()
    assert found["deciles"].numbers.heads == (
        "Model", "tenth of the rows, from the highest scores", "share of positives",
    )  # fmt: skip
    assert len(found["roc"].numbers.rows) == 22
    assert len(found["gain"].numbers.rows) == 10
    assert [len(s.curve) <= 108 // 2 for s in found["gain"].drawn.series] == [True, True]
    assert [len(s.curve) <= 402 // 2 for s in found["roc"].drawn.series] == [True, True]
    assert len(found["roc"].counts) == 2
    assert [c.key for c in of_two.distributions] == ["0", "1"]
    assert found["roc"].description == (
        f"{TPR} against {FPR} of first, second; the table below holds numbers."
    )


def test_the_hull_lies_on_the_curve_and_the_band_around_it(of_one):
    c = charts(of_one)["roc"]
    _, hull = c.drawn.guides
    reached = roc(SECOND, hull.x)
    assert (np.asarray(hull.y) <= reached + 1e-9).all()
    slopes = np.diff(hull.y) / np.maximum(np.diff(hull.x), 1e-12)
    assert (np.diff(slopes) <= 1e-6).all()
    (band,) = (a for a in c.drawn.areas if isinstance(a, Area))
    at = roc(SECOND, band.curve.x)
    assert (band.curve.low <= at + 1e-9).all()
    assert (band.curve.high >= at - 1e-9).all()
    assert len(band.curve) <= 40 + 1


def test_ties_are_shaded_where_they_matter():
    coarse = np.round(FIRST, 1)
    (group,) = chart_groups(judged({"coarse": coarse}))
    c = charts(group)["roc"]
    assert [k.meaning for k in c.keys][-1] == CURVE_KEYS["roc ties"]
    ties = c.drawn.areas[-1]
    assert ties.style is None
    inside = ties.curve
    at = roc(coarse, inside.x[1:-1])
    assert (inside.low[1:-1] <= at + 1e-9).all()
    assert (inside.high[1:-1] >= at - 1e-9).all()
    assert (inside.high - inside.low).max() > 0.1


@pytest.mark.slow
def test_four_models_have_fewer_points_no_bands_and_no_hints():
    (group,) = chart_groups(judged({"a": FIRST, "b": SECOND, "c": STEEP, "d": FIRST**2}))
    found = charts(group)
    assert found["roc"].keys == ()
    assert not found["roc"].hinted
    assert len(found["roc"].numbers.rows) == 4 * 6
    assert len(found["gain"].numbers.rows) == 4 * 3
    assert all(len(s.curve) <= 204 // 4 for s in found["roc"].drawn.series)
    assert all(len(s.curve) <= 108 // 4 for s in found["gain"].drawn.series)
    assert found["roc"].error > 0
    (chart,) = (c for c in [first_chart(judged({"a": FIRST, "b": SECOND}))] if c is not None)
    assert chart.title == "ROC curve"
    assert chart.heading is None


def test_clusters_have_no_bars():
    (group,) = chart_groups(judged({"second": SECOND}, cluster=np.arange(1000) // 4))
    c = charts(group)["calibration"]
    assert c.words.endswith(
        " There are no bars: they hold for rows that stand alone; these come in clusters."
    )
    assert [k.meaning for k in c.keys] == [CURVE_KEYS["calibration fit"]]
    assert [r[3] for r in c.numbers.rows] == [""] * 10
    assert not c.drawn.areas


def test_defects_draw_the_distance_from_the_ideal_point():
    (group,) = chart_groups(judged({"second": SECOND}, use="defects"))
    c = charts(group)["roc"]
    called = SECOND >= 0.5
    ideal = c.drawn.guides[1]
    assert (ideal.x, ideal.y) == ([0.0, called[~ILL].mean()], [1.0, called[ILL].mean()])
    assert [k.meaning for k in c.keys][1] == CURVE_KEYS["roc ideal"]


def test_a_page_parts_the_first_chart_and_the_calibration(two):
    first, calibrations, left = parted(two, "second")
    assert first.kind == "roc"
    assert [k.meaning for k in first.keys] == ["80 % confidence bands"]
    assert [(t, c.kind) for t, c in calibrations] == [("", "calibration")]
    assert [c.kind for g in left for c in g.curves] == ["pr"]
    (group,) = chart_groups(judged({"second": SECOND}))
    assert bands_in_short(group.curves[0], 0.8) == group.curves[0]


def test_calibration_of_each_model_stands_in_a_table(two):
    grid = calibration_table(two)
    assert grid.heads == (
        "Model", "Observed to expected ratio", "Calibration slope", "Expected calibration error",
        "Brier score",
    )  # fmt: skip
    assert [r[0] for r in grid.rows] == ["first", "second"]
    for i, (name, score) in enumerate(MODELS.items()):
        ratio, *_, loss = grid.rows[i][1:]
        assert ratio.text == f"{100 / score.sum():.3f}"
        assert ratio.key == f"models.{i}.values.observed_expected_ratio"
        digits = len(loss.text) - 2
        assert loss.text == f"{brier(score):.{digits}f}", name
        assert digits in (3, 4)


def test_classes_of_one_model_are_lines_against_all_others():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 90)
    p = rng.dirichlet(np.ones(3), 90) * 0.5 + 0.5 * np.eye(3)[y]
    names = np.array(["a", "b", "c"])[y]
    ev = tm.evaluate(names, y_score={"x": p, "y": p[::-1]}, classes=["a", "b", "c"])
    one, other = chart_groups(ev)
    assert (one.title, other.title) == ("x", "y")
    assert [s.name for s in one.lines] == ["a", "b", "c"]
    assert {s.sides for s in one.lines} == {(n, "all others") for n in "abc"}
    assert [c.key for c in other.curves] == ["1"] * len(other.curves)
    assert other.curves[0].numbers.heads[0] == "Class"
    assert [c.key for g in (one, other) for c in g.distributions] == list("012345")
    assert [line[1] for line in one.curves[0].legend] == ["a", "b", "c"]
    assert {(c.lead, c.picks) for g in (one, other) for c in g.curves} == {(None, False)}
    assert first_chart(ev).kind == "classes"
    first, calibrations, left = parted(ev, "y")
    assert first.heading.split(" by ")[1].startswith("y")
    assert calibrations == []
    assert [g.curves[0].kind for g in left] == ["roc", "roc"]
