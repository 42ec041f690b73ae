"""Figures of hand-made charts: every artist, its place, its colour and its words."""

from __future__ import annotations

import math

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import same_color, to_rgba
from matplotlib.figure import Figure
from scipy.stats import norm

from tallymark.curve import Curve
from tallymark.report import artists
from tallymark.report.drawing import (
    Area,
    Axis,
    BarChart,
    Bars,
    Distribution,
    Distributions,
    Drawing,
    Forest,
    Guide,
    Matrix,
    Series,
    Shape,
    Span,
)

matplotlib.use("Agg")
BLUE, RED, GREEN = artists.PALETTE[:3]
GREY, INK = "#808080", "#333333"
X = np.array([0, 0.5, 1])


def axes():
    return Figure().subplots()


def curve(y, x=X, **options):
    return Curve("c", "x", "y", np.array(x, dtype=float), np.array(y, dtype=float), **options)


def chart(*series, x=None, y=None, **options):
    return Drawing(x or Axis("across"), y or Axis("upward"), series, **options)


def look(line):
    """Return the points, the dash, the width and the label of a line."""
    x, y = (np.asarray(v).tolist() for v in line.get_data())
    return x, y, line.get_linestyle(), line.get_linewidth(), line.get_label()


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_each_line_has_the_colour_dash_and_words_of_its_style():
    every = chart(
        Series("a", 1, curve([0, 1, 2]), number="area 0.5"),
        Series("b", 10, curve([2, 1, 0], step="post")),
        Series("c", 17, curve([1, 1, 1], step="pre")),
        Series("d", 1, curve([3, 3, 3]), second=True),
        Series("", 24, curve([4, 4, 4])),
    )
    ax = artists.lines(axes(), every)
    lines = ax.get_lines()
    assert [look(line)[1:] for line in lines[:3]] == [
        ([0, 1, 2], "-", 1.7, "a  area 0.5"),
        ([2, 1, 0], "--", 1.7, "b"),
        ([1, 1, 1], "-.", 1.7, "c"),
    ]
    assert all(look(line)[0] == [0, 0.5, 1] for line in lines)
    assert look(lines[3])[1:4] == ([3, 3, 3], "--", 1.2)
    assert look(lines[4])[2] == "-"
    for line, style in zip(lines, (1, 2, 1, 1, 0), strict=True):
        assert same_color(line.get_color(), artists.PALETTE[style])
    assert [line.get_drawstyle() for line in lines[:4]] == [
        "default", "steps-post", "steps-pre", "default",
    ]  # fmt: skip
    assert [line.get_gid() for line in lines] == [
        "curve-1", "curve-10", "curve-17", None, "curve-24",
    ]  # fmt: skip
    assert artists.lines_in(ax) == 4
    assert artists.lines_in(None) == 0
    assert legend(ax) == ["a  area 0.5", "b", "c"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("across", "upward")


def test_marked_points_have_bounds_in_the_colour_of_their_line():
    line = curve([0.2, 0.5, 0.9], low=np.array([0, 0.4, 0.8]), high=np.array([0.3, 0.6, 1]))
    ax = artists.lines(axes(), chart(Series("a", 2, line), marked=True))
    (drawn,) = ax.get_lines()
    assert (drawn.get_marker(), drawn.get_markersize()) == ("o", 4)
    (bounds,) = ax.collections
    assert [p.vertices.tolist() for p in bounds.get_paths()] == [
        [[0, 0], [0, 0.3]], [[0.5, 0.4], [0.5, 0.6]], [[1, 0.8], [1, 1]],
    ]  # fmt: skip
    assert tuple(bounds.get_color()[0]) == to_rgba(GREEN, 0.5)
    assert not artists.lines(axes(), chart(Series("a", 2, line))).collections
    bare = artists.lines(axes(), chart(Series("a", 2, curve([0, 1, 2])), marked=True))
    assert not bare.collections


def test_areas_are_shaded_between_bounds_and_within_outlines():
    line = curve([0.2, math.nan, 0.9], low=np.array([0, 0, 0.8]), high=np.array([0.3, 1, 1]))
    whole = curve([0.2, 0.5, 0.9], low=np.array([0, 0.25, 0.5]), high=np.array([0.5, 0.75, 1]))
    ax = artists.lines(
        axes(),
        chart(areas=[Area(whole, 9), Area(line)], shapes=[Shape([0, 1, 1], [0, 0, 1], 2)]),
    )
    first, second = ax.collections
    assert [a.get_gid() for a in (first, second)] == ["band-9", "band-0"]
    assert tuple(first.get_facecolor()[0]) == to_rgba(RED, 0.15)
    assert tuple(second.get_facecolor()[0]) == to_rgba(BLUE, 0.15)
    (path,) = first.get_paths()
    corners = {tuple(v) for v in path.vertices.tolist()}
    assert corners == {(0, 0), (0, 0.5), (0.5, 0.25), (0.5, 0.75), (1, 0.5), (1, 1)}
    assert not any((path.vertices[:, 0] == 0.5).any() for path in second.get_paths())
    (shape,) = ax.patches
    assert shape.get_xy()[:3].tolist() == [[0, 0], [1, 0], [1, 1]]
    assert shape.get_facecolor() == to_rgba(GREEN, 0.15)
    stepped = curve([0, 1, 1], low=np.array([0, 0.5, 0.5]), high=np.array([1, 1, 1]), step="post")
    ax = artists.lines(axes(), chart(areas=[Area(stepped, 0)]))
    corners = {tuple(v) for p in ax.collections[0].get_paths() for v in p.vertices.tolist()}
    assert (0.5, 0) in corners
    assert (0.5, 0.5) in corners


GUIDES = [
    (Guide([0, 1], [0, 1], "chance", "chance"), GREY, "--", 1, "chance"),
    (Guide([0, 1], [1, 1], "best", "perfect"), GREY, ":", 1, "perfect"),
    (Guide([0, 1], [0, 2], "fine", "F1 0.5"), GREY, ":", 1, None),
    (Guide([0, 1], [0, 3], "hull", style=2), GREEN, ":", 1.2, None),
    (Guide([0, 1], [0, 4], "chance", style=1), RED, "--", 0.8, None),
    (Guide([0, 0], [0, 5], "gap", style=2), GREEN, "-", 2.5, None),
    (Guide([0, 0], [0, 6], "gap"), BLUE, "-", 2.5, None),
    (Guide([0, 1], [0, 7], "hull"), BLUE, ":", 1.2, None),
]


def test_each_kind_of_reference_line_has_its_look():
    for guide, color, dash, width, named in GUIDES:
        ax = artists.lines(axes(), chart(guides=[guide]))
        (line,) = ax.get_lines()
        x, y, *rest = look(line)
        assert (x, y, rest[:2]) == (list(guide.x), list(guide.y), [dash, width]), guide
        assert same_color(line.get_color(), color), guide
        assert (line.get_gid() == "reference") == (named is not None)
        assert line.get_marker() == ("_" if guide.kind == "gap" else "None")
        assert (ax.get_legend() is not None) == (named is not None)
        if named:
            assert legend(ax) == [named]
        texts = [(t.get_text(), t.xy, t.get_position(), t.get_va()) for t in ax.texts]
        edge = [("F1 0.5", (1, 2), (3, 0), "center")]
        assert texts == (edge if guide.kind == "fine" else [])
        assert all(same_color(t.get_color(), GREY) for t in ax.texts)
    short = chart(guides=[Guide([0, 0.5], [0, 1], "fine", "F1 0.5")])
    assert not artists.lines(axes(), short).texts


def test_dots_and_cuts_are_in_the_legend_after_the_lines():
    ax = axes()
    guides = [Guide([0, 1], [0, 1], "chance", "chance")]
    made = chart(
        Series("a", 0, curve([0, 1, 2])),
        guides=guides, dots=[(0.25, 0.75, 1)], dot="threshold", cuts=[(0.5, None), (0.75, 2)],
        cut="cut",
    )  # fmt: skip
    assert artists.lines(ax, made) is ax
    assert legend(ax) == ["a", "chance", "cut", "threshold"]
    (dot,) = (line for line in ax.get_lines() if line.get_marker() == "o")
    assert look(dot)[:2] == ([0.25], [0.75])
    assert same_color(dot.get_color(), RED)
    assert (dot.get_markersize(), dot.get_markeredgecolor()) == (7, "white")
    cuts = [line for line in ax.get_lines() if look(line)[1] == [0, 1] and look(line)[2] == ":"]
    assert [(look(c)[0][0], look(c)[3]) for c in cuts] == [(0.5, 1.2), (0.75, 1.2)]
    assert same_color(cuts[0].get_color(), GREY)
    assert same_color(cuts[1].get_color(), GREEN)
    artists.lines(ax, made)
    assert legend(ax).count("chance") == legend(ax).count("cut") == 1
    handle = ax.get_legend().legend_handles[-1]
    assert (handle.get_marker(), handle.get_markersize()) == ("o", 7)
    assert same_color(handle.get_color(), GREY)


def test_both_sides_of_a_pair_are_explained_beside():
    ax = artists.lines(axes(), chart(Series("a", 0, curve([0, 1, 2])), sides=("up", "down")))
    assert legend(ax) == ["a", "up", "down"]
    lines = {line.get_label(): line.get_linestyle() for line in ax.get_lines()}
    assert (lines["up"], lines["down"]) == ("-", "--")
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 > ax.get_window_extent().x1


def legend_is_beside(d):
    ax = artists.lines(axes(), d)
    ax.figure.canvas.draw()
    return bool(ax.get_legend().get_window_extent().x0 > ax.get_window_extent().x1)


def test_a_legend_of_many_or_long_names_stands_beside():
    def named(*names):
        return chart(*(Series(n, i, curve([0, 1, 2])) for i, n in enumerate(names)))

    assert [legend_is_beside(named(*"abcdefghi"[:n])) for n in (8, 9)] == [False, True]
    assert [legend_is_beside(named("a" * n)) for n in (48, 49)] == [False, True]


def size_of(d):
    ax = artists.lines(None, d)
    size = tuple(ax.figure.get_size_inches().tolist())
    artists.pyplot().close(ax.figure)
    return size


def test_a_new_figure_has_room_for_its_legend():
    one = Series("a", 0, curve([0, 1, 2]))
    assert size_of(chart(one)) == (6.4, 4.4)
    assert size_of(chart(one, square=True)) == (5.4, 5)
    assert size_of(chart(one, sides=("a", "b"), square=True)) == (8.6, 4.4)
    five, six = ([Series(str(i), i, curve([0, 1, 2])) for i in range(n)] for n in (5, 6))
    assert [size_of(chart(*s)) for s in (five, six)] == [(6.4, 4.4), (10.4, 4.4)]
    assert size_of(chart(*six, square=True)) == (9.4, 5)
    assert artists.lines(axes(), chart(one, square=True)).get_aspect() == 1
    assert artists.lines(axes(), chart(one)).get_aspect() == "auto"


def test_limits_leave_a_fiftieth_at_each_end():
    ax = artists.lines(axes(), chart(x=Axis("x", 1, 3), y=Axis("y", -1, 0)))
    assert ax.get_xlim() == pytest.approx((0.96, 3.04))
    assert ax.get_ylim() == pytest.approx((-1.02, 0.02))
    logit = artists.lines(axes(), chart(x=Axis("x", 0.001, 0.999, "logit")))
    assert logit.get_xscale() == "logit"
    assert [t.get_text() for t in logit.get_xticklabels()] == [
        "0.1 %", "1 %", "10 %", "50 %", "90 %", "99 %", "99.9 %",
    ]  # fmt: skip


def test_normal_deviate_axes_are_linear_in_deviates():
    axis = Axis("rate", 0.01, 0.8, "probit")
    line = curve([1, 0.2, 0.5, 0], x=[0.3, 0.05, 0.4, 1])
    ax = artists.lines(axes(), chart(Series("a", 0, line), x=axis, y=axis))
    assert ax.get_xlim() == pytest.approx((0.01, 0.8))
    assert ax.get_ylim() == pytest.approx((0.01, 0.8))
    ticks = [[t.get_text() for t in axis.get_ticklabels()] for axis in (ax.xaxis, ax.yaxis)]
    assert ticks == [["1 %", "5 %", "20 %", "40 %", "80 %"]] * 2
    x, y = ax.get_lines()[0].get_data()
    assert np.isnan(x).tolist() == np.isnan(y).tolist()
    assert x[1:3].tolist() == [0.05, 0.4]
    assert np.isnan(x[3])
    for rates, at in (((0.05, 0.2, 0.4), 0), ((0.05, 0.2, 0.4), 1)):
        points = [(r, 0.1) if at == 0 else (0.1, r) for r in rates]
        a, b, c = ax.transData.transform(points)[:, at]
        z = norm.ppf(rates)
        assert (b - a) / (c - a) == pytest.approx((z[1] - z[0]) / (z[2] - z[0]))


def test_histograms_below_share_the_axis_and_take_its_label():
    for of, filled in (([(1, [1, 2], [0, 0.5, 1])], True),
                       ([(1, [1, 2], [0, 0.5, 1]), (2, [3, 1], [0, 0.5, 1])], False)):  # fmt: skip
        ax = artists.lines(axes(), chart())
        artists.spread_below(ax, of)
        (lower,) = ax.child_axes
        assert (ax.get_xlabel(), lower.get_xlabel(), lower.get_ylabel()) == ("", "across", "rows")
        assert lower.get_shared_x_axes().joined(ax, lower)
        for patch, (style, counts, edges) in zip(lower.patches, of, strict=True):
            values, at, _ = patch.get_data()
            assert (list(values), list(at)) == (counts, edges)
            assert patch.get_fill() == filled
            color = to_rgba(artists.PALETTE[style], 0.6 if filled else 1)
            assert patch.get_edgecolor() == color or patch.get_facecolor() == color


def test_bars_stand_side_by_side_with_bounds_lines_and_guides():
    low, high = np.array([0.1, 0.2]), np.array([0.4, 0.6])
    d = BarChart(
        "tenth", "share", 2, 0.4,
        [Bars("a", 1, np.array([0.8, 1.8]), np.array([0.3, 0.5]), low, high, "mean 0.4"),
         Bars("b", 9, np.array([1.2, 2.2]), np.array([0.2, 0.1]))],
        [(2, [1, 2], [0.3, 0.35])],
        [Guide([0.5, 2.5], [0.25, 0.25], "chance", "chance"),
         Guide([0.5, 2.5], [0.5, 0.5], "best", "best")],
    )  # fmt: skip
    ax = artists.bars(axes(), d)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("tenth", "share")
    assert ax.get_xticks().tolist() == [1, 2]
    assert ax.get_ylim()[0] == 0
    boxes = [(b.get_x() + b.get_width() / 2, b.get_height(), b.get_width()) for b in ax.patches]
    for box, expected in zip(boxes, [(0.8, 0.3), (1.8, 0.5), (1.2, 0.2), (2.2, 0.1)], strict=True):
        assert box == pytest.approx((*expected, 0.368))
    assert [b.get_facecolor() for b in ax.patches[::2]] == [to_rgba(RED, 0.55)] * 2
    (bounds,) = (c for c in ax.collections)
    assert [p.vertices.tolist() for p in bounds.get_paths()] == [
        [[0.8, 0.1], [0.8, 0.4]], [[1.8, 0.2], [1.8, 0.6]],
    ]  # fmt: skip
    assert tuple(bounds.get_color()[0]) == to_rgba(RED)
    line, chance, best = ax.get_lines()
    assert look(line)[:3] == ([1, 2], [0.3, 0.35], "-")
    assert line.get_marker() == "."
    assert same_color(line.get_color(), GREEN)
    assert (chance.get_linestyle(), best.get_linestyle()) == ("--", "-")
    assert legend(ax) == ["a  mean 0.4", "b", "chance", "best"]


def test_rows_of_a_forest_have_their_values_bounds_and_words():
    rows = [
        Span("a", 0.5, 0.25, 0.75, text="0.500"),
        Span("b", 0.4, math.nan, math.nan, text="0.400"),
        Span("c", math.nan, math.nan, math.nan, missing="no rows"),
        Span("$d", 0.6, 0.5, math.nan, text="0.600"),
        Span("e", 0.6, math.nan, 0.7, text="0.6"),
    ]
    ax = artists.forest(axes(), Forest(Axis("lead"), rows, 0.3))
    assert ax.get_xlabel() == "lead"
    (bounds,) = ax.collections
    assert bounds.get_paths()[0].vertices.tolist() == [[0.25, 0], [0.75, 0]]
    *points, line = ax.get_lines()
    assert [look(p)[:2] for p in points] == [
        ([0.5], [0]), ([0.4], [1]), ([0.6], [3]), ([0.6], [4]),
    ]  # fmt: skip
    assert {p.get_marker() for p in points} == {"s"}
    assert (look(line)[0], line.get_linestyle()) == ([0.3, 0.3], "--")
    assert [(t.get_text(), t.xy) for t in ax.texts] == [
        ("0.500", (1.02, 0)), ("0.400", (1.02, 1)), ("no rows", (0.02, 2)), ("0.600", (1.02, 3)),
        ("0.6", (1.02, 4)),
    ]  # fmt: skip
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b", "c", r"\$d", "e"]
    assert ax.get_yticks().tolist() == [0, 1, 2, 3, 4]
    assert ax.get_ylim() == (4.5, -0.5)
    new = artists.forest(None, Forest(Axis("lead"), rows))
    assert new.figure.get_size_inches().tolist() == pytest.approx([6.4, 1.1 + 0.42 * 5])
    artists.pyplot().close(new.figure)


def test_a_line_far_from_all_intervals_is_left_out():
    """It is drawn up to one width of the axes beyond their ends."""
    rows = [Span("a", 0.5, 0.4, 0.6)]
    low, high = artists.forest(axes(), Forest(Axis("x"), rows)).get_xlim()
    width = high - low
    for line, drawn in (
        (low - 0.99 * width, True), (low - 1.01 * width, False), (high + 0.99 * width, True),
        (high + 1.01 * width, False), (None, False),
    ):  # fmt: skip
        ax = artists.forest(axes(), Forest(Axis("x"), rows, line))
        assert len(ax.get_lines()) == 1 + drawn, line


def matrix(names, texts=True, shares=None):
    k = len(names)
    shares = np.eye(k) if shares is None else shares
    written = [[f"{i}{j}" for j in range(k)] for i in range(k)] if texts else []
    return artists.matrix(axes(), Matrix(names, shares, written))


def test_cells_have_their_texts_in_a_colour_that_can_be_read():
    ax = matrix(["a", "$b"], shares=np.array([[0.55, 0.45], [0.44, 0.56]]))
    assert [(t.get_text(), t.get_position(), t.get_color()) for t in ax.texts] == [
        ("00", (0, 0), "black"), ("01", (1, 0), "black"), ("10", (0, 1), "black"),
        ("11", (1, 1), "white"),
    ]  # fmt: skip
    assert {t.get_ha() for t in ax.texts} == {t.get_va() for t in ax.texts} == {"center"}
    (image,) = ax.images
    assert image.get_array().tolist() == [[0.55, 0.45], [0.44, 0.56]]
    assert (image.norm.vmin, image.norm.vmax) == (0, 1)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted class", "true class")
    assert [t.get_text() for t in ax.get_xticklabels()] == ["a", r"\$b"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", r"\$b"]
    sizes = [{t.get_fontsize() for t in matrix(list("abcdef"[:k])).texts} for k in (5, 6)]
    assert sizes[0] != sizes[1]
    assert not matrix(list("abc"), texts=False).texts


def test_names_of_many_or_long_classes_are_turned():
    def turned(*names):
        return {t.get_rotation() for t in matrix(list(names)).get_xticklabels()} == {45}

    assert not turned("a" * 12, "b")
    assert turned("a" * 13, "b")
    assert not turned(*["a" * 10] * 4)
    assert turned(*["a" * 10] * 4, "b")


def test_a_new_matrix_grows_with_its_classes_up_to_ten_inches():
    for k, size in ((2, 2.6 + 1.5), (9, 2.6 + 6.75), (10, 10)):
        ax = artists.matrix(None, Matrix(["a"] * k, np.eye(k), []))
        assert ax.figure.get_size_inches().tolist() == pytest.approx([size, 0.92 * size])
        artists.pyplot().close(ax.figure)


EDGES = np.array([0, 0.5, 1])


def spread(name, up, down, cut=None):
    return Distribution(name, EDGES, (np.array(up), np.array(down)), cut)


def test_one_distribution_stands_on_its_own_scale():
    ax = artists.distributions(
        axes(), Distributions([spread("m", [0.25, 0.75], [0.5, 0.5], 0.3)], ("yes", "$no"), "cut")
    )
    up, down = ax.patches
    for patch, values, color in ((up, [0.25, 0.75], RED), (down, [-0.5, -0.5], BLUE)):
        found, edges, base = patch.get_data()
        assert (list(found), list(edges), base) == (values, [0, 0.5, 1], 0)
        assert patch.get_facecolor() == to_rgba(color, 0.75)
    zero, cut = ax.collections
    assert zero.get_paths()[0].vertices.tolist() == [[0, 0], [1, 0]]
    assert tuple(zero.get_color()[0]) == to_rgba(INK)
    assert cut.get_paths()[0].vertices == pytest.approx(np.array([[0.3, -0.825], [0.3, 0.825]]))
    assert (zero.get_linestyle()[0][1], cut.get_linestyle()[0][1]) == (None, [3.7, 1.6])
    assert ax.get_ylim() == pytest.approx((-0.8625, 0.8625))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("score", "share of the class")
    assert ax.yaxis.get_major_formatter()(-0.5, 0) == "0.5"
    assert legend(ax) == ["yes", r"\$no", "cut"]
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1 - 1


def test_several_distributions_have_a_row_each_of_one_scale():
    rows = [spread("a", [0.25, 0.75], [1, 0], 0.3), spread("_b", [0, 0.5], [0, 0.25], 0.6)]
    ax = artists.distributions(axes(), Distributions(rows, ("yes", "no"), "cut"))
    values = [p.get_data() for p in ax.patches]
    assert [v.values.tolist() for v in values] == [
        pytest.approx([0.45 * 0.25, 0.45 * 0.75]), pytest.approx([-0.45, 0]),
        pytest.approx([-1, 0.45 * 0.5 - 1]), pytest.approx([-1, -0.45 * 0.25 - 1]),
    ]  # fmt: skip
    assert [v.baseline for v in values] == [0, 0, -1, -1]
    cuts = [c.get_paths()[0].vertices.tolist() for c in ax.collections]
    assert cuts == [
        [[0, 0], [1, 0]], [[0.3, -0.48], [0.3, 0.48]],
        [[0, -1], [1, -1]], [[0.6, -1.48], [0.6, -0.52]],
    ]  # fmt: skip
    assert ax.get_ylim() == (-1.5, 0.5)
    assert ax.get_yticks().tolist() == [0, -1]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "_b"]
    assert ax.get_ylabel() == ""
    assert legend(ax) == ["yes", "no", "cut"]
    for n, size in ((1, (6.4, 4.4)), (3, (6.4, 1.2 + 3.3))):
        new = artists.distributions(None, Distributions(rows[:1] * n, ("yes", "no")))
        assert new.figure.get_size_inches().tolist() == pytest.approx(list(size))
        artists.pyplot().close(new.figure)


def test_new_axes_have_a_grid_behind_and_two_open_sides():
    ax = artists.lines(None, chart())
    assert [s for s in ("top", "right", "bottom", "left") if ax.spines[s].get_visible()] == [
        "bottom", "left",
    ]  # fmt: skip
    assert ax.get_axisbelow() is True
    assert ax.xaxis.get_gridlines()[0].get_visible()
    assert ax.get_legend() is None
    artists.pyplot().close(ax.figure)
