"""Which model is better: verdicts that match the evidence, and curves that cross."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.metrics import matthews_corrcoef

import tallymark as tm
from tallymark import quantities
from tallymark.errors import InputError
from tallymark.infer.crossing import leads
from tallymark.infer.difference import Difference, Differences
from tallymark.infer.multiplicity import holm, holm_of_pairs
from tallymark.infer.verdict import REMEDY, Verdict, judge
from tallymark.metric import METRICS as METRICS_OF_ALL
from tallymark.metric import get
from tallymark.metrics import roc_auc
from tallymark.quantities import rounded_up
from tallymark.report.subjects.comparison import pair_verdict
from tallymark.report.subjects.summary import verdict_sentence
from tallymark.report.subjects.values import difference_cells

METRICS = ["accuracy", "f1"]


def models(n=600, seed=0, **lifts):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    shared = rng.normal(size=n)
    p = {
        name: 1 / (1 + np.exp(-(shared + rng.normal(size=n) + lift * (2 * y - 1))))
        for name, lift in lifts.items()
    }
    return y, p


def compared(y, p, *args, **options):
    options = {"permutations": 0, "metrics": METRICS} | options
    return tm.evaluate(y, y_score=p).compare(*args, **options)


def test_a_model_that_is_clearly_better_is_called_better():
    found = compared(*models(poor=0.5, good=1.6))
    (v,) = found.verdicts
    assert (v.kind, v.better, v.other) == ("better", "good", "poor")
    assert found.metric == "roc_auc"
    assert found.pairs[0].first == "good"
    assert str(v).startswith("good is better than poor: ROC area higher by 0.")
    assert "p < 0.0001" in str(v)
    assert found.pair("good", "poor") is found.pairs[0]


def test_a_table_has_a_row_a_pair_and_metric():
    y, p = models(poor=0.5, good=1.6, best=1.9)
    called = {name: scores >= 0.5 for name, scores in p.items()}
    found = tm.evaluate(y == 1, called, level=0.8).compare(metrics=METRICS)
    table = found.table().to_dicts()
    assert [(r["first"], r["second"], r["metric"]) for r in table] == [
        (p.first, p.second, name) for p in found.pairs for name in p.differences
    ]
    row = next(r for r in table if r["metric"] == "accuracy")
    d = found.pair(row["first"], row["second"]).differences["accuracy"]
    assert row == {
        "first": row["first"], "second": row["second"], "metric": "accuracy", "title": "Accuracy",
        "first_value": d.first_value, "second_value": d.second_value, "difference": d.value,
        "low": d.low, "high": d.high, "level": 0.8, "p_value": d.p_value, "method": d.method,
        "test": d.test, "reason": None,
    }  # fmt: skip
    assert d.low < d.value < d.high


def test_a_printed_table_of_differences_has_one_line_a_row(monkeypatch):
    y, p = models(poor=0.5, good=1.6, best=1.9)
    ev = tm.evaluate(y == 1, y_score=p, level=0.8)
    for width in (80, 100):
        monkeypatch.setenv("COLUMNS", str(width))
        for found in (
            ev.compare(),
            ev.compare("poor", "best"),
            ev.compare("poor", "best", metrics=[]),
        ):
            table = found.table()
            heads, *lines = str(table).splitlines()
            assert max(map(len, [heads, *lines])) <= width
            assert heads.split()[-4:] == ["difference", "low", "high", "p_value"]
            assert "metric" in heads.split()
            rows, told = lines[: len(table)], " ".join(" ".join(lines[len(table) :]).split())
            for line, r in zip(rows, table, strict=True):
                assert r["metric"] in line.split()
                alike = quantities.to_width(r["difference"], r["low"], r["high"])
                assert re.split("  +", line)[-4:-1] == [*alike]
            assert told.startswith("Left out: ")
            assert "level (0.8), title, method, test" in told
            assert told.endswith("; .to_csv() has all columns.")
            constant = len(found.names) == 2 and len(table) > 1
            same = f"first ({found.pairs[0].first}), second ({found.pairs[0].second}), "
            assert (f"Left out: {same}" in told) == (constant and "second" not in heads.split())
            assert constant or "second" in heads.split()
            assert ("first_value" in told) == ("first_value" not in heads)
    monkeypatch.setenv("COLUMNS", "80")
    assert "test, first_value, second_value;" in " ".join(str(ev.compare().table()).split())


def test_one_model_is_compared_with_all_others():
    y, p = models(poor=0.5, good=1.6, best=1.9)
    called = {name: scores >= 0.5 for name, scores in p.items()}
    ev = tm.evaluate(y == 1, called)
    found = ev.compare("good", metric="accuracy", metrics=METRICS)
    assert [(p.first, p.second) for p in found.pairs] == [("poor", "good"), ("best", "good")]
    every = ev.compare(metric="accuracy", metrics=METRICS)
    alone = [every.pair(name, "good").differences["accuracy"].p_value for name in ("poor", "best")]
    answers = [a.p_value for v in found.verdicts for a in v.answers if a.question == "superiority"]
    assert answers == pytest.approx(holm(np.array(alone)))


def test_a_margin_of_many_pairs_of_few_draws_is_not_shown_at_most():
    """A corrected p-value of 1 is not a bound that more draws could lower."""
    d = Difference("f1", 0.84, 0.8, -0.9, 0.9, 0.8, "bootstrap", 1.0, "bootstrap", draws=1)
    found = Differences(get("f1"), [("a", "b"), ("a", "c")], [d, d], 0.8)
    for v in judge(found, rows=(500,), margin=0.02):
        asked = [(a.p_value, a.p_at_most) for a in v.answers]
        assert asked == [(1.0, False)] * 3


def test_lower_is_better_where_low_is_good():
    found = compared(*models(poor=0.5, good=1.6), metric="brier")
    (v,) = found.verdicts
    assert (v.kind, v.better) == ("better", "good")
    assert "Brier score lower by" in str(v)
    assert v.difference.value < 0


def test_an_open_question_says_how_far_apart_both_may_be_and_no_number_of_rows():
    y, p = models(300, a=1.0, b=1.05)
    (v,) = (found := compared(y, p)).verdicts
    size, low, high = v.lead
    assert v.kind == "undecided"
    assert (v.to_dict()["severity"], dict(v.needed)) == ("warning", {})
    assert low < 0 < high
    assert 0.1 < high - low < 1  # two digits of the width
    assert f"higher by {size:.2f} (−{-low:.2f} to {high:.2f})" in str(v)
    assert f"{v.better} is at most {high:.2f} better and at most {-low:.2f} worse" in str(v)
    assert "rows" not in str(v)
    assert v._remedy == REMEDY
    assert REMEDY in " ".join(str(found).split())


@pytest.mark.slow
def test_rows_are_told_of_a_stated_difference_alone():
    y, p = models(300, a=1.0, b=1.15)
    (v,) = compared(y, p, metric="accuracy", least=0.02, margin=0.01).verdicts
    reach, error = 1.959964 + 0.841621, v.difference.error
    # The slow twin: the formula of two normal quantiles, of what was stated, not of what was found.
    assert v.needed["superiority"] == math.ceil(300 * (reach * error / 0.02) ** 2)
    assert v.needed["non-inferiority"] == math.ceil(300 * (reach * error / 0.01) ** 2)
    assert v._remedy is None
    assert "rows like these show a true difference of 0.02 with 80 % power (here are 300)" in str(v)
    assert "show non-inferiority within 0.01, if both are equally good, with 80 % power" in str(v)
    (again,) = compared(
        y, {"a": p["a"], "b": p["b"] ** 0.999}, metric="accuracy", least=0.02
    ).verdicts
    assert again.needed["superiority"] == pytest.approx(v.needed["superiority"], rel=0.1)


@pytest.mark.slow
def test_a_margin_makes_no_worse_and_equivalent():
    y, p = models(5000, a=1.0, b=1.005)
    (none,) = compared(y, p).verdicts
    (near,) = compared(y, p, margin=0.1).verdicts
    assert none.kind == "undecided"
    assert near.kind == "equivalent"
    assert "are equivalent within 0.1" in str(near)
    d = none.difference
    between = max(abs(d.low), abs(d.high)) - 1e-9
    (far,) = compared(y, p, margin=between).verdicts
    assert far.kind == "no worse"
    assert f"is no worse than {far.other} by more than" in str(far)
    assert "non-inferiority shown" in str(far)
    assert "equivalence not shown" in str(far)


@pytest.mark.slow
def test_a_margin_is_answered_beside_a_difference_that_is_shown():
    # Many rows: a difference of 0.003, far below the margin of 0.02.
    y, p = models(40_000, a=1.0, b=1.03)
    (v,) = compared(y, p, margin=0.02).verdicts
    assert v.kind == "better"
    assert [a.question for a in v.answers if a.shown] == [
        "superiority", "non-inferiority", "equivalence",
    ]  # fmt: skip
    assert "is better than" in str(v)
    assert "margin 0.02: non-inferiority shown (one-sided p < 0.0001), equivalence shown" in str(v)
    assert "the lead exceeds 0.02 with probability <0.01" in str(v)


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy", "f1", "brier", "average_precision"])
@pytest.mark.slow
def test_of_one_pair_interval_and_answers_always_agree(metric):
    y, p = models(400, a=1.0, b=1.1)
    (v,) = compared(y, p, metric=metric, metrics=[metric]).verdicts
    _, low, high = v.lead
    for bound, question in ((low, "non-inferiority"), (max(-low, high), "equivalence")):
        for margin in (abs(bound) * 0.999, abs(bound) * 1.001):
            (at,) = compared(y, p, metric=metric, metrics=[metric], margin=margin).verdicts
            kept = low > -margin and (question == "non-inferiority" or high < margin)
            assert at.shown(question) == kept


@pytest.mark.slow
def test_compare_and_test_give_one_answer_to_non_inferiority():
    y, p = models(500, a=1.0, b=1.1)
    ev = tm.evaluate(y, y_score=p)
    for metric in ("roc_auc", "accuracy", "brier", "f1"):
        (v,) = compared(y, p, metric=metric, margin=0.03).verdicts
        one, other = (ev.model(n) for n in (v.better, v.other))
        for question, alternative in (
            ("non-inferiority", "non-inferior"), ("equivalence", "equivalent"),
        ):  # fmt: skip
            found = tm.test(metric, one, other, margin=0.03, alternative=alternative)
            assert v._answer(question).p_value == pytest.approx(found.p_value, abs=1e-12)
            assert "one-sided" in found.name


@pytest.mark.slow
def test_a_difference_is_the_same_by_compare_and_interval_and_turns_its_sign():
    # Of three models, whose rows are drawn together; of two in either order, by any name.
    metrics = ("roc_auc", "accuracy", "brier", "f1", "average_precision", "log_loss")
    y, p = models(600, a=1.0, b=1.1, c=1.05)
    ev = tm.evaluate(y, y_score=p)
    for i, pair in enumerate(ev.compare(metrics=metrics, permutations=0).pairs):
        a, b = ev.model(pair.first), ev.model(pair.second)
        for name, d in pair.differences.items():
            same, numbers = tm.interval(name, a, b), (d.low, d.high, d.p_value)
            assert (same.low, same.high, same.p_value) == pytest.approx(numbers, abs=1e-12)
            if i == 0:
                t = tm.interval(name, b, a)
                assert (-t.high, -t.low, t.p_value) == pytest.approx(numbers, abs=1e-12)
    (one,), (other,) = (
        tm.evaluate(y, y_score={n: p[m] for n, m in named}).compare(metrics=metrics).pairs
        for named in (("ab", "bc"), ("zb", "bc"))
    )
    assert (one.first == "a") == (other.first == "z")
    for name, d in one.differences.items():
        assert (d.low, d.high) == pytest.approx(
            (other.differences[name].low, other.differences[name].high), abs=1e-12
        )


@pytest.mark.slow
def test_each_question_is_corrected_for_the_pairs():
    y, p = models(600, a=0.8, b=0.9, c=1.0)
    found = compared(y, p, margin=0.05)
    alone = {}
    for v in found.verdicts:
        (single,) = compared(y, {n: p[n] for n in (v.better, v.other)}, margin=0.05).verdicts
        for a in single.answers:
            alone.setdefault(a.question, []).append(a.p_value)
    corrected = {q: np.array([v._answer(q).p_value for v in found.verdicts]) for q in alone}
    np.testing.assert_allclose(
        corrected["superiority"], holm(np.array(alone["superiority"])), rtol=1e-6
    )
    kept = np.stack([alone["non-inferiority"], alone["equivalence"]], 1)
    assert (kept[:, 1] >= kept[:, 0]).all()
    np.testing.assert_allclose(corrected["equivalence"], holm_of_pairs(kept)[:, 1], rtol=1e-6)
    assert (corrected["equivalence"] > alone["equivalence"]).any()


def test_probabilities_are_those_of_a_flat_prior():
    y, p = models(500, a=1.0, b=1.15)
    found = compared(y, p, margin=0.02)
    (v,) = found.verdicts
    beyond, within, behind = v.probabilities
    assert beyond + within + behind == pytest.approx(1)
    # Posterior of a normal estimate: the interval is nearly symmetric here.
    size, low, high = v.lead
    error = (high - low) / 2 / 1.959964
    assert beyond == pytest.approx(norm.sf((0.02 - size) / error), abs=0.01)
    assert behind == pytest.approx(norm.cdf((-0.02 - size) / error), abs=0.01)
    ranks = found.ranks
    assert ranks[v.better][0] == pytest.approx(norm.sf(-size / error), abs=0.01)
    assert ranks[v.better][0] == ranks[v.other][1]


def five_rows_better():
    """Return classes and decisions of two models: the first is right in five more rows."""
    y = np.arange(1000) % 3 == 0
    old = y ^ (np.arange(1000) % 7 == 0)
    new = old.copy()
    new[np.flatnonzero(old != y)[[3, 20, 41, 77, 101]]] ^= True
    return y.astype(int), {"new": new.astype(int), "old": old.astype(int)}


def test_probabilities_are_those_of_the_exact_test_that_decides():
    y, said = five_rows_better()
    found = tm.evaluate(y, said).compare(metric="accuracy", permutations=0)
    (v,) = found.verdicts
    assert v.p_value == 2 / 2**5
    assert found.ranks == {
        "new": pytest.approx((1 - v.p_value / 2, v.p_value / 2)),
        "old": pytest.approx((v.p_value / 2, 1 - v.p_value / 2)),
    }
    # A lead beyond a margin is no more probable than any lead.
    chances = [
        tm.evaluate(y, said).compare(metric="accuracy", margin=m, permutations=0)
        .verdicts[0].probabilities[0] for m in (0.0005, 0.002, 0.01)
    ]  # fmt: skip
    assert chances[0] == pytest.approx(1 - v.p_value / 2)
    assert chances == sorted(chances, reverse=True)
    assert "all 5 rows that differ favour new (exact p = 0.0625); accuracy of new" in str(v)


def test_equal_rankings_name_the_model_with_the_better_probabilities():
    rng = np.random.default_rng(2)
    y = (rng.random(400) < 0.35).astype(int)
    good = 1 / (1 + np.exp(-rng.normal(1.2 * y - 1, 1)))
    found = tm.evaluate(y, y_score={"sharp": good**4, "good": good}).compare(permutations=0)
    assert found.ranks == {}
    d = found.pair("sharp", "good").differences["brier"]
    lead, low, high = sorted((abs(d.low), abs(d.value), abs(d.high)))
    told = " ".join(str(found).split())
    assert "Probability of being best" not in told
    assert (
        f"- good is better than sharp: Brier score lower by {quantities.to_width(low, lead, high)[0]} ({quantities.between(lead, high)}), p"
    ) in told


def test_a_verdict_says_that_an_unused_id_repeats():
    y, p = models(300, a=0.8, b=1.6)
    rows = {"truth": y, **p, "centre": np.arange(300) // 5 % 30}
    options = {"truth": "truth", "score": ["a", "b"]}
    told = "; this holds if rows are independent, but `centre` repeats (up to 10 rows): use cluster"
    for column, wanted in ((None, True), ("centre", False)):
        ev = tm.evaluate(pd.DataFrame(rows), **options, **({"cluster": column} if column else {}))
        found = ev.compare(permutations=0)
        assert (told in str(found.verdicts[0])) is wanted
        assert (told in str(found.verdict("a", "b", "brier"))) is wanted
        lead = [s.text for s in ev.advise().statements if s.section == "order"]
        assert any(told in text for text in lead) is wanted


def test_samples_say_that_an_unused_id_repeats():
    y, p = models(300, a=0.8, b=1.6)
    rows = {"truth": y, "a": p["a"], "centre": np.arange(300) // 5}
    sides = [
        tm.evaluate(pd.DataFrame({**rows, **more}), truth="truth", score="a")
        for more in ({}, {"a": p["b"], "centre": np.arange(300)})
    ]
    notes = sides[0].compare_with(sides[1], called=("north", "south")).notes
    assert notes == (
        "north: 5.0 rows per `centre` on average (max 5); intervals assume independent rows. Use "
        "cluster='centre'",
    )


def test_one_metric_decides_headline_verdict_and_subgroups():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 3, 150)
    said = {m: np.where(rng.random(150) < q, y, 0) for m, q in (("a", 0.8), ("b", 0.5))}
    ev = tm.evaluate(y, said, subgroup={"room": np.arange(150) % 2})
    c = ev.compare(permutations=0)
    values = {m: matthews_corrcoef(y, said[m]) for m in "ab"}
    first, second = sorted(values, key=values.get, reverse=True)
    assert c.verdicts[0].metric == "matthews_corrcoef"
    told = verdict_sentence(ev)
    assert told.startswith(f"{first} has the highest Matthews correlation, {values[first]:.2f} (95")
    assert f"; next is {second} with {values[second]:.2f}. " in told
    assert {f.difference.metric for f in ev.leaders()} == {"matthews_corrcoef"}


def test_clusters_are_what_more_of_is_needed():
    y, p = models(300, a=1.0, b=1.1)
    ev = tm.evaluate(y, y_score=p, cluster=np.arange(300) % 40)
    (v,) = ev.compare(least=0.02, permutations=0).verdicts
    wanted = rounded_up(v.needed["superiority"] * 40 / 300)
    assert f"about {wanted:,} clusters of this size show a true difference of 0.02" in str(v)
    assert "(here are 40)" in str(v)


@pytest.mark.slow
def test_ranks_of_several_models_are_shares_of_joint_draws():
    y, p = models(700, a=0.9, b=1.0, c=1.1)
    found = compared(y, {**p, "d": p["c"] ** 2}, metric="roc_auc")
    table = np.array([found.ranks[m] for m in "abcd"])
    np.testing.assert_allclose(table.sum(0), 1)
    np.testing.assert_allclose(table.sum(1), 1)
    # d ranks as c does: they share every rank.
    np.testing.assert_allclose(table[2], table[3])
    # A slow twin: rows drawn one by one.
    ranks, rng = np.zeros((3, 3)), np.random.default_rng(5)
    for _ in range(400):
        some = rng.integers(0, len(y), len(y))
        area = [roc_auc(y[some], p[m][some]) for m in "abc"]
        for model, rank in enumerate(np.argsort(np.argsort(-np.array(area)))):
            ranks[model, rank] += 1 / 400
    ours = compared(y, p, metric="roc_auc").ranks
    np.testing.assert_allclose(np.array([ours[m] for m in "abc"]), ranks, atol=0.08)


@pytest.mark.slow
def test_a_table_says_how_often_it_marks_any_difference_by_chance():
    y, p = models(400, a=1.0, b=1.05)
    one = compared(y, p, metrics=["roc_auc"]).table_error
    assert (one.tests, one.each, one.bound) == (1, pytest.approx(0.05), False)
    assert one.any == pytest.approx(0.05, abs=0.002)
    # Gini is the ROC area on another scale, and adds no false positive; other metrics do.
    twice = compared(y, p, metrics=["roc_auc", "gini_coefficient"]).table_error
    assert twice.any == pytest.approx(one.any, abs=0.002)
    several = compared(y, p, metrics=["roc_auc", "sensitivity", "specificity", "brier"])
    assert 0.08 < several.table_error.any <= 1 - 0.95**4 + 0.01
    told = " ".join(str(several).split())
    assert "4 differences, each at 5 %: if nothing differs" in told
    assert f"at least one in about {100 * several.table_error.any:.0f} %" in told


@pytest.mark.slow
def test_draws_never_claim_more_than_they_can_show():
    y, p = models(2000, poor=0.3, good=1.8)
    drawn = ("f1", "calibration_slope", "h_measure")
    found = compared(y, p, metrics=["roc_auc", *drawn], permutations=99)
    (pair,) = found.pairs
    for name in drawn:
        d = pair.differences[name]
        assert d.draws == 2000
        assert d.p_at_most
        assert d.p_value >= 2 / 2001
        assert difference_cells(d)[-1] in ("≤ 0.001", "≤ 0.0011")
    assert not pair.differences["roc_auc"].p_at_most
    assert pair.differences["roc_auc"].draws == 0
    assert "permutation of roc_auc, midranks: p ≤ 0.01" in str(found)
    ev = tm.evaluate(y, y_score=p)
    few = tm.test("f1", ev.model("good"), ev.model("poor"))
    assert few.p_at_most
    assert "p ≤ 0.001" in str(few)


@pytest.mark.slow
def test_the_verdict_by_another_metric_is_of_the_same_differences():
    y, p = models(600, a=0.8, b=1.0, c=1.3)
    found = compared(y, p)
    pairs = [x.differences["f1"].p_value for x in found.pairs]
    place = [{x.first, x.second} for x in found.pairs].index({"a", "c"})
    one = found.pairs[place]
    by_f1 = found.verdict(one.first, one.second, "f1")
    assert by_f1.p_value == holm(np.array(pairs))[place]
    assert by_f1.difference is one.differences["f1"]
    turned = found.verdict(one.second, one.first, "f1")
    assert (turned.p_value, str(turned)) == (by_f1.p_value, str(by_f1))
    assert turned.difference.value == -by_f1.difference.value
    assert found.verdict(one.first, one.second) is one.verdict
    with pytest.raises(InputError, match="brier was not compared; there are roc_auc"):
        found.verdict("a", "c", "brier")


@pytest.mark.slow
def test_false_claims_over_five_pairs_keep_their_level():
    # Five candidates, each exactly as much worse as the margin allows: every claim is false.
    metric, margin, runs = get("accuracy"), 0.05, 2000
    rng = np.random.default_rng(0)
    errors = 0.02 * rng.uniform(0.5, 1.5, (runs, 5))
    gaps = -margin + errors * rng.normal(size=(runs, 5))
    names = [(f"m{i}", "old") for i in range(5)]
    claims = {"any": 0, "naive": 0}
    for gap, error in zip(gaps, errors, strict=True):
        found = [
            Difference("accuracy", 0.8 + g, 0.8, g - 1.959964 * e, g + 1.959964 * e, 0.95, "normal",
                       math.erfc(abs(g / e) / math.sqrt(2)), "normal")
            for g, e in zip(gap, error, strict=True)
        ]  # fmt: skip
        verdicts = judge(Differences(metric, names, found, 0.95), rows=(500,), margin=margin)
        claims["any"] += any(v.shown("equivalence") for v in verdicts) or any(
            v.better != "old" and v.shown("non-inferiority") for v in verdicts
        )
        claims["naive"] += bool((gap - 1.644854 * error > -margin).any())
    assert claims["any"] / runs <= 0.025 + 3 * math.sqrt(0.025 * 0.975 / runs)
    assert claims["naive"] / runs > 0.15


def test_models_that_say_the_same_are_alike():
    y, p = models(a=1.0)
    (v,) = compared(y, {"a": p["a"], "b": p["a"].copy()}).verdicts
    assert v.kind == "alike"
    assert str(v) == "a and b predict the same for every row"


@pytest.mark.slow
def test_models_with_equal_scores_and_other_decisions_are_not_alike():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 200), rng.random(200)
    decided = {"a": (s >= 0.3).astype(int), "b": (s >= 0.6).astype(int)}
    compared_ = tm.evaluate(y, decided, y_score={"a": s, "b": s.copy()}).compare
    (v,) = compared_(metric="roc_auc").verdicts
    assert v.kind == "same ranking"
    assert "predict the same" not in str(v)
    (v,) = compared_(metric="accuracy").verdicts
    assert v.kind != "alike"
    (v,) = (
        tm.evaluate(y, dict.fromkeys("ab", decided["a"]), y_score={"a": s, "b": s**2})
        .compare(metric="accuracy")
        .verdicts
    )
    assert str(v) == "a and b decide every row the same"


@pytest.mark.parametrize(
    ("low", "p", "pairs", "kind"),
    [
        (0.001, 0.04, 1, "better"), (-0.001, 0.04, 1, "undecided"), (0.001, 0.06, 1, "undecided"),
        (0.001, 0.04, 2, "undecided"), (0.001, 0.02, 2, "better"),
    ],
)  # fmt: skip
def test_better_needs_the_interval_and_the_corrected_p_value(low, p, pairs, kind):
    d = Difference("accuracy", 0.84, 0.8, low, 0.08, 0.95, "Newcombe, paired", p, "McNemar, mid-p")
    chance = replace(d, low=-0.04, p_value=0.9)
    names = [("a", "b"), ("a", "c")][:pairs]
    found = Differences(get("accuracy"), names, [d, chance][:pairs], 0.95)
    first, *_ = judge(found, rows=(500,))
    assert first.kind == kind


@pytest.mark.slow
def test_the_area_decides_where_all_models_have_scores():
    y, p = models(200, a=1.0, b=1.2)
    assert tm.evaluate(y, y_score=p).compare(permutations=0).metric == "roc_auc"
    said = {name: (s > 0.5).astype(int) for name, s in p.items()}
    one = tm.evaluate(y, said, y_score={"a": p["a"]})
    for ev in (tm.evaluate(y, said), one):
        assert ev.compare(permutations=0).metric == "matthews_corrcoef"


@pytest.mark.parametrize(("level", "alpha"), [(0.95, 0.05), (0.9, 0.1)])
@pytest.mark.slow
def test_a_margin_is_asked_at_half_of_the_level(level, alpha):
    y, p = models(500, a=1.0, b=1.05)
    for margin in (0.01, 0.02, 0.04):
        (v,) = (
            tm.evaluate(y, y_score=p, level=level).compare(permutations=0, margin=margin).verdicts
        )
        alphas = [a.alpha for a in v.answers]
        assert alphas == pytest.approx([alpha, alpha / 2, alpha / 2])
        _, low, high = v.lead  # of this level
        assert v.shown("equivalence") == (-margin < low and high < margin)
        assert v._answer("superiority").p_value == pytest.approx(v.difference.p_value)


def test_an_undefined_metric_gives_no_verdict():
    ev = tm.evaluate([0, 0, 1, 1], {"a": [0, 0, 0, 0], "b": [0, 1, 1, 1]})
    (v,) = ev.compare(metric="precision", permutations=0).verdicts
    assert v.kind == "undefined"
    assert "cannot be compared by precision" in str(v)


@pytest.mark.slow
def test_several_pairs_are_corrected_by_holm():
    y, p = models(a=0.8, b=1.0, c=1.3)
    found = compared(y, p)
    assert len(found.pairs) == 3
    plain = sorted(x.differences["roc_auc"].p_value for x in found.pairs)
    corrected = sorted(v.p_value for v in found.verdicts)
    assert corrected[0] == pytest.approx(min(3 * plain[0], 1))
    assert [t.name for t in found.overall] == [
        "Cochran's Q",
        "DeLong's test of all ROC areas, Hotelling's T²",
    ]


@pytest.mark.slow
def test_one_model_may_be_what_all_are_compared_with():
    y, p = models(a=0.8, b=1.0, c=1.3)
    found = compared(y, p, "b")
    assert [(x.first, x.second) for x in found.pairs] == [("a", "b"), ("c", "b")]


def test_the_tests_of_decisions_are_named():
    y, p = models(a=0.8, b=1.3)
    names = [t.name for t in compared(y, p, permutations=50).pairs[0].tests]
    assert names == [
        "McNemar, mid-p", "McNemar, exact", "McNemar, chi-square", "McNemar, corrected",
        "Hanley-McNeil, paired", "permutation of roc_auc, midranks",
    ]  # fmt: skip


def test_grouped_ranks_are_named():
    y, p = models(a=0.8, b=1.3)
    test = compared(y, p, metric="average_precision", permutations=50).pairs[0].tests[-1]
    assert test.name == (
        "permutation of average_precision, midranks in 40 groups, coarser than the scores"
    )


def test_many_classes_have_tests_of_the_whole_table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    a = np.where(rng.random(300) < 0.7, y, rng.integers(0, 3, 300))
    b = np.where(rng.random(300) < 0.5, y, rng.integers(0, 3, 300))
    found = tm.evaluate(y, {"a": a, "b": b}).compare(permutations=200)
    assert found.metric == "matthews_corrcoef"
    names = [t.name for t in found.pairs[0].tests]
    assert names[4:] == ["Bowker", "Stuart-Maxwell", "permutation of matthews_corrcoef"]
    assert found.pairs[0].tests[-1].p_value < 0.05
    assert found.verdicts[0].kind == "better"


@pytest.mark.slow
def test_the_influence_of_rows_is_told_in_the_legend():
    y = np.array([0, 1, 2] * 20)
    rng = np.random.default_rng(0)
    p = {m: rng.dirichlet(np.ones(3), 60) for m in "ab"}
    told = " ".join(str(tm.evaluate(y, y_score=p).compare(permutations=0).pairs[0]).split())
    assert "each row for average precision and means over rows (Student's t corrected for" in told


def test_weights_leave_out_the_tests_of_rows():
    y, p = models(a=0.8, b=1.3)
    ev = tm.evaluate(y, y_score=p, weight=np.linspace(0.5, 2, len(y)))
    found = ev.compare(metrics=METRICS, permutations=10)
    assert [t.reason for t in found.pairs[0].tests] == [
        "rows have weights, clusters or another class balance"
    ]
    assert found.pairs[0].differences["accuracy"].method.startswith("bootstrap of the rows")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"against": "c"}, "there is no model 'c'"),
        (
            {"metric": "prevalence"},
            "prevalence does not rank models: neither high nor low is better",
        ),
        ({"metric": "nonsense"}, "nonsense"),
        ({"metrics": ["nonsense"]}, "nonsense"),
        ({"metric": "top_k_accuracy"}, "has no top_k_accuracy; choose another metric"),
        ({"margin": 0.0}, "margin is 0.0; give a number above 0"),
        ({"margin": -1.0}, "margin is -1.0; give a number above 0"),
        ({"margin": math.inf}, "margin is inf; give a number above 0"),
        ({"least": -0.1}, "least is -0.1; give a number above 0: the smallest difference that"),
    ],
)
def test_what_cannot_be_compared_is_refused(options, message):
    y, p = models(60, a=0.8, b=1.3)
    ev = tm.evaluate(y, {m: (v > 0.5).astype(int) for m, v in p.items()})
    with pytest.raises(InputError, match=message):
        ev.compare(**options)


@pytest.mark.parametrize(("names", "message"), [
    (("a", "c"), "'a' and 'c' were not compared; there are 'a' and 'b', 'c' and 'b'"),
    (("a", "a"), "first and second are both 'a'; name two models"),
    (("a", "d"), "there is no model 'd'; there are 'a', 'b', 'c'"),
])  # fmt: skip
def test_a_pair_that_was_not_compared_is_refused(names, message):
    y, p = models(60, a=0.8, b=1.3, c=1.0)
    with pytest.raises(InputError) as refused:
        compared(y, p, "b").pair(*names)
    assert str(refused.value) == message


def two_sites():
    y, p = models(300, seed=3, a=0.7, b=1.2)
    z, q = models(500, seed=4, a=1.0, b=1.1)
    return tm.evaluate(y, y_score=p).compare_with(tm.evaluate(z, y_score=q))


def two_label_models():
    rng = np.random.default_rng(2)
    truth = rng.random((200, 3)) < 0.4
    answers = {m: np.where(rng.random(truth.shape) < off, ~truth, truth) for m, off in
               {"a": 0.1, "b": 0.2, "c": 0.13}.items()}  # fmt: skip
    return tm.evaluate(truth.astype(int), {m: x.astype(int) for m, x in answers.items()}).compare()


def of_three_classes():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 300)
    predicted = {m: np.where(rng.random(300) < off, rng.integers(0, 3, 300), y) for m, off in
                 {"a": 0.3, "b": 0.45, "c": 0.4}.items()}  # fmt: skip
    return tm.evaluate(y, predicted).compare()


def of_equal_models():
    y, p = models(80, a=0.8, b=1.4)
    return compared(y, p | {"c": p["a"], "d": p["b"] ** 2}, metrics=["log_loss", "brier", "f1"])


ANY_ORDER = [
    lambda: compared(*models(400, a=0.8, b=1.3, c=1.0), metrics=None, margin=0.01, least=0.02),
    lambda: compared(*models(90, a=0.9, b=1.3, c=1.0), metric="log_loss", permutations=50),
    lambda: compared(*models(40, a=1.1, b=1.2), metric="accuracy", margin=0.1),
    lambda: compared(*models(200, a=0.8, b=1.3, c=1.0), "b", metrics=["positive_likelihood_ratio", "accuracy"]),
    two_sites, two_label_models, of_three_classes, of_equal_models,
]  # fmt: skip


def opposite(x):
    """Return a number or an interval of the first less the second as one of the second less it."""
    return tuple(0.0 - b for b in x[::-1]) if isinstance(x, tuple) else 0.0 - x


@pytest.mark.parametrize("made", ANY_ORDER)
def test_a_pair_is_the_opposite_of_the_pair_of_exchanged_models(made):
    found = made()
    for p in found.pairs:
        back = found.pair(p.second, p.first)
        assert (back.first, back.second) == (p.second, p.first)
        assert back.differences.keys() == p.differences.keys()
        for name, d in p.differences.items():
            turned = back.differences[name]
            np.testing.assert_equal(turned.value, opposite(d.value))
            np.testing.assert_equal((turned.low, turned.high), opposite((d.low, d.high)))
            assert (turned.first_value, turned.second_value) == pytest.approx(
                (d.second_value, d.first_value), abs=0, nan_ok=True
            )
            np.testing.assert_equal(turned.p_value, d.p_value)
            assert str(found.verdict(p.second, p.first, name)) == str(
                found.verdict(p.first, p.second, name)
            )
            of_metric = found.verdict(p.second, p.first, name).difference
            np.testing.assert_equal(of_metric.to_dict(), turned.to_dict())
        for test, turned in zip(p.tests, back.tests, strict=True):
            signed = "z = " in str(test)
            expected = opposite(test.statistic) if signed else test.statistic
            np.testing.assert_equal(turned.statistic, expected)
            assert (turned.name, turned.reason) == (test.name, test.reason)
            np.testing.assert_equal(turned.p_value, test.p_value)
        v, of_back = p.verdict, back.verdict
        assert str(of_back) == str(v)
        assert (of_back.better, of_back.kind) == (v.better, v.kind)
        for name in ("lead", "probabilities", "answers"):
            assert repr(getattr(of_back, name)) == repr(getattr(v, name))
        np.testing.assert_equal(
            of_back.difference.to_dict(), back.differences[found.metric].to_dict()
        )
        np.testing.assert_equal(found.pair(back.second, back.first).to_dict(), p.to_dict())


def test_the_order_asked_for_decides_the_sign():
    found = compared(*models(400, a=0.8, b=1.3, c=1.0))
    area = {(x, y): found.pair(x, y).differences["roc_auc"] for x in "abc" for y in "abc" if x != y}
    assert area["b", "a"].value > 0.05
    assert area["a", "b"].value < -0.05
    assert area["a", "b"].high < 0 < area["b", "a"].low
    assert area["a", "b"].low == -area["b", "a"].high
    tests = {names: found.pair(*names).tests for names in (("a", "b"), ("b", "a"))}
    z = {names: next(t.statistic for t in of if "z = " in str(t)) for names, of in tests.items()}
    assert z["b", "a"] > 2
    assert z["a", "b"] == -z["b", "a"]


def test_curves_that_cross_are_turned_with_their_pair():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 400)
    steep = np.where((y == 1) & (rng.random(800) < 0.5), 0.95, rng.random(800) * 0.9)
    even = rng.normal(size=800) + 1.2 * y
    c = tm.evaluate(y, y_score={"even": 1 / (1 + np.exp(-even)), "steep": steep}).compare(
        permutations=0
    )
    (p,) = c.pairs
    back = c.pair(p.second, p.first).crossing
    assert p.crossing is not None
    assert back.shown == p.crossing.shown
    assert (back.first, back.second) == (p.crossing.second, p.crossing.first)
    data, turned = p.crossing.to_dict(), back.to_dict()
    for each in ("leads", "at"):
        assert data[each][0] != data[each][1]
        assert turned.pop(each) == data.pop(each)[::-1]
    assert turned == data
    v = c.pair(p.second, p.first).verdict
    assert (v.crossing is None) == (p.verdict.crossing is None)


def test_the_json_holds_what_the_text_says():
    y, p = models(a=0.8, b=1.3)
    found = compared(y, p)
    data = found.to_dict()
    (pair,) = data["pairs"]
    assert pair["verdict"]["text"] == str(found.verdicts[0])
    assert pair["differences"]["f1"]["value"] == found.pairs[0].differences["f1"].value
    assert data["models"] == ["a", "b"]
    assert data["overall"] == []


def test_a_difference_without_an_interval_decides_nothing():
    d = Difference("f1", 0.8, 0.7, method="no interval: none")
    v = Verdict("undecided", "f1", "a", "b", d, rows=10)
    assert (
        pair_verdict(v) == "undecided between a and b: F1 of a higher by 0.100, without an interval"
    )


# -- the same ranking --------------------------------------------------------------------------

ORDERED = [m for m in METRICS_OF_ALL.values() if m._scoring.order and not m._role]


def mapped(n=600, ties=1, **options):
    """Make a model, and the same after an increasing map that moves every probability."""
    y, p = models(n, a=1.0)
    a = np.round(p["a"] * ties) / ties if ties > 1 else p["a"]
    return tm.evaluate(y, y_score={"a": a, "b": np.sqrt(a) / 2}, threshold=0.4, **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ties": 20},
        {"n": 5000},
        {"weight": np.random.default_rng(1).uniform(0.1, 3, 600)},
        {"cluster": np.arange(600) // 4},
    ],
    ids=["plain", "tied", "more rows than blocks", "weighted", "clustered"],
)
@pytest.mark.slow
def test_an_increasing_map_leaves_every_rank_metric_exactly_where_it_is(options):
    found = mapped(**options).compare(metrics=ORDERED, permutations=0)
    (v,) = found.verdicts
    assert v.kind == "same ranking"
    assert {d.metric for d in found.pairs[0].differences.values()} >= {
        m.name for m in ORDERED if m._needs == "ranking"
    }
    for name, d in found.pairs[0].differences.items():
        if get(name)._needs == "ranking" and not d.reason:
            assert (d.value, d.low, d.high, d.p_value) == (0, 0, 0, 1), name
            assert d.method == "same ranking, ties included"
    assert str(v) == (
        "a and b have the same ranking: they order and tie all rows the same, so ROC "
        "area and every other rank metric are equal; compare their probabilities or their "
        "decisions to choose one"
    )


@pytest.mark.slow
def test_the_same_ranking_holds_at_another_class_balance_and_for_both_verbs():
    ev = mapped().at(prevalence=0.05)
    assert ev.compare(metric="average_precision", permutations=0).verdicts[0].kind == "same ranking"
    d = tm.interval("average_precision", ev.model("b"), ev.model("a"))
    assert (d.value, d.low, d.high) == (0, 0, 0)
    assert tm.test("roc_auc", ev.model("a"), ev.model("b"), margin=0.001).p_value < 1e-9


@pytest.mark.slow
def test_what_reads_the_scores_or_decisions_still_differs():
    pair = mapped().compare(
        metrics=["decidability", "log_loss", "accuracy"], permutations=0
    ).pairs[0]  # fmt: skip
    for name in ("decidability", "log_loss", "accuracy"):
        d = pair.differences[name]
        assert d.value != 0
        assert d.high > d.low
    (v,) = mapped().compare(metric="log_loss", permutations=0).verdicts
    assert v.kind == "better"


@pytest.mark.parametrize("change", ["breaks a tie", "makes a tie", "swaps two positives", "falls"])
def test_nearly_the_same_ranking_is_not_the_same(change):
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 50)
    a = np.round(rng.random(100) * 30) / 30
    b = a**2
    of_one = np.flatnonzero((y == 1) & (a == a[y == 1].max()))
    if change == "breaks a tie":
        tied = next(v for v in np.unique(a[y == 1]) if (a[y == 1] == v).sum() > 1)
        b[np.flatnonzero((y == 1) & (a == tied))[0]] += 1e-6
    elif change == "makes a tie":
        low, high = np.unique(a)[:2]
        b[a == low] = high**2
    elif change == "swaps two positives":
        other = np.flatnonzero((y == 1) & (a == a[y == 1].min()))
        b[of_one[0]], b[other[0]] = b[other[0]], b[of_one[0]]
    else:
        b = 1 - b
    (v,) = compared(y, {"a": a, "b": b}).verdicts
    assert v.kind not in ("same ranking", "alike")
    assert v.difference.high > v.difference.low


@pytest.mark.slow
def test_columns_of_many_classes_have_the_same_ranking_one_by_one():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    a = rng.random((300, 3)) + np.eye(3)[y]
    b = np.stack([a[:, 0] ** 2, np.exp(a[:, 1]), a[:, 2] * 5 - 1], 1)
    metrics = ["roc_auc", "hand_till_auc", "provost_domingos_auc", "top_k_accuracy"]
    found = tm.evaluate(y, y_score={"a": a, "b": b}, reading={"score_is": "score"}).compare(
        metric="roc_auc", metrics=metrics, permutations=0
    )
    assert found.verdicts[0].kind == "same ranking"
    for name, d in found.pairs[0].differences.items():
        if name == "top_k_accuracy":  # it compares the columns of a row with each other
            assert d.high > d.low
        else:
            assert (d.value, d.low, d.high) == (0, 0, 0), name


@pytest.mark.slow
def test_the_page_names_no_leader_of_one_ranking():
    said = verdict_sentence(mapped())
    assert said.startswith("a and b have the same ranking of all rows: ROC area 0.")
    assert "highest" not in said


# -- curves that cross -------------------------------------------------------------------------


def crossed(n=4000, seed=0):
    """Make one model that is sure of few positives, and one that spares few negatives."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.5).astype(int)
    early = rng.normal(size=n)
    early[(y == 1) & (rng.random(n) < 0.5)] += 4
    late = rng.normal(size=n)
    late[(y == 0) & (rng.random(n) < 0.5)] -= 4
    return y, {"early": early, "late": late}


