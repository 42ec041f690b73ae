"""Evaluations in sentences: what was judged, which model is best, what it does in practice."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tallymark.findings.finding import Cut
from tallymark.infer.chance import area_above_half
from tallymark.infer.compare import DECISIVE
from tallymark.metric import Metric, get
from tallymark.metric.measure import Statistic, Value
from tallymark.quantities import count, is_name, many, number, p_is, percent
from tallymark.reading.indicators import LabelSets
from tallymark.reading.models import decided_by
from tallymark.reading.source import has_columns
from tallymark.report import words
from tallymark.report.blocks import Block, Paragraph
from tallymark.report.subjects.classes import least_found
from tallymark.report.subjects.comparison import at_costs, together
from tallymark.report.subjects.labels import labels_verdict
from tallymark.report.subjects.values import warning_of
from tallymark.report.uses import account_of, budget_of, use_of
from tallymark.report.words import enumerated, few, grouped, text
from tallymark.tally.arrays import Label

if TYPE_CHECKING:
    from tallymark.reading.models import Model
    from tallymark.report.evaluation import Evaluation


def headline(ev: Evaluation) -> tuple[str, ...]:
    """Return the available headline metrics, in order."""
    present = {name for values in ev.values().values() for name in values}
    use = use_of(ev)
    return tuple(n for n in (use.headline if ev.binary else use.headline_many) if n in present)


def brief(ev: Evaluation) -> tuple[str, ...]:
    """Return the four metrics of a card."""
    use, present = use_of(ev), headline(ev)
    return tuple(n for n in (use.brief if ev.binary else use.brief_many) if n in present)[:4]


def title_of(ev: Evaluation, metric: str) -> str:
    """Return the title of a metric, in the terms of the evaluation's use."""
    return use_of(ev).title(metric)


def metric_title(title: str, value: Value | None) -> str:
    """Return a metric's title, with its average if classes are averaged."""
    average = (value.definition.get("average") if value else None) or ""
    return f"{title} ({average})" if average in ("macro", "micro", "weighted") else title


def metric_titles(ev: Evaluation, metrics: Sequence[Metric], values: Sequence[Value]) -> list[str]:
    """Return the titles of metrics, each with the average of its value."""
    titles = use_of(ev).titles
    return [
        metric_title(titles.get(m.name) or m.title, v) for m, v in zip(metrics, values, strict=True)
    ]


def about(ev: Evaluation) -> str:
    """Return what was judged, in one line."""
    if (account := account_of(ev)) is not None:
        return account.about
    message = many(ev.rows, ev._noun.one, ev._noun.many)
    if ev.dropped:
        message += f" ({ev.dropped:,} left out: something was missing)"
    if ev.binary:
        of = f"{_share_positive(ev)}{', as assumed' if ev.stratified else ''}"
        message += f", positive class '{text(ev.positive)}' ({of})"  # type: ignore[arg-type]
    elif isinstance(ev._counted, LabelSets):
        each = f"{float(ev._counted.true.sum(1).mean()):.2g}"
        message += f", {len(ev.labels)} labels, on average {each} labels a {ev._noun.one}"
    else:
        message += f", {len(ev.classes)} classes"
    return message


def _share_positive(ev: Evaluation) -> str:
    counts = ev.models[0].labels.binary(ev.positive)
    total = float(counts.total)
    return percent(float(counts.positives) / total if total else math.nan)


LONGEST_FILE = 30
"""Characters of the name of a file in a line about it."""


def facts(ev: Evaluation) -> str:
    """Return the file, its rows, the share of positives, the models and the costs, in one line."""
    listed = [about(ev)]
    if ev.binary and account_of(ev) is None:
        kind = text(ev.positive) if isinstance(ev.positive, str) else f"positive ({ev.positive})"
        share = f"{_share_positive(ev)} {kind}{' as assumed' if ev.stratified else ''}"
        listed = [about(ev).split(", positive class", 1)[0], share]
    if len(ev.names) > 1:
        listed.append(f"{len(ev.names)} models")
    if ev.costs:
        listed.append(at_costs(ev.costs))
    name = words.text(ev.source.name)
    if len(name) > LONGEST_FILE:  # addresses differ at their ends
        start = LONGEST_FILE // 3
        name = f"{name[:start]}…{name[start + 1 - LONGEST_FILE :]}"
    return f"{name}  {', '.join(listed)}"


