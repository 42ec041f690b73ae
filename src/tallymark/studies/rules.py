"""The rules of advice: one function each, in the order in which they speak.

What a rule says is an opinion with a source; the numbers in it are measured on the case, and the
limits at which it speaks are the constants of this file. To add one, write one more function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tallymark.data import CountedRows
from tallymark.infer.cautions import FEW, HEADLINE, HEADLINE_MANY
from tallymark.infer.choice import OptimalThreshold
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Value
from tallymark.studies.advice import SECTIONS, Advice, Answers, Case, Number, Rule, Said, Share, say

BALANCED = (0.3, 0.7)
"""Shares of positives at which neither class is rare; the literature names no limit."""

RARE = 0.2
"""Below this share of positives the ROC curve looks better than the decisions do."""

FREQUENT = 0.75
"""A class of such a share makes always predicting it look good."""

WIDE = 0.1
"""Half an interval of this width leaves the first digit open."""

CLOSE = 0.02
"""Values closer than this are called equal in words."""

APART = 0.15
"""Error rates further apart than this are not one number."""

RELATED = 0.67
"""Metrics that correlate less than this measure different things."""

FIELD = (0.01, 0.1, 0.5)
"""Shares of positives that a question tries."""

COSTS = (0.1, 10.0)
"""Cost of a missed positive over that of a false alarm, in a question."""

FOUND = 0.95
ALARMS = 0.01
"""What "most positives found" and "few false alarms" mean where no limit is given."""

DECISIONS = (None, "decisions")
"""Uses that need a threshold, as far as is known."""

KEPT = (
    "matthews_corrcoef", "roc_auc", "average_precision", "brier", "sensitivity", "specificity",
    "precision", "f1", "accuracy",
)  # fmt: skip
"""Which of several redundant metrics to report, the first of these."""

SHORT = {
    "matthews_corrcoef": "MCC", "roc_auc": "ROC area", "f1": "F1", "brier": "Brier score",
    "average_precision": "average precision", "cohen_kappa": "kappa", "youden_j": "Youden's J",
}  # fmt: skip

RULES: dict[str, Rule] = {}

Finder = Callable[[Case], Iterator[Said]]


def advise(
    counted: CountedRows,
    values: Mapping[str, Mapping[str, Value]],
    answers: Answers | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
    stratified: bool = False,
) -> Advice:
    """Return what every rule says of these tallies and values.

    With ``stratified`` the shares of the classes are assumed, not those of the rows.
    """
    case = Case(counted, values, answers or Answers(), level, seed, stratified)
    statements = [s for rule in RULES.values() for s in rule(case)]
    order = list(SECTIONS)
    return Advice(
        tuple(sorted(statements, key=lambda s: order.index(s.section))), case.answers, level
    )


def rule(
    code: str,
    section: str,
    *sources: str,
    binary: bool = False,
    uses: Sequence[str | None] | None = None,
) -> Callable[[Finder], Finder]:
    """Register a rule; its docstring says when it speaks."""
    if code in RULES or section not in SECTIONS:
        raise ValueError(f"the rule {code!r} is there twice, or in no section")

    def register(find: Finder) -> Finder:
        when = (find.__doc__ or "").strip()
        RULES[code] = Rule(code, section, when, sources, find, binary, uses)
        return find

    return register


def known_costs(case: Case) -> dict[str, float] | None:
    """Return the parameters of expected cost that the answers give, None without costs."""
    a = case.answers
    if not case.binary or a.cost_fp is None or a.cost_fn is None:
        return None
    costs = {"cost_fp": a.cost_fp, "cost_fn": a.cost_fn}
    return costs if a.prevalence is None else {**costs, "prevalence": a.prevalence}


def winners(case: Case, metrics: Sequence[str]) -> dict[str, str]:
    """Return, for each metric by which one model alone is first, that model."""
    first = {}
    for name in metrics:
        values, better = case.every(name), get(name).better
        if better == "neither" or len(values) < 2:
            continue
        sign = -1 if better == "low" else 1
        best, second, *_ = sorted(values, key=lambda k: sign * values[k].value, reverse=True)
        if values[best].value != values[second].value:
            first[name] = best
    return first


def title_of(metric: str) -> str:
    """Return a metric's name as it stands within a sentence."""
    title = get(metric).title
    return SHORT.get(metric, title[0].lower() + title[1:])


