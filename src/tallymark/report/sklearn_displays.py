"""Plots under scikit-learn's names: ``RocCurveDisplay.from_predictions(y_true, y_score)``.

Arguments and attributes are scikit-learn's; the numbers come from a tally.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from tallymark.curve import CURVES
from tallymark.errors import InputError
from tallymark.metric import get
from tallymark.metric.measure import refuse_no_probability
from tallymark.report.plots import pyplot
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "CalibrationDisplay", "ConfusionMatrixDisplay", "DetCurveDisplay", "PrecisionRecallDisplay",
    "RocCurveDisplay",
]  # fmt: skip

Options = Mapping[str, Any]
RESPONSES = ("predict_proba", "decision_function")


class _Display:
    """What all displays share: axes, and scores asked of an estimator."""

    ax_: Axes
    figure_: Figure
    pos_label: Label | None = None
    line_: Any = None
    im_: Any = None
    text_: Any = None
    from_predictions: ClassVar[Any]
    _responses: ClassVar[tuple[str, ...]] = RESPONSES

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803  scikit-learn's name
        y: Any,
        *,
        response_method: str = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Predict with a fitted estimator, and draw as ``from_predictions`` does.

        ``response_method`` is "predict_proba", "decision_function" or, for the first of them that
        there is, "auto".
        """
        score, positive = _respond(estimator, X, pos_label, response_method, cls._responses)
        name = type(estimator).__name__ if name is None else name
        made: Self = cls.from_predictions(y, score, pos_label=positive, name=name, **options)
        return made

    def _axes(self, ax: Axes | None, x_label: str, y_label: str) -> Axes:
        """Take the axes given, or new ones; their labels name the positive class."""
        library = pyplot()
        self.ax_ = library.subplots()[1] if ax is None else ax
        self.figure_ = self.ax_.figure  # type: ignore[assignment]
        of_class = "" if self.pos_label is None else f" (positive class: {self.pos_label})"
        self.ax_.set(xlabel=x_label + of_class, ylabel=y_label + of_class)
        return self.ax_

    def _add_legend(self, where: Any = "best") -> None:
        if self.ax_.get_legend_handles_labels()[0]:
            self.ax_.legend(loc=where)


def _respond(
    estimator: Any, rows: Any, positive: Label | None, asked: str, known: Sequence[str]
) -> tuple[Any, Label]:
    """Return the scores of the positive class, and which class that is."""
    methods = known if asked == "auto" else (asked,)
    if asked != "auto" and asked not in known:
        raise InputError(f"response_method is {asked!r}; say 'auto' or one of {list(known)}")
    method = next((m for m in methods if hasattr(estimator, m)), None)
    if method is None:
        raise InputError(f"{type(estimator).__name__} has no {' or '.join(methods)}")
    classes = list(estimator.classes_)
    if len(classes) != 2:
        raise InputError(f"the estimator knows {len(classes)} classes; this plot judges two")
    positive = classes[1] if positive is None else positive
    if positive not in classes:
        raise InputError(f"pos_label is {positive!r}, and the estimator knows {classes}")
    scores = np.asarray(getattr(estimator, method)(rows))
    at = classes.index(positive)
    return (scores[:, at] if scores.ndim == 2 else scores if at == 1 else -scores), positive


class _CurveDisplay(_Display):
    """A curve of scores: its points, and how they are drawn."""

    name: str | None
    plot: Any
    chance_level_: Any = None
    _drop: ClassVar[bool] = True
    """Whether points that change nothing are dropped unless told otherwise, as in scikit-learn."""

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool | None = None,
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot: Any,
    ) -> Self:
        """Count scores, and draw; ``plot`` is passed on to :meth:`plot`."""
        options = {"sample_weight": sample_weight, "positive": pos_label}
        tally = ScoreTally.from_arrays(y_true, y_score, **options)
        drop = cls._drop if drop_intermediate is None else drop_intermediate
        keep = np.ones(len(tally.scores) + 1, dtype=bool)
        if drop:
            keep[2:-1] = cls._needed(*map(np.diff, tally.score_counts.cumulative_counts))
        name = "Classifier" if name is None else name
        facts = {**cls._points(tally, keep), "name": name, "pos_label": tally.positive}
        drawn: Self = cls(**facts).plot(ax, **plot)
        return drawn

    @staticmethod
    def _needed(tp: Floats, fp: Floats) -> Any:
        """Return which inner points have true positives before or after them."""
        return (tp[1:-1] != 0) | (tp[2:] != 0)

    @classmethod
    def _points(cls, tally: ScoreTally, keep: Any) -> dict[str, Any]:
        """Return the attributes of the display, of the points kept."""
        raise NotImplementedError


