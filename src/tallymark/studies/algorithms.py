"""The eight algorithms of the study of metrics, as scikit-learn models.

Each stands in for a classifier of Weka 3.7.6; ``ALGORITHMS`` says how it differs. Missing values
are filled in and nominal columns turned into indicators within each fold, from its training rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, choices

MEMBERS = 25
"""Trees of bagging and boosting, as in the study."""


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A model to train: its counterpart, how it differs from it, and the function that makes it.

    ``make(seed, nominal)`` returns an unfitted estimator; ``nominal`` columns are codes.
    """

    name: str
    weka: str
    differs: str
    make: Callable[[int, NDArray[np.bool_]], Any]


def _prepared(estimator: Any, nominal: NDArray[np.bool_], scaled: str | None = None) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

    numeric = [SimpleImputer(keep_empty_features=True)]
    if scaled:
        numeric.append(StandardScaler() if scaled == "standard" else MinMaxScaler())
    indicators = make_pipeline(
        SimpleImputer(strategy="most_frequent", keep_empty_features=True),
        OneHotEncoder(handle_unknown="ignore", drop="if_binary", sparse_output=False),
    )
    return make_pipeline(
        ColumnTransformer([
            ("numbers", make_pipeline(*numeric), np.flatnonzero(~nominal)),
            ("names", indicators, np.flatnonzero(nominal)),
        ]),
        estimator,
    )  # fmt: skip


def _tree(seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=2, ccp_alpha=0.005, random_state=seed
    )


def _network(seed: int, nominal: NDArray[np.bool_]) -> Any:
    from sklearn.neural_network import MLPClassifier

    hidden = (len(nominal) + 2) // 2
    return _prepared(
        MLPClassifier((hidden,), activation="logistic", solver="lbfgs", max_iter=200,
                      random_state=seed),
        nominal, "standard",
    )  # fmt: skip


def _j48(seed: int, nominal: NDArray[np.bool_]) -> Any:
    return _prepared(_tree(seed), nominal)


def _neighbour(seed: int, nominal: NDArray[np.bool_]) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return _prepared(KNeighborsClassifier(1), nominal, "range")


def _logistic(seed: int, nominal: NDArray[np.bool_]) -> Any:
    from sklearn.linear_model import LogisticRegression

    return _prepared(LogisticRegression(C=1e8, max_iter=300), nominal, "standard")


def _bayes(seed: int, nominal: NDArray[np.bool_]) -> Any:
    return MixedNaiveBayes(nominal)


def _forest(seed: int, nominal: NDArray[np.bool_]) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return _prepared(RandomForestClassifier(10, random_state=seed), nominal)


def _bagging(seed: int, nominal: NDArray[np.bool_]) -> Any:
    from sklearn.ensemble import BaggingClassifier

    return _prepared(BaggingClassifier(_tree(seed), MEMBERS, random_state=seed), nominal)


def _boosting(seed: int, nominal: NDArray[np.bool_]) -> Any:
    from sklearn.ensemble import AdaBoostClassifier

    return _prepared(AdaBoostClassifier(_tree(seed), n_estimators=MEMBERS, random_state=seed),
                     nominal)  # fmt: skip


