"""Finished numbers without predictions, which are refused with a remedy."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Sequence

import numpy as np

from tallymark import InputError
from tallymark.core import bare, listed, meaning

_METRICS = """
    accuracy acc top1 top5 top1acc top5acc top1accuracy top5accuracy balancedaccuracy
    f1 f1score macrof1 microf1 weightedf1 auc rocauc auroc precision recall ppv npv
    sensitivity specificity mcc kappa youden"""
_SURE = frozenset(_METRICS.split())
"""Names of finished numbers, without prefixes such as val_ and mean_test_."""
_BEFORE = re.compile(r"^(mean|avg|test|val|valid|validation|train|eval|dev|split\d+)+")
_N = ("n", "rows", "total", "nrows", "samples", "nsamples", "size", "support", "testsize")
_CLASSIFIERS = {"classifier", "algorithm", "model", "learner", "estimator", "method"}
_CLAIMS = {
    **{name: name for name in ("sensitivity", "specificity", "precision", "recall", "f1")},
    "f1score": "f1",
    "ppv": "precision",
    "npv": "negative_predictive_value",
}
"""Names in ``tallymark reconcile`` of the numbers that it finds counts for."""

_LEAST_GRID = 8


def refusal_of(
    names: Sequence[str], lines: Sequence[Sequence[str]], name: str
) -> InputError | None:
    """Return the refusal of a table of finished numbers, which has no predictions to count.

    It is None for other tables.
    """
    if not names:
        return (
            None
            if not _is_grid(lines)
            else InputError(
                f"{name} holds numbers, no predictions: every combination of the values in its "
                "first columns has one line, as in a grid search; give the predictions of the "
                "model to judge, with its true classes"
            )
        )
    says = [meaning(n) for n in names]
    if any(s is not None and s.role in ("truth", "pred") for s in says):
        return None
    metrics = [n for n in names if _is_metric(n)]
    cells = [v for row in lines for n, v in zip(names, row, strict=False) if n in metrics and v]
    if not metrics or not lines or any(_number(v) is None for v in cells):
        return None
    what = "one result" if len(lines) == 1 else f"{len(lines):,} results"
    return InputError(
        f"{name} holds numbers, no predictions: {what} with {listed(metrics[:4])}; "
        f"{_remedy(names, lines, name)}; if it does hold predictions, name the true class with "
        "truth=..."
    )


def _remedy(names: Sequence[str], lines: Sequence[Sequence[str]], name: str) -> str:
    """Return the command that helps with such numbers, for the first line as an example."""
    columns = {*map(bare, names)}
    if "dataset" in columns and columns & _CLASSIFIERS:
        return f"classifiers are compared on data sets by: tallymark results {shlex.quote(name)}"
    values = {bare(n): v for n, v in zip(names, lines[0], strict=False)}
    plain = {_stripped(n): v for n, v in reversed(values.items())}
    n = next((values[k] for k in _N if k in values and values[k].isdigit()), None)
    claims = {_CLAIMS[k]: v for k, v in plain.items() if k in _CLAIMS and v}
    accuracy = next((plain[k] for k in ("accuracy", "acc", "top1", "top1acc") if k in plain), None)
    if claims and n is not None:
        claims |= {} if accuracy is None else {"accuracy": accuracy}
        claims_text = " ".join(shlex.quote(f"{k}={v}") for k, v in claims.items())
        return f"for the counts that give them run: tallymark reconcile {claims_text} --n {n}"
    share = _number(accuracy or "")
    if share is not None and 0 < share <= 100:
        text = f"{share:g}%" if share > 1 else f"{share:g}"
        return (
            "for the interval of an accuracy on N rows run, such as for the first: tallymark plan "
            f"proportion {text} --n {n or 'N'}"
        )
    return (
        "with the number of rows N, the counts that give such numbers are found by: tallymark "
        "reconcile METRIC=NUMBER ... --n N"
    )


def _stripped(plain: str) -> str:
    return _BEFORE.sub("", plain) or plain


def _is_metric(name: str) -> bool:
    plain = bare(name)
    of_scores = _BEFORE.match(plain) is not None and plain.endswith("score")
    return of_scores or _stripped(plain) in _SURE


def _is_grid(lines: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first columns contain every combination of their values once."""
    rows = [[_number(c) for c in row] for row in lines]
    if len(rows) < _LEAST_GRID or len({len(row) for row in rows}) != 1:
        return False
    table = np.array(rows, np.float64)  # NaN where a cell is no number
    if np.isnan(table).any():
        return False
    for k in range(table.shape[1] - 1, 1, -1):
        settings, results = table[:, :k], table[:, k:]
        distinct = [len(np.unique(column)) for column in settings.T]
        once = len(np.unique(settings, axis=0)) == len(rows) == math.prod(distinct)
        varied = sum(n > 1 for n in distinct) > 1
        shares = ((results >= 0) & (results <= 1)).all() and (results % 1 != 0).any()
        if once and varied and shares:
            return True
    return False


def _number(text: str) -> float | None:
    try:
        return float(text.removesuffix("%"))
    except ValueError:
        return None