@pytest.mark.slow
def test_curves_that_cross_are_said_to_cross_and_where():
    y, p = crossed()
    found = compared(y, p).pairs[0].crossing
    assert found is not None
    assert found.shown
    assert found.below == "early"
    (place,) = found._places
    curves = {m: tm.evaluate(y, y_score=p[m], threshold=0.0).curve("roc") for m in p}
    at = [np.interp(place, c.x, c.y) for c in curves.values()]
    assert at[0] == pytest.approx(at[1], abs=0.02)
    assert "cross at a false positive rate of" in str(found)
    assert "early leads at false positive rates of" in str(found)
    assert min(found._leads) > 0.1


@pytest.mark.slow
def test_of_curves_that_cross_beyond_chance_no_model_is_the_winner():
    y, p = crossed()
    p["late"][y == 1] += 0.4  # now its area is larger by more than chance
    (pair,) = compared(y, p).pairs
    v, c = pair.verdict, pair.crossing
    assert pair.differences["roc_auc"].p_value < 0.001
    assert (v.kind, v.crossing) == ("crossing", c)
    assert "better" not in str(v)
    assert str(v).startswith(
        "no single winner between late and early: their ROC curves cross beyond chance "
        "(simultaneous 95 % band); early leads at false positive rates of"
    )
    assert "choose early where false alarms are costly or positives rare, late where" in str(v)
    assert str(c.regions[0].high)[:4] in str(v)
    # By a metric read at one threshold there is a winner, and the curves are a note beside it.
    (pair,) = compared(y, p, metric="sensitivity").pairs
    assert pair.verdict.kind == "better"
    assert pair.crossing.shown


