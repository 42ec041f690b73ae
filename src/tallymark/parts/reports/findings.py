"""The warnings of counts that were rebuilt from a report."""

from tallymark.core import rule

REPORT_ROUNDED = rule(
    "report-rounded",
    "warning",
    "Counts were rebuilt of rounded numbers.",
    "{file}: {rounding}; the one nearest to the printed numbers is judged",
    ". For exact counts give the confusion matrix, or a report that is not rounded (scikit-learn: "
    "digits=12, or output_dict=True as JSON)",
)

REPORT_MISTAKES = rule(
    "report-mistakes",
    "warning",
    "A report does not say which class is mistaken for which.",
    "{file} does not say which class is mistaken for which: accuracy, kappa, Matthews correlation "
    "and the numbers of each class are right, but the cells off the diagonal are only one "
    "arrangement that gives them, and intervals of averages depend on it a little",
    ". For those give the confusion matrix",
)
