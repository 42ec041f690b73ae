"""What the rules share: their register, and the words for metrics and lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from tallymark.data import CountedRows, Model
from tallymark.infer.cautions import FEW, HEADLINE, HEADLINE_MANY
from tallymark.infer.choice import Choice
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Value
from tallymark.studies.advice import (
    SECTIONS,
    Advice,
    Answers,
    Case,
    Number,
    Rule,
    Said,
    Share,
    rules_of,
    safe,
)

USES_WITHOUT = ("ranking", "probabilities")
"""Uses that need no threshold."""

RULES: dict[str, Rule] = {}

Finder = Callable[[Case], Iterator[Said]]


def rule(code: str, section: str, *sources: str) -> Callable[[Finder], Finder]:
    """Register a rule; its docstring says when it speaks."""

    def register(find: Finder) -> Finder:
        RULES.update(
            rules_of(iter([*RULES.values(),
                           Rule(code, section, (find.__doc__ or "").strip(), sources, find)]))
        )  # fmt: skip
        return find

    return register


def known_costs(case: Case) -> dict[str, float] | None:
    """Return the parameters of expected cost that the answers give, None without costs."""
    a = case.answers
    if not case.binary or a.cost_fp is None or a.cost_fn is None:
        return None
    given = {"cost_fp": a.cost_fp, "cost_fn": a.cost_fn}
    return given if a.prevalence is None else {**given, "prevalence": a.prevalence}


def winners(case: Case, metrics: Sequence[str]) -> tuple[dict[str, int], dict[str, str]]:
    """Return how often each model is the only first, and by which metric who is."""
    times: dict[str, int] = {}
    by: dict[str, str] = {}
    for name in metrics:
        found, better = case.every(name), get(name).better
        if better == "neither" or not found:
            continue
        sign = -1 if better == "low" else 1
        ordered = sorted((sign * v.value for v in found.values()), reverse=True)
        if ordered[0] > ordered[1]:
            winner = max(found, key=lambda k: sign * found[k].value)
            times[winner] = times.get(winner, 0) + 1
            by[name] = winner
    return times, by


SHORT = {
    "matthews_corrcoef": "MCC", "roc_auc": "ROC area", "f1": "F1", "brier": "Brier score",
    "average_precision": "average precision", "cohen_kappa": "kappa", "youden_j": "Youden's J",
}  # fmt: skip


def title_of(metric: str) -> str:
    """Return a metric's name as it stands within a sentence."""
    title = get(metric).title
    return SHORT.get(metric, title[0].lower() + title[1:])


def capitalised(text: str) -> str:
    """Return a text with its first letter raised."""
    return text[0].upper() + text[1:]


def rounded_down(x: float) -> float:
    """Return a number cut to three decimals, as a bound from below is."""
    return math.floor(x * 1000) / 1000


def listed(parts: Sequence[str]) -> str:
    """Return parts as a sentence lists them."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def called(model: Model) -> str:
    """Return a model's name for a sentence with places."""
    return safe(model.name)


BALANCED = (0.3, 0.7)
"""Shares of positives at which neither class is rare; the literature names no limit."""

RARE = 0.2
"""Below this share of positives the ROC curve looks better than the calls do."""


@rule("one-of-each-family", "report", "liu2014", "tharwat2018")
def one_of_each_family(case: Case) -> Iterator[Said]:
    """Nobody said what is used of the classifier: one number of each kind."""
    if case.answers.use or not case.binary:
        return
    kinds = [("decisions", "matthews_corrcoef"), ("order", "roc_auc"), ("probabilities", "brier")]
    there = [(kind, m, found) for kind, m in kinds if (found := case.every(m))]
    if not there:
        return
    numbers: dict[str, Number] = {"positives": Share(case.prevalence)}
    words = []
    for kind, metric, found in there:
        words.append(f"the {kind} by {title_of(metric)} ({{{metric}}})")
        numbers[metric] = found
    balanced = BALANCED[0] <= case.prevalence <= BALANCED[1]
    why = (
        "neither class is rare, so that each kind can be read as it is"
        if balanced
        else "one class is rare, so that the kind that your use needs decides"
    )
    yield Said(
        f"Report one number of each kind: {listed(words)}. Positives are {{positives}} "
        f"{case.where}: {why}.",
        numbers,
        tuple(m for _, m, _ in there),
    )


