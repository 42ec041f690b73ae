"""interval() and test(): the two questions about a number, of one evaluation or of two."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import tallymark as tm
from asymmetric import FIRST, ILL, LEVEL, MODELS, SECOND, TRUTH, Z, area
from tallymark.errors import InputError


def rows(n=300, seed=0, lift=1.5):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    shared = rng.normal(size=n)
    p = {
        name: 1 / (1 + np.exp(-(shared + rng.normal(size=n) + more * (2 * y - 1))))
        for name, more in (("a", lift), ("b", 1.0))
    }
    return y, p


@pytest.fixture(scope="module")
def two():
    y, p = rows()
    return tm.evaluate(y, y_score=p)


@pytest.fixture(scope="module")
def other():
    y, p = rows(seed=1)
    return tm.evaluate(y, y_score={"a": p["a"]})


def cost(c):
    return (5 * c.fn + c.fp) / c.total


COST = tm.Statistic(cost, range=(0, 5), better="low")
NAMES = ["accuracy", "f1", "roc_auc", "brier", "average_precision", COST]


# -- the interval of a number ------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_interval_of_a_number_is_that_of_the_evaluation(two, name):
    ev = two.model("a")
    assert tm.interval(name, ev) == ev.value(name)
    wide = tm.interval(name, ev, level=0.99)
    assert wide.low < ev.value(name).low
    assert wide.level == 0.99


def test_parameters_and_averages_are_those_of_the_statistic():
    y = [0, 1, 2] * 40
    ev = tm.evaluate(y, {m: y[i:] + y[:i] for i, m in enumerate("ab")}).model("a")
    assert tm.interval("fbeta", ev, beta=2, average="macro").definition["params"] == {"beta": 2}
    said = {"a": [0, 1, 1] * 40, "b": [0, 1, 2, 0, 2, 1] * 20}
    both = tm.evaluate(y, said)
    macro, one = (tm.interval("recall", both.model("a"), both.model("b"), **how)
                  for how in ({"average": "macro"}, {"positive": 2}))  # fmt: skip
    assert macro.value == pytest.approx(0)
    assert one.value == pytest.approx(0 - 0.5)
    assert one.high < 0


@pytest.mark.parametrize("name", NAMES)
def test_a_difference_on_the_same_rows_is_that_of_compare(two, name):
    d = tm.interval(name, two.model("a"), two.model("b"))
    metric = name if isinstance(name, str) else name.name
    metric = "f1" if metric == "f1" else metric
    found = two.compare(metric=name, metrics=[name], permutations=0).pairs[0]
    theirs = found.differences[metric]
    sign = 1 if found.first == "a" else -1
    ends = sorted((sign * theirs.low, sign * theirs.high))
    assert (d.low, d.high) == pytest.approx(ends, rel=1e-9, abs=1e-3)
    assert d.value == pytest.approx(sign * theirs.value)
    assert d.method == theirs.method


@pytest.mark.parametrize("name", NAMES)
def test_a_difference_on_other_rows_is_that_of_compare_with(two, other, name):
    d = tm.interval(name, two.model("a"), other)
    metric = name if isinstance(name, str) else name.name
    theirs = two.model("a").compare_with(other, metric=name, metrics=[name]).pairs[0]
    found = theirs.differences[metric]
    assert (d.value, d.low, d.high, d.p_value, d.method) == (
        found.value, found.low, found.high, found.p_value, found.method,
    )  # fmt: skip


def test_one_model_at_two_thresholds_is_on_the_same_rows(two):
    ev = two.model("a")
    d = tm.interval("sensitivity", ev.at(threshold=0.3), ev.at(threshold=0.6))
    assert d.method == "Tango's score"
    assert d.low > 0


def test_intervals_of_several_statistics_hold_at_once_where_that_is_asked(two):
    ev = two.model("a")
    plain = tm.interval(["accuracy", "f1"], ev)
    assert [v.metric for v in plain] == ["accuracy", "f1"]
    both = tm.interval(["accuracy", "f1"], ev, adjust="bonferroni")
    assert both[0] == tm.interval("accuracy", ev, level=0.975)


# -- the test of a number ----------------------------------------------------------------------


def test_a_proportion_is_held_against_a_value_by_the_score_test(two):
    ev = two.model("a")
    share, n = ev["accuracy"].value, ev.rows
    z = (share - 0.7) / math.sqrt(0.7 * 0.3 / n)
    found = tm.test("accuracy", ev, null=0.7)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))
    assert found.name == "accuracy is not 0.7, score test"
    assert found.estimate == ev["accuracy"]
    above = tm.test("accuracy", ev, null=0.7, alternative="greater")
    below = tm.test("accuracy", ev, null=0.7, alternative="less")
    assert above.p_value == pytest.approx(stats.norm.sf(z))
    assert above.p_value + below.p_value == pytest.approx(1)


@pytest.mark.parametrize("name", ["accuracy", "f1", "roc_auc", "brier", COST])
@pytest.mark.parametrize("end", ["low", "high"])
def test_a_null_at_a_bound_has_the_p_value_of_the_level(two, name, end):
    ev = two.model("a")
    null = getattr(ev.value(name), end)
    assert tm.test(name, ev, null=null).p_value == pytest.approx(0.05, rel=1e-6)
    assert tm.test(name, ev, null=ev.value(name).value).p_value == 1


def test_a_test_says_what_it_is_of(two):
    found = tm.test("f1", two.model("a"), null=0.5, alternative="greater")
    assert str(found) == "f1 is above 0.5, one-sided, from its interval: p < 0.0001"
    assert "estimate" not in two.compare(permutations=0).pairs[0].tests[0].to_dict()
    assert found.to_dict()["estimate"]["metric"] == "f1"


def test_a_difference_from_0_has_the_test_of_its_kind(two, other):
    a, b = two.model("a"), two.model("b")
    for name in ("accuracy", "roc_auc", "f1", "average_precision"):
        d = tm.interval(name, a, b)
        found = tm.test(name, a, b)
        assert found.p_value == d.p_value
        assert found.name == f"difference of {name} is not 0, {d.test}"
    assert tm.test("accuracy", a, other).name.endswith("score test of two proportions")


def test_one_sided_tests_of_a_difference_are_halves(two):
    a, b = two.model("a"), two.model("b")
    both = tm.test("roc_auc", a, b).p_value
    assert tm.test("roc_auc", a, b, alternative="greater").p_value == pytest.approx(both / 2)
    assert tm.test("roc_auc", a, b, alternative="less").p_value == pytest.approx(1 - both / 2)


def test_a_margin_asks_for_no_worse_and_for_equivalent(two):
    a, b = two.model("a"), two.model("b")
    d = tm.interval("roc_auc", b, a)
    margin = -d.low  # the bound itself: half of 1 - level beyond it
    found = tm.test("roc_auc", b, a, margin=margin)
    assert found.p_value == pytest.approx(0.025, rel=1e-6)
    assert "is above -" in found.name
    equal = tm.test("roc_auc", b, a, margin=margin, alternative="equivalent")
    assert equal.p_value == pytest.approx(0.025, rel=1e-6)
    assert " and is below " in equal.name
    small = tm.test("roc_auc", b, a, margin=1e-6, alternative="equivalent")
    assert small.p_value > 0.5
    low = tm.test("brier", a, b, margin=0.01)  # no worse is not much higher
    assert "difference of brier is below 0.01" in low.name
    assert low.p_value < 0.001


def test_several_tests_are_corrected_for_their_number(two):
    a, b = two.model("a"), two.model("b")
    names = ["accuracy", "f1", "roc_auc"]
    plain = np.array([t.p_value for t in tm.test(names, a, b, adjust="none")])
    holm = np.array([t.p_value for t in tm.test(names, a, b)])
    bonferroni = np.array([t.p_value for t in tm.test(names, a, b, adjust="bonferroni")])
    assert bonferroni == pytest.approx(np.minimum(3 * plain, 1))
    assert (holm >= plain).all()
    assert (holm <= bonferroni).all()


def test_an_undefined_number_is_not_tested():
    ev = tm.evaluate([0, 0, 1], [0, 0, 0])
    found = tm.test("precision", ev, null=0.5)
    assert math.isnan(found.p_value)
    assert found.reason == ev["precision"].reason
    certain = tm.evaluate([0, 1, 0, 1], y_score=[0.0, 0.0, 0.4, 0.8])
    assert tm.test("log_loss", certain, null=1).reason == "the value is infinite"


# -- refusals ----------------------------------------------------------------------------------


def test_evaluations_that_cannot_be_asked_are_refused(two):
    a = two.model("a")
    y, p = rows(seed=2)
    alone = tm.evaluate(y, y_score=p["a"])
    three = tm.evaluate([0, 1, 2] * 9, [0, 1, 2] * 9)
    text = tm.evaluate(["x", "y"] * 9, ["x", "y"] * 9, positive="y")
    cases = [
        ((two,), "this evaluation holds 2 models"),
        (({"y": y},), r"a is {.*; give an evaluation, such as tm.evaluate\(y_true, y_pred\)"),
        ((alone.at(threshold=0.3), alone), "were not kept side by side; evaluate both together"),
        ((alone, alone), "were not kept side by side"),
        ((a, three), "the first has the classes 0, 1 and the second 0, 1, 2"),
        ((text, tm.evaluate(["x", "y"] * 9, ["x", "y"] * 9, positive="x")),
         "the positive class is 'y' in the first and 'x' in the second"),
        ((a.at(prevalence=0.1), two.model("b")), "the two have different class balances"),
    ]  # fmt: skip
    for evaluations, words in cases:
        with pytest.raises(InputError, match=words):
            tm.interval("accuracy", *evaluations)


def test_arrays_and_swapped_arguments_are_refused_with_a_call_that_works(two):
    y = [0, 1] * 9
    for ask in (tm.interval, tm.test):
        with pytest.raises(InputError) as refused:
            ask("f1", y, y)
        assert str(refused.value) == (
            "a is [0, 1, 0, 1, 0, 1, ...]; give an evaluation, such as tm.evaluate(y_true, y_pred)"
        )
        with pytest.raises(InputError, match=r"^statistic is <Evaluation: .*") as refused:
            ask(two, "f1")
        assert str(refused.value).endswith(
            "; give a metric by its name, such as 'f1', or metrics by their names, such as "
            "['f1', 'mcc']"
        )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "a single number is tested against a value: give null"),
        ({"null": 1.0}, "null is 1; f1 lies between 0 and 1, give a number inside"),
        ({"null": 0.0}, "null is 0; f1 lies between 0 and 1, give a number inside"),
        ({"null": 0.5, "margin": 0}, "margin is 0; give a number above 0"),
        ({"null": 0.5, "alternative": "more"}, "alternative is 'more'"),
        ({"null": 0.5, "alternative": "equivalent"}, "alternative='equivalent' needs a margin"),
        ({"null": 0.5, "alternative": "less", "margin": 0.1},
         "alternative='less' does not take a margin"),
        ({"null": 0.5, "adjust": "tukey"}, "adjust is 'tukey'"),
    ],
)  # fmt: skip
def test_questions_that_are_none_are_refused(two, options, words):
    with pytest.raises(InputError, match=words):
        tm.test("f1", two.model("a"), **options)


def test_what_has_no_direction_is_not_called_no_worse(two):
    with pytest.raises(
        InputError, match="prevalence does not rank models: neither high nor low is better; say alt"
    ):
        tm.test("prevalence", two.model("a"), two.model("b"), margin=0.1)
    with pytest.raises(InputError, match="adjust is 'holm'"):
        tm.interval("f1", two.model("a"), adjust="holm")


# -- numbers computed apart, at no symmetric point ----------------------------------------------

RIGHT = ((SECOND >= 0.5) == ILL).mean()


@pytest.fixture(scope="module")
def uneven():
    """Return two models at a level of 0.8: the second one leads."""
    return tm.evaluate(TRUTH, y_score=MODELS, positive="ill", level=LEVEL)


def by_bounds(v, null, scale=lambda x: x):
    """Return the two-sided p-value of a null from the bound on its side."""
    at, low, high, zero = map(scale, (v.value, v.low, v.high, null))
    errors = (at - low if zero < at else high - at) / Z
    return 2 * stats.norm.sf(abs(at - zero) / errors)


def odds_in(low, high):
    return lambda x: math.log((x - low) / (high - x))


def test_a_test_from_the_interval_stands_on_the_logit_scale_of_a_bounded_range(uneven):
    ev = uneven.model("second")
    for metric, nulls, scale in (
        ("f1", (0.75, 0.82), odds_in(0, 1)),
        ("mcc", (0.75, 0.82), odds_in(-1, 1)),
        (COST, (0.05, 0.15), odds_in(0, 5)),
        ("roc_auc", (0.96, 0.98), odds_in(0, 1)),
        ("log_loss", (0.2, 0.3), lambda x: x),
    ):
        v = ev.value(metric)
        for null in nulls:
            p = by_bounds(v, null, scale)
            assert tm.test(metric, ev, null=null).p_value == pytest.approx(p), (metric, null)
            half = p / 2 if v.value > null else 1 - p / 2
            sides = {"greater": half, "less": 1 - half}
            for side, one in sides.items():
                found = tm.test(metric, ev, null=null, alternative=side)
                assert found.p_value == pytest.approx(one), (metric, null, side)


def test_a_proportion_below_its_null_is_less_with_half_the_p_value(uneven):
    ev = uneven.model("second")
    for null in (0.95, 0.97):
        z = (RIGHT - null) / math.sqrt(null * (1 - null) / 1000)
        for side, p in (
            ("greater", stats.norm.sf(z)),
            ("less", stats.norm.cdf(z)),
            (None, 2 * stats.norm.sf(abs(z))),
        ):
            found = tm.test("accuracy", ev, null=null, alternative=side)
            assert found.p_value == pytest.approx(p), (null, side)
            assert not found.p_at_most
    assert tm.test("accuracy", ev, null=0.97, alternative="less").name == (
        "accuracy is below 0.97, one-sided, score test"
    )
    of_ill = tm.test("sensitivity", ev, null=0.7)
    assert of_ill.p_value == pytest.approx(2 * stats.norm.sf(0.12 / math.sqrt(0.21 / 100)))


def test_a_margin_of_a_number_stands_on_the_side_of_its_null(uneven):
    ev = uneven.model("second")

    def score(null):
        return stats.norm.sf((RIGHT - null) / math.sqrt(null * (1 - null) / 1000))

    worse = tm.test("accuracy", ev, null=0.97, margin=0.02)
    assert worse.p_value == pytest.approx(score(0.95))
    assert worse.name == "accuracy is above 0.95, one-sided, score test"
    both = tm.test("accuracy", ev, null=0.97, margin=0.02, alternative="equivalent")
    assert both.p_value == pytest.approx(max(score(0.95), 1 - score(0.99)))
    assert both.name == "accuracy is above 0.95 and is below 0.99, one-sided, score test"
    nearer = tm.test("accuracy", ev, null=0.95, margin=0.02, alternative="equivalent")
    assert nearer.p_value == pytest.approx(max(score(0.93), 1 - score(0.97)))
    loss = tm.test("log_loss", ev, null=0.2, margin=0.03)
    assert loss.name == "log_loss is below 0.23, one-sided, from its interval"
    v = ev["log_loss"]
    p = by_bounds(v, 0.23) / 2
    assert loss.p_value == pytest.approx(p if v.value < 0.23 else 1 - p)


def test_a_difference_takes_the_level_of_the_first_and_its_own_test(uneven):
    second, first = uneven.model("second"), uneven.model("first")
    d = tm.interval("roc_auc", second, first)
    lead = area(SECOND) - area(FIRST)
    assert d.value == pytest.approx(lead)
    assert d.level == LEVEL
    wide = tm.interval("roc_auc", second, first, level=0.99)
    assert wide.level == 0.99
    assert wide.low < d.low < lead < d.high < wide.high
    back = tm.test("roc_auc", first, second, alternative="less", null=-0.09)
    # The p-value of any null is that of the interval which ends there.
    ends = tm.interval("roc_auc", second, first, level=1 - 2 * back.p_value)
    assert ends.low == pytest.approx(0.09, abs=1e-6)
    assert back.name == "difference of roc_auc is below -0.09, one-sided, from its interval"
    tested = tm.test("roc_auc", second, first, alternative="greater")
    assert tested.p_value == pytest.approx(d.p_value / 2)
    assert 0 < d.p_value < 1e-6
    assert tested.name.startswith("difference of roc_auc is above 0, one-sided, DeLong")


def test_resamples_show_no_smaller_p_value_than_their_number_allows(uneven):
    ev = uneven.model("second")
    v = ev["geometric_mean"]
    assert "draws" in v.method
    beyond = tm.test("geometric_mean", ev, null=0.05)
    least = beyond.p_value
    assert beyond.p_at_most
    assert str(beyond) == "geometric_mean is not 0.05, from its interval: p ≤ 0.002"
    assert least == pytest.approx(2 / 1001)
    assert by_bounds(v, 0.05, odds_in(0, 1)) < least
    half = tm.test("geometric_mean", ev, null=0.05, alternative="greater")
    assert half.p_value == pytest.approx(least / 2)
    assert half.p_at_most
    other = tm.test("geometric_mean", ev, null=0.05, alternative="less")
    assert other.p_value == pytest.approx(1 - least / 2)
    assert not other.p_at_most
    near = tm.test("geometric_mean", ev, null=v.low)
    assert near.p_value == pytest.approx(1 - LEVEL)
    assert not near.p_at_most
    three = tm.test(["geometric_mean", "f1"], ev, null=0.05, adjust="bonferroni")
    assert three[0].p_value == pytest.approx(2 * least)
    assert three[0].p_at_most
    names = ["geometric_mean"] * 600
    many = tm.test(names, ev, null=0.05, adjust="bonferroni")[0]
    assert (many.p_value, many.p_at_most) == (1, False)


def test_one_model_at_two_thresholds_is_judged_row_by_row(uneven):
    ev = uneven.model("second")
    d = tm.interval("accuracy", ev.at(threshold=0.3), ev.at(threshold=0.6))
    low, high = (((t <= SECOND) == ILL) for t in (0.3, 0.6))
    assert d.value == pytest.approx(low.mean() - high.mean())
    tested = tm.test("accuracy", ev.at(threshold=0.3), ev.at(threshold=0.6))
    only_low, only_high = (low & ~high).sum(), (high & ~low).sum()
    assert (only_low, only_high) != (0, 0)
    z = (only_low - only_high) / math.sqrt(only_low + only_high)
    p = 2 * stats.norm.sf(abs(z))
    exact = 2 * stats.binom.cdf(min(only_low, only_high), only_low + only_high, 0.5)
    assert min(abs(tested.p_value - p), abs(tested.p_value - exact), 1) < 0.25 * p + 1e-6
    assert "McNemar" in tested.name


def test_differences_at_another_prevalence_are_those_of_compare(uneven):
    there = uneven.at(prevalence=0.3)
    found = there.compare(metric="roc_auc", metrics=["accuracy"], permutations=0).pairs[0]
    theirs = found.differences["accuracy"]
    d = tm.interval("accuracy", there.model(found.first), there.model(found.second))
    assert (d.value, d.low, d.high) == pytest.approx((theirs.value, theirs.low, theirs.high))
    rates = [0.3 * (s[ILL] >= 0.5).mean() + 0.7 * (s[~ILL] < 0.5).mean() for s in (SECOND, FIRST)]
    assert abs(d.value) == pytest.approx(rates[0] - rates[1])


def test_rows_with_several_labels_are_paired_where_they_are_the_same():
    y = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]] * 10)
    said = {"a": np.where(np.arange(40)[:, None] % 5 == 0, 1 - y, y), "b": y}
    ev = tm.evaluate(y, said)
    d = tm.interval("subset_accuracy", ev.model("a"), ev.model("b"))
    assert d.value == pytest.approx(-0.2)
    assert "not kept side by side" not in (d.method or "")
    theirs = ev.compare(metric="subset_accuracy", metrics=["subset_accuracy"]).pairs[0]
    assert abs(d.low) in (pytest.approx(abs(x)) for x in _ends(theirs, "subset_accuracy"))
    other = tm.evaluate(y, {"a": said["a"]})
    apart = tm.interval("subset_accuracy", other, ev.model("b"))
    assert apart.value == pytest.approx(-0.2)
    assert apart.method != d.method


def _ends(pair, metric):
    d = pair.differences[metric]
    return d.low, d.high
