from __future__ import annotations

import copy
import sys
from dataclasses import replace
from itertools import chain, cycle
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import same_color
from matplotlib.figure import Figure

import tallymark as tm
from of_parts import of_parts
from report import pages
from tallymark import quantities
from tallymark.curve import CURVES, Curve, definition
from tallymark.curve.definitions import declare
from tallymark.errors import InputError
from tallymark.metric.measure import Value
from tallymark.report.subjects.curves import POINTS, with_interval

matplotlib.use("Agg")
plot = tm.plot

WITHIN_OTHERS = {"roc_hull", "roc_optimistic", "roc_pessimistic", "decision_all"}
"""Curves that the plot of another draws."""

OF_OTHER_PLOTS = {
    "det",
    "far",
    "frr",
    "ks_positive",
    "ks_negative",
    "deciles",
    "pr_davis_goadrich",  # by plot.curve
    "det_linear",  # by plot.det(linear=True)
}

NOT_BY_NAME = {*WITHIN_OTHERS, *OF_OTHER_PLOTS, *chain(*of_parts("CURVES"))}

OF_CURVES = {
    **{name: getattr(plot, name) for name in CURVES if name not in NOT_BY_NAME},
    "roc": plot.roc,
    "pr": plot.pr,
    "pr_gain": plot.pr_gain,
    "gain": plot.gain,
    "lift": plot.lift,
    "cost": plot.cost,
    "kappa": plot.kappa,
    "decision": plot.decision,
    "calibration": plot.calibration,
    "calibration_isotonic": lambda what, **o: plot.calibration(what, isotonic=True, **o),
}
ALL = {
    **OF_CURVES,
    "det": plot.det,
    "error_rates": plot.error_rates,
    "ks": plot.ks,
    "deciles": plot.deciles,
    "metric": lambda what, **o: plot.metric(what, "mcc", **o),
    "forest": lambda what, **o: plot.forest(what, "mcc", **o),
    "scores": plot.scores,
}


@pytest.fixture(autouse=True)
def nothing_is_shown_or_left_behind(monkeypatch):
    monkeypatch.setattr(plt, "show", None)
    settings = dict(matplotlib.rcParams)
    plt.close("all")  # of other tests
    yield
    assert dict(matplotlib.rcParams) == settings
    plt.close("all")


def axes():
    return Figure().subplots()


def ours(ax):
    return [line for line in ax.get_lines() if str(line.get_gid()).startswith("curve-")]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("kind", OF_CURVES)
def test_every_line_is_its_curve(kind):
    ev = pages.binary()
    lines = ours(OF_CURVES[kind](ev, ax=axes()))
    assert len(lines) == 2
    for line, name in zip(lines, ev.names, strict=True):
        c = ev.model(name).curve(kind)
        assert np.array_equal(line.get_xdata(), c.x, equal_nan=True)
        assert np.array_equal(line.get_ydata(), c.y, equal_nan=True)
        assert line.get_label().startswith(name)


@pytest.mark.parametrize("kind", OF_CURVES)
def test_a_curve_and_a_dictionary_of_curves_are_drawn_alike(kind):
    ev = pages.binary().model("forest")
    c = ev.curve(kind)
    made = [OF_CURVES[kind](what, ax=axes()) for what in (c, {"forest": c}, ev.curves())]
    assert [len(ours(ax)) for ax in made] == [1, 1, 1]
    assert np.array_equal(ours(made[0])[0].get_ydata(), c.y, equal_nan=True)
    assert legend(made[1])[0] == "forest"
    assert "forest" not in (legend(made[0]) if made[0].get_legend() else [])


@pytest.mark.parametrize("kind", ALL)
def test_one_figure_is_made_where_no_axes_are_given(kind):
    ax = ALL[kind](pages.cancer())
    assert len(plt.get_fignums()) == 1
    assert ax.figure is plt.gcf()


@pytest.mark.parametrize("kind", ALL)
def test_nothing_is_drawn_elsewhere_than_on_the_axes_given(kind):
    one, other = Figure().subplots(1, 2)
    assert ALL[kind](pages.cancer(), ax=one) is one
    assert not plt.get_fignums()
    assert not other.has_data()
    assert not other.get_xlabel()
    assert one.has_data()


