"""What a metric is: one function and its declaration, in one place."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property, partial, wraps
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

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
"""What a metric needs that judges all columns of a row at once, not single classes."""

OF_DECISIONS = ("counts", "matrix", "label_sets")
"""What a metric needs that decisions are enough for."""


class OfArea(NamedTuple):
    """A linear function of the area under the ROC curve: slope · area + intercept.

    ``ties`` is what a pair of tied rows counts in the area.
    """

    slope: float = 1.0
    intercept: float = 0.0
    ties: float = 0.5

    def __call__(self, area: Any) -> Any:
        """Return the metric at an area."""
        return self.slope * area + self.intercept


class OfProportion(NamedTuple):
    """A function of a proportion, up to its greatest value where the proportion is ``turn``.

    ``counts`` returns the part and the whole.
    """

    counts: Function
    value: Function
    turn: float

    def image(self, low: Any, high: Any) -> tuple[Any, Any]:
        """Return the least and the greatest value between two proportions."""
        least = np.minimum(self.value(low), self.value(high))
        return least, self.value(np.clip(self.turn, low, high))


class RowLoss(NamedTuple):
    """A mean over rows of a loss of :data:`tallymark.tally.sums.LOSSES`, or a function of it."""

    name: str
    outer: Function | None = None

    def __call__(self, mean: Any) -> Any:
        """Return the metric at a mean of the losses."""
        return mean if self.outer is None else self.outer(mean)


class _OwnSignature:
    """What a metric is called with, its own parameters first; the class keeps its signature."""

    def __get__(self, made: Metric | None, owner: type) -> inspect.Signature:
        if made is None:
            raise AttributeError("__signature__")
        _, y_true, y_pred, *options, _ = inspect.signature(Metric._number).parameters.values()
        own = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in made.params.items()
        ]
        return inspect.Signature([y_true, y_pred, *own, *options])


@dataclass(frozen=True)
class Words:
    """What is said of a metric.

    ``misleads`` says when not to trust the number, and ``_relatives`` names the metrics to read
    beside it or that are a function of it. ``_opinion`` is who has words for its values, and the
    function that returns the word of a value: a convention, shown as theirs.
    """

    formula: str
    meaning: str
    misleads: str = ""
    sources: tuple[str, ...] = ()
    _relatives: tuple[str, ...] = ()
    _opinion: tuple[str, Callable[[float], str]] | None = None


@dataclass(frozen=True)
class Sampling:
    """How a metric varies from sample to sample, by which its interval is chosen.

    ``error`` is the structure of the sampling error: "smooth" where every row moves the value a
    little; "quantile" where single rows decide (a quantile, a threshold met exactly); "extreme"
    where the first rows of all do, or the place of a maximum; "optimistic" where the value is
    biased one way in any finite sample (a maximum over thresholds); "fitted" where it is so as a
    fit to these rows or their greatest distance, which few lead far astray; "null_at_zero" where it
    is such a distance from calibrated probabilities, whose interval excludes 0 only if calibrated
    probabilities would rarely be that far. ``smooth`` is whether complex steps through counts give
    derivatives; of scores it says nothing. ``operating_point``, of the counts and parameters, is
    the threshold at which a "quantile" metric is read, a place of
    ``ScoreCounts.cumulative_counts``.

    ``proportion`` returns the part and the whole of a share of rows. ``of_proportion`` says of
    which proportion it is a function, which its interval is the image of. ``of_area`` says that it
    is a linear function of the ROC area, ``row_loss`` that it is a mean of row losses or a function
    of one, and ``averages`` of which metric it is the average over classes against the rest
    ("weighted") or over pairs of classes ("pairs"). ``placements``, of the parameters, says of
    which shares of the positives and of the negatives it is a mean of where each stands among the
    others, anywhere in the range by chance: (1, 1) for an area. None where it is no such mean.
    ``shows_se`` says that the number is published with its standard error, as coefficients of
    agreement are: it is then printed beside the interval.
    """

    error: Error = "smooth"
    smooth: bool = True
    operating_point: Function | None = None
    proportion: Function | None = None
    of_proportion: OfProportion | None = None
    of_area: OfArea | None = None
    row_loss: RowLoss | None = None
    averages: tuple[str, Literal["pairs", "weighted"]] | None = None
    placements: Callable[..., tuple[float, float]] | None = None
    shows_se: bool = False


@dataclass(frozen=True)
class Scoring:
    """What a metric of scores reads of them.

    ``order`` is set where the value depends on the order of the scores alone, ties included, so
    that no increasing map of a score column moves it: "whole" where it judges the ranking from top
    to bottom, "part" where it is read at one place or in a part of it. None where it reads the
    scores themselves, which ``reads_scores`` says that it does at some of its parameters.
    ``binning_bounds`` bounds the value where scores were counted in bins: "ends" for a metric that
    never gets worse when a positive's score rises or another's falls, else a function of the
    ScoreCounts of the worst and the best arrangement within the bins that returns two bounds (NaN
    where it cannot); None where no bounds are proved.
    """

    order: Order | None = None
    reads_scores: Callable[..., bool] | None = None
    binning_bounds: Literal["ends"] | Function | None = None


@dataclass(frozen=True, eq=False)
class Metric:
    """A number that judges a classifier, with all that is known about it.

    Call it on arrays, ``metric(y_true, y_pred)`` or ``metric(y_true, y_score)``, or on a tally;
    it returns a plain float, or one number a class with ``average="per_class"``.

    ``_needs`` says what the function reads:

    - ``counts``: Counts of any shape, and ``matrix``: counts[..., true, predicted];
    - ``ranking``: one ScoreCounts, a class against the rest, and ``probability``: the same, of
      probabilities;
    - ``probabilities``: a tuple of ScoreCounts, one for two classes, else one a class;
    - ``class_scores``: a tuple of ScoreTally, one a class, with all its true classes;
    - ``rows``: Sums, for losses that need a row's whole vector of scores;
    - ``label_sets``: Sums over rows that have any number of labels, of the predicted sets, and
      ``label_rankings``: of the order of their labels by score.

    ``classes`` is "many" where the metric says nothing of two classes. ``_effort`` says that it
    reads the effort of rows, 1 where none was given: "needed" where it then says nothing new, so
    that it is refused, else "optional". ``_kind`` is the family where it is not what ``_needs``
    implies. ``_listed`` is whether it is reported without being asked for by name; metrics of
    effort are where efforts were given. They are declared without the underscore.

    ``undefined`` maps the words of a reason to the test for it: the value is NaN exactly when one
    of them holds. A test may take the metric's parameters, by their names. ``_range_given`` is the
    range as a function of parameters, where they move it. ``_capacity`` says that it is what can be
    acted on, so that a limit to it is an upper one though neither high nor low is better.
    """

    _number: ClassVar[Function]

    name: str
    title: str
    _function: Function
    undefined: Mapping[str, Function]
    words: Words
    _needs: Needs = "counts"
    classes: Literal["any", "many"] = "any"
    _effort: Literal["", "optional", "needed"] = ""
    _kind: str | None = None
    _listed: bool = True
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
        """Return a metric of its facts, by their names, whichever group holds each."""
        own, groups = _grouped(facts)
        return cls(**own, **{group: _GROUPS[group](**held) for group, held in groups.items()})

    def _changed(self, **facts: Any) -> Metric:
        """Return the metric with other facts, by their names, whichever group holds each."""
        own, groups = _grouped(facts)
        held = {group: replace(getattr(self, group), **some) for group, some in groups.items()}
        return replace(self, **own, **held)

    @cached_property
    def family(self) -> str:
        """``threshold``, ``rank``, ``probability`` or ``multi-label``."""
        return self._kind or FAMILIES[self._needs]

    @cached_property
    def _roc_area(self) -> OfArea | None:
        """What it is of the ROC area in which ties count half, None where it is not of that.

        >>> get("gini_coefficient")._roc_area(0.75), get("f1")._roc_area
        (0.5, None)
        """
        of = self._sampling.of_area
        return of if of is not None and of.ties == 0.5 else None

    @cached_property
    def _of_one_class(self) -> bool:
        """Whether it can judge one class of several against the rest.

        >>> get("mcc")._of_one_class, get("top_k_accuracy")._of_one_class
        (True, False)
        """
        return self.classes != "many" and self._needs not in OF_WHOLE_ROWS

    @cached_property
    def in_a_sentence(self) -> str:
        """The title as it stands within a sentence: names and abbreviations keep their capitals.

        >>> get("roc_auc").in_a_sentence, get("cohen_kappa").in_a_sentence, get("f1").in_a_sentence
        ('area under the ROC curve', "Cohen's kappa", 'F1')
        """
        first = self.title.split()[0]
        plain = first.isalpha() and first[1:].islower() and first not in _PEOPLE
        return self.title[:1].lower() + self.title[1:] if plain else self.title

    @cached_property
    def wanted(self) -> str:
        """What it is computed from, in a word.

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

    def range_of(self, **params: Any) -> tuple[float, float]:
        """Return the range at these parameters.

        >>> get("partial_roc_auc").range_of(high=0.5)
        (0.0, 0.5)
        """
        if self._range_given is None:
            return self.range
        given = {**self.params, **params}
        low, high = self._range_given(**{p: given[p] for p in _arguments(self._range_given)})
        return low, high

    def _order_of(self, **params: Any) -> Order | None:
        """Return the ``order`` at these parameters, None where it reads the scores themselves.

        >>> get("roc_auc")._order_of(), get("brier")._order_of()
        ('whole', None)
        """
        order, reads_scores = self._scoring.order, self._scoring.reads_scores
        if reads_scores is None:
            return order
        given = {**self.params, **params}
        wanted = {p: given[p] for p in _arguments(reads_scores)}
        return None if reads_scores(**wanted) else order

    def _at_parameters(self, fact: Function, data: Any, params: Mapping[str, Any]) -> Any:
        """Return a declared function of data and of those of the parameters that it asks for."""
        given = {**self.params, **params}
        return fact(data, **{name: given[name] for name in _arguments(fact)[1:]})

    def compute(self, data: Any, **params: Any) -> NDArray[Any]:
        """Apply the formula to counts of any shape; NaN where it is undefined."""
        given = {**self.params, **params}
        with np.errstate(all="ignore"):
            values = np.asarray(self._function(data, **given))
            if self._gives_nan and (self._needs == "counts" or np.shape(data)[-1] > 1):
                return values
            for _, undefined in self._undefined(data, given):
                if np.count_nonzero(undefined):
                    values = np.where(undefined, np.nan, values)
        return values

    @cached_property
    def _gives_nan(self) -> bool:
        """Whether the formula itself is NaN where a declared reason holds.

        That is a law of all metrics of decisions in the registry, of two classes and more.
        """
        return self._needs in ("counts", "matrix") and METRICS.get(self.name) is self

    def _undefined(
        self, data: Any, given: Mapping[str, Any]
    ) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Yield the words of each reason, and where it makes the value undefined."""
        for words, case in self.undefined.items():
            yield words, np.asarray(case(data, **{n: given[n] for n in _arguments(case)[1:]}))

    def _check(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return parameters as plain Python, refusing those that the metric does not have."""
        for name in params:
            if name not in self.params:
                known = choices(name, self.params) if self.params else "it has none"
                raise InputError(f"{self.name} has no parameter {name!r}; {known}")
        if METRICS.get(self.name) is not self:  # a user's own, whose parameters are the user's
            return dict(params)
        return {
            name: value
            if value is self.params[name]
            else _kind(name, self.params[name]).of(name, value)
            for name, value in params.items()
        }

    def _cases(self, data: Any, **params: Any) -> dict[str, NDArray[Any]]:
        """Return, for each declared reason, where it makes the value undefined."""
        with np.errstate(all="ignore"):
            return dict(self._undefined(data, {**self.params, **params}))

    def reason(self, data: Any, **params: Any) -> str | None:
        """Say in words why the value is undefined on these counts, or None where it is not."""
        words = [w for w, undefined in self._cases(data, **params).items() if np.any(undefined)]
        return " and ".join(words) or None

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        """Return the metric of arrays or of a tally; see :func:`tallymark.metric.measure.number`.

        Options: ``positive``, ``labels``, ``sample_weight``, ``average`` ("binary", "macro",
        "micro", "weighted", "per_class"), ``undefined`` ("nan", "raise" or a number),
        ``skip_undefined``, ``missing``, and the metric's own parameters.
        """
        return Metric._number(self, *arrays, **options)

    __signature__ = _OwnSignature()

    # -- as a function -------------------------------------------------------------------------

    def __post_init__(self) -> None:
        """Take the attributes of a function, which scikit-learn and functools.wraps read."""
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
        """Let a metric of the registry be pickled as functions are, by its name and module."""
        if METRICS.get(self.name) is self:
            return _by_name, (self.__module__, self.name)
        return _own_again, ({f.name: getattr(self, f.name) for f in fields(self)},)

    def __copy__(self) -> Metric:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Metric:
        return self


