"""Every sentence and number that is shown, said once for terminal and page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

from tallymark.infer.cautions import HEADLINE, HEADLINE_MANY
from tallymark.infer.choice import Choice, Corrected
from tallymark.infer.compare import Comparison, Verdict
from tallymark.infer.difference import Difference
from tallymark.infer.significance import Evidence
from tallymark.metric import get
from tallymark.metric.matrix import landis_koch
from tallymark.metric.measure import Value
from tallymark.report.evaluation import Evaluation
from tallymark.report.like import Likeness
from tallymark.tally.arrays import Label
from tallymark.tally.ratings import RatingTally

FAMILY_TITLES: Mapping[str, str] = {
    "threshold": "Decisions: what the threshold makes of the rows",
    "rank": "Ranking: whether positives score higher than negatives",
    "probability": "Probabilities: whether they can be believed as they are",
}

FAMILY_QUESTIONS: Mapping[str, str] = {
    "threshold": "Computed from the confusion matrix.",
    "rank": "Computed from the order of the scores alone, over all thresholds.",
    "probability": "Computed from the distance between each probability and what happened.",
}

SCORES_TITLE = "Score distribution"
METRICS_TITLE = "Metrics by threshold"

METRICS_WORDS = (
    "What each threshold makes of the decisions. The highest point was chosen on these same rows, "
    "so it is too optimistic."
)

BARS = "Bars are {level} intervals."
CLUSTER_BARS = "There are no bars: they hold for rows that stand alone; these come in clusters."

CURVE_KEYS: Mapping[str, str] = {
    "roc band": "{level} confidence band{name}: sensitivity at each false positive rate",
    "roc hull": "convex hull: only its corners are worth choosing",
    "roc ties": "what another order of tied rows would make",
    "pr iso-F": "F1 stays the same along a line: 0.2, 0.4, 0.6 and 0.8",
    "pr baseline": "share of positives: what guessing achieves",
    "calibration fit": "isotonic fit, which needs no bins",
    "calibration band": "where that fit lies in {level} of samples if the probabilities are right",
}
"""What is drawn beneath a chart's curves, in its legend."""

THRESHOLD_WORDS = (
    "Each threshold was chosen by these very rows, which flatters it. The last column takes back "
    "what bootstrap samples show of that: most of it, not all."
)

ADVICE_WORDS = (
    "Rules over the numbers measured here; each names whose finding it rests on. Numbers are of "
    "these rows, and what is to be expected of new ones is said where it differs."
)

NO_ADVICE = "nothing to advise on these rows"

FIELD_WORDS = (
    "Where positives are more or less frequent, sensitivity and specificity stay and these move. "
    "The intervals take that share as known, and leave open what the classifier does in each class."
)


def field_caption(ev: Evaluation, share: str) -> str:
    """Return what the slider of the prevalence is set against: the rows' own share, or another."""
    own = "the rest of this page assumes" if ev.by_class else "in these rows it is"
    return f"At this share of positives; {own} {share}."


def field_reset(ev: Evaluation) -> str:
    """Return what brings that slider back."""
    return "As assumed" if ev.by_class else "As in these rows"


NO_DEFINITION = "none of {} definitions gives it; nearest are"

SCORE_WORDS = (
    "How many rows of each class have which score. The less the two overlap, the better they can "
    "be told apart."
)


def number(x: float | None, digits: int = 3) -> str:
    """Return a number for reading: fixed digits, or fewer for large and more for small ones.

    >>> number(0.98765), number(1234.5678), number(0.00001234), number(float("inf"))
    ('0.988', '1,235', '1.23e-05', '∞')
    """
    if x is None or math.isnan(x):
        return "undefined"
    if math.isinf(x):
        return "∞" if x > 0 else "-∞"
    size = abs(x)
    if size >= 1000:
        return f"{x:,.0f}"
    if size >= 10:
        return f"{x:.{max(digits - 2, 1)}f}"
    if 0 < size < 10 ** -(digits + 1):
        return f"{x:.{digits - 1}e}"
    if 0 < size < 10 ** -(digits - 1):
        return f"{x:.{digits + 2}f}"
    return f"{x:.{digits}f}"


