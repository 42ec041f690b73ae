"""Tiles, tables, cards and the panel of an evaluation, and the sections of its page."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import tallymark as tm
from asymmetric import (
    FIRST,
    ILL,
    SECOND,
    SITE,
    STEEP,
    TRUTH,
    area,
    brier,
    cells,
    judged,
    mid_p,
    wilson,
)
from tallymark import quantities
from tallymark.metric import METRICS, get
from tallymark.metric.sources import SOURCES
from tallymark.part import names
from tallymark.report import page, words
from tallymark.report.blocks import Folded, Step, Tiles, plain
from tallymark.report.subjects.comparison import leaders_table
from tallymark.report.subjects.decision import decision
from tallymark.report.subjects.evaluation import (
    FAMILIES,
    MORE,
    also_called,
    cited,
    class_tables,
    evaluation_card,
    listed_metrics,
    methods_of,
    metric_families,
    numbers,
    tiles,
)
from tallymark.report.subjects.steps import steps
from tallymark.report.subjects.thresholds import panel_of, reasons_undefined, thresholds

TP, FP, FN, TN = cells(SECOND)
AXES = "Axes: 0 to 1 unless stated; tick: guessing."
BOLD = "Bold: better than guessing, and than every other model beyond chance."


@pytest.fixture(scope="module")
def two():
    return judged(subgroup={"site": SITE})


@pytest.fixture(scope="module")
def one():
    return judged({"second": SECOND})


def test_tiles_show_the_best_models_first_on_one_axis(two):
    shown = tiles(two)
    assert [t.title for t in shown.tiles] == [
        "ROC area", "Sensitivity", "Precision", "Brier score",
    ]  # fmt: skip
    assert [t.lower for t in shown.tiles] == [False, False, False, True]
    assert (shown.axes, shown.more) == (AXES, BOLD)
    recall = shown.tiles[1]
    assert not recall.alone
    of_first = cells(FIRST)
    each = {"second": (TP, 1), "first": (of_first[0], 0)}
    bounds = {n: wilson(hits, 100) for n, (hits, _) in each.items()}
    for figure, (name, (hits, i)) in zip(recall.figures, each.items(), strict=True):
        low, high = bounds[name]
        assert (figure.who, figure.number) == (name, quantities.to_width(hits / 100, low, high)[0])
        assert figure.bounds == f"{quantities.between(low, high)}"
        assert figure.key == f"models.{i}.values.sensitivity"
        drawn = figure.interval
        assert (drawn.value, drawn.low, drawn.high) == pytest.approx((hits / 100, low, high))
        assert (drawn.least, drawn.most) == (0, 1)
        assert figure.style == i
    assert recall.meaning == get("sensitivity").words.meaning
    guesses = [[f.interval.guess for f in t.figures] for t in shown.tiles]
    assert guesses == [[0.5] * 2, [None] * 2, [0.1] * 2, [pytest.approx(0.09)] * 2]
    assert [[f.best for f in t.figures] for t in shown.tiles] == [
        [True, False], [True, False], [True, False], [True, False],
    ]  # fmt: skip


def test_tiles_of_one_model_share_the_axis_from_0_to_1(one):
    shown = tiles(one)
    assert all(t.alone for t in shown.tiles)
    assert (shown.axes, shown.more) == (AXES, "")
    for t in shown.tiles:
        (figure,) = t.figures
        assert (figure.who, figure.style) == ("", None)
        assert (figure.interval.least, figure.interval.most) == (0, 1)
        assert "Axis" not in t.meaning


def test_a_tile_beyond_0_to_1_says_where_its_axis_ends():
    ev = judged({"second": SECOND}, use="marketing")
    lift = tiles(ev).tiles[0]
    (figure,) = lift.figures
    value = ev["top_decile_lift"]
    least, most = figure.interval.least, figure.interval.most
    assert least == 0
    assert value.high <= most <= 1.25 * value.high
    assert figure.interval.guess == 1
    assert lift.meaning.endswith(f" Axis: 0 to {most:.3g}.")


def test_an_axis_reaches_what_guessing_gets():
    y = np.repeat(["a", "b", "c"], 30)
    right = np.tile([0.5, 0.8], 45)[:, None]
    p = np.where(y[:, None] == ["a", "b", "c"], right, (1 - right) / 2)
    loss = tiles(tm.evaluate(y, y_score=p, classes=["a", "b", "c"])).tiles[3]
    (figure,) = loss.figures
    assert figure.interval.guess == pytest.approx(np.log(3))
    assert (figure.interval.least, figure.interval.most) == (0, 1.2)
    assert loss.meaning.endswith(" Axis: 0 to 1.2.")


def test_tiles_of_five_models_show_three():
    ev = judged({"a": FIRST, "b": SECOND, "c": STEEP, "d": SECOND**1.1, "e": FIRST**2})
    shown = tiles(ev)
    assert shown.more == f"{BOLD} 2 more models below."
    areas = {n: v["roc_auc"].value for n, v in ev.values().items()}
    best = sorted(areas, key=lambda n: -areas[n])[:3]
    assert [f.who for f in shown.tiles[0].figures] == best
    four = judged({"a": FIRST, "b": SECOND, "c": STEEP, "d": SECOND**1.1})
    assert tiles(four).more == f"{BOLD} 1 more model below."
    assert tiles(judged({"a": FIRST, "b": SECOND, "c": STEEP})).more == BOLD


def test_the_better_of_two_models_has_no_star_where_guessing_is_as_good():
    far, no_skill, rare = 1 - SECOND, np.full(1000, 0.5), np.full(1000, 0.1)
    names = ["roc_auc", "brier", "log_loss"]

    def stars(**models):
        ev = judged(models)
        of = {t.title: [f.best for f in t.figures] for t in tiles(ev).tiles}
        rows = [[cell.mark for cell in row[1:]] for row in numbers(ev, names).rows]
        return rows, of["ROC area"], of["Brier score"]

    # Guessing has a ROC area of 0.5 and, by the share of 0.1, a Brier score of 0.09.
    assert area(far) < area(no_skill) == 0.5
    assert brier(far) > brier(no_skill) == 0.25
    assert stars(far=far, no_skill=no_skill) == ([["", ""]] * 3, [False] * 2, [False] * 2)
    assert brier(rare) == pytest.approx(0.09)
    assert stars(far=far, rare=rare) == ([["", ""]] * 3, [False] * 2, [False] * 2)
    assert brier(SECOND) < 0.09
    assert stars(far=far, second=SECOND) == ([["", "*"]] * 3, [True, False], [True, False])


def test_tiles_of_decisions_have_their_value_at_the_recommended_threshold(two):
    ev = two.at(cost_fp=1, cost_fn=50)
    to = decision(ev).threshold
    tp, fp, _, _ = cells(SECOND, threshold=to)
    at = f"second at {to:.4g}:"
    expected = {
        "ROC area": "",
        "Sensitivity": f"{at} {words.to_width(tp / 100, *wilson(tp, 100))[0]}",
        "Precision": f"{at} {words.to_width(tp / (tp + fp), *wilson(tp, tp + fp))[0]}",
        "Brier score": "",
    }
    assert {t.title: t.moved for t in tiles(ev).tiles} == expected
    text = page.render(ev)
    assert f'<small class="moved">{expected["Precision"]}</small></h3>' in text
    # The slider has the same counts there.
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
    assert f"{to:.4g}" in data["models"][1]["t"].split()
    one = tiles(judged({"second": SECOND}).at(cost_fp=1, cost_fn=50)).tiles[1]
    assert one.moved == f"at {to:.4g}: {words.to_width(tp / 100, *wilson(tp, 100))[0]}"
    *_, last = plain([Tiles([one])])
    assert last.text == f"Sensitivity, at {to:.4g}: {words.to_width(tp / 100, *wilson(tp, 100))[0]}"
    assert not any(t.moved for t in tiles(two).tiles)


def test_a_table_of_numbers_says_what_its_star_means(two, one):
    grid = numbers(two, ["roc_auc", "brier", "prevalence"])
    assert grid.heads == ("Metric", "first", "second")
    assert grid.caption == (
        "The number, its 80 % interval below it; ★ significantly better than every other model "
        "and better than guessing, each metric by itself."
    )
    assert numbers(one, ["roc_auc"]).caption == "The number, its 80 % interval below it."
    (auc, first, second), (_, low, lower), (_, same, other) = grid.rows
    assert (auc.text, auc.under) == ("ROC area", get("roc_auc").words.meaning)
    assert (first.text, second.text) == (f"{area(FIRST):.3f}", f"{area(SECOND):.3f}")
    assert (first.mark, second.mark, low.mark, lower.mark) == ("", "*", "", "*")
    assert (same.mark, other.mark) == ("", "")
    assert lower.text == f"{brier(SECOND):.4f}"
    assert first.key == "models.0.values.roc_auc"
    assert first.interval.least == second.interval.least == first.interval.low
    assert first.interval.most == second.interval.high


def test_families_of_metrics_hold_each_listed_metric_once(one):
    families = metric_families(one)
    questions = [question for question, _ in families]
    assert questions == [FAMILIES[f][1] for f in ("threshold", "rank", "probability")]
    heads = ("Metric", "second", "How the interval was made")
    titles, methods = [], {"", *(v.method for v in one.values()["second"].values())}
    for (_, grid), family in zip(families, ("threshold", "rank", "probability"), strict=True):
        assert grid.heads == heads
        assert grid.caption == FAMILIES[family][0]
        titles += [row[0].text for row in grid.rows]
        for row in grid.rows:
            assert row[0].note
            assert row[2] in methods
    assert len(titles) == len(set(titles)) > 60
    assert {"Accuracy", "ROC area", "Brier score"} <= set(titles)
    listed = listed_metrics(one)
    assert set(listed) == set(one.values()["second"])
    called = also_called(["sensitivity", "matthews_corrcoef"])
    assert "tpr" in called["sensitivity"].split() or "hit" in called["sensitivity"].split()
    shown = f"sensitivity {get('sensitivity').title} {get('sensitivity').words.formula}".lower()
    assert not set(called["sensitivity"].split()) & set(re.findall("[a-z0-9]+", shown))


def test_methods_and_sources_are_those_of_what_is_shown(two):
    methods = methods_of(two)
    assert "Wilson" in methods
    assert methods == sorted(set(methods))
    assert not any(m.startswith("no interval") for m in methods)
    keys = cited(two, two.advise())
    assert keys == sorted(keys)
    assert set(keys) <= set(SOURCES)
    of_advice = {k for s in two.advise().statements for k in s.sources}
    of_metrics = {k for n in listed_metrics(two) for k in METRICS[n].words.sources}
    assert of_advice | of_metrics <= set(keys)
    assert {t.source for t in two.compare(permutations=0).pairs[0].tests} - {""} <= set(keys)
    assert not (of_advice - of_metrics) & set(cited(judged({"second": SECOND}), None))


def test_classes_have_a_table_a_model():
    y = np.arange(60) % 3
    said = {"a": np.where(np.arange(60) % 7 == 0, (y + 1) % 3, y), "b": y}
    ev = tm.evaluate(
        np.array(list("xyz"))[y], {n: np.array(list("xyz"))[v] for n, v in said.items()}
    )
    (first, grid), (second, other) = class_tables(ev)
    assert (first, second) == ("a", "b")
    assert grid.heads[0] == "Class"
    assert grid.caption == "Metrics of each class"
    assert [row[0] for row in grid.rows] == list("xyz")
    at = grid.heads.index("Sensitivity")
    for i, row in enumerate(grid.rows):
        right = (said["a"] == y)[y == i].mean()
        assert row[at].text == (f"{right:.2f}" if right < 1 else "1.00")
        assert row[at].key == f"models.0.per_class.{i}.values.{at - 1}"
    assert other.rows[0][at].key == f"models.1.per_class.0.values.{at - 1}"
    assert class_tables(tm.evaluate([0, 1], [0, 1])) == []


def test_a_text_of_many_classes_lists_thirty():
    names = [f"c{i:02d}" for i in range(32)]
    text = tm.evaluate(names * 2, names * 2).summary(width=100)
    assert "and 2 more classes: the page lists all" in text
    assert "c29" in text
    assert "\n  c30 " not in text
    of_31 = tm.evaluate(names[:31] * 2, names[:31] * 2).summary(width=100)
    assert "and 1 more class: the page lists all" in of_31


def test_leaders_stand_in_a_table_with_their_next(two):
    line, grid = leaders_table(two)
    assert line.startswith("By site: second leads in north and south (ROC area")
    assert grid.heads == ("site", "Rows", "Leads", "Next", "Lead", "80 % interval", "p, corrected")
    assert grid.left == (0, 2, 3)
    assert grid.caption == "Lead in ROC area; ★ leads every other model beyond chance."
    for i, (row, site) in enumerate(zip(grid.rows, ("north", "south"), strict=True)):
        rows = np.equal(SITE, site)
        lead = area(SECOND[rows], ILL[rows]) - area(FIRST[rows], ILL[rows])
        name, n, leads, after, gap, bounds, p = row
        assert (name, n.text, n.key) == (site, str(rows.sum()), f"leaders.{i}.rows")
        assert (leads.text, leads.mark, leads.style, after) == ("second", "*", "best", "first")
        assert (gap.text, gap.key) == (f"+{lead:.3f}", f"leaders.{i}.lead")
        assert bounds.startswith("+")
        assert p == "< 0.0001" or float(p) < 0.2


def test_a_card_shows_the_verdict_numbers_the_first_curve_and_what_to_do(two):
    (group,) = evaluation_card(two)
    title, lead, about, beside, *found, folded, calls = group.parts
    assert (title.text, title.style) == ("Use second: it beats first.", "title")
    assert lead.text.startswith("second finds 82 of 100 ill rows")
    assert about.text == "arrays  1,000 rows, 10.0 % ill, 2 models"
    assert found == steps(two)
    assert calls.calls == MORE
    grid, chart = beside.parts
    assert [row[0].text for row in grid.rows] == [
        "ROC area", "Sensitivity", "Precision", "Brier score",
    ]  # fmt: skip
    assert chart.legend == ((0, "first", ""), (1, "second", ""))
    assert chart.words == "Shaded: 80 % confidence bands."
    assert chart.keys == ()
    assert not chart.reads
    (matrices,) = folded.blocks
    assert (folded.title, folded.is_open) == ("Matrices", False)
    assert [m.title for m in matrices.parts] == ["first", "second"]
    assert [m.rows[0][1].text for m in matrices.parts] == ["55", "82"]
    assert matrices.parts[1].rows[0][1].key == "models.1.tally.counts.0.0"
    (group,) = evaluation_card(judged({"second": SECOND}))
    _, chart = group.parts[3].parts
    assert chart.words == ""
    assert len(chart.keys) == 2


def test_a_card_of_a_warned_evaluation_counts_what_it_leaves_out():
    few = np.r_[0:12, 100:1000]
    scores = {"m": 1 - FIRST[few], "n": np.zeros(len(few)), "o": np.where(ILL[few], 0.0, 0.4)}
    ev = tm.evaluate(TRUTH[few], y_score=scores, positive="ill")
    (group,) = evaluation_card(ev)
    shown = [part.text for part in group.parts if isinstance(part, Step) and part.tag == "check"]
    rules = {n.rule for n in ev.notes if n.severity == "warning"}
    assert len(rules) > 4
    assert shown[-1] == f"{len(rules) - len(shown) + 1} more warnings: print(ev) shows all"


def test_the_panel_begins_at_the_decisions_of_a_model(one):
    panel = panel_of(one, one.models[0])
    assert (panel["positive"], panel["labels"]) == ("ill", ["ill", "well"])
    assert panel["matrix"] == [
        ("ill", [("tp", "g2", "82", "true positives"), ("fn", "b2", "18", "false negatives")]),
        ("well", [("fp", "b2", "21", "false positives"), ("tn", "g2", "879", "true negatives")]),
    ]
    shown = {name: (title, cell.text) for name, title, cell in panel["rows"]}
    assert shown["precision"] == ("Precision", f"{TP / (TP + FP):.2f}")
    assert shown["accuracy"] == ("Accuracy", f"{(TP + TN) / 1000:.3f}")
    assert panel_of(one, None) is None
    alone = tm.evaluate([1, 1], y_score=[0.2, 0.7], classes=[0, 1])
    assert panel_of(alone, alone.models[0]) is None
    reasons = reasons_undefined()
    assert "no row was predicted positive" in reasons["precision"]
    assert "sensitivity" not in reasons
    assert "specificity" not in reasons


def test_thresholds_worth_knowing_have_a_row_a_goal(one):
    grid = thresholds(one)
    assert grid.heads == (
        "Model", "What it is best at", "Threshold", "On these rows",
        "Expected on new rows (80 % interval)",
    )  # fmt: skip
    assert (grid.caption, grid.look) == ("Thresholds worth knowing", "chosen")
    rows = {row[1]: row for row in grid.rows if row[1]}
    assert {row[0] for row in grid.rows} <= {"second", ""}
    best = one.optimal_threshold("youden_j")
    tp, fp, _, _ = cells(SECOND, threshold=0.37)
    name = next(goal for goal in rows if "Youden" in goal)
    new = best.best.corrected
    assert rows[name][2] == "0.37"
    assert rows[name][3] == f"{tp / 100 - fp / 900:.3f}"
    assert (
        rows[name][4]
        == f"{quantities.to_width(new.value, new.low, new.high)[0]} ({quantities.between(new.low, new.high)})"
    )


# -- the sections of a page ----------------------------------------------------------------------

Y3 = np.arange(90) % 3
ALWAYS = ["Overview", "All metrics", "Method"]
CURVES = ["Threshold and cost", "Calibration", "Curves"]
PAGES = {
    "two models": (lambda: judged(), ["Checks", "Compare", *CURVES]),
    "decisions": (lambda: tm.evaluate([0, 1, 1, 0, 1] * 9, [0, 1, 0, 0, 1] * 9), ["Checks"]),
    "three classes": (
        lambda: tm.evaluate(Y3, np.roll(Y3, 1)),
        ["Checks", "Decisions", "Classes"],
    ),
    "a test": (
        lambda: judged({"second": SECOND}, use="medicine"),
        ["Checks", "As a diagnostic test", *CURVES],
    ),
    "subgroups and folds": (
        lambda: judged({"second": SECOND}, subgroup={"site": SITE}, fold=np.arange(1000) % 5),
        ["Checks", *CURVES, "Subgroups", "Folds"],
    ),
    "several labels": (
        lambda: tm.evaluate(
            np.eye(3, dtype=int)[Y3], np.eye(3, dtype=int)[np.roll(Y3, 1)], classes=[0, 1, 2]
        ),
        ["Labels"],
    ),
}


@pytest.mark.slow
def test_a_page_has_the_sections_of_what_there_is_and_links_each():
    for name, (make, sections) in PAGES.items():
        text = page.render(make())
        nav = re.search(r"<nav.*?</nav>", text, re.S)[0]
        links = re.findall(r'href="?#([\w-]+)"?[^>]*>([^<]*)<', nav)
        own = [title for anchor, title in links if anchor not in names("panels")]
        assert own == ["Overview", *sections, *ALWAYS[1:]], name
        assert [key for key, _ in links] == re.findall(r'<section id="?([\w-]+)', text), name
        data = json.loads(re.search(r'id="?data"?[^>]*>(.*?)</script>', text, re.S)[1])
        assert data["kept"] == ["sensitivity", "specificity"], name
        assert data["profit"] is False
        assert bool(data["models"]) == ("Threshold and cost" in sections), name
        assert "<" not in json.dumps(data["also"])


def test_a_page_of_decisions_says_how_much_better_than_guessing_they_are():
    y, said = [0, 1, 1, 0, 1] * 9, [0, 1, 0, 0, 1] * 9
    ev = tm.evaluate(y, said)
    text = " ".join(re.sub(r"<[^>]+>", " ", page.render(ev)).split())
    p = mid_p(18, 9)
    assert "Right in 80.0 % of the rows; always saying “1”: 60.0 %." in text
    assert f"accuracy above guessing: model, p = {p:.3g}." in text
    assert words.text(ev.source.name) in text


def test_a_card_has_at_most_three_matrices_of_at_most_ten_classes():
    y = np.arange(60) % 2
    said = {n: np.roll(y, i // 3) for i, n in enumerate("abcd")}
    (group,) = evaluation_card(tm.evaluate(y, said))
    (folded,) = (part for part in group.parts if isinstance(part, Folded))
    assert [m.title for m in folded.blocks[0].parts] == ["a", "b", "c"]
    for k, many in ((10, 1), (11, 0)):
        y = np.arange(5 * k) % k
        (group,) = evaluation_card(tm.evaluate(y, np.roll(y, 1)))
        assert sum(isinstance(part, Folded) for part in group.parts) == many


def test_the_first_chart_of_a_card_has_no_table_and_counts_further_classes():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 22
    p = rng.dirichlet(np.ones(22), 300) + np.eye(22)[y]
    ev = tm.evaluate(y, y_score=p / p.sum(1, keepdims=True))
    (group,) = evaluation_card(ev)
    chart = group.parts[3].parts[1]
    assert chart.words == "The worst 20 of 22 classes, by F1."
    assert chart.numbers.rows == ()
    assert len(chart.drawn.rows) == 40
    assert (chart.error, chart.reads) == (0, False)


def test_a_page_shows_the_matrix_of_the_best_model_beside_the_first_chart():
    text = page.render(judged())
    start = re.search('<section id="?overview', text).start()
    overview = text[start : text.index("</section>", start)]
    assert "55<small>55.0 %" not in overview
    assert "82<small>82.0 %" in overview
    rest = text[text.index(overview) + len(overview) :]
    assert "55<small>55.0 %" in rest
    assert "82<small>82.0 %" not in rest


def test_several_labels_are_printed_with_their_averages_indented():
    y = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]] * 10)
    ev = tm.evaluate(y, np.roll(y, 1, 0), classes=["x", "y", "z"])
    lines = ev.summary(width=200).splitlines()
    (said,) = (line for line in lines if "macro: mean over labels." in line)
    assert said.startswith("  macro: ")
    (heads,) = (line for line in lines if line.split()[:2] == ["label", "rows"])
    assert heads.startswith("  label")
    rows = {
        line.split()[0]: line.split()[1]
        for line in lines
        if line.split()[:1] in (["x"], ["y"], ["z"])
    }
    assert rows == {c: str(n) for c, n in zip("xyz", y.sum(0), strict=True)}
    assert not any("no-information" in line for line in lines)


def test_a_summary_of_several_models_says_what_is_undefined_and_for_whom():
    y = [1, 1, 0, 0] * 10
    ev = tm.evaluate(y, {"never": [0] * 40, "some": [1, 0, 0, 0] * 10})
    lines = ev.summary(width=200).splitlines()
    assert (
        "* significantly better than every other model and better than guessing, each metric by itself; 95 % interval below each number"
        in lines
    )
    assert any(
        line.startswith("Precision of never") and line.endswith("no row was predicted positive")
        for line in lines
    )
    (rate,) = (line for line in lines if "no-information rate" in line)
    p = mid_p(10, 0)
    assert rate.startswith("no-information rate 0.500 (always saying ")
    assert f"accuracy above it: never p = {mid_p(0, 0):.3g}, some p = {p:.3g}, one-sided" in rate


def test_subgroups_and_folds_are_at_the_stated_costs_and_budget():
    rng = np.random.default_rng(0)
    n = 600
    y, fold, where = rng.integers(0, 2, n), np.arange(n) % 5, np.array(["a", "b"])[np.arange(n) % 2]
    p = np.clip(0.5 * y + rng.normal(0.25, 0.2, n), 0, 1)
    ev = tm.evaluate(y, y_score=p, subgroup={"where": where}, fold=fold)

    def cost(kept):
        false = (p >= 0.5) & (y == 0)
        missed = (p < 0.5) & (y == 1)
        return (2 * false[kept].sum() + 5 * missed[kept].sum()) / kept.sum()

    costly = ev.at(cost_fp=2, cost_fn=5)
    by, every = costly.by("where"), np.ones(n, bool)
    values = by.values(["expected_cost"])
    for name in "ab":
        assert values[name]["expected_cost"].value == pytest.approx(cost(where == name))
    gap = by.differences("expected_cost")[0].difference.value
    assert gap == pytest.approx(cost(where == "a") - cost(where == "b"))
    folds = costly.folds(["expected_cost"])["expected_cost"]
    of_folds = [cost(fold == k) for k in range(5)]
    assert [v.value for v in folds.folds.values()] == pytest.approx(of_folds)
    assert folds.pooled.value == costly["expected_cost"].value == pytest.approx(cost(every))
    assert folds.mean.value == pytest.approx(np.mean(of_folds))
    plain = ev.folds(["expected_cost"])["expected_cost"].pooled
    assert plain.value == pytest.approx(((p >= 0.5) != y).mean())

    sent = tm.evaluate(y, y_score=p, subgroup={"where": where}, use="marketing").at(budget=0.2)
    gain = sent.by("where").values(["gain_at"])["a"]["gain_at"].value
    best = np.argsort(-p[where == "a"])[:60]
    assert gain == pytest.approx(y[where == "a"][best].sum() / y[where == "a"].sum())