@pytest.mark.slow
def test_advice_and_page_speak_of_the_same_crossing():
    y, p = crossed()
    ev = tm.evaluate(y, y_score=p, threshold=0.0)
    c = ev._compared.pairs[0].crossing
    (said,) = [x for x in ev.advise(use="ranking").statements if x.rule == "curves-cross"]
    assert f"but their ROC curves cross beyond chance: {leads(c)}." in said.text
    assert leads(c) in verdict_sentence(ev)
    assert ev._compared.verdict("early", "late", "roc_auc").crossing == c


def test_the_regions_are_where_the_band_of_the_lead_leaves_out_0():
    y, p = crossed()
    c = compared(y, p).pairs[0].crossing
    assert [r.leader for r in c.regions] == ["early", "late"]
    curves = {m: tm.evaluate(y, y_score=p[m], threshold=0.0).curve("roc") for m in p}
    for r in c.regions:
        other = next(m for m in p if m != r.leader)
        at = np.linspace(r.low, r.high, 20)
        mine, its = (np.interp(at, curves[m].x, curves[m].y) for m in (r.leader, other))
        assert (mine > its).all()
        here = [float(np.interp(r.at, curves[m].x, curves[m].y)) for m in (r.leader, other)]
        assert r.lead == pytest.approx(here[0] - here[1], abs=1e-9)
        assert 0 < r.bounds[0] < r.lead < r.bounds[1]
        assert r.low <= r.at <= r.high
    assert c._led_by("early")[-1].high < c._places[0] < c._led_by("late")[0].low


