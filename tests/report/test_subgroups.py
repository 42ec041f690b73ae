"""Parts of the rows on the page, in the JSON and in the summary."""

from __future__ import annotations

import html
import itertools
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
from tallymark.report import page, words
from tallymark.report.evaluation import subgroups_of_models
from tallymark.report.pieces import figure
from tallymark.report.subjects.comparison import leaders_table
from tallymark.report.subjects.outline import outline
from tallymark.report.subjects.steps import steps_in_full
from tallymark.report.subjects.subgroups import errors_charts, subgroups, worst_table
from tallymark.report.terminal import as_text

HOSTILE = "</script><b onclick=x>"
SCHEMA = json.loads(
    (files("tallymark") / "schema/evaluation.schema.json").read_text(encoding="utf-8")
)
COSTLY = {"cost_fp": 1, "cost_fn": 40}


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
    assert table.heads == (
        "where", "Rows", "ROC area", "Sensitivity at 0.5", "Specificity at 0.5",
    )  # fmt: skip
    assert first[0].text == "part 1"
    assert [c.note.split(",")[0] for c in first] == ["", "", "", "differs", "differs"]
    assert [(c.note, c.mark) for c in last[2:]] == [("", "*"), *[("not tested", "*")] * 2]
    told = " ".join(notes)
    assert re.search(r"\* rests on fewer than 30 (positives|negatives) \(\d+\)[^*]*: not", told)


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
    assert table.heads == ("at", "Rows", "Matthews correlation", "Sensitivity", "Specificity")
    assert [c.note for c in table.cells()[0]] == [""] * 5
    assert not counted_of(tm.evaluate([0, 1], [0, 1])).subgroup_counts
    assert shown(tm.evaluate([0, 1], [0, 1])) == []
    assert shown(ev.at(prevalence=0.1)) == []


@pytest.mark.slow
def test_the_json_fits_its_schema(few):
    data = json.loads(few.to_json())
    jsonschema.validate(data, SCHEMA)
    (found,) = data["subgroups"]
    assert found["columns"] == ["where"]
    assert found["subgroups"][0]["subgroup"] == {"where": "part 1"}
    assert found["worst"]["roc_auc"]["subgroup"] == {"where": "part 1"}
    assert found["n_not_shown"] == 0
    plain = json.loads(tm.evaluate([0, 1] * 9, [0, 1] * 9).to_json())
    jsonschema.validate(plain, SCHEMA)
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
    assert "No subgroup is shown to differ from the rest in sensitivity or specificity at " in flat
    assert "Who bears the errors</h2>" in (tmp_path / "p.html").read_text(encoding="utf-8")
    wrong = CliRunner().invoke(main, ["report", str(tmp_path / "p.csv"), "--subgroup", "regoin"])
    assert wrong.exit_code == 2
    assert "there is no column 'regoin' for subgroup; did you mean 'region'?" in wrong.output


@pytest.mark.slow
def test_the_page_of_several_models_says_that_models_are_not_corrected_for(tmp_path):
    ev = replace(made(2, 300, ("a", "b")), level=0.9)
    text = " ".join(ev.report(tmp_path / "p.html").read_text(encoding="utf-8").split())
    over = (
        "P-values are corrected for all tests of one model: over the 2 models shown, the chance of "
        "any false flag is up to 20 %."
    )
    assert over in text
    assert over in " ".join(str(ev).split())
    assert "false flag" not in str(ev.model("a"))


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
    assert (
        "No subgroup was tested: each has fewer than 30 positives and fewer than 30 negatives."
    ) in text
    assert "subgroups tested" not in text


def proportions(right, rows):
    """Return an evaluation of subgroups with so many right decisions of so many rows."""
    y = np.concatenate([np.arange(n) % 2 for n in rows])
    good = np.concatenate(
        [np.arange(n) % 100 < 100 * k / n for k, n in zip(right, rows, strict=True)]
    )
    where = np.repeat(list("abcd")[: len(rows)], rows)
    return tm.evaluate(y, np.where(good, y, 1 - y), subgroup={"at": where})


