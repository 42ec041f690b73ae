"""Sections of a use, of subgroups and of a paper: every cell, computed apart where it can be."""

from __future__ import annotations

import math
import re
from dataclasses import fields

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import t

import tallymark as tm
from asymmetric import FIRST, ILL, LEVEL, MODELS, SECOND, SITE, TRUTH, area, brier, cells, wilson
from tallymark import quantities
from tallymark.cli import main
from tallymark.display import text as shown_text
from tallymark.findings.advice import SECTIONS
from tallymark.infer.heterogeneity import Heterogeneity
from tallymark.metric.measure import Value
from tallymark.report import words
from tallymark.report.blocks import Paragraph
from tallymark.report.drawing import Nomogram
from tallymark.report.pieces import section
from tallymark.report.subjects.advice import folded_advice
from tallymark.report.subjects.distributions import distributions
from tallymark.report.subjects.in_use import ERRATA_TITLE, in_use
from tallymark.report.subjects.labels import averages
from tallymark.report.subjects.rows import forest
from tallymark.report.subjects.subgroups import (
    heterogeneity_sentence,
    of_studies,
    studies_chart,
    subgroups,
    worst_table,
)
from tallymark.report.terminal import as_text

TP, FP, FN, TN = (int(n) for n in cells(SECOND))
WARD = np.where(np.arange(1000) % 50 == 3, "small", np.where(np.arange(1000) % 2, "x", "y"))


def judged(**options):
    return tm.evaluate(TRUTH, y_score=MODELS, positive="ill", level=LEVEL, **options)


def told(row):
    """Return the cells of a row: texts, and the text, bounds and key of those with more."""
    return [(c.text, c.under, c.key) if hasattr(c, "key") and c.key else getattr(c, "text", c)
            for c in row]  # fmt: skip


def share(hits, rows, metric):
    """Return the cell of a share of rows of the second model."""
    low, high = wilson(hits, rows)
    number, *ends = words.to_width(hits / rows, low, high)
    return number, " to ".join(ends), f"models.1.values.{metric}"


def value(ev, metric):
    """Return the cell of a metric of the second model."""
    v = ev.values()["second"][metric]
    digits = 0 if v.value >= 10 else len(words.value(v)) - 2
    return (
        f"{v.value:.{digits}f}",
        f"{v.low:.{digits}f} to {v.high:.{digits}f}",
        f"models.1.values.{metric}",
    )


def key(true, said):
    return f"models.1.tally.counts.{true}.{said}"


def test_a_diagnostic_test_has_both_tables_and_its_nomogram():
    ev = judged(use="medicine")
    s = in_use(ev)
    cross, accuracy = s.tables
    assert (s.title, cross.caption) == ("As a diagnostic test", "Index test by reference standard")
    assert cross.heads == ("", "ill", "well", "total")
    assert [told(row) for row in cross.rows] == [
        ["test positive", (str(TP), "", key(0, 0)), (str(FP), "", key(1, 0)), str(TP + FP)],
        ["test negative", (str(FN), "", key(0, 1)), (str(TN), "", key(1, 1)), str(FN + TN)],
        ["total", "100", "900", "1,000"],
    ]
    assert accuracy.heads == ("Accuracy of the test", "Rows", "Value, 80 % interval")
    shares = {
        "Sensitivity": (TP, 100, "sensitivity"), "Specificity": (TN, 900, "specificity"),
        "Positive predictive value (PPV)": (TP, TP + FP, "precision"),
        "Negative predictive value (NPV)": (TN, TN + FN, "negative_predictive_value"),
        "Prevalence": (100, 1000, "prevalence"),
    }  # fmt: skip
    rows = {row[0]: told(row)[1:] for row in accuracy.rows}
    assert list(rows)[4:6] == ["Positive likelihood ratio", "Negative likelihood ratio"]
    for title, (hits, of, metric) in shares.items():
        assert rows[title] == [f"{hits:,} / {of:,}", share(hits, of, metric)]
    for side in ("positive", "negative"):
        metric = f"{side}_likelihood_ratio"
        assert rows[f"{side.capitalize()} likelihood ratio"] == ["", value(ev, metric)]
    (chart,) = s.charts
    up, down = (TP / 100) / (FP / 900), (FN / 100) / (TN / 900)
    assert chart.drawn == Nomogram(
        0.1, [("positive", pytest.approx(up)), ("negative", pytest.approx(down))]
    )
    assert chart.words.endswith(f": {chart.description}")