def capitalised(text: str) -> str:
    """Return a text with its first letter raised."""
    return text[0].upper() + text[1:]


def listed(parts: Sequence[str]) -> str:
    """Return parts as a sentence lists them."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


# -- what to report ----------------------------------------------------------------------------


@rule("one-of-each-family", "report", "liu2014", "tharwat2018", binary=True, uses=[None])
def one_of_each_family(case: Case) -> Iterator[Said]:
    """Nobody said what is used of the classifier: one number of each kind."""
    kinds = {"decisions": "matthews_corrcoef", "ranking": "roc_auc", "probabilities": "brier"}
    numbers: dict[str, Any] = {m: v for m in kinds.values() if (v := case.every(m))}
    if not numbers:
        return
    parts = [f"{kind} by {title_of(m)} ({{{m}}})" for kind, m in kinds.items() if m in numbers]
    yield say(
        f"Report one metric for each use: {listed(parts)}. Positives are {{positives}} {{where}}: "
        "{why}.",
        *numbers,
        **numbers,
        positives=Share(case.prevalence),
        where=case.where,
        why="neither class is rare, so each can be read as it is"
        if BALANCED[0] <= case.prevalence <= BALANCED[1]
        else "one class is rare, so say which use matters to you",
    )


@rule("families-agree-little", "report", "liu2014", binary=True, uses=[None])
def families_agree_little(case: Case) -> Iterator[Said]:
    """Metrics of different kinds are there: how much one says of another on these rows."""
    r = case.correlation("matthews_corrcoef", "roc_auc")
    if math.isnan(r):
        return
    yield say(
        "MCC and ROC area of {model} correlate {r} over {draws} resamples of your rows: {words}.",
        "matthews_corrcoef",
        "roc_auc",
        model=case.leader.name,
        about=None,
        r=r,
        draws=case.redundancy.draws,
        words="they measure different things, so report both"
        if abs(r) < RELATED
        else "here one tells most of what the other does",
    )


@rule("use-decisions", "report", "tharwat2018", binary=True, uses=["decisions"])
def use_decisions(case: Case) -> Iterator[Said]:
    """Decisions are what is used: both error rates and one number that weighs them."""
    metrics = ("sensitivity", "specificity", "matthews_corrcoef")
    values: dict[str, Any] = {m: case.every(m) for m in metrics}
    if all(values.values()):
        yield say(
            "You use decisions: report sensitivity ({sensitivity}) and specificity "
            "({specificity}), which do not depend on prevalence, and MCC ({matthews_corrcoef}) "
            "as one number of both.",
            *metrics,
            **values,
        )


@rule("use-ranking", "report", "fawcett2006", "davis2006", binary=True, uses=["ranking"])
def use_ranking(case: Case) -> Iterator[Said]:
    """The order of the scores is what is used."""
    area, precision = case.every("roc_auc"), case.every("average_precision")
    if not area or not precision:
        return
    positives = Share(case.prevalence)
    if case.prevalence >= RARE:
        yield say(
            "You use the ranking: report ROC area ({area}). Positives are {positives} {where}, "
            "frequent enough for it to be a fair summary.",
            "roc_auc",
            area=area,
            positives=positives,
            where=case.where,
        )
        return
    yield say(
        "You use the ranking and positives are rare: report average precision ({precision}; "
        "guessing has {positives}) beside ROC area ({area}), which says little about the top of "
        "the list.",
        "average_precision",
        "roc_auc",
        area=area,
        positives=positives,
        precision=precision,
    )


@rule("use-probabilities", "report", "gneiting2007", "vancalster2019", binary=True,
      uses=["probabilities"])  # fmt: skip
def use_probabilities(case: Case) -> Iterator[Said]:
    """The scores are used as probabilities: a proper score and the calibration."""
    skill, error = case.every("brier_skill_score"), case.every("expected_calibration_error")
    loss = case.every("log_loss")
    if not skill or not error:
        return
    if loss and all(math.isfinite(v.value) for v in loss.values()):
        yield say(
            "You use probabilities: report log loss ({loss}) and Brier skill score ({skill}), "
            "which are best for the true probabilities, and calibration error ({error}).",
            "log_loss",
            "brier_skill_score",
            "expected_calibration_error",
            loss=loss,
            skill=skill,
            error=error,
        )
        return
    yield say(
        "You use probabilities: report Brier skill score ({skill}), which is best for the true "
        "probabilities, and calibration error ({error}). The log loss is not finite for every "
        "model.",
        "brier_skill_score",
        "expected_calibration_error",
        skill=skill,
        error=error,
    )


@rule("use-needs-scores", "report", "liu2014", uses=["ranking", "probabilities"])
def use_needs_scores(case: Case) -> Iterator[Said]:
    """Scores are to be used and there are none."""
    n = len(case.models)
    without_scores = sum(not m.scores for m in case.models)
    without_probabilities = sum(not m.probabilities for m in case.models)
    if without_scores:
        yield say(
            "You use the {use} of scores, but {lacking} of {models} models came with decisions "
            "only. Give their scores as well.",
            use=str(case.answers.use),
            lacking=without_scores,
            models=n,
        )
    elif case.answers.use == "probabilities" and without_probabilities:
        yield say(
            "You use the scores as probabilities, but those of {lacking} of {models} models are "
            "not. Calibrate them first, or judge the ranking alone.",
            lacking=without_probabilities,
            models=n,
        )


@rule("costs-known", "report", "drummond2006", "elkan2001")
def costs_known(case: Case) -> Iterator[Said]:
    """The costs of both errors are known: then cost is the measure."""
    cost = known_costs(case)
    if cost is None:
        return
    now = case.at_cost(case.leader, **cost)
    always, never = case.trivial_costs(**cost)
    if math.isnan(now):
        return
    yield say(
        "You know the costs: report expected cost per row. {model} costs {now}, {compared} acting "
        "on every row ({always}) {conjunction} on none ({never}).",
        "expected_cost",
        model=case.leader.name,
        now=now,
        always=always,
        never=never,
        compared="less than" if now < min(always, never) else "no less than the cheaper of",
        conjunction="or" if now < min(always, never) else "and",
    )


@rule("prevalence-differs", "report", "tharwat2018", binary=True)
def prevalence_differs(case: Case) -> Iterator[Said]:
    """Positives have another share in the field: what moves, and what does not."""
    field, here = case.answers.prevalence, case.of(case.leader, "precision")
    if field is None or here is None:
        return
    there = case.at(case.leader, "precision", field)
    if math.isnan(there.value):
        return
    assumed = "The prevalence is {sample} as assumed here and {field} by your answer"
    counted = "The prevalence is {sample} in these rows and {field} in the field"
    yield say(
        f"{assumed if case.stratified else counted}. Report sensitivity and specificity, which "
        "stay the same; precision of {model} is {here} here and {there} there.",
        "sensitivity",
        "specificity",
        "precision",
        model=case.leader.name,
        sample=Share(case.prevalence),
        field=Share(field),
        here=here,
        there=there,
    )


@rule("worse-missed", "report", "glas2003", binary=True)
def worse_missed(case: Case) -> Iterator[Said]:
    """A missed positive hurts more: how many are missed, with the bound to plan for."""
    missed = case.of(case.leader, "false_negative_rate")
    if case.answers.worse != "missed" or missed is None or math.isnan(missed.high):
        return
    yield say(
        "A missed positive hurts more: {model} misses {missed} of them, so plan for the upper "
        "bound. Negative predictive value says how safe a negative decision is.",
        "false_negative_rate",
        "negative_predictive_value",
        model=case.leader.name,
        missed=missed,
    )


@rule("worse-false-alarms", "report", "glas2003", binary=True)
def worse_false_alarms(case: Case) -> Iterator[Said]:
    """A false alarm hurts more: how many calls are wrong."""
    rate, right = (case.of(case.leader, m) for m in ("false_positive_rate", "precision"))
    if case.answers.worse != "false alarms" or rate is None or right is None:
        return
    yield say(
        "A false alarm hurts more: {model} raises one on {rate} of the negatives, and {right} of "
        "its positive decisions are right.",
        "false_positive_rate",
        "precision",
        model=case.leader.name,
        rate=rate,
        right=right,
    )


@rule("many-classes", "report", "tharwat2018")
def many_classes(case: Case) -> Iterator[Said]:
    """More than two classes: the worst class beside the mean."""
    tally = case.leader.labels
    support = tally.counts.sum(1)
    if len(tally.labels) < 3 or (support > 0).sum() < 2:
        return
    recall = tally.counts.diagonal()[support > 0] / support[support > 0]
    names = [label for label, n in zip(tally.labels, support, strict=True) if n > 0]
    i = int(recall.argmin())
    mcc: dict[str, Any] = {"mcc": v} if (v := case.every("matthews_corrcoef")) else {}
    start = "Report MCC ({mcc}) and the recall of each class" if mcc else "Report each recall"
    yield say(
        f"{start}: {{model}} has a mean recall of {{mean}}, and {{label}} has the lowest, "
        "{worst}.",
        "matthews_corrcoef",
        "balanced_accuracy",
        "sensitivity",
        model=case.leader.name,
        label=str(names[i]),
        worst=float(recall[i]),
        mean=float(recall.mean()),
        **mcc,
    )


# -- what could mislead here -------------------------------------------------------------------


@rule("accuracy-of-the-majority", "misleads", "tharwat2018", "byrt1993")
def accuracy_of_the_majority(case: Case) -> Iterator[Said]:
    """One class is frequent, so that naming it always has a high accuracy."""
    label, most = case.majority
    for model, (accuracy, kappa) in case.each("accuracy", "cohen_kappa"):
        if most >= FREQUENT and accuracy.low > most:
            yield say(
                "Accuracy of {model} is {accuracy}, but always predicting {label} has {majority}. "
                "Read kappa ({kappa}), which corrects for chance.",
                "accuracy",
                model=model,
                label=str(label),
                accuracy=accuracy,
                majority=most,
                kappa=kappa,
            )


@rule("no-better-than-the-majority", "misleads", "tharwat2018")
def no_better_than_the_majority(case: Case) -> Iterator[Said]:
    """The accuracy's interval holds that of always naming the most frequent class."""
    label, most = case.majority
    for model, (accuracy,) in case.each("accuracy"):
        if accuracy.low <= most < 1:
            yield say(
                "Accuracy of {model} ({accuracy}) is not shown to be above {majority}, which "
                "always predicting {label} has.",
                "accuracy",
                model=model,
                label=str(label),
                accuracy=accuracy,
                majority=most,
            )


