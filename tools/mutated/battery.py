"""Every metric's values and reasons on up to 1,500 random and degenerate inputs.

python tools/mutated/battery.py FILE

``tools/mutants.py`` compares what the metrics give with what they give of changed code.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tallymark.metric import METRICS
from tallymark.metric.measure import Statistic
from tallymark.tally.labels import Counts
from tallymark.tally.scores import ScoreCounts, ScoreTally
from tallymark.tally.sums import Sums, class_tallies

PARAMS: dict[str, list[dict[str, Any]]] = {
    "f_beta": [{"beta": 0.0}, {"beta": 2.0}, {"beta": float("inf")}],
    "effectiveness": [{"beta": 3.0}],
    "discriminant_power": [{"base": 10}],
    "adjusted_geometric_mean": [{"counts": True}],
    "iba": [{"alpha": 1.0}, {"alpha": 0.0}],
    "cohen_kappa": [{"weights": "linear"}, {"weights": "quadratic"}],
    "expected_agreement": [{"pooled": True}],
    "mutual_information": [{"base": 2}],
    "normalized_mutual_information": [
        {"mean": m} for m in ("geometric", "min", "max", "true", "predicted")
    ],
    "expected_cost": [{"cost_fp": 2.0, "cost_fn": 7.0}, {"prevalence": 0.1, "cost_fn": 3.0}],
    "normalized_expected_cost": [{"cost_fp": 2.0, "cost_fn": 7.0}, {"prevalence": 0.1}],
    "net_benefit": [{"p_t": 0.2}, {"p_t": 0.0}],
    "standardized_net_benefit": [{"p_t": 0.2}],
    "interventions_avoided": [{"p_t": 0.2}],
    "partial_roc_auc": [
        {"low": 0.2, "high": 0.7}, {"low": 0.3, "high": 1.0, "axis": "tpr", "standardized": True},
    ],
    "h_measure": [{"alpha": 2.0, "beta": 2.0}, {"alpha": 1.0, "beta": 4.0}],
    "gain_at": [{"depth": 0.37}, {"depth": 1.0}],
    "precision_at_k": [{"k": 3}],
    "recall_at_k": [{"k": 3}],
    "recall_at_precision": [{"precision": 0.5}, {"precision": 1.0}],
    "precision_at_recall": [{"recall": 0.5}, {"recall": 1.0}],
    "sensitivity_at_fpr": [{"fpr": 0.5}, {"fpr": 1.0}],
    "specificity_at_sensitivity": [{"sensitivity": 0.5}, {"sensitivity": 1.0}],
    "log_loss": [{"clip": 0.1, "base": 2}],
    "expected_calibration_error": [
        {"bins": 3, "strategy": "mass"}, {"norm": "l2", "debiased": True, "bins": 2},
    ],
    "hosmer_lemeshow": [{"bins": 3}],
    "calibration_slope": [{"clip": 0.1}],
    "calibration_intercept": [{"clip": 0.1}],
    "cllr": [{"prior": 0.2}],
    "top_k_accuracy": [{"k": 1}, {"k": 3}],
}  # fmt: skip


def _inputs() -> dict[str, list[Any]]:
    rng = np.random.default_rng(0)
    out: dict[str, list[Any]] = {"counts": [], "matrix": [], "ranking": [], "probabilities": [],
                                 "class_scores": [], "rows": []}  # fmt: skip
    cells = rng.integers(0, 9, (4, 1500)) * (rng.random((4, 1500)) < 0.8)
    out["counts"] = [Counts(*cells.astype(float)), Counts(70, 23, 31, 410)]
    for k in (1, 2, 3, 5):
        m = rng.integers(0, 9, (300, k, k)) * (rng.random((300, k, k)) < 0.6)
        out["matrix"].append(m.astype(float))
    for g in (1, 2, 5, 40):
        scores = np.sort(rng.choice(1001, g, replace=False)) / 1000
        if g == 5:
            scores[[0, -1]] = 0.0, 1.0
        pos = rng.integers(0, 5, (200, g)) * (rng.random((200, g)) < 0.7)
        neg = rng.integers(0, 5, (200, g)) * (rng.random((200, g)) < 0.7)
        r = ScoreCounts(scores, pos.astype(float), neg.astype(float))
        out["ranking"] += [r, ScoreCounts(scores, r.pos[0], r.neg[0])]
    out["probability"] = out["ranking"]
    out["probabilities"] = [(r,) for r in out["ranking"]]
    out["probabilities"].append(tuple(out["ranking"][-1] for _ in range(3)))
    for k in (2, 3, 4):
        y, s = rng.integers(0, k, 40), rng.dirichlet(np.ones(k), 40).round(1)
        out["class_scores"] += [class_tallies(y, s), class_tallies(y * 0, s, labels=list(range(k)))]
        out["rows"] += [Sums._of_rows(y, s), Sums._of_rows(y[:0], s[:0])]
    out["class_scores"].append((ScoreTally.from_arrays([0, 1, 1, 0], [0.1, 0.4, 0.3, 0.3]),))
    return out


INPUTS = _inputs()


def battery() -> list[Any]:
    """Return every metric's values and reasons on all inputs; an error is a value, too."""
    out: list[Any] = []
    for m in METRICS.values():
        for params in ({}, *PARAMS.get(m.name, [])):
            for data in INPUTS.get(m._needs, []):  # sets of labels are below, as arrays
                try:
                    fresh = (
                        ScoreCounts(data.scores, data.pos, data.neg)
                        if isinstance(data, ScoreCounts)
                        else data
                    )
                    out.append(m.compute(fresh, **params))
                    out += list(m._cases(fresh, **params).values())
                    if m._sampling.proportion is not None:
                        out += list(m._sampling.proportion(fresh))
                except Exception as error:
                    out.append(type(error).__name__)
    return out + _of_helpers() + _of_averages() + _of_label_sets()


