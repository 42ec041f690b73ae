"""How many cases a classifier can answer at a stated risk, and refer the rest to a human."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tallymark import Evaluation, InputError, Value
from tallymark.core import (
    CURVES,
    PATH,
    SHARES,
    Curve,
    Display,
    Document,
    Floats,
    Listing,
    Statistic,
    at_most,
    checked,
    contract,
    fields_of,
    get,
    interval_of,
    json_number,
    made_by,
    only,
    quantile,
    rows_to_keep,
    wilson,
    write_text,
)
from tallymark.parts.risk.answers import AnswerTally
from tallymark.parts.risk.measures import MEASURES, Levels, levels_of
from tallymark.parts.risk.page import render

_RISK = contract.number("[1e-9, 1)", "a share of wrong answers between 0 and 1, such as 0.02")
_ASSURANCE = contract.number("(0, 1)", "a number between 0 and 1, such as 0.9")
_SHARE = contract.number("(0, 1]", "a share of the rows above 0, such as 0.8")
_RISKS = contract.several(_RISK, f"{_RISK.words}, or a list of such shares")

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, repr=False)
class Limit(Display):
    """How many cases can be answered so that at most a share ``risk`` of the answers is wrong.

    ``coverage`` is the share of cases to answer, and ``threshold`` the least confidence of an
    answer; both are None if no share is shown to keep the limit. ``answered`` and ``wrong`` are
    the answers among these rows and the wrong ones of them, at the threshold, or where none is
    found, at the first share that was tested (0 if there are too few rows to test any).
    ``allowed`` is the most wrong answers with which that share keeps the limit. ``fewest_rows`` is
    the number of right answers, without a wrong one, that show it.
    """

    risk: float
    coverage: float | None
    threshold: float | None
    answered: int
    wrong: int
    allowed: int
    fewest_rows: int


@dataclass(frozen=True, slots=True, repr=False)
class Referral(Document):
    """What :func:`tallymark.refer` found: the risk of answering, and how many to refer.

    ``error_rate`` is the share of wrong answers if every case is answered. ``limits`` hold the
    answers for each stated risk: all of them hold together with the probability ``assurance``.
    ``answers`` are the counts that all of it was computed from.
    """

    name: str
    rows: int
    wrong: int
    error_rate: Value
    aurc: Value
    augrc: Value
    e_aurc: Value
    limits: tuple[Limit, ...]
    assurance: float
    level: float
    answers: AnswerTally
    notes: tuple[str, ...] = ()

    @checked(coverage=_SHARE)
    def risk_at(self, coverage: float) -> Value:
        """Return the risk of answering a share of the cases that was chosen beforehand.

        It is the share of wrong answers among the ⌈coverage · n⌉ rows of highest confidence, with
        Wilson's interval. Of rows of equal confidence, a random part is answered. Of a share that
        was chosen on these rows the interval says too little; for that, name the risk instead.

        >>> import tallymark as tm
        >>> r = tm.evaluate([1, 1, 0, 1], y_score=[0.9, 0.8, 0.3, 0.4]).refer()
        >>> print(r.risk_at(0.75))
        0.00 (95 % CI 0.00 to 0.56)
        """
        rows = max(math.ceil(coverage * self.rows - 1e-9), 1)
        wrong = errors_among(self._levels(), np.array([float(rows)]))[0]
        low, high = wilson(wrong, rows, quantile(self.level))
        definition = {"coverage": coverage}
        return Value(
            "selective_risk",
            wrong / rows,
            float(low),
            float(high),
            self.level,
            "Wilson",
            definition=definition,
        )

    def curve(self) -> Curve:
        """Return the risk against the coverage: draw it with ``tm.plot.risk_coverage``."""
        return CURVES["risk_coverage"](self.answers._as_scores(), "confidence")

    def _levels(self) -> Levels:
        return levels_of(self.answers._as_scores()._score_counts, "confidence")

    @checked(path=PATH)
    def report(self, path: str | PathLike[str] = "referral.html") -> Path:
        """Write one self-contained HTML file: the sentence, the curve, the areas."""
        return write_text(path, render([self]))

    def table(self) -> Listing:
        """Return a row for each stated risk: the coverage, the threshold and the counts."""
        rows = (
            {"name": self.name, "assurance": self.assurance, **fields_of(x)} for x in self.limits
        )
        return Listing(tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        values = {n: getattr(self, n).to_dict() for n in ("error_rate", *MEASURES)}
        curve = self.curve().thin(2000)
        points = {"coverage": curve.x, "risk": curve.y, "confidence": np.asarray(curve.threshold)}
        return {
            **self._heading("referral"),
            **fields_of(self, "answers", *values),
            **values,
            "curve": {n: [json_number(v) for v in p.tolist()] for n, p in points.items()},
        }


def _held(function: Function) -> Function:
    """Hold a function to the contract; the decorator itself would hide its type in a stub."""
    answers = made_by(
        "an evaluation, or what tallymark.AnswerTally makes", "Evaluation", "AnswerTally"
    )
    return checked(answers=answers, risk=_RISKS, assurance=_ASSURANCE)(function)


@_held
def refer(
    answers: AnswerTally | Evaluation,
    risk: float | Sequence[float] = (),
    *,
    assurance: float = 0.9,
    level: float | None = None,
) -> Referral:
    """Return how many cases a classifier can answer at a risk, and refer the others to a human.

    Cases of highest confidence are answered first. The coverage is the share of cases that are
    answered, and the risk is the share of wrong answers among them.

    Parameters
    ----------
    answers : AnswerTally or Evaluation
        Counts of right and wrong answers by confidence. Of an evaluation, the most probable class
        is the answer and its probability the confidence.
    risk : float or sequence of float
        The largest share of wrong answers that is acceptable. With several, the guarantee is
        for all of them together: each is tested with the error (1 - ``assurance``) / number.
    assurance : float
        The probability, over samples such as these rows, that the risk on new cases of the same
        population is at most ``risk``.
    level : float
        Of the other intervals: by default that of the evaluation, or 0.95.

    Returns
    -------
    Referral
        ``limits`` has the coverage and the threshold of each risk. They are found by testing the
        cuts at 20 equal shares of the rows, most confident first and moved to the end of
        equal confidences: go on while P(Bin(k, risk) ≤ errors) ≤ 1 - assurance among the k rows
        above. As each test is made only if all before it passed, the error of all is that of one
        (Bauer 1991; Angelopoulos et al. 2021).

        ``aurc``, the area under the risk-coverage curve, is (1/n) Σ_k r_k with the risk r_k of
        the k most confident rows (Geifman and El-Yaniv 2017), from 0 to 1; ``augrc`` counts the
        wrong answers over all rows instead, from 0 to 1/2 (Traub et al. 2024); ``e_aurc`` is the
        first minus that of the best order, r + (1 - r) ln(1 - r) (Geifman, Uziel and El-Yaniv
        2019), from 0 to ln 2. Low is better. Of probabilities they are the metrics of these names.
        Sources: geifman2017, traub2024, geifman2019, bauer1991, angelopoulos2021.

    Raises
    ------
    InputError
        No rows; weighted rows; a risk of rows in clusters; scores that are no probabilities; a
        risk outside 0 and 1.

    Examples
    --------
    >>> import tallymark as tm
    >>> answers = tm.AnswerTally.from_arrays([1] * 200, [1] * 180 + [0] * 20, range(200, 0, -1))
    >>> found = tm.refer(answers, risk=0.02)
    >>> found.limits[0].coverage, found.limits[0].threshold
    (0.9, 21.0)

    """
    name, notes, ev = "answers", list[str](), None
    risks: list[float] = list(risk)  # type: ignore[arg-type]
    if isinstance(answers, Evaluation):
        ev, level = answers, level or answers.level
        name, answers = only(ev.models).name, AnswerTally.from_evaluation(ev)
        if ev.clusters is not None and risks:
            raise InputError(
                "rows are in clusters, and the test of a risk needs independent rows; give one row "
                "of each cluster, or leave risk=... out"
            )
        notes = _notes(ev)
    if not answers.rows:
        raise InputError("there is no answer to judge; give at least one row")
    level = level or 0.95
    scores = answers._as_scores()
    levels = levels_of(scores._score_counts, "confidence")
    if ev is not None and "aurc" in ev:
        at_level = replace(ev, level=level)
        areas: dict[str, Value] = {n: at_level.value(n) for n in MEASURES}
    else:
        of = {n: Statistic.of(get(n), (0, 1), 1, scores="confidence") for n in MEASURES}
        areas = {n: interval_of(s, [scores], level=level) for n, s in of.items()}
    error = (1 - assurance) / max(len(risks), 1)
    rows, wrong = int(levels.n), int(levels.errors_of_all)
    low, high = wilson(wrong, rows, quantile(level))
    return Referral(
        name,
        rows,
        wrong,
        Value("error_rate", wrong / rows, float(low), float(high), level, "Wilson"),
        **areas,
        limits=tuple(limit(levels, float(r), error) for r in risks),
        assurance=assurance,
        level=level,
        answers=answers,
        notes=tuple(notes),
    )


def _notes(ev: Evaluation) -> list[str]:
    """Return what a reader of the guarantee must know of an evaluation."""
    model, notes = only(ev.models), []
    if ev.clusters is not None:
        allow = "allow for them" if "aurc" in ev else "treat them as independent too"
        notes.append(
            "Rows are in clusters, which the intervals of the error rate and of the risk at a "
            f"coverage treat as independent; those of the areas {allow}. For a guarantee, give one "
            "row of each cluster."
        )
    if ev.binary and model.threshold not in (None, 0.5):
        notes.append(
            f"The answers are the more probable classes, not those of the threshold "
            f"{model.threshold:g}."
        )
    return notes


def limit(levels: Levels, risk: float, error: float) -> Limit:
    """Return the coverage at which at most a share ``risk`` is wrong, except with ``error``."""
    n, fewest = int(levels.n), rows_to_keep(risk, 1 - error)
    shares = -(-n * np.arange(1, SHARES + 1) // SHARES)  # rounded up
    cuts = np.unique(np.searchsorted(levels.answered, shares))  # the end of equal confidences
    cuts = cuts[levels.answered[cuts] >= fewest]
    rows, wrong = levels.answered[cuts], levels.errors[cuts]
    passed = np.logical_and.accumulate(at_most(wrong, rows, risk) <= error)
    if not passed.any():
        first = (int(rows[0]), int(wrong[0])) if len(cuts) else (0, 0)
        return Limit(risk, None, None, *first, _allowed(first[0], risk, error), fewest)
    last = int(passed.sum()) - 1
    k, e = int(rows[last]), int(wrong[last])
    threshold = float(levels.confidence[cuts[last]])
    return Limit(risk, k / n, threshold, k, e, _allowed(k, risk, error), fewest)


def _allowed(rows: int, risk: float, error: float) -> int:
    """Return the most wrong answers among some rows that show that the risk is lower; 0 if none."""
    low, high = 0, rows
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high)
            if at_most(np.array([middle]), np.array([rows]), risk)[0] <= error
            else (low, middle - 1)
        )
    return low


def errors_among(levels: Levels, rows: Floats) -> Floats:
    """Return the expected wrong answers among the most confident rows, in any order of ties.

    >>> errors_among(Levels(np.array([0.9]), np.array([3.0]), np.array([1.0])), np.array([2.0]))
    array([0.5])
    """
    answered, errors = (np.append(0.0, v) for v in (levels.answered, levels.errors))
    return np.asarray(np.interp(rows, answered, errors))