@pytest.mark.slow
def test_several_pairs_share_the_level_of_their_bands():
    y, p = crossed(1000)
    p["third"] = p["early"] + p["late"]
    found = compared(y, p)
    c = found.pair("early", "late").crossing
    assert c.level == pytest.approx(1 - 0.05 / 3)
    assert "simultaneous 98.3 % band" in str(found.pair("early", "late").verdict)


@pytest.mark.parametrize("seed", [3, 14, 17])
@pytest.mark.slow
def test_equal_models_that_seem_to_cross_are_not_said_to(seed):
    """A pointwise interval calls these crossing, as it does 5 to 18 % of pairs of equal models."""
    y, p = models(800, seed, a=1.0, b=1.0)
    assert not compared(y, p, metrics=["roc_auc"]).pairs[0].crossing.shown


def test_one_curve_above_the_other_crosses_nowhere():
    assert compared(*models(3000, a=0.3, b=1.6)).pairs[0].crossing is None


def test_a_crossing_of_few_rows_may_be_chance():
    y, p = models(60, a=1.0, b=1.0)
    found = compared(y, p).pairs[0].crossing
    assert found is not None
    assert not found.shown
    assert "both leads may be chance" in str(found)


def test_many_places_are_listed():
    y, p = crossed()
    found = compared(y, p).pairs[0].crossing
    several = replace(found, _places=(0.1, 0.2))
    assert "cross at false positive rates of 0.1, 0.2, early ahead first" in str(several)
    assert found.to_dict()["places"] == list(found._places)


