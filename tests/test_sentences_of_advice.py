"""Whole sentences of advice, subgroups, thresholds, plans and warnings, their numbers computed apart.

A bound that only tallymark's own method gives is written out; all else follows from NumPy and SciPy.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, brunnermunzel, chi2, norm
from scipy.stats import t as student

import tallymark as tm
from asymmetric import (
    FIRST,
    ILL,
    LEVEL,
    SECOND,
    SITE,
    TRUTH,
    WEIGHT,
    area,
    average_precision,
    brier,
    cells,
    flat,
    judged,
    kappa,
    lead_of_area,
    log_loss,
    matthews,
    mid_p,
    placements,
    score_of_two,
    wilson,
)
from tallymark import quantities
from tallymark.report.subjects.subgroups import subgroups
from tallymark.report.terminal import as_text

TP, FP, FN, TN = cells(SECOND)
OF_FIRST = cells(FIRST)
SHARE = 0.03


@pytest.fixture(scope="module")
def ev():
    return judged(subgroup={"site": SITE})


def said(advice) -> dict[str, str]:
    """Return the sentence of each rule that spoke."""
    return {s.rule: s.text for s in advice.statements}


def at(share, tp, fp, fn, tn):
    """Return the four counts as shares of rows of which a share is ill."""
    ill, well = share / (tp + fn), (1 - share) / (fp + tn)
    return tp * ill, fp * well, fn * ill, tn * well


def precision(tp, fp, fn, tn):
    return tp / (tp + fp)


def f1(tp, fp, fn, tn):
    return 2 * tp / (2 * tp + fp + fn)


def bounds(hits, rows) -> str:
    """Return Wilson's interval of a share as advice shows it."""
    return "{} ({} to {})".format(*quantities.to_width(hits / rows, *wilson(hits, rows)))


def inside(hits, rows) -> str:
    """Return Wilson's interval of a share as advice shows it in parentheses."""
    return "{}, {} to {}".format(*quantities.to_width(hits / rows, *wilson(hits, rows)))


# -- advice ------------------------------------------------------------------------------------