def test_a_probability_beyond_the_axes_of_the_nomogram_is_said_to_be():
    ev = judged(use="medicine")
    beyond = " What is below 0.0001 % or above 99.9999 % is drawn at the end of the axis."
    assert not in_use(ev).charts[0].words.endswith(beyond)
    assert not in_use(ev.at(prevalence=1e-4)).charts[0].words.endswith(beyond)
    assert in_use(ev.at(prevalence=1e-7)).charts[0].words.endswith(beyond)


def test_a_test_with_one_result_has_one_probability_after_it():
    y, said = [1] * 10 + [0] * 30, [1] * 6 + [0] * 4 + [0] * 30
    s = in_use(tm.evaluate(y, said, use="medicine"))
    assert s.sentence == (
        "At a prevalence of 25 %, the probability of 1 is 100 % after a positive result and 11.8 % "
        "after a negative result."
    )
    (chart,) = s.charts
    assert [name for name, _ in chart.drawn.results] == ["negative"]
    assert chart.words.endswith(
        ", from 25 % to 11.8 %. A positive result has no line: the post-test probability is 100 %."
    )
    never = in_use(tm.evaluate(y, [0] * 40, use="medicine"))
    assert never.sentence == (
        "At a prevalence of 25 %, the probability of 1 is 25 % after a negative result."
    )
    assert [name for name, _ in never.charts[0].drawn.results] == ["negative"]


def test_a_campaign_has_a_row_a_tenth():
    s = in_use(judged(use="marketing"))
    (grid,) = s.tables
    assert grid.heads == (
        "Tenth", "rows", "responses", "response rate", "80 % interval", "lift", "responses so far",
    )  # fmt: skip
    found = 0.0
    for i, row in enumerate(grid.rows):
        tenth, cases, responses, rate, bounds, lift, so_far = told(row)
        assert (tenth, cases) == (str(i + 1), "100")
        text, _, where = rate
        assert where == f"models.1.curves.deciles.y.{i}"
        hits = float(responses)
        found += hits
        assert float(text.split()[0]) == pytest.approx(hits, abs=0.06)
        assert float(lift) == pytest.approx(hits / 10, abs=0.006)
        assert float(so_far.split()[0]) == pytest.approx(found, abs=0.4)
        low, high = (float(b.split()[0]) / 100 for b in bounds.split(" to "))
        assert (low, high) == pytest.approx(wilson(hits, 100), abs=0.006)
    assert found == pytest.approx(100, abs=0.2)
    assert in_use(tm.evaluate([1, 0] * 9, [1, 0] * 9, use="marketing")) is None
    worst = in_use(
        tm.evaluate(np.arange(100) >= 50, y_score=1 - np.arange(100) / 100, use="marketing")
    )
    assert worst.sentence == "Nobody of the 10 % that model scores highest responds."


