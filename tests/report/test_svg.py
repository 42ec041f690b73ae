from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import norm

from tallymark.curve import Curve, Histogram
from tallymark.report import svg
from tallymark.report.blocks import Interval
from tallymark.report.drawing import (
    MOST_LETTERS,
    Area,
    Axis,
    Distributions,
    Drawing,
    Forest,
    Guide,
    Nomogram,
    Series,
    Span,
    Strips,
    distribution,
)
from tallymark.tally.score_counts import ScoreCounts

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
    names = [(t.get("class"), t.text) for t in root.iter("text") if "name" in t.get("class", "")]
    assert names == [(f"name s{i}", text) for i, text in enumerate(texts)]


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


def test_hints_are_what_the_script_reads():
    assert 'data-hints="inf 0.5 0.1"' in svg.lines("roc", "t", "d", drawn(), hinted=True)


# -- whole pictures: positions worked out by hand on a frame of 342 by 258 pixels ----------------


def pieces(text):
    """Return the elements of a picture, one a line, with what stands inside texts."""
    return text.replace("><", ">\n<").splitlines()


def curve(x, y, **options):
    return Curve("c", "x", "y", np.array(x), np.array(y), **options)


def across(share):
    """Return the pixel of a share of the width as a picture writes it."""
    return f"{46 + 342 * share:.1f}".removesuffix(".0")


def upward(share):
    """Return the pixel of a share of the height as a picture writes it."""
    return f"{268 - 258 * share:.1f}".removesuffix(".0")


def test_a_frame_has_a_grid_and_a_label_at_every_tick():
    text = svg.lines("kind", "Title", "<Words>", Drawing(Axis("a & b"), Axis("up", 0, 2)), key="m")
    fifths, quarters = [0, 0.2, 0.4, 0.6, 0.8, 1], [0, 0.25, 0.5, 0.75, 1]
    grid = "".join(f"M{across(t)} 268V10" for t in fifths)
    grid += "".join(f"M46 {upward(t)}H388" for t in quarters)
    assert pieces(text) == [
        '<svg class="chart" data-chart="kind" data-of="m" data-x="0 1 46 388" '
        'data-x-label="a &amp; b" data-y="0 2 268 10" data-y-label="up" width="400" viewBox="0 0 400 310" '
        'role="img">',
        "<title>Title</title>",
        "<desc>&lt;Words&gt;</desc>",
        f'<path class="grid" d="{grid}"/>',
        '<g class="ticks" text-anchor="middle">',
        *(f'<text x="{across(t)}" y="283">{t:g}</text>' for t in fifths),
        "</g>",
        '<g class="ticks" text-anchor="end">',
        *(f'<text x="40" y="{float(upward(t)) + 4:g}">{2 * t:g}</text>' for t in quarters),
        "</g>",
        '<text class="axis" x="217" y="304" text-anchor="middle">a &amp; b</text>',
        '<text class="axis" transform="translate(12 139.0) rotate(-90)" '
        'text-anchor="middle">up</text>',
        '<circle class="marker" r="6" cx="0" cy="0" hidden="hidden"/>',
        "</svg>",
    ]


def inside(text):
    """Return the elements of a picture of lines after its axes, without the marker."""
    every = pieces(text)
    return every[next(i for i, e in enumerate(every) if "rotate(-90)" in e) + 1 : -2]


def test_lines_areas_guides_and_dots_lie_at_their_values():
    x = [0, 0.5, 1]
    bounds = {"low": np.array([0, 0.25, 0.5]), "high": np.array([0.5, 1, 2])}
    thresholds = np.array([math.inf, 0.5, 0.1])
    d = Drawing(
        Axis("x"),
        Axis("y", 0, 2),
        [
            Series("one", 1, curve(x, [0, 0.5, 2], threshold=thresholds)),
            Series("ten", 10, curve(x, [1, math.nan, 1], step="post"), second=True),
        ],
        [Area(curve(x, x, **bounds), 9), Area(curve(x, x, **bounds))],
        [
            Guide([0, 1], [0, 2], "chance", "chance"),
            Guide([0, 1], [1, 1], "fine"),
            Guide([0, 1], [0, 1], "best"),
            Guide([0.5, 0.5], [0, 2], "gap", style=3),
            Guide([0, 1], [2, 2], "chance", style=2),
            Guide([0, 1], [2, 2], "fine", style=2),
            Guide([0, 1], [2, 2], "hull"),
        ],
        [(0.25, 1.5, 9)],
    )
    shape = "46,203.5 217,139 388,10 388,203.5 217,235.8 46,268"
    assert inside(svg.lines("k", "t", "d", d, hinted=True)) == [
        f'<polygon class="band own s1" points="{shape}"/>',
        f'<polygon class="band" points="{shape}"/>',
        '<path class="faint" d="M46,139L388,139"/>',
        '<path class="faint" d="M46,268L388,139"/>',
        '<path class="faint" d="M217,268L217,10"/>',
        '<path class="chance" d="M46,268L388,10"/>',
        '<g class="s1" data-name="one">',
        '<path class="line" d="M46,268L217,203.5L388,10" data-hints="inf 0.5 0.1"/>',
        "</g>",
        '<g class="s2" data-name="ten">',
        '<path class="line second" d="M46,139H217M388,139"/>',
        "</g>",
        '<circle class="dot s1" cx="131.5" cy="74.5" r="4"/>',
    ]


