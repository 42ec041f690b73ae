"""Uses: the metrics, curves and terms that are shown first for an application."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from tallymark.curve import CURVES, CurveDefinition
from tallymark.curve.definitions import Axis
from tallymark.metric import get
from tallymark.metric.headlines import (
    AVERAGED,
    HEADLINE,
    HEADLINE_LABELS,
    HEADLINE_MANY,
    PER_CLASS,
)
from tallymark.part import names, parts

if TYPE_CHECKING:
    from tallymark.report.blocks import Grid
    from tallymark.report.evaluation import Evaluation


@dataclass(frozen=True)
class Section:
    """The section of an account on one model: its name, a table, and the table's meaning."""

    title: str
    table: Grid
    sentences: Sequence[str]


@dataclass(frozen=True)
class Account:
    """The statement of a use on an evaluation, instead of its matrices and general numbers.

    ``about`` describes what was judged and ``headline`` its numbers, in one line each; ``verdict``
    is the main result. ``title`` is that of the sections where a page folds them. ``finding``
    is the headline, of at most 60 characters; without one, the verdict is.
    """

    about: str
    headline: str
    verdict: str
    title: str
    sections: Sequence[Section]
    finding: str = ""


@dataclass(frozen=True)
class Use:
    """The contents and terms of the terminal output and the page for a use.

    ``headline`` are the metrics shown first, for two classes and for more. A card shows the first
    four available metrics of ``brief``. ``first`` are the curves at the top of the page, if they
    differ from those declared. ``titles`` are the field's terms for metrics. ``per_class`` are the
    metrics of each class against the rest, or of each of several labels. ``only`` are the metrics
    that the page lists; empty means all. ``changes`` override texts of curve declarations. With
    ``profit`` the page computes the profit from a positive and the cost of acting on a row, instead
    of the costs of errors. With ``ideal`` it draws the distance of decisions from the ideal point
    of the ROC curve. ``decisions`` is whether decisions at a default threshold are shown;
    ``advice`` is the use that advice assumes. ``account`` returns what replaces the matrices and
    numbers of an evaluation, if anything. ``needs`` describes the scores of two classes that the
    use requires, and ``arguments`` maps keys of a reading to arguments of the function for this
    use.
    """

    headline: tuple[str, ...] = HEADLINE
    headline_many: tuple[str, ...] = HEADLINE_MANY
    brief: tuple[str, ...] = (
        "roc_auc",
        "sensitivity",
        "precision",
        "brier",
        "matthews_corrcoef",
        "specificity",
    )
    brief_many: tuple[str, ...] = (
        "accuracy",
        "f1",
        "matthews_corrcoef",
        "log_loss",
        "balanced_accuracy",
    )
    first: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    per_class: tuple[str, ...] = PER_CLASS
    profit: bool = False
    ideal: bool = False
    decisions: bool = True
    advice: str | None = None
    account: Callable[[Evaluation], Account | None] | None = None
    needs: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)

    def title(self, metric: str) -> str:
        """Return the title of a metric in this use."""
        return self.titles.get(metric) or get(metric).title

    def curves(self) -> tuple[CurveDefinition, ...]:
        """Return the curves in page order, with their positions and terms in this use."""
        names = [*self.first, *(n for n in CURVES if n not in self.first)]
        return tuple(self._curve(CURVES[n]) for n in names)

    def _curve(self, c: CurveDefinition) -> CurveDefinition:
        page = c.page
        if self.first and page:
            page = "first" if c.name in self.first else "more"
        x, y = (self._axis(a) for a in (c.x, c.y))
        if (page, x, y) == (c.page, c.x, c.y) and c.name not in self.changes:
            return c
        return replace(c, page=page, x=x, y=y, **self.changes.get(c.name, {}))

    def _axis(self, a: Axis) -> Axis:
        return replace(a, title=self.titles[a.name]) if a.name in self.titles else a


def _use(name: str, brief: tuple[str, ...], first: tuple[str, ...], **others: Any) -> Use:
    """Return a use for two classes whose tiles also come first in the terminal."""
    brief, first = _with_parts(name, brief), _with_parts(name, first)
    rest = (n for n in HEADLINE if n not in brief)
    return Use(headline=(*brief, *rest), brief=brief, first=first, **others)


BUDGET = 0.1
"""The share of the rows that a campaign contacts, unless a budget is stated."""


