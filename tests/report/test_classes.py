"""The first screen of many classes and of several labels: rates of each, the worst first."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import tallymark as tm
from asymmetric import wilson
from report import pages
from tallymark.report import page, words
from tallymark.report.drawing import Forest
from tallymark.report.pieces import figure, section
from tallymark.report.subjects.classes import classes_chart, confusions, least_found, worst_first
from tallymark.report.subjects.curve_charts import chart_groups, first_chart, parted
from tallymark.report.subjects.decision import decision

#         called:  ant bee cat dog  true
# fmt: off
COUNTS = np.array([[40, 5, 4, 1],   # ant
                   [2, 30, 0, 0],   # bee
                   [9, 0, 10, 6],   # cat
                   [0, 0, 0, 20]])  # dog
# fmt: on
NAMES = ["ant", "bee", "cat", "dog"]
RECALL = {n: (int(COUNTS[i, i]), int(COUNTS[i].sum())) for i, n in enumerate(NAMES)}
PRECISION = {n: (int(COUNTS[i, i]), int(COUNTS[:, i].sum())) for i, n in enumerate(NAMES)}


def judged(counts=COUNTS, names=NAMES, **options):
    true, said = (np.repeat(np.indices(counts.shape)[i].ravel(), counts.ravel()) for i in (0, 1))
    return tm.evaluate(np.array(names)[true], np.array(names)[said], **options)


def many(k, scores=False):
    """Return k classes of 6 rows; class i is right in one row more than class i - 1, up to 6."""
    y = np.repeat(np.arange(k), 6)
    right = np.tile(np.arange(6), k) < np.repeat(np.arange(k) % 7, 6)
    said = np.where(right, y, (y + 1) % k)
    names = np.array([f"c{i:03d}" for i in range(k)])
    if not scores:
        return tm.evaluate(names[y], names[said], classes=list(names))
    p = np.full((len(y), k), 0.3 / k)
    p[np.arange(len(y)), said] += 0.7
    return tm.evaluate(names[y], y_score=p / p.sum(1, keepdims=True), classes=list(names))


def test_each_class_has_its_recall_and_its_precision_with_intervals_the_worst_first():
    chart = classes_chart(judged(), "model")
    f1 = {n: 2 * RECALL[n][0] / (RECALL[n][1] + PRECISION[n][1]) for n in NAMES}
    order = sorted(NAMES, key=f1.__getitem__)
    assert isinstance(chart.drawn, Forest)
    assert (chart.drawn.x.low, chart.drawn.x.high, chart.drawn.together) == (0, 1, 2)
    assert [s.name for s in chart.drawn.rows] == [n for n in order for _ in "rp"]
    for i, name in enumerate(order):
        found, right = chart.drawn.rows[2 * i : 2 * i + 2]
        for span, (hits, of) in ((found, RECALL[name]), (right, PRECISION[name])):
            assert span.value == pytest.approx(hits / of)
            assert (span.low, span.high) == pytest.approx(wilson(hits, of, 1.959963984540054))
            assert span.guess == pytest.approx(RECALL[name][1] / COUNTS.sum())
        assert (found.mark, right.mark) == ("first", "open")
    assert chart.heading == f"The lowest F1 is that of cat: {f1['cat']:.2f}"
    assert chart.numbers.rows[0][:3] == ("cat", "25", "0.40")
    assert chart.words == ""


def test_a_class_without_rows_or_never_called_says_so():
    counts = np.array([[5, 2, 0], [0, 0, 0], [3, 1, 0]])
    rows = classes_chart(judged(counts, NAMES[:3], classes=NAMES[:3]), "model").drawn.rows
    missing = {(s.name, s.mark): s.missing for s in rows if s.missing}
    assert missing == {
        ("bee", "first"): "no class in the truth", ("cat", "open"): "never predicted",
    }  # fmt: skip


@pytest.mark.parametrize("k", [3, 20, 21, 150])
def test_of_many_classes_the_worst_twenty_are_drawn(k):
    ev = many(k)
    chart = classes_chart(ev, "model")
    assert len(chart.drawn.rows) == 2 * min(k, 20)
    assert chart.words == (f"The worst 20 of {k} classes, by F1." if k > 20 else "")
    drawn = [s.value for s in chart.drawn.rows[::2]]
    rest = [ev.per_class(["recall"])["model"][c]["sensitivity"].value
            for c in worst_first(ev, "model")[20:]]  # fmt: skip
    assert max(drawn, default=0) <= min(rest, default=1)
    assert figure(chart).count("<circle") + figure(chart).count('class="none"') >= 2 * min(k, 20)


def test_the_five_largest_confusions_are_counted():
    title, listed = confusions(judged(), "model")
    assert title.text == "Most frequent confusions"
    assert listed.items == [
        "cat was predicted as ant in 9 of 25 rows (36 %)",
        "cat was predicted as dog in 6 of 25 rows (24 %)",
        "ant was predicted as bee in 5 of 50 rows (10 %)",
        "ant was predicted as cat in 4 of 50 rows (8 %)",
        "bee was predicted as ant in 2 of 32 rows (6 %)",
    ]  # fmt: skip
    assert confusions(judged(np.diag([3, 4, 5]), NAMES[:3]), "model") == []


def test_a_class_with_a_number_is_called_a_class():
    # Class 2 is found least, 6 of 10; class 3 has the lowest F1 by its wrong predictions.
    counts = np.array([[50, 0, 8], [0, 6, 4], [1, 0, 4]])
    ev = judged(counts, [1, 2, 3], classes=[1, 2, 3])
    assert [confusions(ev, "model")[1].items[0], least_found(ev, "model")] == [
        "Class 1 was predicted as class 3 in 8 of 58 rows (14 %)",
        "The class found least is 2: 6 of 10 rows; 4 were predicted as class 3.",
    ]
    f1 = 2 * 4 / (5 + 16)
    heading = classes_chart(ev, "model").heading
    assert heading == f"The lowest F1 is that of class 3: {f1:.2f}; class 2 is found least"
    (text,) = (f.text for f in ev.advise().statements if f.rule == "many-classes")
    assert ", and class 2 has the lowest, 0.60 (" in text


def test_the_verdict_names_the_class_that_is_found_least():
    ev = judged()
    low, high = wilson(100, 127, 1.959963984540054)
    result = decision(ev)
    assert result.title == "model names the right class for 79 of 100 rows."
    assert result.lead == (
        f"Accuracy 0.79 (95 % CI {low:.2f} to {high:.2f}). The class found least is cat: 10 of "
        "25 rows; 9 were predicted as ant."
    )
    assert least_found(judged(np.diag([3, 4, 5]), NAMES[:3]), "model") == ""


def test_the_first_screen_has_the_numbers_the_rates_and_the_confusions():
    ev = many(7, scores=True)
    text = page.render(ev)
    start = text.index('<section id="overview"')
    overview = text[start : text.index("</section>", start)]
    tiles = re.findall(r'data-key="models\.0\.values\.(\w+)"', overview)
    assert tiles == ["accuracy", "f1", "matthews_corrcoef", "log_loss"]
    assert overview.count("<svg class=chart") == 1
    assert "data-chart=forest" in overview
    assert overview.count(" was predicted as ") == 5
    assert "<table class=matrix" not in overview
    assert "<details open>\n<summary>Confusion matrix" in text


def test_of_more_than_three_classes_one_curve_has_a_colour_and_the_page_a_picker():
    ev = many(7, scores=True)
    worst = worst_first(ev, "model")
    (group,) = chart_groups(ev)
    assert [s.name for s in group.lines] == worst
    for chart in (*group.curves, *group.more):
        assert (chart.lead, chart.picks) == (0, True)
        assert [name for _, name, _ in chart.legend] == [worst[0]]
        html = figure(chart)
        assert len(re.findall(r'<g class="s\d lead" data-line="0"', html)) >= 1
        assert 'data-line="1" data-name' in html
        assert "6 other classes" in html
    text = page.render(ev)
    (form,) = re.findall(r'<form class="controls" id="class" hidden>.*?</form>', text)
    assert re.findall(r"<option[^>]*>([^<]+)", form) == worst
    assert "figure.led" in text


def test_pages_without_a_picker_carry_nothing_of_it():
    for ev in (pages.binary(), many(3, scores=True), judged()):
        text = page.render(ev)
        assert 'id="class"' not in text
        assert "figure.led" not in text
        assert "data-line" not in text


def test_each_model_has_the_order_of_the_best_one():
    ev = pages.few_classes()
    orders = {tuple(s.name for s in g.lines) for g in chart_groups(ev)}
    assert orders == {tuple(f"class {c}" for c in worst_first(ev, "forest"))}


def test_several_labels_have_a_row_a_label():
    ev = pages.several_labels()
    chart = first_chart(ev)
    f1 = {n: ev.per_class(["f1"])["good"][n]["f1"].value for n in ev.labels}
    order = sorted(f1, key=f1.__getitem__)
    assert [s.name for s in chart.drawn.rows[::2]] == order
    counted = ev.per_class(["TP", "FN", "FP"])["good"]
    for i, name in enumerate(order):
        tp, fn, fp = (counted[name][n].value for n in ("TP", "FN", "FP"))
        found, right = chart.drawn.rows[2 * i : 2 * i + 2]
        assert (found.value, right.value) == (tp / (tp + fn), tp / (tp + fp))
        assert not math.isnan(found.low + right.high)
    assert "<b>sky" not in section([chart])
    assert chart.heading == f"The lowest F1 by good is that of {order[0]}: {f1[order[0]]:.2f}"
    assert confusions(ev, "good") == []


def test_the_numbers_of_several_labels_hold_both_averages():
    ev = pages.several_labels()
    text = page.render(ev)
    start = text.index('<section id="overview"')
    overview = text[start : text.index("</section>", start)]
    tiles = dict(re.findall(r'data-key="models\.0\.([\w.]+)">([^<]+)<', overview))
    counted = ev.per_class(["TP", "FN", "FP"])["good"]
    tp, fn, fp = (sum(of[n].value for of in counted.values()) for n in ("TP", "FN", "FP"))
    assert list(tiles) == [
        "values.subset_accuracy", "values.hamming_loss", "values.f1", "averages.f1.micro",
    ]  # fmt: skip
    assert tiles["averages.f1.micro"] == f"{2 * tp / (2 * tp + fp + fn):.3f}"
    assert "F1 (micro)" in overview


def test_the_verdict_on_labels_is_a_choice_or_how_many_rows_are_right():
    ev = pages.several_labels()
    v = ev.model("good")["subset_accuracy"]
    assert v.value == 0.6
    low, high = (words.percent(b) for b in (v.low, v.high))
    right = "very label is right in 60.0 % of the rows"
    rest = f"95 % CI {low} to {high}; 16.2 % of all labels are wrong. The lowest F1 is that of dog, 0.74."
    one, both = decision(ev.model("good")), decision(ev)
    assert (one.title, one.lead) == (f"E{right}.", rest)
    assert (both.title, both.lead) == ("Use good: it beats poor.", f"good: e{right}. {rest}")


# -- two classes without scores ------------------------------------------------------------------


def two(tp, fp, fn, tn):
    y = np.repeat(["bad", "good", "bad", "good"], [tp, fp, fn, tn])
    said = np.repeat(["bad", "bad", "good", "good"], [tp, fp, fn, tn])
    return tm.evaluate(y, said, positive="bad")


def test_decisions_without_scores_are_drawn_as_areas():
    chart = parted(two(122, 56, 178, 644), "model")[0]
    assert chart.heading == "122 of 300 bad rows found, 56 of 700 good rows called bad"
    rects = re.findall(
        r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="var\(--(\w+)\)',
        figure(chart),
    )
    areas = [float(w) * float(h) for _, _, w, h, _ in rects]
    whole = sum(areas)
    assert [round(1000 * a / whole) for a in areas] == [122, 178, 56, 644]
    assert [colour for *_, colour in rects] == ["good", "bad", "bad", "good"]
    assert all(
        f">called {name}: {n}<" in figure(chart) for name, n in (("bad", 122), ("good", 644))
    )
    text = page.render(two(122, 56, 178, 644))
    overview = text[text.index('<section id="overview"') :]
    assert "area: number of rows" in overview[: overview.index("</section>")]


def test_areas_of_several_models_are_those_of_the_best():
    y = np.repeat([1, 0], 40)
    ev = tm.evaluate(y, {"poor": np.roll(y, 20), "good": np.roll(y, 3)})
    assert parted(ev, "good")[0].heading == (
        "good: 37 of 40 positive rows found, 3 of 40 negative rows called 1"
    )


def test_one_class_alone_fills_the_area_and_a_class_without_rows_has_no_name():
    drawn = figure(parted(two(0, 3, 0, 5), "model")[0])
    assert re.findall(r'x="([\d.]+)" y="14"[^>]*>([^<]+)<', drawn) == [("200", "good")]
    assert set(re.findall(r'<rect [^>]*width="(\d+)" height', drawn)) == {"400"}


# -- what per_class() prints -------------------------------------------------------------------


def bracketed(hits, rows):
    """Return a share with Wilson's bounds, to two digits of their distance, as they are printed."""
    low, high = wilson(hits, rows, 1.959964)
    places = 3 if high - low < 0.1 else 2
    share, low, high = (f"{x:.{places}f}" for x in (hits / rows, low, high))
    return share, f"[{low.removeprefix('0')}, {high.removeprefix('0')}]"