def _of_helpers() -> list[Any]:
    from tallymark.metric import correlation, matrix, proportion

    rng = np.random.default_rng(1)
    out: list[Any] = []

    def keep(call: Any) -> None:
        try:
            out.append(np.asarray(call(), dtype=object if isinstance(call(), str) else float))
        except Exception as error:
            out.append(type(error).__name__)

    for kappa in (-0.1, 0.0, 0.2, 0.21, 0.4, 0.5, 0.6, 0.7, 0.8, 0.81, 1.0):
        keep(lambda k=kappa: matrix.landis_koch(k))
    for n in (1, 2, 3, 8):
        for _ in range(10):
            x, y = rng.integers(0, 4, (2, n)).astype(float)
            keep(lambda a=x, b=y: correlation.pearson(a, b))
            keep(lambda a=x, b=y: correlation.correlations(np.stack([a, b])))
            keep(lambda a=x, b=y: correlation.midranks(np.stack([a, b - 2])))
    keep(lambda: proportion.wilson(np.array([0.0, 1, 3, 8]), np.array([8.0, 8, 8, 8]), 1.96))
    keep(lambda: [proportion.quantile(v) for v in (0.5, 0.9, 0.99)])
    return out


def _of_averages() -> list[Any]:
    import tallymark as tm
    from tallymark.metric import skew

    rng = np.random.default_rng(2)
    weights = np.arange(25.0)
    out: list[Any] = []
    for m in METRICS.values():
        skew.balance.cache_clear()
        found = skew.balance(m)
        out += [found.kind, np.array([found.before, found.after])]
    for k, average in ((2, "binary"), (2, "macro"), (3, "macro"), (4, "weighted"), (3, "micro")):
        names = tuple(range(k))
        for name in ("f1", "sensitivity", "precision", "accuracy", "matthews_corrcoef"):
            m = METRICS[name]
            of = average if m._needs == "counts" else None
            s = Statistic.of(m, names, 1 if of in ("binary", None) and k == 2 else None, of)
            out.append(s.gradient(rng.integers(1, 30, (k, k)).astype(float), names))
            if m._sampling.proportion is not None and s.average in ("binary", "overall"):
                out.append(str(s.mixes_classes(names)))
    for k in (1, 2, 3):
        y, p = rng.integers(0, k, (2, 25))
        s = rng.dirichlet(np.ones(k + 1), 25)[:, :k].round(1)
        for name in (
            "f1",
            "accuracy",
            "roc_auc",
            "brier",
            "ece",
            "spherical_score",
            "hand_till_auc",
        ):
            metric = METRICS[tm.metric.get(name).name]
            second = p if metric._needs in ("counts", "matrix") else (s if k > 2 else s[:, -1])
            for average in (None, "binary", "macro", "micro", "weighted", "per_class", "overall"):
                for options in ({}, {"skip_undefined": True}, {"over": [0]}, {"undefined": 7.0},
                                {"undefined": "raise"}, {"positive": 1}, {"labels": [0, 1, 2]},
                                {"labels": [2, 1, 0], "sample_weight": weights}):  # fmt: skip
                    try:
                        out.append(np.asarray(metric(y, second, average=average, **options)))
                    except Exception as error:
                        out.append(str(error))
            for given in (tm.LabelTally.from_arrays(y, p), 3):
                try:
                    out.append(np.asarray(metric(given)))
                except Exception as error:
                    out.append(str(error))
    return out


def _of_label_sets() -> list[Any]:
    rng = np.random.default_rng(3)
    out: list[Any] = []
    for k in (2, 3, 5):
        for _ in range(20):
            true, called = rng.integers(0, 2, (2, 12, k))
            second = {"label_sets": called, "label_rankings": rng.integers(0, 4, (12, k)) / 4}
            weights = rng.integers(1, 4, 12)
            for m in METRICS.values():
                if m._needs in second:
                    out += [
                        m(true, second[m._needs]),
                        m(true, second[m._needs], sample_weight=weights),
                    ]
    return out


def differs(a: list[Any], b: list[Any]) -> bool:
    """Tell whether any value differs by more than rounding."""
    if len(a) != len(b):
        return True
    for x, y in zip(a, b, strict=True):
        if isinstance(x, str | None) or isinstance(y, str | None):
            if type(x) is not type(y) or x != y:
                return True
            continue
        x, y = np.asarray(x), np.asarray(y)
        if x.shape != y.shape:
            return True
        if x.dtype == object or y.dtype == object:
            if not (x == y).all():
                return True
        elif not np.allclose(x, y, rtol=1e-9, atol=1e-12, equal_nan=True):
            return True
    return False


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(pickle.dumps(battery()))
