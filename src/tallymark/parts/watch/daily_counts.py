"""What a watch counts of a day, by the kind of its number, and the evidence and interval from it.

Each kind stores counts of every day. Days are dictionaries as the state has them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import tallymark as tm
from tallymark import Evaluation, InputError
from tallymark.core import (
    Floats,
    Rule,
    ScoreCounts,
    Statistic,
    check_name,
    floats,
    get,
    numbers,
    placement_sums,
)
from tallymark.parts.watch.e_values import (
    FEW_AREA,
    FRACTIONS,
    MEANS,
    area_evidence,
    area_half_width,
    area_with_one_more,
    bet_evidence,
    day_of_bets,
    hedged_day,
    mean_bounds,
    of_starts,
    pair_evidence,
    share_bounds,
    share_evidence,
    strength_for,
    tuned,
)

Day = dict[str, Any]
Days = Sequence[Mapping[str, Any]]

_AT_ONCE = 1000
"""Scores whose losses are computed together."""


class Progress(NamedTuple):
    """Numbers by look: of the day alone, of all rows so far, and the bounds of the latter."""

    of_day: Floats
    so_far: Floats
    low: Floats
    high: Floats

    @classmethod
    def holding(cls, of_day: Floats, so_far: Floats, low: Floats, high: Floats) -> Progress:
        """Return numbers with bounds that are widened to hold the mean of all rows.

        Bets are of one mean. If it has changed, early days may weigh more in them than late ones.
        """
        return cls(of_day, so_far, np.minimum(low, so_far), np.maximum(high, so_far))


@dataclass(frozen=True)
class Kind(ABC):
    """How one kind of number is counted and judged.

    ``baseline`` is the model to compare with; ``prior`` is what is fixed by the size of the first
    day, 0 before it.
    """

    rule: Rule
    alpha: float
    baseline: str | None = None
    prior: float = 0.0

    name = ""
    method = ""
    stored = False
    """Whether the evidence of each look is in the state, since computing it again is slow."""

    @property
    def up(self) -> bool:
        """Whether high numbers keep the limit."""
        return self.rule.side == ">="

    @abstractmethod
    def prior_for(self, day: Day) -> float:
        """Return what the size of the first day fixes."""

    @abstractmethod
    def count(self, ev: Evaluation) -> tuple[Day, str | None]:
        """Return the counts of a day, and the positive class if there is one."""

    @abstractmethod
    def evidence(self, days: Days) -> Floats:
        """Return ln E of the days from each start to the last."""

    @abstractmethod
    def progress(self, days: Days, wealth: Mapping[str, Any] | None) -> Progress:
        """Return the numbers and bounds by look."""

    @abstractmethod
    def rows(self, day: Mapping[str, Any]) -> float:
        """Return the rows of a day that the number rests on."""

    def wealth(self, days: Days, day: Day, before: Mapping[str, Any] | None) -> Any:
        """Return what the state needs besides the days after another ``day``, None for nothing."""
        return None

    @abstractmethod
    def is_valid(self, day: Mapping[str, Any]) -> bool:
        """Return whether the counts of a day from a file are possible."""


def kind_of(rule: Rule, alpha: float, baseline: str | None = None) -> Kind:
    """Return the kind that serves a rule; refuse a number that none serves."""
    metric = get(rule.metric)
    facts = metric._sampling
    average = rule.definition.get("average", "binary")
    whole = average in ("binary", "overall") and "prevalence" not in rule.at
    if rule.margin is not None:
        if whole and facts.proportion is not None:
            return Pairs(rule, alpha, baseline)
        raise rule.refusal(
            f"a daily comparison is of shares of the same rows, and {metric.name} is none; watch "
            "accuracy, sensitivity or specificity, such as 'accuracy 0.01'"
        )
    if whole and facts.proportion is not None:
        return Shares(rule, alpha, baseline)
    if whole and facts.of_area is not None and facts.of_area.ties == 0.5:
        return Areas(rule, alpha, baseline)
    if whole and facts.row_loss is not None and facts.row_loss.outer is None:
        return Means(rule, alpha, baseline)
    which = f"the {average} average" if average not in ("binary", "overall") else metric.name
    if "prevalence" in rule.at:
        which = "a number at another prevalence"
    raise rule.refusal(
        f"no method is valid at every look for {which}; watch a share of rows (accuracy, "
        "sensitivity, specificity, precision), the ROC area or a bounded mean (brier)"
    )


def _statistic(ev: Evaluation, rule: Rule) -> tuple[Any, Statistic]:
    """Return the only model, and the statistic of a rule."""
    model, statistic = ev.at(**rule.at)._statistic(rule.metric, **rule.definition)
    return model, statistic


def _so_far(part: Sequence[float], whole: Sequence[float]) -> tuple[Floats, Floats]:
    """Return the ratio of each day, and of all days up to it; NaN without rows."""
    a, b = np.array(part, np.float64), np.array(whole, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return a / b, np.cumsum(a) / np.cumsum(b)


def _are_counts(*values: Any) -> bool:
    """Return whether values of a file are counts of rows."""
    return all(type(v) is int and 0 <= v < 1 << 53 for v in values)


# -- shares --------------------------------------------------------------------------------------


class Shares(Kind):
    """A share of rows, such as sensitivity: ``right`` of ``n``."""

    name = "share"
    method = "beta-binomial confidence sequence"

    def prior_for(self, day: Day) -> float:
        """Return the strength of the prior."""
        return strength_for(day["n"])

    def count(self, ev: Evaluation) -> tuple[Day, str | None]:
        """Return the hits of the rows that count."""
        model, statistic = _statistic(ev, self.rule)
        assert statistic.metric._sampling.proportion is not None
        view = statistic.view(model.labels.counts, model.labels.labels)
        right, n = map(float, statistic.metric._sampling.proportion(view))
        day = {"right": round(right), "n": round(n)}
        return day, None if statistic.positive is None else str(statistic.positive)

    def _kept(self, days: Days) -> tuple[Floats, Floats, float]:
        """Return the rows that keep the limit by day, all rows, and the limit of their share."""
        right, n = (np.array([day[key] for day in days], np.float64) for key in ("right", "n"))
        return (right, n, self.rule.limit) if self.up else (n - right, n, 1 - self.rule.limit)

    def evidence(self, days: Days) -> Floats:
        """Return the beta-binomial evidence."""
        kept, n, limit = self._kept(days)
        return share_evidence(of_starts(kept), of_starts(n), limit, self.prior)

    def progress(self, days: Days, wealth: Mapping[str, Any] | None) -> Progress:
        """Return the numbers and bounds by look."""
        right, n = ([day[key] for day in days] for key in ("right", "n"))
        bounds = share_bounds(np.cumsum(right), np.cumsum(n), self.alpha)
        return Progress(*_so_far(right, n), *bounds)

    def rows(self, day: Mapping[str, Any]) -> float:
        """Return the rows that count."""
        return float(day["n"])

    def is_valid(self, day: Mapping[str, Any]) -> bool:
        """Return whether the counts of a day are possible."""
        return _are_counts(day["right"], day["n"]) and day["right"] <= day["n"]


# -- two models on the same rows -----------------------------------------------------------------


_DIFFERENCES = np.array([0.0, 0.5, 1.0])
"""(D + 1)/2 of rows on which only the old model is right, both or neither, only the new one."""


class Pairs(Kind):
    """The difference of two shares of the same rows.

    ``b`` rows are right by the new model only, ``c`` by the old one only, of ``n`` in all.
    """

    name = "paired share"
    method = "betting confidence sequence of paired rows"

    def prior_for(self, day: Day) -> float:
        """Return 0: nothing is fixed by the first day."""
        return 0.0

    def count(self, ev: Evaluation) -> tuple[Day, str | None]:
        """Return the rows on which one model alone is right, and all that count."""
        old = str(self.baseline)
        check_name("model", old, ev.names)
        others = [name for name in ev.names if name != old]
        if len(others) != 1:
            raise InputError(
                f"a watch compares one model with {old!r}, and there are {len(others)} others; "
                "give both models and no more"
            )
        counted = ev.at(**self.rule.at)._one_column
        if counted.joint is None:
            raise InputError(
                "the rows of both models were not kept side by side; evaluate them together, "
                "from the rows"
            )
        statistic = counted.statistic(get(self.rule.metric), **self.rule.definition)
        rows, hits = self._hits(statistic, counted.classes)
        names = (others[0], old)
        cuts = (counted.model(names[0]).threshold, counted.model(old).threshold)
        cells = counted.joint.agreement(*names, cuts)[rows]
        new, before = hits[rows][:, :, None], hits[rows][:, None, :]
        b, c = float((cells * (new & ~before)).sum()), float((cells * (~new & before)).sum())
        day = {"b": round(b), "c": round(c), "n": round(float(cells.sum()))}
        return day, None if statistic.positive is None else str(statistic.positive)

    def _hits(
        self, statistic: Statistic, classes: Sequence[Any]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the rows [true] of the share, and the cells [true, predicted] that it counts."""
        assert statistic.metric._sampling.proportion is not None
        k = len(classes)
        units = np.eye(k * k).reshape(k * k, k, k)
        part, whole = (
            np.asarray(v).reshape(k, k)
            for v in statistic.metric._sampling.proportion(statistic.view(units, classes))
        )
        if not (whole == whole[:, :1]).all():
            raise self.rule.refusal(
                f"{statistic.metric.name} is a share of other rows for each model; watch "
                "accuracy, sensitivity or specificity"
            )
        return whole[:, 0] > 0, part > 0

    def _better(self, days: Days) -> tuple[Floats, Floats, Floats]:
        """Return the rows on which only the new, only the old and neither model alone is better."""
        b, c, n = (np.array([day[key] for day in days], np.float64) for key in "bcn")
        return (b, c, n - b - c) if self.up else (c, b, n - b - c)

    def evidence(self, days: Days) -> Floats:
        """Return the evidence of the rows on which one model alone is right."""
        new, old, same = self._better(days)
        if not self.rule.margin:
            return pair_evidence(of_starts(new), of_starts(old))
        limit = (1 - self.rule.margin) / 2
        counts = np.stack([old, same, new], 1)
        return bet_evidence(np.stack([day_of_bets(_DIFFERENCES, c, limit) for c in counts]))

    def progress(self, days: Days, wealth: Mapping[str, Any] | None) -> Progress:
        """Return the numbers and bounds by look."""
        b, c, n = (np.array([day[key] for day in days], np.float64) for key in "bcn")
        bounds = np.array(list(self._bounds(np.stack([c, n - b - c, b], 1)))).reshape(-1, 2)
        return Progress.holding(*_so_far((b - c).tolist(), n.tolist()), *(2 * bounds.T - 1))

    def _bounds(self, counts: Floats) -> Iterator[tuple[float, float]]:
        before, up, down = np.zeros(3), np.zeros(len(MEANS)), np.zeros(len(MEANS))
        for day in counts:
            won = hedged_day(_DIFFERENCES, day, before.tolist(), self.alpha)
            up, down = up + won[0], down + won[1]
            before += [day.sum(), day @ _DIFFERENCES, day @ _DIFFERENCES**2]
            yield mean_bounds(up, down, self.alpha)

    def rows(self, day: Mapping[str, Any]) -> float:
        """Return the rows that count."""
        return float(day["n"])

    def is_valid(self, day: Mapping[str, Any]) -> bool:
        """Return whether the counts of a day are possible."""
        return _are_counts(day["b"], day["c"], day["n"]) and day["b"] + day["c"] <= day["n"]


