"""Which metrics say the same thing again, measured by resampling the tally at hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from tallymark.data import Model
from tallymark.display import Display
from tallymark.errors import InputError
from tallymark.infer.sampler import Sampler
from tallymark.metric import METRICS, Metric
from tallymark.metric.measure import Statistic
from tallymark.studies.relations import correlations, linkage_of, named_groups
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import Counts
from tallymark.tally.scores import ScoreCounts
from tallymark.tally.threads import side_by_side, threads_for

DRAWS = 2000
SAME = 0.95
"""Metrics that correlate at least so much over the draws are told as one."""

_GROUPS = 100
"""Of more distinct scores neighbours are put together: correlations need no finer detail."""
_UNDEFINED = 0.01
"""A metric that is undefined in more than this share of the draws is left out."""


@dataclass(frozen=True, eq=False, repr=False)
class Redundancy(Display):
    """How the metrics of one model move together when its rows are drawn anew.

    ``correlation`` [M, M] is Spearman's rank correlation over the draws, losses with their sign
    turned, so that 1 is full agreement; NaN between metrics of decisions and of scores where the
    decisions were not made from those scores, and nothing says how they belong together.
    ``left_out`` says of the other metrics why they are not among them. ``draws`` is the number of
    resamples.
    """

    metrics: tuple[str, ...]
    correlation: Floats
    left_out: dict[str, str]
    draws: int

    def between(self, a: str, b: str) -> float:
        """Return the correlation of two metrics."""
        return float(self.correlation[self._place(a), self._place(b)])

    def _place(self, name: str) -> int:
        if name not in self.metrics:
            reason = self.left_out.get(name, "it is not a metric of this model")
            raise InputError(f"{name} is not among the resampled metrics: {reason}")
        return self.metrics.index(name)

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Return groups in which every two metrics correlate at least :data:`SAME`, largest first.

        Complete linkage on 1 - |correlation|; metrics of no group stand alone.
        """
        return self.grouped(SAME)

    def grouped(
        self, least: float, among: Sequence[str] | None = None
    ) -> tuple[tuple[str, ...], ...]:
        """Return the groups of another least correlation, of all metrics or of some."""
        from scipy.cluster.hierarchy import fcluster

        names = [m for m in self.metrics if among is None or m in among]
        if len(names) < 2:
            return tuple((m,) for m in names)
        at = [self.metrics.index(m) for m in names]
        distance = 1 - np.abs(np.nan_to_num(self.correlation[np.ix_(at, at)]))
        tree, _ = linkage_of(distance, "complete")
        groups = named_groups(names, fcluster(tree, 1 - least + 1e-12, "distance"))
        return tuple(sorted(groups, key=lambda g: -len(g)))

    def least(self, group: Sequence[str]) -> float:
        """Return the least correlation, without its sign, of any two metrics of a group."""
        at = [self._place(m) for m in group]
        return float(np.abs(self.correlation[np.ix_(at, at)]).min())


def redundancy(
    model: Model,
    labels: Sequence[Label],
    positive: Label | None,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    stratified: bool = False,
) -> Redundancy:
    """Resample a model's tally and correlate its metrics over the draws.

    Decisions made from the scores at a threshold are drawn together with them, from one
    multinomial draw over the score groups; otherwise decisions and scores are drawn apart. Of more
    than two classes only metrics of the decisions take part. The cost does not depend on the
    number of rows.

    Parameters
    ----------
    model : Model
        One classifier's tallies.
    labels : sequence of labels
        The classes.
    positive : label or None
        The positive class of two.
    draws : int
        Resamples, at least 10.
    seed : int
        Of the draws.
    stratified : bool
        Whether the shares of the classes are known, as after another class balance: rows are
        then drawn within each class, as many as it has.

    Examples
    --------
    >>> import tallymark as tm
    >>> ev = tm.evaluate([0, 1, 0, 1, 1, 0] * 9, y_score=[0.1, 0.9, 0.6, 0.3, 0.8, 0.2] * 9)
    >>> result = redundancy(ev.models[0], ev.classes, ev.positive)
    >>> round(result.between("f1", "jaccard"), 3)
    1.0

    """
    if draws < 10:
        raise InputError(f"draws is {draws}; correlations need at least 10")
    names: list[str] = []
    columns: list[Floats] = []
    blocks: list[int] = []
    left_out: dict[str, str] = {}
    joined = _drawn_together(model)
    for metric in METRICS.values():
        why = _unfit(metric, model, len(labels))
        if why:
            left_out[metric.name] = why
            continue
        names.append(metric.name)
        # Draws of one source move together; of two, nothing says how.
        of_labels = metric.needs in ("counts", "matrix")
        blocks.append(0 if joined or of_labels else 1)
    wanted = [Statistic.of(METRICS[n], labels, positive) for n in names]
    columns = _replicates(model, wanted, joined, draws, seed, stratified)
    kept = []
    for i, (name, column) in enumerate(zip(names, columns, strict=True)):
        undefined = float(np.isnan(column).mean())
        if undefined > _UNDEFINED:
            left_out[name] = f"undefined in {undefined:.0%} of the draws"
        elif _constant(column):
            left_out[name] = "the same in every draw"
        else:
            kept.append(i)
    values = np.stack([columns[i] for i in kept], 1) if kept else np.empty((draws, 0))
    values = values[~np.isnan(values).any(1)]
    signs = np.array([-1.0 if METRICS[names[i]].better == "low" else 1.0 for i in kept])
    apart = np.array([blocks[i] for i in kept])
    r = _spearman(values) * np.outer(signs, signs)
    r[apart[:, None] != apart] = np.nan
    r.flags.writeable = False
    return Redundancy(tuple(names[i] for i in kept), r, left_out, draws)