@pytest.mark.parametrize(("kind", "ending"), [*zip(ALL, cycle(["png", "pdf", "svg"]))])
def test_pictures_are_saved(kind, ending, tmp_path):
    ev = pages.cancer()
    path = tmp_path / f"picture.{ending}"
    ALL[kind](ev).figure.savefig(path)
    assert path.stat().st_size > 3000


@pytest.mark.parametrize("kind", sorted(ALL.keys() - {"forest", "metric"}))
def test_each_class_of_several_has_a_line(kind):
    ax = ALL[kind](pages.few_classes(models=("forest",)), ax=axes())
    if kind == "scores":
        assert [t.get_text() for t in ax.get_yticklabels()] == list("0123")
    elif kind != "deciles":
        assert len(ours(ax)) == 4
        assert [line.get_label().split("  ")[0] for line in ours(ax)] == list("0123")


@pytest.mark.slow
def test_several_models_of_several_classes_name_both():
    ax = plot.roc(pages.few_classes(models=("forest", "net"), k=3), ax=axes())
    names = [text.split("  ")[0] for text in legend(ax)]
    assert names[:4] == ["forest: 0", "forest: 1", "forest: 2", "net: 0"]


def test_the_legend_tells_the_number_with_its_interval():
    ev = pages.cancer()
    v = ev.model("forest")["roc_auc"]
    told = f"forest  area {quantities.to_width(v.value, v.low, v.high)[0]} ({quantities.between(v.low, v.high)})"
    assert legend(plot.roc(ev, ax=axes()))[1] == told
    assert legend(plot.roc(ev, ax=axes()))[3:] == ["chance", "decision threshold"]


@pytest.mark.parametrize(("kind", "short", "metric"), [
    ("pr", "AP", "average_precision"), ("det", "EER", "equal_error_rate"),
    ("error_rates", "EER", "equal_error_rate"), ("ks", "KS", "kolmogorov_smirnov"),
    ("calibration", "Brier", "brier"), ("lift", "top tenth", "top_decile_lift"),
    ("pr_gain", "area", "pr_gain_auc"), ("calibration_isotonic", "MCB", "miscalibration"),
])  # fmt: skip
def test_each_kind_has_its_own_number(kind, short, metric):
    ev = pages.cancer().model("forest")
    told = legend(ALL[kind](ev, ax=axes()))[0]
    assert told == f"forest  {with_interval(short, ev[metric])}"


def marks(ax):
    return [
        line for line in ax.get_lines() if line.get_marker() == "o" and len(line.get_xdata()) == 1
    ]


def test_the_decisions_are_marked_on_the_curve():
    ev = pages.binary()
    for threshold, told in [(True, ev), (0.3, ev.at(threshold=0.3))]:
        dots = marks(plot.roc(ev, ax=axes(), threshold=threshold))
        for dot, name in zip(dots, ev.names, strict=True):
            one = told.model(name)
            assert dot.get_ydata()[0] == pytest.approx(one["sensitivity"].value)
            assert dot.get_xdata()[0] == pytest.approx(one["FPR"].value)
    ax = plot.roc(ev, ax=axes(), threshold=False)
    assert not marks(ax)
    assert legend(ax)[-1] == "chance"
    assert marks(plot.roc(ev, ax=axes(), threshold=9.0))[0].get_xdata()[0] == 0


@pytest.mark.slow
def test_lines_can_be_told_apart():
    ev = pages.few_classes(k=6, n=400, models=("a", "b"))
    lines = ours(plot.roc(ev, ax=axes()))
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 12


def test_a_second_plot_on_the_same_axes_looks_different():
    ax = axes()
    plot.roc(pages.binary().model("forest"), ax=ax)
    plot.roc(pages.binary().model("logistic"), ax=ax)
    first, second = ours(ax)
    assert not same_color(first.get_color(), second.get_color())
    assert legend(ax).count("chance") == 1


@pytest.mark.slow
def test_many_lines_have_their_legend_beside_them():
    ax = plot.roc(pages.few_classes(k=6, n=400, models=("a", "b")), ax=axes())
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 > ax.get_window_extent().x1