def verdict_sentence(ev: Evaluation) -> str:
    """Return the main result: the best model, its interval and whether its lead is significant."""
    if (account := account_of(ev)) is not None:
        return account.verdict
    name, ranked = ranking(ev)
    if not name:
        return f"No summary metric is defined on these {ev._noun.many}; see the warnings."
    title = get(name).in_a_sentence
    if name == "roc_auc" and not ev.binary:
        title = "mean ROC area"
    best = ranked[0]
    of_models = ev.values()
    others, advice = _runner_up(ev, name, ranked)
    if ev.labels:
        lead = labels_verdict(ev, best, of_models[best])
        return f"{lead} By {title}, {others}. {advice}" if others else lead
    top = of_models[best][name]
    message = words.with_interval(top)
    if len(ranked) == 1:
        return f"The {title} of {text(best)} is {message}.{_chance(ev, best)}{_accuracy(ev, best)}"
    v = None if ev._compared is None else ev._compared.verdict(best, ranked[1], name)
    if v is not None and v.kind == "same ranking":
        both = f"{text(best)} and {text(ranked[1])}"
        return f"{both} have the same ranking of all {ev._noun.many}: {title} {message}."
    return f"{text(best)} has the highest {title}, {message}; {others}.{_chance(ev, best)} {advice}"


def _chance(ev: Evaluation, model: str) -> str:
    """Return that a model is not shown to be better than chance, as its advice says."""
    area = ev.values()[model].get("roc_auc")
    scores = ev.model(model).models[0].scores
    if not ev.binary or area is None or area.reason or area.high < 0.5 or len(scores) != 1:
        return ""
    gain = area_above_half(scores[0], ev._inference.clusters(model), level=ev.level)
    if gain is None or gain.shown:
        return ""
    return f" It is not shown to be better than chance ({p_is(gain.p_value)})."


def _runner_up(ev: Evaluation, name: str, ranked: Sequence[str]) -> tuple[str, str]:
    """Return the second model and whether the lead is significant; empty for a single model."""
    if len(ranked) == 1:
        return "", ""
    best, second = ranked[:2]
    others = f"next is {text(second)} with {words.value(ev.values()[second][name])}"
    if ev._compared is None:
        return others, "Their rows were not kept side by side, so the lead is not tested."
    return others, together(ev._compared.verdict(best, second, name))


def ranking(ev: Evaluation) -> tuple[str, list[str]]:
    """Return the metric that ranks the models, empty if none is defined, and the ranked models."""
    of_models = ev.values()
    candidates = ("subset_accuracy",) if ev.labels else DECISIVE
    defined = (n for n in candidates if all(n in v and not v[n].reason for v in of_models.values()))
    name = next(defined, "")
    return name, sorted(of_models, key=lambda m: -of_models[m][name].value if name else 0.0)


@dataclass(frozen=True, slots=True)
class Practice:
    """What a model does in practice: the whole statement, or its ``found`` and the ``rest``."""

    whole: str = ""
    found: str = ""
    rest: str = ""


def in_practice(ev: Evaluation, model: str) -> Practice:
    """Return how many rows of each class a model gets right, in whole numbers."""
    values = ev.values()[model]
    if not ev.binary:
        v = values.get("accuracy")
        if v is None or v.reason:
            return Practice()
        found = f"{text(model)} names the right class for {out_of(v.value)} {ev._noun.many}"
        return _followed(
            Practice(f"{found}.", found, f"Accuracy {words.with_interval(v)}."),
            least_found(ev, model),
        )
    sensitivity, specificity = values.get("sensitivity"), values.get("specificity")
    if sensitivity is None or sensitivity.reason or specificity is None or specificity.reason:
        return Practice()
    other = next(c for c in ev.classes if c != ev.positive)
    alarms, base = whole(1 - specificity.value)
    raised = "no false alarm" if not alarms else many(alarms, "false alarm")
    found = (
        f"{text(model)} finds {out_of(sensitivity.value)} {rows_of(ev, ev.positive, 'positive')}"
    )
    end = f"{raised} per {base:,} {rows_of(ev, other, 'negative')}."
    return Practice(f"{found}, with {end}", found, f"It raises {end}")


def _defined(ev: Evaluation, model: str, *metrics: str) -> list[float]:
    """Return the values of metrics; empty unless all are defined."""
    values = [ev.values()[model].get(n) for n in metrics]
    defined = [v.value for v in values if v is not None and not v.reason]
    return defined if len(defined) == len(values) else []


def _followed(practice: Practice, sentence: str) -> Practice:
    """Return a statement followed by a sentence."""
    return Practice(
        f"{practice.whole} {sentence}".strip(),
        practice.found,
        f"{practice.rest} {sentence}".strip(),
    )


