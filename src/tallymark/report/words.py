"""Sentences and numbers as they are shown, for the terminal and the page alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tallymark.display import dialect
from tallymark.errors import harmless
from tallymark.infer.crossing import leads
from tallymark.infer.verdict import REMEDY
from tallymark.metric import METRICS, Metric, get
from tallymark.metric.measure import Value
from tallymark.part import numbers
from tallymark.quantities import between as between
from tallymark.quantities import count as count
from tallymark.quantities import cut as cut
from tallymark.quantities import many as many
from tallymark.quantities import number as number
from tallymark.quantities import p_is as p_is
from tallymark.quantities import p_value as p_value
from tallymark.quantities import percent as percent
from tallymark.quantities import share as share
from tallymark.report.uses import account_of, use_of
from tallymark.tally.arrays import Label

if TYPE_CHECKING:
    from tallymark.infer.compare import Comparison, TableError
    from tallymark.infer.corrected_t import FoldTest
    from tallymark.infer.crossing import Crossing
    from tallymark.infer.difference import Difference
    from tallymark.infer.heterogeneity import Heterogeneity
    from tallymark.infer.leaders import Leader
    from tallymark.infer.plan import Plan
    from tallymark.infer.significance import Evidence
    from tallymark.infer.verdict import Answer, Verdict
    from tallymark.reading.models import Model, Note
    from tallymark.report.evaluation import Evaluation

FAMILIES: Mapping[str, tuple[str, str]] = {
    "threshold": (
        "Decisions: right and wrong at the threshold",
        "Computed from the confusion matrix.",
    ),
    "rank": (
        "Ranking: whether positives score higher than negatives",
        "Computed from the order of the scores, over all thresholds.",
    ),
    "probability": (
        "Probabilities: whether they match what happens",
        "Computed from the distance between each probability and the true class.",
    ),
    "multi-label": (
        "Several labels a row: whether whole sets and their order are right",
        "Means over rows.",
    ),
}
"""What each family of metrics answers, and from what."""

SCORES_TITLE = "Score distribution"
METRICS_TITLE = "Metrics by threshold"

METRICS_WORDS = (
    "What each threshold makes of the decisions. The highest point was chosen on these same rows, "
    "so it is too optimistic."
)

LEADS_TITLE = "Who wins where"
LEADS_WORDS = (
    "A model leads beyond chance where its colour stands; elsewhere none is shown to lead. "
    "Probability cost is π·cFN / (π·cFN + (1 − π)·cFP): near 0 false alarms matter most, near 1 "
    "missed positives."
)

BARS = "Bars are {level} intervals."
CLUSTER_BARS = "There are no bars: they hold for rows that stand alone; these come in clusters."

CURVE_KEYS: Mapping[str, str] = {
    "roc band": "{level} confidence band{name}: sensitivity at each false positive rate",
    "roc hull": "convex hull: only its corners are worth choosing",
    "roc ideal": "distance of the decisions from the ideal point (0, 1)",
    "roc ties": "what another order of tied rows would make",
    "pr iso-F": "F1 stays the same along a line: 0.2, 0.4, 0.6 and 0.8",
    "pr baseline": "share of positives: what guessing achieves",
    "calibration fit": "isotonic fit, which needs no bins",
    "calibration band": "where that fit lies in {level} of samples if the probabilities are right",
}
"""What is drawn beneath a chart's curves, in its legend."""


def interval(value: Value, digits: int = 3) -> str:
    """Return the bounds in words, or nothing where there are none."""
    return between(value.low, value.high, digits)


def with_interval(v: Value | Difference, sign: str = "") -> str:
    """Return a number with its confidence interval, to two digits of the interval's width.

    >>> from tallymark.metric.measure import Value
    >>> with_interval(Value("f1", 0.95123, 0.92311, 0.97432, 0.95))
    '0.951 (95 % CI 0.923 to 0.974)'
    >>> with_interval(Value("f1", math.nan, reason="no row is positive"))
    'undefined (no row is positive)'
    """
    if v.reason:
        return f"undefined ({v.reason})"
    width = v.high - v.low
    if math.isnan(width) or v.level is None:
        return signed(v.value) if sign else number(v.value)
    ends = (v.value, v.low, v.high)
    value, low, high = map(number, ends)
    if 0 < width < math.inf:
        places = max(1 - math.floor(math.log10(width)), 2 if width < 2 else 0)
        value, low, high = (f"{x:{sign},.{places}f}" for x in ends)
    return f"{value} ({100 * v.level:g} % CI {low} to {high})"


def published_error(value: Value) -> bool:
    """Tell whether a number has a standard error that it is published with, as kappa is."""
    known = METRICS.get(value.metric)
    published = value.metric in numbers() or (known is not None and known.sampling.shows_se)
    return published and value.se is not None


