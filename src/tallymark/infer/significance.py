"""Test several classifiers on the same rows, from counts of their decisions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.display import Display, fields_of
from tallymark.errors import InputError
from tallymark.infer import power, two_shares
from tallymark.infer.sampler import Sampler
from tallymark.metric.correlation import pearson_of_rows
from tallymark.tally.arrays import Floats
from tallymark.tally.joint import PairedPredictions

if TYPE_CHECKING:
    from tallymark.infer.difference import Difference
    from tallymark.metric.measure import Value

PERMUTATIONS = 2000
_HAIR = 1e-9

MOST_PAIRS_OF_ROWS = 40_000
"""Upper limit for Boschloo's test, which enumerates this many tables."""


@dataclass(frozen=True, slots=True, repr=False)
class Evidence(Display):
    """The result of a test; NaN with a reason if it is not applicable.

    ``p_value`` is two-sided unless ``name`` says otherwise; ``p_at_most`` marks it as an upper
    bound, because the draws of the test cannot show a smaller one. ``statistic`` is NaN for tests
    that only count cases. ``denominator_degrees`` are the second degrees of freedom of an F test.
    ``estimate`` is the value that :func:`tallymark.test` tested.
    """

    name: str
    p_value: float
    statistic: float = math.nan
    degrees: float = math.nan
    reason: str | None = None
    source: str = ""
    estimate: Value | Difference | None = None
    denominator_degrees: float = math.nan
    p_at_most: bool = False

    def _reversed(self) -> Evidence:
        """Return the same test with the two models exchanged: only a z has a direction."""
        return replace(self, statistic=0.0 - self.statistic) if math.isnan(self.degrees) else self

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return fields_of(self, *(["estimate"] if self.estimate is None else []))


def mcnemar(b: float, c: float, method: str = "mid-p") -> Evidence:
    """Return McNemar's test of equal error rates on the same rows (McNemar 1947).

    Parameters
    ----------
    b, c : int
        Rows that only the first classifies correctly, and that only the second does. Rows on
        which both agree carry no information.
    method : {"exact", "mid-p", "chi-square", "corrected"}
        The binomial test of b among b + c; the same with half the probability of the observed
        result (mid-p); the chi-square (b - c)² / (b + c) with one degree of freedom; the same with
        Edwards' continuity correction of one. The size of "mid-p" is the closest to nominal
        (Fagerland et al. 2013).

    Returns
    -------
    Evidence

    Raises
    ------
    InputError
        Counts that are negative or not whole, an unknown method.

    Examples
    --------
    >>> print(mcnemar(10, 2))
    McNemar, mid-p: p = 0.0225
    >>> print(mcnemar(10, 2, "chi-square"))
    McNemar, chi-square 5.333 with 1 degree of freedom: p = 0.0209

    """
    for name, n in (("b", b), ("c", c)):
        if not n >= 0 or n != math.floor(n):
            raise InputError(f"{name} is {n!r}; give the number of rows, a whole number from 0 up")
    name = f"McNemar, {method}"
    source = "fagerland2013" if method == "mid-p" else "mcnemar1947"
    if method in ("exact", "mid-p"):
        if b == c:  # both tails together have probability 1
            return Evidence(name, 1.0, source=source)
        fewer, total = min(b, c), b + c
        p = _tail(fewer, total)
        # The mid-p value is twice the tail minus P(observed), i.e. this tail plus the next smaller
        # one.
        p += _tail(fewer - 1, total) if method == "mid-p" else p
        return Evidence(name, min(p, 1.0), source=source)
    if method not in ("chi-square", "corrected"):
        raise InputError(f"method is {method!r}; say 'exact', 'mid-p', 'chi-square' or 'corrected'")
    if not b + c:
        return _nothing(name, "the models are right on the same rows", source)
    apart = max(abs(b - c) - (method == "corrected"), 0)
    return _chi_square(name, apart**2 / (b + c), 1, source)


