"""What scores mean: of which class they are and in which order, held to the decisions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallymark as tm
from remedies import calls
from tallymark.reading.meaning import (
    FEWEST,
    adds_up,
    cut_class,
    fits,
    never_below_chance,
    order_by_decisions,
)

N = 100
RNG = np.random.default_rng(7)
Y = RNG.integers(0, 2, N)
P = (0.3 * Y + 0.7 * RNG.random(N)).round(4)
LOW = np.array([0.1, 0.2] * FEWEST)
DECIDED = np.array([0, 1] * FEWEST)


def test_a_threshold_tells_the_class_only_of_enough_rows():
    assert (cut_class(LOW, DECIDED), cut_class(-LOW, DECIDED)) == (1, 0)
    few = FEWEST - 1
    assert cut_class(LOW[:few], DECIDED[:few]) is None
    assert cut_class(LOW, np.zeros(len(LOW), int)) is None
    assert cut_class(LOW, DECIDED, 3) is None
    mixed = DECIDED.copy()
    mixed[:2] = 1, 0
    assert cut_class(LOW, mixed) is None


def test_the_highest_score_tells_the_order():
    matrix = np.tile(np.eye(3), (FEWEST, 1))
    turned = np.tile([2, 0, 1], FEWEST)
    assert order_by_decisions(matrix, turned, 3) == [1, 2, 0]
    assert order_by_decisions(matrix, np.tile([0, 1, 1], FEWEST), 3) is None
    seen = turned != 2
    assert order_by_decisions(matrix[seen], turned[seen], 3) == [1, 2, None]


def test_rounding_leaves_shares_and_chance_as_they_are():
    assert adds_up(np.array([[0.1, 0.9 + 1e-9], [np.nan, 0.5]]))
    assert not adds_up(np.array([[0.1, 0.8]]))
    assert adds_up(np.array([[30.0, 70.0]]), 100.0)
    assert never_below_chance(0.4996, 1.0, 2) == 1.0
    assert never_below_chance(0.49, 1.0, 2) is None
    assert never_below_chance(0.7, 0.7, 2) is None


def test_the_direction_of_a_lone_score_is_asked_in_tables_and_said_of_arrays():
    frame = pd.DataFrame({"label": Y, "score": 1 - P})
    with pytest.raises(
        tm.InputError, match="whether high or low values of score speak for '1'"
    ) as asked:
        tm.evaluate(frame)
    turned, kept = calls(str(asked.value))
    assert (turned, kept) == ({"score_of": "0"}, {"reading": {"score_is": "score"}})
    area = tm.evaluate(Y, y_score=P)["roc_auc"].value
    assert tm.evaluate(frame, **turned)["roc_auc"].value == pytest.approx(area)
    assert tm.evaluate(frame, **kept)["roc_auc"].value == pytest.approx(1 - area)
    assert tm.evaluate(Y, y_score=1 - P)["roc_auc"].value == pytest.approx(1 - area)
    distances = frame.assign(score=50 - 20 * P)
    with pytest.raises(tm.InputError, match="nothing says whether high or low") as asked:
        tm.evaluate(distances)
    assert calls(str(asked.value)) == [
        {"reading": {"score_is": "lower"}},
        {"reading": {"score_is": "score"}},
    ]
    assert tm.evaluate(distances, reading={"score_is": "lower"})["roc_auc"].value == pytest.approx(
        area
    )


def test_the_direction_of_arrays_is_asked_where_names_alone_say_which_class_is_positive():
    y = np.where(Y == 1, "good", "bad")
    why = (
        "nothing says whether high or low values of y_score speak for 'bad' (as they stand, the "
        "ROC area is {area:.3f}); say tm.evaluate(..., positive='good') or tm.evaluate(..., {turn})"
        " or tm.evaluate(..., positive='bad')"
    )
    area = tm.evaluate(Y, y_score=P)["roc_auc"].value
    for scores, turn in ((P, "score_of='good'"), (3 + P, "reading={'score_is': 'lower'}")):
        with pytest.raises(tm.InputError) as asked:
            tm.evaluate(y, y_score=scores)
        assert str(asked.value) == why.format(area=1 - area, turn=turn)
        areas = [
            tm.evaluate(y, y_score=scores, **call)["roc_auc"].value
            for call in calls(str(asked.value))
        ]
        assert areas == pytest.approx([area, area, 1 - area])
    with pytest.raises(tm.InputError) as asked:
        tm.evaluate(y, y_score={"a": P, "b": 1 - P})
    assert str(asked.value).endswith(
        "; say tm.evaluate(..., positive='good') or tm.evaluate(..., positive='bad')"
    )
    assert tm.evaluate(y, y_score=1 - P)["roc_auc"].value == pytest.approx(area)


def test_two_columns_that_do_not_add_up_are_asked_about():
    frame = pd.DataFrame({"label": Y, "p_0": (1 - P) / 2, "p_1": P})
    with pytest.raises(tm.InputError, match="do not add up to 1 in each row") as asked:
        tm.evaluate(frame)
    choices = calls(str(asked.value))
    assert {"reading": {"score_is": "logit"}} in choices
    assert {"score": "p_1"} in choices
    assert tm.evaluate(frame, score="p_1")["roc_auc"] == tm.evaluate(Y, y_score=P)["roc_auc"]
    both = tm.evaluate(frame, reading={"score_is": "logit"})["roc_auc"].value
    assert both == tm.evaluate(Y, y_score=P - (1 - P) / 2)["roc_auc"].value


def test_columns_that_some_are_negative_are_logits_unless_said():
    logits = RNG.normal(size=(N, 3))
    truth = np.array(list("abc"))[(logits + RNG.normal(size=(N, 3))).argmax(1)]
    frame = pd.DataFrame({"label": truth, **{f"p_{c}": logits[:, i] for i, c in enumerate("abc")}})
    shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    ev, raw = tm.evaluate(frame), tm.evaluate(frame, reading={"score_is": "score"})
    wanted = tm.evaluate(truth, y_score=shares)
    assert ev["roc_auc"].value == pytest.approx(wanted["roc_auc"].value)
    assert ev["log_loss"].value == pytest.approx(wanted["log_loss"].value)
    assert "softmax of `p_a`, `p_b`, `p_c`" in ev.source.sentence
    assert raw["accuracy"] == ev["accuracy"]
    assert raw["roc_auc"].value != ev["roc_auc"].value


def test_scores_that_are_never_low_beside_no_prediction_are_asked_about():
    frame = pd.DataFrame({"label": Y, "score": np.maximum(P, 1 - P)})
    with pytest.raises(tm.InputError, match="'score' is never below chance, as the prob") as asked:
        tm.evaluate(frame)
    choices = calls(str(asked.value))
    told = {"truth": "label", "score": "score"}
    assert choices == [{**told, "score_of": of} for of in ("1", "0")]
    areas = [tm.evaluate(frame, **say)["roc_auc"].value for say in choices]
    assert sum(areas) == pytest.approx(1)
    with pytest.raises(
        tm.InputError, match="whatever class was predicted, which no column"
    ) as asked:
        tm.evaluate(frame["label"], y_score=frame["score"])
    assert calls(str(asked.value)) == [{"score_of": of} for of in ("1", "0")]
    beside = frame.assign(pred=(P >= 0.5).astype(int))
    ev = tm.evaluate(beside)
    assert ev["roc_auc"].value == pytest.approx(tm.evaluate(Y, y_score=P)["roc_auc"].value)
    assert (
        "`score` is the probability of the predicted class: never below 0.5" in ev.source.sentence
    )


def test_batches_of_columns_that_are_no_probabilities_are_refused():
    for scores, words in (
        (
            [[-1.0, 2.0], [1.0, 0.5]],
            "outside 0 to 1; give probabilities, such as the softmax of logits",
        ),
        (
            [[0.5, 0.9], [0.2, 0.3]],
            "do not add up to 1 in each row; give the score of the positive",
        ),
    ):
        with pytest.raises(tm.InputError, match=words):
            tm.Tallier().update([0, 1], y_score=scores)


# -- evidence against an order, a numbering, a class -----------------------------------------------

K = 3
CODES = RNG.integers(0, K, N)
SHARES = np.exp(RNG.normal(size=(N, K)) + 2 * np.eye(K)[CODES])
SHARES /= SHARES.sum(1, keepdims=True)
ACCURACY = float((SHARES.argmax(1) == CODES).mean())


def asked(*data, **say):
    with pytest.raises(tm.InputError) as caught:
        tm.evaluate(*data, **say)
    return str(caught.value)


def test_a_probability_of_the_predicted_class_at_another_threshold():
    p = 1 / (1 + np.exp(-3 * RNG.normal(size=200) - 0.5))
    y = (RNG.random(200) < p).astype(int)
    called = (p >= 0.3).astype(int)
    frame = pd.DataFrame({"label": y, "pred": called, "score": np.where(called, p, 1 - p)})
    ev = tm.evaluate(frame)
    assert ev.reading.meanings == {"score_of": "prediction"}
    assert ev["roc_auc"].value == pytest.approx(tm.evaluate(y, y_score=p)["roc_auc"].value)
    assert tm.evaluate(frame.assign(score=p))["roc_auc"].value == ev["roc_auc"].value


@pytest.mark.parametrize("given", ["LABEL_{}", "{}"])
def test_predictions_numbered_from_0_beside_classes_from_1(given):
    true = CODES + 1
    said = [given.format(k) for k in np.where(RNG.random(N) < 0.8, CODES, 0)]
    said = said if "_" in given else [int(s) for s in said]
    told = asked(pd.DataFrame({"label": true, "prediction": said}))
    assert told.startswith("label is numbered from 1 and prediction from 0, and they agree in ")
    assert told.endswith(" if prediction + 1 is meant; number both alike")
    assert tm.evaluate(true, true).rows == N
    large = tm.evaluate([1, 1, 1, 1, -1], [1, 1, 2**64 - 1, 1, 1])
    assert large.classes == (-1, 1, 2**64 - 1)


def test_scores_sorted_in_every_row_are_of_no_classes():
    sorted_ = -np.sort(-SHARES, 1)
    told = "fall from the first to the last in every row, so they are those of each row's likeliest"
    assert told in asked(CODES, y_score=sorted_)
    frame = pd.DataFrame({"label": CODES, **{f"p_{k}": sorted_[:, k] for k in range(K)}})
    assert told in asked(frame)
    assert told in asked({"label": CODES, "scores": sorted_})


def test_columns_that_fit_the_classes_in_another_order_are_asked_about():
    names = np.array(["world", "sports", "business"])
    told = asked(names[CODES], y_score=SHARES)
    assert "less than always saying the largest class" in told
    first, as_they_are = calls(told)
    assert first == {"score_of": ["world", "sports", "business"]}
    assert tm.evaluate(names[CODES], y_score=SHARES, **first)["accuracy"].value == ACCURACY
    assert tm.evaluate(names[CODES], y_score=SHARES, **as_they_are)["accuracy"].value < 0.5
    assert tm.evaluate(CODES, y_score=SHARES)["accuracy"].value == ACCURACY


def test_columns_that_would_add_a_class_are_several_scores():
    frame = pd.DataFrame({"label": Y, "prob_0": P, "prob_1": P**2, "prob_2": P**3})
    told = asked(frame)
    assert "several columns could be the score: 'prob_0', 'prob_1', 'prob_2'" in told
    for say in calls(told):
        assert tm.evaluate(frame, **say).classes == (0, 1)


def test_the_order_of_two_columns_is_asked_once():
    words = np.where(Y, "positive", "negative")
    both = np.column_stack([P, 1 - P])
    right = tm.evaluate(Y, y_score=P)["roc_auc"].value
    frame = pd.DataFrame({"label": words, "p_0": P, "p_1": 1 - P})
    for data, more in (((words,), {"y_score": both}), ((frame,), {})):
        turned, stays = calls(asked(*data, **more))
        assert turned == {"score_of": ["positive", "negative"]}
        assert tm.evaluate(*data, **more, **turned)["roc_auc"].value == pytest.approx(right)
        assert tm.evaluate(*data, **more, **stays)["roc_auc"].value == pytest.approx(1 - right)


def test_a_0_in_the_name_of_a_lone_score_is_a_class_only_where_the_rows_agree():
    right = tm.evaluate(Y, y_score=P)["roc_auc"].value
    of_0 = tm.evaluate(pd.DataFrame({"label": Y, "prob_0": 1 - P}))
    assert of_0["roc_auc"].value == pytest.approx(right)
    frame = pd.DataFrame({"label": Y, "prob_0": P})
    turned, stays = calls(asked(frame))
    assert (turned, stays) == ({"score_of": "1"}, {"score_of": "0"})
    assert tm.evaluate(frame, **turned)["roc_auc"].value == pytest.approx(right)
    first = tm.evaluate(pd.DataFrame({"label": Y, "output_0": P}))
    assert first["roc_auc"].value == pytest.approx(right)


def test_few_rows_do_not_tell_a_0_from_a_number():
    y, p = Y[:40], (0.1 * Y[:40] + 0.9 * np.random.default_rng(2).random(40)).round(4)
    told = asked(pd.DataFrame({"label": y, "model_0": p}))
    assert told.startswith("nothing says whether high or low values of model_0 speak for '1'")
    assert calls(told) == [{"score_of": "0"}, {"reading": {"score_is": "score"}}]


def test_rows_that_two_columns_share_tell_no_order():
    rng = np.random.default_rng(2)
    decided = rng.integers(0, 2, 200)
    high = np.round(0.5 + 0.4 * rng.random(200), 1)
    matrix = np.where(decided[:, None] == [0, 1], high[:, None], 1 - high[:, None])
    assert (matrix[:, 0] == 0.5).any()
    assert fits(matrix, decided, 2) is fits(matrix[:, ::-1], decided, 2) is True
    assert not fits(np.full((200, 2), 0.5), decided, 2)


def test_names_of_classes_hold_unless_the_decisions_show_another_order():
    rng = np.random.default_rng(3)
    s = rng.dirichlet([1, 1, 1], 120) * [1, 1, 0.2]
    pred = np.array(["a", "b", "c"])[s.argmax(1)]
    columns = dict(zip(["score_a", "score_b", "score_c"], s.T, strict=True))
    frame = pd.DataFrame({"truth": list("abc") * 40, "pred": pred, **columns})
    frame = frame[pred != "c"]  # a class that is never predicted shows nothing
    roles = {"truth": "truth", "pred": "pred", "score": list(columns)}
    assert tm.evaluate(frame, **roles).source._roles["score"] == tuple(columns)
    exchanged = frame.rename(columns={"score_a": "score_b", "score_b": "score_a"})
    with pytest.raises(tm.InputError, match="their highest score is always another class than pr"):
        tm.evaluate(exchanged, **roles)


def test_permuted_columns_of_many_classes_are_asked_about_above_the_largest_class_too():
    words = np.array(["zero", "one", "two", "three"])
    true = np.arange(200) % 4
    said = np.where(np.arange(200) // 4 % 10 < 8, true, np.array([3, 0, 2, 1])[true])
    scores = np.eye(4)[said] * 0.6 + 0.1
    with pytest.raises(tm.InputError) as asked:
        tm.evaluate(words[true], y_score=scores)
    assert str(asked.value) == (
        "the columns of scores were taken for the classes in the order 'one', 'three', 'two', "
        "'zero', and their highest score is the true class in 40% of the rows, in another order "
        "in 85%; say tm.evaluate(..., score_of=['zero', 'one', 'two', 'three']) or "
        "tm.evaluate(..., score_of=['one', 'three', 'two', 'zero']); list the classes in the order "
        "of the columns with classes=[...], or name each column p_CLASS"
    )
    first, second = (tm.evaluate(words[true], y_score=scores, **c) for c in calls(str(asked.value)))
    assert (first["accuracy"].value, second["accuracy"].value) == pytest.approx((0.85, 0.4))