def test_a_verdict_of_few_rows_says_so():
    y = [1] * 4 + [0] * 60
    rng = np.random.default_rng(2)
    ev = tm.evaluate(y, y_score={"a": rng.random(64) + y, "b": rng.random(64)})
    (verdict,) = ev.compare(permutations=0).verdicts
    assert "(with care: a class has fewer than 5 rows)" in str(verdict)


def test_a_lead_that_changes_at_the_very_start_changes_beyond_0():
    # The first finds more before the first false alarm, the second from then on.
    y = np.repeat([1, 0], [100, 400])
    first = np.concatenate([np.full(50, 0.9), np.full(50, 0.1), np.linspace(0.2, 0.8, 400)])
    second = np.concatenate([np.full(20, 0.9), np.full(75, 0.795), np.full(5, 0.1),
                             np.linspace(0.2, 0.8, 400)])  # fmt: skip
    (pair,) = tm.evaluate(y, y_score={"first": first, "second": second})._compared.pairs
    (place,) = pair.crossing._places
    assert 0 < place < 0.02
    assert pair.crossing.below == "first"


def test_models_on_rows_of_one_class_are_compared_without_a_warning():
    y = [0] * 30
    found = tm.evaluate(y, y_score={m: np.linspace(0, 1, 30) ** i for i, m in enumerate("abc")})
    assert {v.kind for v in found._compared.verdicts} <= {
        "undecided",
        "undefined",
        "better",
        "alike",
    }
    delong = found._compared.overall[-1]
    assert delong.reason == "a class has fewer than two rows"