def bowker(table: Floats) -> Evidence:
    """Return Bowker's test of symmetry of the cross table of two classifiers.

    Parameters
    ----------
    table : array (K, K)
        How many rows the first predicts as i and the second as j. The statistic is
        Σ (n_ij - n_ji)² / (n_ij + n_ji) over pairs of classes that occur (Bowker 1948).

    Examples
    --------
    >>> print(bowker(np.array([[20, 10, 5], [3, 30, 15], [0, 5, 40]])))
    Bowker 13.8 with 3 degrees of freedom: p = 0.00324

    """
    n = _table(table)
    above = np.triu(np.ones(n.shape, dtype=bool), 1)
    both, apart = (n + n.T)[above], (n - n.T)[above]
    occurs = both > 0
    if not occurs.any():
        return _nothing("Bowker", "the models agree on every row", "bowker1948")
    statistic = float((apart[occurs] ** 2 / both[occurs]).sum())
    return _chi_square("Bowker", statistic, int(occurs.sum()), "bowker1948")


def stuart_maxwell(table: Floats) -> Evidence:
    """Return the Stuart-Maxwell test of marginal homogeneity of two classifiers.

    With d the differences of the margins and S their covariance, the statistic is d' S⁻¹ d over all
    classes but one (Stuart 1955, Maxwell 1970). Classes that neither predicts are ignored.

    Examples
    --------
    >>> print(stuart_maxwell(np.array([[20, 10, 5], [3, 30, 15], [0, 5, 40]])))
    Stuart-Maxwell 13.8 with 2 degrees of freedom: p = 0.00103

    """
    n = _table(table)
    used = (n.sum(0) + n.sum(1) - 2 * np.diag(n)) > 0
    n = n[np.ix_(used, used)]
    if len(n) < 2:
        return _nothing("Stuart-Maxwell", "the models agree on every row", "stuart1955")
    d = n.sum(1) - n.sum(0)
    s = -(n + n.T)
    np.fill_diagonal(s, n.sum(0) + n.sum(1) - 2 * np.diag(n))
    # The margins sum to zero, and so do those of classes that are only exchanged among themselves.
    # d' S+ d over the rest is the statistic with one class of each such set dropped.
    reason = "the models agree on every row"
    return quadratic_test("Stuart-Maxwell", d, s, reason, "stuart1955")


def quadratic_test(
    name: str,
    gaps: Floats,
    covariance: Floats,
    reason: str,
    source: str,
    parts: Sequence[tuple[Floats, float]] = (),
) -> Evidence:
    """Return the test that all values are 0: d' S⁺ d, over the q directions in which they vary.

    If the covariance S is known, or there are very many rows, it has a chi-square distribution with
    q degrees of freedom. If S is estimated from few rows, it is Hotelling's T²: with ``parts``, the
    covariances that add up to S with their degrees of freedom, T² (f - q + 1) / (f q) has the F
    distribution with q and f - q + 1 degrees of freedom. For parts V with R = V S⁻¹ and degrees n,
    f = (q + q²) / Σ (tr R² + (tr R)²) / n, which is Welch's for q = 1 and does not depend on the
    axes. ``statistic`` is then T². ``reason`` says why there is no test.

    Source: krishnamoorthy2004.

    Examples
    --------
    >>> gaps, s = np.array([0.05, 0.02]), np.diag([4e-4, 1e-4])
    >>> print(quadratic_test("known", gaps, s, "", ""))
    known 10.2 with 2 degrees of freedom: p = 0.00595
    >>> print(quadratic_test("estimated", gaps, s, "", "", [(s, 19)]))
    estimated 10.2 with 2 and 18 degrees of freedom: p = 0.0206

    """
    from scipy.special import fdtrc

    sizes, axes = np.linalg.eigh(covariance)
    free = sizes > _HAIR * max(float(sizes[-1]), 1e-300)
    if not free.any() or sizes[-1] <= 0:
        return _nothing(name, reason, source)
    scaled = axes[:, free] / np.sqrt(sizes[free])
    q, statistic = int(free.sum()), float(((gaps @ scaled) ** 2).sum())
    if not parts:
        return _chi_square(name, statistic, q, source)
    spread = 0.0
    for part, degrees in parts:
        share = scaled.T @ part @ scaled
        spread += float(np.trace(share @ share) + np.trace(share) ** 2) / max(degrees, 1e-9)
    f = max((q + q * q) / spread, 1.0)
    denominator = f - q + 1
    if not denominator > 0:
        few = f"too few rows to compare {q + 1} models at once; compare fewer of them"
        return _nothing(name, few, source)
    p = float(fdtrc(q, denominator, statistic * denominator / (f * q)))
    return Evidence(name, p, statistic, q, source=source, denominator_degrees=denominator)