def largest_p(hits, rows, other_hits, other_rows, z):
    """Return the largest p-value of a share against another: score, interval and pooled error."""
    gap = hits / rows - other_hits / other_rows
    if gap == 0:
        return 1.0
    low, high, deviate = score_of_two(hits, rows, other_hits, other_rows, z)
    near = gap - low if gap > 0 else high - gap
    of_interval = 2 * student.sf(student.ppf(norm.cdf(z), rows - 1) * abs(gap) / near, rows - 1)
    share = (hits + other_hits) / (rows + other_rows)
    of_all = abs(gap) / math.sqrt(share * (1 - share) * (1 / rows + 1 / other_rows))
    return max(2 * norm.sf(abs(deviate)), of_interval, 2 * norm.sf(of_all))


def corrected(p_values):
    """Return p-values corrected by Holm's method."""
    p = np.asarray(p_values)
    order = np.argsort(p)
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(steps, 1)[np.argsort(order)]


def test_two_subgroups_are_one_comparison():
    ev = proportions((150, 272), (200, 400))
    first, second = ev.by("at").differences("accuracy")
    low, high, _ = score_of_two(150, 200, 272, 400, norm.ppf(0.975))
    z = norm.ppf(0.975)
    p = max(largest_p(150, 200, 272, 400, z), largest_p(272, 400, 150, 200, z))
    assert first.corrected == second.corrected == pytest.approx(p, rel=1e-3)
    assert (first.difference.low, first.difference.high) == pytest.approx((low, high), abs=1e-9)
    text = flat(tables(ev, ["accuracy"]))
    assert (
        "No subgroup is shown to differ from the rest in accuracy (level 0.95, one test). a "
        f"− b: {first.difference}, p = {first.corrected:.3g}"
    ) in text
    worst = ev.by("at").worst_of_all("accuracy")
    assert (
        f"b is lowest of 2 (0.680; 95 % CI {worst.low:.2f} to {worst.high:.2f}, corrected for "
        "selection), but either could be the worst; the accuracy of the truly worst one lies "
        f"between {worst.least:.2f} and {worst.most:.2f}."
    ) in text


def test_neither_of_two_subgroups_is_tested_if_one_is_small():
    ev = proportions((150, 5), (200, 20))
    found = ev.by("at")
    assert [d.small for d in found.differences("accuracy")] == [True, True]
    assert found.flags("accuracy") == []
    text = flat(tables(ev, ["accuracy"]))
    assert "No subgroup was tested: b has fewer than 30 rows." in text
    assert "Only a has 30 rows, so none is called lowest." in text
    assert (
        "No subgroup was tested: b has fewer than 30 positives and fewer than 30 negatives."
    ) in flat(found)


def test_the_largest_gap_of_several_is_named():
    text = flat(tables(proportions((150, 272, 225), (200, 400, 300)), ["accuracy"]))
    assert "No subgroup is shown to differ from the rest in accuracy (level 0.95, " in text
    assert "corrected for 3 tests). largest gap, b: −0.07 (95 % CI" in text


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
        ["tie", "one and other", "0.00"],
        ["other", "one", f"+{1 - (17 * 17 - 3 * 3) / 20**2:.2f}"],  # Matthews correlation
    ]