def test_each_class_is_printed_in_a_row_in_the_order_of_the_classes():
    head, *lines, last = str(judged().per_class()).split("\n")
    assert head.split("  ")[0] == "Class"
    assert re.findall(r"\w+ \[95 % CI\]", head) == [
        "Precision [95 % CI]",
        "Recall [95 % CI]",
        "F1 [95 % CI]",
    ]
    for name, line in zip(NAMES, lines, strict=True):
        printed, rows, *numbers = re.findall(r"\[.*?\]|\S+", line)
        assert (printed, int(rows)) == (name, RECALL[name][1])
        assert tuple(numbers[:2]) == bracketed(*PRECISION[name])
        assert tuple(numbers[2:4]) == bracketed(*RECALL[name])
        both = 2 * RECALL[name][0] / (RECALL[name][1] + PRECISION[name][1])
        assert abs(float(numbers[4]) - both) < 0.00501
    listed = len(judged().per_class()["model"]["ant"])
    assert last == f"Not shown: {listed - 3} metrics; .table() has all of them."


@pytest.mark.slow
def test_the_table_of_classes_has_at_most_30_lines_of_80_columns():
    long = [f"a class with a long name {i}" for i in range(60)]
    counts = np.eye(60, dtype=int) * 200_000 + 1
    for ev in (judged(counts, long), many(60), many(26)):
        lines = str(ev.per_class(["f1", "recall", "precision", "mcc"])).split("\n")
        assert len(lines) <= 30
        assert max(map(len, lines)) <= 80
    found = judged(np.eye(60, dtype=int) * 20 + 1, long).per_class(["precision", "recall", "f1"])
    start, end = str(found).split("\n")[1].split("  ")[0].split("…")
    assert long[0].startswith(start)
    assert long[0].endswith(end)
    assert len(str(found).split("\n")[1]) == 80
    assert f"| {long[0]} |" in found.to_markdown()
    assert str(many(60).per_class(["f1"])).split("\n")[-1] == (
        "Not shown: 33 classes; .table() has all of them."
    )
    assert len(str(many(26).per_class(["f1"])).split("\n")) == 27
    y = np.repeat(np.arange(30), 3)
    both = tm.evaluate(y, {"one": y, "other": y[::-1].copy()}).per_class()
    lines = str(both).split("\n")
    assert (lines[0], lines[lines.index("") + 1], len(lines)) == ("one", "other", 28)
    assert lines[-1].startswith("Not shown: 19 classes and ")


def test_a_class_that_is_never_predicted_has_its_reason_below_the_table():
    found = tm.evaluate(["a", "b", "c", "a"], ["a", "b", "b", "a"]).per_class(["precision"])
    assert str(found).split("\n")[1:] == [
        "a         2     1.00 [.34, 1.00]",
        "b         1     0.50  [.09, .91]",
        "c         1        –",
        "– is undefined: no row was predicted positive",
    ]
    assert "<td" in found._repr_html_()
    assert "[.34, 1.00]" in found._repr_html_()


def test_the_counts_of_each_class_are_printed_as_whole_numbers():
    line = str(judged().per_class(["TP", "FN"])).split("\n")[1]
    assert re.sub(r"\[.*?\]", "", line).split() == ["ant", "50", "40", "10"]


def test_the_classes_remain_a_dictionary():
    found = judged().per_class(["recall", "precision"])
    assert isinstance(found, dict)
    assert list(found["model"]) == NAMES
    assert found["model"]["ant"]["sensitivity"].value == 0.8
    assert found.to_dict()["model"]["ant"]["sensitivity"]["value"] == 0.8
    assert (
        found.table().to_dicts()
        == judged().table(["recall", "precision"], per_class=True).to_dicts()
    )
