"""scikit-learn's metrics of classification and ranking, counted.

Made by `make stubs`; a test keeps it current.
"""


from collections.abc import Callable
from typing import Any, Literal, overload

import sklearn.calibration
import sklearn.metrics

from tallymark.metrics import _Column
from tallymark.sklearn.plain import Array
from tallymark.sklearn.ranking import Curve
from tallymark.sklearn.scoring import score as score
from tallymark.sklearn.scoring import scorers as scorers

__all__ = ['CalibrationDisplay', 'ConfusionMatrixDisplay', 'DetCurveDisplay', 'PrecisionRecallDisplay', 'RocCurveDisplay', 'accuracy_score', 'auc', 'average_precision_score', 'balanced_accuracy_score', 'brier_score_loss', 'calibration_curve', 'class_likelihood_ratios', 'classification_report', 'cohen_kappa_score', 'confusion_matrix', 'confusion_matrix_at_thresholds', 'coverage_error', 'd2_brier_score', 'd2_log_loss_score', 'dcg_score', 'det_curve', 'f1_score', 'fbeta_score', 'hamming_loss', 'hinge_loss', 'jaccard_score', 'label_ranking_average_precision_score', 'label_ranking_loss', 'log_loss', 'matthews_corrcoef', 'metric_at_thresholds', 'multilabel_confusion_matrix', 'ndcg_score', 'precision_recall_curve', 'precision_recall_fscore_support', 'precision_score', 'recall_score', 'roc_auc_score', 'roc_curve', 'score', 'scorers', 'top_k_accuracy_score', 'zero_one_loss']

def accuracy_score(
    y_true: _Column, y_pred: _Column, *, normalize: bool = True,
    sample_weight: _Column | None = None
) -> float:
    """Return the share of rows named right; of several labels a row, all of them must be.

    >>> accuracy_score(["a", "b", "c", "c"], ["a", "b", "c", "a"])
    0.75
    """

def balanced_accuracy_score(
    y_true: _Column, y_pred: _Column, *, sample_weight: _Column | None = None,
    adjusted: bool = False
) -> float:
    """Return the mean share found of the classes that are true of some row.

    tallymark's own ``balanced_accuracy`` is NaN where a class was predicted and never true;
    here such a class is left out, with a warning.

    >>> balanced_accuracy_score([1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0])
    0.75
    """

def class_likelihood_ratios(
    y_true: _Column, y_pred: _Column, *, labels: _Column | None = None,
    sample_weight: _Column | None = None, replace_undefined_by: float | dict[Any, Any] = ...
) -> tuple[float, float]:
    """Return LR+ and LR-; x/0 is ``replace_undefined_by`` with a warning, where ours is infinite.

    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """

@overload
def classification_report(
    y_true: _Column, y_pred: _Column, *, labels: _Column | None = None,
    target_names: _Column | None = None, sample_weight: _Column | None = None, digits: int = 2,
    output_dict: Literal[False] = False, zero_division: float | Literal["warn"] = "warn"
) -> str:
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
@overload
def classification_report(
    y_true: _Column, y_pred: _Column, *, labels: _Column | None = None,
    target_names: _Column | None = None, sample_weight: _Column | None = None, digits: int = 2,
    output_dict: Literal[True], zero_division: float | Literal["warn"] = "warn"
) -> dict[str, Any]:
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

def cohen_kappa_score(
    y1: _Column, y2: _Column, *, labels: _Column | None = None,
    weights: Literal["linear", "quadratic"] | None = None, sample_weight: _Column | None = None,
    replace_undefined_by: float = ...
) -> float:
    """Return the agreement beyond chance; ``replace_undefined_by`` and a warning where 0/0.

    >>> cohen_kappa_score([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """

def confusion_matrix(
    y_true: _Column, y_pred: _Column, *, labels: _Column | None = None,
    sample_weight: _Column | None = None, normalize: Literal["all", "pred", "true"] | None = None
) -> Array:
    """Return counts [true, predicted]: integers unless weighted, a share of 0/0 made 0.

    >>> confusion_matrix([0, 1, 1, 0], [0, 1, 0, 0])
    array([[2, 0],
           [1, 1]])
    """

