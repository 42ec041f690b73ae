"""scikit-learn's displays of numbers that are counted here: it checks, draws and asks estimators.

>>> from matplotlib.figure import Figure
>>> d = RocCurveDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], ax=Figure().subplots())
>>> d.fpr.tolist(), d.roc_auc, d.line_.get_label()
([0.0, 0.0, 0.5, 0.5, 1.0], 0.75, 'Classifier (AUC = 0.75)')
>>> d = ConfusionMatrixDisplay.from_predictions([0, 1, 1], [0, 1, 0], ax=Figure().subplots())
>>> d.confusion_matrix.tolist(), d.text_[1, 0].get_text()
([[1, 0], [1, 1]], '1')
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType
from typing import Any

import sklearn.calibration
import sklearn.metrics

from tallymark.sklearn.classification import confusion_matrix
from tallymark.sklearn.ranking import (
    auc,
    average_precision_score,
    calibration_curve,
    det_curve,
    precision_recall_curve,
    roc_curve,
)

__all__ = [
    "CalibrationDisplay",
    "ConfusionMatrixDisplay",
    "DetCurveDisplay",
    "PrecisionRecallDisplay",
    "RocCurveDisplay",
]


def _counted(display: type[Any], *counts: Callable[..., Any]) -> type[Any]:
    """Return a display of scikit-learn that counts with these functions instead of its own.

    Its ``from_predictions``, which ``from_estimator`` calls, is scikit-learn's: a copy that finds
    these functions where scikit-learn's finds those of the same names.
    """
    theirs = display.from_predictions.__func__
    ours = {**theirs.__globals__, **{function.__name__: function for function in counts}}
    copy = FunctionType(theirs.__code__, ours, theirs.__name__, theirs.__defaults__)
    copy.__kwdefaults__ = theirs.__kwdefaults__
    update_wrapper(copy, theirs)
    words = f"scikit-learn's {display.__name__}, of numbers that are counted here."
    body = {"from_predictions": classmethod(copy), "__module__": __name__, "__doc__": words}
    return type(display.__name__, (display,), body)


RocCurveDisplay = _counted(sklearn.metrics.RocCurveDisplay, roc_curve, auc)
PrecisionRecallDisplay = _counted(
    sklearn.metrics.PrecisionRecallDisplay, precision_recall_curve, average_precision_score
)
DetCurveDisplay = _counted(sklearn.metrics.DetCurveDisplay, det_curve)
CalibrationDisplay = _counted(sklearn.calibration.CalibrationDisplay, calibration_curve)
ConfusionMatrixDisplay = _counted(sklearn.metrics.ConfusionMatrixDisplay, confusion_matrix)
