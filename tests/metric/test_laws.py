"""Laws that hold for every metric of the registry at once."""

from __future__ import annotations

import inspect
import math
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from of_parts import of_parts
from tallymark.infer.methods import METHODS
from tallymark.metric import METRICS
from tallymark.metric.registry import _NAMES, plain
from tallymark.metric.sources import SOURCES
from tallymark.tally.labels import Counts
from tallymark.tally.scores import ScoreCounts
from tallymark.tally.sums import Sums

EVERY = list(METRICS.values())
THRESHOLD = [m for m in EVERY if m._needs in ("counts", "matrix")]
COUNTED = [m for m in EVERY if m._needs == "counts"]
MATRIX = [m for m in EVERY if m._needs == "matrix"]
ROWS = ("class_scores", "rows")
SCORED = [m for m in EVERY if m._needs in ("ranking", "probability", "probabilities", *ROWS)]
BATCHED = [m for m in SCORED if m._needs not in ROWS]
RANK = [m for m in EVERY if m._needs == "ranking"]

# Everything but these is a share, a ratio or a mean, the same of twice the rows.
GROWS_WITH_ROWS = {"chi_square", "hosmer_lemeshow", "profit_at_depth", "best_profit"}
GROWS_WITH_THE_ROOT = {"spiegelhalter_z"}
COUNTS_ROWS = {"krippendorff_alpha", "precision_at_k", "recall_at_k", "initial_false_alarms",
               *chain(*of_parts("COUNTS_ROWS"))}  # fmt: skip


def law(metrics, **examples):
    """Hold a law for each of some metrics on the same examples; a failure names all that break it."""
    assert metrics

    def decorate(holds):
        def breaking(example):
            found = {}
            for metric in metrics:
                try:
                    holds(metric, **example)
                except Exception as error:
                    found[metric.name] = error
            return found

        def test():
            assert not breaking({})

        def test_of_examples(example):
            assert not breaking(example)

        chosen = test_of_examples if examples else test
        chosen.__name__ = chosen.__qualname__ = holds.__name__
        return given(st.fixed_dictionaries(examples))(chosen) if examples else chosen

    return decorate


cell = st.integers(0, 12)
matrices = st.lists(cell, min_size=4, max_size=4).map(
    lambda v: np.array(v, dtype=float).reshape(2, 2)
)
wide = st.integers(2, 5).flatmap(
    lambda k: st.lists(cell, min_size=k * k, max_size=k * k).map(
        lambda v: np.array(v, dtype=float).reshape(k, k)
    )
)


def view(metric, matrix):
    if metric._needs == "matrix":
        return matrix
    (tn, fp), (fn, tp) = matrix
    return Counts(tp, fp, fn, tn)


@st.composite
def rankings(draw):
    g = draw(st.integers(1, 8))
    scores = np.array(sorted(draw(st.sets(st.integers(0, 50), min_size=g, max_size=g)))) / 50
    pos = np.array(draw(st.lists(st.integers(0, 5), min_size=g, max_size=g)), dtype=float)
    neg = np.array(draw(st.lists(st.integers(0, 5), min_size=g, max_size=g)), dtype=float)
    return ScoreCounts(scores, pos, neg)


def data_of(metric, ranking):
    if metric._needs in ("rows", "class_scores"):
        counts = np.stack([ranking.neg, ranking.pos], 1)
        tally = tm.ScoreTally((0, 1), 1, ranking.scores, counts)
        if metric._needs == "rows":
            return Sums._of_scores((tally,))
        return (tm.ScoreTally((0, 1), 0, 1 - ranking.scores[::-1], counts[::-1]), tally)
    return (ranking,) if metric._needs == "probabilities" else ranking


@law(EVERY)
def test_the_declaration_is_complete(metric):
    assert metric.title
    assert metric.words.formula
    assert len(metric.words.meaning) > 20
    assert metric.words.sources
    assert all(key in SOURCES or " " in key for key in metric.words.sources)
    assert metric.range[0] < metric.range[1]
    assert ">>>" in inspect.getdoc(metric)
    assert metric.undefined
    assert metric.words.misleads
    assert metric.words._relatives
    assert metric.name not in metric.words._relatives
    assert all(name in METRICS for name in metric.words._relatives)


