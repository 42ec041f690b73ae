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
    """Sensitivity: TP / (TP + FN).

    Share of the truly positive rows that were found.

    Misleading: Calling every row positive makes it 1.

    Undefined where no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

sensitivity: _Sensitivity
TPR: _Sensitivity
tpr: _Sensitivity
recall: _Sensitivity
true_positive_rate: _Sensitivity
hit_rate: _Sensitivity
probability_of_detection: _Sensitivity
pd: _Sensitivity

class _Specificity(Metric):
    """Specificity: TN / (FP + TN).

    Share of the truly negative rows that were left alone.

    Misleading: Calling every row negative makes it 1, and where negatives abound 0.99 still
    means many false alarms.

    Undefined where no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

specificity: _Specificity
TNR: _Specificity
tnr: _Specificity
true_negative_rate: _Specificity
inverse_recall: _Specificity
selectivity: _Specificity

class _FalsePositiveRate(Metric):
    """False positive rate: FP / (FP + TN).

    Share of the truly negative rows that raised a false alarm.

    Misleading: Small where negatives abound: 1 % of a million is ten thousand alarms, whatever
    precision then is.

    Undefined where no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

false_positive_rate: _FalsePositiveRate
FPR: _FalsePositiveRate
fpr: _FalsePositiveRate
fall_out: _FalsePositiveRate
fallout: _FalsePositiveRate
false_alarm_rate: _FalsePositiveRate
pf: _FalsePositiveRate
FAR: _FalsePositiveRate
far: _FalsePositiveRate
FMR: _FalsePositiveRate
fmr: _FalsePositiveRate
false_match_rate: _FalsePositiveRate
false_acceptance_rate: _FalsePositiveRate

class _FalseNegativeRate(Metric):
    """False negative rate: FN / (TP + FN).

    Share of the truly positive rows that were missed.

    Misleading: Calling every row positive makes it 0.

    Undefined where no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

false_negative_rate: _FalseNegativeRate
FNR: _FalseNegativeRate
fnr: _FalseNegativeRate
miss_rate: _FalseNegativeRate
FRR: _FalseNegativeRate
frr: _FalseNegativeRate
FNMR: _FalseNegativeRate
fnmr: _FalseNegativeRate
false_rejection_rate: _FalseNegativeRate
false_non_match_rate: _FalseNegativeRate

class _YoudenJ(Metric):
    """Youden's J: TPR + TNR - 1.

    How much better than guessing both classes are told apart; 0 is guessing.

    Misleading: It weighs a missed positive as heavily as a false alarm, as if classes were
    equally frequent and errors cost the same.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

youden_j: _YoudenJ
informedness: _YoudenJ
bookmaker_informedness: _YoudenJ
J: _YoudenJ
j: _YoudenJ
Youden_index: _YoudenJ
youden_index: _YoudenJ
BM: _YoudenJ
bm: _YoudenJ
YI: _YoudenJ
yi: _YoudenJ
Peirce_skill_score: _YoudenJ
peirce_skill_score: _YoudenJ
true_skill_statistic: _YoudenJ
TSS: _YoudenJ
tss: _YoudenJ
Hanssen_Kuipers_discriminant: _YoudenJ
hanssen_kuipers_discriminant: _YoudenJ

class _Precision(Metric):
    """Precision: TP / (TP + FP).

    Share of the rows called positive that truly are.

    Misleading: It falls with the prevalence: a precision from a balanced sample does not hold
    where positives are rare.

    Undefined where no row was predicted positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

precision: _Precision
PPV: _Precision
ppv: _Precision
positive_predictive_value: _Precision

class _NegativePredictiveValue(Metric):
    """Negative predictive value: TN / (TN + FN).

    Share of the rows called negative that truly are.

    Misleading: Where positives are rare it is near 1 for any classifier that calls most rows
    negative.

    Undefined where no row was predicted negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

negative_predictive_value: _NegativePredictiveValue
NPV: _NegativePredictiveValue
npv: _NegativePredictiveValue
inverse_precision: _NegativePredictiveValue
true_negative_accuracy: _NegativePredictiveValue
TNA: _NegativePredictiveValue
tna: _NegativePredictiveValue

class _FalseDiscoveryRate(Metric):
    """False discovery rate: FP / (TP + FP).

    Share of the rows called positive that are not.

    Misleading: It rises as positives become rarer, with the classifier unchanged.

    Undefined where no row was predicted positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

false_discovery_rate: _FalseDiscoveryRate
FDR: _FalseDiscoveryRate
fdr: _FalseDiscoveryRate

class _FalseOmissionRate(Metric):
    """False omission rate: FN / (TN + FN).

    Share of the rows called negative that are truly positive.

    Misleading: Where positives are rare it is near 0 for any classifier that calls most rows
    negative.

    Undefined where no row was predicted negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

false_omission_rate: _FalseOmissionRate
FOR: _FalseOmissionRate

class _Markedness(Metric):
    """Markedness: PPV + NPV - 1.

    How much a prediction tells about the truth; 0 is nothing.

    Misleading: It moves with the prevalence, and is undefined where all rows are called alike.

    Undefined where no row was predicted positive; no row was predicted negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

markedness: _Markedness
MK: _Markedness
mk: _Markedness
delta_P: _Markedness
delta_p: _Markedness

class _Prevalence(Metric):
    """Prevalence: (TP + FN) / T.

    Share of the rows that are truly positive: a fact of the data, not of the classifier.

    Misleading: In a sample drawn by class it says nothing about the world.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

prevalence: _Prevalence
base_rate: _Prevalence

class _PredictedPositiveRate(Metric):
    """Predicted positive rate: (TP + FP) / T.

    Share of the rows that were called positive.

    Misleading: Equal to the prevalence it looks right even where every call is wrong.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

predicted_positive_rate: _PredictedPositiveRate
PPR: _PredictedPositiveRate
ppr: _PredictedPositiveRate
bias: _PredictedPositiveRate
depth: _PredictedPositiveRate

class _Lift(Metric):
    """Lift: PPV / prevalence.

    How many times more positives the chosen rows hold than rows taken at random.

    Misleading: It can be high for a handful of rows; its most is 1 / prevalence, so that data
    sets do not compare.

    Undefined where no row was predicted positive; no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

lift: _Lift

class _Accuracy(Metric):
    """Accuracy: (TP + TN) / T; the diagonal over all.

    Share of all rows whose class was named right.

    Misleading: Where one class is frequent, always naming it scores high: compare the no-
    information rate.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

accuracy: _Accuracy
ACC: _Accuracy
acc: _Accuracy

class _ErrorRate(Metric):
    """Error rate: 1 - accuracy.

    Share of all rows whose class was named wrong.

    Misleading: Where one class is frequent, always naming it errs seldom.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

error_rate: _ErrorRate
ERR: _ErrorRate
err: _ErrorRate
misclassification_rate: _ErrorRate
zero_one_loss: _ErrorRate

class _BalancedAccuracy(Metric):
    """Balanced accuracy: mean over classes of the share found; (TPR + TNR) / 2.

    Accuracy if every class were equally frequent.

    Misleading: It says nothing about precision: with rare positives most alarms may be false.

    Undefined where a class has no true row; there are fewer than two classes.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

balanced_accuracy: _BalancedAccuracy
BCR: _BalancedAccuracy
bcr: _BalancedAccuracy
BA: _BalancedAccuracy
ba: _BalancedAccuracy
balanced_classification_rate: _BalancedAccuracy
macro_recall: _BalancedAccuracy

class _BalancedErrorRate(Metric):
    """Balanced error rate: 1 - balanced accuracy.

    Error rate if every class were equally frequent.

    Misleading: It says nothing about precision: with rare positives most alarms may be false.

    Undefined where a class has no true row; there are fewer than two classes.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

balanced_error_rate: _BalancedErrorRate
BER: _BalancedErrorRate
ber: _BalancedErrorRate
half_total_error_rate: _BalancedErrorRate
HTER: _BalancedErrorRate
hter: _BalancedErrorRate

class _GeometricMean(Metric):
    """Geometric mean: K-th root of the product of the shares found; √(TPR · TNR).

    Geometric mean of the classes' rates: 0 as soon as one class is never found.

    Misleading: One class that is never found makes it 0, whatever the others do.

    Undefined where a class has no true row; there are fewer than two classes.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

