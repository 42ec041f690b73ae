"""Compute the number of rows an evaluation needs, or the precision that a number of rows gives."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallymark.contract import ABOVE_0, FINITE, RATE, checked, number, one_of
from tallymark.display import Display, fields_of
from tallymark.errors import InputError
from tallymark.infer import power as powers
from tallymark.infer.aims import (
    ALPHA,
    CLASSES,
    HAIR,
    OF_PLANS,
    ROWS,
    Aim,
    Plan,
    Values,
    no_rows,
    split,
)
from tallymark.infer.validation import validation
from tallymark.metric.proportion import quantile, wilson
from tallymark.quantities import share

__all__ = [
    "Pilot",
    "Plan",
    "auc",
    "auc_difference",
    "kappa",
    "mcnemar",
    "proportion",
    "validation",
]

KAPPA = number(f"[{HAIR - 1}, {1 - HAIR}]", "a number between -1 and 1")

OF_TEST = {
    "compare": (f"test, exact below {powers.FEW_DISCORDANT} discordant rows", "duffy1984"),
    "exact": ("exact test", "duffy1984"),
    "mid-p": ("mid-p test", "fagerland2013"),
    "asymptotic": ("asymptotic test", "connor1987"),
}


@dataclass(frozen=True, slots=True, repr=False)
class Pilot(Display):
    """Variances and covariance of two areas measured on the same pilot rows, e.g. by DeLong.

    ``first`` and ``second`` are the variances, ``positives`` and ``negatives`` the numbers of
    pilot rows.

    Raises
    ------
    InputError
        A variance that is not positive, a covariance too large for both, a class without rows.

    """

    first: float
    second: float
    covariance: float
    positives: int
    negatives: int

    def __post_init__(self) -> None:
        for name in ("first", "second"):
            ABOVE_0.of(f"the pilot's {name} variance", getattr(self, name))
        most = math.sqrt(self.first * self.second)
        if not abs(FINITE.of("the pilot's covariance", self.covariance)) <= most * (1 + HAIR):
            raise InputError(
                f"the pilot's covariance is {self.covariance!r}, which variances of {self.first!r} "
                f"and {self.second!r} rule out; it is at most {most:.6g}"
            )
        for name in CLASSES:
            ROWS.of(f"the pilot's {name}", getattr(self, name))
        if self.of_difference <= 0:
            raise InputError(
                "the pilot's difference of areas does not vary: its two models rank identically"
            )

    @property
    def of_difference(self) -> float:
        """Return the variance of the difference of both areas."""
        return self.first + self.second - 2 * self.covariance

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        variances = {f"variance_{name}": float(getattr(self, name)) for name in ("first", "second")}
        return {**variances, **fields_of(self, "first", "second")}


# -- public functions ---------------------------------------------------------------------------


@checked(**{**OF_PLANS, "expected": RATE, "of": one_of(*CLASSES)})
def proportion(
    expected: float,
    *,
    half_width: float | None = None,
    reference: float | None = None,
    n: int | None = None,
    power: float | None = None,
    of: str | None = None,
    prevalence: float | None = None,
    assurance: float | None = None,
    alternative: str = "two-sided",
    alpha: float | None = None,
    level: float | None = None,
    design_effect: float | None = None,
    icc: float | None = None,
    cluster_size: float | None = None,
) -> Plan:
    """Return a plan for a proportion: accuracy, sensitivity, specificity, precision and the like.

    Without a reference, it is for Wilson's interval; with one, for the exact binomial test against
    it. Give ``n`` to learn what these rows achieve, or the target to learn how many are needed.

    Parameters
    ----------
    expected : float
        Assumed value of the proportion, 0..1.
    half_width : float, optional
        Half of the interval's length, for Wilson's interval at the expected proportion. The number
        of rows is found by a search, since there is no formula.
    reference : float, optional
        Null value of the test. The test takes at most alpha/2 from each tail, or alpha from the
        tail in the direction of ``expected``.
    n : int, optional
        Total number of rows.
    power : float, optional
        Target power, 0.8 by default. Power is a saw-tooth in n, so the answer is the least n from
        which it *stays* at or above the target.
    of : {"positives", "negatives"}, optional
        The class whose rows count, e.g. positives for sensitivity; with ``prevalence``, the share
        of positives among all rows.
    assurance : float, optional
        Probability that a sample of n rows contains the required rows of the class. By default it
        contains them on average only, i.e. about half of the time.
    alternative : {"two-sided", "one-sided"}
        Alternative of the test.
    alpha, level : float
        Size of the test (0.05 by default), confidence level of the interval (0.95).
    design_effect : float, optional
        For rows in clusters, such as several of one patient: the variance with clusters over that
        of independent rows. n is that of independent rows times this number.
    icc, cluster_size : float, optional
        Instead of it the intraclass correlation and the rows per cluster m, for a design effect
        of 1 + (m - 1) ICC. For clusters of unequal sizes use Σm² / Σm.

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        Numbers out of range, no target or two, a target out of reach.

    Notes
    -----
    Wilson (1927); Chernick and Liu (2002) on the saw-tooth.

    Examples
    --------
    >>> print(proportion(0.9, half_width=0.05))
    141 rows give a half width of 0.0500 to the 95 % Wilson interval of a proportion of 0.9.
    >>> print(proportion(0.9, reference=0.8, of="positives", prevalence=0.1))
    1,130 rows (113 positive, 1,017 negative) give a power of 0.8427 to tell a proportion of 0.9 of
    the positives from 0.8 (exact binomial test, two-sided at 0.05); no larger number of rows has
    less than 0.8.

    """
    aim = Aim.of_either(n, half_width, reference, power, level, alpha, alternative).clustered(
        design_effect, icc, cluster_size
    )
    assumed: dict[str, Any] = {"expected": expected}
    rows = _of_class(of, prevalence, assurance, assumed)
    about = f"a proportion of {expected:g}" + (f" of the {of}" if of else "")
    used = None
    if aim.n is not None:  # the largest number of rows of the class that fits in n
        used = bisect_right(range(1, aim.n + 1), aim.n, key=rows)
        if not used:
            raise no_rows(aim.n, assumed["prevalence"], str(of))
    if aim.level is not None:
        z = quantile(aim.level)

        def reached(k: Any) -> Any:
            low, high = wilson(expected * k, k, z)
            return (low - high) / 2

        used = aim.least(reached) if used is None else used
        method, source = "Wilson's interval of the expected share", "wilson1927"
        claim = f"to the {share(aim.level)} Wilson interval of {about}"
    else:
        null = assumed["reference"] = _apart(expected, reference)
        test = (expected, null, aim.alpha)

        def reached(k: Any) -> Any:
            return powers.binomial_power(np.array([k]), *test, aim.two_sided)[0]

        if used is None:
            used = powers.least_binomial(*test, aim.target, aim.two_sided)
            used = aim.reached(used, powers.MOST_SUMMED)
        method, source = f"exact binomial test, {alternative}", "chernick2002"
        claim = f"to tell {about} from {null:g} ({method} at {aim.alpha:g})"
    total = rows(used) if aim.n is None else aim.n
    each = {"positives": (used, total - used), "negatives": (total - used, used), None: None}
    return aim.plan("proportion", total, each[of], reached(used), assumed, method, source, claim)


@checked(**OF_PLANS)
def auc(
    expected: float,
    *,
    half_width: float | None = None,
    reference: float | None = None,
    n: int | None = None,
    power: float | None = None,
    prevalence: float = 0.5,
    variance: str = "binormal",
    alternative: str = "two-sided",
    alpha: float | None = None,
    level: float | None = None,
    design_effect: float | None = None,
    icc: float | None = None,
    cluster_size: float | None = None,
) -> Plan:
    """Return a plan for a ROC area.

    Without a reference, it is for the interval on the logit scale; with one, for a z-test with the
    variance at the reference, which at 0.5 is the rank-sum test.

    Parameters
    ----------
    expected : float
        Assumed area, between 0 and 1.
    half_width : float, optional
        Half of the interval's length.
    reference : float, optional
        Null value of the test, between 0 and 1.
    n : int, optional
        Total number of rows.
    power : float, optional
        Target power, 0.8 by default: Φ((|A - A0| - z √V(A0)) / √V(A)), plus the probability of
        rejecting on the wrong side if the test is two-sided.
    prevalence : float
        Share of positives among the n rows; the rows of each class are rounded to whole numbers.
    variance : {"binormal", "hanley-mcneil", "obuchowski"}
        Variance of the area from m positives and n negatives. The first two are
        (A(1-A) + (m-1)(Q1-A²) + (n-1)(Q2-A²)) / (mn), exact for normal scores of equal spread
        (Bamber 1975), or for exponential scores with Q1 = A/(2-A), Q2 = 2A²/(1+A) (Hanley and
        McNeil 1982). Obuchowski's (1998) is a normal approximation for ratings. Hanley and
        McNeil's depends on which class is positive: for normal scores it needs nearly twice the
        rows at a prevalence of 0.1 (0.95 against 0.9), and half of them at 0.9.
    alternative : {"two-sided", "one-sided"}
        One-sided tests in the direction of ``expected``.
    alpha, level : float
        Size of the test (0.05 by default), confidence level of the interval (0.95).

    design_effect, icc, cluster_size : float, optional
        For rows in clusters, such as several of one patient: see `proportion`.

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        Numbers out of range, no target or two, a target out of reach.

    Examples
    --------
    >>> print(auc(0.8, half_width=0.05, prevalence=0.2))
    454 rows (91 positive, 363 negative) give a half width of 0.0500 to the 95 % interval of an area
    of 0.8 (logit scale, exact binormal variance).
    >>> auc(0.7, reference=0.5, variance="binormal").n
    63

    """
    aim = Aim.of_either(n, half_width, reference, power, level, alpha, alternative).clustered(
        design_effect, icc, cluster_size
    )
    of_area, words, source = powers.VARIANCES[variance]
    assumed: dict[str, Any] = {"expected": expected, "prevalence": prevalence, "variance": variance}
    if aim.level is not None:
        from tallymark.infer.samples import scaled

        z = quantile(aim.level)
        method = f"interval on the logit scale, {words}"
        claim = (
            f"to the {share(aim.level)} interval of an area of {expected:g} (logit scale, {words})"
        )

        def values(total: Any) -> Any:
            error = np.sqrt(of_area(expected, *split(total, prevalence)))
            low, high = scaled(expected, error, z, (0, 1))
            return (low - high) / 2

    else:
        null = assumed["reference"] = _apart(expected, reference)
        method = f"z-test with the variance at the reference, {alternative}, {words}"
        claim = (
            f"to tell an area of {expected:g} from {null:g} "
            f"(z-test, {alternative} at {aim.alpha:g}, {words})"
        )

        def values(total: Any) -> Any:
            rows = split(total, prevalence)
            errors = np.sqrt(of_area(null, *rows)), np.sqrt(of_area(expected, *rows))
            return powers.z_power(abs(expected - null), *errors, aim.alpha, aim.two_sided)

    return aim.plan_of_both("auc", prevalence, values, assumed, method, source, claim)


@checked(**OF_PLANS)
def auc_difference(
    first: float,
    second: float,
    *,
    correlation: float | None = None,
    score_correlation: float | tuple[float, float] | None = None,
    pilot: Pilot | None = None,
    margin: float | None = None,
    n: int | None = None,
    power: float | None = None,
    prevalence: float | None = None,
    variance: str | None = None,
    alternative: str = "two-sided",
    alpha: float = ALPHA,
    design_effect: float | None = None,
    icc: float | None = None,
    cluster_size: float | None = None,
) -> Plan:
    """Return a plan for the difference of two models' ROC areas on the same rows.

    It is the power of the verdict of a comparison: DeLong's test with Student's t of Welch's
    degrees of freedom and a correction for skewness. With D the difference and V its estimated
    variance, this is Φ(E(D - t√V) / sd(D - t√V)), plus the probability of rejecting on the wrong
    side if two-sided. V rises with D if few rows decide, so a test by a known variance would have
    less power. The moments of D and V are those of normal scores, to first order in 1/n. Give the
    correlation of the models in exactly one of three ways, because the result depends on it.

    Parameters
    ----------
    first, second : float
        Assumed areas, between 0 and 1.
    correlation : float, optional
        Correlation of the two estimated areas, -1..1: Cov = r √(V1 V2). Use 0 for models on
        different samples of equal size.
    score_correlation : float or (float, float), optional
        Correlation of the two models' scores within a class, or within positives and within
        negatives, for normal scores; gives the exact covariance with the binormal variance.
    pilot : Pilot, optional
        Variances and covariance from a pilot; they scale as 1/n at the pilot's class shares.
    margin : float, optional
        Non-inferiority margin: the second area must be shown to be less than this below the first;
        d is then second - first + margin. "two-sided" requires the two-sided interval to lie above
        -margin, i.e. a test at alpha/2; "one-sided" tests at alpha.
    n : int, optional
        Total number of rows.
    power : float, optional
        Target power, 0.8 by default.
    prevalence : float, optional
        Share of positives, 0.5 by default; a pilot has its own.
    variance : {"binormal", "hanley-mcneil", "obuchowski"}, optional
        Variance of each area if the correlation of areas is given; see `auc`.
    alternative : {"two-sided", "one-sided"}
        One-sided tests in the direction of the expected difference.
    alpha : float
        Size of the test.

    design_effect, icc, cluster_size : float, optional
        For rows in clusters, such as several of one patient: see `proportion`.

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        Numbers out of range, not exactly one way to give the correlation, equal areas, an expected
        difference beyond the margin, a target out of reach.

    Notes
    -----
    DeLong, DeLong and Clarke-Pearson (1988); Hanley and McNeil (1983) on the correlation of areas.

    Examples
    --------
    >>> print(auc_difference(0.80, 0.85, score_correlation=0.6, prevalence=0.3))
    567 rows (170 positive, 397 negative) give a power of 0.8003 to distinguish areas of 0.8 and
    0.85 on the same rows (DeLong's test, two-sided at 0.05).
    >>> auc_difference(0.85, 0.85, margin=0.05, correlation=0.5).n
    449

    """
    aim = Aim.of_test(n, power, alpha, alternative).clustered(design_effect, icc, cluster_size)
    effect = _effect(first, second, margin)
    assumed: dict[str, Any] = {"first": first, "second": second}
    ways = {"correlation": correlation, "score_correlation": score_correlation, "pilot": pilot}
    correlations = {k: v for k, v in ways.items() if v is not None}
    variance_of, share, inside, source = _together(
        first, second, correlations, prevalence, variance, assumed
    )
    # Non-inferiority is one-sided, at half of alpha if the interval is two-sided.
    far = margin is None and aim.two_sided
    alpha_of_tail = aim.alpha / (2 if aim.two_sided else 1)
    low, high = (first, second) if margin is not None else sorted((first, second))
    test = powers.DeLongTest.of(low, high, *inside)

    def values(total: Any) -> Any:
        error = np.sqrt(variance_of(total))
        return test.power(effect, error, *split(total, share), alpha_of_tail, far=far)

    claim = f"to distinguish areas of {first:g} and {second:g} on the same rows"
    if margin is not None:
        claim = (
            f"to show that an area of {second:g} is less than {margin:g} below one of "
            f"{first:g} on the same rows"
        )
    method = f"DeLong's test, {alternative}" + ("" if margin is None else ", non-inferiority")
    claim += f" (DeLong's test, {alternative} at {aim.alpha:g})"
    assumed["margin"] = margin
    return aim.plan_of_both("auc difference", share, values, assumed, method, source, claim)


@checked(**OF_PLANS, test=one_of(*OF_TEST))
def mcnemar(
    only_first: float,
    only_second: float,
    *,
    n: int | None = None,
    power: float | None = None,
    test: str = "compare",
    alternative: str = "two-sided",
    alpha: float = ALPHA,
    design_effect: float | None = None,
    icc: float | None = None,
    cluster_size: float | None = None,
) -> Plan:
    """Return a plan for McNemar's test of two classifiers on the same rows.

    Parameters
    ----------
    only_first, only_second : float
        Shares of rows on which only the first is right, and only the second. Their difference is
        that of the accuracies; their sum is at most 1.
    n : int, optional
        Total number of rows.
    power : float, optional
        Target power, 0.8 by default.
    test : {"compare", "exact", "mid-p", "asymptotic"}
        By default the test by which a comparison decides about accuracy: the exact sign test of
        the discordant rows if these are fewer than 20, else the chi-square test without continuity
        correction. Or the exact test or its mid-p version for any number of discordant rows. The
        power of these three is summed over the number of discordant rows. "asymptotic" is Connor's
        formula for the z-test, Φ((|d|√n - z√ψ) / √(ψ - d²)), with ψ the sum of both shares and d
        their difference.
    alternative : {"two-sided", "one-sided"}
        One-sided tests in the direction of the expected difference.
    alpha : float
        Size of the test.

    design_effect, icc, cluster_size : float, optional
        For rows in clusters, such as several of one patient: see `proportion`.

    Returns
    -------
    Plan
        Except for "asymptotic", the least n from which the power stays at the target.

    Raises
    ------
    InputError
        Numbers out of range, equal shares, a target out of reach.

    Notes
    -----
    Duffy (1984); Connor (1987); Fagerland, Lydersen and Laake (2013) on mid-p.

    Examples
    --------
    >>> print(mcnemar(0.10, 0.05))
    459 rows give a power of 0.8008 to distinguish two classifiers, of which only one is right on
    10 % of the rows and only the other on 5 % (McNemar's test, exact below 20 discordant rows,
    two-sided at 0.05).
    >>> mcnemar(0.10, 0.05, test="exact").n, mcnemar(0.10, 0.05, test="asymptotic").n
    (498, 469)

    """
    less, more = sorted((only_first, only_second))
    if more + less > 1 + HAIR:
        raise InputError(f"only_first and only_second add up to {more + less:g}, which is above 1")
    if more == less:
        raise InputError(
            f"only_first and only_second are both {more:g}; no number of rows "
            "distinguishes two classifiers that are equally often right"
        )
    aim = Aim.of_test(n, power, alpha, alternative).clustered(design_effect, icc, cluster_size)
    shares, n = (more, less, aim.alpha), aim.n

    def reached(k: Any) -> Any:
        if test == "asymptotic":
            return powers.connor_power(k, *shares, aim.two_sided)
        return powers.mcnemar_power(k, *shares, aim.two_sided, test)

    if n is None and test == "asymptotic":
        n = aim.least(reached)
    elif n is None:
        n = powers.least_mcnemar(*shares, aim.target, aim.two_sided, test)
        n = aim.reached(n, powers.MOST_SUMMED)
    elif test != "asymptotic" and n > powers.MOST_SUMMED:
        raise InputError(
            f"n is {n:,}, more rows than this test can sum over; use test='asymptotic'"
        )
    name, source = OF_TEST[test]
    method = f"McNemar's {name}, {alternative}"
    claim = (
        f"to distinguish two classifiers, of which only one is right on {share(more)} of the "
        f"rows and only the other on {share(less)} ({method} at {aim.alpha:g})"
    )
    assumed = {"only_first": only_first, "only_second": only_second}
    return aim.plan("mcnemar", n, None, reached(np.array([n]))[0], assumed, method, source, claim)


@checked(
    **{
        **OF_PLANS,
        "expected": KAPPA,
        "reference": KAPPA,
        "half_width": number("(0, 1)", "a number between 0 and 1"),
    }
)
def kappa(
    expected: float,
    first: float,
    second: float | None = None,
    *,
    half_width: float | None = None,
    reference: float | None = None,
    n: int | None = None,
    power: float | None = None,
    alternative: str = "two-sided",
    alpha: float | None = None,
    level: float | None = None,
    design_effect: float | None = None,
    icc: float | None = None,
    cluster_size: float | None = None,
) -> Plan:
    """Return a plan for Cohen's kappa of two raters, or of a classifier and the truth.

    Without a reference, it is for the interval on Fisher's scale, atanh κ; with one, for a z-test
    with the variance at the reference.

    Parameters
    ----------
    expected : float
        Assumed kappa, between -1 and 1.
    first, second : float
        Share of rows that each rater calls positive; the second's is the first's by default.
    half_width : float, optional
        Half of the interval's length.
    reference : float, optional
        Null value of the test; 0 is agreement by chance.
    n : int, optional
        Total number of rows.
    power : float, optional
        Target power, 0.8 by default.
    alternative : {"two-sided", "one-sided"}
        One-sided tests in the direction of ``expected``.
    alpha, level : float
        Size of the test (0.05 by default), confidence level of the interval (0.95).
    design_effect, icc, cluster_size : float, optional
        For rows in clusters, such as several of one patient: see `proportion`.

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        Numbers out of range, a kappa that two raters with these shares cannot have, no target or
        two, a target out of reach.

    Notes
    -----
    Two categories. Large-sample variance by Fleiss, Cohen and Everitt (1969).

    Examples
    --------
    >>> print(kappa(0.7, 0.3, half_width=0.1))
    239 rows give a half width of 0.0999 to the 95 % interval of Cohen's kappa of 0.7, with 30 % and
    30 % of the rows called positive (large-sample variance).
    >>> kappa(0.7, 0.3, 0.35, reference=0.5).n
    149

    """
    second = first if second is None else second
    aim = Aim.of_either(n, half_width, reference, power, level, alpha, alternative).clustered(
        design_effect, icc, cluster_size
    )
    assumed: dict[str, Any] = {"expected": expected, "first": first, "second": second}
    error = _error_of_kappa("expected", expected, first, second)
    about = (
        f"Cohen's kappa of {expected:g}, with {share(first)} and {share(second)} of the rows "
        "called positive"
    )
    if aim.level is not None:
        from tallymark.infer.samples import scaled

        z, method = quantile(aim.level), "interval on Fisher's scale, large-sample variance"
        claim = f"to the {share(aim.level)} interval of {about} (large-sample variance)"

        def values(total: Any) -> Any:
            low, high = scaled(expected, error / np.sqrt(total), z, (-1, 1))
            return (low - high) / 2

    else:
        null = assumed["reference"] = _apart(expected, reference)
        of_null = _error_of_kappa("reference", null, first, second)
        method = f"z-test with the variance at the reference, {alternative}"
        claim = (
            f"to tell {about}, from {null:g} (z-test, {alternative} at {aim.alpha:g}, large-sample "
            "variance)"
        )

        def values(total: Any) -> Any:
            root = np.sqrt(total)
            errors = of_null / root, error / root
            return powers.z_power(abs(expected - null), *errors, aim.alpha, aim.two_sided)

    rows = aim.n or aim.least(values)
    return aim.plan("kappa", rows, None, values(rows), assumed, method, "fleiss1969", claim)


# -- parts of plans ------------------------------------------------------------------------------


def _of_class(
    of: str | None, prevalence: Any, assurance: Any, assumed: dict[str, Any]
) -> Callable[[int], int]:
    """Return a function from the rows of a class to the total rows that they need."""
    if of is None:
        for name, value in (("prevalence", prevalence), ("assurance", assurance)):
            if value is not None:
                raise InputError(
                    f"{name} applies where rows of one class count; give of='positives' or "
                    "of='negatives'"
                )
        return int
    if prevalence is None:
        raise InputError(f"of={of!r} needs the prevalence, the share of positives among all rows")
    share = prevalence if of == "positives" else 1 - prevalence
    assumed |= {"of": of, "prevalence": prevalence}
    if assurance is not None:
        assumed["assurance"] = assurance

    def rows(used: int) -> int:
        if assurance is None:
            return math.ceil(float(used / share - HAIR))
        from scipy.stats import nbinom

        # The number of other rows before the last required row is negative binomial.
        return used + int(nbinom.ppf(assurance, used, share))

    return rows


def _apart(expected: float, reference: Any) -> float:
    """Return the reference; raise InputError if it equals the expected value."""
    if expected == reference:
        raise InputError(
            f"expected and reference are both {reference:g}; no number of rows distinguishes them"
        )
    return float(reference)


def _effect(first: float, second: float, margin: Any) -> float:
    """Return the distance of the difference of two areas from the null or the margin."""
    if margin is None:
        if first == second:
            raise InputError(
                f"first and second are both {first:g}; no number of rows distinguishes them, but a "
                "margin can be tested"
            )
        return abs(second - first)
    effect = second - first + margin
    if effect <= HAIR:
        raise InputError(
            f"an area of {second:g} is not less than {margin:g} below one of {first:g}; no number "
            "of rows shows it"
        )
    return float(effect)


def _together(
    first: float,
    second: float,
    correlations: Mapping[str, Any],
    prevalence: float | None,
    variance: str | None,
    assumed: dict[str, Any],
) -> tuple[Values, float, tuple[float, float], str]:
    """Return the variance of the difference of areas by n, the share of positives, and more.

    The rest is the correlations of the scores within each class, and the source. ``correlations``
    has the arguments that may define the correlation of the models.
    """
    if len(correlations) != 1:
        ways = " and ".join(correlations) + " are" if correlations else "nothing is"
        raise InputError(
            f"{ways} given about the models' correlation; give one of correlation, "
            "score_correlation and pilot"
        )
    ((way, value),) = correlations.items()
    if variance is not None and way != "correlation":
        raise InputError(f"{way} has its own variance; leave variance out")
    if way == "pilot":
        if prevalence is not None:
            raise InputError("the pilot has its own prevalence; leave prevalence out")
        size = value.positives + value.negatives
        of_one = value.of_difference * size
        assumed["pilot"] = value
        share = value.positives / size
        together = value.covariance / math.sqrt(value.first * value.second)
        inside = (powers.score_correlation(first, second, together, share),) * 2
        return lambda total: of_one / np.asarray(total), share, inside, "delong1988"
    share = 0.5 if prevalence is None else prevalence
    of_scores = way == "score_correlation"
    pair = value if isinstance(value, tuple) and of_scores else (value, value)
    given = float(pair[0]), float(pair[1])
    variance = variance or "binormal"
    of_area = powers.VARIANCES[variance][0]
    assumed |= {way: given if of_scores else given[0], "prevalence": share, "variance": variance}

    def variance_of(total: Any) -> Any:
        m, n = split(total, share)
        v1, v2 = of_area(first, m, n), of_area(second, m, n)
        if of_scores:
            return v1 + v2 - 2 * powers.binormal_covariance(first, second, *given, m, n)
        return v1 + v2 - 2 * given[0] * np.sqrt(v1 * v2)

    if not variance_of(1000 / min(share, 1 - share)) > 1e-12:
        raise InputError(
            "the difference of areas does not vary where both models rank "
            "identically; give a correlation below 1"
        )
    if of_scores:
        return variance_of, share, given, "bamber1975"
    inside = (powers.score_correlation(first, second, given[0], share),) * 2
    return variance_of, share, inside, "hanley1983"


def _error_of_kappa(name: str, kappa: float, first: float, second: float) -> float:
    """Return the standard error of kappa times √n; refuse a kappa that these raters cannot have."""
    shares = powers.ratings(kappa, first, second)
    if shares.min() < -HAIR:
        by_chance = 1 - first - second + 2 * first * second
        both = max(0.0, first + second - 1), min(first, second)
        low, high = ((1 - first - second + 2 * v - by_chance) / (1 - by_chance) for v in both)
        raise InputError(
            f"{name} is {kappa:g}, but two raters who call {share(first)} and {share(second)} of "
            f"the rows positive have a kappa from {low:.4g} to {high:.4g}"
        )
    variance = powers.kappa_variance(kappa, first, second)
    return math.sqrt(max(variance, 0.0))