EACH = {
    "mcc": f"first {matthews(*OF_FIRST):.2f}, 0.42 to 0.54; second {matthews(TP, FP, FN, TN):.3f}, 0.740 to 0.825",
    "area": f"first {area(FIRST):.3f}, 0.859 to 0.904; second {area(SECOND):.3f}, 0.966 to 0.985",
    "brier": f"first {brier(FIRST):.3f}, 0.081 to 0.091; second {brier(SECOND):.4f}, 0.0462 to 0.0531",
}
SURE = (
    inside(cells(SECOND, threshold=0.26)[3], 900),
    inside(cells(SECOND, threshold=0.63)[0], 100),
)
ADVICE = {
    "one-of-each-family": "Report one metric for each use: decisions by MCC ({mcc}), ranking by ROC "
    "area ({area}) and probabilities by Brier score ({brier}; the prevalence alone "
    "0.090). Positives are 10 % of the rows: one class is rare, so say which use matters to "
    "you.".format(**EACH),
    "mean-of-two-rates": "Balanced accuracy of second (0.898, 0.870 to 0.921) is the mean of "
    f"sensitivity {bounds(TP, 100)} and specificity {bounds(TN, 900)}. Report both. The same holds "
    "for first.",
    "probabilities-in-the-large": f"The probabilities of second add up to {SECOND.sum() / 100:.1f} "
    f"× the positives that occurred (observed to expected {100 / SECOND.sum():.3f}, 0.438 to "
    "0.529). Recalibrate its intercept before you use its probabilities. The same holds for "
    "first.",
    "no-better-than-the-majority": "Accuracy of first "
    f"({(OF_FIRST[0] + OF_FIRST[3]) / 1000:.3f}) is not shown to be above 0.900, which always "
    f"predicting well has on these rows (gained {OF_FIRST[0]:.0f}, lost {OF_FIRST[1]:.0f}; p = "
    f"{mid_p(*OF_FIRST[:2]):.3g}). Report balanced accuracy and MCC instead.",
    "accuracy-of-the-majority": f"Accuracy of second is {bounds(TP + TN, 1000)}, but always "
    f"predicting well has 0.900 on these rows. Report kappa ({kappa(TP, FP, FN, TN):.3f}, 0.739 to 0.825), which "
    "corrects for chance.",
    "area-hides-false-alarms": f"ROC area of first is {area(FIRST):.3f} (0.859 to 0.904), but its "
    f"average precision is {average_precision(FIRST):.2f} (0.48 to 0.62): with 10 % positives, a "
    "low false positive rate still means many false alarms. Report average precision beside ROC "
    "area.",
    "lead-beyond-chance": f"By ROC area, second leads first by {area(SECOND) - area(FIRST):.3f} "
    "({:.3f} to {:.3f}), which is more than chance.".format(*lead_of_area(SECOND, FIRST)[:2]),
    "threshold-without-costs": "Keep the threshold of second at 0.5: the best one on these rows, "
    "0.37, is not shown to do better on new rows (Youden's J higher by 0.03, −0.01 to 0.10).",
    "ask-prevalence": "Are positives as common in the field as here (10 %)? At a prevalence of 1 "
    f"%, precision of second is {precision(*at(0.01, TP, FP, FN, TN)):.2f} (0.21 to 0.32) instead "
    f"of {bounds(TP, TP + FP)}.",
    "ask-costs": "What does each error cost? If a false alarm costs 10 times a missed positive, a "
    "threshold of 0.73 saves 0.15 (0.09 to 0.23) per row on new rows, not shown to beat "
    "acting on none (unit: the cheaper error).",
    "ask-use": "Do you use decisions, the ranking or probabilities? Each has its own number: MCC "
    "({mcc}), ROC area ({area}) and Brier score ({brier}; the prevalence alone "
    "0.090).".format(**EACH),
    "ask-worse": "Which error hurts more? With 80 % confidence on new rows, a threshold of 0.26 "
    f"finds at least 95 % of the positives (specificity {SURE[0]} on these rows), and 0.63 keeps "
    f"false alarms at 1 % of the negatives or fewer (sensitivity {SURE[1]} on these rows).",
}


def test_advice_says_of_each_rule_the_whole_sentence(ev):
    assert said(ev.advise()) == ADVICE


def test_thresholds_of_advice_are_the_best_of_all(ev):
    cuts = np.unique(SECOND)
    of = np.array([cells(SECOND, threshold=t) for t in cuts])
    tp, fp, fn, _ = of.T
    dearer, cheaper = ((fp * a + fn * b).argmin() for a, b in ((1, 10), (10, 1)))
    assert cuts[dearer] == 0.37
    assert cuts[cheaper] == 0.73
    assert cuts[(tp / 100 - fp / 900).argmax()] == 0.37  # any above 0.36 decides alike
    assert cuts[tp >= 95].max() == 0.33
    assert cuts[fp <= 9].min() == 0.59
    # With 80 % confidence, by the binomial distribution.
    fn = 100 - tp
    assert cuts[binom.cdf(fn, 100, 0.05) <= 0.2].max() == 0.26
    assert cuts[binom.cdf(fp, 900, 0.01) <= 0.2].min() == 0.63


def test_advice_at_stated_costs_and_prevalence(ev):
    there = at(SHARE, TP, FP, FN, TN)
    cuts = np.unique(SECOND)
    costs = [20 * c[2] + c[1] for c in (at(SHARE, *cells(SECOND, threshold=t)) for t in cuts)]
    assert cuts[np.argmin(costs)] == 0.43
    found = said(ev.advise(prevalence=SHARE, cost_fp=1, cost_fn=20))
    expected = {
        "costs-known": "You know the costs: report expected cost per row. second costs "
        f"{20 * there[2] + there[1]:.3f} (0.099 to 0.162); acting on every row would cost "
        f"{1 - SHARE:.3f} at that prevalence, acting on none {20 * SHARE:.3f}.",
        "prevalence-differs": "The prevalence is 10 % in these rows and 3 % in the field. Report "
        "sensitivity and specificity, which stay the same; precision of second is "
        f"{bounds(TP, TP + FP)} here and {precision(*there):.2f} (0.45 to 0.59) there.",
        "precision-of-another-field": f"F1 of second is {f1(TP, FP, FN, TN):.3f} (0.766 to 0.844) on "
        f"these rows and {f1(*there):.2f} (0.58 to 0.69) at a prevalence of 3 %, with the same error rates. MCC and kappa change "
        "as well. Report the values at the prevalence of the field.",
        "cheapest-threshold": "At these costs, keep the threshold of second at 0.5: the best one "
        "on these rows, 0.43, is not shown to cost less on new rows (0.002, −0.015 to 0.042 less "
        "per row).",
    }
    assert {rule: found[rule] for rule in expected} == expected
    assert not {"ask-costs", "ask-prevalence", "threshold-without-costs"} & set(found)


