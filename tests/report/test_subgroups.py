"""Parts of the rows on the page, in the JSON and in the summary."""

from __future__ import annotations

import html
import json
import math
import re
from dataclasses import replace
from importlib.resources import files

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import norm
from scipy.stats import t as student

import sites
import tallymark as tm
from asymmetric import judged, score_of_two, wilson
from judged import counted_of
from tallymark.cli import main
from tallymark.report import page
from tallymark.report.evaluation import subgroups_of_models
from tallymark.report.pieces import figure
from tallymark.report.subjects.comparison import leaders_table
from tallymark.report.subjects.subgroups import errors_charts, subgroups, worst_table
from tallymark.report.terminal import as_text

HOSTILE = "</script><b onclick=x>"


def shown(ev):
    return [worst_table(s) for s in subgroups_of_models(ev)]


def made(subgroups, n=1500, models=("m",), seed=0):
    rng = np.random.default_rng(seed)
    where = rng.integers(0, subgroups, n)
    y = rng.integers(0, 2, n)
    sharp = np.where(where == 1, 0.2, 2.0)
    scores = {m: 1 / (1 + np.exp(-rng.normal(sharp * (y - 0.5)))) for m in models}
    names = np.array([HOSTILE if k == 0 else f"part {k}" for k in range(subgroups)], dtype=object)
    column = names[where]
    column[:40] = None
    return tm.evaluate(y, y_score=scores, subgroup={"where": column})


@pytest.fixture(scope="module")
def few():
    return made(4)


def test_the_page_tells_the_worst_first(few):
    ((_, notes, table),) = shown(few)
    first, *_, last = table.cells()
    parts = few.by("where")
    assert first[0].text == "part 1"
    assert first[0].under == "differs from the rest"
    assert last[4].text == "not tested"
    assert last[1].mark == "*"
    worst = parts.worst_of_all("roc_auc")
    told = " ".join(notes)
    assert f"{worst.low:.3f} to {worst.high:.3f}, corrected for selection" in told
    assert re.search(r"\* rests on fewer than 30 (positives|negatives) \(\d+\): not ranked", told)
    assert table.heads[1] == "ROC area"
    assert first[3].text.startswith("−0.")


@pytest.mark.slow
def test_the_page_holds_the_section_and_escapes_names(few, tmp_path):
    text = few.report(tmp_path / "p.html").read_text(encoding="utf-8")
    assert "Who bears the errors</h2>" in text
    assert "differs from the rest" in text
    assert HOSTILE not in text
    assert "&lt;/script&gt;&lt;b onclick=x&gt;" in text


def test_of_many_subgroups_fifty_are_shown_and_the_rest_is_told():
    ev = made(70, 4000, ("a", "b"))
    found = shown(ev)
    assert [model for model, _, _ in found] == ["a", "b"]
    for _, notes, table in found:
        assert len(table.rows) == 50
        assert any(
            "The 50 worst are shown; " in n and "of the 21 others differ" in n for n in notes
        )


def test_one_subgroup_has_nothing_to_be_held_against():
    ev = tm.evaluate([0, 1] * 40, [0, 1] * 40, subgroup={"at": ["x"] * 80})
    ((_, notes, table),) = shown(ev)
    assert notes == ["There is only one subgroup, so there is nothing to compare it with."]
    assert table.cells()[0][3].text == ""
    assert not counted_of(tm.evaluate([0, 1], [0, 1])).subgroup_counts
    assert shown(tm.evaluate([0, 1], [0, 1])) == []
    assert shown(ev.at(prevalence=0.1)) == []


@pytest.mark.slow
def test_the_json_fits_its_schema(few):
    schema = json.loads(
        (files("tallymark") / "schema/evaluation.schema.json").read_text(encoding="utf-8")
    )
    data = json.loads(few.to_json())
    jsonschema.validate(data, schema)
    (found,) = data["subgroups"]
    assert found["columns"] == ["where"]
    assert found["subgroups"][0]["subgroup"] == {"where": "part 1"}
    assert found["worst"]["roc_auc"]["subgroup"] == {"where": "part 1"}
    assert found["n_not_shown"] == 0
    plain = json.loads(tm.evaluate([0, 1] * 9, [0, 1] * 9).to_json())
    jsonschema.validate(plain, schema)
    assert plain["subgroups"] is None


