"""What the lab says of a failure, whole, for every mixture of what metrics do."""

from __future__ import annotations

import math

from tallymark.parts.lab.results import Reaction
from tallymark.parts.lab.words import measure, reactions


def reaction(metric, effect, power):
    return Reaction("skew", metric, 0.7, 0.6, -0.1, power, 0.01, (0.6, 0.8), 0.0, effect)


SURE = [reaction("accuracy", "worse", 0.8), reaction("f1", "higher", 0.97)]
AT_TIMES = [reaction("brier", "lower", 0.31), reaction("log_loss", "worse", 0.79)]
BETTER = [reaction("roc_auc", "better", 0.45)]
NOISIER = [reaction("youden_j", "noisier", 0.2), reaction("precision", "noisier", 0.93)]
UNDEFINED = [reaction("gini_coefficient", "undefined", 0.0)]
NONE = [reaction(m, "none", 0.04) for m in ("specificity", "sensitivity")]
MANY = [
    reaction(m, "none", 0.04)
    for m in ("specificity", "sensitivity", "accuracy", "f1", "brier", "log_loss", "precision")
]
SEVEN = [reaction(r.metric, "worse", 0.1 * (i + 1)) for i, r in enumerate(MANY)]


def said(*of):
    return reactions("skew", "what it is", [r for some in of for r in some])


def test_what_metrics_do_is_one_sentence():
    assert (measure("brier"), measure("their own")) == ("Brier score", "their own")
    assert said(SURE) == "skew (what it is): noticed by accuracy and F1."
    assert said(SURE[:1]) == "skew (what it is): noticed by accuracy."
    assert said(AT_TIMES) == (
        "skew (what it is): noticed at times by log loss (79 %) and Brier score (31 %)."
    )
    assert said(SURE[:1], AT_TIMES[:1]) == (
        "skew (what it is): noticed by accuracy; at times by Brier score (31 %)."
    )
    assert said(BETTER) == f"skew (what it is): {measure('roc_auc')} (45 %) looks better."
    assert said(BETTER, [reaction("f1", "better", 0.9)]) == (
        f"skew (what it is): {measure('roc_auc')} (45 %) and F1 look better."
    )
    youden = measure("youden_j")
    assert said(NOISIER) == (
        f"skew (what it is): {youden} (20 %) and precision vary more without moving on average."
    )
    assert said(NOISIER[:1]) == (
        f"skew (what it is): {youden} (20 %) varies more without moving on average."
    )
    gini = measure("gini_coefficient")
    assert said(UNDEFINED) == f"skew (what it is): {gini} is mostly undefined."
    assert said(UNDEFINED, [reaction("f1", "undefined", 0.0)]) == (
        f"skew (what it is): {gini} and F1 are mostly undefined."
    )
    assert said(NONE) == "skew (what it is): not noticed by specificity and sensitivity."
    assert said(MANY) == "skew (what it is): not noticed by any metric."
    assert said(MANY[:6]).startswith("skew (what it is): not noticed by specificity, sensitivity, ")
    assert said(SURE[:1], BETTER, UNDEFINED, MANY) == (
        f"skew (what it is): noticed by accuracy; {measure('roc_auc')} (45 %) looks better; {gini} "
        "is mostly undefined; not noticed by any other metric."
    )


def test_of_many_that_notice_at_times_the_three_best_are_named():
    six = [
        f"{measure(r.metric)} ({100 * r.power:.0f} %)" for r in sorted(SEVEN[:6], key=lambda r: -r.power)
    ]  # fmt: skip
    assert said(SEVEN[:6]) == (
        f"skew (what it is): noticed at times by {', '.join(six[:-1])} and {six[-1]}."
    )
    best = [f"{measure(r.metric)} ({100 * r.power:.0f} %)" for r in SEVEN[:3:-1]]
    assert said(SEVEN) == (f"skew (what it is): noticed at times by {', '.join(best)} and 4 more.")


def test_a_reaction_notices_from_80_percent_on():
    assert reaction("f1", "worse", 0.8).noticed
    assert not reaction("f1", "worse", math.nextafter(0.8, 0)).noticed
    assert str(reaction("f1", "worse", 0.8)) == (
        "skew: F1 0.700, mean change −0.100, power 80 %, worse"
    )