# -- means ---------------------------------------------------------------------------------------


class Means(Kind):
    """A mean of row losses in [0, largest], such as the Brier score.

    A day has its rows ``n``, the ``sum`` and ``squares`` of its losses as shares of the largest,
    and what each of the ``bets`` won.
    """

    name = "mean"
    method = "hedged betting confidence sequence"

    def prior_for(self, day: Day) -> float:
        """Return 0: nothing is fixed by the first day."""
        return 0.0

    def count(self, ev: Evaluation) -> tuple[Day, str | None]:
        """Return sums of the losses, and what the bets won."""
        model, statistic = _statistic(ev, self.rule)
        if len(model.scores) != 1:
            raise self.rule.refusal("a mean is watched for two classes; choose one class")
        tally = model.scores[0]
        _refuse_bins(tally, self.rule)
        largest = float(_losses(statistic, np.array([0.0, 1.0])).max())
        if not math.isfinite(largest):
            raise self.rule.refusal(
                f"{statistic.metric.name} has no largest loss, so that a single row may decide; "
                "watch brier"
            )
        values = (_losses(statistic, tally.scores) / largest).ravel()
        r = tally._score_counts
        counts = np.concatenate([r.pos, r.neg])
        values, counts = values[counts > 0], counts[counts > 0]
        day = {
            "n": round(float(counts.sum())),
            "sum": float(counts @ values),
            "squares": float(counts @ values**2),
            "bets": self._won(values, counts, self.rule.limit / largest).tolist(),
            "largest": largest,
            "losses": (values, counts),  # only until the day is added
        }
        return day, str(statistic.positive)

    def _won(self, values: Floats, counts: Floats, limit: float) -> Floats:
        if not 0 < limit < 1:
            raise self.rule.refusal("no loss can be beyond the limit; give a lower one")
        kept = (values, limit) if self.up else (1 - values, 1 - limit)
        return day_of_bets(kept[0], counts, kept[1])

    def wealth(self, days: Days, day: Day, before: Mapping[str, Any] | None) -> Any:
        """Return what the hedged bets have won on each of the 1,000 means."""
        values, counts = day.pop("losses")
        sums = [sum(d[key] for d in days) for key in ("n", "sum", "squares")]
        won = hedged_day(values, counts, sums, self.alpha)
        read = [np.zeros(len(MEANS))] * 2 if before is None else _of_wealth(before)
        total = [a + b for a, b in zip(read, won, strict=True)]
        return dict(zip(("higher", "lower"), map(numbers, total), strict=True))

    def evidence(self, days: Days) -> Floats:
        """Return what the bets won."""
        return bet_evidence(np.array([day["bets"] for day in days], np.float64))

    def progress(self, days: Days, wealth: Mapping[str, Any] | None) -> Progress:
        """Return the numbers by look, and the bounds of the last."""
        largest = days[-1]["largest"]
        of_day, so_far = _so_far([d["sum"] * largest for d in days], [d["n"] for d in days])
        low, high = np.full(len(days), math.nan), np.full(len(days), math.nan)
        assert wealth is not None
        higher, lower = _of_wealth(wealth)
        low[-1], high[-1] = mean_bounds(higher, lower, self.alpha)
        return Progress.holding(of_day, so_far, low * largest, high * largest)

    def rows(self, day: Mapping[str, Any]) -> float:
        """Return the rows that count."""
        return float(day["n"])

    def is_valid(self, day: Mapping[str, Any]) -> bool:
        """Return whether the counts of a day are possible."""
        plain = [day["sum"], day["squares"], day["largest"], *day["bets"]]
        real = all(type(v) in (int, float) and math.isfinite(v) for v in plain)
        return (
            _are_counts(day["n"])
            and real
            and len(day["bets"]) == len(FRACTIONS)
            and 0 <= day["squares"] <= day["sum"] + 1e-9 * day["n"]
            and day["sum"] <= day["n"] * (1 + 1e-9)
            and day["largest"] > 0
        )


