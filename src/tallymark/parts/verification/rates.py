"""The error rates of a verification system, and the numbers of errors behind them.

The terms are those of ISO/IEC 19795-1: mated comparisons are of one person, non-mated ones of two;
a false match accepts a non-mated one (FMR), a false non-match rejects a mated one (FNMR).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import tallymark as tm
from tallymark.core import (
    THRESHOLD_CHOSEN,
    Display,
    Inference,
    Listing,
    Model,
    Statistic,
    fields_of,
    json_number,
    metric_row,
    once,
)
from tallymark.parts.verification import PART
from tallymark.parts.verification.intervals import ENOUGH_ERRORS, People, people_of
from tallymark.parts.verification.unused import NOT_USED

TARGETS = (1e-2, 1e-3, 1e-4)
"""The false match rates at which the false non-match rate is reported."""


def rule_of_three(comparisons: float) -> float:
    """Return the upper 95 % bound of an error rate if no error was observed: 3 / n.

    >>> rule_of_three(600)
    0.005
    """
    return 3 / comparisons if comparisons else math.nan


def rule_of_thirty(rate: float) -> float:
    """Return how many comparisons give 30 errors at a rate, which is then known to about 30 %.

    >>> rule_of_thirty(0.001)
    30000.0
    """
    return ENOUGH_ERRORS / rate if rate else math.inf


@dataclass(frozen=True, slots=True, repr=False)
class ErrorRates(Display):
    """Both error rates at a threshold, and the numbers of errors.

    ``target`` is the false match rate that the threshold keeps, None where the threshold was
    stated; ``fmr`` has an interval only there. ``threshold`` is in the units of the scores, and
    infinite where no comparison may be accepted.
    """

    threshold: float
    fmr: tm.Value
    fnmr: tm.Value
    false_matches: float
    false_non_matches: float
    target: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "target": self.target,
            "threshold": json_number(self.threshold),
            "fmr": self.fmr.to_dict(),
            "fnmr": self.fnmr.to_dict(),
            "false_matches": json_number(self.false_matches),
            "false_non_matches": json_number(self.false_non_matches),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Verification(Display):
    """One system's error rates: the equal one, those stated, and FNMR at each FMR.

    ``mated`` and ``non_mated`` are how many comparisons there are of either kind, and ``people``
    those who recur in them, None where nothing says that anybody does.
    """

    system: str
    scores: str
    mated: float
    non_mated: float
    eer: tm.Value
    eer_threshold: float
    stated: ErrorRates | None
    at_fmr: tuple[ErrorRates, ...]
    people: People | None = None

    @property
    def rates(self) -> tuple[ErrorRates, ...]:
        """All error rates: at the stated threshold, then at each false match rate."""
        return (*([] if self.stated is None else [self.stated]), *self.at_fmr)

    def table(self) -> Listing:
        """Return the equal error rate, then both error rates at each threshold."""
        rows: list[tuple[float, float | None, str, tm.Value]] = [
            (self.eer_threshold, None, "equal_error_rate", self.eer)
        ]
        for r in self.rates:
            rows.append((r.threshold, r.target, "false_positive_rate", r.fmr))
            rows.append((r.threshold, r.target, "false_negative_rate", r.fnmr))
        return Listing(
            tuple(
                {"system": self.system, "threshold": threshold, "target_fmr": target}
                | metric_row(name, value)
                for threshold, target, name, value in rows
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "scores": self.scores,
            "mated": json_number(self.mated),
            "non_mated": json_number(self.non_mated),
            "eer": self.eer.to_dict(),
            "eer_threshold": json_number(self.eer_threshold),
            "stated": None if self.stated is None else self.stated.to_dict(),
            "at_fmr": [rates.to_dict() for rates in self.at_fmr],
            "people": None if self.people is None else fields_of(self.people),
        }


@once
def verification(ev: tm.Evaluation) -> dict[str, Verification]:
    """Return the error rates of each system that :func:`tallymark.verify` judged.

    Of rows that are judged for the use "biometrics" too. Empty for other evaluations, and at
    another class balance.

    >>> import tallymark as tm
    >>> ev = tm.verify([0.9, 0.8, 0.4, 0.7], [0.1, 0.2, 0.5], threshold=0.45)
    >>> found = ev.verification()["system"]
    >>> found.eer.value, found.stated.false_matches, found.at_fmr[0].threshold
    (0.25, 1.0, 0.7)
    """
    if ev.source.use not in (*PART.uses, *PART.own_uses) or ev.stratified or not ev.binary:
        return {}
    inference = Inference(ev._counted, ev.level, ev.seed)
    return {m.name: _of_system(inference, m) for m in ev.models if _has_both_kinds(m)}


def _has_both_kinds(m: Model) -> bool:
    kinds = (t._score_counts for t in m.scores)
    return any(kind.positives > 0 and kind.negatives > 0 for kind in kinds)


def _of_system(inference: Inference, model: Model) -> Verification:
    """Return the error rates of one system."""
    counted = inference.counted
    sign = -1.0 if counted.source.use == "distances" else 1.0
    r = model.scores[0]._score_counts
    cuts, (tp, fp) = r.thresholds(), r._cumulative_counts

    def of(metric: Any, **params: Any) -> Statistic:
        return Statistic.of(metric, counted.classes, counted.positive, **params)

    def place(name: str) -> int:
        """Return the index of the cumulative counts at a metric's operating point."""
        index = statistics[name].operating_point(r)
        assert index is not None
        return min(index, len(cuts))

    statistics = {
        "eer": of(tm.metrics.equal_error_rate),
        "fmr": of(tm.metrics.fpr),
        "fnmr": of(tm.metrics.fnr),
        **{f"at {f:g}": of(tm.metrics.false_negative_rate_at_fpr, fpr=f) for f in TARGETS},
    }
    values = inference.values(model, statistics)

    def kept(target: float) -> ErrorRates:
        name = f"at {target:g}"
        k = place(name) - 1
        fmr = tm.Value("false_positive_rate", float(fp[k] / fp[-1]) if fp[-1] else math.nan)
        misses = float(tp[-1] - tp[k])
        return ErrorRates(sign * float(cuts[k]), fmr, values[name], float(fp[k]), misses, target)

    stated = None
    chosen = [n.model for n in counted.notes if n.rule == THRESHOLD_CHOSEN.code]
    if None not in chosen and model.name not in chosen:
        cut = model.threshold or 0.0
        c = r.at(cut)
        stated = ErrorRates(sign * cut, values["fmr"], values["fnmr"], float(c.fp), float(c.fn))
    equal = min(place("eer"), len(cuts) - 1)
    unused = any(n.rule == NOT_USED.code for n in counted.notes)
    return Verification(
        model.name,
        "distances" if sign < 0 else "similarities",
        float(tp[-1]),
        float(fp[-1]),
        values["eer"],
        sign * float(cuts[equal]),
        stated,
        tuple(map(kept, TARGETS)),
        People(None) if unused else people_of(inference.one_column, model),
    )
