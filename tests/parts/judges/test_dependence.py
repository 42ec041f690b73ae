"""Whether a judge's errors depend on order, length or the model that it judged."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from tallymark.quantities import to_width

NAMES = {"truth": "t", "judge": "j"}


def rows_of(seed=0, n=1200, labels=400, classes=2, worse=0.25):
    """Return rows whose judge favours the last class where it saw the answer first."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, classes, n)
    shown, length = rng.choice(["first", "second"], n), rng.integers(10, 300, n).astype(float)
    judge = np.where(rng.random(n) < 0.9, true, rng.integers(0, classes, n))
    judge = np.where((shown == "first") & (rng.random(n) < worse), classes - 1, judge)
    known = np.full(n, np.nan)
    known[:labels] = true[:labels]
    return {"t": known, "j": judge, "shown": shown, "words": length}


def words(found):
    return " ".join(str(found).split())


def test_errors_are_the_judges_share_minus_the_corrected_one():
    rows = rows_of()
    found = tm.few_labels(rows, order="shown", positive=1, **NAMES).dependence[0]
    assert (found.of, found.column) == ("order", "shown")
    assert found.groups == ("shown = first", "shown = second")
    for group, error in zip(("first", "second"), found.errors, strict=True):
        mine = {k: v[rows["shown"] == group] for k, v in rows.items()}
        share = tm.few_labels(mine, positive=1, **NAMES).shares[1]
        assert error.value == pytest.approx(share.judge_as_truth - share.value.value, abs=1e-12)
        assert error.low < error.value < error.high
    first, second = found.errors
    assert found.difference.value == pytest.approx(first.value - second.value)
    # The draws of both groups are independent.
    assert found.difference.se == pytest.approx(np.hypot(first.se, second.se), rel=0.05)


def test_a_judge_that_favours_what_it_saw_first_is_found():
    printed = words(tm.few_labels(rows_of(), order="shown", length="words", positive=1, **NAMES))
    assert "j says 1 too often by " in printed
    assert " points where shown = first and too " in printed
    assert "Its errors depend on the order." in printed
    assert "Its errors are not shown to depend on the length." in printed
    fair = tm.few_labels(rows_of(worse=0), order="shown", positive=1, **NAMES)
    assert "Its errors are not shown to depend on the order." in words(fair)
    low, high = (getattr(fair.dependence[0].difference, n) for n in ("low", "high"))
    assert low < 0 < high


def test_long_rows_are_those_above_the_median():
    rows = rows_of()
    by_length = tm.few_labels(rows, length="words", positive=1, **NAMES).dependence[0]
    middle = f"{np.median(rows['words']):g}"
    long = np.where(rows["words"] > np.median(rows["words"]), "long", "short")
    by_order = tm.few_labels({**rows, "long": long}, order="long", positive=1, **NAMES)
    assert by_length.groups[0].startswith(f"words > {middle}")
    assert by_length.difference.value == pytest.approx(by_order.dependence[0].difference.value)


def test_of_more_classes_errors_are_how_often_the_judge_is_wrong():
    rows = rows_of(classes=3)
    found = tm.few_labels(rows, order="shown", **NAMES)
    mine = {k: v[rows["shown"] == "first"] for k, v in rows.items()}
    right = tm.few_labels(mine, **NAMES).judge[0]
    wrong = found.dependence[0].errors[0]
    assert wrong.value == pytest.approx(1 - right.value)
    assert f"j is wrong in {100 * wrong.value:.1f} % of rows where shown = first and in" in words(
        found
    )


def test_the_judges_sensitivity_to_each_class():
    rows = rows_of(classes=3, labels=600)
    found = tm.few_labels(rows, **NAMES)
    of = {v.definition.get("positive"): v for v in found.judge if v.metric == "sensitivity"}
    known = ~np.isnan(rows["t"])
    weights = np.array([
        (rows["j"] == j).sum() / (known & (rows["j"] == j)).sum() for j in rows["j"]
    ])  # fmt: skip
    for label in range(3):
        mine = known & (rows["t"] == label)
        expected = weights[mine & (rows["j"] == label)].sum() / weights[mine].sum()
        assert of[label].value == pytest.approx(expected)
        assert of[label].low < expected < of[label].high
        assert f"Sensitivity of {label} 0." in words(found)


def test_the_judge_by_the_model_that_it_judged():
    rows = rows_of()
    rows["model"] = rows["shown"]
    found = tm.few_labels(rows, subgroup="model", positive=1, **NAMES)
    printed = words(found)
    for name, part in found.subgroups.items():
        accuracy = part.judge[0]
        value, low, _ = to_width(accuracy.value, accuracy.low, accuracy.high)
        assert f"{name} {value} ({low} to " in printed
    first, second = found.subgroups.values()
    assert first.judge[3].value < second.judge[3].value  # specificity


@pytest.mark.parametrize(
    ("changes", "named", "sentence"),
    [
        ({"shown": "third"}, {"order": "shown"},
         "shown has the values 'first', 'second', 'third'; order is a column with two values, such "
         "as which answer the judge saw first"),
        ({}, {"length": "one"},
         "one has no rows above its median; length is a column of numbers that vary"),
    ],
)  # fmt: skip
def test_refusals(changes, named, sentence):
    rows = {**rows_of(), "one": np.ones(1200)}
    rows["shown"] = rows["shown"].astype(object)
    for name, value in changes.items():
        rows[name][0] = value
    with pytest.raises(tm.InputError) as refused:
        tm.few_labels(rows, **named, **NAMES)
    assert str(refused.value) == sentence


def test_few_labels_of_one_order_are_not_tested():
    rows = rows_of()
    gone = np.flatnonzero((rows["shown"] == "second") & ~np.isnan(rows["t"]))
    rows["t"][gone[4:]] = np.nan
    found = tm.few_labels(rows, order="shown", positive=1, **NAMES)
    assert found.dependence == ()
    assert {f.rule: f.text for f in found.notes}["judge-not-tested"] == (
        "whether the judge depends on the order is not tested: shown = second has 4 labelled rows. "
        "Label at least 10 rows of each side"
    )
