"""Claims reconciled: against trying every matrix, and against published examples."""

from __future__ import annotations

import itertools
import json
import math
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallymark as tm
from tallymark.metric import METRICS, get
from tallymark.parts.reconcile.claims import COUNTS, parse, reconcile, split_claim
from tallymark.parts.reconcile.solver import (
    Bounds,
    Constraint,
    counts_of,
    number_of_matrices,
    ratio_of_sums,
    solve,
)
from tallymark.tally.labels import Counts

GOLDEN = Path(__file__).parents[4] / "shared" / "golden" / "seed_examples.json"

NAMES = ("accuracy", "sensitivity", "specificity", "precision", "f1", "jaccard", "prevalence",
         "balanced_accuracy", "matthews_corrcoef", "cohen_kappa", "geometric_mean", "youden_j")  # fmt: skip


def value(name, tp, fn, fp, tn):
    m = get(name)
    c = Counts(tp, fp, fn, tn)
    return float(m.compute(c if m._needs == "counts" else c.matrix()))


def exact(form, x):
    """Return a form's value at (positives, tp, fp, rows), None where it divides by 0."""
    num, den = (sum(a * v for a, v in zip(c, x, strict=True)) for c in (form.num, form.den))
    return Fraction(num, den) if den else None


def formula_of(name):
    m = get(name)
    return m.compute if m._needs == "counts" else (lambda c: m.compute(c.matrix()))


