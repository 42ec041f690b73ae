"""The further charts: what they draw is what the curves hold."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import tallymark as tm
from report import pages
from tallymark.report import charts, more_charts, page, words


def drawn(ev):
    (group,) = charts.groups(ev)
    return {c.title: c for c in group.more}


def polylines(chart):
    root = ET.fromstring(chart.svg)
    scales = [[float(v) for v in root.get(f"data-{axis}").split()] for axis in "xy"]
    out = []
    for line in root.iter("polyline"):
        points = np.array([[float(v) for v in p.split(",")] for p in line.get("points").split()])
        ends = zip(points.T, scales, strict=True)
        out.append([lo + (v - a) / (b - a) * (hi - lo) for v, (lo, hi, a, b) in ends])
    return out


def three_classes():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 200)
    p = rng.dirichlet(np.ones(3), 200) + 0.6 * np.eye(3)[y]
    return tm.evaluate(y, y_score=p / p.sum(1, keepdims=True))


@pytest.mark.parametrize("make", [pages.binary, pages.cancer, three_classes])
def test_every_chart_is_drawn_once_with_words_and_numbers(make):
    for group in charts.groups(make()):
        titles = [c.title for c in group.more]
        wanted = [words.CURVE_TITLES[k] for k in more_charts.CHARTS]
        assert titles == [t for t in wanted if t != "Metrics by threshold" or make != three_classes]
        for c in group.more:
            ET.fromstring(c.svg)
            assert c.words
            assert c.rows
            assert all(len(r) == len(c.heads) for r in c.rows)
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
    assert 'class="bounds"' in found["Response by tenths"].svg


def test_the_legends_carry_the_numbers():
    ev = one()
    found = drawn(ev)
    eer = words.number(ev["eer"].value)
    assert found["Detection error trade-off"].legend == ((0, "model", f"EER {eer}"),)
    ks = words.number(ev["ks"].value)
    assert found["Kolmogorov-Smirnov"].legend == ((0, "model", f"KS {ks}"),)
    names = [n for _, n, _ in found["Metrics by threshold"].legend]
    assert names == ["F1", "Matthews correlation", "Accuracy", "Youden's J"]


def test_det_axes_are_normal_deviates_and_tell_rates():
    chart = drawn(one())["Detection error trade-off"]
    root = ET.fromstring(chart.svg)
    low, high, *_ = map(float, root.get("data-x").split())
    assert (low, high) == pytest.approx((-3.09, 0.2533), abs=1e-3)
    line = next(root.iter("polyline"))
    rates = [float(v) for v in line.get("data-xs").split()]
    assert all(0 <= v <= 0.6 for v in rates)
    assert [t.text for t in root.iter("text") if t.text == "0.1"]


def test_scores_that_are_no_probabilities_have_no_decision_curve():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 100)
    ev = tm.evaluate(y, y_score=rng.normal(3 * y, 2))
    assert "Decision curve" not in drawn(ev)
    assert "Error rates by threshold" in drawn(ev)


def test_hull_ties_lines_of_f_and_bands_are_told_where_they_are_drawn():
    text = page.render(one())
    assert "thin line is the convex hull" in text
    assert "another order of tied rows" in text
    assert "Along a thin line F1 stays the same" in text
    assert "isotonic fit" in text
    assert text.count('class="band"') == 2
    several = page.render(pages.binary())
    assert "thin line is the convex hull" not in several
    assert several.count('class="band"') == 0


def test_thresholds_worth_knowing_are_on_the_page():
    ev = one()
    text = re.sub(r"<[^>]+>", " ", page.render(ev))
    for told, choice in ev.choices()["model"].items():
        assert told.replace("'", "&#39;") in text
        assert f"{words.number(choice.best.corrected)}" in text
    assert words.THRESHOLD_WORDS in text
    assert "Thresholds worth knowing" not in page.render(pages.labels_only())