class _AreaDisplay(_CurveDisplay):
    """A curve within the unit square, the number that sums it up, and what guessing achieves."""

    _short: ClassVar[str]
    _titles: ClassVar[tuple[str, str]]
    _style: ClassVar[Options] = {}
    _legend: ClassVar[str] = "best"

    def _drawing(self) -> tuple[Any, Any, float | None, tuple[Any, Any], float | None]:
        """Return x and y, their number, and guessing's heights and its number."""
        raise NotImplementedError

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Options | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Options | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw, on new axes if none are given."""
        x, y, value, level, chance = self._drawing()
        if plot_chance_level and chance is None:
            raise InputError(
                "the chance level is the share of positives; give prevalence_pos_label"
            )
        name = self.name if name is None else name
        number = None if value is None else f"{self._short} = {value:0.2f}"
        label = f"{name} ({number})" if name is not None and number else name or number
        ax = self._axes(ax, *self._titles)
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        (self.line_,) = ax.plot(x, y, **{"label": label, **self._style, **(curve_kwargs or {})})
        if plot_chance_level:
            label = f"Chance level ({self._short} = {chance:{'0.2f' if chance != 0.5 else 'g'}})"
            options = {"color": "k", "linestyle": "--", "label": label, **(chance_level_kw or {})}
            (self.chance_level_,) = ax.plot([0, 1], level, **options)
        if despine:
            ax.spines[["top", "right"]].set_visible(False)
        self._add_legend(self._legend)
        return self


@dataclass(kw_only=True)
class RocCurveDisplay(_AreaDisplay):
    """A ROC curve, and its area.

    >>> from matplotlib.figure import Figure
    >>> d = RocCurveDisplay.from_predictions(
    ...     [0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], ax=Figure().subplots())
    >>> d.fpr.tolist(), d.roc_auc, d.line_.get_label()
    ([0.0, 0.0, 0.5, 0.5, 1.0], 0.75, 'Classifier (AUC = 0.75)')
    """

    fpr: Any
    tpr: Any
    roc_auc: float | None = None
    name: str | None = None
    pos_label: Label | None = None
    _short: ClassVar[str] = "AUC"
    _titles: ClassVar[tuple[str, str]] = ("False Positive Rate", "True Positive Rate")
    _legend: ClassVar[str] = "lower right"

    @staticmethod
    def _needed(tp: Floats, fp: Floats) -> Any:
        """Return which inner points turn: a line through the others looks the same."""
        return ((np.diff(tp) != 0) | (np.diff(fp) != 0))[1:]

    @classmethod
    def _points(cls, tally: ScoreTally, keep: Any) -> dict[str, Any]:
        c = CURVES["roc"](tally)
        return {"fpr": c.x[keep], "tpr": c.y[keep], "roc_auc": float(get("roc_auc")(tally))}

    def _drawing(self) -> tuple[Any, Any, float | None, tuple[Any, Any], float | None]:
        return self.fpr, self.tpr, self.roc_auc, (0, 1), 0.5


@dataclass
class PrecisionRecallDisplay(_AreaDisplay):
    """A precision-recall curve, falling in threshold from left to right, and average precision.

    As in scikit-learn, it ends at recall 0 with a precision of 1, which no rows stand behind.

    >>> from matplotlib.figure import Figure
    >>> d = PrecisionRecallDisplay.from_predictions(
    ...     [0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], ax=Figure().subplots())
    >>> d.recall.tolist(), d.precision.round(2).tolist()
    ([1.0, 1.0, 0.5, 0.5, 0.0], [0.5, 0.67, 0.5, 1.0, 1.0])
    """

    precision: Any
    recall: Any
    average_precision: float | None = field(default=None, kw_only=True)
    name: str | None = field(default=None, kw_only=True)
    pos_label: Label | None = field(default=None, kw_only=True)
    prevalence_pos_label: float | None = field(default=None, kw_only=True)
    _drop: ClassVar[bool] = False
    _short: ClassVar[str] = "AP"
    _titles: ClassVar[tuple[str, str]] = ("Recall", "Precision")
    _style: ClassVar[Options] = {"drawstyle": "steps-post"}

    @classmethod
    def _points(cls, tally: ScoreTally, keep: Any) -> dict[str, Any]:
        c, counts = CURVES["pr"](tally), tally.score_counts
        keep[0] = False
        return {
            "precision": np.append(c.y[keep][::-1], 1.0),
            "recall": np.append(c.x[keep][::-1], 0.0),
            "average_precision": float(get("average_precision")(tally)),
            "prevalence_pos_label": float(counts.positives / counts.total),
        }

    def _drawing(self) -> tuple[Any, Any, float | None, tuple[Any, Any], float | None]:
        share = self.prevalence_pos_label
        return self.recall, self.precision, self.average_precision, (share, share), share


@dataclass(kw_only=True)
class DetCurveDisplay(_CurveDisplay):
    """Both error rates on axes of normal deviates, between the rates that are not both trivial.

    >>> from matplotlib.figure import Figure
    >>> d = DetCurveDisplay.from_predictions(
    ...     [0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], ax=Figure().subplots())
    >>> d.fpr.tolist(), d.fnr.tolist()
    ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5])
    """

    fpr: Any
    fnr: Any
    name: str | None = None
    pos_label: Label | None = None

    @classmethod
    def _points(cls, tally: ScoreTally, keep: Any) -> dict[str, Any]:
        tp, fp = tally.score_counts.cumulative_counts
        # From the last point without a false positive to the first with all true ones.
        keep[: max(int(np.searchsorted(fp, 0, side="right")) - 1, 1)] = False
        keep[int(np.searchsorted(tp, tp[-1])) + 1 :] = False
        c = CURVES["roc"](tally)
        return {"fpr": c.x[keep][::-1], "fnr": (1 - c.y[keep])[::-1]}

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **options: Any) -> Self:
        """Draw, on new axes if none are given; the line's data are normal deviates."""
        from scipy.special import ndtri

        ax = self._axes(ax, "False Positive Rate", "False Negative Rate")
        least = np.finfo(np.float64).eps
        x, y = (ndtri(np.clip(v, least, 1 - least)) for v in (self.fpr, self.fnr))
        (self.line_,) = ax.plot(x, y, **{"label": self.name if name is None else name, **options})
        ticks = [0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999]
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_ticks(list(ndtri(ticks)), [f"{100 * t:g}%" for t in ticks])
        ax.set(xlim=(-3, 3), ylim=(-3, 3))
        self._add_legend()
        return self