@rule("families-agree-little", "report", "liu2014")
def families_agree_little(case: Case) -> Iterator[Said]:
    """Metrics of different kinds are there: how much one says of another on these rows."""
    if case.answers.use or not case.binary:
        return
    r = case.correlation("matthews_corrcoef", "roc_auc")
    if math.isnan(r):
        return
    told = (
        "they measure different things, and one cannot stand for the other"
        if abs(r) < 0.67
        else "here one says much of what the other does"
    )
    yield Said(
        f"MCC and the ROC area of {case.first} correlate {{r}} over {{draws}} resamples of "
        f"your rows: {told}.",
        {"r": r, "draws": case.redundancy.draws},
        ("matthews_corrcoef", "roc_auc"),
    )


@rule("use-decisions", "report", "tharwat2018")
def use_decisions(case: Case) -> Iterator[Said]:
    """Decisions are what is used: both error rates and one number that weighs them."""
    if case.answers.use != "decisions" or not case.binary:
        return
    found = {m: case.every(m) for m in ("sensitivity", "specificity", "matthews_corrcoef")}
    if all(found.values()):
        yield Said(
            "Decisions are used: report sensitivity ({sensitivity}) and specificity "
            "({specificity}), which do not move with how common positives are, and MCC "
            "({matthews_corrcoef}) for one number of both.",
            dict(found),
            tuple(found),
        )


@rule("use-ranking", "report", "fawcett2006", "davis2006")
def use_ranking(case: Case) -> Iterator[Said]:
    """The order of the scores is what is used."""
    if case.answers.use != "ranking" or not case.binary:
        return
    area, precision = case.every("roc_auc"), case.every("average_precision")
    if not area or not precision:
        return
    numbers: dict[str, Number] = {"area": area, "positives": Share(case.prevalence)}
    if case.prevalence >= RARE:
        yield Said(
            "The order of the scores is used: report the ROC area ({area}); positives are "
            f"{{positives}} {case.where}, not rare enough for it to flatter.",
            numbers,
            ("roc_auc",),
        )
    else:
        yield Said(
            "The order of the scores is used: report average precision ({precision}, where "
            "guessing has {positives}) beside the ROC area ({area}), since positives are rare and "
            "the ROC area hardly sees the top of the list.",
            {**numbers, "precision": precision},
            ("average_precision", "roc_auc"),
        )


@rule("use-probabilities", "report", "gneiting2007", "vancalster2019")
def use_probabilities(case: Case) -> Iterator[Said]:
    """The scores are used as probabilities: a proper score and the calibration."""
    if case.answers.use != "probabilities" or not case.binary:
        return
    skill, error = case.every("brier_skill_score"), case.every("expected_calibration_error")
    if not skill or not error:
        return
    loss = case.every("log_loss")
    if loss and all(math.isfinite(v.value) for v in loss.values()):
        yield Said(
            "Probabilities are used: report the log loss ({loss}) and the Brier skill score "
            "({skill}), which only right probabilities make best, and the calibration error "
            "({error}).",
            {"loss": loss, "skill": skill, "error": error},
            ("log_loss", "brier_skill_score", "expected_calibration_error"),
        )
    else:
        yield Said(
            "Probabilities are used: report the Brier skill score ({skill}), which only right "
            "probabilities make best, and the calibration error ({error}); the log loss is not "
            "finite for every model.",
            {"skill": skill, "error": error},
            ("brier_skill_score", "expected_calibration_error"),
        )


