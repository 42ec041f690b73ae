import itertools
import re
import xml.etree.ElementTree as ET

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import tallymark as tm
from parts.results.test_comparison import demsar, table
from parts.results.test_report import random_table
from tallymark.errors import InputError
from tallymark.parts.results.diagram import rank_diagram

mpl.use("Agg")
SVG = "{http://www.w3.org/2000/svg}"


def groups_of(root):
    return {
        g.get("data-name"): float(g.get("data-rank"))
        for g in root.iter(f"{SVG}g")
        if g.get("data-name")
    }


def test_demsars_diagram():
    c = tm.compare_results(demsar(), level=0.9)
    root = ET.fromstring(c.diagram())
    assert (
        root.find(f"{SVG}title").text == "Mean ranks of 4 classifiers over 14 data sets, 1 the best"
    )
    assert root.find(f"{SVG}desc").text == (
        "Mean ranks: C4.5+m+cf 1.96, C4.5+m 2.00, C4.5+cf 2.89, C4.5 3.14. Nemenyi's critical "
        "difference is 1.12. No significant difference: C4.5+m+cf, C4.5+m, C4.5+cf. No significant difference: C4.5+cf, "
        "C4.5."
    )
    assert not any(e.get("id") for e in root.iter())
    assert groups_of(root) == {"C4.5+m+cf": 1.96, "C4.5+m": 2.0, "C4.5+cf": 2.89, "C4.5": 3.14}
    bars = [p.get("d") for p in root.iter(f"{SVG}path") if p.get("class") == "together"]
    assert len(bars) == 2
    assert any(t.text == "critical difference 1.12" for t in root.iter(f"{SVG}text"))


def test_lines_and_bars_stand_at_their_ranks():
    c = tm.compare_results(demsar(), level=0.9)
    root = ET.fromstring(c.diagram())
    axis = next(p.get("d") for p in root.iter(f"{SVG}path") if p.get("class") == "axis")
    start, end = map(float, re.match(r"M([\d.]+) \d+H([\d.]+)", axis).groups())

    def place(rank):
        return start + (rank - 1) / 3 * (end - start)

    for g in root.iter(f"{SVG}g"):
        if g.get("data-name"):
            x = float(re.match(r"M([\d.]+) ", g.find(f"{SVG}path").get("d"))[1])
            assert x == pytest.approx(place(c.mean_ranks[g.get("data-name")]), abs=0.06)
    bar = next(p.get("d") for p in root.iter(f"{SVG}path") if p.get("class") == "together")
    low, high = map(float, re.match(r"M([\d.]+) \d+H([\d.]+)", bar).groups())
    assert (low + 3, high - 3) == pytest.approx(
        (place(c.mean_ranks["C4.5+m+cf"]), place(c.mean_ranks["C4.5+cf"])), abs=0.06
    )


@pytest.mark.slow
def test_bars_of_one_level_do_not_touch():
    for seed in range(12):
        c = tm.compare_results(random_table(seed, 15, "abcdefghijkl", gap=0.08), draws=10)
        plan = rank_diagram(c)
        assert len(plan.bars) == len(c.groups)
        for i, (low, high, level) in enumerate(plan.bars):
            assert low < high
            for other_low, other_high, other in plan.bars[:i]:
                assert level != other or other_high < low or high < other_low
        rows = [(m.left, m.row) for m in plan.names]
        assert len(set(rows)) == len(rows)


def test_names_are_escaped_and_cut(tmp_path):
    names = ("</svg><script>", "b" * 80, "c")
    c = tm.compare_results(random_table(0, 5, names), draws=10)
    root = ET.fromstring(c.diagram(tmp_path / "d.svg"))
    assert (tmp_path / "d.svg").read_text(encoding="utf-8") == c.diagram()
    assert "</svg><script>" in groups_of(root)
    assert max(len(t.text) for t in root.iter(f"{SVG}text")) < 40


def test_all_told_apart_and_two_classifiers():
    rows = {"dataset": [f"d{i // 2}" for i in range(40)], "model": ["a", "b"] * 20,
            "auc": [0.9, 0.1] * 20}  # fmt: skip
    told = tm.compare_results(rows).diagram()
    assert "All differ significantly." in told
    assert "critical difference" not in told
    assert 'class="together"' not in told


def test_a_control_has_one_bar_and_no_critical_difference():
    c = tm.compare_results(demsar(), control="C4.5")
    told = c.diagram()
    assert told.count('class="together"') == 1
    assert "critical difference" not in told


def test_one_data_set_has_no_ranks():
    said = "a critical-difference diagram is of mean ranks over data sets, and here is only 'd0'"
    c = tm.compare_results(table(datasets=1), "accuracy")
    for call in (c.diagram, lambda: tm.plot.critical_difference(c, ax=Figure().subplots())):
        with pytest.raises(InputError) as refused:
            call()
        assert str(refused.value) == said