geometric_mean: _GeometricMean
GM: _GeometricMean
gm: _GeometricMean
gmean: _GeometricMean
G_mean: _GeometricMean
g_mean: _GeometricMean
G_mean2: _GeometricMean
g_mean2: _GeometricMean

class _MatthewsCorrcoef(Metric):
    """Matthews correlation: (TP·TN - FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)); Gorodkin's R_K for
    K classes.

    Correlation between the true and the predicted class; 0 is guessing, -1 always wrong.

    Misleading: It moves with the prevalence, so that values from data of different class
    balance do not compare.

    Undefined where all rows are truly of one class; all rows were predicted as one class.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

matthews_corrcoef: _MatthewsCorrcoef
MCC: _MatthewsCorrcoef
mcc: _MatthewsCorrcoef
phi: _MatthewsCorrcoef
matthews_correlation_coefficient: _MatthewsCorrcoef

class _CohenKappa(Metric):
    """Cohen's kappa: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ share true × share predicted.

    Agreement beyond what the class frequencies alone would bring; 0 is that, 1 is perfect.

    Misleading: It falls where one class is frequent although the rates stay: read it beside
    them.

    Undefined where there is no row; all rows are truly of one class and were predicted as it;
    these weights call no confusion of the classes that occur an error.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, weights: Any = None,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, weights: Any = None,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

cohen_kappa: _CohenKappa
kappa: _CohenKappa
KAP: _CohenKappa
kap: _CohenKappa
kappa_statistic: _CohenKappa
Heidke_skill_score: _CohenKappa
heidke_skill_score: _CohenKappa
Heidke_skill: _CohenKappa
heidke_skill: _CohenKappa

class _ScottPi(Metric):
    """Scott's pi: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ (mean share of true and predicted)².

    Agreement beyond chance, where truth and prediction are taken to have one class balance.

    Misleading: It takes truth and prediction to share one class balance, which a biased
    classifier breaks.

    Undefined where there is no row; all rows are truly of one class and were predicted as it.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

scott_pi: _ScottPi

class _ChiSquare(Metric):
    """Chi-square: Σ (observed - expected)² / expected, without continuity correction.

    Pearson's statistic of independence between truth and prediction.

    Misleading: It grows with the rows: a large value may go with a useless classifier.

    Undefined where there is no row; a class was never true or never predicted.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

chi_square: _ChiSquare
chi2: _ChiSquare
Pearson_chi_square: _ChiSquare
pearson_chi_square: _ChiSquare

class _CramersV(Metric):
    """Cramér's V: √(χ² / (T·(K - 1))).

    Strength of the association between truth and prediction, whatever its direction.

    Misleading: Always wrong and always right are both 1.

    Undefined where there is no row; a class was never true or never predicted; there are fewer
    than two classes.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

cramers_v: _CramersV

class _ExpectedAgreement(Metric):
    """Agreement expected by chance: Σ share true × share predicted; pooled: Σ (mean of both
    shares)².

    Accuracy that the class frequencies alone would bring: what kappa subtracts.

    Misleading: It describes class frequencies, not skill.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, pooled: bool = False,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, pooled: bool = False,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

expected_agreement: _ExpectedAgreement

class _PositiveLikelihoodRatio(Metric):
    """Positive likelihood ratio: TPR / FPR.

    How many times likelier a positive call is for a positive row than for a negative one.

    Misleading: With few false alarms one row more or less doubles it.

    Undefined where no row is truly positive; no row is truly negative; no row was predicted
    positive, 0/0.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

positive_likelihood_ratio: _PositiveLikelihoodRatio
PLR: _PositiveLikelihoodRatio
plr: _PositiveLikelihoodRatio
lr_plus: _PositiveLikelihoodRatio
positive_likelihood: _PositiveLikelihoodRatio

class _NegativeLikelihoodRatio(Metric):
    """Negative likelihood ratio: FNR / TNR.

    How many times likelier a negative call is for a positive row than for a negative one.

    Misleading: With few misses one row more or less doubles it.

    Undefined where no row is truly positive; no row is truly negative; no row was predicted
    negative, 0/0.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

negative_likelihood_ratio: _NegativeLikelihoodRatio
LR_: _NegativeLikelihoodRatio
lr: _NegativeLikelihoodRatio
NLR: _NegativeLikelihoodRatio
nlr: _NegativeLikelihoodRatio
lr_minus: _NegativeLikelihoodRatio
negative_likelihood: _NegativeLikelihoodRatio

class _DiagnosticOddsRatio(Metric):
    """Diagnostic odds ratio: (TP·TN) / (FP·FN).

    Odds of a positive call for positive rows over those for negative rows; 1 is guessing.

    Misleading: It is the same for a test that rules in and one that rules out, and one empty
    cell makes it infinite.

    Undefined where no row is truly positive; no row is truly negative; TP·TN and FP·FN are both
    0, 0/0.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

diagnostic_odds_ratio: _DiagnosticOddsRatio
DOR: _DiagnosticOddsRatio
dor: _DiagnosticOddsRatio
odds_ratio: _DiagnosticOddsRatio

class _DiscriminantPower(Metric):
    """Discriminant power: (√3/π) · (ln(TPR/FNR) + ln(TNR/FPR)).

    Logarithm of the diagnostic odds ratio, scaled to a standard logistic variable.

    Misleading: Software differs by the base of the logarithm, and one empty cell makes it
    infinite.

    Undefined where no row is truly positive; no row is truly negative; TP·TN and FP·FN are both
    0, 0/0.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        base: float = 2.718281828459045, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        base: float = 2.718281828459045, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

discriminant_power: _DiscriminantPower
DP: _DiscriminantPower
dp: _DiscriminantPower
test_effectiveness: _DiscriminantPower

class _NumberNeededToDiagnose(Metric):
    """Number needed to diagnose: 1 / (TPR + TNR - 1).

    Positive rows to be tested for one to be found beyond those that guessing would find.

    Misleading: 1 is best, but lower is not always better: below 0 the test is worse than
    guessing, and near guessing it grows without end.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

number_needed_to_diagnose: _NumberNeededToDiagnose
NND: _NumberNeededToDiagnose
nnd: _NumberNeededToDiagnose

class _PrevalenceThreshold(Metric):
    """Prevalence threshold: √FPR / (√TPR + √FPR).

    Prevalence below which precision falls off most steeply.

    Misleading: It is a property of the rates alone and says nothing of the rows at hand.

    Undefined where no row is truly positive; no row is truly negative; no row was predicted
    positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

prevalence_threshold: _PrevalenceThreshold
PT: _PrevalenceThreshold
pt: _PrevalenceThreshold

class _FBeta(Metric):
    """F-beta: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

    Harmonic mean of precision and recall, recall weighing β times as much as precision.

    Misleading: It ignores true negatives, moves with the prevalence and with which class is
    called positive.

    Undefined where no row is truly positive or predicted positive; no row was predicted
    positive, and only precision counts; no row is truly positive, and only recall counts.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 1.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 1.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

f_beta: _FBeta
fbeta: _FBeta

class _F1(Metric):
    """F1: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

    Harmonic mean of precision and recall.

    Misleading: It ignores true negatives, moves with the prevalence and with which class is
    called positive.

    Undefined where no row is truly positive or predicted positive; no row was predicted
    positive, and only precision counts; no row is truly positive, and only recall counts.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 1.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 1.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

f1: _F1
F_measure: _F1
f_measure: _F1
F_score: _F1
f_score: _F1
FSC: _F1
fsc: _F1
f1_score: _F1
dice: _F1

class _F2(Metric):
    """F2: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

    Precision and recall in one, recall weighing twice as much.

    Misleading: It ignores true negatives, moves with the prevalence and with which class is
    called positive.

    Undefined where no row is truly positive or predicted positive; no row was predicted
    positive, and only precision counts; no row is truly positive, and only recall counts.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 2.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 2.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

f2: _F2

class _F05(Metric):
    """F0.5: (1+β²)·TP / ((1+β²)·TP + β²·FN + FP).

    Precision and recall in one, recall weighing half as much.

    Misleading: It ignores true negatives, moves with the prevalence and with which class is
    called positive.

    Undefined where no row is truly positive or predicted positive; no row was predicted
    positive, and only precision counts; no row is truly positive, and only recall counts.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