def test_the_hull_and_the_ties_of_a_roc_curve():
    ev = pages.binary().model("forest")
    ax = plot.roc(ev, ax=axes(), hull=True, ties=True, threshold=False)
    c = ev.curve("roc_hull")
    assert any(np.array_equal(line.get_xdata(), c.x) for line in ax.get_lines())
    (shade,) = ax.patches
    low, high = ev.curve("roc_pessimistic"), ev.curve("roc_optimistic")
    assert {len(low), len(high)} == {601}
    assert len(shade.get_xy()) == 601 + 601, "the same point begins and ends it"
    assert ax.get_aspect() == 1
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("false positive rate", "sensitivity (recall)")


def test_precision_recall_has_the_baseline_and_lines_of_equal_f1():
    ev = pages.binary()
    ax = plot.pr(ev, ax=axes(), iso_f=[0.5])
    (chance,) = (line for line in ax.get_lines() if str(line.get_label()).startswith("chance"))
    assert chance.get_ydata() == pytest.approx([ev.model("forest")["prevalence"].value] * 2)
    (iso,) = (line for line in ax.get_lines() if len(line.get_xdata()) == 24)
    r, p = iso.get_xdata(), iso.get_ydata()
    assert 2 * p * r / (p + r) == pytest.approx(0.5)
    assert [t.get_text() for t in ax.texts] == ["F1 0.5"]
    assert {line.get_drawstyle() for line in ours(ax)} == {"steps-pre"}


def test_classes_of_unequal_size_have_their_own_baselines():
    y = np.repeat(["a", "b", "c"], [10, 20, 60])
    p = np.random.default_rng(0).dirichlet(np.ones(3), 90)
    ax = plot.pr(tm.evaluate(y, y_score=p), ax=axes())
    levels = [line for line in ax.get_lines() if line.get_linestyle() == "--"]
    assert [line.get_ydata()[0] for line in levels] == pytest.approx([1 / 9, 2 / 9, 6 / 9])
    assert not any(text.startswith("chance") for text in legend(ax))


def test_det_axes_are_normal_deviates():
    x = np.array([0.0, 0.0, 0.02275013, 0.5, 0.97724987, 1.0])
    c = Curve("det", "false_positive_rate", "false_negative_rate", x, x[::-1])
    ax = plot.det({"net": c}, ax=axes())
    ax.set(xlim=(0.001, 0.999), ylim=(0.001, 0.999))
    two, half, more = (
        ax.transData.transform([(v, 0.5)])[0][0] for v in (0.02275013, 0.5, 0.97724987)
    )
    assert half - two == pytest.approx(more - half), "-2, 0 and 2 standard deviations"
    assert [t.get_text() for t in ax.get_xticklabels()][:3] == ["1 %", "5 %", "20 %"]
    (line,) = ours(ax)
    assert np.isnan(line.get_xdata()).tolist() == [True, False, False, False, False, True]
    assert line.get_ydata()[1] == pytest.approx(0.97724987)


def test_error_rates_cross_at_the_equal_error_rate():
    y = np.repeat([0, 1], 50)
    s = np.append(np.linspace(0, 0.69, 50), np.linspace(0.3, 1, 50))
    ev = tm.evaluate(y, y_score={"net": s})
    ax = plot.error_rates(ev, ax=axes())
    (dot,) = marks(ax)
    assert dot.get_ydata()[0] == pytest.approx(ev["equal_error_rate"].value)
    far, frr = ev.curve("far"), ev.curve("frr")
    again = plot.error_rates({"net": {"far": far, "frr": frr}}, ax=axes())
    assert marks(again)[0].get_xdata() == pytest.approx(dot.get_xdata())
    assert "decision threshold" not in legend(again)
    assert "decision threshold" in legend(ax)


def test_the_widest_gap_of_the_distributions_is_their_distance():
    ev = pages.binary().model("forest")
    ax = plot.ks(ev, ax=axes())
    (gap,) = (line for line in ax.get_lines() if line.get_marker() == "_")
    low, high = sorted(gap.get_ydata())
    assert high - low == pytest.approx(ev["kolmogorov_smirnov"].value)
    assert legend(ax)[1:] == ["positives", "the others"]