def test_advice_where_acting_on_none_costs_less():
    cost = FP * 30 + FN
    found = said(judged({"second": SECOND}).advise(cost_fp=30, cost_fn=1))
    limit = 30 / 31
    high = wilson(TP, TP + FP)[1]
    assert high < limit
    assert found["costs-known"] == (
        f"You know the costs: report expected cost per row. second costs {cost / 1000:.2f} "
        "(0.47 to 0.83); acting on every row would cost 27 on these rows, acting on none 0.100."
    )
    assert found["costs-of-guessing"] == (
        "If a false alarm costs 30 and a missed positive 1, second does worse than acting on none: "
        f"its precision is {bounds(TP, TP + FP)}, and it pays only above {limit:.3f}. Do not "
        "use its decisions: acting on none costs less, and no threshold is shown to cost less than "
        "that."
    )


FAILS = binom.cdf(cells(SECOND, threshold=0.33)[2], 100, 0.05)
assert not 0.45 < FAILS < 0.55
IN_SAMPLES = f"in about {100 * FAILS:.0f} % of all samples"
ANSWERED = [
    (
        {"worse": "missed"},
        "worse-missed",
        f"A missed positive hurts more: second finds {bounds(TP, 100)} of the positives, so plan "
        f"for the lower bound. Report sensitivity with its lower bound ({wilson(TP, 100)[0]:.3f}); "
        "negative predictive value says little, since calling no row positive has 0.900 on these "
        f"rows, and second {bounds(TN, TN + FN)}.",
    ),
    (
        {"worse": "missed"},
        "threshold-that-finds",
        "To find at least 95 % of the positives, set the threshold of second to 0.26, which does "
        f"so on new rows with 80 % confidence (specificity {SURE[0]} on these rows). The threshold "
        f"that just does so on these rows, 0.33, fails on new ones {IN_SAMPLES}: "
        "expect sensitivity 0.935 (0.897 to 0.960) and specificity 0.898 (0.884 to 0.910) there.",
    ),
    (
        {"worse": "false alarms"},
        "worse-false-alarms",
        f"A false alarm hurts more: second raises one on {bounds(FP, 900)} of the negatives, "
        f"and {bounds(TP, TP + FP)} of its positive decisions are right.",
    ),
    (
        {"use": "decisions"},
        "use-decisions",
        f"For decisions, report sensitivity (first {inside(OF_FIRST[0], 100)}; second "
        f"{inside(TP, 100)}) and specificity (first {inside(OF_FIRST[3], 900)}; second "
        f"{inside(TN, 900)}), independent of "
        f"prevalence, and MCC ({EACH['mcc']}), which combines both.",
    ),
    (
        {"use": "ranking"},
        "use-ranking",
        "You use the ranking, and positives are rare: report average precision (first "
        f"{average_precision(FIRST):.2f}, 0.48 to 0.62; second "
        f"{average_precision(SECOND):.3f}, 0.854 to 0.922; random "
        f"scores have 10 %) beside ROC area ({EACH['area']}), which says little about the top "
        "of the list.",
    ),
    (
        {"use": "ranking", "prevalence": 0.3},
        "use-ranking",
        f"You use the ranking: report ROC area ({EACH['area']}). Positives are 30 % in the "
        "field, frequent enough for it to be a fair summary.",
    ),
    (
        {"use": "probabilities"},
        "use-probabilities",
        f"You use probabilities: report log loss (first {log_loss(FIRST):.3f}, 0.293 to 0.318; second "
        f"{log_loss(SECOND):.3f}, 0.200 to 0.217) and Brier skill score (first "
        f"{1 - brier(FIRST) / 0.09:.2f}, −0.05 to 0.13; second {1 - brier(SECOND) / 0.09:.2f}, 0.39 to 0.51), which are best for the true probabilities, "
        "and calibration error (first 0.139, 0.126 to 0.150; second 0.128, 0.118 to 0.136).",
    ),
    (
        {"use": "probabilities"},
        "lead-beyond-chance",
        f"By log loss, second leads first by {log_loss(FIRST) - log_loss(SECOND):.3f} (0.083 to "
        "0.111), which is more than chance.",
    ),
]