def interval(value: Value, digits: int = 3) -> str:
    """Return the bounds in words, or nothing where there are none."""
    if math.isnan(value.low):
        return ""
    return f"{number(value.low, digits)} to {number(value.high, digits)}"


def count(n: float) -> str:
    """Return a number of rows: whole with separators, or a sum of weights with one decimal."""
    return f"{n:,.0f}" if float(n).is_integer() else f"{n:,.1f}"


def percent(x: float, digits: int = 1) -> str:
    """Return a share as a percentage."""
    return "undefined" if math.isnan(x) else f"{100 * x:.{digits}f} %"


def p_value(p: float | None) -> str:
    """Return a p-value: never 0.

    >>> p_value(0.0), p_value(0.0312), p_value(None)
    ('below 2.2e-16', '0.0312', 'not available')
    """
    if p is None:
        return "not available"
    if p < 2.2e-16:
        return "below 2.2e-16"
    return f"{p:.3g}"


def share(p: float) -> str:
    """Return a share of positives in per cent, to three digits at either end.

    >>> share(0.001), share(0.3726), share(0.9987)
    ('0.1 %', '37.3 %', '99.87 %')
    """
    rest = 1 - p
    digits = 1 if min(p, rest) >= 0.01 else 2
    return f"{100 * p:.{digits}f}".rstrip("0").rstrip(".") + " %"


def text(label: Label) -> str:
    r"""Return a label or name harmless to a terminal: control characters are spelled out.

    >>> text("a\x1b[31m"), text(3)
    ('a\\x1b[31m', '3')
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(label))


def headline(ev: Evaluation) -> tuple[str, ...]:
    """Return the metrics shown first, in order, of those that could be computed."""
    there = {name for values in ev.values().values() for name in values}
    return tuple(n for n in (HEADLINE if ev.binary else HEADLINE_MANY) if n in there)


def metric_title(title: str, value: Value | None) -> str:
    """Return a metric's title with its average, where classes are averaged."""
    average = (value.definition.get("average") if value else None) or ""
    return f"{title} ({average})" if average in ("macro", "micro", "weighted") else title


def about(ev: Evaluation) -> str:
    """Return what was judged, in one line."""
    told = f"{ev.rows:,} rows"
    if ev.dropped:
        told += f" ({ev.dropped:,} left out: something was missing)"
    if ev.binary:
        counts = ev.models[0].labels.binary(ev.positive)
        total = float(counts.total)
        share = float(counts.positives) / total if total else math.nan
        of = f"{percent(share)}{', as assumed' if ev.by_class else ''}"
        told += f", positive class '{text(ev.positive)}' ({of})"  # type: ignore[arg-type]
    else:
        told += f", {len(ev.classes)} classes"
    return told


def verdict(ev: Evaluation) -> str:
    """Return the first thing to know, built from the numbers: modest, for intervals are no test."""
    found = ev.values().values()
    candidates = ("roc_auc", "balanced_accuracy", "accuracy")
    name = next((n for n in candidates if all(n in v and not v[n].reason for v in found)), None)
    if name is None:
        return "Too little is defined on these rows to sum them up; see the warnings."
    titles = {
        "roc_auc": "area under the ROC curve" if ev.binary else "mean area under the ROC curves",
        "balanced_accuracy": "balanced accuracy",
        "accuracy": "accuracy",
    }
    ranked = sorted(ev.values().items(), key=lambda item: -item[1][name].value)
    best, values = ranked[0]
    top = values[name]
    bounds = interval(top)
    told = f"{number(top.value)}" + (
        f" ({percent(ev.level, 0)} interval {bounds})" if bounds else ""
    )
    if len(ranked) == 1:
        return f"The {titles[name]} of {text(best)} is {told}.{_accuracy(ev, best)}"
    second = ranked[1][1][name]
    others = f"next is {text(ranked[1][0])} with {number(second.value)}"
    compared = ev.compared
    if compared is not None and compared.metric == name:
        advice = together(compared, best, ranked[1][0])
    elif second.high >= top.low:
        advice = "Their intervals overlap, and so do not settle which is better."
    else:
        advice = "Their intervals do not overlap."
    return f"{text(best)} has the highest {titles[name]}, {told}; {others}. {advice}"