def test_marked_points_have_dots_and_bounds_where_all_are_known():
    low, high = np.array([0, 0.25, math.nan, 0]), np.array([0.5, 0.75, 1, 1])
    line = curve([0, 0.5, 0.75, 1], [0.25, 0.5, 0.75, math.nan], low=low, high=high)
    d = Drawing(Axis("x"), Axis("y"), [Series("m", 2, line)], marked=True)
    text = svg.lines("k", "t", "d", d, labels=[(100, 50, "m 0.5")])
    assert inside(text) == [
        '<g class="s2" data-name="m">',
        '<path class="bounds" d="M46 268V139M217 203.5V74.5"/>',
        '<path class="line" d="M46,203.5L217,139L302.5,74.5"/>',
        '<circle class="dot" cx="46" cy="203.5" r="3.2"/>',
        '<circle class="dot" cx="217" cy="139" r="3.2"/>',
        '<circle class="dot" cx="302.5" cy="74.5" r="3.2"/>',
        "</g>",
        '<text class="name s2" x="100" y="50" text-anchor="middle">m 0.5</text>',
    ]


def test_points_outside_the_frame_are_moved_to_its_edge_and_steps_end_at_gaps():
    def path(axes, x, y, step=""):
        d = Drawing(*axes, [Series("m", 0, curve(x, y, step=step))])
        return line_of(parse(svg.lines("k", "t", "d", d))).get("d")

    plain = Axis("x"), Axis("y")
    assert path(plain, [-1, 0.5, 2], [2, 0.5, -1]) == "M46,10L217,139L388,268"
    assert path(plain, [0, 0.5, 1], [0, math.nan, 1]) == "M46,268L388,10"
    assert path(plain, [0, 0.5, 1], [0, math.nan, 1], "pre") == "M46,268M388,10"
    assert path(plain, [0, 0.5, 1], [0, 0.5, 1], "pre") == "M46,268V139H217V10H388"
    assert path(plain, [0, 0.5, 1], [0, 0.5, 1], "post") == "M46,268H217V139H388V10"
    assert path(plain, [math.nan, 0.5, 1], [0, 0.5, 1]) == "M217,139L388,10"
    below = Axis("x"), Axis("y", -1, 1)
    assert path(below, [0, 0.5, 1], [-2, 0, 1]) == "M217,139L388,10"
    assert path(below, [0, 0.5, 1], [-1, 0, 2]) == "M46,268L217,139L388,10"


def test_normal_deviate_axes_name_rates_at_their_deviates():
    low, high = norm.ppf(0.01), norm.ppf(0.8)
    axis = Axis("rate", 0.01, 0.8, "probit")
    line = curve([0.05, 0.2, 0.9], [0.4, 0.005, 0.2])
    text = svg.lines("det", "t", "d", Drawing(axis, axis, [Series("m", 0, line)]))
    root = parse(text)
    assert root.get("data-x-label") == "rate, %"
    shares = [(norm.ppf(r) - low) / (high - low) for r in (0.01, 0.05, 0.2, 0.4, 0.8)]
    names = ["1", "5", "20", "40", "80"]
    ticks = [t for t in root.iter("text") if t.get("class") is None]
    assert [(t.text, t.get("x")) for t in ticks[:5]] == [
        (n, across(s)) for n, s in zip(names, shares, strict=True)
    ]
    assert [t.text for t in ticks[5:]] == names
    assert line_of(root).get("d") == (
        f"M{across(shares[1])},{upward(shares[3])}L{across(shares[2])},{upward(0)}"
    )
    assert line_of(root).get("data-xs") == "0.05 0.2 0.9"
    assert line_of(root).get("data-ys") == "0.4 0.005 0.2"


