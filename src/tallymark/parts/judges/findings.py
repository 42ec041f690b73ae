"""The rules on few labels and a judge."""

from __future__ import annotations

from tallymark.core import rule

FEW_LABELLED = rule(
    "few-labels",
    "warning",
    "Fewer than 30 rows have a true class.",
    "only {labelled} rows have a true class, so intervals may contain the number less often than "
    "they say",
    ". Label at least 30 rows",
)

MERGED = rule(
    "merged-strata",
    "warning",
    "Pairs of prediction and judge with fewer than 5 labelled rows are judged together.",
    "{pairs} of {all} pairs of prediction and judge have fewer than 5 labelled rows and are judged "
    "together with others",
    ". Label more of their rows",
)

NO_LABELS = rule(
    "unlabelled-kind",
    "warning",
    "No row is labelled where prediction and judge differ, or where they agree.",
    "no labelled row tells what is true in {rows:,} rows, in which prediction and judge {what}; "
    "there the result is a prior guess",
    ". Label some of those rows",
)

UNLABELLED_GROUP = rule(
    "unlabelled-group",
    "warning",
    "No row of a model or a task is labelled, and that is not by chance.",
    "no labelled row has {column} = {values}, so the judge is taken to err there as in the others",
    ". Label some of those rows, or judge each on its own with subgroup={named}",
)

NOT_RANDOM = rule(
    "labels-not-random",
    "warning",
    "Labelled rows have other predictions and judge's values than the rest.",
    "labelled rows have other predictions and judge's values than the rest ({p}), so rows seem "
    "not to be labelled at random",
    ". If they were chosen by the judge's value or the prediction, say sampled_by=...; if by "
    "something else, give the weight of each row with weight=...",
)

NEAR_ONE = rule(
    "few-errors",
    "warning",
    "The accuracy is above 0.98, and fewer than 60 rows are labelled.",
    "{model} is nearly always right, and {labelled} labelled rows show few of its errors, so the "
    "interval of accuracy may be too narrow",
    ". Label at least 60 rows",
)

NO_CLASS = rule(
    "judge-values",
    "warning",
    "The judge gives values that are no class.",
    "the judge gives {values}, which is no class, in {rows:,} rows; there the labels alone tell "
    "what is true",
)

INCOMPLETE = rule(
    "rows-without-judge",
    "warning",
    "Rows without a prediction or a judge are left out.",
    "{rows:,} rows without a prediction or a judge are left out",
    ". Let the judge answer for every row",
)

ALL_LABELLED = rule(
    "all-labelled",
    "warning",
    "Every row has a true class.",
    "every row has a true class, so a judge adds nothing",
    ". Use tallymark.evaluate",
)

EQUAL = rule(
    "judge-never-wrong",
    "warning",
    "The judge equals the true class in every labelled row, of which there are fewer than 100.",
    "the judge equals the true class in all {labelled} labelled rows",
    ". Check that its values are not copied from the true classes",
)

SAME_AS_MODEL = rule(
    "judge-is-prediction",
    "warning",
    "The judge equals the prediction in every row, of which there are fewer than 100.",
    "the judge equals the prediction of {model} in all {rows} rows, so it adds nothing",
    ". Check that it is a judge of its own",
)

LABELS_UNMATCHED = rule(
    "labels-unmatched",
    "warning",
    "Labels of another table belong to none of the rows.",
    "{lone:,} of {labels:,} labels match no row, the first where {such}",
    ". Write the items of both tables alike, or give the rows that are missing",
)

MODEL_WITHOUT_LABELS = rule(
    "model-without-labels",
    "warning",
    "A model has fewer than 10 labelled rows, and is left out of the comparison.",
    "{model} has {labelled} labelled rows, fewer than 10, and is left out",
    ". Label more of its rows",
)

VALUES_MERGED = rule(
    "merged-values",
    "warning",
    "Values of the judge for a model have fewer than 5 labelled rows and are judged together.",
    "{values} of {all} values of the judge have fewer than 5 labelled rows of {model}, and are "
    "judged together with others",
    ". Label more of these rows",
)

VALUE_UNLABELLED = rule(
    "unlabelled-value",
    "warning",
    "No row of a model is labelled where the judge gives a value.",
    "no label says what is true in {rows:,} rows of {model} to which the judge gives {judged}; "
    "there the result is a prior guess",
    ". Label some of those rows",
)

MODEL_NOT_RANDOM = rule(
    "labels-of-model-not-random",
    "warning",
    "Labelled rows of a model have other values of the judge than the rest.",
    "labelled rows of {model} have other values of the judge than the rest ({p}), so rows seem "
    "not to be labelled at random",
    ". If they were chosen by the judge's value, say sampled_by='judge'; if by something else, "
    "give the weight of each row with weight=...",
)

ITEMS_LACKING = rule(
    "items-lacking",
    "warning",
    "The judge has no value for some items of a model.",
    "models are compared on the {items:,} items that the judge saw of all of them: {model} lacks "
    "{lacking:,}",
    ". Let the judge answer for every item of each model",
)

RARE = rule(
    "few-of-a-class",
    "warning",
    "Few labelled rows of the rarer class carry a metric of scores.",
    "about {rows} labelled rows of the rarer class carry {metric}, so its interval may be too "
    "narrow",
    ". Label more rows of that class",
)

UNTESTED = rule(
    "judge-not-tested",
    "warning",
    "Fewer than 10 labelled rows on one side of the judge's order or length.",
    "whether the judge depends on the {of} is not tested: {name} has {labelled} labelled rows",
    ". Label at least 10 rows of each side",
)

CORRECTED_FOR = rule(
    "corrected-for",
    "assumed",
    "True classes of few rows and a judge on all.",
    "the labelled rows are taken for a random sample of the rows with the same {what}",
)