def _accuracy(ev: Evaluation, name: str) -> str:
    nothing = ev.no_information()
    accuracy = ev.values()[name]["accuracy"]
    if accuracy.reason:
        return ""
    names = "With the assumed class balance it names" if ev.by_class else "It names"
    return (
        f" {names} the right class in {percent(accuracy.value)} of the rows; always saying "
        f"'{text(nothing.label)}' would in {percent(nothing.rate)}."
    )


def assumed(ev: Evaluation) -> str:
    """Return everything that was taken for granted, in one sentence, or nothing."""
    told = "; ".join(n.text for n in ev.notes if n.kind == "assumed")
    return f"Assumed: {told}." if told else ""


def cut(threshold: float, below: float) -> str:
    """Return a threshold in as few digits as decide every row alike.

    ``below`` is the next lower score: any number between the two, the threshold included, calls
    the same rows positive.

    >>> cut(0.73184, 0.72), cut(0.73184, 0.7317), cut(0.73184, 0.731839999), cut(12345.6, 11000)
    ('0.73', '0.7318', '0.73184', '12000')
    """
    if math.isinf(threshold):
        return "inf"
    for digits in range(2, 17):
        rounded = Context(prec=digits, rounding=ROUND_FLOOR).plus(Decimal(threshold))
        if below < float(rounded) <= threshold:
            return f"{float(rounded):.15g}"
    return repr(threshold)


def best_of(values: Sequence[Value], better: str) -> set[int]:
    """Return which of several models' values are the best: none where all are the same."""
    known = [v.value for v in values if not math.isnan(v.value)]
    if len(set(known)) < 2 or better == "neither":
        return set()
    best = max(known) if better == "high" else min(known)
    return {i for i, v in enumerate(values) if v.value == best}


def chance(value: Any) -> str:
    """Return what guessing achieves, in words."""
    return "" if value is None else (value if isinstance(value, str) else f"{value:g}")


# -- the terminal's own ------------------------------------------------------------------------

NO_INFORMATION = "no-information rate"
ABOVE_NO_INFORMATION = "accuracy above it"

SHORT_TITLES: Mapping[str, str] = {
    "f1": "F1",
    "roc_auc": "ROC AUC",
    "average_precision": "avg precision",
}
"""Metrics whose names make poor column heads."""


def interval_head(level: float) -> str:
    """Return the head of a column of intervals."""
    return f"{100 * level:g} % interval"


def how(value: Value) -> str:
    """Return why there is no number, or by which method its interval was made."""
    if value.reason:
        return value.reason
    if value.metric == "log_loss" and math.isinf(value.value):
        return "a row's true class was given probability 0"
    return value.method or ""


def always(label: str) -> str:
    """Return what the no-information rate is the rate of."""
    return f"always saying '{label}'"


def exact_p(p: float | None) -> str:
    """Return the p-value of the accuracy against the no-information rate, with its test."""
    return "" if p is None else f"p {p_value(p)}, one-sided exact binomial"


def beyond_chance(ev: Evaluation) -> str:
    """Return the no-information rate and how surely each of several models is above it."""
    nothing = ev.no_information()
    told = f"{NO_INFORMATION} {number(nothing.rate)} ({always(text(nothing.label))})"
    tests = [
        f"{text(m)} p {p_value(p)}" for m, p in nothing.p_values.items() if p is not None
    ]  # fmt: skip
    return told + (f"; {ABOVE_NO_INFORMATION}: " + ", ".join(tests) if tests else "")


