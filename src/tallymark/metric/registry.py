"""Define metrics and their registry. A metric is one function with its declaration."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property, partial, wraps
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar, cast

import numpy as np

from tallymark.contract import (
    CONTRACT,
    FLAG,
    FUNCTION,
    REAL,
    TEXT,
    Kind,
    checked,
    mapping,
    number,
    one_of,
    pair_of,
    read,
)
from tallymark.errors import InputError, check_word, choices
from tallymark.metric.sources import SOURCES
from tallymark.part import in_their_places

if TYPE_CHECKING:
    from numpy.typing import NDArray

Needs = Literal[
    "counts",
    "matrix",
    "ranking",
    "class_scores",
    "probability",
    "probabilities",
    "rows",
    "label_sets",
    "label_rankings",
]
Function = Callable[..., Any]

Error = Literal["smooth", "quantile", "extreme", "optimistic", "fitted", "null_at_zero"]

Order = Literal["whole", "part"]

FAMILIES: Mapping[str, str] = {
    "counts": "threshold",
    "matrix": "threshold",
    "ranking": "rank",
    "class_scores": "rank",
    "probability": "probability",
    "probabilities": "probability",
    "rows": "probability",
    "label_sets": "multi-label",
    "label_rankings": "multi-label",
}

OF_WHOLE_ROWS = ("class_scores", "rows", "label_sets", "label_rankings")
"""Values of ``needs`` for metrics that read all columns of a row at once, not single classes."""

OF_DECISIONS = ("counts", "matrix", "label_sets")
"""Values of ``needs`` for metrics of decisions, which need no scores."""


class OfArea(NamedTuple):
    """A linear function of the ROC area: slope · area + intercept.

    ``ties`` is the weight of a tied (positive, negative) pair in the area.
    """

    slope: float = 1.0
    intercept: float = 0.0
    ties: float = 0.5

    def __call__(self, area: Any) -> Any:
        """Return the metric at an area."""
        return self.slope * area + self.intercept


class OfProportion(NamedTuple):
    """A function of a proportion that rises up to ``turn``, where it is greatest, and then falls.

    ``counts`` returns the numerator and the denominator of the proportion.
    """

    counts: Function
    value: Function
    turn: float

    def image(self, low: Any, high: Any) -> tuple[Any, Any]:
        """Return the lowest and the highest value between two proportions."""
        least = np.minimum(self.value(low), self.value(high))
        return least, self.value(np.clip(self.turn, low, high))


def _itself(contrast: Any) -> Any:
    return contrast


class TwoShares(NamedTuple):
    """A monotonic function of the ratio or the odds ratio of two proportions of different rows.

    ``first`` and ``second`` are the metrics of the proportions. ``value`` is the function, of the
    contrast and the metric's parameters, and ``inverse`` the contrast at a value; both are the
    identity for the contrast itself.
    """

    contrast: Literal["ratio", "odds ratio"]
    first: Metric
    second: Metric
    value: Function = _itself
    inverse: Function = _itself

    @property
    def is_itself(self) -> bool:
        """Whether the metric is the ratio itself."""
        return self.value is _itself


class RowLoss(NamedTuple):
    """A mean over rows of a loss of :data:`tallymark.tally.sums.LOSSES`, or a function of it."""

    name: str
    outer: Function | None = None

    def __call__(self, mean: Any) -> Any:
        """Return the metric, given the mean loss."""
        return mean if self.outer is None else self.outer(mean)


class OrderedMean(NamedTuple):
    """A mean over rows that are weighted by their place in the order of the scores.

    ``events`` is a function of the counts and the parameters: the number of rows that add to the
    mean, each an ``event``, such as a wrong answer. ``one_more`` is a function of the number of
    rows: the mean and the mean square of what one of them adds if it is at any place and an event
    with probability 1/2. ``excess`` is True for the distance from the best order of these rows,
    which is small, and to which an unseen event adds most. With fewer than ``few`` events an
    interval may be too narrow: more of them are needed where one event can weigh much.
    ``without_one`` is a function of the counts and the parameters: the values (G,) without one
    positive row of each score, and without one negative row. It takes one pass; without it every
    row that is left out takes one.
    """

    events: Function
    event: str
    one_more: Callable[[float], tuple[float, float]]
    excess: bool = False
    few: int = 5
    without_one: Function | None = None


class _OwnSignature:
    """Signature of a metric as a function: its own parameters, then the common options.

    It exists on instances only; the class keeps its constructor's signature.
    """

    def __get__(self, m: Metric | None, owner: type) -> inspect.Signature:
        if m is None:
            raise AttributeError("__signature__")
        _, y_true, y_pred, *options, _ = inspect.signature(Metric._number).parameters.values()
        own = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in m.params.items()
        ]
        return inspect.Signature([y_true, y_pred, *own, *options])


@dataclass(frozen=True, eq=False)
class Words:
    """Texts about a metric.

    ``misleads`` says when not to trust the number. ``relatives`` names metrics to read beside it,
    or that are a function of it. ``of_several`` says what to use for more than two classes, if the
    metric is for two. ``opinion`` is a published scale of words for its values: its author, and the
    function that returns the word for a value. It is shown as the author's.
    """

    formula: str
    meaning: str
    misleads: str = ""
    of_several: str = ""
    sources: tuple[str, ...] = ()
    _relatives: tuple[str, ...] = ()
    _opinion: tuple[str, Callable[[float], str]] | None = None


@dataclass(frozen=True, eq=False)
class Sampling:
    """Sampling properties of a metric, which choose its interval method.

    ``error`` is the structure of the sampling error:

    - "smooth": every row changes the value a little;
    - "quantile": single rows determine the value (a quantile, a threshold met exactly);
    - "extreme": the highest-ranked rows determine it, or the position of a maximum;
    - "optimistic": the value is biased in one direction in any finite sample (a maximum over
      thresholds);
    - "fitted": also biased, because it is a fit to these rows or their greatest distance, but
      not sensitive to outliers. Its interval excludes the value of a useless model, the end of the
      range that is worse, only if scores without skill would rarely give such a value;
    - "null_at_zero": such a distance from calibrated probabilities. Its interval excludes 0 only
      if calibrated probabilities would rarely give a value this large.

    ``smooth`` is whether complex-step differentiation through counts is valid; it does not apply
    to metrics of scores. ``operating_point`` is a function of the counts and the parameters: it
    returns the threshold at which a "quantile" metric is read, an index into
    ``ScoreCounts.cumulative_counts``. ``resolution`` is set for a metric that is read where an
    error rate keeps a target: a function of the parameters that returns the class whose errors
    they are, and the rate. Fewer rows of that class than 1 / rate cannot show whether it is kept.

    ``proportion`` is set for a share of rows and returns its numerator and denominator.
    ``denominator`` is set for another ratio and returns what its denominator counts, by which
    clusters are large or small.
    ``of_proportion`` is set for a function of a proportion; the interval of the proportion is then
    transformed by it. ``two_shares`` is set for a ratio or an odds ratio of two proportions of
    different rows, or a function of one. ``of_area`` is set for a linear function of the ROC area;
    ``never_below`` names such an area that the metric is at least, whose lower bound then holds for
    the metric too. ``row_loss`` is set for a mean of row losses or a function of one. ``averages``
    is set for an average: the averaged metric, and whether it is averaged over classes against the
    rest ("weighted") or over pairs of classes ("pairs"). ``placements`` is set for a mean of
    placements, the positions of each row among the rows of the other class, which are uniform under
    chance. It is a function of the parameters and returns the shares of positives and of negatives
    in the mean, (1, 1) for an area. ``ordered_mean`` is set for a mean over rows that are weighted
    by their place in the order: a row that these do not show may then change it much. ``slopes`` is
    a function of the counts that returns the derivatives of the metric by the weight of one
    positive and of one negative at each score, on which tests of differences rest.
    ``takes_occupied`` is whether the function of a matrix also takes
    :class:`~tallymark.tally.occupied.OccupiedCells`, the replicates of matrices of many classes.
    ``shows_se`` marks metrics that are published with a standard error, such as coefficients of
    agreement: it is printed beside the interval.
    """

    error: Error = "smooth"
    smooth: bool = True
    operating_point: Function | None = None
    resolution: Callable[..., tuple[Literal["positives", "negatives"], float]] | None = None
    proportion: Function | None = None
    denominator: Function | None = None
    of_proportion: OfProportion | None = None
    two_shares: TwoShares | None = None
    of_area: OfArea | None = None
    never_below: str | None = None
    row_loss: RowLoss | None = None
    averages: tuple[str, Literal["pairs", "weighted"]] | None = None
    placements: Callable[..., tuple[float, float]] | None = None
    ordered_mean: OrderedMean | None = None
    slopes: Callable[..., tuple[Any, Any]] | None = None
    takes_occupied: bool = False
    shows_se: bool = False


@dataclass(frozen=True, eq=False)
class Scoring:
    """Which information in the scores a metric uses.

    ``order`` is set if the value depends on the order of the scores alone, ties included, so that
    it is invariant to increasing maps of a score column: "whole" if it uses the whole ranking,
    "part" if it uses one threshold or a part of the ranking. None if it uses the score values.
    ``reads_scores`` is a function of the parameters, for a metric that uses the score values at
    some of them only.

    ``binning_bounds`` bounds the value where scores were counted in bins. It is "ends" for a metric
    that never gets worse when the score of a positive rises or that of a negative falls. Otherwise
    it is a function of the ScoreCounts of the worst and the best arrangement within the bins that
    returns two bounds, NaN where it has none. None if no bounds are proved.

    ``of_rows`` is set for a metric that one pass over the rows of two classes gives: a function of
    :class:`tallymark.tally.row_losses.ProbabilityRows` and the parameters, None where the rows have
    to be counted.
    """

    order: Order | None = None
    reads_scores: Callable[..., bool] | None = None
    binning_bounds: Literal["ends"] | Function | None = None
    of_rows: Function | None = None


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric of a classifier, with its formula, texts and properties.

    Call it on arrays, ``metric(y_true, y_pred)`` or ``metric(y_true, y_score)``, or on a tally.
    It returns a plain float, or one number per class with ``average="per_class"``.

    ``needs`` is the input of the function:

    - ``counts``: Counts of any shape, and ``matrix``: counts[..., true, predicted];
    - ``ranking``: one ScoreCounts, a class against the rest, and ``probability``: the same, of
      probabilities;
    - ``probabilities``: a tuple of ScoreCounts, one for two classes, else one per class;
    - ``class_scores``: a tuple of ScoreTally, one per class, each with all true classes;
    - ``rows``: Sums, for losses that need a row's whole vector of scores;
    - ``label_sets``: Sums over rows with any number of labels, of the predicted sets, and
      ``label_rankings``: of the order of their labels by score.

    ``classes`` is "many" if the metric needs more than two classes, "two" if it needs two.
    ``role`` is the name of
    a part's role if the metric reads its numbers: with ``role_needed`` it is refused without them,
    else it then counts each row as 1. ``kind`` is the family if it differs from the one that
    ``needs`` implies. ``listed`` is whether reports include the metric by default; metrics of a
    role are included where its numbers were given.

    ``of_answers`` marks a metric of two classes that more classes have too: of the answers, each
    the class of highest score of its row. Its function is then called with ``scores="confidence"``,
    on the highest score of each row, with the right answers as the positive class. It is computed
    on request only.

    ``undefined`` maps the text of each reason to its test: the value is NaN exactly when one of
    the tests is true. A test may take the metric's parameters by name. ``range_given`` returns the
    range from the parameters, if it depends on them. ``capacity`` marks a share of rows to act on:
    a limit on it is an upper limit, although neither high nor low is better.
    """

    _number: ClassVar[Function]

    name: str
    title: str
    _function: Function
    undefined: Mapping[str, Function]
    words: Words
    _needs: Needs = "counts"
    classes: Literal["any", "many", "two"] = "any"
    _role: str = ""
    _role_needed: bool = False
    _kind: str | None = None
    _listed: bool = True
    _of_answers: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)
    _preset_of: str | None = None
    aliases: tuple[str, ...] = ()
    range: tuple[float, float] = (0, 1)
    _range_given: Function | None = None
    better: Literal["high", "low", "neither"] = "high"
    chance: float | str | None = None
    _capacity: bool = False
    _sampling: Sampling = field(default_factory=Sampling)
    _scoring: Scoring = field(default_factory=Scoring)

    @classmethod
    def _of(cls, **facts: Any) -> Metric:
        """Return a metric from its properties by name, each stored in the group that has it."""
        own, groups = _grouped(facts)
        return cls(**own, **{group: _GROUPS[group](**some) for group, some in groups.items()})

    def _changed(self, **facts: Any) -> Metric:
        """Return a copy of the metric with some properties replaced, in whichever group."""
        own, groups = _grouped(facts)
        parts = {group: replace(getattr(self, group), **some) for group, some in groups.items()}
        return replace(self, **own, **parts)

    @cached_property
    def family(self) -> str:
        """Return the family: ``threshold``, ``rank``, ``probability`` or ``multi-label``."""
        return self._kind or FAMILIES[self._needs]

    @cached_property
    def _roc_area(self) -> OfArea | None:
        """Return the linear function of the ROC area (ties count half) that it is, else None.

        >>> get("gini_coefficient")._roc_area(0.75), get("f1")._roc_area
        (0.5, None)
        """
        of = self._sampling.of_area
        return of if of is not None and of.ties == 0.5 else None

    @cached_property
    def _of_one_class(self) -> bool:
        """Return whether it applies to one class of several against the rest.

        >>> get("mcc")._of_one_class, get("top_k_accuracy")._of_one_class
        (True, False)
        """
        return self.classes != "many" and self._needs not in OF_WHOLE_ROWS

    @cached_property
    def in_a_sentence(self) -> str:
        """Return the title for the middle of a sentence; names and abbreviations keep capitals.

        >>> get("roc_auc").in_a_sentence, get("cohen_kappa").in_a_sentence, get("f1").in_a_sentence
        ('ROC area', "Cohen's kappa", 'F1')
        """
        first = self.title.split()[0]
        plain = first.isalpha() and first[1:].islower() and first not in _PEOPLE
        return self.title[:1].lower() + self.title[1:] if plain else self.title

    @cached_property
    def wanted(self) -> str:
        """Return a short text for the input that it needs.

        >>> get("f1").wanted, get("roc_auc").wanted, get("brier").wanted
        ('decisions', 'scores', 'probabilities')
        """
        if self._needs in OF_DECISIONS:
            return "decisions"
        if self._needs == "label_rankings":
            return "scores"
        if self.classes == "many":
            return "scores of each of more than two classes"
        return "probabilities" if self.family == "probability" else "scores"

    def _not_of_several(self, classes: int) -> InputError:
        """Return the error for more than two classes, where the metric is for two."""
        remedy = self.words.of_several or "choose another metric"
        return InputError(f"{self.name} is for two classes, and there are {classes}; {remedy}")

    def range_of(self, **params: Any) -> tuple[float, float]:
        """Return the range at these parameters.

        >>> get("partial_roc_auc").range_of(high=0.5)
        (0.0, 0.5)
        """
        if self._range_given is None:
            return self.range
        arguments = {**self.params, **params}
        low, high = self._range_given(**{p: arguments[p] for p in _arguments(self._range_given)})
        return low, high

    def _order_of(self, **params: Any) -> Order | None:
        """Return the ``order`` at these parameters, None where it uses the score values.

        >>> get("roc_auc")._order_of(), get("brier")._order_of()
        ('whole', None)
        """
        order, reads_scores = self._scoring.order, self._scoring.reads_scores
        if reads_scores is None:
            return order
        arguments = {**self.params, **params}
        needed = {p: arguments[p] for p in _arguments(reads_scores)}
        return None if reads_scores(**needed) else order

    def _at_parameters(self, fact: Function, data: Any, params: Mapping[str, Any]) -> Any:
        """Return a declared function of the data, called with the parameters that it accepts."""
        arguments = {**self.params, **params}
        return fact(data, **{name: arguments[name] for name in _arguments(fact)[1:]})

    def compute(self, data: Any, **params: Any) -> NDArray[Any]:
        """Return the values for counts of any shape; NaN where undefined."""
        arguments = {**self.params, **params}
        with np.errstate(all="ignore"):
            values = np.asarray(self._function(data, **arguments))
            if self._gives_nan and (self._needs == "counts" or np.shape(data)[-1] > 1):
                return values
            for _, undefined in self._undefined(data, arguments):
                if np.count_nonzero(undefined):
                    values = np.where(undefined, np.nan, values)
        return values

    @cached_property
    def _gives_nan(self) -> bool:
        """Return whether the formula alone gives NaN wherever a declared reason applies.

        Tests check this for all registered metrics of decisions, with two or more classes.
        """
        return self._needs in ("counts", "matrix") and METRICS.get(self.name) is self

    def _undefined(
        self, data: Any, arguments: Mapping[str, Any]
    ) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Yield the text of each reason, and a mask of the values that it makes undefined."""
        for words, case in self.undefined.items():
            yield words, np.asarray(case(data, **{n: arguments[n] for n in _arguments(case)[1:]}))

    def _with_defaults(self, params: Mapping[str, Any]) -> Metric:
        """Return the metric with new defaults for those of its parameters that are named."""
        own = {name: value for name, value in params.items() if name in self.params}
        if not own or self._preset_of:
            return self
        return replace(self, params={**self.params, **own})

    def _check(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters as plain Python values; unknown names raise InputError."""
        for name in params:
            if name not in self.params:
                suggestion = choices(name, self.params) if self.params else "it has none"
                raise InputError(f"{self.name} has no parameter {name!r}; {suggestion}")
        if METRICS.get(self.name) is not self:  # user-defined: the user checks the parameters
            return dict(params)
        return {
            name: value
            if value is self.params[name]
            else _kind(name, self.params[name]).of(name, value)
            for name, value in params.items()
        }

    def _cases(self, data: Any, **params: Any) -> dict[str, NDArray[Any]]:
        """Return, for each declared reason, a mask of the values that it makes undefined."""
        with np.errstate(all="ignore"):
            return dict(self._undefined(data, {**self.params, **params}))

    def reason(self, data: Any, **params: Any) -> str | None:
        """Return the text of why the value is undefined on these counts, None if it is defined."""
        words = [w for w, undefined in self._cases(data, **params).items() if np.any(undefined)]
        return " and ".join(words) or None

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        """Return the value on arrays or a tally; see :func:`tallymark.metric.measure.number`.

        Options: ``positive``, ``labels``, ``sample_weight``, ``average`` ("binary", "macro",
        "micro", "weighted", "per_class"), ``undefined`` ("nan", "raise" or a number),
        ``skip_undefined``, ``missing``, and the metric's own parameters.
        """
        return Metric._number(self, *arrays, **options)

    __signature__ = _OwnSignature()

    # -- function attributes and pickling ------------------------------------------------------

    def __post_init__(self) -> None:
        """Set the attributes of a function, which scikit-learn and functools.wraps read."""
        of_function: dict[str, Any] = {
            "__name__": self.name,
            "__qualname__": self.name,
            "__module__": getattr(self._function, "__module__", __name__),
            "__doc__": self.words.meaning,
            "__annotations__": {},
        }
        for attribute, value in of_function.items():
            object.__setattr__(self, attribute, value)

    def __repr__(self) -> str:
        return f"<Metric: {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the pickle: name and module of a registered metric, else all properties."""
        if METRICS.get(self.name) is self:
            return _by_name, (self.__module__, self.name)
        return _own_again, ({f.name: getattr(self, f.name) for f in fields(self)},)

    def __copy__(self) -> Metric:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Metric:
        return self