@pytest.mark.parametrize("costs", [{}, COSTLY])
def test_the_errors_of_each_subgroup_are_drawn_beside_those_at_the_recommended_threshold(costs):
    y, p, where = sites.rows()
    missed, alarms = errors_charts(sites.judged().at(**costs))
    cuts = [0.5, 0.05] if costs else [0.5]
    said = ["now: threshold 0.5", "recommended: threshold 0.05"][: len(cuts)]
    sets = [(cut, of, site) for cut in cuts for of in (1, 0) for site in ("north", "south", "west")]
    differ = dict(zip(sets, corrected([_p_of_site(*s) for s in sets]) < 0.2, strict=True))
    assert 0 < sum(differ.values()) < len(sets)
    assert {(of, site) for (_, of, site), is_so in differ.items() if is_so} >= {(0, "west")}
    for cut, of in itertools.product(cuts, (1, 0)):  # north and south have the same rates
        others = [(cut, of, site) for site in ("north", "south")]
        assert min(_p_of_site(*s, without="west") for s in others) * len(sets) > 0.2
        differ |= dict.fromkeys(others, False)
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
                assert span.flagged == differ[t, of, site]
                assert (cell.text, cell.under) == (
                    words.to_width(rate, low, high)[0],
                    words.between(low, high),
                )
    flagged = {s.name for s in alarms.drawn.rows if s.flagged}
    assert "west (160)" in flagged


def _p_of_site(threshold, of, site, without=""):
    """Return the p-value of a site's rate against those of the other sites, before correction."""
    y, p, where = sites.rows()
    right = (p >= threshold) == (of == 1)
    kept = (y == of) & (where != without)
    own, others = kept & (where == site), kept & (where != site)
    return largest_p(right[own].sum(), own.sum(), right[others].sum(), others.sum(), norm.ppf(0.9))


def test_a_tick_of_every_threshold_and_amber_are_drawn():
    _, alarms = errors_charts(sites.judged().at(**COSTLY))
    drawn = figure(alarms)
    (ticks,) = re.findall(r'<path class="zero" d="([^"]+)"/><g class', drawn)
    assert ticks.count("M") == len(alarms.drawn.rows) == 6
    assert drawn.count('<g class="flagged">') == sum(s.flagged for s in alarms.drawn.rows) > 0
    text = html.unescape(page.render(sites.judged()))
    assert (
        "<p>Errors of model in each subgroup, with the number of rows that could be wrong. Both "
        "charts have the highest rate of false alarms first, and subgroups of fewer than 30 "
        "negative rows last. Amber: differs from the rest.</p>"
    ) in text


def test_the_errors_of_subgroups_are_in_the_order_of_false_alarms_the_small_ones_last():
    # False alarms: 0.25 of 40, 0.5 of 40, 0.9 of 10 and 0.1 of 30 negatives.
    ev = decisions((9, 1, 10, 30), (9, 1, 20, 20), (9, 1, 9, 1), (9, 1, 3, 27))
    for chart in errors_charts(ev):
        assert [row[0] for row in chart.numbers.rows] == ["b", "a", "d", "c"]


def test_a_long_name_of_a_subgroup_has_two_lines_and_a_title():
    names = ["a", "the northern coast and its islands", "x" * 70]
    y = [0, 1] * 60
    missed, _ = errors_charts(tm.evaluate(y, y, subgroup={"region": np.repeat(names, 40)}))
    drawn = figure(missed)
    written = re.findall(r"<text>(?:<tspan[^>]*>([^<]*)</tspan>)*?.*?<title>([^<]*)</title>", drawn)
    assert {title for _, title in written} == {f"{name} (20)" for name in names[1:]}
    lines = re.findall(r'<tspan x="160" y="([\d.]+)">([^<]*)<', drawn)
    assert {said for _, said in lines} == {
        "the northern coast and its", "islands (20)", "x" * 28, f"{'x' * 14}…{'x' * 8} (20)",
    }  # fmt: skip
    ys = sorted(float(at) for at, _ in lines)
    assert all(b - a >= 13 for a, b in itertools.pairwise(ys)), "no line covers another"
    assert ">a (20)</text>" in drawn