@rule("f1-of-all-positive", "misleads", "powers2011", binary=True)
def f1_of_all_positive(case: Case) -> Iterator[Said]:
    """Calling every row positive has nearly the same F1, or a higher one."""
    trivial = 2 * case.prevalence / (1 + case.prevalence)
    for model, (f1,) in case.each("f1"):
        if f1.low <= trivial:
            yield say(
                "F1 of {model} ({f1}) is not shown to be above {trivial}, which calling every row "
                "positive has. F1 ignores true negatives: read MCC as well.",
                "f1",
                model=model,
                f1=f1,
                trivial=trivial,
            )


@rule("area-hides-false-alarms", "misleads", "davis2006", binary=True)
def area_hides_false_alarms(case: Case) -> Iterator[Said]:
    """Positives are rare and the ROC area is high while precision is low."""
    for model, (area, precision) in case.each("roc_auc", "average_precision"):
        if case.prevalence < RARE and area.value >= 0.8 and precision.value < area.value - APART:
            yield say(
                "ROC area of {model} is {area}, but its average precision is {precision}: with "
                "{positives} positives, few false alarms per negative are many per positive.",
                "roc_auc",
                model=model,
                area=area,
                precision=precision,
                positives=Share(case.prevalence),
            )


@rule("mean-of-two-rates", "misleads", "tharwat2018", binary=True)
def mean_of_two_rates(case: Case) -> Iterator[Said]:
    """Balanced accuracy is the mean of two rates that are far apart."""
    rates = case.each("sensitivity", "specificity", "balanced_accuracy")
    for model, (sensitivity, specificity, mean) in rates:
        if abs(sensitivity.value - specificity.value) > APART:
            yield say(
                "Balanced accuracy of {model} ({mean}) is the mean of sensitivity {found} and "
                "specificity {spared}. Report both.",
                "balanced_accuracy",
                model=model,
                mean=mean,
                found=sensitivity,
                spared=specificity,
            )