f0_5: _F05
f05: _F05

class _Effectiveness(Metric):
    """Effectiveness: 1 - F_β, α = 1/(1+β²).

    Van Rijsbergen's E: what F lacks to 1.

    Misleading: As F: true negatives do not count.

    Undefined where no row is truly positive or predicted positive; no row was predicted
    positive, and only precision counts; no row is truly positive, and only recall counts.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 1.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, beta: float = 1.0,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

effectiveness: _Effectiveness
E: _Effectiveness
e: _Effectiveness
van_Rijsbergens_E: _Effectiveness
van_rijsbergens_e: _Effectiveness

class _AdjustedF(Metric):
    """Adjusted F-measure: √(F₂ · F₀.₅ of the switched classes).

    F2 of the positives brought together with F0.5 of the negatives.

    Misleading: It still moves with the prevalence, though made for rare positives.

    Undefined where no row is truly positive or predicted positive; no row is truly negative or
    predicted negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

adjusted_f: _AdjustedF
AGF: _AdjustedF
agf: _AdjustedF

class _Jaccard(Metric):
    """Jaccard index: TP / (TP + FP + FN).

    Overlap of the truly positive rows with those called positive.

    Misleading: It orders classifiers exactly as F1 does, so that it is no second opinion.

    Undefined where no row is truly positive or predicted positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

jaccard: _Jaccard
Tanimoto: _Jaccard
tanimoto: _Jaccard
critical_success_index: _Jaccard
CSI: _Jaccard
csi: _Jaccard
threat_score: _Jaccard

class _FowlkesMallows(Metric):
    """Fowlkes-Mallows index: √(TPR · PPV).

    Geometric mean of precision and recall.

    Misleading: Called G-mean in some texts, which elsewhere is √(TPR · TNR).

    Undefined where no row is truly positive; no row was predicted positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

fowlkes_mallows: _FowlkesMallows
FM: _FowlkesMallows
fm: _FowlkesMallows
G_measure: _FowlkesMallows
g_measure: _FowlkesMallows
G_mean1: _FowlkesMallows
g_mean1: _FowlkesMallows

class _P4(Metric):
    """P4: 4·TP·TN / (4·TP·TN + (TP + TN)·(FP + FN)).

    Harmonic mean of precision, recall, specificity and negative predictive value.

    Misleading: It is 0 as soon as TP or TN is 0, whatever the other cells hold.

    Undefined where TP·TN and (TP + TN)·(FP + FN) are both 0, 0/0.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

p4: _P4

class _AdjustedGeometricMean(Metric):
    """Adjusted geometric mean: (GM + TNR·Nₙ) / (1 + Nₙ) if TPR > 0, else 0; Nₙ = N/T.

    Geometric mean of both rates, pulled towards specificity by the share of negatives.

    Misleading: Printed with counts instead of shares it turns into specificity as rows grow.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, counts: bool = False,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, counts: bool = False,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

adjusted_geometric_mean: _AdjustedGeometricMean
AGM: _AdjustedGeometricMean
agm: _AdjustedGeometricMean

class _OptimizationPrecision(Metric):
    """Optimization precision: ACC - |TPR - TNR| / (TPR + TNR).

    Accuracy less a penalty for treating the classes unequally.

    Misleading: It falls below 0 and punishes unequal rates however good both are.

    Undefined where no row is truly positive; no row is truly negative; TPR and TNR are both 0.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

optimization_precision: _OptimizationPrecision
OP: _OptimizationPrecision
op: _OptimizationPrecision
optimized_precision: _OptimizationPrecision

class _Balance(Metric):
    """Balance: 1 - √((pf² + (1 - pd)²) / 2).

    How near the ROC point lies to the perfect corner, from 0 (farthest) to 1 (there).

    Misleading: It weighs both errors alike and says nothing about precision.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

balance: _Balance
Menzies_balance: _Balance
menzies_balance: _Balance

class _Iba(Metric):
    """Index of balanced accuracy: (1 + α·(TPR - TNR)) · TPR · TNR.

    Square of the geometric mean of both rates, more where the positives fare better.

    Misleading: The reward for a higher TPR is a matter of α: the same rates give another
    number.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, alpha: float = 0.1,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, alpha: float = 0.1,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

iba: _Iba

class _BennettS(Metric):
    """Bennett's S: (K·pₒ - 1) / (K - 1).

    Agreement beyond what guessing every class equally often would bring.

    Misleading: Classes that hardly occur make chance agreement seem small: naming them in
    labels raises it.

    Undefined where there is no row; there are fewer than two classes.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

bennett_s: _BennettS
PABAK: _BennettS
pabak: _BennettS
Brennan_Prediger: _BennettS
brennan_prediger: _BennettS
prevalence_and_bias_adjusted_kappa: _BennettS

class _GwetAc1(Metric):
    """Gwet's AC1: (pₒ - pₑ) / (1 - pₑ), pₑ = Σ πₖ(1 - πₖ) / (K - 1), πₖ the mean share of class k.

    Agreement beyond chance, where only rows that are hard to classify are guessed.

    Misleading: Where one class has nearly all rows its chance agreement goes to 0, so that it
    comes close to plain accuracy.

    Undefined where there is no row; there are fewer than two classes.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

gwet_ac1: _GwetAc1
AC1: _GwetAc1
ac1: _GwetAc1

class _KrippendorffAlpha(Metric):
    """Krippendorff's alpha: 1 - observed / expected disagreement, among 2T labels, nominal.

    Agreement beyond chance of truth and prediction taken as two raters without names.

    Misleading: As kappa, it is low where one class is frequent, however few the errors. It
    counts rows: weights that do not sum to a number of rows shift it.

    Undefined where all labels, true and predicted, are of one class.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

krippendorff_alpha: _KrippendorffAlpha

class _AdjustedBalancedAccuracy(Metric):
    """Adjusted balanced accuracy: (balanced accuracy - 1/K) / (1 - 1/K).

    Balanced accuracy on a scale where guessing is 0; of two classes Youden's J.

    Misleading: As balanced accuracy: it says nothing about precision where positives are rare.

    Undefined where a class has no true row; there are fewer than two classes.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

adjusted_balanced_accuracy: _AdjustedBalancedAccuracy

class _EquitableThreatScore(Metric):
    """Equitable threat score: (TP - e) / (TP + FP + FN - e), e = (TP + FP)(TP + FN)/T.

    Jaccard index beyond the hits that chance would bring; kappa / (2 - kappa).

    Misleading: It moves with the prevalence; its values for events of different rarity do not
    compare.

    Undefined where no row is wrong and all are of one class, 0/0.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

equitable_threat_score: _EquitableThreatScore
ETS: _EquitableThreatScore
ets: _EquitableThreatScore
Gilbert_skill_score: _EquitableThreatScore
gilbert_skill_score: _EquitableThreatScore

class _YuleQ(Metric):
    """Yule's Q: (TP·TN - FP·FN) / (TP·TN + FP·FN).

    Diagnostic odds ratio on a scale from -1 to 1: (DOR - 1) / (DOR + 1).

    Misleading: One empty cell makes it 1 or -1, however many errors the other cell holds.

    Undefined where TP·TN and FP·FN are both 0, 0/0.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

yule_q: _YuleQ
odds_ratio_skill_score: _YuleQ
ORSS: _YuleQ
orss: _YuleQ

class _YuleY(Metric):
    """Yule's Y: (√(TP·TN) - √(FP·FN)) / (√(TP·TN) + √(FP·FN)).

    What Youden's J would be at the same odds ratio if both errors were equally frequent.

    Misleading: One empty cell makes it 1 or -1, however many errors the other cell holds.

    Undefined where TP·TN and FP·FN are both 0, 0/0.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

yule_y: _YuleY
coefficient_of_colligation: _YuleY

class _Sedi(Metric):
    """Symmetric extremal dependence index: (ln FPR - ln TPR + ln FNR - ln TNR) / (ln FPR + ln TPR
    + ln FNR + ln TNR).

    Skill for rare events: unlike most scores it does not fade to 0 as they become rarer.

    Misleading: It rests on the logarithms of small rates, so that few errors make it jump.

    Undefined where one of the four counts is 0.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

sedi: _Sedi

class _DPrime(Metric):
    """d′ (sensitivity index): z(TPR) - z(FPR), z the normal deviate.

    Distance in standard deviations between two normal distributions with these rates.

    Misleading: It takes both classes' scores for normal with equal spread, and is infinite as
    soon as one rate is 0 or 1.

    Undefined where no row is truly positive; no row is truly negative; both rates are 0, or
    both are 1.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

