"""Draws of the scores of one class: as many numbers are known as rows tell, however many rows."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

import tallymark as tm
import tallymark.infer.score_samples as samples
from tallymark.infer.intervals import interval_of
from tallymark.infer.sampler import DRAWS, Sampler
from tallymark.infer.score_samples import GROUPS, Column, grid_of, jackknife
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Statistic
from tallymark.tally.arrays import Floats
from tallymark.tally.score_counts import LONG
from tallymark.tally.scores import ScoreTally

_STEPS = [
    name
    for name, m in METRICS.items()
    if m._sampling.error == "quantile" and m._needs in ("ranking",)
]


def _normal(n: int, apart: float = 1.2, share: float = 0.3, seed: int = 0) -> ScoreTally:
    rng = np.random.default_rng(seed)
    true = (rng.random(n) < share).astype(np.int64)
    return ScoreTally.from_arrays(true, rng.normal(size=n) + apart * true)


def _statistic(name: str, **params: float) -> Statistic:
    return Statistic.of(get(name), (0, 1), 1, **params)


@pytest.fixture(scope="module")
def many() -> ScoreTally:
    return _normal(1_000_000)


@pytest.mark.parametrize("fpr", [0.001, 0.004, 0.01, 0.05, 0.1, 0.3])
def test_a_rate_at_a_target_is_as_sure_as_normal_theory_says(many: ScoreTally, fpr: float) -> None:
    normal = NormalDist()
    cut = normal.inv_cdf(1 - fpr)
    tpr = 1 - normal.cdf(cut - 1.2)
    slope = normal.pdf(cut - 1.2) / normal.pdf(cut)
    r = many._score_counts
    error = np.sqrt(tpr * (1 - tpr) / r.positives + slope**2 * fpr * (1 - fpr) / r.negatives)
    s = _statistic("sensitivity_at_fpr", fpr=fpr)
    values = [interval_of(s, [many], seed=seed) for seed in range(4)]
    width = np.mean([v.high - v.low for v in values])
    # Of so many rows the slope about the threshold is known to some parts in a hundred.
    assert width / (2 * 1.959964 * error) == pytest.approx(1, abs=0.12)


def test_groups_alike_everywhere_tell_a_wrong_width(many: ScoreTally) -> None:
    s = _statistic("sensitivity_at_fpr", fpr=0.3)
    errors = []
    for grid in (many._coarse(), grid_of(s, many)):
        (block,) = Sampler().scores(grid, "posterior", 800)
        errors.append(float(s.of_score_counts([block]).std()))
    assert errors[0] > 1.3 * errors[1]


@pytest.mark.parametrize("name", _STEPS)
@pytest.mark.parametrize("n", [1000, 5000, 100_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_where_a_number_is_read_off_is_seen(name: str, n: int, weighted: bool) -> None:
    rng = np.random.default_rng(1)
    true = (rng.random(n) < 0.3).astype(np.int64)
    weight = rng.random(n) + 0.5 if weighted else None
    t = ScoreTally.from_arrays(true, rng.normal(size=n) + 1.5 * true, sample_weight=weight)
    s = _statistic(name)
    assert 0 <= s.operating_point(t._score_counts) <= len(t.scores) + 1
    assert len(grid_of(s, t).scores) > 40  # of its own, not the few elsewhere alone


def test_a_number_read_nowhere_keeps_the_groups_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Statistic, "operating_point", lambda *_: None)
    t = _normal(5000)
    assert grid_of(_statistic("equal_error_rate"), t) is t._coarse()


@pytest.mark.parametrize("name", _STEPS)
def test_numbers_of_steps_take_their_own_groups_of_many_scores(name: str) -> None:
    s, t = _statistic(name), _normal(100_000)
    grid = grid_of(s, t)
    assert len(grid.scores) < 300
    assert grid.rows == t.rows
    assert np.array_equal(grid.counts.sum(0), t.counts.sum(0))
    # The threshold itself is a cut, so that the groups give the very number.
    assert float(s.of_score_counts([grid._score_counts])) == pytest.approx(
        float(s.of_score_counts([t._score_counts])), abs=2e-5
    )


def test_few_scores_are_drawn_as_they_are() -> None:
    t = _normal(500)
    assert grid_of(_statistic("sensitivity_at_fpr"), t) is t


def test_other_numbers_share_one_set_of_groups() -> None:
    t = _normal(5000)
    assert grid_of(_statistic("roc_auc"), t) is t._coarse()


def test_an_interval_does_not_hang_on_what_was_asked_before() -> None:
    first, second = _normal(20_000), _normal(20_000)
    interval_of(_statistic("equal_error_rate"), [first])
    interval_of(_statistic("sensitivity_at_fpr", fpr=0.2), [first])
    s = _statistic("sensitivity_at_fpr")
    assert interval_of(s, [first]) == interval_of(s, [second])


def test_weighted_rows_of_weight_one_are_rows() -> None:
    rng = np.random.default_rng(0)
    true = (rng.random(20_000) < 0.3).astype(np.int64)
    score = rng.normal(size=20_000) + true
    s = _statistic("equal_error_rate")
    plain = grid_of(s, ScoreTally.from_arrays(true, score))
    weighted = grid_of(s, ScoreTally.from_arrays(true, score, sample_weight=np.full(20_000, 2.0)))
    assert np.array_equal(weighted.counts, 2 * plain.counts)


@pytest.mark.parametrize("name", ["expected_calibration_error", "hosmer_lemeshow"])
@pytest.mark.parametrize("off", [0.0, 0.02, 0.04, 0.08, 0.5])
def test_the_first_draws_of_calibrated_probabilities_decide_as_all_do(
    name: str, off: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(7)
    logit = rng.normal(size=2000)
    true = (rng.random(2000) < 1 / (1 + np.exp(-logit - off))).astype(np.int64)
    t = ScoreTally.from_arrays(true, 1 / (1 + np.exp(-logit)))
    s = _statistic(name)
    value = float(s.of_score_counts([t._score_counts]))
    found = Column(t, Sampler()).is_null(s, value, 0.95)
    draws = Sampler(99).of_null(t._coarse(), "calibrated", DRAWS)
    values = np.concatenate([s.of_score_counts([block]) for block in draws])
    assert found == ((values >= value).mean() > 0.025)


def test_far_off_probabilities_take_the_first_draws_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    t = ScoreTally.from_arrays([0, 1] * 500, np.linspace(0.6, 0.9, 1000))
    s = _statistic("expected_calibration_error")
    made = Column(t, Sampler())
    monkeypatch.setattr(samples, "DRAWS", -1)  # no more than the first
    assert not made.is_null(s, float(s.of_score_counts([t._score_counts])), 0.95)


_INFLATED = [
    name
    for name, m in METRICS.items()
    if m._sampling.error == "optimistic" and m._needs in ("ranking", "probability")
]


def _probabilities(n: int, weighted: bool = False, seed: int = 0) -> ScoreTally:
    rng = np.random.default_rng(seed)
    true = (rng.random(n) < 0.3).astype(np.int64)
    score = 1 / (1 + np.exp(-(rng.normal(size=n) + 1.2 * true - 1)))
    weight = rng.random(n) + 0.5 if weighted else None
    return ScoreTally.from_arrays(true, score, sample_weight=weight)


def _plain_draws(s: Statistic, t: ScoreTally, stratified: bool, draws: int) -> Floats:
    blocks = Sampler(99, stratified).scores(t, "bootstrap", draws)
    return np.concatenate([s.of_score_counts([b]) for b in blocks]) - s.of_score_counts(
        [t._score_counts]
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", _INFLATED)
@pytest.mark.parametrize(
    ("n", "weighted", "stratified"),
    [(60, False, False), (3000, False, False), (3000, True, False), (3000, False, True),
     (100_000, False, False), (100_000, True, False), (100_000, False, True)],
)  # fmt: skip
def test_what_chance_adds_is_what_very_many_draws_add(
    name: str, n: int, weighted: bool, stratified: bool
) -> None:
    t, s = _probabilities(n, weighted), _statistic(name)
    grid = t._coarse(*((GROUPS,) if len(t.scores) > LONG else ()))
    plain = _plain_draws(s, grid, stratified, 1000)
    bias = Column(t, Sampler(0, stratified)).bias(s, jackknife(s, t, stratified))
    # Of few rows the first order takes off less of the draws' chance.
    assert bias == pytest.approx(plain.mean(), abs=plain.std() * (0.2 if n < 100 else 0.1))


@pytest.mark.parametrize("name", _INFLATED)
def test_what_chance_adds_hangs_little_on_the_draws(name: str) -> None:
    t, s = _probabilities(100_000), _statistic(name)
    found = [Column(t, Sampler(seed)).bias(s, jackknife(s, t)) for seed in range(8)]
    assert np.std(found) < 0.05 * jackknife(s, t).error  # of as many draws as they are: 0.1


def test_a_mean_loss_at_another_class_balance_has_the_error_of_each_class():
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.3).astype(int)
    p = 1 / (1 + np.exp(1 - rng.normal(size=400) - 1.5 * y))
    found = tm.evaluate(y, y_score=p, level=0.8).at(prevalence=0.1)["brier"]
    loss = (p - y) ** 2
    of_class = [(share, loss[y == k]) for k, share in ((1, 0.1), (0, 0.9))]
    assert found.value == pytest.approx(sum(share * x.mean() for share, x in of_class))
    error = sum(share**2 * x.var(ddof=1) / len(x) for share, x in of_class) ** 0.5
    assert found.se == pytest.approx(error, rel=3e-3)


def test_classes_dealt_without_skill_keep_the_scores_and_the_class_sizes():
    t = ScoreTally.from_arrays([0, 1, 1, 0, 1, 0, 0], [0.1, 0.2, 0.2, 0.3, 0.3, 0.3, 0.9])
    drawn = list(Sampler().of_null(t, "no skill", 4000))
    pos = np.concatenate([r.pos for r in drawn])
    rows = t.counts.sum(1)
    assert (pos.sum(-1) == 3).all()
    assert (np.concatenate([r.neg for r in drawn]) == rows - pos).all()
    assert pos.mean(0) == pytest.approx(rows * 3 / 7, abs=0.05)
    # Hypergeometric: n p q (N - n) / (N - 1).
    assert pos.var(0) == pytest.approx(rows * 3 / 7 * 4 / 7 * (7 - rows) / 6, abs=0.03)


def test_rows_of_clusters_count_for_less_under_the_null():
    t = ScoreTally.from_arrays([0, 1] * 40, np.linspace(0.2, 0.8, 80))
    (some,) = (r for r in Sampler().of_null(t, "calibrated", 50, design_effect=4.0))
    assert set((some.pos + some.neg).sum(-1)) == {20}
    assert ((some.pos + some.neg) * t.scores).sum(-1) / 20 == pytest.approx(0.5, abs=0.02)


def test_a_fitted_distance_is_held_to_what_dealt_classes_give():
    """As a permutation test of the distance decides, by a slow loop."""
    rng = np.random.default_rng(4)
    for lift in (0.0, 0.3, 0.6, 1.2):
        y = np.arange(90) % 3 == 0
        x = rng.normal(size=90) + lift * y
        s, t = _statistic("kolmogorov_smirnov"), ScoreTally.from_arrays(y * 1, x)
        value = float(s.of_score_counts([t._score_counts]))
        ordered = y[np.argsort(x)]

        def distance(y: np.ndarray) -> float:
            gaps = np.cumsum(y) / y.sum() - np.cumsum(~y) / (~y).sum()
            return float(np.abs(gaps).max())

        assert value == pytest.approx(distance(ordered))
        dealt = np.mean([distance(rng.permutation(y)) >= value - 1e-12 for _ in range(3000)])
        assert abs(dealt - 0.025) > 0.01  # the case is clear
        assert Column(t, Sampler()).is_null(s, value, 0.95) == (dealt > 0.025)
