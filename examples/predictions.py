"""Make the example data: out-of-fold predictions of models on data that scikit-learn bundles.

    python examples/predictions.py [FOLDER]

Every row is scored by a model that was fitted without it (stratified 10-fold, seed 0).
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

FOLDS = StratifiedKFold(10, shuffle=True, random_state=0)
MODELS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": RandomForestClassifier(200, random_state=0),
    "bayes": GaussianNB(),
}


def breast_cancer(folder: Path) -> Path:
    """Write the diagnosis and each model's probability of malignancy."""
    data = load_breast_cancer()
    scores = [
        cross_val_predict(m, data.data, data.target, cv=FOLDS, method="predict_proba")[:, 0]
        for m in MODELS.values()
    ]
    truth = [str(data.target_names[t]) for t in data.target]
    return _write(folder / "breast_cancer.csv", ["diagnosis", *MODELS], truth, scores)


def iris(folder: Path) -> Path:
    """Write the species and the forest's probability of each."""
    data = load_iris()
    matrix = cross_val_predict(
        MODELS["forest"], data.data, data.target, cv=FOLDS, method="predict_proba"
    )
    truth = [str(data.target_names[t]) for t in data.target]
    names = [f"p_{name}" for name in data.target_names]
    return _write(folder / "iris.csv", ["species", *names], truth, list(matrix.T))


def _write(path: Path, header: list[str], truth: list[str], scores: list[list[float]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for label, *row in zip(truth, *scores, strict=True):
            writer.writerow([label, *(f"{p:.6g}" for p in row)])
    return path


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for made in (breast_cancer(target), iris(target)):
        print(made)