@dataclass
class CalibrationDisplay(_Display):
    """The share of positives against the mean probability, in bins.

    >>> from matplotlib.figure import Figure
    >>> d = CalibrationDisplay.from_predictions(
    ...     [0, 1, 0, 1], [0.1, 0.9, 0.3, 0.3], n_bins=2, ax=Figure().subplots())
    >>> d.prob_true.round(2).tolist(), d.prob_pred.round(2).tolist()
    ([0.33, 1.0], [0.23, 0.9])
    """

    prob_true: Any
    prob_pred: Any
    y_prob: Any
    estimator_name: str | None = field(default=None, kw_only=True)
    pos_label: Label | None = field(default=None, kw_only=True)
    _responses: ClassVar[tuple[str, ...]] = ("predict_proba",)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any,
        *,
        sample_weight: Any = None,
        n_bins: int = 5,
        strategy: Literal["uniform", "quantile"] = "uniform",
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot: Any,
    ) -> Self:
        """Count probabilities in bins, and draw; ``plot`` is passed on to :meth:`plot`.

        Bins are of equal width ("uniform"), or cut at quantiles of the probabilities.
        """
        options = {"sample_weight": sample_weight, "positive": pos_label}
        tally = ScoreTally.from_arrays(y_true, y_prob, **options)
        prob_true, prob_pred = _binned(tally, np.asarray(y_prob), n_bins, strategy)
        name = "Classifier" if name is None else name
        made = cls(prob_true, prob_pred, y_prob, estimator_name=name, pos_label=tally.positive)
        return made.plot(ax=ax, **plot)

    def plot(
        self,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        ref_line: bool = True,
        **options: Any,
    ) -> Self:
        """Draw, on new axes if none are given."""
        ax = self._axes(ax, "Mean predicted probability", "Fraction of positives")
        perfect = "Perfectly calibrated"
        if ref_line and perfect not in ax.get_legend_handles_labels()[1]:
            ax.plot([0, 1], [0, 1], "k:", label=perfect)
        label = self.estimator_name if name is None else name
        options = {"marker": "s", "linestyle": "-", "label": label, **options}
        (self.line_,) = ax.plot(self.prob_pred, self.prob_true, **options)
        self._add_legend("lower right")
        return self


