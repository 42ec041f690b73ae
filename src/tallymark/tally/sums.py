"""Sums over rows: the losses of a row's vector of scores, with their squares.

The tallies of the class columns give the value of most multi-class losses, but not how it varies
from row to row, because the columns of a row belong together. They do not give the value of losses
that need the whole row, such as the rank of the true class among its scores, or the length of its
vector. These sums give both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.errors import InputError
from tallymark.tally.arrays import (
    Coded,
    Codes,
    Floats,
    Label,
    code_labels,
    is_masked,
    is_table,
    join_labels,
    matrix_to_numpy,
    whole_rows,
)
from tallymark.tally.io import HAIR, weights_agree
from tallymark.tally.labels import Missing
from tallymark.tally.merge import Tally, adds, agrees
from tallymark.tally.score_counts import LONG, are_probabilities, condensed, nodes
from tallymark.tally.scores import ScoreTally

if TYPE_CHECKING:
    from tallymark.tally.scores import ScoreTally

LOSSES = (
    "log_loss",
    "brier",
    "mean_absolute_error",
    "root_mean_squared_error",
    "spherical_score",
)
"""Names of the losses that are summed for every row of probabilities."""

_AT_ONCE = 1 << 16
_HAIR = 1e-14
"""A smaller variance, relative to the mean square, is rounding of equal losses."""


MOST_RANKS = 20
"""Largest k of top-k accuracy."""

_PLACES = tuple(f"top_{place}" for place in range(1, MOST_RANKS + 1))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sums(Tally):
    """Sums and sums of squares of losses over the rows of each true class.

    With weights w: ``totals`` [name, class] are sums of w x, ``squares`` of w^2 x^2, ``cross`` of
    w^2 x; ``weights`` [class] are sums of w and ``sum_squared_weights`` of w^2.
    """

    _kind: ClassVar[str] = "sums"
    names: tuple[str, ...] = field(metadata=agrees(names=True))
    totals: Floats = field(metadata=adds("names", "classes", signed=True))
    squares: Floats = field(metadata=adds("names", "classes", signed=True))
    cross: Floats = field(metadata=adds("names", "classes", signed=True))
    weights: Floats = field(metadata=adds("classes", signed=True))
    sum_squared_weights: Floats = field(metadata=adds("classes", signed=True))
    rows: int = field(metadata=adds())

    def _facts(self) -> Iterator[tuple[str, bool]]:
        w, w2 = self.weights, self.sum_squared_weights
        yield "weights", bool((w >= 0).all() and (w2 >= 0).all())
        yield "weights", weights_agree(self.rows, w, w2)
        if np.array_equal(w, w2):  # every row weighs 1
            yield "sums", np.array_equal(self.cross, self.totals, equal_nan=True)
        yield "sums", not (np.isnan(self.squares) & ~np.isnan(self.totals)).any()
        finite = np.isfinite(self.totals) & np.isfinite(self.cross) & np.isfinite(self.squares)
        t, x, xx = (np.where(finite, v, 0.0) for v in (self.totals, self.cross, self.squares))
        # The Cauchy-Schwarz inequality, over rows and over their weights.
        yield "sums", bool((xx >= 0).all())
        for part, root in ((t, np.sqrt(self.rows)), (x, np.sqrt(w2))):
            yield "sums", bool((np.abs(part) <= root * np.sqrt(xx) * HAIR).all())

    @property
    def weight(self) -> float:
        """The total weight of the rows."""
        return float(self.weights.sum())

    @classmethod
    def _empty(cls, names: tuple[str, ...] = LOSSES) -> Self:
        """Return the sums of no rows."""
        zero = np.zeros((len(names), 1))
        return cls(names, zero, zero, zero, np.zeros(1), np.zeros(1), 0)

    @classmethod
    def _of_rows(
        cls,
        codes: NDArray[Any],
        scores: Floats,
        weights: Floats | None = None,
        squares: Floats | None = None,
        rows: int | None = None,
    ) -> Self:
        """Return the sums of the losses of rows.

        The losses of :data:`LOSSES` need probabilities; the loss of the root mean squared error is
        the squared error. ``top_k`` is 1 if the true class is among the k highest scores of its
        row, for k below K; classes that tie for the last places share them.

        Parameters
        ----------
        codes : array (n,)
            Of the true class; where there is one score a row, 1 for its class and 0 for the other.
        scores : array (n, K) or (n,)
            One column a class, or the score of one class of two.
        weights, squares : array (n,), optional
            Of the rows; of lines that stand for several ``rows`` in all, the sums of the rows'
            weights and of their squares.

        Examples
        --------
        >>> sums = Sums._of_rows(np.array([1, 0]), np.array([0.9, 0.3]))
        >>> round(sums.average("brier"), 6)  # the losses are 0.02 and 0.18
        0.1

        """
        k = 2 if scores.ndim == 1 else scores.shape[1]
        names = (*LOSSES, *_PLACES[: k - 1])
        sums, weight = np.zeros((3, len(names), k)), np.zeros((2, k))
        for start in range(0, len(codes), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            true = codes[part].astype(np.intp)
            losses = _losses(true, scores[part])
            w = np.ones(len(true)) if weights is None else weights[part]
            w2 = w**2 if squares is None else squares[part]
            weight += [np.bincount(true, v, k) for v in (w, w2)]
            # Group rows by class: a short integer key sorts in one radix pass.
            order = np.argsort(true.astype(np.uint16) if k <= 1 << 16 else true, kind="stable")
            present, starts = np.unique(true[order], return_index=True)
            losses, w, w2 = losses[:, order], w[order], w2[order]
            if not w.all():
                losses = np.where(w == 0, 0.0, losses)  # an infinite loss of weight 0 counts 0
            with np.errstate(over="ignore", invalid="ignore"):
                for total, values in zip(
                    sums, (losses * w, losses**2 * w2, losses * w2), strict=True
                ):
                    total[:, present] += np.add.reduceat(values, starts, axis=1)
        totals, squared, cross = sums
        count = len(codes) if rows is None else rows
        return cls(names, totals, squared, cross, weight[0], weight[1], count)

    @classmethod
    def _of_groups(
        cls,
        codes: Codes,
        losses: Floats,
        ranks: tuple[NDArray[Any], NDArray[Any]],
        masses: tuple[Floats, Floats],
        classes: int,
        rows: int,
    ) -> Self:
        """Return the sums of groups of rows whose losses were added up elsewhere.

        Parameters
        ----------
        codes : array (g,)
            Of the true class of each group.
        losses : array (3, 4, g)
            The sums of w x, w^2 x^2 and w^2 x over the rows of each group, where x is the log loss,
            the sum of squared errors, that of absolute errors and the spherical score.
        ranks : two arrays (g,)
            How many scores of a row are above that of its true class, and how many are equal to it.
        masses : two arrays (g,)
            The sums of the weights and of their squares.
        classes, rows : int
            The number of classes, and that of the rows.

        Examples
        --------
        >>> sums = Sums._of_groups(
        ...     np.array([0, 1]), np.ones((3, 4, 2)), (np.array([0, 1]), np.array([1, 1])),
        ...     (np.ones(2), np.ones(2)), 2, 2)
        >>> sums.average("top_1"), sums.average("brier"), sums.average("mean_absolute_error")
        (0.5, 1.0, 0.5)

        """
        log, squared, absolute, spherical = np.swapaxes(losses, 0, 1)
        k, (higher, equal), (w, v) = classes, ranks, masses
        mean = np.array([[1 / k], [1 / k**2], [1 / k]])  # over the classes
        each = [log, squared, absolute * mean, squared * mean, spherical]
        places = range(1, min(k - 1, MOST_RANKS) + 1)
        for share in (np.clip((place - higher) / equal, 0.0, 1.0) for place in places):
            each.append(np.stack([share * w, share**2 * v, share * v]))
        added = np.stack(each)
        of_class = [added[:, :, codes == code].sum(-1) for code in range(k)]
        totals, squared_sums, cross = np.moveaxis(np.stack(of_class, -1), 1, 0)
        weights, squares = (np.bincount(codes, m, k).astype(np.float64) for m in (w, v))
        names = (*LOSSES, *_PLACES[: k - 1])
        return cls(names, totals, squared_sums, cross, weights, squares, rows)

    @classmethod
    def _of_values(cls, values: Mapping[str, Floats], weights: Floats | None = None) -> Self:
        """Return the sums of named values of every row, with all true classes together."""
        x = np.stack(list(values.values()))
        w = np.ones(x.shape[1]) if weights is None else weights
        totals, squares, cross = ((x * f).sum(1, keepdims=True) for f in (w, x * w**2, w**2))
        weight, second = w.sum(keepdims=True), (w**2).sum(keepdims=True)
        return cls(tuple(values), totals, squares, cross, weight, second, x.shape[1])

    @classmethod
    def _of_scores(cls, tallies: Sequence[ScoreTally]) -> Self:
        """Return the sums of losses from score tallies: those of the last column for two classes.

        With more classes, they are the losses of the positive class against the rest, by true
        class.
        """
        tally = tallies[-1]
        scores, rest, counts, squares = _columns(tally)
        result = [
            _kernels.add_losses(scores, rest, w, w2, label == tally.positive)
            for label, w, w2 in zip(tally.labels, counts, squares, strict=True)
        ]
        totals, squared, cross, w, w2 = np.split(np.array(result).T, [6, 12, 18, 19])
        return cls((*LOSSES, "top_1"), totals, squared, cross, w[0], w2[0], tally.rows)

    def average(self, name: str) -> float:
        """Return the mean of the values summed under a name; NaN without rows."""
        if name not in self.names:
            raise InputError(f"these rows have no sums of {name!r}; there are {list(self.names)}")
        total, weight = float(self.totals[self.names.index(name)].sum()), self.weight
        return total / weight if weight else math.nan

    def mean(self, name: str, *, stratified: bool = False) -> tuple[float, float]:
        """Return the mean loss and its standard error.

        With ``stratified``, the classes' shares of the weight are known rather than sampled, so the
        error is that of a stratified mean: the root of the sum of (share of the class * its
        error)^2.
        """
        i = self.names.index(name)
        if self.rows < 2 or not self.weight:
            return math.nan, math.nan
        mean = self.average(name)
        if not math.isfinite(mean):
            return mean, math.nan
        sums = [
            v if stratified else v.sum(-1, keepdims=True)
            for v in (
                self.totals[i],
                self.squares[i],
                self.cross[i],
                self.weights,
                self.sum_squared_weights,
            )
        ]
        totals, squares, cross, w, w2 = (v[sums[3] > 0] for v in sums)
        means = totals / w
        effective = w**2 / w2
        if (effective <= 1).any():
            return mean, math.nan
        spread = squares - 2 * means * cross + means**2 * w2
        spread = np.where(spread > _HAIR * squares, spread, 0.0)  # a remainder of rounding is 0
        variances = spread / self.weight**2 * effective / (effective - 1)
        return mean, math.sqrt(float(variances.sum()))

    def _errors(self, *, stratified: bool = False) -> Sums:
        """Return sums whose averages are the standard errors of these averages."""
        errors = [self.mean(name, stratified=stratified)[1] for name in self.names]
        return self._of_averages(self.names, errors, self.rows)

    @classmethod
    def _of_averages(cls, names: tuple[str, ...], values: Sequence[float], rows: int) -> Self:
        """Return sums that have these averages and no other information."""
        column = np.array(values)[:, None]
        return cls(names, column, column, column, np.ones(1), np.ones(1), rows)

    def _scaled(self, factor: float) -> Sums:
        """Return the sums with all losses multiplied by a factor."""
        a, b, c = self.totals * factor, self.squares * factor**2, self.cross * factor
        return Sums(self.names, a, b, c, self.weights, self.sum_squared_weights, self.rows)

    def _weighed(self, factors: Floats) -> Sums:
        """Return the sums of the same rows with the weights of each class multiplied."""
        f = np.asarray(factors, dtype=np.float64)
        with np.errstate(invalid="ignore"):
            a, b, c = (
                np.where(f == 0, 0.0, v * g)  # infinite losses of weight 0 count 0
                for v, g in ((self.totals, f), (self.squares, f**2), (self.cross, f**2))
            )
        return Sums(
            self.names, a, b, c, self.weights * f, self.sum_squared_weights * f**2, self.rows
        )


def _columns(tally: ScoreTally) -> tuple[Floats, Floats, Sequence[Floats], Sequence[Floats]]:
    """Return scores, one minus each, and the counts and sums of squares by class, at few nodes."""
    scores, r = tally.scores, tally._score_counts
    long = len(scores) > LONG and are_probabilities(scores)
    plain = len(tally.labels) == 2 and tally.sum_squared_weights is None
    if long and plain:  # as other metrics have them
        scores, rest, *counts = nodes(r)
        counts = counts if tally.labels[0] == tally.positive else counts[::-1]
        return scores, rest, counts, counts
    counts = list(tally.counts.T)
    squares = [] if tally.sum_squared_weights is None else list(tally.sum_squared_weights.T)
    if not long:
        rest, columns = 1 - scores, [np.ascontiguousarray(c) for c in (*counts, *squares)]
    else:
        scores, rest, *columns = condensed(scores, [*counts, *squares])
    counts, squares = columns[: len(counts)], columns[len(counts) :]
    return scores, rest, counts, squares or counts


def clustered_errors(
    codes: NDArray[Any],
    scores: Floats,
    clusters: NDArray[Any],
    *,
    weights: Floats | None = None,
    shares: Floats | None = None,
) -> Sums:
    """Return sums whose averages are standard errors of mean losses over rows in clusters.

    Parameters
    ----------
    codes : array (n,)
        Of the true class; of two classes 1 for the class whose score it is, else 0.
    scores : array (n, K) or (n,)
        One column a class, or the one class's score.
    clusters : array (n,)
        Codes of the clusters, from 0 up.
    weights : array (n,), optional
        Of the rows.
    shares : array (K,), optional
        Of each class where they are known, not sampled: deviations are from the mean of the class.

    Examples
    --------
    >>> one = clustered_errors(np.array([1, 0]), np.array([0.9, 0.3]), np.array([0, 1]))
    >>> round(one.average("brier"), 6)  # the losses are 0.02 and 0.18
    0.08

    """
    losses = _losses(codes.astype(np.intp), scores)
    named = dict(zip((*LOSSES, *_PLACES), losses, strict=False))
    return errors_by_cluster(named, clusters, weights, codes.astype(np.intp), shares)


def errors_by_cluster(
    values: Mapping[str, Floats],
    clusters: NDArray[Any],
    weights: Floats | None = None,
    codes: Codes | None = None,
    shares: Floats | None = None,
) -> Sums:
    """Return sums whose averages are standard errors of means over rows in clusters.

    The deviations of a cluster's rows from the mean (of their class if its share is known) are
    summed first. The squared error is I/(I-1) times the sum of the squares of these sums over I
    clusters, as for a ratio of two totals.

    >>> values = {"brier": np.array([0.02, 0.18])}
    >>> round(errors_by_cluster(values, np.array([0, 1])).average("brier"), 6)
    0.08
    """
    w = np.ones(len(clusters)) if weights is None else weights
    class_shares = np.ones(1) if shares is None else shares
    within = np.zeros(len(w), np.intp) if shares is None or codes is None else codes
    total = np.bincount(within, w, minlength=len(class_shares))
    groups = int(clusters.max(initial=-1)) + 1
    errors = []
    for value in values.values():
        with np.errstate(all="ignore"):
            each = np.where(w == 0, 0.0, value)  # an infinite loss of weight 0 counts 0
            mean = np.bincount(within, each * w, minlength=len(class_shares)) / total
            off = class_shares[within] / total[within] * w * (each - mean[within])
            sums = np.bincount(clusters, np.where(w == 0, 0.0, off), minlength=groups)
            variance = float(sums @ sums) * groups / (groups - 1) if groups > 1 else math.nan
            errors.append(math.sqrt(variance))
    return Sums._of_averages(tuple(values), errors, len(w))


def row_losses(name: str, codes: NDArray[Any], scores: Floats) -> Floats:
    """Return the loss of each row under a name of :attr:`Sums.names`.

    ``codes`` and ``scores`` are those of :meth:`Sums._of_rows`. With one score a row, the squared
    error is that of the one class; with a score for each class, it is the sum over the classes.

    >>> row_losses("brier", np.array([1, 0]), np.array([0.9, 0.3])).round(2).tolist()
    [0.01, 0.09]
    """
    true, place = codes.astype(np.intp), (*LOSSES, *_PLACES).index(name)
    parts = (slice(start, start + _AT_ONCE) for start in range(0, len(true), _AT_ONCE))
    losses = np.concatenate([_losses(true[part], scores[part])[place] for part in parts])
    return losses / 2 if scores.ndim == 1 and name == "brier" else losses


def _losses(codes: Codes, scores: Floats) -> Floats:
    """Return the losses of rows [loss, row]."""
    if scores.ndim == 1:
        scores = np.stack([1 - scores, scores], 1)
    n, k = scores.shape
    true = np.arange(n), codes
    own, others = scores[true], scores.copy()
    others[true] = 0.0
    with np.errstate(all="ignore"):
        squared = (others**2).sum(1) + (1 - own) ** 2
        absolute = others.sum(1) + (1 - own)
        # Scale to at most 1 before squaring, so that small scores do not underflow to length 0.
        unit = np.abs(scores).max(1, initial=0)
        length = np.sqrt(((scores / unit[:, None]) ** 2).sum(1))
        spherical = np.where(own == 0, 0.0, own / unit / length)
        losses = [-np.log(own), squared, absolute / k, squared / k, spherical]
    higher = (scores > own[:, None]).sum(1)
    equal = (scores == own[:, None]).sum(1)
    places = range(1, min(k - 1, MOST_RANKS) + 1)
    losses += [np.clip((place - higher) / equal, 0.0, 1.0) for place in places]
    return np.stack(losses)


# -- scores of each class ----------------------------------------------------------------------


def class_tallies(y_true: Any, y_score: Any, **options: Any) -> tuple[ScoreTally, ...]:
    """Return one ScoreTally per class from true labels and a score for each class.

    ``y_score`` has shape (n, K); its columns are the classes of ``labels``, or the sorted classes
    that occur in ``y_true``. Columns of a frame that are named like the classes are matched by
    name. ``options`` are ``sample_weight`` and ``missing``, as in :meth:`ScoreTally.from_arrays`.

    >>> [t.positive for t in class_tallies(["a", "b"], [[0.9, 0.1], [0.4, 0.6]])]
    ['a', 'b']
    """
    names, true, matrix, weights = _class_rows(y_true, y_score, **options)
    return tuple(
        ScoreTally.from_arrays(
            true, np.ascontiguousarray(column), positive=name, labels=names, sample_weight=weights
        )
        for column, name in zip(matrix.T, names, strict=True)
    )


def answers_of_rows(
    y_true: Any, y_score: Any, **options: Any
) -> tuple[tuple[Label, ...], NDArray[np.bool_], Floats, Floats | None]:
    """Return the classes, whether each answer is right, its confidence, and the weights.

    The arguments are those of :func:`class_tallies`.

    >>> answers_of_rows(["a", "b", "c"], [[3, 2, 1], [3, 2, 1], [1, 2, 6]])[1:3]
    (array([ True, False,  True]), array([3., 3., 6.]))
    """
    names, true, matrix, weights = _class_rows(y_true, y_score, **options)
    _, (codes,) = join_labels({"y_true": true}, names)
    return names, *answers(codes, matrix.T), weights


def answers(true: Codes, scores: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Return whether the class of highest score [class, row] is the true one, and that score."""
    return scores.argmax(0) == true, scores.max(0)