def test_a_page_has_the_errors_of_subgroups_only_with_subgroups_and_two_classes():
    assert errors_charts(judged()) == []
    three = tm.evaluate([0, 1, 2] * 40, [0, 1, 2] * 40, subgroup={"site": ["a", "b"] * 60})
    assert errors_charts(three) == []


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
    assert (
        "1 of 3 subgroups tested differs from the rest in specificity (level 0.95, corrected for 6 "
        "tests of sensitivity and specificity): a. c is not shown to differ from a rest without a. "
        f"a, specificity: {first.difference}, p = {first.corrected / 3 * 6:.3g}"
    ) in flat(s)
    _, _, grid = worst_table(s)
    notes = {row[0]: row[-1].note for row in grid.rows}
    assert notes["a"] == f"differs, p = {first.corrected / 3 * 6:.3g}"
    assert notes["c"] == f"p = {second.corrected / 2 * 5:.3g}; not shown without a"


def flat_verdict(ev, *metrics):
    """Return the verdict on the subgroups, in some metrics alone."""
    return flat(as_text(subgroups(ev.by("where"), [*metrics] or None)))


def test_a_subgroup_that_makes_every_rest_worse_is_the_only_one_named():
    """The others differ from their rest, which holds a, but not from one another."""
    cells = [(50, 50, 80, 20), *[(90 + d, 10 - d, 80, 20) for d in (0, 1, 2)]]
    ev = decisions(*cells)
    z, p = norm.ppf(0.975), {}
    for i, (tp, *_) in enumerate(cells):
        rest = sum(other[0] for other in cells) - tp
        p["abcd"[i]] = largest_p(tp, 100, rest, 300, z)
    assert max(corrected([*p.values(), *[1.0] * 4])[:4]) < 0.05, "all four differ from the rest"
    assert min(p, key=p.get) == "a"
    for tp in (90, 91, 92):
        assert largest_p(tp, 100, 273 - tp, 200, z) * 8 > 0.05
    text = flat_verdict(ev)
    assert (
        "1 of 4 subgroups tested differs from the rest in sensitivity (level 0.95, corrected for 8 "
        "tests of sensitivity and specificity): a. b, c and d are not shown to differ from a rest "
        "without a."
    ) in text
    assert re.findall(r"([abcd]), sensitivity: ", text) == ["a"]
    data = ev.by("where").to_dict()
    assert data["tests"] == 8
    assert [(d["subgroup"], d["metric"], d["threshold"], d["due_to"]) for d in data["differ"]] == [
        ({"where": name}, "sensitivity", None, [] if name == "a" else [{"where": "a"}])
        for name in "abcd"
    ]
    found = [d["corrected"] for d in data["differ"]]
    assert found == pytest.approx(corrected([*p.values(), *[1.0] * 4])[:4].tolist(), rel=1e-3)
    saved = json.loads(ev.to_json())
    jsonschema.validate(saved, SCHEMA)
    assert saved["subgroups"][0]["differ"] == json.loads(json.dumps(data["differ"]))
    assert "Of 100 positive rows where where is a, model misses 50: 50 %" in text


def test_two_subgroups_that_differ_are_both_named_and_a_better_one_too():
    text = flat_verdict(
        decisions((50, 50, 80, 20), (60, 40, 80, 20), (91, 9, 80, 20), (90, 10, 80, 20))
    )
    assert "2 of 4 subgroups tested differ from the rest in sensitivity (" in text
    assert "): a and b. c and d are not shown to differ from a rest without a and b." in text
    text = flat_verdict(
        decisions((50, 50, 80, 20), (51, 49, 80, 20), (52, 48, 80, 20), (97, 3, 80, 20))
    )
    assert "): d. a and b are not shown to differ from a rest without d." in text
    assert "Of 100 positive rows where where is a, model misses 50: 50 %, against" in text
    text = flat_verdict(
        decisions((50, 50, 80, 20), (90, 10, 80, 20), (90, 10, 80, 20), (99, 1, 97, 3))
    )
    assert "2 of 4 subgroups tested differ from the rest in sensitivity or specificity (" in text


