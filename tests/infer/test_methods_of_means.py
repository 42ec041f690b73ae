"""Intervals of means of losses without bound, and of weighted shares: both have heavy tails."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import t as student

import tallymark as tm
from tallymark.infer.influence import Influence
from tallymark.metric.proportion import wilson, worth

GOLDEN = Path(__file__).parents[3] / "shared" / "golden" / "statistics" / "mean_of_losses.json"
SKEWED = "mean over rows, Student's t with skewness"
FEW = "it depends mostly on few rows"


def slow_bounds(moves, n, centre, level=0.95, most=math.inf):
    """Return the two values that differ from a mean by t standard errors, by search.

    The variance at a value grows with its distance by the skewness of the moves.
    """
    square, cube, fourth = (sum(float(e) ** k for e in moves) for k in (2, 3, 4))
    variance, skew = square * n / (n - 1), cube / square
    freedom = min(n - 1, most, max(2 * square**2 / (fourth - square**2 / n), 1.0))
    t, found = student.ppf((1 + level) / 2, freedom), []
    for side in (-1, 1):
        grows = max(side * skew, 0.0)

        def off(far, grows=grows):
            return far - t * math.sqrt(variance + grows * far)

        found.append(centre + side * brentq(off, 0, 1e3 * t * (math.sqrt(variance) + grows)))
    return found, math.sqrt(variance), freedom


def three_classes(rows=60, seed=0, slope=1.0):
    """Return the classes and the probabilities of three classes, one of them rare."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, rows, p=[0.7, 0.2, 0.1])
    p = np.exp(slope * (rng.normal(size=(rows, 3)) + 1.2 * np.eye(3)[y]))
    return y, p / p.sum(1, keepdims=True)


# -- means of losses -------------------------------------------------------------------------------


def test_a_mean_of_losses_has_the_expected_interval():
    if not GOLDEN.exists():
        pytest.skip(f"{GOLDEN} is missing: the expected numbers lie beside the repository")
    for case in json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]:
        loss = np.array(case["loss"])
        facts = Influence.of([((loss - loss.mean()) / len(loss), len(loss))]).cautious
        assert math.sqrt(facts.variance) == pytest.approx(case["se"])
        assert facts.degrees_of_freedom == pytest.approx(case["df"])
        bounds = facts.bounds(case["mean"], 0.95)
        assert bounds == pytest.approx((case["low"], case["high"]))
        slow, _, _ = slow_bounds((loss - loss.mean()) / len(loss), len(loss), loss.mean())
        assert bounds == pytest.approx(slow)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_log_loss_of_three_classes_reaches_further_to_the_side_of_its_tail(weighted):
    y, p = three_classes()
    w = np.random.default_rng(1).integers(1, 4, len(y)) if weighted else np.ones(len(y))
    ev = tm.evaluate(y, y_score=p, weight=w if weighted else None, level=0.8)
    loss, v = -np.log(p[np.arange(len(y)), y]), ev["log_loss"]
    mean = (w * loss).sum() / w.sum()
    n = w.sum() ** 2 / (w**2).sum()
    slow, error, freedom = slow_bounds(w * (loss - mean) / w.sum(), n, mean, 0.8)
    assert (v.low, v.high, v.se) == pytest.approx((*slow, error))
    assert v.high - v.value > v.value - v.low
    assert v.method == SKEWED + ", weighted rows" * weighted
    assert v.warning == (FEW if freedom < 10 else None)


def test_at_known_shares_losses_vary_within_each_class():
    y, p = three_classes(rows=200)
    shares = np.array([0.5, 0.3, 0.2])
    v = tm.evaluate(y, y_score=p).at(prevalence=dict(enumerate(shares)))["log_loss"]
    loss = -np.log(p[np.arange(len(y)), y])
    rows, means = np.bincount(y), np.bincount(y, loss) / np.bincount(y)
    variance = sum((shares[k] * loss[y == k].std(ddof=1)) ** 2 / rows[k] for k in range(3))
    assert (v.value, v.se) == pytest.approx((shares @ means, math.sqrt(variance)))
    assert v.method == "mean over rows within each class, Student's t with skewness"
    assert v.high - v.value > v.value - v.low


