"""What the fuzzers of tests/fuzz share: numbered cases, and what must hold of whatever comes out.

Case k is made by ``numpy.random.default_rng(k)`` alone, so that a finding is its number. The tests run
the first cases; ``make fuzz FUZZ_SECONDS=600 FUZZ_FROM=1000`` goes on from a number for as long as told.
"""

import json
import math
import os
import time
import warnings

import numpy as np

import tallymark as tm
from tallymark.metric import get


def cases(few):
    """Yield the numbers of the cases, and their generators of random numbers."""
    first = int(os.environ.get("FUZZ_FROM", "0"))
    seconds = float(os.environ.get("FUZZ_SECONDS", "0"))
    end, case = time.monotonic() + seconds, first
    while time.monotonic() < end if seconds else case < first + few:
        yield case, np.random.default_rng(case)
        case += 1


def pick(rng, options):
    """Return one of several options; NumPy's own choice would make arrays of them."""
    return options[int(rng.integers(len(options)))]


def refusal(call, *args, **named):
    """Return what a call returns, and its refusal; any other exception or warning is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return call(*args, **named), None
        except (tm.InputError, tm.UndefinedMetricError) as refused:
            sentence = str(refused)
    assert "\n" not in sentence, sentence
    assert 10 < len(sentence) < 1500, sentence
    return None, sentence


def check_value(v):
    """Check a number: finite or with its reason, inside its interval and the metric's range."""
    assert math.isnan(v.value) == bool(v.reason), v
    if math.isnan(v.value):
        return
    params = v.definition.get("params", {})
    low, high = get(v.metric).range_of(**params)
    slack = 1e-9 * max(1.0, abs(v.value) if math.isfinite(v.value) else 1.0)
    assert low - slack <= v.value <= high + slack, v
    if not (math.isnan(v.low) or math.isnan(v.high)):
        assert v.low - slack <= v.value <= v.high + slack, v
        assert low - slack <= v.low, v
        assert v.high <= high + slack, v
    assert v.se is None or v.se > 0, v


def check_evaluation(ev):
    """Check everything that an evaluation says of itself."""
    assert isinstance(ev, tm.Evaluation)
    assert ev.rows > 0
    for name, values in ev.values().items():
        assert name in ev.names
        for v in values.values():
            check_value(v)
    for m in ev.models:
        if not (ev.weighted or ev.stratified):
            assert m.labels.counts.sum() == ev.rows
        assert np.isfinite(m.labels.counts).all()
    told = ev.summary()
    assert told.strip()
    assert "Traceback" not in told
    data = json.loads(ev.to_json())
    assert data["rows"] == ev.rows
    assert set(ev.to_dict()) == set(data)
