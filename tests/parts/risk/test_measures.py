"""The areas under the curves of risk, their jackknife and their intervals."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import permutations
from math import log, log1p, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma
from scipy.stats import beta, t

import tallymark as tm
from tallymark.infer.score_samples import jackknife
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.parts.risk.measures import (
    MEASURES,
    Levels,
    areas_of,
    best_area,
    harmonic_difference,
)
from tallymark.parts.risk.measures import levels_of as of_counts
from tallymark.tally.scores import ScoreCounts, ScoreTally

GOLDEN = Path(__file__).parents[4] / "shared" / "golden" / "statistics" / "risk_coverage.json"


def cases(kind):
    """Return the worked examples of a kind; the test is skipped where they are missing."""
    if not GOLDEN.exists():
        return [pytest.param(None, marks=pytest.mark.skip("the golden file is not here"))]
    every = json.loads(GOLDEN.read_text(encoding="utf-8"))
    found = [c for c in every if c["kind"] == kind]
    assert found
    return found


MOST = {"aurc": 1.0, "augrc": 0.5, "e_aurc": log(2)}


def levels_of(confidence, wrong):
    scores, place = np.unique(np.array(confidence, dtype=float), return_inverse=True)
    wrong = np.array(wrong, dtype=float)
    rows = (np.bincount(place, v, len(scores)) for v in (1 - wrong, wrong))
    return of_counts(ScoreCounts(scores, *rows), "confidence")


def found(confidence, wrong, level=0.95):
    """Return the areas of answers with their intervals."""
    answers = tm.AnswerTally.from_arrays(np.zeros(len(wrong)), np.array(wrong) * 1.0, confidence)
    referral = tm.refer(answers, level=level)
    return {name: getattr(referral, name) for name in MEASURES}


def one_more(name, n):
    """Return the mean and the mean square of what one of n rows adds, by trying each place."""
    added = []
    for place in range(n):
        wrong = np.zeros(n)
        wrong[place] = 1
        levels = levels_of(-np.arange(n), wrong)
        added += [0.0, levels.areas.augrc if name == "augrc" else levels.areas.aurc]
    return np.mean(added), np.mean(np.square(added))


def areas(wrong):
    """Return AURC and AUGRC of rows in an order, as exact sums."""
    n, errors, aurc, augrc = len(wrong), 0, Fraction(0), Fraction(0)
    for k, w in enumerate(wrong, 1):
        # Along a tie of one row the wrong answers rise evenly.
        augrc += Fraction(2 * errors + w, 2 * n * n)
        errors += w
        aurc += Fraction(errors, k * n)
    return aurc, augrc


def over_orders(rows):
    """Return the mean of both areas over all orders of rows of equal confidence."""
    orders = [
        [w for _, w in order]
        for order in permutations(rows)
        if [c for c, _ in order] == sorted((c for c, _ in rows), reverse=True)
    ]
    sums = [sum(values) / len(orders) for values in zip(*map(areas, orders), strict=True)]
    return [float(s) for s in sums]


ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), min_size=1, max_size=40)


@pytest.mark.parametrize("case", cases("risk_coverage"))
def test_areas_are_the_mean_over_all_orders_of_ties(case):
    levels = levels_of(case["confidence"], case["wrong"])
    for name in MEASURES:
        assert getattr(levels.areas, name) == pytest.approx(case["expect"][name], abs=case["tol"])


@pytest.mark.parametrize("case", cases("augrc_identity"))
def test_augrc_follows_from_the_roc_area_of_the_confidence(case):
    levels = levels_of(case["confidence"], case["wrong"])
    right = 1 - np.array(case["wrong"])
    auc = tm.metrics.roc_auc(right, np.array(case["confidence"]))
    rate = case["expect"]["error_rate"]
    assert auc == pytest.approx(case["expect"]["roc_auc_of_confidence"], abs=case["tol"])
    assert levels.areas.augrc == pytest.approx(case["expect"]["augrc"], abs=case["tol"])
    assert levels.areas.augrc == pytest.approx(rate * (1 - rate) * (1 - auc) + rate**2 / 2)


@pytest.mark.parametrize("case", cases("aurc_interval"))
def test_the_interval_covers_that_of_the_logit_and_that_of_one_more_row(case):
    wrong, expect = case["wrong_by_falling_confidence"], case["expect"]
    value = found(-np.arange(len(wrong)), wrong)["aurc"]
    wanted = (expect["aurc"], expect["jackknife_se"], *expect["interval"])
    assert (value.value, value.se, value.low, value.high) == pytest.approx(wanted, abs=case["tol"])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=6))
def test_areas_are_those_of_every_order(rows):
    levels = levels_of(*zip(*rows, strict=True))
    assert [levels.areas.aurc, levels.areas.augrc] == pytest.approx(over_orders(rows), abs=1e-13)


@settings(max_examples=30)
@given(ROWS)
def test_areas_are_in_their_range_and_within_their_interval(rows):
    values = found(*zip(*rows, strict=True), level=0.9)
    for name, most in MOST.items():
        value = values[name]
        assert 0 <= value.value <= most + 1e-12
        if len(rows) > 1:
            assert 0 <= value.low <= value.value <= value.high <= most + 1e-12


@given(ROWS)
def test_a_perfect_order_has_no_excess_beyond_few_rows(rows):
    wrong = sorted(w for _, w in rows)
    many = levels_of(-np.arange(1000 * len(wrong)), np.repeat(wrong, 1000))
    assert many.areas.e_aurc == pytest.approx(0, abs=2e-3)
    worst = levels_of(np.arange(len(wrong)), wrong)
    best = levels_of(-np.arange(len(wrong)), wrong)
    assert best.areas.aurc <= levels_of(*zip(*rows, strict=True)).areas.aurc + 1e-12
    assert best.areas.e_aurc <= worst.areas.e_aurc + 1e-12


@pytest.mark.parametrize("events", [5, 4])
def test_the_bounds_are_those_of_the_formulas(events):
    wrong = [0] * 12 + [1, 0, 1, 0, 0, 1, 1, events - 4]
    levels, values = levels_of(-np.arange(20), wrong), found(-np.arange(20), wrong)
    for name, most in MOST.items():
        of_all = getattr(levels.areas, name)
        without = []
        for i in range(20):
            others = [w for j, w in enumerate(wrong) if j != i]
            without.append(getattr(levels_of(-np.arange(19), others).areas, name))
        error = np.sqrt(19 / 20 * np.sum((np.array(without) - np.mean(without)) ** 2)) / most
        share = of_all / most
        half = t.ppf(0.975, 19) * error / share / (1 - share)
        ends = [1 / (1 + np.exp(-log(share / (1 - share)) - s * half)) for s in (-1, 1)]
        mean, square = most * 0.5 / 21, most**2 * 0.5 / 21**2
        if events < 5 or name == "e_aurc":
            mean, square = one_more(name, 21)
        centre = 20 / 21 * share + mean / most
        spread = error**2 * 19 / 21 + (square - mean**2) / most**2
        size = centre * (1 - centre) / spread - 1
        posterior = beta(centre * size, (1 - centre) * size).ppf([0.025, 0.975])
        value = values[name]
        assert value.low == pytest.approx(most * min(ends[0], posterior[0]))
        assert value.high == pytest.approx(most * max(ends[1], posterior[1]))
        assert value.se == pytest.approx(most * error)


def test_few_wrong_answers_are_a_warning():
    each = {e: found(range(40), [1] * e + [0] * (40 - e)) for e in (0, 1, 4, 5, 29, 30)}
    said = ["only 0 wrong answers", "only 1 wrong answer", "only 4 wrong answers"]
    more = ["only 5 wrong answers", "only 29 wrong answers", None]
    for name, warnings in (
        ("aurc", [*said, *more]), ("e_aurc", [*said, *more]), ("augrc", [*said, None, None, None]),
    ):  # fmt: skip
        assert [values[name].warning for values in each.values()] == warnings
    assert each[0]["aurc"].value == each[0]["aurc"].low == 0
    assert 0.05 < each[0]["aurc"].high < 0.2


def test_the_first_rows_of_many_have_their_weight_in_the_error():
    """Bins of equal shares would hide that the most confident answers weigh most."""
    rng = np.random.default_rng(8)
    n = 1500
    confidence = 0.5 + 0.5 * rng.random(n)
    wrong = (rng.random(n) < np.where(confidence > 0.999, 0.7, 0.1)).astype(int)
    value = found(confidence.tolist(), wrong.tolist())["aurc"]
    order = np.argsort(-confidence)
    errors = wrong[order].astype(float)

    def area(e):
        return (np.cumsum(e) / np.arange(1, len(e) + 1)).mean()

    assert value.value == pytest.approx(area(errors))
    without = np.array([area(np.delete(errors, i)) for i in range(n)])
    error = sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    assert value.se == pytest.approx(error, rel=0.02)


def test_harmonic_numbers_of_many_rows_do_not_cancel():
    above = np.array([0.0, 1, 63, 64, 65, 1000, 1e9, 1e12])
    for rows in (1.0, 7.0, 1e6):
        ours = harmonic_difference(above, np.full(len(above), rows))
        if rows < 1e5:
            summed = [sum(1 / Fraction(int(n) + k) for k in range(1, int(rows) + 1)) for n in above]
            np.testing.assert_allclose(ours, [float(s) for s in summed], rtol=2e-14)
        else:
            np.testing.assert_allclose(
                ours[:5], digamma(above + rows + 1)[:5] - digamma(above + 1)[:5]
            )
            assert ours[-1] == pytest.approx(log1p(rows / 1e12), rel=1e-9)


def test_a_billion_answers_have_the_areas_of_their_shares():
    right, wrong = np.array([6e8, 2e8, 1e8]), np.array([1e7, 3e7, 6e7])
    large = Levels(np.array([0.9, 0.7, 0.6]), right, wrong)
    small = Levels(large.confidence, right / 1e4, wrong / 1e4)
    assert large.areas.aurc == pytest.approx(small.areas.aurc, rel=1e-4)
    assert large.areas.augrc == pytest.approx(small.areas.augrc, rel=1e-12)
    many, few = (
        tm.refer(tm.AnswerTally(v.confidence[::-1], np.stack([v.right, v.wrong], 1)[::-1]))
        for v in (large, small)
    )
    assert many.aurc.se == pytest.approx(few.aurc.se / 100, rel=1e-3)


def test_a_stack_of_answers_is_each_of_them():
    scores = np.array([0.1, 0.4, 0.6, 0.9])
    pos, neg = np.array([[0.0, 2, 1, 5], [0, 0, 0, 1]]), np.array([[3.0, 0, 2, 1], [0, 0, 0, 0]])
    stack = of_counts(ScoreCounts(scores, pos, neg))
    assert stack.confidence.tolist() == [0.9, 0.6]  # 0.4 is one minus 0.6
    areas = areas_of(ScoreCounts(scores, pos, neg))
    for name in MEASURES:
        alone = [
            getattr(areas_of(ScoreCounts(scores, *v)), name) for v in zip(pos, neg, strict=True)
        ]
        assert getattr(areas, name) == pytest.approx(alone, abs=1e-14)
        assert getattr(stack.areas, name) == pytest.approx(alone, abs=1e-14)


def slow(rows):
    """Return the areas of rows (is positive, probability), one k at a time over a random order."""
    ordered = sorted(((max(p, 1 - p), (p >= 0.5) != bool(y)) for y, p in rows), key=lambda r: -r[0])
    n, risk, over = len(ordered), 0.0, 0.0
    for k in range(1, n + 1):
        last = ordered[k - 1][0]
        sure = [w for c, w in ordered if c > last + 1e-9]
        tied = [w for c, w in ordered if abs(c - last) < 1e-9]
        errors = sum(sure) + (k - len(sure)) * sum(tied) / len(tied)
        risk += errors / k / n
        over += (errors - sum(tied) / len(tied) / 2) / n**2
    return risk, over, risk - float(best_area(sum(w for _, w in ordered) / n))


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 10)), min_size=2, max_size=40))
def test_the_metrics_are_those_of_probabilities_by_hand(rows):
    y, p = [a for a, _ in rows], [b / 10 for _, b in rows]
    wanted = slow(list(zip(y, p, strict=True)))
    of = {"positive": 1, "labels": [0, 1]}
    ours = [getattr(tm.metrics, name)(y, p, **of) for name in MEASURES]
    assert ours == pytest.approx([wanted[0], wanted[1], max(wanted[2], 0)], abs=1e-12)
    of_right = [int((b >= 0.5) == bool(a)) for a, b in zip(y, p, strict=True)]
    sure = np.round(np.maximum(p, 1 - np.array(p)), 12)
    again = [getattr(tm.metrics, n)(of_right, sure, scores="confidence", **of) for n in MEASURES]
    assert again == pytest.approx(ours, abs=1e-12)


def test_a_referral_has_the_metrics_of_its_evaluation():
    rng = np.random.default_rng(6)
    p = rng.beta(0.5, 0.6, 600)
    y = (rng.random(600) < p).astype(int)
    ev = tm.evaluate(y, y_score=p)
    referral, values = ev.refer(), ev.values()["model"]
    for name in MEASURES:
        assert getattr(referral, name) == ev[name] == values[name]
    of_answers = tm.refer(tm.AnswerTally.from_evaluation(ev))
    for name in MEASURES:
        value, other = ev[name], getattr(of_answers, name)
        assert value.value == pytest.approx(other.value, abs=1e-13)
        assert (value.low, value.high) == pytest.approx((other.low, other.high), rel=0.01)
    clustered = tm.evaluate(y, y_score=p, cluster=np.arange(600) // 6)
    assert clustered.refer().aurc == clustered["aurc"]
    assert clustered["aurc"].method == "jackknife of clusters, Student's t"
    weighted = tm.evaluate(y, y_score=p, weight=np.where(y == 1, 2.0, 1.0))
    twice = tm.evaluate(np.append(y, y[y == 1]), y_score=np.append(p, p[y == 1]))
    assert weighted["aurc"].value == pytest.approx(twice["aurc"].value)


def several(rows=300, seed=3):
    rng = np.random.default_rng(seed)
    scores = rng.dirichlet([0.4] * 3, rows)
    return np.array([rng.choice(3, p=row) for row in scores]), scores


def test_of_several_classes_the_areas_are_those_of_the_most_probable_one():
    y, scores = several()
    ev = tm.evaluate(y, y_score=scores)
    sure, wrong = scores.max(1), (scores.argmax(1) != y) * 1
    referral, of_answers = ev.refer(), found(sure, wrong)
    assert [ev["aurc"].value, ev["augrc"].value] == pytest.approx(
        over_levels(sure, wrong), abs=1e-12
    )
    for name in MEASURES:
        assert getattr(referral, name) == ev[name]
        assert name in ev
        assert name not in ev.values()["model"]  # computed on request
        value, other = ev[name], of_answers[name]
        assert (value.value, value.low, value.high) == pytest.approx(
            (other.value, other.low, other.high), abs=1e-12
        )
        assert getattr(tm.metrics, name)(y, scores) == pytest.approx(value.value, abs=1e-14)
        assert ev.model("model").value(name, method="bca").low < value.value
    assert ev["aurc"].definition == {
        "formula": "mean over k of the share of wrong answers among the first k rows by confidence",
        "average": "overall",
        "params": {"scores": "confidence"},
    }
    words = np.array(["red", "green", "blue"])
    named = tm.evaluate(words[y], y_score=scores[:, [2, 1, 0]], classes=["blue", "green", "red"])
    assert named["aurc"].value == pytest.approx(ev["aurc"].value)
    assert named["aurc"].value == tm.metrics.aurc(
        words[y], scores[:, [2, 1, 0]], labels=["blue", "green", "red"]
    )


def test_confidences_that_are_always_high_are_no_scores_to_ask_about():
    y = np.array([0, 1, 2, 2] * 15)
    scores = np.where(np.eye(3)[y] == 1, 0.7, 0.15)
    scores[::5] = scores[::5, [1, 2, 0]]
    assert tm.evaluate(y, y_score=scores)["aurc"].value == pytest.approx(0.2)  # all are tied


def over_levels(sure, wrong):
    """Return AURC and AUGRC of answers without ties, one row at a time."""
    return [float(v) for v in areas([int(w) for w in wrong[np.argsort(-sure)]])]


def test_weights_and_clusters_of_several_classes_count():
    y, scores = several()
    weighted = tm.evaluate(y, y_score=scores, weight=np.where(y == 1, 2.0, 1.0))
    twice = tm.evaluate(np.append(y, y[y == 1]), y_score=np.concatenate([scores, scores[y == 1]]))
    assert weighted["aurc"].value == pytest.approx(twice["aurc"].value)
    weights = np.where(y == 1, 2.0, 1.0)
    assert tm.metrics.aurc(y, scores, sample_weight=weights) == pytest.approx(
        weighted["aurc"].value
    )
    clustered = tm.evaluate(y, y_score=scores, cluster=np.arange(300) // 6)
    assert clustered["aurc"].method == "jackknife of clusters, Student's t"
    assert clustered.refer().aurc == clustered["aurc"]
    assert clustered["aurc"].value == tm.evaluate(y, y_score=scores)["aurc"].value


def test_the_areas_of_several_classes_come_back_from_a_file(tmp_path):
    y, scores = several()
    even = 0.5 * scores + 0.5 / 3
    ev = tm.evaluate(y, y_score={"a": scores, "b": even})
    ev.to_json(tmp_path / "run.json")
    for name in ("a", "b"):
        assert tm.read(tmp_path / "run.json").model(name)["aurc"] == ev.model(name)["aurc"]


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda y, p: tm.evaluate(y, y)["aurc"],
         "aurc of 3 classes needs the probabilities of all classes of each row, and model has none; "
         "give y_score"),
        (lambda y, p: tm.evaluate(y, y_score=3 * p)["augrc"],
         "augrc of 3 classes needs the probabilities of all classes of each row, and model holds "
         "scores that are none; give y_score"),
        (lambda y, p: tm.evaluate(y, y_score=p).at(prevalence={0: 0.2, 1: 0.3, 2: 0.5})["aurc"],
         "aurc of 3 classes needs the probabilities of all classes of each row, and the class "
         "shares were changed; take it before .at(...)"),
        (lambda y, p: tm.evaluate(y, y_score=p).value("aurc", positive=1),
         "aurc is one number of all classes; leave positive out"),
        (lambda y, p: tm.evaluate(y, y_score=p).value("aurc", average="macro"),
         "aurc is one number of all answers; leave average out"),
        (lambda y, p: tm.evaluate(y, y_score=p).value("aurc", classes=[0, 1]),
         "aurc is one number of all answers; leave classes out"),
        (lambda y, p: tm.metrics.aurc(y, p, average="macro"),
         "aurc is one number of all answers; leave average out"),
    ],
)  # fmt: skip
def test_refusals_of_several_classes(ask, sentence):
    with pytest.raises(tm.InputError) as refused:
        ask(*several(60))
    assert str(refused.value) == sentence


@pytest.mark.parametrize("scores", ["probability", "confidence"])
@pytest.mark.parametrize("name", ["aurc", "augrc", "e_aurc"])
def test_areas_without_one_row_are_those_of_the_other_rows(name, scores):
    rng = np.random.default_rng(3)
    at = np.sort(np.append(rng.random(40), [0.25, 0.41, 0.59, 0.75, 0.5]))
    pos, neg = (rng.poisson(1.5, len(at)).astype(float) for _ in range(2))
    pos[7], neg[7], pos[20:25] = 1.0, 0.0, 200.0
    one = Statistic.of(get(name), (0, 1), 1, scores=scores)
    without = jackknife(one, ScoreTally.from_counts(at, pos, neg)).values.tolist()
    for k, of_class in enumerate((pos, neg)):
        for i in np.flatnonzero(of_class):
            rest = [pos.copy(), neg.copy()]
            rest[k][i] -= 1
            value = float(one.of_score_counts([ScoreCounts(at, *rest)]))
            assert without.pop(0) == pytest.approx(value, rel=1e-12, abs=1e-15)
    assert not without