d_prime: _DPrime
dprime: _DPrime
sensitivity_index: _DPrime
discriminability_index: _DPrime

class _MutualInformation(Metric):
    """Mutual information: Σ pᵢⱼ · ln(pᵢⱼ / (pᵢ · pⱼ)).

    How much a prediction tells about the true class, in nats; ``base=2`` gives bits.

    Misleading: It is as high for predictions that are always wrong in the same way, and few
    rows push it up.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        base: float = 2.718281828459045, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        base: float = 2.718281828459045, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

mutual_information: _MutualInformation
information_gain: _MutualInformation
transinformation: _MutualInformation

class _NormalizedMutualInformation(Metric):
    """Normalised mutual information: MI / mean(H(true), H(predicted)).

    Mutual information as a share of the entropy of the classes.

    Misleading: It is 1 for predictions that are always wrong in the same way, and which mean
    divides it changes the number: name it.

    Undefined where true or predicted classes do not vary, 0/0.
    """
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
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        mean: Literal['arithmetic', 'geometric', 'min', 'max', 'true', 'predicted'] = "arithmetic",
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

normalized_mutual_information: _NormalizedMutualInformation
NMI: _NormalizedMutualInformation
nmi: _NormalizedMutualInformation
uncertainty_coefficient: _NormalizedMutualInformation
V_measure: _NormalizedMutualInformation
v_measure: _NormalizedMutualInformation

class _GoodmanKruskalLambda(Metric):
    """Goodman and Kruskal's lambda: (Σⱼ maxᵢ nᵢⱼ - maxᵢ nᵢ) / (T - maxᵢ nᵢ).

    Share of the errors of naming the commonest class that knowing the prediction avoids.

    Misleading: Where one class has most rows it is 0 although predictions tell much.

    Undefined where all rows are truly of one class.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

goodman_kruskal_lambda: _GoodmanKruskalLambda
goodman_kruskal: _GoodmanKruskalLambda

