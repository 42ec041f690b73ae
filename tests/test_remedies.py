"""The calls that a refusal lists are found in its sentence."""

import pytest

from remedies import calls


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("nothing to do", []),
        ("it is unclear; say truth='a' or truth='b'", [{"truth": "a"}, {"truth": "b"}]),
        (
            "two readings are possible; call tm.evaluate(DATA, truth='y', score='p (1)', positive=1) "
            "or tm.evaluate(data, truth='y', score=['a', 'b'], count=False)",
            [
                {"truth": "y", "score": "p (1)", "positive": 1},
                {"truth": "y", "score": ["a", "b"], "count": False},
            ],
        ),
        (
            'say evaluate(..., truth="it\'s") or evaluate(frame, missing=[-9, 9])',
            [{"truth": "it's"}, {"missing": [-9, 9]}],
        ),
        (
            "say (truth='y', positive='no') or (truth='y', positive='yes')",
            [{"truth": "y", "positive": "no"}, {"truth": "y", "positive": "yes"}],
        ),
        ("say tm.matrix(..., rows_are='truth') if the rows are the true classes", []),
        ("give missing=-100, which leaves 5 rows out", [{"missing": -100}]),
    ],
)
def test_calls_are_found(sentence, found):
    assert calls(sentence) == found