def test_a_small_lead_and_its_bounds_are_rounded_alike():
    nearly = np.where(np.arange(len(SECOND)) % 60, SECOND, np.roll(SECOND, 1))
    order = judged({"second": SECOND, "nearly": nearly}).advise().section("order")[0]
    lead, low, high = (order.numbers[name] for name in ("lead", "low", "high"))
    assert lead == pytest.approx(abs(area(SECOND) - area(nearly)))
    decimals = 1 - int(np.floor(np.log10(high - low)))
    assert decimals > 3
    bounds = " to ".join(f"{x:.{decimals}f}".replace("-", "−") for x in (low, high))
    assert f" by {lead:.{decimals}f} ({bounds}), which " in order.text


def test_advice_for_each_answer_of_the_user(ev):
    for options, rule, sentence in ANSWERED:
        assert said(ev.advise(**options))[rule] == sentence, options


def not_better(score) -> str:
    """Return what is said of scores without a signal, by Brunner and Munzel's test."""
    t = brunnermunzel(score[~ILL], score[ILL])
    above = area(score) - 0.5
    parts = [x.var(ddof=1) / len(x) for x in placements(score)]
    degrees = sum(parts) ** 2 / (parts[0] ** 2 / 99 + parts[1] ** 2 / 899)
    half = student.ppf(0.9, degrees) * sum(parts) ** 0.5
    return (
        f"m is not shown to be better than chance: its ROC area is {area(score):.3f} on these "
        f"rows, {-above:.3f} ({quantities.between(-above - half, half - above)}) below 0.5 (p = {t.pvalue:.3g}); "
        f"its Brier score is {brier(score):.3f} (0.323 to 0.347), and always giving the prevalence "
        "has 0.090. Do not move its threshold or recalibrate it before more rows show a signal, and "
        "give the prevalence (0.100) instead of its probabilities; check the labels and the column "
        "of scores."
    )


def test_the_accuracy_of_the_majority_is_that_of_the_assumed_prevalence():
    ev = judged({"m": SECOND})
    (here,) = (f.text for f in ev.advise().statements if f.rule == "accuracy-of-the-majority")
    there = ev.at(prevalence=0.02).advise()
    (moved,) = (f.text for f in there.statements if f.rule == "no-better-than-the-majority")
    assert "but always predicting well has 0.900 on these rows. " in here
    assert moved.endswith(
        "is not shown to be above 0.980, which always predicting well has at the assumed "
        "prevalence. Report balanced accuracy and MCC instead."
    )


def test_advice_on_an_area_below_half_asks_its_upper_bound():
    backward = said(judged({"m": 1 - FIRST}).advise())
    assert backward["area-below-half"] == (
        f"ROC area of m is {1 - area(FIRST):.3f} (0.096 to 0.141), below 0.5: its scores rank the "
        "classes in reverse. Check whether they are scores of well: if so, say reading={'score_of': 'well'}."
    )
    chance = judged({"m": (np.arange(1000) * 377 % 1000) / 1000})
    assert chance.values()["m"]["roc_auc"].low < 0.5 < chance.values()["m"]["roc_auc"].high
    assert chance.values()["m"]["roc_auc"].value < 0.5
    assert "area-below-half" not in said(chance.advise())
    assert said(chance.advise())["not-better-than-chance"] == not_better(
        (np.arange(1000) * 377 % 1000) / 1000
    )
    assert not [n for n in chance.notes if n.rule == "reversed"]