@pytest.mark.slow
def test_the_report_takes_columns_to_subgroup_by(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["label,score,region"]
    for i in range(400):
        y = i % 2
        lines.append(
            f"{y},{np.clip(0.3 + 0.4 * y + rng.normal(0, 0.2), 0, 1):.3f},{'ab'[i % 4 // 2]}"
        )
    (tmp_path / "p.csv").write_text("\n".join(lines), encoding="utf-8")
    asked = [
        str(tmp_path / "p.csv"),
        "--full",
        "--subgroup",
        "region",
        "-o",
        str(tmp_path / "p.html"),
    ]
    found = CliRunner().invoke(main, ["report", *asked])
    assert found.exit_code == 0, found.output
    flat = " ".join(found.output.split())
    assert "No subgroup is shown to differ from the rest in ROC area" in flat
    assert "of 2 (0." in found.output
    assert "Who bears the errors</h2>" in (tmp_path / "p.html").read_text(encoding="utf-8")
    wrong = CliRunner().invoke(main, ["report", str(tmp_path / "p.csv"), "--subgroup", "regoin"])
    assert wrong.exit_code == 2
    assert "there is no column 'regoin' for subgroup; did you mean 'region'?" in wrong.output


FALSE_FLAGS = (
    "P-values are corrected for the number of subgroups, not of {0}s: over the {1} {0}s shown, the "
    "chance of any false flag is up to {2} %."
)


def test_every_writer_names_the_subgroups_corrected_for_and_the_metrics_that_are_not(few):
    s = few.by("where")
    family = (
        "4 of {0} subgroups tested differ from the rest in {1} (level 0.95, Holm's correction for "
        "{0} subgroups)."
    )
    for text in (str(s), s.to_markdown()):
        flat = " ".join(text.split())
        assert family.format(5, "accuracy") in flat
        assert FALSE_FLAGS.format("metric", 4, 20) in flat
    ((_, notes, _),) = shown(few)  # the page judges by one metric
    assert notes[0] == family.format(4, "ROC area")


@pytest.mark.slow
def test_the_page_of_several_models_says_that_models_are_not_corrected_for(tmp_path):
    ev = replace(made(2, 300, ("a", "b")), level=0.9)
    text = " ".join(ev.report(tmp_path / "p.html").read_text(encoding="utf-8").split())
    assert FALSE_FLAGS.format("model", 2, 20) in text
    assert "metrics shown" not in text


# -- few rows, few tests ----------------------------------------------------------------------------


def flat(result):
    return " ".join(str(result).split())


def rare(positives, rows=400):
    """Return subgroups with these numbers of positives, in which scores are good but for ties."""
    rng = np.random.default_rng(5)
    where = np.repeat(list("abcdefg")[: len(positives)], rows)
    y = np.concatenate([np.arange(rows) < n for n in positives]).astype(int)
    score = np.round(1 / (1 + np.exp(-(rng.normal(2.5 * y - 3)))), 3)
    return tm.evaluate(y, y_score={"m": score}, subgroup={"at": where})


def test_a_small_subgroup_is_said_to_have_few_of_what_the_metric_rests_on():
    text = flat(tables(rare([27, 23]), ["roc_auc", "sensitivity"]))
    for sentence in (
        "* rests on fewer than 30 positives (27, 23): not ranked, not tested",
        "No subgroup was tested: each has fewer than 30 positives.",
        "No subgroup has 30 rows of each class, so none is called the worst.",
    ):
        assert sentence in text, sentence
    assert "false flag" not in text
    negatives = flat(tables(rare([371, 340, 377]), ["specificity"]))
    assert "* rests on fewer than 30 negatives (29, 23): not ranked, not tested" in negatives
    assert "Only b has 30 negatives, so none is called lowest." in negatives
    assert "2 not tested: fewer than 30 negatives." in negatives
    either = flat(tables(rare([377, 23]), ["roc_auc", "accuracy"]))
    assert "* rests on fewer than 30 rows of each class (23, 23): not ranked" in either
    many = flat(tables(rare([9, 8, 7, 6, 5, 4, 200]), ["sensitivity"]))
    assert "* rests on fewer than 30 positives (4 to 9): not ranked, not tested" in many
    assert "Only g has 30 positives, so none is called lowest." in many


def tables(ev, metrics):
    """Return the text of the subgroups of the only model by some metrics."""
    return as_text([*subgroups(ev.by("at"), metrics)])


def test_called_rows_and_weights_are_named():
    called = np.repeat([1, 0, 1, 0], [20, 80, 10, 90])
    ev = tm.evaluate([1, 0] * 100, called, subgroup={"at": np.repeat(["a", "b"], 100)})
    text = flat(tables(ev, ["precision", "negative_predictive_value"]))
    assert "* rests on fewer than 30 rows predicted positive (20, 10): not ranked" in text
    weights = np.tile([1.0, 1.0, 3.0, 3.0], 10)  # (Σw)² / Σw² = 40² / 100 = 16 of 20 rows
    ev = tm.evaluate(
        [1, 0] * 20, [1, 0] * 20, weight=weights, subgroup={"at": np.repeat(["a", "b"], 20)}
    )
    assert "fewer than 30 effective rows (16, 16): not ranked" in flat(tables(ev, ["accuracy"]))


def test_without_a_subgroup_of_enough_rows_nothing_is_said_of_tests():
    ev = tm.evaluate([1, 0] * 6, [1, 0] * 6, subgroup={"at": np.repeat(["a", "b", "c"], 4)})
    text = flat(ev.by("at"))
    assert "No subgroup was tested: each has fewer than 30 rows." in text
    assert "false flag" not in text
    assert "subgroups tested" not in text


def proportions(right, rows):
    """Return an evaluation of subgroups with so many right decisions of so many rows."""
    y = np.concatenate([np.arange(n) % 2 for n in rows])
    good = np.concatenate(
        [np.arange(n) % 100 < 100 * k / n for k, n in zip(right, rows, strict=True)]
    )
    where = np.repeat(list("abcd")[: len(rows)], rows)
    return tm.evaluate(y, np.where(good, y, 1 - y), subgroup={"at": where})


def test_two_subgroups_are_one_comparison():
    """The p-value is that of the interval, by Student's t with the rows of the smaller one."""
    ev = proportions((150, 272), (200, 400))
    first, second = ev.by("at").differences("accuracy")
    low, high, _ = score_of_two(150, 200, 272, 400, norm.ppf(0.975))
    ps = []
    for rows in (200, 400):
        quantile = student.ppf(0.975, rows - 1)
        ps.append(2 * student.sf(quantile * 0.07 / (0.07 - low), rows - 1))
    spread = math.sqrt(422 / 600 * 178 / 600 * (1 / 200 + 1 / 400))
    ps.append(2 * norm.sf(0.07 / spread))
    assert first.corrected == second.corrected == pytest.approx(max(ps), rel=1e-3)
    assert (first.difference.low, first.difference.high) == pytest.approx((low, high), abs=1e-9)
    text = flat(ev.by("at"))
    assert (
        "No subgroup is shown to differ from the rest in accuracy (level 0.95, one comparison). a "
        f"− b: {first.difference}, p = {first.corrected:.3g}"
    ) in text
    worst = ev.by("at").worst_of_all("accuracy")
    assert (
        f"b is lowest of 2 (0.680; 95 % CI {worst.low:.3f} to {worst.high:.3f}, corrected for "
        "selection), but either could be the worst; the accuracy of the truly worst one lies "
        f"between {worst.least:.3f} and {worst.most:.3f}."
    ) in text


def test_neither_of_two_subgroups_is_tested_if_one_is_small():
    found = proportions((150, 5), (200, 20)).by("at")
    assert [d.small for d in found.differences("accuracy")] == [True, True]
    assert found.flags("accuracy") == []
    text = flat(found)
    assert "No subgroup was tested: b has fewer than 30 rows." in text
    assert "Only a has 30 rows, so none is called lowest." in text
    assert "false flag" not in text


def test_the_largest_gap_of_several_is_named():
    text = flat(proportions((150, 272, 225), (200, 400, 300)).by("at"))
    assert "No subgroup is shown to differ from the rest in accuracy (level 0.95, Holm's" in text
    assert "correction for 3 subgroups). largest gap, b: -0.07 (95 % CI" in text


def test_equal_values_of_the_first_two_models_are_a_tie():
    y = np.arange(80) % 2
    one, other = y.copy(), y.copy()
    one[:3], other[4:7] = 1 - y[:3], 1 - y[4:7]  # as many errors each in the first subgroup
    one[50:56] = 1 - y[50:56]
    ev = tm.evaluate(
        y, {"one": one, "other": other}, subgroup={"at": np.repeat(["first", "second"], 40)}
    )
    _, grid = leaders_table(ev)
    assert [[str(getattr(c, "text", c)) for c in row[2:5]] for row in grid.rows] == [
        ["tie", "one and other", "0.000"],
        ["other", "one", f"+{1 - (17 * 17 - 3 * 3) / 20**2:.3f}"],  # Matthews correlation
    ]


@pytest.mark.parametrize("threshold", [None, 0.3])
def test_the_errors_of_each_subgroup_are_drawn_beside_those_at_another_threshold(threshold):
    y, p, where = sites.rows()
    missed, alarms = errors_charts(sites.judged(), threshold)
    cuts = [0.5] if threshold is None else [0.5, threshold]
    said = ["now: threshold 0.5", "recommended: threshold 0.3"][: len(cuts)]
    assert [(c.title, c.drawn.x.label) for c in (missed, alarms)] == [
        ("Positive rows missed", "share of positive rows"),
        ("Negative rows called positive", "share of negative rows"),
    ]
    for chart, of, wrong in ((missed, 1, np.less), (alarms, 0, np.greater_equal)):
        assert [m.meaning for m in chart.marks] == [*said, "all rows"]
        assert [m.form for m in chart.marks] == [*("first", "open")[: len(cuts)], "tick"]
        assert [*chart.numbers.heads] == ["site", "Rows", *(f"rate: threshold {t}" for t in cuts)]
        assert chart.drawn.together == len(cuts)
        spans, table = iter(chart.drawn.rows), {row[0]: row for row in chart.numbers.rows}
        assert next(iter(table)) == "west"
        assert {*table} == {"north", "south", "west"}
        for site, row in table.items():
            own = (where == site) & (y == of)
            assert row[1] == str((where == site).sum())
            for t, cell in zip(cuts, row[2:], strict=True):
                rate, every = wrong(p[own], t).mean(), wrong(p[y == of], t).mean()
                low, high = wilson(round(rate * own.sum()), own.sum())
                span = next(spans)
                assert span.name == f"{site} ({own.sum()})"
                assert (span.value, span.low, span.high) == pytest.approx((rate, low, high))
                assert span.guess == pytest.approx(every)
                assert span.flagged == (not low <= every <= high)
                assert (cell.text, cell.under) == (f"{rate:.3f}", f"{low:.3f} to {high:.3f}")
    flagged = {s.name for s in alarms.drawn.rows if s.flagged}
    assert "west (160)" in flagged


def test_a_tick_of_every_threshold_and_amber_are_drawn():
    _, alarms = errors_charts(sites.judged(), 0.3)
    drawn = figure(alarms)
    (ticks,) = re.findall(r'<path class="zero" d="([^"]+)"/><g class', drawn)
    assert ticks.count("M") == len(alarms.drawn.rows) == 6
    assert drawn.count('<g class="flagged">') == sum(s.flagged for s in alarms.drawn.rows) > 0
    text = html.unescape(page.render(sites.judged()))
    assert (
        "<p>Errors of model in each subgroup, the most false alarms first, with the number of rows "
        "that could be wrong. Amber: the interval does not contain the rate of all rows. Intervals "
        "are not corrected for the number of subgroups.</p>"
    ) in text


def test_a_page_has_the_errors_of_subgroups_only_with_subgroups_and_two_classes():
    assert errors_charts(judged(), None) == []
    three = tm.evaluate([0, 1, 2] * 40, [0, 1, 2] * 40, subgroup={"site": ["a", "b"] * 60})
    assert errors_charts(three, None) == []


def decisions(*cells):
    """Return an evaluation of subgroups a, b, ... with these TP, FN, FP and TN."""
    y, said, where = [], [], []
    for name, (tp, fn, fp, tn) in zip("abcd", cells, strict=False):
        y += [1] * (tp + fn) + [0] * (fp + tn)
        said += [1] * tp + [0] * fn + [1] * fp + [0] * tn
        where += [name] * (tp + fn + fp + tn)
    return tm.evaluate(y, said, subgroup={"where": where})


def test_by_default_both_rates_are_tested_and_corrected_together():
    """Of six p-values Holm's method multiplies the smallest by 6 and the next by 5, not 3 and 2."""
    s = decisions((80, 20, 100, 100), (85, 15, 70, 130), (82, 18, 58, 142)).by("where")
    first, _, second = s.differences("specificity")
    how = "(level 0.95, Holm's correction for 6 tests of both rates)."
    assert (
        f"a and c differ from the rest in specificity {how} "
        f"a: {first.difference}, p = {first.corrected / 3 * 6:.3g} "
        f"c: {second.difference}, p = {second.corrected / 2 * 5:.3g} 2 of 3 subgroups"
    ) in flat(s)


def test_both_rates_may_differ():
    text = flat(decisions((90, 10, 70, 80), (60, 40, 15, 185), (70, 30, 60, 240)).by("where"))
    how = "(level 0.95, Holm's correction for 6 tests of both rates)."
    assert text.index(f"a and b differ from the rest in sensitivity {how} a: +0.25") < text.index(
        f"a and b differ from the rest in specificity {how} a: -0.32"
    )


def test_one_rate_may_differ_and_none_may():
    one = decisions((80, 20, 100, 100), (85, 15, 70, 130), (82, 18, 58, 142)).by("where")
    text = flat(one)
    assert (
        "a and c differ from the rest in specificity (level 0.95, Holm's correction for 6 tests of "
        "both rates). a: -0.18 (95 % CI -0.26 to -0.10), p = 0.000188 c: +0.14 (95 % CI +0.05 to "
        "+0.21), p = 0.0066 2 of 3"
    ) in text
    assert "the rest in sensitivity" not in text
    small = decisions((80, 20, 100, 100), (17, 3, 50, 150)).by("where")
    assert (
        "a and b differ from the rest in specificity (level 0.95, Holm's correction for 1 test of "
        "both rates). a: -0.25"
    ) in flat(small)
    two = decisions((80, 20, 50, 150), (85, 15, 50, 150)).by("where")
    assert (
        "No subgroup is shown to differ from the rest in sensitivity or specificity (level 0.95, "
        "Holm's correction for 2 tests of both rates). No subgroup is shown"
    ) in flat(two)


def test_metrics_that_were_asked_for_are_the_only_ones_tested():
    s = decisions((90, 10, 70, 80), (60, 40, 15, 185)).by("where")
    assert "both rates" not in as_text(subgroups(s, ["accuracy", "f1"]))
    assert "both rates" in as_text(subgroups(s))
