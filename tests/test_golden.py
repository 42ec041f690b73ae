"""Every worked example of the sources, reproduced through the public functions."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from metric.twins import davis_goadrich_point
from tallymark.curve import CURVES, best_thresholds
from tallymark.metric import get
from tallymark.metric.correlation import correlations, pearson
from tallymark.metric.matrix import landis_koch

FILE = Path(__file__).parents[1] / ".." / "shared" / "golden" / "seed_examples.json"
CASES: list[dict[str, Any]] = (
    json.loads(FILE.read_text(encoding="utf-8"))["cases"] if FILE.exists() else []
)
BY_ID = {c["id"]: c for c in CASES}

if not CASES:
    pytest.skip("the golden file is not beside this checkout", allow_module_level=True)

m = tm.metrics


def tally(counts: dict[str, int]) -> tm.LabelTally:
    c = {k: Fraction(v) for k, v in counts.items()}
    return tm.LabelTally((0, 1), [[c["tn"], c["fp"]], [c["fn"], c["tp"]]])


def swapped(t: tm.LabelTally) -> tm.LabelTally:
    return tm.LabelTally((0, 1), t.counts[::-1, ::-1])


COUNT_METRICS = {
    "accuracy": m.accuracy,
    "error_rate": m.error_rate,
    "prevalence": m.prevalence,
    "predicted_positive_rate": m.predicted_positive_rate,
    "tpr": m.tpr,
    "tnr": m.tnr,
    "fpr": m.fpr,
    "fnr": m.fnr,
    "ppv": m.ppv,
    "npv": m.npv,
    "fdr": m.fdr,
    "for": m.false_omission_rate,
    "lr_plus": m.lr_plus,
    "lr_minus": m.lr_minus,
    "dor": m.dor,
    "youden_j": m.youden_j,
    "markedness": m.markedness,
    "mcc": m.mcc,
    "f1": m.f1,
    "f2": m.f2,
    "f0.5": m.f0_5,
    "inv_f0.5": lambda t: m.f0_5(swapped(t)),
    "agf": m.agf,
    "bcr": m.bcr,
    "ber": m.ber,
    "gm": m.gm,
    "agm": m.agm,
    "agm_seed_counts": lambda t: m.agm(t, counts=True),
    "op": m.op,
    "jaccard": m.jaccard,
    "g_measure": m.g_measure,
    "dp": m.dp,
    "dp_log10": lambda t: m.dp(t, base=10),
    "kappa_pe": m.expected_agreement,
    "kappa": m.kappa,
    "scott_pi_pe": lambda t: m.expected_agreement(t, pooled=True),
    "scott_pi": m.scott_pi,
    "balance": m.balance,
    "effectiveness_e_beta1": m.effectiveness,
    "chi2": m.chi_square,
    "tp": lambda t: float(t.binary().tp),
    "fp": lambda t: float(t.binary().fp),
    "fn": lambda t: float(t.binary().fn),
    "tn": lambda t: float(t.binary().tn),
}


def same(ours: float, expected: Any, what: str) -> None:
    if isinstance(expected, dict):
        words = expected.get("undefined")
        if words is not None:
            wanted = {"0/0": math.nan, "+inf": math.inf, "-inf": -math.inf}[words]
        else:
            wanted = expected["float"]
    else:
        wanted = float(Fraction(expected))
    if math.isnan(wanted):
        assert math.isnan(ours), what
    else:
        assert ours == pytest.approx(wanted, rel=1e-12, abs=1e-12), what


def cases(*kinds: str) -> list[Any]:
    return [pytest.param(c, id=c["id"]) for c in CASES if c["kind"] in kinds]


def score_tally(case: dict[str, Any]) -> tm.ScoreTally:
    inputs = case["inputs"]
    if "samples_ref" in inputs:
        inputs = BY_ID[inputs["samples_ref"]]["inputs"]
    return tm.ScoreTally.from_arrays(inputs["labels"], inputs["scores"], positive=1)


@pytest.mark.parametrize("case", cases("confusion_counts"))
def test_counts(case):
    t = tally(case["inputs"]["counts"])
    for key, expected in case["expected"].items():
        same(COUNT_METRICS[key](t), expected, key)


@pytest.mark.parametrize("case", cases("table_row"))
def test_rows_of_a_table_of_thresholds(case):
    inputs = case["inputs"]
    t = score_tally(case).at(float(inputs["threshold"]))
    if "instances_predicted_positive" in inputs:
        # The blog takes tied rows one at a time, which no threshold does: give its decisions.
        samples = BY_ID[inputs["samples_ref"]]["inputs"]
        assert samples["scores"] == sorted(samples["scores"])
        top = inputs["instances_predicted_positive"]
        pred = [0] * (len(samples["labels"]) - top) + [1] * top
        one_by_one = tm.LabelTally.from_arrays(samples["labels"], pred, labels=[0, 1])
        assert (one_by_one == t) == (inputs["pass"] not in (6, 7))
        t = one_by_one
    for key, expected in case["expected"].items():
        same(COUNT_METRICS[key](t), expected, key)


def matrix_tally(case: dict[str, Any]) -> tm.LabelTally:
    assert case["inputs"]["rows"] == "predicted"
    return tm.LabelTally(tuple(case["inputs"]["labels"]), np.transpose(case["inputs"]["matrix"]))


@pytest.mark.parametrize("case", cases("confusion_matrix_one_vs_rest"))
def test_one_class_against_the_rest(case):
    positive = case["inputs"]["positive"]
    t = matrix_tally(case)
    c = t.binary(positive)
    two = tally({k: int(getattr(c, k)) for k in ("tp", "fp", "fn", "tn")})
    for key, expected in case["expected"].items():
        same(COUNT_METRICS[key](two), expected, key)
    # the same through the average of the larger tally
    same(m.sensitivity(t, average="binary", positive=positive), case["expected"]["tpr"], "tpr")
    same(m.mcc(t, average="binary", positive=positive), case["expected"]["mcc"], "mcc")


@pytest.mark.parametrize("case", cases("confusion_matrix"))
def test_the_whole_matrix(case):
    t = matrix_tally(case)
    found = {
        "accuracy": m.accuracy(t),
        "correct_cells": float(np.count_nonzero(np.eye(len(t.labels)))),
        "error_cells": float(t.counts.size - len(t.labels)),
        "kappa_pe": m.expected_agreement(t),
        "kappa": m.kappa(t),
        "mcc_multiclass": m.mcc(t),
        "macro_recall_bcr": m.recall(t, average="macro"),
        "macro_ppv": m.precision(t, average="macro"),
        "macro_f1": m.f1(t, average="macro"),
        "macro_jaccard": m.jaccard(t, average="macro"),
        "macro_tnr": m.specificity(t, average="macro"),
        "micro_f1": m.f1(t, average="micro"),
        "gm_multiclass_cube_root": m.gm(t),
    }
    for key, expected in case["expected"].items():
        same(found[key], expected, key)
    same(m.balanced_accuracy(t), case["expected"]["macro_recall_bcr"], "bcr")


@pytest.mark.parametrize("case", cases("property"))
def test_what_moves_with_the_class_balance(case):
    c = tally(case["inputs"]["counts"]).binary()
    for key, expected in case["expected"].items():
        values = []
        for alpha in case["inputs"]["scale_negatives_by"]:
            scaled = c._scale_negatives(alpha)
            t = tm.LabelTally((0, 1), scaled.matrix())
            values.append(COUNT_METRICS[key](t))
            assert values[-1] == pytest.approx(expected[f"alpha_{alpha}"], rel=1e-12), key
        invariant = values == pytest.approx([values[0]] * len(values), rel=1e-12)
        assert invariant is expected["invariant_under_scaling_negatives"], key


@pytest.mark.parametrize("case", cases("lookup"))
def test_words_for_kappa(case):
    words = [landis_koch(k).capitalize() for k in case["inputs"]["kappa"]]
    assert words == case["expected"]["labels"]


@pytest.mark.parametrize("case", cases("vectors"))
def test_correlation_with_ties(case):
    x, y = case["inputs"]["x"], case["inputs"]["y"]
    same(pearson(x, y), case["expected"]["pearson"], "pearson")
    spearman = correlations(np.array([x, y], float))[1][0, 1]
    same(spearman, case["expected"]["spearman_midranks"], "spearman")
    # the shortcut the source prints does not hold with ties
    assert spearman != pytest.approx(case["expected"]["eq9_shortcut"]["float"], abs=1e-4)


@pytest.mark.parametrize("case", cases("multiclass_scores"))
def test_more_than_two_classes_of_scores(case):
    y, scores = case["inputs"]["labels"], case["inputs"]["scores"]
    per_class = m.roc_auc(y, scores, average="per_class")
    for value, label in zip(per_class, case["inputs"]["classes"], strict=True):
        same(float(value), case["expected"][f"auc_{label}"], label)
    total = m.roc_auc(y, scores, average="weighted")
    same(total, case["expected"]["auc_total_prior_weighted"], "weighted")
    same(m.roc_auc(y, scores, average="macro"), case["expected"]["auc_macro_unweighted"], "macro")


def rank_values(t: tm.ScoreTally) -> dict[str, float]:
    accuracy, youden = get("accuracy"), get("youden_j")
    best, value = best_thresholds(t, accuracy)
    at_best = t.at(best[0])
    curve = CURVES["pr"](t)
    found = {
        "auc_roc": m.roc_auc(t),
        "auc_optimistic": m.roc_auc_optimistic(t),
        "auc_pessimistic": m.roc_auc_pessimistic(t),
        "tie_half_area_pn_over_2PN": m.roc_auc_optimistic(t) - m.roc_auc(t),
        "best_accuracy": value,
        "best_accuracy_fpr": m.fpr(at_best),
        "best_accuracy_tpr": m.tpr(at_best),
        "best_accuracy_threshold": float(best[0]),
        "accuracy_at_0.5": m.accuracy(t.at(0.5)),
        "max_youden": best_thresholds(t, youden)[1],
        "eer": m.eer(t),
        "eer_linear_interpolated_on_grouped_roc": m.eer(t),
        "average_precision_step": m.average_precision(t),
        "auprc_linear_trapezoid_first_point_rule": m.pr_auc_trapezoid(t),
        "auprc_davis_goadrich": m.pr_auc_davis_goadrich(t),
        "pr_first_point_recall": float(curve.x[0]),
        "pr_first_point_precision": float(curve.y[0]),
        "pr_end_point_recall": float(curve.x[-1]),
        "pr_end_point_precision": float(curve.y[-1]),
        "pr_baseline": m.prevalence(t.at(0.5)),
        "mae": m.mae(t),
        "rmse": m.rmse(t),
        "one_minus_mae": 1 - m.mae(t),
        "one_minus_rmse": 1 - m.rmse(t),
    }
    roc_curve = CURVES["roc"](t)
    cross = np.flatnonzero(np.isclose(roc_curve.x, 1 - roc_curve.y))
    if len(cross):
        found["eer_threshold"] = float(roc_curve.threshold[cross[0]])
    below = 0.0
    for d in range(1, 11):
        gain = m.gain_at(t, depth=d / 10)
        found[f"decile{d}_cum_response_rate"] = m.response_rate_at(t, depth=d / 10)
        found[f"decile{d}_cum_lift"] = m.lift_at(t, depth=d / 10)
        found[f"decile{d}_cum_gain"] = gain
        found[f"decile{d}_lift_in_decile"] = (gain - below) / 0.1
        below = gain
    return found


@pytest.mark.parametrize("case", cases("scores"))
def test_scores(case):
    found = rank_values(score_tally(case))
    samples = BY_ID[case["inputs"].get("samples_ref", case["id"])]["inputs"]
    if samples["scores"] == sorted(samples["scores"]):
        # The blog's own points part a tie row by row: the rows' places are scores without ties.
        places = list(range(len(samples["scores"])))
        found["eer_on_blog_summary_points"] = m.eer(samples["labels"], places)
        found["auc_of_blog_summary_points"] = m.roc_auc(samples["labels"], places)
    for key, expected in case["expected"].items():
        same(found[key], expected, key)


@pytest.mark.parametrize("case", [c for c in cases("scores") if c.values[0].get("curves")])
def test_points_of_curves(case):
    t = score_tally(case)
    curves = case["curves"]
    r, p = CURVES["roc"](t), CURVES["pr"](t)
    thresholds = [float(v) for v in curves.get("thresholds", curves.get("thresholds_grouped"))]
    assert r.threshold.tolist() == thresholds

    def points(x: Any, y: Any) -> list[tuple[float, float]]:
        return list(zip(x.tolist(), y.tolist(), strict=True))

    def wanted(name: str) -> list[Any]:
        return [
            pytest.approx((float(Fraction(a)), float(Fraction(b))), rel=1e-12)
            for a, b in curves[name]
        ]

    for name in curves:
        if name.startswith("roc_points") and "blog" not in name:
            assert points(r.x, r.y) == wanted(name)
        elif name.startswith("pr_points"):
            assert points(p.x, p.y) == wanted(name)
        elif name == "det_points_seed_axes_frr_far":
            assert points(1 - r.y, r.x) == wanted(name)
        elif name == "accuracy":
            ours = [m.accuracy(t.at(c)) for c in thresholds]
            assert ours == pytest.approx([float(Fraction(a)) for a in curves[name]], rel=1e-12)
        elif name == "roc_points_blog_fpr_tpr_ascending_passes":
            # its area is the optimistic one, and its points outside the tie are ours
            xs, ys = zip(*[(Fraction(a), Fraction(b)) for a, b in curves[name][::-1]], strict=True)
            area = sum(
                (x1 - x0) * (y0 + y1) / 2
                for x0, x1, y0, y1 in zip(xs, xs[1:], ys, ys[1:], strict=False)
            )
            assert m.roc_auc_optimistic(t) == pytest.approx(float(area), rel=1e-12)
            theirs = {(float(a), float(b)) for a, b in zip(xs, ys, strict=True)}
            assert {(round(a, 9), round(b, 9)) for a, b in points(r.x, r.y)} <= {
                (round(a, 9), round(b, 9)) for a, b in theirs
            }
        else:
            assert name in {"thresholds", "thresholds_grouped", "det_standard_axes"}, name
    assert len(CURVES["calibration"](t)) > 0


def formula(case: dict[str, Any]) -> tuple[dict[str, float], dict[str, float]]:
    """Return what our functions give, and what the wrong formula that a source prints gives."""
    inputs = case["inputs"]
    t = tally(inputs["counts"]) if "counts" in inputs else None
    name = case["id"]
    if name == "tharwat-2.8-f-alpha":
        scaled = tm.LabelTally((0, 1), t.binary()._scale_negatives(inputs["alpha"]).matrix())
        return {"f1_scaled_correct_2TP_over_2TP+aFP+FN": m.f1(scaled)}, {
            "f1_scaled_as_printed_2TP_over_2TP+aFP+aFN": 2 * 70 / (2 * 70 + 10 * 20 + 10 * 30)
        }
    if name == "tharwat-2.8-mcc-second-form":
        ppv, tpr = m.ppv(t), m.tpr(t)
        wrong = (0.35 - tpr * ppv) / math.sqrt(ppv * tpr * (1 - tpr) * (1 - ppv))
        return {"mcc_correct": m.mcc(t)}, {
            "second_form_with_TPR_and_PPV_as_printed_TP_over_N": wrong
        }
    if name == "tharwat-2.7-youden":
        found = {}
        for i, test in enumerate(inputs["tests"], start=1):
            p, q = Fraction(test["tpr"]), Fraction(test["tnr"])
            u = tally({"tp": p * 10, "fn": 10 - p * 10, "tn": q * 10, "fp": 10 - q * 10})
            found[f"test{i}"] = m.youden_j(u)
        return found, {}
    if name == "tharwat-5-dg-interpolation":
        i = {k: float(Fraction(v)) for k, v in inputs.items()}
        args = (i["tp_a"], i["fp_a"], i["tp_b"], i["fp_b"])
        recall, precision = davis_goadrich_point(*args, i["x"], i["n_pos"])
        a = davis_goadrich_point(*args, 0, i["n_pos"])
        b = davis_goadrich_point(*args, i["tp_b"] - i["tp_a"], i["n_pos"])
        return {
            "recall": recall,
            "precision_nonlinear": precision,
            "a_recall": a[0],
            "a_precision": a[1],
            "b_recall": b[0],
            "b_precision": b[1],
        }, {"precision_linear": (a[1] + b[1]) / 2}
    if name == "tharwat-6-far-frr":
        u = tally(
            {
                "fp": inputs["false_acceptances"],
                "tn": inputs["imposter_attempts"] - inputs["false_acceptances"],
                "fn": inputs["false_rejections"],
                "tp": inputs["client_attempts"] - inputs["false_rejections"],
            }
        )
        return {"far": m.far(u), "frr": m.frr(u)}, {}
    if name == "shin-harmonic-mean":
        # precision and recall whose ratio is 2 to 4: F1 is their harmonic mean
        u = tally({"tp": 8, "fp": 2, "fn": 12, "tn": 1})
        factor = 4 / m.precision(u)
        assert m.recall(u) * factor == pytest.approx(2)
        return {
            "harmonic_mean": m.f1(u) * factor,
            "arithmetic_mean": (m.precision(u) + m.recall(u)) / 2 * factor,
        }, {}
    if name.startswith("rmd-balance"):
        pd, pf = Fraction(inputs["pd"]), Fraction(inputs["pf"])
        u = tally({"tp": pd * 10, "fn": 10 - pd * 10, "fp": pf * 10, "tn": 10 - pf * 10})
        wrong = float(1 - math.sqrt((0 - pf**2) + (1 - pd**2)) / math.sqrt(2)) if pf < pd else 0
        return {"balance": m.balance(u)}, {"as_printed": wrong}
    if name == "liu-result-counts":
        n = inputs["datasets"] * inputs["folds"] * inputs["repeats"]
        return {"per_algorithm": float(n), "total": float(n * inputs["algorithms"])}, {}
    kappa_parts = {k: m.expected_agreement(t) for k in ("pr_e", "pe_cohen", "p_c")}
    share_true, share_called = m.prevalence(t), m.predicted_positive_rate(t)
    printed_pe = (share_true + share_called) / 2
    s, p = share_true, share_called
    tp_share = m.recall(t) * share_true
    return {
        **kappa_parts,
        "pr_a": m.accuracy(t),
        "kappa": m.kappa(t),
        "kappa_cohen": m.kappa(t),
        "pe_scott": m.expected_agreement(t, pooled=True),
        "scott_pi": m.scott_pi(t),
        "mcc": m.mcc(t),
        "mcc_from_S_P": (tp_share - s * p) / math.sqrt(p * s * (1 - s) * (1 - p)),
        "chi2": m.chi_square(t),
        "sqrt_chi2_over_n": m.cramers_v(t),
        "correct_2TP_over_2TP+FP+FN": m.f1(t),
        "precision_correct": m.precision(t),
        "f1_correct": m.f1(t),
        **{f"f_beta_{k}": m.f_beta(t, beta=v) for k, v in BETAS.items()},
        **{f"E_beta_{k}": m.effectiveness(t, beta=v) for k, v in BETAS.items()},
        "f_beta_inf_limit": m.f_beta(t, beta=math.inf),
        "g_mean_pd_precision": m.fowlkes_mallows(t),
        "g_mean2_pd_specificity": m.geometric_mean(t),
        "j_coeff": m.youden_j(t),
        "pd_minus_pf": m.pd(t) - m.pf(t),
    }, {
        "as_printed_product_denominator": 2 * 70 / (2 * 70 * 20 * 30),
        "precision_as_printed": 70 / (70 + 30),
        "f1_as_printed_n+-_twice": 140 / (140 + 30 + 30),
        "pe_first_expression_as_printed": 0.5,
        "pe_second_expression_as_printed": printed_pe,
        "kappa_with_second_expression": (m.accuracy(t) - printed_pe) / (1 - printed_pe),
    }


BETAS = {"0": 0.0, "1/2": 0.5, "1": 1.0, "2": 2.0}


@pytest.mark.parametrize("case", cases("formula"))
def test_formulas(case):
    ours, printed = formula(case)
    for key, expected in case["expected"].items():
        assert (key in ours) != (key in printed), key
        same(ours[key] if key in ours else printed[key], expected, key)


def test_a_source_that_prints_a_wrong_number_is_not_followed():
    wrong = [
        (c["id"], key)
        for c in CASES
        for key, e in c["expected"].items()
        if isinstance(e, dict) and e.get("agrees") is False
    ]
    assert wrong
    for case_id, key in wrong:
        e = BY_ID[case_id]["expected"][key]
        assert abs(e["printed_value"] - e["float"]) > e["tolerance"]


def test_every_kind_of_case_is_tested():
    tested = {
        "confusion_counts", "table_row", "confusion_matrix_one_vs_rest", "confusion_matrix",
        "property", "lookup", "ratings", "vectors", "multiclass_scores", "scores", "formula",
    }  # fmt: skip
    assert {c["kind"] for c in CASES} == tested