# -- subgroups ---------------------------------------------------------------------------------


def test_subgroups_are_each_held_against_the_rest(ev):
    right = (FIRST >= 0.5) == ILL
    (north, n), (south, m) = (
        (right[np.equal(SITE, s)].sum(), np.equal(SITE, s).sum()) for s in ("north", "south")
    )
    (a, b), (c, d) = wilson(north, n), wilson(south, m)
    lead = south / m - north / n
    low, high, _ = score_of_two(south, m, north, n)
    # Of the interval, by Student's t; both are one comparison, of which the larger one counts.
    quantiles = {rows: student.ppf(0.5 + LEVEL / 2, rows - 1) for rows in (n, m)}
    p = max(2 * student.sf(q * lead / (lead - low), k - 1) for k, q in quantiles.items())
    worst = wilson(north, n, norm.ppf(0.95))
    found = ev.model("first").by("site")
    text = flat(as_text([*subgroups(found, ["accuracy"])]))
    for sentence in (
        f"north 285 {quantities.to_width(north / n, a, b)[0]} ({quantities.between(a, b)})",
        f"south 715 {quantities.to_width(south / m, c, d)[0]} ({quantities.between(c, d)})",
        "2 of 2 subgroups tested differ from the rest in accuracy at 0.5 (level 0.8, one test).",
        f"north: −{lead:.3f} (80 % CI −{high:.3f} to −{low:.3f}), p = {p:.3g}",
        f"south: +{lead:.3f} (80 % CI +{low:.3f} to +{high:.3f}), p = {p:.3g}",
        f"north is lowest of 2 ({quantities.to_width(north / n, worst[0], worst[1])[0]}; 80 % CI {quantities.between(worst[0], worst[1])}, "
        "corrected for selection).",
    ):
        assert sentence in text, sentence


def test_the_worst_subgroup_of_a_loss_is_the_highest(ev):
    losses = {s: np.mean((SECOND - ILL)[np.equal(SITE, s)] ** 2) for s in ("north", "south")}
    assert losses["north"] > losses["south"]
    text = flat(ev.model("second").by("site").table(["brier"]))
    for site, loss in losses.items():
        assert f"{site} {np.equal(SITE, site).sum()} brier {loss:.3f}" in text
    worst = ev.model("second").by("site").worst_of_all("brier")
    assert worst.key == "north"
    assert worst.value.value == pytest.approx(losses["north"])


# -- thresholds and prevalence -----------------------------------------------------------------


def test_a_best_threshold_says_what_it_reached_and_what_to_expect(ev):
    two = ev.model("second")
    tp, fp, _, _ = cells(SECOND, threshold=0.37)
    assert flat(two.optimal_threshold("youden_j")) == (
        f"scores at or above 0.37 Youden's J: {tp / 100 - fp / 900:.3f} on these rows, 0.823 "
        "expected on new rows (80 % CI 0.780 to 0.858)"
    )
    _, fp, fn, _ = cells(SECOND, threshold=0.29)
    assert flat(two.optimal_threshold("expected_cost", cost_fp=1, cost_fn=20)) == (
        f"scores at or above 0.29 Expected cost per row: {(20 * fn + fp) / 1000:.2f} on these "
        "rows, 0.24 expected on new rows (80 % CI 0.19 to 0.32)"
    )
    called = ev.at(noun="patient").model("second").optimal_threshold(cost_fp=1, cost_fn=20)
    assert flat(called).startswith("scores at or above 0.29 Expected cost per patient: ")
    assert " on these patients, 0.24 expected on new patients (80 % CI" in flat(called)


