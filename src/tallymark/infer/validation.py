"""Compute the number of rows that validates a risk model, by the precision of four measures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tallymark.contract import ABOVE_0, FINITE, checked, number, pair_of
from tallymark.errors import InputError
from tallymark.infer import power as powers
from tallymark.infer.aims import LEVEL, OF_PLANS, Aim, Plan, no_rows, split
from tallymark.metric.proportion import quantile
from tallymark.quantities import share

WIDTHS = {
    "oe_ratio": "O:E ratio",
    "calibration_slope": "calibration slope",
    "auc": "c-statistic",
    "net_benefit": "standardized net benefit",
}
METHOD = "precision of the O:E ratio, the calibration slope, the c-statistic and the net benefit"
Variance = Callable[[Any], Any]
_BETWEEN = number("(0, 1)", "a number between 0 and 1")


@checked(
    **{
        **OF_PLANS,
        **dict.fromkeys(("expected", "threshold", "sensitivity", "specificity"), _BETWEEN),
        **dict.fromkeys(("oe_width", "slope_width", "auc_width", "net_benefit_width"), ABOVE_0),
        "linear_predictor": pair_of(FINITE),
        "beta": pair_of(ABOVE_0),
    }
)
def validation(
    expected: float,
    prevalence: float,
    *,
    linear_predictor: tuple[float, float] | None = None,
    beta: tuple[float, float] | None = None,
    threshold: float | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    n: int | None = None,
    oe_width: float = 0.2,
    slope_width: float = 0.2,
    auc_width: float = 0.1,
    net_benefit_width: float = 0.2,
    level: float = LEVEL,
    design_effect: float | None = None,
    icc: float | None = None,
    cluster_size: float | None = None,
) -> Plan:
    """Return a plan for the external validation of a risk model that is well calibrated.

    The rows are enough for intervals of the widths given: of the ratio of observed to expected
    events (O:E), the calibration slope, the c-statistic (ROC area) and, with a threshold, the
    standardized net benefit. ``Plan.criteria`` has the rows that each needs; n is the largest.

    Parameters
    ----------
    expected : float
        Assumed c-statistic c, between 0 and 1.
    prevalence : float
        Share of events π.
    linear_predictor : (float, float), optional
        Mean and standard deviation of the linear predictor, the logit of the predicted risk, if it
        is normal.
    beta : (float, float), optional
        Instead of it, parameters of the beta distribution of the predicted risk. With neither, the
        linear predictor is normal with equal spread in each class, as c and π imply.
    threshold, sensitivity, specificity : float, optional
        Risk threshold t, with the sensitivity s and the specificity of the model there.
    n : int, optional
        Total number of rows, to learn the widths that they give.
    oe_width, slope_width, auc_width, net_benefit_width : float
        Widths W of the intervals. That of O:E is from e^-h to e^h.
    level : float
        Confidence level of the intervals.
    design_effect, icc, cluster_size : float, optional
        For rows in clusters, such as several of one hospital: see `tallymark.plan.proportion`.

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        Numbers out of range, two distributions, an incomplete threshold, a width out of reach.

    Notes
    -----
    With z the normal quantile and standard error e = W / (2z), or asinh(W/2) / z for O:E:

    - O:E: n = (1 - π) / (π e²).
    - Slope: n = I₀ / (e² (I₀ I₂ - I₁²)), with Iₖ the mean of p (1 - p) times the linear predictor
      to the power k, at the predicted risk p.
    - c-statistic: the variance of :func:`auc` with ``variance="hanley-mcneil"``, in Newcombe's form
      c (1-c) (1 + (n/2 - 1) ((1-c)/(2-c) + c/(1+c))) / (n² π (1-π)).
    - Net benefit over its maximum: n = (s(1-s)/π + w² f(1-f)/(1-π) + w² f²/(π (1-π))) / e², with f
      one minus the specificity and w = t (1-π) / ((1-t) π).

    Riley et al. (2021); Newcombe (2006).

    Examples
    --------
    >>> plan = validation(0.8, 0.018, linear_predictor=(-5, 2.5), oe_width=1)
    >>> print(plan)
    4,554 rows (82 positive, 4,472 negative) give 95 % intervals of these widths, each with the rows
    it needs: O:E ratio 1 (906), calibration slope 0.2 (4,554), c-statistic 0.1 (4,252).
    >>> plan.criteria["auc"]
    {'width': 0.1, 'n': 4252}

    """
    aim = Aim(n, 0.0, level).clustered(design_effect, icc, cluster_size)
    assumed: dict[str, Any] = {"expected": expected, "prevalence": prevalence}
    variances: dict[str, Variance] = {
        "oe_ratio": _falling((1 - prevalence) / prevalence),
        "calibration_slope": _falling(
            _of_slope(expected, prevalence, linear_predictor, beta, assumed)
        ),
        "auc": lambda rows: _of_auc(expected, prevalence, rows),
    }
    at = {"threshold": threshold, "sensitivity": sensitivity, "specificity": specificity}
    given = {name: value for name, value in at.items() if value is not None}
    if len(given) == len(at):
        assumed |= given
        variances["net_benefit"] = _falling(_of_benefit(prevalence, **given))
    elif given:
        missing = next(name for name in at if name not in given)
        raise InputError(
            f"the net benefit needs {missing}=... too: threshold, sensitivity and specificity"
        )
    widths = dict(zip(WIDTHS, (oe_width, slope_width, auc_width, net_benefit_width), strict=True))
    z = quantile(level)

    def width_at(name: str, rows: Any) -> Any:
        half = z * np.sqrt(variances[name](np.asarray(rows, dtype=float)))
        return 2 * (np.sinh(half) if name == "oe_ratio" else half)

    def needed(name: str) -> int:
        found = powers.least(lambda rows: -width_at(name, rows), -widths[name])
        if found is None:
            raise InputError(
                f"a width of {widths[name]:g} of the {WIDTHS[name]} needs more rows than the limit "
                f"of {powers.MOST_ROWS:,}"
            )
        return found

    rows = {name: aim.n or needed(name) for name in variances}
    most = max(rows.values())
    positives = split(most, prevalence)
    for name, some in zip(("positives", "negatives"), positives, strict=True):
        if some < 1:
            raise no_rows(most, prevalence, name)
    reached = {name: float(width_at(name, most)) if aim.n else widths[name] for name in variances}
    criteria = {
        name: {"width": reached[name], "n": aim.given or aim.clusters.rows(rows[name])}
        for name in variances
    }
    listed = ", ".join(
        f"{WIDTHS[name]} {facts['width']:.4g}" + ("" if aim.n else f" ({facts['n']:,})")
        for name, facts in criteria.items()
    )
    each = "" if aim.n else ", each with the rows it needs"
    claim = f"{share(level)} intervals of these widths{each}: {listed}"
    return aim.plan(
        "validation", most, positives, None, assumed, METHOD, "riley2021", claim, criteria
    )


def _falling(of_one: float) -> Variance:
    """Return a variance that falls as 1/n."""
    return lambda rows: of_one / rows


def _of_auc(c: float, prevalence: float, n: Any) -> Any:
    """Return Newcombe's variance of the c-statistic."""
    pairs = n**2 * prevalence * (1 - prevalence)
    return c * (1 - c) * (1 + (n / 2 - 1) * ((1 - c) / (2 - c) + c / (1 + c))) / pairs


