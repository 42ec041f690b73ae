"""What is said of efforts that cannot be read."""

import numpy as np
import pytest

import tallymark as tm

Y = np.arange(20) % 2
P = np.linspace(0.05, 0.95, 20)
BELOW = [5, 3, -2.5] + [1] * 17


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (
            lambda: tm.evaluate(Y, Y[::-1], effort=list(range(20))),
            "effort is the effort of rows, which is read with their score for two classes, and "
            "there is no such score; give one, or leave effort= out",
        ),
        (
            lambda: tm.evaluate({"y": Y, "p": P, "loc": BELOW}, truth="y", score="p", effort="loc"),
            "loc is -2.5 at row 3; the effort of a row, such as its lines of code, is 0 or more",
        ),
        (
            lambda: tm.evaluate(Y, y_score=P, effort=BELOW),
            "effort is -2.5 at index 2; the effort of a row, such as its lines of code, is 0 or "
            "more",
        ),
    ],
)
def test_efforts_are_refused_word_by_word(ask, sentence):
    with pytest.raises(tm.InputError) as refused:
        ask()
    assert str(refused.value) == sentence
