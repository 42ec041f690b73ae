"""Data sets of a known illness: it is the first thing that is said, and healthy ones are quiet."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import tallymark as tm


def logistic(x):
    return 1 / (1 + np.exp(-x))


def sample(rng, n=2000, share=-1.0, signal=1.5):
    """Return log odds that are right, and classes drawn by them."""
    x = rng.normal(share, signal, n)
    return x, (rng.random(n) < logistic(x)).astype(int)


def healthy(rng):
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x))


def balanced(rng):
    x, y = sample(rng, share=0.0)
    return tm.evaluate(y, y_score=logistic(x))


def strong(rng):
    x, y = sample(rng, signal=3.0)
    return tm.evaluate(y, y_score=logistic(x))


def large(rng):
    x, y = sample(rng, n=20_000)
    return tm.evaluate(y, y_score=logistic(x))


def three_classes(rng):
    x = rng.normal(0, 1.5, (2000, 3))
    p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    y = (p.cumsum(1) < rng.random((2000, 1))).sum(1)
    return tm.evaluate(y, y_score=p)


def leak(rng):
    _, y = sample(rng)
    return tm.evaluate(y, y_score=np.clip(0.05 + 0.9 * y + rng.normal(0, 0.01, 2000), 0, 1))


def copies(rng):
    x, y = sample(rng, n=500)
    return tm.evaluate(np.repeat(y, 4), y_score=np.repeat(logistic(x), 4))


def reversed_score(rng):
    x, y = sample(rng)
    return tm.evaluate(y, y_score=1 - logistic(x))


def wrong_positive(rng):
    x, y = sample(rng)
    names = np.array(["no", "yes"])[y]
    return tm.evaluate(names, y_score=logistic(x), positive="no")


def over_prediction(rng):
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x + 1.5))


def under_prediction(rng):
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x - 1.5))


def too_sure(rng):
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(2 * x + 0.45))


def too_timid(rng):
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(0.5 * x - 0.36))


def certain(rng):
    x, y = sample(rng)
    p = logistic(x)
    p[np.flatnonzero(y)[0]] = 0.0
    return tm.evaluate(y, y_score=p)


def constant(rng):
    _, y = sample(rng)
    return tm.evaluate(y, y_score=np.full(2000, y.mean()))


def rare(rng):
    x, y = sample(rng, n=4000, share=-5.5, signal=1.5)
    return tm.evaluate(y, y_score=logistic(x))


def tiny(rng):
    x, y = sample(rng, n=24, share=0.0)
    y[:2] = 0, 1
    return tm.evaluate(y, y_score=logistic(x))


def few_values(rng):
    x, y = sample(rng)
    high = x > 0
    return tm.evaluate(y, y_score=np.where(high, y[high].mean(), y[~high].mean()))


def few_clusters(rng):
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x), cluster=rng.integers(0, 8, 2000))


def never_called(rng):
    x, y = sample(rng, share=-2.5, signal=0.7)
    return tm.evaluate(y, y_score=np.minimum(logistic(x), 0.49))


def crossing(rng):
    y = rng.integers(0, 2, 3000)
    a = np.where(y, rng.normal(1, 0.3, 3000), rng.normal(0, 1, 3000))
    b = np.where(y, rng.normal(1, 2.5, 3000), rng.normal(0, 0.6, 3000))
    return tm.evaluate(y, y_score={"a": logistic(a), "b": logistic(b)}, use="ranking")


def near_ties(rng):
    x, y = sample(rng)
    return tm.evaluate(y, y_score={n: logistic(x + rng.normal(0, 0.05, 2000)) for n in ("a", "b")})


HEALTHY = [healthy, balanced, strong, large, three_classes]
ILL = {
    leak: {"leak"}, copies: {"repeated-scores"}, reversed_score: {"reversed"},
    wrong_positive: {"reversed"}, over_prediction: {"probabilities-in-the-large"},
    under_prediction: {"probabilities-in-the-large"}, too_sure: {"probabilities-spread"},
    too_timid: {"probabilities-spread"}, certain: {"held-impossible"},
    constant: {"one-decision"}, rare: {"imbalance", "few-rows"}, tiny: {"few-rows"},
    few_values: {"ties-decide"}, few_clusters: {"few-clusters"}, never_called: {"one-decision"},
    crossing: {"lead-within-the-noise"}, near_ties: {"lead-within-the-noise"},
}  # fmt: skip


def findings(ev):
    """Return the codes of what a page warns of, then of what could mislead, in their order."""
    return [n.code for n in ev.notes if n.kind == "warning"] + [
        s.rule for s in ev.advise().statements if s.section in ("misleads", "order")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("make", ILL, ids=lambda make: make.__name__)
def test_a_known_illness_is_named_first(make):
    assert [findings(make(np.random.default_rng(seed)))[0] in ILL[make] for seed in (0, 1)] == [
        True, True,
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("make", HEALTHY, ids=lambda make: make.__name__)
def test_a_healthy_set_raises_no_alarm(make):
    assert [findings(make(np.random.default_rng(seed))) for seed in (0, 1)] == [[], []]


def main(seeds: int) -> None:
    """Print how often each illness is named first, and how often a healthy set raises an alarm."""
    for make in (*HEALTHY, *ILL):
        found = [findings(make(np.random.default_rng(seed))) for seed in range(seeds)]
        if make in ILL:
            named = sum(codes[:1] != [] and codes[0] in ILL[make] for codes in found)
            print(f"{make.__name__}: named first in {named} of {seeds}")
        else:
            print(f"{make.__name__}: an alarm in {sum(map(bool, found))} of {seeds}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