def between_percents(low: float, high: float) -> str:
    """Return the bounds of a share in per cent, to two digits of their width, or nothing.

    >>> between_percents(0.12, 0.34), between_percents(0.0071, 0.0093)
    ('12 % to 34 %', '0.71 % to 0.93 %')
    """
    if math.isnan(low):
        return ""
    digits = 0 if high - low >= 0.1 else 1 if high - low >= 0.01 else 2
    return f"{percent(low, digits)} to {percent(high, digits)}"


def chance_of(x: float) -> str:
    """Return a probability: two digits, and never 0 or 1, which none of these are.

    >>> chance_of(0.954), chance_of(0.0004), chance_of(0.9999), chance_of(float("nan"))
    ('0.95', '<0.01', '>0.99', '-')
    """
    if math.isnan(x):
        return "-"
    return "<0.01" if x < 0.005 else ">0.99" if x >= 0.995 else f"{x:.2f}"


def text(label: Label) -> str:
    r"""Return a label or name harmless to a terminal: control characters are spelled out.

    >>> text("a\x1b[31m"), text(3)
    ('a\\x1b[31m', '3')
    """
    return harmless(str(label))


def shown_order(labels: Sequence[Label], positive: Label | None) -> list[int]:
    """Return the order in which classes are shown: of two the positive one first, as papers do.

    >>> shown_order(("no", "yes"), "yes"), shown_order((0, 1, 2), 1)
    ([1, 0], [0, 1, 2])
    """
    order = list(range(len(labels)))
    return order[::-1] if len(labels) == 2 and labels[1] == positive else order


def cut_off(label: Label, most: int) -> str:
    """Return a name harmless to a terminal, of no more letters than that.

    >>> cut_off("a" * 90, 5)
    'aaaa…'
    """
    name = text(label)
    return name if len(name) <= most else name[: most - 1] + "…"


def subgroup(value: Any) -> str:
    """Return a subgroup's value as it is shown."""
    return "(missing)" if value is None else text(value)


def headline(ev: Evaluation) -> tuple[str, ...]:
    """Return the metrics shown first, in order, of those that could be computed."""
    present = {name for values in ev.values().values() for name in values}
    use = use_of(ev)
    return tuple(n for n in (use.headline if ev.binary else use.headline_many) if n in present)


def brief(ev: Evaluation) -> tuple[str, ...]:
    """Return the four metrics of a card."""
    use, present = use_of(ev), headline(ev)
    return tuple(n for n in (use.brief if ev.binary else use.brief_many) if n in present)[:4]


def title_of(ev: Evaluation, metric: str) -> str:
    """Return what a metric is called, in the words of the field that the rows are judged for."""
    return use_of(ev).title(metric)


def metric_title(title: str, value: Value | None) -> str:
    """Return a metric's title with its average, where classes are averaged."""
    average = (value.definition.get("average") if value else None) or ""
    return f"{title} ({average})" if average in ("macro", "micro", "weighted") else title


def metric_titles(ev: Evaluation, metrics: Sequence[Metric], values: Sequence[Value]) -> list[str]:
    """Return the titles of metrics, each with the average that its value is."""
    titles = use_of(ev).titles
    return [
        metric_title(titles.get(m.name) or m.title, v) for m, v in zip(metrics, values, strict=True)
    ]


def about(ev: Evaluation) -> str:
    """Return what was judged, in one line."""
    if (account := account_of(ev)) is not None:
        return account.about
    message = f"{ev.rows:,} rows"
    if ev.dropped:
        message += f" ({ev.dropped:,} left out: something was missing)"
    if ev.binary:
        counts = ev.models[0].labels.binary(ev.positive)
        total = float(counts.total)
        share = float(counts.positives) / total if total else math.nan
        of = f"{percent(share)}{', as assumed' if ev.stratified else ''}"
        message += f", positive class '{text(ev.positive)}' ({of})"  # type: ignore[arg-type]
    else:
        message += f", {len(ev.classes)} classes"
    return message


def verdict(ev: Evaluation) -> str:
    """Return the first thing to know: the best model, its interval and whether it really leads."""
    if (account := account_of(ev)) is not None:
        return account.verdict
    name, ranked = ranking(ev)
    if not name:
        return "No summary metric is defined on these rows; see the warnings."
    title = get(name).in_a_sentence
    if name == "roc_auc" and not ev.binary:
        title = "mean area under the ROC curves"
    best = ranked[0]
    of_models = ev.values()
    top = of_models[best][name]
    bounds = interval(top)
    message = f"{number(top.value)}" + (f" ({percent(ev.level, 0)} CI {bounds})" if bounds else "")
    if len(ranked) == 1:
        return f"The {title} of {text(best)} is {message}.{_accuracy(ev, best)}"
    v = None if ev.compared is None else ev.compared.verdict(best, ranked[1], name)
    if v is not None and v.kind == "same ranking":
        both = f"{text(best)} and {text(ranked[1])}"
        return f"{both} have the same ranking of all rows: {title} {message}."
    others = f"next is {text(ranked[1])} with {number(of_models[ranked[1]][name].value)}"
    advice = "Their rows were not kept side by side, so the lead is not tested."
    if v is not None:
        advice = together(v)
    return f"{text(best)} has the highest {title}, {message}; {others}. {advice}"