def budget_of(ev: Evaluation) -> tuple[float, str]:
    """Return the share of the rows that a campaign contacts, and the budget in words."""
    if isinstance(ev.budget, int):
        return ev._contacted, f"{ev.budget:,}"
    share = ev.budget or BUDGET
    return share, _percent(share)


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _at_depth(amount: str) -> dict[str, str]:
    """Return the titles of a campaign's metrics at its budget."""
    return {
        "gain_at": f"Gain in the best {amount}",
        "response_rate_at": f"Response rate in the best {amount}",
    } | dict.fromkeys(("top_decile_lift", "lift_at"), f"Lift in the best {amount}")


def at_budget(use: Use, ev: Evaluation) -> Use:
    """Return the use of a campaign at a budget other than the default; another use as it is."""
    if not use.profit or ev.budget in (None, BUDGET):
        return use
    _, amount = budget_of(ev)

    def lift_at(metrics: tuple[str, ...]) -> tuple[str, ...]:
        return tuple("lift_at" if n == "top_decile_lift" else n for n in metrics)

    beside = {"gain": "gain_at", "lift": "lift_at"}
    titles = {n: t for n, t in _at_depth(amount).items() if n != "top_decile_lift"}
    return replace(
        use,
        headline=lift_at(use.headline),
        brief=lift_at(use.brief),
        titles=titles,
        changes={c: {"beside": (m, f"best {amount}")} for c, m in beside.items()},
    )


def _with_parts(use: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return metrics or curves with those that parts show in a use, each after what it follows."""
    result = list(names)
    for part in parts():
        for name, before in part.in_use.get(use, {}).items():
            if before in result:
                result.insert(result.index(before) + 1, name)
    return tuple(result)


USES: Mapping[str, Use] = {
    "": Use(),
    "medicine": _use(
        "medicine",
        ("sensitivity", "specificity", "precision", "negative_predictive_value"),
        ("roc", "calibration", "decision"),
        titles={
            "precision": "Positive predictive value (PPV)",
            "negative_predictive_value": "Negative predictive value (NPV)",
        },
        advice="decisions",
    ),
    "marketing": _use(
        "marketing",
        ("top_decile_lift", "gain_at", "response_rate_at", "roc_auc"),
        ("gain", "lift", "deciles", "calibration"),
        titles={n: t for n, t in _at_depth(_percent(BUDGET)).items() if n != "lift_at"},
        profit=True,
        advice="ranking",
    ),
    "defects": _use(
        "defects",
        (
            "sensitivity",
            "false_positive_rate",
            "balance",
            "geometric_mean",
            "youden_j",
        ),
        ("roc", "calibration"),
        titles={
            "sensitivity": "Probability of detection (pd)",
            "false_positive_rate": "Probability of false alarm (pf)",
            "geometric_mean": "G-mean (G)",
            "youden_j": "Youden's J (J)",
        },
        ideal=True,
        advice="decisions",
    ),
    "ranking": _use(
        "ranking",
        ("roc_auc", "average_precision", "top_decile_lift", "recall_at_precision"),
        ("roc", "pr", "gain", "calibration"),
        advice="ranking",
    ),
    "decisions": _use(
        "decisions",
        ("sensitivity", "specificity", "precision", "matthews_corrcoef"),
        ("roc", "pr", "calibration"),
        brief_many=("balanced_accuracy", "accuracy", "matthews_corrcoef", "f1"),
        advice="decisions",
    ),
    "probabilities": _use(
        "probabilities",
        ("brier", "log_loss", "observed_expected_ratio", "calibration_slope"),
        ("calibration", "roc", "decision"),
        brief_many=("log_loss", "brier", "roc_auc", "accuracy"),
        advice="probabilities",
    ),
    "teaching": _use(
        "teaching", ("accuracy", "sensitivity", "precision", "f1"), ("roc", "pr", "calibration")
    ),
}
"""Every use by name, except those of parts."""

OF_LABELS = Use(
    headline_many=HEADLINE_LABELS,
    brief_many=("subset_accuracy", "hamming_loss", "f1"),
    per_class=(*AVERAGED, "prevalence"),
    decisions=False,
)
"""The contents for rows with any number of labels."""


@cache
def use_called(word: str) -> Use:
    """Return a use by name, from the core or a part; the general one if its part is missing."""
    part, place = {**names("uses"), **names("own_uses")}.get(word, (None, ""))
    use: Use = part.load(place) if part else USES.get(word, USES[""])
    return use


def use_of(ev: Evaluation) -> Use:
    """Return the use of an evaluation, from its source."""
    return OF_LABELS if ev.labels else at_budget(use_called(ev.source.use), ev)


def account_of(ev: Evaluation) -> Account | None:
    """Return the account that replaces the decisions and general numbers of an evaluation."""
    account = use_of(ev).account
    return None if account is None else account(ev)
