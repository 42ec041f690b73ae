"""The coverage at a stated risk: its guarantee, its words and its refusals."""

from __future__ import annotations

import json
import math
import pickle

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import tallymark as tm
from parts.risk.test_measures import cases, levels_of
from tallymark.curve import CURVES
from tallymark.infer.kept_limits import at_most, rows_to_keep
from tallymark.parts.risk.refer import errors_among, limit


def answers_of(confidence, wrong):
    return tm.AnswerTally.from_arrays(np.zeros(len(wrong)), np.array(wrong) * 1.0, confidence)


def simulated(n, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.beta(0.4, 0.4, n)
    return (rng.random(n) < p).astype(int), p


def slow_limit(confidence, wrong, risk, error):
    """Return the rows to answer by the rule, one row at a time; 0 if none is shown."""
    order = sorted(zip(confidence, wrong, strict=True), reverse=True)
    n, kept = len(order), 0
    fewest = next(k for k in range(1, 10**6) if binom.cdf(0, k, risk) <= error * (1 + 1e-9))
    for share in range(1, 21):
        k = math.ceil(n * share / 20)
        while k < n and order[k][0] == order[k - 1][0]:
            k += 1
        if k < fewest or k <= kept:
            continue
        if binom.cdf(sum(w for _, w in order[:k]), k, risk) > error:
            break
        kept = k
    return kept


@pytest.mark.parametrize("case", cases("coverage_at_risk"))
def test_the_coverage_at_a_risk_is_the_worked_one(case):
    answers, expect = answers_of(case["confidence"], case["wrong"]), case["expect"]
    (found,) = tm.refer(answers, case["limit"], assurance=1 - case["error"]).limits
    assert found.answered == expect["rows_kept"]
    assert found.coverage == pytest.approx(expect["coverage"], abs=case["tol"])
    assert found.fewest_rows == expect["fewest_rows"]
    levels = levels_of(case["confidence"], case["wrong"])
    for rows, p in expect["tail_p_by_rows"].items():
        at = np.flatnonzero(levels.answered == int(rows))
        found_p = at_most(levels.errors[at], levels.answered[at], case["limit"])
        assert found_p == pytest.approx([p], abs=case["tol"])


@given(
    st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=120),
    st.sampled_from([0.05, 0.1, 0.3, 0.6]),
    st.sampled_from([0.1, 0.3]),
)
def test_the_rows_to_answer_are_those_of_the_rule(rows, risk, error):
    confidence, wrong = zip(*rows, strict=True)
    found = limit(levels_of(confidence, wrong), risk, error)
    kept = slow_limit(confidence, wrong, risk, error)
    assert (found.answered if found.coverage else 0) == kept
    if found.coverage is not None:
        above = [w for c, w in rows if c >= found.threshold]
        assert (found.answered, found.wrong) == (len(above), sum(above))
        assert found.wrong <= found.allowed
        assert binom.cdf(found.allowed + 1, found.answered, risk) > error


@given(st.integers(1, 400), st.floats(0.001, 0.9))
def test_the_tail_is_the_binomial_one(rows, risk):
    wrong = np.array([0, rows // 3, rows])
    found = at_most(wrong, np.full(3, rows), risk)
    assert found == pytest.approx(binom.cdf(wrong, rows, risk), abs=1e-12)
    needed = rows_to_keep(risk, 0.9)
    assert (1 - risk) ** needed <= 0.1 * (1 + 1e-6)
    assert needed == 1 or (1 - risk) ** (needed - 1) > 0.1 * (1 - 1e-6)


def test_the_risk_is_broken_in_at_most_the_stated_share_of_samples():
    # Confidence says nothing, and every answer is wrong a little too often: each coverage breaks
    # the risk. The observed risk of some coverage is nearly always lower.
    broken = naive = 0
    rng = np.random.default_rng(5)
    for _ in range(400):
        wrong = (rng.random(400) < 0.055) * 1
        levels = levels_of(-np.arange(400), wrong)
        broken += limit(levels, 0.05, 0.1).coverage is not None
        naive += bool((levels.risk() <= 0.05).any())
    assert naive > 380
    assert binom.sf(broken - 1, 400, 0.1) > 1e-3
    assert broken > 4  # it is no empty promise that rests on refusing everything


def test_several_risks_share_the_error():
    y, p = simulated(2000)
    ev = tm.evaluate(y, y_score=p)
    both, alone = ev.refer([0.02, 0.1], assurance=0.9), ev.refer(0.02, assurance=0.95)
    assert both.limits[0] == alone.limits[0]
    assert both.limits[0].coverage < both.limits[1].coverage
    assert ev.refer().limits == ()


def test_a_looser_risk_or_less_assurance_answers_no_fewer():
    y, p = simulated(3000, 1)
    ev = tm.evaluate(y, y_score=p)
    covered = [ev.refer(r).limits[0].coverage or 0 for r in (0.001, 0.02, 0.05, 0.1, 0.2)]
    assert covered == sorted(covered)
    assert covered[0] == 0 < covered[1]
    sure = [ev.refer(0.05, assurance=a).limits[0].coverage for a in (0.99, 0.9, 0.5)]
    assert sure == sorted(sure)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=30))
