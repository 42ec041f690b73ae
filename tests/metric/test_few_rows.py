"""A number of a few rows is had by a shorter way, which gives what the ordinary one gives."""

import numpy as np
import pytest

from tallymark.metric import METRICS
from tallymark.tally import labels

RNG = np.random.default_rng(3)


def decisions():
    """Return pairs of true and predicted labels, from the plain to the degenerate."""
    found = {
        "plain": (RNG.integers(0, 2, 100), RNG.integers(0, 2, 100)),
        "perfect": (np.array([0, 1, 1, 0, 1]),) * 2,
        "all wrong": (np.array([0, 1, 1, 0]), np.array([1, 0, 0, 1])),
        "never positive": (np.array([0, 0, 0]), np.array([0, 0, 0])),
        "always positive": (np.array([1, 1]), np.array([1, 1])),
        "none called": (np.array([0, 1, 1]), np.array([0, 0, 0])),
        "all called": (np.array([0, 1, 0]), np.array([1, 1, 1])),
        "one row": (np.array([1]), np.array([0])),
        "minus one": (np.array([-1, 1, 1]), np.array([1, -1, 1])),
        "booleans": (np.array([True, False, True]), np.array([True, True, False])),
        "floats": (np.array([0.0, 1.0, 1.0, 0.0]), np.array([0.0, 1.0, 0.0, 0.0])),
        "three": (RNG.integers(0, 3, 60), RNG.integers(0, 3, 60)),
        "three, one never true": (np.array([0, 1, 0, 1]), np.array([0, 2, 1, 2])),
        "lists": ([0, 1, 1, 0], [1, 1, 0, 0]),
        "texts": (np.array(["a", "b", "b"]), np.array(["b", "b", "a"])),
        "other numbers": (np.array([3, 7, 7]), np.array([7, 7, 3])),
    }
    for i in range(12):
        p = RNG.random(2)
        true = RNG.random(30) < p[0]
        found[f"random {i}"] = true.astype(int), (RNG.random(30) < p[1]).astype(int)
    return found


def ranked():
    """Return pairs of true labels and scores that are probabilities, or not."""
    true, score = RNG.integers(0, 2, 100), RNG.random(100)
    found = {
        "plain": (true, score),
        "leaning": ((RNG.random(100) < score).astype(int), score),
        "tied": (true, np.round(score, 1)),
        "all tied": (true, np.full(100, 0.3)),
        "parted": (np.array([0, 0, 1, 1]), np.array([0.1, 0.2, 0.8, 0.9])),
        "parted the wrong way": (np.array([1, 1, 0, 0]), np.array([0.1, 0.2, 0.8, 0.9])),
        "certain": (np.array([0, 1, 0, 1]), np.array([0.0, 1.0, 0.0, 1.0])),
        "certain and wrong": (np.array([1, 0, 0, 1]), np.array([0.0, 1.0, 0.5, 0.5])),
        "halves": (np.array([1, 0, 0, 1]), np.full(4, 0.5)),
        "one row": (np.array([1]), np.array([0.3])),
        "no positive": (np.zeros(5, dtype=int), RNG.random(5)),
        "no negative": (np.ones(5, dtype=int), RNG.random(5)),
        "booleans": (np.array([True, False, True]), np.array([0.2, 0.4, 0.6])),
        "minus one": (np.array([-1, 1, 1, -1]), np.array([0.2, 0.4, 0.6, 0.4])),
        "of 32 bits": (true, score.astype("f4")),
        "no probabilities": (true, RNG.normal(size=100)),
        "integers": (true, RNG.integers(0, 2, 100)),
        "lists": ([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]),
        "three": (RNG.integers(0, 3, 60), RNG.dirichlet(np.ones(3), 60)),
        "two columns": (true, np.stack([1 - score, score], 1)),
    }
    for i in range(8):
        few = RNG.random(RNG.integers(2, 40))
        found[f"random {i}"] = (RNG.random(len(few)) < few).astype(int), np.round(few, 2)
    return found


OPTIONS = (
    {},
    {"positive": 1},
    {"positive": 0},
    {"average": "binary"},
    {"average": "macro"},
    {"average": "per_class"},
    {"undefined": "raise"},
    {"undefined": 0.5},
    {"average": "micro", "skip_undefined": True},
    {"labels": (0, 1, 2)},
    {"missing": "drop"},
    {"no_such": 1},
)
WITH_OPTIONS = (
    "plain", "none called", "three", "three, one never true", "texts", "one row",
    "tied", "no positive", "two columns",
)  # fmt: skip
"""Rows of every kind that an option tells apart: other classes, undefined, in columns."""


NAMES = {
    of_decisions: [
        m.name for m in METRICS.values() if (m._needs in ("counts", "matrix")) == of_decisions
    ]
    for of_decisions in (True, False)
}


def outcome(metric, arrays, options):
    try:
        return np.asarray(metric(*arrays, **options))
    except Exception as error:
        return type(error), str(error)


def ordinarily(metric, arrays, options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labels, "count_few", lambda *_: None)
        return outcome(metric, arrays, options)


def same(found, wanted, exactly):
    if isinstance(found, tuple) or isinstance(wanted, tuple):
        return found == wanted
    if exactly:
        return found.dtype == wanted.dtype and found.tobytes() == wanted.tobytes()
    return found.shape == wanted.shape and np.allclose(
        found, wanted, rtol=1e-12, atol=1e-14, equal_nan=True
    )


@pytest.mark.slow
@pytest.mark.parametrize("of_decisions", [True, False])
def test_the_shorter_way_gives_the_same(of_decisions):
    differ = []
    for words, arrays in (decisions() if of_decisions else ranked()).items():
        for name in NAMES[of_decisions]:
            for options in OPTIONS if words in WITH_OPTIONS else OPTIONS[:2]:
                found = outcome(METRICS[name], arrays, options)
                wanted = ordinarily(METRICS[name], arrays, options)
                if not same(found, wanted, of_decisions):
                    differ.append((name, words, options, found, wanted))
    assert not differ
