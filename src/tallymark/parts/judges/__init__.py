"""A judge and a few labels: metrics of all rows where few have a true class."""

from tallymark.part import Part

PART = Part(
    __name__,
    names={
        "few_labels": "judged:few_labels",
        "judged_evals": "ranking:judged_evals",
        "JudgedTally": "tally:JudgedTally",
    },
    checks=("unlabelled:rows_left_out",),
    few_truths=("unlabelled:few_truths",),
    commands=("command",),
    findings=("findings",),
)
