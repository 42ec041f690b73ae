"""What the rules share: their register, and the words for metrics and lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from tallymark.data import Model
from tallymark.metric import get
from tallymark.studies.advise import Case, Rule, Said, rules_of, safe

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
