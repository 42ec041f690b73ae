"""Lines of log odds, and whether there is one."""

import numpy as np
import pytest

from tallymark.metric import logistic
from tallymark.tally.score_counts import ScoreCounts


def drawn(seed):
    """Return scores and rows of both classes: plain, weighted, extreme, hardly any overlap."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 60))
    scores = np.unique(rng.random(size))
    if seed % 4 == 1:
        scores = np.unique(10.0 ** rng.uniform(-300, 0, size) * 0.999)
    pos = (rng.random(len(scores)) < scores) * 1.0
    neg = 1 - pos
    if seed % 4 == 2:
        pos, neg = rng.random((2, len(scores))) * 10.0 ** rng.integers(-3, 6)
    if seed % 4 == 3:
        pos = (scores > 0.5) * 1.0
        neg = 1 - pos + (np.arange(len(scores)) == len(scores) - 1)
    pos[0] += 1
    neg[-1] += 1
    return scores, pos, neg


@pytest.mark.parametrize("clip", [0.0, 0.01])
@pytest.mark.parametrize("seed", range(40))
def test_a_line_is_where_the_likelihood_is_level(seed, clip):
    scores, pos, neg = drawn(seed)
    r = ScoreCounts(scores, pos, neg)
    x = np.clip(
        np.log(scores) - np.log1p(-scores),
        *(np.log([clip, 1 - clip] / np.array([1 - clip, clip])) if clip else (-np.inf, np.inf)),
    )

    def level(a, b, by):
        at = a + b * x
        up, down = 1 / (1 + np.exp(-at)), 1 / (1 + np.exp(at))
        terms = by * (pos * down - neg * up)
        return abs(terms.sum()) <= 1e-9 * (np.abs(by) * (pos + neg)).sum()

    with np.errstate(all="ignore"):
        parted = int(logistic.separated(r, clip))
        assert level(float(logistic.intercept(r, clip)), 1, np.ones(len(x)))
        a, b = (float(v) for v in logistic.line(r, clip))
        # Where the classes are parted no line is the likeliest.
        assert parted or (level(a, b, np.ones(len(x))) and level(a, b, x - x.mean()))


@pytest.mark.parametrize("places", [([0], [1]), ([1], [0]), ([0, 1], [1, 0]), ([0, 1], [1])])
def test_groups_that_a_threshold_parts_are_told(places):
    scores, (pos, neg) = np.array([0.2, 0.7]), np.zeros((2, 2))
    pos[places[0]], neg[places[1]] = 1.0, 1.0
    fast = logistic.separated(ScoreCounts(scores, pos, neg), 0.0)
    by_hand = min(places[0]) >= max(places[1]), min(places[1]) >= max(places[0])
    assert fast == (1 if by_hand[0] else -1 if by_hand[1] else 0)
    stack = ScoreCounts(scores, np.stack([pos, neg]), np.stack([neg, pos]))
    assert fast == logistic.separated(stack, 0.0)[0]