def _by_name(module: str, name: str) -> Metric:
    """Return a metric of the registry, after the import of the module that declares it."""
    if plain(name) not in _NAMES:
        import_module(module)
    if plain(name) not in _NAMES:
        raise InputError(
            f"the metric {name!r} is declared in {module}, which this process has not run; "
            "declare it in a module that can be imported"
        )
    return get(name)


def _own_again(facts: Mapping[str, Any]) -> Metric:
    """Return a user's own metric from a pickle; it is found under its name if none else is."""
    made = Metric(**facts)
    _OWN.setdefault(plain(made.name), made)
    return made


_GROUPS: Mapping[str, type] = {"words": Words, "_sampling": Sampling, "_scoring": Scoring}
_FIELDS = {f.name.removeprefix("_"): f.name for f in fields(Metric)}
"""The field of each fact that a metric holds itself, by the name under which it is declared."""

_GROUP_FIELDS = {
    f.name.removeprefix("_"): (group, f.name)
    for group, made in _GROUPS.items()
    for f in fields(made)
}
"""The group of each other fact, and its field there."""


def _grouped(facts: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the facts that a metric holds itself, and those of each of its groups."""
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
    """Declare the function that applies a metric to arrays and tallies.

    It stands in :mod:`tallymark.metric.measure`, which builds on this module.
    """
    Metric._number = staticmethod(function)
    return function


def _kind(name: str, default: Any) -> Kind:
    """Return what a parameter may be: its name tells or its default, and the metric its limits."""
    return CONTRACT.get(name) or {bool: FLAG, str: TEXT}.get(type(default), REAL)


@cache
def _arguments(function: Function) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


_PEOPLE = frozenset({"Brier", "Cllr", "Gini", "Hand", "Jaccard", "Matthews", "Provost"})
"""Words that begin titles and keep their capital."""

_METRICS: dict[str, Metric] = {}
_NAMES: dict[str, tuple[str, str]] = {}
"""Names and aliases as they were given, and whose they are, by how they are looked up."""

METRICS: Mapping[str, Metric] = MappingProxyType(_METRICS)
"""Every metric by its name."""


def metric(
    *,
    name: str | None = None,
    presets: Mapping[str, Mapping[str, Any]] | None = None,
    **declared: Any,
) -> Callable[[Function], Metric]:
    """Declare a function to be a metric and put it into the registry.

    The function's docstring says what the number means, and in the paragraph "Misleading:" when
    not to trust it; its keyword arguments are the metric's parameters. ``presets`` are the metric
    at fixed ``params``, under names of their own, with facts of their own: ``title``, ``meaning``
    and others. A family has a decorator of its own where its metrics share more than the defaults.
    """

    def declare(function: Function) -> Metric:
        meaning, *more = (" ".join(p.split()) for p in (function.__doc__ or "").split("\n\n"))
        cautions = [p.removeprefix(CAUTION) for p in more if p.startswith(CAUTION)]
        made = Metric._of(
            name=name or function.__name__,
            function=function,
            meaning=meaning,
            misleads=" ".join(cautions),
            params=dict(function.__kwdefaults__ or {}),
            **declared,
        )
        object.__setattr__(made, "__doc__", function.__doc__)
        all_made = [made, *(_preset(made, *item) for item in (presets or {}).items())]
        _register(all_made)
        return made

    return declare


CAUTION = "Misleading: "
"""Begins the paragraph of a docstring that says when not to trust the number."""

SKILL: Mapping[str, Any] = {"range": (-1, 1), "chance": 0.0}
"""What is declared of a metric that is 0 for guessing and at most 1 either way."""


def share(**declared: Any) -> Callable[[Function], Metric]:
    """Declare a metric that is a share of rows: the function returns the part and the whole."""

    def declare(function: Function) -> Metric:
        @wraps(function)
        def value(data: Any) -> Any:
            return ratio(*function(data))

        return metric(proportion=function, **declared)(value)

    return declare


def _preset(made: Metric, name: str, facts: Mapping[str, Any]) -> Metric:
    declared = {
        "aliases": (),
        "range": made.range_of(**facts["params"]),
        "relatives": (made.name, *(other for other in made.words._relatives if other != name)),
        **facts,
        "params": {**made.params, **facts["params"]},
    }
    named = made._changed(name=name, preset_of=made.name, **declared)
    object.__setattr__(named, "__doc__", f"{named.words.meaning}\n\n{made.__doc__}")
    return named


def plain(name: object) -> str:
    """Return a name as it is looked up: lower case, words joined by underscores."""
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
    """Put a metric and its presets into the registry, all or none."""
    names = dict(_NAMES)
    for made in metrics:
        for key in made.words.sources:
            if key not in SOURCES and " " not in key:
                raise ValueError(f"metric {made.name!r} cites the unknown source {key!r}")
        for word in (made.name, *made.aliases):
            kind = "name" if word == made.name else "alias"
            if plain(word) in names:
                raise ValueError(_clash(kind, word, made.name, *names[plain(word)]))
            names[plain(word)] = word, made.name
    _NAMES.update(names)
    _METRICS.update((made.name, made) for made in metrics)


def add_metrics_of_parts() -> None:
    """Load the metrics that parts declare, and list them where these say."""
    in_their_places("metrics", _METRICS)


def _clash(kind: str, word: str, metric_name: str, other: str, owner: str) -> str:
    """Return why a name or an alias is refused, which another one is taken for."""
    whose = f"{other!r}" if owner == metric_name else f"{other!r} of the metric {owner!r}"
    if word == other:
        return f"{kind} {word!r} of the metric {metric_name!r} is taken: it names {owner!r}"
    how = "case" if word.lower() == other.lower() else "case, blanks, hyphens or apostrophes"
    return f"{kind} {word!r} differs from {whose} in {how} only; leave one out"


def twice_named() -> set[str]:
    """Return the metrics that a preset repeats at their own parameters, such as F-beta at 1."""
    return {
        m._preset_of
        for m in METRICS.values()
        if m._preset_of and m.params == get(m._preset_of).params
    }


_OWN: dict[str, Metric] = {}


def keep_own(made: Metric) -> None:
    """Let a user's own metric be found under its name, the last of that name.

    It is in no list of metrics, and refused under the name of one.
    """
    if plain(made.name) in _NAMES:
        raise InputError(f"{made.name!r} is already a metric; give the statistic another name")
    _OWN[plain(made.name)] = made


def get(name: str | Metric) -> Metric:
    """Return a metric by its name or one of its aliases.

    >>> get("TPR").name
    'sensitivity'
    """
    if isinstance(name, Metric):
        return name
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

    if (found := with_arguments(name)) is not None:
        given = found[1].replace('"', "'")
        raise InputError(f"{name!r} is {found[0].name} with {given}; use that instead")
    raise InputError(f"there is no metric {name!r}; {choices(key, _NAMES)}")


_PR_AREAS = ("average_precision", "pr_auc_davis_goadrich", "pr_auc_trapezoid")
AMBIGUOUS = {
    "auprc": _PR_AREAS,
    "aucpr": _PR_AREAS,
    "prc_area": _PR_AREAS,
    "alpha": ("false_positive_rate", "krippendorff_alpha"),
}
"""Names of which every field has its own definition, as they are looked up."""


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
    """List the metrics that fit every fact asked for.

    Parameters
    ----------
    family : {"threshold", "rank", "probability", "multi-label"}, optional
    needs : str, optional
        What the function reads: "counts", "matrix", "ranking" and so on.
    text : str, optional
        Looked up in all their words.
    better : {"high", "low", "neither"}, optional
    needs_scores : bool, optional
        Whether decisions alone are not enough.
    moves : bool, optional
        Whether it moves with the prevalence; see :mod:`tallymark.metric.skew`.
    balance : {"invariant", "rises", "falls", "either", "turns"}, optional
        What it does as negatives become more frequent, both rates being kept.
    within : (low, high), optional
        Only metrics whose values cannot leave this range.

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
    for fact, (word, known) in lists.items():
        if word is not None:
            check_word(fact, word, sorted(set(known)))

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
"""Divides plainly: x/0 is infinite, 0/0 is NaN, and no small number is called zero."""


def log_of(base: float) -> float:
    """Return the natural logarithm of a logarithm's base, after refusing one that is none."""
    if not base > 1:
        raise InputError(f"base is {base!r}; give a base above 1")
    return math.log(base)


def magnitude(x: Any) -> Any:
    """Return the absolute value, keeping the imaginary part that carries a derivative."""
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
def Statistic(  # noqa: N802 - to its users it makes a thing, as a class does
    function: Function,
    *,
    needs: Needs = "counts",
    name: str | None = None,
    range: tuple[float, float] = (-math.inf, math.inf),
    better: Literal["high", "low", "neither"] = "neither",
    undefined: Mapping[str, Function] | None = None,
    **declared: Any,
) -> Metric:
    """Return a function of counts or scores as a metric, which every method takes beside a name.

    Parameters
    ----------
    function : callable
        Of what ``needs`` says, with any leading axes: ``Counts`` (tp, fp, fn, tn) for "counts",
        counts[..., true, predicted] for "matrix", ``ScoreCounts`` (scores, pos, neg) for "ranking"
        or "probability". Its keyword arguments are its parameters.
    needs : str
        What the function reads: see :class:`tallymark.metric.Metric`.
    name : str, optional
        The function's own name by default. It may not be that of a metric.
    range : (low, high)
        What the values cannot leave; a bounded range lets decisions have the jackknife's interval.
    better : {"high", "low", "neither"}
        "high" or "low" lets it decide between models.
    undefined : mapping of words to tests, optional
        Where the value is undefined, and why; by default where the function gives NaN.
    declared
        Other facts of :class:`tallymark.metric.Metric`, such as ``smooth=False`` or ``error``.

    Raises
    ------
    InputError
        What is no function, has no name or the name of a metric, or needs something unknown.

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
    made = Metric._of(
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
    keep_own(made)
    return made


def _no_number(function: Function, data: Any) -> Any:
    return np.isnan(np.asarray(function(data), dtype=np.float64))
