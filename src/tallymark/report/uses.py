"""What is shown first of rows that are judged for a use, and in whose words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tallymark.curve import CURVES, CurveDefinition
from tallymark.curve.definitions import Axis
from tallymark.infer.cautions import HEADLINE, HEADLINE_MANY
from tallymark.metric import get

if TYPE_CHECKING:
    from tallymark.report.evaluation import Evaluation


@dataclass(frozen=True)
class Use:
    """What a terminal and a page show of rows that are judged for a use.

    ``headline`` are the metrics shown first, of two classes and of more, and the first four that
    there are of ``brief`` stand on a card; ``first`` the curves that
    stand first on the page, where they are not those declared. ``titles`` are the field's words for
    metrics. ``only`` are the metrics that the page lists, all if there are none. ``changes`` are
    what of a curve's declaration is said otherwise.
    With ``profit`` the page counts what a positive earns and what acting on a row costs, in place
    of the costs of errors; with ``ideal`` it draws how far decisions are from the ideal point of
    the ROC curve. ``decisions`` is whether what a threshold decides is shown where nobody
    stated one; ``advice`` is what advice takes to be used of the classifier.
    """

    headline: tuple[str, ...] = HEADLINE
    headline_many: tuple[str, ...] = HEADLINE_MANY
    brief: tuple[str, ...] = (
        "roc_auc", "sensitivity", "precision", "brier", "matthews_corrcoef", "specificity",
    )  # fmt: skip
    brief_many: tuple[str, ...] = (
        "roc_auc", "balanced_accuracy", "matthews_corrcoef", "brier", "accuracy", "f1",
    )  # fmt: skip
    first: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    profit: bool = False
    ideal: bool = False
    decisions: bool = True
    advice: str | None = None

    def title(self, metric: str) -> str:
        """Return what a metric is called."""
        return self.titles.get(metric) or get(metric).title

    def curves(self) -> tuple[CurveDefinition, ...]:
        """Return the curves in order, each where it stands on the page and in the field's words."""
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


VERIFICATION = Use(
    headline=("equal_error_rate", "fmr100", "fmr1000", "fmr10000"),
    first=("det", "frr"),
    titles={
        "equal_error_rate": "Equal error rate (EER)",
        "false_positive_rate": "False match rate (FMR)",
        "false_negative_rate": "False non-match rate (FNMR)",
        "fmr100": "FNMR at FMR = 10⁻²",
        "fmr1000": "FNMR at FMR = 10⁻³",
        "fmr10000": "FNMR at FMR = 10⁻⁴",
    },
    only=(
        "equal_error_rate", "equal_error_rate_hull", "equal_error_rate_low",
        "equal_error_rate_high", "fmr100", "fmr1000", "fmr10000", "roc_auc", "roc_hull_auc",
        "decidability", "min_cllr", "cllr", "kolmogorov_smirnov",
    ),
    changes={
        "det": {
            "words": "False non-matches against false matches on axes of normal deviates, which "
            "spread out small errors; down and left is better. Normal scores make a straight line.",
        },
        "frr": {
            "sides": ("FNMR", "FMR"),
            "words": "As the threshold rises FMR falls and FNMR rises; the dot is the equal error "
            "rate.",
        },
    },
    decisions=False,
)  # fmt: skip


def _use(brief: tuple[str, ...], first: tuple[str, ...], **others: Any) -> Use:
    """Return a use of two classes with its tiles, which come first on the terminal too."""
    left = (n for n in HEADLINE if n not in brief)
    return Use(headline=(*brief, *left), brief=brief, first=first, **others)


USES: Mapping[str, Use] = {
    "": Use(),
    "similarities": VERIFICATION,
    "distances": VERIFICATION,
    "medicine": _use(
        ("sensitivity", "specificity", "precision", "negative_predictive_value"),
        ("roc", "calibration", "decision"),
        titles={
            "precision": "Positive predictive value (PPV)",
            "negative_predictive_value": "Negative predictive value (NPV)",
        },
        advice="decisions",
    ),
    "biometrics": replace(
        VERIFICATION,
        headline=(*VERIFICATION.headline, "roc_auc", "decidability"),
        brief=(*VERIFICATION.headline, "roc_auc", "decidability"),
        only=(),
        decisions=True,
        advice="ranking",
    ),
    "marketing": _use(
        ("top_decile_lift", "gain_at", "response_rate_at", "roc_auc"),
        ("gain", "lift", "deciles", "calibration"),
        titles={
            "gain_at": "Gain in the best 10 %",
            "response_rate_at": "Response rate in the best 10 %",
            "top_decile_lift": "Lift in the best 10 %",
        },
        profit=True,
        advice="ranking",
    ),
    "defects": _use(
        ("sensitivity", "false_positive_rate", "balance", "recall_at_20_percent_effort",
         "geometric_mean", "youden_j"),
        ("roc", "effort", "calibration"),
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
        ("roc_auc", "average_precision", "top_decile_lift", "recall_at_precision"),
        ("roc", "pr", "gain", "calibration"),
        advice="ranking",
    ),
    "decisions": _use(
        ("sensitivity", "specificity", "precision", "matthews_corrcoef"),
        ("roc", "pr", "calibration"),
        brief_many=("balanced_accuracy", "accuracy", "matthews_corrcoef", "f1"),
        advice="decisions",
    ),
    "probabilities": _use(
        ("brier", "log_loss", "observed_expected_ratio", "calibration_slope"),
        ("calibration", "roc", "decision"),
        brief_many=("log_loss", "brier", "roc_auc", "accuracy"),
        advice="probabilities",
    ),
    "teaching": _use(
        ("accuracy", "sensitivity", "precision", "f1"), ("roc", "pr", "calibration")
    ),
}  # fmt: skip
"""Every use by its word, and by the words that a verification system has for its scores."""


def use_of(ev: Evaluation) -> Use:
    """Return what an evaluation shows, by what its source says of its use."""
    return USES[ev.source.use]


def advised(use: str | None) -> str | None:
    """Return what is used of a classifier in a use: its decisions, ranking or probabilities."""
    return USES[use or ""].advice
