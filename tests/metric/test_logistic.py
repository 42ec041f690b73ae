"""Of few groups a kernel takes the steps of the careful way."""

import numpy as np
import pytest

from tallymark.metric import logistic
from tallymark.tally.ranking import Ranking


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
def test_few_groups_give_the_line_of_the_careful_way(seed, clip):
    given = drawn(seed)
    assert Ranking(*given).few

    def found():
        r = Ranking(*given)
        with np.errstate(all="ignore"):
            parted = int(logistic.separated(r, clip))
            a, b = (float(v) for v in logistic.line(r, clip))
            return parted, a, b, float(logistic.intercept(r, clip))

    fast = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ranking, "few", False)
        careful = found()
    assert fast[0] == careful[0]
    if not fast[0]:  # where the classes are parted no line is the likeliest
        assert fast[1:3] == pytest.approx(careful[1:3], rel=1e-11)
    assert fast[3] == pytest.approx(careful[3], rel=1e-11)


@pytest.mark.parametrize("places", [([0], [1]), ([1], [0]), ([0, 1], [1, 0]), ([0, 1], [1])])
def test_few_groups_that_a_threshold_parts_are_told(places):
    scores, (pos, neg) = np.array([0.2, 0.7]), np.zeros((2, 2))
    pos[places[0]], neg[places[1]] = 1.0, 1.0
    fast = logistic.separated(Ranking(scores, pos, neg), 0.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ranking, "few", False)
        assert fast == logistic.separated(Ranking(scores, pos, neg), 0.0)
