"""The text report of precision, recall and F1 by class."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.sklearn.checks import Array, check, mean_of_few, warn
from tallymark.sklearn.counted import Classes, PlainMatrix, Targets, count
from tallymark.sklearn.labelled import SCORES, added, asked, score_labels

_WARN_FOR = ("precision", "recall", "f-score")
_HEADERS = ("precision", "recall", "f1-score", "support")
_Row = tuple[Any, ...]
"""A name, precision, recall, F1 and support."""


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
    wanted = None if labels is None else np.asarray(labels)
    if target_names is None:
        names = _named(targets, wanted)
    else:
        names = list(target_names)
        size = len(targets.labels if wanted is None else wanted)
        if len(names) != size and labels is None:
            raise InputError(
                f"Number of classes, {size}, does not match size of target_names, "
                f"{len(names)}. Try specifying the labels parameter"
            )
        if len(names) != size:
            warn(f"labels size, {size}, does not match size of target_names, {len(names)}")
    rows, averages = _rows(targets, wanted, names, zero_division)
    if output_dict:
        return _as_dict(rows, averages)
    return _as_text(rows, averages, names, digits)


def _named(targets: Targets, wanted: Array | None) -> list[str]:
    # The texts of NumPy's whole numbers and booleans are those of Python's, sooner.
    if wanted is None and isinstance(targets, Classes) and targets.dtype.kind in "biu":
        return [str(label) for label in targets.names]
    return [str(label) for label in (targets.labels if wanted is None else wanted)]


def _rows(
    targets: Targets, wanted: Array | None, names: Sequence[str], zero_division: Any
) -> tuple[list[_Row], list[_Row]]:
    """Return a row for each class and one for each average, what is micro named accuracy."""
    by_label, values = asked(targets, wanted, None), dict[str, Any]()
    multilabel = targets.kind == "multilabel-indicator"
    all_of_them = wanted is None or set(wanted.tolist()) >= set(targets.labels.tolist())
    micro = "accuracy" if all_of_them and not multilabel else "micro avg"
    if isinstance(by_label, list):
        plain = [[score(c) for c in by_label] for score in SCORES]
        if not math.isnan(sum(map(sum, plain))):
            return _plain_rows(by_label, plain, names, micro)

    def scores(average: str | None) -> tuple[Any, ...]:
        each = average not in ("micro", "samples")
        counts = by_label if each else asked(targets, wanted, average)
        known = values if each else None
        return score_labels(targets, counts, 1.0, average, _WARN_FOR, zero_division, known)

    *columns, support = scores(None)
    if targets.weights is None:
        support = [int(rows) for rows in support]
    rows = list(zip(map(str, names), *columns, support, strict=False))
    total = sum(support) if targets.weights is None else np.sum(support)
    averages = {"micro": micro, "macro": "macro avg", "weighted": "weighted avg"}
    if multilabel:
        averages["samples"] = "samples avg"
    return rows, [(title, *scores(a)[:3], total) for a, title in averages.items()]


def _plain_rows(
    counts: list[PlainMatrix], values: list[list[float]], names: Sequence[str], micro: str
) -> tuple[list[_Row], list[_Row]]:
    """Return :func:`_rows` where nothing is undefined, so that no word is said of it."""
    support = [int(c.positives) for c in counts]
    rows = list(zip(map(str, names), *values, support, strict=False))
    total = sum(support)
    whole = added(counts)
    precision, recall, f1 = SCORES
    overall = [precision(whole)] * 3
    if whole.fp != whole.fn:  # which are the same of all classes added up
        overall[1:] = recall(whole), f1(whole)
    return rows, [
        (micro, *overall, total),
        ("macro avg", *map(mean_of_few, values), total),
        ("weighted avg", *[mean_of_few(v, support) for v in values], total),
    ]


def _as_dict(rows: Iterable[_Row], averages: Iterable[_Row]) -> dict[str, Any]:
    out: dict[str, Any] = {
        name: dict(zip(_HEADERS, map(float, values), strict=True))
        for name, *values in [*rows, *averages]
    }
    if any(name == "accuracy" for name, *_ in averages):
        out["accuracy"] = out["accuracy"]["precision"]
    return out


def _as_text(
    rows: Sequence[_Row], averages: Sequence[_Row], names: Sequence[str], digits: int
) -> str:
    width = max(len("weighted avg"), digits, *map(len, names))
    form = _form(width, digits, len(rows), tuple([row[0] == "accuracy" for row in averages]))
    cells: list[Any] = []
    for row in rows:
        cells += row
    for row in averages:
        cells += (row[0], *row[3:]) if row[0] == "accuracy" else row
    return form % tuple(cells)


@lru_cache(maxsize=64)
def _form(width: int, digits: int, rows: int, short: tuple[bool, ...]) -> str:
    """Return the whole text, its cells left open; short is a line of F1 and support alone."""
    header = "".join(f" {word:>9}" for word in _HEADERS)
    share = f" %9.{digits}f"
    told, brief = (f"%{width}s {shares} %9s\n" for shares in (share * 3, f"{'':20}{share}"))
    averages = "".join(brief if accuracy else told for accuracy in short)
    return f"{'':{width}} {header}\n\n{told * rows}\n{averages}"
