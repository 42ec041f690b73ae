"""Compute cross-validated metrics: per fold, pooled over all rows, and averaged over folds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from tallymark.contract import checked, trusted
from tallymark.display import Display, Named, plain_data
from tallymark.errors import InputError
from tallymark.infer.by_subgroup import Asked, Subgroups
from tallymark.infer.corrected_t import FoldTest, corrected_t, mean_and_error
from tallymark.infer.intervals import Inference
from tallymark.infer.multiplicity import holm
from tallymark.infer.samples import critical_value
from tallymark.listing import Listing
from tallymark.metric import ByMetric, Metric, get
from tallymark.metric.measure import Value
from tallymark.tables import metric_row


@dataclass(frozen=True, slots=True, repr=False)
class FoldValues(Display):
    """A metric in each fold, on all rows ("pooled"), and averaged over the folds."""

    folds: Mapping[Any, Value]
    pooled: Value
    mean: Value


@checked
@dataclass(frozen=True, repr=False)
class Folds(Named):
    """The metrics of cross-validated models: model -> metric -> :class:`FoldValues`.

    Returned by :meth:`tallymark.Evaluation.folds`. With one model, ``folds["f1"]`` are its values,
    and iterating yields the names of its metrics. ``rows`` are the rows per fold. ``ratio`` is
    test rows over training rows of a fold. The interval of a mean is Nadeau and Bengio's:
    mean ± t sqrt((1/k + ratio) s²) with k - 1 degrees of freedom and s² the variance of the k fold
    values. It covers the mean on folds of this size, over training sets as well as test sets. The
    interval of a pooled value treats the k models as one, and ignores the variation between
    training sets. A metric that is undefined in a fold has no mean.

    Source: nadeau2003.
    """

    column: str
    rows: Mapping[Any, int]
    values: Mapping[str, Mapping[str, FoldValues]]
    ratio: float
    level: float

    @classmethod
    @trusted
    def _of(
        cls,
        inference: Inference,
        column: str,
        metrics: Asked = None,
        ratio: float | None = None,
        stated: Mapping[str, float] | None = None,
    ) -> Folds:
        """Return the metrics per fold; see :meth:`tallymark.Evaluation.folds`.

        ``stated`` are parameters of metrics, such as the costs of errors.
        """
        stated = stated or {}
        counted, level, values = inference.one_column, inference.level, {}
        for model in counted.models:
            parts = Subgroups._of(
                counted,
                model,
                [column],
                level=level,
                seed=inference.seed,
                stratified=inference.stratified,
            )
            parts = replace(parts, _stated=stated)
            if ratio is None:  # each fold is tested on a model trained on the others
                ratio = 1 / max(len(parts) - 1, 1)
            names = parts._headline() if metrics is None else parts._names(metrics)
            of_all = [get(n)._with_defaults(stated) for n in names]
            of_folds, pooled = parts.values(names), inference.of_metrics(model, of_all)
            values[model.name] = ByMetric(
                {
                    n: _values(
                        {key: of_folds[key][n] for key in parts.keys}, pooled[n], ratio, level
                    )
                    for n in names
                }
            )
        assert ratio is not None
        return cls(column, parts.rows, values, ratio, level)

    def __getitem__(self, metric: str | Metric) -> FoldValues:
        return self._of_model()[self._metric(metric)]

    def _keys(self) -> list[str]:
        return list(self._of_model())

    def _of_model(self) -> Mapping[str, FoldValues]:
        """Return the values of the only model, by metric; raise InputError if there are several."""
        if len(self.values) > 1:
            names = ", ".join(map(repr, self.values))
            raise InputError(f"these are folds of several models ({names}); use .values of one")
        (of_model,) = self.values.values()
        return of_model

    def _metric(self, metric: str | Metric) -> str:
        name = get(metric).name
        if any(name not in of_model for of_model in self.values.values()):
            raise InputError(
                f"{name} was not requested for these folds, or a model lacks it; use "
                f"folds([{name!r}])"
            )
        return name

    def _decisive(self) -> str | None:
        """Return the first metric that all models have, None if there is none."""
        of_models = [list(of_model) for of_model in self.values.values()]
        return next((n for n in of_models[0] if all(n in names for names in of_models)), None)

    def differences(self, metric: str | Metric) -> dict[tuple[str, str], FoldTest]:
        """Return each pair of models' mean difference over the folds, by the corrected t test.

        P-values of several pairs are adjusted by Holm's method: see
        :func:`tallymark.infer.corrected_t.corrected_t`.
        """
        name, tests = self._metric(metric), {}
        for pair in combinations(self.values, 2):
            a, b = ([v.value for v in self.values[m][name].folds.values()] for m in pair)
            reasons = [self.values[m][name].mean for m in pair]
            reason = next((v.reason or v.method for v in reasons if not _finite(v)), None)
            test = corrected_t([], [], ratio=self.ratio) if reason else None
            test = test or corrected_t(a, b, ratio=self.ratio, level=self.level)
            tests[pair] = replace(test, reason=reason) if reason else test
        p_values = holm(np.array([t.p_value for t in tests.values()]))
        return {
            pair: replace(t, p_value=p)
            for (pair, t), p in zip(tests.items(), p_values.tolist(), strict=True)
        }

    def table(self) -> Listing:
        """Return a row per model, metric and fold, then "all rows" and "mean of folds"."""
        return Listing(
            tuple(
                {"model": model, "fold": fold, "rows": rows} | metric_row(name, v)
                for model, of_model in self.values.items()
                for name, of_metric in of_model.items()
                for fold, rows, v in (
                    *((key, self.rows[key], v) for key, v in of_metric.folds.items()),
                    ("all rows", sum(self.rows.values()), of_metric.pooled),
                    ("mean of folds", None, of_metric.mean),
                )
            )
        )

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """Return JSON-ready data, with at most ``most`` folds listed one by one."""
        keys = list(self.rows)[:most]
        metric = self._decisive()
        tests = {} if metric is None else self.differences(metric)
        return {
            "column": self.column,
            "ratio": self.ratio,
            "folds": [{"fold": plain_data(k), "rows": self.rows[k]} for k in keys],
            "n_not_shown": len(self.rows) - len(keys),
            "models": [
                {
                    "name": model,
                    "values": {
                        n: {
                            "pooled": v.pooled.to_dict(),
                            "mean": v.mean.to_dict(),
                            "folds": [v.folds[k].to_dict() for k in keys],
                        }
                        for n, v in of_model.items()
                    },
                }
                for model, of_model in self.values.items()
            ],
            "differences": [
                {"first": a, "second": b, "metric": metric, **test.to_dict()}
                for (a, b), test in tests.items()
            ],
        }


def _values(folds: Mapping[Any, Value], pooled: Value, ratio: float, level: float) -> FoldValues:
    """Return a metric of a model per fold, with its mean over the folds."""
    values, m = np.array([v.value for v in folds.values()]), get(pooled.metric)
    mean, error, reason = mean_and_error(values, ratio)
    mean_value = Value(m.name, mean, definition=pooled.definition)
    undefined = {key: v.reason for key, v in folds.items() if v.reason}
    if undefined:
        key, why = next(iter(undefined.items()))
        many = f"{len(undefined)} of {len(folds)} folds" if len(undefined) > 1 else f"fold {key}"
        mean_value = replace(mean_value, value=math.nan, reason=f"undefined in {many} ({why})")
    elif not math.isfinite(mean):
        mean_value = replace(mean_value, method="no interval: infinite in a fold")
    elif reason:
        same = "there is one fold" if len(values) < 2 else "every fold has the same value"
        mean_value = replace(mean_value, method=f"no interval: {same}")
    else:
        half = float(critical_value(level, len(values) - 1)) * error
        low, high = m.range_of()
        mean_value = replace(
            mean_value,
            low=max(mean - half, low),
            high=min(mean + half, high),
            level=level,
            se=error,
            method=f"corrected resampled t, {len(values)} folds",
        )
    return FoldValues(folds, pooled, mean_value)


def _finite(v: Value) -> bool:
    return math.isfinite(v.value)
