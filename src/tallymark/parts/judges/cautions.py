"""What is refused of few labels and a judge, and what to watch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tallymark import InputError
from tallymark.core import Finding, listed, many, p_is, title
from tallymark.parts.judges import findings
from tallymark.parts.judges.case import Case, JudgedMetric
from tallymark.parts.judges.strata import LEAST, Pairs
from tallymark.parts.judges.tally import JudgedTally

FEWEST = 10
"""Minimum number of labelled rows."""

MANY_EQUAL = 100
"""With so many labels, a judge that is never wrong is likely a copy of them."""

FEW = 30
FEW_OF_A_CLASS = 10
FEW_ERRORS = 60
NEARLY_ALWAYS = 0.98
SUSPICIOUS = 0.001
"""The p-value below which rows do not seem to be labelled at random."""


def refuse(tally: JudgedTally, judge: str) -> None:
    """Raise InputError for too few labels, and for a judge that is no judge of its own."""
    if tally.labelled < FEWEST:
        raise InputError(
            f"{many(tally.labelled, 'row has', 'rows have')} a true class; label at least {FEWEST}"
        )
    if tally.labelled >= MANY_EQUAL and equal_to_truth(tally):
        raise InputError(
            f"{judge!r} equals the true class in all {tally.labelled:,} labelled rows, so one is "
            "likely a copy of the other; give a judge that has not seen the true classes"
        )

    for i, model in enumerate(tally.models):
        rows = int(tally.rows.sum())
        if rows >= MANY_EQUAL and equal_to_model(tally, i):
            raise InputError(
                f"{judge!r} equals the prediction of {model!r} in all {rows:,} rows, so it is not "
                "a second opinion; give another judge"
            )
        cut = _cut_of_score(tally, i) if tally._has_scores and rows >= MANY_EQUAL else None
        if cut is not None:
            raise InputError(
                f"{judge!r} is the score of {model!r} cut at {cut:.6g} in all {rows:,} rows, so it "
                "is not a second opinion; give another judge"
            )


def equal_to_model(tally: JudgedTally, model: int) -> bool:
    """Tell whether the judge says what a model predicts in every row."""
    return bool((tally.cells[:, 1] == tally.cells[:, 2 + model]).all())


def _cut_of_score(tally: JudgedTally, model: int) -> float | None:
    """Return the score that separates the judge's two values in all rows, if one does."""
    judged, scores = tally.cells[:, 1], tally.scores[:, model]
    first, second = (scores[judged == code] for code in (0, 1))
    if not len(first) or not len(second) or len(first) + len(second) < len(judged):
        return None
    upper, lower = (second, first) if second.min() > first.min() else (first, second)
    return float(upper.min()) if upper.min() > lower.max() else None


def equal_to_truth(tally: JudgedTally) -> bool:
    """Tell whether the judge is right in every labelled row."""
    known = tally._has_truth
    return bool((tally.cells[known, 0] == tally.cells[known, 1]).all())


def notes_of(case: Case, dropped: int) -> list[Finding]:
    """Return the assumptions of the correction, and warnings about the labels and the judge."""
    t = case.tally
    pairs = case.of(*t.models[:1]).pairs
    out = []
    if dropped:
        out.append(findings.INCOMPLETE.finding(rows=dropped))
    if len(t.labels) > t.classes:
        beyond = t.cells[:, 1] >= t.classes
        values = listed(t.labels[t.classes :])
        out.append(findings.NO_CLASS.finding(values=values, rows=int(t.rows[beyond].sum())))
    if t.labelled == t.rows.sum():
        out.append(findings.ALL_LABELLED.finding())
    elif equal_to_truth(t):
        out.append(findings.EQUAL.finding(labelled=t.labelled))
    out += [
        findings.SAME_AS_MODEL.finding(model=model, rows=int(t.rows.sum()))
        for i, model in enumerate(t.models)
        if equal_to_model(t, i)
    ]
    if t.labelled < FEW:
        out.append(findings.FEW_LABELLED.finding(labelled=t.labelled))
    merged = sum(len(s) for s in pairs.strata if len(s) > 1)
    if merged:
        sparse = int((pairs.labelled < LEAST).sum())
        out.append(findings.MERGED.finding(pairs=sparse, all=len(pairs.rows)))
    for s in pairs.strata:
        if not pairs.labelled[s].sum():
            what = "agree" if pairs.agree[s[0]] else "differ"
            unknown = int(pairs.rows[s].sum())
            out.append(findings.NO_LABELS.finding(rows=unknown, what=what))
    p = random_labelling(pairs)
    if p < SUSPICIOUS and not t._weighted and case.sampled_by != "both":
        out.append(findings.NOT_RANDOM.finding(p=p_is(p)))
    what = "prediction and judge" if t.models else "judge's value"
    if t._weighted:
        what = "the given weights, prediction and judge" if t.models else "the given weights"
    out.append(findings.CORRECTED_FOR.finding(what=what))
    return out


def near_one(case: Case, judged: Sequence[JudgedMetric]) -> list[Finding]:
    """Return which models are nearly always right, with few labels."""
    right = {m.model: m.value.value for m in judged if m.value.metric == "accuracy"}
    few = case.tally.labelled < FEW_ERRORS
    return [
        findings.NEAR_ONE.finding(model, labelled=case.tally.labelled)
        for model, share in right.items()
        if few and share > NEARLY_ALWAYS
    ]


def rare(case: Case, judged: Sequence[JudgedMetric]) -> list[Finding]:
    """Return which metrics of rankings few labelled rows of the rarer class carry."""
    out = []
    for m in judged:
        s = case.statistic(m.value.metric)
        if s.metric._needs != "ranking" or math.isnan(m.value.value):
            continue
        rows = min(case.of_scores(m.model).effective)
        if rows < FEW_OF_A_CLASS:
            name = title(m.value.metric)
            out.append(findings.RARE.finding(m.model, rows=round(rows), metric=name))
    return out


def random_labelling(pairs: Pairs) -> float:
    """Return the p-value of labels at random: χ² of labelled or not by pair, within what sampled.

    NaN where there is nothing to compare.
    """
    chi2, freedom = random_labelling_test(pairs)
    if not freedom:
        return math.nan
    from scipy.special import chdtrc

    return float(chdtrc(freedom, chi2))


def random_labelling_test(pairs: Pairs) -> tuple[float, int]:
    """Return χ² and its degrees of freedom, added up over the values that rows were sampled by."""
    by: list[Any] = [0] * len(pairs.rows)
    if pairs.sampled_by == "judge":
        by = pairs.judged.tolist()
    elif pairs.sampled_by == "pred":
        by = [tuple(h) for h in pairs.predicted.tolist()]
    elif pairs.sampled_by == "both":
        by = list(range(len(pairs.rows)))
    chi2, freedom = 0.0, 0
    for value in dict.fromkeys(by):
        mine = [i for i, v in enumerate(by) if v == value]
        m, n = pairs.labelled[mine], pairs.rows[mine]
        if len(mine) < 2 or not 0 < m.sum() < n.sum():
            continue
        expected = n * m.sum() / n.sum()
        other = n - expected
        chi2 += float(((m - expected) ** 2 * (1 / expected + 1 / other)).sum())
        freedom += len(mine) - 1
    return chi2, freedom