@pytest.mark.parametrize("kind", ["scores", "repeated scores", "weights", "clusters", "labels"])
def test_every_kind_of_rows_names_the_subgroup_that_differs(kind):
    rng = np.random.default_rng(3)
    n = 2400
    where = np.array(list("abcd"))[np.arange(n) % 4]
    y = rng.integers(0, 2, n)
    score = 1 / (1 + np.exp(-rng.normal(np.where(where == "a", 0.2, 3) * (y - 0.5))))
    if kind == "labels":
        true = np.stack([y, rng.permutation(y)], 1)
        said = np.where(np.stack([score, score], 1) > 0.5, true, 1 - true)
        said = np.where((where == "a")[:, None], said, true)
        ev = tm.evaluate(true, said, subgroup={"where": where})
        text = flat_verdict(ev)
    else:
        more = {
            "repeated scores": {"y_score": np.round(score, 1)},
            "weights": {"weight": 1 + (np.arange(n) // 4) % 2},
            "clusters": {"cluster": np.arange(n) // 8},
        }.get(kind, {})
        ev = tm.evaluate(y, **{"y_score": score, **more}, subgroup={"where": where})
        text = flat_verdict(ev, "roc_auc")
    assert "1 of 4 subgroups tested differs from the rest in " in text
    assert ": a. b, c and d are not shown to differ from a rest without a. " in text


def test_both_rates_may_differ():
    text = flat(decisions((90, 10, 70, 80), (60, 40, 15, 185), (70, 30, 60, 240)).by("where"))
    assert (
        "2 of 3 subgroups tested differ from the rest in sensitivity or specificity (level 0.95, "
        "corrected for 6 tests)."
    ) in text
    details = text[text.index("corrected for 6 tests). ") :]
    assert re.findall(r"([ab]), (sensitivity|specificity): ([+−])", details) == [
        ("a", "specificity", "−"), ("b", "specificity", "+"), ("a", "sensitivity", "+"),
    ]  # fmt: skip


def test_one_rate_may_differ_and_none_may():
    small = decisions((80, 20, 100, 100), (17, 3, 50, 150)).by("where")
    text = flat(small)
    assert (
        "2 of 2 subgroups tested differ from the rest in specificity (level 0.95, one test of"
    ) in text
    assert "2 not tested in sensitivity: fewer than 30 positives." in text
    two = decisions((80, 20, 50, 150), (85, 15, 50, 150)).by("where")
    assert (
        "No subgroup is shown to differ from the rest in sensitivity or specificity (level 0.95, "
        "corrected for 2 tests). b − a, sensitivity: +0.05"
    ) in flat(two)


def test_metrics_that_were_asked_for_are_the_only_ones_tested():
    s = decisions((90, 10, 70, 80), (60, 40, 15, 185)).by("where")
    asked = flat(as_text(subgroups(s, ["accuracy", "f1"])))
    assert "in accuracy (level 0.95, corrected for 2 tests of accuracy and F1)." in asked
    assert "specificity" not in asked
    assert "of all others" in flat(s)


# -- one verdict everywhere ------------------------------------------------------------------------

GROUPS, RATIO = {"young": (400, 0.6), "middle": (600, 0.0), "old": (500, 0.0)}, 0.1


def shifted(costs=None):
    """Return rows of groups with one ROC area, in one of which all logits are higher; 1 in 10 ill.

    The scores have two decimals.
    """
    ill, score, group = [], [], []
    for name, (n, shift) in GROUPS.items():
        for of, mean in ((1, 0.4), (0, -1.8)):
            m = round(n * (RATIO if of else 1 - RATIO))
            logits = mean + shift + norm.ppf((np.arange(m) + 0.5) / m)
            score += np.round(1 / (1 + np.exp(-logits)), 2).tolist()
            ill += [of] * m
            group += [name] * m
    ev = tm.evaluate(
        np.where(ill, "ill", "well"),
        y_score={"model": score},
        positive="ill",
        subgroup={"age": group},
        level=0.98,
    )
    return ev.at(**costs or {}), np.array(ill) == 1, np.array(score), np.array(group)


def percent(x):
    return f"{100 * x:.3g}"


@pytest.mark.parametrize(
    ("costs", "tests", "family"),
    [
        (None, 6, "sensitivity and specificity at 0.5"),
        ({"cost_fp": 1, "cost_fn": 15}, 12, "sensitivity and specificity at 0.5 and {}"),
    ],
)
def test_every_face_gives_the_same_verdict_on_who_bears_the_errors(costs, tests, family):
    """The areas of the groups do not differ, but more of the young and well are called ill."""
    ev, ill, score, group = shifted(costs)
    assert ev.by("age").flags("roc_auc") == []
    cuts = [0.5]
    if costs:
        cuts.append(ev.optimal_threshold("expected_cost", **costs).threshold)
    z, p = norm.ppf(0.99), {}
    for cut in cuts:
        right = (score >= cut) == ill
        for of in (True, False):
            for name in GROUPS:
                own, others = ((ill == of) & side for side in (group == name, group != name))
                p[cut, of, name] = largest_p(
                    right[own].sum(), own.sum(), right[others].sum(), others.sum(), z
                )
    assert len(p) == tests
    p = dict(zip(p, corrected([*p.values()]), strict=True))
    cut = cuts[-1]
    own, others = (score[~ill & side] >= cut for side in (group == "young", group != "young"))
    low, high, _ = score_of_two(own.sum(), len(own), others.sum(), len(others), z)
    at, of_harm = f"{cut:.4g}", p[cut, False, "young"]
    harm = (
        f"Of {len(own)} well rows where age is young, model at {at} calls {own.sum()} ill: "
        f"{percent(own.mean())} %, against {percent(others.mean())} % of all others, "
        f"{100 * low:.1f} to {100 * high:.1f} points more"
    )
    exact = f"p = {of_harm:.3g}" if of_harm >= 0.0001 else "p < 0.0001"
    whole = (
        f"{harm} ({exact}, corrected for {tests} tests). Check whether that is acceptable before "
        "you use these decisions."
    )
    differ = {(t, of, name) for (t, of, name), q in p.items() if q < 0.02}
    assert {of for _, of, _ in differ} == {False}
    assert "young" in {name for _, _, name in differ}
    said = ev.by("age").to_dict()["verdict"]
    assert said.startswith(whole)
    first, second = said[len(whole) :].split(" tested ")
    assert first == " 1 of 3 subgroups", "without the young, the others have the same rate"
    others = " and ".join(name for name in sorted(GROUPS) if name in {k[2] for k in differ})
    others = others.removesuffix(" and young")
    assert f"(level 0.98, corrected for {tests} tests of {family.format(at)})" in second
    assert second.split(f"{family.format(at)})")[1].startswith(
        f": young. {others} are not shown to differ from a rest without young." if costs else "."
    )
    faces = {
        "page": html.unescape(page.render(ev)),
        "printed": str(ev),
        "Markdown": ev.to_markdown(),
        "subgroups": str(ev.by("age")),
        "Markdown of subgroups": ev.by("age").to_markdown(),
        "card of subgroups": html.unescape(re.sub("<[^>]+>", " ", ev.by("age")._repr_html_())),
        "JSON": json.loads(ev.to_json())["subgroups"][0]["verdict"],
    }
    for name, text in faces.items():
        told = " ".join(text.replace("\\", "").split())
        assert whole in told, name
        assert said[len(whole) + 1 :] in told, name
    brief = {
        "first screen": " ".join(step.text for step in steps_in_full(ev)[0]),
        "terminal": as_text(outline(ev)),
        "card": html.unescape(re.sub("<[^>]+>", " ", ev._repr_html_())),
    }
    for name, text in brief.items():
        assert harm in " ".join(text.split()), name
    assert whole in brief["first screen"]