def _post_test(ev: Evaluation, model: str) -> Practice:
    """Return a test's rates, and the probability of the positive class after each result."""
    values = _defined(ev, model, "precision", "negative_predictive_value", "prevalence")
    if not values:
        return in_practice(ev, model)
    ppv, npv, before = values
    kind = rows_of(ev, ev.positive, "positive")
    return _followed(
        in_practice(ev, model),
        f"After a positive result {out_of(ppv)} are {kind}, after a negative one "
        f"{out_of(1 - npv)}; before the test {out_of(before)}.",
    )


def _within_budget(ev: Evaluation, model: str) -> Practice:
    """Return how many positives are among the rows that a campaign contacts."""
    values = _defined(ev, model, "lift_at", "gain_at")
    if not values:
        return in_practice(ev, model)
    lift, gain = values
    kind, times = rows_of(ev, ev.positive, "positive"), number(lift, 2)
    _, amount = budget_of(ev)
    return Practice(
        f"The best {amount} by {text(model)} hold {times} times as many {kind} as a random "
        f"{amount}: {percent(gain, 0)} of all.",
        f"The best {amount} contain {percent(gain, 0)} of all {kind}",
        f"That is {times} times as many as a random {amount}, by the scores of {text(model)}.",
    )


def _balance(ev: Evaluation, model: str) -> Practice:
    """Return what a defect predictor finds, and its distance from the ideal point."""
    names = ("sensitivity", "false_positive_rate", "balance")
    if not _defined(ev, model, *names):
        return in_practice(ev, model)
    pd, pf, balance = (words.value(ev.values()[model][name]) for name in names)
    sentence = f"pd is {pd}, pf {pf}, their balance {balance} (ideal: 1)."
    return _followed(in_practice(ev, model), sentence)


def _in_order(ev: Evaluation, model: str) -> Practice:
    """Return how many pairs of a positive and a negative row are ranked correctly."""
    values = _defined(ev, model, "roc_auc")
    if not values:
        return in_practice(ev, model)
    other = next(c for c in ev.classes if c != ev.positive)
    kinds = f"{rows_of(ev, ev.positive, 'positive')} and {rows_of(ev, other, 'negative')}"
    return Practice(
        f"{text(model)} puts {out_of(values[0])} pairs of {kinds} in the right order; a tie counts "
        "half.",
        f"{text(model)} ranks {out_of(values[0])} pairs of {ev._noun.many} correctly",
        f"A pair is one of {kinds}; a tie counts half.",
    )


def _probabilities(ev: Evaluation, model: str) -> Practice:
    """Return the expected number of positives, and the quality of the probabilities."""
    values = _defined(
        ev, model, "observed_expected_ratio", "prevalence", "brier", "brier_skill_score"
    )
    if not values or not values[0]:
        return in_practice(ev, model)
    ratio, happened, _, skill = values
    brier = words.value(ev.values()[model]["brier"])
    constant = happened * (1 - happened)
    kind = rows_of(ev, ev.positive, "positive")
    found = (
        f"{text(model)} predicts {percent(happened / ratio)} {kind}, and {percent(happened)} are"
    )
    rest = (
        f"Its Brier score is {brier}, {percent(abs(skill), 0)} "
        f"{'less' if skill >= 0 else 'more'} than the {number(constant)} of always giving the "
        "share of the class."
    )
    return Practice(f"{found}. {rest}", found, rest)


def _worked_out(ev: Evaluation, model: str) -> Practice:
    """Return what a model finds, with its recall worked out step by step."""
    values = _defined(ev, model, "sensitivity")
    if not values:
        return in_practice(ev, model)
    c = ev.model(model).models[0].labels.binary(ev.positive)
    tp, fn = count(float(c.tp)), count(float(c.fn))
    recall = words.value(ev.values()[model]["sensitivity"])
    worked = f"recall = TP / (TP + FN) = {tp} / ({tp} + {fn}) = {recall}."
    return _followed(in_practice(ev, model), worked)


OF_USE: Mapping[str, Callable[[Evaluation, str], Practice]] = {
    "medicine": _post_test,
    "marketing": _within_budget,
    "defects": _balance,
    "ranking": _in_order,
    "probabilities": _probabilities,
    "teaching": _worked_out,
}
"""What the best model does in practice, by use."""