def legend(level: float) -> str:
    """Return how to read the table of several models."""
    return f"* the best of its row; below each number its {interval_head(level)}"


def not_a_number(reason: str, whose: Sequence[str]) -> str:
    """Return why some cells of a table hold no finite number."""
    return f"{', '.join(whose)}: {reason}"


def intervals_by(method: str, titles: Sequence[str]) -> str:
    """Return which intervals of a table were made by a method."""
    return f"intervals by {method}: {', '.join(titles)}"


def too_many_classes(classes: int, right: float, total: float, listed: int) -> str:
    """Return what is said instead of a matrix that does not fit."""
    told = f"{classes} classes are too many to print here; {count(right)} of {count(total)} right"
    return told + (", and most often confused are:" if listed else "")


def confusion(true: str, predicted: str, n: float) -> str:
    """Return one cell of a matrix in words."""
    return f"'{true}' called '{predicted}': {count(n)}"


def left_out(classes: int, columns: Sequence[str]) -> str:
    """Return what of the table of classes did not fit, or nothing."""
    told = []
    if classes:
        told.append(f"{classes:,} more classes")
    if columns:
        told.append(", ".join(columns))
    return f"not shown here but on the page: {'; '.join(told)}" if told else ""


def signed(x: float) -> str:
    """Return a difference with its sign.

    >>> signed(0.0123), signed(-0.00238), signed(0.0)
    ('+0.012', '-0.0024', '0.000')
    """
    if math.isnan(x):
        return "undefined"
    small = 0 < abs(x) < 0.01
    return ("+" if x > 0 else "") + (f"{x:.2g}" if small else number(x))


def difference(d: Difference) -> tuple[str, str, str, str, str]:
    """Return a difference in words: both values, the difference, its interval and its p-value."""
    bounds = "" if math.isnan(d.low) else f"{signed(d.low)} to {signed(d.high)}"
    p = "" if math.isnan(d.p_value) else p_value(d.p_value)
    return number(d.first_value), number(d.second_value), signed(d.value), bounds, p


def sentence(told: str) -> str:
    """Return a sentence as a line of its own, harmless to a terminal."""
    return text(told) + ("" if told.endswith(".") else ".")


def evidence(test: Evidence) -> str:
    """Return what a test says."""
    if test.reason:
        return f"{test.name}: none, {test.reason}"
    statistic = "" if math.isnan(test.statistic) else f" {number(test.statistic)}"
    if not math.isnan(test.degrees):
        s = "" if test.degrees == 1 else "s"
        statistic += f" with {test.degrees:g} degree{s} of freedom"
    return f"{test.name}{statistic}: p {p_value(test.p_value)}"


def verdicts_title(found: Comparison) -> str:
    """Return what the verdicts of a comparison are by."""
    margin = "" if found.margin is None else f", margin {found.margin:g}"
    return f"Verdicts by {get(found.metric).in_a_sentence}{margin}"


MANY_PAIRS = " P-values in the verdicts are corrected for their number by Holm's method."


def comparison_legend(found: Comparison) -> str:
    """Return how to read a comparison."""
    if found.samples:
        told = (
            "Differences are the first side's number less the second's, of rows that have nothing "
            "to do with each other. Intervals of proportions are Newcombe's, those of the ROC area "
            "add up DeLong's variances, and the rest are from resamples of each side by itself."
        )
        return told + (MANY_PAIRS if len(found.pairs) > 1 else "")
    told = (
        "Differences are the first model's number less the second's, on the same rows. Intervals "
        "of proportions are Newcombe's, of the ROC area DeLong's, of other rankings from the "
        "intervals of both, of other decisions from the posterior of what both say, of the rest "
        "from resamples of the rows in common."
    )
    if any("cluster" in (d.method or "") for p in found.pairs for d in p.differences.values()):
        told = (
            "Differences are the first model's number less the second's, on the same rows. Whole "
            "clusters of rows are resampled; of the ROC area Obuchowski's covariance adds up what "
            "the rows of a cluster say. Tests of single rows are left out."
        )
    if any((d.method or "").startswith("normal") for p in found.pairs
           for d in p.differences.values()):  # fmt: skip
        told += " Means over rows have the normal interval of the rows' own differences."
    return told + (MANY_PAIRS if len(found.pairs) > 1 else "")


