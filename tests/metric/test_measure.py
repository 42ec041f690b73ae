from __future__ import annotations

import json
import math
import sys

import numpy as np
import pytest

import tallymark as tm
from tallymark.display import json_number
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Statistic, Value, pooled
from tallymark.tally.sums import class_tallies

m = tm.metrics
THREE = tm.LabelTally(("a", "b", "c"), np.array([[50, 3, 7], [2, 30, 9], [11, 0, 21]], dtype=float))
GAP = tm.LabelTally(("a", "b", "c"), np.array([[5, 1, 0], [2, 4, 0], [1, 0, 0]], dtype=float))


def test_averages_are_reductions_of_the_formula():
    per_class = m.precision(THREE, average="per_class")
    np.testing.assert_allclose(per_class, [50 / 63, 30 / 33, 21 / 37])
    assert m.precision(THREE) == m.precision(THREE, average="macro") == per_class.mean()
    weighted = (per_class * [60, 41, 32]).sum() / 133
    assert m.precision(THREE, average="weighted") == pytest.approx(weighted)
    assert m.precision(THREE, average="micro") == pytest.approx(101 / 133)
    assert m.precision(THREE, average="binary", positive="b") == 30 / 33
    assert m.precision(THREE, positive="b") == 30 / 33
    assert m.mcc(THREE, average="macro") == pytest.approx(m.mcc(THREE, average="per_class").mean())


def test_undefined_acts_on_the_result_and_skipping_on_the_average():
    assert math.isnan(m.precision(GAP))
    assert m.precision(GAP, undefined=0) == 0
    assert m.precision(GAP, average="per_class", undefined=-1).tolist() == [5 / 8, 4 / 5, -1]
    assert m.precision(GAP, skip_undefined=True) == pytest.approx((5 / 8 + 4 / 5) / 2)
    assert m.precision(GAP, average="weighted", skip_undefined=True) == pytest.approx(
        (5 / 8 * 6 + 4 / 5 * 6) / 12
    )
    with pytest.raises(
        tm.UndefinedMetricError,
        match="precision is undefined: class 'c': no row was predicted positive",
    ):
        m.precision(GAP, undefined="raise")
    for tally in (GAP, THREE):  # also where the value is defined
        with pytest.raises(
            tm.InputError, match="undefined is 'zero'; give 'nan', 'raise' or a number"
        ):
            m.precision(tally, undefined="zero")


def test_a_value_names_the_classes_at_fault():
    v = Statistic.of(get("precision"), GAP.labels).point(GAP)
    assert math.isnan(v.value)
    assert v.reason == "class 'c': no row was predicted positive"
    skipped = Statistic.of(get("precision"), GAP.labels, skip_undefined=True).point(GAP)
    assert (skipped.n_undefined, skipped.reason) == (1, None)
    assert skipped.definition["skip_undefined"] is True
    micro = Statistic.of(get("precision"), GAP.labels, average="micro").point(GAP)
    assert micro.reason is None
    nothing = tm.LabelTally._empty((0, 1))
    for average in ("overall", "binary", "micro"):
        found = Statistic.of(get("mcc"), (0, 1), average=average).point(nothing)
        assert "all rows are truly of one class" in found.reason


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: m.precision(THREE, average="mean"), "average is 'mean'; "),
        (
            lambda: m.precision(THREE, average="overall"),
            "precision judges one class against the rest",
        ),
        (
            lambda: m.precision(THREE, average="binary"),
            "average='binary' needs the positive class of 3",
        ),
        (lambda: m.precision(THREE, beta=2), "precision has no parameter 'beta'; it has none"),
        (lambda: m.f_beta(THREE, bta=2), "f_beta has no parameter 'bta'; did you mean 'beta'?"),
        (
            lambda: m.brier([0, 1], [0.1, 0.9], average="macro"),
            "all scores at once; leave average='macro' out",
        ),
        (lambda: m.brier([0, 1], [0.1, 1.9]), "brier needs probabilities and y_score holds 1.9"),
        (lambda: m.brier([0, 1], [-0.5, 0.9]), "y_score holds -0.5"),
        (lambda: m.accuracy(tm.ScoreTally._empty()), "accuracy needs a LabelTally or two arrays"),
        (lambda: m.roc_auc(THREE), "roc_auc needs a ScoreTally or two arrays, y_true and y_score"),
        (lambda: m.accuracy(5), "accuracy needs a LabelTally or two arrays, y_true and y_pred"),
        (lambda: m.precision(THREE, sample_weight=[1]), "sample_weight is for arrays, and these"),
        (lambda: m.precision(THREE, labels=["c", "a"]), "labels is for arrays, and these rows"),
        (
            lambda: Statistic.of(get("recall"), THREE.labels, average="per_class").point(THREE),
            "average='per_class' is many values; ask for one class at a time",
        ),
        (
            lambda: m.roc_auc(tm.ScoreTally.from_arrays([0, 1], [0.1, 0.9]), positive=0),
            "this tally's scores are those of 1 and positive is 0; make the tally with that class",
        ),
        (
            lambda: m.log_loss([0, 1], [0.1, 0.9], clip=0.7),
            "clip is 0.7; it must lie between 0 and 0.5",
        ),
        (lambda: m.gain_at([0, 1], [0.1, 0.9], depth=0), "depth is 0; give a share of the rows"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(call, words):
    with pytest.raises(tm.InputError) as caught:
        call()
    assert words in str(caught.value)


def test_arrays_and_tallies_give_the_same_number():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 200), np.round(rng.random(200), 2)
    tally = tm.ScoreTally.from_arrays(y, s)
    for name in ("roc_auc", "roc_auc_optimistic", "roc_auc_pessimistic", "gini_coefficient"):
        metric = get(name)
        assert metric(y, s) == pytest.approx(metric(tally), rel=1e-14)  # kernel and formula
        assert metric(y, s) == metric(list(y), list(s))
        assert type(metric(y, s)) is float
    assert m.average_precision(y, s) == m.average_precision(tally)
    assert m.roc_auc(y, np.stack([1 - s, s], 1)) == m.roc_auc(y, s)


