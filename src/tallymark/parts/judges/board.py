"""Models ranked by pass rates that a judge and a few labels give, on the same items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from tallymark import InputError, Value
from tallymark.core import (
    PATH,
    Display,
    Document,
    Finding,
    Floats,
    Label,
    Listing,
    checked,
    fields_of,
    holm,
    listed,
    many,
    maximal_sets,
    not_told_apart,
    p_is,
    pair_of,
    proved_pairs,
    rank_ranges,
    who_beats,
    words,
    write_text,
)
from tallymark.parts.judges import findings
from tallymark.parts.judges.case import Case
from tallymark.parts.judges.cautions import (
    FEW,
    FEWEST,
    SUSPICIOUS,
    equal_to_truth,
    random_labelling,
    refuse,
)
from tallymark.parts.judges.rates import (
    CLUSTERED,
    PAIRED,
    ModelRows,
    Rates,
    bounds_of_difference,
    bounds_of_rate,
    corrected,
    unit_codes,
)
from tallymark.parts.judges.strata import LEAST, Codes
from tallymark.parts.judges.tally import NO_TRUTH, JudgedTally


@dataclass(frozen=True, slots=True)
class JudgedStanding:
    """A model of a board: its corrected pass rate, and the ranks that it may have.

    ``rank_low`` is 1 plus the number of models proved better, ``rank_high`` the number of models
    minus those proved worse. ``labels_only`` is the rate of the ``labelled`` rows alone, None where
    they are not a random sample of independent rows, and ``judge_as_truth`` that of the judge.
    """

    model: str
    value: Value
    rank_low: int
    rank_high: int
    labelled: int
    labels_only: Value | None
    judge_as_truth: float


@dataclass(frozen=True, slots=True, repr=False)
class JudgedPair(Display):
    """Two models on the same items: the difference of their corrected rates, first minus second.

    ``adjusted`` is the p-value by Holm's method over all pairs, and decides about ``winner``, None
    where no difference is proved. ``judge_as_truth`` is the difference that the judge gives.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    level: float
    p_value: float
    adjusted: float
    winner: str | None
    judge_as_truth: float
    method: str

    def _reversed(self) -> JudgedPair:
        """Return the comparison with the two models swapped."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=0.0 - self.difference,  # not -0
            low=0.0 - self.high,
            high=0.0 - self.low,
            judge_as_truth=0.0 - self.judge_as_truth,
        )


@checked(path=PATH)
@dataclass(frozen=True, repr=False)
class JudgedBoard(Document):
    """What :func:`tallymark.judged_evals` returns: models ranked by corrected pass rates.

    ``models`` are from the best rate down, ``pairs`` the differences on the same ``items``, and
    ``groups`` the largest sets of models of which no two are proved different. ``positive`` is what
    the rate counts, ``rows`` and ``labelled`` are numbers of rows, and ``notes`` what is assumed
    and what to watch. Printing it shows all of this; ``verdict`` says it in sentences.
    """

    source: str
    judged_by: str
    positive: Label
    level: float
    items: int
    clusters: int | None
    rows: int
    labelled: int
    models: tuple[JudgedStanding, ...]
    pairs: tuple[JudgedPair, ...]
    groups: tuple[tuple[str, ...], ...]
    sampled_by: str | None
    read_as: tuple[str, ...]
    notes: tuple[Finding, ...]

    @property
    def verdict(self) -> str:
        """The result in sentences."""
        on = f"on {many(self.items, 'item')} with {many(self.labelled, 'label')}"
        if len(self.models) == 1:
            only = self.models[0]
            return f"{words.text(only.model)}: {words.with_interval(only.value)} {on}."
        names = [m.model for m in self.models]
        beats = who_beats(names, proved_pairs(self.pairs))
        return " ".join([*beats, *not_told_apart(self.groups, on)])

    def pair(self, first: str, second: str) -> JudgedPair:
        """Return the comparison of two models, first minus second.

        Raises
        ------
        InputError
            A model that is not there, or the same model twice.

        """
        return pair_of(self.pairs, [m.model for m in self.models], first, second)

    def table(self) -> Listing:
        """Return one row per model: its corrected rate, its ranks and the judge's rate."""
        return Listing(tuple(_line(m) for m in self.models))

    def table_of_pairs(self) -> Listing:
        """Return a row for each pair of models."""
        return Listing(tuple(fields_of(p) for p in self.pairs))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, with its format and version."""
        return {**self._heading("judged-board"), **fields_of(self), "verdict": self.verdict}

    def report(self, path: str | PathLike[str] = "leaderboard.html") -> Path:
        """Write one self-contained HTML file, which needs no network."""
        from tallymark.parts.judges.page import of_board

        return write_text(path, of_board(self))


def _line(m: JudgedStanding) -> dict[str, Any]:
    alone = m.labels_only
    return {
        "model": m.model,
        **{n: getattr(m.value, n) for n in ("value", "low", "high", "level")},
        "rank_low": m.rank_low,
        "rank_high": m.rank_high,
        "labelled": m.labelled,
        "labels_only": None if alone is None else alone.value,
        "judge_as_truth": m.judge_as_truth,
        "method": m.value.method,
    }


# -- what is computed --------------------------------------------------------------------------


_OF_ROWS = ("codes", "weights", "item", "model", "cluster")


@dataclass(frozen=True)
class BoardRows:
    """Rows with a judge, of several models.

    ``codes`` [row, 2] are those of truth and judge in ``labels``, ``item``, ``model`` and
    ``cluster`` [row] those of items, of ``models`` and of clusters, None without.
    """

    labels: tuple[Label, ...]
    classes: int
    codes: Codes
    weights: Floats | None
    item: Codes
    model: Codes
    models: tuple[str, ...]
    cluster: Codes | None

    def kept(self, keep: Any) -> BoardRows:
        """Return some of the rows."""
        some: dict[str, Any] = {n: getattr(self, n) for n in _OF_ROWS}
        some = {n: None if v is None else v[keep] for n, v in some.items()}
        return replace(self, **some)

    def tally(self, model: int | None = None) -> JudgedTally:
        """Return the counts of the rows of one model, or of all rows."""
        mine = slice(None) if model is None else self.model == model
        weights = None if self.weights is None else self.weights[mine]
        return JudgedTally._of_codes(self.labels, self.classes, (), self.codes[mine], weights)

    def labelled(self) -> Codes:
        """Return the number of labelled rows of each model."""
        known = self.codes[:, 0] != NO_TRUTH
        return np.bincount(self.model[known], minlength=len(self.models))

    def present(self) -> Any:
        """Return the number of rows [item, model]."""
        out = np.zeros((int(self.item.max(initial=-1)) + 1, len(self.models)), dtype=int)
        np.add.at(out, (self.item, self.model), 1)
        return out


def _comparable(rows: BoardRows) -> tuple[BoardRows, list[int], list[Finding]]:
    """Return the rows of items that all models have, the models with labels, and what is left out.

    Models with fewer than 10 labelled rows are left out.
    """
    present, notes = rows.present() > 0, []
    shared = rows.kept(present.all(1)[rows.item]).labelled()
    own = rows.labelled()
    chosen = [i for i, n in enumerate(shared) if n >= FEWEST]
    if not chosen and own.sum() >= FEWEST:
        of = ", ".join(f"{m} has {n:,}" for m, n in zip(rows.models, shared, strict=True))
        raise InputError(
            f"no model has {FEWEST} labelled rows among the items of all models; label at least "
            f"{FEWEST} of each: {of}"
        )
    chosen = chosen or [*range(len(rows.models))]
    for i, model in enumerate(rows.models):
        if i not in chosen:
            found = findings.MODEL_WITHOUT_LABELS.finding(model, labelled=int(shared[i]))
            notes.append(found)
    common = present[:, chosen].all(1)
    known = present[:, chosen].any(1)
    for i in chosen:
        if lacking := int((known & ~present[:, i]).sum()):
            counted = {"items": int(common.sum()), "lacking": lacking}
            notes.append(findings.ITEMS_LACKING.finding(rows.models[i], **counted))
    return rows.kept(common[rows.item] & np.isin(rows.model, chosen)), chosen, notes


def judged_board(
    rows: BoardRows,
    *,
    positive: Label,
    sampled_by: str | None,
    level: float,
    seed: int,
    source: str,
    judged_by: str,
    read_as: Sequence[str],
    notes: Sequence[Finding],
) -> JudgedBoard:
    """Return the board of rows with a judge, of which few have a label."""
    rows, chosen, left_out = _comparable(rows)
    everything = rows.tally()
    refuse(everything, judged_by)
    unit, units = unit_codes(rows.item if rows.cluster is None else rows.cluster)
    if units < 2:
        what = "item" if rows.cluster is None else "cluster"
        raise InputError(
            f"all rows are of one {what}, so nothing shows how they vary; give rows of several"
        )
    two = everything._classes if everything.classes == 2 else None
    cases = {
        i: Case(rows.tally(i), positive if two else None, sampled_by, level, seed) for i in chosen
    }
    models = [_model_rows(rows, i, case, positive, unit) for i, case in cases.items()]
    rates = corrected(models, units)
    repeated = any((m.part < 1).any() for m in models)
    plain = rows.cluster is None and not repeated
    clustered = rows.cluster is not None
    names, code = [rows.models[i] for i in chosen], rows.labels.index(positive)
    by_judge = [
        float(m.part[_mine(rows, i)[:, 1] == code].sum() / m.part.sum())
        for i, m in zip(chosen, models, strict=True)
    ]
    shares = []
    for place, case in enumerate(cases.values()):
        share = next(s for s in case.shares() if s.label == positive)
        value, alone = share.value, share.labels_only
        if not plain:
            value, alone = _rate(rates, place, level, clustered=clustered), None
        shares.append((value, alone))
    order = sorted(range(len(names)), key=lambda i: (-shares[i][0].value, i))
    pairs = _pairs(order, names, rates, by_judge, level, clustered=clustered)
    apart = {
        (p.first, p.second) if p.winner == p.first else (p.second, p.first)
        for p in pairs
        if p.winner
    }
    ranks, labelled = rank_ranges(names, apart), rows.labelled()
    standings = tuple(
        JudgedStanding(
            names[i],
            shares[i][0],
            *ranks[names[i]],
            int(labelled[chosen[i]]),
            shares[i][1],
            by_judge[i],
        )
        for i in order
    )
    return JudgedBoard(
        source,
        judged_by,
        positive,
        level,
        len(np.unique(rows.item)),
        units if clustered else None,
        len(rows.codes),
        everything.labelled,
        standings,
        pairs,
        tuple(maximal_sets([m.model for m in standings], apart)),
        sampled_by,
        tuple(read_as),
        (*notes, *left_out, *_notes(everything, dict(zip(names, cases.values(), strict=True)))),
    )


def _mine(rows: BoardRows, model: int) -> Codes:
    return np.asarray(rows.codes[rows.model == model])


def _model_rows(rows: BoardRows, model: int, case: Case, positive: Label, unit: Codes) -> ModelRows:
    """Return the rows of a model, in the strata of its judge's values."""
    mine = rows.model == model
    truth, judged = rows.codes[mine].T
    pairs = case.of().pairs
    of_value = np.zeros(len(rows.labels), dtype=np.intp)
    for s, members in enumerate(pairs.strata):
        of_value[pairs.judged[members]] = s
    _, item, times = np.unique(rows.item[mine], return_inverse=True, return_counts=True)
    passed = np.where(truth == NO_TRUTH, np.nan, truth == rows.labels.index(positive))
    weight = np.ones(len(truth)) if rows.weights is None else rows.weights[mine]
    return ModelRows(unit[mine], of_value[judged], 1 / times[item.reshape(-1)], passed, weight)


