"""What is said of two samples: their names, what does not go together, and what else differs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import tallymark as tm
from tallymark.infer.two_samples import rows_of_each

DECIDED = ["accuracy", "sensitivity", "precision"]


def of_counts(tp, fn, fp, tn, weight=None, name="", **options):
    """Return the evaluation of four counts of rows, each row of a weight by its true class."""
    y = np.repeat([1, 1, 0, 0], [tp, fn, fp, tn])
    called = np.repeat([1, 0, 1, 0], [tp, fn, fp, tn])
    given = {} if weight is None else {"weight": np.where(y == 1, weight[0], weight[1])}
    more = {"options": {"name": name}} if name else {}
    return tm.evaluate(y, called, positive=1, **given, **more, **options)


def notes(first, second, metrics=("sensitivity",), **options):
    return first.compare_with(second, metrics=list(metrics), metric="sensitivity", **options).notes


OTHERS = "; set the same prevalence with at(prevalence=...), or use other metrics"


def test_another_class_balance_is_told_with_all_that_it_moves():
    first, second = of_counts(40, 20, 10, 130, name="old"), of_counts(60, 30, 15, 45, name="new")
    said = "1 makes up 0.3 of the rows in old and 0.6 in new"
    assert notes(first, second, ["sensitivity"]) == (said,)
    assert notes(first, second, ["sensitivity", "specificity", "youden_j"]) == (said,)
    assert notes(first, second, ["precision", "sensitivity"]) == (
        f"{said}: precision differs for that reason alone{OTHERS}",
    )
    assert notes(first, second, ["precision", "accuracy", "sensitivity", "f1"]) == (
        f"{said}: precision, accuracy, F1 differ for that reason alone{OTHERS}",
    )
    assert notes(second, first) == ("1 makes up 0.6 of the rows in new and 0.3 in old",)
    unnamed = of_counts(40, 20, 10, 130), of_counts(60, 30, 15, 45)
    assert notes(*unnamed) == ("1 makes up 0.3 of the rows in first and 0.6 in second",)
    assert notes(*unnamed, called=("May", "June")) == (
        "1 makes up 0.3 of the rows in May and 0.6 in June",
    )


@pytest.mark.slow
def test_of_more_classes_the_share_that_is_furthest_apart_is_told():
    def made(*support):
        y = np.repeat(list("abc"), support)
        return tm.evaluate(y, np.roll(y, 7))

    first, second = made(100, 60, 40), made(110, 20, 70)
    assert (
        first.compare_with(second, metrics=["accuracy"])
        .notes[0]
        .startswith("b makes up 0.3 of the rows in first and 0.1 in second: ")
    )
    first, second = made(100, 45, 55), made(100, 20, 80)
    assert (
        first.compare_with(second, metrics=["accuracy"])
        .notes[0]
        .startswith("b makes up 0.225 of the rows in first and 0.1 in second")
    )


def test_shares_are_told_from_where_chance_explains_them_in_one_of_twenty_samples():
    chances = {
        k: chi2_contingency([[60, 140], [k, 280 - k]], correction=False).pvalue
        for k in range(50, 130)
    }
    edges = [(k, k + 1) for k in range(50, 129) if (chances[k] < 0.05) != (chances[k + 1] < 0.05)]
    assert len(edges) == 2  # too few, then alike, then too many
    for k in itertools.chain(*edges):
        first, second = of_counts(50, 10, 20, 120), of_counts(k - 9, 9, 30, 250 - k)
        assert bool(notes(first, second)) == (chances[k] < 0.05), k


def test_weighted_rows_count_as_the_rows_that_they_are_worth():
    # 120 rows of weights 3 and 1: by Kish fewer than 120 where weights vary inside a class.
    rng = np.random.default_rng(4)
    for factor in (1, 8):
        w = rng.exponential(size=90) ** factor + 0.01
        y = np.repeat([1, 0], [30, 60])
        first = tm.evaluate(y, np.roll(y, 4), weight=w, positive=1)
        second = of_counts(25, 5, 20, 10)
        worth = [w[y == k].sum() ** 2 / (w[y == k] ** 2).sum() for k in (0, 1)]
        share = w[y == 1].sum() / w.sum()
        n = sum(worth) if len(worth) else 0
        table = np.array([[1 - share, share], [0.5, 0.5]]) * [[n], [60]]
        p = chi2_contingency(table, correction=False).pvalue
        assert bool(notes(first, second)) == (p < 0.05), factor


def test_a_balance_that_was_set_is_compared_as_it_is():
    first, second = of_counts(40, 20, 10, 130), of_counts(60, 30, 15, 45)
    assert notes(first.at(prevalence=0.2), second.at(prevalence=0.2), DECIDED) == ()
    assert notes(first.at(prevalence=0.2), second.at(prevalence=0.21), ["sensitivity"]) == (
        "1 makes up 0.2 of the rows in first and 0.21 in second",
    )
    # One that was set beside one that was sampled: 0.31 may be chance on 200 rows.
    assert notes(first.at(prevalence=0.31), of_counts(40, 20, 10, 130)) == ()


def test_thresholds_are_told_where_they_differ():
    y, p = np.repeat([0, 1], 40), np.tile(np.linspace(0.05, 0.95, 40), 2)

    def side(threshold, name="net", **options):
        return tm.evaluate(y, y_score={name: p}, threshold=threshold, positive=1, **options)

    assert notes(side(0.31), side(0.42)) == (
        "net decides at 0.31 in first and at 0.42 in second: this changes its decisions too; give "
        "one threshold",
    )
    assert notes(side(0.31), side(0.31)) == ()
    assert notes(side(0.31), side(0.42, "other")) == ()  # not the same model


def test_models_of_one_side_alone_are_left_out_by_name():
    y = [0, 1] * 20
    first = tm.evaluate(y, {"a": y, "b": y, "c": y}, positive=1, options={"name": "x"})
    second = tm.evaluate(y, {"d": y, "b": y}, positive=1, options={"name": "y"})
    found = first.compare_with(second, metrics=["accuracy"])
    assert [(p.first, p.second) for p in found.pairs] == [("b (x)", "b (y)")]
    assert found.notes[0] == "left out, on one side only: a (x), c (x), d (y)"


def test_what_does_not_go_together_word_by_word():
    y = ["a", "b"] * 20
    ab = tm.evaluate(y, y, positive="b", options={"name": "x"})
    ba = tm.evaluate(y, y, positive="a", options={"name": "y"})
    many = [tm.evaluate(list("abcdefg") * 3, list("abcdefg") * 3, classes=list(k),
                        options={"name": k}) for k in ("abcdefg", "gfedcba")]  # fmt: skip
    marks = tm.evaluate([[0, 1], [1, 0]] * 9, [[0, 1], [1, 1]] * 9, options={"name": "tags"})
    two = tm.evaluate(y, {"m": y, "n": y}, positive="b", options={"name": "z"})
    cases = [
        (ab, ba, "the positive class is 'b' in x and 'a' in y; give evaluate() the same "
         "positive=... for both"),
        (*many, "abcdefg has the classes 'a', 'b', 'c', 'd', 'e' and 2 more and gfedcba 'g', 'f', "
         "'e', 'd', 'c' and 2 more; give evaluate() the same classes=... for both"),
        (ab, ab, "both sides are the same rows; use compare(), which is more precise for models on "
         "the same rows"),
        (ab, marks, "tags has several labels a row and the other one class; compare one label, "
         "ev.label(...), with it"),
        (marks, ab, "tags has several labels a row and the other one class; compare one label, "
         "ev.label(...), with it"),
        (two, ab, "no model has the same name on both sides ('m', 'n' in z, 'model' in x); use the "
         "same name, or choose one per side with .model(name)"),
    ]  # fmt: skip
    for first, second, told in cases:
        with pytest.raises(tm.InputError) as refused:
            first.compare_with(second)
        assert str(refused.value) == told
    turned = tm.evaluate(y, y, positive="b", classes=["b", "a"], options={"name": "t"})
    assert ab.compare_with(turned, metrics=["accuracy"]).pairs  # the order of two says nothing
    for called in (("a",), ("a", "a"), ("a", "b", "c"), "ab"):
        with pytest.raises(tm.InputError) as refused:
            ab.compare_with(ab.at(prevalence=0.3), called=called)
        assert str(refused.value) == (
            f"called is {called!r}; give two different names, such as ('a', 'b')"
        )


def test_rows_of_each_side_give_the_error_of_both():
    # With errors 0.03 on 300 rows and 0.05 on 150: n rows each have (0.03² 300 + 0.05² 150) / n.
    n = (0.03**2 * 300 + 0.05**2 * 150) / (0.03**2 + 0.05**2)
    assert rows_of_each((300, 150), (0.03, 0.05)) == pytest.approx(n)
    for widths in ((0.0, 0.0), (float("nan"), 0.1)):
        assert rows_of_each((300, 100), widths) == pytest.approx(150)