def test_an_area_of_arrays_makes_no_tally():
    y, s = [0, 1, 0, 1, 1], [0.1, 0.9, 0.4, 0.3, 0.2]

    def called(**options):
        found = set()
        sys.setprofile(lambda frame, *_: found.add(frame.f_code.co_qualname))
        try:
            m.roc_auc(y, s, **options)
        finally:
            sys.setprofile(None)
        return {name for name in found if "ScoreTally" in name}

    assert called() == set()
    assert called(sample_weight=[1, 2, 1, 1, 1]) == set()
    assert called(labels=[0, 1])


def test_the_micro_average_of_scores_pools_every_row_and_class():
    rng = np.random.default_rng(1)
    y, p = rng.integers(0, 3, 60), np.round(rng.dirichlet(np.ones(3), 60), 1)
    tallies = class_tallies(y, p, labels=[0, 1, 2])
    pool = pooled([t._score_counts for t in tallies])
    assert float(pool.positives) == 60
    assert float(pool.negatives) == 120
    flat = m.roc_auc(np.eye(3, dtype=int)[y].ravel(), p.ravel())
    assert m.roc_auc(y, p, average="micro") == pytest.approx(flat)


def test_one_class_of_many_is_judged_by_its_own_scores():
    rng = np.random.default_rng(2)
    y, p = rng.integers(0, 3, 80), rng.dirichlet(np.ones(3), 80)
    per_class = m.average_precision(y, p, average="per_class")
    for k in range(3):
        alone = m.average_precision((y == k).astype(int), p[:, k])
        assert m.average_precision(y, p, positive=k) == alone == per_class[k]
        assert m.average_precision(y, p, positive=k, average="binary") == alone
    with pytest.raises(tm.InputError, match="the positive class 7 does not occur"):
        m.average_precision(y, p, positive=7)


def test_why_the_score_of_one_class_of_many_is_undefined():
    tallies = class_tallies([0, 1, 1], np.eye(3)[[0, 1, 2]], labels=[0, 1, 2])
    v = Statistic.of(get("roc_auc"), (0, 1, 2), positive=2).point(tallies)
    assert v.reason == "no row is truly positive"
    assert Statistic.of(get("roc_auc"), (0, 1, 2), positive=0).point(tallies).value == 1.0


def test_an_average_of_opposite_infinities_says_so():
    # class 0 is told apart without an error, class 1 is never right
    tally = tm.LabelTally((0, 1, 2), np.array([[3, 0, 0], [0, 0, 2], [0, 1, 4]], dtype=float))
    assert m.dp(tally, average="per_class")[:2].tolist() == [math.inf, -math.inf]
    v = Statistic.of(get("dp"), tally.labels).point(tally)
    assert math.isnan(v.value)
    assert v.reason == "it is +inf for one class and -inf for another"
    with pytest.raises(tm.UndefinedMetricError, match="discriminant_power is undefined: it is"):
        m.dp(tally, undefined="raise")


def test_an_average_over_no_class_says_so():
    v = Statistic.of(get("recall"), (), average="macro").point(tm.LabelTally._empty())
    assert math.isnan(v.value)
    assert v.reason == "there is no class"