def ranking(ev: Evaluation) -> tuple[str, list[str]]:
    """Return the metric that ranks the models, none if none is defined, and them, best first."""
    of_models = ev.values()
    candidates = ("roc_auc", "balanced_accuracy", "accuracy")
    defined = (n for n in candidates if all(n in v and not v[n].reason for v in of_models.values()))
    name = next(defined, "")
    return name, sorted(of_models, key=lambda m: -of_models[m][name].value if name else 0.0)


def summary(ev: Evaluation) -> str:
    """Return what the best model does in practice, and which models are told apart."""
    name, ranked = ranking(ev)
    if account_of(ev) is not None or not name:
        return verdict(ev)
    of_use = OF_USE.get(ev.source.use, _in_practice) if ev.binary else _in_practice
    sentences = [of_use(ev, ranked[0]), _standing(ev, name, ranked)]
    return " ".join(filter(None, sentences)) or verdict(ev)


def _in_practice(ev: Evaluation, model: str) -> str:
    """Return how many rows of each class a model gets right, in whole numbers."""
    values = ev.values()[model]
    if not ev.binary:
        v = values.get("accuracy")
        if v is None or v.reason:
            return ""
        return f"{text(model)} names the right class for {out_of(v.value)} rows."
    found, spared = values.get("sensitivity"), values.get("specificity")
    if found is None or found.reason or spared is None or spared.reason:
        return ""
    other = next(c for c in ev.classes if c != ev.positive)
    alarms, base = whole(1 - spared.value)
    raised = "no false alarm" if not alarms else many(alarms, "false alarm")
    return (
        f"{text(model)} finds {out_of(found.value)} {rows_of(ev.positive, 'positive')}, "
        f"with {raised} per {base:,} {rows_of(other, 'negative')}."
    )


def _known(ev: Evaluation, model: str, *metrics: str) -> list[float]:
    """Return the values of metrics; none of them unless all are defined."""
    found = [ev.values()[model].get(n) for n in metrics]
    known = [v.value for v in found if v is not None and not v.reason]
    return known if len(known) == len(found) else []


def _post_test(ev: Evaluation, model: str) -> str:
    """Return what a test finds, and how likely the positive class is after each of its results."""
    said = _in_practice(ev, model)
    if known := _known(ev, model, "precision", "negative_predictive_value", "prevalence"):
        ppv, npv, before = known
        kind = rows_of(ev.positive, "positive")
        said += (
            f" After a positive result {out_of(ppv)} are {kind}, after a negative one "
            f"{out_of(1 - npv)}; before the test {out_of(before)}."
        )
    return said


def _best_tenth(ev: Evaluation, model: str) -> str:
    """Return how many positives the best tenth holds."""
    known = _known(ev, model, "top_decile_lift", "gain_at")
    if not known:
        return _in_practice(ev, model)
    lift, gain = known
    return (
        f"The best 10 % by {text(model)} hold {number(lift, 2)} times as many "
        f"{rows_of(ev.positive, 'positive')} as a random 10 %: {percent(gain, 0)} of all."
    )


def _balance(ev: Evaluation, model: str) -> str:
    """Return what a predictor of defects finds, and how near it is to the ideal point."""
    known = _known(ev, model, "sensitivity", "false_positive_rate", "balance")
    if not known:
        return _in_practice(ev, model)
    pd, pf, balance = map(number, known)
    return f"{_in_practice(ev, model)} pd is {pd}, pf {pf}, their balance {balance} (ideal: 1)."


def _in_order(ev: Evaluation, model: str) -> str:
    """Return how many pairs of a row of each class are in the right order."""
    known = _known(ev, model, "roc_auc")
    if not known:
        return _in_practice(ev, model)
    other = next(c for c in ev.classes if c != ev.positive)
    return (
        f"{text(model)} puts {out_of(known[0])} pairs of {rows_of(ev.positive, 'positive')} and "
        f"{rows_of(other, 'negative')} in the right order; a tie counts half."
    )


def _probabilities(ev: Evaluation, model: str) -> str:
    """Return how many positives were promised, and what the probabilities are worth."""
    known = _known(ev, model, "observed_expected_ratio", "prevalence", "brier", "brier_skill_score")
    if not known or not known[0]:
        return _in_practice(ev, model)
    ratio, happened, brier, skill = known
    return (
        f"{text(model)} predicts {percent(happened / ratio)} "
        f"{rows_of(ev.positive, 'positive')}, and {percent(happened)} are. Its Brier score is "
        f"{number(brier)}, {percent(abs(skill), 0)} {'less' if skill >= 0 else 'more'} than that "
        "of always giving the share of the class."
    )