def class_sums(y_true: Any, y_score: Any, **options: Any) -> tuple[tuple[Label, ...], Sums]:
    """Return the classes, and the sums of the losses of rows with a score for each class.

    The arguments are those of :func:`class_tallies`.

    >>> classes, sums = class_sums(["a", "b", "c"], [[3, 2, 1], [3, 2, 1], [3, 2, 1]])
    >>> sums.average("top_1"), sums.average("top_2")
    (0.3333333333333333, 0.6666666666666666)
    """
    names, true, matrix, weights = _class_rows(y_true, y_score, **options)
    _, (codes,) = join_labels({"y_true": true}, names)
    return names, Sums._of_rows(codes, matrix, weights)


def _class_rows(
    y_true: Any,
    y_score: Any,
    labels: Sequence[Label] | None = None,
    sample_weight: Any = None,
    missing: Missing = "error",
) -> tuple[tuple[Label, ...], Coded, Floats, Floats | None]:
    """Return the classes, and the true labels, scores and weights of the rows to count."""
    true = code_labels(y_true, "y_true")
    names, _ = join_labels({"y_true": true}, labels)
    matrix = _score_matrix(y_score, names)
    if matrix.ndim != 2 or matrix.shape[1] != len(names):
        columns = matrix.shape[1] if matrix.ndim == 2 else 1
        raise InputError(
            f"y_score has {columns} columns and there are {len(names)} classes "
            f"({', '.join(repr(n) for n in names[:8])}); give one column per class, or say "
            "labels=..."
        )
    columns = {f"y_score[:, {k}]": column for k, column in enumerate(matrix.T)}
    rows, weights = whole_rows({"y_true": true, **columns}, sample_weight, missing)
    if len(rows["y_true"].codes) < len(matrix):
        matrix = np.stack([rows[name] for name in columns], 1)
    return names, rows["y_true"], matrix, weights


def _score_matrix(values: Any, names: Sequence[Label]) -> Floats:
    """Return one score column per class, in the order of the classes."""
    if is_table(values):
        matrix: Floats
        matrix, columns = matrix_to_numpy(values)
        class_names = [str(name) for name in names]
        if set(columns) == set(class_names):
            return matrix[:, [columns.index(name) for name in class_names]]
        if set(columns) & set(class_names):
            raise InputError(
                f"y_score has the columns {list(columns)} and the classes are {class_names}; name "
                "every column after its class, or none"
            )
        return matrix
    if is_masked(values):
        values = values.astype(np.float64).filled(np.nan)
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "y_score is not a table of numbers; give numbers, one for each class in every row"
        ) from None
