"""The rules of what is not known of fitted models."""

from tallymark.core import rule

TRAINED_ON_UNKNOWN = rule(
    "trained-on-unknown",
    "assumed",
    "A fitted model predicts rows that it may have been trained on.",
    "tallymark cannot tell whether {model} was trained on these rows",
    "; give rows that were held out, or an estimator with fold=5",
)
