"""Advice: every rule speaks on data that call for it, and keeps silent on data that do not."""

from __future__ import annotations

import json
import math
import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallymark as tm
from judged import counted_of
from sites import judged as of_sites
from sites import rows as rows_of_sites
from tallymark.findings.advice import (
    CHECKED,
    MOST_FINDINGS,
    SECTIONS,
    WORST_FIRST,
    AdviceRule,
    Answers,
    Case,
    Statement,
    advice_rules,
)
from tallymark.findings.finding import Share, Times, shown
from tallymark.metric import METRICS
from tallymark.metric.measure import Value
from tallymark.metric.sources import SOURCES
from tallymark.report.pieces import section
from tallymark.report.subjects.advice import folded_advice

RULES = advice_rules()


def weighted_sites():
    y, p, where = rows_of_sites()
    return tm.evaluate(y, y_score=p, weight=np.full(len(y), 1.5), subgroup={"site": where})


def case(ev, **answers) -> Case:
    options = (ev.level, ev.seed, ev.stratified, lambda: ev._compared)
    return Case(counted_of(ev), ev.values(), Answers(**answers), *options)


@cache
def good(n=400, share=0.4, shift=3.0, seed=0):
    """Two classes, and probabilities that are right: normal scores a known distance apart."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    x = rng.normal(shift * y, 1)
    odds = shift * x - shift**2 / 2 + math.log(share / (1 - share))
    return tm.evaluate(y, y_score=1 / (1 + np.exp(-odds)))


@cache
def rare():
    return good(n=4000, share=0.02, shift=2.0)


@cache
def matrix(tp, fn, fp, tn):
    y = [1] * (tp + fn) + [0] * (fp + tn)
    return tm.evaluate(y, [1] * tp + [0] * fn + [1] * fp + [0] * tn)


@cache
def useless(n=300, share=0.9):
    rng = np.random.default_rng(3)
    y = (rng.random(n) < share).astype(int)
    return tm.evaluate(y, y_score=rng.random(n))


@cache
def two_models(same=False, seed=0):
    """A good model, and one that is worse by everything, or better by some and worse by others."""
    rng = np.random.default_rng(seed)
    y = (rng.random(900) < 0.4).astype(int)
    x = rng.normal(3 * y, 1)
    good_one = 1 / (1 + np.exp(-(3 * x - 4.5)))
    if same:  # the same order, another threshold: other decisions, the same ROC area
        other = np.clip(good_one**2, 0, 1)
    else:
        other = 1 / (1 + np.exp(-(rng.normal(0.7 * y, 1) - 0.35)))
    return tm.evaluate(y, y_score={"one": good_one, "two": other})


@cache
def three_classes():
    y = np.array(["a"] * 50 + ["b"] * 50 + ["c"] * 20)
    called = y.copy()
    called[100:112] = "a"
    called[:5] = "b"
    return tm.evaluate(y, called)


@cache
def certain():
    y = [1] * 20 + [0] * 20
    p = [0.9] * 19 + [0.0] + [0.1] * 20
    return tm.evaluate(y, y_score=p)


@cache
def decision_values(n=300):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.5).astype(int)
    return tm.evaluate(y, y_score=rng.normal(3 * y - 1.5, 1))


@cache
def ties():
    return tm.evaluate(
        [1] * 60 + [0] * 60, y_score=[0.9] * 40 + [0.5] * 20 + [0.5] * 20 + [0.1] * 40
    )


@cache
def overconfident():
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.5).astype(int)
    x = rng.normal(1.5 * y, 1)
    return tm.evaluate(y, y_score=1 / (1 + np.exp(-6 * (1.5 * x - 1.125))))


@cache
def bent():
    """Make probabilities that are right on average and in slope, and wrong at every one."""
    rng = np.random.default_rng(0)
    p = rng.choice([0.1, 0.4, 0.6, 0.9], 40_000)
    true = np.select([p == 0.1, p == 0.4, p == 0.6], [0.15, 0.15, 0.85], 0.85)
    return tm.evaluate((rng.random(40_000) < true).astype(int), y_score=p)


def shifted(odds, n=4000, seed=0):
    """Make probabilities that are right, and multiply their odds."""
    rng = np.random.default_rng(seed)
    x = rng.normal(-2.6, 1.2, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-x))).astype(int)
    return tm.evaluate(y, y_score=1 / (1 + np.exp(-x - np.log(odds))))


@pytest.mark.parametrize("odds", [1 / 8, 1 / 3, 2, 4, 8])
def test_probabilities_that_are_all_too_high_or_low_are_told_in_the_large(odds):
    ev = shifted(odds)
    (said,) = RULES["probabilities-in-the-large"](case(ev))
    ratio = ev["observed_expected_ratio"].value
    if odds > 1:
        assert f"add up to {shown(Times(1 / ratio))} × the positives that occurred" in said.text
    else:
        assert f"too few positives: {shown(Times(ratio))} × as many occurred" in said.text
    assert not RULES["probabilities-off"](case(ev))  # the sign of z says nothing of their spread


@cache
def misshapen(n=5000):
    """Make probabilities that are right on average, in their spread and by z, and all wrong."""
    p, happened = (0.1, 0.4, 0.6, 0.9), (0.1624, 0.15, 0.85, 0.8376)
    y = np.concatenate([np.arange(n) < round(share * n) for share in happened])
    return tm.evaluate(y.astype(int), y_score=np.repeat(p, n))


@cache
def traded():
    """Make two models: one ranks better, and the other one decides better at 0.5."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1000)
    fine, rough = rng.normal(2.0 * y, 1), rng.normal(1.5 * y, 1)
    low, high = 1 / (1 + np.exp(3 - fine)), 1 / (1 + np.exp(0.75 - rough))
    return tm.evaluate(y, y_score={"low": low, "high": high})