@rule("use-needs-scores", "report", "liu2014")
def use_needs_scores(case: Case) -> Iterator[Said]:
    """Scores are to be used and there are none."""
    wanted = {"ranking": "roc_auc", "probabilities": "brier"}.get(case.answers.use or "")
    if wanted and not all(m.scores for m in case.models):
        lacking = sum(not m.scores for m in case.models)
        yield Said(
            f"You use the {case.answers.use} of scores, and {{lacking}} of {{models}} models came "
            "with decisions only: nothing here judges that use. Count their scores as well.",
            {"lacking": lacking, "models": len(case.models)},
        )
    elif case.answers.use == "probabilities" and not all(m.probabilities for m in case.models):
        lacking = sum(not m.probabilities for m in case.models)
        yield Said(
            "You use the scores as probabilities, and those of {lacking} of {models} models are "
            "none: calibrate them first, or judge their order alone.",
            {"lacking": lacking, "models": len(case.models)},
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
    best = min(always, never)
    told = "less than" if now < best else "no less than"
    yield Said(
        "Costs are known: report the expected cost per row. "
        f"{case.first} costs {{now}}, {told} acting on every row ({{always}}) or on none "
        "({never}).",
        {"now": now, "always": always, "never": never},
        ("expected_cost",),
        case.leader.name,
    )


@rule("prevalence-differs", "report", "tharwat2018")
def prevalence_differs(case: Case) -> Iterator[Said]:
    """Positives have another share in the field: what moves, and what does not."""
    field = case.answers.prevalence
    here = case.of(case.leader, "precision")
    if not case.binary or field is None or here is None:
        return
    there = case.at(case.leader, "precision", field)
    if math.isnan(there.value):
        return
    told = (
        "Positives are assumed to be {sample} here and answered to be {field}"
        if case.by_class
        else "Positives are {sample} of these rows and {field} in the field"
    )
    yield Said(
        f"{told}. Report sensitivity and "
        f"specificity, which stay; precision of {case.first} is {{here}} here and {{there}} "
        "there.",
        {"sample": Share(case.prevalence), "field": Share(field), "here": here, "there": there},
        ("sensitivity", "specificity", "precision"),
        case.leader.name,
    )


@rule("worse-missed", "report", "glas2003")
def worse_missed(case: Case) -> Iterator[Said]:
    """A missed positive hurts more: how many are missed, with the bound to plan for."""
    missed = case.of(case.leader, "false_negative_rate") if case.binary else None
    if case.answers.worse != "missed" or missed is None or math.isnan(missed.high):
        return
    yield Said(
        f"A missed positive hurts more: {case.first} misses {{missed}} of them; plan for "
        "the upper bound. Negative predictive value says how safe a negative call is.",
        {"missed": missed},
        ("false_negative_rate", "negative_predictive_value"),
        case.leader.name,
    )


@rule("worse-false-alarms", "report", "glas2003")
def worse_false_alarms(case: Case) -> Iterator[Said]:
    """A false alarm hurts more: how many calls are wrong."""
    if case.answers.worse != "false alarms" or not case.binary:
        return
    rate, wrong = (case.of(case.leader, m) for m in ("false_positive_rate", "precision"))
    if rate is None or wrong is None:
        return
    yield Said(
        f"A false alarm hurts more: {case.first} raises one on {{rate}} of the negatives, "
        "and of its positive calls {right} are right.",
        {"rate": rate, "right": wrong},
        ("false_positive_rate", "precision"),
        case.leader.name,
    )


@rule("many-classes", "report", "tharwat2018")
def many_classes(case: Case) -> Iterator[Said]:
    """More than two classes: the worst class beside the mean."""
    tally = case.leader.labels
    support = tally.counts.sum(1)
    if len(tally.labels) < 3 or (support > 0).sum() < 2:
        return
    kappa = case.every("matthews_corrcoef")
    recall = tally.counts.diagonal()[support > 0] / support[support > 0]
    names = [label for label, n in zip(tally.labels, support, strict=True) if n > 0]
    i = int(recall.argmin())
    numbers: dict[str, Number] = {"worst": float(recall[i]), "mean": float(recall.mean())}
    one = ""
    if kappa:
        one, numbers["mcc"] = "Report MCC ({mcc}) for one number, and each class's recall: ", kappa
    yield Said(
        f"{one}of {case.first} the mean recall is {{mean}} and that of {safe(names[i])} "
        "{worst}, the lowest.",
        numbers,
        ("matthews_corrcoef", "balanced_accuracy", "sensitivity"),
        case.leader.name,
    )


RARE = 0.2
"""Below this share of positives the ROC curve looks better than the calls do."""

FREQUENT = 0.75
"""A class of such a share makes always naming it look good."""

WIDE = 0.1
"""Half an interval of this width leaves the first digit open."""

CLOSE = 0.02
"""Values closer than this are called equal in words."""

APART = 0.15
"""Error rates further apart than this are not one number."""

NOTHING = Value("", math.nan)


@rule("accuracy-of-the-majority", "misleads", "tharwat2018", "byrt1993")
def accuracy_of_the_majority(case: Case) -> Iterator[Said]:
    """One class is frequent, so that naming it always has a high accuracy."""
    label, most = case.majority
    for model in case.models:
        accuracy, kappa = case.of(model, "accuracy"), case.of(model, "cohen_kappa")
        if most < FREQUENT or accuracy is None or kappa is None or accuracy.low <= most:
            continue
        yield Said(
            f"Accuracy of {called(model)} is {{accuracy}}, and always saying {safe(label)} has "
            "{majority}: of what that leaves to win, kappa says {kappa} is won.",
            {"accuracy": accuracy, "majority": most, "kappa": kappa},
            ("accuracy",),
            model.name,
        )


@rule("no-better-than-the-majority", "misleads", "tharwat2018")
def no_better_than_the_majority(case: Case) -> Iterator[Said]:
    """The accuracy's interval holds that of always naming the most frequent class."""
    label, most = case.majority
    for model in case.models:
        accuracy = case.of(model, "accuracy")
        if accuracy is None or not accuracy.low <= most < 1:
            continue
        yield Said(
            f"Accuracy of {called(model)} ({{accuracy}}) is not shown to be above {{majority}}, "
            f"which always saying {safe(label)} has.",
            {"accuracy": accuracy, "majority": most},
            ("accuracy",),
            model.name,
        )


@rule("f1-of-all-positive", "misleads", "powers2011")
def f1_of_all_positive(case: Case) -> Iterator[Said]:
    """Calling every row positive has nearly the same F1, or a higher one."""
    if not case.binary:
        return
    trivial = 2 * case.prevalence / (1 + case.prevalence)
    for model in case.models:
        f1 = case.of(model, "f1")
        if f1 is not None and f1.low <= trivial:
            yield Said(
                f"F1 of {called(model)} ({{f1}}) is not shown to be above {{trivial}}, which "
                "calling every row positive has: it does not look at negatives called right.",
                {"f1": f1, "trivial": trivial},
                ("f1",),
                model.name,
            )


@rule("area-hides-false-alarms", "misleads", "davis2006")
def area_hides_false_alarms(case: Case) -> Iterator[Said]:
    """Positives are rare and the ROC area is high while precision is low."""
    if not case.binary or case.prevalence >= RARE:
        return
    for model in case.models:
        area, precision = case.of(model, "roc_auc"), case.of(model, "average_precision")
        if area is None or precision is None or area.value < 0.8:
            continue
        if precision.value < area.value - APART:
            yield Said(
                f"The ROC area of {called(model)} is {{area}} and its average precision "
                "{precision}: with {positives} positives, few false alarms per negative are many "
                "per positive.",
                {"area": area, "precision": precision, "positives": Share(case.prevalence)},
                ("roc_auc",),
                model.name,
            )


@rule("mean-of-two-rates", "misleads", "tharwat2018")
def mean_of_two_rates(case: Case) -> Iterator[Said]:
    """Balanced accuracy is the mean of two rates that are far apart."""
    if not case.binary:
        return
    for model in case.models:
        rates = [case.of(model, m) for m in ("sensitivity", "specificity", "balanced_accuracy")]
        if any(v is None for v in rates):
            continue
        found, spared, mean = (v for v in rates if v is not None)
        if abs(found.value - spared.value) > APART:
            yield Said(
                f"Balanced accuracy of {called(model)} ({{mean}}) is the mean of sensitivity "
                "{found} and specificity {spared}: say both.",
                {"mean": mean, "found": found, "spared": spared},
                ("balanced_accuracy",),
                model.name,
            )


@rule("precision-of-another-field", "misleads", "tharwat2018")
def precision_of_another_field(case: Case) -> Iterator[Said]:
    """Positives have another share in the field, and metrics of the sample do not carry over."""
    field = case.answers.prevalence
    if field is None or not case.binary:
        return
    moved: dict[str, tuple[float, float]] = {}
    for name in ("f1", "matthews_corrcoef", "cohen_kappa", "accuracy"):
        here, there = case.of(case.leader, name), case.at(case.leader, name, field)
        if here is not None and abs(here.value - there.value) > CLOSE:
            moved[name] = (here.value, there.value)
    if not moved:
        return
    name = max(moved, key=lambda k: abs(moved[k][0] - moved[k][1]))
    before, after = moved[name]
    others = [title_of(k) for k in moved if k != name]
    more = f" {listed(others)} move as well." if others else ""
    own = "at the assumed share of positives" if case.by_class else "on these rows"
    yield Said(
        f"{title_of(name)} of {case.first} is {{here}} {own} and {{there}} where "
        f"positives are {{field}}, with the same error rates.{more}",
        {"here": before, "there": after, "field": Share(field)},
        tuple(moved),
        case.leader.name,
    )


@rule("probabilities-off", "misleads", "vancalster2019", "spiegelhalter1986")
def probabilities_off(case: Case) -> Iterator[Said]:
    """Spiegelhalter's z says that the probabilities are not right."""
    if case.answers.use in ("decisions", "ranking"):
        return
    for model in case.models:
        z, error = case.of(model, "spiegelhalter_z"), case.of(model, "expected_calibration_error")
        if z is None or error is None:
            continue
        side = "too sure" if z.value > 0 else "not sure enough"
        if case.by_class or case.counted.clusters:
            # Rows that count for more or less, or are alike, have another spread than z takes for
            # granted.
            if z.low > 0 or z.high < 0:
                where = "With the assumed shares of the classes the" if case.by_class else "The"
                to = " to these shares" if case.by_class else ""
                yield Said(
                    f"{where} probabilities of {called(model)} are {side}: the interval of "
                    "Spiegelhalter's z, {z}, is without 0; they miss by {error} on average over "
                    f"ten bins. Calibrate{to} before you read them as chances.",
                    {"z": z, "error": error.value},
                    ("brier", "log_loss"),
                    model.name,
                )
            continue
        if abs(z.value) < 1.96:
            continue
        yield Said(
            f"The probabilities of {called(model)} are {side}: Spiegelhalter's z is {{z}}, where "
            "right ones stay within 1.96 either way 19 times of 20; they miss by {error} on "
            "average over ten bins. Calibrate before you read them as chances.",
            {"z": z.value, "error": error.value},
            ("brier", "log_loss"),
            model.name,
        )


@rule("certain-and-wrong", "misleads", "good1952")
def certain_and_wrong(case: Case) -> Iterator[Said]:
    """Probability 0 for what happened makes the log loss infinite."""
    if case.answers.use in ("decisions", "ranking"):
        return
    wrong = [
        model.name
        for model in case.models
        if math.isinf(case.values[model.name].get("log_loss", NOTHING).value)
    ]
    brier = {name: case.values[name]["brier"] for name in wrong}
    if not wrong:
        return
    it = "it" if len(wrong) == 1 else "they"
    yield Said(
        f"The log loss of {safe(listed(wrong))} is infinite: {it} gave probability 0 to what "
        "happened, and one such row suffices. It says nothing of the other rows; the Brier score "
        "does ({brier}).",
        {"brier": brier},
        ("log_loss",),
        wrong[0] if len(wrong) == 1 else None,
    )


@rule("ties-decide", "misleads", "tharwat2018")
def ties_decide(case: Case) -> Iterator[Said]:
    """Equal scores of both classes leave the ROC area open."""
    if case.answers.use == "decisions":
        return
    for model in case.models:
        low, high = (case.of(model, m) for m in ("roc_auc_pessimistic", "roc_auc_optimistic"))
        if low is None or high is None or high.value - low.value < 0.01:
            continue
        yield Said(
            f"Positives and negatives share scores of {called(model)}: depending on how such ties "
            "are broken its ROC area is {low} to {high}; software differs.",
            {"low": low.value, "high": high.value},
            ("roc_auc",),
            model.name,
        )


@rule("area-below-half", "misleads", "fawcett2006")
def area_below_half(case: Case) -> Iterator[Said]:
    """The scores rank worse than chance."""
    for model in case.models:
        area = case.of(model, "roc_auc")
        if area is not None and area.high < 0.5:
            yield Said(
                f"The ROC area of {called(model)} is {{area}}, below one half: its scores order "
                "the classes the wrong way round, or belong to the other class.",
                {"area": area},
                ("roc_auc",),
                model.name,
            )


@rule("too-few-rows", "misleads", "wilson1927")
def too_few_rows(case: Case) -> Iterator[Said]:
    """A class has few rows, so that its rates are uncertain."""
    if not case.binary or case.counted.weighted:
        return
    positives, negatives = case.rows
    for rows, what, metric in (
        (positives, "positives", "sensitivity"),
        (negatives, "negatives", "specificity"),
    ):
        v = case.of(case.leader, metric)
        if rows >= FEW or v is None:
            continue
        yield Said(
            f"There are {{rows}} {what}: one of them more or less moves {metric} by {{step}}, and "
            f"its interval is {{low}} to {{high}} for {case.first}.",
            {"rows": round(rows), "step": 1 / rows, "low": v.low, "high": v.high},
            (metric,),
            case.leader.name,
        )


@rule("interval-too-wide", "misleads", "wilson1927")
def interval_too_wide(case: Case) -> Iterator[Said]:
    """The number that orders the models has an interval too wide to order anything."""
    v = case.of(case.leader, case.primary)
    if v is None or math.isnan(v.low) or (v.high - v.low) / 2 < WIDE:
        return
    half = (v.high - v.low) / 2
    rows = math.ceil(case.counted.rows * (half / (WIDE / 2)) ** 2)
    yield Said(
        f"{title_of(case.primary)} of {case.first} is {{value}}: that interval leaves its "
        "first digit open. About {rows} rows like these would halve the uncertainty to "
        "{goal} either way.",
        {"value": v, "rows": int(float(f"{rows:.2g}")), "goal": WIDE / 2},
        (case.primary,),
        case.leader.name,
    )


CLOSE = 0.02
"""Values closer than this are called equal in words."""

FIELD = (0.01, 0.1, 0.5)
"""Shares of positives that a question tries."""

COSTS = (0.1, 10.0)
"""How much dearer a missed positive is than a false alarm, in a question."""

FOUND = 0.95
ALARMS = 0.01
"""What "most positives found" and "few false alarms" mean where no limit is given."""

ALARMS = 0.01
"""What "most positives found" and "few false alarms" mean where no limit is given."""


@rule("says-the-same", "same", "liu2014")
def says_the_same(case: Case) -> Iterator[Said]:
    """Metrics that are looked at first move together over resamples of the rows."""
    r = case.redundancy
    first = HEADLINE if case.binary else HEADLINE_MANY
    for group in r.grouped(0.95, first):
        if len(group) < 2:
            continue
        kept = min(group, key=lambda m: (m not in _KEPT, _KEPT.index(m) if m in _KEPT else 0))
        rest = listed([title_of(m) for m in group if m != kept])
        verb = "say" if len(group) > 2 else "says"
        yield Said(
            f"{capitalised(rest)} {verb} again what {title_of(kept)} says of {case.first}: "
            "over {draws} resamples of your rows every two of them correlate at least {least}. "
            "One is enough.",
            {"draws": r.draws, "least": rounded_down(r.least(group))},
            (kept, *(m for m in group if m != kept)),
            case.leader.name,
        )


_KEPT = (
    "matthews_corrcoef", "roc_auc", "average_precision", "brier", "sensitivity", "specificity",
    "precision", "f1", "accuracy",
)  # fmt: skip
"""Which of several metrics that say the same is kept, the first of these."""


@rule("how-many-numbers", "same", "liu2014")
def how_many_numbers(case: Case) -> Iterator[Said]:
    """How many different things the whole catalogue says of this model."""
    r = case.redundancy
    if len(r.metrics) < 10:
        return
    yield Said(
        f"The {{metrics}} metrics that could be resampled for {case.first} say {{groups}} "
        "different things: within a group, every two correlate at least 0.95.",
        {"metrics": len(r.metrics), "groups": len(r.groups)},
        (),
        case.leader.name,
    )


@rule("order-of-the-models", "order", "liu2014")
def order_of_the_models(case: Case) -> Iterator[Said]:
    """Several models: whether the first one stays first under other metrics."""
    if len(case.models) < 2:
        return
    first, by = winners(case, HEADLINE if case.binary else HEADLINE_MANY)
    wide, _ = winners(case, list(METRICS))
    if not by or not case.every(case.primary):
        return
    name = case.leader.name
    ahead = [m for m, winner in by.items() if winner == name]
    numbers: dict[str, Number] = {
        "ahead": len(ahead), "of": len(by), "all_ahead": wide.get(name, 0),
        "all": sum(wide.values()),
    }  # fmt: skip
    told = (
        f"{safe(name)} is first by {title_of(case.primary)}, by {{ahead}} of {{of}} metrics that "
        "are looked at first and by {all_ahead} of {all} in all"
    )
    others = sorted(((n, k) for k, n in first.items() if k != name), reverse=True)
    if not others:
        yield Said(f"{told}: the order does not hang on the choice of metric.", numbers,
                   tuple(ahead), name)  # fmt: skip
        return
    _, rival = others[0]
    against = [title_of(m) for m, winner in by.items() if winner == rival]
    yield Said(
        f"{told}; {safe(rival)} is first by {listed(against)}. The choice of metric decides: "
        "choose it before you look.",
        numbers,
        tuple(by),
        name,
    )


@rule("lead-within-the-noise", "order", "hanley1982")
def lead_within_the_noise(case: Case) -> Iterator[Said]:
    """The intervals of the first two models overlap."""
    found = case.every(case.primary)
    if len(case.models) < 2 or not found:
        return
    low_is_good = get(case.primary).better == "low"
    ordered = sorted(found.items(), key=lambda kv: kv[1].value, reverse=not low_is_good)
    (a, first), (b, second) = ordered[:2]
    if any(math.isnan(v.low) for v in (first, second)):
        return
    overlap = first.low <= second.high and second.low <= first.high
    if overlap:
        yield Said(
            f"By {title_of(case.primary)} the intervals of {safe(a)} ({{first}}) and "
            f"{safe(b)} ({{second}}) overlap: each is uncertain by itself, and "
            "whether the difference is real takes a paired comparison on these rows.",
            {"first": first, "second": second},
            (case.primary,),
        )
    else:
        yield Said(
            f"By {title_of(case.primary)} {safe(a)} ({{first}}) is ahead of {safe(b)} "
            "({second}), and their intervals do not overlap.",
            {"first": first, "second": second},
            (case.primary,),
        )


@rule("cheapest-threshold", "threshold", "elkan2001", "efron1983")
def cheapest_threshold(case: Case) -> Iterator[Said]:
    """The costs are known: the threshold at which they are least."""
    cost = known_costs(case)
    found = case.choice("expected_cost", params=cost) if cost is not None else None
    if cost is None or found is None:
        return
    now = case.at_cost(case.leader, **cost)
    yield Said(
        f"With these costs {case.first} is cheapest at a threshold of {{threshold}}: "
        "{cost} a row to be expected on new ones (the choice flatters by {optimism}), against "
        "{now} at the present one.",
        {
            "threshold": found.threshold,
            "cost": found.best.corrected,
            "optimism": abs(found.best.optimism),
            "now": now,
        },
        ("expected_cost",),
        case.leader.name,
    )


@rule("threshold-that-finds", "threshold", "youden1950", "efron1983")
def threshold_that_finds(case: Case) -> Iterator[Said]:
    """A missed positive hurts more and costs are open: the highest threshold that finds most."""
    if case.answers.worse == "missed" and known_costs(case) is None:
        found = case.choice("specificity", {"sensitivity": FOUND})
        if found is not None:
            yield _at_limit(case, found, f"to find at least {FOUND:.0%} of the positives",
                            "sensitivity", "specificity")  # fmt: skip


@rule("threshold-that-spares", "threshold", "youden1950", "efron1983")
def threshold_that_spares(case: Case) -> Iterator[Said]:
    """A false alarm hurts more and costs are open: the lowest threshold with few of them."""
    if case.answers.worse == "false alarms" and known_costs(case) is None:
        found = case.choice("sensitivity", {"false_positive_rate": ALARMS})
        if found is not None:
            yield _at_limit(case, found, f"to alarm at most {ALARMS:.0%} of the negatives",
                            "false_positive_rate", "sensitivity")  # fmt: skip


def _at_limit(case: Case, found: Choice, goal: str, kept: str, best: str) -> Said:
    return Said(
        f"{capitalised(goal)}, let {case.first} call positive from {{threshold}} up: "
        f"{title_of(kept).lower()} {{kept}} and {title_of(best).lower()} {{best}} to be expected "
        "on new rows, {there} on these.",
        {
            "threshold": found.threshold,
            "kept": found.limits[0].corrected,
            "best": found.best.corrected,
            "there": found.best.value,
        },
        (kept, best),
        case.leader.name,
    )


@rule("threshold-without-costs", "threshold", "youden1950", "efron1983")
def threshold_without_costs(case: Case) -> Iterator[Said]:
    """Nothing says how the errors weigh: what the present threshold loses against the best J."""
    if case.answers.worse or known_costs(case) is not None or case.answers.use in USES_WITHOUT:
        return
    found = case.choice("youden_j") if case.binary else None
    now = case.of(case.leader, "youden_j")
    if found is None or now is None or case.leader.threshold is None:
        return
    gain = found.best.corrected - now.value
    told = (
        "moving it wins nothing to speak of"
        if not gain > CLOSE
        else "moving it is worth it if both errors weigh alike"
    )
    yield Said(
        f"{case.first} calls positive from {{present}} up. The best Youden's J on these "
        "rows is at {threshold}, {expected} to be expected on new ones against {now} at the "
        f"present threshold: {told}.",
        {
            "present": case.leader.threshold,
            "threshold": found.threshold,
            "expected": found.best.corrected,
            "now": now.value,
        },
        ("youden_j",),
        case.leader.name,
    )


@rule("ask-prevalence", "question", "tharwat2018")
def ask_prevalence(case: Case) -> Iterator[Said]:
    """The share of positives in the field is open: what it would do to precision."""
    here = case.of(case.leader, "precision") if case.binary else None
    if case.answers.prevalence is not None or case.by_class or here is None:
        return
    moved = {p: case.at(case.leader, "precision", p).value for p in FIELD}
    p = max(moved, key=lambda p: abs(moved[p] - here.value) if not math.isnan(moved[p]) else -1)
    if math.isnan(moved[p]) or abs(moved[p] - here.value) <= CLOSE:
        return
    yield Said(
        "Are positives as common in the field as here ({sample})? Where they are {field}, "
        f"precision of {case.first} is {{there}} instead of {{here}}.",
        {
            "sample": Share(case.prevalence),
            "field": Share(p),
            "there": moved[p],
            "here": here.value,
        },
        ("precision",),
        case.leader.name,
    )


@rule("ask-costs", "question", "elkan2001")
def ask_costs(case: Case) -> Iterator[Said]:
    """The costs are open: how far they would move the threshold."""
    if case.answers.cost_fp is not None or not case.binary or case.answers.use in USES_WITHOUT:
        return
    low, high = (
        case.choice("expected_cost", params={"cost_fp": 1.0, "cost_fn": c})
        for c in sorted(COSTS, reverse=True)
    )
    if low is None or high is None or low.threshold == high.threshold:
        return
    yield Said(
        "What does each error cost? If a missed positive costs {times} times a false alarm, "
        f"{case.first} is cheapest at a threshold of {{low}}; the other way round at "
        "{high}.",
        {"times": max(COSTS), "low": low.threshold, "high": high.threshold},
        ("expected_cost",),
        case.leader.name,
    )


@rule("ask-use", "question", "liu2014")
def ask_use(case: Case) -> Iterator[Said]:
    """What is used is open, and kinds of metrics do not order the models or the rows alike."""
    if case.answers.use or not case.binary or not all(m.scores for m in case.models):
        return
    r = {m: case.correlation("matthews_corrcoef", m) for m in ("roc_auc", "brier")}
    known = {m: abs(v) for m, v in r.items() if not math.isnan(v)}
    if not known:
        return
    least = min(known, key=lambda m: known[m])
    yield Said(
        "Are the decisions used, the order of the scores, or the scores as probabilities? MCC and "
        f"{title_of(least)} correlate only {{r}} on your rows, so that the answer matters."
        if known[least] < 0.67
        else "Are the decisions used, the order of the scores, or the scores as probabilities? MCC "
        f"and {title_of(least)} correlate {{r}} on your rows: here the answer matters little.",
        {"r": known[least]},
        ("matthews_corrcoef", least),
    )


@rule("ask-worse", "question", "youden1950")
def ask_worse(case: Case) -> Iterator[Said]:
    """Which error is worse is open, and so are the costs."""
    asked = case.answers.worse is None and case.answers.cost_fp is None
    if not asked or not case.binary or case.answers.use in USES_WITHOUT:
        return
    finds = case.choice("specificity", {"sensitivity": FOUND})
    spares = case.choice("sensitivity", {"false_positive_rate": ALARMS})
    if finds is None or spares is None or finds.threshold == spares.threshold:
        return
    yield Said(
        f"Which error hurts more? To find {FOUND:.0%} of the positives {case.first} has to "
        f"call from {{finds}} up; to alarm at most {ALARMS:.0%} of the negatives, from {{spares}} "
        "up.",
        {"finds": finds.threshold, "spares": spares.threshold},
        ("sensitivity", "false_positive_rate"),
        case.leader.name,
    )


def advise(
    counted: CountedRows,
    values: Mapping[str, Mapping[str, Value]],
    answers: Answers | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
    by_class: bool = False,
) -> Advice:
    """Return what every rule says of these tallies and values.

    With ``by_class`` the shares of the classes are assumed, not those of the rows.
    """
    case = Case(counted, values, answers or Answers(), level, seed, by_class)
    said = [s for rule in RULES.values() for s in rule(case)]
    order = list(SECTIONS)
    return Advice(tuple(sorted(said, key=lambda s: order.index(s.section))), case.answers, level)