@rule("precision-of-another-field", "misleads", "tharwat2018", binary=True)
def precision_of_another_field(case: Case) -> Iterator[Said]:
    """Positives have another share in the field, and metrics of the sample do not carry over."""
    field = case.answers.prevalence
    if field is None:
        return
    moved: dict[str, tuple[float, float]] = {}
    for name in ("f1", "matthews_corrcoef", "cohen_kappa", "accuracy"):
        here, there = case.of(case.leader, name), case.at(case.leader, name, field)
        if here is not None and abs(here.value - there.value) > CLOSE:
            moved[name] = (here.value, there.value)
    if not moved:
        return
    name = max(moved, key=lambda k: abs(moved[k][0] - moved[k][1]))
    others = [title_of(k) for k in moved if k != name]
    yield say(
        "{title} of {model} is {here} {where} and {there} at a prevalence of {field}, with the "
        "same error rates.{more}",
        *moved,
        title=capitalised(title_of(name)),
        model=case.leader.name,
        here=moved[name][0],
        there=moved[name][1],
        field=Share(field),
        where="at the assumed prevalence" if case.stratified else "on these rows",
        more=f" The same holds for {listed(others)}." if others else "",
    )


@rule("probabilities-off", "misleads", "vancalster2019", "spiegelhalter1986",
      uses=[None, "probabilities"])  # fmt: skip