def printed(x, digits):
    return str(Decimal(repr(x)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def every_matrix(n, positives):
    for p in range(n + 1) if positives is None else [positives]:
        for tp, fp in itertools.product(range(p + 1), range(n - p + 1)):
            yield tp, p - tp, fp, n - p - fp


def brute(claims, n, positives):
    """Try every matrix, with exact bounds of what each printed number leaves open."""
    found = []
    for matrix in every_matrix(n, positives):
        for name, text in claims.items():
            b, v = parse(text), value(name, *matrix)
            if math.isnan(v) or not float(b.low) - 1e-12 <= v <= float(b.high) + 1e-12:
                break
        else:
            found.append(matrix)
    return found


@settings(max_examples=60)
@given(
    st.tuples(*[st.integers(0, 6)] * 4).filter(lambda m: sum(m) > 0),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True),
    st.integers(1, 3),
    st.booleans(),
)
@pytest.mark.slow
def test_all_matrices_are_found_and_no_other(matrix, names, digits, known):
    n, positives = sum(matrix), matrix[0] + matrix[1]
    values = {name: value(name, *matrix) for name in names}
    claims = {k: printed(v, digits) for k, v in values.items() if not math.isnan(v)}
    if not claims:
        return
    found = reconcile(claims, n=n, positives=positives if known else None)
    expected = brute(claims, n, positives if known else None)
    assert matrix in expected
    assert found.plain
    assert found.complete
    (reading,) = found.readings
    assert reading.solutions.count == len(expected)
    assert set(reading.solutions.matrices) <= set(expected)
    assert len(reading.solutions.matrices) == min(len(expected), 20)
    columns = list(zip(*expected, strict=True))
    assert reading.solutions.ranges == tuple((min(c), max(c)) for c in columns)
    assert found._searched == sum(1 for _ in every_matrix(n, positives if known else None))


@settings(max_examples=40)
@given(st.integers(4, 12), st.data())
@pytest.mark.slow
def test_numbers_that_no_matrix_gives_are_proved_so(n, data):
    positives = data.draw(st.integers(0, n))
    claims = {k: f"{data.draw(st.integers(0, 1000)) / 1000:.3f}" for k in ("accuracy", "recall")}
    claims = {get(k).name: v for k, v in claims.items()}
    found = reconcile(claims, n=n, positives=positives)
    expected = brute(claims, n, positives)
    assert found.plain == bool(expected)
    if expected:
        return
    # The smallest group of claims that contradict each other: every smaller one has a solution.
    assert found.conflict
    assert not brute({k: claims[k] for k in found.conflict}, n, positives)
    for k in found.conflict:
        assert len(found.conflict) == 1 or brute({k: claims[k]}, n, positives)
    for near in found.nearest:
        rest = {k: v for k, v in claims.items() if k in found.conflict and k != near.claim}
        possible = [value(near.claim, *m) for m in brute(rest, n, positives)]
        gaps = [abs(v - float(claims[near.claim])) for v in possible if not math.isnan(v)]
        assert abs(near.value - float(claims[near.claim])) == pytest.approx(min(gaps), abs=1e-6)
        assert near.value == pytest.approx(value(near.claim, *near.matrix))


def test_iris_has_the_other_classes_as_positive():
    claims = {"accuracy": "0.9933", "recall": "1", "specificity": "0.98", "precision": "0.9901"}
    found = reconcile(claims, n=150, positives=50)
    assert not found.plain
    assert found.conflict == ("precision",)
    (near,) = found.nearest
    assert near.value == pytest.approx(50 / 51)
    (reading,) = found.readings
    assert reading.changes == ("the other class is the positive one",)
    assert found.solutions == ((100, 0, 1, 49),)
    told = str(found)
    assert "No matrix of 150 rows, 50 of them positive, gives accuracy 0.9933" in told
    assert "all 5,151 matrices are ruled out" in told
    assert "If the other class is the positive one: exactly one matrix fits." in told
    assert "TP 100  FN 0  FP 1  TN 49" in told


@pytest.mark.slow
def test_op_of_a_published_example_cannot_be():
    known = {"tp": 70, "fn": 30, "fp": 200, "tn": 800}
    found = reconcile({**known, "OP": "0.723"}, n=1100)
    assert found.readings == ()
    (near,) = found.nearest
    assert near.value == pytest.approx(239 / 330)
    assert "optimization_precision can be 0.7242, not 0.723" in str(found)
    assert found._searched == 1
    assert "with TP 70, FN 30, FP 200, TN 800 gives optimization_precision 0.723: the only" in (
        " ".join(str(found).split())
    )
    assert "alone is impossible" not in str(found)
    # Of other counts 52 matrices give it.
    assert len(brute({"optimization_precision": "0.723"}, 1100, 100)) == 52
    assert reconcile({"OP": "0.723"}, n=1100, positives=100).readings[0].solutions.count == 52
    assert reconcile({**known, "OP": "0.724"}, n=1100).solutions == ((70, 30, 200, 800),)
    # All of the example's other numbers fit.
    others = {"accuracy": "0.79", "error_rate": "0.21", "ppv": "0.26", "npv": "0.96",
              "f1": "0.378", "jaccard": "0.233"}  # fmt: skip
    assert reconcile({**known, **others}, n=1100).plain


@pytest.mark.skipif(not GOLDEN.is_file(), reason="the sources' examples are not here")
def test_what_sources_print_fits_unless_it_is_a_known_mistake():
    cases = json.loads(GOLDEN.read_text("utf-8"))["cases"]
    wrong = {("tharwat-2.9.1-imbalanced", "op"), ("blog-kappa-range", "kappa")}
    tried = 0
    for case in cases:
        counts = case["inputs"].get("counts")
        if case["kind"] != "confusion_counts" or "class1" in case["id"] or not counts:
            continue
        for name, v in case["expected"].items():
            if not isinstance(v, dict) or "printed" not in v:
                continue
            text = v["printed"]
            if float(text) > 5 and name not in ("dor",):
                text += "%"
            found = reconcile({**counts, name: text}, n=sum(counts.values()))
            # 0.7777 printed as 0.78: a rounding; anything else is told by the errata.
            assert found.plain == ((case["id"], name) not in wrong), (case["id"], name, text)
            tried += 1
    assert tried > 20


@pytest.mark.parametrize(
    ("claims", "n", "positives", "change"),
    [
        # F1 of both classes: 2·8/19 and 2·9/21.
        ({"tp": 8, "fn": 1, "fp": 2, "tn": 9, "f1": "0.850"}, 20, None,
         "f1 is the macro average of both classes"),
        # 84 of 120 found, 12 false alarms: the names of precision and recall exchanged.
        ({"precision": "0.7000", "recall": "0.8750", "accuracy": "0.760"}, 200, 120,
         "rows and columns are exchanged: the true classes are the predicted ones"),
        ({"tp": 70, "fn": 30, "fp": 20, "tn": 80, "dp": "0.535"}, 200, None,
         "discriminant_power is with logarithms of base 10"),
        ({"tp": 70, "fn": 30, "fp": 20, "tn": 80, "agm": "0.7995"}, 200, None,
         "adjusted_geometric_mean is weighted by the number of negatives"),
        ({"tp": 70, "fn": 30, "fp": 20, "tn": 80, "gm": "0.738"}, 200, None,
         "geometric_mean is that of precision and recall"),
    ],
)  # fmt: skip
def test_other_readings_are_found(claims, n, positives, change):
    found = reconcile(claims, n=n, positives=positives)
    assert not found.plain
    assert any(change in r.changes for r in found.readings), [r.changes for r in found.readings]


def test_few_changes_come_first():
    found = reconcile({"accuracy": "0.9933", "recall": "1", "specificity": "0.98",
                       "precision": "0.9901"}, n=150, positives=50)  # fmt: skip
    assert {len(r.changes) for r in found.readings} == {1}


@pytest.mark.parametrize(
    ("text", "rounding", "low", "high"),
    [
        ("0.9933", "half", "0.99325", "0.99335"),
        ("99.33%", "half", "0.99325", "0.99335"),
        ("99.33 %", "half", "0.99325", "0.99335"),
        ("1", "half", "0.5", "1.5"),
        ("1.00", "half", "0.995", "1.005"),
        ("-0.25", "half", "-0.255", "-0.245"),
        ("2e1", "half", "15", "25"),
        ("1.5e-3", "half", "0.00145", "0.00155"),
        (0.5, "half", "0.45", "0.55"),
        ("0.12", "truncate", "0.12", "0.13"),
        ("-0.12", "truncate", "-0.13", "-0.12"),
        ("0.12", "either", "0.115", "0.13"),
    ],
)
def test_what_digits_leave_open(text, rounding, low, high):
    b = parse(text, rounding)
    assert (b.low, b.high) == (Fraction(low), Fraction(high))
    assert b.holds(Fraction(low))
    assert b.holds(Fraction(high)) == (not b.high_open)
    assert not b.holds(Fraction(low) - 1)


def test_rounding_decides():
    # 2/3 = 0.6666...: cut off 0.66, rounded 0.67.
    assert not reconcile({"recall": "0.66"}, n=6, positives=3).plain
    assert reconcile({"recall": "0.66"}, n=6, positives=3, rounding="truncate").plain
    assert not reconcile({"recall": "0.67"}, n=6, positives=3, rounding="truncate").plain
    assert reconcile({"recall": "0.66"}, n=6, positives=3, rounding="either").plain
    assert reconcile({"recall": "0.67"}, n=6, positives=3, rounding="either").plain
    # 1/8 lies on the edge of 0.12 and 0.13: both count.
    assert reconcile({"recall": "0.12"}, n=9, positives=8).plain
    assert reconcile({"recall": "0.13"}, n=9, positives=8).plain


@pytest.mark.parametrize(
    ("claims", "options", "told"),
    [
        ({}, {"n": 5}, "there is nothing to reconcile"),
        ({"accuracy": "0.9"}, {}, "the number of rows is missing; give n=..., or positives="),
        ({"accuracy": "high"}, {"n": 5}, "'high' is not a number; give one as it was printed"),
        ({"accuracy": "nan"}, {"n": 5}, "'nan' is not a number"),
        (
            {"roc_auc": "0.9"},
            {"n": 5},
            "roc_auc needs scores and cannot be computed from counts; leave it out",
        ),
        ({"acuracy": "0.9"}, {"n": 5}, "there is no metric 'acuracy'"),
        ({"recall": "1", "tpr": "1"}, {"n": 5}, "sensitivity is stated twice"),
        ({"recall": "1"}, {"n": 5, "positives": 6}, "6 positives of 5 rows are impossible"),
        (
            {"recall": "1"},
            {"n": 5, "positives": 2, "negatives": 2},
            "2 positives and 2 negatives are",
        ),
        ({"recall": "1"}, {"n": -5}, "n is -5; give a whole number, at least 1"),
        ({"recall": "1"}, {"n": 0}, "n is 0; give a whole number, at least 1"),
        ({"tp": "1.5"}, {"n": 5}, "tp is '1.5'; it must be a whole number"),
        ({"recall": "1"}, {"n": 5, "rounding": "up"}, "rounding is 'up'"),
    ],
)
def test_bad_claims_are_one_sentence(claims, options, told):
    with pytest.raises(tm.InputError, match=told):
        reconcile(claims, **options)


def test_counts_that_contradict_each_other():
    found = reconcile({"tp": 5, "fn": 1}, n=10, positives=5)
    assert not found.readings
    assert " ".join(str(found).split()).endswith("the counts contradict each other.")
    with pytest.raises(tm.InputError, match="6 positives and 2 negatives are 8 rows, and n is 10"):
        reconcile({"tp": 5, "fn": 1, "fp": 1, "tn": 1}, n=10)
    assert reconcile({"tp": 5, "fn": 1, "fp": 1, "tn": 3}, n=10).solutions == ((5, 1, 1, 3),)
    assert reconcile({"fn": 1, "fp": 1}, n=10, positives=6).solutions == ((5, 1, 1, 3),)
    assert reconcile({"tn": 3, "fn": 1}, n=10, positives=6).solutions == ((5, 1, 1, 3),)
    assert reconcile({"tp": 5, "accuracy": "0.8"}, positives=6, negatives=4).solutions == (
        (5, 1, 1, 3),
    )


@pytest.mark.slow
def test_many_solutions_are_counted_and_the_first_listed():
    found = reconcile({"accuracy": "0.9"}, n=200, positives=60)
    (reading,) = found.readings
    assert reading.solutions.count == len(brute({"accuracy": "0.9"}, 200, 60))
    assert len(reading.solutions.matrices) == 20
    assert "... in all: TP" in str(found)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["readings"][0]["count"] == reading.solutions.count
    assert plain["claims"][0] == {"metric": "accuracy", "stated": "0.9", "low": 0.85, "high": 0.95}


def test_many_matrices_are_said_by_their_ranges():
    found = reconcile({"accuracy": "0.9"}, n=40, positives=10)
    assert str(found).splitlines() == [
        "Each of 25 matrices of 40 rows, 10 of them positive, gives accuracy 0.9.",
        "  TP 4  FN 6  FP 0  TN 30", "  TP 5  FN 5  FP 0  TN 30", "  TP 5  FN 5  FP 1  TN 29",
        "  TP 6  FN 4  FP 0  TN 30", "  TP 6  FN 4  FP 1  TN 29",
        "  ... in all: TP 4 to 10, FN 0 to 6, FP 0 to 6, TN 24 to 30",
    ]  # fmt: skip


def test_claims_that_rule_out_all_matrices_of_a_block_leave_none_to_the_next_claim():
    claims = {"accuracy": "0.9", "f1": "0.77", "kappa": "0.3"}
    found = reconcile(claims, n=200, positives=60, rounding="either")
    assert not found.plain
    assert found.conflict


def test_a_search_that_is_too_long_says_so():
    found = reconcile({"mcc": "0.5"}, n=50_000)
    assert not found.complete
    assert str(found).startswith("Undecided: there are too many matrices of 50,000 rows to check")


def test_large_numbers_are_exact():
    # Coefficients beyond 64 bits: accuracy to 12 digits of 10^8 rows.
    n, positives = 100_000_000, 30_000_000
    claims = {"recall": f"{29_999_999 / positives:.12f}", "specificity": "0.999999985714"}
    found = reconcile(claims, n=n, positives=positives)
    assert found.solutions == ((29_999_999, 1, 1, 69_999_999),)


def test_one_row_of_billions_is_told_from_the_next():
    n, positives = 4_000_000_000, 400_000_000
    claims = {"recall": "0.9999999975", "accuracy": "0.9999999995"}  # 1 of 4e8, 2 of 4e9
    found = reconcile(claims, n=n, positives=positives)
    assert found.solutions == ((399_999_999, 1, 1, 3_599_999_999),)
    assert reconcile({"tp": 399_999_999} | claims, n=n).solutions == found.solutions


def test_billions_of_possible_numbers_of_positives_are_not_searched():
    found = reconcile({"fn": 1, "recall": "0.9"}, n=4_000_000_000)
    assert found.solutions[0] == (6, 1, 0, 3_999_999_993)
    found = reconcile({"recall": "0.9"}, n=4_000_000_000)
    assert not found.complete
    assert str(found).startswith("Undecided: there are too many matrices of 4,000,000,000 rows")


# -- forms -------------------------------------------------------------------------------------


def test_forms_are_those_of_the_textbook():
    for name, wanted in [
        ("precision", lambda tp, fn, fp, tn: Fraction(tp, tp + fp)),
        ("f1", lambda tp, fn, fp, tn: Fraction(2 * tp, 2 * tp + fn + fp)),
        ("f2", lambda tp, fn, fp, tn: Fraction(5 * tp, 5 * tp + 4 * fn + fp)),
        ("specificity", lambda tp, fn, fp, tn: Fraction(tn, tn + fp)),
        ("accuracy", lambda tp, fn, fp, tn: Fraction(tp + tn, tp + fn + fp + tn)),
        ("net_benefit", lambda tp, fn, fp, tn: Fraction(tp - fp, tp + fn + fp + tn)),
    ]:
        form = ratio_of_sums(formula_of(name), 77)
        for tp, fn, fp, tn in [(3, 4, 5, 6), (70, 30, 20, 80), (1, 0, 0, 1)]:
            x = (tp + fn, tp, fp, tp + fn + fp + tn)
            assert exact(form, x) == wanted(tp, fn, fp, tn)


@pytest.mark.parametrize(
    "name", [n for n, m in METRICS.items() if m._needs in ("counts", "matrix")]
)
def test_a_form_is_its_metric_at_every_matrix(name):
    formula = formula_of(name)
    for form in (ratio_of_sums(formula, 30), ratio_of_sums(formula, 30, 11)):
        if form is None:
            continue
        for tp, fp in itertools.product(range(12), range(20)):
            x = (11, tp, fp, 30)
            found, ours = exact(form, x), float(formula(counts_of(np.array([x])))[0])
            if found is not None and not math.isnan(ours):
                assert float(found) == pytest.approx(ours, rel=1e-12, abs=1e-14)
            if math.isfinite(ours):
                assert found is not None
                assert sum(b * v for b, v in zip(form.den, x, strict=True)) > 0


def test_roots_have_no_form():
    for name in ("matthews_corrcoef", "geometric_mean", "optimization_precision"):
        assert ratio_of_sums(formula_of(name), 40, 12) is None
    assert ratio_of_sums(lambda c: c.tp * np.nan, 40) is None


def test_how_many_matrices_there_are():
    for n, positives in [(7, None), (7, 3), (9, 2), (5, 0)]:
        every = list(every_matrix(n, positives))
        for known in (
            {}, {"tp": 2}, {"fp": 1}, {"tp": 1, "fn": 2}, {"fp": 2, "tn": 2}, {"tn": 9},
            {"tp": 1, "fn": 1, "tn": 0}, {"tp": 2, "fn": 1, "fp": 0, "tn": 4},
        ):  # fmt: skip
            fit = [m for m in every if known.items() <= dict(zip(COUNTS, m, strict=True)).items()]
            assert number_of_matrices(n, positives, known) == len(fit), (n, positives, known)


def test_known_counts_narrow_the_search():
    c = Constraint.of(formula_of("accuracy"), Bounds(Fraction(0), Fraction(1)), 10, None)
    found = solve([c], 10, known={"tp": 2, "fp": 3})
    assert found.matrices == tuple((2, p - 2, 3, 10 - p - 3) for p in range(2, 8))


def test_claims_of_the_command_line():
    assert split_claim("f1 = 0.87") == ("f1", "0.87")
    with pytest.raises(tm.InputError, match="'f1' is not a claim; write it as metric=number"):
        split_claim("f1")


def test_matrices_are_a_table():
    claims = reconcile({"accuracy": "0.9"}, n=10)
    assert [tuple(row.values())[1:] for row in claims.table()] == list(claims.solutions)
