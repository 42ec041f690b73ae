"""Every metric as a function: ``tallymark.metrics.mcc(y_true, y_pred)``.

Made by `make stubs`; a test keeps it current.
"""


from collections.abc import Sequence
from typing import Any, Literal, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from tallymark.metric import Metric
from tallymark.tally.arrays import Label
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums

class _Column(Protocol):
    """A list, an array, a series or a frame."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any: ...

class _Sensitivity(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Sensitivity: TP / (TP + FN).

        Share of the truly positive rows that were found.

        Misleading: Calling every row positive makes it 1.

        Undefined where no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Sensitivity of each class, in the order of the classes: TP / (TP + FN)."""

sensitivity: _Sensitivity
"""Sensitivity: TP / (TP + FN).

Share of the truly positive rows that were found.
"""
TPR: _Sensitivity
"""Sensitivity: TP / (TP + FN).

Share of the truly positive rows that were found.
"""
tpr: _Sensitivity
"""Sensitivity: TP / (TP + FN).

Share of the truly positive rows that were found.
"""
recall: _Sensitivity
"""Sensitivity: TP / (TP + FN).

Share of the truly positive rows that were found.
"""
true_positive_rate: _Sensitivity
"""Sensitivity: TP / (TP + FN).

Share of the truly positive rows that were found.
"""
hit_rate: _Sensitivity
"""Sensitivity: TP / (TP + FN).

Share of the truly positive rows that were found.
"""
probability_of_detection: _Sensitivity
"""Sensitivity: TP / (TP + FN).

Share of the truly positive rows that were found.
"""
pd: _Sensitivity
"""Sensitivity: TP / (TP + FN).

Share of the truly positive rows that were found.
"""
TP_rate: _Sensitivity
"""Sensitivity: TP / (TP + FN).

Share of the truly positive rows that were found.
"""
tp_rate: _Sensitivity
"""Sensitivity: TP / (TP + FN).

Share of the truly positive rows that were found.
"""
sens: _Sensitivity
"""Sensitivity: TP / (TP + FN).

Share of the truly positive rows that were found.
"""
power: _Sensitivity
"""Sensitivity: TP / (TP + FN).

Share of the truly positive rows that were found.
"""