def test_another_threshold_and_another_prevalence_move_what_depends_on_them(ev):
    lower = ev.at(threshold=0.3).values()["second"]
    tp, fp, _, _ = cells(SECOND, threshold=0.3)
    assert lower["precision"] == pytest.approx(tp / (tp + fp))
    assert (lower["precision"].low, lower["precision"].high) == pytest.approx(wilson(tp, tp + fp))
    there = ev.at(prevalence=SHARE)
    moved = at(SHARE, TP, FP, FN, TN)
    values = there.values()["second"]
    for name, value in (
        ("precision", precision(*moved)),
        ("negative_predictive_value", moved[3] / (moved[2] + moved[3])),
        ("f1", f1(*moved)),
        ("matthews_corrcoef", matthews(*moved)),
        ("cohen_kappa", kappa(*moved)),
        ("accuracy", moved[0] + moved[3]),
    ):
        assert values[name] == pytest.approx(value), name
        assert values[name].low < value < values[name].high, name
    assert "1,000 rows, positive class 'ill' (3.0 %, as assumed)" in flat(there)
    assert (
        "second finds 82 of 100 ill rows, with 2 false alarms per 100 well rows. second beats first"
        in flat(there)
    )


# -- plans -------------------------------------------------------------------------------------


def rows_of_width(half_width, share, level) -> int:
    """Return the least rows with no wider Wilson interval of a share."""
    z = norm.ppf(0.5 + level / 2)
    n = np.arange(1, 100_000)
    low, high = wilson(share * n, n, z)
    return int(n[(high - low) / 2 <= half_width][0])


def test_a_plan_of_an_interval_is_at_its_level():
    rows = rows_of_width(0.02, 0.9, LEVEL)
    assert flat(tm.plan.proportion(0.9, half_width=0.02, level=LEVEL)).startswith(
        f"{rows} rows give a half width of 0.0200 to the 80 % Wilson interval of a proportion of "
        "0.9."
    )
    ill = rows_of_width(0.03, 0.9, LEVEL)
    plan = tm.plan.proportion(0.9, half_width=0.03, level=LEVEL, of="positives", prevalence=0.1)
    assert flat(plan).startswith(
        f"{10 * ill:,} rows ({ill} positive, {9 * ill:,} negative) give a half width of 0.0300 to "
        "the 80 % Wilson interval of a proportion of 0.9 of the positives."
    )
    assert rows < rows_of_width(0.02, 0.9, 0.95)


def power_of_mcnemar(n: int, first: float, second: float, alpha: float) -> float:
    """Return the power of n rows: exact below 20 discordant rows, else by chi-square."""
    apart = first + second
    power = 0.0
    for k in range(n + 1):
        b = np.arange(k + 1)
        p = np.minimum(2 * np.minimum(binom.cdf(b, k, 0.5), binom.sf(b - 1, k, 0.5)), 1)
        if k >= 20:
            p = chi2.sf((2 * b - k) ** 2 / k, 1)
        power += binom.pmf(k, n, apart) * binom.pmf(b[p <= alpha], k, first / apart).sum()
    return power


def test_a_plan_of_mcnemars_test_has_its_power_at_its_alpha():
    reached = power_of_mcnemar(123, 0.12, 0.05, 0.2)
    assert flat(tm.plan.mcnemar(0.12, 0.05, power=0.7, alpha=0.2)).startswith(
        f"123 rows give a power of {reached:.4f} to distinguish two classifiers, of which only one "
        "is right on 12 % of the rows and only the other on 5 % (McNemar's test, exact below 20 "
        "discordant rows, two-sided at 0.2)."
    )
    assert 0.7 <= reached < 0.71


# -- warnings ----------------------------------------------------------------------------------


def warnings_of(ev) -> dict[str, str]:
    """Return the warnings of an evaluation by their codes."""
    return {n.rule: n.text for n in ev.notes if n.severity == "warning"}


def test_warnings_say_how_many_rows_and_of_which_class():
    assert warnings_of(judged(subgroup={"site": SITE})) == {}
    few = np.r_[0:25, 100:1000]
    ev = tm.evaluate(TRUTH[few], y_score={"m": 1 - FIRST[few]}, positive="ill", level=LEVEL)
    worse, v = area(1 - FIRST[few], ILL[few]), ev["roc_auc"]
    assert warnings_of(ev) == {
        "few-rows": "25 rows of ill: so few that metrics which depend on them have wide intervals and "
        "change with every row",
        "imbalance": f"{100 * 900 / 925:.1f} % of the rows are well: always predicting it has "
        f"accuracy {900 / 925:.3f}, so use balanced accuracy, MCC, precision and recall instead of "
        "accuracy",
        "reversed": f"m ranks worse than chance (ROC area {worse:.2f}, {v.low:.2f} to {v.high:.2f}): check "
        "which class the score is for",
    }