def test_defects_have_their_metrics_with_formulas():
    ev = judged(use="defects")
    s = in_use(ev)
    (grid,) = s.tables
    assert grid.heads == ("Metric", "Formula", "Value, 80 % interval")
    away = math.hypot(FN / 100, FP / 900)
    assert s.sentence == (
        f"second is {away:.3f} away from the ideal point (pf 0, pd 1). Its balance is 1 less that "
        f"distance over √2: {1 - away / 2**0.5:.3f}."
    )
    assert [told(row) for row in grid.rows] == [
        ["Probability of detection (pd)", "TP / (TP + FN)", share(TP, 100, "sensitivity")],
        ["Probability of false alarm (pf)", "FP / (FP + TN)", share(FP, 900, "false_positive_rate")],
        ["Balance", "1 - √((pf² + (1 - pd)²) / 2)", value(ev, "balance")],
        ["G-mean (G)", "K-th root of the product of the shares found; √(TPR · TNR)",
         value(ev, "geometric_mean")],
        ["Youden's J (J)", "TPR + TNR - 1", value(ev, "youden_j")],
        ["Precision", "TP / (TP + FP)", share(TP, TP + FP, "precision")],
    ]  # fmt: skip


def test_a_lesson_inserts_the_counts_and_lists_every_fifth_threshold():
    ev = judged(use="teaching")
    s = in_use(ev, as_printed=True)
    (grid,) = s.tables
    assert grid.heads == ("Metric", "Formula", "With these rows", "Value, 80 % interval")
    rows = [told(row) for row in grid.rows]
    assert len(rows) == 14
    counts = {"TP": TP, "FP": FP, "FN": FN, "TN": TN}
    for title, formula, filled, (text, *_) in rows:
        worked = formula.replace("·", "*").replace("√", "math.sqrt")
        exact, digits = eval(worked, {"math": math}, counts), len(text.partition(".")[2])
        assert abs(exact - float(text)) <= 0.5001 / 10**digits, title
        ours = filled.replace("·", "*").replace("√", "math.sqrt")
        assert eval(ours, {"math": math}) == eval(worked, {"math": math}, counts), title
    assert rows[11][0] == "Cohen's kappa (substantial, as Landis and Koch call it)"
    thresholds, errata = s.folded["The counts and rates at each threshold"], s.folded[ERRATA_TITLE]
    assert thresholds.caption == (
        "20 of 98 thresholds; rows at or above it are called positive. tallymark thresholds prints "
        "all."
    )
    cuts = [np.inf, *np.unique(SECOND)[::-1]][::5]
    for row, cut in zip(thresholds.rows, cuts, strict=True):
        tp, fp, fn, tn = (str(int(n)) for n in cells(SECOND, threshold=cut))
        assert row[:5] == [f"{cut:.4g}", tp, fn, tn, fp]
    assert errata.heads == ("Metric", "As printed", "gives", "right", "What is wrong")
    for (title, printed, gives, right, wrong), (metric, as_printed, true) in zip(
        errata.rows, [
            ("Matthews correlation", None, None), ("Precision", TP / (TP + FN), TP / (TP + FP)),
            ("F1", 2 * TP / (2 * TP + 2 * FN), 2 * TP / (2 * TP + FP + FN)), ("Cohen's kappa", None, None),
            ("F1", 1 / (FP * FN), 2 * TP / (2 * TP + FP + FN)), ("Balance", None, None),
        ], strict=True,
    ):  # fmt: skip
        assert title == metric
        assert printed.text
        assert printed.under
        assert wrong.endswith(".")
        if as_printed is not None:
            assert (float(gives), float(right)) == pytest.approx((as_printed, true), rel=2e-3)
    few = in_use(tm.evaluate([1, 0, 1, 0], y_score=[0.9, 0.2, 0.4, 0.5], use="teaching"))
    (every,) = few.folded.values()
    assert every.caption.startswith("Every threshold; rows at or above it")
    assert len(every.rows) == 5
    assert ERRATA_TITLE not in few.folded


def test_what_has_no_use_has_no_section():
    assert in_use(judged()) is None
    assert in_use(judged(), as_printed=True).title == "Worked by hand"
    assert in_use(tm.evaluate([0, 1, 2] * 9, [0, 1, 2] * 9, use="teaching")) is None
    assert in_use(tm.evaluate([1, 1], [1, 0], classes=[0, 1], use="teaching")) is None


# -- subgroups ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def parted():
    return judged(subgroup={"site": SITE, "ward": WARD})