def test_named_models_are_compared_alone_with_the_same_numbers():
    y, p = models(poor=0.5, good=1.6, best=1.9)
    ev = tm.evaluate(y, y_score=p)
    every = ev.compare(permutations=0).pair("best", "good")
    found = ev.compare("good", "best", permutations=0)
    (alone,) = found.pairs
    assert found.names == ("good", "best")
    assert {c.model for c in found.cheapest} <= {"good", "best"}
    assert (alone.first, alone.second) == ("best", "good")
    assert (alone.differences, alone.tests) == (every.differences, every.tests)
    assert alone.verdict.p_value == every.differences["roc_auc"].p_value
    (against,) = ev.compare("good", against="best", permutations=0).pairs
    assert (against.first, against.second) == ("good", "best")
    three = ev.compare("good", "best", "poor", permutations=0)
    assert three.to_dict() == ev.compare(permutations=0).to_dict()
    against = [(p.first, p.second) for p in ev.compare("good", permutations=0).pairs]
    assert against == [("poor", "good"), ("best", "good")]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            ("good", "good"),
            "the model 'good' is named twice; name different models, as in ev.compare('a', 'b')",
        ),
        (("good", "none"), "there is no model 'none'; there are 'poor', 'good'"),
        (("roc_auc",), "'roc_auc' is a metric; say ev.compare(metric='roc_auc')"),
        (
            (["good", "poor"],),
            "models is ['good', 'poor']; give names of models, each by itself: "
            "ev.compare('a', 'b')",
        ),
    ],
)
def test_models_that_cannot_be_compared_are_refused(names, message):
    y, p = models(60, poor=0.5, good=1.6)
    with pytest.raises(InputError) as refused:
        tm.evaluate(y, y_score=p).compare(*names)
    assert str(refused.value) == message


