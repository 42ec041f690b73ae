"""The eight algorithms of the study of metrics, as scikit-learn models.

Each stands in for a classifier of Weka 3.7.6; ``ALGORITHMS`` says how it differs. Nearest
neighbours and naive Bayes are our own, since they read nominal columns and missing values as they
are; for the others missing values are filled in and nominal columns turned into indicators within
each fold, from its training rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import check_name

MEMBERS = 25
"""Trees of bagging and boosting, as in the study."""


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A model to train, with the Weka algorithm that it corresponds to.

    ``differs`` says how the two differ. ``make(seed, nominal)`` returns an unfitted estimator;
    ``nominal`` columns are codes.
    """

    name: str
    weka: str
    differs: str
    make: Callable[[int, NDArray[np.bool_]], Any]

    @property
    def identity(self) -> str:
        """A text that is different for different models."""
        return f"{self.weka}: {self.differs}" if self.weka else self.differs


def _model(path: str, **params: Any) -> Any:
    """Return an unfitted model of scikit-learn, by its module and class."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"sklearn.{module}"), name)(**params)


def _columns(nominal: NDArray[np.bool_], scaled: bool = False) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numeric = [SimpleImputer(keep_empty_features=True)]
    if scaled:
        numeric.append(StandardScaler())
    indicators = make_pipeline(
        SimpleImputer(strategy="most_frequent", keep_empty_features=True),
        OneHotEncoder(handle_unknown="ignore", drop="if_binary", sparse_output=False),
    )
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(*numeric), np.flatnonzero(~nominal)),
            ("names", indicators, np.flatnonzero(nominal)),
        ]
    )


def _prepared(estimator: Any, nominal: NDArray[np.bool_], scaled: bool = False) -> Any:
    from sklearn.pipeline import make_pipeline

    return make_pipeline(_columns(nominal, scaled), estimator)


def _tree(seed: int) -> Any:
    return _model(
        "tree.DecisionTreeClassifier",
        criterion="entropy",
        min_samples_leaf=2,
        ccp_alpha=0.005,
        random_state=seed,
    )


def _network(seed: int, nominal: NDArray[np.bool_]) -> Any:
    hidden = ((len(nominal) + 2) // 2,)
    network = _model(
        "neural_network.MLPClassifier",
        hidden_layer_sizes=hidden,
        max_iter=200,
        activation="logistic",
        solver="lbfgs",
        random_state=seed,
    )
    return _prepared(network, nominal, scaled=True)


def _logistic(seed: int, nominal: NDArray[np.bool_]) -> Any:
    model = _model("linear_model.LogisticRegression", C=1e8, max_iter=300)
    return _prepared(model, nominal, scaled=True)


def _forest(seed: int, nominal: NDArray[np.bool_]) -> Any:
    model = _model("ensemble.RandomForestClassifier", n_estimators=10, random_state=seed)
    return _prepared(model, nominal)


def _bagging(seed: int, nominal: NDArray[np.bool_]) -> Any:
    model = _model(
        "ensemble.BaggingClassifier", estimator=_tree(seed), n_estimators=MEMBERS, random_state=seed
    )
    return _prepared(model, nominal)


class NearestNeighbours:
    """The nearest row; rows at the same distance have equal votes, as in Weka's IBk.

    A number differs by its distance on the training rows' range of 0 to 1, a nominal value by 0 or
    1; a missing value is as far as it can be. Of v neighbours of which m are of a class, its
    probability is (m + 1/n) / (v + 2/n), with n rows to learn from.
    """

    def __init__(self, nominal: NDArray[np.bool_]) -> None:
        self.nominal = nominal

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> NearestNeighbours:
        """Keep the rows."""
        self.classes_ = np.unique(y)
        self.votes = (y[:, None] == self.classes_).astype(np.float64)
        known = ~np.isnan(x)
        self.least = np.min(x, 0, initial=np.inf, where=known)
        width = np.max(x, 0, initial=-np.inf, where=known) - self.least
        self.width = np.where(width > 0, width, np.inf)  # a constant column has no information
        self.scaled = self._scaled(x)
        return self

    def _scaled(self, x: NDArray[Any]) -> NDArray[Any]:
        return np.where(self.nominal, x, (x - self.least) / self.width)

    def predict_proba(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the probability of each class, shape (n, 2)."""
        rows, classes = self.votes.shape
        votes = np.empty((len(x), classes))
        for start in range(0, len(x), step := max(1, _PAIRS // rows)):
            part = self._scaled(x[start : start + step])
            squares = np.zeros((len(part), rows))
            for a, b, nominal in zip(part.T, self.scaled.T, self.nominal, strict=True):
                squares += a[:, None] != b if nominal else _differences(a[:, None], b) ** 2
            nearest = squares == squares.min(1, keepdims=True)
            votes[start : start + step] = nearest @ self.votes
        return np.asarray((votes + 1 / rows) / (votes.sum(1, keepdims=True) + classes / rows))


_PAIRS = 1_000_000
"""Distances that are in memory at once."""


def _differences(values: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
    """Return the differences of scaled numbers; of a missing one, the largest there can be."""
    out: NDArray[Any] = values - others
    missing = np.isnan(out)
    if missing.any():
        known = np.where(np.isnan(values), others, values)
        most = np.where(np.isnan(known), 1.0, np.maximum(known, 1 - known))
        out = np.where(missing, most, out)
    return out


class AdaBoostM1:
    """AdaBoost by weights of the rows, as Weka's AdaBoostM1.

    A member with the error e votes with log((1 - e)/e); the probability of a class is the logistic
    of the votes for it less those against it (twice the sum of the votes' halves). It ends before
    a member without errors, or with half of the weight wrong; where that is the first, it alone
    decides with its own probabilities. What ``prepare`` makes of the columns is what they see.
    """

    def __init__(self, member: Any, members: int, seed: int, prepare: Any = None) -> None:
        self.member, self.members, self.seed, self.prepare = member, members, seed, prepare

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> AdaBoostM1:
        """Train one member after the other, with larger weights for misclassified rows."""
        from sklearn.base import clone

        if self.prepare is not None:
            x = self.prepare.fit_transform(x)
        self.classes_ = np.unique(y)
        self.trained: list[Any] = []
        self.says: list[float] = []
        weights = np.full(len(y), 1 / len(y))
        for seed in np.random.default_rng(self.seed).integers(2**31, size=self.members):
            member = clone(self.member).set_params(random_state=int(seed))
            wrong = member.fit(x, y, sample_weight=weights).predict(x) != y
            error = float(weights[wrong].sum())
            ends = error < _TINY or error > 0.5 - _TINY
            if not (self.trained and ends):
                self.trained.append(member)
            if ends:
                break
            self.says.append(float(np.log((1 - error) / error)))
            weights[wrong] *= (1 - error) / error
            weights /= weights.sum()
        return self

    def predict_proba(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the probability of each class, shape (n, 2)."""
        if self.prepare is not None:
            x = self.prepare.transform(x)
        if len(self.trained) == 1:
            return np.asarray(self.trained[0].predict_proba(x))
        from scipy.special import expit

        votes = np.zeros(len(x))
        for member, say in zip(self.trained, self.says, strict=True):
            votes += np.where(member.predict(x) == self.classes_[1], say, -say)
        return np.stack([expit(-votes), expit(votes)], 1)


_TINY = 1e-6
"""Numbers that differ by less are equal, as in Weka."""


class MixedNaiveBayes:
    """Naive Bayes with normal densities of numbers and frequencies of nominal values.

    Missing values are left out, of what is learned and of the product, as in Weka. Frequencies
    start from 1. A column of which a class has no number gives it the density over all rows.
    """

    def __init__(self, nominal: NDArray[np.bool_]) -> None:
        self.nominal = nominal

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> MixedNaiveBayes:
        """Fit densities and frequencies of both classes."""
        self.classes_ = np.unique(y)
        names, numbers = x[:, self.nominal], x[:, ~self.nominal]
        self.values = [np.unique(c[~np.isnan(c)]) for c in names.T]
        self.prior, self.means, self.sizes = [], [], []
        self.tables: list[list[NDArray[Any]]] = []
        mean, spread = np.nanmean(numbers, axis=0), np.nanstd(numbers, axis=0)
        least = np.maximum(1e-3 * spread, 1e-9)
        for c in self.classes_:
            mine = y == c
            self.prior.append(np.log((mine.sum() + 1) / (len(x) + len(self.classes_))))
            none = np.isnan(numbers[mine]).all(0)
            self.means.append(np.where(none, mean, np.nanmean(numbers[mine], axis=0)))
            sizes = np.where(none, spread, np.nanstd(numbers[mine], axis=0))
            self.sizes.append(np.maximum(sizes, least))
            columns = zip(names[mine].T, self.values, strict=True)
            counts = [(column[:, None] == values).sum(0) + 1 for column, values in columns]
            self.tables.append([np.log(n / n.sum()) for n in counts])
        return self

    def predict_proba(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the probability of each class, shape (n, 2)."""
        logs = np.empty((len(x), len(self.classes_)))
        for i, (mean, size) in enumerate(zip(self.means, self.sizes, strict=True)):
            z = (x[:, ~self.nominal] - mean) / size
            logs[:, i] = np.nan_to_num(-0.5 * z**2 - np.log(size)).sum(1) + self.prior[i]
            names = zip(x[:, self.nominal].T, self.values, self.tables[i], strict=True)
            for column, values, table in names:
                logs[:, i] += (column[:, None] == values) @ table
        p = np.exp(logs - logs.max(1, keepdims=True))
        return np.asarray(p / p.sum(1, keepdims=True))


ALGORITHMS: Mapping[str, Algorithm] = {
    a.name: a
    for a in (
        Algorithm(
            "mlp",
            "MultilayerPerceptron",
            "one hidden layer of (columns + classes)/2 logistic units, fitted by L-BFGS with "
            "a small penalty in place of 500 epochs of backpropagation",
            _network,
        ),
        Algorithm(
            "j48",
            "J48",
            "a binary tree by entropy with cost-complexity pruning of 0.005 in "
            "place of C4.5's splits and pessimistic pruning",
            lambda seed, nominal: _prepared(_tree(seed), nominal),
        ),
        Algorithm(
            "ibk",
            "IBk with k = 1",
            "the same model, equal distances, missing values and "
            "smoothing included; ranges of the training rows alone",
            lambda seed, nominal: NearestNeighbours(nominal),
        ),
        Algorithm(
            "logistic",
            "Logistic with a ridge of 1e-8",
            "the same model; at most 300 steps",
            _logistic,
        ),
        Algorithm(
            "naive_bayes",
            "NaiveBayes",
            "densities of numbers in place of probabilities "
            "of intervals as wide as the column is precise; the nominal values that occur in "
            "place of all declared",
            lambda seed, nominal: MixedNaiveBayes(nominal),
        ),
        Algorithm(
            "random_forest",
            "RandomForest of 10 trees",
            "trees by Gini's index on the square root of the columns",
            _forest,
        ),
        Algorithm("bagging", "Bagging of 25 J48", "of the tree above", _bagging),
        Algorithm(
            "adaboost",
            "AdaBoostM1 of 25 J48",
            "the same boosting, of the tree above",
            lambda seed, nominal: AdaBoostM1(_tree(seed), MEMBERS, seed, _columns(nominal)),
        ),
    )
}
"""The eight algorithms by name."""


def chosen(algorithms: Any) -> dict[str, Algorithm]:
    """Return makers of estimators: all eight, those named, or the user's own estimators.

    ``algorithms`` is None, names, or a mapping of names to scikit-learn estimators, which get
    numbers with nothing missing, and indicators for nominal columns. Where their ``random_state``
    is None, the experiment's seed takes its place, so that results repeat.
    """
    names = ALGORITHMS if algorithms is None else algorithms
    if not isinstance(names, list | tuple | set | Mapping):
        names = [names]
    if not names:
        raise InputError("algorithms is empty; name at least one")
    if isinstance(algorithms, Mapping):
        return {str(name): _own(name, estimator) for name, estimator in algorithms.items()}
    if not all(isinstance(name, str) for name in names):
        raise InputError(
            "algorithms must hold names; give your own estimators by name, {name: estimator}"
        )
    for name in names:
        check_name("algorithm", name, ALGORITHMS)
    return {name: ALGORITHMS[name] for name in names}


def _own(name: Any, estimator: Any) -> Algorithm:
    methods = ("fit", "predict_proba", "get_params")
    if isinstance(estimator, type) or not all(hasattr(estimator, m) for m in methods):
        raise InputError(
            f"{name} is not a classifier with fit, predict_proba and get_params; give one, such as "
            "LogisticRegression()"
        )

    def make(seed: int, nominal: NDArray[np.bool_]) -> Any:
        from sklearn.base import clone

        return _prepared(_seeded(clone(estimator), seed), nominal)

    return Algorithm(str(name), "", _told(estimator), make)


def _seeded(estimator: Any, seed: int) -> Any:
    """Set ``random_state`` where it is None, of the parts and of splitters among them too."""
    for name, value in estimator.get_params(deep=True).items():
        if value is None and name.rpartition("__")[2] == "random_state":
            estimator.set_params(**{name: seed})
        elif not hasattr(value, "get_params") and getattr(value, "random_state", seed) is None:
            value.random_state = seed  # of the copy: clone() copies what is no estimator
    return estimator


def _told(value: Any) -> str:
    """Return a text of an estimator or one of its parameters that is the same in every process."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        params = value.get_params(deep=False)
        inside = ", ".join(f"{k}={_told(params[k])}" for k in sorted(params))
        return f"{_named(type(value))}({inside})"
    if isinstance(value, np.ndarray):
        return f"array({value.dtype.str}, {value.shape}, {value.tolist()})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_told(k)}: {_told(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_told, value)) + "]"
    if callable(value) and hasattr(value, "__qualname__"):
        return _named(value)
    return re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(value))


def _named(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"