def _worked_out(ev: Evaluation, model: str) -> str:
    """Return what a model finds, with its recall worked out."""
    known = _known(ev, model, "sensitivity")
    if not known:
        return _in_practice(ev, model)
    c = ev.model(model).models[0].labels.binary(ev.positive)
    tp, fn = count(float(c.tp)), count(float(c.fn))
    worked = f"recall = TP / (TP + FN) = {tp} / ({tp} + {fn}) = {number(known[0])}."
    return f"{_in_practice(ev, model)} {worked}".strip()


OF_USE: Mapping[str, Callable[[Evaluation, str], str]] = {
    "medicine": _post_test,
    "marketing": _best_tenth,
    "defects": _balance,
    "ranking": _in_order,
    "probabilities": _probabilities,
    "teaching": _worked_out,
}
"""What the best model does in practice, in the words of a use."""


def whole(share: float) -> tuple[int, int]:
    """Return a share as a whole number of 100, or of as many as it takes to be none or all.

    >>> whole(0.9575), whole(0.0042), whole(0.0), whole(0.99996)
    ((96, 100), (4, 1000), (0, 100), (10000, 10000))
    """
    for base in (100, 1_000):
        if 0 < round(base * share) < base or share in (0.0, 1.0):
            return round(base * share), base
    return round(10_000 * share), 10_000


def out_of(share: float) -> str:
    """Return a share in whole numbers.

    >>> out_of(0.9575), out_of(1.0), out_of(0.0004)
    ('96 of 100', '100 of 100', '4 of 10,000')
    """
    return "{:,} of {:,}".format(*whole(share))


def rows_of(label: Label | None, kind: str) -> str:
    """Return what rows of a class are called: by its name, a number's by its kind.

    >>> rows_of("malignant", "positive"), rows_of(1, "positive")
    ('malignant rows', 'positive rows')
    """
    if not isinstance(label, str) or label.lstrip("-").isdigit():
        return f"{kind} rows"
    return f"{text(label)} rows"


def _standing(ev: Evaluation, metric: str, ranked: Sequence[str]) -> str:
    """Return which models the best one beats, and which cannot be told from it."""
    if ev.compared is None or len(ranked) < 2:
        return ""
    best, *others = ranked
    by_kind: dict[str, list[str]] = {}
    for other in others:
        kind = ev.compared.verdict(best, other, metric).kind
        by_kind.setdefault(kind, []).append(text(other))
    says = [
        STANDING[kind].format(
            best=text(best),
            others=enumerated(_few(names)),
            models=enumerated(_few([text(best), *names])),
        )
        for kind, names in by_kind.items()
        if kind in STANDING
    ]
    by = f"{get(metric).in_a_sentence}, {many(ev.rows, 'row')}"
    said = f"{'; '.join(says)} ({by})." if says else ""
    return said.replace("no single", "No single", 1) if said.startswith("no single") else said


def guessing(ev: Evaluation) -> str:
    """Return how often the best model is right, and how often always saying one class would be."""
    nothing, best = ev.no_information(), ranking(ev)[1][0]
    accuracy = ev.values()[best]["accuracy"].value
    return (
        f"Right in {percent(accuracy)} of the rows; always saying “{text(nothing.label)}”: "
        f"{percent(nothing.rate)}."
    )


def beyond_guessing(ev: Evaluation) -> str:
    """Return whether the models are right more often than always saying one class would be."""
    p_values = ev.no_information().p_values.items()
    of = grouped((p_is(p), text(m)) for m, p in p_values if p is not None)
    return "; ".join(f"accuracy above guessing: {enumerated(_few(m))}, {p}" for p, m in of.items())


def at_threshold(ev: Evaluation, model: Model) -> str:
    """Return how many rows of each class a model gets wrong as it decides."""
    c = model.labels.binary(ev.positive)
    where = "As given" if model.threshold is None else f"At threshold {model.threshold:.4g}"
    other = next(label for label in ev.classes if label != ev.positive)
    return (
        f"{where}, {text(model.name)} misses {count(float(c.fn))} of {count(float(c.positives))} "
        f"{rows_of(ev.positive, 'positive')} and raises a false alarm for {count(float(c.fp))} of "
        f"{count(float(c.negatives))} {rows_of(other, 'negative')}."
    )


def calibrated(ev: Evaluation, model: str) -> str:
    """Return how many positives a model promised, how many there were, and what the chart shows."""
    values = ev.values()[model]
    v, read = values.get("observed_expected_ratio"), CALIBRATION_WORDS
    if v is None or v.reason or not v.value:
        return read
    counts = ev.model(model).models[0].labels.binary(ev.positive)
    happened = float(counts.positives / counts.total)
    bounds = f", {percent(ev.level, 0)} CI {interval(v)}" if interval(v) else ""
    rows = rows_of(ev.positive, "positive")
    return (
        f"The mean probability that {text(model)} gives is {percent(happened / v.value)}, and "
        f"{percent(happened)} are {rows} (observed to expected {number(v.value)}{bounds}). "
        f"{read}"
    )


CALIBRATION_WORDS = (
    "Where the points lie on the diagonal, rows with a score of 0.3 are positive 30 % of the time."
)