def test_a_definition_names_the_positive_class_where_there_is_one():
    def described(name, average):
        return Statistic.of(get(name), THREE.labels, "b", average).describe().get("positive")

    assert described("recall", None) == "b"
    assert described("kappa", None) is None
    assert described("recall", "macro") is None


def test_weights_leave_nothing_where_no_row_is():
    # 0.1 + 0.2 + 0.3 summed in two orders: the difference must not pass for a true negative
    rng = np.random.default_rng(3)
    y, p = [0, 0, 1, 2], [0, 1, 0, 0]
    for w in rng.random((200, 4)):
        assert m.specificity(y, p, average="per_class", sample_weight=w)[0] == 0.0
        assert m.npv(y, p, average="per_class", sample_weight=w)[0] == 0.0
        everything = m.specificity([0, 0, 0], [0, 1, 2], average="per_class", sample_weight=w[:3])
        assert math.isnan(everything[0])


def test_a_value_prints_and_keeps():
    v = Value("f1", 0.5, 0.4, 0.61, 0.95, "Wilson")
    assert str(v) == "0.50 (95 % CI 0.40 to 0.61)"
    assert str(Value("f1", 0.5)) == "0.500"
    assert str(Value("f1", math.nan, reason="no row")) == "undefined (no row)"
    assert float(v) == 0.5
    assert json.loads(json.dumps(v.to_dict()))["high"] == 0.61
    assert [json_number(x) for x in (math.nan, math.inf, -math.inf, 1.5)] == [
        None,
        "inf",
        "-inf",
        1.5,
    ]


def test_weights_and_missing_rows_go_through():
    y, p, w = [1, 0, 1, None], [1, 1, 0, 1], [3.0, 1.0, 1.0, 9.0]
    assert m.sensitivity(y, p, sample_weight=w, missing="drop") == 0.75
    assert m.roc_auc(y, [0.9, 0.1, 0.4, 0.2], sample_weight=w, missing="drop") == 1.0


def test_a_class_without_rows_has_no_weight():
    # nothing is truly c, so its recall is undefined, and a mean by rows does not ask for it
    t = tm.LabelTally(("a", "b", "c"), np.array([[4.0, 1, 1], [0, 3, 0], [0, 0, 0]]))
    assert math.isnan(m.recall(t, average="macro"))
    assert m.recall(t, average="weighted") == pytest.approx(7 / 9)
    assert math.isnan(m.recall(tm.LabelTally._empty((0, 1)), average="weighted"))


def test_one_score_has_no_average_over_classes():
    for average in ("macro", "micro", "weighted"):
        with pytest.raises(tm.InputError, match="needs scores of each class, and these are of one"):
            m.average_precision([0, 1], [0.2, 0.8], average=average)