def _of_wealth(saved: Mapping[str, Any]) -> list[Floats]:
    """Return the log capital of both bets on each of the 1,000 means."""
    both = [floats(saved.get(key), f"wealth {key}") for key in ("higher", "lower")]
    if any(v.shape != MEANS.shape or not np.isfinite(v).all() for v in both):
        raise ValueError
    return both


def _losses(statistic: Statistic, scores: Floats) -> Floats:
    """Return the loss of one row at each score: [positive or not, score]."""
    out = np.empty((2, len(scores)))
    for start in range(0, len(scores), _AT_ONCE):
        some = scores[start : start + _AT_ONCE]
        one, none = np.eye(len(some)), np.zeros((len(some), len(some)))
        for side, (pos, neg) in enumerate(((one, none), (none, one))):
            found = statistic.of_score_counts([ScoreCounts(some, pos, neg)])
            out[side, start : start + _AT_ONCE] = found
    return out


def _refuse_bins(tally: tm.ScoreTally, rule: Rule) -> None:
    if tally.bins is not None:
        raise rule.refusal("the scores were counted in bins; count them exactly, with more memory")


# -- the ROC area --------------------------------------------------------------------------------


class Area(NamedTuple):
    """An area of several days, its variance, and how many rows it rests on."""

    value: float
    variance: float
    rarer: float
    rows: float


