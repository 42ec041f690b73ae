"""Models over the same draws of their rows, or of their clusters: what both kinds of judging ask.

Differences of several models (:mod:`tallymark.infer.paired`) and the numbers of one whose
rows come in clusters (:mod:`tallymark.infer.clustered`) are read off the same resampled counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.data import Model
from tallymark.metric.measure import Statistic
from tallymark.tally.joint import MOST_BLOCKS, PairedBlocks, PairedPredictions
from tallymark.tally.scores import ScoreCounts


class Resampled:
    """Models' counts over the same draws of blocks of their rows.

    With ``stratified`` the shares of the classes are known, not sampled: rows are drawn within each
    class, and of clusters, which hold rows of several classes, the whole; every class then gets
    the weight that it has in the models' tallies.
    """

    def __init__(
        self,
        joint: PairedPredictions,
        models: Sequence[Model],
        *,
        draws: int,
        seed: int = 0,
        stratified: bool = False,
        most: int = MOST_BLOCKS,
    ) -> None:
        self.joint = joint
        self.models = models
        self.draws = draws
        self.seed = seed
        self.stratified = stratified
        self.most = most
        self._matrices: dict[int, NDArray[np.float64]] = {}
        self._rankings: dict[int, tuple[list[ScoreCounts], list[ScoreCounts]]] = {}

    @cached_property
    def blocks(self) -> PairedBlocks:
        """The rows' counts, block by block."""
        return self.joint.blocks(
            [m.threshold for m in self.models],
            [m.scores for m in self.models],
            seed=self.seed,
            most=self.most,
            stratified=self.stratified,
        )

    @cached_property
    def times(self) -> NDArray[np.float64]:
        """How often every block is drawn: [draw, class, block]."""
        rng = np.random.default_rng(self.seed)
        apart = self.stratified and self.joint.clusters is None
        return self.blocks.draw(self.draws, rng, apart)

    def matrices(self, i: int) -> NDArray[np.float64]:
        """Return the resampled matrices [draw, true, predicted] of one model."""
        if i not in self._matrices:
            drawn = self.blocks.matrices(i, self.times)
            if self.stratified:
                drawn = drawn * self._factors(self.times)[..., None]
            self._matrices[i] = drawn
        return self._matrices[i]

    def rankings(self, i: int) -> tuple[list[ScoreCounts], list[ScoreCounts]]:
        """Return one model's resampled rankings and those of all rows, one a score column."""
        if i not in self._rankings:
            self._rankings[i] = (self._ranked(i, self.times), self._ranked(i, self.blocks.once))
        return self._rankings[i]

    def _ranked(self, i: int, times: NDArray[np.float64]) -> list[ScoreCounts]:
        factors = self._factors(times) if self.stratified else None
        return self.blocks.rankings(i, times, factors)

    def _factors(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what every class is multiplied by for its share: [draw, class], NaN without it."""
        wanted = self.models[0].labels.reorder(self.joint.labels).counts.sum(1)
        support = self.blocks.decided[0].sum(-1)
        drawn = np.stack([times[:, t] @ support[:, t] for t in range(len(wanted))], 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(drawn > 0, wanted / drawn, np.where(wanted > 0, np.nan, 0)))

    def values(self, i: int, s: Statistic) -> tuple[NDArray[Any], float] | None:
        """Return a statistic's values over the draws, and on the counts that they are drawn from.

        None for what the counts of blocks do not hold.
        """
        labels, metric, model = self.joint.labels, s.metric, self.models[i]
        if metric.needs in ("counts", "matrix"):
            whole = model.labels.reorder(labels).counts
            return s.of_matrix(self.matrices(i), labels), float(s.of_matrix(whole, labels))
        if metric.needs in ("rows", "class_scores") or metric.classes == "many":
            return None
        if len(model.scores) > 1 and metric.needs == "probabilities" and self.stratified:
            return None
        chosen = [model.scores.index(t) for t in s.asked_for(model.scores)]
        drawn, once = self.rankings(i)
        with np.errstate(invalid="ignore"):
            values = s.of_score_counts([drawn[c] for c in chosen])
        return values, float(np.squeeze(s.of_score_counts([once[c] for c in chosen])))
