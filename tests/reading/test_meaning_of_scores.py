"""Each way to read scores: which columns are taken, what is computed from them, and what is said."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from tallymark.reading.chunks import Chunk
from tallymark.reading.columns import ModelRoles
from tallymark.reading.meaning import (
    AGREED,
    FEWEST,
    SampledRows,
    Stated,
    adds_up,
    assign_columns,
    best_cut,
    cut_class,
    fits,
    meanings_of,
    never_below_chance,
    of_predicted,
    order_by_decisions,
    positive_class,
    positive_score,
    refuse_below_chance,
    refuse_invented,
    refuse_parts,
    refuse_shifted,
    refuse_unscaled,
)
from tallymark.tally.arrays import Coded

N = 40
CALL = np.arange(N) % 2
HIGH = np.round(0.55 + 0.4 * (np.arange(N) * 7 % N) / N, 3)
P = np.where(CALL, HIGH, 1 - HIGH)
"""The probability of the second class, which a threshold of 0.5 turns into the decisions."""
PLACES = np.arange(60) * 17 % 60
SHARES = np.stack([1 + PLACES % 7, 2 + PLACES % 5, 1 + PLACES % 11], 1).astype(float)
SHARES += np.arange(3) / 4
SHARES /= SHARES.sum(1, keepdims=True)
"""Probabilities of three classes, without a tie for the highest."""
CALLED = SHARES.argmax(1)
TURN = [2, 0, 1]
UNEVEN = np.linspace(0.02, 0.98, 60)
ABOVE = (UNEVEN >= 0.3).astype(int)
TWO, THREE = ("no", "yes"), ("a", "b", "c")

PREDICTED = {"of_predicted": True, "meanings": {"score_of": "prediction"}}
NOTE = "`s0` is the probability of the predicted class"


def assigned(scores, call=CALL, names=None, classes=TWO, positive="yes", true=None, **told):
    """Return the models as which score columns s0, s1, ... are read, and the columns."""
    columns = np.asarray(scores, float).reshape(len(scores), -1).T
    numbers = {f"s{i}": c for i, c in enumerate(columns)}
    decided = {c: v for c, v in {"call": call, "true": true}.items() if v is not None}
    pred = None if call is None else "call"
    m = ModelRoles("m", pred, tuple(numbers), names or (None,) * len(columns))
    told = Stated(**told, truth="true")
    return assign_columns([m], classes, positive, told, SampledRows(numbers, decided)), numbers


def of_three(scores, call=CALLED, names=None, **told):
    return assigned(scores, call, names, THREE, None, **told)


def says(m):
    """Return what a model is beside its name and columns, left out where it is as by default."""
    plain = ModelRoles(m.name, m.pred, m.scores, m.classes, derived=m.derived)
    fields = ModelRoles.__slots__
    return {f: getattr(m, f) for f in fields if getattr(m, f) != getattr(plain, f)}


CUT = "`s0` is of no: one threshold on it gives `call`; score of yes = 1 - `s0`"


def ways():
    """Return by what they are called: what is read, what is beside its columns, those, and the note."""
    return {
        "of the positive class, by the decisions": (
            assigned(P), {"certain": True}, {"s0": P}, "",
        ),
        "of the other class, by the decisions": (
            assigned(1 - P), {"certain": True, "meanings": {"score_of": "no"}}, {"1 - s0": P}, CUT,
        ),
        "points of the other class, by the decisions": (
            assigned(60 - 5 * P), {"certain": True, "meanings": {"score_of": "no"}},
            {"-s0": 5 * P - 60},
            "`s0` is of no: one threshold on it gives `call`; score of yes = -`s0`",
        ),
        "of the other class, by its name": (
            assigned(1 - P, None, ("no",)), {"certain": True, "meanings": {"score_of": "no"}},
            {"1 - s0": P}, "score of yes = 1 - `s0`",
        ),
        "of the positive class, by its name": (
            assigned(P, None, ("yes",)), {"certain": True}, {"s0": P}, "",
        ),
        "a 0 in the name is not sure": (
            assigned(1 - P, None, ("0",), (0, 1), 1), {"meanings": {"score_of": 0}},
            {"1 - s0": P}, "score of 1 = 1 - `s0`",
        ),
        "of nothing that is known": (assigned(P, None), {}, {"s0": P}, ""),
        "of an array": (assigned(P, None, arrays=True), {"certain": True}, {"s0": P}, ""),
        "of the other class, as stated": (
            assigned(P, None, of="no"), {"certain": True, "meanings": {"score_of": "no"}},
            {"1 - s0": 1 - P}, "score of yes = 1 - `s0`",
        ),
        "lower, as stated": (
            assigned(50 - P, None, scale="lower"), {"certain": True}, {"-s0": P - 50},
            "low `s0` speaks for yes",
        ),
        "lower against the decisions": (
            assigned(P, scale="lower"), {"certain": True}, {"-s0": -P}, "low `s0` speaks for yes",
        ),
        "lower of the other class": (
            assigned(P, None, of="no", scale="lower"), {"certain": True, "meanings": {"score_of": "no"}},
            {"-s0": -P}, "score of yes = -`s0`",
        ),
        "of the predicted class": (
            assigned(HIGH), {**PREDICTED, "above_chance": True}, {"s0": HIGH},
            f"{NOTE}: never below 0.55, and no threshold on it gives `call`",
        ),
        "of the predicted class at another threshold": (
            assigned(np.where(ABOVE, UNEVEN, 1 - UNEVEN), ABOVE), PREDICTED,
            {"s0": np.where(ABOVE, UNEVEN, 1 - UNEVEN)},
            f"{NOTE}: no threshold on it gives `call`, and its lowest values of both add up to 1",
        ),
        "of the predicted class, in percent": (
            assigned(100 * HIGH), {**PREDICTED, "meanings": {"score_of": "prediction", "percent": True}},
            {"s0 / 100": HIGH}, f"{NOTE}: never below 55, and no threshold on it gives `call`; percent",
        ),
        "of the predicted class, as stated": (
            assigned(HIGH, of="prediction"), PREDICTED, {"s0": HIGH}, NOTE,
        ),
        "of the predicted class in percent, as stated": (
            assigned(HIGH, of="prediction", scale="percent"),
            {**PREDICTED, "meanings": {"score_of": "prediction", "percent": True}},
            {"s0 / 100": HIGH / 100}, f"{NOTE}; percent",
        ),
        "of the predicted one of three": (
            of_three(SHARES.max(1)), {**PREDICTED, "above_chance": True}, {"s0": SHARES.max(1)},
            f"{NOTE}: never below {SHARES.max(1).min():.2g}",
        ),
        "of the predicted one of three, in percent": (
            of_three(100 * SHARES.max(1)),
            {**PREDICTED, "meanings": {"score_of": "prediction", "percent": True}},
            {"s0 / 100": SHARES.max(1)}, f"{NOTE}: never below {100 * SHARES.max(1).min():.2g}; percent",
        ),
        "two that add up to 1": (
            assigned(np.c_[1 - P, P], None, TWO), {}, {"s1": P}, "",
        ),
        "two in percent": (
            assigned(np.c_[P, 1 - P] * 100, None, ("yes", "no")), {"meanings": {"percent": True}},
            {"s0 / 100": P}, "`s0` in percent",
        ),
        "two logits": (
            assigned(np.c_[2 - 3 * P, 7 * P - 3], None, TWO), {"meanings": {"score_is": "logit"}},
            {"s1 - s0": 10 * P - 5}, "score of yes = `s1` - `s0`, the difference of logits",
        ),
        "two logarithms": (
            assigned(np.log(np.c_[1 - P, P]), None, TWO),
            {"meanings": {"score_is": "log_probability"}}, {"exp(s1)": P},
            "`s1` is the logarithm of a probability",
        ),
        "two that the decisions order": (
            assigned(np.c_[P, 1 - P]), {"meanings": {"score_of": ["yes", "no"]}}, {"s0": P}, "",
        ),
        "two of which a threshold gives the decisions": (
            assigned(np.c_[5 * P - 1, 3 - P]),
            {"meanings": {"score_of": ["yes", "no"], "score_is": "logit"}}, {"s0 - s1": 6 * P - 4},
            "score of yes = `s0` - `s1`, the difference of logits",
        ),
        "two sigmoids that give the decisions": (
            assigned(np.c_[(1 - P) / 2, P], (P > (1 - P) / 2).astype(int), TWO),
            {"meanings": {"score_is": "logit"}}, {"s1 - s0": P - (1 - P) / 2},
            "score of yes = `s1` - `s0`, the difference of logits",
        ),
        "the rest of one": (
            assigned(np.c_[1 - P, P], None, ("other", "yes")),
            {"certain": True, "whole": ("s0", "s1")}, {"s1": P}, "",
        ),
        "three by their names": (
            of_three(SHARES[:, TURN], None, ("c", "a", "b")), {},
            {"s1": SHARES[:, 0], "s2": SHARES[:, 1], "s0": SHARES[:, 2]}, "",
        ),
        "three by the decisions": (
            of_three(SHARES[:, TURN]), {"meanings": {"score_of": ["c", "a", "b"]}},
            {"s1": SHARES[:, 0], "s2": SHARES[:, 1], "s0": SHARES[:, 2]}, "",
        ),
        "three of which one was never decided": (
            of_three(SHARES[CALLED != 1][:, TURN], CALLED[CALLED != 1]),
            {"meanings": {"score_of": ["c", "a", "b"]}},
            dict(zip(("s1", "s2", "s0"), SHARES[CALLED != 1].T, strict=True)), "",
        ),
        "three as stated": (
            of_three(SHARES[:, TURN], None, of=["c", "a", "b"]), {"certain": True, "meanings": {"score_of": ["c", "a", "b"]}},
            {"s1": SHARES[:, 0], "s2": SHARES[:, 1], "s0": SHARES[:, 2]}, "",
        ),
        "three of which one is the rest": (
            of_three(SHARES, None, ("a", "b", "others")), {"meanings": {"score_of": ["a", "b", "c"]}}, {f"s{i}": SHARES[:, i] for i in range(3)}, "",
        ),
        "three in percent": (
            of_three(100 * SHARES, None, THREE), {"meanings": {"percent": True}},
            {f"s{i} / 100": SHARES[:, i] for i in range(3)}, "`s0` in percent; `s1` in percent; `s2` in percent",
        ),
        "three in percent, as stated": (
            of_three(SHARES, None, THREE, scale="percent"),
            {"certain": True, "meanings": {"percent": True}},
            {f"s{i} / 100": SHARES[:, i] / 100 for i in range(3)}, "`s0` in percent; `s1` in percent; `s2` in percent",
        ),
        "three logarithms": (
            of_three(np.log(SHARES), None, THREE), {"meanings": {"score_is": "log_probability"}},
            {f"exp(s{i})": SHARES[:, i] for i in range(3)},
            "; ".join(f"`s{i}` is the logarithm of a probability" for i in range(3)),
        ),
        "three logits": (
            of_three(np.log(SHARES) + 9 * SHARES[:, :1], None, THREE), {"meanings": {"score_is": "logit"}},
            {f"softmax of s{i}": SHARES[:, i] for i in range(3)}, "softmax of `s0`, `s1`, `s2`",
        ),
        "three votes": (
            of_three(7 * SHARES, None, THREE), {"meanings": {"score_is": "score"}},
            {f"s{i}": 7 * SHARES[:, i] for i in range(3)}, "",
        ),
    }  # fmt: skip


def test_scores_are_read_as_what_names_statements_and_decisions_say():
    for way, (((m,), numbers), fields, columns, said) in ways().items():
        derived = {d.name: d.of(numbers) for d in m.derived}
        values = {c: derived.get(c, numbers.get(c)) for c in m.scores}
        assert list(values) == list(columns), way
        for name, wanted in columns.items():
            assert values[name] == pytest.approx(wanted), (way, name)
        others = says(m)
        notes = [*others.pop("notes", ()), *dict.fromkeys(d.note for d in m.derived)]
        assert "; ".join(n for n in notes if n) == said, way
        assert others == fields, way


def test_columns_named_after_no_class_are_models():
    (first, second), _ = assigned(np.c_[P, P**2], None, ("rf", "nb"))
    assert (first, second) == (
        ModelRoles("s0", None, ("s0",), ("rf",)),
        ModelRoles("s1", None, ("s1",), ("nb",)),
    )
    *_, decided = assigned(np.c_[P, P**2], CALL, ("rf", "nb"))[0]
    assert decided == ModelRoles("call", "call")


def test_meanings_are_those_that_all_scored_models_share():
    one, two = ({"score_of": "no"}, {"score_of": "yes"})
    a, b = (ModelRoles(n, scores=(n,), meanings=one) for n in "ab")
    assert meanings_of([a, b, ModelRoles("c", "c", meanings=two)]) == one
    assert meanings_of([a, ModelRoles("d", scores=("d",), meanings=two)]) == {}
    assert meanings_of([ModelRoles("c", "c", meanings=two)]) == {}


def refused(check, *args):
    with pytest.raises(tm.InputError) as caught:
        check(*args)
    return str(caught.value)


# -- what is asked or refused ------------------------------------------------------------------

LIST = (
    "list the classes in the order of the columns with classes=[...], or name each column p_CLASS"
)
OF_EACH = "say which column is of which class with score_of=[...], or leave pred= out"
WHATEVER = (
    "s0 never falls below 0.55: it is the probability of whatever class was predicted, which no "
    "column names, or that of a class always held likely; say tm.evaluate(..., score_of='yes') or "
    "tm.evaluate(..., score_of='no'); if a column names the predicted class, say so with pred=...; "
    "a file without true classes needs those in a file of their own, truth=tm.file(...)"
)
UNNAMED = "the columns 's0', 's1', 's2' are not named after any of the classes "
FEW_BELOW = np.where(np.arange(200) < 2, 0.3, np.resize(HIGH, 200))
SIGMOIDS = (
    "'s0', 's1' do not add up to 1 in each row, so neither is what the other leaves; say "
    "tm.evaluate(..., reading={'score_is': 'logit'}) or tm.evaluate(..., score='s1') or "
    "tm.evaluate(..., score='s0'); score_is='logit' takes their difference as the score"
)
ASKED = {
    "a name against the decisions": (
        lambda: assigned(P, CALL, ("no",)),
        "s0 is named after 'no', and its high values are where call is 'yes'; say "
        "tm.evaluate(..., score_of='yes') or tm.evaluate(..., score_of='no')",
    ),
    "no such class": (
        lambda: assigned(P, of="maybe"),
        "score_of is 'maybe', which is no class; say one of 'no', 'yes', or score_of='prediction'",
    ),
    "no prediction": (
        lambda: assigned(P, None, of="prediction"),
        "s0 is said to be of the predicted class, and no column says which class that is; name it "
        "with pred=...",
    ),
    "never low, found": (lambda: assigned(HIGH, None, detected=True), WHATEVER),
    "never low, of an array": (lambda: assigned(HIGH, None, arrays=True), WHATEVER),
    "hardly ever low": (
        lambda: assigned(FEW_BELOW, np.arange(200) % 2),
        "s0 is below 0.5 in 1.0% of the rows only, and no threshold on it gives call, so it may be "
        "the probability of the predicted class; say tm.evaluate(..., score_of='prediction') or "
        "tm.evaluate(..., score_of='yes')",
    ),
    "too few columns": (
        lambda: of_three(SHARES[:, :2], None),
        "there are 3 classes ('a', 'b', 'c') and 2 score columns ('s0', 's1'); give one score "
        "column per class, named p_CLASS",
    ),
    "one column for three classes": (
        lambda: of_three(SHARES[:, 0], None),
        "there are 3 classes ('a', 'b', 'c') and 1 score column ('s0'); correct a label that is a "
        "mistake, or give one score column per class, named p_CLASS",
    ),
    "many columns of more classes": (
        lambda: assigned(np.tile(P, (9, 1)).T, None, None, tuple("abcdefghij"), None),
        "there are 10 classes ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' and 2 more) and 9 score columns "
        "('s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7' and 1 more); give one score column per class, "
        "named p_CLASS",
    ),
    "a column beside all classes": (
        lambda: assigned(np.c_[P, P, P], None, ("no", "yes", "x")),
        "there are 2 classes ('no', 'yes') and 3 score columns ('s0', 's1', 's2'); give one score "
        "column per class, named p_CLASS",
    ),
    "several scores that were found": (
        lambda: assigned(np.c_[P, P, P], None, ("yes", "x", "y"), detected=True),
        "several columns could be the score: 's0', 's1', 's2'; say tm.evaluate(..., score='s0') or "
        "tm.evaluate(..., score='s1') or tm.evaluate(..., score='s2') or "
        "tm.evaluate(..., score=['s0', 's1', 's2'])",
    ),
    "two of them named after the classes": (
        lambda: assigned(np.c_[P, P, P], None, ("yes", "no", "y"), detected=True),
        "several columns could be the score: 's0', 's1', 's2'; say tm.evaluate(..., score='s0') or "
        "tm.evaluate(..., score='s1') or tm.evaluate(..., score='s2') or "
        "tm.evaluate(..., score=['s0', 's1'])",
    ),
    "classes that are named twice": (
        lambda: of_three(SHARES, None, of=["b", "c", "b"]),
        "score_of names 'b', 'c', 'b' for the columns 's0', 's1', 's2'; name each of the classes "
        "'a', 'b', 'c' once, in the order of the columns",
    ),
    "names against the decisions": (
        lambda: of_three(SHARES, (CALLED + 1) % 3, THREE),
        "the names of 's0', 's1', 's2' are those of the classes 'a', 'b', 'c', and their highest "
        f"score is always another class than call names; {OF_EACH}",
    ),
    "no order fits": (
        lambda: of_three(SHARES, np.arange(60) % 3),
        "the columns 's0', 's1', 's2' fit the classes 'a', 'b', 'c' in no order: their highest "
        f"score is not the class that call names; {OF_EACH}",
    ),
    "sorted scores": (
        lambda: of_three(-np.sort(-SHARES, 1), None),
        "the scores 's0', 's1', 's2' fall from the first to the last in every row, so they are "
        "those of each row's likeliest classes, not of the classes in one order; give one column "
        "of scores for each class, named p_CLASS",
    ),
    "columns without names": (
        lambda: of_three(SHARES, None),
        f"{UNNAMED}'a', 'b', 'c', and nothing tells their order; say "
        f"tm.evaluate(..., score_of=['a', 'b', 'c']); {LIST}",
    ),
    "columns of ordinal classes": (
        lambda: assigned(SHARES, None, None, ("high", "low", "moderate"), None),
        f"{UNNAMED}'high', 'low', 'moderate', and nothing tells their order; say "
        "tm.evaluate(..., score_of=['low', 'moderate', 'high']) or "
        f"tm.evaluate(..., score_of=['high', 'low', 'moderate']); {LIST}",
    ),
    "two columns without names": (
        lambda: assigned(np.c_[1 - P, P], None, None, ("down", "up"), "up"),
        "the columns 's0', 's1' are not named after any of the classes 'down', 'up', and nothing "
        "tells their order; say tm.evaluate(..., score_of=['down', 'up']) or "
        f"tm.evaluate(..., score_of=['up', 'down']); {LIST}",
    ),
    "one column of another class": (
        lambda: of_three(SHARES, None, ("a", "b", "owl")),
        f"the columns 's2' are not named after any of the classes 'a', 'b', 'c'; {LIST}",
    ),
    "another order that fits the truth": (
        lambda: of_three(SHARES[:, TURN], None, true=CALLED, arrays=True),
        "the columns of scores were taken for the classes in the order 'a', 'b', 'c', and their "
        "highest score is the true class in 0% of the rows, less than always saying the largest "
        "class; say tm.evaluate(..., score_of=['c', 'a', 'b']) or "
        f"tm.evaluate(..., score_of=['a', 'b', 'c']); {LIST}",
    ),
    "two sigmoids": (lambda: assigned(np.c_[P / 2, P / 3], None, TWO), SIGMOIDS),
}  # fmt: skip


def test_scores_that_can_be_read_in_several_ways_are_asked_about():
    for case, (read, sentence) in ASKED.items():
        assert refused(read) == sentence, case


def test_decisions_of_another_score_are_doubted():
    mixed = np.where(np.arange(60) % 5 < 2, 1 - UNEVEN, UNEVEN)
    cuts = [*np.unique(mixed), 2]
    share = max(((mixed >= c) == ABOVE).mean() for c in cuts)
    (m,), _ = assigned(mixed, ABOVE)
    assert m.doubt == (
        f"no threshold on s0 gives call: the best one agrees with {share:.0%} of the rows. They may "
        "be of different models; judge one of them, or say score_of=..."
    )
    assert not assigned(mixed, ABOVE, of="yes")[0][0].doubt
    assert not assigned(mixed[: FEWEST - 1], np.arange(FEWEST - 1) % 2)[0][0].doubt
    assert assigned(mixed[:FEWEST], np.arange(FEWEST) % 2)[0][0].doubt


# -- the least evidence ------------------------------------------------------------------------


def test_twenty_rows_are_enough_to_conclude_from_and_nineteen_are_not():
    for n, enough in ((FEWEST, True), (FEWEST - 1, False)):
        calls, scores = np.arange(n) % 2, np.arange(n) % 2 + 0.25
        assert (cut_class(scores, calls) == 1) is enough
        matrix = np.stack([1 - calls, calls], 1).astype(float)
        assert (order_by_decisions(matrix, calls, 2) == [0, 1]) is enough
        half = np.resize([0.6, 0.7], n)
        assert of_predicted(half, np.arange(n) < FEWEST // 2) is enough
        seen = SampledRows({f"p_{i}": half for i in range(3)})
        m = ModelRoles("m", None, ("p_0", "p_1", "p_2"), ("0", "1", "2"))
        if enough:
            with pytest.raises(tm.InputError) as caught:
                refuse_invented([m], (0, 1), (0, 1, 2), seen)
            assert str(caught.value) == (
                "several columns could be the score: 'p_0', 'p_1', 'p_2'; say "
                "tm.evaluate(..., score='p_0') or tm.evaluate(..., score='p_1') or "
                "tm.evaluate(..., score='p_2') or tm.evaluate(..., score=['p_0', 'p_1', 'p_2'])"
            )
        else:
            refuse_invented([m], (0, 1), (0, 1, 2), seen)
        refuse_invented([m], (0, 1, 2), (0, 1, 2), seen)  # no class is added


def test_a_cut_may_lie_on_equal_scores_but_not_on_scores_that_are_all_equal():
    calls = np.repeat([0, 1], 10)
    touching = np.repeat([0.2, 0.5, 0.5, 0.9], 5)
    assert cut_class(touching, calls) == 1
    assert cut_class(-touching, calls) == 0
    assert cut_class(np.full(20, 0.5), calls) is None
    one_less = touching.copy()
    one_less[10] = 0.4
    assert cut_class(one_less, calls) is None
    one_less[10] = 0.5 - 4e-7  # rounding
    assert cut_class(one_less, calls) == 1
    assert cut_class(1e6 * one_less, calls) == 1
    assert cut_class(np.repeat([0.5, 0.5, 0.9], [10, 5, 5]), calls) == 1
    assert cut_class(np.repeat([0.2, 0.5, 0.5], [5, 5, 10]), calls) == 1
    assert cut_class(np.repeat([0.5, 0.5 + 4e-7], 10), calls) is None


def test_the_highest_score_is_that_of_one_class_up_to_rounding():
    calls = np.resize([0, 1, 2], 30)
    matrix = np.eye(3)[calls]
    assert order_by_decisions(1e6 * matrix + 0.4 * np.eye(3)[(calls + 1) % 3], calls, 3) == [
        0,
        1,
        2,
    ]
    assert order_by_decisions(np.full((30, 3), 0.5), calls, 3) is None
    always_tied = np.where(calls[:, None] == 0, [0.5, 0.5, 0.0], matrix)
    assert order_by_decisions(always_tied, calls, 3) is None
    once_tied = matrix.copy()
    once_tied[0] = 0.5
    assert order_by_decisions(once_tied, calls, 3) == [0, 1, 2]
    nearly_tied = matrix.copy()
    nearly_tied[0] = [1 - 4e-7, 1, 0]
    assert order_by_decisions(nearly_tied, calls, 3) == [0, 1, 2]
    assert order_by_decisions(matrix, np.full(30, -1), 3) is None
    assert order_by_decisions(np.eye(2)[np.zeros(30, int)], np.arange(30) % 2, 2) is None


def test_large_tables_are_sampled_evenly_and_incomplete_rows_are_left_out():
    many = 400_001
    codes, scores = np.arange(many) % 3 - 1, np.arange(many, dtype=float)
    columns = {"y": Coded(codes, ("a", "c"))}
    seen = SampledRows.of(Chunk(0, columns, {"s": scores}, many), columns, ("a", "b", "c"))
    assert np.array_equal(seen.numbers["s"], scores[::2])
    assert np.array_equal(seen.decided["y"], np.array([-1, 0, 2])[codes[::2] + 1])
    seen = SampledRows.of(Chunk(0, columns, {"s": scores[:-2]}, many - 2), columns, ("a", "c"))
    assert len(seen.numbers["s"]) == many - 2
    few = SampledRows(
        {"s": np.array([1, np.nan, 3, 4]), "t": np.array([np.inf, 6, 7, 8])},
        {"y": np.array([0, 1, -1, 1])},
    )
    matrix, calls = few.rows(("s", "t"), "y")
    assert (matrix.tolist(), calls.tolist()) == ([[4, 8]], [1])
    for nothing in (few.rows(("s", "u"), "y"), few.rows(("s", "t"), None)):
        assert (nothing[0].shape, nothing[1].shape) == ((0, 2), (0,))
    assert few.ends(("s",)) == (1, 4, 4)
    assert few.ends(("u",)) is None
    assert SampledRows({"s": np.array([np.nan])}).ends(("s",)) is None
    assert SampledRows({"s": np.array([40.0]), "t": np.array([60.0])}).adds_up(("s", "t"))


def test_the_best_cut_is_one_between_distinct_scores_in_either_direction():
    rng = np.random.default_rng(5)
    for _ in range(20):
        scores, calls = rng.integers(0, 4, 12) / 4, rng.integers(0, 2, 12)
        shares = [((scores >= c) == calls).mean() for c in (*np.unique(scores), 2)]
        assert best_cut(scores, calls) == pytest.approx(
            max(*shares, *(1 - s for s in np.array(shares)))
        )


def test_scores_fit_decisions_up_to_a_twentieth_and_half_of_what_the_largest_class_leaves():
    scores = np.arange(40) / 40
    calls = (scores >= 0.5).astype(int)
    calls[[0, 1]] = 1  # 95 % agree
    assert best_cut(scores, calls) == AGREED
    assert fits(scores[:, None], calls, 2)
    calls[2] = 1
    assert not fits(scores[:, None], calls, 2)
    rare = (np.arange(40) >= 38).astype(int)  # the largest class is 95 % already
    assert fits(scores[:, None], rare, 2)
    one_of_two = np.array([0.99, *scores[1:]])
    assert best_cut(one_of_two, rare) == 1.0 - 1 / 40
    assert fits(one_of_two[:, None], rare, 2)  # half of the two rows that it leaves
    assert not fits(np.array([0.99, 0.98, *scores[2:]])[:, None], rare, 2)
    assert fits(scores[:, None], np.arange(40) % 3, 3)  # one column of three classes shows nothing
    assert not fits(np.empty((0, 1)), np.empty(0, int), 2)
    assert fits(SHARES[:, TURN], CALLED, 3)
    assert not fits(SHARES, np.arange(60) % 3, 3)


def test_rows_add_up_within_the_rounding_of_their_digits():
    for total in (1.0, 100.0):
        near, far = total * (1 + 0.9e-3), total * (1 + 1.5e-2)
        assert adds_up(np.array([[near, 0.0], [0.0, total]]), total)
        assert not adds_up(np.array([[far, 0.0], [0.0, total]]), total)
    assert not adds_up(np.array([[np.nan, 1.0]]))
    assert not adds_up(np.empty((0, 2)))
    assert adds_up(np.array([[np.nan, 7.0], [0.25, 0.75]]))


def test_scores_of_the_predicted_class_leave_the_other_one_what_is_left_to_1():
    calls = np.repeat([0, 1], 10)
    low = np.where(calls, 0.3, 0.7)
    assert of_predicted(low, calls)
    assert of_predicted(low - 0.0004, calls)
    assert not of_predicted(low - 0.001, calls)
    assert of_predicted(np.where(calls, 0.3, 1.0), calls)
    assert not of_predicted(np.where(calls, 0.3, 1.1), calls)
    assert of_predicted(np.where(calls, 0.0, 1.0), calls)
    assert not of_predicted(np.where(calls, -0.1, 1.1), calls)


def test_no_score_below_an_even_chance_up_to_three_digits():
    for scale in (1.0, 100.0):
        for k in (2, 3, 4):
            chance = scale / k
            assert never_below_chance(chance - 0.0009 * scale, scale, k) == scale
            assert never_below_chance(chance - 0.0011 * scale, scale, k) is None
            assert never_below_chance(chance - 0.0009 * scale, chance, k) is None
    assert never_below_chance(0.6, 1.000009, 2) == 1.0
    assert never_below_chance(0.6, 1.00002, 2) is None
    assert never_below_chance(0.6, 0.6, 2) is None
    assert never_below_chance(60.0, 100.1, 2) is None


# -- the positive class ------------------------------------------------------------------------


def test_the_score_shows_the_positive_class_by_its_name_or_by_a_threshold():
    seen = SampledRows({"s": P, "t": 1 - P}, {"call": CALL, "other": CALL})
    animals = ("cat", "dog")
    named, cut = ModelRoles("m", None, ("s",), ("dog",)), ModelRoles("m", "call", ("s",), (None,))
    assert positive_class([named], animals, seen) == ("dog", "the score is named after it")
    assert positive_class([cut], animals, seen) == (
        "dog", "scores above one threshold are `call` = dog",
    )  # fmt: skip
    low = ModelRoles("m", "call", ("t",), (None,))
    assert positive_class([low], animals, seen)[0] == "cat"
    again = ModelRoles("n", "other", ("s",), (None,))
    assert positive_class([cut, again], animals, seen) == (
        "dog", "scores above one threshold are `None` = dog",
    )  # fmt: skip
    assert positive_class([cut, low], animals, seen) is None
    assert positive_class([named, ModelRoles("m", None, ("t",), ("cat",))], animals, seen) is None
    assert positive_class([cut], ("no", "yes"), seen) is None  # their words show it
    assert positive_class([named], ("cat", "dog", "owl"), seen) is None
    assert positive_class([ModelRoles("m", "call")], animals, seen) is None
    assert positive_class([], animals, seen) is None


def test_the_probability_of_the_predicted_class_is_turned_where_the_other_was_predicted():
    said = positive_score(
        Coded(np.array([0, 1, -1]), ("cat", "dog")), np.array([0.7, 0.6, 0.9]), "dog"
    )
    assert said == pytest.approx([0.3, 0.6, 0.1])
    said = positive_score(Coded(np.array([0, -1]), ("cat",)), np.array([0.7, 0.9]), "dog")
    assert said == pytest.approx([0.3, 0.1])


# -- of later rows and of numbered classes -----------------------------------------------------


def test_later_rows_that_do_not_fit_what_the_first_ones_showed_are_refused():
    m = ModelRoles("m", None, ("p",), ("yes",), whole=("p", "rest"))
    numbers = {"p": np.array([0.25, 0.5]), "rest": np.array([0.75, 0.4])}
    assert refused(refuse_parts, m, numbers, 3000) == (
        "the columns 'p', 'rest' add up to 1 in the first 3,000 rows but not in later ones; say "
        "which is the score with score='p', or score=['p', 'rest'] and classes=[...] if they are "
        "one model's"
    )
    refuse_parts(m, {"p": np.array([0.25]), "rest": np.array([0.75])}, 3000)
    refuse_parts(ModelRoles("m", None, ("p",)), numbers, 3000)
    top = ModelRoles("m", "call", ("p",), above_chance=True)
    rows = Chunk(1200, {}, {"p": np.array([0.6, 0.4995, 0.4, 0.3])}, 4)
    assert refused(refuse_below_chance, top, rows, 2) == (
        "p was read as the probability of the predicted class, and is 0.3 at row 1,203, below an "
        "even chance of 2 classes; say whose probability it is with score_of=..."
    )
    assert "at row 1,204, below an even chance of 3" in refused(refuse_below_chance, top, rows, 3)
    refuse_below_chance(top, rows, 4)
    refuse_below_chance(ModelRoles("m", "call", ("p",)), rows, 2)


def test_batches_of_columns_are_refused_by_the_number_that_is_no_probability():
    def columns(*rows):
        return {f"s{i}": np.array(c) for i, c in enumerate(zip(*rows, strict=True))}

    outside = "s0 and the columns beside it hold {}, outside 0 to 1; give probabilities, such as the softmax of logits"
    names = ["s0", "s1"]
    assert refused(refuse_unscaled, names, columns((-0.5, 2.0))) == outside.format("-0.5")
    assert refused(refuse_unscaled, names, columns((0.25, 2.5))) == outside.format("2.5")
    assert refused(refuse_unscaled, names, columns((0.25, 0.75), (0.25, 0.5))) == (
        "'s0', 's1' do not add up to 1 in each row; give the score of the positive class alone"
    )
    refuse_unscaled(names, columns((0.25, 0.75), (1.000009, -0.000009)))
    refuse_unscaled([*names, "s2"], columns((0.25, 0.5, 0.75)))  # several labels
    refuse_unscaled(["s0"], columns((7.0,)))
    refuse_unscaled(names, {"s0": np.empty(0), "s1": np.empty(0)})


def test_predictions_numbered_from_another_number_are_refused_with_both_agreements():
    def coded(numbers):
        numbers = np.asarray(numbers)
        labels = tuple(int(n) for n in np.unique(numbers[numbers >= 0]))
        return Coded(np.array([labels.index(n) if n >= 0 else -1 for n in numbers]), labels)

    true = np.arange(1, 22) % 3  # 21 rows of 0, 1, 2
    said = np.where(np.arange(21) < 15, true, (true + 1) % 3)
    sentence = (
        "y is numbered from 1 and p from 0, and they agree in {} of the rows as they are, in {} if "
        "p + 1 is meant; number both alike"
    )
    up = {"y": coded(true + 1), "p": coded(said)}
    stays = (true + 1 == said).mean()
    assert refused(refuse_shifted, "y", ["p"], up) == sentence.format(
        f"{stays:.0%}", f"{15 / 21:.0%}"
    )
    down = {"y": coded(true), "p": coded(said + 1)}
    assert refused(refuse_shifted, "y", ["p"], down) == (
        f"y is numbered from 0 and p from 1, and they agree in {(true == said + 1).mean():.0%} of "
        f"the rows as they are, in {15 / 21:.0%} if p - 1 is meant; number both alike"
    )
    refuse_shifted("y", ["p"], {"y": coded((true + 1)[:19]), "p": coded(said[:19])})  # few rows
    refuse_shifted("y", ["p"], {"y": coded(true + 2), "p": coded(said)})  # by two
    refuse_shifted("y", ["p"], {"y": coded(true), "p": coded(said)})
    equal = np.resize([1, 2, 3, 3], 40)
    shifted = {
        "y": coded(equal),
        "p": coded(np.where(np.arange(40) % 2, equal - 1, np.clip(equal, 0, 2))),
    }
    refuse_shifted("y", ["p"], shifted)  # not more than twice as often
    missing = coded(np.where(np.arange(21) < 2, -1, true + 1))
    refuse_shifted("y", ["p"], {"y": missing, "p": coded(said)})  # 19 complete rows