def _by_name(module: str, name: str) -> Metric:
    """Return a registered metric, importing the module that declares it if necessary."""
    if plain(name) not in _NAMES:
        import_module(module)
    if plain(name) not in _NAMES:
        raise InputError(
            f"the metric {name!r} is declared in {module}, which this process has not run; "
            "declare it in a module that can be imported"
        )
    return get(name)


def _own_again(facts: Mapping[str, Any]) -> Metric:
    """Return a user-defined metric from a pickle; :func:`get` finds it if its name is free."""
    own = Metric(**facts)
    _OWN.setdefault(plain(own.name), own)
    return own


_GROUPS: Mapping[str, type] = {"words": Words, "_sampling": Sampling, "_scoring": Scoring}
_FIELDS = {f.name.removeprefix("_"): f.name for f in fields(Metric)}
"""The field of each fact that a metric holds itself, by the name under which it is declared."""

_GROUP_FIELDS = {
    f.name.removeprefix("_"): (group, f.name)
    for group, group_class in _GROUPS.items()
    for f in fields(group_class)
}
"""The group of each other fact, and its field there."""


def _grouped(facts: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the properties stored on the metric itself, and those of each of its groups."""
    own: dict[str, Any] = {}
    groups: dict[str, dict[str, Any]] = {}
    for name, fact in facts.items():
        if name in _GROUP_FIELDS:
            group, field_name = _GROUP_FIELDS[name]
            groups.setdefault(group, {})[field_name] = fact
        else:
            own[_FIELDS.get(name, name)] = fact
    return own, groups


def applies_metrics(function: Function) -> Function:
    """Register the function that applies a metric to arrays and tallies, and return it.

    It is defined in :mod:`tallymark.metric.measure`, which imports this module.
    """
    Metric._number = staticmethod(function)
    return function


def _kind(name: str, default: Any) -> Kind:
    """Return the kind of a parameter, from its name or its default; the metric checks limits."""
    return CONTRACT.get(name) or {bool: FLAG, str: TEXT}.get(type(default), REAL)


@cache
def _arguments(function: Function) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


_PEOPLE = frozenset({"Brier", "Cllr", "Gini", "Hand", "Jaccard", "Matthews", "Provost"})
"""Names of people (and Cllr) that begin titles and keep their capital."""

_METRICS: dict[str, Metric] = {}
_NAMES: dict[str, tuple[str, str]] = {}
"""By :func:`plain` name: the name or alias as declared, and the metric that it refers to."""

METRICS: Mapping[str, Metric] = MappingProxyType(_METRICS)
"""All registered metrics by name."""


def metric(
    *,
    name: str | None = None,
    presets: Mapping[str, Mapping[str, Any]] | None = None,
    **declared: Any,
) -> Callable[[Function], Metric]:
    """Return a decorator that makes a function a metric and adds it to the registry.

    The first paragraph of the function's docstring is the meaning of the number, the paragraph
    "Misleading:" says when not to trust it. Its keyword arguments are the metric's parameters.
    ``presets`` are variants of the metric at fixed ``params``, each with its own name and with its
    own ``title``, ``meaning`` and other properties. A family whose metrics share more than the
    defaults has its own decorator.
    """

    def declare(function: Function) -> Metric:
        meaning, *more = (" ".join(p.split()) for p in (function.__doc__ or "").split("\n\n"))
        cautions = [p.removeprefix(CAUTION) for p in more if p.startswith(CAUTION)]
        base = Metric._of(
            name=name or function.__name__,
            function=function,
            meaning=meaning,
            misleads=" ".join(cautions),
            params=dict(function.__kwdefaults__ or {}),
            **declared,
        )
        object.__setattr__(base, "__doc__", function.__doc__)
        metrics = [base, *(_preset(base, *item) for item in (presets or {}).items())]
        _register(metrics)
        return base

    return declare


CAUTION = "Misleading: "
"""Prefix of the docstring paragraph that says when not to trust the number."""

SKILL: Mapping[str, Any] = {"range": (-1, 1), "chance": 0.0}
"""Declaration shared by skill scores: from -1 to 1, and 0 for guessing."""


def share(**declared: Any) -> Callable[[Function], Metric]:
    """Return a decorator for a share of rows, whose function gives numerator and denominator."""

    def declare(function: Function) -> Metric:
        @wraps(function)
        def value(data: Any) -> Any:
            return ratio(*function(data))

        return metric(proportion=function, **declared)(value)

    return declare


def _preset(base: Metric, name: str, facts: Mapping[str, Any]) -> Metric:
    declared = {
        "aliases": (),
        "range": base.range_of(**facts["params"]),
        "relatives": (base.name, *(other for other in base.words._relatives if other != name)),
        **facts,
        "params": {**base.params, **facts["params"]},
    }
    named = base._changed(name=name, preset_of=base.name, **declared)
    object.__setattr__(named, "__doc__", f"{named.words.meaning}\n\n{base.__doc__}")
    return named


def plain(name: object) -> str:
    """Return a name in its form for look-up: lower case, words joined by underscores."""
    return "_".join(
        str(name)
        .lower()
        .replace("-", " ")
        .replace("_", " ")
        .replace("'s ", " ")
        .replace("'", "")
        .split()
    )


def _register(metrics: Sequence[Metric]) -> None:
    """Add a metric and its presets to the registry; add none of them if one name is taken."""
    names: dict[str, tuple[str, str]] = {}
    for m in metrics:
        for source in m.words.sources:
            if source not in SOURCES and " " not in source:
                raise ValueError(f"metric {m.name!r} cites the unknown source {source!r}")
        for word in (m.name, *m.aliases):
            key = plain(word)
            if (taken := _NAMES.get(key) or names.get(key)) is not None:
                kind = "name" if word == m.name else "alias"
                raise ValueError(_clash(kind, word, m.name, *taken))
            names[key] = word, m.name
    _NAMES.update(names)
    _METRICS.update((m.name, m) for m in metrics)


def add_metrics_of_parts() -> None:
    """Load the metrics that parts declare, at the positions that the parts request."""
    in_their_places("metrics", _METRICS)


def _clash(kind: str, word: str, metric_name: str, other: str, owner: str) -> str:
    """Return the error message for a name or alias that is already taken."""
    whose = f"{other!r}" if owner == metric_name else f"{other!r} of the metric {owner!r}"
    if word == other:
        return f"{kind} {word!r} of the metric {metric_name!r} is taken: it names {owner!r}"
    how = "case" if word.lower() == other.lower() else "case, blanks, hyphens or apostrophes"
    return f"{kind} {word!r} differs from {whose} in {how} only; leave one out"


def twice_named() -> set[str]:
    """Return the metrics whose default is also a preset, such as F-beta at 1, which is F1."""
    return {
        m._preset_of
        for m in METRICS.values()
        if m._preset_of and m.params == get(m._preset_of).params
    }


_OWN: dict[str, Metric] = {}


def keep_own(m: Metric) -> None:
    """Store a user-defined metric so that :func:`get` finds it; the last one of a name wins.

    It is not added to ``METRICS``. A name that a registered metric has raises InputError.
    """
    if plain(m.name) in _NAMES:
        raise InputError(f"{m.name!r} is already a metric; give the statistic another name")
    _OWN[plain(m.name)] = m


def get(name: str | Metric) -> Metric:
    """Return a metric by its name or one of its aliases.

    >>> get("TPR").name
    'sensitivity'
    """
    if isinstance(name, Metric):
        return name
    if not isinstance(name, str):
        read("metric", name)  # raises InputError
    key = plain(name)
    if key in _NAMES:
        return _METRICS[_NAMES[key][1]]
    if key in _OWN:
        return _OWN[key]
    if key in AMBIGUOUS:
        *others, last = AMBIGUOUS[key]
        raise InputError(
            f"{name!r} has several definitions, whose values differ: {', '.join(others)} and "
            f"{last}; name one of them"
        )
    from tallymark.metric.glossary import with_arguments

    if (preset := with_arguments(name)) is not None:
        m, arguments = preset[0].name, preset[1].replace('"', "'")
        if not arguments:
            raise InputError(f"{name!r} is {m}; say ev[{m!r}]")
        calls = " or ".join(f"ev.value({m!r}, {each})" for each in arguments.split(" or "))
        raise InputError(f"{name!r} is {m} with {arguments}; say {calls}")
    scored = key.removeprefix("neg_")  # scikit-learn's scorers negate losses
    if scored != key and scored in _NAMES:
        m = _NAMES[scored][1]
        raise InputError(f"{name!r} is {m} with its sign reversed; say ev[{m!r}]")
    raise InputError(f"there is no metric {name!r}; {choices(key, _NAMES, first=[*METRICS])}")


V = TypeVar("V")


class ByMetric(dict[str, V]):
    """A dictionary by the names of metrics, in which an alias finds its metric too.

    >>> ByMetric(sensitivity=0.9)["TPR"]
    0.9
    """

    def __missing__(self, name: str | Metric) -> V:
        found = get(name).name
        if not dict.__contains__(self, found):
            raise InputError(f"there is no {found} here; {choices(found, self)}")
        return self[found]

    def __contains__(self, name: object) -> bool:
        if dict.__contains__(self, name):
            return True
        try:
            return dict.__contains__(self, get(cast("str", name)).name)
        except InputError:
            return False

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a metric, or the default if it is not here."""
        if name in self:
            return self[name]
        return default


_PR_AREAS = ("average_precision", "pr_auc_davis_goadrich", "pr_auc_trapezoid")
AMBIGUOUS = {
    "auprc": _PR_AREAS,
    "aucpr": _PR_AREAS,
    "prc_area": _PR_AREAS,
    "alpha": ("false_positive_rate", "krippendorff_alpha"),
}
"""Names that fields define differently, in :func:`plain` form: the metrics they may mean."""


def find(
    *,
    family: str | None = None,
    needs: str | None = None,
    text: str | None = None,
    better: str | None = None,
    needs_scores: bool | None = None,
    moves: bool | None = None,
    balance: str | None = None,
    within: tuple[float, float] | None = None,
) -> list[Metric]:
    """Return the metrics that match all given criteria.

    Parameters
    ----------
    family : {"threshold", "rank", "probability", "multi-label"}, optional
    needs : str, optional
        What the function reads: "counts", "matrix", "ranking" and so on.
    text : str, optional
        Text to search for in name, title, formula, meaning and aliases.
    better : {"high", "low", "neither"}, optional
    needs_scores : bool, optional
        Whether the metric needs scores, not only decisions.
    moves : bool, optional
        Whether it changes with prevalence; see :mod:`tallymark.metric.skew`.
    balance : {"invariant", "rises", "falls", "either", "turns"}, optional
        How it changes as negatives become more frequent at fixed TPR and TNR.
    within : (low, high), optional
        Only metrics whose range lies within this one.

    Examples
    --------
    >>> [m.name for m in find(text="threat score")]
    ['jaccard', 'equitable_threat_score']
    >>> find(family="rank", moves=False)[0].name
    'roc_auc'

    """
    from tallymark.metric import skew

    lists: dict[str, tuple[str | None, Iterable[str]]] = {
        "family": (family, FAMILIES.values()),
        "needs": (needs, FAMILIES),
        "better": (better, ("high", "low", "neither")),
        "balance": (balance, skew.KINDS),
    }
    for fact, (word, allowed) in lists.items():
        if word is not None:
            check_word(fact, word, sorted(set(allowed)))

    def fits(m: Metric) -> bool:
        words = " ".join([m.name, m.title, m.words.formula, m.words.meaning, *m.aliases]).lower()
        return (
            (family is None or m.family == family)
            and (needs is None or m._needs == needs)
            and (better is None or m.better == better)
            and (needs_scores is None or (m._needs not in OF_DECISIONS) == needs_scores)
            and (within is None or (within[0] <= m.range[0] and m.range[1] <= within[1]))
            and (text is None or text.lower() in words)
            and (moves is None or skew.moves_with_prevalence(m) == moves)
            and (balance is None or skew.balance(m).kind == balance)
        )

    return [m for m in METRICS.values() if fits(m)]


ratio: Function = np.true_divide
"""Quotient by floating-point rules: x/0 is infinite, 0/0 is NaN, with no tolerance around 0."""


def log_of(base: float) -> float:
    """Return the natural logarithm of a base; a base of at most 1 raises InputError."""
    if not base > 1:
        raise InputError(f"base is {base!r}; give a base above 1")
    return math.log(base)


def magnitude(x: Any) -> Any:
    """Return the absolute value; a complex step keeps its derivative in the imaginary part."""
    x = np.asarray(x)
    return np.where(x.real < 0, -x, x)


@checked(
    function=FUNCTION,
    needs=one_of(*FAMILIES),
    name=TEXT,
    range=pair_of(number("[-inf, inf]", "a number")),
    better=one_of("high", "low", "neither"),
    undefined=mapping("tests by their words"),
)
def Statistic(  # noqa: N802 - called like a class
    function: Function,
    *,
    needs: Needs = "counts",
    name: str | None = None,
    range: tuple[float, float] = (-math.inf, math.inf),
    better: Literal["high", "low", "neither"] = "neither",
    undefined: Mapping[str, Function] | None = None,
    **declared: Any,
) -> Metric:
    """Return a metric made of your own function, accepted wherever a metric's name is.

    Parameters
    ----------
    function : callable
        A function of the input named by ``needs``, with any leading axes: ``Counts`` (tp, fp, fn,
        tn) for "counts", counts[..., true, predicted] for "matrix", ``ScoreCounts`` (scores, pos,
        neg) for "ranking" or "probability". Its keyword arguments are the metric's parameters.
    needs : str
        Input of the function: see :class:`tallymark.metric.Metric`.
    name : str, optional
        By default the function's name. The name of a registered metric is refused.
    range : (low, high)
        Range of the values; metrics of decisions with a bounded range get a jackknife interval.
    better : {"high", "low", "neither"}
        With "high" or "low", comparisons of models can name the better one.
    undefined : mapping of texts to tests, optional
        Reasons why the value is undefined, and their tests; by default, where the function is NaN.
    declared
        Other properties of :class:`tallymark.metric.Metric`, such as ``smooth=False`` or ``error``.

    Raises
    ------
    InputError
        If ``function`` is not a function, the name is missing or taken, or ``needs`` is unknown.

    Examples
    --------
    >>> import tallymark as tm
    >>> cost = tm.Statistic(lambda c: (5 * c.fn + c.fp) / c.total, name="cost_a_row", range=(0, 5))
    >>> ev = tm.evaluate([1] * 100 + [0] * 100, [1] * 70 + [0] * 110 + [1] * 20)
    >>> print(ev.value(cost))
    0.85 (95 % CI 0.62 to 1.10)

    """
    own = str(name or getattr(function, "__name__", ""))
    if not own.isidentifier():
        raise InputError(f"a statistic needs a name, and this is {own!r}; say name='my_number'")
    statistic = Metric._of(
        name=own,
        title=own.replace("_", " "),
        formula=f"{own}, a function of the user",
        needs=needs,
        range=range,
        better=better,
        function=function,
        undefined=undefined or {"the function gave no number": partial(_no_number, function)},
        meaning=" ".join((function.__doc__ or own).split()),
        params=dict(getattr(function, "__kwdefaults__", None) or {}),
        **declared,
    )
    keep_own(statistic)
    return statistic


def _no_number(function: Function, data: Any) -> Any:
    return np.isnan(np.asarray(function(data), dtype=np.float64))