STANDING: Mapping[str, str] = {
    "better": "{best} beats {others}",
    "undecided": "{models} cannot be told apart",
    "equivalent": "{models} are equivalent within the margin",
    "no worse": "{models} cannot be told apart",
    "crossing": "no single winner between {models}, whose ROC curves cross",
    "same ranking": "{models} rank all rows the same",
    "alike": "{models} decide every row the same",
}
"""What a kind of verdict says of the best model and others."""


MOST_NAMED = 3
"""Of more names the others are counted."""


def _few(names: Sequence[str]) -> list[str]:
    """Return the first names, and how many more there are."""
    more = len(names) - MOST_NAMED
    return [*names[:MOST_NAMED], f"{more} more"] if more > 1 else list(names)


def enumerated(parts: Sequence[str]) -> str:
    """Return the parts of a list in a sentence.

    >>> enumerated(["a", "b", "c"]), enumerated(["a", "b"]), enumerated(["a"])
    ('a, b and c', 'a and b', 'a')
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _accuracy(ev: Evaluation, name: str) -> str:
    nothing = ev.no_information()
    accuracy = ev.values()[name]["accuracy"]
    if accuracy.reason:
        return ""
    lead = "At the assumed class balance it is" if ev.stratified else "It is"
    return (
        f" {lead} right in {percent(accuracy.value)} of the rows; always saying "
        f"'{text(nothing.label)}' would be right in {percent(nothing.rate)}."
    )


def said(sentence: str) -> str:
    """Return a sentence in the words of the user's door: options on the command line."""
    return dialect.get()(text(sentence))


def notes(found: Iterable[Note], kind: str) -> list[str]:
    """Return what the notes of a kind say: what was assumed, or the warnings."""
    return [said(note.text) for note in found if note.kind == kind]


STAR = "* significantly better than every other model, each metric by itself"
"""What a star in a table says."""


def best_of(values: Sequence[Value], better: str) -> set[int]:
    """Return which of several models' values are the best: none where all are the same."""
    known = [v.value for v in values if not math.isnan(v.value)]
    if len(set(known)) < 2 or better == "neither":
        return set()
    best = max(known) if better == "high" else min(known)
    return {i for i, v in enumerate(values) if v.value == best}


def grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return what stands beside each first word, once, in the order in which it comes.

    >>> grouped([("even", "2"), ("odd", "3"), ("even", "4"), ("even", "2")])
    {'even': ['2', '4'], 'odd': ['3']}
    """
    out: dict[str, dict[str, None]] = {}
    for first, second in pairs:
        out.setdefault(first, {})[second] = None
    return {first: list(of) for first, of in out.items()}


def title(metric: str) -> str:
    """Return what a column of results is called: the metric's title, or the column's name."""
    try:
        return get(metric).title
    except ValueError:
        return text(metric)


def chance(value: Any) -> str:
    """Return what guessing achieves, in words."""
    return "" if value is None else (value if isinstance(value, str) else f"{value:g}")


def how_to_read(metrics: Iterable[Metric]) -> list[str]:
    """Return the formula of each metric, which end of its range is good, and what guessing gives.

    >>> how_to_read([get("precision")])
    ['TP / (TP + FP) · higher is better · guessing: prevalence']
    """
    better = {"high": " · higher is better", "low": " · lower is better", "neither": ""}
    return [
        m.words.formula
        + better[m.better]
        + ("" if m.chance is None else f" · guessing: {chance(m.chance)}")
        for m in metrics
    ]


# -- the terminal's own ------------------------------------------------------------------------

NO_INFORMATION = "no-information rate"
ABOVE_NO_INFORMATION = "accuracy above it"

SHORT_TITLES: Mapping[str, str] = {
    "f1": "F1",
    "roc_auc": "ROC AUC",
    "average_precision": "avg precision",
    "mean_absolute_error": "MAE",
    "root_mean_squared_error": "RMSE",
    "expected_calibration_error": "ECE",
    "kolmogorov_smirnov": "KS distance",
}
"""Metrics whose names make poor heads of columns and rows."""


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
    p = "" if math.isnan(d.p_value) else p_value(d.p_value, d.p_at_most)
    return number(d.first_value), number(d.second_value), signed(d.value), bounds, p


def fold_difference(pair: tuple[str, str], test: FoldTest, title: str) -> str:
    """Return what the folds say of two models' difference."""
    which = f"Over the folds, {pair[0]} − {pair[1]}: {title}"
    if test.reason:
        return sentence(f"{which}: no test, {test.reason}")
    low, high = test.interval or (math.nan, math.nan)
    bounds = f"{100 * test.level:g} % CI {signed(low)} to {signed(high)}"
    return sentence(
        f"{which} {signed(test.difference)} ({bounds}; {p_is(test.p_value)}, {test.method})"
    )


def sentence(message: str) -> str:
    """Return a sentence as a line of its own, harmless to a terminal."""
    return text(message) + ("" if message.endswith(".") else ".")


