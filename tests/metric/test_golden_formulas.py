"""Formulas that a source prints wrongly: their arithmetic, and that ours is not theirs."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

import tallymark as tm

FILE = Path(__file__).parents[2] / ".." / "shared" / "golden" / "seed_examples.json"
if not FILE.exists():
    pytest.skip("the golden file is not beside this checkout", allow_module_level=True)

CASES = [c for c in json.loads(FILE.read_text(encoding="utf-8"))["cases"] if c["kind"] == "formula"]
m = tm.metrics


def second_form(c):
    tpr, ppv = c["tp"] / (c["tp"] + c["fn"]), c["tp"] / (c["tp"] + c["fp"])
    share = c["tp"] / sum(c.values())
    return float(share - tpr * ppv) / math.sqrt(ppv * tpr * (1 - tpr) * (1 - ppv))


def printed_pe(c):
    return (2 * c["tp"] + c["fn"] + c["fp"]) / (2 * sum(c.values()))


def printed_kappa(c):
    agreed = (c["tp"] + c["tn"]) / sum(c.values())
    return (agreed - printed_pe(c)) / (1 - printed_pe(c))


def printed_balance(c):
    pd, pf = c["tp"] / (c["tp"] + c["fn"]), c["fp"] / (c["fp"] + c["tn"])
    return 1 - math.sqrt((0 - pf**2) + (1 - pd**2)) / math.sqrt(2)


# key of the golden file -> the formula as its source prints it, and our metric of that name
PRINTED = {
    "f1_scaled_as_printed_2TP_over_2TP+aFP+aFN": (
        lambda c: 2 * c["tp"] / (2 * c["tp"] + 10 * c["fp"] + 10 * c["fn"]), m.f1,
    ),
    "second_form_with_TPR_and_PPV_as_printed_TP_over_N": (second_form, m.mcc),
    "as_printed_product_denominator": (lambda c: 1 / (c["fp"] * c["fn"]), m.f1),
    "precision_as_printed": (lambda c: c["tp"] / (c["tp"] + c["fn"]), m.precision),
    "f1_as_printed_n+-_twice": (lambda c: 2 * c["tp"] / (2 * c["tp"] + 2 * c["fn"]), m.f1),
    "pe_first_expression_as_printed": (
        lambda c: Fraction(1, 2) * (c["tp"] + c["fn"] + c["fp"] + c["tn"]) / sum(c.values()),
        m.expected_agreement,
    ),
    "pe_second_expression_as_printed": (printed_pe, m.expected_agreement),
    "kappa_with_second_expression": (printed_kappa, m.kappa),
    "as_printed": (printed_balance, m.balance),
}  # fmt: skip

SKEWED = {"tp": 70, "fn": 30, "fp": 25, "tn": 800}


def fractions(counts):
    return {k: Fraction(v) for k, v in counts.items()}


def tally(c):
    return tm.LabelTally(
        (0, 1), [[float(c["tn"]), float(c["fp"])], [float(c["fn"]), float(c["tp"])]]
    )


def test_every_printed_formula_of_the_golden_file_is_here():
    keys = {k for c in CASES for k in c["expected"] if "printed" in k or "second_expression" in k}
    assert keys == set(PRINTED)


@pytest.mark.parametrize("key", PRINTED)
def test_a_wrong_formula_is_what_the_source_prints_and_not_ours(key):
    formula, ours = PRINTED[key]
    for case in CASES:
        if key in case["expected"]:
            found = float(formula(fractions(case["inputs"]["counts"])))
            assert found == pytest.approx(case["expected"][key]["float"], rel=1e-12)
    # at a skewed point, where no two of them coincide by symmetry
    assert abs(ours(tally(SKEWED)) - float(formula(fractions(SKEWED)))) > 1e-3
