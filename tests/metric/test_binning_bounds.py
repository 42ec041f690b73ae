"""Numbers of scores in bins: the rows' own numbers lie within the bounds."""

import math
from functools import cached_property
from itertools import chain, combinations_with_replacement, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from of_parts import of_parts
from tallymark.metric import METRICS, get
from tallymark.metric.binning_bounds import (
    TOO_WIDE,
    UNPROVED,
    binning_bounds,
    with_binning_bounds,
)
from tallymark.metric.measure import Statistic
from tallymark.tally.bins import Bins
from tallymark.tally.scores import ScoreCounts, ScoreTally

OF_SCORES = [
    m
    for m in METRICS.values()
    if m._needs not in ("counts", "matrix") and m.family != "multi-label"
]
BINARY = [m for m in OF_SCORES if m.classes != "many" and m._needs not in ("class_scores", "rows")]

rows = st.lists(
    st.tuples(st.booleans(), st.integers(0, 24).map(lambda i: i / 24)), min_size=1, max_size=40
)
breaks = st.lists(st.integers(0, 20).map(lambda i: i / 20), min_size=2, max_size=6, unique=True)


def the_rows(drawn, weights=None):
    y, s = (np.array(v) for v in zip(*drawn, strict=True))
    return ScoreTally.from_arrays(y.astype(int), s, sample_weight=weights)


@given(rows, breaks, st.integers(1, 5), st.booleans())
def test_every_metric_lies_within_its_bounds(drawn, edges, per, weighted):
    weights = np.linspace(0.25, 3, len(drawn)) if weighted else None
    exact = the_rows(drawn, weights)
    binned = exact.binned(Bins(sorted(edges), per))
    for metric in BINARY:
        statistic = Statistic.of(metric, (0, 1), 1)
        found = binning_bounds(statistic, [binned])
        value = float(statistic.measure([exact]))
        if found is None:
            held = float(statistic.measure([binned]))
            assert held == pytest.approx(value, nan_ok=True, rel=1e-12, abs=1e-12), metric.name
        elif not math.isnan(value):
            slack = 1e-9 * max(abs(value), 1) if math.isfinite(value) else 0.0
            assert found[0] - slack <= value <= found[1] + slack, (metric.name, value, found)


# -- many small samples at once ------------------------------------------------------------------