def evidence(test: Evidence) -> str:
    """Return what a test says."""
    if test.reason:
        return f"{test.name}: no result, {test.reason}"
    statistic = "" if math.isnan(test.statistic) else f" {number(test.statistic)}"
    if not math.isnan(test.degrees):
        degrees = f"{test.degrees:g}"
        if not math.isnan(test.denominator_degrees):
            degrees += f" and {test.denominator_degrees:.4g}"
        statistic += f" with {degrees} degree{'' if degrees == '1' else 's'} of freedom"
    return f"{test.name}{statistic}: {p_is(test.p_value, test.p_at_most)}"


def verdicts_title(comparison: Comparison) -> str:
    """Return what the verdicts of a comparison are by."""
    stated = {"margin": comparison.margin, "least": comparison.least}
    more = "".join(f", {name} {x:g}" for name, x in stated.items() if x is not None)
    return f"Verdicts by {get(comparison.metric).in_a_sentence}{more}"


MANY_PAIRS = (
    "P-values in the verdicts are corrected for the number of pairs, each question by itself. "
    "Intervals are not."
)
MOST_RANKED = 6


def comparison_legend(comparison: Comparison) -> str:
    """Return how to read a comparison: what is subtracted, and how its intervals were made."""
    methods = {d.method or "" for p in comparison.pairs for d in p.differences.values()}
    subtracted = "first model − second model, on the same rows"
    if comparison.samples:
        subtracted = "first side − second side, of independent samples"
        how = (
            "Intervals: Newcombe for proportions, DeLong for the ROC area, both sides' intervals "
            "combined for the rest."
        )
    elif any("cluster" in m for m in methods):
        how = (
            "Intervals come from resamples of whole clusters, and for the ROC area from "
            "Obuchowski's covariance. Tests that need independent rows are left out."
        )
    else:
        how = (
            "Intervals: Newcombe for proportions, DeLong for the ROC area, both models' "
            "intervals combined for other rankings, the joint posterior for other decisions, "
            "paired resamples for the rest."
        )
    if not comparison.samples and any(m.startswith("normal") for m in methods):
        how += " Means over rows have the normal interval of the row-by-row differences."
    more = [how]
    if len(comparison.pairs) > 1:
        more.append(MANY_PAIRS)
    if any(v.remedy for v in comparison.verdicts):
        more.append(REMEDY)
    return f"Differences are {subtracted}. {' '.join(more)}"


def table_error(t: TableError) -> str:
    """Return how often a table of differences marks any by chance.

    >>> from tallymark.infer.compare import TableError
    >>> table_error(TableError(8, 0.05, 0.2312, False))
    '8 differences, each at 5 %: if nothing differs, a table like this marks at least one in about
    23 % of samples (estimated from the joint resamples).'
    """
    about, by = "about", "estimated from the joint resamples"
    if t.bound:
        about, by = "at most", "an upper bound, Šidák's"
    return (
        f"{many(t.tests, 'difference')}, each at {100 * t.each:g} %: if nothing differs, a table "
        f"like this marks at least one in {about} {percent(t.any, 0)} of samples ({by})."
    )


def rank_line(c: Comparison) -> str:
    """Return how probable it is that each model is the best; nothing where that is unknown."""
    ranked = sorted(c.ranks.items(), key=lambda item: -item[1][0])[:MOST_RANKED]
    best = ", ".join(f"{text(name)} {chance_of(p[0])}" for name, p in ranked)
    if not best:
        return ""
    how = "from the interval" if len(c.ranks) == 2 else "from joint resamples"
    title = get(c.metric).in_a_sentence
    return f"Probability of being best by {title}: {best} (flat prior, {how})."


def leaders_line(found: Sequence[Leader], by: str) -> str:
    """Return in which subgroups a model leads beyond chance; nothing of no subgroups."""
    if not found:
        return ""
    shown = grouped((text(f.model), subgroup_name(f.subgroup)) for f in found if f.shown)
    title = get(found[0].difference.metric).in_a_sentence
    if not shown:
        return (
            f"By {text(by)}: no model is shown to lead in any of {many(len(found), 'subgroup')} "
            f"({title}, corrected for {len(found)} subgroups)."
        )
    said = "; ".join(f"{model} leads in {enumerated(_few(of))}" for model, of in shown.items())
    rest = "" if all(f.shown for f in found) else " Elsewhere no model is shown to lead."
    return f"By {text(by)}: {said} ({title}, corrected for {len(found)} subgroups).{rest}"


def subgroup_name(key: Any) -> str:
    """Return a subgroup's values as they are shown."""
    return ", ".join(map(subgroup, key)) if isinstance(key, tuple) else subgroup(key)