def test_hints_count_what_is_called_positive_at_each_threshold():
    line = curve([0, 0.5, 1], [0, math.nan, 1], threshold=np.array([math.inf, 0.7, 0.4]))
    d = Drawing(Axis("x"), Axis("y"), [Series("m", 0, line)])
    counts = [ScoreCounts(*map(np.array, ([0.1, 0.4, 0.7, 0.9], [0.0, 1, 1, 1], [1.0, 1, 0, 0])))]
    found = line_of(parse(svg.lines("k", "t", "d", d, hinted=True, counts=counts)))
    assert (found.get("data-hints"), found.get("data-tp"), found.get("data-fp")) == (
        "inf 0.4", "ad", "ab",
    )  # fmt: skip
    counts = [ScoreCounts(counts[0].scores, counts[0].pos / 2, counts[0].neg)]
    found = line_of(parse(svg.lines("k", "t", "d", d, hinted=True, counts=counts)))
    assert found.get("data-tp") == "0 1.5", "only whole numbers are packed"
    bare = line_of(parse(svg.lines("k", "t", "d", d, counts=counts)))
    assert set(bare.keys()) == {"class", "d"}


ARROW = {"left": "m5 -4l-5 4 5 4", "right": "m-5 -4l5 4 -5 4"}


def test_rows_of_a_forest_have_bounds_marks_margins_and_arrows():
    nan = math.nan
    rows = [
        Span("a", 0.5, 0, 0.75, style=9),
        Span("b", 0.5, -2, 2, "second", margin=0.25),
        Span("c", nan, nan, nan, missing="no rows"),
        Span("d", 3, 2, 4, "open", margin=2),
        Span("e", 0.25, nan, nan),
        Span("f", -1, -1, 1, margin=1),
    ]
    text = svg.forest("key", "T", "D", Forest(Axis("lead", -1, 1), rows, 0.0, "metric"))
    every = pieces(text)
    assert every[0] == (
        '<svg class="chart" data-chart="forest" data-of="key" data-x="-1 1 166 388" '
        'data-x-label="lead" data-y="6 0 136 10" data-y-label="metric" width="400" viewBox="0 0 400 178" '
        'role="img">'
    )
    assert (
        every[3]
        == '<path class="grid" d="'
        + "".join(f"M{x} 136V10" for x in ("166", "221.5", "277", "332.5", "388"))
        + '"/>'
    )
    start = every.index('<text class="axis" x="277" y="172" text-anchor="middle">lead</text>')
    assert every[start - 7 : start - 1] == [
        f'<text x="160" y="{24.5 + 21 * i}">{r.name}</text>' for i, r in enumerate(rows)
    ]
    assert every[start + 1 :] == [
        '<path class="zero" d="M277 136V10"/>',
        '<g class="s1">',
        '<path class="bounds" d="M277 20.5H360.2"/>',
        '<circle class="dot" cx="332.5" cy="20.5" r="4"/>',
        "</g>",
        '<path class="chance" d="M249.2 41.5m0 -9v18M304.8 41.5m0 -9v18"/>',
        '<g class="s0">',
        f'<path class="bounds" d="M166 41.5H388M166 41.5{ARROW["left"]}M388 41.5{ARROW["right"]}"/>',
        '<path class="dot" d="M332.5 41.5m-4.5 0l4.5 -4.5 4.5 4.5 -4.5 4.5Z"/>',
        "</g>",
        '<text class="none" x="172" y="66.5" text-anchor="start">no rows</text>',
        '<g class="faint">',
        f'<path class="bounds" d="M388 83.5{ARROW["right"]}"/>',
        "</g>",
        '<g class="s0">',
        '<circle class="dot" cx="304.8" cy="104.5" r="4"/>',
        "</g>",
        '<path class="chance" d="M166 125.5m0 -9v18M388 125.5m0 -9v18"/>',
        '<g class="s0">',
        '<path class="bounds" d="M166 125.5H388"/>',
        '<circle class="dot" cx="166" cy="125.5" r="4"/>',
        "</g>",
        "</svg>",
    ]
    assert "zero" not in svg.forest("key", "T", "D", Forest(Axis("lead", -1, 1), rows))