def test_gain_and_lift_know_what_is_perfect():
    ev = pages.binary().model("forest")
    share = ev["prevalence"].value
    (best,) = (v for v in plot.gain(ev, ax=axes()).get_lines() if v.get_label() == "perfect")
    assert best.get_xdata() == pytest.approx([0, share, 1])
    (best,) = (v for v in plot.lift(ev, ax=axes()).get_lines() if v.get_label() == "perfect")
    assert best.get_ydata()[0] == pytest.approx(1 / share)
    assert "perfect" not in legend(plot.gain({"a": ev.curve("gain")}, ax=axes()))


def test_bars_of_the_tenths():
    ev = pages.binary()
    c = ev.model("forest").curve("deciles")
    ax = plot.deciles(ev, ax=axes())
    bars = ax.containers[1]
    assert [bar.get_height() for bar in bars] == pytest.approx(c.y.tolist())
    down = ours(ax)[1].get_ydata()
    assert down == pytest.approx(np.cumsum(c.y * c.counts) / np.cumsum(c.counts))
    assert legend(ax)[:2] == ["logistic", "forest"]
    bare = plot.deciles({"net": replace(c, counts=None, low=None, high=None)}, ax=axes())
    assert not ours(bare)
    assert len(plot.deciles(ev, ax=axes(), parts=5).containers[0]) == 5


def test_calibration_has_bounds_and_a_histogram_below():
    ev = pages.binary().model("forest")
    c = ev.curve("calibration")
    ax = plot.calibration(ev, ax=axes())
    (bounds,) = ax.collections
    assert [p.vertices[:, 1].tolist() for p in bounds.get_paths()] == [
        [low, high] for low, high in zip(c.low, c.high, strict=True)
    ]
    (lower,) = ax.child_axes
    assert lower.get_ylabel() == "rows"
    assert lower.get_xlabel() == "mean probability given"
    assert not plot.calibration(ev, ax=axes(), histogram=False).child_axes
    assert not plot.calibration({"net": c}, ax=axes()).child_axes
    assert len(ours(plot.calibration(ev, ax=axes(), bins=4))[0].get_xdata()) == 4
    assert len(plot.calibration(ev, ax=axes(), isotonic=True).collections) == 1


def test_a_decision_curve_stands_beside_acting_on_all_and_on_none():
    ev = pages.binary()
    ax = plot.decision(ev, ax=axes())
    assert legend(ax) == ["logistic", "forest", "act on all", "act on none"]
    (every,) = (line for line in ax.get_lines() if line.get_label() == "act on all")
    np.testing.assert_allclose(every.get_ydata(), ev.model("forest").curve("decision_all").y)
    alone = plot.decision({"forest": ev.model("forest").curve("decision")}, ax=axes())
    assert legend(alone) == ["forest", "act on none"]


@pytest.mark.parametrize("name", ["mcc", "jaccard", "f_beta"])
def test_any_metric_over_the_threshold(name):
    ev = pages.binary().model("forest")
    params = {"beta": 2} if name == "f_beta" else {}
    ax = plot.metric(ev, name, ax=axes(), **params)
    (line,) = ours(ax)
    told = legend(ax)[0]
    assert told == f"forest  {with_interval('', ev.value(name, **params)).strip()}"
    every = ev.curve(name, **params).between(0, 1)
    assert line.get_drawstyle() == "steps-post"
    np.testing.assert_array_equal(line.get_xydata(), np.stack([every.x, every.y], 1))
    assert bool(ax.collections) == (name == "mcc"), "bounds where the evaluation has them"
    assert ("chance" in legend(ax)) == (name == "mcc")
    assert "decision threshold" in legend(ax)
    assert "decision threshold" not in legend(
        plot.metric(ev, name, ax=axes(), threshold=False, **params)
    )


def test_a_metric_of_curves_and_of_several_classes():
    c = pages.binary().model("forest").curve("jaccard")
    drawn = ours(plot.metric({"net": c}, "jaccard", ax=axes()))[0]
    assert np.array_equal(drawn.get_ydata(), c.between(0, 1).y)
    assert len(ours(plot.metric(pages.few_classes(models=("net",)), "mcc", ax=axes()))) == 4