# -- matplotlib --------------------------------------------------------------------------------


def test_the_plot_has_the_same_marks_and_bars():
    c = tm.compare_results(demsar(), level=0.9)
    ax = tm.plot.critical_difference(c, ax=Figure().subplots())
    told = {t.get_text() for t in ax.texts}
    assert told == {"C4.5+m+cf 1.96", "C4.5+m 2.00", "2.89 C4.5+cf", "3.14 C4.5",
                    "critical difference 1.12"}  # fmt: skip
    lines = {line.get_label(): line for line in ax.get_lines()}
    bars = [line for name, line in lines.items() if name.startswith("_together")]
    assert len(bars) == 2
    assert lines["_critical difference"].get_xdata()[-1] == pytest.approx(1 + c.critical_difference)
    starts = {
        round(line.get_xdata()[0], 3) for line in ax.get_lines() if len(line.get_xdata()) == 3
    }
    assert starts == {round(r, 3) for r in c.mean_ranks.values()}


def test_the_plot_makes_a_figure_and_refuses_others():
    ax = tm.plot.critical_difference(tm.compare_results(demsar(), control="C4.5"))
    ax.figure.canvas.draw()
    assert "critical difference" not in " ".join(t.get_text() for t in ax.texts)
    plt.close("all")
    with pytest.raises(
        InputError, match="critical_difference takes what compare_results returns, not dict"
    ):
        tm.plot.critical_difference({})


@pytest.mark.parametrize("k", [3, 5, 13, 26])
def test_names_ticks_and_bars_are_laid_out_without_overlap(k):
    c = tm.compare_results(random_table(1, 9, [f"c{i}" for i in range(k)], 0.15), draws=1)
    plan, ranks = rank_diagram(c), list(c.mean_ranks.items())
    half = (k + 1) // 2
    assert [(n.name, n.rank, n.left, n.row) for n in plan.names] == [
        (name, rank, i < half, i if i < half else k - 1 - i) for i, (name, rank) in enumerate(ranks)
    ]
    assert plan.rows == half
    step = next(s for s in range(1, k) if (k - 1) / s <= 12)  # thirteen ticks at most
    assert [*plan.ticks] == [*range(1, k + 1, step)]
    places = dict(ranks)
    assert [(low, high) for low, high, _ in plan.bars] == [
        (min(places[n] for n in g), max(places[n] for n in g)) for g in c.groups
    ]
    for level in range(plan.levels):
        bars = [(low, high) for low, high, at in plan.bars if at == level]
        assert bars
        assert all(a[1] < b[0] for a, b in itertools.pairwise(bars))
    assert plan.label == f"critical difference {c.critical_difference:.2f}"
    assert plan.difference == min(1 + c.critical_difference, k)


def test_the_plot_draws_each_line_from_its_rank_to_its_name():
    c = tm.compare_results(random_table(1, 9, list("abcde"), 0.15), draws=1)
    plan = rank_diagram(c)
    ax = tm.plot.critical_difference(c, ax=Figure().subplots())
    slack = 0.01 * 4
    below = 0.6 + 0.35 * plan.levels
    assert ax.get_xlim() == pytest.approx((1 - 3 * slack, 5 + 3 * slack))
    assert ax.get_ylim() == pytest.approx((-below - plan.rows + 0.5, 1.6))
    assert [*ax.get_xticks()] == list(plan.ticks)
    lines = [line for line in ax.get_lines() if len(line.get_xdata()) == 3]
    for line, n in zip(lines, plan.names, strict=True):
        end = ax.get_xlim()[0 if n.left else 1]
        assert line.get_xdata() == pytest.approx([n.rank, n.rank, end])
        assert line.get_ydata() == pytest.approx([0, -below - n.row, -below - n.row])
    labelled = {line.get_label(): line for line in ax.get_lines()}
    for low, high, level in plan.bars:
        found = [line for name, line in labelled.items() if name.startswith(f"_together-{level}")]
        assert any(
            [*line.get_xdata()] == pytest.approx([low - slack, high + slack])
            and [*line.get_ydata()] == pytest.approx([-0.35 * (level + 1)] * 2)
            for line in found
        )
    scale = labelled["_critical difference"]
    assert [*scale.get_xdata()] == pytest.approx([1, plan.difference])
    assert [*scale.get_ydata()] == pytest.approx([1.35, 1.35])
    text = {t.get_text(): t for t in ax.texts}
    for n in plan.names:
        assert text[n.text].get_ha() == ("right" if n.left else "left")