class Samples:
    """Samples counted by one public Tallier, side by side: each on a stretch of scores of its own.

    ``scores`` lie between 0 and 1 on a ``grid``, and ``bins`` of them are laid on each stretch.
    """

    def __init__(self, grid, pos, neg, bins, weights=None):
        self.grid, self.exact = grid, ScoreCounts(grid, pos, neg)
        own, place, truth = [], [], []
        for y, counts in ((1, pos), (0, neg)):
            rows = (counts > 0 if weights is not None else counts).astype(int).ravel()
            cells = np.repeat(np.arange(counts.size), rows)
            own.append(cells // len(grid))
            place.append(cells % len(grid))
            truth.append(np.full(len(cells), y))
        sample, place, truth = map(np.concatenate, (own, place, truth))
        weight = None
        if weights is not None:
            weight = np.where(truth == 1, pos[sample, place], neg[sample, place])
        tallier = tm.Tallier(positive=1, bins=Bins(np.arange(2 * len(pos) + 1.0), bins))
        tallier.update(truth, y_score=2 * sample + grid[place], sample_weight=weight)
        self.tally = tallier.result().models[0].scores[0]
        self.told_apart()

    def told_apart(self):
        """Find the tallies that differ, as if counted alone, and which one each sample is."""
        t = self.tally
        of = (t.scores // 2).astype(int)
        cuts = np.searchsorted(of, np.arange(len(self.exact.pos) + 1))
        self.tallies, self.which, known = [], [], {}
        for i, (a, b) in enumerate(pairwise(cuts)):
            low, high = t.scores[a:b] - 2 * i, t.highs[a:b] - 2 * i
            squares = None if t.sum_squared_weights is None else t.sum_squared_weights[a:b]
            key = (low.tobytes(), high.tobytes(), t.counts[a:b].tobytes())
            if key not in known:
                known[key] = len(self.tallies)
                self.tallies.append(
                    ScoreTally(
                        t.labels, t.positive, low, t.counts[a:b], squares, bins=t.bins, highs=high
                    )
                )
            self.which.append(known[key])

    @cached_property
    def ends(self):
        """Return the worst and the best arrangement of every sample, (S, G) each."""
        out = []
        for side in self.tally.ends():
            r = side._score_counts
            sample = (r.scores // 2).astype(int)
            place = np.abs(self.grid - (r.scores - 2 * sample)[:, None]).argmin(1)
            pos, neg = np.zeros((2, *self.exact.pos.shape))
            np.add.at(pos, (sample, place), r.pos)
            np.add.at(neg, (sample, place), r.neg)
            out.append(ScoreCounts(self.grid, pos, neg))
        return out

    def hold(self, statistic):
        """Hold every value of the rows to the bounds of its sample in bins."""
        values = statistic.of_score_counts([self.exact])
        if statistic.metric._scoring.binning_bounds == "ends":
            low, high = np.sort([statistic.of_score_counts([side]) for side in self.ends], 0)
            told = ~np.isnan(low) & ~np.isnan(high)
        else:
            none = (-math.inf, math.inf)  # every score is known
            found = [binning_bounds(statistic, [tally]) or none for tally in self.tallies]
            (low, high), told = np.array(found)[self.which].T, np.ones(len(values), bool)
        finite = np.where(np.isfinite(values), values, 0.0)
        slack = 1e-9 * np.maximum(np.abs(finite), 1.0)
        with np.errstate(invalid="ignore"):
            out = told & ~np.isnan(values) & ((values < low - slack) | (values > high + slack))
        worst = np.flatnonzero(out)[:1]
        assert not out.any(), (
            statistic.metric.name, statistic.params, values[worst], low[worst], high[worst],
            self.exact.pos[worst], self.exact.neg[worst],
        )  # fmt: skip


MORE = [
    ("partial_roc_auc", {"low": 0.2, "high": 0.6}),
    ("partial_roc_auc", {"low": 0.3, "high": 1.0, "axis": "tpr"}),
    ("partial_roc_auc", {"low": 0.3, "high": 0.9, "axis": "tpr", "standardized": True}),
    ("h_measure", {"alpha": 2.0, "beta": 2.0}),
    ("recall_at_precision", {"precision": 0.5}),
    ("precision_at_recall", {"recall": 0.4}),
    ("gain_at", {"depth": 0.45}),
    ("precision_at_k", {"k": 2}),
    ("recall_at_k", {"k": 3}),
    ("sensitivity_at_fpr", {"fpr": 0.4}),
    ("specificity_at_sensitivity", {"sensitivity": 0.5}),
    ("expected_calibration_error", {"bins": 3}),
    ("expected_calibration_error", {"bins": 2, "norm": "max"}),
    ("expected_calibration_error", {"bins": 1, "norm": "l2"}),
    ("log_loss", {"clip": 0.1}),
    ("cllr", {"prior": 0.3}),
]
"""Metrics at other parameters: where a small sample's bounds are not those of its range."""

BOUNDED = [
    *(Statistic.of(m, (0, 1), 1) for m in BINARY if m._scoring.binning_bounds is not None),
    *(Statistic.of(get(name), (0, 1), 1, **params) for name, params in MORE),
]
RANKED = [s for s in BOUNDED if s.metric.family == "rank" and s.metric.name != "decidability"]

GRID = np.array([1, 4, 7, 8, 12, 15]) / 16


def every_position(n):
    """Return positives and others at each score of GRID, of every way to lay out n rows: (S, 6).

    Three scores of each of two bins. Of more than four rows only layouts whose bins hold both of
    their outer scores, or one score alone: the other positions are those of fewer scores.
    """
    cells = combinations_with_replacement(range(2 * len(GRID)), n)
    counts = np.array([np.bincount(c, minlength=2 * len(GRID)) for c in cells], dtype=float)
    if n > 4:
        filled = (counts[:, :6] + counts[:, 6:] > 0).reshape(-1, 2, 3)
        full = (filled[..., 0] & filled[..., 2]) | (filled.sum(-1) == filled[..., 1])
        counts = counts[full.all(-1)]
    return counts[:, : len(GRID)], counts[:, len(GRID) :]


SOME = [1, 2, 3, *(pytest.param(n, marks=pytest.mark.slow) for n in (4, 5, 6, 7))]


@pytest.mark.parametrize("n", SOME)
def test_no_position_of_few_rows_within_their_bins_breaks_the_bounds(n):
    samples = Samples(GRID, *every_position(n), bins=2)
    for statistic in BOUNDED:
        samples.hold(statistic)


def every_order(n, most=3):
    """Yield every ranking of n rows, with ties, cut into at most so many bins.

    Each is a tuple of bins, a bin a tuple of scores, a score its positives and others. What the
    scores are does not matter to metrics of their order.
    """
    if n == 0:
        yield ()
        return
    for here in range(1, n + 1):
        for p in range(here + 1):
            group = (p, here - p)
            for rest in every_order(n - here, most):
                if rest:
                    yield ((group, *rest[0]), *rest[1:])
                if len(rest) < most:
                    yield ((group,), *rest)


@pytest.mark.parametrize("n", SOME)
def test_no_order_of_few_rows_within_their_bins_breaks_the_bounds(n):
    grid = np.arange(32) / 32
    orders = list(every_order(n))
    pos, neg = np.zeros((2, len(orders), 32))
    for i, bins in enumerate(orders):
        for b, groups in enumerate(bins):
            for k, (p, q) in enumerate(groups):
                at = 8 * b + (7 if 0 < k == len(groups) - 1 else k)
                pos[i, at], neg[i, at] = p, q
    samples = Samples(grid, pos, neg, bins=4)
    for statistic in RANKED:
        samples.hold(statistic)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bins", "weighted"), [(1, False), (2, True), (4, False), (5, True), (8, False)]
)
def test_no_random_tied_rows_break_the_bounds(bins, weighted):
    """3,000 samples in all, of 2 to 40 rows at 17 scores, 0 and 1 among them."""
    rng = np.random.default_rng((bins, weighted))
    size, grid = 600, np.arange(17) / 16
    rows = rng.integers(2, 41, size)
    skill, prevalence = rng.uniform(-1, 3, (size, 1)), rng.uniform(0.05, 0.95, (size, 1))
    shape = np.exp(-((np.arange(17) - rng.uniform(0, 16, (size, 1))) ** 2) / 30)
    tilt = np.exp(skill * np.linspace(-0.5, 0.5, 17))
    of_pos, of_neg = shape * tilt, shape / tilt
    cells = np.concatenate([
        prevalence * of_pos / of_pos.sum(1, keepdims=True),
        (1 - prevalence) * of_neg / of_neg.sum(1, keepdims=True),
    ], 1)  # fmt: skip
    counts = rng.multinomial(rows, cells / cells.sum(1, keepdims=True)).astype(float)
    weights = rng.uniform(0.2, 3, counts.shape) if weighted else None
    if weighted:
        counts = (counts > 0) * weights
    samples = Samples(grid, counts[:, :17], counts[:, 17:], bins, weights)
    for statistic in BOUNDED:
        samples.hold(statistic)


@given(rows, st.data())
def test_a_metric_of_ends_never_gets_worse_by_a_better_row(drawn, data):
    i = data.draw(st.integers(0, len(drawn) - 1))
    y, s = drawn[i]
    moved = data.draw(st.integers(0, 24).map(lambda k: k / 24))
    moved = max(s, moved) if y else min(s, moved)
    before, after = the_rows(drawn), the_rows([*drawn[:i], (y, moved), *drawn[i + 1 :]])
    for metric in BINARY:
        if metric._scoring.binning_bounds == "ends" and metric.better != "neither":
            statistic = Statistic.of(metric, (0, 1), 1)
            a, b = (float(statistic.measure([t])) for t in (before, after))
            better = b - a if metric.better == "high" else a - b
            assert math.isnan(better) or better >= -1e-9 * max(abs(a), 1), metric.name


def test_more_classes_have_bounds_of_their_averages():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 400)
    p = rng.dirichlet(np.ones(3), 400) * 0.6 + np.eye(3)[y] * 0.4
    tallies = [
        ScoreTally.from_arrays(y, np.ascontiguousarray(p[:, k]), positive=k, labels=(0, 1, 2))
        for k in range(3)
    ]
    binned = [t.binned(Bins([0, 0.5, 1], per=20)) for t in tallies]
    for name in ("roc_auc", "log_loss", "brier", "hand_till_auc", "average_precision"):
        statistic = Statistic.of(get(name), (0, 1, 2))
        low, high = binning_bounds(statistic, binned)
        if name == "average_precision":  # an average of a metric with bounds of its own: the range
            assert (low, high) == (0, 1)
            continue
        assert low < statistic.measure(tallies) < high
        assert high - low < 0.12, name


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_no_rows_of_several_classes_break_the_bounds(classes):
    """Averages over classes and pairs, and numbers of whole rows; 50 tied samples each."""
    rng, labels = np.random.default_rng(classes), tuple(range(classes))
    apart = ("macro", "weighted") if classes > 2 else (None,)
    statistics = [
        Statistic.of(m, labels, 1 if classes == 2 else None, average)
        for m in OF_SCORES
        if m._scoring.binning_bounds is not None and (m.classes != "many" or classes > 2)
        if m._needs != "rows" or classes == 2  # whose sums over rows are exact
        for average in (apart if m._needs in ("ranking", "probability") else (None,))
    ]
    held = 0
    for i in range(50):
        n = int(rng.integers(2 * classes, 30))
        y = np.append(labels, rng.integers(0, classes, n))
        raw = rng.integers(0, 5, (len(y), classes)) + rng.uniform(0, 4) * np.eye(classes)[y] + 1e-3
        p = np.round(raw / raw.sum(1, keepdims=True), 3)
        given = p[:, 1] if classes == 2 else p
        tallier = tm.Tallier(classes=labels, bins=Bins([0, 0.5, 1], per=1 + i % 4))
        tallier.update(y, y_score=given)
        binned = tallier.result().models[0].scores
        made = range(1, 2) if classes == 2 else labels
        exact = [ScoreTally.from_arrays(y, p[:, k], positive=k, labels=labels) for k in made]
        for s in statistics:
            value, found = float(s.measure(exact)), binning_bounds(s, binned)
            if found is not None and not math.isnan(value):
                slack = 1e-9 * max(1.0, abs(value) if math.isfinite(value) else 1.0)
                assert found[0] - slack <= value <= found[1] + slack, (s.metric.name, i)
                held += found != s.metric.range_of(**s.params)
    assert held > 500


def test_narrower_bins_make_narrower_bounds():
    rng = np.random.default_rng(1)
    s = rng.random(3000)
    exact = ScoreTally.from_arrays((rng.random(3000) < s).astype(int), s)
    statistic = Statistic.of(get("roc_auc"), (0, 1), 1)
    widths = []
    for per in (4, 16, 64):
        low, high = binning_bounds(statistic, [exact.binned(Bins([0, 0.5, 1], per))])
        widths.append(high - low)
        assert low <= statistic.measure([exact]) <= high
    assert widths[0] > 3 * widths[1] > 9 * widths[2]


def test_a_value_is_wider_by_its_bounds_and_says_what_is_not_proved():
    rng = np.random.default_rng(2)
    s = rng.random(500)
    y = (rng.random(500) < s).astype(int)
    ev = tm.evaluate(y, y_score=s)
    exact = ev.models[0].scores[0]
    binned = [exact.binned(Bins([0, 0.5, 1], per=8))]
    statistic = Statistic.of(get("roc_auc"), (0, 1), 1)
    plain = ev["roc_auc"]
    value = with_binning_bounds(plain, statistic, binned)
    low, high = value.binning_bounds
    assert (value.low, value.high) == pytest.approx(
        (plain.low - (plain.value - low), plain.high + (high - plain.value))
    )
    assert value.to_dict()["binning_bounds"] == [low, high]
    assert "binning_bounds" not in plain.to_dict()
    unproved = with_binning_bounds(
        ev["calibration_slope"], Statistic.of(get("calibration_slope"), (0, 1), 1), binned
    )
    assert unproved.warning.endswith(UNPROVED)
    assert unproved.binning_bounds == (-math.inf, math.inf)
    assert unproved.low == ev["calibration_slope"].low


def in_bins(y, s, bins):
    tallier = tm.Tallier(positive=1, bins=bins)
    tallier.update(y, y_score=s)
    return tallier


HALVES = Bins([0, 0.5, 1], per=1)


def test_the_area_by_trapezoids_that_a_bound_once_excluded():
    tallier = in_bins([1, 0, 0, 1, 0, 0], [0.7, 0.5, 0.1, 0.1, 0.1, 0.1], HALVES)
    low, high = tallier.result()["pr_auc_trapezoid"].binning_bounds
    exact = tm.metrics.pr_auc_trapezoid([1, 0, 0, 1, 0, 0], [0.7, 0.5, 0.1, 0.1, 0.1, 0.1])
    assert exact == pytest.approx(17 / 24)
    assert low <= exact <= high + 1e-12


@pytest.mark.parametrize("bins", [HALVES, Bins([0, 1], per=1)])
def test_a_number_that_bins_make_infinite_or_undefined_says_that_they_are_too_wide(bins):
    y, s = [0, 0, 1, 1], [0.1, 0.3, 0.6, 0.9]
    exact = tm.metrics.decidability(y, s)
    assert exact == pytest.approx(4.3146, abs=1e-4)
    tallier = in_bins(y, s, bins)
    v = tallier.result()["decidability"]
    assert math.isnan(v.value)
    assert v.reason == TOO_WIDE
    assert v.binning_bounds[0] <= exact <= v.binning_bounds[1]
    assert math.isnan(v.low)
    assert (v.level, v.se) == (None, None)
    assert math.isnan(tallier.value("decidability"))
    alone = in_bins([1, 1], [0.6, 0.9], bins)  # undefined of the rows as well
    assert alone.result()["decidability"].reason.startswith("no row is truly negative")


def test_a_loss_that_may_be_finite_is_not_told_as_infinite():
    tallier = in_bins([1, 0, 1], [0.0, 0.0, 0.9], HALVES)
    assert tallier.result()["log_loss"].value == math.inf  # each bin holds one score
    v = in_bins([1, 0, 1], [0.2, 0.0, 0.9], HALVES).result()["log_loss"]
    assert (v.value != v.value, v.reason) == (True, TOO_WIDE)
    exact = tm.metrics.log_loss([1, 0, 1], [0.2, 0.0, 0.9])
    assert v.binning_bounds[0] <= exact < v.binning_bounds[1] == math.inf


def test_huge_scores_leave_the_bounds_of_decidability_whole():
    y, s = [0, 0, 1, 1], np.array([0.1, 0.3, 0.6, 0.9])
    plain, huge = (
        in_bins(y, s * by, Bins(np.array([0, 0.2, 0.5, 0.8, 1]) * by, 1)).result()["decidability"]
        for by in (1.0, 2.0**700)
    )
    assert huge.binning_bounds == plain.binning_bounds


@pytest.mark.slow
def test_intervals_of_binned_scores_stay_in_the_range_of_their_metric():
    """Through the public Tallier: the bounds are those of the module, and hold value and rows."""
    rng = np.random.default_rng(5)
    for i in range(6):
        n = int(rng.integers(8, 40))
        y = np.append([0, 1], rng.integers(0, 2, n))
        s = np.round(np.clip(rng.beta(2, 2, n + 2) + 0.3 * (y - 0.5), 0, 1), 2)
        tallier = in_bins(y, s, Bins([0, 0.5, 1], per=1 + i))
        ev, exact = tallier.result(), tm.evaluate(y, y_score=s, positive=1)
        for metric in (m for m in BINARY if not m._role_needed):  # bins hold no numbers of roles
            v, value = ev[metric.name], exact[metric.name].value
            low, high = metric.range
            assert math.isnan(v.low) or low <= v.low <= v.value <= v.high <= high, metric.name
            assert v.value == pytest.approx(tallier.value(metric.name), nan_ok=True)
            if v.binning_bounds is None:
                assert v.value == pytest.approx(value, nan_ok=True, rel=1e-9), metric.name
            elif not math.isnan(value):
                slack = 1e-9 * max(1.0, abs(value))
                below, above = v.binning_bounds
                assert below - slack <= value <= above + slack, metric.name
                proved = metric._scoring.binning_bounds is not None
                if not math.isnan(v.value) and not proved:
                    assert UNPROVED in v.warning


def test_what_has_no_proof_is_known():
    """A metric joins this list only for a reason that its file gives, or for want of a proof."""
    unproved = {m.name for m in OF_SCORES if m._scoring.binning_bounds is None}
    assert unproved - {*chain(*of_parts("UNPROVED"))} == {
        "equal_error_rate_low",
        "equal_error_rate_high",
        "hosmer_lemeshow",
        "calibration_slope",
        "calibration_intercept",
        "spiegelhalter_z",
    }