def scored(k=3, n=90, seed=4):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(k), [n // 2, n // 3, n - n // 2 - n // 3][:k])
    return y, np.round(rng.dirichlet(np.ones(k), len(y)), 2)


def test_averages_of_areas_are_those_of_the_classes():
    y, p = scored()
    areas = np.array(m.roc_auc(y, p, average="per_class"))
    support = np.bincount(y)
    assert m.roc_auc(y, p, average="weighted") == pytest.approx((areas * support).sum() / len(y))
    assert m.roc_auc(y, p, average="macro", classes=[0, 2]) == pytest.approx(areas[[0, 2]].mean())
    tallies = class_tallies(y, p)
    two = Statistic.of(get("roc_auc"), (0, 1, 2), average="macro", classes=[1, 2])
    assert float(two.measure(tallies)) == pytest.approx(areas[1:].mean())
    one = Statistic.of(get("roc_auc"), (0, 1, 2), average="per_class")
    found = one.of_score_counts([tallies[1]._score_counts])
    assert found.shape == (1,)
    assert found[0] == pytest.approx(areas[1])
    second = Statistic.of(get("roc_auc"), (0, 1, 2), average="macro", classes=[1])
    assert float(second.measure(tallies[:2])) == pytest.approx(areas[1])
    both = Statistic.of(get("roc_auc"), (0, 1, 2), average="macro")
    pair = [t._score_counts for t in tallies[:2]]
    assert float(both.of_score_counts(pair)) == pytest.approx(areas[:2].mean())


def test_the_reason_names_the_class_of_many_and_the_whole_of_one():
    _, p = scored()
    alone = np.zeros(9, dtype=int)
    tallies = class_tallies(alone, p[:9], labels=[0, 1, 2])
    stratified = Statistic.of(get("roc_auc"), (0, 1, 2), average="macro").reasons(tallies)
    assert set(stratified) == {0, 1, 2}
    assert set(Statistic.of(get("roc_auc"), (0, 1, 2), average="macro").reasons(tallies[:1])) == {
        None
    }
    assert set(Statistic.of(get("roc_auc"), (0, 1, 2), 1).reasons(tallies)) == {None}
    labels = tm.LabelTally((0, 1, 2), [[0, 3, 1], [0, 2, 0], [0, 0, 4]])
    micro = Statistic.of(get("precision"), (0, 1, 2), average="micro", classes=[0])
    assert micro.reasons(labels) == {None: "no row was predicted positive"}
    assert Statistic.of(get("precision"), (0, 1, 2), average="micro").reasons(labels) == {}


def test_a_positive_class_without_rows_has_only_true_negatives():
    s = Statistic.of(get("specificity"), (0,), 1)
    assert float(s.of_matrix(np.array([[5.0]]), (0,))) == 1
    stack = np.arange(1.0, 9).reshape(4, 2, 1, 1)
    counts = s.view(stack, (0,))
    np.testing.assert_array_equal(counts.tn, stack[..., 0, 0])
    assert counts.tp.shape == (4, 2)
    assert not counts.fp.any()


def test_pairs_are_counted_at_once_only_where_nothing_else_is_asked(monkeypatch):
    from tallymark.metric import measure

    y, s = np.array([0, 1, 0, 1, 1]), np.array([0.1, 0.4, 0.4, 0.3, 0.9])
    w = np.array([1.0, 2, 3, 1, 1])

    class CaughtError(Exception):
        pass

    def caught(*_):
        raise CaughtError

    plain = m.roc_auc(y, s)
    monkeypatch.setattr(measure.SortedKeys, "concordance", caught)
    for call in (lambda: m.roc_auc(y, s), lambda: m.roc_auc(y, s, average="binary"),
                 lambda: m.gini_coefficient(y, s)):  # fmt: skip
        with pytest.raises(CaughtError):
            call()
    assert m.roc_auc(y, s, labels=[0, 1]) == pytest.approx(plain)
    assert m.roc_auc(y, s, sample_weight=w) != plain
    assert m.average_precision(y, s) > 0
    assert m.roc_auc(tm.ScoreTally.from_arrays(y, s)) == pytest.approx(plain)
    with pytest.raises(tm.InputError, match="roc_auc has no parameter 'beta'"):
        m.roc_auc(y, s, beta=2)
    with pytest.raises(tm.InputError, match="needs scores of each class"):
        m.roc_auc(y, s, average="macro")


def test_one_class_alone_is_no_division_by_zero():
    for y in ([1, 1], [0, 0]):
        assert math.isnan(m.roc_auc(y, [0.2, 0.3], positive=1))
        with pytest.raises(tm.UndefinedMetricError):
            m.gini_coefficient(y, [0.2, 0.3], positive=1, undefined="raise")


def test_sums_are_for_whole_rows_only_and_0_is_a_probability():
    from tallymark.tally.sums import Sums

    y, p = scored()
    sums = Sums._of_rows(y, p)
    assert m.spherical_score(sums) == pytest.approx(m.spherical_score(y, p))
    with pytest.raises(tm.InputError, match="roc_auc needs a ScoreTally"):
        m.roc_auc(sums)
    assert m.brier(tm.ScoreTally.from_arrays([0, 1], [0.0, 1.0])) == 0
    with pytest.raises(tm.InputError, match="spherical_score needs whole rows of scores"):
        m.spherical_score(class_tallies(y, p))


@pytest.mark.parametrize(
    ("name", "average", "classes"),
    [
        ("f1", "macro", None), ("f1", "weighted", None), ("f1", "micro", None),
        ("f1", "macro", (0, 2)), ("matthews_corrcoef", "macro", None),
        ("matthews_corrcoef", "overall", None),
    ],
)  # fmt: skip
def test_derivatives_by_every_count_are_slopes(name, average, classes):
    labels, counts = (0, 1, 2), np.array([[9.0, 2, 3], [1, 7, 4], [5, 6, 11]])
    s = Statistic.of(get(name), labels, None, average, classes=classes)
    found, h = s.gradient(counts, labels), 1e-5
    for i in range(3):
        for j in range(3):
            up, down = counts.copy(), counts.copy()
            up[i, j] += h
            down[i, j] -= h
            slope = (s.of_matrix(up, labels) - s.of_matrix(down, labels)) / (2 * h)
            assert found[i, j] == pytest.approx(float(slope), abs=1e-8)


def test_derivatives_of_one_class_of_two():
    s = Statistic.of(get("sensitivity"), (0, 1), 1)
    found = s.gradient(np.array([[5.0, 1], [3, 9]]), (0, 1))
    assert found == pytest.approx(np.array([[0, 0], [-9 / 144, 3 / 144]]))
    s = Statistic.of(get("f_beta"), (0, 1), 1, beta=2.0)
    fixed = Statistic.of(get("f1"), (0, 1), 1)
    counts = np.array([[5.0, 1], [3, 9]])
    assert not np.allclose(s.gradient(counts, (0, 1)), fixed.gradient(counts, (0, 1)))


@pytest.mark.parametrize(
    ("name", "mixes"),
    [
        ("sensitivity", False), ("specificity", False), ("precision", True), ("accuracy", True),
        ("negative_predictive_value", True), ("false_positive_rate", False),
    ],
)  # fmt: skip
def test_proportions_of_rows_of_one_true_class_or_of_several(name, mixes):
    assert Statistic.of(get(name), (0, 1), 1).mixes_classes((0, 1)) is mixes


# -- averages over chosen classes, worked out class by class -----------------------------------

TRIPLE = tm.LabelTally(("a", "b", "c"), [[30, 5, 2], [4, 40, 1], [3, 0, 20]])
TABLE = TRIPLE.counts


def one_against_rest(k):
    """Return the F1 of a class against the rest."""
    return 2 * TABLE[k, k] / (TABLE[k].sum() + TABLE[:, k].sum())


def test_averages_are_over_the_classes_that_are_chosen():
    f1, of_each = METRICS["f1"], np.array([one_against_rest(k) for k in range(3)])
    for classes, chosen in ((None, [0, 1, 2]), (["c", "a"], [2, 0]), (["b"], [1])):

        def value(average, classes=classes, **more):
            s = Statistic.of(f1, TRIPLE.labels, average=average, classes=classes, **more)
            return s.of_matrix(TABLE, TRIPLE.labels)

        support, tp = TABLE.sum(1)[chosen], TABLE.diagonal()[chosen]
        both = TABLE.sum(1)[chosen] + TABLE.sum(0)[chosen]
        np.testing.assert_allclose(value("per_class"), of_each[chosen])
        assert value("macro") == pytest.approx(of_each[chosen].mean())
        assert value("weighted") == pytest.approx(np.average(of_each[chosen], weights=support))
        assert value("micro") == pytest.approx(2 * tp.sum() / both.sum())
        assert value(None) == pytest.approx(of_each[chosen].mean())
    of_b = Statistic.of(f1, TRIPLE.labels, "b", "binary")
    assert of_b.of_matrix(TABLE, TRIPLE.labels) == pytest.approx(of_each[1])
    empty = np.array([[5.0, 1, 0], [2, 7, 0], [0, 0, 0]])
    defined = np.array([2 * 5 / 13, 2 * 7 / 17])
    for skip, wanted in ((True, defined.mean()), (False, np.nan)):
        s = Statistic.of(f1, TRIPLE.labels, average="macro", skip_undefined=skip)
        np.testing.assert_allclose(s.of_matrix(empty, TRIPLE.labels), wanted)
    stack = np.stack([TABLE, empty])
    s = Statistic.of(METRICS["accuracy"], TRIPLE.labels)
    np.testing.assert_allclose(s.of_matrix(stack, TRIPLE.labels), [90 / 105, 12 / 15])


def test_averages_that_a_metric_does_not_have_are_refused():
    for metric, labels, given, sentence in (
        ("f1", "abc", {"average": "overall"},
         "f1 judges one class against the rest and has no overall value; say average='macro', "
         "'micro', 'weighted' or 'per_class'"),
        ("hand_till_auc", "abc", {"average": "macro"},
         "hand_till_auc is computed from all scores at once; leave average='macro' out"),
        ("top_k_accuracy", "ab", {},
         "top_k_accuracy is not defined for 2 classes; give more than two, and one score column per "
         "class"),
    ):  # fmt: skip
        with pytest.raises(tm.InputError) as caught:
            Statistic.of(METRICS[metric], list(labels), **given)
        assert str(caught.value) == sentence
    s = Statistic.of(METRICS["f1"], TRIPLE.labels)
    with pytest.raises(tm.InputError) as caught:
        s.view(TABLE, TRIPLE.labels)
    assert str(caught.value) == "average='macro' has a view for each class, not one"
    each = Statistic.of_each([METRICS["f1"], METRICS["accuracy"]], (0, 1), 1)
    assert [(s.average, s.positive) for s in each.values()] == [("binary", 1), ("overall", 1)]
    assert Statistic.of(METRICS["f1"], TRIPLE.labels, "b").average == "binary"
