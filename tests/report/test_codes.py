"""What is said with a code of a model: warnings, advice, nothing, or not checked."""

import numpy as np
from scipy.optimize import brentq

import tallymark as tm
from asymmetric import FIRST, ILL, MODELS, SECOND, STEEP, TRUTH
from tallymark.report.codes import said_with


def judged(models, **options):
    return tm.evaluate(TRUTH, y_score=models, positive="ill", **options)


def test_warnings_are_those_of_the_model_or_of_all_rows():
    ev = judged({"good": SECOND, "back": 1 - FIRST})
    (said,) = said_with("reversed", ev, "back")
    assert (said.rule, said.model) == ("reversed", "back")
    assert said_with("reversed", ev, "good") == []
    few = np.r_[0:12, 100:1000]
    rare = tm.evaluate(TRUTH[few], y_score={"m": SECOND[few]}, positive="ill")
    (said,) = said_with("few-rows", rare, "m")
    assert said.model is None
    assert said_with("few-rows", ev, "good") == []


def test_a_check_that_was_not_made_is_none():
    arrays = judged(MODELS)  # without columns, rows cannot be looked at beside their scores
    assert [said_with(c, arrays, "first") for c in ("duplicate-rows", "repeated-ids")] == [None] * 2
    assert [said_with(c, arrays, "first") for c in ("leak", "repeated-scores")] == [[], []]
    (leak,) = said_with(
        "leak", judged({"m": np.where(ILL, 0.9, 0.1) + 1e-6 * np.arange(1000)}), "m"
    )
    assert leak.rule == "leak"


def test_a_code_for_which_another_rule_speaks_is_found():
    """Probabilities that are too extreme are off: the finding is the one that says how."""
    odds = (SECOND / (1 - SECOND)) ** 9
    factor = brentq(lambda x: (x * odds / (1 + x * odds)).sum() - ILL.sum(), 0.001, 1000)
    steep = judged({"m": factor * odds / (1 + factor * odds)})
    for ev, by in ((judged({"m": SECOND}), "in-the-large"), (steep, "spread")):
        rules = {s.rule for s in ev.advise().statements}
        assert f"probabilities-{by}" in rules
        assert "probabilities-off" not in rules
        assert "probabilities-off" not in ev.advise().passed
        (said,) = said_with("probabilities-off", ev, "m")
        assert said.rule == f"probabilities-{by}"
        muted = ev.advise(mute=f"probabilities-{by}")
        assert "probabilities-off" not in muted.passed
    backward = judged({"m": 1 - FIRST})
    assert "not-better-than-chance" not in backward.advise().passed
    (said,) = said_with("not-better-than-chance", backward, "m")
    assert said.rule == "area-below-half"


def test_advice_on_a_model_is_asked_of_it_alone():
    ev = judged(MODELS)
    for model in ("first", "second"):
        (said,) = said_with("probabilities-in-the-large", ev, model)
        assert said.model == model
        assert said.others == ()
    assert [s.model for s in said_with("no-better-than-the-majority", ev, "first")] == ["first"]
    assert said_with("no-better-than-the-majority", ev, "second") == []
    assert said_with("area-below-half", ev, "first") == []
    assert said_with("costs-of-guessing", ev, "first") is None


def test_advice_on_the_order_needs_two_models():
    (said,) = said_with("curves-cross", judged({"even": FIRST, "steep": STEEP}), "even")
    assert said.rule == "curves-cross"
    assert said_with("curves-cross", judged(MODELS), "first") == []
    assert said_with("curves-cross", judged({"first": FIRST}), "first") is None
