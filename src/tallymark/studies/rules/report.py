"""Rules of what to report."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tallymark.studies.advise import Case, Number, Said, Share, safe
from tallymark.studies.rules.common import (
    known_costs,
    listed,
    rule,
    title_of,
)

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
