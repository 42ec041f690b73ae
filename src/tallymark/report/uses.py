"""What is shown first of rows that are judged for a use, and in whose words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from tallymark.curve import CURVES, CurveDefinition
from tallymark.curve.definitions import Axis
from tallymark.infer.cautions import AVERAGED, HEADLINE, HEADLINE_LABELS, HEADLINE_MANY, PER_CLASS
from tallymark.metric import METRICS, get
from tallymark.part import names

if TYPE_CHECKING:
    from tallymark.report.blocks import Grid
    from tallymark.report.evaluation import Evaluation


@dataclass(frozen=True)
class Section:
    """What an account says of one model: its name, a table, and what the table means."""

    title: str
    table: Grid
    sentences: Sequence[str]


@dataclass(frozen=True)
class Account:
    """What a use says of an evaluation in place of its matrices and general numbers.

    ``about`` is what was judged and ``headline`` its numbers, in a line each; ``verdict`` is the
    first thing to know. ``title`` is that of the sections where a page folds them.
    """

    about: str
    headline: str
    verdict: str
    title: str
    sections: Sequence[Section]


@dataclass(frozen=True)
class Use:
    """What a terminal and a page show of rows that are judged for a use.

    ``headline`` are the metrics shown first, of two classes and of more, and the first four that
    there are of ``brief`` stand on a card; ``first`` the curves that
    stand first on the page, where they are not those declared. ``titles`` are the field's words for
    metrics. ``per_class`` are those of each class against the rest, or of each of several labels.
    ``only`` are the metrics that the page lists, all if there are none. ``changes`` are
    what of a curve's declaration is said otherwise.
    With ``profit`` the page counts what a positive earns and what acting on a row costs, in place
    of the costs of errors; with ``ideal`` it draws how far decisions are from the ideal point of
    the ROC curve. ``decisions`` is whether what a threshold decides is shown where nobody
    stated one; ``advice`` is what advice takes to be used of the classifier.
    ``account`` says of an evaluation what stands in place of its matrices and numbers, if anything
    does. ``needs`` are the scores of two classes that the use cannot do without, in words, and
    ``arguments`` what the words of a reading are called by the function that has it.
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
        "roc_auc",
        "balanced_accuracy",
        "matthews_corrcoef",
        "brier",
        "accuracy",
        "f1",
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


def _use(brief: tuple[str, ...], first: tuple[str, ...], **others: Any) -> Use:
    """Return a use of two classes with its tiles, which come first on the terminal too.

    Metrics and curves of parts that are gone are left out.
    """
    brief = tuple(n for n in brief if n in METRICS)
    first = tuple(n for n in first if n in CURVES)
    left = (n for n in HEADLINE if n not in brief)
    return Use(headline=(*brief, *left), brief=brief, first=first, **others)


USES: Mapping[str, Use] = {
    "": Use(),
    "medicine": _use(
        ("sensitivity", "specificity", "precision", "negative_predictive_value"),
        ("roc", "calibration", "decision"),
        titles={
            "precision": "Positive predictive value (PPV)",
            "negative_predictive_value": "Negative predictive value (NPV)",
        },
        advice="decisions",
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
        (
            "sensitivity",
            "false_positive_rate",
            "balance",
            "recall_at_20_percent_effort",
            "geometric_mean",
            "youden_j",
        ),
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
    "teaching": _use(("accuracy", "sensitivity", "precision", "f1"), ("roc", "pr", "calibration")),
}
"""Every use by its word, beside those that parts add."""

OF_LABELS = Use(
    headline_many=HEADLINE_LABELS,
    brief_many=("subset_accuracy", "hamming_loss", "f1", "roc_auc"),
    per_class=(*AVERAGED, "prevalence"),
    decisions=False,
)
"""What is shown of rows that have any number of labels."""


@cache
def use_called(word: str) -> Use:
    """Return the use of a word, of ours or of a part; the general one where its part is gone."""
    part, place = {**names("uses"), **names("own_uses")}.get(word, (None, ""))
    made: Use = part.load(place) if part else USES.get(word, USES[""])
    return made


def use_of(ev: Evaluation) -> Use:
    """Return what an evaluation shows, by what its source says of its use."""
    return OF_LABELS if ev.labels else use_called(ev.source.use)


def account_of(ev: Evaluation) -> Account | None:
    """Return what is said of an evaluation in place of its decisions and its general numbers."""
    account = use_of(ev).account
    return None if account is None else account(ev)