class _ConfusionEntropy(Metric):
    """Confusion entropy: Σⱼ Pⱼ·CENⱼ, CENⱼ the entropy of class j's errors, base 2(K - 1).

    How evenly the errors spread over the cells off the diagonal: 0 without errors.

    Misleading: With two classes it can exceed 1, and fewer errors can raise it.

    Undefined where there is no row; there are fewer than two classes.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

confusion_entropy: _ConfusionEntropy
CEN: _ConfusionEntropy
cen: _ConfusionEntropy

class _ModifiedConfusionEntropy(Metric):
    """Modified confusion entropy: as confusion entropy, a class's hits counting once around it.

    Confusion entropy mended so that it grows more evenly from no error to nothing but errors.

    Misleading: Still not monotone in the number of errors; MCC orders matrices more as one
    expects.

    Undefined where there is no row; there are fewer than two classes.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["overall", "binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

modified_confusion_entropy: _ModifiedConfusionEntropy
MCEN: _ModifiedConfusionEntropy
mcen: _ModifiedConfusionEntropy

class _ExpectedCost(Metric):
    """Expected cost: π·cFN·FNR + (1 - π)·cFP·FPR; π the prevalence, of these rows unless given.

    Mean cost of a decision, when false alarms and misses cost what you say.

    Misleading: It is only as good as the costs put in, and compares only at one set of them.

    Undefined where there is no row; no row is truly positive, and a prevalence is given; no row
    is truly negative, and a prevalence is given.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, cost_fp: float = 1.0,
        cost_fn: float = 1.0, prevalence: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, cost_fp: float = 1.0,
        cost_fn: float = 1.0, prevalence: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

expected_cost: _ExpectedCost
detection_cost: _ExpectedCost
DCF: _ExpectedCost
dcf: _ExpectedCost
Bayes_risk: _ExpectedCost
bayes_risk: _ExpectedCost

class _NormalizedExpectedCost(Metric):
    """Normalised expected cost: expected cost / min(π·cFN, (1 - π)·cFP).

    Expected cost as a share of what always deciding the cheaper way would cost.

    Misleading: Above 1 the classifier is worse than not looking at the rows at all.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, cost_fp: float = 1.0,
        cost_fn: float = 1.0, prevalence: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, cost_fp: float = 1.0,
        cost_fn: float = 1.0, prevalence: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

normalized_expected_cost: _NormalizedExpectedCost
normalized_detection_cost: _NormalizedExpectedCost

class _NetBenefit(Metric):
    """Net benefit: TP/T - FP/T · pₜ/(1 - pₜ).

    True positives per row, less the false ones at the rate one is willing to trade them for.

    Misleading: Compare it with treating all and treating none at the same threshold
    probability, and make the decisions at that threshold.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, p_t: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, p_t: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

net_benefit: _NetBenefit

class _StandardizedNetBenefit(Metric):
    """Standardised net benefit: net benefit / prevalence.

    Net benefit as a share of the most there could be: 1 is finding all without a false alarm.

    Misleading: As net benefit; dividing by the prevalence hides how little there may be to
    gain.

    Undefined where no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, p_t: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, p_t: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

standardized_net_benefit: _StandardizedNetBenefit

class _InterventionsAvoided(Metric):
    """Interventions avoided: 100 · (net benefit - that of treating all) · (1 - pₜ)/pₜ = 100 · (TN
    - FN · (1 - pₜ)/pₜ) / T.

    Interventions that are spared among 100 rows, in place of treating all, at no loss.

    Misleading: As net benefit: make the decisions at the threshold probability. Below 0 it is
    better to treat all.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, p_t: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | LabelTally, y_pred: _Column | None = None, *, p_t: float = 0.5,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

interventions_avoided: _InterventionsAvoided

class _RocAuc(Metric):
    """Area under the ROC curve: P(score of a positive > score of a negative) + ½·P(equal).

    Chance that a positive row scores higher than a negative one, ties counting half.

    Misleading: With rare positives it can be high while precision is low, and it averages over
    thresholds that nobody would use.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

roc_auc: _RocAuc
AUC: _RocAuc
auc: _RocAuc
AUROC: _RocAuc
auroc: _RocAuc
c_statistic: _RocAuc
concordance: _RocAuc

class _RocAucOptimistic(Metric):
    """Optimistic area under the ROC curve: P(score of a positive ≥ score of a negative).

    Area if, within every tie, positives had been ranked first: the most it could be.

    Misleading: Far above the pessimistic one, it says that the scores are too coarse to rank.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

roc_auc_optimistic: _RocAucOptimistic
AUC_optimistic: _RocAucOptimistic
auc_optimistic: _RocAucOptimistic

class _RocAucPessimistic(Metric):
    """Pessimistic area under the ROC curve: P(score of a positive > score of a negative).

    Area if, within every tie, negatives had been ranked first: the least it could be.

    Misleading: Far below the optimistic one, it says that the scores are too coarse to rank.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

roc_auc_pessimistic: _RocAucPessimistic
AUC_pessimistic: _RocAucPessimistic
auc_pessimistic: _RocAucPessimistic

class _GiniCoefficient(Metric):
    """Gini coefficient: 2·AUC - 1.

    Area under the ROC curve on a scale where guessing is 0.

    Misleading: As the ROC area; not the Gini index of decision trees.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

gini_coefficient: _GiniCoefficient
Gini: _GiniCoefficient
gini: _GiniCoefficient
Somers_D: _GiniCoefficient
somers_d: _GiniCoefficient
accuracy_ratio: _GiniCoefficient

class _KolmogorovSmirnov(Metric):
    """Kolmogorov-Smirnov distance: max over thresholds of |TPR - FPR|.

    Greatest distance between the score distributions of the two classes.

    Misleading: One threshold decides it, chosen on the very rows that score it.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

kolmogorov_smirnov: _KolmogorovSmirnov
KS: _KolmogorovSmirnov
ks: _KolmogorovSmirnov

class _PartialRocAuc(Metric):
    """Partial area under the ROC curve: ∫ TPR d(FPR) over low..high of FPR; over TPR: ∫ TNR
    d(TPR).

    Area under the part of the ROC curve that matters: few false alarms, or many found.

    Misleading: Its greatest value is the width of the range: only equal ranges compare, or the
    standardised form.

    Undefined where no row is truly positive; no row is truly negative.
    """
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
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        low: float = 0.0, high: float = 0.1, axis: Literal['fpr', 'tpr'] = "fpr",
        standardized: bool = False, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

partial_roc_auc: _PartialRocAuc
pAUC: _PartialRocAuc
pauc: _PartialRocAuc
partial_AUC: _PartialRocAuc
partial_auc: _PartialRocAuc

class _PartialRocAucStandardized(Metric):
    """Standardised partial area under the ROC curve: ∫ TPR d(FPR) over low..high of FPR; over TPR:
    ∫ TNR d(TPR).

    Partial area on McClish's scale: 1/2 is guessing and 1 the most in this range.

    Misleading: Its greatest value is the width of the range: only equal ranges compare, or the
    standardised form.

    Undefined where no row is truly positive; no row is truly negative.
    """
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
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        low: float = 0.0, high: float = 0.1, axis: Literal['fpr', 'tpr'] = "fpr",
        standardized: bool = True, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

partial_roc_auc_standardized: _PartialRocAucStandardized
McClish: _PartialRocAucStandardized
mcclish: _PartialRocAucStandardized
standardized_partial_AUC: _PartialRocAucStandardized
standardized_partial_auc: _PartialRocAucStandardized

class _RocHullAuc(Metric):
    """Area under the convex hull of the ROC curve: ROC area after pooling scores until the share
    of positives rises with them.

    Area that the best choice among thresholds and mixtures of them reaches.

    Misleading: The hull is chosen on the same rows: of few it is well above the area of new
    rows, and it is never below 1/2.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

roc_hull_auc: _RocHullAuc
AUCH: _RocHullAuc
auch: _RocHullAuc
ROCCH: _RocHullAuc
rocch: _RocHullAuc
convex_hull_AUC: _RocHullAuc
convex_hull_auc: _RocHullAuc

class _Auk(Metric):
    """Area under the kappa curve: ∫ κ d(FPR) along the ROC curve, exact between thresholds.

    Mean of Cohen's kappa over the false positive rates: a ROC area that knows the prevalence.

    Misleading: Its greatest value depends on the prevalence, so that data sets do not compare.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

auk: _Auk

class _HMeasure(Metric):
    """H-measure: 1 - ∫ least loss(c) w(c) dc / ∫ loss of the better trivial rule(c) w(c) dc, w a
    Beta.

    Share of the loss avoided, averaged over how much more a false alarm may cost than a miss.

    Misleading: It rests on the distribution of costs assumed; with few rows the hull behind it
    flatters.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        alpha: float | None = None, beta: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        alpha: float | None = None, beta: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

h_measure: _HMeasure
H: _HMeasure
h: _HMeasure
Hands_H: _HMeasure
hands_h: _HMeasure

class _HandTillAuc(Metric):
    """Hand and Till's M: mean over pairs of classes of (A(i|j) + A(j|i)) / 2.

    ROC area of more than two classes: how well each pair of them is told apart.

    Misleading: Every pair of classes weighs the same, the rare ones too.

    Undefined where a class has no true row; there are fewer than two classes.
    """
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...

hand_till_auc: _HandTillAuc
M: _HandTillAuc
m: _HandTillAuc
hand_till: _HandTillAuc
multiclass_AUC: _HandTillAuc
multiclass_auc: _HandTillAuc
roc_auc_ovo: _HandTillAuc

class _ProvostDomingosAuc(Metric):
    """Provost and Domingos' total area: Σ share of class k · ROC area of class k against the rest.

    ROC area of each class against the rest, weighted by how frequent the class is.

    Misleading: Frequent classes decide it, and it moves with the class shares although each of
    its areas does not.

    Undefined where a class has no true row; there are fewer than two classes.
    """
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...

provost_domingos_auc: _ProvostDomingosAuc
provost_domingos: _ProvostDomingosAuc
roc_auc_weighted: _ProvostDomingosAuc

class _TopKAccuracy(Metric):
    """Top-k accuracy: share of rows whose true class is among the k of highest score.

    Accuracy if k guesses were allowed; of classes tied for the last places each has its share.

    Misleading: It rises with k whatever the model does: 5 of 10 classes is no feat.

    Undefined where there is no row.
    """
    def __call__(
        self, y_true: _Column | ScoreTally | Sums, y_pred: _Column | None = None, *, k: int = 2,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...

top_k_accuracy: _TopKAccuracy

class _SubsetAccuracy(Metric):
    """Subset accuracy: share of rows whose predicted set is the true one.

    Share of rows of which every label is right: one wrong label is as bad as ten.

    Misleading: It falls with the number of labels, and where labels are rare most of the rows
    that are right have none.

    Undefined where there is no row.
    """
    def __call__(
        self, y_true: _Column | Sums, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...

subset_accuracy: _SubsetAccuracy
exact_match_ratio: _SubsetAccuracy

class _HammingLoss(Metric):
    """Hamming loss: share of the labels of all rows that are wrong.

    Share of wrong labels, missed or false: the error rate over all rows and labels together.

    Misleading: Where labels are rare, predicting none of them has a loss near 0.

    Undefined where there is no row.
    """
    def __call__(
        self, y_true: _Column | Sums, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...

hamming_loss: _HammingLoss

class _RankingLoss(Metric):
    """Ranking loss: mean share of pairs of a true and another label that are out of order or tied.

    Share of pairs of labels of one row of which the wrong one has a score at least as high.

    Misleading: A row without labels, or with all of them, has no such pair and counts 0.

    Undefined where there is no row.
    """
    def __call__(
        self, y_true: _Column | Sums, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...

ranking_loss: _RankingLoss

class _CoverageError(Metric):
    """Coverage error: mean rank of the true label of lowest score.

    How far down the list of labels one must go to find all true ones; ties count as above.

    Misleading: One true label far down decides a row, and rows without labels count 0.

    Undefined where there is no row.
    """
    def __call__(
        self, y_true: _Column | Sums, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...

coverage_error: _CoverageError

class _LabelRankingAveragePrecision(Metric):
    """Label-ranking average precision: mean over rows and their true labels of the share of true
    labels down to its rank.

    How many of the labels ranked at least as high as a true one are true: 1 is perfect.

    Misleading: A row without labels, or with all of them, counts 1.

    Undefined where there is no row.
    """
    def __call__(
        self, y_true: _Column | Sums, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...

label_ranking_average_precision: _LabelRankingAveragePrecision
LRAP: _LabelRankingAveragePrecision
lrap: _LabelRankingAveragePrecision

class _AveragePrecision(Metric):
    """Average precision: Σ (recallₖ - recallₖ₋₁) · precisionₖ.

    Mean precision over the positives as they are found from the top: the PR area by steps.

    Misleading: It moves with the prevalence: values from data of different class balance do not
    compare.

    Undefined where no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

average_precision: _AveragePrecision
AP: _AveragePrecision
ap: _AveragePrecision
AUPRC_step: _AveragePrecision
auprc_step: _AveragePrecision

class _PrAucTrapezoid(Metric):
    """PR area by trapezoids: Σ (recallₖ - recallₖ₋₁) · (precisionₖ + precisionₖ₋₁) / 2.

    Area under the PR points joined by straight lines.

    Misleading: Straight lines promise precision that no mixture of thresholds has, and software
    that starts them at precision 1 gives a constant score more than the prevalence.

    Undefined where no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

pr_auc_trapezoid: _PrAucTrapezoid
AUPRC_trapezoid: _PrAucTrapezoid
auprc_trapezoid: _PrAucTrapezoid
PR_AUC_linear: _PrAucTrapezoid
pr_auc_linear: _PrAucTrapezoid

class _PrAucDavisGoadrich(Metric):
    """PR area by Davis and Goadrich: ∫ precision d(recall), FP growing in proportion to TP between
    two thresholds.

    Area under the PR curve that mixing neighbouring thresholds can reach, integrated exactly.

    Misleading: It moves with the prevalence: values from data of different class balance do not
    compare.

    Undefined where no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

pr_auc_davis_goadrich: _PrAucDavisGoadrich
AUPRC_Davis_Goadrich: _PrAucDavisGoadrich
auprc_davis_goadrich: _PrAucDavisGoadrich
PR_AUC: _PrAucDavisGoadrich
pr_auc: _PrAucDavisGoadrich

class _PrGainAuc(Metric):
    """Area under the precision-recall-gain curve: ∫ precG d(recG) over recG 0 to 1; precG = 1 -
    P/N·FP/TP, recG = 1 - P/N·FN/TP.

    Area of the PR curve on axes where straight lines mean mixtures and guessing is 0.

    Misleading: Its scale is unlike that of other areas: small changes at high recall move it
    much.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

pr_gain_auc: _PrGainAuc
AUPRG: _PrGainAuc
auprg: _PrGainAuc
PR_gain: _PrGainAuc
pr_gain: _PrGainAuc
precision_recall_gain: _PrGainAuc

class _RecallAtPrecision(Metric):
    """Recall at a precision: highest recall of the thresholds with precision ≥ target, 0 where
    there is none.

    Share of the positives that can be found while so much of what is called is right.

    Misleading: A target chosen after seeing the curve flatters, and with few rows the best
    threshold is partly luck.

    Undefined where no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        precision: float = 0.9, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        precision: float = 0.9, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

recall_at_precision: _RecallAtPrecision
recall_at_fixed_precision: _RecallAtPrecision

class _PrecisionAtRecall(Metric):
    """Precision at a recall: highest precision of the thresholds with recall ≥ target.

    Share right of what is called, when so many of the positives must be found.

    Misleading: A target chosen after seeing the curve flatters, and with few rows the best
    threshold is partly luck.

    Undefined where no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        recall: float = 0.9, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        recall: float = 0.9, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

precision_at_recall: _PrecisionAtRecall
precision_at_fixed_recall: _PrecisionAtRecall

class _GainAt(Metric):
    """Gain at a depth: positives in the top share / P.

    Share of all positives found among the highest scoring rows, one tenth of them by default.

    Misleading: With a depth beyond the prevalence even perfect ranking leaves room for chance.

    Undefined where no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

gain_at: _GainAt
gain: _GainAt
cumulative_gain: _GainAt
capture_rate: _GainAt

class _ResponseRateAt(Metric):
    """Response rate at a depth: positives in the top share / rows in it.

    Share of positives among the highest scoring rows, one tenth of them by default.

    Misleading: It moves with the prevalence.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

response_rate_at: _ResponseRateAt
response_rate: _ResponseRateAt
cumulative_response_rate: _ResponseRateAt

class _LiftAt(Metric):
    """Lift at a depth: response rate in the top share / prevalence.

    How many times more positives the highest scoring rows hold than rows taken at random.

    Misleading: Its most is 1 / prevalence or 1 / depth, so that data sets do not compare.

    Undefined where no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

lift_at: _LiftAt
cumulative_lift: _LiftAt

class _TopDecileLift(Metric):
    """Top decile lift: response rate in the top share / prevalence.

    How many times more positives the top tenth of the rows holds than a random tenth.

    Misleading: Its most is 1 / prevalence or 1 / depth, so that data sets do not compare.

    Undefined where no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

top_decile_lift: _TopDecileLift

class _TopTwoDecileLift(Metric):
    """Top two decile lift: response rate in the top share / prevalence.

    How many times more positives the top fifth of the rows holds than a random fifth.

    Misleading: Its most is 1 / prevalence or 1 / depth, so that data sets do not compare.

    Undefined where no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.2, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.2, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

top_two_decile_lift: _TopTwoDecileLift

class _PrecisionAtK(Metric):
    """Precision at k: positives among the k highest scoring rows / k.

    Share of positives among the k rows of highest score; a tie at the cut gives its share.

    Misleading: It moves with the prevalence and with the number of rows: k of many is a
    stricter choice than k of few.

    Undefined where there are fewer than k rows.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        k: int = 10, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        k: int = 10, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

precision_at_k: _PrecisionAtK

class _RecallAtK(Metric):
    """Recall at k: positives among the k highest scoring rows / P.

    Share of all positives among the k rows of highest score; a tie at the cut gives its share.

    Misleading: With more positives than k it cannot reach 1.

    Undefined where no row is truly positive; there are fewer than k rows.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        k: int = 10, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        k: int = 10, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

recall_at_k: _RecallAtK

class _RPrecision(Metric):
    """R-precision: positives among the P highest scoring rows / P.

    Precision when as many rows are called positive as there are: there it equals recall.

    Misleading: One point of the curve, which need not be one that is used.

    Undefined where no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

r_precision: _RPrecision
precision_recall_break_even_point: _RPrecision
break_even_point: _RPrecision
PRBE: _RPrecision
prbe: _RPrecision

class _RecallAtEffort(Metric):
    """Recall at an effort: positives among the rows that the first share of all effort goes to /
    P.

    Share of the positives found within the first share of all effort, such as lines of code.

    Misleading: Sorted by density many small rows come first, each with a cost of its own that
    the effort does not hold.

    Undefined where no row is truly positive; no row takes any effort.
    """
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
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        share: float = 0.2, by: Literal['score', 'density'] = "score",
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

recall_at_effort: _RecallAtEffort
cost_effectiveness_at_an_effort: _RecallAtEffort

class _RecallAt20PercentEffort(Metric):
    """Recall at 20 % effort: positives among the rows that the first share of all effort goes to /
    P.

    Share of the positives found with the first fifth of all effort.

    Misleading: Sorted by density many small rows come first, each with a cost of its own that
    the effort does not hold.

    Undefined where no row is truly positive; no row takes any effort.
    """
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
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        share: float = 0.2, by: Literal['score', 'density'] = "score",
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

recall_at_20_percent_effort: _RecallAt20PercentEffort
R20E: _RecallAt20PercentEffort
r20e: _RecallAt20PercentEffort

class _POpt(Metric):
    """P_opt: 1 - (A_optimal - A) / (A_optimal - A_worst), areas of positives found over effort.

    Where the area under the effort curve stands between the worst order (0) and the best (1).

    Misleading: It judges the whole order, of which nobody looks at the end.

    Undefined where no row is truly positive; no order finds the positives with less effort than
    another.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        by: Literal['score', 'density'] = "score", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        by: Literal['score', 'density'] = "score", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

p_opt: _POpt
Popt: _POpt
popt: _POpt
normalised_P_opt: _POpt
normalised_p_opt: _POpt

class _InitialFalseAlarms(Metric):
    """Initial false alarms: negatives looked at before the first positive.

    How many negatives are looked at from the top before the first positive is found.

    Misleading: One row decides it.

    Undefined where no row is truly positive.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        by: Literal['score', 'density'] = "score", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        by: Literal['score', 'density'] = "score", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

initial_false_alarms: _InitialFalseAlarms
IFA: _InitialFalseAlarms
ifa: _InitialFalseAlarms

class _ProfitAtDepth(Metric):
    """Profit at a depth: revenue · positives among the top rows - cost · effort of those rows, or
    revenue · effort of those positives - cost · those rows.

    Profit of acting on the rows of highest score: depth · n · (response · revenue - cost).

    Misleading: It grows with the number of rows, so that data sets do not compare.

    Undefined where there is no row.
    """
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
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        depth: float = 0.1, revenue: float = 1.0, cost: float = 0.1,
        effort_is: Literal['cost', 'revenue'] = "cost", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

profit_at_depth: _ProfitAtDepth
profit: _ProfitAtDepth

class _BestProfit(Metric):
    """Highest profit: max over depths, and within the budget, of the profit at a depth.

    Profit at the depth that is best on these rows, with a cost of at most the budget.

    Misleading: The depth was chosen on the same rows, so that new ones bring less.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        revenue: float = 1.0, cost: float = 0.1, budget: float | None = None,
        effort_is: Literal['cost', 'revenue'] = "cost", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        revenue: float = 1.0, cost: float = 0.1, budget: float | None = None,
        effort_is: Literal['cost', 'revenue'] = "cost", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

best_profit: _BestProfit
maximum_profit: _BestProfit

class _BestDepth(Metric):
    """Best depth: share of the rows at which profit is highest, the smallest of several.

    Share of the rows to act on for the highest profit, with a cost of at most the budget.

    Misleading: Profit is flat around its highest point, so that the depth of it is poorly
    known.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        revenue: float = 1.0, cost: float = 0.1, budget: float | None = None,
        effort_is: Literal['cost', 'revenue'] = "cost", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        revenue: float = 1.0, cost: float = 0.1, budget: float | None = None,
        effort_is: Literal['cost', 'revenue'] = "cost", positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

best_depth: _BestDepth
most_profitable_depth: _BestDepth

class _EqualErrorRate(Metric):
    """Equal error rate: FPR where FPR = FNR, on the straight line between the thresholds around
    it.

    Error rate at the threshold where false alarms and misses are equally frequent.

    Misleading: One point that nobody need work at: say the false alarm rate you can afford.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

equal_error_rate: _EqualErrorRate
EER: _EqualErrorRate
eer: _EqualErrorRate
crossover_error_rate: _EqualErrorRate

class _EqualErrorRateHull(Metric):
    """Equal error rate of the convex hull: FPR where FPR = FNR, on the convex hull of the ROC
    curve.

    Equal error rate after the best monotone calibration: the most that a prior can make it.

    Misleading: The hull is chosen on the same rows, so that with few of them it flatters.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

equal_error_rate_hull: _EqualErrorRateHull
ROCCH_EER: _EqualErrorRateHull
rocch_eer: _EqualErrorRateHull
EER_of_the_convex_hull: _EqualErrorRateHull
eer_of_the_convex_hull: _EqualErrorRateHull

class _EqualErrorRateLow(Metric):
    """Equal error rate, lower end: the smaller of FPR and FNR at the threshold nearest their
    crossing.

    Lower end of the interval in which the equal error rate lies, where no threshold gives it.

    Misleading: Alone it flatters: read it with the upper end.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

equal_error_rate_low: _EqualErrorRateLow
EER_low: _EqualErrorRateLow
eer_low: _EqualErrorRateLow

class _EqualErrorRateHigh(Metric):
    """Equal error rate, upper end: the larger of FPR and FNR at the threshold nearest their
    crossing.

    Upper end of the interval in which the equal error rate lies, where no threshold gives it.

    Misleading: Few scores or many ties make the interval wide: that is a fact of the scores,
    not of the classifier.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

equal_error_rate_high: _EqualErrorRateHigh
EER_high: _EqualErrorRateHigh
eer_high: _EqualErrorRateHigh

class _SensitivityAtFpr(Metric):
    """Sensitivity at a false positive rate: highest TPR of the thresholds with FPR ≤ target.

    Share of positives found when so few negatives may raise a false alarm.

    Misleading: With fewer negatives than 1/target no false alarm at all is allowed, and one row
    decides.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.01, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.01, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

sensitivity_at_fpr: _SensitivityAtFpr
TPR_at_FPR: _SensitivityAtFpr
tpr_at_fpr: _SensitivityAtFpr
TAR_at_FAR: _SensitivityAtFpr
tar_at_far: _SensitivityAtFpr
sensitivity_at_specificity: _SensitivityAtFpr

class _FalseNegativeRateAtFpr(Metric):
    """False negative rate at a false positive rate: lowest FNR of the thresholds with FPR ≤
    target.

    Share of genuine rows rejected when so few impostors may pass.

    Misleading: A target of 0.001 needs thousands of impostor scores before it means anything.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.001, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.001, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

false_negative_rate_at_fpr: _FalseNegativeRateAtFpr
FRR_at_FAR: _FalseNegativeRateAtFpr
frr_at_far: _FalseNegativeRateAtFpr
FNMR_at_FMR: _FalseNegativeRateAtFpr
fnmr_at_fmr: _FalseNegativeRateAtFpr
FNR_at_FPR: _FalseNegativeRateAtFpr
fnr_at_fpr: _FalseNegativeRateAtFpr

class _Fmr100(Metric):
    """FMR100: lowest FNR of the thresholds with FPR ≤ target.

    Share of genuine pairs rejected when 1 % of impostors pass.

    Misleading: A target of 0.001 needs thousands of impostor scores before it means anything.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.01, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.01, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

fmr100: _Fmr100

class _Fmr1000(Metric):
    """FMR1000: lowest FNR of the thresholds with FPR ≤ target.

    Share of genuine pairs rejected when one impostor in a thousand passes.

    Misleading: A target of 0.001 needs thousands of impostor scores before it means anything.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.001, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.001, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

fmr1000: _Fmr1000

class _Fmr10000(Metric):
    """FMR10000: lowest FNR of the thresholds with FPR ≤ target.

    Share of genuine pairs rejected when one impostor in ten thousand passes.

    Misleading: A target of 0.001 needs thousands of impostor scores before it means anything.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.0001, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        fpr: float = 0.0001, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

fmr10000: _Fmr10000

class _SpecificityAtSensitivity(Metric):
    """Specificity at a sensitivity: highest TNR of the thresholds with TPR ≥ target.

    Share of negatives left alone when so many of the positives must be found.

    Misleading: The last few positives decide it, and they are the ones least like the others.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        sensitivity: float = 0.95, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        sensitivity: float = 0.95, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

specificity_at_sensitivity: _SpecificityAtSensitivity
TNR_at_TPR: _SpecificityAtSensitivity
tnr_at_tpr: _SpecificityAtSensitivity
specificity_at_recall: _SpecificityAtSensitivity

class _Decidability(Metric):
    """Decidability: (mean of positives - mean of negatives) / √((variance + variance) / 2).

    Distance between both classes' mean scores in standard deviations.

    Misleading: Means and variances say little of skewed scores, and a map of the scores that
    leaves every ranking as it is changes it.

    Undefined where no row is truly positive; no row is truly negative; neither class's scores
    vary, and their means are the same.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

decidability: _Decidability
decidability_index: _Decidability
Daugmans_d: _Decidability
daugmans_d: _Decidability

class _MinCllr(Metric):
    """Minimum Cllr: Cllr after the best monotone calibration of these scores, in bits.

    Information still missing although the scores are calibrated: the cost of poor ranking.

    Misleading: The calibration is fitted on the same rows, so that with few of them it
    flatters.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

min_cllr: _MinCllr
Cllr_min: _MinCllr
cllr_min: _MinCllr

class _Brier(Metric):
    """Brier score: mean of (p - truth)²; summed over classes when there are more than two.

    Mean squared distance between the probability and what happened; 0 is certain and right.

    Misleading: Small values are easy where one class is rare: compare the score of giving
    everyone the prevalence.

    Undefined where there is no row.
    """
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall", "binary"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...

brier: _Brier
brier_loss: _Brier
brier_score: _Brier

class _MeanAbsoluteError(Metric):
    """Mean absolute error: mean of |p - truth|; averaged over classes when there are more than
    two.

    Mean distance between the probability and what happened.

    Misleading: It rewards probabilities pushed to 0 and 1, since it is no proper score.

    Undefined where there is no row.
    """
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall", "binary"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...

mean_absolute_error: _MeanAbsoluteError
MAE: _MeanAbsoluteError
mae: _MeanAbsoluteError

class _RootMeanSquaredError(Metric):
    """Root mean squared error: √ mean of (p - truth)²; averaged over classes under the root.

    Square root of the mean squared distance between the probability and what happened.

    Misleading: As the Brier score: small where one class is rare.

    Undefined where there is no row.
    """
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall", "binary"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...

root_mean_squared_error: _RootMeanSquaredError
RMSE: _RootMeanSquaredError
rmse: _RootMeanSquaredError

class _LogLoss(Metric):
    """Log loss: -mean of ln(probability given to the true class).

    Mean surprise at what happened; infinite when something held impossible happened.

    Misleading: One certain mistake makes it infinite, unless software clips it silently.

    Undefined where there is no row.
    """
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        clip: float = 0.0, base: float = 2.718281828459045, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["overall", "binary"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...

log_loss: _LogLoss
cross_entropy: _LogLoss
logistic_loss: _LogLoss
logarithmic_score: _LogLoss

class _BrierSkillScore(Metric):
    """Brier skill score: 1 - Brier score / Brier score of always giving the class shares.

    Share of the Brier score of knowing the class shares alone that the probabilities save.

    Misleading: The shares of these very rows are the reference, which nobody knew beforehand.

    Undefined where all rows are truly of one class.
    """
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall", "binary"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...

brier_skill_score: _BrierSkillScore
BSS: _BrierSkillScore
bss: _BrierSkillScore
scaled_Brier_score: _BrierSkillScore
scaled_brier_score: _BrierSkillScore
index_of_prediction_accuracy: _BrierSkillScore
IPA: _BrierSkillScore
ipa: _BrierSkillScore

class _SphericalScore(Metric):
    """Spherical score: mean of p(true class) / √(Σ p²).

    Mean cosine between the probabilities and the truth: proper, and bounded by 0 and 1.

    Misleading: Its differences are small: log loss and Brier score tell models apart more
    plainly.

    Undefined where there is no row.
    """
    def __call__(
        self, y_true: _Column | ScoreTally | Sums, y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["overall"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...

spherical_score: _SphericalScore
spherical_scoring_rule: _SphericalScore

class _ExpectedCalibrationError(Metric):
    """Expected calibration error: Σ (rows of bin / T) · |mean probability - share positive|; l2:
    the root of squares.

    Mean distance, over bins of probabilities, between what was said and what happened.

    Misleading: It depends on the bins: few hide errors, many invent them, and of few rows it is
    above 0 even for right probabilities. A useless model that gives everyone the prevalence has
    0.

    Undefined where there is no row.
    """
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
    ) -> float: ...
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
    ) -> NDArray[np.float64]: ...

expected_calibration_error: _ExpectedCalibrationError
ECE: _ExpectedCalibrationError
ece: _ExpectedCalibrationError

class _MaxCalibrationError(Metric):
    """Maximum calibration error: Σ (rows of bin / T) · |mean probability - share positive|; l2:
    the root of squares.

    Largest distance, over the bins, between mean probability and share positive.

    Misleading: It depends on the bins: few hide errors, many invent them, and of few rows it is
    above 0 even for right probabilities. A useless model that gives everyone the prevalence has
    0.

    Undefined where there is no row.
    """
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
    ) -> float: ...
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
    ) -> NDArray[np.float64]: ...

max_calibration_error: _MaxCalibrationError
MCE: _MaxCalibrationError
mce: _MaxCalibrationError

class _RootMeanSquaredCalibrationError(Metric):
    """Root mean squared calibration error: Σ (rows of bin / T) · |mean probability - share
    positive|; l2: the root of squares.

    Root of the mean squared distance, over bins, between probability and share positive.

    Misleading: It depends on the bins: few hide errors, many invent them, and of few rows it is
    above 0 even for right probabilities. A useless model that gives everyone the prevalence has
    0.

    Undefined where there is no row.
    """
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
    ) -> float: ...
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
    ) -> NDArray[np.float64]: ...

root_mean_squared_calibration_error: _RootMeanSquaredCalibrationError
RMSCE: _RootMeanSquaredCalibrationError
rmsce: _RootMeanSquaredCalibrationError
l2_calibration_error: _RootMeanSquaredCalibrationError

class _HosmerLemeshow(Metric):
    """Hosmer-Lemeshow statistic: Σ over bins of (O - E)² / (E·(1 - E/n)).

    Chi-square distance between expected and observed positives in tenths of the risks.

    Misleading: It grows with the rows: with many, any model fails, with few, none does; and its
    verdict hangs on the bins.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        bins: int = 10, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        bins: int = 10, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

hosmer_lemeshow: _HosmerLemeshow
HL: _HosmerLemeshow
hl: _HosmerLemeshow

class _CalibrationInTheLarge(Metric):
    """Calibration in the large: share positive - mean probability.

    How much more often it happened than was said on average: 0 is right, above 0 too timid.

    Misleading: 0 only says that too high and too low cancel out.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

calibration_in_the_large: _CalibrationInTheLarge
mean_calibration: _CalibrationInTheLarge
bias_in_the_large: _CalibrationInTheLarge

class _ObservedExpectedRatio(Metric):
    """Observed to expected ratio: P / Σ probability.

    How many times as many positives there were as the probabilities promised; 1 is right.

    Misleading: 1 only says that too high and too low cancel out.

    Undefined where nothing was observed or expected.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

observed_expected_ratio: _ObservedExpectedRatio
observed_expected: _ObservedExpectedRatio

class _CalibrationSlope(Metric):
    """Calibration slope: b of logit(positive) ~ a + b·logit(p).

    Whether probabilities are spread right: below 1 too extreme, above 1 too timid.

    Misleading: It is 1 for probabilities that are all too high by the same odds, and infinite
    where the classes do not overlap.

    Undefined where no row is truly positive; no row is truly negative; a row has probability 0
    or 1; all rows have the same probability.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        clip: float = 0.0, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        clip: float = 0.0, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

calibration_slope: _CalibrationSlope
Cox_slope: _CalibrationSlope
cox_slope: _CalibrationSlope

class _CalibrationIntercept(Metric):
    """Calibration intercept: a of logit(positive) ~ a + logit(p).

    How far the log odds are off on the whole: above 0 probabilities are too low.

    Misleading: 0 only says that too high and too low cancel out, on the scale of the log odds.

    Undefined where no row is truly positive; no row is truly negative; a row has probability 0
    or 1.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        clip: float = 0.0, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        clip: float = 0.0, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

calibration_intercept: _CalibrationIntercept
Cox_intercept: _CalibrationIntercept
cox_intercept: _CalibrationIntercept

class _SpiegelhalterZ(Metric):
    """Spiegelhalter's Z: Σ (truth - p)(1 - 2p) / √(Σ (1 - 2p)² p(1 - p)).

    Standard normal if the probabilities are right: beyond 2 either way they hardly are.

    Misleading: It grows with the rows, and errors that cancel in the Brier score cancel here.

    Undefined where every row has probability 0, 1/2 or 1.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

spiegelhalter_z: _SpiegelhalterZ

class _Miscalibration(Metric):
    """Miscalibration (CORP): Brier score - Brier score of the isotonic probabilities.

    Part of the Brier score that calibration would take away: no bins to choose.

    Misleading: Isotonic probabilities follow the rows' own noise, so that of few rows it is
    above 0 even for right probabilities.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

miscalibration: _Miscalibration
MCB: _Miscalibration
mcb: _Miscalibration
CORP_miscalibration: _Miscalibration
corp_miscalibration: _Miscalibration

class _Discrimination(Metric):
    """Discrimination (CORP): π(1 - π) - Brier score of the isotonic probabilities.

    Part of the uncertainty that the order of the probabilities takes away.

    Misleading: It cannot exceed the uncertainty, so that it is small wherever one class is
    rare.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

discrimination: _Discrimination
DSC: _Discrimination
dsc: _Discrimination
CORP_discrimination: _Discrimination
corp_discrimination: _Discrimination

class _Uncertainty(Metric):
    """Uncertainty: π(1 - π), π the share positive.

    Brier score of always giving the prevalence: what there is to be explained.

    Misleading: It is a fact of the data, not of the classifier.

    Undefined where there is no row.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        positive: Label | None = None, labels: Sequence[Label] | NDArray[Any] | None = None,
        sample_weight: _Column | None = None, average: Literal["per_class"],
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

uncertainty: _Uncertainty
UNC: _Uncertainty
unc: _Uncertainty
CORP_uncertainty: _Uncertainty
corp_uncertainty: _Uncertainty

class _Cllr(Metric):
    """Cllr: ½·(mean over positives of log₂(1 + 1/LR) + mean over negatives of log₂(1 + LR)).

    Information still missing after hearing the likelihood ratio, in bits; 1 is hearing nothing.

    Misleading: One certain mistake makes it infinite. The probabilities are taken to hold at
    the prevalence of these rows: say another with prior.

    Undefined where no row is truly positive; no row is truly negative.
    """
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        prior: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["binary", "macro", "micro", "weighted"] | None = None,
        undefined: Literal["nan", "raise"] | float = "nan", skip_undefined: bool = False,
        classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> float: ...
    @overload
    def __call__(
        self, y_true: _Column | ScoreTally | Sequence[ScoreTally], y_pred: _Column | None = None, *,
        prior: float | None = None, positive: Label | None = None,
        labels: Sequence[Label] | NDArray[Any] | None = None, sample_weight: _Column | None = None,
        average: Literal["per_class"], undefined: Literal["nan", "raise"] | float = "nan",
        skip_undefined: bool = False, classes: Sequence[Label] | NDArray[Any] | None = None,
        missing: Literal["error", "drop"] = "error"
    ) -> NDArray[np.float64]: ...

cllr: _Cllr
log_likelihood_ratio_cost: _Cllr