def test_no_line_of_a_nomogram_leaves_its_axes():
    def drawn(d):
        """Return the ends of each line, the labels of the axes, and the marks of the results."""
        root = parse(svg.nomogram("T", "D", d))
        left, ratios, right = (
            {t.text: float(t.get("y")) - 4 for t in g.iter("text")}
            for g in root.find("g").findall("g")
        )
        results = [g for g in root.findall("g") if g.get("class") != "ticks"]
        lines = [re.findall(r"[\d.]+", g.find("path").get("d")) for g in results]
        marks = [[e.get("class") for e in g][1:] for g in results]
        ends = [(float(y0), float(y1)) for _, y0, _, y1 in lines]
        return left, ratios, right, ends, marks

    # Odds of 4 in 9,996 times 50 are those of 2 %, and times 0.0475 of 1.9 in 100,000.
    rare = Nomogram(4e-4, [("positive", 0.02 / 0.98 * 0.9996 / 4e-4), ("negative", 0.0475)])
    left, ratios, right, ends, marks = drawn(rare)
    assert (min(left, key=left.get), max(left, key=left.get)) == ("0.001", "99.999")
    assert (min(right, key=right.get), max(right, key=right.get)) == ("99.999", "0.001")
    assert {*ratios} >= {"0.001", "1", "1000"}
    assert left["0.01"] < ends[0][0] == ends[1][0] < left["0.1"]
    assert right["10"] < ends[0][1] < right["1"]
    assert right["0.01"] < ends[1][1] < right["0.001"] == 366
    assert marks == [["dot"], ["dot"]]
    for places in (left, right, ratios):
        ys = sorted(places.values())
        assert all(b - a >= 11.9 for a, b in pairwise(ys)), "no label covers another"
    # Beyond 1 in a million a line ends at the end of the axis, in an arrow.
    left, _, right, ends, marks = drawn(Nomogram(0.999, [("up", 1e5), ("down", 1e-12)]))
    assert ends == [(left["99.9"], right["99.9999"]), (left["99.9"], right["0.0001"])]
    assert (right["99.9999"], right["0.0001"]) == (34, 366)
    assert marks == [["line"], ["line"]]
    _, ratios, *_ = drawn(Nomogram(0.5, [("up", 2e4)]))
    assert (min(ratios, key=ratios.get), max(ratios, key=ratios.get)) == ("100000", "0.00001")


def test_a_nomogram_adds_log_odds():
    def odds(p):
        return math.log(p / (1 - p))

    unit = 166 / odds(0.999)
    root = parse(svg.nomogram("T", "D", Nomogram(0.1, [("positive", 12), ("negative", 0.3)])))
    assert root.get("viewBox") == "0 0 400 400"
    groups = [[(t.text, t.get("x"), float(t.get("y"))) for t in g.iter("text")]
              for g in root.find("g").findall("g")]  # fmt: skip
    rates = (0.1, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 99, 99.9)
    ratios = (0.001, 0.01, 0.1, 1, 10, 100, 1000)
    for (shown, x, at), places in zip(
        [(rates, "62", lambda p: odds(p / 100)), (ratios, "192", lambda r: -math.log(r) / 2),
         (rates, "338", lambda p: -odds(p / 100))], groups, strict=True,
    ):  # fmt: skip
        # No label stands closer to the next one than its height.
        shown = [v for v in shown if shown is ratios or v not in (40, 60)]
        assert [(text, where) for text, where, _ in places] == [(f"{v:g}", x) for v in shown]
        assert [y for *_, y in places] == pytest.approx(
            [204 + unit * at(v) for v in shown], abs=0.06
        )
    start = 200 + unit * odds(0.1)
    lines = [p.get("d") for p in root.iter("path") if p.get("class") == "line"]
    for path, ratio, (text, y) in zip(
        lines, (12, 0.3),
        [(t.text, float(t.get("y"))) for t in root.iter("text") if t.get("class") == "inside"],
        strict=True,
    ):  # fmt: skip
        end = 200 - unit * (odds(0.1) + math.log(ratio))
        assert path == f"M70 {svg.px(start)}L330 {svg.px(end)}"
        assert text == ("positive result" if ratio > 1 else "negative result")
        assert y == pytest.approx(start + 0.75 * (end - start) - 6, abs=0.06)
    assert [(c.get("cx"), c.get("class")) for c in root.iter("circle")] == [("330", "dot")] * 2
    assert [g.get("class") for g in root.findall("g")] == ["ticks", "s0", "s1"]
    assert [(t.text, t.get("x"), t.get("y")) for t in root.iter("text") if t.get("class") == "axis"] == [
        ("pre-test, %", "70", "14"), ("likelihood ratio", "200", "14"), ("post-test, %", "330", "14"),
    ]  # fmt: skip
    (axes,) = (p.get("d") for p in root.iter("path") if p.get("class") == "zero")
    assert axes.startswith("M70 34V366M66 34h8M66 89.6h8")
    assert "M200 283V117M196 283h8" in axes
    assert axes.endswith("M330 366V34" + axes.split("M330 366V34")[1])
    assert axes.count("h8") == 17 + 7 + 17