def whole(share: float) -> tuple[int, int]:
    """Return a share as a whole number out of 100, or more if needed to avoid 0 or all.

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


def rows_of(ev: Evaluation, label: Label | None, kind: str) -> str:
    """Return the name for rows of a class: its label, or its kind if the label is a number.

    >>> import tallymark as tm
    >>> ev = tm.evaluate([0, 1], [0, 1]).at(noun="tumour")
    >>> rows_of(ev, "malignant", "positive"), rows_of(ev, 1, "positive")
    ('malignant tumours', 'positive tumours')
    """
    return f"{_kind_of(label, kind)} {ev._noun.many}"


def row_of(ev: Evaluation, label: Label | None, kind: str) -> str:
    """Return the name for one row of a class."""
    return f"{_kind_of(label, kind)} {ev._noun.one}"


def _kind_of(label: Label | None, kind: str) -> str:
    return text(label) if is_name(label) else kind  # type: ignore[arg-type]


def standing(ev: Evaluation, metric: str, ranked: Sequence[str]) -> str:
    """Return which models the best one beats, and which do not differ significantly from it."""
    if ev._compared is None or len(ranked) < 2:
        return ""
    best, *others = ranked
    by_kind: dict[str, list[str]] = {}
    for other in others:
        kind = ev._compared.verdict(best, other, metric).kind
        by_kind.setdefault(kind, []).append(text(other))
    says = [
        STANDING[kind].format(
            best=text(best),
            others=enumerated(few(names)),
            models=enumerated(few([text(best), *names])),
            row=ev._noun.one,
            rows=ev._noun.many,
        )
        for kind, names in by_kind.items()
        if kind in STANDING
    ]
    title = get(metric).in_a_sentence
    if len(others) == 1 and by_kind.keys() & {"undecided", "no worse"}:
        pair = ev._compared.pair(best, others[0])
        d, sign = pair.differences[get(metric).name], 1 if pair.first == best else -1
        if not math.isnan(d.low):
            low, high = sorted((sign * d.low, sign * d.high))
            ends = "{}, {} to {}".format(*words.to_width(sign * d.value, low, high, "+"))
            return f"{says[0]} ({title} {ends})."
    by = f"{title}, {many(ev.rows, ev._noun.one, ev._noun.many)}"
    line = f"{'; '.join(says)} ({by})." if says else ""
    return line.replace("no single", "No single", 1) if line.startswith("no single") else line


def guessing(ev: Evaluation) -> str:
    """Return the accuracy of the best model, and that of always predicting one class."""
    nothing, best = ev.no_information(), ranking(ev)[1][0]
    accuracy = ev.values()[best]["accuracy"].value
    return (
        f"Right in {percent(accuracy)} of the {ev._noun.many}; always saying "
        f"“{text(nothing.label)}”: {percent(nothing.rate)}."
    )


def beyond_guessing(ev: Evaluation) -> str:
    """Return whether the models are more accurate than always predicting one class."""
    p_values = ev.no_information().p_values.items()
    of = grouped((p_is(p), text(m)) for m, p in p_values if p is not None)
    return "; ".join(f"accuracy above guessing: {enumerated(few(m))}, {p}" for p, m in of.items())


def kinds_of(ev: Evaluation) -> tuple[str, str]:
    """Return the names for rows of the positive and of the negative class."""
    other = next(label for label in ev.classes if label != ev.positive)
    return rows_of(ev, ev.positive, "positive"), rows_of(ev, other, "negative")


def at_threshold(ev: Evaluation, model: Model) -> str:
    """Return how many rows of each class a model gets wrong at its threshold."""
    c, kinds = model.labels.binary(ev.positive), kinds_of(ev)
    where = "As given" if model.threshold is None else f"At threshold {model.threshold:.4g}"
    return (
        f"{where}, {text(model.name)} misses {count(float(c.fn))} of {count(float(c.positives))} "
        f"{kinds[0]} and raises a false alarm for {count(float(c.fp))} of "
        f"{count(float(c.negatives))} {kinds[1]}."
    )


ORIGINS: Mapping[str, str] = {
    "given": "as given",
    "chosen": "chosen on these rows",
    "default": "the default",
}
"""The words for where a threshold comes from."""


def in_force(ev: Evaluation, model: Model, digits: int = 15) -> str:
    """Return where a model's decisions come from, such as "at 0.5, the default"."""
    if model.threshold is None:
        has_file = ev.source.kind != "frame" and has_columns(ev.source)
        return "as in the file" if has_file else "as given"
    if ev.budget is not None:
        return f"at {own_threshold(ev, model)}, the best {budget_of(ev)[1]}"
    return f"at {model.threshold:.{digits}g}, {ORIGINS[decided_by(ev._one_column, model)]}"


def own_threshold(ev: Evaluation, model: Model) -> str:
    """Return a model's threshold as text: as few digits as decide alike if a budget chose it."""
    if model.threshold is None:
        return "as given"
    if ev.budget is None:
        return f"{model.threshold:.15g}"
    return words.cut(model.threshold, Cut.of(model.threshold, model.scores[0]).below)