def cochran_q(right: NDArray[np.bool_]) -> Evidence:
    """Return Cochran's test that several classifiers have the same accuracy (Cochran 1950).

    Parameters
    ----------
    right : array (models, rows) of booleans
        Which model is right on which row. For two models, the statistic is McNemar's chi-square.

    Examples
    --------
    >>> right = np.array([[1, 1, 1, 1, 0, 1], [1, 1, 0, 0, 0, 1], [1, 0, 0, 0, 0, 1]], bool)
    >>> print(cochran_q(right))
    Cochran's Q 4.667 with 2 degrees of freedom: p = 0.097

    """
    hits = np.asarray(right, dtype=bool)
    k = len(hits)
    if hits.ndim != 2 or k < 2:
        raise InputError("right must have two dimensions, models and rows, and at least two models")
    each = hits.sum(1).astype(np.float64)
    of_row = np.bincount(hits.sum(0), minlength=k + 1).astype(np.float64)
    numbers = np.arange(k + 1)
    bottom = float((of_row * numbers * (k - numbers)).sum())
    if not bottom:
        return _nothing("Cochran's Q", "the models are right on the same rows", "cochran1950")
    statistic = k * (k - 1) * float(((each - each.mean()) ** 2).sum()) / bottom
    return _chi_square("Cochran's Q", statistic, k - 1, "cochran1950")