def test_leaders_stand_on_an_axis_a_row():
    d = Strips([("site", [(0, 0.25, 1), (0.25, 0.2501, 9)]), ("other", [(0.5, 1, 0)])])
    every = pieces(svg.strips("T", "D", d))
    assert every[0] == '<svg class="chart" width="400" viewBox="0 0 400 122" role="img">'
    assert [e for e in every if e[:5] == "<rect" or 'class="axis"' in e] == [
        '<text class="axis" x="46" y="22" text-anchor="start">site</text>',
        '<rect class="strip" x="46" y="28" width="342" height="14"/>',
        '<rect class="s1 leads" x="46" y="28" width="85.5" height="14"/>',
        '<rect class="s1 leads" x="131.5" y="28" width="2" height="14"/>',
        '<text class="axis" x="46" y="78" text-anchor="start">other</text>',
        '<rect class="strip" x="46" y="84" width="342" height="14"/>',
        '<rect class="s0 leads" x="217" y="84" width="171" height="14"/>',
    ]
    for y in ("55", "111"):
        for share in (0, 0.2, 0.4, 0.6, 0.8, 1):
            tick = f'<text x="{across(share)}" y="{y}" text-anchor="middle">{share:g}</text>'
            assert tick in every


def test_a_distribution_is_drawn_up_and_down_with_its_cells_at_a_cut():
    fifths = Histogram(*map(np.array, ([0.0, 0.5, 1.0], [1, 4], [50, 0])))
    text = svg.distribution(
        "key", "T", "D", Distributions([distribution("", fifths, style=9)], ("yes", "no"))
    )
    every = pieces(text)
    assert every[0] == (
        '<svg class="chart" data-chart="scores" data-of="key" data-x="0 1 46 388" '
        'data-x-label="score" data-y="-1.12 1.12 178 10" data-y-label="share of the class" '
        'width="400" viewBox="0 0 400 220" role="img">'
    )
    at = every.index('<g class="s1">')  # 84 pixels for 1.12; half a bar is 171 pixels wide
    assert every[at:] == [
        '<g class="s1">',
        '<path class="pos" d="M46.4 94V79H216.6V94ZM217.4 94V34H387.6V94Z"/>',
        '<path class="neg" d="M46.4 94V169H216.6V94Z"/>',
        "</g>",
        '<path class="zero" d="M46 94H388"/>',
        '<text class="inside" x="52" y="24" text-anchor="start">yes</text>',
        '<text class="inside" x="384" y="171" text-anchor="end">no</text>',
        '<g class="cut" hidden="hidden">',
        '<path d="M0 178V10"/>',
        '<text class="inside" x="-5" y="40" text-anchor="end">FN</text>',
        '<text class="inside" x="5" y="40" text-anchor="start">TP</text>',
        '<text class="inside" x="-5" y="155" text-anchor="end">TN</text>',
        '<text class="inside" x="5" y="155" text-anchor="start">FP</text>',
        "</g>",
        "</svg>",
    ]
    levels = [e for e in every[:at] if e.startswith('<text x="40"')]
    assert [e.partition(">")[2].partition("<")[0] for e in levels] == ["1", "0", "1"]
    taller = Histogram(*map(np.array, ([0.0, 0.5, 1.0], [1, 1], [1, 4])))
    again = svg.distribution("k", "T", "D", Distributions([distribution("", taller)], ("a", "b")))
    assert 'data-y="-0.896 0.896 178 10"' in again


