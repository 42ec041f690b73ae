"""How the counts of a model become decisions, at which threshold, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tallymark as tm
from tallymark.reading.columns import ModelRoles
from tallymark.reading.models import ModelCounts, area_bounds, at_threshold, decide
from tallymark.tally.bins import Bins

ROW = np.arange(60)
Y = (ROW * 7 % 60 < 20).astype(int)
P = np.round(0.05 + 0.5 * (ROW * 17 % 60) / 60 + 0.35 * Y, 2)
ROLES = ModelRoles("m", None, ("p",), (None,))
TALLY = tm.ScoreTally.from_arrays(Y, P)
GIVEN = tm.LabelTally.from_arrays(Y, (P > 0.7).astype(int))


def decided(scores=P, threshold=None, labels=None, roles=ROLES, positive=1, weights=None):
    """Return a model with its decisions, and the notes on it."""
    notes = []
    tallies = ()
    if scores is not None:
        tallies = (tm.ScoreTally.from_arrays(Y, scores, sample_weight=weights),)
    m = decide(roles, ModelCounts(labels=labels, scores=tallies), positive, threshold, notes)
    return m, [n.text for n in notes]


def called(m):
    """Return how many rows are called positive."""
    return m.labels.counts[:, 1].sum()


def youden(cut, scores):
    return (scores[Y == 1] >= cut).mean() - (scores[Y == 0] >= cut).mean()


def test_the_threshold_follows_from_the_range_of_the_scores():
    for scores, cut in ((P, 0.5), (P - 0.4, 0.0), (2 * P, None), (P - 2, None)):
        m, notes = decided(scores)
        rule = ""
        if cut is None:
            cut = max(np.unique(scores), key=lambda c: (round(youden(c, scores), 9), c))
            rule = ", chosen on these rows by Youden's J"
            assert notes[1:] == [
                f"m has no natural threshold, so {f'{cut:.4g}'.replace('-', '−')} was chosen, which maximizes Youden's J on "
                "these rows. Its decisions look better here than on new rows: give a threshold, or "
                "report the Youden's J that optimal_threshold() expects on new rows"
            ]
        assert (m.threshold, m.rule) == (pytest.approx(cut), f"scores at or above {cut:.6g}{rule}")
        assert called(m) == (scores >= m.threshold).sum()
        assert m.probabilities is (scores is P)
        assert m.name == "m"
    for scores, threshold in ((P, 0.3), (2 * P, 0.3), (P - 0.4, -0.1)):
        m, _ = decided(scores, threshold)
        assert (m.threshold, m.rule) == (threshold, f"scores at or above {threshold:g}")
        assert called(m) == (scores >= threshold).sum()
        again = at_threshold(decided(scores)[0], threshold)
        assert (again.labels, again.threshold, again.rule) == (m.labels, m.threshold, m.rule)


def test_given_decisions_stand_unless_a_threshold_is_given():
    m, notes = decided(labels=GIVEN)
    assert (m.labels, m.threshold, m.rule, notes) == (GIVEN, None, "predictions as given", [])
    assert m.scores == (TALLY,)
    m, _ = decided(labels=GIVEN, threshold=0.3)
    assert (called(m), m.threshold) == ((P >= 0.3).sum(), 0.3)
    m, notes = decided(None, labels=GIVEN)
    assert (m.labels, m.scores, m.probabilities, notes) == (GIVEN, (), False, [])
    assert (m.threshold, m.rule) == (None, "predictions as given")


def test_of_several_classes_the_most_probable_one_is_taken_unless_decisions_were_given():
    labels = tm.LabelTally.from_arrays([0, 1, 2], [0, 1, 1])
    tallies = tuple(
        tm.ScoreTally.from_arrays([0, 1, 2], s, positive=k, labels=[0, 1, 2])
        for k, s in enumerate(np.eye(3) / 2 + 1 / 6)
    )
    for pred, rule in ((None, "the most probable class"), ("c", "predictions as given")):
        for worst, probable in ((0.01, True), (0.011, False)):
            notes, roles = [], ModelRoles("m", pred, ("a", "b", "c"))
            counts = ModelCounts(labels, tallies, None, worst)
            m = decide(roles, counts, None, None, notes)
            assert (m.rule, m.threshold, m.probabilities) == (rule, None, probable)
            assert len(notes) == (not probable)
    assert "0.011" in notes[0].text


def test_what_is_odd_about_scores_is_noted():
    def first(scores, **more):
        return decided(scores, **more)[1][0]

    def beyond(score, more=""):
        return (
            f"p holds {score}, outside 0 to 1: it is used for ranking, not as a probability{more}"
        )

    percent = "; if it is in percent, say reading={'percent': True}"
    missing = (
        "; {} may stand for a missing value: if so, leave such fields empty and say missing='drop'"
    )
    highest = P.max()
    assert first(100 * P) == beyond("87", percent)
    assert first(P * 100 / highest) == beyond("100", percent)
    assert first(P * 101 / highest) == beyond("101")
    assert first(P * 2 / highest) == beyond("2")
    assert first(P - 0.09) == beyond("−0.02")
    codes = np.where(np.isin(ROW, (0, 5)), -9, P)
    assert first(codes) == beyond("−9", missing.format("-9 in 2 rows"))
    codes[7] = -99
    assert first(codes) == beyond("−99", missing.format("-9 and -99 in 3 rows"))
    codes[7] = -7
    assert first(codes) == beyond("−9")
    one = np.where(ROW == 0, -999, P)
    assert first(one) == beyond("−999", missing.format("-999 in 1 row"))
    assert first(one, weights=np.full(60, 2.0)) == beyond("−999", missing.format("-999"))
    assert first(np.where(P > 0.5, 1.0, 0.0)) == (
        "p holds only 0 and 1, which are decisions: its ROC curve has one threshold, and the area "
        "under it is the balanced accuracy. Give probabilities or scores to judge how rows are ranked"
    )
    assert decided(np.where(P > 0.5, 0.9, 0.0))[1] == decided(P)[1] == []


def test_a_threshold_is_compared_in_the_precision_of_the_scores():
    single = np.where(Y, 0.7, 0.3).astype(np.float32).astype(float)
    m, _ = decided(single, 0.7)
    assert (called(m), m.threshold, m.rule) == (
        20,
        float(np.float32(0.7)),
        "scores at or above 0.7",
    )
    m, _ = decided(single, 0.70000001)  # more digits than single precision has
    assert (called(m), m.threshold) == (0, 0.70000001)
    m, _ = decided(np.where(Y, 0.7, 0.3), 0.7)
    assert (called(m), m.threshold) == (20, 0.7)


def test_a_threshold_within_a_bin_moves_to_its_edge():
    binned = TALLY.binned(Bins((0.0, 0.25, 0.5, 1.0), 2))
    notes = []
    m = decide(ROLES, ModelCounts(scores=(binned,)), 1, 0.45, notes)
    edge = "the edge of a bin that is nearest to 0.45"
    assert (m.threshold, m.rule) == (0.5, f"scores at or above 0.5, {edge}")
    assert called(m) == (P >= 0.5).sum()
    place = np.searchsorted(binned.scores, P, "right")
    gaps = place[Y == 1][:, None] - place[Y == 0]
    assert area_bounds(binned) == pytest.approx(((gaps > 0).mean(), (gaps >= 0).mean()))
    assert [n.text for n in notes] == [
        "m has too many distinct scores to keep: they are in 6 bins; the ROC area "
        "provably lies from 0.85625 to 0.975, and other metrics have their own bounds"
    ]
    assert area_bounds(TALLY) is None


def test_counts_of_models_add_up():
    half = slice(0, 30), slice(30, 60)
    parts = [
        ModelCounts(
            tm.LabelTally.from_arrays(Y[at], (P[at] > 0.7).astype(int)),
            (tm.ScoreTally.from_arrays(Y[at], P[at]),), None, worst,
        )
        for at, worst in zip(half, (0.25, 0.125), strict=True)
    ]  # fmt: skip
    whole = parts[0] + parts[1]
    assert whole == ModelCounts(GIVEN, (TALLY,), None, 0.25)
    assert parts[1] + parts[0] == whole
    assert ModelCounts() + whole == whole + ModelCounts() == whole
    wider = whole.under((0, 1, 2))
    assert (wider.labels.labels, wider.scores[0].labels) == ((0, 1, 2), (0, 1, 2))
    assert wider.labels.counts.sum() == 60
    assert replace(whole, scores=()).under((0, 1)).scores == ()