def _binned(tally: ScoreTally, y_prob: Floats, bins: int, strategy: str) -> tuple[Floats, Floats]:
    """Return share positive and mean probability of every bin that holds a row.

    A probability at the edge of two bins is in the lower one, as scikit-learn has it.
    """
    if strategy not in ("uniform", "quantile"):
        raise InputError(f"strategy is {strategy!r}; say 'uniform' or 'quantile'")
    if bins < 1:
        raise InputError(f"n_bins is {bins}; there must be at least one")
    refuse_no_probability(tally, "a calibration curve")
    r = tally.score_counts
    share = np.linspace(0, 1, bins + 1)
    edges = share if strategy == "uniform" else np.quantile(y_prob, share)
    place = np.searchsorted(edges[1:-1], r.scores)
    pos, rows, mass = (
        np.bincount(place, v, minlength=bins)
        for v in (r.pos, r.pos + r.neg, (r.pos + r.neg) * r.scores)
    )
    full = rows > 0
    return pos[full] / rows[full], mass[full] / rows[full]


@dataclass
class ConfusionMatrixDisplay(_Display):
    """A confusion matrix: rows are true classes.

    >>> from matplotlib.figure import Figure
    >>> d = ConfusionMatrixDisplay.from_predictions([0, 1, 1], [0, 1, 0], ax=Figure().subplots())
    >>> d.confusion_matrix.tolist(), d.text_[1, 0].get_text()
    ([[1, 0], [1, 1]], '1')
    """

    confusion_matrix: Any
    display_labels: Any = field(default=None, kw_only=True)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Sequence[Label] | None = None,
        sample_weight: Any = None,
        normalize: Literal["true", "pred", "all"] | None = None,
        display_labels: Any = None,
        ax: Axes | None = None,
        **plot: Any,
    ) -> Self:
        """Count labels, and draw; ``plot`` is passed on to :meth:`plot`.

        ``normalize`` turns counts into shares of a row, a column or of all.
        """
        sums = {"true": (1,), "pred": (0,), "all": (0, 1)}
        if normalize is not None and normalize not in sums:
            raise InputError(f"normalize is {normalize!r}; say 'true', 'pred', 'all' or None")
        tally = LabelTally.from_arrays(y_true, y_pred, sample_weight=sample_weight, labels=labels)
        counts: Any = tally.counts
        if normalize is not None:
            whole = counts.sum(axis=sums[normalize], keepdims=True)
            counts = np.divide(counts, whole, out=np.zeros_like(counts), where=whole > 0)
        elif sample_weight is None:
            counts = counts.astype(np.int64)
        shown = tally.labels if display_labels is None else display_labels
        return cls(counts, display_labels=np.asarray(shown)).plot(ax=ax, **plot)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803  scikit-learn's name
        y: Any,
        **options: Any,
    ) -> Self:
        """Predict with a fitted estimator, and draw as :meth:`from_predictions` does."""
        if not hasattr(estimator, "predict"):
            raise InputError(f"{type(estimator).__name__} has no predict")
        return cls.from_predictions(y, estimator.predict(X), **options)

    def plot(
        self,
        *,
        include_values: bool = True,
        cmap: Any = "viridis",
        xticks_rotation: Any = "horizontal",
        values_format: str | None = None,
        ax: Axes | None = None,
        colorbar: bool = True,
        im_kw: Options | None = None,
        text_kw: Options | None = None,
    ) -> Self:
        """Draw, on new axes if none are given."""
        ax = self._axes(ax, "Predicted label", "True label")
        cells = np.asarray(self.confusion_matrix)
        self.im_ = ax.imshow(cells, **{"interpolation": "nearest", "cmap": cmap, **(im_kw or {})})
        self.text_ = None
        if include_values:
            self.text_ = np.empty(cells.shape, dtype=object)
            middle = (float(cells.min()) + float(cells.max())) / 2
            first, last = self.im_.cmap(0), self.im_.cmap(1.0)
            how = values_format or ("d" if cells.dtype.kind in "iu" else ".2g")
            for (i, j), n in np.ndenumerate(cells):
                color = last if n < middle else first
                number = format(n, how)
                if values_format is None and how == "d":
                    number = min(format(n, ".2g"), number, key=len)
                options = {"ha": "center", "va": "center", "color": color, **(text_kw or {})}
                self.text_[i, j] = ax.text(j, i, number, **options)
        names = range(len(cells)) if self.display_labels is None else self.display_labels
        if colorbar:
            self.figure_.colorbar(self.im_, ax=ax)
        ax.set_xticks(range(len(cells)), [str(n) for n in names])
        ax.set_yticks(range(len(cells)), [str(n) for n in names])
        ax.set(ylim=(len(cells) - 0.5, -0.5))
        for text in ax.get_xticklabels():
            text.set_rotation(xticks_rotation)
        return self