def test_thresholds_of_their_own_have_lines_of_their_own():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    ev = tm.evaluate(y, y_score={"a": rng.normal(y, 1), "b": rng.normal(9 * y, 1) + 30})
    cuts = [m.threshold for m in ev.models]
    assert cuts[0] != cuts[1]
    ax = plot.metric(ev, "mcc", ax=axes())
    level = [
        line for line in ax.get_lines() if line.get_linestyle() == ":" and len(line.get_xdata())
    ]
    assert [line.get_xdata()[0] for line in level] == pytest.approx(cuts)
    assert ax.get_xlim()[1] > 2


def test_det_on_linear_axes_is_drawn_as_tharwat_draws_it():
    ax = plot.det(tm.evaluate([0, 1, 0, 1], y_score=[0.1, 0.9, 0.4, 0.3]), ax=axes(), linear=True)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("false negative rate", "false positive rate")
    assert ax.lines[0].get_xydata().tolist() == [[0, 1], [0, 0.5], [0.5, 0.5], [0.5, 0], [1, 0]]
    assert ax.get_xscale() == "linear"


def test_a_matrix_shows_counts_and_shares_of_the_true_class():
    ev = tm.evaluate(["a"] * 4 + ["b"] * 2, ["a", "a", "a", "b", "b", "b"], positive="b")
    ax = plot.confusion(ev, ax=axes())
    assert [t.get_text() for t in ax.texts] == ["2\n100 %", "0\n0 %", "1\n25 %", "3\n75 %"]
    assert ax.images[0].get_array().tolist() == [[1, 0], [0.25, 0.75]]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["b", "a"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1], "the positive class is on top"
    counted = plot.confusion(ev.models[0].labels, ax=axes())
    assert [t.get_text() for t in counted.get_yticklabels()] == ["a", "b"]
    assert not plot.confusion(ev.models[0].labels, ax=axes(), numbers=False).texts
    assert not plot.confusion(pages.many_classes(), ax=axes()).texts, "30 classes have no room"


@pytest.mark.slow
def test_scores_stand_up_and_hang_down():
    ev = pages.binary().model("forest")
    ax = plot.scores(ev, ax=axes())
    up, down = ax.patches
    h = ev._histograms()["forest"]
    assert up.get_data().values == pytest.approx(h.pos / h.pos.sum())
    assert down.get_data().values == pytest.approx(-h.neg / h.neg.sum())
    assert legend(ax) == ["sick", "well", "decision threshold"]
    assert legend(plot.scores(h, ax=axes())) == ["positives", "the others"]
    several = plot.scores({"one": h, "two": h}, ax=axes())
    assert [t.get_text() for t in several.get_yticklabels()] == ["one", "two"]


def test_a_row_for_every_model():
    ev = pages.cancer()
    ax = plot.forest(ev, "mcc", ax=axes())
    assert [t.get_text() for t in ax.get_yticklabels()] == list(ev.names)
    values = [ev.model(n)["mcc"] for n in ev.names]
    ends = [tuple(c.get_paths()[0].vertices[:, 0]) for c in ax.collections]
    assert ends == [(v.low, v.high) for v in values]
    assert [t.get_text() for t in ax.texts] == [with_interval("", v).strip() for v in values]
    wide = {
        "a": Value("roc_auc", 0.55, 0.45, 0.65),
        "b": Value("roc_auc", np.nan, reason="why not"),
    }
    ax = plot.forest(wide, ax=axes())
    assert [line.get_xdata() for line in ax.get_lines()][-1] == [0.5, 0.5]
    assert "why not" in [t.get_text() for t in ax.texts]


@pytest.mark.slow
def test_hostile_names_stay_what_they_are(tmp_path):
    ev = pages.hostile()
    for make in ALL.values():
        ax = make(ev)
        ax.figure.savefig(tmp_path / "picture.svg")
    c = pages.binary().model("forest").curve("roc")
    ax = plot.roc({"_hidden": c, "$x^$": c, r"\frac": c})
    assert legend(ax)[:3] == [" _hidden", r"\$x^\$", r"\frac"]
    ax.figure.savefig(tmp_path / "picture.png")