def probabilities_off(case: Case) -> Iterator[Said]:
    """Spiegelhalter's z says that the probabilities are not right."""
    for model, (z, error) in case.each("spiegelhalter_z", "expected_calibration_error"):
        # Rows that are reweighted or clustered have another spread than z takes for granted.
        by_interval = case.stratified or bool(case.counted.clusters)
        if by_interval and not (z.low > 0 or z.high < 0):
            continue
        if not by_interval and abs(z.value) < 1.96:
            continue
        number: Number = z if by_interval else z.value
        yield say(
            "{at}{model} is {side} (Spiegelhalter's z {z}, {limit}; calibration error {error}). "
            "Recalibrate{to} before you use its probabilities.",
            "brier",
            "log_loss",
            model=model,
            at="At the assumed prevalence " if case.stratified else "",
            to=" to that prevalence" if case.stratified else "",
            side="overconfident" if z.value > 0 else "under-confident",
            limit="an interval without 0" if by_interval else "beyond ±1.96",
            z=number,
            error=error.value,
        )


@rule("certain-and-wrong", "misleads", "good1952", uses=[None, "probabilities"])
def certain_and_wrong(case: Case) -> Iterator[Said]:
    """Probability 0 for what happened makes the log loss infinite."""
    loss = {m.name: case.values[m.name].get("log_loss") for m in case.models}
    wrong = [name for name, v in loss.items() if v is not None and math.isinf(v.value)]
    if not wrong:
        return
    yield say(
        "{names} gave probability 0 to a class that then occurred, so {log_loss} infinite. Clip "
        "or calibrate the scores, or read the Brier score ({brier}).",
        "log_loss",
        about=wrong[0] if len(wrong) == 1 else None,
        names=listed(wrong),
        log_loss="its log loss is" if len(wrong) == 1 else "their log losses are",
        brier={name: case.values[name]["brier"] for name in wrong},
    )


@rule("ties-decide", "misleads", "tharwat2018", uses=[None, "ranking", "probabilities"])
def ties_decide(case: Case) -> Iterator[Said]:
    """Equal scores of both classes leave the ROC area open."""
    for model, (low, high) in case.each("roc_auc_pessimistic", "roc_auc_optimistic"):
        if high.value - low.value >= 0.01:
            yield say(
                "Positives and negatives tie in the scores of {model}: its ROC area is {low} to "
                "{high} depending on how ties are broken. Software differs, so say how.",
                "roc_auc",
                model=model,
                low=low.value,
                high=high.value,
            )