def permutation(
    cells: NDArray[np.float64],
    difference: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]],
    *,
    draws: int = PERMUTATIONS,
    seed: int = 0,
) -> Evidence:
    """Return the permutation test of a difference: swap two classifiers' outputs row by row.

    Parameters
    ----------
    cells : array [true, by a, by b]
        Row counts by true class and both outputs: decisions, or groups of ranks.
    difference : callable
        Maps counts [draw, true, by a] and [draw, true, by b] to differences of a metric [draw].
    draws, seed : int
        Number and seed of the permutations; each row is swapped with probability one half.

    Returns
    -------
    Evidence
        p = (1 + permutations with a difference at least as large) / (1 + draws): exact under the
        hypothesis that both outputs are exchangeable. Where at most :data:`MOST_EXCHANGES` differ,
        all are made, and p is their share ("permutation, exact").

    """
    counts = np.asarray(cells, dtype=np.float64)
    if (counts != np.trunc(counts)).any():
        return _nothing("permutation", "rows have weights and cannot be exchanged", "good2005")
    observed = difference(counts.sum(2)[None], counts.sum(1)[None])
    if np.isnan(observed).any():
        return _nothing("permutation", "the difference is undefined", "good2005")
    k = counts.shape[1]
    i, j = np.triu_indices(k, 1)
    pairs = counts[:, i, j] + counts[:, j, i]
    discordant = np.flatnonzero(pairs.any(0))
    if not len(discordant):
        return Evidence("permutation", 1.0, source="good2005")
    both = pairs[:, discordant].astype(np.int64)
    same = counts[:, np.arange(k), np.arange(k)]
    # For each pair of values, some rows stay as (i, j); the others become (j, i).
    one, other = np.eye(k)[i[discordant]], np.eye(k)[j[discordant]]
    least = abs(float(observed[0])) - 1e-12 * max(1.0, float(np.abs(observed).max()))

    def reaches(stay: Floats) -> NDArray[np.bool_]:
        turn = both - stay
        a = same + stay @ one + turn @ other
        b = same + stay @ other + turn @ one
        # A permutation with an undefined metric is not evidence against the null, so count it.
        return ~(np.abs(difference(a, b)) < least)

    if math.prod(n + 1 for n in both.ravel().tolist()) <= MOST_EXCHANGES:
        stay, shares = _exchanges(both)
        p = min(float(shares @ reaches(stay)), 1.0)
        return Evidence("permutation, exact", p, source="good2005")
    rng = Sampler(seed).generator("permutation")
    at_least, block = 0, max(1, int(4e6 // both.size))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        stay = rng.binomial(both, 0.5, (size, *both.shape)).astype(np.float64)
        at_least += int(reaches(stay).sum())
    p = (1 + at_least) / (1 + draws)
    return Evidence("permutation", p, source="good2005", p_at_most=not at_least)


class SignedTerms(NamedTuple):
    """The sizes of groups of terms, the smallest first, and how many terms are in each group.

    ``least`` is the absolute value of the sum of all terms, less its rounding error.
    """

    sizes: Floats
    rows: int
    least: float


def grouped_terms(effects: Floats) -> SignedTerms:
    """Return terms sorted by size into at most :data:`MOST_TERMS` groups of equal number.

    The size of a group is its root mean square. Zeros fill the group of the smallest terms.

    >>> grouped_terms(np.array([0.5, -2.0, 0.0])).sizes.tolist()
    [0.5, 2.0]
    """
    sizes = np.sort(np.abs(effects[effects != 0]))
    rows = max(1, math.ceil(len(sizes) / MOST_TERMS))
    least = abs(float(effects.sum())) - 1e-12 * float(sizes.sum())
    if rows > 1:
        filled = np.concatenate([np.zeros(-len(sizes) % rows), sizes])
        sizes = np.sqrt(np.mean(filled.reshape(-1, rows) ** 2, axis=1))
    return SignedTerms(sizes, rows, least)


def sign_permutations(
    each: Sequence[SignedTerms], *, draws: int = PERMUTATIONS, seed: int = 0
) -> list[Evidence]:
    """Return the permutation tests of differences that are sums of a term of each row.

    Exchanging two models in a row reverses the sign of its term. Signs are drawn once for all
    differences that have as many terms in a group, so no test depends on the others.

    >>> both = [grouped_terms(np.arange(1.0, 1.0 + n)) for n in (3, 7)]
    >>> print(*sign_permutations(both, draws=999), sep=", ")
    permutation: p = 0.264, permutation: p = 0.02
    """
    p_values = np.ones(len(each))
    for rows in {terms.rows for terms in each}:
        of_these = [i for i, terms in enumerate(each) if terms.rows == rows and len(terms.sizes)]
        most = max((len(each[i].sizes) for i in of_these), default=0)
        sizes = np.zeros((len(of_these), most))
        for row, i in zip(sizes, of_these, strict=True):
            row[: len(each[i].sizes)] = each[i].sizes
        rng = Sampler(seed).generator("permutation")
        sums, block = np.zeros((len(of_these), draws)), max(1, int(1e6 // draws))
        for start in range(0, most, block):
            some = sizes[:, start : start + block]
            stay = rng.binomial(rows, 0.5, (some.shape[1], draws))
            sums += some @ (2.0 * stay - rows)
        least = np.array([each[i].least for i in of_these])
        p_values[of_these] = (1 + (np.abs(sums) >= least[:, None]).sum(1)) / (1 + draws)
    fewest = 1 / (1 + draws)
    return [
        Evidence("permutation", float(p), source="good2005", p_at_most=bool(p == fewest))
        for p in p_values
    ]


MOST_TERMS = 2000
"""Most terms, or groups of terms, that a permutation test adds up."""

MOST_EXCHANGES = 20_000
"""Most exchanges of rows, those of equal rows counted once, that a permutation test makes all."""


def _exchanges(both: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return how many rows of each cell may stay, for all exchanges, and the share of each.

    >>> stay, shares = _exchanges(np.array([[2]]))
    >>> stay.ravel().tolist(), shares.tolist()
    ([0.0, 1.0, 2.0], [0.25, 0.5, 0.25])
    """
    rows = both.ravel().tolist()
    stay = np.indices([n + 1 for n in rows]).reshape(len(rows), -1)
    shares = np.ones(stay.shape[1])
    for n, kept in zip(rows, stay, strict=True):
        ways = np.array([math.comb(n, m) for m in range(n + 1)], np.float64)
        shares *= ways[kept] / 2.0**n
    return stay.T.reshape(-1, *both.shape).astype(np.float64), shares


def two_proportions(
    hit: float, n: float, other_hit: float, other_n: float, method: str = "score"
) -> Evidence:
    """Return the test that two proportions on different rows are equal.

    Parameters
    ----------
    hit, n, other_hit, other_n : float
        Hits among the rows of either side; effective numbers of weighted rows are for the score
        test only.
    method : {"score", "fisher", "boschloo"}
        The difference over its standard error with the pooled proportion p, whose variance is
        p (1 - p) (1/n + 1/m) (n + m) / (n + m - 1), corrected for its skewness: the test that the
        score interval of a difference inverts (:func:`tallymark.infer.two_shares.score`); the
        exact test given all hits (Fisher 1935); the exact test with Fisher's one-sided p-value as
        its statistic (Boschloo 1970), twice the smaller side. Both exact tests never exceed their
        level, and have less power.

    Returns
    -------
    Evidence
        ``statistic`` is the z of the score test. With a reason if a side has no rows, or if
        Boschloo's test would take too long (more than 40,000 pairs of rows).

    Raises
    ------
    InputError
        More hits than rows, negative counts, an unknown method.

    Sources: miettinen1985, laud2017, fisher1935, boschloo1970.

    Examples
    --------
    >>> print(two_proportions(56, 70, 48, 80))
    score test of two proportions: z = 2.650, p = 0.00804
    >>> print(two_proportions(56, 70, 48, 80, "fisher"))
    Fisher's exact test: p = 0.0125

    """
    if method not in PROPORTION_TESTS:
        raise InputError(f"method is {method!r}; say 'score', 'fisher' or 'boschloo'")
    if not (0 <= hit <= n and 0 <= other_hit <= other_n):
        raise InputError(
            f"{hit:g} of {n:g} and {other_hit:g} of {other_n:g} are not counts of hits; give 0 up "
            "to the number of rows"
        )
    name, source = PROPORTION_TESTS[method]
    if not (n and other_n):
        return _nothing(name, "one side has no such rows", source)
    if method == "score":
        if hit + other_hit in (0, n + other_n):
            return _nothing(name, "both sides hit all rows, or none", source)
        z = two_shares.score("difference", (hit, other_hit), (n, other_n), 0.0)
        return _normal(name, float(z), source)
    table = [[hit, other_hit], [n - hit, other_n - other_hit]]
    if any(cell != math.floor(cell) for row in table for cell in row):
        return _nothing(name, "rows have weights", source)
    if method == "boschloo" and n * other_n > MOST_PAIRS_OF_ROWS:
        return _nothing(name, "it takes too long for so many rows", source)
    from scipy.stats import boschloo_exact, fisher_exact

    if not (hit + other_hit) or hit + other_hit == n + other_n:
        return Evidence(name, 1.0, source=source)
    test = fisher_exact if method == "fisher" else boschloo_exact
    return Evidence(name, min(float(test(table).pvalue), 1.0), source=source)


PROPORTION_TESTS = {
    "score": ("score test of two proportions", "laud2017"),
    "fisher": ("Fisher's exact test", "fisher1935"),
    "boschloo": ("Boschloo's exact test", "boschloo1970"),
}


def _chi_square(name: str, statistic: float, degrees: int, source: str) -> Evidence:
    from scipy.special import chdtrc

    return Evidence(name, float(chdtrc(degrees, statistic)), statistic, degrees, source=source)


def _normal(name: str, z: float, source: str) -> Evidence:
    return Evidence(name, math.erfc(abs(z) / math.sqrt(2)), z, source=source)


def _tail(most: float, n: float) -> float:
    """Return the probability of at most ``most`` heads in n fair coin tosses (a Beta integral)."""
    from scipy.special import betainc  # unlike bdtr, exact for n = 10^9

    return float(betainc(n - most, most + 1, 0.5)) if most >= 0 else 0.0


def _nothing(name: str, reason: str, source: str) -> Evidence:
    return Evidence(name, math.nan, reason=reason, source=source)


def _table(table: Floats) -> Floats:
    n = np.asarray(table, dtype=np.float64)
    if n.ndim != 2 or n.shape[0] != n.shape[1] or (n < 0).any() or not np.isfinite(n).all():
        raise InputError("table must be square, with counts from 0 up: the first's classes by row")
    return n


MOST_RATINGS = 10
"""With at most this many distinct scores, they are ratings, correlated by Kendall's tau."""


def area_correlation(
    correlation: float, area: float, positives: float = 50, negatives: float = 50
) -> float:
    """Return the correlation of two ROC areas on the same rows (Hanley and McNeil 1983).

    For normal scores within each class, with h = Φ⁻¹(A) and B(ρ) the probability that two normal
    variables with correlation ρ are both below h, the covariance of two areas A on m positives and
    n negatives is [B(ρ) - A² + (m + n - 2)(B(ρ/2) - A²)] / mn. The correlation is this over the
    same with ρ = 1. The paper's table is for 50 and 50 rows.

    Parameters
    ----------
    correlation : float
        Mean of the correlations of both models' scores among positives and among negatives.
    area : float
        Mean of both areas, between 0 and 1.
    positives, negatives : float
        Number of rows of each class.

    Returns
    -------
    float
        From -1 to 1; NaN for an area of 0 or 1.

    Raises
    ------
    InputError
        A correlation outside -1..1, an area outside 0..1.

    Source: hanley1983.

    Examples
    --------
    >>> round(area_correlation(0.50, 0.90), 2)  # 0.41 in the paper's table
    0.41

    """
    if not -1 <= correlation <= 1:
        raise InputError(f"correlation is {correlation:g}; give a number from -1 to 1")
    if not 0 <= area <= 1:
        raise InputError(f"area is {area:g}; give a number from 0 to 1")
    if area in (0, 1):
        return math.nan
    rows = positives, negatives
    covariance, variance = (
        float(power.binormal_covariance(area, area, r, r, *rows)) for r in (correlation, 1)
    )
    return min(max(covariance / variance, -1.0), 1.0)


def hanley_mcneil(
    first: tuple[float, float, float],
    second: tuple[float, float, float],
    correlation: float | None = None,
) -> Evidence:
    """Return the test that two ROC areas are equal, with Hanley and McNeil's standard errors.

    z = (A - B) / sqrt(a² + b² - 2 r a b), with a and b from
    :func:`tallymark.infer.power.hanley_mcneil`.

    Parameters
    ----------
    first, second : (area, positives, negatives)
        Each model's area, with its rows of either class.
    correlation : float, optional
        Mean of the correlations of both models' scores among positives and among negatives, on
        the same rows; r is its :func:`area_correlation`. None for different rows, where r is 0.

    Returns
    -------
    Evidence
        ``statistic`` is z; with a reason if there is no standard error.

    Sources: hanley1982, hanley1983.

    Examples
    --------
    >>> print(hanley_mcneil((0.90, 50, 50), (0.80, 50, 50), 0.6))
    Hanley-McNeil, paired: z = 2.594, p = 0.0095

    """
    of, source = ("unpaired", "hanley1982") if correlation is None else ("paired", "hanley1983")
    name = f"Hanley-McNeil, {of}"
    if any(not (m > 0 and n > 0) or math.isnan(area) for area, m, n in (first, second)):
        return _nothing(name, "a class has no rows", source)
    a, b = (math.sqrt(power.hanley_mcneil(*side)) for side in (first, second))
    if not (a or b):
        return _nothing(name, "both areas are 0 or 1", source)
    r = 0.0
    if correlation is not None:
        if math.isnan(correlation):
            return _nothing(name, "a model's scores are all the same within a class", source)
        r = area_correlation(correlation, (first[0] + second[0]) / 2, *first[1:])
    variance = a**2 + b**2 - 2 * r * a * b
    if not variance > 1e-12 * (a**2 + b**2):
        return _nothing(name, "the areas are perfectly correlated", source)
    return _normal(name, (first[0] - second[0]) / math.sqrt(variance), source)


def score_correlations(joint: PairedPredictions, names: Sequence[str]) -> Floats:
    """Return Pearson's correlations of models' scores: [model, model], averaged over both classes.

    NaN if a model's scores are all equal within a class.
    """
    in_class = joint.true == joint.positive_code
    of_class = []
    for rows in (~in_class, in_class):
        if not rows.any():
            return np.full((len(names), len(names)), np.nan)
        scores = np.stack([np.asarray(joint.model(n).scores[0], np.float64)[rows] for n in names])
        constant = scores.min(1) == scores.max(1)
        of_class.append(pearson_of_rows(scores, constant[:, None] | constant))
    return np.asarray((of_class[0] + of_class[1]) / 2)


def rating_correlation(joint: PairedPredictions, first: str, second: str) -> float:
    """Return Kendall's tau-b of two models' scores, averaged over both classes.

    NaN if a model's scores are all equal within a class.
    """
    a, b = (np.ascontiguousarray(joint.model(n).scores[0]) for n in (first, second))
    in_class = joint.true == joint.positive_code
    return sum(_tau(a[rows], b[rows]) for rows in (~in_class, in_class)) / 2


def _tau(a: Floats, b: Floats) -> float:
    from scipy.stats import kendalltau

    if not len(a) or a.min() == a.max() or b.min() == b.max():
        return math.nan
    return float(kendalltau(a, b).statistic)