def _of_benefit(
    prevalence: float, threshold: float, sensitivity: float, specificity: float
) -> float:
    """Return n times the variance of the standardized net benefit."""
    odds = (1 - prevalence) / prevalence
    weight, s, f = odds * threshold / (1 - threshold), sensitivity, 1 - specificity
    of_false = weight**2 * (f * (1 - f) / (1 - prevalence) + f**2 / (prevalence * (1 - prevalence)))
    return s * (1 - s) / prevalence + of_false


def _of_slope(
    c: float,
    prevalence: float,
    linear_predictor: tuple[float, float] | None,
    beta: tuple[float, float] | None,
    assumed: dict[str, Any],
) -> float:
    """Return n times the variance of the calibration slope, and add what it assumes."""
    from scipy.special import logit, ndtri

    if linear_predictor is not None and beta is not None:
        raise InputError("linear_predictor=... and beta=... are both given; leave one of them out")
    if beta is not None:
        assumed["beta"] = beta
        i0, i1, i2 = _of_beta(*beta)
    elif linear_predictor is not None:
        mean, spread = linear_predictor
        if not spread > 0:
            raise InputError(
                f"the linear predictor's standard deviation is {spread:g}; give a number above 0"
            )
        assumed["linear_predictor"] = linear_predictor
        i0, i1, i2 = _of_normal(mean, spread)
    else:
        if not c > 0.5:
            raise InputError(
                f"expected is {c:g}; give a c-statistic above 0.5, linear_predictor=... or beta=..."
            )
        # Calibrated risks: the means of the classes lie half a variance from the logit of π.
        spread = math.sqrt(2) * float(ndtri(c))
        middle = float(logit(prevalence))
        shares = (prevalence, spread**2 / 2), (1 - prevalence, -(spread**2) / 2)
        i0, i1, i2 = sum(part * _of_normal(middle + away, spread) for part, away in shares)
    return float(i0 / (i0 * i2 - i1**2))


def _of_normal(mean: float, spread: float) -> Any:
    """Return the means of p (1 - p) xᵏ for k = 0, 1, 2 and a normal linear predictor x.

    >>> _of_normal(-0.2, 1.0).round(6).tolist()
    [0.205377, -0.028682, 0.147518]
    """
    from scipy.special import expit

    z = np.linspace(-12, 12, 4001)
    weights = np.exp(-(z**2) / 2)
    x = mean + spread * z
    return (weights / weights.sum() * expit(x) * expit(-x) * x ** np.arange(3)[:, None]).sum(1)


def _of_beta(a: float, b: float) -> Any:
    """Return the same means for risks with a beta distribution, which have a closed form.

    >>> _of_beta(1, 9).round(6).tolist()
    [0.081818, -0.149643, 0.335064]
    """
    from scipy.special import polygamma, psi

    i0, mean = a * b / ((a + b) * (a + b + 1)), psi(a + 1) - psi(b + 1)
    square = polygamma(1, a + 1) + polygamma(1, b + 1) + mean**2
    return i0 * np.array([1.0, mean, square])