def cheapest_line(c: Comparison) -> str:
    """Return for which costs of the errors a model is the cheapest; nothing without evidence."""
    parts: dict[str, list[str]] = {}
    for found in c.cheapest:
        low, high = ("" if r is None else f"{r:.2g}" for r in found.ratios)
        if low and low == high:
            continue  # a point, not a range
        where = f"{low} to {high}" if low and high else "any number"
        if bool(low) != bool(high):
            where = f"at least {low}" if low else f"at most {high}"
        parts.setdefault(found.model, []).append(where)
    if not parts:
        return ""
    said = "; ".join(f"{text(name)} for {' or '.join(of)}" for name, of in parts.items())
    return (
        "Least expected cost, by how many times a missed positive costs what a false alarm does: "
        f"{said}. Elsewhere no model is shown to be the cheapest. Each has its best threshold on "
        "these rows."
    )


def heterogeneity(h: Heterogeneity) -> str:
    """Return the mean of a number over studies, and whether they differ by more than chance."""
    ci = f"{percent(h.level, 0)} CI {interval(h.mean)}"
    new = ""
    if not math.isnan(h.predicted[0]):
        new = f" A new study is expected between {' and '.join(map(number, h.predicted))}."
    shown = h.p_value < 1 - h.level
    differ = "Studies differ by more than chance"
    differ = differ if shown else "Differences between studies may be chance"
    mean = f"{get(h.metric).title}: mean over {h.studies:,} studies {number(h.mean.value)} ({ci})."
    return f"{mean}{new} {differ} (I² {percent(h.i2, 0)}, {p_is(h.p_value)})."


def of_studies(found: Sequence[Heterogeneity]) -> list[str]:
    """Return what to know of means over studies: how they were made, and what they leave out."""
    notes = dict.fromkeys(h.mean.method or "" for h in found)
    notes |= dict.fromkeys(sentence(f"warning: {h.mean.warning}") for h in found if h.mean.warning)
    for h in found:
        if h.corrected:
            which = f"{h.corrected} of {many(h.studies, 'study', 'studies')} with a 0"
            name = get(h.metric).in_a_sentence
            notes[f"Half a row was added to both counts of {which} ({name})."] = None
    if len(found) > 1:
        notes[ONE_BY_ONE] = None
    return [n[0].upper() + n[1:] for n in notes if n]


ONE_BY_ONE = (
    "Sensitivity and specificity are modelled one by one. Studies with another threshold move both "
    "in opposite directions: the standard for the pair is the bivariate model (Reitsma 2005)."
)

FOREST_WORDS = (
    "First model − second model with its {level} interval. A filled dot is significant on its own. "
    "↓ lower is better. {table}"
)

KINDS: Mapping[str, str] = {
    "alike": "the same",
    "crossing": "no single winner",
    "undefined": "not defined",
}
"""Kinds of verdicts that a table puts in other words."""


def kinds(v: Verdict) -> str:
    """Return a verdict in few words: all that is shown of what was asked."""
    shown = [KINDS.get(v.kind, v.kind)]
    if v.kind == "better" and v.margin is not None:
        shown += [a.question for a in v.answers if a.shown and a.question == "equivalence"]
    return ", ".join(shown)


_OF_DECISIONS = ("counts", "matrix")
_ALIKE = {True: "decide every row the same", False: "predict the same for every row"}


def pair_verdict(v: Verdict) -> str:
    """Return a verdict on two models in words that match the evidence."""
    d, title = v.difference, get(v.metric).in_a_sentence
    both = f"{v.better} and {v.other}"
    if v.kind == "undefined":
        return f"{both} cannot be compared by {title}: {d.reason}"
    if v.kind == "alike":
        return f"{both} {_ALIKE[get(v.metric).needs in _OF_DECISIONS]}"
    if v.kind == "same ranking":
        return (
            f"{both} have the same ranking: they order and tie all rows the same, so {title} and "
            "every other rank metric are equal; compare their probabilities or their decisions to "
            f"choose one{_care(d)}"
        )
    claims = {
        "better": f"{v.better} is better than {v.other}",
        "equivalent": f"{both} are equivalent within {v.margin or 0:g}",
        "no worse": f"{v.better} is no worse than {v.other} by more than {v.margin or 0:g}",
        "undecided": f"undecided between {both}",
    }
    if v.crossing is not None:
        band = f"simultaneous {100 * v.crossing.level:.3g} % band"
        claim = f"no single winner between {both}: their ROC curves cross beyond chance ({band})"
        return "; ".join([claim, leads(v.crossing), advice_on(v.crossing), _lead(v)])
    return "; ".join([f"{claims[v.kind]}: {_lead(v)}", *_of_margin(v), *_open(v)])


def _lead(v: Verdict) -> str:
    """Return who leads by how much, with the interval and the test."""
    m, d = get(v.metric), v.difference
    size, low, high = v.lead
    whose = "" if v.kind == "better" else f" of {v.better}"
    numbers = f"{size:.3g}" + ("" if math.isnan(low) else f" [{low:.3g}, {high:.3g}]")
    fact = f"{m.in_a_sentence}{whose} {'lower' if m.better == 'low' else 'higher'} by {numbers}"
    answer = v.answer("superiority")
    if answer is not None and not math.isnan(answer.p_value):
        fact += f", {p_is(answer.p_value, answer.p_at_most)}"
    fact += _care(d)
    return fact if not math.isnan(low) else f"{fact}, without an interval"