def test_names_and_aliases_are_unique_and_found():
    for metric in METRICS.values():
        for word in (metric.name, *metric.aliases):
            assert tm.metric.get(word) is metric
    assert len(_NAMES) == sum(1 + len(m.aliases) for m in METRICS.values())
    assert all(plain(n) == n for n in METRICS)


@law(THRESHOLD, matrix=matrices)
def test_nan_exactly_when_a_declared_case_holds(metric, matrix):
    data = view(metric, matrix)
    with np.errstate(all="ignore"):
        raw = float(np.asarray(metric._function(data, **metric.params)))
        declared = any(bool(v) for v in metric._cases(data).values())
    assert math.isnan(float(metric.compute(data))) == declared
    assert (metric.reason(data) is not None) == declared
    assert math.isnan(raw) == declared  # no declaration hides a value that the formula has


@law(MATRIX, matrix=wide)
def test_a_matrix_of_any_size_is_in_range_or_undefined(metric, matrix):
    with np.errstate(all="ignore"):
        raw = float(np.asarray(metric._function(matrix, **metric.params)))
    declared = any(bool(v) for v in metric._cases(matrix).values())
    value = float(metric.compute(matrix))
    assert math.isnan(raw) == math.isnan(value) == declared
    assert declared or metric.range[0] - 1e-12 <= value <= metric.range[1] + 1e-12


@law(MATRIX, matrices=st.lists(wide, min_size=6, max_size=6))
def test_a_batch_of_matrices_is_a_loop(metric, matrices):
    k = min(map(len, matrices))
    stack = np.stack([m[:k, :k] for m in matrices]).reshape(2, 3, k, k)
    np.testing.assert_allclose(
        metric.compute(stack),
        [[float(metric.compute(m)) for m in row] for row in stack],
        rtol=1e-12, atol=1e-14,
    )  # fmt: skip


@law(THRESHOLD, matrix=wide, seed=st.integers(0, 1000))
def test_weights_move_the_value_and_not_whether_there_is_one(metric, matrix, seed):
    # Sums of weights are rounded: what is left of a difference must not pass for rows.
    weights = 10 ** np.random.default_rng(seed).uniform(-4, 4, matrix.shape)
    labels = tuple(range(len(matrix)))
    plain = tm.LabelTally(labels, matrix)
    weighted = tm.LabelTally(labels, np.where(matrix > 0, weights, 0.0))
    low, high = metric.range
    for average in ("per_class", "micro", "overall" if metric._needs == "matrix" else "macro"):
        value = np.asarray(metric(weighted, average=average))
        defined = ~np.isnan(value)
        if average == "per_class" or average == "overall":
            np.testing.assert_array_equal(defined, ~np.isnan(metric(plain, average=average)))
        assert ((value >= low - 1e-12) & (value <= high + 1e-12))[defined].all()


@law(SCORED, ranking=rankings())
def test_nan_exactly_when_a_declared_case_holds_on_scores(metric, ranking):
    data = data_of(metric, ranking)
    declared = any(bool(v) for v in metric._cases(data).values())
    assert math.isnan(float(metric.compute(data))) == declared
    assert (metric.reason(data) is not None) == declared


@law(THRESHOLD, matrix=matrices)
def test_the_value_is_in_range(metric, matrix):
    value = float(metric.compute(view(metric, matrix)))
    low, high = metric.range
    assert math.isnan(value) or low - 1e-12 <= value <= high + 1e-12


@law(SCORED, ranking=rankings())
def test_the_value_is_in_range_on_scores(metric, ranking):
    value = float(metric.compute(data_of(metric, ranking)))
    low, high = metric.range
    assert math.isnan(value) or low - 1e-12 <= value <= high + 1e-12


@law(THRESHOLD, batch=st.lists(matrices, min_size=2, max_size=4))
def test_a_batch_is_a_loop(metric, batch):
    stack = np.stack(batch)
    whole = stack if metric._needs == "matrix" else Counts(
        stack[:, 1, 1], stack[:, 0, 1], stack[:, 1, 0], stack[:, 0, 0]
    )  # fmt: skip
    one_by_one = [float(metric.compute(view(metric, m))) for m in batch]
    np.testing.assert_allclose(metric.compute(whole), one_by_one, rtol=1e-12, atol=1e-14)