@rule("area-below-half", "misleads", "fawcett2006")
def area_below_half(case: Case) -> Iterator[Said]:
    """The scores rank worse than chance."""
    for model, (area,) in case.each("roc_auc"):
        if area.high < 0.5:
            yield say(
                "ROC area of {model} is {area}, below 0.5: its scores rank the classes the wrong "
                "way round. Check which class is positive.",
                "roc_auc",
                model=model,
                area=area,
            )


@rule("too-few-rows", "misleads", "wilson1927", binary=True)
def too_few_rows(case: Case) -> Iterator[Said]:
    """A class has few rows, so that its rates are uncertain."""
    if case.counted.weighted:
        return
    for rows, what, metric in zip(
        case.rows, ("positives", "negatives"), ("sensitivity", "specificity"), strict=True
    ):
        v = case.of(case.leader, metric)
        if rows < FEW and v is not None:
            yield say(
                "There are {rows} {what}: one of them more or less moves {metric} by {step}, and "
                "the interval of {model} is {low} to {high}.",
                metric,
                model=case.leader.name,
                what=what,
                metric=metric,
                rows=round(rows),
                step=1 / rows,
                low=v.low,
                high=v.high,
            )


@rule("interval-too-wide", "misleads", "wilson1927")
def interval_too_wide(case: Case) -> Iterator[Said]:
    """The number that orders the models has an interval too wide to order anything."""
    v = case.of(case.leader, case.primary)
    if v is None or math.isnan(v.low) or (v.high - v.low) / 2 < WIDE:
        return
    rows = math.ceil(case.counted.rows * ((v.high - v.low) / WIDE) ** 2)
    yield say(
        "{title} of {model} is {value}, too uncertain to choose by. About {rows} rows like these "
        "would bring the interval to {goal} either way.",
        case.primary,
        title=capitalised(title_of(case.primary)),
        model=case.leader.name,
        value=v,
        rows=int(float(f"{rows:.2g}")),
        goal=WIDE / 2,
    )


# -- what says the same again ------------------------------------------------------------------


@rule("says-the-same", "same", "liu2014")
def says_the_same(case: Case) -> Iterator[Said]:
    """Metrics that are looked at first move together over resamples of the rows."""
    r = case.redundancy
    for group in r.grouped(0.95, HEADLINE if case.binary else HEADLINE_MANY):
        if len(group) < 2:
            continue
        kept = next((m for m in KEPT if m in group), group[0])
        rest = [m for m in group if m != kept]
        yield say(
            "{rest} {verb} {kept} for {model}: over {draws} resamples of your rows every pair "
            "correlates at least {least}. Report one.",
            kept,
            *rest,
            model=case.leader.name,
            rest=capitalised(listed([title_of(m) for m in rest])),
            verb="repeat" if len(rest) > 1 else "repeats",
            kept=title_of(kept),
            draws=r.draws,
            least=math.floor(r.least(group) * 1000) / 1000,
        )


@rule("how-many-numbers", "same", "liu2014")
def how_many_numbers(case: Case) -> Iterator[Said]:
    """How many different things the whole catalogue says of this model."""
    r = case.redundancy
    if len(r.metrics) >= 10:
        yield say(
            "The {metrics} metrics of {model} that could be resampled say {groups} different "
            "things: within a group every pair correlates at least 0.95.",
            model=case.leader.name,
            metrics=len(r.metrics),
            groups=len(r.groups),
        )


# -- which model is better ---------------------------------------------------------------------


@rule("order-of-the-models", "order", "liu2014")
def order_of_the_models(case: Case) -> Iterator[Said]:
    """Several models: whether the first one stays first under other metrics."""
    first = winners(case, HEADLINE if case.binary else HEADLINE_MANY)
    if len(case.models) < 2 or not first or not case.every(case.primary):
        return
    leader, all_first = case.leader.name, list(winners(case, list(METRICS)).values())
    ahead = [m for m, name in first.items() if name == leader]
    rivals = [name for name in first.values() if name != leader]
    rival = max(rivals, key=lambda name: (rivals.count(name), name), default="")
    against = [title_of(m) for m, name in first.items() if name == rival]
    end = ". The order does not depend on the metric."
    if rival:
        end = "; {rival} is first by {against}. The metric decides: choose it before you look."
    yield say(
        "{model} is first by {title}, by {ahead} of {of} headline metrics and by {all_ahead} of "
        f"{{all}} in all{end}",
        *(first if rival else ahead),
        model=leader,
        title=title_of(case.primary),
        ahead=len(ahead),
        of=len(first),
        all_ahead=all_first.count(leader),
        all=len(all_first),
        **({"rival": rival, "against": listed(against)} if rival else {}),
    )