def _unfit(metric: Metric, model: Model, classes: int) -> str | None:
    if metric.needs in ("counts", "matrix"):
        return None
    if metric.needs in ("rows", "class_scores") or metric.classes == "many":
        return "it needs whole rows of scores, which a tally does not draw anew"
    if not model.scores:
        return "there are no scores"
    if classes > 2:
        return "of more than two classes, score columns are tallied apart"
    if metric.family == "probability" and not model.probabilities:
        return "the scores are not probabilities"
    return None


def _drawn_together(model: Model) -> bool:
    if len(model.scores) != 1 or model.threshold is None:
        return False
    made = model.scores[0].at(model.threshold).reorder(model.labels.labels)
    # Of classes with other shares both are multiplied, before and after the sum over scores.
    return bool(np.allclose(made.counts, model.labels.counts, rtol=1e-9, atol=0))


def _replicates(
    model: Model,
    wanted: Sequence[Statistic],
    joined: bool,
    draws: int,
    seed: int,
    stratified: bool,
) -> list[Floats]:
    """Return each statistic's values over the draws."""
    labels = model.labels.labels
    out: list[list[Any]] = [[] for _ in wanted]
    decided = [s.metric.needs in ("counts", "matrix") for s in wanted]
    if not all(decided) or joined:
        cut = model.threshold if joined else None
        tally = model.scores[0].coarse(_GROUPS, cut)
        at = [label for label in tally.labels if label != tally.positive] + [tally.positive]
        scored = [i for i, of_labels in enumerate(decided) if not of_labels]
        for r in Sampler(seed, stratified).scores(tally, "bootstrap", draws):
            matrix = _matrix(r.at(cut)) if cut is not None else None

            def read(k: int, r: ScoreCounts = r) -> None:
                out[scored[k]].append(wanted[scored[k]].of_score_counts([r]))

            side_by_side(read, len(scored), threads_for(r.pos.size))
            for s, values, of_labels in zip(wanted, out, decided, strict=True):
                if of_labels and matrix is not None:
                    values.append(s.of_matrix(matrix, at))
    if any(decided) and not joined:
        t, places = model.labels, np.flatnonzero(decided).tolist()
        of = [partial(wanted[i].of_matrix, labels=labels) for i in places]
        squares = None if t.sum_squared_weights is None else t.sum_squared_weights[None]
        sampler = Sampler(seed, stratified)
        found = sampler.values(of, t.counts[None], squares, "bootstrap", draws)
        for i, values in zip(places, found[:, 0], strict=True):
            out[i] = [values]
    return [np.concatenate([np.atleast_1d(v) for v in values]) for values in out]


def _matrix(c: Counts) -> Floats:
    return np.asarray(c.matrix())


def _constant(column: Floats) -> bool:
    defined = column[~np.isnan(column)]
    if not len(defined) or defined.min() == defined.max():
        return True
    # What follows from the weight of each class alone differs in the last digits.
    return bool(np.ptp(defined) <= 2.0**-40 * np.abs(defined).max() < math.inf)


def _spearman(values: Floats) -> Floats:
    """Return the rank correlations of columns, tied values sharing their mean rank."""
    if values.shape[1] == 0 or len(values) < 2:
        return np.full((values.shape[1], values.shape[1]), math.nan)
    # Formulas of the same number differ in the last digits: those are no order.
    with np.errstate(invalid="ignore"):
        steps = np.ldexp(1.0, np.frexp(np.abs(values).max(0))[1] - 40)
        close = np.where(np.isfinite(steps), np.rint(values / steps), values)
    return correlations(np.ascontiguousarray(close.T), ties=0.0)[1]