@law(BATCHED, ranking=rankings(), other=st.lists(st.integers(0, 5), min_size=16, max_size=16))
def test_a_batch_is_a_loop_on_scores(metric, ranking, other):
    g = len(ranking.scores)
    pos = np.stack([ranking.pos, np.array(other[:g], dtype=float)])
    neg = np.stack([ranking.neg, np.array(other[8 : 8 + g], dtype=float)])
    whole = metric.compute(data_of(metric, ScoreCounts(ranking.scores, pos, neg)))
    parts = [
        float(metric.compute(data_of(metric, ScoreCounts(ranking.scores, p, n))))
        for p, n in zip(pos, neg, strict=True)
    ]
    np.testing.assert_allclose(whole, parts, rtol=1e-11, atol=1e-13)


@law(MATRIX, matrix=wide, seed=st.integers(0, 1000))
def test_renaming_the_classes_changes_nothing(metric, matrix, seed):
    order = np.random.default_rng(seed).permutation(len(matrix))
    moved = matrix[np.ix_(order, order)]
    np.testing.assert_allclose(
        metric.compute(matrix), metric.compute(moved), rtol=1e-10, atol=1e-12
    )


@law(THRESHOLD, matrix=matrices)
def test_many_rows_do_not_overflow(metric, matrix):
    factor = 1e9 if metric.name in GROWS_WITH_ROWS else 1
    many = matrix * 1e3 if metric.name in COUNTS_ROWS else matrix
    small = float(metric.compute(view(metric, many))) * factor
    large = float(metric.compute(view(metric, matrix * 1e9)))
    near = 1e-3 if metric.name in COUNTS_ROWS else 1e-9
    assert large == pytest.approx(small, rel=1e-9, abs=near, nan_ok=True)


@law([m for m in SCORED if m.name not in COUNTS_ROWS], ranking=rankings())
def test_doubling_every_row_changes_nothing_on_scores(metric, ranking):
    twice = ScoreCounts(ranking.scores, 2 * ranking.pos, 2 * ranking.neg)
    a, b = (float(metric.compute(data_of(metric, r))) for r in (ranking, twice))
    factor = 2 if metric.name in GROWS_WITH_ROWS else 1
    if metric.name in GROWS_WITH_THE_ROOT:
        factor = math.sqrt(2)
    assert a * factor == pytest.approx(b, rel=1e-9, abs=1e-12, nan_ok=True)


@law([m for m in RANK if m._scoring.order], ranking=rankings(), power=st.sampled_from([0.5, 3.0]))
def test_increasing_maps_of_the_scores_change_nothing(metric, ranking, power):
    mapped = ScoreCounts(ranking.scores**power * 7 - 3, ranking.pos, ranking.neg)
    a, b = float(metric.compute(ranking)), float(metric.compute(mapped))
    assert a == b or (math.isnan(a) and math.isnan(b))


@law([m for m in RANK if not m._scoring.order])
def test_a_metric_that_reads_the_scores_is_moved_by_some_increasing_map(metric):
    pos, neg = np.array([1.0, 2, 0, 4]), np.array([3.0, 1, 2, 1])
    a, b = (metric.compute(ScoreCounts(s, pos, neg)) for s in (np.arange(4.0), np.arange(4.0) ** 3))
    assert float(a) != pytest.approx(float(b), rel=1e-3)


@law([m for m in EVERY if m._preset_of])
def test_a_preset_is_its_parameters(metric):
    base = METRICS[metric._preset_of]
    y, p = [1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0]
    if metric.family != "threshold":
        p = [0.9, 0.8, 0.35, 0.6, 0.3, 0.2, 0.1]
    assert metric(y, p) == base(y, p, **metric.params)
    assert metric.words.meaning != base.words.meaning


@pytest.mark.parametrize("at", [(70.0, 23.0, 31.0, 410.0), (9.0, 2.0, 17.0, 5.0)])
def test_the_gradient_by_complex_step_is_the_finite_difference(at):
    differ = {}
    for metric in (m for m in COUNTED if m._sampling.smooth):
        for i in range(4):
            h = 1e-30
            moved = [complex(v, h if i == j else 0) for j, v in enumerate(at)]
            exact = complex(np.asarray(metric._function(Counts(*moved), **metric.params))).imag / h
            step = at[i] * 1e-5
            up, down = (
                float(metric.compute(Counts(*[v + s * step * (i == j) for j, v in enumerate(at)])))
                for s in (1, -1)
            )
            if exact != pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-9):
                differ[metric.name, i] = exact, (up - down) / (2 * step)
    assert not differ


