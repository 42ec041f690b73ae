"""Rules of what could mislead on these rows."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tallymark.infer.cautions import FEW
from tallymark.metric.measure import Value
from tallymark.studies.advise import Case, Said, Share, safe
from tallymark.studies.rules.common import (
    called,
    listed,
    rule,
    title_of,
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
