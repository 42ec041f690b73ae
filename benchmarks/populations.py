"""Populations to draw samples from: kind ones, and those that intervals find hard.

A population is a function that draws rows: the arguments of :func:`tallymark.evaluate` for so many
rows at a prevalence. Its true values are those of very many rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import tallymark as tm

MANY = 4_000_000
"""Rows whose values are taken for the true ones: they err by a fiftieth of an interval's width."""

Rng = np.random.Generator
Rows = dict[str, Any]
"""Arguments of :func:`tallymark.evaluate`: ``y_true``, ``y_score`` and others."""


@dataclass(frozen=True)
class Population:
    """A name for a page, how rows are drawn, and what is decided at which score."""

    title: str
    rows: Callable[[Rng, int, float], Rows]
    threshold: Callable[[float], float | None] = lambda prevalence: 0.5
    clustered: bool = False
    classes: int = 2
    of_truth: Callable[[Rng, int, float], Rows] | None = None
    """Draws rows with the same true values, where very many of ``rows`` would not show them."""

    def evaluate(self, rows: Rows, prevalence: float, **options: Any) -> tm.Evaluation:
        """Count the rows and decide at the population's threshold."""
        if self.classes == 2:
            options |= {"threshold": self.threshold(prevalence), "positive": 1}
        return tm.evaluate(rows["y_true"], classes=range(self.classes), **rest(rows), **options)

    def truth(self, prevalence: float) -> dict[str, float]:
        """Return the value of every metric among very many rows."""
        draw = self.of_truth or self.rows
        rows = draw(np.random.default_rng(1), MANY // self.classes * 2, prevalence)
        rows.pop("cluster", None)
        values = self.evaluate(rows, prevalence).values()["model"]
        return {name: v.value for name, v in values.items()}


def rest(rows: Rows) -> Rows:
    """Return the arguments beside the true classes."""
    return {name: column for name, column in rows.items() if name != "y_true"}


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-np.clip(x, -700, 700)))


def _logit(p: Any) -> Any:
    return np.log(p / (1 - p))


Noise = Callable[[Rng, int], NDArray[Any]]


def _normal(rng: Rng, n: int) -> NDArray[Any]:
    return rng.normal(size=n)


def _t(freedoms: float) -> Noise:
    return lambda rng, n: rng.standard_t(freedoms, n)


def shifted(
    title: str, lift: float, noise: Noise = _normal, *, found: float = 1.0, slope: float = 1.0
) -> Population:
    """Return positives' scores ``lift`` above those of negatives, of a share ``found`` of them.

    Probabilities are those of normal scores with log odds times ``slope``: 1 is calibrated.
    """

    def rows(rng: Rng, n: int, prevalence: float) -> Rows:
        y = rng.random(n) < prevalence
        x = noise(rng, n) + lift * (y & (rng.random(n) < found))
        odds = _logit(prevalence) + lift * (x - lift / 2)
        return {"y_true": y.astype(int), "y_score": _sigmoid(slope * odds)}

    return Population(title, rows, lambda prevalence: float(_sigmoid(slope * _logit(prevalence))))


def _beta(rng: Rng, n: int, prevalence: float) -> Rows:
    y = rng.random(n) < prevalence
    return {"y_true": y.astype(int), "y_score": np.where(y, rng.beta(4, 2, n), rng.beta(2, 4, n))}


LEVELS = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
OF_LEVELS = np.array([[0.35, 0.30, 0.20, 0.10, 0.05], [0.05, 0.10, 0.20, 0.30, 0.35]])


def _five_levels(rng: Rng, n: int, prevalence: float) -> Rows:
    y = (rng.random(n) < prevalence).astype(int)
    place = (rng.random(n)[:, None] > OF_LEVELS.cumsum(1)[y][:, :-1]).sum(1)
    return {"y_true": y, "y_score": LEVELS[place]}