@pytest.mark.parametrize("k", [2, 3])
def test_the_gradient_by_complex_step_of_a_matrix(k):
    base = np.random.default_rng(k).integers(3, 40, (k, k)).astype(float)
    differ = {}
    for metric in (m for m in MATRIX if m._sampling.smooth):
        for i, j in np.ndindex(k, k):
            h = 1e-30
            moved = base.astype(complex)
            moved[i, j] += 1j * h
            exact = complex(np.asarray(metric._function(moved, **metric.params))).imag / h
            step = base[i, j] * 1e-5
            change = np.zeros((k, k))
            change[i, j] = step
            up, down = (float(metric.compute(base + s * change)) for s in (1, -1))
            if exact != pytest.approx((up - down) / (2 * step), rel=1e-4, abs=1e-8):
                differ[metric.name, i, j] = exact, (up - down) / (2 * step)
    assert not differ


@law([m for m in EVERY if m.classes != "many"])  # those need whole rows: tests/tally/test_sums.py
def test_splitting_and_merging_rows_changes_nothing(metric):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 300)
    s = np.round(np.clip(0.3 * y + 0.6 * rng.random(300), 0, 1), 2)
    if metric._needs in ("counts", "matrix"):
        make, second = tm.LabelTally.from_arrays, (s > 0.45).astype(int)
    else:
        make, second = tm.ScoreTally.from_arrays, s
    parts = [make(y[a:b], second[a:b]) for a, b in ((0, 90), (90, 91), (91, 300))]
    assert parts[0] + parts[1] + parts[2] == make(y, second)
    assert metric(parts[2] + parts[0] + parts[1]) == pytest.approx(metric(y, second), nan_ok=True)
    shuffled = rng.permutation(300)
    assert metric(y[shuffled], second[shuffled]) == pytest.approx(metric(y, second), nan_ok=True)


CHANCE = {"prevalence": 1 / 3, "1 / classes": 1 / 2, "no-information rate": 1 / 2,
          "k / T": 10 / 300, "depth": 0.1, "the share": 0.2}  # fmt: skip
GUESSED = [
    m for m in THRESHOLD + RANK
    if m.name != "decidability"  # undefined where all scores are equal
    and (isinstance(m.chance, float) or m.chance in CHANCE)
]  # fmt: skip


@law(GUESSED)
def test_guessing_achieves_what_is_declared(metric):
    """One score for all of 300 rows; decisions that know nothing, at any prevalence and rate."""
    if metric._needs == "ranking":
        value = metric.compute(ScoreCounts(np.array([0.5]), np.array([100.0]), np.array([200.0])))
        values = [value]
    elif metric.chance == "prevalence":
        values = [metric.compute(Counts(tp=50, fp=100, fn=50, tn=100))]
    elif isinstance(metric.chance, float):
        shares = [
            np.outer((1 - p, p), (1 - q, q)) for p, q in ((0.5, 0.5), (1 / 3, 0.3), (0.1, 0.5))
        ]
        values = [metric.compute(view(metric, 1e9 * of_all)) for of_all in shares]
    else:
        values = [metric.compute(view(metric, np.full((2, 2), 1e6)))]
    told = CHANCE.get(metric.chance, metric.chance)
    assert [float(v) for v in values] == pytest.approx([told] * len(values), abs=1e-6)


def test_every_method_and_every_test_of_a_comparison_is_in_the_bibliography():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    ev = tm.evaluate(y, {n: np.where(rng.random(90) < 0.7, y, 0) for n in "abc"})
    found = ev.compare(permutations=100)
    tests = [*found.overall, *(t for p in found.pairs for t in p.tests)]
    assert {"cochran1950", "bowker1948", "stuart1955", "good2005"} <= {t.source for t in tests}
    keys = {t.source for t in tests if t.source} | {m.source for m in METHODS.values()}
    assert [k for k in sorted(keys) if k and k not in SOURCES and " " not in k] == []


@law(EVERY)
def test_a_meaning_holds_no_mark_up(metric):
    assert "`" not in metric.words.meaning