class MixedNaiveBayes:
    """Naive Bayes with normal densities of numbers and frequencies of nominal values.

    Missing values are left out of the product, as in Weka. Frequencies start from 1.
    """

    def __init__(self, nominal: NDArray[np.bool_]) -> None:
        self.nominal = nominal

    def fit(self, x: NDArray[Any], y: NDArray[Any]) -> MixedNaiveBayes:
        """Learn densities and frequencies of both classes."""
        self.classes_ = np.unique(y)
        numbers = x[:, ~self.nominal]
        self.values = [np.unique(c[~np.isnan(c)]) for c in x[:, self.nominal].T]
        self.prior, self.means, self.sizes = [], [], []
        self.tables: list[list[NDArray[Any]]] = []
        spread = np.nanstd(numbers, axis=0) if numbers.shape[1] else np.empty(0)
        least = np.maximum(1e-3 * spread, 1e-9)
        for c in self.classes_:
            mine = x[y == c]
            self.prior.append(np.log((len(mine) + 1) / (len(x) + len(self.classes_))))
            there = numbers[y == c]
            filled = np.where(np.isnan(there), np.nanmean(numbers, axis=0), there)
            self.means.append(filled.mean(0))
            self.sizes.append(np.maximum(filled.std(0), least))
            self.tables.append([
                np.array([(column == v).sum() + 1 for v in values])
                for column, values in zip(mine[:, self.nominal].T, self.values, strict=True)
            ])  # fmt: skip
        return self

    def predict_proba(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the probability of each class, shape (n, 2)."""
        scores = np.empty((len(x), len(self.classes_)))
        for i in range(len(self.classes_)):
            z = (x[:, ~self.nominal] - self.means[i]) / self.sizes[i]
            logs = np.nan_to_num(-0.5 * z**2 - np.log(self.sizes[i])).sum(1) + self.prior[i]
            columns = zip(x[:, self.nominal].T, self.values, self.tables[i], strict=True)
            for column, values, table in columns:
                if not len(values):
                    continue
                place = np.clip(np.searchsorted(values, column), 0, len(values) - 1)
                seen = values[place] == column
                logs += np.where(seen, np.log(table[place] / table.sum()), 0.0)
            scores[:, i] = logs
        scores -= scores.max(1, keepdims=True)
        p = np.exp(scores)
        return np.asarray(p / p.sum(1, keepdims=True))


ALGORITHMS: Mapping[str, Algorithm] = {
    a.name: a
    for a in (
        Algorithm("mlp", "MultilayerPerceptron",
                  "one hidden layer of (columns + classes)/2 logistic units, fitted by L-BFGS with "
                  "a small penalty in place of 500 epochs of backpropagation", _network),
        Algorithm("j48", "J48", "a binary tree by entropy with cost-complexity pruning of 0.005 in "
                  "place of C4.5's splits and pessimistic pruning", _j48),
        Algorithm("ibk", "IBk with k = 1", "the nearest row on columns scaled to 0..1; of equal "
                  "distances the first", _neighbour),
        Algorithm("logistic", "Logistic with a ridge of 1e-8", "the same model; at most 300 steps",
                  _logistic),
        Algorithm("naive_bayes", "NaiveBayes", "the same model", _bayes),
        Algorithm("random_forest", "RandomForest of 10 trees", "trees by Gini's index on the "
                  "square root of the columns", _forest),
        Algorithm("bagging", "Bagging of 25 J48", "of the tree above", _bagging),
        Algorithm("adaboost", "AdaBoostM1 of 25 J48", "SAMME over the tree above", _boosting),
    )
}  # fmt: skip
"""The eight algorithms by name."""


def chosen(algorithms: Any) -> dict[str, Callable[[int, NDArray[np.bool_]], Any]]:
    """Return makers of estimators: all eight, those named, or the user's own estimators.

    ``algorithms`` is None, names, or a mapping of names to scikit-learn estimators, which get
    numbers with nothing missing, and indicators for nominal columns.
    """
    if algorithms is None:
        return {name: a.make for name, a in ALGORITHMS.items()}
    if isinstance(algorithms, Mapping):
        if not algorithms:
            raise InputError("algorithms is empty; name at least one")
        return {str(name): _own(name, estimator) for name, estimator in algorithms.items()}
    names = [algorithms] if isinstance(algorithms, str) else list(algorithms)
    if not names:
        raise InputError("algorithms is empty; name at least one")
    for name in names:
        if name not in ALGORITHMS:
            raise InputError(f"there is no algorithm {name!r}; {choices(name, ALGORITHMS)}")
    return {name: ALGORITHMS[name].make for name in names}


def _own(name: Any, estimator: Any) -> Callable[[int, NDArray[np.bool_]], Any]:
    if not hasattr(estimator, "fit") or not hasattr(estimator, "predict_proba"):
        raise InputError(f"{name} is no classifier with fit and predict_proba; give one that is")

    def make(seed: int, nominal: NDArray[np.bool_]) -> Any:
        from sklearn.base import clone

        return _prepared(clone(estimator), nominal)

    return make