class _Specificity(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Specificity: TN / (FP + TN).

        Share of the truly negative rows that were called negative.

        Misleading: Calling every row negative makes it 1, and with very many negatives 0.99
        still means many false alarms.

        Undefined where no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Specificity of each class, in the order of the classes: TN / (FP + TN)."""

specificity: _Specificity
"""Specificity: TN / (FP + TN).

Share of the truly negative rows that were called negative.
"""
TNR: _Specificity
"""Specificity: TN / (FP + TN).

Share of the truly negative rows that were called negative.
"""
tnr: _Specificity
"""Specificity: TN / (FP + TN).

Share of the truly negative rows that were called negative.
"""
spec: _Specificity
"""Specificity: TN / (FP + TN).

Share of the truly negative rows that were called negative.
"""
true_negative_rate: _Specificity
"""Specificity: TN / (FP + TN).

Share of the truly negative rows that were called negative.
"""
inverse_recall: _Specificity
"""Specificity: TN / (FP + TN).

Share of the truly negative rows that were called negative.
"""
selectivity: _Specificity
"""Specificity: TN / (FP + TN).

Share of the truly negative rows that were called negative.
"""

class _FalsePositiveRate(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """False positive rate: FP / (FP + TN).

        Share of the truly negative rows that were called positive.

        Misleading: A small rate can mean many false alarms: 1 % of a million negatives is ten
        thousand.

        Undefined where no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """False positive rate of each class, in the order of the classes: FP / (FP + TN)."""

false_positive_rate: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
FPR: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
fpr: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
FP_rate: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
fp_rate: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
type_I_error: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
type_i_error: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
fall_out: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
fallout: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
false_alarm_rate: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
pf: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
FAR: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
far: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
FMR: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
fmr: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
false_match_rate: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""
false_acceptance_rate: _FalsePositiveRate
"""False positive rate: FP / (FP + TN).

Share of the truly negative rows that were called positive.
"""

class _FalseNegativeRate(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """False negative rate: FN / (TP + FN).

        Share of the truly positive rows that were missed.

        Misleading: Calling every row positive makes it 0.

        Undefined where no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """False negative rate of each class, in the order of the classes: FN / (TP + FN)."""

false_negative_rate: _FalseNegativeRate
"""False negative rate: FN / (TP + FN).

Share of the truly positive rows that were missed.
"""
FNR: _FalseNegativeRate
"""False negative rate: FN / (TP + FN).

Share of the truly positive rows that were missed.
"""
fnr: _FalseNegativeRate
"""False negative rate: FN / (TP + FN).

Share of the truly positive rows that were missed.
"""
FN_rate: _FalseNegativeRate
"""False negative rate: FN / (TP + FN).

Share of the truly positive rows that were missed.
"""
fn_rate: _FalseNegativeRate
"""False negative rate: FN / (TP + FN).

Share of the truly positive rows that were missed.
"""
type_II_error: _FalseNegativeRate
"""False negative rate: FN / (TP + FN).

Share of the truly positive rows that were missed.
"""
type_ii_error: _FalseNegativeRate
"""False negative rate: FN / (TP + FN).

Share of the truly positive rows that were missed.
"""
miss_rate: _FalseNegativeRate
"""False negative rate: FN / (TP + FN).

Share of the truly positive rows that were missed.
"""
FRR: _FalseNegativeRate
"""False negative rate: FN / (TP + FN).

Share of the truly positive rows that were missed.
"""
frr: _FalseNegativeRate
"""False negative rate: FN / (TP + FN).

Share of the truly positive rows that were missed.
"""
FNMR: _FalseNegativeRate
"""False negative rate: FN / (TP + FN).

Share of the truly positive rows that were missed.
"""
fnmr: _FalseNegativeRate
"""False negative rate: FN / (TP + FN).

Share of the truly positive rows that were missed.
"""
false_rejection_rate: _FalseNegativeRate
"""False negative rate: FN / (TP + FN).

Share of the truly positive rows that were missed.
"""
false_non_match_rate: _FalseNegativeRate
"""False negative rate: FN / (TP + FN).

Share of the truly positive rows that were missed.
"""

class _YoudenJ(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Youden's J: TPR + TNR - 1.

        How much better than guessing the decisions separate both classes; 0 is guessing.

        Misleading: It weights a missed positive like a false alarm, as if classes were equally
        frequent and errors cost the same.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Youden's J of each class, in the order of the classes: TPR + TNR - 1."""

youden_j: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
informedness: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
bookmaker_informedness: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
J: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
j: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
J_index: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
j_index: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
Youden_index: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
youden_index: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
BM: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
bm: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
YI: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
yi: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
Peirce_skill_score: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
peirce_skill_score: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
true_skill_statistic: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
TSS: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
tss: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
Hanssen_Kuipers_discriminant: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""
hanssen_kuipers_discriminant: _YoudenJ
"""Youden's J: TPR + TNR - 1.

How much better than guessing the decisions separate both classes; 0 is guessing.
"""

class _Precision(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Precision: TP / (TP + FP).

        Share of the rows called positive that truly are.

        Misleading: It falls with the prevalence: a precision from a balanced sample does not
        hold where positives are rare.

        Undefined where no row was predicted positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Precision of each class, in the order of the classes: TP / (TP + FP)."""

precision: _Precision
"""Precision: TP / (TP + FP).

Share of the rows called positive that truly are.
"""
PPV: _Precision
"""Precision: TP / (TP + FP).

Share of the rows called positive that truly are.
"""
ppv: _Precision
"""Precision: TP / (TP + FP).

Share of the rows called positive that truly are.
"""
positive_predictive_value: _Precision
"""Precision: TP / (TP + FP).

Share of the rows called positive that truly are.
"""
pos_pred_value: _Precision
"""Precision: TP / (TP + FP).

Share of the rows called positive that truly are.
"""

class _NegativePredictiveValue(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Negative predictive value: TN / (TN + FN).

        Share of the rows called negative that truly are.

        Misleading: Where positives are rare it is near 1 for any classifier that calls most
        rows negative.

        Undefined where no row was predicted negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Negative predictive value of each class, in the order of the classes: TN / (TN + FN)."""

negative_predictive_value: _NegativePredictiveValue
"""Negative predictive value: TN / (TN + FN).

Share of the rows called negative that truly are.
"""
NPV: _NegativePredictiveValue
"""Negative predictive value: TN / (TN + FN).

Share of the rows called negative that truly are.
"""
npv: _NegativePredictiveValue
"""Negative predictive value: TN / (TN + FN).

Share of the rows called negative that truly are.
"""
neg_pred_value: _NegativePredictiveValue
"""Negative predictive value: TN / (TN + FN).

Share of the rows called negative that truly are.
"""
inverse_precision: _NegativePredictiveValue
"""Negative predictive value: TN / (TN + FN).

Share of the rows called negative that truly are.
"""
true_negative_accuracy: _NegativePredictiveValue
"""Negative predictive value: TN / (TN + FN).

Share of the rows called negative that truly are.
"""
TNA: _NegativePredictiveValue
"""Negative predictive value: TN / (TN + FN).

Share of the rows called negative that truly are.
"""
tna: _NegativePredictiveValue
"""Negative predictive value: TN / (TN + FN).

Share of the rows called negative that truly are.
"""

class _FalseDiscoveryRate(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """False discovery rate: FP / (TP + FP).

        Share of the rows called positive that are truly negative.

        Misleading: It rises as positives become rarer, with the classifier unchanged.

        Undefined where no row was predicted positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """False discovery rate of each class, in the order of the classes: FP / (TP + FP)."""

false_discovery_rate: _FalseDiscoveryRate
"""False discovery rate: FP / (TP + FP).

Share of the rows called positive that are truly negative.
"""
FDR: _FalseDiscoveryRate
"""False discovery rate: FP / (TP + FP).

Share of the rows called positive that are truly negative.
"""
fdr: _FalseDiscoveryRate
"""False discovery rate: FP / (TP + FP).

Share of the rows called positive that are truly negative.
"""

class _FalseOmissionRate(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """False omission rate: FN / (TN + FN).

        Share of the rows called negative that are truly positive.

        Misleading: Where positives are rare it is near 0 for any classifier that calls most
        rows negative.

        Undefined where no row was predicted negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """False omission rate of each class, in the order of the classes: FN / (TN + FN)."""

false_omission_rate: _FalseOmissionRate
"""False omission rate: FN / (TN + FN).

Share of the rows called negative that are truly positive.
"""
FOR: _FalseOmissionRate
"""False omission rate: FN / (TN + FN).

Share of the rows called negative that are truly positive.
"""

class _Markedness(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Markedness: PPV + NPV - 1.

        How much better than chance a prediction indicates the truth; 0 is chance.

        Misleading: It changes with prevalence, and is undefined where all rows have the same
        prediction.

        Undefined where no row was predicted positive; no row was predicted negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Markedness of each class, in the order of the classes: PPV + NPV - 1."""

markedness: _Markedness
"""Markedness: PPV + NPV - 1.

How much better than chance a prediction indicates the truth; 0 is chance.
"""
MK: _Markedness
"""Markedness: PPV + NPV - 1.

How much better than chance a prediction indicates the truth; 0 is chance.
"""
mk: _Markedness
"""Markedness: PPV + NPV - 1.

How much better than chance a prediction indicates the truth; 0 is chance.
"""
delta_P: _Markedness
"""Markedness: PPV + NPV - 1.

How much better than chance a prediction indicates the truth; 0 is chance.
"""
delta_p: _Markedness
"""Markedness: PPV + NPV - 1.

How much better than chance a prediction indicates the truth; 0 is chance.
"""

class _Prevalence(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Prevalence: (TP + FN) / T.

        Share of the rows that are truly positive, a property of the data, not the classifier.

        Misleading: In a sample stratified by class it says nothing about the population.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Prevalence of each class, in the order of the classes: (TP + FN) / T."""

prevalence: _Prevalence
"""Prevalence: (TP + FN) / T.

Share of the rows that are truly positive, a property of the data, not the classifier.
"""
base_rate: _Prevalence
"""Prevalence: (TP + FN) / T.

Share of the rows that are truly positive, a property of the data, not the classifier.
"""

class _PredictedPositiveRate(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Predicted positive rate: (TP + FP) / T.

        Share of the rows that were called positive.

        Misleading: It can equal the prevalence even where every call is wrong.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Predicted positive rate of each class, in the order of the classes: (TP + FP) / T."""

predicted_positive_rate: _PredictedPositiveRate
"""Predicted positive rate: (TP + FP) / T.

Share of the rows that were called positive.
"""
PPR: _PredictedPositiveRate
"""Predicted positive rate: (TP + FP) / T.

Share of the rows that were called positive.
"""
ppr: _PredictedPositiveRate
"""Predicted positive rate: (TP + FP) / T.

Share of the rows that were called positive.
"""
bias: _PredictedPositiveRate
"""Predicted positive rate: (TP + FP) / T.

Share of the rows that were called positive.
"""
depth: _PredictedPositiveRate
"""Predicted positive rate: (TP + FP) / T.

Share of the rows that were called positive.
"""
detection_prevalence: _PredictedPositiveRate
"""Predicted positive rate: (TP + FP) / T.

Share of the rows that were called positive.
"""

class _Lift(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Lift: PPV / prevalence.

        How many times more positives the rows called positive hold than rows drawn at random.

        Misleading: It can be high for a few rows, and its maximum is 1 / prevalence: do not
        compare values between data sets.

        Undefined where no row was predicted positive; no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Lift of each class, in the order of the classes: PPV / prevalence."""

lift: _Lift
"""Lift: PPV / prevalence.

How many times more positives the rows called positive hold than rows drawn at random.
"""

class _Accuracy(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Accuracy: (TP + TN) / T; the diagonal over all.

        Share of rows that were classified correctly.

        Misleading: Where one class is frequent, always predicting it scores high: compare with
        the no-information rate.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Accuracy of each class, in the order of the classes: (TP + TN) / T; the diagonal over
        all.
        """

accuracy: _Accuracy
"""Accuracy: (TP + TN) / T; the diagonal over all.

Share of rows that were classified correctly.
"""
ACC: _Accuracy
"""Accuracy: (TP + TN) / T; the diagonal over all.

Share of rows that were classified correctly.
"""
acc: _Accuracy
"""Accuracy: (TP + TN) / T; the diagonal over all.

Share of rows that were classified correctly.
"""

class _ErrorRate(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Error rate: 1 - accuracy.

        Share of rows that were classified incorrectly.

        Misleading: Where one class is frequent, always predicting it has a low error rate.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Error rate of each class, in the order of the classes: 1 - accuracy."""

error_rate: _ErrorRate
"""Error rate: 1 - accuracy.

Share of rows that were classified incorrectly.
"""
ERR: _ErrorRate
"""Error rate: 1 - accuracy.

Share of rows that were classified incorrectly.
"""
err: _ErrorRate
"""Error rate: 1 - accuracy.

Share of rows that were classified incorrectly.
"""
classification_error: _ErrorRate
"""Error rate: 1 - accuracy.

Share of rows that were classified incorrectly.
"""
misclassification_rate: _ErrorRate
"""Error rate: 1 - accuracy.

Share of rows that were classified incorrectly.
"""
zero_one_loss: _ErrorRate
"""Error rate: 1 - accuracy.

Share of rows that were classified incorrectly.
"""

class _BalancedAccuracy(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Balanced accuracy: mean over classes of the share found; (TPR + TNR) / 2.

        Accuracy if every class were equally frequent.

        Misleading: It says nothing about precision: with rare positives most alarms may be
        false.

        Undefined where a class has no true row; there are fewer than two classes.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Balanced accuracy of each class, in the order of the classes: mean over classes of the
        share found; (TPR + TNR) / 2.
        """

balanced_accuracy: _BalancedAccuracy
"""Balanced accuracy: mean over classes of the share found; (TPR + TNR) / 2.

Accuracy if every class were equally frequent.
"""
BCR: _BalancedAccuracy
"""Balanced accuracy: mean over classes of the share found; (TPR + TNR) / 2.

Accuracy if every class were equally frequent.
"""
bcr: _BalancedAccuracy
"""Balanced accuracy: mean over classes of the share found; (TPR + TNR) / 2.

Accuracy if every class were equally frequent.
"""
BA: _BalancedAccuracy
"""Balanced accuracy: mean over classes of the share found; (TPR + TNR) / 2.

Accuracy if every class were equally frequent.
"""
ba: _BalancedAccuracy
"""Balanced accuracy: mean over classes of the share found; (TPR + TNR) / 2.

Accuracy if every class were equally frequent.
"""
bal_accuracy: _BalancedAccuracy
"""Balanced accuracy: mean over classes of the share found; (TPR + TNR) / 2.

Accuracy if every class were equally frequent.
"""
balanced_classification_rate: _BalancedAccuracy
"""Balanced accuracy: mean over classes of the share found; (TPR + TNR) / 2.

Accuracy if every class were equally frequent.
"""
macro_recall: _BalancedAccuracy
"""Balanced accuracy: mean over classes of the share found; (TPR + TNR) / 2.

Accuracy if every class were equally frequent.
"""

class _BalancedErrorRate(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Balanced error rate: 1 - balanced accuracy.

        Error rate if every class were equally frequent.

        Misleading: It says nothing about precision: with rare positives most alarms may be
        false.

        Undefined where a class has no true row; there are fewer than two classes.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Balanced error rate of each class, in the order of the classes: 1 - balanced accuracy."""

balanced_error_rate: _BalancedErrorRate
"""Balanced error rate: 1 - balanced accuracy.

Error rate if every class were equally frequent.
"""
BER: _BalancedErrorRate
"""Balanced error rate: 1 - balanced accuracy.

Error rate if every class were equally frequent.
"""
ber: _BalancedErrorRate
"""Balanced error rate: 1 - balanced accuracy.

Error rate if every class were equally frequent.
"""
half_total_error_rate: _BalancedErrorRate
"""Balanced error rate: 1 - balanced accuracy.

Error rate if every class were equally frequent.
"""
HTER: _BalancedErrorRate
"""Balanced error rate: 1 - balanced accuracy.

Error rate if every class were equally frequent.
"""
hter: _BalancedErrorRate
"""Balanced error rate: 1 - balanced accuracy.

Error rate if every class were equally frequent.
"""

class _GeometricMean(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Geometric mean: K-th root of the product of the shares found; √(TPR · TNR).

        Geometric mean of the recall of each class: 0 if one class is never found.

        Misleading: One class that is never found makes it 0, whatever the others do.

        Undefined where a class has no true row; there are fewer than two classes.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Geometric mean of each class, in the order of the classes: K-th root of the product of
        the shares found; √(TPR · TNR).
        """

geometric_mean: _GeometricMean
"""Geometric mean: K-th root of the product of the shares found; √(TPR · TNR).

Geometric mean of the recall of each class: 0 if one class is never found.
"""
GM: _GeometricMean
"""Geometric mean: K-th root of the product of the shares found; √(TPR · TNR).

Geometric mean of the recall of each class: 0 if one class is never found.
"""
gm: _GeometricMean
"""Geometric mean: K-th root of the product of the shares found; √(TPR · TNR).

Geometric mean of the recall of each class: 0 if one class is never found.
"""
gmean: _GeometricMean
"""Geometric mean: K-th root of the product of the shares found; √(TPR · TNR).

Geometric mean of the recall of each class: 0 if one class is never found.
"""
G_mean: _GeometricMean
"""Geometric mean: K-th root of the product of the shares found; √(TPR · TNR).

Geometric mean of the recall of each class: 0 if one class is never found.
"""
g_mean: _GeometricMean
"""Geometric mean: K-th root of the product of the shares found; √(TPR · TNR).

Geometric mean of the recall of each class: 0 if one class is never found.
"""
G_mean2: _GeometricMean
"""Geometric mean: K-th root of the product of the shares found; √(TPR · TNR).

Geometric mean of the recall of each class: 0 if one class is never found.
"""
g_mean2: _GeometricMean
"""Geometric mean: K-th root of the product of the shares found; √(TPR · TNR).

Geometric mean of the recall of each class: 0 if one class is never found.
"""

class _MatthewsCorrcoef(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Matthews correlation: (TP·TN - FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)); Gorodkin's R_K
        for K classes.

        Correlation between the true and the predicted class; 0 is guessing, −1 always wrong.

        Misleading: It changes with prevalence, so do not compare values at different class
        balances.

        Undefined where all rows are truly of one class; all rows were predicted as one class.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Matthews correlation of each class, in the order of the classes: (TP·TN - FP·FN) /
        √((TP+FP)(TP+FN)(TN+FP)(TN+FN)); Gorodkin's R_K for K classes.
        """

matthews_corrcoef: _MatthewsCorrcoef
"""Matthews correlation: (TP·TN - FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)); Gorodkin's R_K for K
classes.

Correlation between the true and the predicted class; 0 is guessing, −1 always wrong.
"""
MCC: _MatthewsCorrcoef
"""Matthews correlation: (TP·TN - FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)); Gorodkin's R_K for K
classes.

Correlation between the true and the predicted class; 0 is guessing, −1 always wrong.
"""
mcc: _MatthewsCorrcoef
"""Matthews correlation: (TP·TN - FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)); Gorodkin's R_K for K
classes.

Correlation between the true and the predicted class; 0 is guessing, −1 always wrong.
"""
phi: _MatthewsCorrcoef
"""Matthews correlation: (TP·TN - FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)); Gorodkin's R_K for K
classes.

Correlation between the true and the predicted class; 0 is guessing, −1 always wrong.
"""
phi_coefficient: _MatthewsCorrcoef
"""Matthews correlation: (TP·TN - FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)); Gorodkin's R_K for K
classes.

Correlation between the true and the predicted class; 0 is guessing, −1 always wrong.
"""
matthews_correlation_coefficient: _MatthewsCorrcoef
"""Matthews correlation: (TP·TN - FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)); Gorodkin's R_K for K
classes.

Correlation between the true and the predicted class; 0 is guessing, −1 always wrong.
"""

class _CohenKappa(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, weights: Any = None,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Cohen's kappa: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ share true × share predicted.

        Agreement beyond that expected from the class frequencies: 0 is chance, 1 is perfect.

        Misleading: It falls where one class is frequent, even at the same rates: read it beside
        them.

        Undefined where there is no row; all rows are truly of one class and were predicted as
        it; the weights of all confusions of the classes that occur are 0.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, weights: Any = None,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Cohen's kappa of each class, in the order of the classes: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ
        share true × share predicted.
        """

cohen_kappa: _CohenKappa
"""Cohen's kappa: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ share true × share predicted.

Agreement beyond that expected from the class frequencies: 0 is chance, 1 is perfect.
"""
kappa: _CohenKappa
"""Cohen's kappa: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ share true × share predicted.

Agreement beyond that expected from the class frequencies: 0 is chance, 1 is perfect.
"""
KAP: _CohenKappa
"""Cohen's kappa: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ share true × share predicted.

Agreement beyond that expected from the class frequencies: 0 is chance, 1 is perfect.
"""
kap: _CohenKappa
"""Cohen's kappa: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ share true × share predicted.

Agreement beyond that expected from the class frequencies: 0 is chance, 1 is perfect.
"""
kappa_statistic: _CohenKappa
"""Cohen's kappa: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ share true × share predicted.

Agreement beyond that expected from the class frequencies: 0 is chance, 1 is perfect.
"""
Heidke_skill_score: _CohenKappa
"""Cohen's kappa: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ share true × share predicted.

Agreement beyond that expected from the class frequencies: 0 is chance, 1 is perfect.
"""
heidke_skill_score: _CohenKappa
"""Cohen's kappa: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ share true × share predicted.

Agreement beyond that expected from the class frequencies: 0 is chance, 1 is perfect.
"""
Heidke_skill: _CohenKappa
"""Cohen's kappa: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ share true × share predicted.

Agreement beyond that expected from the class frequencies: 0 is chance, 1 is perfect.
"""
heidke_skill: _CohenKappa
"""Cohen's kappa: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ share true × share predicted.

Agreement beyond that expected from the class frequencies: 0 is chance, 1 is perfect.
"""
HSS: _CohenKappa
"""Cohen's kappa: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ share true × share predicted.

Agreement beyond that expected from the class frequencies: 0 is chance, 1 is perfect.
"""
hss: _CohenKappa
"""Cohen's kappa: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ share true × share predicted.

Agreement beyond that expected from the class frequencies: 0 is chance, 1 is perfect.
"""

class _ScottPi(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Scott's pi: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ (mean share of true and predicted)².

        Agreement beyond chance, assuming one class balance for truth and prediction.

        Misleading: It assumes one class balance for truth and prediction, which a biased
        classifier violates.

        Undefined where there is no row; all rows are truly of one class and were predicted as
        it.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Scott's pi of each class, in the order of the classes: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ
        (mean share of true and predicted)².
        """

scott_pi: _ScottPi
"""Scott's pi: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ (mean share of true and predicted)².

Agreement beyond chance, assuming one class balance for truth and prediction.
"""

class _ChiSquare(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Chi-square: Σ (observed - expected)² / expected, without continuity correction.

        Pearson's statistic of independence between truth and prediction.

        Misleading: It grows with the number of rows: a useless classifier may have a large
        value.

        Undefined where there is no row; a class was never true or never predicted.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Chi-square of each class, in the order of the classes: Σ (observed - expected)² /
        expected, without continuity correction.
        """

chi_square: _ChiSquare
"""Chi-square: Σ (observed - expected)² / expected, without continuity correction.

Pearson's statistic of independence between truth and prediction.
"""
chi2: _ChiSquare
"""Chi-square: Σ (observed - expected)² / expected, without continuity correction.

Pearson's statistic of independence between truth and prediction.
"""
Pearson_chi_square: _ChiSquare
"""Chi-square: Σ (observed - expected)² / expected, without continuity correction.

Pearson's statistic of independence between truth and prediction.
"""
pearson_chi_square: _ChiSquare
"""Chi-square: Σ (observed - expected)² / expected, without continuity correction.

Pearson's statistic of independence between truth and prediction.
"""

class _CramersV(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Cramér's V: √(χ² / (T·(K - 1))).

        Strength of the association between truth and prediction, whatever its direction.

        Misleading: Always wrong and always right are both 1.

        Undefined where there is no row; a class was never true or never predicted; there are
        fewer than two classes.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Cramér's V of each class, in the order of the classes: √(χ² / (T·(K - 1)))."""

cramers_v: _CramersV
"""Cramér's V: √(χ² / (T·(K - 1))).

Strength of the association between truth and prediction, whatever its direction.
"""

class _ExpectedAgreement(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, pooled: bool = False,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Agreement expected by chance: Σ share true × share predicted; pooled: Σ (mean of both
        shares)².

        Accuracy expected from the class frequencies alone, which kappa subtracts.

        Misleading: It describes class frequencies, not skill.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, pooled: bool = False,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Agreement expected by chance of each class, in the order of the classes: Σ share true ×
        share predicted; pooled: Σ (mean of both shares)².
        """

expected_agreement: _ExpectedAgreement
"""Agreement expected by chance: Σ share true × share predicted; pooled: Σ (mean of both shares)².

Accuracy expected from the class frequencies alone, which kappa subtracts.
"""

class _PositiveLikelihoodRatio(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Positive likelihood ratio: TPR / FPR.

        How many times more likely a positive call is for a positive row than for a negative
        one.

        Misleading: With few false alarms, one row more or less can double it.

        Undefined where no row is truly positive; no row is truly negative; no row was predicted
        positive, 0/0.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Positive likelihood ratio of each class, in the order of the classes: TPR / FPR."""

positive_likelihood_ratio: _PositiveLikelihoodRatio
"""Positive likelihood ratio: TPR / FPR.

How many times more likely a positive call is for a positive row than for a negative one.
"""
PLR: _PositiveLikelihoodRatio
"""Positive likelihood ratio: TPR / FPR.

How many times more likely a positive call is for a positive row than for a negative one.
"""
plr: _PositiveLikelihoodRatio
"""Positive likelihood ratio: TPR / FPR.

How many times more likely a positive call is for a positive row than for a negative one.
"""
lr_plus: _PositiveLikelihoodRatio
"""Positive likelihood ratio: TPR / FPR.

How many times more likely a positive call is for a positive row than for a negative one.
"""
positive_likelihood: _PositiveLikelihoodRatio
"""Positive likelihood ratio: TPR / FPR.

How many times more likely a positive call is for a positive row than for a negative one.
"""

class _NegativeLikelihoodRatio(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Negative likelihood ratio: FNR / TNR.

        How many times more likely a negative call is for a positive row than for a negative
        one.

        Misleading: With few misses, one row more or less can double it.

        Undefined where no row is truly positive; no row is truly negative; no row was predicted
        negative, 0/0.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Negative likelihood ratio of each class, in the order of the classes: FNR / TNR."""

negative_likelihood_ratio: _NegativeLikelihoodRatio
"""Negative likelihood ratio: FNR / TNR.

How many times more likely a negative call is for a positive row than for a negative one.
"""
LR_: _NegativeLikelihoodRatio
"""Negative likelihood ratio: FNR / TNR.

How many times more likely a negative call is for a positive row than for a negative one.
"""
lr: _NegativeLikelihoodRatio
"""Negative likelihood ratio: FNR / TNR.

How many times more likely a negative call is for a positive row than for a negative one.
"""
NLR: _NegativeLikelihoodRatio
"""Negative likelihood ratio: FNR / TNR.

How many times more likely a negative call is for a positive row than for a negative one.
"""
nlr: _NegativeLikelihoodRatio
"""Negative likelihood ratio: FNR / TNR.

How many times more likely a negative call is for a positive row than for a negative one.
"""
lr_minus: _NegativeLikelihoodRatio
"""Negative likelihood ratio: FNR / TNR.

How many times more likely a negative call is for a positive row than for a negative one.
"""
negative_likelihood: _NegativeLikelihoodRatio
"""Negative likelihood ratio: FNR / TNR.

How many times more likely a negative call is for a positive row than for a negative one.
"""

class _DiagnosticOddsRatio(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Diagnostic odds ratio: (TP·TN) / (FP·FN).

        Odds of a positive call for positive rows over those for negative rows; 1 is guessing.

        Misleading: It is the same for a test that rules in and one that rules out, and one
        empty cell makes it infinite.

        Undefined where no row is truly positive; no row is truly negative; TP·TN and FP·FN are
        both 0, 0/0.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Diagnostic odds ratio of each class, in the order of the classes: (TP·TN) / (FP·FN)."""

diagnostic_odds_ratio: _DiagnosticOddsRatio
"""Diagnostic odds ratio: (TP·TN) / (FP·FN).

Odds of a positive call for positive rows over those for negative rows; 1 is guessing.
"""
DOR: _DiagnosticOddsRatio
"""Diagnostic odds ratio: (TP·TN) / (FP·FN).

Odds of a positive call for positive rows over those for negative rows; 1 is guessing.
"""
dor: _DiagnosticOddsRatio
"""Diagnostic odds ratio: (TP·TN) / (FP·FN).

Odds of a positive call for positive rows over those for negative rows; 1 is guessing.
"""
odds_ratio: _DiagnosticOddsRatio
"""Diagnostic odds ratio: (TP·TN) / (FP·FN).

Odds of a positive call for positive rows over those for negative rows; 1 is guessing.
"""

class _DiscriminantPower(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        base: float = 2.718281828459045, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Discriminant power: (√3/π) · (ln(TPR/FNR) + ln(TNR/FPR)).

        Logarithm of the diagnostic odds ratio, scaled to a standard logistic variable.

        Misleading: Software differs by the base of the logarithm, and one empty cell makes it
        infinite.

        Undefined where no row is truly positive; no row is truly negative; TP·TN and FP·FN are
        both 0, 0/0.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        base: float = 2.718281828459045, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Discriminant power of each class, in the order of the classes: (√3/π) · (ln(TPR/FNR) +
        ln(TNR/FPR)).
        """

discriminant_power: _DiscriminantPower
"""Discriminant power: (√3/π) · (ln(TPR/FNR) + ln(TNR/FPR)).

Logarithm of the diagnostic odds ratio, scaled to a standard logistic variable.
"""
DP: _DiscriminantPower
"""Discriminant power: (√3/π) · (ln(TPR/FNR) + ln(TNR/FPR)).

Logarithm of the diagnostic odds ratio, scaled to a standard logistic variable.
"""
dp: _DiscriminantPower
"""Discriminant power: (√3/π) · (ln(TPR/FNR) + ln(TNR/FPR)).

Logarithm of the diagnostic odds ratio, scaled to a standard logistic variable.
"""
test_effectiveness: _DiscriminantPower
"""Discriminant power: (√3/π) · (ln(TPR/FNR) + ln(TNR/FPR)).

Logarithm of the diagnostic odds ratio, scaled to a standard logistic variable.
"""

class _NumberNeededToDiagnose(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Number needed to diagnose: 1 / (TPR + TNR - 1).

        Positive rows to test to find one more than guessing would find.

        Misleading: 1 is best, but lower is not always better: below 0 the test is worse than
        guessing, and near guessing it grows without bound.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Number needed to diagnose of each class, in the order of the classes: 1 / (TPR + TNR -
        1).
        """

number_needed_to_diagnose: _NumberNeededToDiagnose
"""Number needed to diagnose: 1 / (TPR + TNR - 1).

Positive rows to test to find one more than guessing would find.
"""
NND: _NumberNeededToDiagnose
"""Number needed to diagnose: 1 / (TPR + TNR - 1).

Positive rows to test to find one more than guessing would find.
"""
nnd: _NumberNeededToDiagnose
"""Number needed to diagnose: 1 / (TPR + TNR - 1).

Positive rows to test to find one more than guessing would find.
"""

class _PrevalenceThreshold(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Prevalence threshold: √FPR / (√TPR + √FPR).

        Prevalence below which precision falls most steeply.

        Misleading: It depends on the two rates alone and says nothing about these rows.

        Undefined where no row is truly positive; no row is truly negative; no row was predicted
        positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Prevalence threshold of each class, in the order of the classes: √FPR / (√TPR + √FPR)."""

prevalence_threshold: _PrevalenceThreshold
"""Prevalence threshold: √FPR / (√TPR + √FPR).

Prevalence below which precision falls most steeply.
"""
PT: _PrevalenceThreshold
"""Prevalence threshold: √FPR / (√TPR + √FPR).

Prevalence below which precision falls most steeply.
"""
pt: _PrevalenceThreshold
"""Prevalence threshold: √FPR / (√TPR + √FPR).

Prevalence below which precision falls most steeply.
"""

class _FBeta(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 1.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """F-beta: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

        Harmonic mean of precision and recall, with recall weighted β times as much.

        Misleading: It ignores true negatives, and changes with prevalence and the choice of the
        positive class.

        Undefined where no row is truly positive or predicted positive; no row was predicted
        positive, and only precision counts; no row is truly positive, and only recall counts.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 1.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """F-beta of each class, in the order of the classes: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP)."""

f_beta: _FBeta
"""F-beta: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall, with recall weighted β times as much.
"""
fbeta: _FBeta
"""F-beta: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall, with recall weighted β times as much.
"""

class _F1(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 1.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

        Harmonic mean of precision and recall.

        Misleading: It ignores true negatives, and changes with prevalence and the choice of the
        positive class.

        Undefined where no row is truly positive or predicted positive; no row was predicted
        positive, and only precision counts; no row is truly positive, and only recall counts.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 1.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """F1 of each class, in the order of the classes: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP)."""

f1: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""
F_measure: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""
f_measure: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""
F_score: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""
f_score: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""
F_meas: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""
f_meas: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""
FSC: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""
fsc: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""
f1_score: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""
dice: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""
dice_coefficient: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""
sorensen: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""
Zijdenbos_similarity_index: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""
zijdenbos_similarity_index: _F1
"""F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

Harmonic mean of precision and recall.
"""

class _F2(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 2.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """F2: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

        F-measure that weights recall twice as much as precision.

        Misleading: It ignores true negatives, and changes with prevalence and the choice of the
        positive class.

        Undefined where no row is truly positive or predicted positive; no row was predicted
        positive, and only precision counts; no row is truly positive, and only recall counts.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 2.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """F2 of each class, in the order of the classes: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP)."""

f2: _F2
"""F2: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

F-measure that weights recall twice as much as precision.
"""

class _F05(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """F0.5: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

        F-measure that weights recall half as much as precision.

        Misleading: It ignores true negatives, and changes with prevalence and the choice of the
        positive class.

        Undefined where no row is truly positive or predicted positive; no row was predicted
        positive, and only precision counts; no row is truly positive, and only recall counts.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """F0.5 of each class, in the order of the classes: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP)."""

f0_5: _F05
"""F0.5: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

F-measure that weights recall half as much as precision.
"""
f05: _F05
"""F0.5: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

F-measure that weights recall half as much as precision.
"""

class _Effectiveness(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 1.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Effectiveness: 1 - F_β, α = 1/(1+β²).

        Van Rijsbergen's E: 1 minus the F-measure.

        Misleading: Like F, it ignores true negatives.

        Undefined where no row is truly positive or predicted positive; no row was predicted
        positive, and only precision counts; no row is truly positive, and only recall counts.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 1.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Effectiveness of each class, in the order of the classes: 1 - F_β, α = 1/(1+β²)."""

effectiveness: _Effectiveness
"""Effectiveness: 1 - F_β, α = 1/(1+β²).

Van Rijsbergen's E: 1 minus the F-measure.
"""
E: _Effectiveness
"""Effectiveness: 1 - F_β, α = 1/(1+β²).

Van Rijsbergen's E: 1 minus the F-measure.
"""
e: _Effectiveness
"""Effectiveness: 1 - F_β, α = 1/(1+β²).

Van Rijsbergen's E: 1 minus the F-measure.
"""
van_Rijsbergen_E: _Effectiveness
"""Effectiveness: 1 - F_β, α = 1/(1+β²).

Van Rijsbergen's E: 1 minus the F-measure.
"""
van_rijsbergen_e: _Effectiveness
"""Effectiveness: 1 - F_β, α = 1/(1+β²).

Van Rijsbergen's E: 1 minus the F-measure.
"""

class _AdjustedF(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Adjusted F-measure: √(F₂ · F₀.₅ of the switched classes).

        Geometric mean of F2 for the positives and F0.5 for the negatives.

        Misleading: It still changes with prevalence, although it was made for rare positives.

        Undefined where no row is truly positive or predicted positive; no row is truly negative
        or predicted negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Adjusted F-measure of each class, in the order of the classes: √(F₂ · F₀.₅ of the
        switched classes).
        """

adjusted_f: _AdjustedF
"""Adjusted F-measure: √(F₂ · F₀.₅ of the switched classes).

Geometric mean of F2 for the positives and F0.5 for the negatives.
"""
AGF: _AdjustedF
"""Adjusted F-measure: √(F₂ · F₀.₅ of the switched classes).

Geometric mean of F2 for the positives and F0.5 for the negatives.
"""
agf: _AdjustedF
"""Adjusted F-measure: √(F₂ · F₀.₅ of the switched classes).

Geometric mean of F2 for the positives and F0.5 for the negatives.
"""

class _Jaccard(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Jaccard index: TP / (TP + FP + FN).

        Overlap of the truly positive rows with those called positive.

        Misleading: It orders classifiers exactly as F1 does, so it adds no information to F1.

        Undefined where no row is truly positive or predicted positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Jaccard index of each class, in the order of the classes: TP / (TP + FP + FN)."""

jaccard: _Jaccard
"""Jaccard index: TP / (TP + FP + FN).

Overlap of the truly positive rows with those called positive.
"""
Tanimoto: _Jaccard
"""Jaccard index: TP / (TP + FP + FN).

Overlap of the truly positive rows with those called positive.
"""
tanimoto: _Jaccard
"""Jaccard index: TP / (TP + FP + FN).

Overlap of the truly positive rows with those called positive.
"""
critical_success_index: _Jaccard
"""Jaccard index: TP / (TP + FP + FN).

Overlap of the truly positive rows with those called positive.
"""
CSI: _Jaccard
"""Jaccard index: TP / (TP + FP + FN).

Overlap of the truly positive rows with those called positive.
"""
csi: _Jaccard
"""Jaccard index: TP / (TP + FP + FN).

Overlap of the truly positive rows with those called positive.
"""
threat_score: _Jaccard
"""Jaccard index: TP / (TP + FP + FN).

Overlap of the truly positive rows with those called positive.
"""
jaccard_index: _Jaccard
"""Jaccard index: TP / (TP + FP + FN).

Overlap of the truly positive rows with those called positive.
"""
IoU: _Jaccard
"""Jaccard index: TP / (TP + FP + FN).

Overlap of the truly positive rows with those called positive.
"""
iou: _Jaccard
"""Jaccard index: TP / (TP + FP + FN).

Overlap of the truly positive rows with those called positive.
"""
intersection_over_union: _Jaccard
"""Jaccard index: TP / (TP + FP + FN).

Overlap of the truly positive rows with those called positive.
"""

class _FowlkesMallows(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Fowlkes-Mallows index: √(TPR · PPV).

        Geometric mean of precision and recall.

        Misleading: Some papers call it the G-mean, which elsewhere is √(TPR · TNR).

        Undefined where no row is truly positive; no row was predicted positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Fowlkes-Mallows index of each class, in the order of the classes: √(TPR · PPV)."""

fowlkes_mallows: _FowlkesMallows
"""Fowlkes-Mallows index: √(TPR · PPV).

Geometric mean of precision and recall.
"""
FM: _FowlkesMallows
"""Fowlkes-Mallows index: √(TPR · PPV).

Geometric mean of precision and recall.
"""
fm: _FowlkesMallows
"""Fowlkes-Mallows index: √(TPR · PPV).

Geometric mean of precision and recall.
"""
FM_index: _FowlkesMallows
"""Fowlkes-Mallows index: √(TPR · PPV).

Geometric mean of precision and recall.
"""
fm_index: _FowlkesMallows
"""Fowlkes-Mallows index: √(TPR · PPV).

Geometric mean of precision and recall.
"""
G_measure: _FowlkesMallows
"""Fowlkes-Mallows index: √(TPR · PPV).

Geometric mean of precision and recall.
"""
g_measure: _FowlkesMallows
"""Fowlkes-Mallows index: √(TPR · PPV).

Geometric mean of precision and recall.
"""
G_mean1: _FowlkesMallows
"""Fowlkes-Mallows index: √(TPR · PPV).

Geometric mean of precision and recall.
"""
g_mean1: _FowlkesMallows
"""Fowlkes-Mallows index: √(TPR · PPV).

Geometric mean of precision and recall.
"""

class _P4(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """P4: 4·TP·TN / (4·TP·TN + (TP + TN)·(FP + FN)).

        Harmonic mean of precision, recall, specificity and negative predictive value.

        Misleading: It is 0 if TP or TN is 0, whatever the other cells hold.

        Undefined where TP·TN and (TP + TN)·(FP + FN) are both 0, 0/0.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """P4 of each class, in the order of the classes: 4·TP·TN / (4·TP·TN + (TP + TN)·(FP +
        FN)).
        """

p4: _P4
"""P4: 4·TP·TN / (4·TP·TN + (TP + TN)·(FP + FN)).

Harmonic mean of precision, recall, specificity and negative predictive value.
"""

class _AdjustedGeometricMean(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, counts: bool = False,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Adjusted geometric mean: (GM + TNR·Nₙ) / (1 + Nₙ) if TPR > 0, else 0; Nₙ = N/T.

        Geometric mean of both rates, shifted towards specificity by the share of negatives.

        Misleading: With counts instead of shares it tends to specificity as the number of rows
        grows.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, counts: bool = False,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Adjusted geometric mean of each class, in the order of the classes: (GM + TNR·Nₙ) / (1 +
        Nₙ) if TPR > 0, else 0; Nₙ = N/T.
        """

adjusted_geometric_mean: _AdjustedGeometricMean
"""Adjusted geometric mean: (GM + TNR·Nₙ) / (1 + Nₙ) if TPR > 0, else 0; Nₙ = N/T.

Geometric mean of both rates, shifted towards specificity by the share of negatives.
"""
AGM: _AdjustedGeometricMean
"""Adjusted geometric mean: (GM + TNR·Nₙ) / (1 + Nₙ) if TPR > 0, else 0; Nₙ = N/T.

Geometric mean of both rates, shifted towards specificity by the share of negatives.
"""
agm: _AdjustedGeometricMean
"""Adjusted geometric mean: (GM + TNR·Nₙ) / (1 + Nₙ) if TPR > 0, else 0; Nₙ = N/T.

Geometric mean of both rates, shifted towards specificity by the share of negatives.
"""

class _OptimizationPrecision(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Optimization precision: ACC - |TPR - TNR| / (TPR + TNR).

        Accuracy minus a penalty for the difference of sensitivity and specificity.

        Misleading: It can be below 0, and penalises unequal rates even where both are good.

        Undefined where no row is truly positive; no row is truly negative; TPR and TNR are both
        0.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Optimization precision of each class, in the order of the classes: ACC - |TPR - TNR| /
        (TPR + TNR).
        """

optimization_precision: _OptimizationPrecision
"""Optimization precision: ACC - |TPR - TNR| / (TPR + TNR).

Accuracy minus a penalty for the difference of sensitivity and specificity.
"""
OP: _OptimizationPrecision
"""Optimization precision: ACC - |TPR - TNR| / (TPR + TNR).

Accuracy minus a penalty for the difference of sensitivity and specificity.
"""
op: _OptimizationPrecision
"""Optimization precision: ACC - |TPR - TNR| / (TPR + TNR).

Accuracy minus a penalty for the difference of sensitivity and specificity.
"""
optimized_precision: _OptimizationPrecision
"""Optimization precision: ACC - |TPR - TNR| / (TPR + TNR).

Accuracy minus a penalty for the difference of sensitivity and specificity.
"""

class _Balance(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Balance: 1 - √((pf² + (1 - pd)²) / 2).

        Closeness of the ROC point to the perfect corner, from 0 (farthest) to 1 (perfect).

        Misleading: It weights both errors equally and says nothing about precision.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Balance of each class, in the order of the classes: 1 - √((pf² + (1 - pd)²) / 2)."""

balance: _Balance
"""Balance: 1 - √((pf² + (1 - pd)²) / 2).

Closeness of the ROC point to the perfect corner, from 0 (farthest) to 1 (perfect).
"""
Menzies_balance: _Balance
"""Balance: 1 - √((pf² + (1 - pd)²) / 2).

Closeness of the ROC point to the perfect corner, from 0 (farthest) to 1 (perfect).
"""
menzies_balance: _Balance
"""Balance: 1 - √((pf² + (1 - pd)²) / 2).

Closeness of the ROC point to the perfect corner, from 0 (farthest) to 1 (perfect).
"""

class _Iba(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, alpha: float = 0.1,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Index of balanced accuracy: (1 + α·(TPR - TNR)) · TPR · TNR.

        Squared geometric mean of both rates, increased where sensitivity is the higher.

        Misleading: The reward for a higher TPR depends on α: the same rates can give another
        value.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, alpha: float = 0.1,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Index of balanced accuracy of each class, in the order of the classes: (1 + α·(TPR -
        TNR)) · TPR · TNR.
        """

iba: _Iba
"""Index of balanced accuracy: (1 + α·(TPR - TNR)) · TPR · TNR.

Squared geometric mean of both rates, increased where sensitivity is the higher.
"""

class _BennettS(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Bennett's S: (K·pₒ - 1) / (K - 1).

        Agreement beyond chance, with chance as guessing every class equally often.

        Misleading: Listing classes that hardly occur in labels lowers the chance agreement and
        raises the value.

        Undefined where there is no row; there are fewer than two classes.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Bennett's S of each class, in the order of the classes: (K·pₒ - 1) / (K - 1)."""

bennett_s: _BennettS
"""Bennett's S: (K·pₒ - 1) / (K - 1).

Agreement beyond chance, with chance as guessing every class equally often.
"""
PABAK: _BennettS
"""Bennett's S: (K·pₒ - 1) / (K - 1).

Agreement beyond chance, with chance as guessing every class equally often.
"""
pabak: _BennettS
"""Bennett's S: (K·pₒ - 1) / (K - 1).

Agreement beyond chance, with chance as guessing every class equally often.
"""
Brennan_Prediger: _BennettS
"""Bennett's S: (K·pₒ - 1) / (K - 1).

Agreement beyond chance, with chance as guessing every class equally often.
"""
brennan_prediger: _BennettS
"""Bennett's S: (K·pₒ - 1) / (K - 1).

Agreement beyond chance, with chance as guessing every class equally often.
"""
prevalence_and_bias_adjusted_kappa: _BennettS
"""Bennett's S: (K·pₒ - 1) / (K - 1).

Agreement beyond chance, with chance as guessing every class equally often.
"""

class _GwetAc1(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Gwet's AC1: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ πₖ(1 - πₖ) / (K - 1), πₖ the mean share of
        class k.

        Agreement beyond chance, assuming that only rows hard to classify are guessed.

        Misleading: Where one class has nearly all rows, its chance agreement tends to 0 and its
        value to accuracy.

        Undefined where there is no row; there are fewer than two classes.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Gwet's AC1 of each class, in the order of the classes: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ πₖ(1
        - πₖ) / (K - 1), πₖ the mean share of class k.
        """

gwet_ac1: _GwetAc1
"""Gwet's AC1: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ πₖ(1 - πₖ) / (K - 1), πₖ the mean share of class k.

Agreement beyond chance, assuming that only rows hard to classify are guessed.
"""
AC1: _GwetAc1
"""Gwet's AC1: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ πₖ(1 - πₖ) / (K - 1), πₖ the mean share of class k.

Agreement beyond chance, assuming that only rows hard to classify are guessed.
"""
ac1: _GwetAc1
"""Gwet's AC1: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ πₖ(1 - πₖ) / (K - 1), πₖ the mean share of class k.

Agreement beyond chance, assuming that only rows hard to classify are guessed.
"""

class _KrippendorffAlpha(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Krippendorff's alpha: 1 - observed / expected disagreement, among 2T labels, nominal.

        Agreement beyond chance, with truth and prediction as two interchangeable raters.

        Misleading: Like kappa, it is low where one class is frequent, even with few errors. It
        counts rows: weights that do not sum to a number of rows change it.

        Undefined where all labels, true and predicted, are of one class.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Krippendorff's alpha of each class, in the order of the classes: 1 - observed / expected
        disagreement, among 2T labels, nominal.
        """

krippendorff_alpha: _KrippendorffAlpha
"""Krippendorff's alpha: 1 - observed / expected disagreement, among 2T labels, nominal.

Agreement beyond chance, with truth and prediction as two interchangeable raters.
"""

class _AdjustedBalancedAccuracy(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Adjusted balanced accuracy: (balanced accuracy - 1/K) / (1 - 1/K).

        Balanced accuracy rescaled so that guessing is 0; Youden's J for two classes.

        Misleading: Like balanced accuracy, it says nothing about precision where positives are
        rare.

        Undefined where a class has no true row; there are fewer than two classes.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Adjusted balanced accuracy of each class, in the order of the classes: (balanced
        accuracy - 1/K) / (1 - 1/K).
        """

adjusted_balanced_accuracy: _AdjustedBalancedAccuracy
"""Adjusted balanced accuracy: (balanced accuracy - 1/K) / (1 - 1/K).

Balanced accuracy rescaled so that guessing is 0; Youden's J for two classes.
"""

class _EquitableThreatScore(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Equitable threat score: (TP - e) / (TP + FP + FN - e), e = (TP + FP)(TP + FN)/T.

        Jaccard index corrected for hits expected by chance; kappa / (2 - kappa).

        Misleading: It changes with prevalence: do not compare values for events of different
        rarity.

        Undefined where no row is wrong and all are of one class, 0/0.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Equitable threat score of each class, in the order of the classes: (TP - e) / (TP + FP +
        FN - e), e = (TP + FP)(TP + FN)/T.
        """

equitable_threat_score: _EquitableThreatScore
"""Equitable threat score: (TP - e) / (TP + FP + FN - e), e = (TP + FP)(TP + FN)/T.

Jaccard index corrected for hits expected by chance; kappa / (2 - kappa).
"""
ETS: _EquitableThreatScore
"""Equitable threat score: (TP - e) / (TP + FP + FN - e), e = (TP + FP)(TP + FN)/T.

Jaccard index corrected for hits expected by chance; kappa / (2 - kappa).
"""
ets: _EquitableThreatScore
"""Equitable threat score: (TP - e) / (TP + FP + FN - e), e = (TP + FP)(TP + FN)/T.

Jaccard index corrected for hits expected by chance; kappa / (2 - kappa).
"""
Gilbert_skill_score: _EquitableThreatScore
"""Equitable threat score: (TP - e) / (TP + FP + FN - e), e = (TP + FP)(TP + FN)/T.

Jaccard index corrected for hits expected by chance; kappa / (2 - kappa).
"""
gilbert_skill_score: _EquitableThreatScore
"""Equitable threat score: (TP - e) / (TP + FP + FN - e), e = (TP + FP)(TP + FN)/T.

Jaccard index corrected for hits expected by chance; kappa / (2 - kappa).
"""

class _YuleQ(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Yule's Q: (TP·TN - FP·FN) / (TP·TN + FP·FN).

        Diagnostic odds ratio on a scale from −1 to 1: (DOR − 1) / (DOR + 1).

        Misleading: One empty cell makes it 1 or -1, however many errors the other cell holds.

        Undefined where TP·TN and FP·FN are both 0, 0/0.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Yule's Q of each class, in the order of the classes: (TP·TN - FP·FN) / (TP·TN + FP·FN)."""

yule_q: _YuleQ
"""Yule's Q: (TP·TN - FP·FN) / (TP·TN + FP·FN).

Diagnostic odds ratio on a scale from −1 to 1: (DOR − 1) / (DOR + 1).
"""
odds_ratio_skill_score: _YuleQ
"""Yule's Q: (TP·TN - FP·FN) / (TP·TN + FP·FN).

Diagnostic odds ratio on a scale from −1 to 1: (DOR − 1) / (DOR + 1).
"""
ORSS: _YuleQ
"""Yule's Q: (TP·TN - FP·FN) / (TP·TN + FP·FN).

Diagnostic odds ratio on a scale from −1 to 1: (DOR − 1) / (DOR + 1).
"""
orss: _YuleQ
"""Yule's Q: (TP·TN - FP·FN) / (TP·TN + FP·FN).

Diagnostic odds ratio on a scale from −1 to 1: (DOR − 1) / (DOR + 1).
"""

class _YuleY(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Yule's Y: (√(TP·TN) - √(FP·FN)) / (√(TP·TN) + √(FP·FN)).

        What Youden's J would be at the same odds ratio if both errors were equally frequent.

        Misleading: One empty cell makes it 1 or -1, however many errors the other cell holds.

        Undefined where TP·TN and FP·FN are both 0, 0/0.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Yule's Y of each class, in the order of the classes: (√(TP·TN) - √(FP·FN)) / (√(TP·TN) +
        √(FP·FN)).
        """

yule_y: _YuleY
"""Yule's Y: (√(TP·TN) - √(FP·FN)) / (√(TP·TN) + √(FP·FN)).

What Youden's J would be at the same odds ratio if both errors were equally frequent.
"""
coefficient_of_colligation: _YuleY
"""Yule's Y: (√(TP·TN) - √(FP·FN)) / (√(TP·TN) + √(FP·FN)).

What Youden's J would be at the same odds ratio if both errors were equally frequent.
"""

class _Sedi(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Symmetric extremal dependence index: (ln FPR - ln TPR + ln FNR - ln TNR) / (ln FPR + ln
        TPR + ln FNR + ln TNR).

        Skill for rare events; unlike most scores, it does not tend to 0 as they become rarer.

        Misleading: It uses logarithms of small rates, so a few errors change it a lot.

        Undefined where one of the four counts is 0.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Symmetric extremal dependence index of each class, in the order of the classes: (ln FPR
        - ln TPR + ln FNR - ln TNR) / (ln FPR + ln TPR + ln FNR + ln TNR).
        """

sedi: _Sedi
"""Symmetric extremal dependence index: (ln FPR - ln TPR + ln FNR - ln TNR) / (ln FPR + ln TPR + ln
FNR + ln TNR).

Skill for rare events; unlike most scores, it does not tend to 0 as they become rarer.
"""

class _DPrime(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """d′ (sensitivity index): z(TPR) - z(FPR), z the normal deviate.

        Distance in standard deviations between two normal distributions with these rates.

        Misleading: It assumes normal scores of equal variance in both classes, and is infinite
        if one rate is 0 or 1.

        Undefined where no row is truly positive; no row is truly negative; both rates are 0, or
        both are 1.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """d′ (sensitivity index) of each class, in the order of the classes: z(TPR) - z(FPR), z
        the normal deviate.
        """

d_prime: _DPrime
"""d′ (sensitivity index): z(TPR) - z(FPR), z the normal deviate.

Distance in standard deviations between two normal distributions with these rates.
"""
dprime: _DPrime
"""d′ (sensitivity index): z(TPR) - z(FPR), z the normal deviate.

Distance in standard deviations between two normal distributions with these rates.
"""
sensitivity_index: _DPrime
"""d′ (sensitivity index): z(TPR) - z(FPR), z the normal deviate.

Distance in standard deviations between two normal distributions with these rates.
"""
discriminability_index: _DPrime
"""d′ (sensitivity index): z(TPR) - z(FPR), z the normal deviate.

Distance in standard deviations between two normal distributions with these rates.
"""

class _MutualInformation(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        base: float = 2.718281828459045, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Mutual information: Σ pᵢⱼ · ln(pᵢⱼ / (pᵢ · pⱼ)).

        Information about the true class in the prediction, in nats; base=2 gives bits.

        Misleading: Predictions that are always wrong in the same way score as high, and few
        rows bias it upwards.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        base: float = 2.718281828459045, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Mutual information of each class, in the order of the classes: Σ pᵢⱼ · ln(pᵢⱼ / (pᵢ ·
        pⱼ)).
        """

mutual_information: _MutualInformation
"""Mutual information: Σ pᵢⱼ · ln(pᵢⱼ / (pᵢ · pⱼ)).

Information about the true class in the prediction, in nats; base=2 gives bits.
"""
information_gain: _MutualInformation
"""Mutual information: Σ pᵢⱼ · ln(pᵢⱼ / (pᵢ · pⱼ)).

Information about the true class in the prediction, in nats; base=2 gives bits.
"""
transinformation: _MutualInformation
"""Mutual information: Σ pᵢⱼ · ln(pᵢⱼ / (pᵢ · pⱼ)).

Information about the true class in the prediction, in nats; base=2 gives bits.
"""

class _NormalizedMutualInformation(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        mean: Literal['arithmetic', 'geometric', 'min', 'max', 'true', 'predicted'] = "arithmetic",
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Normalised mutual information: MI / mean(H(true), H(predicted)).

        Mutual information as a share of the entropy of the classes.

        Misleading: It is 1 for predictions that are always wrong in the same way, and it
        depends on mean: report which one you used.

        Undefined where true or predicted classes do not vary, 0/0.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        mean: Literal['arithmetic', 'geometric', 'min', 'max', 'true', 'predicted'] = "arithmetic",
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Normalised mutual information of each class, in the order of the classes: MI /
        mean(H(true), H(predicted)).
        """

normalized_mutual_information: _NormalizedMutualInformation
"""Normalised mutual information: MI / mean(H(true), H(predicted)).

Mutual information as a share of the entropy of the classes.
"""
NMI: _NormalizedMutualInformation
"""Normalised mutual information: MI / mean(H(true), H(predicted)).

Mutual information as a share of the entropy of the classes.
"""
nmi: _NormalizedMutualInformation
"""Normalised mutual information: MI / mean(H(true), H(predicted)).

Mutual information as a share of the entropy of the classes.
"""
uncertainty_coefficient: _NormalizedMutualInformation
"""Normalised mutual information: MI / mean(H(true), H(predicted)).

Mutual information as a share of the entropy of the classes.
"""
V_measure: _NormalizedMutualInformation
"""Normalised mutual information: MI / mean(H(true), H(predicted)).

Mutual information as a share of the entropy of the classes.
"""
v_measure: _NormalizedMutualInformation
"""Normalised mutual information: MI / mean(H(true), H(predicted)).

Mutual information as a share of the entropy of the classes.
"""

class _GoodmanKruskalLambda(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Goodman and Kruskal's lambda: (Σⱼ maxᵢ nᵢⱼ - maxᵢ nᵢ) / (T - maxᵢ nᵢ).

        Share of the errors of always guessing the commonest class that predictions avoid.

        Misleading: Where one class has most rows, it can be 0 even for informative predictions.

        Undefined where all rows are truly of one class.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Goodman and Kruskal's lambda of each class, in the order of the classes: (Σⱼ maxᵢ nᵢⱼ -
        maxᵢ nᵢ) / (T - maxᵢ nᵢ).
        """

goodman_kruskal_lambda: _GoodmanKruskalLambda
"""Goodman and Kruskal's lambda: (Σⱼ maxᵢ nᵢⱼ - maxᵢ nᵢ) / (T - maxᵢ nᵢ).

Share of the errors of always guessing the commonest class that predictions avoid.
"""
goodman_kruskal: _GoodmanKruskalLambda
"""Goodman and Kruskal's lambda: (Σⱼ maxᵢ nᵢⱼ - maxᵢ nᵢ) / (T - maxᵢ nᵢ).

Share of the errors of always guessing the commonest class that predictions avoid.
"""

class _ConfusionEntropy(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Confusion entropy: Σⱼ Pⱼ·CENⱼ, CENⱼ the entropy of class j's errors, base 2(K - 1).

        How evenly the errors spread over the cells off the diagonal: 0 without errors.

        Misleading: With two classes it can exceed 1, and fewer errors can raise it.

        Undefined where there is no row; there are fewer than two classes.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Confusion entropy of each class, in the order of the classes: Σⱼ Pⱼ·CENⱼ, CENⱼ the
        entropy of class j's errors, base 2(K - 1).
        """

confusion_entropy: _ConfusionEntropy
"""Confusion entropy: Σⱼ Pⱼ·CENⱼ, CENⱼ the entropy of class j's errors, base 2(K - 1).

How evenly the errors spread over the cells off the diagonal: 0 without errors.
"""
CEN: _ConfusionEntropy
"""Confusion entropy: Σⱼ Pⱼ·CENⱼ, CENⱼ the entropy of class j's errors, base 2(K - 1).

How evenly the errors spread over the cells off the diagonal: 0 without errors.
"""
cen: _ConfusionEntropy
"""Confusion entropy: Σⱼ Pⱼ·CENⱼ, CENⱼ the entropy of class j's errors, base 2(K - 1).

How evenly the errors spread over the cells off the diagonal: 0 without errors.
"""

class _ModifiedConfusionEntropy(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Modified confusion entropy: as confusion entropy, with each class's hits counted once in
        its total.

        Confusion entropy modified to grow more evenly from no errors to only errors.

        Misleading: It is still not monotone in the number of errors; MCC orders matrices more
        plausibly.

        Undefined where there is no row; there are fewer than two classes.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Modified confusion entropy of each class, in the order of the classes: as confusion
        entropy, with each class's hits counted once in its total.
        """

modified_confusion_entropy: _ModifiedConfusionEntropy
"""Modified confusion entropy: as confusion entropy, with each class's hits counted once in its
total.

Confusion entropy modified to grow more evenly from no errors to only errors.
"""
MCEN: _ModifiedConfusionEntropy
"""Modified confusion entropy: as confusion entropy, with each class's hits counted once in its
total.

Confusion entropy modified to grow more evenly from no errors to only errors.
"""
mcen: _ModifiedConfusionEntropy
"""Modified confusion entropy: as confusion entropy, with each class's hits counted once in its
total.

Confusion entropy modified to grow more evenly from no errors to only errors.
"""

class _ExpectedCost(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, cost_fp: float = 1.0,
        cost_fn: float = 1.0, prevalence: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Expected cost: π·cFN·FNR + (1 - π)·cFP·FPR; π the prevalence, of these rows unless
        given.

        Mean cost of a decision, given the costs of a false alarm and of a miss.

        Misleading: It is only as good as the costs you give; compare values at the same costs
        only.

        Undefined where there is no row; no row is truly positive, and a prevalence is given; no
        row is truly negative, and a prevalence is given.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, cost_fp: float = 1.0,
        cost_fn: float = 1.0, prevalence: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Expected cost of each class, in the order of the classes: π·cFN·FNR + (1 - π)·cFP·FPR; π
        the prevalence, of these rows unless given.
        """

expected_cost: _ExpectedCost
"""Expected cost: π·cFN·FNR + (1 - π)·cFP·FPR; π the prevalence, of these rows unless given.

Mean cost of a decision, given the costs of a false alarm and of a miss.
"""
detection_cost: _ExpectedCost
"""Expected cost: π·cFN·FNR + (1 - π)·cFP·FPR; π the prevalence, of these rows unless given.

Mean cost of a decision, given the costs of a false alarm and of a miss.
"""
detection_cost_function: _ExpectedCost
"""Expected cost: π·cFN·FNR + (1 - π)·cFP·FPR; π the prevalence, of these rows unless given.

Mean cost of a decision, given the costs of a false alarm and of a miss.
"""
DCF: _ExpectedCost
"""Expected cost: π·cFN·FNR + (1 - π)·cFP·FPR; π the prevalence, of these rows unless given.

Mean cost of a decision, given the costs of a false alarm and of a miss.
"""
dcf: _ExpectedCost
"""Expected cost: π·cFN·FNR + (1 - π)·cFP·FPR; π the prevalence, of these rows unless given.

Mean cost of a decision, given the costs of a false alarm and of a miss.
"""
Bayes_risk: _ExpectedCost
"""Expected cost: π·cFN·FNR + (1 - π)·cFP·FPR; π the prevalence, of these rows unless given.

Mean cost of a decision, given the costs of a false alarm and of a miss.
"""
bayes_risk: _ExpectedCost
"""Expected cost: π·cFN·FNR + (1 - π)·cFP·FPR; π the prevalence, of these rows unless given.

Mean cost of a decision, given the costs of a false alarm and of a miss.
"""

class _NormalizedExpectedCost(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, cost_fp: float = 1.0,
        cost_fn: float = 1.0, prevalence: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Normalised expected cost: expected cost / min(π·cFN, (1 - π)·cFP).

        Expected cost divided by that of the cheaper constant decision.

        Misleading: Above 1 the classifier is worse than a constant decision.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, cost_fp: float = 1.0,
        cost_fn: float = 1.0, prevalence: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Normalised expected cost of each class, in the order of the classes: expected cost /
        min(π·cFN, (1 - π)·cFP).
        """

normalized_expected_cost: _NormalizedExpectedCost
"""Normalised expected cost: expected cost / min(π·cFN, (1 - π)·cFP).

Expected cost divided by that of the cheaper constant decision.
"""
normalized_detection_cost: _NormalizedExpectedCost
"""Normalised expected cost: expected cost / min(π·cFN, (1 - π)·cFP).

Expected cost divided by that of the cheaper constant decision.
"""

class _NetBenefit(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, p_t: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Net benefit: TP/T - FP/T · pₜ/(1 - pₜ).

        True positives per row minus false ones weighted by the odds of the threshold
        probability.

        Misleading: Compare it with treating all and treating none at the same threshold
        probability, and make the decisions at that threshold.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, p_t: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Net benefit of each class, in the order of the classes: TP/T - FP/T · pₜ/(1 - pₜ)."""

net_benefit: _NetBenefit
"""Net benefit: TP/T - FP/T · pₜ/(1 - pₜ).

True positives per row minus false ones weighted by the odds of the threshold probability.
"""

class _StandardizedNetBenefit(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, p_t: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Standardised net benefit: net benefit / prevalence.

        Net benefit as a share of its maximum: 1 finds all positives without a false alarm.

        Misleading: As for net benefit. Dividing by prevalence hides how small the possible gain
        is.

        Undefined where no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, p_t: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Standardised net benefit of each class, in the order of the classes: net benefit /
        prevalence.
        """

standardized_net_benefit: _StandardizedNetBenefit
"""Standardised net benefit: net benefit / prevalence.

Net benefit as a share of its maximum: 1 finds all positives without a false alarm.
"""

class _InterventionsAvoided(Metric):
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, p_t: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Interventions avoided: 100 · (net benefit - that of treating all) · (1 - pₜ)/pₜ = 100 ·
        (TN - FN · (1 - pₜ)/pₜ) / T.

        Net number of interventions avoided per 100 rows, compared with treating all.

        Misleading: As for net benefit, make the decisions at the threshold probability. Below
        0, treating all is better.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, p_t: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Interventions avoided of each class, in the order of the classes: 100 · (net benefit -
        that of treating all) · (1 - pₜ)/pₜ = 100 · (TN - FN · (1 - pₜ)/pₜ) / T.
        """

interventions_avoided: _InterventionsAvoided
"""Interventions avoided: 100 · (net benefit - that of treating all) · (1 - pₜ)/pₜ = 100 · (TN - FN
· (1 - pₜ)/pₜ) / T.

Net number of interventions avoided per 100 rows, compared with treating all.
"""

class _RocAuc(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """ROC area: P(score of a positive > score of a negative) + ½·P(equal).

        Probability that a positive row scores higher than a negative one; ties count half.

        Misleading: With rare positives it can be high while precision is low, and it averages
        over thresholds of no practical use.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """ROC area of each class, in the order of the classes: P(score of a positive > score of a
        negative) + ½·P(equal).
        """

roc_auc: _RocAuc
"""ROC area: P(score of a positive > score of a negative) + ½·P(equal).

Probability that a positive row scores higher than a negative one; ties count half.
"""
AUC: _RocAuc
"""ROC area: P(score of a positive > score of a negative) + ½·P(equal).

Probability that a positive row scores higher than a negative one; ties count half.
"""
auc: _RocAuc
"""ROC area: P(score of a positive > score of a negative) + ½·P(equal).

Probability that a positive row scores higher than a negative one; ties count half.
"""
AUROC: _RocAuc
"""ROC area: P(score of a positive > score of a negative) + ½·P(equal).

Probability that a positive row scores higher than a negative one; ties count half.
"""
auroc: _RocAuc
"""ROC area: P(score of a positive > score of a negative) + ½·P(equal).

Probability that a positive row scores higher than a negative one; ties count half.
"""
ROC_area: _RocAuc
"""ROC area: P(score of a positive > score of a negative) + ½·P(equal).

Probability that a positive row scores higher than a negative one; ties count half.
"""
roc_area: _RocAuc
"""ROC area: P(score of a positive > score of a negative) + ½·P(equal).

Probability that a positive row scores higher than a negative one; ties count half.
"""
area_under_the_ROC_curve: _RocAuc
"""ROC area: P(score of a positive > score of a negative) + ½·P(equal).

Probability that a positive row scores higher than a negative one; ties count half.
"""
area_under_the_roc_curve: _RocAuc
"""ROC area: P(score of a positive > score of a negative) + ½·P(equal).

Probability that a positive row scores higher than a negative one; ties count half.
"""
area_under_the_curve: _RocAuc
"""ROC area: P(score of a positive > score of a negative) + ½·P(equal).

Probability that a positive row scores higher than a negative one; ties count half.
"""
c_index: _RocAuc
"""ROC area: P(score of a positive > score of a negative) + ½·P(equal).

Probability that a positive row scores higher than a negative one; ties count half.
"""
c_statistic: _RocAuc
"""ROC area: P(score of a positive > score of a negative) + ½·P(equal).

Probability that a positive row scores higher than a negative one; ties count half.
"""
concordance: _RocAuc
"""ROC area: P(score of a positive > score of a negative) + ½·P(equal).

Probability that a positive row scores higher than a negative one; ties count half.
"""

class _RocAucOptimistic(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Optimistic ROC area: P(score of a positive ≥ score of a negative).

        ROC area with positives first within every tie: its highest value.

        Misleading: If it is far above the pessimistic area, the scores are too coarse to rank.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Optimistic ROC area of each class, in the order of the classes: P(score of a positive ≥
        score of a negative).
        """

roc_auc_optimistic: _RocAucOptimistic
"""Optimistic ROC area: P(score of a positive ≥ score of a negative).

ROC area with positives first within every tie: its highest value.
"""
AUC_optimistic: _RocAucOptimistic
"""Optimistic ROC area: P(score of a positive ≥ score of a negative).

ROC area with positives first within every tie: its highest value.
"""
auc_optimistic: _RocAucOptimistic
"""Optimistic ROC area: P(score of a positive ≥ score of a negative).

ROC area with positives first within every tie: its highest value.
"""

class _RocAucPessimistic(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Pessimistic ROC area: P(score of a positive > score of a negative).

        ROC area with negatives first within every tie: its lowest value.

        Misleading: If it is far below the optimistic area, the scores are too coarse to rank.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Pessimistic ROC area of each class, in the order of the classes: P(score of a positive >
        score of a negative).
        """

roc_auc_pessimistic: _RocAucPessimistic
"""Pessimistic ROC area: P(score of a positive > score of a negative).

ROC area with negatives first within every tie: its lowest value.
"""
AUC_pessimistic: _RocAucPessimistic
"""Pessimistic ROC area: P(score of a positive > score of a negative).

ROC area with negatives first within every tie: its lowest value.
"""
auc_pessimistic: _RocAucPessimistic
"""Pessimistic ROC area: P(score of a positive > score of a negative).

ROC area with negatives first within every tie: its lowest value.
"""

class _GiniCoefficient(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Gini coefficient: 2·area - 1.

        ROC area, rescaled so that guessing is 0.

        Misleading: As for the ROC area. It is not the Gini index of decision trees.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Gini coefficient of each class, in the order of the classes: 2·area - 1."""

gini_coefficient: _GiniCoefficient
"""Gini coefficient: 2·area - 1.

ROC area, rescaled so that guessing is 0.
"""
Gini: _GiniCoefficient
"""Gini coefficient: 2·area - 1.

ROC area, rescaled so that guessing is 0.
"""
gini: _GiniCoefficient
"""Gini coefficient: 2·area - 1.

ROC area, rescaled so that guessing is 0.
"""
Somers_D: _GiniCoefficient
"""Gini coefficient: 2·area - 1.

ROC area, rescaled so that guessing is 0.
"""
somers_d: _GiniCoefficient
"""Gini coefficient: 2·area - 1.

ROC area, rescaled so that guessing is 0.
"""
accuracy_ratio: _GiniCoefficient
"""Gini coefficient: 2·area - 1.

ROC area, rescaled so that guessing is 0.
"""
gain_capture: _GiniCoefficient
"""Gini coefficient: 2·area - 1.

ROC area, rescaled so that guessing is 0.
"""

class _KolmogorovSmirnov(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Kolmogorov-Smirnov distance: max over thresholds of |TPR - FPR|.

        Greatest distance between the score distributions of the two classes.

        Misleading: One threshold decides it, chosen on the same rows.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Kolmogorov-Smirnov distance of each class, in the order of the classes: max over
        thresholds of |TPR - FPR|.
        """

kolmogorov_smirnov: _KolmogorovSmirnov
"""Kolmogorov-Smirnov distance: max over thresholds of |TPR - FPR|.

Greatest distance between the score distributions of the two classes.
"""
KS: _KolmogorovSmirnov
"""Kolmogorov-Smirnov distance: max over thresholds of |TPR - FPR|.

Greatest distance between the score distributions of the two classes.
"""
ks: _KolmogorovSmirnov
"""Kolmogorov-Smirnov distance: max over thresholds of |TPR - FPR|.

Greatest distance between the score distributions of the two classes.
"""
KS_statistic: _KolmogorovSmirnov
"""Kolmogorov-Smirnov distance: max over thresholds of |TPR - FPR|.

Greatest distance between the score distributions of the two classes.
"""
ks_statistic: _KolmogorovSmirnov
"""Kolmogorov-Smirnov distance: max over thresholds of |TPR - FPR|.

Greatest distance between the score distributions of the two classes.
"""

class _PartialRocAuc(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        low: float = 0.0, high: float = 0.1, axis: Literal['fpr', 'tpr'] = "fpr",
        standardized: bool = False, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Partial ROC area: ∫ TPR d(FPR) over low..high of FPR; over TPR: ∫ TNR d(TPR).

        Area under part of the ROC curve: low false positive rates, or high sensitivities.

        Misleading: Its maximum is the width of the range: compare equal ranges only, or use the
        standardised form.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        low: float = 0.0, high: float = 0.1, axis: Literal['fpr', 'tpr'] = "fpr",
        standardized: bool = False, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Partial ROC area of each class, in the order of the classes: ∫ TPR d(FPR) over low..high
        of FPR; over TPR: ∫ TNR d(TPR).
        """

partial_roc_auc: _PartialRocAuc
"""Partial ROC area: ∫ TPR d(FPR) over low..high of FPR; over TPR: ∫ TNR d(TPR).

Area under part of the ROC curve: low false positive rates, or high sensitivities.
"""
pAUC: _PartialRocAuc
"""Partial ROC area: ∫ TPR d(FPR) over low..high of FPR; over TPR: ∫ TNR d(TPR).

Area under part of the ROC curve: low false positive rates, or high sensitivities.
"""
pauc: _PartialRocAuc
"""Partial ROC area: ∫ TPR d(FPR) over low..high of FPR; over TPR: ∫ TNR d(TPR).

Area under part of the ROC curve: low false positive rates, or high sensitivities.
"""
partial_AUC: _PartialRocAuc
"""Partial ROC area: ∫ TPR d(FPR) over low..high of FPR; over TPR: ∫ TNR d(TPR).

Area under part of the ROC curve: low false positive rates, or high sensitivities.
"""
partial_auc: _PartialRocAuc
"""Partial ROC area: ∫ TPR d(FPR) over low..high of FPR; over TPR: ∫ TNR d(TPR).

Area under part of the ROC curve: low false positive rates, or high sensitivities.
"""

class _PartialRocAucStandardized(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        low: float = 0.0, high: float = 0.1, axis: Literal['fpr', 'tpr'] = "fpr",
        standardized: bool = True, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Standardised partial ROC area: ∫ TPR d(FPR) over low..high of FPR; over TPR: ∫ TNR
        d(TPR).

        Partial area on McClish's scale: 1/2 is guessing, 1 the maximum.

        Misleading: Its maximum is the width of the range: compare equal ranges only, or use the
        standardised form.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        low: float = 0.0, high: float = 0.1, axis: Literal['fpr', 'tpr'] = "fpr",
        standardized: bool = True, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Standardised partial ROC area of each class, in the order of the classes: ∫ TPR d(FPR)
        over low..high of FPR; over TPR: ∫ TNR d(TPR).
        """

partial_roc_auc_standardized: _PartialRocAucStandardized
"""Standardised partial ROC area: ∫ TPR d(FPR) over low..high of FPR; over TPR: ∫ TNR d(TPR).

Partial area on McClish's scale: 1/2 is guessing, 1 the maximum.
"""
McClish: _PartialRocAucStandardized
"""Standardised partial ROC area: ∫ TPR d(FPR) over low..high of FPR; over TPR: ∫ TNR d(TPR).

Partial area on McClish's scale: 1/2 is guessing, 1 the maximum.
"""
mcclish: _PartialRocAucStandardized
"""Standardised partial ROC area: ∫ TPR d(FPR) over low..high of FPR; over TPR: ∫ TNR d(TPR).

Partial area on McClish's scale: 1/2 is guessing, 1 the maximum.
"""
standardized_partial_AUC: _PartialRocAucStandardized
"""Standardised partial ROC area: ∫ TPR d(FPR) over low..high of FPR; over TPR: ∫ TNR d(TPR).

Partial area on McClish's scale: 1/2 is guessing, 1 the maximum.
"""
standardized_partial_auc: _PartialRocAucStandardized
"""Standardised partial ROC area: ∫ TPR d(FPR) over low..high of FPR; over TPR: ∫ TNR d(TPR).

Partial area on McClish's scale: 1/2 is guessing, 1 the maximum.
"""

class _RocHullAuc(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Area under the convex hull of the ROC curve: ROC area after pooling scores until the
        share of positives rises with them.

        ROC area of the best thresholds and mixtures of them.

        Misleading: The hull is fitted to the same rows: with few it is well above the area on
        new rows, and it is never below 1/2.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Area under the convex hull of the ROC curve of each class, in the order of the classes:
        ROC area after pooling scores until the share of positives rises with them.
        """

roc_hull_auc: _RocHullAuc
"""Area under the convex hull of the ROC curve: ROC area after pooling scores until the share of
positives rises with them.

ROC area of the best thresholds and mixtures of them.
"""
AUCH: _RocHullAuc
"""Area under the convex hull of the ROC curve: ROC area after pooling scores until the share of
positives rises with them.

ROC area of the best thresholds and mixtures of them.
"""
auch: _RocHullAuc
"""Area under the convex hull of the ROC curve: ROC area after pooling scores until the share of
positives rises with them.

ROC area of the best thresholds and mixtures of them.
"""
ROCCH: _RocHullAuc
"""Area under the convex hull of the ROC curve: ROC area after pooling scores until the share of
positives rises with them.

ROC area of the best thresholds and mixtures of them.
"""
rocch: _RocHullAuc
"""Area under the convex hull of the ROC curve: ROC area after pooling scores until the share of
positives rises with them.

ROC area of the best thresholds and mixtures of them.
"""
convex_hull_AUC: _RocHullAuc
"""Area under the convex hull of the ROC curve: ROC area after pooling scores until the share of
positives rises with them.

ROC area of the best thresholds and mixtures of them.
"""
convex_hull_auc: _RocHullAuc
"""Area under the convex hull of the ROC curve: ROC area after pooling scores until the share of
positives rises with them.

ROC area of the best thresholds and mixtures of them.
"""

class _Auk(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Area under the kappa curve: ∫ κ d(FPR) along the ROC curve, exact between thresholds.

        Mean of Cohen's kappa over the false positive rates: a ROC area that uses prevalence.

        Misleading: Its maximum depends on prevalence, so do not compare values between data
        sets.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Area under the kappa curve of each class, in the order of the classes: ∫ κ d(FPR) along
        the ROC curve, exact between thresholds.
        """

auk: _Auk
"""Area under the kappa curve: ∫ κ d(FPR) along the ROC curve, exact between thresholds.

Mean of Cohen's kappa over the false positive rates: a ROC area that uses prevalence.
"""

class _HMeasure(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        alpha: float | None = None, beta: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """H-measure: 1 - ∫ least loss(c) w(c) dc / ∫ loss of the better trivial rule(c) w(c) dc, w
        a Beta.

        Share of the loss avoided, averaged over the relative cost of a false alarm and a miss.

        Misleading: It depends on the assumed distribution of costs, and with few rows its hull
        is optimistic.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        alpha: float | None = None, beta: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """H-measure of each class, in the order of the classes: 1 - ∫ least loss(c) w(c) dc / ∫
        loss of the better trivial rule(c) w(c) dc, w a Beta.
        """

h_measure: _HMeasure
"""H-measure: 1 - ∫ least loss(c) w(c) dc / ∫ loss of the better trivial rule(c) w(c) dc, w a Beta.

Share of the loss avoided, averaged over the relative cost of a false alarm and a miss.
"""
H: _HMeasure
"""H-measure: 1 - ∫ least loss(c) w(c) dc / ∫ loss of the better trivial rule(c) w(c) dc, w a Beta.

Share of the loss avoided, averaged over the relative cost of a false alarm and a miss.
"""
h: _HMeasure
"""H-measure: 1 - ∫ least loss(c) w(c) dc / ∫ loss of the better trivial rule(c) w(c) dc, w a Beta.

Share of the loss avoided, averaged over the relative cost of a false alarm and a miss.
"""
Hand_H: _HMeasure
"""H-measure: 1 - ∫ least loss(c) w(c) dc / ∫ loss of the better trivial rule(c) w(c) dc, w a Beta.

Share of the loss avoided, averaged over the relative cost of a false alarm and a miss.
"""
hand_h: _HMeasure
"""H-measure: 1 - ∫ least loss(c) w(c) dc / ∫ loss of the better trivial rule(c) w(c) dc, w a Beta.

Share of the loss avoided, averaged over the relative cost of a false alarm and a miss.
"""

class _HandTillAuc(Metric):
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Hand and Till's M: mean over pairs of classes of (A(i|j) + A(j|i)) / 2.

        ROC area for more than two classes: how well pairs of them are separated on average.

        Misleading: Every pair of classes has the same weight, including rare ones.

        Undefined where a class has no true row; there are fewer than two classes.
        """

hand_till_auc: _HandTillAuc
"""Hand and Till's M: mean over pairs of classes of (A(i|j) + A(j|i)) / 2.

ROC area for more than two classes: how well pairs of them are separated on average.
"""
M: _HandTillAuc
"""Hand and Till's M: mean over pairs of classes of (A(i|j) + A(j|i)) / 2.

ROC area for more than two classes: how well pairs of them are separated on average.
"""
m: _HandTillAuc
"""Hand and Till's M: mean over pairs of classes of (A(i|j) + A(j|i)) / 2.

ROC area for more than two classes: how well pairs of them are separated on average.
"""
hand_till: _HandTillAuc
"""Hand and Till's M: mean over pairs of classes of (A(i|j) + A(j|i)) / 2.

ROC area for more than two classes: how well pairs of them are separated on average.
"""
multiclass_AUC: _HandTillAuc
"""Hand and Till's M: mean over pairs of classes of (A(i|j) + A(j|i)) / 2.

ROC area for more than two classes: how well pairs of them are separated on average.
"""
multiclass_auc: _HandTillAuc
"""Hand and Till's M: mean over pairs of classes of (A(i|j) + A(j|i)) / 2.

ROC area for more than two classes: how well pairs of them are separated on average.
"""
roc_auc_ovo: _HandTillAuc
"""Hand and Till's M: mean over pairs of classes of (A(i|j) + A(j|i)) / 2.

ROC area for more than two classes: how well pairs of them are separated on average.
"""

class _ProvostDomingosAuc(Metric):
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Provost and Domingos' total area: Σ share of class k · ROC area of class k against the
        rest.

        ROC area of each class against the rest, weighted by the frequency of the class.

        Misleading: Frequent classes dominate it, and it changes with the class shares although
        each of its areas does not.

        Undefined where a class has no true row; there are fewer than two classes.
        """

provost_domingos_auc: _ProvostDomingosAuc
"""Provost and Domingos' total area: Σ share of class k · ROC area of class k against the rest.

ROC area of each class against the rest, weighted by the frequency of the class.
"""
provost_domingos: _ProvostDomingosAuc
"""Provost and Domingos' total area: Σ share of class k · ROC area of class k against the rest.

ROC area of each class against the rest, weighted by the frequency of the class.
"""
roc_auc_weighted: _ProvostDomingosAuc
"""Provost and Domingos' total area: Σ share of class k · ROC area of class k against the rest.

ROC area of each class against the rest, weighted by the frequency of the class.
"""

class _TopKAccuracy(Metric):
    def __call__(
        self, y_true: _Column | ScoreTally | Sums, y_pred: _Column | None = None, *, k: int = 2,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Top-k accuracy: share of rows whose true class is among the k of highest score.

        Accuracy with k guesses; classes tied for the last places share these equally.

        Misleading: It rises with k for every model: with 5 of 10 classes, a high value is easy.

        Undefined where there is no row.
        """

top_k_accuracy: _TopKAccuracy
"""Top-k accuracy: share of rows whose true class is among the k of highest score.

Accuracy with k guesses; classes tied for the last places share these equally.
"""

class _SubsetAccuracy(Metric):
    def __call__(
        self, y_true: _Column | Sums, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Subset accuracy: share of rows whose predicted set is the true one.

        Share of rows with every label right: one wrong label counts as much as ten.

        Misleading: It falls with the number of labels, and where labels are rare most rows
        counted as right have none.

        Undefined where there is no row.
        """

subset_accuracy: _SubsetAccuracy
"""Subset accuracy: share of rows whose predicted set is the true one.

Share of rows with every label right: one wrong label counts as much as ten.
"""
exact_match_ratio: _SubsetAccuracy
"""Subset accuracy: share of rows whose predicted set is the true one.

Share of rows with every label right: one wrong label counts as much as ten.
"""

class _HammingLoss(Metric):
    def __call__(
        self, y_true: _Column | Sums, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Hamming loss: share of the labels of all rows that are wrong.

        Share of wrong labels, missed or false: the error rate over all rows and labels
        together.

        Misleading: Where labels are rare, predicting none of them has a loss near 0.

        Undefined where there is no row.
        """

hamming_loss: _HammingLoss
"""Hamming loss: share of the labels of all rows that are wrong.

Share of wrong labels, missed or false: the error rate over all rows and labels together.
"""

class _RankingLoss(Metric):
    def __call__(
        self, y_true: _Column | Sums, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Ranking loss: mean share of pairs of a true and another label that are out of order or
        tied.

        Share of label pairs of a row in which the wrong label scores at least as high.

        Misleading: A row without labels, or with all of them, has no such pair and counts as 0.

        Undefined where there is no row.
        """

ranking_loss: _RankingLoss
"""Ranking loss: mean share of pairs of a true and another label that are out of order or tied.

Share of label pairs of a row in which the wrong label scores at least as high.
"""

class _CoverageError(Metric):
    def __call__(
        self, y_true: _Column | Sums, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Coverage error: mean rank of the true label of lowest score.

        Mean depth in the ranked labels at which all true ones are found; ties rank above.

        Misleading: One low-ranked true label decides a row, and rows without labels count as 0.

        Undefined where there is no row.
        """

coverage_error: _CoverageError
"""Coverage error: mean rank of the true label of lowest score.

Mean depth in the ranked labels at which all true ones are found; ties rank above.
"""

class _LabelRankingAveragePrecision(Metric):
    def __call__(
        self, y_true: _Column | Sums, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Label-ranking average precision: mean over rows and their true labels of the share of
        true labels down to its rank.

        Share of true labels among those ranked at least as high as a true one; 1 is perfect.

        Misleading: A row without labels, or with all of them, counts as 1.

        Undefined where there is no row.
        """

label_ranking_average_precision: _LabelRankingAveragePrecision
"""Label-ranking average precision: mean over rows and their true labels of the share of true
labels down to its rank.

Share of true labels among those ranked at least as high as a true one; 1 is perfect.
"""
LRAP: _LabelRankingAveragePrecision
"""Label-ranking average precision: mean over rows and their true labels of the share of true
labels down to its rank.

Share of true labels among those ranked at least as high as a true one; 1 is perfect.
"""
lrap: _LabelRankingAveragePrecision
"""Label-ranking average precision: mean over rows and their true labels of the share of true
labels down to its rank.

Share of true labels among those ranked at least as high as a true one; 1 is perfect.
"""

class _AveragePrecision(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Average precision: Σ (recallₖ - recallₖ₋₁) · precisionₖ.

        Mean precision at each positive, from the highest score down: the PR area by steps.

        Misleading: It changes with prevalence: do not compare values at different class
        balances.

        Undefined where no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Average precision of each class, in the order of the classes: Σ (recallₖ - recallₖ₋₁) ·
        precisionₖ.
        """

average_precision: _AveragePrecision
"""Average precision: Σ (recallₖ - recallₖ₋₁) · precisionₖ.

Mean precision at each positive, from the highest score down: the PR area by steps.
"""
AP: _AveragePrecision
"""Average precision: Σ (recallₖ - recallₖ₋₁) · precisionₖ.

Mean precision at each positive, from the highest score down: the PR area by steps.
"""
ap: _AveragePrecision
"""Average precision: Σ (recallₖ - recallₖ₋₁) · precisionₖ.

Mean precision at each positive, from the highest score down: the PR area by steps.
"""
AUPRC_step: _AveragePrecision
"""Average precision: Σ (recallₖ - recallₖ₋₁) · precisionₖ.

Mean precision at each positive, from the highest score down: the PR area by steps.
"""
auprc_step: _AveragePrecision
"""Average precision: Σ (recallₖ - recallₖ₋₁) · precisionₖ.

Mean precision at each positive, from the highest score down: the PR area by steps.
"""

class _PrAucTrapezoid(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """PR area by trapezoids: Σ (recallₖ - recallₖ₋₁) · (precisionₖ + precisionₖ₋₁) / 2.

        Area under the PR points joined by straight lines.

        Misleading: Straight lines show precision that no mixture of thresholds reaches, and
        software that starts them at precision 1 gives a constant score more than the
        prevalence.

        Undefined where no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """PR area by trapezoids of each class, in the order of the classes: Σ (recallₖ -
        recallₖ₋₁) · (precisionₖ + precisionₖ₋₁) / 2.
        """

pr_auc_trapezoid: _PrAucTrapezoid
"""PR area by trapezoids: Σ (recallₖ - recallₖ₋₁) · (precisionₖ + precisionₖ₋₁) / 2.

Area under the PR points joined by straight lines.
"""
AUPRC_trapezoid: _PrAucTrapezoid
"""PR area by trapezoids: Σ (recallₖ - recallₖ₋₁) · (precisionₖ + precisionₖ₋₁) / 2.

Area under the PR points joined by straight lines.
"""
auprc_trapezoid: _PrAucTrapezoid
"""PR area by trapezoids: Σ (recallₖ - recallₖ₋₁) · (precisionₖ + precisionₖ₋₁) / 2.

Area under the PR points joined by straight lines.
"""
PR_AUC_linear: _PrAucTrapezoid
"""PR area by trapezoids: Σ (recallₖ - recallₖ₋₁) · (precisionₖ + precisionₖ₋₁) / 2.

Area under the PR points joined by straight lines.
"""
pr_auc_linear: _PrAucTrapezoid
"""PR area by trapezoids: Σ (recallₖ - recallₖ₋₁) · (precisionₖ + precisionₖ₋₁) / 2.

Area under the PR points joined by straight lines.
"""

class _PrAucDavisGoadrich(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """PR area by Davis and Goadrich: ∫ precision d(recall), FP growing in proportion to TP
        between two thresholds.

        Area under the PR curve of mixtures of neighbouring thresholds, integrated exactly.

        Misleading: It changes with prevalence: do not compare values at different class
        balances.

        Undefined where no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """PR area by Davis and Goadrich of each class, in the order of the classes: ∫ precision
        d(recall), FP growing in proportion to TP between two thresholds.
        """

pr_auc_davis_goadrich: _PrAucDavisGoadrich
"""PR area by Davis and Goadrich: ∫ precision d(recall), FP growing in proportion to TP between two
thresholds.

Area under the PR curve of mixtures of neighbouring thresholds, integrated exactly.
"""
AUPRC_Davis_Goadrich: _PrAucDavisGoadrich
"""PR area by Davis and Goadrich: ∫ precision d(recall), FP growing in proportion to TP between two
thresholds.

Area under the PR curve of mixtures of neighbouring thresholds, integrated exactly.
"""
auprc_davis_goadrich: _PrAucDavisGoadrich
"""PR area by Davis and Goadrich: ∫ precision d(recall), FP growing in proportion to TP between two
thresholds.

Area under the PR curve of mixtures of neighbouring thresholds, integrated exactly.
"""
PR_AUC: _PrAucDavisGoadrich
"""PR area by Davis and Goadrich: ∫ precision d(recall), FP growing in proportion to TP between two
thresholds.

Area under the PR curve of mixtures of neighbouring thresholds, integrated exactly.
"""
pr_auc: _PrAucDavisGoadrich
"""PR area by Davis and Goadrich: ∫ precision d(recall), FP growing in proportion to TP between two
thresholds.

Area under the PR curve of mixtures of neighbouring thresholds, integrated exactly.
"""

class _PrGainAuc(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Area under the precision-recall-gain curve: ∫ precG d(recG) over recG 0 to 1; precG = 1
        - P/N·FP/TP, recG = 1 - P/N·FN/TP.

        Area under the PR curve on axes where mixtures are straight lines and guessing is 0.

        Misleading: Its scale differs from that of other areas: small changes at high recall
        change it a lot.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Area under the precision-recall-gain curve of each class, in the order of the classes: ∫
        precG d(recG) over recG 0 to 1; precG = 1 - P/N·FP/TP, recG = 1 - P/N·FN/TP.
        """

pr_gain_auc: _PrGainAuc
"""Area under the precision-recall-gain curve: ∫ precG d(recG) over recG 0 to 1; precG = 1 -
P/N·FP/TP, recG = 1 - P/N·FN/TP.

Area under the PR curve on axes where mixtures are straight lines and guessing is 0.
"""
AUPRG: _PrGainAuc
"""Area under the precision-recall-gain curve: ∫ precG d(recG) over recG 0 to 1; precG = 1 -
P/N·FP/TP, recG = 1 - P/N·FN/TP.

Area under the PR curve on axes where mixtures are straight lines and guessing is 0.
"""
auprg: _PrGainAuc
"""Area under the precision-recall-gain curve: ∫ precG d(recG) over recG 0 to 1; precG = 1 -
P/N·FP/TP, recG = 1 - P/N·FN/TP.

Area under the PR curve on axes where mixtures are straight lines and guessing is 0.
"""
PR_gain: _PrGainAuc
"""Area under the precision-recall-gain curve: ∫ precG d(recG) over recG 0 to 1; precG = 1 -
P/N·FP/TP, recG = 1 - P/N·FN/TP.

Area under the PR curve on axes where mixtures are straight lines and guessing is 0.
"""
pr_gain: _PrGainAuc
"""Area under the precision-recall-gain curve: ∫ precG d(recG) over recG 0 to 1; precG = 1 -
P/N·FP/TP, recG = 1 - P/N·FN/TP.

Area under the PR curve on axes where mixtures are straight lines and guessing is 0.
"""
precision_recall_gain: _PrGainAuc
"""Area under the precision-recall-gain curve: ∫ precG d(recG) over recG 0 to 1; precG = 1 -
P/N·FP/TP, recG = 1 - P/N·FN/TP.

Area under the PR curve on axes where mixtures are straight lines and guessing is 0.
"""

class _RecallAtPrecision(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        precision: float = 0.9, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Recall at a precision: highest recall of the thresholds with precision ≥ target, 0 where
        there is none.

        Highest recall at which precision is at least the target.

        Misleading: A target chosen after seeing the curve is optimistic, and with few rows the
        best threshold is partly due to chance.

        Undefined where no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        precision: float = 0.9, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Recall at a precision of each class, in the order of the classes: highest recall of the
        thresholds with precision ≥ target, 0 where there is none.
        """

recall_at_precision: _RecallAtPrecision
"""Recall at a precision: highest recall of the thresholds with precision ≥ target, 0 where there
is none.

Highest recall at which precision is at least the target.
"""
recall_at_fixed_precision: _RecallAtPrecision
"""Recall at a precision: highest recall of the thresholds with precision ≥ target, 0 where there
is none.

Highest recall at which precision is at least the target.
"""

class _PrecisionAtRecall(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        recall: float = 0.9, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Precision at a recall: highest precision of the thresholds with recall ≥ target.

        Highest precision at which recall is at least the target.

        Misleading: A target chosen after seeing the curve is optimistic, and with few rows the
        best threshold is partly due to chance.

        Undefined where no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        recall: float = 0.9, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Precision at a recall of each class, in the order of the classes: highest precision of
        the thresholds with recall ≥ target.
        """

precision_at_recall: _PrecisionAtRecall
"""Precision at a recall: highest precision of the thresholds with recall ≥ target.

Highest precision at which recall is at least the target.
"""
precision_at_fixed_recall: _PrecisionAtRecall
"""Precision at a recall: highest precision of the thresholds with recall ≥ target.

Highest precision at which recall is at least the target.
"""

class _GainAt(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Gain at a depth: positives in the top share / P.

        Share of all positives found among the highest scoring rows.

        Misleading: At a depth beyond the prevalence, an imperfect ranking can reach 1 as well.

        Undefined where no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Gain at a depth of each class, in the order of the classes: positives in the top share /
        P.
        """

gain_at: _GainAt
"""Gain at a depth: positives in the top share / P.

Share of all positives found among the highest scoring rows.
"""
gain: _GainAt
"""Gain at a depth: positives in the top share / P.

Share of all positives found among the highest scoring rows.
"""
cumulative_gain: _GainAt
"""Gain at a depth: positives in the top share / P.

Share of all positives found among the highest scoring rows.
"""
capture_rate: _GainAt
"""Gain at a depth: positives in the top share / P.

Share of all positives found among the highest scoring rows.
"""

class _ResponseRateAt(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Response rate at a depth: positives in the top share / rows in it.

        Share of positives among the highest scoring rows.

        Misleading: It changes with prevalence.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Response rate at a depth of each class, in the order of the classes: positives in the
        top share / rows in it.
        """

response_rate_at: _ResponseRateAt
"""Response rate at a depth: positives in the top share / rows in it.

Share of positives among the highest scoring rows.
"""
response_rate: _ResponseRateAt
"""Response rate at a depth: positives in the top share / rows in it.

Share of positives among the highest scoring rows.
"""
cumulative_response_rate: _ResponseRateAt
"""Response rate at a depth: positives in the top share / rows in it.

Share of positives among the highest scoring rows.
"""

class _LiftAt(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Lift at a depth: response rate in the top share / prevalence.

        How many times more positives the highest scoring rows hold than rows taken at random.

        Misleading: Its maximum is 1 / prevalence or 1 / depth, so do not compare values between
        data sets.

        Undefined where no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Lift at a depth of each class, in the order of the classes: response rate in the top
        share / prevalence.
        """

lift_at: _LiftAt
"""Lift at a depth: response rate in the top share / prevalence.

How many times more positives the highest scoring rows hold than rows taken at random.
"""
cumulative_lift: _LiftAt
"""Lift at a depth: response rate in the top share / prevalence.

How many times more positives the highest scoring rows hold than rows taken at random.
"""

class _TopDecileLift(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Top decile lift: response rate in the top share / prevalence.

        How many times more positives the top tenth of the rows holds than a random tenth.

        Misleading: Its maximum is 1 / prevalence or 1 / depth, so do not compare values between
        data sets.

        Undefined where no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Top decile lift of each class, in the order of the classes: response rate in the top
        share / prevalence.
        """

top_decile_lift: _TopDecileLift
"""Top decile lift: response rate in the top share / prevalence.

How many times more positives the top tenth of the rows holds than a random tenth.
"""

class _TopTwoDecileLift(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.2, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Top two decile lift: response rate in the top share / prevalence.

        How many times more positives the top fifth of the rows holds than a random fifth.

        Misleading: Its maximum is 1 / prevalence or 1 / depth, so do not compare values between
        data sets.

        Undefined where no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.2, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Top two decile lift of each class, in the order of the classes: response rate in the top
        share / prevalence.
        """

top_two_decile_lift: _TopTwoDecileLift
"""Top two decile lift: response rate in the top share / prevalence.

How many times more positives the top fifth of the rows holds than a random fifth.
"""

class _PrecisionAtK(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        k: int = 10, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Precision at k: positives among the k highest scoring rows / k.

        Share of positives among the k rows of highest score; ties at the cut count by share.

        Misleading: It changes with prevalence and with the number of rows: k of many is a
        stricter choice than k of few.

        Undefined where there are fewer than k rows.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        k: int = 10, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Precision at k of each class, in the order of the classes: positives among the k highest
        scoring rows / k.
        """

precision_at_k: _PrecisionAtK
"""Precision at k: positives among the k highest scoring rows / k.

Share of positives among the k rows of highest score; ties at the cut count by share.
"""

class _RecallAtK(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        k: int = 10, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Recall at k: positives among the k highest scoring rows / P.

        Share of all positives among the k rows of highest score; ties at the cut count by
        share.

        Misleading: With more positives than k it cannot reach 1.

        Undefined where no row is truly positive; there are fewer than k rows.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        k: int = 10, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Recall at k of each class, in the order of the classes: positives among the k highest
        scoring rows / P.
        """

recall_at_k: _RecallAtK
"""Recall at k: positives among the k highest scoring rows / P.

Share of all positives among the k rows of highest score; ties at the cut count by share.
"""

class _RPrecision(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """R-precision: positives among the P highest scoring rows / P.

        Precision when as many rows are called positive as truly are; it then equals recall.

        Misleading: It is one point of the curve, possibly not your operating point.

        Undefined where no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """R-precision of each class, in the order of the classes: positives among the P highest
        scoring rows / P.
        """

r_precision: _RPrecision
"""R-precision: positives among the P highest scoring rows / P.

Precision when as many rows are called positive as truly are; it then equals recall.
"""
precision_recall_break_even_point: _RPrecision
"""R-precision: positives among the P highest scoring rows / P.

Precision when as many rows are called positive as truly are; it then equals recall.
"""
break_even_point: _RPrecision
"""R-precision: positives among the P highest scoring rows / P.

Precision when as many rows are called positive as truly are; it then equals recall.
"""
PRBE: _RPrecision
"""R-precision: positives among the P highest scoring rows / P.

Precision when as many rows are called positive as truly are; it then equals recall.
"""
prbe: _RPrecision
"""R-precision: positives among the P highest scoring rows / P.

Precision when as many rows are called positive as truly are; it then equals recall.
"""

class _RecallAtEffort(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        share: float = 0.2, by: Literal['score', 'density'] = "score",
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Recall at an effort: positives among the rows that the first share of all effort goes to
        / P.

        Share of the positives found within the first share of all effort, such as lines of
        code.

        Misleading: Sorting by density puts many small rows first, and effort leaves out the
        fixed cost of each row.

        Undefined where no row is truly positive; no row takes any effort.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        share: float = 0.2, by: Literal['score', 'density'] = "score",
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Recall at an effort of each class, in the order of the classes: positives among the rows
        that the first share of all effort goes to / P.
        """

recall_at_effort: _RecallAtEffort
"""Recall at an effort: positives among the rows that the first share of all effort goes to / P.

Share of the positives found within the first share of all effort, such as lines of code.
"""
cost_effectiveness_at_an_effort: _RecallAtEffort
"""Recall at an effort: positives among the rows that the first share of all effort goes to / P.

Share of the positives found within the first share of all effort, such as lines of code.
"""

class _RecallAt20PercentEffort(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        share: float = 0.2, by: Literal['score', 'density'] = "score",
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Recall at 20 % effort: positives among the rows that the first share of all effort goes
        to / P.

        Share of the positives found with the first fifth of all effort.

        Misleading: Sorting by density puts many small rows first, and effort leaves out the
        fixed cost of each row.

        Undefined where no row is truly positive; no row takes any effort.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        share: float = 0.2, by: Literal['score', 'density'] = "score",
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Recall at 20 % effort of each class, in the order of the classes: positives among the
        rows that the first share of all effort goes to / P.
        """

recall_at_20_percent_effort: _RecallAt20PercentEffort
"""Recall at 20 % effort: positives among the rows that the first share of all effort goes to / P.

Share of the positives found with the first fifth of all effort.
"""
R20E: _RecallAt20PercentEffort
"""Recall at 20 % effort: positives among the rows that the first share of all effort goes to / P.

Share of the positives found with the first fifth of all effort.
"""
r20e: _RecallAt20PercentEffort
"""Recall at 20 % effort: positives among the rows that the first share of all effort goes to / P.

Share of the positives found with the first fifth of all effort.
"""

class _POpt(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        by: Literal['score', 'density'] = "score", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """P_opt: 1 - (A_optimal - A) / (A_optimal - A_worst), areas of positives found over
        effort.

        Area under the effort curve, rescaled from the worst order (0) to the best (1).

        Misleading: It judges the whole order, although the end of it is rarely inspected.

        Undefined where no row is truly positive; every order finds the positives with the same
        effort.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        by: Literal['score', 'density'] = "score", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """P_opt of each class, in the order of the classes: 1 - (A_optimal - A) / (A_optimal -
        A_worst), areas of positives found over effort.
        """

p_opt: _POpt
"""P_opt: 1 - (A_optimal - A) / (A_optimal - A_worst), areas of positives found over effort.

Area under the effort curve, rescaled from the worst order (0) to the best (1).
"""
Popt: _POpt
"""P_opt: 1 - (A_optimal - A) / (A_optimal - A_worst), areas of positives found over effort.

Area under the effort curve, rescaled from the worst order (0) to the best (1).
"""
popt: _POpt
"""P_opt: 1 - (A_optimal - A) / (A_optimal - A_worst), areas of positives found over effort.

Area under the effort curve, rescaled from the worst order (0) to the best (1).
"""
normalised_P_opt: _POpt
"""P_opt: 1 - (A_optimal - A) / (A_optimal - A_worst), areas of positives found over effort.

Area under the effort curve, rescaled from the worst order (0) to the best (1).
"""
normalised_p_opt: _POpt
"""P_opt: 1 - (A_optimal - A) / (A_optimal - A_worst), areas of positives found over effort.

Area under the effort curve, rescaled from the worst order (0) to the best (1).
"""

class _InitialFalseAlarms(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        by: Literal['score', 'density'] = "score", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Initial false alarms: negatives looked at before the first positive.

        Number of negatives inspected from the top before the first positive is found.

        Misleading: One row decides it.

        Undefined where no row is truly positive.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        by: Literal['score', 'density'] = "score", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Initial false alarms of each class, in the order of the classes: negatives looked at
        before the first positive.
        """

initial_false_alarms: _InitialFalseAlarms
"""Initial false alarms: negatives looked at before the first positive.

Number of negatives inspected from the top before the first positive is found.
"""
IFA: _InitialFalseAlarms
"""Initial false alarms: negatives looked at before the first positive.

Number of negatives inspected from the top before the first positive is found.
"""
ifa: _InitialFalseAlarms
"""Initial false alarms: negatives looked at before the first positive.

Number of negatives inspected from the top before the first positive is found.
"""

class _ProfitAtDepth(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, revenue: float = 1.0, cost: float = 0.1,
        effort_is: Literal['cost', 'revenue'] = "cost", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Profit at a depth: revenue · positives among the top rows - cost · effort of those rows,
        or revenue · effort of those positives - cost · those rows.

        Profit of acting on the rows of highest score: depth · n · (response · revenue - cost).

        Misleading: It grows with the number of rows, so do not compare values between data
        sets.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, revenue: float = 1.0, cost: float = 0.1,
        effort_is: Literal['cost', 'revenue'] = "cost", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Profit at a depth of each class, in the order of the classes: revenue · positives among
        the top rows - cost · effort of those rows, or revenue · effort of those positives -
        cost · those rows.
        """

profit_at_depth: _ProfitAtDepth
"""Profit at a depth: revenue · positives among the top rows - cost · effort of those rows, or
revenue · effort of those positives - cost · those rows.

Profit of acting on the rows of highest score: depth · n · (response · revenue - cost).
"""
profit: _ProfitAtDepth
"""Profit at a depth: revenue · positives among the top rows - cost · effort of those rows, or
revenue · effort of those positives - cost · those rows.

Profit of acting on the rows of highest score: depth · n · (response · revenue - cost).
"""

class _BestProfit(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        revenue: float = 1.0, cost: float = 0.1, max_cost: float | None = None,
        effort_is: Literal['cost', 'revenue'] = "cost", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Highest profit: max over depths, and at a cost of at most max_cost, of the profit at a
        depth.

        Profit at the depth that is best on these rows, at a cost of at most max_cost.

        Misleading: The depth is chosen on the same rows, so expect less profit on new ones.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        revenue: float = 1.0, cost: float = 0.1, max_cost: float | None = None,
        effort_is: Literal['cost', 'revenue'] = "cost", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Highest profit of each class, in the order of the classes: max over depths, and at a
        cost of at most max_cost, of the profit at a depth.
        """

best_profit: _BestProfit
"""Highest profit: max over depths, and at a cost of at most max_cost, of the profit at a depth.

Profit at the depth that is best on these rows, at a cost of at most max_cost.
"""
maximum_profit: _BestProfit
"""Highest profit: max over depths, and at a cost of at most max_cost, of the profit at a depth.

Profit at the depth that is best on these rows, at a cost of at most max_cost.
"""

class _BestDepth(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        revenue: float = 1.0, cost: float = 0.1, max_cost: float | None = None,
        effort_is: Literal['cost', 'revenue'] = "cost", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Best depth: share of the rows at which profit is highest, the smallest of several.

        Share of the rows to act on for the highest profit, at a cost of at most max_cost.

        Misleading: Profit is flat around its maximum, so the best depth is uncertain.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        revenue: float = 1.0, cost: float = 0.1, max_cost: float | None = None,
        effort_is: Literal['cost', 'revenue'] = "cost", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Best depth of each class, in the order of the classes: share of the rows at which profit
        is highest, the smallest of several.
        """

best_depth: _BestDepth
"""Best depth: share of the rows at which profit is highest, the smallest of several.

Share of the rows to act on for the highest profit, at a cost of at most max_cost.
"""
most_profitable_depth: _BestDepth
"""Best depth: share of the rows at which profit is highest, the smallest of several.

Share of the rows to act on for the highest profit, at a cost of at most max_cost.
"""

class _EqualErrorRate(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Equal error rate: FPR where FPR = FNR, on the straight line between the thresholds
        around it.

        Error rate at the threshold where the false positive rate equals the false negative
        rate.

        Misleading: It is rarely the operating point: choose the false positive rate you can
        afford.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Equal error rate of each class, in the order of the classes: FPR where FPR = FNR, on the
        straight line between the thresholds around it.
        """

equal_error_rate: _EqualErrorRate
"""Equal error rate: FPR where FPR = FNR, on the straight line between the thresholds around it.

Error rate at the threshold where the false positive rate equals the false negative rate.
"""
EER: _EqualErrorRate
"""Equal error rate: FPR where FPR = FNR, on the straight line between the thresholds around it.

Error rate at the threshold where the false positive rate equals the false negative rate.
"""
eer: _EqualErrorRate
"""Equal error rate: FPR where FPR = FNR, on the straight line between the thresholds around it.

Error rate at the threshold where the false positive rate equals the false negative rate.
"""
crossover_error_rate: _EqualErrorRate
"""Equal error rate: FPR where FPR = FNR, on the straight line between the thresholds around it.

Error rate at the threshold where the false positive rate equals the false negative rate.
"""

class _EqualErrorRateHull(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Equal error rate of the convex hull: FPR where FPR = FNR, on the convex hull of the ROC
        curve.

        Equal error rate after the best monotone calibration: the highest over all priors.

        Misleading: The hull is fitted to the same rows, so with few rows it is optimistic.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Equal error rate of the convex hull of each class, in the order of the classes: FPR
        where FPR = FNR, on the convex hull of the ROC curve.
        """

equal_error_rate_hull: _EqualErrorRateHull
"""Equal error rate of the convex hull: FPR where FPR = FNR, on the convex hull of the ROC curve.

Equal error rate after the best monotone calibration: the highest over all priors.
"""
ROCCH_EER: _EqualErrorRateHull
"""Equal error rate of the convex hull: FPR where FPR = FNR, on the convex hull of the ROC curve.

Equal error rate after the best monotone calibration: the highest over all priors.
"""
rocch_eer: _EqualErrorRateHull
"""Equal error rate of the convex hull: FPR where FPR = FNR, on the convex hull of the ROC curve.

Equal error rate after the best monotone calibration: the highest over all priors.
"""
EER_of_the_convex_hull: _EqualErrorRateHull
"""Equal error rate of the convex hull: FPR where FPR = FNR, on the convex hull of the ROC curve.

Equal error rate after the best monotone calibration: the highest over all priors.
"""
eer_of_the_convex_hull: _EqualErrorRateHull
"""Equal error rate of the convex hull: FPR where FPR = FNR, on the convex hull of the ROC curve.

Equal error rate after the best monotone calibration: the highest over all priors.
"""

class _EqualErrorRateLow(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Equal error rate, lower end: the smaller of FPR and FNR at the threshold nearest their
        crossing.

        Lower end of the interval that holds the equal error rate, where no threshold gives it.

        Misleading: Alone it is optimistic: read it with the upper end.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Equal error rate, lower end of each class, in the order of the classes: the smaller of
        FPR and FNR at the threshold nearest their crossing.
        """

equal_error_rate_low: _EqualErrorRateLow
"""Equal error rate, lower end: the smaller of FPR and FNR at the threshold nearest their crossing.

Lower end of the interval that holds the equal error rate, where no threshold gives it.
"""
EER_low: _EqualErrorRateLow
"""Equal error rate, lower end: the smaller of FPR and FNR at the threshold nearest their crossing.

Lower end of the interval that holds the equal error rate, where no threshold gives it.
"""
eer_low: _EqualErrorRateLow
"""Equal error rate, lower end: the smaller of FPR and FNR at the threshold nearest their crossing.

Lower end of the interval that holds the equal error rate, where no threshold gives it.
"""

class _EqualErrorRateHigh(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Equal error rate, upper end: the larger of FPR and FNR at the threshold nearest their
        crossing.

        Upper end of the interval that holds the equal error rate, where no threshold gives it.

        Misleading: Few scores or many ties make the interval wide, however good the classifier
        is.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Equal error rate, upper end of each class, in the order of the classes: the larger of
        FPR and FNR at the threshold nearest their crossing.
        """

equal_error_rate_high: _EqualErrorRateHigh
"""Equal error rate, upper end: the larger of FPR and FNR at the threshold nearest their crossing.

Upper end of the interval that holds the equal error rate, where no threshold gives it.
"""
EER_high: _EqualErrorRateHigh
"""Equal error rate, upper end: the larger of FPR and FNR at the threshold nearest their crossing.

Upper end of the interval that holds the equal error rate, where no threshold gives it.
"""
eer_high: _EqualErrorRateHigh
"""Equal error rate, upper end: the larger of FPR and FNR at the threshold nearest their crossing.

Upper end of the interval that holds the equal error rate, where no threshold gives it.
"""

class _SensitivityAtFpr(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.01, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Sensitivity at a false positive rate: highest TPR of the thresholds with FPR ≤ target.

        Highest sensitivity at which the false positive rate is at most the target.

        Misleading: With fewer negatives than 1/target no false alarm is allowed, and one row
        decides.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.01, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Sensitivity at a false positive rate of each class, in the order of the classes: highest
        TPR of the thresholds with FPR ≤ target.
        """

sensitivity_at_fpr: _SensitivityAtFpr
"""Sensitivity at a false positive rate: highest TPR of the thresholds with FPR ≤ target.

Highest sensitivity at which the false positive rate is at most the target.
"""
TPR_at_FPR: _SensitivityAtFpr
"""Sensitivity at a false positive rate: highest TPR of the thresholds with FPR ≤ target.

Highest sensitivity at which the false positive rate is at most the target.
"""
tpr_at_fpr: _SensitivityAtFpr
"""Sensitivity at a false positive rate: highest TPR of the thresholds with FPR ≤ target.

Highest sensitivity at which the false positive rate is at most the target.
"""
TAR_at_FAR: _SensitivityAtFpr
"""Sensitivity at a false positive rate: highest TPR of the thresholds with FPR ≤ target.

Highest sensitivity at which the false positive rate is at most the target.
"""
tar_at_far: _SensitivityAtFpr
"""Sensitivity at a false positive rate: highest TPR of the thresholds with FPR ≤ target.

Highest sensitivity at which the false positive rate is at most the target.
"""
sensitivity_at_specificity: _SensitivityAtFpr
"""Sensitivity at a false positive rate: highest TPR of the thresholds with FPR ≤ target.

Highest sensitivity at which the false positive rate is at most the target.
"""

class _FalseNegativeRateAtFpr(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.001, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """False negative rate at a false positive rate: lowest FNR of the thresholds with FPR ≤
        target.

        Lowest share of genuine rows rejected with at most the target share of impostors
        accepted.

        Misleading: A target of 0.001 needs thousands of impostor scores to be meaningful.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.001, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """False negative rate at a false positive rate of each class, in the order of the classes:
        lowest FNR of the thresholds with FPR ≤ target.
        """

false_negative_rate_at_fpr: _FalseNegativeRateAtFpr
"""False negative rate at a false positive rate: lowest FNR of the thresholds with FPR ≤ target.

Lowest share of genuine rows rejected with at most the target share of impostors accepted.
"""
FRR_at_FAR: _FalseNegativeRateAtFpr
"""False negative rate at a false positive rate: lowest FNR of the thresholds with FPR ≤ target.

Lowest share of genuine rows rejected with at most the target share of impostors accepted.
"""
frr_at_far: _FalseNegativeRateAtFpr
"""False negative rate at a false positive rate: lowest FNR of the thresholds with FPR ≤ target.

Lowest share of genuine rows rejected with at most the target share of impostors accepted.
"""
FNMR_at_FMR: _FalseNegativeRateAtFpr
"""False negative rate at a false positive rate: lowest FNR of the thresholds with FPR ≤ target.

Lowest share of genuine rows rejected with at most the target share of impostors accepted.
"""
fnmr_at_fmr: _FalseNegativeRateAtFpr
"""False negative rate at a false positive rate: lowest FNR of the thresholds with FPR ≤ target.

Lowest share of genuine rows rejected with at most the target share of impostors accepted.
"""
FNR_at_FPR: _FalseNegativeRateAtFpr
"""False negative rate at a false positive rate: lowest FNR of the thresholds with FPR ≤ target.

Lowest share of genuine rows rejected with at most the target share of impostors accepted.
"""
fnr_at_fpr: _FalseNegativeRateAtFpr
"""False negative rate at a false positive rate: lowest FNR of the thresholds with FPR ≤ target.

Lowest share of genuine rows rejected with at most the target share of impostors accepted.
"""

class _Fmr100(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.01, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """FMR100: lowest FNR of the thresholds with FPR ≤ target.

        Share of genuine comparisons rejected at a false match rate of 1 %.

        Misleading: A target of 0.001 needs thousands of impostor scores to be meaningful.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.01, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """FMR100 of each class, in the order of the classes: lowest FNR of the thresholds with FPR
        ≤ target.
        """

fmr100: _Fmr100
"""FMR100: lowest FNR of the thresholds with FPR ≤ target.

Share of genuine comparisons rejected at a false match rate of 1 %.
"""

class _Fmr1000(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.001, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """FMR1000: lowest FNR of the thresholds with FPR ≤ target.

        Share of genuine comparisons rejected at a false match rate of 0.1 %.

        Misleading: A target of 0.001 needs thousands of impostor scores to be meaningful.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.001, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """FMR1000 of each class, in the order of the classes: lowest FNR of the thresholds with
        FPR ≤ target.
        """

fmr1000: _Fmr1000
"""FMR1000: lowest FNR of the thresholds with FPR ≤ target.

Share of genuine comparisons rejected at a false match rate of 0.1 %.
"""

class _Fmr10000(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.0001, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """FMR10000: lowest FNR of the thresholds with FPR ≤ target.

        Share of genuine comparisons rejected at a false match rate of 0.01 %.

        Misleading: A target of 0.001 needs thousands of impostor scores to be meaningful.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.0001, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """FMR10000 of each class, in the order of the classes: lowest FNR of the thresholds with
        FPR ≤ target.
        """

fmr10000: _Fmr10000
"""FMR10000: lowest FNR of the thresholds with FPR ≤ target.

Share of genuine comparisons rejected at a false match rate of 0.01 %.
"""

class _SpecificityAtSensitivity(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        sensitivity: float = 0.95, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Specificity at a sensitivity: highest TNR of the thresholds with TPR ≥ target.

        Highest specificity at which the sensitivity is at least the target.

        Misleading: The last few positives decide it, and these are the least typical ones.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        sensitivity: float = 0.95, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Specificity at a sensitivity of each class, in the order of the classes: highest TNR of
        the thresholds with TPR ≥ target.
        """

specificity_at_sensitivity: _SpecificityAtSensitivity
"""Specificity at a sensitivity: highest TNR of the thresholds with TPR ≥ target.

Highest specificity at which the sensitivity is at least the target.
"""
TNR_at_TPR: _SpecificityAtSensitivity
"""Specificity at a sensitivity: highest TNR of the thresholds with TPR ≥ target.

Highest specificity at which the sensitivity is at least the target.
"""
tnr_at_tpr: _SpecificityAtSensitivity
"""Specificity at a sensitivity: highest TNR of the thresholds with TPR ≥ target.

Highest specificity at which the sensitivity is at least the target.
"""
specificity_at_recall: _SpecificityAtSensitivity
"""Specificity at a sensitivity: highest TNR of the thresholds with TPR ≥ target.

Highest specificity at which the sensitivity is at least the target.
"""

class _Decidability(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Decidability: (mean of positives - mean of negatives) / √((variance + variance) / 2).

        Distance between both classes' mean scores in standard deviations.

        Misleading: Means and variances describe skewed scores poorly, and a map of the scores
        that keeps every ranking changes it.

        Undefined where no row is truly positive; no row is truly negative; neither class's
        scores vary, and their means are the same.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Decidability of each class, in the order of the classes: (mean of positives - mean of
        negatives) / √((variance + variance) / 2).
        """

decidability: _Decidability
"""Decidability: (mean of positives - mean of negatives) / √((variance + variance) / 2).

Distance between both classes' mean scores in standard deviations.
"""
decidability_index: _Decidability
"""Decidability: (mean of positives - mean of negatives) / √((variance + variance) / 2).

Distance between both classes' mean scores in standard deviations.
"""
Daugman_d: _Decidability
"""Decidability: (mean of positives - mean of negatives) / √((variance + variance) / 2).

Distance between both classes' mean scores in standard deviations.
"""
daugman_d: _Decidability
"""Decidability: (mean of positives - mean of negatives) / √((variance + variance) / 2).

Distance between both classes' mean scores in standard deviations.
"""

class _MinCllr(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Minimum Cllr: Cllr after the best monotone calibration of these scores, in bits.

        Information still missing after the best calibration: the cost of poor ranking.

        Misleading: The calibration is fitted to the same rows, so with few rows it is
        optimistic.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Minimum Cllr of each class, in the order of the classes: Cllr after the best monotone
        calibration of these scores, in bits.
        """

min_cllr: _MinCllr
"""Minimum Cllr: Cllr after the best monotone calibration of these scores, in bits.

Information still missing after the best calibration: the cost of poor ranking.
"""
Cllr_min: _MinCllr
"""Minimum Cllr: Cllr after the best monotone calibration of these scores, in bits.

Information still missing after the best calibration: the cost of poor ranking.
"""
cllr_min: _MinCllr
"""Minimum Cllr: Cllr after the best monotone calibration of these scores, in bits.

Information still missing after the best calibration: the cost of poor ranking.
"""

class _Brier(Metric):
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall", "binary"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Brier score: mean of (p - truth)²; summed over classes when there are more than two.

        Mean squared distance between probability and outcome; 0 is certain and right.

        Misleading: Small values are easy where one class is rare: compare with the score of
        always giving the prevalence.

        Undefined where there is no row.
        """

brier: _Brier
"""Brier score: mean of (p - truth)²; summed over classes when there are more than two.

Mean squared distance between probability and outcome; 0 is certain and right.
"""
brier_loss: _Brier
"""Brier score: mean of (p - truth)²; summed over classes when there are more than two.

Mean squared distance between probability and outcome; 0 is certain and right.
"""
brier_score: _Brier
"""Brier score: mean of (p - truth)²; summed over classes when there are more than two.

Mean squared distance between probability and outcome; 0 is certain and right.
"""
brier_class: _Brier
"""Brier score: mean of (p - truth)²; summed over classes when there are more than two.

Mean squared distance between probability and outcome; 0 is certain and right.
"""

class _MeanAbsoluteError(Metric):
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall", "binary"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Mean absolute error: mean of |p - truth|; averaged over classes when there are more than
        two.

        Mean distance between probability and outcome.

        Misleading: It rewards probabilities pushed to 0 and 1, since it is not a proper score.

        Undefined where there is no row.
        """

mean_absolute_error: _MeanAbsoluteError
"""Mean absolute error: mean of |p - truth|; averaged over classes when there are more than two.

Mean distance between probability and outcome.
"""
MAE: _MeanAbsoluteError
"""Mean absolute error: mean of |p - truth|; averaged over classes when there are more than two.

Mean distance between probability and outcome.
"""
mae: _MeanAbsoluteError
"""Mean absolute error: mean of |p - truth|; averaged over classes when there are more than two.

Mean distance between probability and outcome.
"""

class _RootMeanSquaredError(Metric):
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall", "binary"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Root mean squared error: √ mean of (p - truth)²; averaged over classes under the root.

        Square root of the mean squared distance between probability and outcome.

        Misleading: Like the Brier score, it is small where one class is rare.

        Undefined where there is no row.
        """

root_mean_squared_error: _RootMeanSquaredError
"""Root mean squared error: √ mean of (p - truth)²; averaged over classes under the root.

Square root of the mean squared distance between probability and outcome.
"""
RMSE: _RootMeanSquaredError
"""Root mean squared error: √ mean of (p - truth)²; averaged over classes under the root.

Square root of the mean squared distance between probability and outcome.
"""
rmse: _RootMeanSquaredError
"""Root mean squared error: √ mean of (p - truth)²; averaged over classes under the root.

Square root of the mean squared distance between probability and outcome.
"""

class _LogLoss(Metric):
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        clip: float = 0.0, base: float = 2.718281828459045, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["overall", "binary"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Log loss: -mean of ln(probability given to the true class).

        Mean negative logarithm of the probability of the true class; infinite if one is 0.

        Misleading: One probability of 0 for the true class makes it infinite, unless software
        clips it silently.

        Undefined where there is no row.
        """

log_loss: _LogLoss
"""Log loss: -mean of ln(probability given to the true class).

Mean negative logarithm of the probability of the true class; infinite if one is 0.
"""
cross_entropy: _LogLoss
"""Log loss: -mean of ln(probability given to the true class).

Mean negative logarithm of the probability of the true class; infinite if one is 0.
"""
logistic_loss: _LogLoss
"""Log loss: -mean of ln(probability given to the true class).

Mean negative logarithm of the probability of the true class; infinite if one is 0.
"""
logarithmic_loss: _LogLoss
"""Log loss: -mean of ln(probability given to the true class).

Mean negative logarithm of the probability of the true class; infinite if one is 0.
"""
mn_log_loss: _LogLoss
"""Log loss: -mean of ln(probability given to the true class).

Mean negative logarithm of the probability of the true class; infinite if one is 0.
"""
logarithmic_score: _LogLoss
"""Log loss: -mean of ln(probability given to the true class).

Mean negative logarithm of the probability of the true class; infinite if one is 0.
"""

class _BrierSkillScore(Metric):
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall", "binary"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Brier skill score: 1 - Brier score / Brier score of always giving the class shares.

        Relative reduction of the Brier score compared with always giving the class shares.

        Misleading: Its reference is the class shares of these rows, which were not known
        beforehand.

        Undefined where all rows are truly of one class.
        """

brier_skill_score: _BrierSkillScore
"""Brier skill score: 1 - Brier score / Brier score of always giving the class shares.

Relative reduction of the Brier score compared with always giving the class shares.
"""
BSS: _BrierSkillScore
"""Brier skill score: 1 - Brier score / Brier score of always giving the class shares.

Relative reduction of the Brier score compared with always giving the class shares.
"""
bss: _BrierSkillScore
"""Brier skill score: 1 - Brier score / Brier score of always giving the class shares.

Relative reduction of the Brier score compared with always giving the class shares.
"""
scaled_Brier_score: _BrierSkillScore
"""Brier skill score: 1 - Brier score / Brier score of always giving the class shares.

Relative reduction of the Brier score compared with always giving the class shares.
"""
scaled_brier_score: _BrierSkillScore
"""Brier skill score: 1 - Brier score / Brier score of always giving the class shares.

Relative reduction of the Brier score compared with always giving the class shares.
"""
index_of_prediction_accuracy: _BrierSkillScore
"""Brier skill score: 1 - Brier score / Brier score of always giving the class shares.

Relative reduction of the Brier score compared with always giving the class shares.
"""
IPA: _BrierSkillScore
"""Brier skill score: 1 - Brier score / Brier score of always giving the class shares.

Relative reduction of the Brier score compared with always giving the class shares.
"""
ipa: _BrierSkillScore
"""Brier skill score: 1 - Brier score / Brier score of always giving the class shares.

Relative reduction of the Brier score compared with always giving the class shares.
"""

class _LogLossSkillScore(Metric):
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        clip: float = 0.0, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["overall", "binary"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Log loss skill score: 1 - log loss / log loss of always giving the class shares.

        Relative reduction of the log loss, compared with always predicting the class shares.

        Misleading: One probability of 0 for the true class makes it -∞, and its reference is
        the class shares of these rows, which were not known beforehand.

        Undefined where all rows are truly of one class.
        """

log_loss_skill_score: _LogLossSkillScore
"""Log loss skill score: 1 - log loss / log loss of always giving the class shares.

Relative reduction of the log loss, compared with always predicting the class shares.
"""
D2_log_loss: _LogLossSkillScore
"""Log loss skill score: 1 - log loss / log loss of always giving the class shares.

Relative reduction of the log loss, compared with always predicting the class shares.
"""
d2_log_loss: _LogLossSkillScore
"""Log loss skill score: 1 - log loss / log loss of always giving the class shares.

Relative reduction of the log loss, compared with always predicting the class shares.
"""
D2_log_loss_score: _LogLossSkillScore
"""Log loss skill score: 1 - log loss / log loss of always giving the class shares.

Relative reduction of the log loss, compared with always predicting the class shares.
"""
d2_log_loss_score: _LogLossSkillScore
"""Log loss skill score: 1 - log loss / log loss of always giving the class shares.

Relative reduction of the log loss, compared with always predicting the class shares.
"""
McFadden_R2: _LogLossSkillScore
"""Log loss skill score: 1 - log loss / log loss of always giving the class shares.

Relative reduction of the log loss, compared with always predicting the class shares.
"""
mcfadden_r2: _LogLossSkillScore
"""Log loss skill score: 1 - log loss / log loss of always giving the class shares.

Relative reduction of the log loss, compared with always predicting the class shares.
"""
logarithmic_skill_score: _LogLossSkillScore
"""Log loss skill score: 1 - log loss / log loss of always giving the class shares.

Relative reduction of the log loss, compared with always predicting the class shares.
"""

class _SphericalScore(Metric):
    def __call__(
        self, y_true: _Column | ScoreTally | Sums, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Spherical score: mean of p(true class) / √(Σ p²).

        Mean cosine between the probabilities and the truth: a proper score from 0 to 1.

        Misleading: Its differences are small: log loss and Brier score separate models more
        clearly.

        Undefined where there is no row.
        """

spherical_score: _SphericalScore
"""Spherical score: mean of p(true class) / √(Σ p²).

Mean cosine between the probabilities and the truth: a proper score from 0 to 1.
"""
spherical_scoring_rule: _SphericalScore
"""Spherical score: mean of p(true class) / √(Σ p²).

Mean cosine between the probabilities and the truth: a proper score from 0 to 1.
"""

class _ExpectedCalibrationError(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        bins: int = 10, strategy: Literal['width', 'mass'] = "width",
        norm: Literal['l1', 'l2', 'max'] = "l1", debiased: bool = False,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Expected calibration error: Σ (rows of bin / T) · |mean probability - share positive|;
        l2: the root of squares.

        Mean distance, over bins of probabilities, between mean probability and share positive.

        Misleading: It depends on the bins: few hide errors, many create them. With few rows it
        is above 0 even for calibrated probabilities. A useless model that always gives the
        prevalence has 0.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        bins: int = 10, strategy: Literal['width', 'mass'] = "width",
        norm: Literal['l1', 'l2', 'max'] = "l1", debiased: bool = False,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Expected calibration error of each class, in the order of the classes: Σ (rows of bin /
        T) · |mean probability - share positive|; l2: the root of squares.
        """

expected_calibration_error: _ExpectedCalibrationError
"""Expected calibration error: Σ (rows of bin / T) · |mean probability - share positive|; l2: the
root of squares.

Mean distance, over bins of probabilities, between mean probability and share positive.
"""
ECE: _ExpectedCalibrationError
"""Expected calibration error: Σ (rows of bin / T) · |mean probability - share positive|; l2: the
root of squares.

Mean distance, over bins of probabilities, between mean probability and share positive.
"""
ece: _ExpectedCalibrationError
"""Expected calibration error: Σ (rows of bin / T) · |mean probability - share positive|; l2: the
root of squares.

Mean distance, over bins of probabilities, between mean probability and share positive.
"""

class _MaxCalibrationError(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        bins: int = 10, strategy: Literal['width', 'mass'] = "width",
        norm: Literal['l1', 'l2', 'max'] = "max", debiased: bool = False,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Maximum calibration error: Σ (rows of bin / T) · |mean probability - share positive|;
        l2: the root of squares.

        Largest distance, over the bins, between mean probability and share positive.

        Misleading: It depends on the bins: few hide errors, many create them. With few rows it
        is above 0 even for calibrated probabilities. A useless model that always gives the
        prevalence has 0.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        bins: int = 10, strategy: Literal['width', 'mass'] = "width",
        norm: Literal['l1', 'l2', 'max'] = "max", debiased: bool = False,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Maximum calibration error of each class, in the order of the classes: Σ (rows of bin /
        T) · |mean probability - share positive|; l2: the root of squares.
        """

max_calibration_error: _MaxCalibrationError
"""Maximum calibration error: Σ (rows of bin / T) · |mean probability - share positive|; l2: the
root of squares.

Largest distance, over the bins, between mean probability and share positive.
"""
MCE: _MaxCalibrationError
"""Maximum calibration error: Σ (rows of bin / T) · |mean probability - share positive|; l2: the
root of squares.

Largest distance, over the bins, between mean probability and share positive.
"""
mce: _MaxCalibrationError
"""Maximum calibration error: Σ (rows of bin / T) · |mean probability - share positive|; l2: the
root of squares.

Largest distance, over the bins, between mean probability and share positive.
"""

class _RootMeanSquaredCalibrationError(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        bins: int = 10, strategy: Literal['width', 'mass'] = "width",
        norm: Literal['l1', 'l2', 'max'] = "l2", debiased: bool = False,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Root mean squared calibration error: Σ (rows of bin / T) · |mean probability - share
        positive|; l2: the root of squares.

        Root of the mean squared distance, over bins, between probability and share positive.

        Misleading: It depends on the bins: few hide errors, many create them. With few rows it
        is above 0 even for calibrated probabilities. A useless model that always gives the
        prevalence has 0.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        bins: int = 10, strategy: Literal['width', 'mass'] = "width",
        norm: Literal['l1', 'l2', 'max'] = "l2", debiased: bool = False,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Root mean squared calibration error of each class, in the order of the classes: Σ (rows
        of bin / T) · |mean probability - share positive|; l2: the root of squares.
        """

root_mean_squared_calibration_error: _RootMeanSquaredCalibrationError
"""Root mean squared calibration error: Σ (rows of bin / T) · |mean probability - share positive|;
l2: the root of squares.

Root of the mean squared distance, over bins, between probability and share positive.
"""
RMSCE: _RootMeanSquaredCalibrationError
"""Root mean squared calibration error: Σ (rows of bin / T) · |mean probability - share positive|;
l2: the root of squares.

Root of the mean squared distance, over bins, between probability and share positive.
"""
rmsce: _RootMeanSquaredCalibrationError
"""Root mean squared calibration error: Σ (rows of bin / T) · |mean probability - share positive|;
l2: the root of squares.

Root of the mean squared distance, over bins, between probability and share positive.
"""
l2_calibration_error: _RootMeanSquaredCalibrationError
"""Root mean squared calibration error: Σ (rows of bin / T) · |mean probability - share positive|;
l2: the root of squares.

Root of the mean squared distance, over bins, between probability and share positive.
"""

class _HosmerLemeshow(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        bins: int = 10, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Hosmer-Lemeshow statistic: Σ over bins of (O - E)² / (E·(1 - E/n)).

        Chi-square statistic of expected against observed positives in tenths of the risks.

        Misleading: It grows with the number of rows: with many, every model fails; with few,
        none does. It also depends on the bins.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        bins: int = 10, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Hosmer-Lemeshow statistic of each class, in the order of the classes: Σ over bins of (O
        - E)² / (E·(1 - E/n)).
        """

hosmer_lemeshow: _HosmerLemeshow
"""Hosmer-Lemeshow statistic: Σ over bins of (O - E)² / (E·(1 - E/n)).

Chi-square statistic of expected against observed positives in tenths of the risks.
"""
HL: _HosmerLemeshow
"""Hosmer-Lemeshow statistic: Σ over bins of (O - E)² / (E·(1 - E/n)).

Chi-square statistic of expected against observed positives in tenths of the risks.
"""
hl: _HosmerLemeshow
"""Hosmer-Lemeshow statistic: Σ over bins of (O - E)² / (E·(1 - E/n)).

Chi-square statistic of expected against observed positives in tenths of the risks.
"""

class _CalibrationInTheLarge(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Calibration in the large: share positive - mean probability.

        Share positive minus mean probability: 0 is right, above 0 probabilities are too low.

        Misleading: 0 means only that too high and too low probabilities cancel out.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Calibration in the large of each class, in the order of the classes: share positive -
        mean probability.
        """

calibration_in_the_large: _CalibrationInTheLarge
"""Calibration in the large: share positive - mean probability.

Share positive minus mean probability: 0 is right, above 0 probabilities are too low.
"""
mean_calibration: _CalibrationInTheLarge
"""Calibration in the large: share positive - mean probability.

Share positive minus mean probability: 0 is right, above 0 probabilities are too low.
"""
bias_in_the_large: _CalibrationInTheLarge
"""Calibration in the large: share positive - mean probability.

Share positive minus mean probability: 0 is right, above 0 probabilities are too low.
"""

class _ObservedExpectedRatio(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Observed to expected ratio: P / Σ probability.

        Number of positives divided by the number that the probabilities predict; 1 is right.

        Misleading: 1 means only that too high and too low probabilities cancel out.

        Undefined where no positive was observed or expected.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Observed to expected ratio of each class, in the order of the classes: P / Σ
        probability.
        """

observed_expected_ratio: _ObservedExpectedRatio
"""Observed to expected ratio: P / Σ probability.

Number of positives divided by the number that the probabilities predict; 1 is right.
"""
observed_expected: _ObservedExpectedRatio
"""Observed to expected ratio: P / Σ probability.

Number of positives divided by the number that the probabilities predict; 1 is right.
"""

class _CalibrationSlope(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        clip: float = 0.0, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Calibration slope: b of logit(positive) ~ a + b·logit(p).

        Spread of the probabilities: below 1 they are too extreme, above 1 not extreme enough.

        Misleading: It is 1 for probabilities that are all too high by the same odds, and
        infinite where the classes do not overlap.

        Undefined where no row is truly positive; no row is truly negative; a row has
        probability 0 or 1; all rows have the same probability.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        clip: float = 0.0, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Calibration slope of each class, in the order of the classes: b of logit(positive) ~ a +
        b·logit(p).
        """

calibration_slope: _CalibrationSlope
"""Calibration slope: b of logit(positive) ~ a + b·logit(p).

Spread of the probabilities: below 1 they are too extreme, above 1 not extreme enough.
"""
Cox_slope: _CalibrationSlope
"""Calibration slope: b of logit(positive) ~ a + b·logit(p).

Spread of the probabilities: below 1 they are too extreme, above 1 not extreme enough.
"""
cox_slope: _CalibrationSlope
"""Calibration slope: b of logit(positive) ~ a + b·logit(p).

Spread of the probabilities: below 1 they are too extreme, above 1 not extreme enough.
"""

class _CalibrationIntercept(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        clip: float = 0.0, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Calibration intercept: a of logit(positive) ~ a + logit(p).

        Overall error of the log odds: above 0 the probabilities are too low.

        Misleading: 0 means only that too high and too low probabilities cancel out, on the
        scale of the log odds.

        Undefined where no row is truly positive; no row is truly negative; a row has
        probability 0 or 1.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        clip: float = 0.0, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Calibration intercept of each class, in the order of the classes: a of logit(positive) ~
        a + logit(p).
        """

calibration_intercept: _CalibrationIntercept
"""Calibration intercept: a of logit(positive) ~ a + logit(p).

Overall error of the log odds: above 0 the probabilities are too low.
"""
Cox_intercept: _CalibrationIntercept
"""Calibration intercept: a of logit(positive) ~ a + logit(p).

Overall error of the log odds: above 0 the probabilities are too low.
"""
cox_intercept: _CalibrationIntercept
"""Calibration intercept: a of logit(positive) ~ a + logit(p).

Overall error of the log odds: above 0 the probabilities are too low.
"""

class _SpiegelhalterZ(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Spiegelhalter's Z: Σ (truth - p)(1 - 2p) / √(Σ (1 - 2p)² p(1 - p)).

        Standard normal if the probabilities are calibrated: beyond ±2 they hardly are.

        Misleading: It grows with the number of rows, and errors that cancel in the Brier score
        cancel here.

        Undefined where every row has probability 0, 1/2 or 1.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Spiegelhalter's Z of each class, in the order of the classes: Σ (truth - p)(1 - 2p) /
        √(Σ (1 - 2p)² p(1 - p)).
        """

spiegelhalter_z: _SpiegelhalterZ
"""Spiegelhalter's Z: Σ (truth - p)(1 - 2p) / √(Σ (1 - 2p)² p(1 - p)).

Standard normal if the probabilities are calibrated: beyond ±2 they hardly are.
"""

class _Miscalibration(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Miscalibration (CORP): Brier score - Brier score of the isotonic probabilities.

        Part of the Brier score that recalibration would remove; there are no bins to choose.

        Misleading: Isotonic probabilities fit the noise in the rows, so with few rows it is
        above 0 even for calibrated probabilities.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Miscalibration (CORP) of each class, in the order of the classes: Brier score - Brier
        score of the isotonic probabilities.
        """

miscalibration: _Miscalibration
"""Miscalibration (CORP): Brier score - Brier score of the isotonic probabilities.

Part of the Brier score that recalibration would remove; there are no bins to choose.
"""
MCB: _Miscalibration
"""Miscalibration (CORP): Brier score - Brier score of the isotonic probabilities.

Part of the Brier score that recalibration would remove; there are no bins to choose.
"""
mcb: _Miscalibration
"""Miscalibration (CORP): Brier score - Brier score of the isotonic probabilities.

Part of the Brier score that recalibration would remove; there are no bins to choose.
"""
CORP_miscalibration: _Miscalibration
"""Miscalibration (CORP): Brier score - Brier score of the isotonic probabilities.

Part of the Brier score that recalibration would remove; there are no bins to choose.
"""
corp_miscalibration: _Miscalibration
"""Miscalibration (CORP): Brier score - Brier score of the isotonic probabilities.

Part of the Brier score that recalibration would remove; there are no bins to choose.
"""

class _Discrimination(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Discrimination (CORP): π(1 - π) - Brier score of the isotonic probabilities.

        Part of the uncertainty that the order of the probabilities explains.

        Misleading: It cannot exceed the uncertainty, so it is small where one class is rare.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Discrimination (CORP) of each class, in the order of the classes: π(1 - π) - Brier score
        of the isotonic probabilities.
        """

discrimination: _Discrimination
"""Discrimination (CORP): π(1 - π) - Brier score of the isotonic probabilities.

Part of the uncertainty that the order of the probabilities explains.
"""
DSC: _Discrimination
"""Discrimination (CORP): π(1 - π) - Brier score of the isotonic probabilities.

Part of the uncertainty that the order of the probabilities explains.
"""
dsc: _Discrimination
"""Discrimination (CORP): π(1 - π) - Brier score of the isotonic probabilities.

Part of the uncertainty that the order of the probabilities explains.
"""
CORP_discrimination: _Discrimination
"""Discrimination (CORP): π(1 - π) - Brier score of the isotonic probabilities.

Part of the uncertainty that the order of the probabilities explains.
"""
corp_discrimination: _Discrimination
"""Discrimination (CORP): π(1 - π) - Brier score of the isotonic probabilities.

Part of the uncertainty that the order of the probabilities explains.
"""

class _Uncertainty(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Uncertainty: π(1 - π), π the share positive.

        Brier score of always giving the prevalence: the uncertainty to explain.

        Misleading: It describes the data, not the classifier.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Uncertainty of each class, in the order of the classes: π(1 - π), π the share positive."""

uncertainty: _Uncertainty
"""Uncertainty: π(1 - π), π the share positive.

Brier score of always giving the prevalence: the uncertainty to explain.
"""
UNC: _Uncertainty
"""Uncertainty: π(1 - π), π the share positive.

Brier score of always giving the prevalence: the uncertainty to explain.
"""
unc: _Uncertainty
"""Uncertainty: π(1 - π), π the share positive.

Brier score of always giving the prevalence: the uncertainty to explain.
"""
CORP_uncertainty: _Uncertainty
"""Uncertainty: π(1 - π), π the share positive.

Brier score of always giving the prevalence: the uncertainty to explain.
"""
corp_uncertainty: _Uncertainty
"""Uncertainty: π(1 - π), π the share positive.

Brier score of always giving the prevalence: the uncertainty to explain.
"""

class _Cllr(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        prior: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Cllr: ½·(mean over positives of log₂(1 + 1/LR) + mean over negatives of log₂(1 + LR)).

        Information still missing given the likelihood ratios, in bits; 1 if they are all 1.

        Misleading: One probability of 0 for the true class makes it infinite. It assumes the
        prevalence of these rows: give another as prior.

        Undefined where no row is truly positive; no row is truly negative.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        prior: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Cllr of each class, in the order of the classes: ½·(mean over positives of log₂(1 +
        1/LR) + mean over negatives of log₂(1 + LR)).
        """

cllr: _Cllr
"""Cllr: ½·(mean over positives of log₂(1 + 1/LR) + mean over negatives of log₂(1 + LR)).

Information still missing given the likelihood ratios, in bits; 1 if they are all 1.
"""
log_likelihood_ratio_cost: _Cllr
"""Cllr: ½·(mean over positives of log₂(1 + 1/LR) + mean over negatives of log₂(1 + LR)).

Information still missing given the likelihood ratios, in bits; 1 if they are all 1.
"""

class _Aurc(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        scores: Literal['probability', 'confidence'] = "probability", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Area under the risk-coverage curve: mean over k of the share of wrong answers among the
        first k rows by confidence.

        Mean, over all shares of cases that are answered, of the share of wrong answers (AURC).

        Misleading: The few most confident answers have most weight; augrc weighs all cases
        alike.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        scores: Literal['probability', 'confidence'] = "probability", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Area under the risk-coverage curve of each class, in the order of the classes: mean over
        k of the share of wrong answers among the first k rows by confidence.
        """

aurc: _Aurc
"""Area under the risk-coverage curve: mean over k of the share of wrong answers among the first k
rows by confidence.

Mean, over all shares of cases that are answered, of the share of wrong answers (AURC).
"""
risk_coverage_area: _Aurc
"""Area under the risk-coverage curve: mean over k of the share of wrong answers among the first k
rows by confidence.

Mean, over all shares of cases that are answered, of the share of wrong answers (AURC).
"""

class _Augrc(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        scores: Literal['probability', 'confidence'] = "probability", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Area under the generalized risk-coverage curve: mean over k of the wrong answers among
        the first k rows by confidence, over all rows.

        Mean, over all shares of cases that are answered, of the wrong answers per case (AUGRC).

        Misleading: It depends on the error rate: a better classifier with a worse order may
        have less.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        scores: Literal['probability', 'confidence'] = "probability", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Area under the generalized risk-coverage curve of each class, in the order of the
        classes: mean over k of the wrong answers among the first k rows by confidence, over all
        rows.
        """

augrc: _Augrc
"""Area under the generalized risk-coverage curve: mean over k of the wrong answers among the first
k rows by confidence, over all rows.

Mean, over all shares of cases that are answered, of the wrong answers per case (AUGRC).
"""
generalized_risk_coverage_area: _Augrc
"""Area under the generalized risk-coverage curve: mean over k of the wrong answers among the first
k rows by confidence, over all rows.

Mean, over all shares of cases that are answered, of the wrong answers per case (AUGRC).
"""

class _EAurc(Metric):
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        scores: Literal['probability', 'confidence'] = "probability", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float:
        """Excess area under the risk-coverage curve: AURC - (r + (1 - r) ln(1 - r)), with the
        error rate r.

        Distance of AURC from that of the best order of the same answers; 0 is best (E-AURC).

        Misleading: It judges the order alone, so that a classifier with many errors may be near
        0.

        Undefined where there is no row.
        """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        scores: Literal['probability', 'confidence'] = "probability", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]:
        """Excess area under the risk-coverage curve of each class, in the order of the classes:
        AURC - (r + (1 - r) ln(1 - r)), with the error rate r.
        """

e_aurc: _EAurc
"""Excess area under the risk-coverage curve: AURC - (r + (1 - r) ln(1 - r)), with the error rate
r.

Distance of AURC from that of the best order of the same answers; 0 is best (E-AURC).
"""
excess_AURC: _EAurc
"""Excess area under the risk-coverage curve: AURC - (r + (1 - r) ln(1 - r)), with the error rate
r.

Distance of AURC from that of the best order of the same answers; 0 is best (E-AURC).
"""
excess_aurc: _EAurc
"""Excess area under the risk-coverage curve: AURC - (r + (1 - r) ln(1 - r)), with the error rate
r.

Distance of AURC from that of the best order of the same answers; 0 is best (E-AURC).
"""