def test_the_worst_subgroups_come_first_and_the_small_ones_last(parted):
    s = parted.model("second").by("ward")
    name, notes, grid = worst_table(s, place="here.")
    assert name == "second"
    assert grid.heads == (
        "ward", "Rows", "ROC area", "Sensitivity at 0.5", "Specificity at 0.5",
    )  # fmt: skip
    wards = ("small", "x", "y")
    areas = {w: area(SECOND[w == WARD], ILL[w == WARD]) for w in wards}
    found = {w: (SECOND[(w == WARD) & ILL] >= 0.5).mean() for w in wards}
    spared = {w: (SECOND[(w == WARD) & ~ILL] < 0.5).mean() for w in wards}
    rows = [told(row) for row in grid.rows]
    assert [r[0] for r in rows] == ["x", "y", "small"]
    places = {key: i for i, key in enumerate(("y", "x", "small"))}  # by ROC area, as in the JSON
    metrics = ("roc_auc", "sensitivity", "specificity")
    for (ward, (n, _, of_rows), *shown), row in zip(rows, grid.rows, strict=True):
        where = f"here.subgroups.{places[ward]}"
        assert (n, of_rows) == (str((ward == WARD).sum()), f"{where}.rows")
        for (text, bounds, key), metric, of in zip(
            shown, metrics, (areas, found, spared), strict=True
        ):
            assert text == f"{of[ward]:.{len(text) - 2}f}"
            assert bounds.count(" to ") == 1
            assert key == f"{where}.values.{metric}"
        assert row[2].note == ""
        assert [c.note.startswith("not tested") for c in row[3:]] == [ward == "small"] * 2
        assert all(re.fullmatch(r"p [=<] [0-9.]+|not tested", c.note) for c in row[3:])
        assert [c.mark for c in row[2:]] == ["*" if ward == "small" else ""] * 3
    assert {c.interval for row in grid.rows for c in row[2:]} == {None}
    assert grid.caption == (
        "By ward, the worst first. Each p-value is that of the difference from the rest, corrected "
        "for all tests."
    )
    assert notes[0] == (
        "No subgroup is shown to differ from the rest in sensitivity or specificity at 0.5 (level "
        "0.8, corrected for 4 tests)."
    )
    of_class = [int((ILL[WARD == "small"] == ill).sum()) for ill in (True, False)]
    assert max(of_class) < 30
    assert notes[1:3] == [
        "1 not tested in sensitivity: fewer than 30 positives.",
        "1 not tested in specificity: fewer than 30 negatives.",
    ]
    _, shorter, short = worst_table(s, most=1)
    assert len(short.rows) == 1
    assert "The 1 worst are shown; 0 of the 2 others differ from the rest." in shorter


def test_one_metric_is_drawn_and_subgroups_that_differ_are_marked_in_their_table():
    ev = judged(use="ranking", subgroup={"site": SITE}).model("first")
    s = ev.by("site")
    assert repr(s) == "<Subgroups: 2 subgroups of first by site, 1,000 rows>"
    _, notes, grid = worst_table(s)
    flagged = [d.key for d in s.flags("roc_auc")]
    number = (
        "2 of 2 subgroups tested differ from" if flagged else "No subgroup is shown to differ from"
    )
    assert notes[0] == f"{number} the rest in ROC area (level 0.8, one test)."
    ends = [
        x for v in s.values(["roc_auc"]).values() for x in (v["roc_auc"].low, v["roc_auc"].high)
    ]
    assert grid.heads == ("site", "Rows", "ROC area")
    for name, rows, cell in grid.rows:
        at = s.keys.index(name)
        assert cell.note.startswith("differs, p ") == (name in flagged)
        assert (cell.interval.least, cell.interval.most) == (min(ends), max(ends))
        assert cell.key == f"subgroups.{at}.values.roc_auc"
        assert rows.key == f"subgroups.{at}.rows"
    bars = f"bars from {min(ends):.3f} to {max(ends):.3f}"
    assert grid.caption.startswith(f"By site, the worst first; {bars}. Each p-value")


