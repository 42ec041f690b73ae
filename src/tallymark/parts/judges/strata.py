"""Strata of rows by prediction and judge, which give the shares of true classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.core import Floats, Sampler

LEAST = 5
"""Labelled rows that a pair of prediction and judge needs to stand alone."""

DRAWS = 2000

_AT_ONCE = 1 << 22
"""Numbers that one block of draws holds."""

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Pairs:
    """Counts of rows by what the models predict and the judge says.

    ``predicted`` [pair, model] and ``judged`` [pair] are codes of classes; the judge may also give
    values beyond the ``classes``. ``rows`` [pair] are all rows, ``labelled`` [pair] those with a
    true class, ``weights`` [true, pair] their sums of weights and ``squares`` [pair] the sums of
    squared weights.
    """

    classes: int
    predicted: Codes
    judged: Codes
    rows: Floats
    labelled: Floats
    weights: Floats
    squares: Floats
    sampled_by: str | None = None

    @cached_property
    def agree(self) -> NDArray[np.bool_]:
        """Whether every model predicts what the judge says: [pair]."""
        return np.asarray((self.predicted == self.judged[:, None]).all(1))

    @cached_property
    def strata(self) -> tuple[Codes, ...]:
        """The pairs of each stratum."""
        kinds: list[list[Any]] = [[bool(a)] for a in self.agree]
        if self.sampled_by in ("judge", "both"):
            kinds = [[*k, int(j)] for k, j in zip(kinds, self.judged, strict=True)]
        if self.sampled_by in ("pred", "both"):
            kinds = [[*k, *map(int, h)] for k, h in zip(kinds, self.predicted, strict=True)]
        keys = [tuple(h) for h in self.predicted.tolist()]
        merged = merge(self.labelled, [tuple(k) for k in kinds], keys)
        return tuple(np.array(s, dtype=np.intp) for s in merged)

    @cached_property
    def counts(self) -> list[Floats]:
        """The effective number of labelled rows of each stratum: [true, pair of the stratum].

        Rows of weights w count as Σw · (Σw / Σw²), so that equal weights change nothing.
        """
        result = []
        for s in self.strata:
            sums, squares = self.weights[:, s], self.squares[s].sum()
            result.append(sums * (sums.sum() / squares) if squares > 0 else sums)
        return result

    @cached_property
    def prior(self) -> Floats:
        """The prior rows [true, pair]: half of them are of the predicted class.

        A pair has (2 / K) · √(share of its judge's value among the rows of its prediction) rows.
        Of several predictions, the priors are averaged.
        """
        _, of = np.unique(self.predicted, axis=0, return_inverse=True)
        of = of.reshape(-1)
        together = np.bincount(of, self.rows)[of]
        size = 2 / self.classes * np.sqrt(self.rows / np.maximum(together, 1))
        return np.asarray(size * _expected(self.classes, self.predicted), dtype=np.float64)

    @cached_property
    def joint(self) -> Floats:
        """The estimated share of all rows with each true class in each pair: [true, pair]."""
        out = np.zeros(self.prior.shape)
        for s, counts in zip(self.strata, self.counts, strict=True):
            known = counts if counts.sum() > 0 else self.prior[:, s]
            out[:, s] = self.rows[s].sum() * known / known.sum()
        return np.asarray(out / self.rows.sum())

    def confusion(self, joint: Floats, model: int = 0) -> Floats:
        """Return the shares of a model's matrix [..., true, predicted] from those of pairs."""
        most = max(self.classes, int(self.predicted[:, model].max(initial=0)) + 1)
        return np.asarray(joint @ np.eye(most)[self.predicted[:, model]])

    def draws(
        self, sampler: Sampler, draws: int = DRAWS, *, of: tuple[str, ...] = ()
    ) -> Iterator[Floats]:
        """Yield draws from the posterior of :attr:`joint`, [draw, true, pair], block by block.

        The shares of the pairs are Dirichlet(rows), those within a stratum Dirichlet(labelled rows
        + prior). Both are gamma variates over their sum. Draws of other rows,
        named by ``of``, are independent.
        """
        rng = sampler.generator("few labels", *of)
        sizes = np.concatenate(self.strata)
        starts = np.cumsum([0, *(len(s) for s in self.strata)])[:-1]
        shape = np.concatenate(self.counts, axis=1) + self.prior[:, sizes]
        mean = np.concatenate(
            [np.broadcast_to((a / a.sum()), a.shape) for a in np.split(shape, starts[1:], axis=1)],
            axis=1,
        )
        lengths = [len(s) for s in self.strata]
        block = max(1, _AT_ONCE // shape.size)
        for start in range(0, draws, block):
            b = min(block, draws - start)
            whole = rng.standard_gamma(self.rows, (b, len(self.rows)))
            whole /= whole.sum(1, keepdims=True)
            share = np.add.reduceat(whole[:, sizes], starts, axis=1)
            cells = rng.standard_gamma(shape, (b, *shape.shape))
            total = np.add.reduceat(cells.sum(1), starts, axis=1)
            of_pair = np.repeat(total, lengths, axis=1)[:, None]
            with np.errstate(invalid="ignore", divide="ignore"):
                cells = np.where(of_pair > 0, cells / of_pair, mean)
            cells *= np.repeat(share, lengths, axis=1)[:, None]
            out = np.empty_like(cells)
            out[:, :, sizes] = cells
            yield out


def _expected(classes: int, predicted: Codes) -> Floats:
    """Return the prior shares of true classes given the predictions: [true, pair]."""
    models = []
    for column in predicted.T:
        share = np.full((classes, len(column)), 1 / classes)
        inside = np.flatnonzero(column < classes)
        if classes > 1:
            share[:, inside] = 0.5 / (classes - 1)
            share[column[inside], inside] = 0.5
        models.append(share)
    return np.asarray(np.mean(models, axis=0))


def merge(
    labelled: Sequence[float] | Floats,
    kinds: Sequence[tuple[Any, ...]],
    predictions: Sequence[tuple[int, ...]],
    least: int = LEAST,
) -> list[list[int]]:
    """Return the strata: pairs with ``least`` labelled rows stand alone, others are merged.

    Sparse pairs of one kind merge by prediction, then what is still sparse merges, and joins the
    stratum of its kind with the fewest labelled rows if even that is sparse. Pairs of different
    kinds never merge.

    >>> merge([9, 2, 3, 1], [("agree",), ("differ",), ("differ",), ("agree",)], [(0,)] * 4)
    [[0, 3], [1, 2]]
    """
    done: list[list[int]] = []
    for kind in dict.fromkeys(kinds):
        mine = [i for i, k in enumerate(kinds) if k == kind]
        strata = [[i] for i in mine if labelled[i] >= least]
        rest: list[int] = []
        sparse = [i for i in mine if labelled[i] < least]
        for prediction in dict.fromkeys(predictions[i] for i in sparse):
            group = [i for i in sparse if predictions[i] == prediction]
            if sum(labelled[i] for i in group) >= least:
                strata.append(group)
            else:
                rest += group
        if rest and strata and sum(labelled[i] for i in rest) < least:
            min(strata, key=lambda s: sum(labelled[i] for i in s)).extend(rest)
        elif rest:
            strata.append(rest)
        done += strata
    return done
