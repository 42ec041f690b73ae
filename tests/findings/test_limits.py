"""Where each rule of advice begins to speak, on values that are handed to it at the limit.

The rows are 100, and a rule reads the values given here in place of theirs, so each number of a
sentence is one of the test's own.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom, chi2, norm

import tallymark as tm
from asymmetric import wilson
from judged import counted, counted_of
from tallymark import quantities
from tallymark.findings.advice import Answers, Case, Statement, advice_rules
from tallymark.findings.finding import Finding, shown
from tallymark.infer.operating_points import Splits
from tallymark.infer.sampler import Sampler
from tallymark.infer.threshold_gain import moved_threshold
from tallymark.metric import get
from tallymark.metric.measure import Value

RULES = advice_rules()
WIDER = norm.ppf(1 - 0.05 / 8) / norm.ppf(1 - 0.05 / 2)
"""How much wider an interval is that is one of four tests at 95 %."""


def v(value, low=None, high=None) -> Value:
    """Return a value with bounds, by default without width."""
    return Value("x", value, value if low is None else low, value if high is None else high)


@cache
def rows(positives=40, n=100):
    """Return the evaluation of rows that are all decided right."""
    return counted([[n - positives, 0], [0, positives]])


@cache
def scored():
    """Return the evaluation of 40 positives and 60 negatives with scores that overlap."""
    score = np.r_[0.35 + np.arange(40) / 80, 0.02 + np.arange(60) / 120]
    return tm.evaluate(np.repeat([1, 0], [40, 60]), y_score=score, threshold=0.5)


def case(ev, values=None, **answers) -> Case:
    """Return an evaluation as rules see it, with some values in place of those of each model."""
    own = {model: {**of, **(values or {})} for model, of in ev.values().items()}
    of = (ev.level, ev.seed, ev.stratified, lambda: ev.compare(permutations=0))
    return Case(counted_of(ev), own, Answers(**answers), *of)


def spoken(code, at) -> list[str]:
    """Return the sentences of a rule."""
    return [s.text for s in RULES[code](at)]


def large(x, low, high):
    return case(rows(), {"observed_expected_ratio": v(x, low, high)})


def steep(x, low, high):
    steep = {"observed_expected_ratio": v(1.0), "calibration_slope": v(x, low, high)}
    return case(rows(), steep)


def by_z(z, error=0.0, **more):
    """Return a case of probabilities that are right on average and in slope."""
    right = {"observed_expected_ratio": v(1.0), "calibration_slope": v(1.0)}
    return case(
        rows(), {**right, "spiegelhalter_z": v(z), "expected_calibration_error": v(error), **more}
    )


SHAPE = chi2.isf(0.05 / 4, 10)
Z = norm.ppf(1 - 0.05 / 8)


def assumed():
    """Return the evaluation of 25 positives and 75 negatives whose shares are assumed."""
    return rows(25).at(prevalence=0.25)


LIMITS = [
    ("accuracy-of-the-majority", lambda x: case(assumed(), {"accuracy": v(0.9, x)}), 0.76, 0.75),
    (
        "accuracy-of-the-majority",
        lambda n: case(rows(n), {"accuracy": v(0.9, 0.8)}),
        25,
        26,
    ),
    ("no-better-than-the-majority", lambda x: case(assumed(), {"accuracy": v(0.9, x)}), 0.75, 0.76),
    ("no-better-than-the-majority", lambda n: case(rows(n), {"accuracy": v(0.9, 0.8)}), 1, 0),
    # Of four rows that are gained and none lost, the mid-p is 1/32.
    ("no-better-than-the-majority", lambda n: case(rows(n)), 3, 4),
    ("f1-of-all-positive", lambda x: case(rows(50, 150), {"f1": v(0.7, x)}), 0.5, 0.51),
    (
        "area-hides-false-alarms",
        lambda n: case(rows(n), {"roc_auc": v(0.8), "average_precision": v(0.6)}),
        19,
        20,
    ),
    (
        "area-hides-false-alarms",
        lambda x: case(rows(10), {"roc_auc": v(x), "average_precision": v(0.6)}),
        0.8,
        0.79,
    ),
    (
        "area-hides-false-alarms",
        lambda x: case(rows(10), {"roc_auc": v(0.9), "average_precision": v(x)}),
        0.749,
        0.75,
    ),
    (
        "mean-of-two-rates",
        lambda x: case(rows(), {"sensitivity": v(x), "specificity": v(0.0)}),
        0.16,
        0.15,
    ),
    (
        "mean-of-two-rates",
        lambda x: case(rows(), {"sensitivity": v(0.0), "specificity": v(x)}),
        0.16,
        0.15,
    ),
    (
        "costs-of-guessing",
        lambda x: case(rows(), {"precision": v(0.4, 0.3, x)}, cost_fp=1, cost_fn=1),
        0.49,
        0.5,
    ),
    (
        "costs-of-guessing",
        lambda x: case(rows(), {"negative_predictive_value": v(0.4, 0.3, x)}, cost_fp=1, cost_fn=3),
        0.74,
        0.75,
    ),
    ("probabilities-in-the-large", lambda x: large(x, x, x), 1.11, 1.1),
    ("probabilities-in-the-large", lambda x: large(x, x, x), 0.89, 0.9),
    ("probabilities-in-the-large", lambda x: large(1.5, 1.5 - x / WIDER, 3), 0.499, 0.501),
    ("probabilities-in-the-large", lambda x: large(0.5, 0, 0.5 + x / WIDER), 0.499, 0.501),
    ("probabilities-spread", lambda x: steep(x, x, x), 1.11, 1.1),
    ("probabilities-spread", lambda x: steep(x, x, x), 0.89, 0.9),
    ("probabilities-spread", lambda x: steep(1.5, 1.5 - x / WIDER, 3), 0.499, 0.501),
    ("probabilities-spread", lambda x: steep(0.5, 0.01, 0.5 + x / WIDER), 0.499, 0.501),
    ("probabilities-off", by_z, Z + 1e-6, Z - 1e-6),
    ("probabilities-off", by_z, -Z - 1e-6, -Z + 1e-6),
    ("probabilities-off", lambda x: by_z(0, x, hosmer_lemeshow=v(99)), 0.02, 0.0199),
    (
        "probabilities-off",
        lambda x: by_z(0, 0.02, hosmer_lemeshow=v(x)),
        SHAPE + 1e-6,
        SHAPE - 1e-6,
    ),
    (
        "ties-decide",
        lambda x: case(rows(), {"roc_auc_pessimistic": v(0.0), "roc_auc_optimistic": v(x)}),
        0.01,
        0.009,
    ),
    ("area-below-half", lambda x: case(rows(), {"roc_auc": v(0.4, 0.3, x)}), 0.49, 0.5),
    ("too-few-rows", lambda n: case(rows(n)), 29, 30),
    ("too-few-rows", lambda n: case(rows(n)), 71, 70),
    (
        "interval-too-wide",
        lambda x: case(rows(), {"matthews_corrcoef": v(0.1, 0.0, x)}),
        0.2,
        0.199,
    ),
    (
        "worse-missed",
        lambda x: case(rows(), {"sensitivity": v(0.9, x, 1.0)}, worse="missed"),
        0.8,
        math.nan,
    ),
]


def test_each_rule_speaks_from_its_limit_on():
    for code, at, inside, beyond in LIMITS:
        assert len(spoken(code, at(inside))) == 1, (code, inside)
        assert spoken(code, at(beyond)) == [], (code, beyond)


def test_a_share_of_positives_is_rare_below_its_limits():
    for n, why in (
        (29, "one class is rare, so say which use matters to you"),
        (30, "neither class is rare, so each can be read as it is"),
        (70, "neither class is rare, so each can be read as it is"),
        (71, "one class is rare, so say which use matters to you"),
    ):
        at = case(rows(n), {"matthews_corrcoef": v(0.5), "brier": v(0.125)})
        assert spoken("one-of-each-family", at) == [
            "Report one metric for each use: decisions by MCC (0.500, 0.500 to 0.500) and "
            "probabilities by Brier score (0.125, 0.125 to 0.125; the prevalence alone "
            f"{n / 100 * (1 - n / 100):.3f}). Positives are {n} % of the rows: {why}."
        ]


AREA = "ROC area (0.750, 0.750 to 0.750)"
OF_TOP = f"beside {AREA}, which says little about the top of the list."


def test_a_ranking_is_read_by_the_share_of_positives():
    area = {"roc_auc": v(0.75), "average_precision": v(0.25)}
    for n, prevalence, rest in (
        (20, None, f": report {AREA}. Positives are 20 % of the rows, frequent enough"),
        (
            19,
            None,
            ", and positives are rare: report average precision (0.250, 0.250 to 0.250; random "
            f"scores have 19 %) {OF_TOP}",
        ),
        (19, 0.2, f": report {AREA}. Positives are 20 % in the field, frequent enough"),
        (
            20,
            0.19,
            ", and positives are rare in the field (19 %): report average precision at that "
            f"prevalence {OF_TOP}",
        ),
    ):
        (text,) = spoken("use-ranking", case(rows(n), area, use="ranking", prevalence=prevalence))
        whole = rest if rest.endswith(".") else f"{rest} for it to be a fair summary."
        assert text == f"You use the ranking{whole}"


def test_probabilities_are_reported_with_a_log_loss_only_where_all_are_finite():
    of = {"brier_skill_score": v(0.5), "expected_calibration_error": v(0.25)}
    rest = "calibration error (0.250, 0.250 to 0.250)."
    skill = "Brier skill score (0.500, 0.500 to 0.500)"
    for loss, told in (
        (
            v(0.75),
            f"log loss (0.750, 0.750 to 0.750) and {skill}, which are best for the true "
            f"probabilities, and {rest}",
        ),
        (
            v(math.inf),
            f"{skill}, which is best for the true probabilities, and {rest} The log loss is not "
            "finite for every model.",
        ),
    ):
        at = case(rows(), {**of, "log_loss": loss}, use="probabilities")
        assert spoken("use-probabilities", at) == [f"You use probabilities: report {told}"]


def test_models_without_scores_or_probabilities_are_counted():
    y = [1, 0] * 10
    decided = tm.evaluate(y, {"a": y, "b": y}, y_score={"a": [0.9, 0.2] * 10})
    assert [bool(m.scores) for m in decided.models] == [True, False]
    assert spoken("use-needs-scores", case(decided, use="ranking")) == [
        "You use the ranking of scores, but 1 of 2 models came with decisions only. Give their "
        "scores as well."
    ]
    distances = tm.evaluate(y, y_score={"a": [0.9, 0.2] * 10, "b": [9, 2] * 10, "c": [7, 5] * 10})
    assert spoken("use-needs-scores", case(distances, use="probabilities")) == [
        "You use the scores as probabilities, but those of 2 of 3 models are not. Calibrate them "
        "first, or judge the ranking alone."
    ]
    assert spoken("use-needs-scores", case(distances, use="ranking")) == []


SLOPE = (
    "(calibration slope {0:.3f}, {0:.3f} to {0:.3f}; 1 is right). Recalibrate the slope before you "
    "use its probabilities."
)


def test_each_fault_of_probabilities_names_its_direction():
    for at, code, text in (
        (
            large(0.25, 0.25, 0.25),
            "probabilities-in-the-large",
            "The probabilities of model add up to 4 × the positives that occurred (observed to "
            "expected 0.250, 0.250 to 0.250). Recalibrate its intercept before you use its "
            "probabilities.",
        ),
        (
            large(0.0, 0.0, 0.0),
            "probabilities-in-the-large",
            "The probabilities of model add up to 0 × the positives that occurred (observed to "
            "expected 0.000, 0.000 to 0.000). Recalibrate its intercept before you use its "
            "probabilities.",
        ),
        (
            large(2.5, 2.5, 2.5),
            "probabilities-in-the-large",
            "The probabilities of model add up to too few positives: 2.5 × as many occurred "
            "(observed to expected 2.500, 2.500 to 2.500). Recalibrate its intercept before you use "
            "its probabilities.",
        ),
        (
            steep(0.5, 0.5, 0.5),
            "probabilities-spread",
            f"model is overconfident: its probabilities are too extreme {SLOPE.format(0.5)}",
        ),
        (
            steep(1.5, 1.5, 1.5),
            "probabilities-spread",
            "model is under-confident: its probabilities are not extreme enough "
            f"{SLOPE.format(1.5)}",
        ),
        (
            by_z(3.25, 0.125),
            "probabilities-off",
            "model is overconfident (Spiegelhalter's z 3.250, beyond ±2.50; calibration error "
            "0.125). Recalibrate before you use its probabilities.",
        ),
        (
            by_z(-3.25, 0.125),
            "probabilities-off",
            "model is under-confident (Spiegelhalter's z −3.250, beyond ±2.50; calibration error "
            "0.125). Recalibrate before you use its probabilities.",
        ),
        (
            by_z(0, 0.125, hosmer_lemeshow=v(31.5)),
            "probabilities-off",
            "Probabilities of model are right on average, but off by 0.125 within tenths of the "
            f"rows (Hosmer-Lemeshow statistic 31.500, above {SHAPE:.3f}). Recalibrate with a "
            "curve, such as isotonic regression, before you use them.",
        ),
    ):
        assert spoken(code, at) == [text]


def test_a_fault_of_the_mean_or_the_slope_is_not_told_again_by_z():
    assert spoken("probabilities-off", by_z(9, observed_expected_ratio=v(2.0))) == []
    assert spoken("probabilities-off", by_z(9, calibration_slope=v(2.0))) == []
    assert spoken("probabilities-off", by_z(9, calibration_slope=v(1.05))) != []
    undefined = Value("x", math.nan, reason="never")
    assert spoken("probabilities-off", by_z(9, calibration_slope=undefined)) != []
    twice = {"observed_expected_ratio": v(2.0), "calibration_slope": v(2.0)}
    assert spoken("probabilities-spread", case(rows(), twice)) == []


@cache
def clustered():
    return tm.evaluate([1, 0] * 50, [1, 0] * 50, cluster=np.arange(100) % 25)


def test_in_clusters_and_in_a_field_z_is_held_to_its_interval():
    right = {"observed_expected_ratio": v(1.0), "expected_calibration_error": v(0.125)}
    for ev, start, to in (
        (clustered(), "model", ""),
        (rows().at(prevalence=0.25), "At the assumed prevalence model", " to that prevalence"),
    ):
        for z, side in ((v(1.5, 1.5 - 1.49 / WIDER, 9), "over"), (v(-1.5, -9, -0.5), "under-")):
            shown = "1.5, 0.3 to 9.0" if z.high > 1 else "−1.5, −9.0 to −0.5"
            at = case(ev, {**right, "spiegelhalter_z": z})
            assert spoken("probabilities-off", at) == [
                f"{start} is {side}confident (Spiegelhalter's z {shown}, an "
                "interval without 0; calibration error 0.125). "
                f"Recalibrate{to} before you use its probabilities."
            ]
        (text,) = spoken(
            "probabilities-off", case(ev, {**right, "spiegelhalter_z": v(0.5, 0.4, 2)})
        )
        assert f"{start} is overconfident (Spiegelhalter's z 0.50, 0.40 to 2.00" in text
        for z in (v(1.5, 1.5 - 1.51 / WIDER, 9), v(-1.5, -9, -1.5 + 1.51 / WIDER)):
            assert spoken("probabilities-off", case(ev, {**right, "spiegelhalter_z": z})) == []
        shape = {"spiegelhalter_z": v(0.0), "hosmer_lemeshow": v(99)}
        assert spoken("probabilities-off", case(ev, {**right, **shape})) == []


def test_an_accuracy_near_that_of_the_majority_has_the_digits_that_tell_them_apart():
    ev = counted([[4947, 3], [45, 5]])  # accuracy 4952 / 5000, and 4950 / 5000 without it
    p = binom.sf(5, 8, 0.5) + binom.pmf(5, 8, 0.5) / 2
    assert spoken("no-better-than-the-majority", case(ev)) == [
        "Accuracy of model (0.9904) is not shown to be above 0.9900, which always predicting 0 has "
        f"on these rows (gained 5, lost 3; p = {p:.3g}). Report balanced accuracy and MCC instead."
    ]


def uneven_clusters():
    """Return the evaluation of scores in six clusters, of which one holds 70 % of the rows."""
    rng = np.random.default_rng(1)
    p = rng.uniform(0.05, 0.95, 600)
    y = (rng.random(600) < 1 / (1 + (1 / p - 1) ** 1.5)).astype(int)
    of = np.where(np.arange(600) < 420, 0, 1 + np.arange(600) % 5)
    return tm.evaluate(y, y_score=p, cluster=of)


def test_calibration_that_few_clusters_carry_is_not_judged():
    ev = uneven_clusters()
    z = ev["spiegelhalter_z"]
    assert z.low > 0 or z.high < 0  # which alone would be called a finding
    error = ev["expected_calibration_error"].value
    (finding,) = RULES["probabilities-off"](case(ev))
    assert finding.text == (
        f"The calibration of model (calibration error {error:.3f}) cannot be judged: few clusters "
        "carry it, the largest 70 % of the rows. Collect more clusters before you use its "
        "probabilities."
    )


def test_no_statement_drops_the_warning_of_a_value_that_it_cites():
    ev = uneven_clusters()
    said = ev.advise().statements
    assert {s.rule for s in said} > {"one-of-each-family", "ask-use"}
    for s in said:
        warned = [v for v in s.numbers.values() if isinstance(v, Value) and v.warning]
        assert all(v.warning in s.text for v in warned), s.text
    (finding,) = RULES["one-of-each-family"](case(ev))
    assert finding.text.endswith(
        "neither class is rare, so each can be read as it is. Caution (MCC, ROC area and Brier "
        "score): few clusters carry it, the largest 70 % of the rows."
    )
    (finding,) = RULES["f1-of-all-positive"](case(ev, {"f1": replace(ev["f1"], low=0.0)}))
    assert finding.remedy == (
        "so report MCC too. Caution (F1): few clusters carry it, the largest 70 % of the rows."
    )
    assert finding.text.endswith(finding.remedy)


def test_models_with_an_infinite_loss_are_named_with_their_brier_scores():
    y = [1, 0] * 30
    ev = tm.evaluate(y, y_score={n: [0.7, 0.4] * 30 for n in "abc"})
    at = case(ev)
    for wrong, text in (
        (
            "b",
            "b gave probability 0 to a class that then occurred, so its log loss is infinite. Clip "
            "or calibrate the scores, or read the Brier score (0.250, 0.250 to 0.250; the prevalence "
            "alone 0.250).",
        ),
        (
            "bc",
            "b and c gave probability 0 to a class that then occurred, so their log losses are "
            "infinite. Clip or calibrate the scores, or read the Brier score (b 0.250, 0.250 to "
            "0.250; c 0.250, 0.250 to 0.250; the prevalence alone 0.250).",
        ),
    ):
        off = {"log_loss": v(math.inf), "brier": v(0.25)}
        of = {m: {**own, **(off if m in wrong else {})} for m, own in at.values.items()}
        (said,) = RULES["certain-and-wrong"](replace(at, values=of))
        assert said.text == text
        assert said.model == ("b" if wrong == "b" else None)
        assert said.metrics == ("log_loss",)


def test_other_findings_on_misleading_numbers_are_said_whole():
    for code, at, text in (
        (
            "ties-decide",
            case(rows(), {"roc_auc_pessimistic": v(0.5), "roc_auc_optimistic": v(0.625)}),
            "Positives and negatives tie in the scores of model: its ROC area is 0.500 to 0.625 "
            "depending on how ties are broken. Report how, since software differs.",
        ),
        (
            "f1-of-all-positive",
            case(rows(50, 150), {"f1": v(0.5, 0.25, 0.75)}),
            "F1 of model (0.50, 0.25 to 0.75) is not shown to be above 0.500, which calling "
            "every row positive has on these rows. F1 ignores true negatives, so report MCC too.",
        ),
        (
            "too-few-rows",
            case(rows(25), {"sensitivity": v(0.75, 0.5, 0.875)}),
            "There are 25 positives: each of them moves sensitivity by 0.040, and its interval for "
            "model is 0.500 to 0.875. Collect more positives before you rely on it.",
        ),
        (
            "too-few-rows",
            case(rows(80), {"specificity": v(0.75, 0.5, 0.875)}),
            "There are 20 negatives: each of them moves specificity by 0.050, and its interval for "
            "model is 0.500 to 0.875. Collect more negatives before you rely on it.",
        ),
        (  # 100 rows, an interval of 0.25 that is to become 0.1: 6.25 times the rows.
            "interval-too-wide",
            case(rows(), {"matthews_corrcoef": v(0.5, 0.375, 0.625)}),
            "MCC of model is 0.50 (0.38 to 0.62), too uncertain to choose by. Collect about 620 "
            "rows like these, which would narrow the interval to ± 0.050.",
        ),
        (
            "costs-of-guessing",
            case(rows(), {"precision": v(0.25, 0.125, 0.375)}, cost_fp=3, cost_fn=1),
            "If a false alarm costs 3 and a missed positive 1, model does worse than acting on "
            "none: its precision is 0.25 (0.12 to 0.38), and it pays only above 0.750. Do not use "
            "its decisions: acting on none costs less.",
        ),
        (
            "costs-of-guessing",
            case(
                rows(), {"negative_predictive_value": v(0.25, 0.125, 0.375)}, cost_fp=1, cost_fn=3
            ),
            "If a false alarm costs 1 and a missed positive 3, model does worse than acting on "
            "every row: its negative predictive value is 0.25 (0.12 to 0.38), and it pays only "
            "above 0.750. Do not use its decisions: acting on every row costs less.",
        ),
        (
            "worse-missed",
            case(
                rows(),
                {
                    "sensitivity": v(0.75, 0.625, 0.875),
                    "negative_predictive_value": v(0.5, 0.25, 0.75),
                },
                worse="missed",
            ),
            "A missed positive hurts more: model finds 0.75 (0.62 to 0.88) of the positives, so "
            "plan for the lower bound. Report sensitivity with its lower bound (0.625) and negative "
            "predictive value (0.50, 0.25 to 0.75).",
        ),
    ):
        assert spoken(code, at) == [text]


CLOSE = 0.02


def test_metrics_that_move_by_more_than_two_hundredths_are_named():
    ev = counted([[55, 5], [10, 30]])
    moved = {
        m: case(ev).at(m, 0.25) for m in ("f1", "matthews_corrcoef", "cohen_kappa", "accuracy")
    }
    there = {m: value.value for m, value in moved.items()}
    assert there["f1"] == pytest.approx(2 * 0.25 * 0.75 / (0.25 * 1.75 + 0.75 / 12))
    for moves, more in (
        ({"f1": 0.1}, ""),
        ({"f1": 0.1, "accuracy": -0.021}, " Accuracy changes as well."),
        ({"f1": 0.1, "accuracy": -0.019}, ""),
        (
            {"f1": -0.1, "accuracy": 0.03, "cohen_kappa": 0.04},
            " Kappa and accuracy change as well.",
        ),
    ):
        values = {m: v(x + moves.get(m, 0)) for m, x in there.items()}
        (said,) = RULES["precision-of-another-field"](case(ev, values, prevalence=0.25))
        assert said.text == (
            f"F1 of model is {bounds(values['f1'])} on these rows and {bounds(moved['f1'])} at a "
            f"prevalence of 25 %, with the same error rates.{more} Report the values at the "
            "prevalence of the field."
        )
        assert set(said.metrics) == {m for m, by in moves.items() if abs(by) > CLOSE}
    still = {m: v(x + 0.019) for m, x in there.items()}
    assert spoken("precision-of-another-field", case(ev, still, prevalence=0.25)) == []


@cache
def off(shift=2.0):
    """Return the evaluation of normal scores that are cut far above where they should be."""
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [200, 300])
    return tm.evaluate(y, y_score=rng.normal(1.5 * y), threshold=shift)


def bounds(value) -> str:
    return f"{quantities.to_width(value.value, value.low, value.high)[0]} ({quantities.between(value.low, value.high)})"


def inside(value) -> str:
    return f"{quantities.to_width(value.value, value.low, value.high)[0]}, {quantities.between(value.low, value.high)}"


def negated(value):
    return replace(value, value=-value.value, low=-value.high, high=-value.low)


def moved(ev, metric, **params):
    """Return the best threshold and its gain, by the function that makes them."""
    model, counts = ev.models[0], counted_of(ev)
    splits = Splits(model.scores[0], Sampler(), None, 0.95)
    return moved_threshold(splits, model, get(metric), params, counts.joint)


def test_a_threshold_is_to_move_where_its_gain_on_new_rows_is_above_0():
    for shift, moves in ((2.0, True), (0.75, False)):
        ev = off(shift)
        best, gain, _ = moved(ev, "youden_j")
        (finding,) = RULES["threshold-without-costs"](case(ev))
        assert (gain.low > 0) == moves
        at = finding.numbers["threshold"]
        assert at == best.threshold
        start = "Keep the threshold of model at 0.75: the best one on these rows, "
        side, by = ("lower", negated(gain)) if gain.value < 0 else ("higher", gain)
        end = f"is not shown to do better on new rows (Youden's J {side} by {inside(by)})."
        if moves:
            start = "If sensitivity and specificity matter equally, move the threshold of model "
            start += "from 2 to "
            end = f", which raises Youden's J by {bounds(gain)} on new rows. Else state the costs "
            end += "of both errors."
        assert finding.text.startswith(start)
        assert finding.text.endswith(end)
    for answers in ({"worse": "missed"}, {"cost_fp": 1, "cost_fn": 2}):
        assert spoken("threshold-without-costs", case(off(), **answers)) == []


def test_the_cheapest_threshold_is_said_with_what_it_saves_on_new_rows():
    for shift, costs, moves in ((2.0, (1, 5), True), (0.75, (1, 1.5), False)):
        ev, costs = off(shift), {"cost_fp": costs[0], "cost_fn": costs[1]}
        best, gain, _ = moved(ev, "expected_cost", **costs)
        (text,) = spoken("cheapest-threshold", case(ev, **costs))
        assert (gain.low > 0) == moves
        if moves:
            c = ev.models[0].labels.counts
            now = ev.value("expected_cost", **costs)
            cost = (costs["cost_fn"] * c[1, 0] + costs["cost_fp"] * c[0, 1]) / 500
            assert now.value == pytest.approx(cost)
            assert text.startswith("At these costs, move the threshold of model from 2 to ")
            assert text.endswith(
                f"on new rows expect a cost of {bounds(best.best.corrected)} per row, "
                f"{bounds(gain)} less than now ({inside(now)} on these rows)."
            )
        else:
            assert text.startswith("At these costs, keep the threshold of model at 0.75: the best ")
            side, by = ("more", negated(gain)) if gain.value < 0 else ("less", gain)
            end = f"is not shown to cost less on new rows ({inside(by)} {side} per row)."
            assert text.endswith(end)


@cache
def faint():
    """Return scores with a faint signal: at costs far apart no threshold beats a constant."""
    rng = np.random.default_rng(8)
    y = np.repeat([1, 0], [240, 360])
    return tm.evaluate(y, y_score=rng.normal(0.5 * y), threshold=0.25)


def test_a_threshold_that_is_not_shown_to_beat_a_constant_decision_is_not_advised():
    ev, costs = faint(), {"cost_fp": 1, "cost_fn": 10}
    best, gain, over = moved(ev, "expected_cost", **costs)
    c = ev.models[0].labels.counts
    now = ev.value("expected_cost", **costs)
    assert now.value == pytest.approx((10 * c[1, 0] + c[0, 1]) / 600)
    assert gain.low > 0 > over.low
    side, by = ("more", negated(over)) if over.value < 0 else ("less", over)
    (finding,) = RULES["cheapest-threshold"](case(ev, **costs))
    assert finding.text == (
        f"At these costs, a threshold of {shown(finding.numbers['threshold'])} for model is "
        f"expected to cost {bounds(best.best.corrected)} per row on new rows, {bounds(gain)} less "
        f"than now ({inside(now)} on these rows), but is not shown to cost less than acting on every "
        f"row ({360 / 600:.3f}; {inside(by)} {side})."
    )
    (text,) = spoken("costs-of-guessing", case(ev, **costs))
    assert text.endswith(
        "Do not use its decisions: acting on every row costs less, and no threshold is shown to "
        "cost less than that."
    )
    (text,) = spoken("ask-costs", case(ev))
    (finding,) = RULES["ask-costs"](case(ev))
    assert text == (
        "What does each error cost? If a missed positive costs 10 times a false alarm, a threshold "
        f"of {shown(finding.numbers['first'])} saves {bounds(gain)} per row on new rows, not "
        "shown to beat acting on every row (unit: the cheaper error)."
    )


def test_a_threshold_that_calls_every_row_positive_is_said_to_do_so():
    y = np.repeat([1, 0], [200, 300])
    rng = np.random.default_rng(1)
    score = np.where(np.arange(500) == 0, -9.0, rng.normal(1.5 * y))
    ev = tm.evaluate(y, y_score=score, threshold=2.0)
    (text,) = spoken("cheapest-threshold", case(ev, cost_fp=1, cost_fn=1000))
    assert "from 2 to −9, where every row is called positive: on new rows expect" in text


def test_a_limit_is_kept_with_confidence_and_on_these_rows_alone_in_half_of_all_samples():
    ev = off()
    y = np.repeat([1, 0], [200, 300])
    choice = ev.optimal_threshold("specificity", within={"sensitivity": 0.95})
    (text,) = spoken("threshold-that-finds", case(ev, worse="missed"))
    # The 5th lowest positive is the last below which Bin(200, 0.05) is seldom so low.
    missed = max(k for k in range(200) if binom.cdf(k, 200, 0.05) <= 0.05)
    rng = np.random.default_rng(1)
    scores = rng.normal(1.5 * y)
    sure = np.sort(scores[y == 1])[missed]
    assert choice.confident == sure
    right = int((scores[y == 0] < sure).sum())
    low, high = wilson(right, 300, norm.ppf(0.975))
    kept, best = choice.limits[0].corrected, choice.best.corrected
    finding = RULES["threshold-that-finds"](case(ev, worse="missed"))[0]
    shown_sure, shown_best = (shown(finding.numbers[k]) for k in ("sure", "threshold"))
    lost = int((scores[y == 1] < choice.threshold).sum())
    share = binom.cdf(lost, 200, 0.05)
    fails = "half" if abs(share - 0.5) < 0.05 else f"{100 * share:.0f} %"
    assert text == (
        f"To find at least 95 % of the positives, set the threshold of model to {shown_sure}, "
        f"which does so on new rows with 95 % confidence (specificity {right / 300:.3f}, "
        f"{quantities.between(low, high)} on these rows). The threshold that just does so on these rows, "
        f"{shown_best}, fails on new ones in about {fails} of all samples: expect sensitivity "
        f"{bounds(kept)} and specificity {bounds(best)} there."
    )


def test_too_few_rows_keep_no_limit_with_confidence():
    (text,) = spoken("threshold-that-spares", case(scored(), worse="false alarms"))
    assert text.startswith(
        "To keep false alarms at 1 % of the negatives or fewer with 95 % confidence, model needs "
        "at least 299 negatives without an error. The threshold that just does so on these rows, "
    )


def test_a_slope_that_may_be_0_is_not_to_be_recalibrated():
    assert spoken("probabilities-spread", steep(0.3, 0.01, 0.5)) != []
    assert spoken("probabilities-spread", steep(0.3, 0.0, 0.5)) == []
    assert spoken("probabilities-spread", steep(0.3, -0.1, 0.5)) == []


def test_a_question_of_prevalence_shows_where_precision_moves_most():
    ev = counted([[54, 6], [10, 30]])  # sensitivity 0.75, false positive rate 0.1
    there = {p: 0.75 * p / (0.75 * p + 0.1 * (1 - p)) for p in (0.01, 0.1, 0.5)}
    moved = {p: case(ev).at("precision", p) for p in there}
    assert {p: v.value for p, v in moved.items()} == pytest.approx(there)
    for here, share in ((0.875, "1 %"), (0.1, "50 %")):
        p = float(share[:-2]) / 100
        assert spoken("ask-prevalence", case(ev, {"precision": v(here)})) == [
            "Are positives as common in the field as here (40 %)? At a prevalence of "
            f"{share}, precision of model is {bounds(moved[p])} instead of {bounds(v(here))}."
        ]


def test_scores_in_reverse_are_said_to_be_of_the_other_class():
    y = np.repeat(["{x}", "y"], [90, 10])
    backward = tm.evaluate(y, y_score=np.linspace(1, 0, 100), positive="y")
    (text,) = spoken("area-below-half", case(backward))
    assert text.endswith(
        " Check whether they are scores of {x}: if so, say reading={'score_of': '{x}'}."
    )


def test_a_ranking_of_another_prevalence_is_asked_of_by_average_precision():
    true = np.repeat([0, 1], [360, 40])
    score = np.append(np.arange(360) / 400, np.linspace(0.35, 0.98, 40))

    def at(p):
        weights = np.where(true == 1, p / 40, (1 - p) / 360)
        return tm.metrics.average_precision(true, score, sample_weight=weights)

    asked = case(tm.evaluate(true, y_score=score), use="ranking")
    (text,) = spoken("ask-prevalence", asked)
    moved, here = asked.at("average_precision", 0.5), asked.of_leader("average_precision")
    assert (moved.value, here.value) == pytest.approx((at(0.5), at(0.1)))
    assert text == (
        "Are positives as common in the field as here (10 %)? At a prevalence of 50 %, average "
        f"precision of model is {bounds(moved)} instead of {bounds(here)}."
    )


def test_the_lowest_recall_has_no_interval_in_rows_with_weights():
    y = np.repeat(list("abc"), [8, 16, 40])
    said = np.append(y[1:], "a")
    recalls = [7 / 8, 15 / 16, 39 / 40]
    mcc = tm.evaluate(y, said)["matthews_corrcoef"]
    shown = inside(mcc)
    z = norm.ppf(1 - 0.05 / 6)
    p, spread, n = 7 / 8, z**2, 8
    half = z * (p * (1 - p) / n + spread / (4 * n * n)) ** 0.5
    low, high = ((p + spread / (2 * n) + s * half) / (1 + spread / n) for s in (-1, 1))
    rest = ", and a has the lowest, 0.88"
    for ev, of_mcc, end in (
        (
            tm.evaluate(y, said),
            shown,
            f" ({quantities.between(low, high)}), corrected for the choice of the lowest.",
        ),
        (tm.evaluate(y, said, weight=np.full(64, 2.0)), None, "."),
        (tm.evaluate(y, said, cluster=np.arange(64) // 2), None, "."),
    ):
        own = ev["matthews_corrcoef"]
        bounds = of_mcc or inside(own)
        (finding,) = RULES["many-classes"](case(ev))
        mean = ev["balanced_accuracy"]
        assert mean.value == pytest.approx(np.mean(recalls))
        mean_recall = f"{quantities.to_width(mean.value, mean.low, mean.high)[0]} ({quantities.between(mean.low, mean.high)})"
        assert mean.warning == own.warning
        both = "balanced accuracy and MCC"
        caution = "" if own.warning is None else f" Caution ({both}): {own.warning}."
        assert finding.text == (
            f"Report MCC ({bounds}) and the recall of each class: model has a mean recall of "
            f"{mean_recall}{rest if end[:2] == ' (' else rest[:-2] + '875'}{end}{caution}"
        )
        assert finding.metrics == ("matthews_corrcoef", "balanced_accuracy", "sensitivity")
    without = case(tm.evaluate(y, said), {"matthews_corrcoef": Value("x", math.nan, reason="none")})
    (text,) = spoken("many-classes", without)
    assert text.startswith("Report each recall: model has a mean recall of 0.93 (")
    absent = tm.evaluate(list("aab"), list("aab"), classes=list("abc"))
    (text,) = spoken("many-classes", case(absent))
    assert "a has the lowest, 1.00 (" in text
    assert spoken("many-classes", case(tm.evaluate(["a"], ["a"], classes=list("abc")))) == []


# -- when a rule is not asked ------------------------------------------------------------------

ALWAYS = {"no-better-than-the-majority", "accuracy-of-the-majority", "interval-too-wide"}
OF_TWO_CLASSES = {"f1-of-all-positive", "too-few-rows"}


def checked(at) -> set[str]:
    """Return the rules on misleading numbers that had what they need."""
    return {c for c, r in RULES.items() if r.section == "misleads" and r.can_check(at)}


def test_rules_that_had_what_they_need_count_as_checked():
    assert checked(case(rows())) == ALWAYS | OF_TWO_CLASSES
    assert checked(case(rows(0))) == {"no-better-than-the-majority"}
    asked = {"costs-of-guessing", "precision-of-another-field"}
    answered = case(rows(), cost_fp=1, cost_fn=2, prevalence=0.1)
    assert checked(answered) == ALWAYS | OF_TWO_CLASSES | asked
    for given in ({"cost_fp": 1, "cost_fn": 2}, {"prevalence": 0.1}):
        assert len(asked & checked(case(rows(), **given))) == 1
    assert checked(case(rows(), use="ranking")) == {"interval-too-wide", "too-few-rows"}
    area = checked(case(rows(), {"roc_auc": v(0.9)}))
    assert area == ALWAYS | OF_TWO_CLASSES | {"area-below-half"}
    weighted = tm.evaluate([1, 0] * 20, [1, 0] * 20, weight=[2.0, 1.0] * 20)
    assert checked(case(weighted)) == ALWAYS | {"f1-of-all-positive"}
    assert "too-few-rows" not in {s.rule for s in weighted.advise().statements}
    assert set(rows().advise().passed) == checked(case(rows()))


def test_models_that_were_counted_apart_have_no_verdict():
    y = [1, 0] * 30
    ev = tm.evaluate(y, y_score={"a": [0.9, 0.2] * 30, "b": np.r_[[0.7, 0.4] * 29, 0.1, 0.8]})
    apart = replace(case(ev), compared=None)
    a, b = (ev.values()[m]["roc_auc"] for m in "ab")
    assert spoken("lead-within-the-noise", apart) == [
        f"By ROC area, a ({a.value:.3f}, {a.low:.3f} to {a.high:.3f}) is ahead of b "
        f"({quantities.to_width(b.value, b.low, b.high)[0]}, {quantities.between(b.low, b.high)}), which may be chance. Evaluate both models "
        "on the same rows at once to test it."
    ]
    assert spoken("lead-beyond-chance", apart) == []
    assert spoken("order-of-the-models", apart) == []


# -- what a case knows -------------------------------------------------------------------------


def test_the_metric_that_orders_the_models_is_that_of_the_use():
    y = [1, 0] * 30
    scores = {"a": [0.9, 0.2] * 30, "b": np.r_[[0.7, 0.4] * 29, 0.1, 0.8]}
    ev, decided = tm.evaluate(y, y_score=scores), tm.evaluate(y, {"a": y, "b": [1, 1] * 30})
    for use, metric in (
        (None, "roc_auc"),
        ("ranking", "roc_auc"),
        ("probabilities", "log_loss"),
        ("decisions", "matthews_corrcoef"),
    ):
        assert case(ev, use=use).primary == metric
        assert case(decided, use=use).primary == "matthews_corrcoef"
    assert case(ev).ordered("roc_auc") == ["a", "b"]
    assert case(ev).ordered("log_loss") == ["a", "b"]
    worse = {"a": {"roc_auc": v(0.4)}, "b": {"roc_auc": v(0.6)}}
    assert replace(case(ev), values=worse).leader.name == "b"
    lacking = {"a": {"roc_auc": v(0.4)}, "b": {}}
    assert replace(case(ev), values=lacking).ordered("roc_auc") == []
    assert replace(case(ev), values=lacking).leader.name == "a"


def test_a_case_counts_its_rows_and_its_most_frequent_class():
    at = case(counted([[20, 30], [4, 6]]))
    assert at.rows == (10, 50)
    assert at.prevalence == 10 / 60
    assert at.majority == (0, 50 / 60)
    assert case(counted([[2, 3], [15, 5]])).majority == (1, 20 / 25)
    three = tm.evaluate(list("aabc"), list("aabc"))
    assert not case(three).binary
    assert not case(rows(0)).binary
    assert case(rows()).binary


def finding_of(sentence, at, *metrics, **values) -> Finding:
    """Return the finding of a rule that says one sentence."""
    rule = replace(
        RULES["use-decisions"],
        uses=(None,),
        find=lambda _: [Statement(sentence, *metrics, **values)],
    )
    (finding,) = rule(at)
    return finding


def test_a_finding_is_about_what_it_names():
    at = case(rows(), {"f1": v(0.5), "brier": v(0.25)})
    cited = finding_of("{model} has {f1} and {brier}.", at)
    assert (cited.model, cited.metrics) == ("model", ("f1", "brier"))
    assert cited.text == "model has 0.500 (0.500 to 0.500) and 0.250 (0.250 to 0.250)."
    given = finding_of("{f1} here.", at, "accuracy", about="other")
    assert (given.model, given.metrics) == ("other", ("accuracy",))
    assert finding_of("{f1} here.", at).model is None
    assert finding_of("{positives} {where}.", at).text == "40 % of the rows."


def test_more_clusters_would_narrow_an_interval():
    ev = tm.evaluate([0, 1] * 50, [0, 1] * 50, cluster=np.arange(100) % 25)
    wide = case(ev, {"matthews_corrcoef": v(0.5, 0.375, 0.625)})  # 6.25 times as many
    assert spoken("interval-too-wide", wide) == [
        "MCC of model is 0.50 (0.38 to 0.62), too uncertain to choose by. Collect about 160 "
        "clusters of this size, which would narrow the interval to ± 0.050."
    ]