def _care(d: Difference) -> str:
    return f" (with care: {d.warning})" if d.warning else ""


def _of_margin(v: Verdict) -> Iterator[str]:
    """Yield what the data say of a stated margin: both questions, one-sided."""
    asked = [a for a in v.answers if a.question != "superiority"]
    if v.margin is None or not asked or math.isnan(asked[0].p_value):
        return
    answers = [f"{a.question} {'' if a.shown else 'not '}shown ({_one_sided(a)})" for a in asked]
    yield f"margin {v.margin:g}: {', '.join(answers)}"
    if v.probabilities is not None:
        exceeds = chance_of(v.probabilities[0])
        yield f"the lead exceeds {v.margin:g} with probability {exceeds}"


def _one_sided(a: Answer) -> str:
    return f"one-sided {p_is(a.p_value, a.p_at_most)}"


def _open(v: Verdict) -> Iterator[str]:
    """Yield how far apart the two may be, and what would answer what is open."""
    _, low, high = v.lead
    if v.kind == "undecided" and not math.isnan(low):
        worse = f" and at most {-low:.3g} worse" if low < 0 else ""
        yield f"{v.better} is at most {high:.3g} better{worse}"
    side, here = "", f"{v.rows:,}"
    if v.each is not None:
        side, here = " on each side", " and ".join(f"{n:,}" for n in v.each)
    shows = {
        "superiority": f"a true difference of {v.least or 0:g}",
        "non-inferiority": f"non-inferiority within {v.margin or 0:g}, if both are equally good,",
    }
    for question, n in v.needed.items():
        yield (
            f"about {rounded_up(n):,} rows like these{side} show {shows[question]} with 80 % power "
            f"(here are {here})"
        )


def rounded_up(n: float) -> int:
    """Return a number of rows with two significant digits.

    >>> rounded_up(1234.0), rounded_up(99.1)
    (1300, 100)
    """
    scale = 10 ** max(0, math.floor(math.log10(n)) - 1)
    return int(math.ceil(n / scale) * scale)


def crossing(c: Crossing) -> str:
    """Return where two ROC curves cross, who leads where, and what that means."""
    where = ", ".join(f"{p:.2g}" for p in c.places)
    above = c.second if c.below == c.first else c.first
    message = f"the ROC curves of {c.first} and {c.second} cross at "
    if len(c.places) > 1:
        message += f"false positive rates of {where}, {c.below} ahead first"
    else:
        message += f"a false positive rate of {where}: {c.below} is ahead below it, {above} beyond"
    if c.shown:
        return f"{message}; beyond chance {leads(c)}"
    if c.regions:
        led = c.regions[0].leader
        return f"{message}; only the lead of {led} is beyond chance ({leads(c)})"
    return f"{message}; both leads may be chance"


def advice_on(c: Crossing) -> str:
    """Return which of two models to choose when; by prevalence and cost if the lead turns once."""
    leaders = [r.leader for r in c.regions]
    first, last = leaders[0], leaders[-1]
    if sum(a != b for a, b in pairwise(leaders)) > 1:
        return "choose by the false positive rate that you will work at"
    return (
        f"choose {first} where false alarms are costly or positives rare, {last} where missed "
        "positives are costly or positives frequent"
    )


def plan(p: Plan) -> str:
    """Return how many rows are needed, and what they reach."""
    rows = f"{p.n:,} row" + ("" if p.n == 1 else "s")
    if "assurance" in p.assumed:
        of, chance = p.assumed["of"], p.assumed["assurance"]
        rows += f" (with a chance of {chance:g} at least {getattr(p, of):,} of the {of})"
    elif p.positives is not None:
        rows += f" ({p.positives:,} positive, {p.negatives:,} negative)"
    if p.half_width is None:
        reached = f"a power of {p.power:.4f}"
    else:
        reached = f"a half width of {p.half_width:{'.4f' if p.half_width >= 0.001 else '.3g'}}"
    return f"{rows} give{'s' if p.n == 1 else ''} {reached} {p.claim}."


def verdict_line(v: Verdict) -> str:
    """Return a verdict as a sentence of its own."""
    message = sentence(pair_verdict(v))
    # A model's name keeps its first letter as it is.
    return message[0].upper() + message[1:] if v.kind in ("undecided", "crossing") else message


def together(v: Verdict) -> str:
    """Return in one sentence whether the lead of one model is significant."""
    answer = v.answer("superiority")
    known = answer is not None and not math.isnan(answer.p_value)
    p = f" ({p_is(answer.p_value, answer.p_at_most)})" if answer is not None and known else ""
    if v.kind == "alike":
        return f"Both {_ALIKE[get(v.metric).needs in _OF_DECISIONS]}."
    if v.crossing is not None:
        where = text(leads(v.crossing))
        return f"Their ROC curves cross beyond chance, so neither is better everywhere: {where}."
    if v.kind == "better":
        return f"That lead is significant{p}."
    return f"That lead may be chance{p}."