@rule("lead-within-the-noise", "order", "hanley1982")
def lead_within_the_noise(case: Case) -> Iterator[Said]:
    """The intervals of the first two models overlap."""
    values = case.every(case.primary)
    if len(case.models) < 2 or not values:
        return
    low_is_good = get(case.primary).better == "low"
    ordered = sorted(values, key=lambda k: values[k].value, reverse=not low_is_good)
    first, second = (values[name] for name in ordered[:2])
    if any(math.isnan(v.low) for v in (first, second)):
        return
    sentence = (
        "By {title}, {a} ({first}) is ahead of {b} ({second}), and their intervals do not overlap."
    )
    if first.low <= second.high and second.low <= first.high:
        sentence = (
            "By {title}, the intervals of {a} ({first}) and {b} ({second}) overlap. Compare the "
            "two on the same rows to see whether the difference is real."
        )
    yield say(
        sentence,
        case.primary,
        title=title_of(case.primary),
        a=ordered[0],
        b=ordered[1],
        first=first,
        second=second,
    )


# -- which threshold ---------------------------------------------------------------------------


@rule("cheapest-threshold", "threshold", "elkan2001", "efron1983")
def cheapest_threshold(case: Case) -> Iterator[Said]:
    """The costs are known: the threshold at which they are least."""
    cost = known_costs(case)
    best = case.choice("expected_cost", params=cost) if cost is not None else None
    if cost is None or best is None:
        return
    yield say(
        "At these costs {model} is cheapest at a threshold of {threshold}: expect {cost} per row "
        "on new data (corrected for an optimism of {optimism}), against {now} at the present one.",
        "expected_cost",
        model=case.leader.name,
        threshold=best.threshold,
        cost=best.best.corrected,
        optimism=abs(best.best.optimism),
        now=case.at_cost(case.leader, **cost),
    )


@rule("threshold-that-finds", "threshold", "youden1950", "efron1983")
def threshold_that_finds(case: Case) -> Iterator[Said]:
    """A missed positive hurts more and costs are open: the highest threshold that finds most."""
    if case.answers.worse == "missed" and known_costs(case) is None:
        yield from _at_limit(
            case, _finding(case), "find at least {limit:.0%} of the positives", FOUND,
            "sensitivity", "specificity",
        )  # fmt: skip


@rule("threshold-that-spares", "threshold", "youden1950", "efron1983")
def threshold_that_spares(case: Case) -> Iterator[Said]:
    """A false alarm hurts more and costs are open: the lowest threshold with few of them."""
    if case.answers.worse == "false alarms" and known_costs(case) is None:
        yield from _at_limit(
            case, _sparing(case), "alarm at most {limit:.0%} of the negatives", ALARMS,
            "false_positive_rate", "sensitivity",
        )  # fmt: skip


def _finding(case: Case) -> OptimalThreshold | None:
    return case.choice("specificity", {"sensitivity": FOUND})


def _sparing(case: Case) -> OptimalThreshold | None:
    return case.choice("sensitivity", {"false_positive_rate": ALARMS})


def _at_limit(
    case: Case, choice: OptimalThreshold | None, goal: str, limit: float, kept: str, best: str
) -> Iterator[Said]:
    if choice is not None:
        yield say(
            "To {goal}, set the threshold of {model} to {threshold}: on new data expect {limited} "
            "{kept} and {judged} {best} ({there} on these rows).",
            kept,
            best,
            model=case.leader.name,
            goal=goal.format(limit=limit),
            limited=title_of(kept),
            judged=title_of(best),
            threshold=choice.threshold,
            kept=choice.limits[0].corrected,
            best=choice.best.corrected,
            there=choice.best.value,
        )


@rule("threshold-without-costs", "threshold", "youden1950", "efron1983", binary=True,
      uses=DECISIONS)  # fmt: skip
