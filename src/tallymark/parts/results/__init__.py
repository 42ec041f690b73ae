"""Classifiers compared by tables of their results, over folds or over data sets."""

from tallymark.part import Part

PART = Part(
    __name__,
    names={"compare_results": "judge:compare_results"},
    commands=("command",),
    plots={"critical_difference": "plot:critical_difference"},
)
