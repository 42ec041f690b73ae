"""What a metric is: one function and its declaration, in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tallymark.errors import InputError, choices
from tallymark.metric.sources import SOURCES

if TYPE_CHECKING:
    from numpy.typing import NDArray

Needs = Literal["counts", "matrix", "ranking", "probabilities"]
Function = Callable[..., Any]

FAMILIES: Mapping[str, str] = {
    "counts": "threshold",
    "matrix": "threshold",
    "ranking": "rank",
    "probabilities": "probability",
}


@dataclass(frozen=True, slots=True)
class Preset:
    """A metric at fixed parameters, under a name of its own."""

    params: Mapping[str, Any]
    title: str
    meaning: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Metric:
    """A number that judges a classifier, with all that is known about it.

    Call it on arrays, ``metric(y_true, y_pred)`` or ``metric(y_true, y_score)``, or on a tally;
    it returns a plain float, or one number a class with ``average="per_class"``.

    ``needs`` says what the function reads: ``counts`` (Counts of any shape), ``matrix``
    (counts[..., true, predicted]), ``ranking`` (one Ranking) or ``probabilities`` (a tuple of
    Rankings: one for two classes, else one a class). ``undefined`` maps the words of a reason to
    the test for it: the value is NaN exactly when one of them holds.
    """

    name: str
    title: str
    formula: str
    needs: Needs
    range: tuple[float, float]
    better: Literal["high", "low", "neither"]
    function: Function
    undefined: Mapping[str, Function]
    meaning: str
    aliases: tuple[str, ...] = ()
    chance: float | str | None = None
    sources: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    smooth: bool = True
    proportion: Function | None = None
    kernel: Callable[[int, int, int, int], float] | None = None
    preset_of: str | None = None

    @property
    def family(self) -> str:
        """``threshold``, ``rank`` or ``probability``."""
        return FAMILIES[self.needs]

    def compute(self, data: Any, **params: Any) -> NDArray[Any]:
        """Apply the formula to counts of any shape; NaN where it is undefined."""
        with np.errstate(all="ignore"):
            values = np.asarray(self.function(data, **{**self.params, **params}))
            for case in self.undefined.values():
                values = np.where(case(data), np.nan, values)
        return values

    def reason(self, data: Any) -> str | None:
        """Say in words why the value is undefined on these counts, or None where it is not."""
        with np.errstate(all="ignore"):
            words = [w for w, case in self.undefined.items() if np.any(case(data))]
        return " and ".join(words) or None

    def __call__(self, y_true: Any, y_pred: Any = None, **options: Any) -> Any:
        """Return the metric of arrays or of a tally; see :func:`tallymark.metric.measure.number`.

        Options: ``positive``, ``labels``, ``sample_weight``, ``average`` ("binary", "macro",
        "micro", "weighted", "per_class"), ``undefined`` ("nan", "raise" or a number),
        ``skip_undefined``, ``missing``, and the metric's own parameters.
        """
        from tallymark.metric import measure

        return measure.number(self, y_true, y_pred, **options)


_METRICS: dict[str, Metric] = {}
_NAMES: dict[str, str] = {}

METRICS: Mapping[str, Metric] = MappingProxyType(_METRICS)
"""Every metric by its name."""


def metric(
    *,
    title: str,
    formula: str,
    needs: Needs,
    range: tuple[float, float],
    better: Literal["high", "low", "neither"],
    undefined: Mapping[str, Function],
    name: str | None = None,
    presets: Mapping[str, Preset] | None = None,
    **declared: Any,
) -> Callable[[Function], Metric]:
    """Declare a function to be a metric and put it into the registry.

    The function's docstring says what the number means; its keyword arguments are the metric's
    parameters. ``presets`` are the metric at fixed parameters, under names of their own.
    """

    def declare(function: Function) -> Metric:
        own = name or function.__name__
        parameters = dict(function.__kwdefaults__ or {})
        made = Metric(
            name=own,
            title=title,
            formula=formula,
            needs=needs,
            range=range,
            better=better,
            function=function,
            undefined=undefined,
            meaning=_first_paragraph(function.__doc__ or ""),
            params=parameters,
            **declared,
        )
        object.__setattr__(made, "__doc__", function.__doc__)
        _register(made)
        for preset, fixed in (presets or {}).items():
            named = replace(
                made,
                name=preset,
                title=fixed.title,
                meaning=fixed.meaning,
                params={**parameters, **fixed.params},
                aliases=fixed.aliases,
                preset_of=own,
            )
            object.__setattr__(named, "__doc__", f"{fixed.meaning}\n\n{function.__doc__}")
            _register(named)
        return made

    return declare


def _first_paragraph(text: str) -> str:
    return " ".join(text.strip().split("\n\n")[0].split())


def plain(name: str) -> str:
    """Return a name as it is looked up: lower case, words joined by underscores."""
    return "_".join(name.lower().replace("-", " ").replace("_", " ").replace("'", "").split())


def _register(made: Metric) -> None:
    for key in made.sources:
        if key not in SOURCES:
            raise ValueError(f"metric {made.name!r} cites the unknown source {key!r}")
    names: dict[str, str] = {}
    for word in (made.name, *made.aliases):
        if plain(word) in _NAMES or plain(word) in names:
            raise ValueError(f"two metrics are called {word!r}")
        names[plain(word)] = made.name
    _NAMES.update(names)  # all or none: a metric that is refused leaves no name behind
    _METRICS[made.name] = made


def get(name: str | Metric) -> Metric:
    """Return a metric by its name or one of its aliases.

    >>> get("TPR").name
    'sensitivity'
    """
    if isinstance(name, Metric):
        return name
    found = _NAMES.get(plain(name))
    if found is None:
        raise InputError(f"there is no metric {name!r}; {choices(plain(name), _NAMES)}")
    return _METRICS[found]


def find(
    *,
    family: str | None = None,
    needs: str | None = None,
    text: str | None = None,
    better: str | None = None,
) -> list[Metric]:
    """List the metrics that fit every fact asked for; ``text`` is looked up in all their words.

    >>> [m.name for m in find(text="jaccard")]
    ['jaccard']
    """
    _known("family", family, set(FAMILIES.values()))
    _known("needs", needs, set(FAMILIES))
    _known("better", better, {"high", "low", "neither"})

    def fits(m: Metric) -> bool:
        words = " ".join([m.name, m.title, m.formula, m.meaning, *m.aliases]).lower()
        return (
            (family is None or m.family == family)
            and (needs is None or m.needs == needs)
            and (better is None or m.better == better)
            and (text is None or text.lower() in words)
        )

    return [m for m in METRICS.values() if fits(m)]


def _known(fact: str, value: str | None, values: Iterable[str]) -> None:
    if value is not None and value not in values:
        raise InputError(f"{fact} is {value!r}; {choices(value, sorted(values))}")


def ratio(numerator: Any, denominator: Any) -> Any:
    """Divide plainly: x/0 is infinite, 0/0 is NaN, and no small number is called zero."""
    return np.true_divide(numerator, denominator)


def magnitude(x: Any) -> Any:
    """Return the absolute value, keeping the imaginary part that carries a derivative."""
    x = np.asarray(x)
    return np.where(x.real < 0, -x, x)