def _rate(rates: Rates, model: int, level: float, *, clustered: bool) -> Value:
    low, high = bounds_of_rate(rates, model, level, clustered=clustered)
    method = CLUSTERED if clustered else PAIRED
    error = float(rates.covariance[model, model] ** 0.5)
    return Value("share", float(rates.values[model]), low, high, level, method, se=error)


def _pairs(
    order: Sequence[int],
    names: Sequence[str],
    rates: Rates,
    by_judge: Sequence[float],
    level: float,
    *,
    clustered: bool,
) -> tuple[JudgedPair, ...]:
    """Return all pairs of models, the better one first, with Holm's correction."""
    chosen = list(combinations(order, 2))
    bounds = [bounds_of_difference(rates, i, j, level, clustered=clustered) for i, j in chosen]
    adjusted = holm(np.array([b.p_value for b in bounds])) if chosen else np.zeros(0)
    out = []
    for (i, j), b, p in zip(chosen, bounds, adjusted.tolist(), strict=True):
        better = names[i] if b.value > 0 else names[j]
        out.append(
            JudgedPair(
                names[i],
                names[j],
                b.value,
                b.low,
                b.high,
                level,
                b.p_value,
                p,
                better if p < 1 - level else None,
                by_judge[i] - by_judge[j],
                CLUSTERED if clustered else PAIRED,
            )
        )
    return tuple(out)