def test_a_bar_has_its_span_and_its_dot():
    assert svg.bar(Interval(0.5, 0.25, 1, 0, 2)) == (
        '<svg class="bar" viewBox="0 0 100 10" aria-hidden="true">'
        '<path class="span" d="M13.2 2V8M13.2 5H50M50 2V8"/>'
        '<circle cx="25.5" cy="5" r="2.4"/></svg>'
    )
    for ends in ((0.5, 0, math.inf, 0, 1), (0.5, 0, 1, -math.inf, 1), (0.5, 0, 1, 0, math.nan)):
        assert svg.bar(Interval(*ends)) == ""


def test_a_bar_of_a_model_has_its_own_point_and_a_tick_for_guessing():
    i = Interval(0.75, 0.7, 0.8, 0, 1, 0.5)
    points = [
        '<circle cx="{x}" cy="5" r="2.4"/>',
        '<path d="M{x} 5m-2.2 -2.2h4.4v4.4h-4.4Z"/>',
        '<path d="M{x} 2l2.8 5h-5.6Z"/>',
    ]
    for style, point in enumerate(points):
        assert svg.bar(i, style, 170) == (
            f'<svg class="bar s{style}" viewBox="0 0 170 10" aria-hidden="true">'
            '<path class="guess" d="M85 0V10"/>'
            '<path class="span" d="M118.6 2V8M118.6 5H135.4M135.4 2V8"/>'
            f"{point.format(x=127)}</svg>"
        )
    assert "guess" not in svg.bar(replace(i, guess=1.5), 0)
    assert "guess" not in svg.bar(replace(i, guess=None), 0)


def test_symbols_of_a_legend_have_the_style_of_their_row():
    dot = '<circle class="dot" cx="5" cy="5" r="4"/>'
    box = 'viewBox="0 0 10 10" aria-hidden="true"'
    assert svg.symbol("first", 9) == f'<svg class="s1" {box}>{dot}</svg>'
    assert svg.symbol("open", 1) == (
        f'<svg class="faint" {box}><circle class="open" cx="5" cy="5" r="3.4"/></svg>'
    )
    assert svg.symbol("second", 7).startswith(f'<svg class="s7" {box}><path class="dot" d="M5 5m')


def test_labels_of_three_lines_stand_where_they_are_nearest_their_own():
    """A label covers no line, is at least 2 pixels from its own and nearer to it than to others."""
    x = np.linspace(0, 1, 30)
    for step in ("", "pre", "post"):
        lines = [Series(str(i), i, curve(x, y, step=step)) for i, y in enumerate((x**0.5, x, x**3))]
        d = Drawing(Axis("x"), Axis("y"), lines)
        texts = ["ABCDE", "FGHIJKLM", "NO"]
        found = svg.direct_labels(d, texts)
        assert [t for *_, t in found] == texts
        boxes = [(a, b - 4, svg.LETTER * len(t) / 2, svg.LINE / 2) for a, b, t in found]
        corners = [_corners(x, s.curve.y, step) for s in lines]
        gaps = np.array([[_gap(box, line) for line in corners] for box in boxes])
        own = gaps.diagonal()
        assert (own > 1.5).all()
        assert (own < 16.1).all()
        others = np.where(np.eye(3, dtype=bool), np.inf, gaps).min(1)
        assert (others > np.maximum(2 * own - 0.5, 11.5)).all()
        for i, (a, b, w, h) in enumerate(boxes):
            assert a - w >= 46 + 4
            assert a + w <= 388
            assert b - h >= 10 + 2
            assert b + h <= 268
            for a2, b2, w2, h2 in boxes[i + 1 :]:
                assert abs(a - a2) > w + w2 or abs(b - b2) > h + h2


def _corners(x, y, step):
    """Return a line in pixels, at most half a pixel apart."""
    if step:
        x, y = np.repeat(x, 2), np.repeat(y, 2)
        x, y = (x[:-1], y[1:]) if step == "pre" else (x[1:], y[:-1])
    at, fine = np.arange(len(x)), np.linspace(0, len(x) - 1, 4000)
    return 46 + 342 * np.interp(fine, at, x), 268 - 258 * np.interp(fine, at, y)


def _gap(box, line):
    (a, b, w, h), (x, y) = box, line
    return np.hypot(np.maximum(abs(x - a) - w, 0), np.maximum(abs(y - b) - h, 0)).min()
