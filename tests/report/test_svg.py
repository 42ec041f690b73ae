from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from tallymark.curve import Curve, Histogram
from tallymark.report import svg
from tallymark.report.blocks import Interval
from tallymark.report.drawing import (
    MOST_LETTERS,
    Axis,
    Distributions,
    Drawing,
    Guide,
    Series,
    distribution,
)

HALVES = Histogram(*map(np.array, ([0.0, 0.5, 1.0], [1, 3], [50, 0])))


def parse(text):
    return ET.fromstring(text)


def line_of(root):
    return next(p for p in root.iter("path") if p.get("class") == "line")


def drawn(x=(0.0, 0.25, 1.0), y=(0.0, 0.0625, 1.0), cuts=(math.inf, 0.5, 0.1), **options):
    """A chart of one line; ``marked`` and ``guides`` are those of the chart."""
    chart = {k: options.pop(k) for k in ("marked", "guides") if k in options}
    points, *more = (np.array(v) for v in (x, y, cuts))
    line = Series("a <b>", 1, Curve("roc", "x", "y", points, *more, **options))
    return Drawing(Axis("x"), Axis("y"), [line], **chart)


def test_lines_are_well_formed_and_named():
    root = parse(
        svg.lines(
            "roc",
            "A & B",
            "what it shows",
            drawn(guides=[Guide([0, 1], [0, 1], "chance")]),
            hinted=True,
        )
    )
    assert root.find("title").text == "A & B"
    assert root.find("desc").text == "what it shows"
    assert not any(e.get("id") for e in root.iter())
    group = next(g for g in root.iter("g") if g.get("data-name"))
    assert group.get("data-name") == "a <b>"
    line = group.find("path")
    assert line.get("data-hints") == "inf 0.5 0.1"
    assert line.get("d").count(",") == 3


def lines_of(*ys):
    x = np.linspace(0, 1, 50)
    return Drawing(
        Axis("x"), Axis("y"), [Series(str(i), i, Curve("c", "x", "y", x, y(x)))
                               for i, y in enumerate(ys)],
    )  # fmt: skip


def test_a_label_stands_beside_its_line_and_covers_none():
    d = lines_of(lambda x: 0.9 + 0 * x, lambda x: 0.5 * x, lambda x: 0.1 * x)
    texts = ["first 0.9", "second", "third"]
    labels = svg.direct_labels(d, texts)
    assert [text for *_, text in labels] == texts
    plot = svg.HEIGHT - svg.BOTTOM, svg.TOP
    for i, (x, y, text) in enumerate(labels):
        half = svg.LETTER * len(text) / 2
        assert svg.LEFT < x - half < x + half < svg.WIDTH - svg.RIGHT
        middle = np.linspace(x - half, x + half, 9)
        share = (middle - svg.LEFT) / (svg.WIDTH - svg.RIGHT - svg.LEFT)
        apart = [
            np.abs(y - 4 - (plot[0] + s.curve.y[0] * (plot[1] - plot[0]) + (s.curve.y[-1] - s.curve.y[0])
                            * share * (plot[1] - plot[0]))).min() for s in d.series
        ]  # fmt: skip
        assert apart.index(min(apart)) == i
        assert min(apart) > svg.LINE / 2
    root = parse(svg.lines("c", "t", "d", d, labels=labels))
    groups = [g for g in root.iter("g") if g.get("data-name")]
    assert [g.find("text").text for g in groups] == texts


@pytest.mark.parametrize("ys", [
    [lambda x: x, lambda x: x],
    [lambda x: x, lambda x: x + 0.02 * np.sin(9 * x)],
    [lambda x: np.nan * x],
    [],
])  # fmt: skip
def test_lines_without_room_have_no_labels(ys):
    assert svg.direct_labels(lines_of(*ys), ["a", "b"][: len(ys)]) == []


def test_a_long_name_finds_no_room():
    assert svg.direct_labels(lines_of(lambda x: x), ["a" * 60]) == []


def test_points_lie_where_the_scale_puts_them():
    root = parse(svg.lines("roc", "t", "d", drawn()))
    low, high, start, end = map(float, root.get("data-x").split())
    first, _, last = line_of(root).get("d")[1:].split("L")
    assert float(first.split(",")[0]) == start
    assert float(last.split(",")[0]) == end
    assert (low, high) == (0, 1)
    bottom, top = map(float, root.get("data-y").split()[2:])
    assert float(first.split(",")[1]) == bottom > top == float(last.split(",")[1])


def test_undefined_points_are_left_out():
    d = drawn((0.0, 0.5, 1.0), (math.nan, 0.5, 1.0), (3, 2, 1))
    root = parse(svg.lines("pr", "t", "d", d, hinted=True))
    line = line_of(root)
    assert line.get("d").count(",") == 2
    assert line.get("data-hints") == "2 1"


def test_bounds_are_drawn_at_marked_points():
    d = drawn(low=np.array([0, 0, 0.5]), high=np.array([0.2, 0.4, 1]), marked=True)
    root = parse(svg.lines("calibration", "t", "d", d))
    (bounds,) = (p.get("d") for p in root.iter("path") if p.get("class") == "bounds")
    assert bounds.count("M") == 3
    assert sum(c.get("class") == "dot" for c in root.iter("circle")) == 3


def test_a_histogram_shows_each_class_by_its_own_share():
    text = svg.distribution("0", "t", "d", Distributions([distribution("", HALVES)], ("yes", "no")))
    root = parse(text)
    ends = {
        p.get("class"): [
            float(top) - float(base) for base, top in re.findall(r" ([\d.]+)V([\d.]+)H", p.get("d"))
        ]
        for p in root.iter("path")
        if p.get("class") in ("pos", "neg")
    }
    small, tall = ends["pos"]
    assert small < 0, "positives stand upward"
    assert tall == pytest.approx(3 * small, rel=0.02)
    assert ends["neg"] == pytest.approx([-4 * small], rel=0.02)


def test_names_too_long_for_a_chart_are_cut():
    text = svg.distribution(
        "0", "t", "d", Distributions([distribution("", HALVES)], ("y" * 90, "no"))
    )
    inside = [t.text for t in parse(text).iter("text") if t.get("class") == "inside"]
    assert inside == ["y" * (MOST_LETTERS - 1) + "…", "no", "FN", "TP", "TN", "FP"]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (-3.2, 4.1, [-2, 0, 2, 4]),
        (300, 850, [400, 600, 800]),
        (0, 1e-6, [0, 2e-7, 4e-7, 6e-7, 8e-7, 1e-6]),
    ],
)
def test_ticks_are_round(low, high, ticks):
    assert svg.Scale(low, high, 0, 100).ticks() == pytest.approx(ticks)


def test_a_bar_needs_a_finite_interval():
    assert svg.bar(Interval(math.inf, 1, math.inf, 0, 1)) == ""
    assert svg.bar(Interval(0.5, math.nan, math.nan, 0, 1)) == ""
    assert svg.bar(Interval(0.5, 0.5, 0.5, 0.5, 0.5)) == ""
    root = parse(svg.bar(Interval(0.5, 0.25, 0.75, 0, 1)))
    assert root.get("aria-hidden") == "true"


def test_short_numbers():
    assert [svg.short(x) for x in (0.5, 123456.0, math.inf, -math.inf)] == [
        "0.5", "1.235e+05", "∞", "-∞",
    ]  # fmt: skip


def test_hints_are_what_the_script_reads():
    assert 'data-hints="inf 0.5 0.1"' in svg.lines("roc", "t", "d", drawn(), hinted=True)