def test_the_risk_at_a_coverage_spreads_ties_evenly(rows):
    confidence, wrong = zip(*rows, strict=True)
    levels, found = levels_of(confidence, wrong), tm.refer(answers_of(confidence, wrong))
    for k in range(1, len(rows) + 1):
        above = sorted(confidence, reverse=True)[k - 1]
        sure = [w for c, w in rows if c > above]
        tied = [w for c, w in rows if c == above]
        errors = sum(sure) + (k - len(sure)) * sum(tied) / len(tied)
        assert errors_among(levels, np.array([k]))[0] == pytest.approx(errors)
        value = found.risk_at(k / len(rows))
        assert value.value == pytest.approx(errors / k)
        assert value.low <= value.value + 1e-12
        assert value.value <= value.high + 1e-12
    assert found.risk_at(1.0).value == pytest.approx(found.error_rate.value)
    assert found.risk_at(1.0).low == pytest.approx(found.error_rate.low)


def test_the_curve_has_a_point_at_each_confidence():
    y, p = simulated(300)
    ev = tm.evaluate(y, y_score=p)
    found = ev.refer(0.1)
    curve, of_evaluation = found.curve(), ev.curve("risk_coverage")
    for name in ("x", "y", "threshold"):
        np.testing.assert_allclose(getattr(curve, name), getattr(of_evaluation, name))
    sure, wrong = np.maximum(p, 1 - p), (p >= 0.5) != y
    for x, risk, least in zip(curve.x[1:], curve.y[1:], curve.threshold[1:], strict=True):
        above = sure >= least - 1e-15
        assert x == pytest.approx(above.mean())
        assert risk == pytest.approx(wrong[above].mean())
    area = found.aurc.value
    assert float(np.mean(curve.y[1:])) == pytest.approx(area)  # no ties here


def test_the_curve_is_drawn_by_every_renderer():
    y, p = simulated(200)
    ev = tm.evaluate(y, y_score={"a": p, "b": p**2})
    assert len(tm.plot.risk_coverage(ev).get_lines()) >= 2
    assert tm.plot.risk_coverage(ev.model("a").refer().curve()).get_lines()
    plt.close("all")
    card = ev.model("a").refer(0.1)._repr_html_()
    assert "<svg" in card
    assert "Risk and coverage" in card
    several = tm.evaluate([0, 1, 2] * 20, y_score=np.tile(np.eye(3) * 0.7 + 0.1, (20, 1)))
    of_each = [c["risk_coverage"] for c in several.curves().values()]
    assert len(of_each) == 3
    assert len(of_each[0].x) == 3  # a row is of the class with 0.8, or not with 0.9
    assert len(several.refer().curve().x) == 2
    with pytest.raises(tm.InputError, match="scores is 'x'"):
        CURVES["risk_coverage"](ev.model("a").models[0].scores[0], "x")


def test_a_referral_says_what_to_answer():
    answers = answers_of(range(200, 0, -1), [0] * 180 + [1] * 20)
    text = " ".join(str(tm.refer(answers, 0.02)).split())
    assert (
        "20 of 200 answers are wrong: error rate 0.100 (95 % CI 0.066 to 0.149). - Answer 90 %, "
        "refer 10 % to a human: at most 2 % of the answers wrong, with 90 % confidence. Answer a "
        "case if its confidence is at least 21 (0 of 180 such answers here are wrong)." in text
    )
    assert repr(tm.refer(answers, 0.02).limits[0]) == "<Limit: risk 2 %: answer 90 %, from 21 up>"
    all_right = " ".join(str(tm.refer(answers_of([1] * 50, [0] * 50), 0.1)).split())
    assert "Answer 100 %, refer none: at most 10 % of the answers wrong" in all_right
    assert "There are only 0 wrong answers: the intervals of the areas may be" in all_right