def test_a_curve_of_many_points_is_thinned():
    n = 5000
    x = np.linspace(0, 1, n)
    c = Curve("roc", "false_positive_rate", "sensitivity", x, np.sqrt(x))
    assert len(ours(plot.roc(c, ax=axes()))[0].get_xdata()) <= POINTS


ROC = Curve("roc", "false_positive_rate", "sensitivity", np.arange(2.0), np.arange(2.0))


@pytest.mark.parametrize(("make", "words"), [
    (lambda: plot.roc(pages.labels_only()), "a roc curve needs scores, and model has none; give y_score"),
    (lambda: plot.scores(pages.labels_only()), "needs scores, and model has none; give y_score"),
    (lambda: plot.calibration(pages.logits()), "a calibration curve needs probabilities, and model holds scores"),
    (lambda: plot.roc(pages.one_class()), "needs rows of both classes, and here is only one"),
    (lambda: plot.roc([0, 1]), r"what is \[0, 1\]; give an evaluation, such as tm.evaluate\(y_true, y_pred\), or a curve"),
    (lambda: plot.roc({}), "there is no roc curve to draw; the dictionary is empty"),
    (lambda: plot.roc({"a": [1]}), "a roc plot takes curves, not list"),
    (lambda: plot.pr(ROC), "this is a roc curve, and a pr curve is to be drawn"),
    (lambda: plot.pr({"a": {"roc": ROC}}), "there is no pr curve; there are 'roc'"),
    (lambda: plot.roc({str(i): ROC for i in range(25)}), "25 lines cannot be distinguished; give at most 24"),
    (lambda: plot.deciles({"a": replace(ROC, name="deciles")}, parts=5), "parts cannot change a finished curve"),
    (lambda: plot.metric(pages.binary(), "roc_auc"), "roc_auc is not computed at a single threshold"),
    (lambda: plot.metric(pages.binary(), "mmc"), "mmc"),
    (lambda: plot.metric(pages.labels_only(), "mcc"), "needs scores"),
    (lambda: plot.forest(pages.binary()), r"say forest\(ev, 'mcc'\)"),
    (lambda: plot.forest({"a": 0.5}), "forest takes an Evaluation, the subgroups of one, or a dictionary of values"),
    (lambda: plot.confusion(pages.binary()), r"is of one model, and here are 2; choose one with .model\('logistic'\)"),
    (lambda: plot.confusion([[1]]), r"what is \[\[1\]\]; give an evaluation, such as tm.evaluate\(y_true, y_pred\)"),
    (lambda: plot.confusion(tm.LabelTally._empty()), "of no class"),
    (lambda: plot.scores(ROC), "scores takes an Evaluation, a Histogram or a dictionary"),
    (lambda: plot.scores({}), "there are 0 distributions; draw 1 to 24"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_said_and_leaves_no_figure(make, words):
    with pytest.raises(InputError, match=words):
        make()
    assert not plt.get_fignums()


@pytest.mark.parametrize("kind", ALL)
def test_without_matplotlib_the_extra_is_named(kind, monkeypatch):
    ev = pages.cancer()
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(InputError, match=r"needs matplotlib; .* pip install 'tallymark\[plot\]'"):
        ALL[kind](ev)


def test_every_curve_can_be_drawn_and_every_plot_is_named():
    assert sorted(plot.__all__) == dir(plot)
    assert all(callable(getattr(plot, name)) for name in (*plot.__all__, *CURVES))
    with pytest.raises(AttributeError, match="no plot 'gian'; did you mean 'gain'"):
        _ = plot.gian
    told = (Path(__file__).parents[2] / "docs" / "curves.md").read_text("utf-8")
    assert not [name for name in plot.__all__ if f"`{name}`" not in told]


def shaded(ax):
    return [area for area in ax.collections if str(area.get_gid()).startswith("band-")]


BANDED = [k for k in (*OF_CURVES, "det", "error_rates", "ks", "metric") if "calibration" not in k]


@pytest.mark.parametrize("kind", BANDED)
def test_a_band_is_shaded_around_its_line(kind):
    ev = pages.binary(200)
    name = {"error_rates": "frr", "ks": "ks_positive", "metric": "mcc"}.get(kind, kind)
    wanted = definition(name).bands[0]
    ax = ALL[kind](ev, ax=axes(), band=wanted)
    many = 2 if kind in ("error_rates", "ks") else 1
    assert len(shaded(ax)) == 2 * many
    first = ev.model(ev.names[0]).curve(name, band=wanted).thin(POINTS)
    if CURVES.get(name, definition(name)).x.open:
        first = first.between(0, 1)
    known = np.isfinite(first.x) & np.isfinite(first.low)
    corners = np.concatenate([path.vertices for path in shaded(ax)[0].get_paths()])
    assert corners[:, 1].min() == pytest.approx(first.low[known].min())
    assert corners[:, 1].max() == pytest.approx(first.high[known].max())
    plain = ALL[kind](ev, ax=axes())
    assert len(shaded(plain)) == (2 if kind == "metric" else 0)
    for line, same in zip(ours(plain), ours(ax), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), same.get_xydata())


def test_a_declared_curve_is_drawn_by_its_name():
    made = declare(
        "miss", "false_positive_rate", "false_negative_rate", meaning="misses.", title="Misses"
    )
    try:
        ev = pages.binary().model("forest")
        ax = plot.miss(ev, ax=axes())
        assert np.array_equal(ours(ax)[0].get_ydata(), ev.curve("miss").y)
        assert plot.miss.__doc__.startswith("Draw misses.")
    finally:
        del CURVES[made.name]
    with pytest.raises(AttributeError, match="there is no plot 'miss'"):
        _ = plot.miss


def test_a_finished_curve_with_bounds_has_them_shaded():
    ev = pages.binary(200).model("forest")
    for kind in ("pointwise", "vertical", "simultaneous"):
        ax = plot.roc({"forest": ev.curve("roc", band=kind)}, ax=axes())
        assert len(shaded(ax)) == 1
    with pytest.raises(InputError, match="band='vertical' cannot be added to a finished curve"):
        plot.roc(ev.curve("roc"), band="vertical")
    with pytest.raises(InputError, match="kappa has no 'vertical' band"):
        plot.kappa(ev, band="vertical")


@pytest.mark.slow
def test_bands_of_every_class_and_of_clusters():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    p = rng.dirichlet([1, 1, 1], 200)
    p[np.arange(200), y] += 1
    p /= p.sum(1, keepdims=True)
    for clusters in (None, np.arange(200) // 4):
        ev = tm.evaluate(y, y_score=p, cluster=clusters)
        assert len(shaded(plot.roc(ev, ax=axes(), band="vertical"))) == 3
        assert len(shaded(plot.pr(ev, ax=axes(), band="pointwise"))) == 3


@pytest.mark.slow
def test_metrics_over_the_prevalence():
    ev = pages.binary(200, ("net", "tree"))
    ax = plot.prevalence(ev, "precision", ax=axes())
    drawn = [line for line in ax.get_lines() if line.get_gid()]
    assert [line.get_label() for line in drawn] == ["net", "tree"]
    c = ev.model("net").curve("precision", over="prevalence")
    np.testing.assert_array_equal(drawn[0].get_ydata(), c.y)
    assert ax.get_xscale() == "logit"
    assert [t.get_text() for t in ax.get_xticklabels()][:2] == ["0.1 %", "1 %"]
    ax = plot.prevalence(ev, ["f1", "roc_auc"], ax=axes())
    labels = [line.get_label() for line in ax.get_lines() if line.get_gid()]
    assert labels == [
        "net: F1",
        "net: ROC area",
        "tree: F1",
        "tree: ROC area",
    ]
    with pytest.raises(tm.InputError, match="prevalence takes an Evaluation"):
        plot.prevalence(c, "f1", ax=axes())


def test_an_evaluation_draws_its_main_plots():
    def drawn(ev):
        return [a.get_ylabel() for a in ev.plot()]

    one = pages.cancer().model("bayes")
    assert drawn(one) == ["sensitivity (recall)", "precision", "share truly positive",
                          "share of the class"]  # fmt: skip
    assert len(plt.get_fignums()) == 1
    assert drawn(pages.labels_only())[0] == "true class"
    both = tm.evaluate([0, 1] * 20, {"a": [0, 1] * 20, "b": [1, 1] * 20})
    assert [t.get_text() for t in both.plot()[0].get_yticklabels()] == ["a", "b"]


@pytest.mark.parametrize("name", ["cancer", "labels_only", "few_classes", "logits", "one_class"])
@pytest.mark.slow
def test_what_is_offered_can_be_drawn_and_nothing_else(name):
    ev = pages.EVERY[name]()
    needed = {"curve": ["far"], "metric": ["f1"], "forest": ["accuracy"], "prevalence": ["f1"]}
    for kind in plot.__all__:
        draw = getattr(ev.plot, kind)
        if kind in dir(ev.plot):
            assert draw(*needed.get(kind, []), ax=axes()).has_data()
        else:
            with pytest.raises(tm.InputError):
                draw(*needed.get(kind, []), ax=axes())


def test_a_plot_is_found_by_its_name_and_so_are_curves_and_metrics():
    ev = pages.cancer().model("bayes")
    assert ev.plot("roc", band="vertical", ax=axes()).get_xlabel() == "false positive rate"
    assert ev.plot("far", ax=axes()).get_ylabel() == "false positive rate"
    assert ev.plot("mcc", ax=axes()).get_ylabel() == "Matthews correlation"
    assert ev.plot.roc.__doc__ == plot.roc.__doc__
    assert repr(pages.labels_only().plot) == "<Plots: confusion, forest, prevalence>"
    with pytest.raises(tm.InputError, match="no metric 'nope'"):
        ev.plot("nope")
    with pytest.raises(tm.InputError, match="name is 3; give a text"):
        ev.plot(3)
    assert repr(copy.copy(ev.plot)) == repr(ev.plot)
    with pytest.raises(AttributeError, match="no plot 'rok'; did you mean 'roc'"):
        _ = ev.plot.rok


def test_every_plot_goes_on_in_the_styles_that_the_axes_lack():
    """A second plot on the same axes takes the next colours, with its hull, ties and histogram."""
    one, other = pages.binary().model("forest"), pages.binary().model("logistic")
    for kind in ("roc", "pr", "gain", "lift", "cost", "kappa", "decision", "error_rates", "metric"):
        ax = axes()
        ALL[kind](one, ax=ax)
        ALL[kind](other, ax=ax)
        styles = [line.get_gid() for line in ours(ax)]
        assert styles[0] == "curve-0"
        assert styles[-1] != "curve-0", kind
    ax = axes()
    plot.roc(one, ax=ax)
    plot.roc(other, ax=ax, hull=True, ties=True, threshold=False)
    hull = [
        line for line in ax.get_lines() if line.get_linestyle() == ":" and len(line.get_xdata()) > 2
    ]
    assert all(same_color(line.get_color(), ours(ax)[1].get_color()) for line in hull)
    assert same_color(ax.patches[-1].get_facecolor()[:3], ours(ax)[1].get_color())
    ax = axes()
    plot.calibration(one, ax=ax, histogram=False)
    plot.calibration(other, ax=ax)
    (lower,) = ax.child_axes
    assert same_color(lower.patches[0].get_facecolor()[:3], ours(ax)[1].get_color())


def test_the_overview_has_two_plots_a_line():
    for ev, names, size in (
        (pages.cancer().model("bayes"), 4, (10.8, 10.0)),
        (pages.labels_only(), 2, (10.8, 5.0)),
    ):
        drawn = ev.plot()
        assert len(drawn) == names
        figure = drawn[0].figure
        assert figure.get_size_inches().tolist() == pytest.approx(list(size))
        assert sum(ax.axison for ax in figure.axes if ax in drawn or ax.get_xlabel()) >= names
    both = tm.evaluate([0, 1] * 20, {"a": [0, 1] * 20, "b": [1, 1] * 20}).plot()
    assert both[0].figure.get_size_inches().tolist() == pytest.approx([5.4, 5.0])
