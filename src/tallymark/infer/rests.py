"""The scores of all rows but one subgroup's, for every subgroup at once."""

from __future__ import annotations

import numpy as np

from tallymark.tally.arrays import Floats
from tallymark.tally.subgroups import Judged, MeanLoss, RaggedScores, rest_sums

_HAIR = 1e-9


def rests(lines: RaggedScores, judged: Judged, positive: int) -> Judged:
    """Return what :meth:`RaggedScores.judged` says of all rows but each subgroup's.

    Nothing is sorted again: the area of the rest is the area of all less the part of
    the subgroup's rows, and so is the sum of squared placements of DeLong's variance. With
    A(x) the weight of all negatives below a score x and B(x) that of the subgroup's own (ties count
    half), a positive of the rest has A - B of the rest's negatives below it, and the sums over
    positives of A², AB and B² are prefix sums over the scores of all rows and of the subgroup.
    Degrees of freedom of a mean loss are taken from those of the subgroups (Satterthwaite).
    """
    counts = judged.positives, judged.negatives, judged.positives2, judged.negatives2
    p, n, p2, n2 = map(rest_sums, counts)
    pos, neg, pos2, neg2 = (
        t[:, c] for t in (lines.counts, lines.squares) for c in (positive, 1 - positive)
    )
    places = _Places(lines)
    with np.errstate(all="ignore"):
        area, of_pos = places.below(pos, neg, pos2, (p, n, p2))
        _, of_neg = places.below(
            neg, pos, neg2, (n, p, n2)
        )  # what is above varies as what is below
        rows_p, rows_n = p**2 / p2, n**2 / n2
        variance = of_pos / p**2 * rows_p / (rows_p - 1) + of_neg / n**2 * rows_n / (rows_n - 1)
        told = (rows_p > 1 + _HAIR) & (rows_n > 1 + _HAIR)
        variance = np.where(told & (variance > _HAIR**2), variance, np.where(told, 0.0, np.nan))
        losses = {name: _loss(m, name, judged) for name, m in judged.losses.items()}
    there = (p > 0) & (n > 0)
    area = np.where(there, np.clip(area, 0.0, 1.0), np.nan)
    return Judged(p, n, p2, n2, area, np.where(there, variance, np.nan), losses)


def _loss(m: MeanLoss, name: str, judged: Judged) -> MeanLoss:
    weights, weights2 = judged.positives + judged.negatives, judged.positives2 + judged.negatives2
    sums = np.where(np.isfinite(m.sums), m.sums, 0.0)
    left = rest_sums(sums)
    whole, whole2 = rest_sums(weights), rest_sums(weights2)
    # An endless loss in another subgroup makes the rest's endless, too.
    endless = rest_sums(np.isinf(m.sums[:, 0]).astype(float)) > 0
    mean = np.where(endless, np.inf, left[:, 0] / whole)
    mean = np.where(whole > 0, mean, np.nan)
    n = whole**2 / whole2

    def spread(s: Floats, mean: Floats, w2: Floats) -> Floats:
        return np.maximum(s[:, 2] - 2 * mean * s[:, 1] + mean**2 * w2, 0.0)

    error = np.sqrt(spread(left, mean, whole2) / whole**2 * n / (n - 1))
    own = spread(sums, np.where(weights > 0, sums[:, 0] / weights, 0.0), weights2)
    unsure = np.where(m.freedom > 0, own**2 / m.freedom, own**2)
    freedom = spread(left, mean, whole2) ** 2 / np.maximum(rest_sums(unsure), 1e-300)
    value = mean
    if name == "root_squared":
        value = np.sqrt(mean)
        error = error / (2 * value)
    good = np.isfinite(mean) & (n > 1)
    return MeanLoss(value, np.where(good, error, np.nan), np.where(good, freedom, np.nan), left)


class _Places:
    """Where the lines of every subgroup stand among the scores of all rows."""

    def __init__(self, lines: RaggedScores) -> None:
        self.subgroups = lines.subgroups
        order = np.argsort(lines.scores, kind="stable")
        scores = lines.scores[order]
        group = np.cumsum(np.append(np.zeros(min(len(scores), 1)), scores[1:] != scores[:-1]))
        self.place = np.empty(len(order), dtype=np.intp)
        self.place[order] = group

    def below(
        self, own: Floats, other: Floats, own2: Floats, rest: tuple[Floats, Floats, Floats]
    ) -> tuple[Floats, Floats]:
        """Return the mean share of the other class below a row, in all subgroups but each.

        And the sum of the squared distances to it, weighted by ``own2``, the squares of weights.
        """
        subgroups, place = self.subgroups, self.place
        size = len(rest[0])

        def at_scores(values: Floats) -> Floats:
            return np.asarray(np.bincount(place, values), dtype=np.float64)

        def summed(values: Floats) -> Floats:
            return np.asarray(np.bincount(subgroups, values, minlength=size), dtype=np.float64)

        def above(values: Floats) -> Floats:
            """Return for each line what all scores above its own have, and half of what its has."""
            return np.asarray((np.cumsum(values[::-1])[::-1] - values / 2)[place])

        ties = at_scores(other)
        a_of = np.cumsum(ties) - ties / 2
        a = a_of[place]
        run = np.cumsum(other)
        starts = np.flatnonzero(np.diff(subgroups, prepend=-1))
        before = np.repeat(run[starts] - other[starts], np.diff([*starts, len(subgroups)]))
        through = run - before
        b = through - other / 2

        def first(weight: Floats) -> tuple[Floats, Floats]:
            """Return the sum over the rest of A - B, by one weight, and that weight by score."""
            each = at_scores(weight)
            total = (each * a_of).sum() - summed(weight * a)
            return total - summed(other * above(each)) + summed(weight * b), each

        sums, _ = first(own)
        sums2, each = first(own2)
        # From one score of the subgroup to its next B stays what it is.
        upto = np.cumsum(each)
        last = np.append(subgroups[1:] != subgroups[:-1], True)
        following = np.append(place[1:], 0)
        between = np.where(last, upto[-1], upto[following] - each[following]) - upto[place]
        second = (each * a_of**2).sum() - summed(own2 * a**2)
        second -= 2 * (summed(other * above(each * a_of)) - summed(own2 * a * b))
        second += summed(each[place] * b**2 + between * through**2 - own2 * b**2)
        mine, theirs, mine2 = rest
        mean = sums / (mine * theirs)
        spread = second / theirs**2 - 2 * mean * sums2 / theirs + mean**2 * mine2
        return mean, spread