class Areas(Kind):
    """The ROC area, or a linear function of it, from the ``scores`` of each day."""

    name = "area"
    method = "asymptotic confidence sequence, with one more row placed by chance"
    stored = True

    def prior_for(self, day: Day) -> float:
        """Return the rows for which the interval is tuned: those of 30 such days."""
        return max(30.0 * self.rows(day), 30.0 * FEW_AREA)

    def count(self, ev: Evaluation) -> tuple[Day, str | None]:
        """Return how many rows of each class have each score."""
        model, statistic = _statistic(ev, self.rule)
        if statistic.average not in ("binary", "overall") or len(model.scores) != 1:
            raise self.rule.refusal("the area is watched for two classes; choose one class")
        tally = model.scores[0]
        _refuse_bins(tally, self.rule)
        r = tally._score_counts
        return _saved_scores(r.scores, r.pos, r.neg), str(statistic.positive)

    @property
    def _of_area(self) -> Any:
        return get(self.rule.metric)._sampling.of_area

    def evidence(self, days: Days) -> Floats:
        """Return the normal evidence; that of few rows is 1."""
        limit = (self.rule.limit - self._of_area.intercept) / self._of_area.slope
        rho2, sign = tuned(self.prior, self.alpha), 1 if self.up else -1
        out = np.zeros(len(days))
        for j, area in enumerate(_areas(days[::-1])):
            if area.rarer >= FEW_AREA:
                centre, variance = area_with_one_more(area.value, area.variance, area.rarer)
                off = sign * (centre - limit)
                out[len(days) - 1 - j] = area_evidence(off, variance, area.rows, rho2)
        return out

    def progress(self, days: Days, wealth: Mapping[str, Any] | None) -> Progress:
        """Return the numbers and bounds by look."""
        rho2 = tuned(self.prior, self.alpha)
        of_day = [next(_areas([day])).value for day in days]
        so_far, low, high = [], [], []
        for area in _areas(days):
            so_far.append(area.value)
            half = math.nan
            centre, variance = area_with_one_more(area.value, area.variance, area.rarer)
            if area.rarer >= FEW_AREA:
                half = float(area_half_width(variance, area.rows, rho2, self.alpha))
            low.append(max(centre - half, 0.0) if half == half else math.nan)
            high.append(min(centre + half, 1.0) if half == half else math.nan)
        found = (self._of_area(np.array(v, np.float64)) for v in (of_day, so_far, low, high))
        return Progress(*found)

    def rows(self, day: Mapping[str, Any]) -> float:
        """Return the rows that count."""
        return float(sum(v.sum() for v in _scores_of(day)[1:]))

    def is_valid(self, day: Mapping[str, Any]) -> bool:
        """Return whether the counts of a day are possible."""
        scores, pos, neg = _scores_of(day)
        counts = np.stack([pos, neg])
        whole = (counts >= 0).all() and (counts == np.trunc(counts)).all()
        return bool(whole and (np.diff(scores) > 0).all() and np.isfinite(scores).all())


