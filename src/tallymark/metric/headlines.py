"""The metrics that are shown first, before a use chooses others."""

from __future__ import annotations

from tallymark.part import with_added

SWEPT = (
    "accuracy",
    "balanced_accuracy",
    "sensitivity",
    "specificity",
    "precision",
    "negative_predictive_value",
    "f1",
    "matthews_corrcoef",
    "cohen_kappa",
    "youden_j",
)
"""Headline metrics of decisions, which change with the threshold."""

HEADLINE = with_added(
    "headline",
    (
        *SWEPT,
        "roc_auc",
        "average_precision",
        "brier",
        "log_loss",
    ),
)
"""Headline metrics for two classes. A report leaves out those that its data cannot give."""

HEADLINE_MANY = (
    "accuracy",
    "balanced_accuracy",
    "cohen_kappa",
    "matthews_corrcoef",
    "sensitivity",
    "precision",
    "f1",
    "roc_auc",
    "average_precision",
    "brier",
    "log_loss",
)
"""Headline metrics of more than two classes; rates of one class are averaged over classes."""

HEADLINE_LABELS = (
    "subset_accuracy",
    "hamming_loss",
    "ranking_loss",
    "coverage_error",
    "label_ranking_average_precision",
    "precision",
    "sensitivity",
    "f1",
    "jaccard",
    "roc_auc",
    "average_precision",
)
"""Headline metrics of several labels per row; metrics of one label are averaged over labels."""

AVERAGED = HEADLINE_LABELS[5:]
"""Metrics of one label, shown under every average and for each label."""

PER_CLASS = (
    "sensitivity",
    "specificity",
    "precision",
    "f1",
    "prevalence",
    "roc_auc",
    "average_precision",
)
"""Metrics shown for each class against the rest, with more than two classes."""