def test_one_subgroup_has_nothing_to_be_compared_with():
    ev = tm.evaluate([1, 0] * 20, [1, 0] * 20, subgroup={"at": ["x"] * 40})
    assert "There is only one subgroup, so there is nothing to compare it with." in str(ev.by("at"))


def test_of_many_subgroups_forty_are_listed():
    y = np.tile([1, 0], 42 * 20)
    ev = tm.evaluate(y, y, subgroup={"at": np.repeat(np.arange(42), 40)})
    lines = str(ev.by("at")).splitlines()
    assert "and 2 more subgroups: .table() has all of them" in lines
    few = tm.evaluate([1, 0] * 20, [1, 0] * 20, subgroup={"at": np.arange(40) // 10})
    told = as_text([*subgroups(few.by("at"), ["accuracy"])])
    assert "No subgroup has 30 rows, so none is called the worst." in told


# -- studies -----------------------------------------------------------------------------------


def studies(**more):
    given = {
        "metric": "sensitivity", "studies": 5, "level": 0.8,
        "mean": Value("sensitivity", 0.75, 0.625, 0.875, level=0.8, method="by a model"),
        "predicted": (0.5, 0.875), "pooled": Value("sensitivity", 0.7, 0.65, 0.75, level=0.8),
        "i2": 0.4, "i2_bounds": (0.1, 0.7), "tau2": 0.25, "tau2_bounds": (0.125, 0.5), "q": 9.5,
        "p_value": 0.05, "corrected": 0,
    }  # fmt: skip
    names = {f.name for f in fields(Heterogeneity)}
    return Heterogeneity(**{k: v for k, v in (given | more).items() if k in names})


def test_means_over_studies_are_said_in_whole():
    start = "Sensitivity: mean over 5 studies 0.75 (80 % CI 0.62 to 0.88)."
    new = " A new study is expected between 0.50 and 0.88."
    assert heterogeneity_sentence(studies()) == (
        f"{start}{new} Studies differ by more than chance (I² 40 %, p = 0.05)."
    )
    alike = studies(p_value=0.25, predicted=(math.nan, math.nan))
    assert heterogeneity_sentence(alike) == (
        f"{start} Differences between studies may be chance (I² 40 %, p = 0.25)."
    )
    assert of_studies([studies()]) == ["By a model"]
    other = studies(metric="specificity", corrected=2)
    notes = of_studies([studies(), other])
    assert notes[:2] == [
        "By a model", "Half a row was added to both counts of 2 of 5 studies with a 0 (specificity).",
    ]  # fmt: skip
    assert notes[2].startswith("Sensitivity and specificity are modelled one by one.")


def test_a_forest_plot_has_each_study_their_mean_and_a_new_study():
    hits, rows = (9, 30, 20), (12, 50, 40)
    y, called = np.ones(sum(rows), int), np.concatenate(
        [np.arange(n) < k for k, n in zip(hits, rows, strict=True)]
    )  # fmt: skip
    site = np.repeat(["east", "north", "south"], rows)
    s = tm.evaluate(
        np.append(y, [0, 0, 0]), np.append(called, [0, 0, 0]), level=0.8,
        subgroup={"site": np.append(site, ["east", "north", "south"])},
    ).by("site")  # fmt: skip
    h = s.heterogeneity("sensitivity")
    c = studies_chart(s, h, "study0")
    names = ["east", "north", "south"]
    assert [(v.name, v.mark, v.value) for v in c.drawn.rows] == [
        *((name, "first", k / n) for name, k, n in zip(names, hits, rows, strict=True)),
        ("Mean", "second", h.mean.value), ("A new study", "open", h.mean.value),
    ]  # fmt: skip
    assert [(m.form, m.style, m.meaning) for m in c.marks] == [
        ("first", 0, "a study"), ("second", 1, "mean over studies"),
        ("open", 0, "expected of a new study"),
    ]  # fmt: skip
    assert c.numbers.heads == ("Study", "Sensitivity", "80 % interval", "rows")
    low, high = wilson(9, 12)
    assert c.numbers.rows[0] == ("east", "0.75", f"{low:.2f} to {high:.2f}", "13")


# -- a paper -----------------------------------------------------------------------------------


def test_a_table_of_a_paper_is_rounded_and_says_how_it_was_made():
    paper = judged().paper_table()
    first, second = paper.rows
    assert list(first) == [
        "Model", "Events / n", "ROC area", "Sensitivity", "Specificity", "Precision",
        "F1", "Brier score",
    ]  # fmt: skip
    assert second["Events / n"] == "100 / 1,000"
    low, high = wilson(TP, 100)
    assert (
        second["Sensitivity"]
        == f"{quantities.to_width(TP / 100, low, high)[0]} ({quantities.between(low, high)})"
    )
    low, high = wilson(cells(FIRST)[0], 100)
    assert first["Sensitivity"] == f"{cells(FIRST)[0] / 100:.2f} ({low:.2f} to {high:.2f})"
    assert second["Brier score"].startswith(f"{brier(SECOND):.4f} (")
    assert paper.caption == (
        "Values with 80 % confidence intervals. Events are rows of class 'ill'. Decisions: first, "
        "second: scores at or above 0.5. Interval methods: DeLong, beta posterior: ROC "
        "area; Wilson: Sensitivity, Specificity, Precision; jackknife, Student's t: F1, Brier "
        "score."
    )
    named = judged().paper_table(["accuracy", "log_loss"])
    assert list(named.rows[0])[2:] == ["Accuracy", "Log loss"]
    with pytest.raises(
        tm.InputError, match="p_opt cannot be computed from these predictions; leave"
    ):
        judged().paper_table(["p_opt"])


# -- folds, readings, labels and rows of a forest ----------------------------------------------


def test_folds_stand_in_a_table_with_all_rows_and_their_mean():
    fold = np.arange(1000) % 4
    ev = judged(fold=fold)
    f = ev.folds(["accuracy"])
    lines = [" ".join(line.split()) for line in shown_text(f, width=120).splitlines()]
    right = {n: (s >= 0.5) == ILL for n, s in MODELS.items()}
    at = lines.index("second by fold")
    low, high = wilson(right["second"].sum(), 1000)
    each = [right["second"][fold == k].mean() for k in range(4)]
    assert lines[at + 1] == "fold rows accuracy"
    assert lines[at + 2 : at + 6] == [f"{k} 250 {v:.3f}" for k, v in enumerate(each)]
    assert lines[at + 6] == f"all rows 1,000 {right['second'].mean():.3f}"
    assert lines[at + 7] == f"{quantities.between(low, high)}"
    spread = t.ppf(0.5 + LEVEL / 2, 3) * (np.var(each, ddof=1) * (1 / 4 + 1 / 3)) ** 0.5
    assert 0.001 < 2 * spread < 0.01  # two digits of the width
    assert lines[at + 8] == f"mean of folds {np.mean(each):.4f}"
    assert lines[at + 9] == f"{np.mean(each) - spread:.4f} to {np.mean(each) + spread:.4f}"
    said = " ".join(lines)
    assert repr(f) == "<Folds: 4 folds by fold of first, second>"
    assert "with test rows / training rows = 0.333, which allows for other training sets." in said
    gaps = np.array([(right["second"] * 1.0 - right["first"])[fold == k].mean() for k in range(4)])
    half = t.ppf(0.5 + LEVEL / 2, 3) * (np.var(gaps, ddof=1) * (1 / 4 + 1 / 3)) ** 0.5
    lead = -gaps.mean()
    bounds = f"(80 % CI {lead - half:+.4f} to {lead + half:+.4f}; p "
    expected = f"Over the folds, first − second: Accuracy {lead:+.4f} {bounds}"
    assert expected.replace(" -", " −") in said


def test_of_many_folds_forty_are_listed():
    ev = tm.evaluate([0, 1] * 90, [0, 1, 1] * 60, fold=np.arange(180) // 4)
    said = " ".join(str(ev.folds(["accuracy"])).split())
    assert (
        "5 more folds are not listed, but included in the numbers of all rows and in the mean."
        in said
    )
    few = tm.evaluate([0, 1] * 80, [0, 1, 1, 0] * 40, fold=np.arange(160) // 4)
    assert "not listed" not in str(few.folds(["accuracy"]))


def test_a_reading_wraps_long_lists_of_classes():
    classes = [f"a rather long class number {i}" for i in range(3)]
    assert shown_text(tm.evaluate(classes, classes[::-1]).reading, 60).splitlines() == [
        "         read as", "truth    y_true", "pred     y_pred",
        "classes  a rather long class number 0, a rather long class",
        "         number 1, a rather long class number 2",
    ]  # fmt: skip


def test_a_reading_and_an_inspection_list_what_each_column_is(tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"{('well', 'ill')[i % 2]},{(i * 7) % 10 / 10},{'x' * 30}{i}," + ",".join("0" * 11)
             for i in range(20)]  # fmt: skip
    heads = ",".join(["label", "score", "note", *(f"c{i}" for i in range(11))])
    path.write_text("\n".join([heads, *lines]) + "\n", encoding="utf-8")
    ev = tm.evaluate(path, truth="label", score="score", positive="ill")
    assert repr(ev.reading).startswith("<Reading: truth = label, score = score")
    assert repr(ev.reading).endswith("positive = ill, classes = ill, well>")
    assert ev.reading.to_markdown().splitlines()[:4] == [
        "|  | read as |", "|:---|:---|", "| truth | label |", "| score | score |",
    ]  # fmt: skip
    run = CliRunner().invoke(
        main, ["inspect", str(path), "--truth", "label", "--score", "score", "--positive", "ill"]
    )
    shown = run.stdout.splitlines()
    assert shown[0] == "rows.csv"
    at = shown.index("First rows")
    assert shown[at + 1].split() == ["label", "score", "note", *(f"c{i}" for i in range(9))]
    assert shown[at + 2].split()[:3] == ["well", "0.0", "x" * 23 + "…"]
    assert "and 2 more columns" in shown
    heads = next(line for line in shown if line.startswith("column"))
    assert heads.split() == ["column", "type", "distinct", "missing", "taken", "for", "why"]
    (score,) = (line.split() for line in shown if line.startswith("score "))
    assert score[:5] == ["score", "number", "10", "0", "score"]
    assert "A report judges 20 rows of 2 classes (ill, well): score." in run.stdout


def test_several_labels_have_a_row_a_metric_and_a_column_an_average():
    y = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]] * 10)
    said = np.where(np.arange(40)[:, None] % 5 == 0, 1 - y, y)
    ev = tm.evaluate(y, {"a": said, "b": 1 - y}, classes=["x", "y", "z"])
    grid = averages(ev, "a", brief=False)
    assert grid.heads == ("Average over labels", "macro", "micro", "weighted", "samples")
    assert grid.caption.startswith(
        "The number, its 95 % interval below it. macro: mean over labels."
    )
    rows = {row[0]: row[1:] for row in grid.rows}
    tp, fp = ((said == 1) & (y == k) for k in (1, 0))
    precision = tp.sum(0) / (tp + fp).sum(0)
    weights = y.sum(0) / y.sum()
    per_row = tp.sum(1) / np.maximum((tp + fp).sum(1), 1)
    expected = (
        precision.mean(),
        tp.sum() / (tp + fp).sum(),
        (weights * precision).sum(),
        per_row.mean(),
    )
    for cell, value, average in zip(
        rows["Precision"], expected, ("macro", "micro", "weighted", "samples"), strict=True
    ):
        assert cell.text in (f"{value:.2f}", "undefined"), average
        assert cell.key == f"models.0.averages.precision.{average}"
    assert averages(ev, "b").caption == ""
    assert averages(ev, "b").rows[0][1].key.startswith("models.1.averages.")
    right, wrong = (said == y).all(1).mean(), (said != y).mean()
    v = ev.values()["a"]["subset_accuracy"]
    low, high = v.low, v.high
    summary = " ".join(str(ev).split())
    assert (
        f"a has every label right in {100 * right:.1f} % of the rows (95 % CI {100 * low:.1f} % to "
        f"{100 * high:.1f} %); {100 * wrong:.1f} % of all labels are wrong. The mean F1 of the "
        "labels is " in summary
    )
    assert "It has every label right" in " ".join(str(ev.model("a")).split())


def test_rows_of_a_forest_are_models_subgroups_or_values():
    ev = judged(subgroup={"site": SITE})
    of_models = forest(ev, "roc_auc")
    assert [(r.name, r.text[:5]) for r in of_models.rows] == [
        ("first", f"{area(FIRST):.3f}"), ("second", f"{area(SECOND):.3f}"),
    ]  # fmt: skip
    assert (of_models.line, of_models.x.label) == (0.5, "ROC area")
    by = forest(ev.model("second").by("site"), "accuracy")
    assert [r.name for r in by.rows] == ["north", "south"]
    for row, site in zip(by.rows, ("north", "south"), strict=True):
        rows = np.equal(SITE, site)
        hits = (((SECOND >= 0.5) == ILL) & rows).sum()
        assert (row.value, row.low, row.high) == pytest.approx(
            (hits / rows.sum(), *wilson(hits, rows.sum()))
        )
    assert by.line is None
    own = forest({"x": Value("f1", math.nan, reason="no row")}, None)
    assert (own.rows[0].missing, own.rows[0].text) == ("no row", "undefined")


def test_distributions_have_a_row_a_model_with_its_cut():
    d = distributions(judged(threshold=0.3))
    assert [(r.name, r.cut) for r in d.rows] == [("first", 0.3), ("second", 0.3)]
    assert (d.sides, d.cut) == (("ill", "well"), "decision threshold")
    for row, score in zip(d.rows, MODELS.values(), strict=True):
        ill, well = row.shares
        assert (ill.sum(), well.sum()) == pytest.approx((1, 1))
        assert ill @ row.edges[1:] == pytest.approx(score[ILL].mean(), abs=0.02)
        assert well @ row.edges[1:] == pytest.approx(score[~ILL].mean(), abs=0.02)


# -- advice ------------------------------------------------------------------------------------


def test_advice_is_printed_by_section_and_folded_on_a_page():
    advice = judged().advise()
    lines = shown_text(advice, width=10_000).splitlines()
    heads = [line for line in lines if line in SECTIONS.values()]
    assert heads == [SECTIONS[n] for n in SECTIONS if advice.section(n)]
    said = [line for line in lines if line.startswith("- ")]
    assert len(said) == len(advice.statements)
    first = advice.statements[0]
    assert said[0].startswith(f"- {first.text} (")
    assert said[0].endswith(") [one-of-each-family]")
    assert lines[-1] == f"Checked, nothing found: {', '.join(advice.passed)}"
    assert repr(advice).startswith(
        f"<Advice: {len(advice.statements)} statements; {first.text[:50]}"
    )
    (group,) = folded_advice(advice)
    shown, folded = group.parts
    titles = [b.text for b in shown if isinstance(b, Paragraph)]
    assert titles == [SECTIONS[n] for n in ("misleads", "order", "threshold")]
    assert folded.title == "What to report; what would sharpen this advice; what was checked"
    assert not folded.is_open
    told = advice.section("misleads")
    (group,) = folded_advice(advice, (), told)
    assert [b.text for b in group.parts[0] if isinstance(b, Paragraph)] == titles[1:]
    html = section(folded_advice(advice))
    assert "<code>ask-use</code>" in html
