"""What names and contents propose: predictions and scores for a true class, with each reason."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu

from tallymark.reading.look import look_at
from tallymark.reading.meaning import FEWEST
from tallymark.reading.propose import Output, Proposals
from tallymark.reading.readers import open_table

N = 60
ROW = np.arange(N)
Y = (ROW * 7 % N < 24).astype(int)
P = np.round(np.where(Y, 0.35, 0.15) + 0.5 * (ROW * 17 % N) / N, 3)
Q = np.round(0.1 + 0.8 * (ROW * 23 % N) / N, 3)
CALL = (P >= 0.5).astype(int)
TOP = np.where(CALL, P, 1 - P).round(3)
"""The probability of the predicted class."""
KIND = np.array(list("abc"))[ROW * 11 % N % 3]
S = np.stack([1 + ROW * 7 % 5, 2 + ROW * 5 % 7, 1 + ROW * 3 % 11], 1) + np.arange(3) / 4
S = (S.T / S.sum(1)).T.round(4)
S[:, 2] = (1 - S[:, 0] - S[:, 1]).round(4)
EACH = {"u": S[:, 0], "v": S[:, 1], "w": S[:, 2]}
FLAG = Q.round().astype(int)


def proposals(given=None, **columns):
    frame = pd.DataFrame(columns)
    return Proposals(list(frame), given or {}, look_at(open_table(frame)))


def out(pred, score, why_pred="", why_score="", rank=0):
    """Return an output: a column each, or several with what they are named after."""
    why = {"pred": why_pred, "score": why_score}
    columns = [
        tuple(c.items()) if isinstance(c, dict) else ((c, None),) if c else ()
        for c in (pred, score)
    ]
    return Output(*columns, {role: words for role, words in why.items() if words}, rank)


CUT = "a threshold on the score"
NAME, NAMES = "its name", "their names"
NEVER = "the score is never below chance beside it"
OUTPUTS = [
    ({"y": Y, "p_0": 1 - P, "p_1": P}, [out("", {"p_0": "0", "p_1": "1"}, "", NAMES)]),
    ({"y": KIND, "m_a": S[:, 0], "m_b": S[:, 1], "m_c": S[:, 2]},
     [out("", {"m_a": "a", "m_b": "b", "m_c": "c"}, "", NAMES)]),
    ({"y": KIND, "m1": S[:, 0], "m2": S[:, 1], "m3": S[:, 2]},
     [out("", {"m1": "1", "m2": "2", "m3": "3"}, "", NAMES)]),
    ({"y": KIND, "m1": S[:, 0], "m2": S[:, 1], "m3": S[:, 2] + 1},
     [out("", c, "", "numbers with fractions", 1) for c in ("m1", "m2", "m3")]),
    ({"y": Y, "pred": CALL, "x": P}, [out("pred", "x", NAME, f"{CUT} gives `pred`")]),
    ({"y": Y, "pred": CALL, "x": Q}, [out("pred", "", NAME)]),
    ({"y": Y, "pred": CALL, "half": TOP},
     [out("pred", "half", NAME, "never below chance beside `pred`")]),
    ({"y": Y, "pred": CALL, "score": P, "other": Q}, [out("pred", "score", NAME, NAME)]),
    ({"y": Y, "pred": CALL, "score": Q, "other": P},
     [out("pred", "other", NAME, f"{CUT} gives `pred`"), out("pred", "score", NAME, NAME)]),
    ({"y": Y, "pred": CALL, "u": 1 - P, "v": P},
     [out("pred", {"u": None, "v": None}, NAME, f"{CUT} gives `pred`")]),
    ({"y": Y, "rf_pred": CALL, "nb_pred": FLAG},
     [out({"rf_pred": "rf", "nb_pred": "nb"}, "", NAME)]),
    ({"y": Y, "score": P, "z": CALL}, [out("z", "score", CUT, NAME)]),
    ({"y": Y, "score": P, "z": CALL, "z2": (P > 0.4) * 1}, [out("", "score", "", NAME)]),
    ({"y": Y, "score": P, "z": CALL, "flag": CALL}, [out("flag", "score", NAME, NAME)]),
    ({"y": Y, "score": P, "flag": FLAG},
     [out("", "score", "", NAME), out("flag", "score", NAME, NAME)]),
    ({"y": Y, "score": TOP, "z": CALL}, [out("z", "score", NEVER, NAME)]),
    ({"y": Y, "z": CALL, "x": P}, [out("z", "x", f"{CUT} gives it", "a threshold gives `z`")]),
    ({"y": CALL, "z": CALL, "x": P},
     [out("", "x", "", "a threshold gives `y`", 1),
      out("z", "x", "", "a threshold gives `y`", 1)]),
    ({"y": Y, "z": CALL, "half": TOP},
     [out("z", "half", "the same values as `y`", "never below chance beside `z`", 1)]),
    ({"y": Y, "rf": P, "nb": Q},
     [out("", {"rf": None, "nb": None}, "", "named after models", 1)]),
    ({"y": KIND, **EACH}, [out("", dict.fromkeys(EACH), "", "they add up to 1 in each row", 1)]),
    ({"y": Y, "x": P}, [out("", "x", "", "the only column of numbers from 0 to 1", 1)]),
    ({"y": Y, "x": P, "w": Q},
     [out("", c, "", "numbers with fractions", 1) for c in ("x", "w")]),
    ({"y": Y, "x": 7 * P}, []),
    ({"y": KIND, "z": np.roll(KIND, 1)}, [out("z", "", "the same values as `y`", "", 1)]),
    ({"churn": Y, "churn_score": P, "credit_score": ROW * 13},
     [out("", {"churn_score": "churn"}, "", NAME)]),
    ({"y": Y, "credit_score": ROW * 13, "x": P, "w": Q},
     [out("", {"credit_score": "credit"}, "", NAME), out("", "x", "", NAME), out("", "w", "", NAME)]),
    ({"y": Y, "P_1": P, "P_0": 1 - P, "P_2": Q},
     [out("", {"P_1": "1", "P_0": "0", "P_2": "2"}, "", NAMES)]),
    ({"y": Y, "risk_1": P}, [out("", {"risk_1": "1"}, "", "the only column of numbers from 0 to 1", 1)]),
    ({"animal": np.where(Y, "cat", "dog"), "cat": P},
     [out("", {"cat": None}, "", "the only column of numbers from 0 to 1", 1)]),
    ({"animal": np.where(Y, "cat", "dog"), "x_cat": P},
     [out("", {"x_cat": "cat"}, "", "the only column of numbers from 0 to 1", 1)]),
    ({"F_bad": Y, "I_bad": CALL, "P_bad1": P, "P_bad0": 1 - P},
     [out("I_bad", {"P_bad1": "1", "P_bad0": "0"}, NAME, NAMES)]),
]  # fmt: skip


def test_each_table_proposes_its_columns_with_their_reasons():
    for columns, wanted in OUTPUTS:
        truth = next(iter(columns))
        found = proposals(**columns).outputs(truth)
        assert found == wanted, (list(columns), found)


TRUTHS = [
    ({"y": Y, "p_0": 1 - P, "p_1": P}, ["y"], "the only column of two values"),
    ({"a": Y, "pred": CALL, "x": P}, ["a"], "the same values as `pred`"),
    ({"a": KIND, "b": Y, "p_a": P, "p_b": P, "p_c": P}, ["a"],
     "the score columns are named after its values"),
    ({"a": KIND, "b": Y, "x.a": P, "x.b": P, "x.c": P}, ["a"],
     "the score columns are named after its values"),
    ({"a": KIND, "b": Y, "v_1": S[:, 0], "v_2": S[:, 1], "v_3": S[:, 2]}, ["a"],
     "as many values as there are columns of scores"),
    ({"a": KIND, "b": Y, "v": [str(s) for s in S.tolist()]}, ["a"],
     "as many values as there are columns of scores"),
    ({"a": Y, "b": KIND, "z": CALL, "x": P}, ["a", "z"], "another column holds the same classes"),
    ({"a": Y, "flag": np.where(CALL, "f", "m"), "x": P}, ["a"], "the only column of two values"),
    ({"a": KIND, "x": P}, [], ""),
]  # fmt: skip


def test_the_true_class_is_proposed_by_one_reason_after_the_other():
    for columns, truths, why in TRUTHS:
        found = proposals(**columns).truths_by_content()
        assert found == [(c, why) for c in truths], (list(columns), found)


def test_columns_are_taken_by_what_they_hold():
    p = proposals(y=Y, p=P, q=Q, call=CALL, kind=KIND, id=ROW, half=TOP, two=np.resize([1.5, 2], N))
    assert p.like_classes() == ["y", "call", "kind"]
    assert p.like_classes({"y"}) == ["call", "kind"]
    assert p.numbers() == ["q", "half"]
    assert p.numbers({"q"}) == ["half"]
    assert p.named_truths == ["y"]
    assert p.named_scores("y") == [(("p", None),)]
    assert p.named_preds == []
    assert p.contents("nothing").facts.rows == N
    assert [p.confident(c, "call") for c in ("p", "q", "half", "id")] == [False, False, True, False]
    assert proposals(y=Y[:19], half=TOP[:19]).confident("half", "y") is False
    given = proposals({"p": "score", "y": "truth"}, y=Y, p=P, q=Q)
    assert (given.columns, given.named_scores("y"), given.named_truths) == (["q"], [], [])
    assert proposals(y=Y, prediction=P).named_scores("y") == [(("prediction", None),)]
    assert proposals(y=Y, rf_pred=P).named_scores("y") == [(("rf_pred", "rf"),)]
    assert proposals(y=Y, rf_prob_pred=P).named_scores("y") == [(("rf_prob_pred", "rf"),)]


def test_scores_are_linked_to_decisions_by_a_threshold_or_the_highest_one():
    p = proposals(
        y=Y, p=P, q=Q, call=CALL, kind=KIND, top=np.array(list("abc"))[S.argmax(1)], **EACH
    )
    assert p.linked((("p", None),), "call", "y") == CUT
    assert p.linked((("q", None),), "call", "y") is None
    assert p.linked((("kind", None),), "call", "y") is None
    assert p.linked([(c, None) for c in EACH], "top", "kind") == "the highest score"
    assert p.linked([(c, None) for c in EACH], "kind", "kind") is None
    assert p.linked([("p", None), ("q", None)], "call", "y") is None
    few = proposals(y=Y[:19], p=P[:19], call=CALL[:19])
    assert few.linked((("p", None),), "call", "y") is None


def test_decisions_that_are_named_like_the_truth_go_with_a_score():
    p = proposals(gold=Y, label=CALL, score=P)
    assert p.decided_among("gold", ["label"]) == [
        out("label", "score", CUT, "it goes with `label`")
    ]
    p = proposals(gold=Y, label=CALL, score=TOP)
    assert p.decided_among("gold", ["label"]) == [
        out("label", "score", NEVER, "it goes with `label`")
    ]
    assert proposals(gold=Y, label=CALL, score=Q).decided_among("gold", ["label"]) == []
    assert proposals(gold=CALL, label=CALL, score=P).decided_among("gold", ["label"]) == []
    assert proposals(gold=Y, label=CALL, x=P).decided_among("gold", ["label"]) == [
        out("label", "x", CUT, "it goes with `label`")
    ]


def test_what_goes_with_a_class_is_measured_in_standard_errors():
    p = proposals(y=Y, p=P, q=Q, call=CALL, kind=KIND)
    same, shares = (Y == CALL).mean(), (Y.mean(), CALL.mean())
    chance = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    of_call = (same - chance) / math.sqrt(chance * (1 - chance) / N)
    u, m, n = mannwhitneyu(P[Y == 1], P[Y == 0]).statistic, Y.sum(), N - Y.sum()
    of_p = abs(u - m * n / 2) / math.sqrt(m * n * (N + 1) / 12)
    alone = {c: ((c, None),) for c in ("p", "q", "call", "kind")}
    assert p.goes_with("y", alone["call"], ()) == pytest.approx(of_call)
    assert p.goes_with("y", (), alone["p"]) == pytest.approx(of_p)
    assert p.goes_with("y", alone["call"], alone["p"]) == pytest.approx(max(of_p, of_call))
    assert p.goes_with("y", (), (*alone["q"], *alone["p"])) == pytest.approx(of_p)
    assert p.goes_with("y", (), alone["kind"]) == math.inf
    assert p.goes_with("y", (), ()) == 0
    assert p.agree("y", "call") is False  # 2.2 standard errors are less than 2.5
    assert p.agree("y", "y") is True
    assert p.better("y", ["p", "q"]) == []
    strong = proposals(y=Y, p=np.where(Y, P + 0.2, P), q=Q)
    assert strong.better("y", ["p", "q"]) == ["p"]
    few = FEWEST - 1
    assert proposals(y=Y[:few], p=P[:few]).goes_with("y", (), alone["p"]) == math.inf
    assert proposals(y=Y[:few], p=P[:few]).better("y", ["p"]) == []


def test_what_a_lone_output_is_about_is_said_unless_it_is_a_class_a_model_or_the_truth():
    p = proposals(y=np.where(Y, "cat", "dog"), p=P)
    for of, about in (
        ("churn", "churn"),
        ("cat", None),
        ("rf", None),
        ("model", None),
        ("y", None),
    ):
        assert p.about(out("", {"p": of}), "y") == about
    assert p.about(out("", {"p": None}), "y") is None
    assert p.about(out("", {"p": "churn", "q": "churn"}), "y") is None
    assert p.about(out({"c": "churn"}, {"p": "churn"}), "y") == "churn"
    assert p.about(out({"c": "churn"}, {"p": "age"}), "y") is None
    assert proposals(churned=Y, p=P).about(out("", {"p": "churn"}), "churned") is None


def test_names_filled_with_all_classes_are_one_template():
    of_two = {"y": Y, "p_0": 1 - P, "p_1": P}
    assert proposals(**of_two).templates("y") == [(("p_0", "0"), ("p_1", "1"))]
    assert proposals(**of_two, p_2=P).templates("y") == []  # another number fills it as well
    assert proposals(**of_two, p_x=P).templates("y") == [(("p_0", "0"), ("p_1", "1"))]
    assert proposals(y=Y, p_10=P, p_01=Q).templates("y") == []
    assert proposals(y=Y, v0=1 - P, v1=P).templates("y") == [(("v0", "0"), ("v1", "1"))]
    assert proposals(y=KIND, m1=S[:, 0], m2=S[:, 1], m3=S[:, 2]).templates("y") == [
        (("m1", "1"), ("m2", "2"), ("m3", "3"))
    ]
    assert proposals(y=KIND, m2=S[:, 0], m3=S[:, 1], m4=S[:, 2]).templates("y") == []
    assert proposals(y=KIND, m1=S[:, 0], m2=S[:, 1], m3=S[:, 2] + 1).templates("y") == []
    words = np.where(Y, "tie", "no win")
    named = proposals(y=words, probtie=P, prob_no_win=Q)
    assert named.templates("y") == []
    assert named.as_stated("y", (("probtie", None),)) == (("probtie", None),)
    joint = proposals(y=np.where(Y, "tie", "loss"), probtie=P, probloss=Q, xtie=P, xloss=Q)
    assert joint.templates("y") == [(("probtie", "tie"), ("probloss", "loss"))]
    dotted = proposals(y=words, **{"x.tie": P, "x.no.win": Q})
    assert dict(dotted.templates("y")[0]) == {"x.tie": "tie", "x.no.win": "no win"}
    told = proposals(**of_two).as_stated("y", (("p_1", None), ("p_0", "z")))
    assert told == (("p_1", "1"), ("p_0", "0"))
    assert proposals(y=Y, a=P, b=Q).as_stated("y", (("a", None), ("b", "z"))) == (
        ("a", None), ("b", "z"),
    )  # fmt: skip