def test_models_are_compared_at_the_costs_that_were_stated():
    y = np.array([1] * 100 + [0] * 300)
    first = np.array([1] * 60 + [0] * 40 + [1] * 30 + [0] * 270)
    second = np.array([1] * 90 + [0] * 10 + [1] * 120 + [0] * 180)
    ev = tm.evaluate(y, {"first": first, "second": second})
    plain = ev.compare(metric="expected_cost")
    assert (plain.costs, plain.pairs[0].first) == (None, "first")
    at = ev.at(cost_fp=2, cost_fn=15)
    c = at.compare(metric="expected_cost")
    d = c.pair("second", "first").differences["expected_cost"]
    costs = (10 * 15 + 120 * 2) / 400, (40 * 15 + 30 * 2) / 400
    assert (d.first_value, d.second_value) == pytest.approx(costs)
    each = [np.where(y == 1, 15, 2) * (y != said) for said in (second, first)]
    error = (each[0] - each[1]).std() / 20
    assert d.value == pytest.approx(costs[0] - costs[1])
    assert (d.low, d.high) == pytest.approx(
        (d.value - 1.96 * error, d.value + 1.96 * error), rel=0.1
    )
    assert at.model("first")["expected_cost"].value == pytest.approx(costs[1])
    assert at.values()["first"]["expected_cost"].value == pytest.approx(costs[1])
    assert str(c).splitlines()[0] == "Verdicts by expected cost, false alarm 2 : missed 15"
    assert c.costs == c.to_dict()["costs"] == {"cost_fp": 2, "cost_fn": 15}
    assert at.compare(metric="accuracy", metrics=[]).costs is None
    other = tm.evaluate(y[::-1], {"first": first[::-1]})
    unpaired = at.model("second").compare_with(other, metric="expected_cost")
    assert unpaired.costs == at.costs
    d = unpaired.pairs[0].differences["expected_cost"]
    assert (d.first_value, d.second_value) == pytest.approx(costs)


def test_metrics_that_divide_by_costs_are_not_listed_at_a_cost_of_0():
    ev = tm.evaluate([1, 1, 0, 0, 0], [1, 0, 1, 0, 0]).at(cost_fp=0, cost_fn=3)
    assert ev["expected_cost"].value == pytest.approx(3 / 5)
    assert "normalized_expected_cost" not in ev.values()["model"]
    with pytest.raises(tm.InputError, match="a cost of 0 makes the denominator 0"):
        ev["normalized_expected_cost"]
