"""What a verification system is judged by: its error rates, and how many errors they rest on.

The words are those of ISO/IEC 19795-1: mated comparisons are of one person, non-mated ones of two;
a false match accepts a non-mated one (FMR), a false non-match rejects a mated one (FNMR).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tallymark.display import Display
from tallymark.infer.intervals import Inference
from tallymark.listing import Listing
from tallymark.metric import get
from tallymark.metric.measure import Statistic, Value, json_number
from tallymark.reading.models import CountedRows, Model
from tallymark.tables import metric_row

TARGETS = (1e-2, 1e-3, 1e-4)
"""The false match rates at which the false non-match rate is reported."""

ENOUGH_ERRORS = 30
"""Of so many errors the true rate is within 30 % of the observed one, at 90 % confidence, if
comparisons are independent (the rule of 30)."""


def rule_of_three(comparisons: float) -> float:
    """Return the upper 95 % bound of an error rate of which no error was seen: 3 / n.

    >>> rule_of_three(600)
    0.005
    """
    return 3 / comparisons if comparisons else math.nan


def rule_of_thirty(rate: float) -> float:
    """Return how many comparisons hold 30 errors at a rate: then it is known to about 30 %.

    >>> rule_of_thirty(0.001)
    30000.0
    """
    return ENOUGH_ERRORS / rate if rate else math.inf


@dataclass(frozen=True, slots=True, repr=False)
class ErrorRates(Display):
    """Both error rates at a threshold, and the errors that were seen there.

    ``target`` is the false match rate that the threshold keeps, None where the threshold was
    stated; ``fmr`` has an interval only there. ``threshold`` is in the units of the scores, and
    infinite where no comparison may be accepted.
    """

    threshold: float
    fmr: Value
    fnmr: Value
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

    ``mated`` and ``non_mated`` are how many comparisons there are of either kind.
    """

    system: str
    scores: str
    mated: float
    non_mated: float
    eer: Value
    eer_threshold: float
    stated: ErrorRates | None
    at_fmr: tuple[ErrorRates, ...]

    @property
    def rates(self) -> tuple[ErrorRates, ...]:
        """All that is reported: at the stated threshold, then at each false match rate."""
        return (*([] if self.stated is None else [self.stated]), *self.at_fmr)

    def table(self) -> Listing:
        """Return the equal error rate, then both error rates at each threshold."""
        rows: list[tuple[float, float | None, str, Value]] = [
            (self.eer_threshold, None, "equal_error_rate", self.eer)
        ]
        for r in self.rates:
            rows.append((r.threshold, r.target, "false_positive_rate", r.fmr))
            rows.append((r.threshold, r.target, "false_negative_rate", r.fnmr))
        return Listing(tuple(
            {"system": self.system, "threshold": threshold, "target_fmr": target}
            | metric_row(name, value)
            for threshold, target, name, value in rows
        ))  # fmt: skip

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
        }


def verification(inference: Inference, model: Model) -> Verification:
    """Return the error rates of one system."""
    counted = inference.counted
    sign = -1.0 if counted.source.use == "distances" else 1.0
    r = model.scores[0].score_counts
    cuts, (tp, fp) = r.thresholds(), r.cumulative_counts

    def of(name: str, **params: Any) -> Statistic:
        return Statistic.of(get(name), counted.classes, counted.positive, **params)

    rates = {f: of("false_negative_rate_at_fpr", fpr=f) for f in TARGETS}
    wanted = {
        "eer": of("equal_error_rate"), "fmr": of("fpr"), "fnmr": of("fnr"),
        **{f"at {f:g}": s for f, s in rates.items()},
    }  # fmt: skip
    values = inference.values(model, wanted)
    place = wanted["eer"].operating_point(r)
    assert place is not None

    def at(k: int, fmr: Value, fnmr: Value, target: float | None = None) -> ErrorRates:
        misses = float(tp[-1] - tp[k])
        return ErrorRates(sign * float(cuts[k]), fmr, fnmr, float(fp[k]), misses, target)

    def kept(target: float) -> ErrorRates:
        beyond = rates[target].operating_point(r)
        assert beyond is not None
        k = min(beyond, len(cuts)) - 1
        seen = Value("false_positive_rate", float(fp[k] / fp[-1]) if fp[-1] else math.nan)
        return at(k, seen, values[f"at {target:g}"], target)

    stated = None
    if threshold_is_stated(counted, model):
        cut = model.threshold or 0.0
        c = r.at(cut)
        stated = ErrorRates(
            sign * cut, values["fmr"], values["fnmr"], float(c.fp),
            float(c.fn),
        )  # fmt: skip
    return Verification(
        model.name, "distances" if sign < 0 else "similarities", float(tp[-1]), float(fp[-1]),
        values["eer"],
        sign * float(cuts[min(place, len(cuts) - 1)]), stated, tuple(map(kept, TARGETS)),
    )  # fmt: skip


def threshold_is_stated(counted: CountedRows, model: Model) -> bool:
    """Tell whether somebody stated the threshold of a system, and it was not chosen here."""
    chosen = [n for n in counted.notes if n.code == "threshold-chosen"]
    return not any(n.model in (None, model.name) for n in chosen)
