"""Build stacks of tallies: per subgroup, per complement of a subgroup, and per threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tallymark.infer.samples import MatrixStack, Tallies
from tallymark.reading.models import Model
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.joint import PairedPredictions
from tallymark.tally.role_tally import RoleTally, role_tallies
from tallymark.tally.scores import ScoreCounts, ScoreTally
from tallymark.tally.subgroups import Judged, MeanLoss, RaggedScores, SubgroupCounts, rest_sums
from tallymark.tally.sums import Sums

_HAIR = 1e-9


@dataclass(frozen=True, eq=False)
class SubgroupStack(Tallies):
    """One model's tallies of every subgroup, or with ``rest`` of every subgroup's complement."""

    model: Model
    subgroup_counts: SubgroupCounts
    positive: Label | None
    rest: bool = False
    joint: PairedPredictions | None = None

    @cached_property
    def labels(self) -> tuple[Label, ...]:  # type: ignore[override]
        """The classes."""
        return self.subgroup_counts.classes

    def __len__(self) -> int:
        return len(self.subgroup_counts)

    @cached_property
    def matrices(self) -> MatrixStack:  # type: ignore[override]
        """The decisions of each subgroup, or of its complement."""
        m = self.model
        counts, squares = self.subgroup_counts.matrices(m.name, m.threshold, self.positive)
        if not self.rest:
            return counts, squares
        return rest_sums(counts), None if squares is None else rest_sums(squares)

    def scores(self, i: int) -> tuple[ScoreTally, ...]:
        """Return the scores of one subgroup, or of its complement."""
        positives = [t.positive for t in self.model.scores]
        return self.subgroup_counts.score_tallies(self.model.name, positives, i, rest=self.rest)

    def sums(self, i: int) -> Sums | None:
        """Return the sums over the rows of one subgroup, or of its complement."""
        of_subgroups = self.subgroup_counts.model(self.model.name).sums
        if of_subgroups is None:
            columns = self.scores(i)
            return Sums._of_scores(columns) if len(columns) == 1 else None
        if not self.rest:
            return of_subgroups[i]
        total = Sums._empty(of_subgroups[0].names)
        for j, one in enumerate(of_subgroups):
            total = total if j == i else total + one
        return total

    def rows_of(self, i: int) -> PairedPredictions:
        """Return the kept rows of one subgroup, or of its complement."""
        assert self.joint is not None
        assert self.subgroup_counts.of_rows is not None
        return self.joint.take((self.subgroup_counts.of_rows == i) != self.rest)

    def role_tallies(self, i: int) -> Mapping[str, RoleTally]:
        """Return the role tallies of one subgroup, or of its complement, by role."""
        if not self.model._role_tallies:
            return {}
        return role_tallies(self.rows_of(i), self.model.name)

    def areas(self, losses: Sequence[str]) -> Judged | None:
        """Return the areas and mean losses of scores, None with more than two classes."""
        stacks = self.subgroup_counts.model(self.model.name).scores
        if len(stacks) != 1 or self.positive is None:
            return None
        code = self.labels.index(self.positive)
        judged = stacks[0].judged(len(self), code, losses)
        return rests(stacks[0].lines(), judged, code) if self.rest else judged


def thresholds_of(tally: ScoreTally, cuts: Floats) -> MatrixStack:
    """Return the decisions of two classes at thresholds: counts, and squares if weighted."""
    positive_last = tally.labels.index(tally.positive) == len(tally.labels) - 1
    turn = 1 if positive_last else -1

    def cut(r: ScoreCounts) -> Floats:
        return np.asarray(r.at(cuts).matrix()[..., ::turn, ::turn])

    squares = tally._squared_score_counts
    return cut(tally._score_counts), None if squares is None else cut(squares)


# -- complements of subgroups ------------------------------------------------------------------


def rests(lines: RaggedScores, judged: Judged, positive: int) -> Judged:
    """Return :meth:`RaggedScores.judged` for the complement of each subgroup.

    Scores are sorted only once: the area of a complement is the area of all rows minus the part
    of the subgroup, and so is the sum of squared placements in DeLong's variance. With A(x) the
    weight of all negatives below a score x and B(x) that of the subgroup's negatives (ties count
    half), a positive of the complement has A - B of its negatives below it; the sums over
    positives of A², AB and B² are prefix sums over the scores of all rows and of the subgroup. The
    degrees of freedom of a mean loss come from those of the subgroups (Satterthwaite).
    """
    counts = judged.positives, judged.negatives, judged.positives2, judged.negatives2
    p, n, p2, n2 = map(rest_sums, counts)
    pos, neg, pos2, neg2 = (
        t[:, c] for t in (lines.counts, lines.squares) for c in (positive, 1 - positive)
    )
    place = np.unique(lines.scores, return_inverse=True)[1]  # index among the scores of all rows
    with np.errstate(all="ignore"):
        area, of_pos = _below(place, lines.subgroups, pos, neg, pos2, (p, n, p2))
        # By symmetry, swap the classes to get the variance of the placements of negatives.
        _, of_neg = _below(place, lines.subgroups, neg, pos, neg2, (n, p, n2))
        rows_p, rows_n = p**2 / p2, n**2 / n2
        variance = of_pos / p**2 * rows_p / (rows_p - 1) + of_neg / n**2 * rows_n / (rows_n - 1)
        enough = (rows_p > 1 + _HAIR) & (rows_n > 1 + _HAIR)
        variance = np.where(enough, np.where(variance > _HAIR**2, variance, 0.0), np.nan)
        losses = {name: _loss(m, name, judged) for name, m in judged.losses.items()}
    there = (p > 0) & (n > 0)
    area = np.where(there, np.clip(area, 0.0, 1.0), np.nan)
    return Judged(p, n, p2, n2, area, np.where(there, variance, np.nan), losses)


def _loss(m: MeanLoss, name: str, judged: Judged) -> MeanLoss:
    weights, weights2 = judged.positives + judged.negatives, judged.positives2 + judged.negatives2
    sums = np.where(np.isfinite(m.sums), m.sums, 0.0)
    sums_of_rest = rest_sums(sums)
    whole, whole2 = rest_sums(weights), rest_sums(weights2)
    # An infinite loss in another subgroup makes that of the complement infinite.
    endless = rest_sums(np.isinf(m.sums[:, 0]).astype(float)) > 0
    mean = np.where(endless, np.inf, sums_of_rest[:, 0] / whole)
    mean = np.where(whole > 0, mean, np.nan)
    n = whole**2 / whole2

    def spread(s: Floats, mean: Floats, w2: Floats) -> Floats:
        return np.maximum(s[:, 2] - 2 * mean * s[:, 1] + mean**2 * w2, 0.0)

    error = np.sqrt(spread(sums_of_rest, mean, whole2) / whole**2 * n / (n - 1))
    own = spread(sums, np.where(weights > 0, sums[:, 0] / weights, 0.0), weights2)
    unsure = np.where(m.freedom > 0, own**2 / m.freedom, own**2)
    freedom = spread(sums_of_rest, mean, whole2) ** 2 / np.maximum(rest_sums(unsure), 1e-300)
    value = mean
    if name == "root_squared":
        value = np.sqrt(mean)
        error = error / (2 * value)
    good = np.isfinite(mean) & (n > 1)
    return MeanLoss(
        value, np.where(good, error, np.nan), np.where(good, freedom, np.nan), sums_of_rest
    )


def _below(
    place: NDArray[np.intp],
    subgroups: NDArray[np.intp],
    own: Floats,
    other: Floats,
    own2: Floats,
    rest: tuple[Floats, Floats, Floats],
) -> tuple[Floats, Floats]:
    """Return the mean share of the other class below a row, per complement of a subgroup.

    Also return the sum of the squared deviations from it, weighted by the squared weights ``own2``.
    """
    mine, theirs, mine2 = rest

    def at_scores(values: Floats) -> Floats:
        return np.asarray(np.bincount(place, values), dtype=np.float64)

    def summed(values: Floats) -> Floats:
        return np.asarray(np.bincount(subgroups, values, minlength=len(mine)), dtype=np.float64)

    def above(values: Floats) -> Floats:
        """Return for each line the sum over higher scores plus half of its own."""
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
        """Return the sum over the complement of A - B with a weight, and that weight by score."""
        each = at_scores(weight)
        total = (each * a_of).sum() - summed(weight * a)
        return total - summed(other * above(each)) + summed(weight * b), each

    sums, _ = first(own)
    sums2, each = first(own2)
    # B is constant between consecutive scores of the subgroup.
    upto = np.cumsum(each)
    last = np.append(subgroups[1:] != subgroups[:-1], True)
    following = np.append(place[1:], 0)
    between = np.where(last, upto[-1], upto[following] - each[following]) - upto[place]
    second = (each * a_of**2).sum() - summed(own2 * a**2)
    second -= 2 * (summed(other * above(each * a_of)) - summed(own2 * a * b))
    second += summed(each[place] * b**2 + between * through**2 - own2 * b**2)
    mean = sums / (mine * theirs)
    spread = second / theirs**2 - 2 * mean * sums2 / theirs + mean**2 * mine2
    return mean, spread
