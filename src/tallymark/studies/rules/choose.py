"""Rules of what repeats itself, which model, which threshold, and what to ask."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tallymark.infer.cautions import HEADLINE, HEADLINE_MANY
from tallymark.infer.choice import Choice
from tallymark.metric import METRICS, get
from tallymark.studies.advise import Case, Number, Said, Share, safe
from tallymark.studies.rules.common import (
    USES_WITHOUT,
    capitalised,
    known_costs,
    listed,
    rounded_down,
    rule,
    title_of,
    winners,
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
