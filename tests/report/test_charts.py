"""The charts of the page: what they draw is what the decisions at each threshold say."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.cbook import STEP_LOOKUP_MAP
from matplotlib.figure import Figure

import tallymark as tm
from report import pages
from tallymark.curve import CURVES, declare
from tallymark.curve.points import step_values
from tallymark.report import page, svg, words
from tallymark.report.blocks import Key
from tallymark.report.subjects.curve_charts import CURVE_KEYS, METRICS_TITLE, chart_groups


def drawn(ev):
    (group,) = chart_groups(ev)
    return {c.title: c for c in group.more}


def path_points(d):
    """The corners of a path of ours, NaN where it is interrupted."""
    points = []
    for kind, value in re.findall(r"([MLHV])([^MLHV]+)", d):
        if kind in "ML":
            points += [[np.nan, np.nan]] * (kind == "M" and bool(points))
            points.append([float(v) for v in value.split(",")])
        else:
            x, y = points[-1]
            points.append([float(value), y] if kind == "H" else [x, float(value)])
    return np.array(points)


def lines_of(chart):
    """Every line of a chart: its name and its corners, as its axes count them."""
    root = ET.fromstring(svg.picture(chart)[0])
    scales = [[float(v) for v in root.get(f"data-{axis}").split()] for axis in "xy"]
    out = {}
    for group in root.iter("g"):
        if group.get("data-name") is not None:
            (line,) = (p for p in group.iter("path") if p.get("class").startswith("line"))
            ends = zip(path_points(line.get("d")).T, scales, strict=True)
            x, y = (lo + (v - a) / (b - a) * (hi - lo) for v, (lo, hi, a, b) in ends)
            out[group.get("data-name")] = x, y, scales
    return out


def polylines(chart):
    return [(x, y) for x, y, _ in lines_of(chart).values()]


def three_classes():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 200)
    p = rng.dirichlet(np.ones(3), 200) + 0.6 * np.eye(3)[y]
    return tm.evaluate(y, y_score=p / p.sum(1, keepdims=True))


@pytest.mark.parametrize("make", [pages.binary, pages.cancer, three_classes])
@pytest.mark.slow
def test_every_chart_is_drawn_once_with_words_and_numbers(make):
    for group in chart_groups(make()):
        titles = [c.title for c in group.more]
        shown = [c.title for c in CURVES.values() if c.page == "more" and not c.role]
        wanted = [*shown, METRICS_TITLE]
        assert titles == [t for t in wanted if t != "Metrics by threshold" or make != three_classes]
        for c in group.more:
            ET.fromstring(svg.picture(c)[0])
            assert c.words
            assert c.numbers.rows
            assert all(len(r) == len(c.numbers.heads) for r in c.numbers.rows)
            assert {n for _, n, _ in c.legend} >= {line.name for line in group.lines} or (
                c.title == "Metrics by threshold"
            )


def one(**options):
    rng = np.random.default_rng(4)
    y = (rng.random(500) < 0.3).astype(int)
    p = np.clip(rng.normal(0.3 + 0.25 * y, 0.15), 0.01, 0.99)
    return tm.evaluate(y, y_score=np.round(p, 2), **options)


def test_lines_lie_where_the_curves_do():
    ev = one()
    found = drawn(ev)
    for title, name in (("Cumulative gain", "gain"), ("Cost curve", "cost"), ("Kappa curve", "kappa"),
                        ("Cumulative lift", "lift"), ("Decision curve", "decision")):  # fmt: skip
        c = ev.curve(name)
        x, y = polylines(found[title])[0]
        near = 0.02 * max(1.0, float(c.y.max()))
        for a, b in zip(x, y, strict=True):
            distance = np.hypot(c.x - a, (c.y - b) / max(1.0, float(c.y.max())))
            assert distance.min() < near, (title, a, b)
    tenths = ev.curve("deciles")
    x, y = polylines(found["Response by tenths"])[0]
    np.testing.assert_allclose(x, tenths.x, atol=0.01)
    np.testing.assert_allclose(y, tenths.y, atol=0.01)
    assert 'class="bounds"' in svg.picture(found["Response by tenths"])[0]


def test_the_legends_carry_the_numbers():
    ev = one()
    found = drawn(ev)
    eer = words.value(ev["eer"])
    assert found["Detection error trade-off"].legend == ((0, "model", f"EER {eer}"),)
    ks = words.value(ev["ks"])
    assert found["Kolmogorov-Smirnov"].legend == ((0, "model", f"KS {ks}"),)
    assert found["Kolmogorov-Smirnov"].keys == (Key("line", "1"), Key("second", "0"))
    names = [n for _, n, _ in found["Metrics by threshold"].legend]
    assert names == ["F1", "Matthews correlation", "Accuracy", "Youden's J"]


def test_det_axes_are_normal_deviates_and_tell_rates():
    chart = drawn(one())["Detection error trade-off"]
    root = ET.fromstring(svg.picture(chart)[0])
    low, high, *_ = map(float, root.get("data-x").split())
    assert (low, high) == pytest.approx((-3.09, 0.2533), abs=1e-3)
    line = next(p for p in root.iter("path") if p.get("class") == "line")
    rates = [float(v) for v in line.get("data-xs").split()]
    assert all(0 <= v <= 0.6 for v in rates)
    assert [t.text for t in root.iter("text") if t.text == "0.1"]


def test_scores_that_are_no_probabilities_have_no_decision_curve():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 100)
    ev = tm.evaluate(y, y_score=rng.normal(3 * y, 2))
    assert "Decision curve" not in drawn(ev)
    assert "Error rates by threshold" in drawn(ev)


@pytest.mark.slow
def test_hull_ties_lines_of_f_and_bands_are_told_where_they_are_drawn():
    text = page.render(one())
    for name, key in CURVE_KEYS.items():
        assert (key.format(level="95 %", name="") in text) == (name != "roc ideal")
    assert text.count("<polygon class=band ") == 2
    several = page.render(pages.binary())
    assert CURVE_KEYS["roc hull"] not in several
    assert several.count("<polygon class=band ") == 0


@pytest.mark.slow
def test_thresholds_report_thresholds_are_on_the_page():
    ev = one()
    text = re.sub(r"<[^>]+>", " ", page.render(ev))
    for told, choice in ev._optimal_thresholds()["model"].items():
        assert told in text
        new = choice.best.corrected
        assert f"{words.value(new)} ({words.interval(new)})" in " ".join(text.split())
    assert "Each threshold was chosen on these rows, so its value here is optimistic." in text
    assert "Thresholds worth knowing" not in page.render(pages.labels_only())


# -- what is drawn is what is computed -----------------------------------------------------------

AT_OR_BELOW = {"0": "specificity", "1": "false_negative_rate"}
BY_THRESHOLD = {
    "model, false rejects": "false_negative_rate", "model, false accepts": "false_positive_rate",
    "F1": "f1", "Matthews correlation": "matthews_corrcoef", "Accuracy": "accuracy",
    "Youden's J": "youden_j",
}  # fmt: skip


def scored(kind, n=60):
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    s = 1 / (1 + np.exp(-rng.normal(1.5 * y - 0.7, 1)))
    if kind == "two":
        s = np.where(s > 0.5, 0.8, 0.2)
        s[:2] = 0.2, 0.8
    elif kind == "ties":
        s = np.round(s, 1)
    elif n < 100:  # a pixel or more apart
        s = (s.argsort().argsort() + 0.5) / n
    if kind == "wide":
        s = np.round(40 * s - 20)
    return tm.evaluate(y, y_score=s, threshold=0.5)


def sampled_thresholds(ev, some=40):
    """Thresholds at, between, below and above the distinct scores."""
    s = ev.models[0].scores[0].scores
    low, high = (0.0, 1.0) if s[0] >= 0 and s[-1] <= 1 else (s[0] - 0.5, s[-1] + 0.5)
    s = s[:: max(1, len(s) // some)]
    return [*s, *((s[:-1] + s[1:]) / 2), (low + s[0]) / 2, (high + s[-1]) / 2]


def decided(ev, threshold, metric):
    return getattr(tm.metrics, metric)(ev.at(threshold=threshold).models[0].labels)


def drawn_at(x, y, t):
    """The heights of the horizontal parts of a path at a place."""
    ends = zip(x[:-1], x[1:], y[:-1], y[1:], strict=True)
    return [a for x0, x1, a, b in ends if a == b and min(x0, x1) <= t <= max(x0, x1)]


@pytest.mark.parametrize("kind", ["two", "ties", "untied", "wide"])
def test_curves_over_the_threshold_are_drawn_as_the_decisions_there_say(kind):
    ev = scored(kind)
    found = drawn(ev)
    read = {}
    for title in ("Error rates by threshold", "Metrics by threshold", "Kolmogorov-Smirnov"):
        read |= lines_of(found[title])
    assert read.keys() == {*BY_THRESHOLD, *(f"model, {c}" for c in AT_OR_BELOW)}
    for name, (x, y, (across, upward)) in read.items():
        per_pixel = (across[1] - across[0]) / abs(across[3] - across[2])
        near = 0.11 * (upward[1] - upward[0]) / abs(upward[3] - upward[2])
        for t in sampled_thresholds(ev):
            below = name.removeprefix("model, ") in AT_OR_BELOW
            metric = AT_OR_BELOW[name.removeprefix("model, ")] if below else BY_THRESHOLD[name]
            # At a score a step goes up or down: the decisions there are those just below it, the
            # share at or below it is that just above.
            value = decided(ev, np.nextafter(t, np.inf) if below else t, metric)
            if np.isnan(value):
                continue
            here = drawn_at(x, y, t + (0.2 if below else -0.2) * per_pixel)
            assert here, (name, t)
            assert min(abs(v - value) for v in here) <= near, (name, t, value, here)


@pytest.mark.slow
def test_thinned_curves_are_exact_where_they_are_kept_and_state_their_error_elsewhere():
    ev = scored("untied", 100_000)
    curves = {**ev.curves()["model"], **ev.curves("mcc", "f1")["model"]}
    names = {"far": "false_positive_rate", "frr": "false_negative_rate", "f1": "f1",
             "mcc": "matthews_corrcoef"}  # fmt: skip
    rng = np.random.default_rng(0)
    for name, metric in names.items():
        c = curves[name]
        assert 100 < len(c) <= 500
        full = ev.curve(name)
        for i in rng.integers(1, len(c), 12):
            value = decided(ev, float(c.threshold[i]), metric)
            assert c.y[i] == pytest.approx(value, abs=1e-12, nan_ok=True)
        some = full.threshold[rng.integers(1, len(full), 2000)]
        off = np.abs(step_values(c, some) - step_values(full, some))
        assert np.nanmax(off) <= c.error < 0.01
    chart = drawn(ev)["Error rates by threshold"]
    assert chart.error >= curves["far"].error
    x, y, (across, _) = lines_of(chart)["model, false accepts"]
    per_pixel = (across[1] - across[0]) / abs(across[3] - across[2])
    for t in rng.random(40):
        here = [v for d in (-0.2, 0, 0.2) for v in drawn_at(x, y, t + d * per_pixel)]
        value = decided(ev, t, "false_positive_rate")
        assert min(abs(v - value) for v in here) <= chart.error + 0.001


@pytest.mark.parametrize("kind", ["two", "ties", "untied", "wide"])
def test_the_dot_of_the_error_rates_is_the_equal_error_rate(kind):
    ev = scored(kind)
    chart = drawn(ev)["Error rates by threshold"]
    root = ET.fromstring(svg.picture(chart)[0])
    (dot,) = (c for c in root.iter("circle") if c.get("class").startswith("dot"))
    low, high, start, end = map(float, root.get("data-y").split())
    value = low + (float(dot.get("cy")) - start) / (end - start) * (high - low)
    assert value == pytest.approx(ev["equal_error_rate"].value, abs=0.001)


@pytest.mark.parametrize("kind", ["two", "ties", "untied"])
@pytest.mark.slow
def test_points_of_roc_and_steps_of_precision_are_those_of_their_thresholds(kind):
    ev = scored(kind)
    charts_of = {c.title: c for c in chart_groups(ev)[0].curves}
    per_pixel = 0.11 / 258
    for title, name, across, upward in (
        ("ROC curve", "roc", "false_positive_rate", "sensitivity"),
        ("Precision and recall", "pr", "sensitivity", "precision"),
    ):
        ((x, y, _),) = lines_of(charts_of[title]).values()
        for t in ev.curve(name).threshold[1:]:
            a, b = (decided(ev, float(t), m) for m in (across, upward))
            assert np.hypot(x - a, y - b).min() <= 2 * per_pixel, (title, t)
            if name == "pr" and a > ev.curve("pr").x[1]:
                left = drawn_at(x, y, a - 2 * per_pixel)
                rates = [decided(ev, float(c), "sensitivity") for c in ev.curve("pr").threshold]
                first = [decided(ev, float(c), "precision")
                         for c, r in zip(ev.curve("pr").threshold, rates, strict=True)
                         if r == a]  # fmt: skip
                assert min(abs(v - first[0]) for v in left) <= 2 * per_pixel


# -- a curve is one declaration ------------------------------------------------------------------


@pytest.mark.slow
def test_a_curve_that_is_declared_is_everywhere():
    made = declare(
        "npv", "specificity", "negative_predictive_value", title="Trust in negatives",
        meaning="how far a negative can be trusted.", words="A point is a threshold.",
        page="more", json=True, step="pre", beside=("npv", "NPV"),
    )  # fmt: skip
    try:
        ev = scored("ties")
        c = ev.curve("npv")
        assert (c.x_metric, c.y_metric, c.step) == (
            "specificity",
            "negative_predictive_value",
            "pre",
        )
        for x, y, t in zip(c.x, c.y, c.threshold, strict=True):
            assert x == decided(ev, float(t), "specificity")
            assert y == pytest.approx(decided(ev, float(t), "npv"), nan_ok=True)
        assert made.bands == ("pointwise",)
        band = ev.curve("npv", band="pointwise")
        i = np.count_nonzero(c.threshold >= 0.5) - 1
        assert (band.low[i], band.high[i]) == pytest.approx((ev["npv"].low, ev["npv"].high))
        assert (band.x_low[i], band.x_high[i]) == pytest.approx(
            (ev["specificity"].low, ev["specificity"].high)
        )
        ax = tm.plot.curve(ev, "npv", ax=Figure().subplots())
        (line,) = (v for v in ax.get_lines() if str(v.get_gid()).startswith("curve-"))
        assert line.get_drawstyle() == "steps-pre"
        np.testing.assert_array_equal(line.get_ydata(), c.y)
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("specificity", "negative predictive value")
        chart = drawn(ev)["Trust in negatives"]
        assert chart.words == "A point is a threshold."
        assert chart.legend == ((0, "model", f"NPV {words.value(ev['npv'])}"),)
        assert "Trust in negatives" in page.render(ev)
        stored = ev.to_dict()["models"][0]["curves"]["npv"]
        assert stored["step"] == "pre"
        assert stored["x"] == c.x.tolist()
        with pytest.raises(tm.InputError, match="there is already a curve called 'npv'"):
            declare("npv", "specificity", "npv", meaning="")
    finally:
        del CURVES["npv"]


@pytest.mark.parametrize("kind", ["two", "ties", "untied", "wide"])
def test_plots_over_the_threshold_are_drawn_as_the_decisions_there_say(kind):
    ev = scored(kind)
    ax = tm.plot.error_rates(ev, ax=Figure().subplots())
    drawn_lines = {
        "false_negative_rate": ax.get_lines()[0],
        "false_positive_rate": ax.get_lines()[1],
        **{name: tm.plot.metric(ev, name, ax=Figure().subplots()).get_lines()[0]
           for name in ("f1", "matthews_corrcoef", "jaccard")},
    }  # fmt: skip
    for metric, line in drawn_lines.items():
        assert line.get_drawstyle() == "steps-post"
        x, y = STEP_LOOKUP_MAP["steps-post"](*line.get_data())
        for t in sampled_thresholds(ev):
            value = decided(ev, t, metric)
            if not np.isnan(value):
                here = drawn_at(x, y, t - 1e-9)
                assert min(abs(v - value) for v in here) <= 1e-12, (metric, t)