def test_warnings_of_clusters_decisions_and_impossible_classes():
    ev = judged({"m": np.where(ILL & (FIRST < 0.2), 0.0, 0.4)}, cluster=np.arange(1000) % 12)
    assert warnings_of(ev) == {
        "few-clusters": "there are only 12 clusters, too few to show how clusters vary: intervals "
        "are less reliable; use 20 or more",
        "one-decision": "the threshold 0.5 of m lies above every score (0 to 0.4), so every row is "
        "predicted well; give one among the scores",
        "undefined": "m: precision, matthews_corrcoef undefined (no row was predicted positive); "
        "they are left out, not 0",
        "held-impossible": "m gave probability 0 to a class that then occurred, so its log loss is "
        "infinite. Clip or calibrate its scores.",
    }


def frame(**columns) -> pd.DataFrame:
    """Return the rows of the first model, each score its own, and further columns."""
    return pd.DataFrame({"truth": TRUTH, "score": FIRST + 1e-6 * np.arange(1000), **columns})


def notes_of(rows: pd.DataFrame, **options) -> dict[str, str]:
    """Return the notes of an evaluation of a frame by their codes."""
    ev = tm.evaluate(rows, truth="truth", score="score", positive="ill", level=LEVEL, **options)
    return {n.rule: n.text for n in ev.notes}


ROW = np.arange(1000)
WITH_ID = frame(patient_id=ROW)