def _saved_scores(scores: Floats, pos: Floats, neg: Floats) -> Day:
    both = {"scores": scores, "positives": pos, "negatives": neg}
    return {key: numbers(np.asarray(v, np.float64)) for key, v in both.items()}


def _scores_of(day: Mapping[str, Any]) -> tuple[Floats, Floats, Floats]:
    """Return the scores of a day, and how many positives and negatives have each."""
    scores, pos, neg = (floats(day[key], key) for key in ("scores", "positives", "negatives"))
    if not scores.shape == pos.shape == neg.shape == (len(scores),):
        raise ValueError
    return scores, pos, neg


def _areas(days: Days) -> Iterator[Area]:
    """Yield the area of the first day, of the first two, and so on; NaN if a class is missing."""
    read = [_scores_of(day) for day in days]
    union = np.unique(np.concatenate([scores for scores, _, _ in read]))
    pos, neg = np.zeros(len(union)), np.zeros(len(union))
    for scores, more_pos, more_neg in read:
        places = np.searchsorted(union, scores)
        pos[places] += more_pos
        neg[places] += more_neg
        p, n = float(pos.sum()), float(neg.sum())
        if min(p, n) < 2:
            yield Area(_plain_area(union, pos, neg) if min(p, n) else math.nan, math.nan, 0, p + n)
            continue
        area, *spreads = placement_sums(ScoreCounts(union, pos.copy(), neg.copy()))
        variance = spreads[0] / (p * (p - 1)) + spreads[1] / (n * (n - 1))
        yield Area(float(area), float(variance), min(p, n), p + n)


def _plain_area(scores: Floats, pos: Floats, neg: Floats) -> float:
    return float(placement_sums(ScoreCounts(scores, pos.copy(), neg.copy()))[0])