PARTS_WORDS = (
    "The same numbers for each part of the rows, held against all other rows. The worst of many "
    "parts looks worse than it is: what is said of it allows for the choice."
)

COMPARED_WORDS = (
    "The models on the same rows: a difference has an interval of its own, narrower than those of "
    "both numbers seem to leave, since what is hard for one is mostly hard for the other."
)

FOREST_WORDS = (
    "The first model's number less the second's with its {level} interval. A filled mark is "
    "ahead by more than chance, each number taken alone; the more of them one looks at, the more "
    "are so by chance. Of those with ↓ low is better."
)

KINDS: Mapping[str, str] = {"alike": "the same", "undefined": "cannot be told"}
"""Kinds of verdicts that a table tells in other words."""


def verdict_line(v: Verdict) -> str:
    """Return a verdict as a sentence of its own."""
    told = sentence(str(v))
    # A model's name keeps its first letter as it is.
    return told if v.kind != "undecided" else "U" + told[1:]


def pairs_left(n: int) -> str:
    """Return how many pairs are not told one by one."""
    return f"Of {n:,} more pair{'s' * (n > 1)} the JSON holds the differences and tests."


def verdicts_left(n: int) -> str:
    """Return where the verdicts are that a summary leaves out."""
    return f"{n:,} more pair{'s' * (n > 1)}: tallymark compare, or compare(), tells of every one"


def together(found: Comparison, first: str, second: str) -> str:
    """Return in one sentence whether the lead of one model is more than chance."""
    v = found.pair(first, second).verdict
    p = "" if math.isnan(v.p_value) else f" (p {p_value(v.p_value)})"
    if v.kind == "alike":
        return "On the same rows both say the same."
    if v.kind == "better":
        return f"On the same rows that lead is more than chance{p}."
    return f"On the same rows that lead may be chance{p}."


def like_title(found: Likeness) -> str:
    """Return what a table of another library's numbers is called."""
    differing = sum(not r.same for r in found.rows)
    told = f"{differing} of {len(found.rows)} numbers differ" if differing else "no number differs"
    return f"{text(found.model)} as {found.library} would have it: {told}"


def like_left_out(names: Sequence[str]) -> str:
    """Return which of another library's numbers these predictions do not hold."""
    return f"not told, for want of scores or probabilities: {', '.join(names)}"


def ratings(tally: RatingTally) -> str:
    """Return what was rated, in one line."""
    most = int(tally.counts.sum(1).max(initial=0))
    return (
        f"{tally.rows:,} subjects, {count(float(tally.counts.sum()))} ratings, "
        f"{len(tally.labels)} categories, at most {most} ratings a subject"
    )


def opinion(kappa: float) -> str:
    """Return Landis and Koch's word for a kappa, as what it is."""
    return f"Landis and Koch would call that kappa {landis_koch(kappa)}: an opinion, no verdict"


NO_THRESHOLD = "no threshold keeps these limits"


def chosen(found: Choice) -> str:
    """Return a threshold in words, and how many others are as good."""
    others = len(found.thresholds) - 1
    more = f", and {others} other{'s' * (others > 1)} as good" if others else ""
    return f"scores at or above {found.threshold:.6g}{more}"


def expected(c: Corrected) -> str:
    """Return a number on the rows that chose the threshold, and what to expect of it elsewhere."""
    return (
        f"{number(c.value, 4)} on these rows, {number(c.corrected, 4)} to be expected on new ones"
    )