def all_in_force(ev: Evaluation) -> str:
    """Return where the decisions of all models come from, in words that go with each of them."""
    origins = {in_force(ev, m, 4) for m in ev.models}
    if len(origins) == 1:
        return origins.pop()
    amount = f" for the best {budget_of(ev)[1]}" if ev.budget is not None else ""
    return f"at each model's threshold{amount}"


STANDING: Mapping[str, str] = {
    "better": "{best} beats {others}",
    "undecided": "{models} cannot be distinguished",
    "equivalent": "{models} are equivalent within the margin",
    "no worse": "{models} cannot be distinguished",
    "crossing": "no single winner between {models}, whose ROC curves cross",
    "same ranking": "{models} rank all {rows} the same",
    "alike": "{models} decide every {row} the same",
}
"""The wording for each kind of verdict on the best model and others."""


def _accuracy(ev: Evaluation, name: str) -> str:
    nothing = ev.no_information()
    accuracy = ev.values()[name]["accuracy"]
    if accuracy.reason:
        return ""
    lead = "At the assumed class balance it is" if ev.stratified else "It is"
    return (
        f" {lead} right in {percent(accuracy.value)} of the {ev._noun.many}; always saying "
        f"'{text(nothing.label)}' would be right in {percent(nothing.rate)}."
    )


STAR = (
    "* significantly better than every other model and better than guessing, each metric by itself"
)
"""The meaning of a star in a table."""


def best_of(values: Sequence[Value], better: str) -> set[int]:
    """Return the indices of the best of several models' values; empty if all are equal."""
    defined = [v.value for v in values if not math.isnan(v.value)]
    if len(set(defined)) < 2 or better == "neither":
        return set()
    best = max(defined) if better == "high" else min(defined)
    return {i for i, v in enumerate(values) if v.value == best}


MOST_VERDICTS = 6


def in_three_lines(ev: Evaluation) -> str:
    """Return an evaluation for the Python prompt, from numbers that need no resampling."""
    one = Statistic.of(get("roc_auc"), ev.classes, ev.positive) if ev.binary else None
    title, shares = _share_right(ev)
    numbers = []
    for name, share in [*shares.items()][:MOST_VERDICTS]:
        line = f"{words.cut_off(name, 24)} {share:.3f}"
        if one is not None and (scores := ev.model(name).models[0].scores):
            line += f" (ROC area {words.number(float(one.measure(scores)))})"
        numbers.append(line)
    omitted = len(ev.names) - len(numbers)
    more = f" and {words.many(omitted, 'more model')}" if omitted else ""
    return "\n".join(
        [
            f"<Evaluation: {words.cut_off(ev.source.name, 60)}, {words.cut_off(about(ev), 120)}",
            f" {title} of {', '.join(numbers)}{more}",
            " ev.help() lists what it can answer>",
        ]
    )


def _share_right(ev: Evaluation) -> tuple[str, dict[str, float]]:
    """Return the title of the accuracy of rows, and its value for every model."""
    counted = ev._counted
    if isinstance(counted, LabelSets):
        right = {m.name: (counted.true == m.decided).all(1) for m in counted.models}
        shares = {n: float(np.average(v, weights=counted.weights)) for n, v in right.items()}
        return get("subset_accuracy").in_a_sentence, shares
    counts = ((m.name, m.labels.counts) for m in counted.models)
    return "accuracy", {n: float(c.trace() / max(c.sum(), 1e-300)) for n, c in counts}


def read_as(ev: Evaluation, about: str) -> Iterator[Block]:
    """Yield what was judged, how it was read and what was assumed."""
    yield Paragraph(about)
    yield Paragraph(words.said(ev.source.sentence))
    yield from (Paragraph(f"assumed: {note}") for note in words.notes(ev.notes, "assumed"))


def warnings(ev: Evaluation) -> Iterator[Block]:
    """Yield the warnings of an evaluation."""
    for note in words.notes(ev.notes, "warning"):
        yield from warning_of(note)


def one_line(ev: Evaluation) -> str:
    """Return the rows and the accuracy of each model, which need no resampling."""
    if (account := account_of(ev)) is not None:
        return f"{account.about}; {account.headline}"
    title, shares = _share_right(ev)
    right = ", ".join(f"{name} {share:.3f}" for name, share in shares.items())
    of = f"positive {ev.positive!r}" if ev.binary else f"{len(ev.classes):,} classes"
    if ev.labels:
        of = f"{len(ev.labels)} labels"
    return f"{many(ev.rows, ev._noun.one, ev._noun.many)}, {of}, {title} of {right}"
