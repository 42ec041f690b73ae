"""Define curves and their registry: what a declaration of a curve contains."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from tallymark.contract import checked
from tallymark.curve.points import Curve, Step
from tallymark.errors import InputError, choices
from tallymark.metric import METRICS, Metric, get
from tallymark.tally.labels import Counts
from tallymark.tally.role_tally import RoleTally
from tallymark.tally.scores import ScoreCounts, ScoreTally
from tallymark.tally.threads import side_by_side, threads_for

Points = Mapping[str, Any]
"""The arrays of a :class:`Curve` by field name."""

Limits = Callable[[float, float], tuple[float, float]]

BLOCK = 1 << 15
"""Thresholds per block, few enough for their counts to stay in the processor's cache."""

KINDS = ("pointwise", "vertical", "simultaneous")


def unit(low: float, high: float) -> tuple[float, float]:
    """Return axis limits of 0 and 1 for any values."""
    return 0.0, 1.0


def from_zero(low: float, high: float) -> tuple[float, float]:
    """Return axis limits from 0 to slightly above the highest value."""
    return 0.0, 1.1 * max(high, 1e-3)


def up_to_one(low: float, high: float) -> tuple[float, float]:
    """Return axis limits that cover 0 to 1 and all values."""
    return min(low, 0.0), max(high, 1.0)


@dataclass(frozen=True)
class Axis:
    """One axis of a curve: its quantity, title, limits and scale.

    ``name`` is the name of a registered metric or of another quantity. For another quantity,
    ``metric`` is the metric, or its name, that computes it, or else ``formula`` is a function of
    the counts and of x with values within ``range``. ``limits`` returns the axis limits from the
    lowest and the highest value.
    """

    name: str
    title: str = ""
    metric: str | Metric = ""
    formula: Callable[[Counts, Any], Any] | None = None
    range: tuple[float, float] = (-math.inf, math.inf)
    limits: Limits = unit
    scale: Literal["linear", "probit"] = "linear"

    def __post_init__(self) -> None:
        if not self.metric and self.name in METRICS:
            object.__setattr__(self, "metric", self.name)
        if not self.title:
            title = get(self.metric).in_a_sentence if self.metric else self.name.replace("_", " ")
            object.__setattr__(self, "title", title)

    @property
    def open(self) -> bool:
        """Return whether it is the threshold or the score, which are unbounded."""
        return self.name in ("threshold", "score")

    def of(self, c: Counts, x: Any = None, **params: Any) -> Any:
        """Return its values at the given counts."""
        if self.formula is not None:
            return self.formula(c, x)
        result = get(self.metric)
        return result.compute(c if result._needs == "counts" else c.matrix(), **params)

    @cached_property
    def of_class(self) -> Literal["", "positive", "negative"]:
        """Return the class whose rows are the denominator; empty for any other quantity.

        >>> Axis("sensitivity").of_class, Axis("specificity").of_class, Axis("precision").of_class
        ('positive', 'negative', '')
        """
        share = get(self.metric)._sampling.proportion if self.metric else None
        if share is None or get(self.metric)._needs != "counts":
            return ""
        whole = np.asarray(share(Counts(*np.eye(4)))[1]).tolist()
        return "positive" if whole == [1, 0, 1, 0] else "negative" if whole == [0, 1, 0, 1] else ""


THRESHOLD = Axis("threshold")
SCORE = Axis("score")


@dataclass(frozen=True)
class Projection:
    """How y of a curve follows from x and another rate, which is linear between thresholds.

    ``x`` and ``other`` are the true positive rate, the false positive rate or the depth, which is
    the share of rows called positive. ``height`` returns y from x, the other rate and the share of
    positives.
    """

    x: Literal["tpr", "fpr", "depth"]
    other: Literal["tpr", "fpr"]
    height: Callable[[Any, Any, Any], Any]

    @property
    def falls(self) -> bool:
        """Return whether y decreases as the other rate increases."""
        return bool(self.height(0.5, 0.2, 0.5) > self.height(0.5, 0.4, 0.5))


@dataclass(frozen=True)
class Reference:
    """A reference line of a chart, such as guessing; ``points`` returns (xs, ys) at a prevalence.

    ``dash`` is matplotlib's line style. With ``of_share`` the line is drawn only if the prevalence
    is known. ``fine`` marks thin guide lines, such as those of equal F1.
    """

    label: str
    points: Callable[[float], tuple[Any, Any]]
    dash: Literal["--", ":"] = "--"
    of_share: bool = False
    fine: bool = False


DIAGONAL = Reference("chance", lambda share: ([0, 1], [0, 1]))


