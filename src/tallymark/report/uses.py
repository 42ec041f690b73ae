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
    ``decisions`` is whether what a threshold decides is shown where nobody stated one.
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
    decisions: bool = True

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

USES: Mapping[str, Use] = {
    "": Use(), "similarities": VERIFICATION, "distances": VERIFICATION,
}  # fmt: skip
"""Every use by the word that a source has for it."""


def use_of(ev: Evaluation) -> Use:
    """Return what an evaluation shows, by what its source says of the scores."""
    return USES[ev.source.use]