def threshold_without_costs(case: Case) -> Iterator[Said]:
    """Nothing says how the errors weigh: what the present threshold loses against the best J."""
    if case.answers.worse or known_costs(case) is not None:
        return
    best, now = case.choice("youden_j"), case.of(case.leader, "youden_j")
    if best is None or now is None or case.leader.threshold is None:
        return
    sentence = (
        "Keep the threshold of {model} at {present}: the best one on these rows, {threshold}, "
        "would hardly do better on new data (Youden's J {expected} against {now})."
    )
    if best.best.corrected - now.value > CLOSE:
        sentence = (
            "Move the threshold of {model} from {present} to {threshold} if both errors weigh "
            "alike: expect a Youden's J of {expected} on new data, against {now}."
        )
    yield say(
        sentence,
        "youden_j",
        model=case.leader.name,
        present=case.leader.threshold,
        threshold=best.threshold,
        expected=best.best.corrected,
        now=now.value,
    )


# -- what would sharpen this advice ------------------------------------------------------------


@rule("ask-prevalence", "question", "tharwat2018", binary=True)
def ask_prevalence(case: Case) -> Iterator[Said]:
    """The share of positives in the field is open: what it would do to precision."""
    here = case.of(case.leader, "precision")
    if case.answers.prevalence is not None or case.stratified or here is None:
        return
    moved = {p: case.at(case.leader, "precision", p).value for p in FIELD}
    p = max(moved, key=lambda p: abs(moved[p] - here.value) if not math.isnan(moved[p]) else -1)
    if math.isnan(moved[p]) or abs(moved[p] - here.value) <= CLOSE:
        return
    yield say(
        "Are positives as common in the field as here ({sample})? At a prevalence of {field}, "
        "precision of {model} is {there} instead of {here}.",
        "precision",
        model=case.leader.name,
        sample=Share(case.prevalence),
        field=Share(p),
        there=moved[p],
        here=here.value,
    )


@rule("ask-costs", "question", "elkan2001", binary=True, uses=DECISIONS)
def ask_costs(case: Case) -> Iterator[Said]:
    """The costs are open: how far they would move the threshold."""
    if case.answers.cost_fp is not None:
        return
    low, high = (
        case.choice("expected_cost", params={"cost_fp": 1.0, "cost_fn": c})
        for c in sorted(COSTS, reverse=True)
    )
    if low is None or high is None or low.threshold == high.threshold:
        return
    yield say(
        "What does each error cost? If a missed positive costs {times} times a false alarm, the "
        "cheapest threshold of {model} is {low}; the other way round it is {high}.",
        "expected_cost",
        model=case.leader.name,
        times=max(COSTS),
        low=low.threshold,
        high=high.threshold,
    )


@rule("ask-use", "question", "liu2014", binary=True, uses=[None])
def ask_use(case: Case) -> Iterator[Said]:
    """What is used is open, and kinds of metrics do not order the models or the rows alike."""
    r = {m: abs(case.correlation("matthews_corrcoef", m)) for m in ("roc_auc", "brier")}
    known = {m: v for m, v in r.items() if not math.isnan(v)}
    if not known or not all(m.scores for m in case.models):
        return
    least = min(known, key=lambda m: known[m])
    matters = known[least] < RELATED
    yield say(
        "Do you use decisions, the ranking or probabilities? MCC and {other} correlate {only}{r} "
        "on your rows, so the answer matters{little}.",
        "matthews_corrcoef",
        least,
        other=title_of(least),
        only="only " if matters else "",
        little="" if matters else " little",
        r=known[least],
    )


@rule("ask-worse", "question", "youden1950", binary=True, uses=DECISIONS)
def ask_worse(case: Case) -> Iterator[Said]:
    """Which error is worse is open, and so are the costs."""
    if case.answers.worse is not None or case.answers.cost_fp is not None:
        return
    finds, spares = _finding(case), _sparing(case)
    if finds is None or spares is None or finds.threshold == spares.threshold:
        return
    yield say(
        f"Which error hurts more? To find {FOUND:.0%} of the positives, {{model}} needs a "
        f"threshold of {{finds}}; to alarm at most {ALARMS:.0%} of the negatives, {{spares}}.",
        "sensitivity",
        "false_positive_rate",
        model=case.leader.name,
        finds=finds.threshold,
        spares=spares.threshold,
    )
