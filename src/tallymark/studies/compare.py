"""Which classifier is better? A table of results over folds and data sets, put to the test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from tallymark.errors import InputError, choices
from tallymark.infer.significance import holm
from tallymark.metric import get
from tallymark.metric.proportion import quantile
from tallymark.studies.contest import Better, Contest, Field, Pair, Rule, Terms, Test
from tallymark.studies.folds import (
    FoldTest,
    check_ratio,
    corrected_t,
    differences,
    paired_5x2_f,
    paired_5x2_t,
    refuse_large,
    wilcoxon,
)
from tallymark.studies.many import (
    DRAWS,
    TIES_OF_RANKS,
    Posterior,
    Ties,
    check_rope,
    correlated_t,
    critical_difference,
    friedman,
    nemenyi,
    rank_table,
    rank_tests,
    signed_ranks,
)
from tallymark.studies.results import ALSO, Results, read_metric
from tallymark.tally.arrays import Floats

TESTS: tuple[Test, ...] = ("auto", "corrected_t", "5x2_t", "5x2_f", "wilcoxon")

NO_RATIO = (
    "how many rows each fold is trained on is not known; give ratio, test rows over training rows"
)

_MOST_NAMES = 5
_MANY_PAIRS = 45
_MOST_FOLDS = 20
"""More folds of one repeat are seldom meant: their repeats may have been numbered through."""


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
) -> Contest:
    """Compare classifiers by a table of their results, and say how surely one is better.

    One data set is judged by its folds, several by the ranks of the classifiers on them (see
    :class:`Contest` for which test decides). Beside every test stands how probable it is that a
    classifier is better, about equal or worse, which a p-value does not say.

    Parameters
    ----------
    table : path, data frame, mapping of columns or Results
        One row a result: columns of the data set, the classifier, if there are several results of
        them the repeat and the fold, and the values, in a column a metric or in the columns
        ``metric`` and ``value``. Columns are found by their names (``dataset``; ``classifier``,
        ``algorithm`` or ``model``; ``repeat`` or ``run``; ``fold``; Weka's own).
    metric : str, optional
        Which one, where the table has several.
    better : {"high", "low"}, optional
        Which values are good; known of every metric of the registry.
    control : str, optional
        A classifier to hold all others against, in place of all pairs.
    rope : float
        The largest difference that does not matter, in the metric's units.
    level : float
        Of intervals; tests call two classifiers different where p < 1 - level.
    test : {"auto", "corrected_t", "5x2_t", "5x2_f", "wilcoxon"}
        Over the folds of one data set: by default Alpaydin's F of five repeats of two folds, and
        the corrected resampled t of any others.
    ratio : float, optional
        Test rows over training rows; by default 1/(k-1) of k folds.
    ties : {"corrected", "plain"}
        Of Friedman's test: see :func:`tallymark.studies.many.friedman`.
    draws, seed : int
        Of the Bayesian signed rank test; by default 50,000 draws, of more than 45 pairs fewer,
        down to 5,000.
    dataset, classifier, repeat, fold, value : str, optional
        What the columns are called, where that cannot be told.

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
    for option, given, known in (("test", test, TESTS), ("ties", ties, TIES_OF_RANKS)):
        if given not in known:
            raise InputError(f"{option} is {given!r}; {choices(str(given), known)}")
    if better not in (None, "high", "low"):
        raise InputError(f"better is {better!r}; {choices(str(better), ('high', 'low'))}")
    quantile(level)
    check_rope(rope)
    if ratio is not None:
        check_ratio(ratio)
    if draws is not None and draws < 1:
        raise InputError(f"draws is {draws}; give a whole number from 1, such as {DRAWS}")
    stated = {"dataset": dataset, "algorithm": classifier, "repeat": repeat, "fold": fold,
              "value": value}  # fmt: skip
    results = read_metric(table, metric, {k: v for k, v in stated.items() if v is not None})
    name = results.metrics[0]
    refuse_large(results.values[:, 0][~np.isnan(results.values[:, 0])], name)
    good, assumed = _direction(name, better)
    if len(results.algorithms) < 2:
        raise InputError(
            f"{results.source} has one classifier, {results.algorithms[0]!r}; comparing takes two "
            "or more"
        )
    if control is not None and control not in results.algorithms:
        raise InputError(
            f"there is no classifier {control!r}; {choices(control, results.algorithms)}"
        )
    if draws is None:
        k = len(results.algorithms)
        pairs = k - 1 if control is not None else k * (k - 1) // 2
        draws = max(min(DRAWS, DRAWS * _MANY_PAIRS // pairs), DRAWS // 10)
    terms = Terms(name, good, level, rope, control, test, ratio, ties, draws, seed)
    fields, notes = _fields(results)
    return held(results.source, terms, fields, results.algorithms, (*assumed, *notes))


def _direction(name: str, stated: Better | None) -> tuple[Better, tuple[str, ...]]:
    """Return which values of a metric are good, and what was assumed."""
    if stated is not None:
        return stated, ()
    bare = name.removeprefix("1-")
    try:
        known = get(ALSO.get(bare.lower(), bare)).better
    except InputError:
        return "high", (f"higher values of {name!r}, which is no metric known here, are better",)
    if known == "neither":
        raise InputError(
            f"{name} is neither good nor bad when high; say which is better, 'high' or 'low'"
        )
    turned = bare != name
    return ("high" if (known == "high") != turned else "low"), ()


# -- results, one field a data set -------------------------------------------------------------


def _fields(results: Results) -> tuple[tuple[Field, ...], tuple[str, ...]]:
    """Return the results that all classifiers share on each data set, and what was left out."""
    of_folds = results.fold >= 0
    folds = bool(of_folds.any())
    kept = of_folds if folds else np.ones(len(results), dtype=bool)
    found, absent, dropped = [], {}, 0
    for d, name in enumerate(results.datasets):
        rows = np.flatnonzero(kept & (results.dataset == d))
        keys = np.stack([results.repeat[rows], results.fold[rows]], axis=1)
        unique, place = np.unique(keys, axis=0, return_inverse=True)
        values = np.full((len(unique), len(results.algorithms)), np.nan)
        values[place.reshape(-1), results.algorithm[rows]] = results.values[rows, 0]
        shared = ~np.isnan(values).any(1)
        if not shared.any():
            missing = np.isnan(values).all(0)
            absent[name] = results.algorithms[int(missing.argmax())] if missing.any() else None
            continue
        dropped += int(np.count_nonzero(~shared))
        repeats = np.unique(unique[:, 0], return_counts=True)[1]
        chosen = values[shared]
        chosen.setflags(write=False)
        found.append(Field(name, chosen, len(repeats), int(repeats.max()) if folds else 0))
    if not found:
        raise InputError(
            f"{results.source} has no data set on which all {len(results.algorithms)} classifiers "
            "have a result of the same repeat and fold; leave a classifier out"
        )
    return tuple(found), tuple(_left_out(absent, dropped, len(results) - int(kept.sum())))


def _left_out(absent: Mapping[str, str | None], dropped: int, pooled: int) -> list[str]:
    out = []
    if absent:
        told = [
            f"{name!r} (no result of {who!r})" if who else f"{name!r} (no result that all share)"
            for name, who in absent.items()
        ]
        more = len(told) - _MOST_NAMES
        named = ", ".join(told[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
        out.append(f"data sets left out: {named}")
    if dropped:
        out.append(
            f"results of {dropped} repeats and folds left out, where not every classifier has one"
        )
    if pooled:
        out.append(f"{pooled} pooled results left out, as there are folds")
    return out


# -- the tests ---------------------------------------------------------------------------------


def held(
    source: str, terms: Terms, fields: tuple[Field, ...], classifiers: tuple[str, ...],
    notes: tuple[str, ...],
) -> Contest:  # fmt: skip
    """Return the contest of classifiers over fields."""
    values = np.stack([f.values.mean(0) for f in fields])
    values.setflags(write=False)
    several = len(fields) > 1
    k = len(classifiers)
    ranks = rank_table(values, better=terms.better).mean(0)
    (by_mean,) = rank_table(values.mean(0)[None], better=terms.better)
    order = sorted(range(k), key=lambda i: (ranks[i] if several else 0, by_mean[i], i))
    whole = friedman(values, better=terms.better, ties=terms.ties) if several else None
    rule: Rule = "folds"
    if several:
        rule = "wilcoxon" if k == 2 else "nemenyi" if terms.control is None else "holm"
    made = Contest(
        source=source,
        terms=terms,
        fields=fields,
        classifiers=classifiers,
        values=values,
        order=tuple(order),
        friedman=whole,
        critical_difference=critical_difference(k, len(fields), level=terms.level)
        if several
        else None,
        rule=rule,
        pairs=(),
        notes=notes,
    )
    if not several and terms.ratio is None and fields[0].folds > _MOST_FOLDS:
        n = fields[0].folds
        told = f"{n} folds of a repeat are taken for {n}-fold cross-validation: if they are not, "
        made = replace(made, notes=(*notes, told + "say which column has the repeat, or ratio"))
    chosen = list(combinations(order, 2))
    if terms.control is not None:
        c = classifiers.index(terms.control)
        chosen = [(c, i) for i in order if i != c]
    return replace(made, pairs=_pairs(made, chosen))


def _pairs(c: Contest, chosen: Sequence[tuple[int, int]]) -> tuple[Pair, ...]:
    t = c.terms
    if c.friedman is None:
        (field,) = c.fields
        tests = [_over_folds(field, t, *pair) for pair in chosen]
        posteriors = [_posterior_of_folds(field, t, *pair) for pair in chosen]
        compared = field.values
    else:
        compared = c.values
        tests = [wilcoxon(compared[:, i], compared[:, j], level=t.level) for i, j in chosen]
        d = np.stack([differences(compared[:, i], compared[:, j]) for i, j in chosen])
        posteriors = signed_ranks(d, rope=t.rope, draws=t.draws, seed=t.seed)
    adjusted = holm(np.array([found.p_value for found in tests]))
    z, rank_p, rank_holm, pairwise = _of_ranks(c, chosen)
    out = []
    for n, (i, j) in enumerate(chosen):
        deciding = {"folds": adjusted, "wilcoxon": adjusted, "nemenyi": pairwise,
                    "holm": rank_holm}[c.rule]  # fmt: skip
        p = _known(deciding[n])
        gap = differences(compared[:, i], compared[:, j]) * (1 if t.better == "high" else -1)
        winner = None
        if c.differ and p is not None and p < 1 - t.level:
            winner = _winner(c, tests[n], float(z[n]), i, j)
        out.append(
            Pair(
                first=c.classifiers[i],
                second=c.classifiers[j],
                result=tests[n],
                adjusted=_known(adjusted[n]),
                z=_known(z[n]),
                rank_p=_known(rank_p[n]),
                rank_holm=_known(rank_holm[n]),
                nemenyi=_known(pairwise[n]),
                p_value=p,
                winner=None if winner is None else c.classifiers[winner],
                posterior=posteriors[n],
                better=t.better,
                wins=int(np.count_nonzero(gap > 0)),
                equals=int(np.count_nonzero(gap == 0)),
                losses=int(np.count_nonzero(gap < 0)),
            )
        )
    return tuple(out)


def _of_ranks(
    c: Contest, chosen: Sequence[tuple[int, int]]
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return z, its p-value plain and by Holm's method, and Nemenyi's; NaN on one data set."""
    if c.friedman is None or c.friedman.reason:
        nothing = np.full(len(chosen), np.nan)
        return nothing, nothing, nothing, nothing
    z, p = rank_tests(c.friedman.ranks, len(c.fields), chosen)
    rows, columns = np.transpose(chosen)
    return z, p, holm(p), nemenyi(c.friedman.ranks, len(c.fields))[rows, columns]


def _winner(c: Contest, found: FoldTest, z: float, i: int, j: int) -> int | None:
    """Return which of two that are told apart is the better one."""
    if c.rule in ("nemenyi", "holm"):
        return i if z < 0 else j
    if found.test == "5x2_t" and found.statistic * found.difference < 0:
        return None  # its one fold points the other way than all ten
    return i if (found.difference > 0) == (c.terms.better == "high") else j


def _over_folds(field: Field, t: Terms, i: int, j: int) -> FoldTest:
    a, b = field.values[:, i], field.values[:, j]
    five = (field.repeats, field.folds, len(a)) == (5, 2, 10)
    kind = t.test
    if kind == "auto":
        kind = "5x2_f" if five else "corrected_t"
    if kind == "wilcoxon":
        return wilcoxon(a, b, level=t.level)
    if kind in ("5x2_t", "5x2_f"):
        if not five:
            raise InputError(
                f"the test {kind!r} takes five repeats of two folds, and {field.dataset!r} has "
                f"{len(a)} results of {field.repeats} repeats; take 'corrected_t'"
            )
        return (paired_5x2_t if kind == "5x2_t" else paired_5x2_f)(a, b, level=t.level)
    ratio = field.ratio(t.ratio)
    found = corrected_t(a, b, ratio=ratio or 0.0, level=t.level)
    if ratio is None and not found.reason:
        found = replace(
            found, test="corrected_t", method="corrected resampled t", statistic=math.nan, df=(),
            p_value=math.nan, interval=None, reason=NO_RATIO,
        )  # fmt: skip
    return found


def _posterior_of_folds(field: Field, t: Terms, i: int, j: int) -> Posterior:
    ratio = field.ratio(t.ratio)
    found = correlated_t(field.values[:, i], field.values[:, j], ratio=ratio or 0.0, rope=t.rope)
    if ratio is None and not found.reason:
        nan = math.nan
        return replace(found, below=nan, within=nan, above=nan, reason=NO_RATIO)
    return found


def _known(x: float) -> float | None:
    return None if math.isnan(x) else float(x)
