"""Read and compare tables of results: tallymark.compare_results."""

from __future__ import annotations

import re
from typing import Any, get_args

import numpy as np

from tallymark import InputError
from tallymark.core import Results, check_name, contract, metric_of, read_metric, refuse_large
from tallymark.parts.results.comparison import (
    Better,
    Field,
    ModelComparison,
    Terms,
    Test,
    comparison_of,
)
from tallymark.parts.results.friedman import Ties
from tallymark.parts.results.posteriors import DRAWS

_MOST_NAMES = 5
_MANY_PAIRS = 45


@contract.checked(
    test=contract.one_of(*get_args(Test)),
    ties=contract.one_of(*get_args(Ties)),
    rope=contract.number(
        "[0, inf)", "the largest difference that does not matter, such as 0.01, or 0"
    ),
    **dict.fromkeys(("control", "classifier", "repeat", "fold"), contract.TEXT),
)
def compare_results(
    table: Any,
    metric: str | None = None,
    *,
    better: Better | None = None,
    control: str | None = None,
    rope: float = 0.01,
    level: float = 0.95,
    test: Test = "auto",
    ratio: float | None = None,
    ties: Ties = "corrected",
    draws: int | None = None,
    seed: int = 0,
    dataset: str | None = None,
    classifier: str | None = None,
    repeat: str | None = None,
    fold: str | None = None,
    value: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
) -> ModelComparison:
    """Compare classifiers by a table of their results.

    One data set is judged by its folds, several by the ranks of the classifiers on them (see
    :class:`ModelComparison` for which test decides). Beside every test stands how probable it is
    that a classifier is better, about equal or worse, which a p-value does not say.

    Parameters
    ----------
    table : path, data frame, mapping of columns or Results
        One row a result: columns of the data set, the classifier, if there are several results of
        them the repeat and the fold, and the values, in a column a metric or in the columns
        ``metric`` and ``value``. Columns are found by their names (``dataset``; ``classifier``,
        ``algorithm`` or ``model``; ``repeat`` or ``run``; ``fold``; Weka's own). Without data sets
        all results are of one, and a column of seeds tells its repeats apart. The
        ``cv_results_`` of a search of scikit-learn, or ``{name: cv_results_}``, is such a table:
        each candidate is a classifier, each scorer a metric, and ``score`` that of a single scorer.
    metric : str, optional
        Which one, where the table has several.
    better : {"high", "low"}, optional
        Which values are good; known of every metric of the registry.
    control : str, optional
        A classifier to compare all others with, instead of comparing all pairs.
    rope : float
        The largest difference that does not matter, in units of the metric.
    level : float
        Of intervals; tests call two classifiers different where p < 1 - level.
    test : {"auto", "corrected_t", "5x2_t", "5x2_f", "wilcoxon"}
        Over the folds of one data set: by default the corrected resampled t. Dietterich's t and
        Alpaydin's F of five repeats of two folds find differences too often with few rows, and
        say so.
    ratio : float, optional
        Test rows over training rows; by default 1/(k-1) of k folds.
    ties : {"corrected", "plain"}
        Of Friedman's test: see :func:`tallymark.parts.results.friedman.friedman`.
    draws, seed : int
        Of the Bayesian signed rank test; by default 50,000 draws, of more than 45 pairs fewer,
        down to 5,000.
    dataset, classifier, repeat, fold, value : str, optional
        What the columns are called, where that cannot be told.
    header, sheet : optional
        Of a file, as in :func:`tallymark.evaluate`.

    Raises
    ------
    InputError
        A table that cannot be used, several metrics of which none was chosen, fewer than two
        classifiers, no data set on which all have a result, or an option that does not exist.

    Sources: demsar2006; nadeau2003; benavoli2017.

    Examples
    --------
    >>> t = {"dataset": list("aaabbbcccddd"), "classifier": ["tree", "bayes", "net"] * 4,
    ...      "accuracy": [.8, .7, .9, .6, .5, .8, .9, .7, .95, .7, .65, .8]}
    >>> c = compare_results(t)
    >>> c.mean_ranks
    {'net': 1.0, 'tree': 2.0, 'bayes': 3.0}
    >>> c.pair("net", "bayes").winner, c.pair("net", "tree").winner
    ('net', None)

    """
    roles = {
        "dataset": dataset,
        "algorithm": classifier,
        "repeat": repeat,
        "fold": fold,
        "value": value,
    }
    stated = {role: column for role, column in roles.items() if column is not None}
    results = read_metric(table, metric, stated, header=header, sheet=sheet)
    name, values = results.metrics[0], results.values[:, 0]
    refuse_large(values[~np.isnan(values)], name)
    good, assumed = _direction(name, better)
    if len(results.algorithms) < 2:
        raise InputError(
            f"{results.source} has one classifier, {results.algorithms[0]!r}; comparing needs two "
            "or more"
        )
    if control is not None:
        check_name("classifier", control, results.algorithms)
    if draws is None:
        k = len(results.algorithms)
        pairs = k - 1 if control is not None else k * (k - 1) // 2
        draws = max(min(DRAWS, DRAWS * _MANY_PAIRS // pairs), DRAWS // 10)
    terms = Terms(name, good, level, rope, control, test, ratio, ties, draws, seed)
    fields, notes = _fields(results)
    return comparison_of(
        results.source, terms, fields, results.algorithms, (*results.assumed, *assumed, *notes)
    )


_LOW = re.compile(
    "(loss|errors?|err|time|seconds|latency|nll|mse|mae|perplexity|regret|costs?|deviance|"
    "misclassification|brier|fehler|fehlerrate|verlust|erreur|perte|pérdida)$"
)
"""Endings of names of values of which low ones are better."""


def _direction(name: str, stated: Better | None) -> tuple[Better, tuple[str, ...]]:
    """Return which values of a metric are good, and what was assumed."""
    if stated is not None:
        return stated, ()
    registered, turned = metric_of(name)
    if registered is None:
        low = any(map(_LOW.search, re.findall(r"[^\W\d_]+", name.casefold())))
        better: Better = "low" if low else "high"
        return better, (f"{better}er values of {name!r}, an unknown metric, are better",)
    if registered.better == "neither":
        raise InputError(f"{name} has no better direction; say which is better, 'high' or 'low'")
    return ("high" if (registered.better == "high") != turned else "low"), ()


# -- results, one field a data set -------------------------------------------------------------


def _fields(results: Results) -> tuple[tuple[Field, ...], tuple[str, ...]]:
    """Return the results that all classifiers share on each data set, and notes on omissions."""
    folds = bool((results.fold >= 0).any())
    used = (results.fold >= 0) | (not folds)
    fields, absent, dropped = [], [], 0
    for d, name in enumerate(results.datasets):
        rows = np.flatnonzero(used & (results.dataset == d))
        keys = np.stack([results.repeat[rows], results.fold[rows]], axis=1)
        unique, place = np.unique(keys, axis=0, return_inverse=True)
        values = np.full((len(unique), len(results.algorithms)), np.nan)
        values[place.reshape(-1), results.algorithm[rows]] = results.values[rows, 0]
        shared = ~np.isnan(values).any(1)
        if not shared.any():
            missing = np.isnan(values).all(0)
            who = repr(results.algorithms[int(missing.argmax())])
            absent.append(
                f"{name!r} (no result {f'of {who}' if missing.any() else 'that all share'})"
            )
            continue
        dropped += int(np.count_nonzero(~shared))
        repeats = np.unique(unique[:, 0], return_counts=True)[1]
        chosen = values[shared]
        chosen.setflags(write=False)
        fields.append(Field(name, chosen, len(repeats), int(repeats.max()) if folds else 0))
    if not fields:
        raise InputError(
            f"{results.source} has no data set on which all {len(results.algorithms)} classifiers "
            "have a result of the same repeat and fold; leave a classifier out"
        )
    notes = []
    if absent:
        more = f" and {len(absent) - _MOST_NAMES} more" if len(absent) > _MOST_NAMES else ""
        notes.append(f"data sets left out: {', '.join(absent[:_MOST_NAMES])}{more}")
    if dropped:
        notes.append(
            f"results of {dropped} repeats and folds left out, which not every classifier has"
        )
    if not used.all():
        pooled = len(results) - int(used.sum())
        notes.append(f"{pooled} pooled results left out, as there are folds")
    return tuple(fields), tuple(notes)
