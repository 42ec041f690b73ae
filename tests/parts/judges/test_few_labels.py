"""Numbers from few labels and a judge, against golden values and slow twins."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallymark as tm
from tallymark.core import Sampler
from tallymark.parts.judges.cautions import random_labelling, random_labelling_test
from tallymark.parts.judges.estimate import Estimator
from tallymark.parts.judges.strata import Pairs, merge

GOLDEN = Path(__file__).parents[4] / "shared" / "golden" / "statistics" / "few_labels.json"


def cases(kind):
    if not GOLDEN.exists():
        return [pytest.param({}, marks=pytest.mark.skip(reason="golden values are not here"))]
    return [c for c in json.loads(GOLDEN.read_text(encoding="utf-8")) if c["kind"] == kind]


def pairs_of(case, sampled_by=None):
    """Return the pairs of tables N [pred, judge] and M [true, pred, judge]."""
    rows, labelled = (np.array(case[k], float) for k in ("N_pred_judge", "M_true_pred_judge"))
    h, j = map(np.ravel, np.indices(rows.shape))
    weights = labelled[:, h, j]
    return Pairs(
        len(rows), h[:, None], j, rows[h, j], weights.sum(0), weights, weights.sum(0), sampled_by
    )


def estimator_of(case):
    k = len(case["N_pred_judge"])
    return Estimator(pairs_of(case), tuple(range(k)), 1 if k == 2 else None)


def rows_of(case):
    """Return the same tables as columns of rows."""
    out = {"t": [], "p": [], "j": []}
    rows, labelled = (np.array(case[k]) for k in ("N_pred_judge", "M_true_pred_judge"))
    for h, j in np.ndindex(rows.shape):
        for y in range(len(rows)):
            for name, value in zip("tpj", (y, h, j), strict=True):
                out[name] += [value] * labelled[y, h, j]
        left = int(rows[h, j] - labelled[:, h, j].sum())
        for name, value in zip("tpj", (None, h, j), strict=True):
            out[name] += [value] * left
    return out


EXAMPLE = {
    "N_pred_judge": [[175, 244], [198, 865]],
    "M_true_pred_judge": [[[33, 6], [8, 2]], [[10, 54], [41, 213]]],
}
"""The first golden case, whose numbers are by scikit-learn with sample_weight N / m."""


# -- golden values -------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases("table"))
def test_values_of_tables(case):
    expect, k = case["expect"], case["K"]
    data = rows_of(case)
    names = {n: n.removesuffix("_macro") for n in expect if not n.startswith(("random", "naive"))}
    names = {n: m for n, m in names.items() if n not in ("accuracy_se", "labels_only_accuracy")}
    found = tm.few_labels(
        data, truth="t", judge="j", pred="p", metrics=[*names.values()],
        positive=1 if k == 2 else None,
    )  # fmt: skip
    by_name = {m.value.metric: m for m in found.metrics}
    for name, metric in names.items():
        value = found[metric]
        assert value.value == pytest.approx(expect[name], abs=case["tol"])
        assert value.low < value.value < value.high
        assert by_name[value.metric].value == value
    accuracy = by_name["accuracy"]
    assert accuracy.judge_as_truth == pytest.approx(expect["naive_accuracy_judge"], abs=case["tol"])
    alone = accuracy.labels_only
    assert alone.value == pytest.approx(expect["labels_only_accuracy"], abs=case["tol"])
    of_case = estimator_of(case)
    error = math.sqrt(sum(of_case.variance("accuracy")))
    assert error == pytest.approx(expect["accuracy_se"], abs=case["tol"])
    chi2, freedom = random_labelling_test(of_case.pairs)
    assert chi2 == pytest.approx(expect["random_labelling_chi2"], abs=case["tol"])
    assert freedom == expect["random_labelling_df"]
    p = random_labelling(of_case.pairs)
    assert p == pytest.approx(expect["random_labelling_p"], abs=case["tol"])


@pytest.mark.parametrize("case", cases("posterior"))
def test_intervals_are_those_of_three_million_draws(case):
    of_case = estimator_of(case)
    for name, (low, high) in case["expect"].items():
        value = of_case.value(name)
        assert value.low == pytest.approx(low, abs=0.01)
        assert value.high == pytest.approx(high, abs=0.01)
        wide = Estimator(of_case.pairs, (0, 1), 1)
        draws = np.concatenate([*of_case.pairs.draws(Sampler(7), 60_000)])
        wide._matrices[0] = of_case.pairs.confusion(draws) * wide.rows
        value = wide.value(name)
        assert (value.low, value.high) == pytest.approx((low, high), abs=case["tol"])


@pytest.mark.parametrize("case", cases("merging"))
def test_merging(case):
    labelled = np.array(case["labelled_pred_judge"])
    h, j = map(np.ravel, np.indices(labelled.shape))
    strata = merge(labelled[h, j], [(bool(a),) for a in h == j], [(int(x),) for x in h])
    found = [[[int(h[i]), int(j[i])] for i in s] for s in strata]
    assert sorted(map(sorted, found)) == sorted(map(sorted, case["expect"]))


@pytest.mark.parametrize("case", cases("effective_counts"))
def test_weights_count_as_their_effective_number(case):
    weights = np.array(case["weights_of_labelled_rows_of_one_pair"])
    pairs = Pairs(
        2, np.array([[0]]), np.array([0]), np.array([50.0]), np.array([5.0]),
        np.array([[weights.sum()], [0.0]]), np.array([(weights**2).sum()]),
    )  # fmt: skip
    assert pairs.counts[0].sum() == pytest.approx(case["expect"]["rows"], abs=case["tol"])
    factor = pairs.counts[0].sum() / weights.sum()
    assert factor == pytest.approx(case["expect"]["factor"], abs=case["tol"])


@pytest.mark.parametrize("case", cases("neyman_shares_accuracy"))
def test_allocation_shares(case):
    of_case = estimator_of(case)
    shares = of_case.pairs.rows * of_case.spread("accuracy")
    shares /= shares.sum()
    for name, share in case["expect"].items():
        h, j = map(int, name.split(","))
        assert shares[2 * h + j] == pytest.approx(share, abs=case["tol"])


def test_the_worked_example_without_the_golden_file():
    found = tm.few_labels(rows_of(EXAMPLE), truth="t", judge="j", pred="p", positive=1)
    assert found["accuracy"].value == pytest.approx(0.7971182748591387, abs=1e-12)
    assert found["mcc"].value == pytest.approx(0.45003239787131066, abs=1e-12)
    assert found["f1"].value == pytest.approx(0.871832746655825, abs=1e-12)
    assert (found.rows, found.labelled) == (1482, 367)
    assert list(found)[:2] == ["accuracy", "precision"]
    assert "f1" in found
    assert "f1 of x" not in found


# -- slow twins ----------------------------------------------------------------------------------


def by_weighted_rows(rows, metric):
    """Return a metric of labelled rows, each of the weight N / m of its pair, where all have 5."""
    of_pair, labelled = {}, {}
    for t, h, j in zip(rows["t"], rows["p"], rows["j"], strict=True):
        of_pair[h, j] = of_pair.get((h, j), 0) + 1
        labelled[h, j] = labelled.get((h, j), 0) + (t is not None)
    known = [r for r in zip(rows["t"], rows["p"], rows["j"], strict=True) if r[0] is not None]
    weights = [of_pair[h, j] / labelled[h, j] for _, h, j in known]
    y, pred, _ = zip(*known, strict=True)
    return float(metric(y, pred, sample_weight=weights, positive=1))


@pytest.mark.parametrize("name", ["accuracy", "f1", "precision", "cohen_kappa", "gwet_ac1"])
def test_values_are_those_of_weighted_rows(name):
    rows = rows_of(EXAMPLE)
    found = tm.few_labels(rows, truth="t", judge="j", pred="p", positive=1)
    assert found[name].value == pytest.approx(by_weighted_rows(rows, getattr(tm.metrics, name)))


def test_draws_are_dirichlet_row_by_row():
    """Mean and variance of every cell of the posterior, from its two Dirichlet distributions."""
    pairs = pairs_of(EXAMPLE)
    draws = np.concatenate(list(pairs.draws(Sampler(3), 20_000)))
    assert draws.sum((1, 2)) == pytest.approx(np.ones(20_000))
    n = pairs.rows.sum()
    for p in range(4):
        together = sum(pairs.rows[q] for q in range(4)
                       if pairs.predicted[q] == pairs.predicted[p])  # fmt: skip
        size = 2 / 2 * math.sqrt(pairs.rows[p] / together)
        a = pairs.weights[:, p] + size * 0.5  # of two classes both have half
        share = pairs.rows[p] / n
        for y in range(2):
            mean = share * a[y] / a.sum()
            theta = a[y] / a.sum()
            second = (share * (1 - share) / (n + 1) + share**2) * (
                theta * (1 - theta) / (a.sum() + 1) + theta**2
            )
            spread = math.sqrt(second - mean**2)
            assert draws[:, y, p].mean() == pytest.approx(mean, abs=5 * spread / math.sqrt(20_000))
            assert draws[:, y, p].std() == pytest.approx(spread, rel=0.05)


def test_the_prior_of_five_classes_gives_the_predicted_one_half():
    rows = np.full((5, 5), 40.0)
    case = {"N_pred_judge": rows, "M_true_pred_judge": np.zeros((5, 5, 5))}
    prior = pairs_of(case).prior
    size = 2 / 5 * math.sqrt(1 / 5)
    for p, (h, _) in enumerate(np.ndindex(5, 5)):
        expected = [size / 2 if y == h else size / 8 for y in range(5)]
        assert prior[:, p] == pytest.approx(expected)


def test_a_pass_rate_is_the_share_of_each_value_of_the_judge_times_that_of_its_labels():
    rows = {"t": ["pass"] * 30 + ["fail"] * 20 + [None] * 350}
    rows["j"] = ["pass"] * 28 + ["fail"] * 16 + ["pass"] * 6 + ["pass"] * 200 + ["fail"] * 150
    found = tm.few_labels(rows, truth="t", judge="j", positive="pass")
    n_pass, n_fail = 28 + 6 + 200, 16 + 150
    # Of the judge's passes 28 and 2 of 34 are true ones; of its fails 2 of 16.
    table = pd.DataFrame(rows).dropna().groupby("j")["t"].apply(lambda t: (t == "pass").mean())
    expected = (n_pass * table["pass"] + n_fail * table["fail"]) / 400
    share = {s.label: s for s in found.shares}["pass"]
    assert share.value.value == pytest.approx(expected, abs=1e-12)
    assert share.judge_as_truth == n_pass / 400
    assert share.labels_only.value == 0.6
    assert found.models == ()
    assert sum(s.value.value for s in found.shares) == pytest.approx(1)


def test_allocation_lowers_the_variance_as_much_as_any_other():
    """Every way to label 8 more rows, one by one: none has a smaller Σ (Wσ)² / m."""
    from itertools import product

    case = {"N_pred_judge": [[60, 20], [15, 45]],
            "M_true_pred_judge": [[[9, 3], [2, 1]], [[1, 3], [3, 6]]]}  # fmt: skip
    of_case = estimator_of(case)
    found = tm.few_labels(rows_of(case), truth="t", judge="j", pred="p", positive=1)
    more = [r["more"] for r in found.allocation(8)]
    assert sum(more) == 8
    p = of_case.pairs
    weight = (p.rows / p.rows.sum() * of_case.spread("accuracy")) ** 2
    least = np.maximum(5 - p.labelled, 0)

    def variance(k):
        return float((weight / (p.labelled + k)).sum())

    ways = [k for k in product(range(9), repeat=4) if sum(k) == 8 and (np.array(k) >= least).all()]
    assert variance(np.array(more)) == pytest.approx(min(variance(np.array(k)) for k in ways))


def test_labels_needed_give_the_width():
    found = tm.few_labels(rows_of(EXAMPLE), truth="t", judge="j", pred="p", positive=1)
    of_case = estimator_of(EXAMPLE)
    p = of_case.pairs
    share, sigma = p.rows / p.rows.sum(), of_case.spread("accuracy")
    m = found.labels_needed(0.08)
    between = of_case.variance("accuracy")[0] - (share * sigma**2).sum() / p.rows.sum()
    assert 2 * 1.959964 * math.sqrt((share * sigma**2).sum() / m + between) <= 0.08
    assert 2 * 1.959964 * math.sqrt((share * sigma**2).sum() / (m - 1) + between) > 0.08
    assert found.labels_needed(0.08, allocated=True) < m
    with pytest.raises(tm.InputError) as refused:
        found.labels_needed(0.01)
    assert str(refused.value) == (
        "width is 0.01, and accuracy of 1,482 rows has an interval of about 0.041 even if all are "
        "labelled; give a larger width, or more rows"
    )


# -- laws ----------------------------------------------------------------------------------------


def random_rows(seed, n=80, labels=40, classes=2):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    out = {"p": np.where(rng.random(n) < 0.7, truth, rng.integers(0, classes, n)),
           "q": np.where(rng.random(n) < 0.6, truth, rng.integers(0, classes, n)),
           "j": np.where(rng.random(n) < 0.8, truth, rng.integers(0, classes, n))}  # fmt: skip
    known = np.full(n, np.nan)
    known[:labels] = truth[:labels]
    return {**out, "t": known}


NAMES = {"truth": "t", "judge": "j", "pred": ["p", "q"]}


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_tallies_add_up_whatever_their_order_and_stand_in_json(seed, classes):
    every = list(range(classes))
    rows = random_rows(seed, classes=classes, n=120, labels=60)
    whole = tm.few_labels(rows, **NAMES, classes=every, positive=1 if classes == 2 else None)
    halves = [
        {k: v[some] for k, v in rows.items()} for some in (slice(0, 120, 2), slice(1, 120, 2))
    ]
    a, b = (
        tm.few_labels(half, **NAMES, classes=every, positive=1 if classes == 2 else None).tally
        for half in halves
    )
    assert a + b == b + a == whole.tally
    assert tm.JudgedTally.from_dict(json.loads((a + b).to_json())) == whole.tally
    again = tm.few_labels(a + b, positive=1 if classes == 2 else None)
    assert again.metrics == whole.metrics
    assert again.differences == whole.differences
    assert again.judge == whole.judge


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 10**6))
def test_the_order_of_rows_does_not_matter(seed):
    rows = random_rows(seed)
    order = np.random.default_rng(seed).permutation(80)
    one = tm.few_labels(rows, **NAMES, positive=1)
    other = tm.few_labels({k: v[order] for k, v in rows.items()}, **NAMES, positive=1)
    assert one.metrics == other.metrics
    assert one.shares == other.shares


def test_frames_files_and_arrays_give_the_same(tmp_path):
    rows = random_rows(3)
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "f.csv", index=False)
    of_arrays, of_frame, of_file = (
        tm.few_labels(data, **NAMES, positive=1) for data in (rows, frame, tmp_path / "f.csv")
    )
    assert of_arrays.metrics == of_frame.metrics == of_file.metrics
    assert of_file.source == "f.csv"


def test_equal_weights_change_nothing_but_the_labels_alone():
    rows = random_rows(5)
    plain = tm.few_labels(rows, **NAMES, positive=1)
    weighed = tm.few_labels({**rows, "w": np.full(80, 3.0)}, **NAMES, weight="w", positive=1)
    for one, other in zip(plain.metrics, weighed.metrics, strict=True):
        assert one.value.value == pytest.approx(other.value.value)
        assert one.value.low == pytest.approx(other.value.low)
        assert other.labels_only is None
        assert other.worth is None


def test_a_judge_is_judged_with_the_help_of_the_model():
    found = tm.few_labels(rows_of(EXAMPLE), truth="t", judge="j", pred="p", positive=1)
    values = {v.metric: v for v in found.judge}
    rows, labelled = (np.array(v, float) for v in EXAMPLE.values())
    joint = labelled / labelled.sum(0) * rows / rows.sum()
    right = sum(joint[y, :, y].sum() for y in range(2))
    assert values["accuracy"].value == pytest.approx(right)
    assert values["sensitivity"].value == pytest.approx(joint[1, :, 1].sum() / joint[1].sum())
    assert values["accuracy"].low < right < values["accuracy"].high


def test_differences_are_those_of_the_two_numbers():
    found = tm.few_labels(random_rows(8), **NAMES, positive=1)
    for d in found.differences:
        difference = found[d.value.metric, "p"].value - found[d.value.metric, "q"].value
        assert d.value.value == pytest.approx(difference)
        assert d.value.low <= difference <= d.value.high
    same = tm.few_labels(
        {**random_rows(8), "q": random_rows(8)["p"]}, **NAMES, positive=1
    ).differences
    assert [(d.value.low, d.value.high) for d in same] == [(0.0, 0.0)] * len(same)


# -- strata --------------------------------------------------------------------------------------


def test_few_disagreeing_labels_make_the_interval_cover_that_of_labels_alone():
    rows = rows_of({"N_pred_judge": [[200, 30], [30, 140]],
                    "M_true_pred_judge": [[[20, 1], [0, 1]], [[1, 1], [0, 16]]]})  # fmt: skip
    found = tm.few_labels(rows, truth="t", judge="j", pred="p", positive=1)
    accuracy = found.metrics[0]
    assert accuracy.value.method.endswith("hull with labels only")
    assert accuracy.value.low <= accuracy.labels_only.low
    assert accuracy.value.high >= accuracy.labels_only.high
    assert found["gwet_ac1"].method == accuracy.value.method
    by_judge = tm.few_labels(rows, truth="t", judge="j", pred="p", positive=1, sampled_by="judge")
    assert by_judge["accuracy"].method == "posterior of the classes by prediction and judge"


def test_labels_sampled_by_the_judge_merge_only_within_its_value():
    kinds = [("agree", 0), ("differ", 1), ("differ", 0), ("agree", 1)]
    assert merge([9, 2, 3, 1], kinds, [(0,), (0,), (1,), (1,)]) == [[0], [1], [2], [3]]
    case = {"N_pred_judge": [[100, 20], [20, 100]],
            "M_true_pred_judge": [[[30, 2], [1, 1]], [[2, 1], [1, 9]]]}  # fmt: skip
    assert len(pairs_of(case).strata) == 3
    assert len(pairs_of(case, "judge").strata) == 4


def test_a_kind_without_labels_takes_the_prior_mean_and_warns():
    case = {"N_pred_judge": [[100, 20], [20, 100]],
            "M_true_pred_judge": [[[30, 0], [0, 2]], [[2, 0], [0, 26]]]}  # fmt: skip
    found = tm.few_labels(rows_of(case), truth="t", judge="j", pred="p", positive=1)
    assert found["accuracy"].value == pytest.approx((100 * 30 / 32 + 100 * 26 / 28 + 20) / 240)
    texts = {f.rule: f.text for f in found.notes}
    assert texts["unlabelled-kind"] == (
        "no labelled row tells what is true in 40 rows, in which prediction and judge differ; "
        "there the result is a prior guess. Label some of those rows"
    )


# -- what is said --------------------------------------------------------------------------------


def notes_of(**changes):
    rows = {**random_rows(1, n=200, labels=60), **changes}
    return {f.rule: f.text for f in tm.few_labels(rows, **NAMES, positive=1).notes}


def test_notes():
    assert list(notes_of()) == ["corrected-for"]
    assert notes_of()["corrected-for"] == (
        "the labelled rows are taken for a random sample of the rows with the same prediction "
        "and judge"
    )
    rows = random_rows(1, n=200, labels=25)
    assert notes_of(t=rows["t"], j=rows["j"])["few-labels"] == (
        "only 25 rows have a true class, so intervals may contain the number less often than they "
        "say. Label at least 30 rows"
    )
    judge = random_rows(1, n=200, labels=60)["j"].astype(float)
    judge[150:160] = np.nan
    assert notes_of(j=judge)["rows-without-judge"] == (
        "10 rows without a prediction or a judge are left out. Let the judge answer for every row"
    )
    judge[150:160] = 7
    assert notes_of(j=judge)["judge-values"] == (
        "the judge gives 7, which is no class, in 10 rows; there the labels alone tell what is true"
    )


def test_a_judge_that_equals_few_labels_is_warned_of():
    rows = random_rows(1, n=200, labels=60)
    judge = np.where(np.isnan(rows["t"]), rows["j"], rows["t"])
    assert notes_of(j=judge)["judge-never-wrong"] == (
        "the judge equals the true class in all 60 labelled rows. Check that its values are not "
        "copied from the true classes"
    )


def test_labels_that_were_not_chosen_at_random_are_found():
    rows = random_rows(2, n=1000, labels=1000)
    truth = rows["t"].copy()
    rng = np.random.default_rng(0)
    by_judge = rng.random(1000) < np.where(rows["j"] == 1, 0.4, 0.05)
    rows["t"] = np.where(by_judge, truth, np.nan)
    plain = tm.few_labels(rows, **NAMES, positive=1)
    text = {f.rule: f.text for f in plain.notes}["labels-not-random"]
    assert text.startswith("labelled rows have other predictions and judge's values than the rest ")
    assert "sampled_by=..." in text
    said = tm.few_labels(rows, **NAMES, positive=1, sampled_by="judge")
    assert "labels-not-random" not in {f.rule for f in said.notes}
    assert said.metrics[0].labels_only is None


def test_a_model_that_is_nearly_always_right_is_warned_of():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    known = np.full(400, np.nan)
    known[:40] = truth[:40]
    judge = np.where(rng.random(400) < 0.9, truth, 1 - truth)
    rows = {"t": known, "p": truth, "q": truth, "j": judge}
    texts = [f.text for f in tm.few_labels(rows, **NAMES, positive=1).notes]
    assert (
        "p is nearly always right, and 40 labelled rows show few of its errors, so the interval of "
        "accuracy may be too narrow. Label at least 60 rows"
    ) in texts


ROWS = {"t": [1, 0] * 10 + [None] * 20, "j": [1, 0, 0, 0] * 10, "p": [1, 0, 1, 1] * 10}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"truth": None}, "truth is not given; name its column with truth=..."),
        ({"judge": None}, "judge is not given; name its column with judge=..."),
        ({"truth": "x"}, "the table has no column 'x'; there are 't', 'j', 'p'"),
        ({"judge": "t"}, "the column 't' is truth and judge; name a column of its own for each"),
        ({"pred": "j"}, "the column 'j' is judge and pred; name a column of its own for each"),
        ({"metrics": "roc_auc"},
         "roc_auc needs scores; name their column with score=..., or metrics of predicted classes, "
         "such as 'f1'"),
        ({"pred": None, "sampled_by": "pred"},
         "sampled_by is 'pred', and there are no predictions; say sampled_by='judge', or name "
         "their column with pred=..."),
        ({"classes": [1, 2]},
         "t holds the label 0, which classes does not list; classes are 1, 2"),
    ],
)  # fmt: skip
def test_refusals(changes, sentence):
    named = {"truth": "t", "judge": "j", "pred": "p", **changes}
    with pytest.raises(tm.InputError) as refused:
        tm.few_labels(ROWS, **named)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ({"t": [1, 0] * 4 + [None] * 32}, "8 rows have a true class; label at least 10"),
        ({"t": [1, 0] * 50 + [None] * 20, "j": [1, 0] * 60, "p": [1, 1, 0] * 40},
         "'j' equals the true class in all 100 labelled rows, so one is likely a copy of the other; "
         "give a judge that has not seen the true classes"),
        ({"w": [0.0] * 40}, "w is 0 at row 1, which has a true class; give the inverse of the "
         "probability with which it was chosen"),
    ],
)  # fmt: skip
def test_refusals_of_rows(rows, sentence):
    weight = "w" if "w" in rows else None
    with pytest.raises(tm.InputError) as refused:
        tm.few_labels({**ROWS, **rows}, truth="t", judge="j", pred="p", weight=weight)
    assert str(refused.value) == sentence


def test_refusals_of_tallies_and_results():
    found = tm.few_labels(ROWS, truth="t", judge="j", pred="p")
    with pytest.raises(tm.InputError, match="^truth is for rows, and these are counted; leave it"):
        tm.few_labels(found.tally, truth="t")
    with pytest.raises(tm.InputError, match="^this result was made from a tally, which holds no"):
        tm.few_labels(found.tally).label_next(3)
    with pytest.raises(tm.InputError, match="^there is no model 'x'; there are 'p'$"):
        found["f1", "x"]
    two = tm.few_labels({**ROWS, "q": ROWS["j"]}, truth="t", judge="j", pred=["p", "q"])
    with pytest.raises(tm.InputError, match="^there are 2 models; say which, such as model='p'$"):
        two["f1"]
    with pytest.raises(tm.InputError, match="^one tally has the models 'p' and the other 'p', 'q'"):
        found.tally + two.tally
    shares = tm.few_labels(ROWS, truth="t", judge="j")
    with pytest.raises(tm.InputError, match="^there are no predictions, so only the shares of cla"):
        shares["f1"]
    with pytest.raises(tm.InputError, match="which is not a tally of judged rows; give what its "):
        tm.JudgedTally.from_dict({**found.tally.to_dict(), "cells": [[5, 5, 5]]})
    known = {**ROWS, "t": ROWS["p"]}
    all_known = tm.few_labels(known, truth="t", judge="j")
    assert [f.rule for f in all_known.notes] == ["all-labelled", "corrected-for"]
    with pytest.raises(tm.InputError, match="^every row has a true class; there is nothing left"):
        all_known.label_next(2)


# -- which rows next -----------------------------------------------------------------------------


def test_rows_to_label_next_are_unlabelled_and_as_many_as_allocated():
    rows = random_rows(4, n=300, labels=50)
    found = tm.few_labels(rows, truth="t", judge="j", pred="p", positive=1)
    chosen = found.label_next(40, metric="f1")
    numbers = [r["row"] for r in chosen]
    assert len(set(numbers)) == 40
    assert min(numbers) > 50
    for r in chosen:
        assert (r["p"], r["j"]) == (rows["p"][r["row"] - 1], rows["j"][r["row"] - 1])
    table = pd.DataFrame(chosen.to_dicts()).groupby(["p", "j"]).size()
    for line in found.allocation(40, metric="f1"):
        assert table.get((line["pred"], line["judge"]), 0) == line["more"]
    assert len(found.label_next(10_000)) == 250


def test_subgroups_are_judged_by_their_own_rows():
    rows = random_rows(6, n=300, labels=100)
    rows["region"] = np.where(np.arange(300) % 3 == 0, "north", "south")
    rows["region"][:5] = "tiny"
    found = tm.few_labels(rows, **NAMES, positive=1, subgroup="region")
    assert list(found.subgroups) == ["region = north", "region = south"]
    mine = {k: v[rows["region"] == "north"] for k, v in rows.items()}
    alone = tm.few_labels(mine, **NAMES, positive=1)
    assert found.subgroups["region = north"].metrics == alone.metrics
    texts = [f.text for f in found.notes]
    assert "the subgroup tiny has 5 labelled rows, fewer than 10, and is left out" in [
        t.split(".")[0] for t in texts
    ]


@pytest.mark.parametrize(("labelled", "warned"), [("heron", True), ("both", False)])
def test_a_model_without_labels_is_named(labelled, warned):
    rng = np.random.default_rng(6)
    model = np.repeat(["heron", "wren"], 200)
    true = rng.random(400) < 0.7
    judge = np.where(rng.random(400) < 0.9, true, ~true).astype(int)
    from_all = rng.permutation(400) if labelled == "both" else rng.permutation(200)
    human = np.full(400, np.nan)
    human[from_all[:60]] = true[from_all[:60]]
    rows = {"model": model, "human": human, "judge": judge}
    warning = (
        "no labelled row has model = wren, so the judge is taken to err there as in the others. "
        "Label some of those rows, or judge each on its own with subgroup='model'"
    )
    found = tm.few_labels(rows, truth="human", judge="judge", positive=1)
    assert (warning in [n.text for n in found.notes]) is warned
    by_model = tm.few_labels(rows, truth="human", judge="judge", positive=1, subgroup="model")
    assert warning not in [n.text for n in by_model.notes]
    few = tm.few_labels(
        {**rows, "model": np.where(np.arange(400) < 399, "heron", "wren")},
        truth="human", judge="judge", positive=1,
    )  # fmt: skip
    assert not any("no labelled row has" in n.text for n in few.notes)