@dataclass(frozen=True, eq=False)
class CurveDefinition:
    """A curve with its declaration; call it on a score tally to get a :class:`Curve`.

    ``function`` returns the points of a tally; by default the points are the values of both axes
    at every threshold. ``meaning`` is the description in catalogues.

    *Drawing.* ``step`` joins points by steps instead of lines, and is the side of the step;
    ``draw`` may mark each point. ``page`` lists the curve among the "first" charts of the page or
    among "more"; ``json`` adds it to the JSON file. ``title`` and ``words`` are printed beside the
    chart; ``beside`` is the metric that summarises the curve, and its short name; ``references``
    are reference lines. ``pair`` is a second curve in the same chart, whose name is ``chart``;
    ``sides`` are the names of the two curves there, by default the classes. ``highlight`` returns
    the points to mark: the crossing, with the label ``dot``, or the ends of a gap.
    ``marks_threshold`` is whether a plot marks the threshold in use.

    *Bounds.* ``bounded`` is the source of pointwise bounds: the "counts" at each threshold, the
    curve's "own" function, the "prevalence" alone, or empty for none. ``projection`` is how y
    follows from x along the curve. ``envelope`` is another method for a band of the whole curve.
    ``no_band`` is the reason why there is no band of any kind.

    ``needs`` is the required kind of scores, ``both_classes`` whether bands need rows of both
    classes. ``role`` and ``role_needed`` have the same meaning as in :class:`Metric`.
    """

    name: str
    x: Axis
    y: Axis
    meaning: str
    function: Callable[..., Points] | None = None
    draw: Literal["line", "points"] = "line"
    step: Step = ""
    title: str = ""
    words: str = ""
    page: Literal["first", "more", ""] = ""
    json: bool = False
    beside: tuple[str, str] = ("", "")
    references: tuple[Reference, ...] = ()
    pair: str = ""
    chart: str = ""
    sides: tuple[str, ...] = ()
    axis_title: str = ""
    highlight: Callable[[Curve, Curve], tuple[Any, Any] | None] | None = None
    dot: str = ""
    marks_threshold: bool = True
    bounded: Literal["counts", "own", "prevalence", ""] = "counts"
    projection: Projection | None = None
    envelope: Literal["cost", "decision", ""] = ""
    no_band: str = ""
    needs: Literal["scores", "probabilities"] = "scores"
    both_classes: bool = False
    role: str = ""
    role_needed: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, tally: ScoreTally | RoleTally, *args: Any, **params: Any) -> Curve:
        """Return the curve of a tally."""
        if self.function is None:
            if self.params or params:
                get(self.y.metric)._check({**self.params, **params})
            points = at_thresholds(tally._score_counts, self.x, self.y, **{**self.params, **params})
        else:
            self._check(params)
            points = self.function(tally, *args, **params)
        return Curve(self.name, self.x.name, self.y.name, step=self.step, **points)

    def _check(self, params: Mapping[str, Any]) -> None:
        """Raise InputError for unknown parameters, and for text given as a number."""
        assert self.function is not None
        _, *parameters = inspect.signature(self.function).parameters.values()
        defaults = {p.name: p.default for p in parameters}
        for name, value in params.items():
            if name not in defaults:
                suggestion = choices(name, list(defaults)) if defaults else "it has none"
                raise InputError(f"the curve {self.name!r} has no parameter {name!r}; {suggestion}")
            if isinstance(value, str) and not isinstance(defaults[name], str | None):
                raise InputError(f"{name} is {value!r}; give a number")

    @cached_property
    def options(self) -> tuple[str, ...]:
        """Return the names of those arguments of the function that the evaluation supplies.

        They are ``level``, and ``stratified``, which is whether the class shares are known.
        """
        parameters = inspect.signature(self.function).parameters if self.function else ()
        return tuple(name for name in ("level", "stratified") if name in parameters)

    @property
    def whole_band(self) -> str:
        """Return the method for a band of the whole curve, "" if there is none."""
        if self.projection is not None:
            return self.projection.x
        return self.envelope or ("one class" if self.x.open and self.y.of_class else "")

    @property
    def bands(self) -> tuple[str, ...]:
        """Return the kinds of bands that the curve has.

        >>> CURVES["roc"].bands
        ('pointwise', 'vertical', 'simultaneous')
        """
        if self.no_band:
            return ()
        has = (
            bool(self.bounded),
            self.projection is not None,
            bool(self.whole_band),
        )
        return tuple(kind for kind, present in zip(KINDS, has, strict=True) if present)

    @property
    def of_clusters(self) -> bool:
        """Return whether it has bounds with clustered rows: from the counts at some thresholds."""
        return self.bounded in ("counts", "") and self.needs == "scores"

    @property
    def key(self) -> str:
        """Return the name of the chart that shows the curve."""
        return self.chart or self.name


CURVES: dict[str, CurveDefinition] = {}
"""All registered curves by name."""


def _named_axis(name: str) -> Axis:
    own = {"threshold": THRESHOLD, "score": SCORE}
    return own[name] if name in own else Axis(get(name).name)