@overload
def f1_score(
    y_true: _Column, y_pred: _Column, *, labels: _Column | None = None,
    pos_label: float | str | bool | None = 1,
    average: Literal["binary", "macro", "micro", "samples", "weighted"] = "binary",
    sample_weight: _Column | None = None, zero_division: float | Literal["warn"] = "warn"
) -> float:
    """Return the harmonic mean of precision and recall; 0/0 is ``zero_division``.

    >>> f1_score([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
@overload
def f1_score(
    y_true: _Column, y_pred: _Column, *, labels: _Column | None = None,
    pos_label: float | str | bool | None = 1, average: None, sample_weight: _Column | None = None,
    zero_division: float | Literal["warn"] = "warn"
) -> Array:
    """Return the harmonic mean of precision and recall; 0/0 is ``zero_division``.

    >>> f1_score([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """

@overload
def fbeta_score(
    y_true: _Column, y_pred: _Column, *, beta: float, labels: _Column | None = None,
    pos_label: float | str | bool | None = 1,
    average: Literal["binary", "macro", "micro", "samples", "weighted"] = "binary",
    sample_weight: _Column | None = None, zero_division: float | Literal["warn"] = "warn"
) -> float:
    """Return the mean of precision and recall where recall weighs beta times as much.

    >>> fbeta_score([1, 1, 0, 0], [1, 0, 1, 0], beta=2)
    0.5
    """
@overload
def fbeta_score(
    y_true: _Column, y_pred: _Column, *, beta: float, labels: _Column | None = None,
    pos_label: float | str | bool | None = 1, average: None, sample_weight: _Column | None = None,
    zero_division: float | Literal["warn"] = "warn"
) -> Array:
    """Return the mean of precision and recall where recall weighs beta times as much.

    >>> fbeta_score([1, 1, 0, 0], [1, 0, 1, 0], beta=2)
    0.5
    """

def hamming_loss(
    y_true: _Column, y_pred: _Column, *, sample_weight: _Column | None = None
) -> float:
    """Return the share of labels that are wrong; of several labels a row, each counts.

    >>> hamming_loss([[0, 1], [1, 1]], [[0, 0], [1, 1]])
    0.25
    """

@overload
def jaccard_score(
    y_true: _Column, y_pred: _Column, *, labels: _Column | None = None,
    pos_label: float | str | bool | None = 1,
    average: Literal["binary", "macro", "micro", "samples", "weighted"] = "binary",
    sample_weight: _Column | None = None, zero_division: float | Literal["warn"] = "warn"
) -> float:
    """Return the overlap of true and predicted positives; 0/0 is ``zero_division``, 0 or 1.

    >>> jaccard_score([1, 1, 1, 0, 0], [1, 1, 0, 1, 0])
    0.5
    """
@overload
def jaccard_score(
    y_true: _Column, y_pred: _Column, *, labels: _Column | None = None,
    pos_label: float | str | bool | None = 1, average: None, sample_weight: _Column | None = None,
    zero_division: float | Literal["warn"] = "warn"
) -> Array:
    """Return the overlap of true and predicted positives; 0/0 is ``zero_division``, 0 or 1.

    >>> jaccard_score([1, 1, 1, 0, 0], [1, 1, 0, 1, 0])
    0.5
    """

def matthews_corrcoef(
    y_true: _Column, y_pred: _Column, *, sample_weight: _Column | None = None
) -> float:
    """Return the correlation of truth and prediction, 0 where one of them is all of one class.

    >>> round(matthews_corrcoef([1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 1]), 6)
    0.707107
    """

def multilabel_confusion_matrix(
    y_true: _Column, y_pred: _Column, *, sample_weight: _Column | None = None,
    labels: _Column | None = None, samplewise: bool = False
) -> Array:
    """Return a 2x2 matrix of counts for each label, or for each row with ``samplewise``.

    >>> multilabel_confusion_matrix([0, 2, 1], [0, 2, 2])[2]
    array([[1, 1],
           [0, 1]])
    """

def precision_recall_fscore_support(
    y_true: _Column, y_pred: _Column, *, beta: float = 1.0, labels: _Column | None = None,
    pos_label: float | str | bool | None = 1,
    average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = None,
    warn_for: list[Any] | tuple[Any, ...] | set[Any] = ('precision', 'recall', 'f-score'),
    sample_weight: _Column | None = None, zero_division: float | Literal["warn"] = "warn"
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall, F-beta and the true rows of each class, or averages of them.

    >>> precision_recall_fscore_support([0, 1, 1, 1], [0, 1, 1, 0], average="macro")
    (0.75, 0.8333333333333333, 0.7333333333333334, None)
    """

@overload
def precision_score(
    y_true: _Column, y_pred: _Column, *, labels: _Column | None = None,
    pos_label: float | str | bool | None = 1,
    average: Literal["binary", "macro", "micro", "samples", "weighted"] = "binary",
    sample_weight: _Column | None = None, zero_division: float | Literal["warn"] = "warn"
) -> float:
    """Return the share of the rows called positive that truly are; 0/0 is ``zero_division``.

    >>> precision_score([1, 1, 0, 0, 0], [1, 1, 1, 1, 0])
    0.5
    """
@overload
def precision_score(
    y_true: _Column, y_pred: _Column, *, labels: _Column | None = None,
    pos_label: float | str | bool | None = 1, average: None, sample_weight: _Column | None = None,
    zero_division: float | Literal["warn"] = "warn"
) -> Array:
    """Return the share of the rows called positive that truly are; 0/0 is ``zero_division``.

    >>> precision_score([1, 1, 0, 0, 0], [1, 1, 1, 1, 0])
    0.5
    """

@overload
def recall_score(
    y_true: _Column, y_pred: _Column, *, labels: _Column | None = None,
    pos_label: float | str | bool | None = 1,
    average: Literal["binary", "macro", "micro", "samples", "weighted"] = "binary",
    sample_weight: _Column | None = None, zero_division: float | Literal["warn"] = "warn"
) -> float:
    """Return the share of the truly positive rows that were found; 0/0 is ``zero_division``.

    >>> recall_score([1, 1, 1, 1, 0], [1, 1, 1, 0, 0])
    0.75
    """
@overload
def recall_score(
    y_true: _Column, y_pred: _Column, *, labels: _Column | None = None,
    pos_label: float | str | bool | None = 1, average: None, sample_weight: _Column | None = None,
    zero_division: float | Literal["warn"] = "warn"
) -> Array:
    """Return the share of the truly positive rows that were found; 0/0 is ``zero_division``.

    >>> recall_score([1, 1, 1, 1, 0], [1, 1, 1, 0, 0])
    0.75
    """

def zero_one_loss(
    y_true: _Column, y_pred: _Column, *, normalize: bool = True,
    sample_weight: _Column | None = None
) -> float:
    """Return the share of rows named wrong, or their number.

    >>> zero_one_loss([1, 0, 1, 1], [1, 1, 1, 1], normalize=False)
    1.0
    """

def coverage_error(
    y_true: _Column, y_score: _Column, *, sample_weight: _Column | None = None
) -> Any:
    """Return what scikit-learn's own ``coverage_error`` returns; see there."""

def d2_brier_score(
    y_true: _Column, y_proba: _Column, *, sample_weight: _Column | None = None,
    pos_label: float | str | bool | None = None, labels: _Column | None = None
) -> Any:
    """Return what scikit-learn's own ``d2_brier_score`` returns; see there."""

def dcg_score(
    y_true: _Column, y_score: _Column, *, k: int | None = None, log_base: float = 2,
    sample_weight: _Column | None = None, ignore_ties: bool = False
) -> Any:
    """Return what scikit-learn's own ``dcg_score`` returns; see there."""

def hinge_loss(
    y_true: _Column, pred_decision: _Column, *, labels: _Column | None = None,
    sample_weight: _Column | None = None
) -> Any:
    """Return what scikit-learn's own ``hinge_loss`` returns; see there."""

def label_ranking_average_precision_score(
    y_true: _Column, y_score: _Column, *, sample_weight: _Column | None = None
) -> Any:
    """Return what scikit-learn's own ``label_ranking_average_precision_score`` returns; see there."""

def label_ranking_loss(
    y_true: _Column, y_score: _Column, *, sample_weight: _Column | None = None
) -> Any:
    """Return what scikit-learn's own ``label_ranking_loss`` returns; see there."""

def ndcg_score(
    y_true: _Column, y_score: _Column, *, k: int | None = None,
    sample_weight: _Column | None = None, ignore_ties: bool = False
) -> Any:
    """Return what scikit-learn's own ``ndcg_score`` returns; see there."""

class CalibrationDisplay(sklearn.calibration.CalibrationDisplay):  # type: ignore[misc]
    """scikit-learn's CalibrationDisplay, of numbers that are counted here."""

class ConfusionMatrixDisplay(sklearn.metrics.ConfusionMatrixDisplay):  # type: ignore[misc]
    """scikit-learn's ConfusionMatrixDisplay, of numbers that are counted here."""

class DetCurveDisplay(sklearn.metrics.DetCurveDisplay):  # type: ignore[misc]
    """scikit-learn's DetCurveDisplay, of numbers that are counted here."""

class PrecisionRecallDisplay(sklearn.metrics.PrecisionRecallDisplay):  # type: ignore[misc]
    """scikit-learn's PrecisionRecallDisplay, of numbers that are counted here."""

class RocCurveDisplay(sklearn.metrics.RocCurveDisplay):  # type: ignore[misc]
    """scikit-learn's RocCurveDisplay, of numbers that are counted here."""

def auc(
    x: _Column, y: _Column
) -> float:
    """Return the area under points joined by straight lines; x rises or falls throughout.

    >>> auc([0, 0.5, 1], [0, 1, 1])
    0.75
    """

@overload
def average_precision_score(
    y_true: _Column, y_score: _Column, *,
    average: Literal["macro", "micro", "samples", "weighted"] = "macro",
    pos_label: float | str | bool = 1, sample_weight: _Column | None = None
) -> float:
    """Return the mean precision over the positives; 0 with a warning if there are none.

    >>> average_precision_score([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.8333333333333333
    """
@overload
def average_precision_score(
    y_true: _Column, y_score: _Column, *, average: None, pos_label: float | str | bool = 1,
    sample_weight: _Column | None = None
) -> Array:
    """Return the mean precision over the positives; 0 with a warning if there are none.

    >>> average_precision_score([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    0.8333333333333333
    """

def brier_score_loss(
    y_true: _Column, y_proba: _Column, *, sample_weight: _Column | None = None,
    pos_label: float | str | bool | None = None, labels: _Column | None = None,
    scale_by_half: bool | Literal["auto"] = "auto"
) -> float:
    """Return the mean squared distance to the true class, halved for two classes by default.

    >>> brier_score_loss([0, 1], [0.5, 0.75])
    0.15625
    """

def calibration_curve(
    y_true: _Column, y_prob: _Column, *, pos_label: float | str | bool | None = None,
    n_bins: int = 5, strategy: Literal["quantile", "uniform"] = "uniform"
) -> tuple[Array, Array]:
    """Return the share of positives and the mean probability of each bin with rows.

    Bins have equal width, or their edges are quantiles of the probabilities.

    >>> calibration_curve([0, 0, 1, 1], [0.1, 0.3, 0.35, 0.9], n_bins=2)
    (array([0.33333333, 1.        ]), array([0.25, 0.9 ]))
    """

def confusion_matrix_at_thresholds(
    y_true: _Column, y_score: _Column, *, pos_label: float | str | bool | None = None,
    sample_weight: _Column | None = None
) -> tuple[Array, Array, Array, Array, Array]:
    """Return TN, FP, FN, TP and falling thresholds; a score at a threshold is predicted positive.

    >>> confusion_matrix_at_thresholds([0, 1, 1], [0.1, 0.8, 0.4])[3]
    array([1., 2., 2.])
    """

def d2_log_loss_score(
    y_true: _Column, y_proba: _Column | None = None, *, sample_weight: _Column | None = None,
    labels: _Column | None = None, y_pred: _Column | str = "deprecated"
) -> float:
    """Return 1 - log loss / log loss of always giving the class shares, clipped as ``log_loss``.

    tallymark's own ``log_loss_skill_score`` does not clip.

    >>> round(d2_log_loss_score(["no", "yes", "yes", "no"], [0.1, 0.9, 0.8, 0.35]), 4)
    0.6881
    """

def det_curve(
    y_true: _Column, y_score: _Column, pos_label: float | str | bool | None = None,
    sample_weight: _Column | None = None, drop_intermediate: bool = False
) -> Curve:
    """Return FPR, FNR and rising thresholds, from the first FNR of 0 to the last FPR of 0.

    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), fnr.tolist(), thresholds.tolist()
    ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.35, 0.4, 0.8])
    """

def log_loss(
    y_true: _Column, y_proba: _Column | None = None, *, normalize: bool = True,
    sample_weight: _Column | None = None, labels: _Column | None = None,
    y_pred: _Column | str = "deprecated"
) -> float:
    """Return the mean of -ln(probability of the true class), clipped to epsilon and 1 - epsilon.

    Epsilon is the machine epsilon of the probabilities; tallymark's own ``log_loss`` does not
    clip.

    >>> round(log_loss(["no", "yes", "yes", "no"], [0.1, 0.9, 0.8, 0.35]), 4)
    0.2162
    """

def metric_at_thresholds(
    y_true: _Column, y_score: _Column, metric_func: Callable[..., Any], *,
    sample_weight: _Column | None = None, metric_params: dict[Any, Any] | None = None
) -> tuple[Array, Array]:
    """Return a metric of decisions at every distinct score, the highest first, and the scores.

    Rows are counted once: a metric of this package gets the four counts at a threshold as the
    weights of four rows. Other functions are called with all rows, as scikit-learn does.

    >>> from tallymark.sklearn import recall_score
    >>> metric_at_thresholds([0, 1, 1], [0.1, 0.8, 0.4], recall_score)[0]
    array([0.5, 1. , 1. ])
    """

def precision_recall_curve(
    y_true: _Column, y_score: _Column, *, pos_label: float | str | bool | None = None,
    sample_weight: _Column | None = None, drop_intermediate: bool = False
) -> Curve:
    """Return precision, recall and rising thresholds; a last point (1, 0) has no threshold.

    >>> precision, recall, thresholds = precision_recall_curve([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> precision.round(3).tolist(), recall.tolist()
    ([0.5, 0.667, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.5, 0.0])
    """

@overload
def roc_auc_score(
    y_true: _Column, y_score: _Column, *,
    average: Literal["macro", "micro", "samples", "weighted"] = "macro",
    sample_weight: _Column | None = None, max_fpr: float | None = None,
    multi_class: Literal["ovo", "ovr", "raise"] = "raise", labels: _Column | None = None
) -> float:
    """Return the ROC area; NaN with a warning if there is only one class.

    Two classes without weights cost one sort of integers and no curve.

    >>> roc_auc_score([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.3])
    0.9166666666666666
    """
@overload
def roc_auc_score(
    y_true: _Column, y_score: _Column, *, average: None, sample_weight: _Column | None = None,
    max_fpr: float | None = None, multi_class: Literal["ovo", "ovr", "raise"] = "raise",
    labels: _Column | None = None
) -> Array:
    """Return the ROC area; NaN with a warning if there is only one class.

    Two classes without weights cost one sort of integers and no curve.

    >>> roc_auc_score([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.3])
    0.9166666666666666
    """

def roc_curve(
    y_true: _Column, y_score: _Column, *, pos_label: float | str | bool | None = None,
    sample_weight: _Column | None = None, drop_intermediate: bool = True
) -> Curve:
    """Return FPR, TPR and thresholds; a rate without rows is NaN, with a warning.

    >>> fpr, tpr, thresholds = roc_curve([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """

def top_k_accuracy_score(
    y_true: _Column, y_score: _Column, *, k: int = 2, normalize: bool = True,
    sample_weight: _Column | None = None, labels: _Column | None = None
) -> float:
    """Return the share of rows whose class is among the k highest scores, ties by column.

    The rank of a class is the number of columns with a higher score, found without sorting.

    >>> top_k_accuracy_score([0, 1, 2, 2], [[5, 2, 2], [3, 4, 2], [2, 4, 1], [7, 2, 2]], k=1)
    0.5
    """