def test_a_referral_says_why_no_share_is_shown():
    text = " ".join(str(tm.refer(answers_of(range(50), [0] * 50), 0.02)).split())
    assert (
        "No share of cases is shown to have at most 2 % of the answers wrong, with 90 % "
        "confidence: that takes at least 114 answers, all right, of highest confidence, and there "
        "are 50." in text
    )
    wrong = [0] * 300
    wrong[-1] = 1
    found = tm.refer(answers_of([*range(299), 400], wrong), [0.02])
    assert found.limits[0].threshold is None
    text = " ".join(str(found).split())
    assert (
        "confidence: of the 120 most confident answers 1 is wrong, and at most 0 may be. It takes "
        "at least 114 answers, all right, of highest confidence." in text
    )
    assert repr(found.limits[0]) == "<Limit: risk 2 %: none>"


def test_notes_say_what_the_guarantee_leaves_out():
    y, p = simulated(200)
    ev = tm.evaluate(y, y_score=p, cluster=np.arange(200) // 4, threshold=0.3)
    assert ev.refer().notes == (
        "Rows are in clusters, which the intervals of the error rate and of the risk at a coverage "
        "treat as independent; those of the areas allow for them. For a guarantee, give one row of "
        "each cluster.",
        "The answers are the more probable classes, not those of the threshold 0.3.",
    )
    several = tm.evaluate([0, 1, 2] * 20, y_score=np.tile(np.eye(3) * 0.7 + 0.1, (20, 1)),
                          cluster=np.arange(60) // 3)  # fmt: skip
    assert "those of the areas allow for them." in several.refer().notes[0]
    with pytest.raises(tm.InputError) as refused:
        ev.refer(0.2)
    assert str(refused.value) == (
        "rows are in clusters, and the test of a risk needs independent rows; give one row of each "
        "cluster, or leave risk=... out"
    )


def test_a_referral_is_data():
    y, p = simulated(500)
    found = tm.evaluate(y, y_score=p).refer([0.05, 0.00001])
    data = json.loads(found.to_json())
    assert data["format"] == "tallymark/referral"
    assert data["limits"][1]["coverage"] is None
    assert data["aurc"]["value"] == found.aurc.value
    assert data["curve"]["risk"][-1] == pytest.approx(found.error_rate.value)
    assert [row["risk"] for row in found.table()] == [0.05, 0.00001]
    again = pickle.loads(pickle.dumps(found))
    assert again.to_json() == found.to_json()


def test_levels_of_an_evaluation_and_of_a_tally():
    y, p = simulated(200)
    ev = tm.evaluate(y, y_score=p, level=0.8)
    assert ev.refer().level == 0.8
    tally = tm.AnswerTally.from_evaluation(ev)
    assert tm.refer(tally).level == 0.95
    assert tm.refer(tally, level=0.8).aurc.high < tm.refer(tally).aurc.high
    assert ev.refer(level=0.95).aurc.level == 0.95
    two = tm.evaluate(y, y_score={"a": p, "b": p})
    with pytest.raises(tm.InputError, match="this evaluation holds 2 models"):
        two.refer(0.1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"risk": 0}, "risk is 0; give a share of wrong answers between 0 and 1, such as 0.02, or "
                      "a list of such shares"),
        ({"risk": [0.1, "x"]}, "risk is [0.1, 'x']; give a share of wrong answers between 0 and "
                               "1, such as 0.02, or a list of such shares"),
        ({"assurance": 1}, "assurance is 1; give a number between 0 and 1, such as 0.9"),
        ({"level": 2}, "level is 2; give a number between 0 and 1, such as 0.95"),
        ({"answers": [1]}, "answers is [1]; give an evaluation, or what tallymark.AnswerTally "
                           "makes"),
        ({"answers": tm.AnswerTally([], np.zeros((0, 2)))},
         "there is no answer to judge; give at least one row"),
    ],
)  # fmt: skip
def test_refusals(arguments, sentence):
    with pytest.raises(tm.InputError) as refused:
        tm.refer(**{"answers": answers_of([1, 2], [0, 1]), **arguments})
    assert str(refused.value) == sentence


def test_a_coverage_is_a_share():
    with pytest.raises(tm.InputError) as refused:
        tm.refer(answers_of([1, 2], [0, 1])).risk_at(0)
    assert str(refused.value) == "coverage is 0; give a share of the rows above 0, such as 0.8"