def test_clusters_add_their_losses_up_first():
    y, p = three_classes(rows=300, seed=2)
    who = np.minimum(np.arange(300) // 4, 60)  # the last cluster has a fifth of the rows
    v = tm.evaluate(y, y_score=p, cluster=who)["log_loss"]
    loss, w = -np.log(p[np.arange(300), y]), np.bincount(who) / 300
    u = w**2 / (1 - w)
    most = 1 / ((w**2).sum() + np.outer(u, u).sum() - (u**2).sum())
    moves = np.bincount(who, loss - loss.mean()) / 300
    slow, error, _ = slow_bounds(moves, 61, loss.mean(), most=most)
    assert (v.low, v.high, v.se) == pytest.approx((*slow, error))
    assert v.method == "mean over rows, of clusters, Student's t with skewness"


def test_several_labels_have_the_same_interval_of_a_mean_without_bound():
    rng = np.random.default_rng(0)
    true = rng.random((80, 5)) < 0.3
    scores = (rng.random((80, 5)) + true) / 2
    true[true.sum(1) == 0, 0] = True
    v = tm.evaluate(true.astype(int), y_score=scores)["coverage_error"]
    lowest = np.where(true, scores, np.inf).min(1)
    error = (scores >= lowest[:, None]).sum(1)
    slow, _, _ = slow_bounds((error - error.mean()) / 80, 80, error.mean())
    assert (v.value, v.low, v.high) == pytest.approx((error.mean(), *slow))
    assert v.method == SKEWED


def test_without_rows_the_sums_give_students_interval():
    y, p = three_classes(rows=400)
    bins = tm.Bins(np.linspace(0, 1, 1001), 10)
    tallier = tm.Tallier(bins=bins)
    tallier.update(y, y_score=p)
    v = tallier.result()["log_loss"]
    loss = -np.log(p[np.arange(400), y])
    half = student.ppf(0.975, 399) * v.se
    assert v.method == "mean over rows, Student's t"
    assert v.se == pytest.approx(loss.std(ddof=1) / 20, rel=1e-9)
    assert (v.low, v.high) == pytest.approx((v.value - half, v.value + half), abs=1e-5)
    few = tm.Tallier(bins=bins)
    few.update(y[:10], y_score=p[:10])
    assert few.result()["log_loss"].warning == FEW


def test_a_few_large_losses_give_a_warning():
    y = np.arange(200) % 10 == 0
    p = np.where(y, 0.8, 0.1)
    for surprises, told in ((4, FEW), (14, None)):
        p[1:200:2][:surprises] = 0.999
        v = tm.evaluate(y.astype(int), y_score=p)["log_loss"]
        three = np.stack([(1 - p) * 0.9, (1 - p) * 0.1, p], 1)
        many = tm.evaluate(np.where(y, 2, 0), y_score=three, classes=[0, 1, 2])["log_loss"]
        assert (v.warning, many.warning) == (told, told)
        twice = tm.evaluate(
            np.tile(y, 2).astype(int),
            y_score=np.tile(p, 2),
            subgroup={"half": np.arange(400) // 200},
        )
        assert [v["log_loss"].warning for v in twice.by("half").values(["log_loss"]).values()] == [
            told
        ] * 2


# -- weighted shares -------------------------------------------------------------------------------


def effective(hit, w):
    """Return the effective number of rows of a share: Kish's where either part has few rows."""
    p, kish = w[hit].sum() / w.sum(), w.sum() ** 2 / (w**2).sum()
    spread = sum(float(w[i] * (hit[i] - p)) ** 2 for i in range(len(w))) / w.sum() ** 2
    parts = [w[of].sum() ** 2 / (w[of] ** 2).sum() for of in (hit, ~hit)]
    own = p * (1 - p) / spread
    return min(own, kish) if min(parts) < 30 else own


@pytest.mark.parametrize("rows", [40, 120, 900])
def test_a_weighted_share_has_few_effective_rows(rows):
    rng = np.random.default_rng(rows)
    y = np.ones(rows, int)
    hit, w = rng.random(rows) < 0.8, np.exp(rng.normal(size=rows))
    y[0], w[0] = 0, 1.0
    v = tm.evaluate(y, hit.astype(int), weight=w, level=0.8)["sensitivity"]
    own = y == 1
    n, p = effective(hit[own], w[own]), w[own & hit].sum() / w[own].sum()
    reach = student.ppf(0.9, n - 1) if n < 30 else 1.2815515655446004
    assert (n < 30) == (rows == 40)
    assert (v.low, v.high) == pytest.approx(tuple(map(float, wilson(p * n, n, reach))))


def test_few_rows_of_a_part_do_not_show_how_heavy_they_may_be():
    # 97 rows of weight 1 or 9 are the part; the rest are three, which happen to be light.
    kish = (48 * 9 + 49 + 3) ** 2 / (48 * 81 + 49 + 3)
    assert float(worth(48 * 9 + 49.0, 48 * 9 + 52.0, 48 * 81 + 49.0, 48 * 81 + 52.0)) == (
        pytest.approx(kish)
    )
    # 100 light rows are enough to know that they are light.
    p = 481 / 581
    spread = (1 - p) ** 2 * (48 * 81 + 49) + p**2 * 100
    found = float(worth(481.0, 581.0, 48 * 81 + 49.0, 48 * 81 + 149.0))
    assert found == pytest.approx(p * (1 - p) * 581**2 / spread)
    assert found > 581**2 / (48 * 81 + 149)


def verified(rng, rows, prevalence, share=0.05):
    """Return truth, predictions and weights: few of the rows predicted negative are verified."""
    y = (rng.random(60 * rows) < prevalence).astype(int)
    called = (rng.normal(size=60 * rows) + 2 * y > 1).astype(int)
    kept = np.flatnonzero((called == 1) | (rng.random(60 * rows) < share))[:rows]
    return y[kept], called[kept], np.where(called[kept] == 1, 1.0, 1 / share)


def of_cells(tp, fp, fn, tn, weights):
    """Return an evaluation of four counts, each cell with the weight of its rows."""
    truth, pred = np.repeat([[1, 1], [0, 1], [1, 0], [0, 0]], [tp, fp, fn, tn], axis=0).T
    return tm.evaluate(truth, pred, weight=np.repeat(weights, [tp, fp, fn, tn]), level=0.8)


@pytest.mark.parametrize(
    ("cells", "weights", "metric", "rows"),
    [
        # a miss would weigh 20, as the true negatives do: 60 / 20
        ((60, 100, 0, 30), (1, 1, 1, 20), "sensitivity", 3.0),
        # weights of the class alone: a miss would weigh 1, as the hits do
        ((60, 100, 0, 30), (1, 20, 1, 20), "sensitivity", 60.0),
        # by class and by prediction: 2 × 20 / 4
        ((60, 100, 0, 30), (2, 4, 2, 20), "sensitivity", 120 / 10),
        # too few false alarms show that weights depend on the prediction
        ((60, 4, 0, 30), (1, 1, 1, 20), "sensitivity", 60.0),
        ((60, 0, 0, 30), (1, 1, 1, 20), "sensitivity", 60.0),
        # nobody is predicted negative
        ((60, 30, 0, 0), (1, 7, 1, 7), "sensitivity", 60.0),
        # of the predicted positives no weight is unknown
        ((60, 0, 9, 30), (1, 1, 20, 20), "precision", 60.0),
        # the misses that accuracy counts as errors are not seen: Kish's number
        ((60, 100, 0, 30), (1, 1, 1, 20), "accuracy", 760**2 / (160 + 30 * 400)),
    ],
)
def test_a_row_that_was_not_seen_has_the_weight_of_its_class_and_prediction(
    cells, weights, metric, rows
):
    v = of_cells(*cells, weights)[metric]
    reach = student.ppf(0.9, rows - 1) if rows < 30 else 1.2815515655446004
    expected = wilson(float(v) * rows, rows, reach)
    assert (v.low, v.high) == pytest.approx(tuple(map(float, expected)))


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "prevalence"), [(200, 0.1), (200, 0.3)])
def test_rates_hold_the_truth_where_few_predicted_negatives_are_verified(rows, prevalence):
    rng = np.random.default_rng(rows)
    found = 0.8413447460685429  # of the positives, and of the negatives are spared
    right = {"sensitivity": found, "specificity": found, "accuracy": found}
    held = dict.fromkeys(right, 0)
    for _ in range(150):
        y, called, w = verified(rng, rows, prevalence)
        ev = tm.evaluate(y, called, weight=w)
        for name, value in right.items():
            held[name] += ev[name].low <= value <= ev[name].high
    assert min(held.values()) >= 0.93 * 150, held