NOTES = [
    (frame(), None, ""),
    (
        frame(patient_id=np.minimum(ROW // 4, 240)),
        "repeated-ids",
        f"{1000 / 241:.1f} rows per `patient_id` on average (max 40); intervals assume "
        "independent rows. Use cluster='patient_id'",
    ),
    (
        pd.concat([WITH_ID, WITH_ID[:37]]),
        "duplicate-rows",
        "37 of 1,037 rows are copies of another one in every column, including `patient_id`; "
        "intervals treat them as independent. Remove them",
    ),
    (
        frame(fold=ROW % 5),
        "unused-folds",
        "`fold` looks like the 5 folds of a cross-validation and is not used; fold='fold' "
        "judges each",
    ),
    (
        frame(split=np.where(ROW % 4 == 0, "train", "test")),
        "training-rows",
        "`split` marks 250 of 1,000 rows as training rows, where a model looks better than on "
        "new ones. Leave them out, or judge each part with subgroup='split'",
    ),
    (
        frame(score=np.where(ILL, 0.9 - 1e-6 * ROW, 0.2 + 1e-6 * ROW)),
        "leak",
        "score separates all 100 rows of ill and 900 rows of well at 0.899901 (ROC area exactly "
        "1): a possible leak or duplicated rows. Check that no feature holds the label, and "
        "that the model was trained on other rows",
    ),
    (
        pd.concat([frame()] * 3),
        "repeated-scores",
        "score: every distinct score occurs 3 times, or a multiple: possible duplicated rows, "
        "as in an upsampled test set, which make intervals up to 1.7 times too narrow. Use "
        "every row once",
    ),
]


def test_notes_on_what_the_rows_hold():
    for rows, code, sentence in NOTES:
        assert notes_of(rows) == ({code: sentence} if code else {})


def test_notes_on_weights_at_another_prevalence():
    rows = frame(weight=WEIGHT)
    ev = tm.evaluate(rows, truth="truth", score="score", positive="ill", weight="weight")
    worth = {c: (WEIGHT[r].sum()) ** 2 / (WEIGHT[r] ** 2).sum() for c, r in ((1, ILL), (0, ~ILL))}
    ill, well = WEIGHT[ILL].sum(), WEIGHT[~ILL].sum()
    notes = {n.rule: n.text for n in ev.at(prevalence=0.02).notes}
    decide = np.ceil(worth[0] * 0.02 / 0.98)
    assert ill != well
    assert notes == {
        "prevalence": "in the field: 2 % are ill, 98 % are well. Rates within each class are those "
        "of these rows, and scores are not recalibrated",
        "imbalance": "at the assumed prevalence, 98.0 % of the rows are well: always predicting it "
        "has accuracy 0.980, so use balanced accuracy, MCC, precision and recall instead of "
        "accuracy",
        "few-decide": f"{decide:.0f} of the {worth[0]:.0f} rows of well weigh as much as all of ill "
        "in the field: metrics of the highest scores, such as average precision, depend on these "
        "few, look better than they are, and have too narrow intervals",
        "weighted": f"rows have weights, effective sample size {worth[1]:.1f} of ill, "
        f"{worth[0]:.0f} of well: intervals other than DeLong's use these sizes and are "
        "approximate",
    }


def test_a_note_on_few_rows_names_the_rarest_classes():
    y = np.repeat(list("abcdefgh"), [5, 900, 20, 29, 8, 11, 3, 40])
    (few, *_) = tm.evaluate(y, np.roll(y, 1)).notes
    assert few.text == (
        "3 rows of g, 5 of a, 8 of e, 11 of f, 20 of c and 1 further class: so few that metrics "
        "which depend on them have wide intervals and change with every row"
    )


def test_a_subgroup_of_few_rows_is_marked_and_explained():
    ward = np.where(np.arange(1000) % 50 == 3, "small", SITE)
    ev = judged({"first": FIRST}, subgroup={"ward": ward})
    text = flat(as_text([*subgroups(ev.by("ward"), ["accuracy", "brier"])]))
    right = ((FIRST >= 0.5) == ILL)[ward == "small"]
    assert re.search(rf"small 20 {right.mean():.2f} \([^)]*\)\*", text)
    assert "* rests on fewer than 30 rows (20): not" in text
    assert "of 2 subgroups tested differ from the rest in accuracy" in text
    assert "1 not tested in accuracy: fewer than 30 rows." in text


@pytest.mark.parametrize(("wards", "led"), [(12, 12), (13, 0)])
def test_leaders_are_named_in_at_most_twelve_subgroups(wards, led):
    ev = judged(subgroup={"ward": np.arange(1000) % wards})
    assert len(ev.leaders()) == led
    assert {leader.model for leader in ev.leaders() if leader.shown} <= {"second"}


# -- sites -------------------------------------------------------------------------------------


def site(folder, name, unit=1.0):
    """Write the evaluation of a site's rows, with the second model's scores in a unit."""
    rows, path = np.equal(SITE, name), folder / f"{name}.json"
    scores = {"second": unit * SECOND[rows]}
    ev = tm.evaluate(TRUTH[rows], y_score=scores, positive="ill", level=LEVEL, threshold=0.5)
    ev.to_json(path)
    return path


def test_sites_of_one_kind_are_added_up(tmp_path):
    both = tm.read([site(tmp_path, "north"), site(tmp_path, "south")])
    values = both.values()["second"]
    assert both.rows == 1000
    assert values["brier"] == pytest.approx(brier(SECOND))
    assert values["roc_auc"] == pytest.approx(area(SECOND))
    assert values["precision"] == pytest.approx(TP / (TP + FP))
    assert both.source.checks["studies"] == 2
    assert both.model("second").by("site").rows == {"north": 285, "south": 715}
    assert warnings_of(both) == {}


def test_sites_of_which_one_has_no_probabilities_have_no_brier_score(tmp_path):
    for units in ((1.0, 20.0), (20.0, 1.0)):
        both = tm.read(
            [site(tmp_path, n, u) for n, u in zip(("north", "south"), units, strict=True)]
        )
        assert not {"brier", "log_loss"} & set(both.values()["second"])
        other = "south" if units[1] > 1 else "north"
        highest = 20 * SECOND[np.equal(SITE, other)].max()
        assert warnings_of(both)["not-probabilities"] == (
            f"{other}: y_score holds {highest:g}, outside 0 to 1: it is used for ranking, "
            "not as a probability; if it is in percent, say reading={'percent': True}"
        )