def declare(name: str, x: Axis | str, y: Axis | str, **declared: Any) -> CurveDefinition:
    """Return the definition of a curve, after registering it; a taken name raises InputError.

    >>> made = declare("miss", "false_positive_rate", "false_negative_rate", meaning="misses.")
    >>> made(ScoreTally.from_arrays([0, 1], [0.2, 0.7])).y.tolist()
    [1.0, 0.0, 0.0]
    >>> del CURVES["miss"]
    """
    if name in CURVES:
        raise InputError(f"there is already a curve called {name!r}")
    across, upward = (a if isinstance(a, Axis) else _named_axis(a) for a in (x, y))
    CURVES[name] = CurveDefinition(name, across, upward, **declared)
    return CURVES[name]


def curve(x: Axis | str, y: Axis | str, **declared: Any) -> Callable[..., CurveDefinition]:
    """Return a decorator that registers a curve, named after the function that returns its points.

    The first paragraph of the function's docstring becomes the meaning.
    """

    def of(function: Callable[..., Points]) -> CurveDefinition:
        first = " ".join((function.__doc__ or "").split("\n\n")[0].split())
        declared_curve = declare(
            function.__name__,
            x,
            y,
            function=checked(function),
            **{"meaning": first.removeprefix("Return "), **declared},
        )
        object.__setattr__(declared_curve, "__doc__", function.__doc__)
        return declared_curve

    return of


def definition(name: str | Metric, **params: Any) -> CurveDefinition:
    """Return a curve by name, or the curve over the thresholds of a metric of decisions.

    >>> definition("roc").step, definition("mcc").y.name, definition("recall").bands
    ('', 'matthews_corrcoef', ('pointwise', 'simultaneous'))
    """
    if isinstance(name, str) and name in CURVES:
        return CURVES[name]
    try:
        result = get(name)
    except InputError:
        raise InputError(f"there is no curve {name!r}; {choices(str(name), CURVES)}") from None
    if result._needs not in ("counts", "matrix"):
        raise InputError(
            f"{result.name} is not computed at a single threshold; choose a threshold metric"
        )
    result._check(params)
    title = result.title + "".join(f", {k} {v}" for k, v in params.items())
    chance = result.chance
    return CurveDefinition(
        result.name,
        THRESHOLD,
        Axis(result.name, title, result, limits=up_to_one),
        f"{result.in_a_sentence} at every threshold.",
        step="post",
        title=f"{result.title} by threshold",
        params=params,
        references=()
        if not isinstance(chance, float)
        else (Reference("chance", lambda share: ([0, 1], [chance, chance])),),
    )


def at_thresholds(r: ScoreCounts, x: Axis, y: Axis, **params: Any) -> Points:
    """Return x and y at every threshold from +inf down; ``params`` are those of y's metric."""
    tp, fp = r._cumulative_counts
    size, cuts = len(tp), r.thresholds()
    axes = [(y, params)] if x.open else [(x, {}), (y, params)]
    values = [np.empty(size) for _ in axes]

    def fill(block: int) -> None:
        here = slice(block * BLOCK, (block + 1) * BLOCK)
        c = Counts(tp[here], fp[here], tp[-1] - tp[here], fp[-1] - fp[here])
        for out, (axis, arguments) in zip(values, axes, strict=True):
            out[here] = axis.of(c, **arguments)

    side_by_side(fill, -(-size // BLOCK), threads_for(8 * size))
    return {"x": cuts if x.open else values[0], "y": values[-1], "threshold": cuts}


DRAWN_SCORES = 1 << 16
CURVE_POINTS = 500


def thinned(
    tally: ScoreTally,
    probabilities: bool,
    definitions: Mapping[str, CurveDefinition] = CURVES,
    of_roles: Mapping[str, RoleTally] | None = None,
    **options: Any,
) -> dict[str, Curve]:
    """Return curves of a tally for drawing, by default all.

    ``of_roles`` are tallies of the same rows with the numbers of roles. ``options`` are the level
    and whether the class shares are known. Very many distinct scores are first reduced to a subset,
    with at most a small share of either class between neighbours, too little to see; ``error``
    includes it.
    """
    fine, of_roles = tally, of_roles or {}
    if len(tally.scores) > 2 * DRAWN_SCORES:
        fine = tally._coarse(DRAWN_SCORES, lowest=True)
    skipped = 0.0 if fine is tally else 2 / DRAWN_SCORES
    names = [
        n
        for n, c in definitions.items()
        if (probabilities or c.needs == "scores") and (not c.role or c.role in of_roles)
    ]
    curves: dict[str, Curve] = {}

    def make(i: int) -> None:
        name = names[len(names) - 1 - i]  # start with the slowest curves, which are among the last
        arguments = {k: options[k] for k in definitions[name].options if k in options}
        of = of_roles.get(definitions[name].role, fine)
        c = definitions[name](of, **arguments).thin(CURVE_POINTS)
        curves[name] = replace(c, error=c.error + skipped)

    side_by_side(make, len(names), threads_for(8 * len(fine.scores)))
    return {name: curves[name] for name in names}