@cache
def crossed():
    """Make two models: one is ahead at few false alarms, the other at many."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    a = np.where(y, rng.normal(1, 0.3, 3000), rng.normal(0, 1, 3000))
    b = np.where(y, rng.normal(1, 2.5, 3000), rng.normal(0, 0.6, 3000))
    return tm.evaluate(y, y_score={"a": a, "b": b}, threshold=0.0, use="ranking")


EXAMPLES = {
    "not-better-than-chance": [
        (lambda: case(useless()), "model is not shown to be better than chance: its ROC area is 0."),
        (lambda: case(good()), None),
        (lambda: case(matrix(25, 25, 25, 25)), None),
        (lambda: case(three_classes()), None),
    ],
    "one-of-each-family": [
        (lambda: case(good()), "MCC (0."),
        (lambda: case(rare()), "one class is rare"),
        (lambda: case(good(), use="decisions"), None),
        (lambda: case(three_classes()), None),
    ],
    "use-decisions": [
        (lambda: case(good(), use="decisions"), "For decisions, report sensitivity"),
        (lambda: case(good(), use="ranking"), None),
    ],
    "use-ranking": [
        (lambda: case(good(), use="ranking"), "frequent enough"),
        (lambda: case(rare(), use="ranking"), "report average precision"),
        (lambda: case(good(), use="ranking", prevalence=0.02), "rare in the field (2 %)"),
        (lambda: case(rare(), use="ranking", prevalence=0.4), "40 % in the field, frequent"),
        (lambda: case(matrix(40, 10, 10, 40), use="ranking"), None),
        (lambda: case(good()), None),
    ],
    "use-probabilities": [
        (lambda: case(good(), use="probabilities"), "report log loss"),
        (lambda: case(certain(), use="probabilities"), "The log loss is not finite"),
        (lambda: case(decision_values(), use="probabilities"), None),
        (lambda: case(good(), use="decisions"), None),
    ],
    "use-needs-scores": [
        (lambda: case(matrix(40, 10, 10, 40), use="ranking"), "1 of 1 models came with decisions"),
        (lambda: case(decision_values(), use="probabilities"), "those of 1 of 1 models are not"),
        (lambda: case(good(), use="probabilities"), None),
        (lambda: case(matrix(40, 10, 10, 40), use="decisions"), None),
    ],
    "costs-known": [
        # 40 TP, 10 FN, 10 FP, 40 TN: (10·1 + 10·4)/100 against 0.5 and 2.
        (lambda: case(matrix(40, 10, 10, 40), cost_fp=1, cost_fn=4),
         "costs 0.50 (0.27 to 0.73); acting on every row would cost 0.500 on these rows, acting on none 2."),
        (lambda: case(matrix(40, 10, 10, 40), cost_fp=1, cost_fn=1), "costs 0.20 (0.12 to 0.28); acting"),
        (lambda: case(matrix(40, 10, 10, 40)), None),
    ],
    "prevalence-differs": [
        # TPR 0.8, FPR 0.2: at 1 % 0.008 / (0.008 + 0.198).
        (lambda: case(matrix(40, 10, 10, 40), prevalence=0.01), "0.039 (0.021 to 0.071) there"),
        (lambda: case(matrix(40, 10, 10, 40)), None),
        (lambda: case(matrix(0, 50, 0, 50), prevalence=0.01), None),
    ],
    "worse-missed": [
        (lambda: case(good(), worse="missed"), "plan for the lower bound"),
        (lambda: case(good(), worse="false alarms"), None),
    ],
    "worse-false-alarms": [
        (lambda: case(good(), worse="false alarms"), "of its positive decisions"),
        (lambda: case(good(), worse="missed"), None),
        (lambda: case(matrix(0, 50, 0, 50), worse="false alarms"), None),
    ],
    "many-classes": [
        # Recalls 45/50, 1 and 8/20.
        (lambda: case(three_classes()), "model has a mean recall of 0.77 (0.67 to 0.84), and c has the lowest, 0.40 (0.19 to 0.65)"),
        (lambda: case(good()), None),
    ],
    "accuracy-of-the-majority": [
        (lambda: case(matrix(80, 20, 10, 890)), "always predicting 0 has 0.900"),
        (lambda: case(matrix(40, 10, 10, 40)), None),
        (lambda: case(matrix(5, 95, 5, 895)), None),
    ],
    "no-better-than-the-majority": [
        (lambda: case(matrix(5, 95, 5, 895)), "is not shown to be above 0.900"),
        (lambda: case(matrix(80, 20, 10, 890)), None),
    ],
    "f1-of-all-positive": [
        # 90 % positive: all called positive has F1 1.8/1.9.
        (lambda: case(matrix(850, 50, 60, 40)), "is not shown to be above 0.947"),
        (lambda: case(matrix(40, 10, 10, 40)), None),
    ],
    "area-hides-false-alarms": [
        (lambda: case(rare()), "still means many false alarms. Report average precision"),
        (lambda: case(good()), None),
        (lambda: case(good(n=4000, share=0.1, shift=5.0)), None),
    ],
    "mean-of-two-rates": [
        (lambda: case(matrix(30, 20, 1, 99)), "is the mean of sensitivity 0.60 ("),
        (lambda: case(matrix(40, 10, 10, 40)), None),
    ],
    "costs-of-guessing": [
        # 40 TP, 10 FN, 10 FP, 40 TN: NPV 0.8 (Wilson 0.670 to 0.888) against 1 - 1/21.
        (lambda: case(matrix(40, 10, 10, 40), cost_fp=1, cost_fn=20),
         "If a false alarm costs 1 and a missed positive 20, model does worse than acting on every "
         "row: its negative predictive value is 0.80 (0.67 to "
         "0.89), and it pays only above 0.952. Do not use its decisions: acting on every row costs "
         "less."),
        (lambda: case(matrix(40, 10, 10, 40), cost_fp=20, cost_fn=1),
         "does worse than acting on none: its precision is 0.80 (0.67 to 0.89)"),
        # 0.888 is not below 1 - 1/8.
        (lambda: case(matrix(40, 10, 10, 40), cost_fp=1, cost_fn=7), None),
        (lambda: case(matrix(40, 10, 10, 40), cost_fp=1, cost_fn=1), None),
        (lambda: case(matrix(40, 10, 10, 40)), None),
        # In the field NPV is 0.99 and pays; precision is 0.1 and does not.
        (lambda: case(matrix(400, 100, 100, 400), cost_fp=1, cost_fn=8, prevalence=0.02), "acting on none"),
        (lambda: case(good(), cost_fp=1, cost_fn=1000), "no threshold is shown to cost less than that."),
        (lambda: case(good(share=0.1, shift=2, n=2000), cost_fp=1, cost_fn=60),
         "Choose a threshold of 0.0124: on new rows it costs 2.83 (2.26 to 3.51) less per row."),
    ],
    "errors-of-a-subgroup": [
        (lambda: case(of_sites()),
         "Of 160 negative rows where site is west, model at 0.5 calls 48 positive: 30 %, against "
         "10 % of all others, 15.1 to 25.1 points more (p < 0.0001, corrected for 6 tests). Check "
         "whether that is acceptable before you use these decisions."),
        (lambda: case(of_sites(alarms=(0.1, 0.1, 0.1), found=(0.8, 0.8, 0.3))),
         "Of 40 positive rows where site is west, model at 0.5 misses 28: 70 %, against 20 % of "
         "all others"),
        (lambda: case(weighted_sites()),
         "Of the negative rows where site is west, model at 0.5 calls 30 % positive, against 10 % of "
         "all others, 12.6 to 27.9 points more (p < 0.0001"),
        # The cheapest threshold is judged too: two rates of three sites at two thresholds.
        (lambda: case(of_sites(), cost_fp=1, cost_fn=40), "corrected for 12 tests"),
        # A score that ranks makes no decisions.
        (lambda: case(of_sites(), use="ranking"), None),
        (lambda: case(of_sites(decided=True)), "where site is west, model calls 48 positive: 30 %"),
        (lambda: case(of_sites(alarms=(0.1, 0.1, 0.1))), None),
        (lambda: case(good()), None),
        (lambda: case(of_sites().at(prevalence=0.1)), None),
    ],
    "precision-of-another-field": [
        (lambda: case(matrix(40, 10, 10, 40), prevalence=0.01), "0.074 (0.041 to 0.131) at a prevalence of 1 %"),
        (lambda: case(matrix(40, 10, 10, 40), prevalence=0.5), None),
        (lambda: case(matrix(40, 10, 10, 40)), None),
    ],
    "probabilities-in-the-large": [
        (lambda: case(shifted(8)), "probabilities of model add up to 3."),
        (lambda: case(shifted(1, seed=1)), None),
        (lambda: case(shifted(8), use="ranking"), None),
    ],
    "probabilities-spread": [
        (lambda: case(overconfident()), "model is overconfident: its probabilities are too extreme"),
        (lambda: case(good()), None),
        (lambda: case(shifted(8)), None),
        (lambda: case(overconfident(), use="ranking"), None),
    ],
    "probabilities-off": [
        (lambda: case(bent()), "(Spiegelhalter's z "),
        (lambda: case(misshapen()), "off by 0.156 within tenths of the rows"),
        (lambda: case(good()), None),
        (lambda: case(overconfident()), None),
        (lambda: case(bent(), use="ranking"), None),
    ],
    "certain-and-wrong": [
        (lambda: case(certain()), "gave probability 0 to a class that then occurred"),
        (lambda: case(good()), None),
        (lambda: case(certain(), use="decisions"), None),
    ],
    "ties-decide": [
        # 20 x 20 of 60 x 60 pairs are ties.
        (lambda: case(ties()), "its ROC area is 0.889 to 1 depending on how ties are broken"),
        (lambda: case(good()), None),
        (lambda: case(ties(), use="decisions"), None),
    ],
    "area-below-half": [
        (lambda: case(tm.evaluate([1] * 30 + [0] * 30, y_score=[0.2] * 25 + [0.8] * 5 + [0.7] * 30)),
         "rank the classes in reverse"),
        (lambda: case(good()), None),
    ],
    "too-few-rows": [
        (lambda: case(matrix(8, 2, 20, 80)), "There are 10 positives: each of them "
         "moves sensitivity by 0.100"),
        (lambda: case(good()), None),
        (lambda: case(tm.evaluate([1] * 5 + [0] * 50, [1] * 4 + [0] * 51, weight=[2.0] * 55)),
         None),
    ],
    "interval-too-wide": [
        (lambda: case(matrix(8, 2, 3, 7)), "too uncertain to choose by"),
        (lambda: case(good()), None),
    ],
    "curves-cross": [
        (lambda: case(crossed()), "but their ROC curves cross beyond chance"),
        (lambda: case(two_models()), None),
        (lambda: case(good()), None),
    ],
    "lead-within-the-noise": [
        (lambda: case(two_models(same=True), use="decisions"), "which may be chance. Do not choose by it alone"),
        (lambda: case(two_models()), None),
        (lambda: case(crossed()), None),
        (lambda: case(good()), None),
    ],
    "lead-beyond-chance": [
        (lambda: case(two_models()), "which is more than chance"),
        (lambda: case(two_models(same=True), use="decisions"), None),
        (lambda: case(crossed()), None),
        (lambda: case(good()), None),
    ],
    "order-of-the-models": [
        (lambda: case(traded()), "Choose the metric that fits your use before you compare."),
        (lambda: case(good()), None),
    ],
    "cheapest-threshold": [
        (lambda: case(good(), cost_fp=1, cost_fn=20), "At these costs, keep the threshold of model"),
        (lambda: case(rare(), cost_fp=1, cost_fn=20), "At these costs, move the threshold of model"),
        (lambda: case(useless(), cost_fp=1, cost_fn=20), None),
        (lambda: case(good()), None),
        (lambda: case(matrix(40, 10, 10, 40), cost_fp=1, cost_fn=20), None),
    ],
    "threshold-that-finds": [
        (lambda: case(good(), worse="missed"), "To find at least 95 % of the positives"),
        (lambda: case(good(), worse="missed", cost_fp=1, cost_fn=2), None),
        (lambda: case(good()), None),
    ],
    "threshold-that-spares": [
        (lambda: case(good(), worse="false alarms"), "To keep false alarms at 1 % of the negatives or fewer"),
        (lambda: case(good(), worse="missed"), None),
    ],
    "threshold-without-costs": [
        (lambda: case(good()), "is not shown to do better on new rows"),
        (lambda: case(useless()), None),
        (lambda: case(good(share=0.05, shift=1.5, n=2000)), "If sensitivity and specificity matter equally, move the threshold"),
        (lambda: case(good(), use="ranking"), None),
        (lambda: case(matrix(40, 10, 10, 40)), None),
    ],
    "ask-prevalence": [
        (lambda: case(good()), "Are positives as common in the field as here"),
        (lambda: case(good(), prevalence=0.1), None),
        (lambda: case(matrix(50, 0, 0, 50)), None),
    ],
    "ask-costs": [
        (lambda: case(good(share=0.05, shift=1.5, n=2000)), "What does each error cost?"),
        (lambda: case(useless()), None),
        (lambda: case(good(), cost_fp=1, cost_fn=2), None),
        (lambda: case(matrix(40, 10, 10, 40)), None),
    ],
    "ask-use": [
        (lambda: case(good()), "Do you use decisions"),
        (lambda: case(good(), use="ranking"), None),
        (lambda: case(matrix(40, 10, 10, 40)), None),
    ],
    "ask-worse": [
        (lambda: case(good(shift=2.0)), "Which error hurts more?"),
        (lambda: case(good(shift=2.0), worse="missed"), None),
        (lambda: case(matrix(40, 10, 10, 40)), None),
    ],
}  # fmt: skip


def test_every_rule_has_data_that_trigger_it_and_data_that_do_not():
    assert list(EXAMPLES) == list(RULES)
    for examples in EXAMPLES.values():
        assert any(told for _, told in examples)
        assert any(told is None for _, told in examples)


@pytest.mark.parametrize(
    ("code", "i"), [(code, i) for code, found in EXAMPLES.items() for i in range(len(found))]
)
def test_a_rule_speaks_where_it_should_and_nowhere_else(code, i):
    make, told = EXAMPLES[code][i]
    said = RULES[code](make())
    if told is None:
        assert said == []
        return
    assert any(told in s.text for s in said), [s.text for s in said]
    for s in said:
        assert s.rule == code
        assert s.section == RULES[code].section
        assert s.numbers
        for number in s.numbers.values():
            assert shown(number) in s.text or shown(number, inside=True) in s.text
        assert set(s.metrics) <= set(METRICS)


TO_DO = re.compile(
    r"(Choose|Clip|Collect|Check|Do not|Evaluate|Recalibrate|Report)\b[^.]*(\.\d[^.]*)*\."
)


@pytest.mark.parametrize(
    "code", [code for code, rule in RULES.items() if rule.severity == "warning"]
)
def test_a_finding_says_what_to_do(code):
    said = [s for make, told in EXAMPLES[code] if told for s in RULES[code](make())]
    assert said
    for s in said:
        assert s.severity == "warning"
        assert s.text.endswith(s.remedy)
        last = s.remedy.removeprefix("so ")
        assert TO_DO.match(last[0].upper() + last[1:]), s.text


@cache
def field(share=0.01, n=400, own=0.4):
    """The same classifier where positives have another share than among its rows."""
    return good(n=n, share=own).at(prevalence=share)


FIELD_EXAMPLES = {
    "one-of-each-family": ({}, "Positives are 1 % in the field, as assumed: one class is rare"),
    "use-ranking": ({"use": "ranking"}, "random scores have 1 %"),
    "prevalence-differs": (
        {"prevalence": 0.2},
        "The prevalence is 1 % as assumed here and 20 % by your answer. Report sensitivity and",
    ),
    "precision-of-another-field": (
        {"prevalence": 0.2},
        " at the assumed prevalence and 0.",
    ),
    "probabilities-in-the-large": (
        {},
        "At the assumed prevalence the probabilities of model add up to ",
    ),
    "probabilities-off": ({}, None),
    "ask-prevalence": ({}, None),
    "too-few-rows": ({}, None),
}


@pytest.mark.parametrize("code", FIELD_EXAMPLES)
def test_a_share_that_is_assumed_is_told_as_such(code):
    answers, told = FIELD_EXAMPLES[code]
    said = RULES[code](case(field(), **answers))
    assert [told in s.text for s in said] == [True] * (told is not None)
    assert not any("of these rows" in s.text or "of the rows" in s.text for s in said)


def test_few_rows_are_counted_and_not_their_weight_in_the_field():
    few = good(n=60, share=0.3).at(prevalence=0.9)
    real = int(good(n=60, share=0.3).models[0].labels.counts[1].sum())
    (said,) = RULES["too-few-rows"](case(few))
    assert said.numbers["rows"] == real < 30
    assert f"There are {real} positives" in said.text


@pytest.mark.slow
def test_probabilities_that_are_right_in_the_field_are_not_called_off():
    # Right where positives are 10 %, from rows of which half are.
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], 2000)
    x = rng.normal(2 * y, 1)
    p = 1 / (1 + np.exp(-(2 * x - 2 + math.log(0.1 / 0.9))))
    ev = tm.evaluate(y, y_score=p)
    for code in ("probabilities-in-the-large", "probabilities-off"):
        assert bool(RULES[code](case(ev))) == (code == "probabilities-in-the-large")
        assert not RULES[code](case(ev.at(prevalence=0.1)))


def test_advice_in_the_field_chooses_within_each_class():
    ev = field()
    c = case(ev)
    assert c.choice("f1").best == ev.optimal_threshold("f1").best
    told = str(ev.advise(prevalence=0.2))
    assert "1 % as assumed" in told


def test_rules_are_data_with_sources():
    for code, rule in RULES.items():
        assert rule.code == code
        assert rule.section in SECTIONS
        assert rule.when.endswith(".")
        assert rule.sources
        assert set(rule.sources) <= set(SOURCES)


def test_a_sentence_without_its_numbers_cannot_be_made():
    def rule(*said):
        return AdviceRule(
            code="code",
            severity="info",
            when="Always.",
            section="report",
            sources=("liu2014",),
            find=lambda case: [Statement(*said[:1], **said[1])],
        )

    for said in (("nothing measured", {}), ("only {a}", {"a": 1.0, "b": 2.0}), ("{model}", {})):
        with pytest.raises(ValueError, match="does not cite|cites no number"):
            rule(*said)(case(good()))
    (statement,) = rule("{model} has {rows} rows and {accuracy}.", {"rows": 3})(case(good()))
    assert list(statement.numbers) == ["rows", "accuracy"]
    assert (statement.model, statement.metrics) == ("model", ("accuracy",))
    assert statement.text.startswith("model has 3 rows and 0.")
    # A place that is undefined leaves nothing to say.
    assert rule("{roc_auc}", {})(case(matrix(40, 10, 10, 40))) == []


def test_numbers_as_a_sentence_shows_them():
    values = {name: Value("x", v, v - 0.1, v + 0.1) for name, v in zip("abcd", (0.5, 0.25, 0.75, 0.6),
                                                                        strict=True)}  # fmt: skip
    assert shown(values["a"]) == "0.50 (0.40 to 0.60)"
    assert shown(Value("x", 0.5)) == "0.500"
    assert shown({"a": values["a"]}) == "0.50 (0.40 to 0.60)"
    assert shown({k: values[k] for k in "ab"}) == "a 0.50 (0.40 to 0.60), b 0.25 (0.15 to 0.35)"
    assert shown(values["a"], inside=True) == "0.50, 0.40 to 0.60"
    assert shown({k: values[k] for k in "ab"}, inside=True) == (
        "a 0.50, 0.40 to 0.60; b 0.25, 0.15 to 0.35"
    )
    assert shown({k: Value("x", 0.5) for k in "ab"}, inside=True) == "a 0.500, b 0.500"
    assert shown(values, inside=True) == (
        "lowest b 0.25, 0.15 to 0.35; highest c 0.75, 0.65 to 0.85"
    )
    assert shown(values) == ("from 0.25 (0.15 to 0.35) of b to 0.75 (0.65 to 0.85) of c")
    assert [shown(Share(x)) for x in (0.373, 0.01, 0.00012)] == ["37.3 %", "1 %", "0.012 %"]
    assert [shown(x) for x in (2000, 3.0, 0.0001, 123.4, 1e-7)] == [
        "2,000",
        "3",
        "0.0001",
        "123",
        "1e-07",
    ]


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ({"use": "sorting"}, "use is 'sorting'"),
        ({"worse": "both"}, "worse is 'both'"),
        ({"cost_fp": 1}, "one cost alone is not enough; give both cost_fp and cost_fn"),
        ({"cost_fp": -1, "cost_fn": 2}, "cost_fp is -1; give a finite number, zero or more"),
        ({"cost_fp": 1, "cost_fn": math.inf}, "cost_fn is inf"),
        ({"cost_fp": 0, "cost_fn": 0}, "both 0; one of them must be above 0"),
        ({"prevalence": 1}, "prevalence is 1; give a number between 0 and 1"),
    ],
)
def test_answers_that_are_none_are_refused(answers, told):
    with pytest.raises(tm.InputError, match=told.replace("(", r"\(")):
        good().advise(**answers)


@pytest.mark.slow
def test_names_with_braces_and_markup_are_text():
    rng = np.random.default_rng(0)
    y = (rng.random(200) < 0.4).astype(int)
    ev = tm.evaluate(y, y_score={"{evil}": rng.random(200), "<b>{0}": (y + rng.random(200)) / 2})
    text = str(ev.advise())
    assert "<b>{0} leads {evil} by" in text


@pytest.mark.slow
def test_advice_is_kept_sorted_and_plain():
    ev = two_models()
    advice = ev.advise(use="decisions")
    assert advice is ev.advise(use="decisions")
    assert advice is not ev.advise()
    order = [list(SECTIONS).index(s.section) for s in advice.statements]
    assert order == sorted(order)
    assert advice.metrics()[:2] == ("sensitivity", "specificity")
    plain = json.loads(json.dumps(advice.to_dict(), allow_nan=False))
    assert plain["answers"]["use"] == "decisions"
    assert [s["text"] for s in plain["statements"]] == [s.text for s in advice.statements]
    with pytest.raises(tm.InputError, match="name is 'order_'; did you mean 'order'"):
        advice.section("order_")


def test_nothing_to_advise():
    ev = tm.evaluate([1, 1], [1, 1], classes=[1])
    assert str(ev.advise()).startswith("nothing to advise on these rows\n")
    assert ev.advise().statements == ()


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=1, max_size=12),
    st.sampled_from([None, "decisions", "ranking", "probabilities"]),
    st.sampled_from([None, "missed", "false alarms"]),
    st.booleans(),
)
@pytest.mark.slow
def test_advice_of_any_rows_is_text_with_numbers(rows, use, worse, costs):
    y, s = zip(*rows, strict=True)
    ev = tm.evaluate(y, y_score=[v / 4 for v in s], positive=1, classes=[0, 1])
    given_ = {"cost_fp": 1, "cost_fn": 5} if costs else {}
    for statement in ev.advise(use=use, worse=worse, **given_).statements:
        assert not re.search(r"\bnan\b|[{}]", statement.text)


def test_equal_sentences_are_said_once_with_the_names_of_the_others():
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.9).astype(int)
    ev = tm.evaluate(y, {n: np.where(rng.random(400) < 0.1, 1 - y, y) * 0 + 1 for n in "abc"})
    (said,) = (s for s in ev.advise().statements if s.rule == "no-better-than-the-majority")
    assert said.others == tuple(n for n in "abc" if n != said.model)
    assert said.text.endswith(f" The same holds for {said.others[0]} and {said.others[1]}.")
    ev = tm.evaluate(y, dict.fromkeys("abcdefg", np.ones_like(y)))
    (said,) = (s for s in ev.advise().statements if s.rule == "no-better-than-the-majority")
    assert len(said.others) == 6
    assert said.text.endswith(" The same holds for {}, {}, {} and 3 more.".format(*said.others[:3]))


def test_rules_can_be_muted_and_those_that_passed_are_listed():
    ev = overconfident()
    advice = ev.advise()
    found = {s.rule for s in advice.statements}
    assert "probabilities-spread" in found
    assert "area-below-half" in advice.passed
    assert not found & set(advice.passed)
    muted = ev.advise(mute="probabilities-spread")
    rules = {s.rule for s in muted.statements} | set(muted.passed)
    assert "probabilities-spread" not in rules
    with pytest.raises(
        tm.InputError, match="no rule 'area-below-halve'; did you mean 'area-below-half'"
    ):
        ev.advise(mute=["area-below-halve"])


def test_findings_come_by_their_harm_and_five_are_shown():
    assert set(WORST_FIRST) == {c for c, r in RULES.items() if r.section in CHECKED}
    assert RULES[WORST_FIRST[0]].section == "chance"
    rng = np.random.default_rng(0)
    y = (np.arange(40) < 5).astype(int)
    ev = tm.evaluate(
        y, y_score=np.r_[np.zeros(3), 0.5, 0.6, np.ones(4), np.round(rng.random(31) / 2, 1)]
    )
    advice = ev.advise(prevalence=0.4)
    findings = [s.rule for s in advice.section("misleads")]
    assert findings == sorted(findings, key=WORST_FIRST.index)
    assert len(findings) > MOST_FINDINGS
    text = str(advice)
    assert [f"[{code}]" in text for code in findings] == [i < 5 for i in range(len(findings))]
    assert f"and {len(findings) - 5} more findings: --json has all" in text
    html = section(folded_advice(advice))
    assert html.index(f"<code>{findings[4]}") < html.index("more finding")
    assert html.index(f"<code>{findings[5]}") > html.index("more finding")
    assert "<code>certain-and-wrong" not in section(folded_advice(advice, {"held-impossible"}))


def test_an_advised_threshold_decides_as_printed_what_it_decides_in_full():
    ev = tm.evaluate(tm.example("credit"), truth="outcome", positive="bad", score="forest")
    found = {s.rule: s for s in ev.advise(cost_fp=1, cost_fn=5).statements}
    for code in ("costs-of-guessing", "cheapest-threshold"):
        said, full = found[code].text, found[code].numbers["threshold"]
        printed = float(re.search(r"(?:of|from 0.5 to) (\d\.\d+)", said)[1])
        assert printed == 0.235 < full < 0.236, "rounded to three digits rows at it would be lost"
        ours, theirs = (ev.at(threshold=t).models[0].labels.counts for t in (printed, full))
        assert (ours == theirs).all()


def test_an_assumed_prevalence_does_not_order_the_models():
    """At 1 %, three false positives in 357 rows move MCC, which the rates of the rows do not."""
    names = ("forest", "logistic")
    frame = np.genfromtxt(
        tm.example("breast_cancer"), delimiter=",", names=True, dtype=None, encoding="utf-8"
    )
    truth = frame["diagnosis"] == "malignant"
    scores = {name: frame[name] for name in names}
    ev = tm.evaluate(truth, y_score=scores, positive=True, use="medicine").at(prevalence=0.01)
    forest, logistic = (
        (s[truth] >= 0.5).mean() - (s[~truth] >= 0.5).mean() for s in scores.values()
    )
    findings = {f.rule: f.text for f in ev.advise().statements}
    assert "interval-too-wide" not in findings
    assert findings["lead-within-the-noise"].startswith(
        f"By Youden's J, logistic leads forest by {logistic - forest:.3f} ("
    )
