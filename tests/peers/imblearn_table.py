"""What each of our metrics is called in imbalanced-learn, which puts 0 for 0/0."""

from __future__ import annotations

import imblearn.metrics as im

from peers.cases import Case
from peers.compare import Same


def on(function, **options):
    return lambda c: function(c.y, c.p, labels=c.labels, sample_weight=c.w, **options)


def iba(alpha):
    """Call their index with average="binary": without it, the dominance of two classes is 0."""
    judge = im.make_index_balanced_accuracy(alpha=alpha, squared=True)(im.geometric_mean_score)
    return lambda c: judge(c.y, c.p, labels=c.labels, average="binary")


def no_weights(c: Case) -> bool:
    """Their true negatives forget the weights: see test_wrong_peers.py."""
    return c.w is None


def some_positive(c: Case) -> bool:
    """They answer 0 where no row is positive or called so: see test_wrong_peers.py."""
    return c.w is None and bool((c.y | c.p).any())


def all_seen(c: Case) -> bool:
    return len(set(c.y.tolist())) == len(c.labels)


def both(c: Case) -> bool:
    return no_weights(c) and all_seen(c)


BINARY = [
    Same("sensitivity", on(im.sensitivity_score), blank=(0.0,)),
    Same("specificity", on(im.specificity_score), blank=(0.0,), only=some_positive),
    Same("geometric_mean", on(im.geometric_mean_score, average="binary"), blank=(0.0,), only=no_weights),
    *(Same("iba", iba(a), options={"alpha": a}, only=both) for a in (0.1, 0.5)),
]  # fmt: skip

MANY = [
    Same("geometric_mean", on(im.geometric_mean_score), only=all_seen),
    *(
        Same(name, on(function, average=average), average=average, only=only)
        for name, function, only in (
            ("sensitivity", im.sensitivity_score, all_seen),
            ("specificity", im.specificity_score, both),
        )
        for average in ("macro", "micro", "weighted")
    ),
]

TABLE = [*BINARY, *MANY]