def _notes(everything: JudgedTally, cases: Mapping[str, Case]) -> Iterator[Finding]:
    """Yield the assumptions of the correction, and warnings about the labels and the judge."""
    labels = everything.labels
    if len(labels) > everything.classes:
        beyond = everything.cells[:, 1] >= everything.classes
        values = listed(labels[everything.classes :])
        yield findings.NO_CLASS.finding(values=values, rows=int(everything.rows[beyond].sum()))
    if everything.labelled == everything.rows.sum():
        yield findings.ALL_LABELLED.finding()
    elif equal_to_truth(everything):
        yield findings.EQUAL.finding(labelled=everything.labelled)
    if everything.labelled < FEW:
        yield findings.FEW_LABELLED.finding(labelled=everything.labelled)
    for model, case in cases.items():
        pairs = case.of().pairs
        if any(len(s) > 1 for s in pairs.strata):
            sparse = int((pairs.labelled < LEAST).sum())
            yield findings.VALUES_MERGED.finding(model, values=sparse, all=len(pairs.rows))
        for s in pairs.strata:
            if not pairs.labelled[s].sum():
                judged = words.text(labels[pairs.judged[s[0]]])
                unknown = int(pairs.rows[s].sum())
                yield findings.VALUE_UNLABELLED.finding(model, rows=unknown, judged=judged)
        p = random_labelling(pairs)
        if p < SUSPICIOUS and not case.tally._weighted:
            yield findings.MODEL_NOT_RANDOM.finding(model, p=p_is(p))
    weights = "the given weights, " if everything._weighted else ""
    yield findings.CORRECTED_FOR.finding(what=f"{weights}model and judge's value")