def _weighted(rng: Rng, n: int, prevalence: float) -> Rows:
    """Rows whose weights vary by a coefficient of variation of about 0.8, whatever the row."""
    rows = _FAIR.rows(rng, n, prevalence)
    return {**rows, "weight": np.exp(0.7 * rng.normal(size=n))}


EACH = 5


def _patients(rng: Rng, n: int, prevalence: float) -> Rows:
    """Five rows a patient, alike by a level of their scores and an inclination of their own."""
    patients = -(-n // EACH)
    return _of_patients(rng, np.repeat(np.arange(patients), EACH)[:n], prevalence)


def _of_patients(rng: Rng, who: NDArray[np.intp], prevalence: float) -> Rows:
    n, patients = len(who), int(who.max()) + 1
    inclined = rng.beta(2 * prevalence, 2 * (1 - prevalence), patients)
    y = rng.random(n) < inclined[who]
    x = 0.8 * rng.normal(size=n) + 0.6 * rng.normal(size=patients)[who] + 1.5 * y
    odds = _logit(prevalence) + 1.5 * (x - 0.75)
    return {"y_true": y.astype(int), "y_score": _sigmoid(odds), "cluster": who}


OF_CLASSES = np.array([0.4, 0.3, 0.15, 0.1, 0.05])


def _five_classes(rng: Rng, n: int, prevalence: float) -> Rows:
    """Five classes, even at a prevalence of one half, else skewed: the rarest has 5 %."""
    shares = np.full(5, 0.2) if prevalence == 0.5 else OF_CLASSES
    y = rng.choice(5, n, p=shares)
    odds = 1.5 * (y[:, None] == np.arange(5)) + rng.normal(size=(n, 5))
    p = np.exp(1.5 * odds) * shares
    return {"y_true": y, "y_score": p / p.sum(1, keepdims=True)}


_FAIR = shifted("normal, 1.5 apart", 1.5)

POPULATIONS: dict[str, Population] = {
    "normal": _FAIR,
    "weak": shifted("normal, 0.5 apart", 0.5),
    "near-separable": shifted("normal, 4 apart", 4.0),
    "t3": shifted("Student's t, 3 degrees of freedom, 1.5 apart", 1.5, _t(3)),
    "t2": shifted("Student's t, 2 degrees of freedom, 1.5 apart", 1.5, _t(2)),
    "mixture": shifted("70 % of the positives 2.5 apart, 30 % like negatives", 2.5, found=0.7),
    "beta": Population("beta(4, 2) and beta(2, 4), not calibrated", _beta),
    "five levels": Population("five scores alone", _five_levels),
    "over-confident": shifted("normal, log odds times 2.5", 1.5, slope=2.5),
    "under-confident": shifted("normal, log odds times 0.4", 1.5, slope=0.4),
    "weighted": Population("normal, log-normal weights", _weighted, _FAIR.threshold),
    "clustered": Population("five rows a patient", _patients, _FAIR.threshold, clustered=True),
    "five classes": Population("softmax of five normal scores", _five_classes, classes=5),
}


# -- unequal clusters and heavy tails --------------------------------------------------------------

CENTRES = 20


def _one_with(share: float) -> Callable[[Rng], NDArray[Any]]:
    rest = (1 - share) / (CENTRES - 1)
    return lambda rng: np.append(share, np.full(CENTRES - 1, rest))


SHARES_OF_CENTRES: dict[str, Callable[[Rng], NDArray[Any]]] = {
    "log-normal sizes, σ = 1.5": lambda rng: np.exp(1.5 * rng.normal(size=CENTRES)),
    "one with half of the rows": _one_with(0.5),
    "one with three quarters of the rows": _one_with(0.75),
}
"""How the rows are divided among the 20 centres."""


def sizes_of(shares: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Return the numbers of rows of centres by their shares of ``n``, at least one each."""
    sizes = np.maximum(np.rint(n * shares / shares.sum()), 1).astype(np.intp)
    sizes[sizes.argmax()] += n - sizes.sum()
    return np.asarray(sizes)


def _centres(sizes: str) -> Population:
    def rows(rng: Rng, n: int, prevalence: float) -> Rows:
        each = sizes_of(SHARES_OF_CENTRES[sizes](rng), n)
        return _of_patients(rng, np.repeat(np.arange(CENTRES), each), prevalence)

    title = f"{CENTRES} centres, {sizes}"
    return Population(title, rows, _FAIR.threshold, clustered=True, of_truth=_patients)


def _large_losses(rng: Rng, n: int, prevalence: float) -> Rows:
    """Three classes; the losses of the true class are log-normal, a tenth in the median."""
    y = rng.integers(0, 3, n)
    own = np.exp(-0.1 * np.exp(1.5 * rng.normal(size=n)))
    p = np.repeat((1 - own)[:, None] / 2, 3, axis=1)
    p[np.arange(n), y] = own
    return {"y_true": y, "y_score": p}


def _heavy_weights(rng: Rng, n: int, prevalence: float) -> Rows:
    rows = _FAIR.rows(rng, n, prevalence)
    return {**rows, "weight": np.exp(1.5 * rng.normal(size=n))}


def _verified(rng: Rng, n: int, prevalence: float) -> Rows:
    """Verify every row predicted positive, and one in twenty of the others, of weight 20."""
    rows = _FAIR.rows(rng, 30 * n, prevalence)
    negative = rows["y_score"] < _FAIR.threshold(prevalence)
    kept = np.flatnonzero(~negative | (rng.random(len(negative)) < 0.05))[:n]
    weight = np.where(negative[kept], 20.0, 1.0)
    return {**{name: column[kept] for name, column in rows.items()}, "weight": weight}


def _decided_at(lift: float, score: float) -> Population:
    """Return normal scores ``lift`` apart, decided far from where both rates are equal."""

    def threshold(prevalence: float) -> float:
        return float(_sigmoid(_logit(prevalence) + lift * (score - lift / 2)))

    title = f"normal, {lift:g} apart, positive from {score:g} above the mean of the negatives"
    return Population(title, shifted("", lift).rows, threshold)


OF_TAILS = ("accuracy", "sensitivity", "f1", "roc_auc", "brier", "log_loss")
RATIOS = ("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio")


class Tail(NamedTuple):
    """A population with the rows of its samples, and the numbers that are shown of it."""

    population: Population
    rows: tuple[int, ...]
    numbers: tuple[str, ...] = OF_TAILS
    prevalence: float = 0.5


TAILS: dict[str, Tail] = {
    "log-normal centres": Tail(_centres("log-normal sizes, σ = 1.5"), (200, 1000)),
    "centre with half": Tail(_centres("one with half of the rows"), (200, 1000)),
    "centre with most": Tail(_centres("one with three quarters of the rows"), (200, 1000)),
    "large losses": Tail(
        Population("log-normal log losses of three classes, σ = 1.5", _large_losses, classes=3),
        (50, 100, 500),
    ),
    "losses of five": Tail(POPULATIONS["five classes"], (50, 100, 500)),
    "heavy weights": Tail(
        Population(
            "normal, log-normal weights, σ = 1.5",
            _heavy_weights,
            _FAIR.threshold,
            of_truth=_FAIR.rows,
        ),
        (50, 100, 500),
    ),
    "few verified": Tail(
        Population(
            "normal, one in twenty of the rows predicted negative, of weight 20",
            _verified,
            _FAIR.threshold,
            of_truth=_FAIR.rows,
        ),
        (200, 1000),
        ("accuracy", "sensitivity", "specificity", "precision", "f1"),
        0.3,
    ),
    "many false positives": Tail(_decided_at(1.5, 0.0), (30, 100, 300), RATIOS, 0.3),
    "few false positives": Tail(_decided_at(2.5, 2.3), (30, 100, 300), RATIOS, 0.3),
    "few negatives": Tail(
        _FAIR, (200, 1000, 10_000), ("fmr1000", "fmr100", "specificity", "roc_auc"), 0.9
    ),
}
"""Clusters of unequal size, heavy tails, unequal rates and few negatives."""
