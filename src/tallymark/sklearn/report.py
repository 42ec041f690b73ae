"""The text report of precision, recall and F1 by class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.sklearn.checks import check, warn
from tallymark.sklearn.counted import Targets, count
from tallymark.sklearn.labelled import asked, score_labels

_WARN_FOR = ("precision", "recall", "f-score")
_HEADERS = ("precision", "recall", "f1-score", "support")
_Row = tuple[str, Sequence[Any]]


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
) -> Any:
    """Return precision, recall, F1 and support by class and averaged, as text or as a dict.

    The rows are counted once for the whole report.

    >>> print(classification_report([0, 1, 1, 1], [0, 1, 1, 0]))
                  precision    recall  f1-score   support
    <BLANKLINE>
               0       0.50      1.00      0.67         1
               1       1.00      0.67      0.80         3
    <BLANKLINE>
        accuracy                           0.75         4
       macro avg       0.75      0.83      0.73         4
    weighted avg       0.88      0.75      0.77         4
    <BLANKLINE>
    """
    check(
        "classification_report",
        digits=digits,
        output_dict=output_dict,
        zero_division=zero_division,
        sample_weight=sample_weight,
    )
    targets = count(y_true, y_pred, sample_weight)
    wanted = targets.labels if labels is None else np.asarray(labels)
    names = [str(label) for label in wanted] if target_names is None else list(target_names)
    if len(names) != len(wanted):
        if labels is None:
            raise InputError(
                f"Number of classes, {len(wanted)}, does not match size of target_names, "
                f"{len(names)}. Try specifying the labels parameter"
            )
        warn(f"labels size, {len(wanted)}, does not match size of target_names, {len(names)}")
    rows, averages = _rows(targets, wanted, labels is not None, names, zero_division)
    if output_dict:
        return _as_dict(rows, averages)
    return _as_text(rows, averages, names, digits)


def _rows(
    targets: Targets, wanted: Any, given: bool, names: Sequence[str], zero_division: Any
) -> tuple[list[_Row], list[_Row]]:
    """Return a row for each class and one for each average, what is micro named accuracy."""
    by_label, values = asked(targets, wanted if given else None, None), dict[str, Any]()

    def scores(average: str | None) -> tuple[Any, ...]:
        each = average not in ("micro", "samples")
        counts = by_label if each else asked(targets, wanted if given else None, average)
        known = values if each else None
        return score_labels(targets, counts, 1.0, average, _WARN_FOR, zero_division, known)

    columns = scores(None)
    rows: list[_Row] = [(str(n), v) for n, *v in zip(names, *columns, strict=False)]
    multilabel = targets.kind == "multilabel-indicator"
    all_of_them = not given or set(wanted.tolist()) >= set(targets.labels.tolist())
    averages: list[_Row] = []
    support = np.sum(columns[3])
    for average in ("micro", "macro", "weighted", *(["samples"] if multilabel else [])):
        exact = average == "micro" and not multilabel and all_of_them
        title = "accuracy" if exact else f"{average} avg"
        averages.append((title, [*scores(average)[:3], support]))
    return rows, averages


def _as_dict(rows: Iterable[_Row], averages: Iterable[_Row]) -> dict[str, Any]:
    out: dict[str, Any] = {
        name: dict(zip(_HEADERS, map(float, values), strict=True))
        for name, values in [*rows, *averages]
    }
    if dict(averages).get("accuracy") is not None:
        out["accuracy"] = out["accuracy"]["precision"]
    return out


def _as_text(
    rows: Iterable[_Row], averages: Iterable[_Row], names: Sequence[str], digits: int
) -> str:
    width = max(len("weighted avg"), digits, *(len(name) for name in names))

    def line(name: str, cells: Sequence[str]) -> str:
        return f"{name:>{width}} " + "".join(f" {cell:>9}" for cell in cells) + "\n"

    def told(name: str, values: Sequence[Any]) -> str:
        shares = [f"{v:.{digits}f}" for v in values[:3]]
        if name == "accuracy":
            shares[:2] = "", ""
        return line(name, [*shares, str(values[3])])

    blocks = [
        line("", _HEADERS),
        "".join(told(*row) for row in rows),
        "".join(told(*row) for row in averages),
    ]
    return "\n".join(blocks)
