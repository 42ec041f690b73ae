"""scikit-learn's metrics of classification and ranking, counted by tallymark.

The same names, arguments, results, warnings and refusals as in ``sklearn.metrics`` (and
``calibration_curve`` as in ``sklearn.calibration``), so that one line changes. Arrays, lists and
series of labels and numbers are counted; what else scikit-learn takes, or refuses, goes to its own
functions.

>>> from tallymark.sklearn import confusion_matrix, roc_auc_score
>>> roc_auc_score([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
0.75

Where scikit-learn defines a number otherwise than tallymark does, these functions follow
scikit-learn; the docstring of each says where. Its displays draw numbers that are counted here.
``scorers()`` holds the rest of the registry for ``cross_val_score`` and ``GridSearchCV``. Written
against scikit-learn 1.9.
"""

try:
    import sklearn as _sklearn  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "tallymark.sklearn needs scikit-learn; install it with: pip install 'tallymark[sklearn]'"
    ) from error

from tallymark.sklearn.classification import (
    accuracy_score,
    balanced_accuracy_score,
    class_likelihood_ratios,
    classification_report,
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    fbeta_score,
    hamming_loss,
    jaccard_score,
    matthews_corrcoef,
    multilabel_confusion_matrix,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
    zero_one_loss,
)
from tallymark.sklearn.displays import (
    CalibrationDisplay,
    ConfusionMatrixDisplay,
    DetCurveDisplay,
    PrecisionRecallDisplay,
    RocCurveDisplay,
)
from tallymark.sklearn.ranking import (
    auc,
    average_precision_score,
    brier_score_loss,
    calibration_curve,
    confusion_matrix_at_thresholds,
    det_curve,
    log_loss,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
    top_k_accuracy_score,
)
from tallymark.sklearn.scorers import score, scorers

__all__ = [
    "CalibrationDisplay",
    "ConfusionMatrixDisplay",
    "DetCurveDisplay",
    "PrecisionRecallDisplay",
    "RocCurveDisplay",
    "accuracy_score",
    "auc",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_score_loss",
    "calibration_curve",
    "class_likelihood_ratios",
    "classification_report",
    "cohen_kappa_score",
    "confusion_matrix",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "f1_score",
    "fbeta_score",
    "hamming_loss",
    "jaccard_score",
    "log_loss",
    "matthews_corrcoef",
    "multilabel_confusion_matrix",
    "precision_recall_curve",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
    "roc_auc_score",
    "roc_curve",
    "score",
    "scorers",
    "top_k_accuracy_score",
    "zero_one_loss",
]
